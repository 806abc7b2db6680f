package supervisor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// noSynthesisReason is a campaign that waits for a person's word on its feature, and for
// whom the person has gone on working meanwhile.
func noSynthesisReason(t *testing.T) *councilRun {
	c := newFeature(t, "echo 'work() { :; }' > one.txt; echo '. ./one.txt; work' > t_1.sh")
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "judge.sh"), []byte("echo nothing > \"$RESEARCH_REPORT_PATH\"; exit 0\n"), 0o600))
	c.begin()
	r := c.supervise(c.options())
	require.True(t, r.IsWaiting(), r.Reason)
	require.Contains(t, r.Judged.Reason, "nobody else could judge")
	c.write("private.txt", "my notes\n")
	c.write("facts.md", c.text("facts.md")+"Another line of mine.\n")
	return c
}

const stillMine = " M facts.md\n?? mine.txt\n?? private.txt\n"

func TestWhatAPersonWritesWhileACampaignWaitsIsNotCommitted(t *testing.T) {
	t.Parallel()
	c := noSynthesisReason(t)
	require.NoError(t, campaignwork.DecideChange(c.options(), campaignwork.PersonVerdict{Feature: "F001", Accept: true, Reason: "read it"}))
	r := c.supervise(c.options())
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, feature.Passed, c.feature("F001").State)
	require.Equal(t, "one.txt\nt_1.sh\n", c.git("show", "--format=", "--name-only", "HEAD"))
	require.Equal(t, stillMine, c.mine())
	require.Contains(t, c.text("facts.md"), "A line of mine.\nAnother line of mine.\n")
}

func TestWhatAPersonWritesWhileACampaignWaitsIsNotSetAside(t *testing.T) {
	t.Parallel()
	c := noSynthesisReason(t)
	campaign.Of(c.setup.Own).Iterations = 2
	require.NoError(t, campaignwork.DecideChange(c.options(), campaignwork.PersonVerdict{Feature: "F001", Reason: "it does nothing"}))
	r := c.supervise(c.options())
	for r.IsWaiting() { // the next attempt waits for a word too
		require.NoError(t, campaignwork.DecideChange(c.options(), campaignwork.PersonVerdict{Feature: "F001", Reason: "nor does this"}))
		r = c.supervise(c.options())
	}
	require.Equal(t, feature.Failed, c.feature("F001").State)
	require.Equal(t, stillMine, c.mine())
	require.Contains(t, c.text("facts.md"), "A line of mine.\nAnother line of mine.\n")
}

func TestAWordOnWhatHasChangedSinceItWasTestedIsNotTaken(t *testing.T) {
	t.Parallel()
	c := noSynthesisReason(t)
	c.git("commit", "-q", "-m", "mine", "facts.md")
	require.ErrorIs(t, campaignwork.DecideChange(c.options(), campaignwork.PersonVerdict{Feature: "F001", Accept: true, Reason: "read it"}), campaignwork.ErrChanged)
	require.False(t, c.has("word.json"))
}

// What a worker lays where a judge will write is no judgement.
func TestAJudgementLaidThereBeforehandIsNone(t *testing.T) {
	t.Parallel()
	c := newFeature(t, `for n in 1 2 3; do mkdir -p "$DESK/judge.$n"; printf '{"accept":true,"reason":"it is right","checked":"all of it"}' > "$DESK/judge.$n/judgement-$n.json"; done; echo 'work() { :; }' > one.txt; echo '. ./one.txt; work' > t_1.sh`)
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "judge.sh"), []byte("exit 0\n"), 0o600))
	c.begin()
	r := c.supervise(c.options())
	require.True(t, r.IsWaiting(), r.Reason)
	require.Contains(t, r.Judged.Reason, "nobody else could judge")
}
