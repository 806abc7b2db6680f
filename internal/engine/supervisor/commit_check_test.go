package supervisor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// calculating is a campaign whose worker adds to a file in which a person has a
// line that is not committed.
func calculating(t *testing.T, code string) *councilRun {
	c := newFeature(t, "echo '. ./calc.sh; [ \"$MUL\" = 1 ]' > t_1.sh\n"+code)
	c.write("calc.sh", "ADD=1\n# two\n# three\n# four\n# five\n")
	c.git("add", "calc.sh")
	c.git("commit", "-q", "-m", "third")
	c.write("calc.sh", c.text("calc.sh")+"MINE=1\n")
	return c
}

func TestAWorkersLinesAreCommittedWithoutAPersons(t *testing.T) {
	t.Parallel()
	c := calculating(t, `sed 's/^ADD=1$/MUL=1\nADD=1/' calc.sh > calc.new; cat calc.new > calc.sh; mv calc.new "$CALLS/calc.new"`)
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, feature.Passed, c.feature("F001").State, c.feature("F001").Reason)
	require.Equal(t, "MUL=1\nADD=1\n# two\n# three\n# four\n# five\n", c.git("show", "HEAD:calc.sh"))
	require.Equal(t, "MUL=1\nADD=1\n# two\n# three\n# four\n# five\nMINE=1\n", c.text("calc.sh"))
	require.Equal(t, " M calc.sh\n M facts.md\n?? mine.txt\n", c.mine())
	require.Contains(t, c.paper(campaign.Progress), "Not committed by you, and left as it is: calc.sh, facts.md, mine.txt")
}

// What is tested is what will be committed.
func TestAFeatureThatNeedsAPersonsChangesWaitsForThem(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"in the same lines":   "echo MUL=1 >> calc.sh",
		"in a file of theirs": "sed '1s/^/. .\\/mine.txt; MUL=$MINE\\n/' calc.sh > calc.new; cat calc.new > calc.sh; mv calc.new \"$CALLS/calc.new\"",
	} {
		t.Run(name, func(t *testing.T) {
			c := calculating(t, code)
			c.write("mine.txt", "MINE=1\n")
			c.begin()
			r := c.supervise(c.options())
			require.True(t, r.IsWaiting(), r.Reason)
			require.Contains(t, r.Judged.Reason, "it needs changes of yours that are not committed: calc.sh, facts.md, mine.txt")
			require.Contains(t, c.file("status.json"), "it needs changes of yours")
			require.NotContains(t, c.git("log", "--format=%s"), "F001")
			c.git("add", "calc.sh", "mine.txt")
			c.git("commit", "-q", "-m", "mine")
			r = c.resume()
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			f := c.feature("F001")
			require.Equal(t, feature.Passed, f.State, f.Reason)
			require.Zero(t, f.Attempts)
			require.Len(t, r.LastTasks(agent.Code), 1)
			require.Equal(t, " M facts.md\n", c.mine())
			require.Equal(t, "F001: One\nmine\nthird\nsecond\nstart\n", c.git("log", "--format=%s"))
		})
	}
}
