package council_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status/statustest"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
)

// A run that is to finish early is not held up by a gate that wants more of it.
func TestNoGateOfACouncilHoldsUpAFinish(t *testing.T) {
	for name, c := range map[string]struct {
		stage string
		own   flow.Verdict
		want  flow.Move
	}{
		"a council without a report":     {council.Research, flow.Verdict{Move: flow.Fail, Reason: "too little"}, flow.Next},
		"a synthesis is tried once more": {council.Synthesis, flow.Verdict{Move: flow.Again}, flow.Again},
		"nothing is revised any more":    {panel.Verdict, flow.Verdict{Move: flow.Jump, Reason: "mend it"}, flow.Done},
	} {
		got := council.Workflow().Finish(flow.Run{Stage: c.stage, Finish: "finished early by the user"}, c.own)
		require.Equal(t, c.want, got.Move, name)
		if got.Move != c.own.Move {
			require.Equal(t, c.own, got.Own(), "%s: the gate's own word is kept", name)
		}
	}
}

func TestWhereACouncilThatHasEndedGoesOn(t *testing.T) {
	counted := func(verdict string) []flow.TaskState {
		return []flow.TaskState{{Outcome: "complete", Found: &flow.Assessment{Own: panel.OwnCount(&panel.Count{Verdict: verdict})}}}
	}
	for name, c := range map[string]struct {
		run  flow.Run
		want string
	}{
		"where it ended":                      {flow.Run{Stage: council.Report}, council.Report},
		"reviewers have rejected it":          {flow.Run{Stage: panel.Verdict, Tasks: counted(panel.Rejected)}, council.Synthesis},
		"too few reviewers have been heard":   {flow.Run{Stage: panel.Verdict, Tasks: counted(panel.NoQuorum)}, agent.Review},
		"the reviewers could not be counted":  {flow.Run{Stage: panel.Verdict}, council.Synthesis},
		"it was sent back, and not yet again": {flow.Run{Stage: panel.Verdict, Tasks: counted(panel.NeedsRevision)}, council.Synthesis},
	} {
		require.Equal(t, c.want, council.ReopenStage(c.run), name)
	}
}

func TestWhereASeatOfACouncilWorks(t *testing.T) {
	require.Equal(t, "claude", council.FolderOf(flow.Task{ID: "research.1/claude", Seat: "claude", Role: agent.Research}), "its first report")
	require.Equal(t, "claude/refinement", council.FolderOf(flow.Task{ID: "refinement.1/claude", Seat: "claude", Role: agent.Refinement}))
	require.Equal(t, "codex/review.3.R2", council.FolderOf(flow.Task{ID: "review.3/codex.R2", Seat: "codex", Role: agent.Review, Agent: "R2", Clean: true}))
}

func TestOneVoiceOfEachFamilyJudges(t *testing.T) {
	r := flow.Run{Setup: flow.Setup{
		Seats: []flow.Seat{{Name: "claude", Brand: "anthropic"}, {Name: "opus", Brand: "anthropic"}, flow.LibrarianSeat()},
		Panel: []flow.Seat{{Name: "codex", Brand: "openai"}},
	}}
	var names []string
	for _, s := range council.AllJudges(r) {
		names = append(names, s.Name)
	}
	require.Equal(t, []string{"claude", "codex"}, names)
}

func TestTheLogCountsThePhasesOfACouncil(t *testing.T) {
	p := statustest.New(council.Workflow(), flow.Setup{ID: "20260222-143000-a1b2c3", Seats: []flow.Seat{{Name: "claude"}}})
	p.Ask(council.Research, 1, "claude")
	p.Tell(flow.Event{Kind: flow.StageJudged, Stage: council.Research, Verdict: &flow.Verdict{Move: flow.Next}})
	p.Ask(council.Refinement, 1, "claude")
	p.Tell(flow.Event{Kind: flow.StageJudged, Stage: council.Refinement, Verdict: &flow.Verdict{Move: flow.Next}})
	p.Ask(council.Synthesis, 1, "claude")
	p.Tell(flow.Event{Kind: flow.StageJudged, Stage: council.Synthesis, Verdict: &flow.Verdict{Move: flow.Next}})
	require.Equal(t, []string{
		"Research council 20260222-143000-a1b2c3: claude",
		"Phase 1: All agents complete",
		"Phase 2: Starting refinement...",
		"Phase 2: All agents complete",
		"Phase 3: Starting synthesis...",
	}, p.Said)
}
