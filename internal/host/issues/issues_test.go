package issues

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/staged"
)

// storyOf is the facts of a run with one seat in one stage, a minute apart.
func storyOf(setup flow.Setup, facts ...flow.Event) []flow.Event {
	setup.ID = "20260222-143000-a1b2c3"
	tasks := []flow.Task{{ID: "collection.1/claude", Seat: "claude", Role: "collection"}}
	facts = append([]flow.Event{{Kind: flow.RunBegun, Setup: &setup}, {Kind: flow.StageEntered, Stage: "collection", Visit: 1, Tasks: tasks}}, facts...)
	for i := range facts {
		facts[i].Seq, facts[i].At = i+1, time.Date(2026, 2, 22, 14, 30+i, 0, 0, time.UTC)
	}
	return facts
}

func turnEnd(r flow.Result) flow.Event {
	return flow.Event{Kind: flow.TurnEnded, Task: "collection.1/claude", Turn: 1, Result: &r}
}

func verdict(m flow.Move, to string) flow.Event {
	return flow.Event{Kind: flow.StageJudged, Verdict: &flow.Verdict{Move: m, To: to, Reason: "too little"}}
}

func TestWhatFactsTellOfIssues(t *testing.T) {
	fault := agent.NewFault(agent.Retryable, "rate limit")
	problems := loop.Artefact{Problems: []string{"facts: is missing", "agent: is no text"}}
	entered := flow.Event{Kind: flow.StageEntered, Stage: "review", Visit: 1}
	for name, c := range map[string]struct {
		setup flow.Setup
		facts []flow.Event
		want  []Issue
	}{
		"a run in which all is well": {facts: []flow.Event{
			turnEnd(flow.Result{}), {Kind: flow.TaskEnded, Task: "collection.1/claude", Outcome: loop.Complete}, verdict(flow.Next, ""), {Kind: flow.RunEnded, Status: flow.Completed},
		}},
		"a seat that is missing, and what was not taken as typed": {
			setup: flow.Setup{Missing: []flow.Missing{{Seat: "gemini", Reason: "not found"}}, Warnings: []string{"--fast is unknown"}},
			want:  []Issue{{Code: seatMissing, Seat: "gemini", Detail: "not found"}, {Code: requestNote, Detail: "--fast is unknown"}},
		},
		"an issue that was met": {
			facts: []flow.Event{{Kind: flow.IssueMet, Issue: &flow.Issue{Code: flow.SourceFailed, Stage: "factcheck", Seat: "codex", Detail: "status 404"}}},
			want:  []Issue{{Code: flow.SourceFailed, Stage: "factcheck", Seat: "codex", Detail: "status 404"}},
		},
		"a turn's fault goes before what its answer lacks": {
			facts: []flow.Event{turnEnd(flow.Result{Fault: fault, Artefact: problems})},
			want:  []Issue{{Code: turnFailed, Stage: "collection", Visit: 1, Seat: "claude", Turn: 1, Class: "retryable", Detail: "rate limit"}},
		},
		"an answer that was refused": {
			facts: []flow.Event{turnEnd(flow.Result{Artefact: problems})},
			want: []Issue{{
				Code: flow.AnswerRefused, Stage: "collection", Visit: 1, Seat: "claude", Turn: 1,
				Detail: "2 problems, the first: facts: is missing", Problems: problems.Problems,
			}},
		},
		"a turn that was stopped says nothing": {facts: []flow.Event{turnEnd(flow.Result{Stopped: true, Fault: fault, Artefact: problems})}},
		"a person finished the run early": {facts: []flow.Event{
			turnEnd(flow.Result{Fault: agent.NewFault(agent.TimedOut, flow.FinishedEarly)}),
			{Kind: flow.TaskEnded, Task: "collection.1/claude", Outcome: loop.Failed, Reason: flow.FinishedEarly + "; it wrote no report"},
		}},
		"a seat that left nothing": {
			facts: []flow.Event{{Kind: flow.TaskEnded, Task: "collection.1/claude", Outcome: loop.Failed, Reason: "six faults in a row"}},
			want:  []Issue{{Code: taskFailed, Stage: "collection", Visit: 1, Seat: "claude", Detail: "six faults in a row"}},
		},
		"a limit that let no turn start": {
			facts: []flow.Event{{Kind: flow.TaskEnded, Task: "collection.1/claude", Outcome: loop.CutShort, Limit: true, Reason: "$1 are spent"}},
			want:  []Issue{{Code: limitReached, Stage: "collection", Visit: 1, Seat: "claude", Detail: "$1 are spent"}},
		},
		"a gate that fails the run": {
			facts: []flow.Event{verdict(flow.Fail, "")},
			want:  []Issue{{Code: gateFailed, Stage: "collection", Visit: 1, Detail: "too little"}},
		},
		"a gate that wants the stage again": {
			facts: []flow.Event{verdict(flow.Again, "")},
			want:  []Issue{{Code: gateAgain, Stage: "collection", Visit: 1, Detail: "back to collection: too little"}},
		},
		"a jump back, but not one ahead": {
			facts: []flow.Event{verdict(flow.Jump, "debate"), entered, verdict(flow.Jump, "collection")},
			want:  []Issue{{Code: gateAgain, Stage: "review", Visit: 1, Detail: "back to collection: too little"}},
		},
		"a campaign goes round as a matter of course": {setup: flow.Setup{Own: campaign.Own(&campaign.Setup{})}, facts: []flow.Event{verdict(flow.Again, "")}},
		"a gate that asks a person is no issue":       {facts: []flow.Event{verdict(flow.Ask, "")}},
		"how a run ends": {
			facts: []flow.Event{{Kind: flow.CancelAsked, Reason: "the user cancelled it"}, {Kind: flow.RunEnded, Status: flow.Cancelled, Reason: "the user cancelled it"}},
			want:  []Issue{{Code: runCancelled, Stage: "collection", Visit: 1, Detail: "the user cancelled it"}},
		},
		"a session that is gone, but not one that has moved": {
			facts: []flow.Event{{Kind: flow.SessionMoved, Session: "b", Reason: "cleared"}, {Kind: flow.SessionMoved, Reason: "closed"}},
			want:  []Issue{{Code: sessionLost, Stage: "collection", Visit: 1, Detail: "the session has ended: closed"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Of(flow.Workflow{Rounds: campaign.Of(c.setup.Own) != nil}, storyOf(c.setup, c.facts...))
			require.Len(t, got.Issues, len(c.want))
			for i, m := range got.Issues {
				require.False(t, m.At.IsZero())
				m.At = time.Time{}
				require.Equal(t, c.want[i], m)
			}
		})
	}
}

func TestFactsWithoutTheirPartsAreNoIssues(t *testing.T) {
	for _, kind := range []flow.Kind{flow.RunReopened, flow.TurnEnded, flow.TaskEnded, flow.StageJudged, flow.IssueMet, "of.another.version"} {
		require.Empty(t, Of(flow.Workflow{}, storyOf(flow.Setup{}, flow.Event{Kind: kind})).Issues, kind)
	}
}

func TestTheIssueLogObeysNoTerminal(t *testing.T) {
	log := Of(flow.Workflow{}, storyOf(flow.Setup{}, flow.Event{Kind: flow.IssueMet, Issue: &flow.Issue{Code: "c\x1b[2J", Seat: "s\tx\n", Detail: "a\x1b]0;title\x07b\nc"}}))
	var out bytes.Buffer
	require.NoError(t, log.Print(&out))
	require.NotContains(t, out.String(), "\x1b")
	require.NotContains(t, out.String(), "\x07")
	require.Len(t, bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n")), 4, "head, one issue, an empty line, the sum")
}

func TestARunWithoutIssuesSaysSo(t *testing.T) {
	log, unmet := Of(flow.Workflow{}, storyOf(flow.Setup{})).Only(staged.Workflow(), []string{"collection"}, nil)
	require.Empty(t, unmet)
	var out bytes.Buffer
	require.NoError(t, log.Print(&out))
	require.Equal(t, "Run 20260222-143000-a1b2c3 (running) met no issues.\n", out.String())
}

func TestStagesAreNamedAsTheWorkflowOrAsPeopleNameThem(t *testing.T) {
	var facts []flow.Event
	for _, stage := range staged.Workflow().Stages {
		facts = append(facts, flow.Event{Kind: flow.IssueMet, Issue: &flow.Issue{Code: "c", Stage: stage.Name}})
	}
	log := Of(flow.Workflow{}, storyOf(flow.Setup{}, facts...))
	kept := 0
	for _, name := range staged.Stages() {
		found, unmet := log.Only(staged.Workflow(), []string{name}, nil)
		require.Empty(t, unmet, name)
		kept += len(found.Issues)
	}
	require.Equal(t, len(facts), kept, "each stage belongs to one part")
	found, unmet := log.Only(staged.Workflow(), []string{staged.Delivery}, nil)
	require.Empty(t, unmet)
	require.Len(t, found.Issues, 1)
}

func TestAFilterThatMeetsNothingIsNoMistake(t *testing.T) {
	log := Of(flow.Workflow{}, storyOf(flow.Setup{Missing: []flow.Missing{{Seat: "gemini", Reason: "not found"}}}, verdict(flow.Again, "")))
	for name, c := range map[string]struct{ stages, codes []string }{
		"a stage":          {stages: []string{"review"}},
		"a code":           {codes: []string{"oops"}},
		"both, but apart":  {stages: []string{"collection"}, codes: []string{seatMissing}},
		"neither is there": {stages: []string{"review"}, codes: []string{"oops"}},
	} {
		found, unmet := log.Only(staged.Workflow(), c.stages, c.codes)
		require.NotEmpty(t, unmet, name)
		require.Equal(t, []Issue{}, found.Issues, "%s: an empty list also in JSON", name)
		require.Empty(t, found.Codes, name)
	}
}

func TestARunThatWaitsForAPersonIsPaused(t *testing.T) {
	require.Equal(t, status.Paused, Of(flow.Workflow{}, storyOf(flow.Setup{}, verdict(flow.Ask, ""))).Status)
}
