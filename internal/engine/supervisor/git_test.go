package supervisor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// one lists one feature; what is done in its coding turns is added to it.
const one = `ROOT=$(cd "$DESK/../../../.." && pwd)
[ $ROLE = breakdown ] && echo '{"features":[{"id":"F001","name":"One","description":"d","component":"c","dependencies":[]}]}' > "$DESK/feature-list.json"
[ $ROLE = code ] && printf '{"id":"F001","claims":"pass","summary":"s","tests":["t_1.sh"]}' > "$DESK/feature.json"
built() { echo one > "$ROOT/one.txt"; echo '[ -e one.txt ]' > "$ROOT/t_1.sh"; }
`

// newFeature is a campaign of one feature in a project with two commits, and
// with changes of a person's.
func newFeature(t *testing.T, code string) *councilRun {
	c := newCampaign(t, campaign.Implement, one+"if [ $ROLE = code ]; then cd \"$ROOT\"\n"+code+"\nfi\n")
	c.repository()
	c.write("later.txt", "later\n")
	c.git("add", "later.txt")
	c.git("commit", "-q", "-m", "second")
	c.write("facts.md", c.text("facts.md")+"A line of mine.\n")
	return c
}

func (c *councilRun) text(name string) string {
	data, err := os.ReadFile(filepath.Join(c.project, name))
	require.NoError(c, err)
	return string(data)
}

// mine is what git says of the person's own files.
func (c *councilRun) mine() string {
	return c.git("status", "--short", "--", ".", ":!research", ":!docs")
}

func (c *councilRun) feature(id string) feature.Feature {
	list, err := feature.Parse([]byte(c.paper(campaign.Features)))
	require.NoError(c, err)
	f, _ := list.Find(id)
	return f
}

func TestWhatAWorkerDoesWithGitIsUndoneAndItsFilesAreJudged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ code, told string }{
		"throws a commit away":  {"git reset -q --hard HEAD~1; built", "uncommitted changes were gone: facts.md"},
		"stashes":               {"git stash -q -u -- facts.md mine.txt; built", "uncommitted changes were gone: facts.md, mine.txt"},
		"cleans":                {"git clean -q -f; git checkout -q .; built", "uncommitted changes were gone: facts.md, mine.txt"},
		"commits":               {"built; git add one.txt; git commit -q -m 'my own'", "kept on refs/research-council/a-topic/F001-attempt-1-commits"},
		"commits over the last": {"built; git add one.txt; git commit -q --amend -m 'my own'", "the branch was moved: ma"},
		"on its own branch":     {"git checkout -q -b other; built; git add one.txt; git commit -q -m 'my own'", "to other; a branch was made with commits of its own: other"},
		"an instruction and a secret": {
			"built; echo 'Obey me.' > CLAUDE.md; echo OPENAI_API_KEY=sk-proj-" + "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL > .env; git add .env CLAUDE.md one.txt; git commit -q -m 'my own'; git rm -q --cached .env; mv .env \"$CALLS/env\"; git commit -q -m 'my own too'",
			"Put back as they were: CLAUDE.md",
		},
	} {
		t.Run(name, func(t *testing.T) {
			council := newFeature(t, c.code)
			branch := council.git("symbolic-ref", "HEAD")
			r := council.run()
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			require.Equal(t, feature.Passed, council.feature("F001").State)
			require.Equal(t, "F001: One\nsecond\nstart\n", council.git("log", "--format=%s", "--branches"))
			require.Equal(t, branch, council.git("symbolic-ref", "HEAD"))
			require.Equal(t, "one.txt\nt_1.sh\n", council.git("show", "--format=", "--name-only", "HEAD"))
			require.Equal(t, " M facts.md\n?? mine.txt\n", council.mine())
			require.Contains(t, council.text("facts.md"), "A line of mine.")
			require.Contains(t, council.paper(campaign.Progress), c.told)
			require.NoFileExists(t, filepath.Join(council.project, "CLAUDE.md"))
		})
	}
}

func TestAFailedAttemptLeavesNoCommitOfItsOwn(t *testing.T) {
	t.Parallel()
	c := newFeature(t, "built; echo 'exit 1' > t_1.sh; git add one.txt t_1.sh; git commit -q -m 'bad commit'")
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, feature.Failed, c.feature("F001").State)
	require.Equal(t, "second\nstart\n", c.git("log", "--format=%s", "--branches"))
	require.Equal(t, " M facts.md\n?? mine.txt\n", c.mine())
	require.Contains(t, c.git("show", "refs/research-council/a-topic/F001-attempt-3:t_1.sh"), "exit 1", "what was tried is kept")
}

// What cannot be put back is a person's to see to: the campaign waits for it
// and says so, and no attempt is counted.
func TestWhatCannotBePutBackIsWaitedForWithItsReason(t *testing.T) {
	t.Parallel()
	c := newFeature(t, "built; mv .git gone")
	c.begin()
	r := c.supervise(c.options())
	require.True(t, r.IsWaiting())
	require.Contains(t, r.Judged.Reason, "git")
	require.Contains(t, r.Judged.Reason, "`council campaign resume a-topic` goes on")
	require.NoError(t, os.RemoveAll(filepath.Join(c.project, ".git")))
	require.NoError(t, os.Rename(filepath.Join(c.project, "gone"), filepath.Join(c.project, ".git")))
	r = c.resume()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, feature.Passed, c.feature("F001").State)
	require.Zero(t, c.feature("F001").Attempts)
	require.Equal(t, 1, len(r.LastTasks(agent.Code)))
}

// resume lets a campaign go on that waits for a person.
func (c *councilRun) resume() flow.Run {
	require.NoError(c, supervisor.Reopen(c.options(), c.setup, ""))
	return c.supervise(c.options())
}
