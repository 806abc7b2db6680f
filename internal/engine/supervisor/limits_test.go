package supervisor_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/schema"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/staged"
)

// What a limit has stopped keeps what it has, and goes on under another one.
func TestALimitEndsStagedResearchAndAHigherOneLetsItGoOn(t *testing.T) {
	t.Parallel()
	c := newReview(t, nil)
	c.setup.Limits.Turns = 4
	r := c.staged(c.options())
	require.Equal(t, flow.OutOfBudget, r.Status, r.Reason)
	require.LessOrEqual(t, r.Spent.Turns, 4)
	st := c.state()
	require.Equal(t, "out_of_budget", st.Status)
	require.Contains(t, c.file(flow.FinalReport), "This run did not complete: out of budget.")
	_, problems := schema.Check("state", []byte(c.file(staged.StateFile)))
	require.Empty(t, problems)

	more := r.Setup
	more.Limits.Turns = 100
	require.NoError(t, supervisor.Reopen(c.options(), more, ""))
	r = c.supervise(c.options())
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	for _, what := range []string{"questions", "brief", "planning"} {
		require.Equal(t, 1, c.turns("ada", what), what)
	}
	require.NotContains(t, c.file(flow.FinalReport), "did not complete")
}

func TestTheTimeThatIsUpEndsTheCollection(t *testing.T) {
	t.Parallel()
	c := newReview(t, map[string]string{"collection": "#! it never ends\nsleep 3600\n", "collection-A1": ""})
	c.setup.Limits.Time = 2 * time.Second
	r := c.staged(c.options())
	require.Equal(t, flow.OutOfBudget, r.Status, r.Reason)
	require.Equal(t, "out_of_budget", c.state().Status)
	require.True(t, c.has(flow.FinalReport))
}

// One family alone judges its own facts, in a turn of its own, and it is said.
func TestOneFamilyAloneIsAskedAgainInAFreshTurnAndItIsSaid(t *testing.T) {
	t.Parallel()
	c := newStaged(t, nil)
	c.setup.Seats = c.setup.Seats[:1]
	c.setup.Panel = []flow.Seat{c.setup.Seats[0], c.setup.Seats[0]}
	r := c.staged(c.options())
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	checked := read[staged.FactCheckResult](c, staged.FactcheckFile)
	require.Equal(t, staged.Stats{Total: 8, Located: 6, Supported: 5, Verified: 5, Unverified: 3, Sources: 3, Judges: true}, checked.Stats)
	for _, f := range checked.Verified {
		require.Contains(t, f.Reason, "single family: judged by the family that made the claim, in a fresh turn")
	}
	require.Contains(t, c.file(flow.FinalReport), "single family")
}

// Where no judge can be heard, what is located stays unjudged: the gate lets
// nothing through, and the judges can be asked again.
func TestJudgesThatAllFailVerifyNothing(t *testing.T) {
	t.Parallel()
	c := newStaged(t, map[string]string{"votes": "#! no login\nexit 77\n"})
	r := c.staged(c.options())
	require.Equal(t, flow.Failed, r.Status, r.Reason)
	require.Contains(t, r.Reason, "Gate failed: factcheck — none of 8 facts is verified, and at least 1 is needed: 6 located, unjudged, because no judge could be heard")
	checked := read[staged.FactCheckResult](c, staged.FactcheckFile)
	require.Empty(t, checked.Verified)
	require.Len(t, checked.Unjudged, 6)
	require.Equal(t, staged.Gathering, staged.ReopenStage(r), "the judges are asked again")
}

// A family that does not vote leaves facts unjudged, and that is no verdict.
func TestVotesThatDoNotComeAreNoVerdict(t *testing.T) {
	t.Parallel()
	c := newStaged(t, map[string]string{"votes": "#! no login\nexit 77\n", "cid.votes": ballots})
	r := c.staged(c.options())
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	stats := read[staged.FactCheckResult](c, staged.FactcheckFile).Stats
	require.Equal(t, 8, stats.Total)
	require.Equal(t, 6, stats.Located)
	require.Equal(t, 4, stats.Verified)
	require.Equal(t, 2, stats.Unjudged, "what cid has claimed nobody else has judged")
	require.Equal(t, 4, stats.Supported)
}
