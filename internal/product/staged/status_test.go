package staged_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/status/statustest"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
)

// stagedTape tells staged research.
type stagedTape struct{ *statustest.Tape }

func stagedRun() stagedTape {
	p := stagedTape{statustest.New(staged.Workflow(), flow.Setup{
		ID: "20260222-143000-a1b2c3", Workflow: staged.Name, Topic: "How?", Loop: loop.Default(), Own: staged.Own(&staged.Setup{Agents: 5, Revisions: 2}),
		Seats: []flow.Seat{{Name: "claude"}}, Panel: []flow.Seat{{Name: "claude"}, {Name: "openai"}},
	})}
	return p
}

// stage is one stage of staged research that comes to an output.
func (p stagedTape) stage(name, seat string, out flow.Own, v flow.Verdict) {
	p.Ask(name, 1, seat)
	res := statustest.Good(1)
	res.Found = &flow.Assessment{Own: out}
	p.Turn(name, seat, res)
	p.Ends(name, seat, loop.Complete, "marked complete")
	p.Tell(flow.Event{Kind: flow.StageJudged, Stage: name, Verdict: &v})
}

// Who looks at staged research sees which of eight stages it is in, what it
// wants of them, and where to read that.
func TestStagedResearchAsksAPersonTwiceAndShowsWhereToRead(t *testing.T) {
	p := stagedRun()
	p.stage(agent.Questions, "claude", staged.OwnOutput(&staged.Output{Questions: 10}), flow.Verdict{Move: flow.Ask, Reason: "10 questions wait for answers"})
	s := p.Status()
	require.Equal(t, status.Paused, s.Status)
	require.True(t, s.IsOpen(), "a person can still answer")
	require.False(t, s.Reopens, "it has not ended")
	require.Equal(t, "/p/research/x/"+staged.QuestionsFile, s.Asking.File)
	require.Equal(t, "10 questions wait for answers", s.Asking.Reason)
	require.False(t, s.Asking.Confirm, "questions are answered, not confirmed")
	require.Equal(t, []any{staged.Discovery, 1, 8, 2}, []any{staged.StatusOf(s).Stage, staged.StatusOf(s).Number, staged.StatusOf(s).Stages, staged.StatusOf(s).Iterations})

	p.Tell(flow.Event{Kind: flow.InputGiven, Input: &flow.Input{File: "answers-1.json"}})
	require.Nil(t, p.Status().Asking, "the answers are there")
	p.stage(agent.Brief, "claude", staged.OwnOutput(&staged.Output{Brief: true}), flow.Verdict{Move: flow.Ask, Reason: "the brief waits for a person to confirm it"})
	s = p.Status()
	require.Equal(t, "/p/research/x/"+staged.BriefFile, s.Asking.File)
	require.True(t, s.Asking.Confirm)

	p.Tell(flow.Event{Kind: flow.InputGiven, Input: &flow.Input{Confirmed: true}})
	p.Ask(agent.Planning, 1, "claude")
	p.Tell(flow.Event{Kind: flow.SessionMoved})
	require.Equal(t, []string{
		"Staged research 20260222-143000-a1b2c3: claude; reviewers: claude, openai",
		"Stage 1/8: discovery",
		"Questions: Claude questions starting (iteration 1/10)",
		"Claude questions complete after 1 iteration",
		"Waiting for a person: 10 questions wait for answers",
		"Answers are there",
		"Brief: Claude brief starting (iteration 1/10)",
		"Claude brief complete after 1 iteration",
		"Waiting for a person: the brief waits for a person to confirm it",
		"Confirmed by a person",
		"Stage 2/8: planning",
		"The session has ended; the research goes on",
	}, p.Said)
}

func TestStagedResearchThatIsDoneNamesItsPageAndItsReviewers(t *testing.T) {
	p := stagedRun()
	p.stage(staged.Delivery, flow.Program, staged.OwnOutput(&staged.Output{Report: &staged.ReportResult{NotionURL: "https://notion.example/p1", File: "report.md"}}), flow.Verdict{Move: flow.Next})
	require.Empty(t, staged.StatusOf(p.Status()).Verdict, "nobody has voted")
	p.stage(panel.Verdict, flow.Program, panel.OwnCount(&panel.Count{Verdict: panel.Approved, Families: []string{"anthropic", "openai"}}), flow.Verdict{Move: flow.Next})
	p.Tell(flow.Event{Kind: flow.RunEnded, Status: flow.Completed})
	s := p.Status()
	require.Equal(t, "https://notion.example/p1", staged.StatusOf(s).Page)
	require.Equal(t, panel.Approved, staged.StatusOf(s).Verdict)
	require.Equal(t, []string{"anthropic", "openai"}, staged.StatusOf(s).Families)
	require.Equal(t, []any{staged.Done, 9}, []any{staged.StatusOf(s).Stage, staged.StatusOf(s).Number}, "one beyond the last stage")
	require.False(t, s.IsOpen())
}

func TestOnlyStoppedStagedResearchCanBeGoneOnWith(t *testing.T) {
	for end, want := range map[flow.Status]bool{flow.Failed: true, flow.OutOfBudget: true, flow.Completed: false, flow.Cancelled: false} {
		p := stagedRun()
		p.Ask(agent.Planning, 1, "claude")
		p.Tell(flow.Event{Kind: flow.RunEnded, Status: end, Reason: "so it ended"})
		require.Equal(t, want, p.Status().Reopens, end)
		c := statustest.New(council.Workflow(), flow.Setup{})
		c.Tell(flow.Event{Kind: flow.RunEnded, Status: end})
		require.False(t, c.Status().Reopens, "a council is begun anew: %s", end)
	}
}
