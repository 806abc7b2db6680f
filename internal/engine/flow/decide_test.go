package flow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
)

// twoStages is research, which may be visited twice and then goes on whatever
// its gate says, and a review, which may be visited twice and then has failed.
func twoStages() flow.Workflow {
	nobody := func(flow.Run) []flow.Task { return nil }
	return flow.Workflow{Name: "of two stages", Stages: []flow.Stage{
		{Name: "research", Phase: "gathering", Plan: nobody, Visits: 2, Spent: flow.Next},
		{Name: "review", Plan: nobody, Visits: 2, Spent: flow.Fail},
	}}
}

// in is a run whose gate has judged a visit of a stage, after the visits before
// it.
func in(stage string, visit int, v flow.Verdict) flow.Run {
	r := flow.Run{Setup: flow.Setup{ID: "20260222-143000-a1b2c3"}, Stage: stage, Visit: visit, Judged: &v}
	for n := 1; n < visit; n++ {
		r.History = append(r.History, flow.Visit{Stage: stage, Visit: n})
	}
	return r
}

func enters(stage string, visit int) flow.Event {
	return flow.Event{Kind: flow.StageEntered, Stage: stage, Visit: visit}
}

func ends(s flow.Status, reason string) flow.Event {
	return flow.Event{Kind: flow.RunEnded, Status: s, Reason: reason}
}

func TestWhereARunGoesFromAGate(t *testing.T) {
	held := in("review", 1, flow.Verdict{Move: flow.Next})
	held.Refused = "20 of 20 turns taken"
	early := in("review", 1, flow.Verdict{Move: flow.Next})
	early.Finish = "finished early by the user"
	earlyAndWhy := in("review", 1, flow.Verdict{Move: flow.Done, Reason: "the draft stands"})
	earlyAndWhy.Finish = "finished early by the user"
	for name, c := range map[string]struct {
		run  flow.Run
		want flow.Event
	}{
		"on to the next stage":                          {in("research", 1, flow.Verdict{Move: flow.Next}), enters("review", 1)},
		"behind the last stage it is done":              {in("review", 1, flow.Verdict{Move: flow.Next, Reason: "approved"}), ends(flow.Completed, "approved")},
		"done before the last stage":                    {in("research", 1, flow.Verdict{Move: flow.Done, Reason: "nothing to review"}), ends(flow.Completed, "nothing to review")},
		"once more":                                     {in("research", 1, flow.Verdict{Move: flow.Again}), enters("research", 2)},
		"research has had its visits: on with it":       {in("research", 2, flow.Verdict{Move: flow.Again}), enters("review", 1)},
		"review has had its visits: it has failed":      {in("review", 2, flow.Verdict{Move: flow.Again, Reason: "still rejected"}), ends(flow.Failed, "still rejected; visits of review are spent")},
		"the same, and the gate has not said why":       {in("review", 2, flow.Verdict{Move: flow.Again}), ends(flow.Failed, "visits of review are spent")},
		"back to an earlier stage":                      {in("review", 1, flow.Verdict{Move: flow.Jump, To: "research"}), enters("research", 1)},
		"to a stage nobody has heard of":                {in("review", 1, flow.Verdict{Move: flow.Jump, To: "reviiew"}), ends(flow.Failed, `no stage is named "reviiew"`)},
		"the money is gone":                             {in("research", 1, flow.Verdict{Move: flow.Halt, Reason: "$10.00 of $10.00 spent"}), ends(flow.OutOfBudget, "$10.00 of $10.00 spent")},
		"no quotation was located":                      {in("research", 1, flow.Verdict{Move: flow.Empty, Reason: "no seat has recorded a claim"}), ends(flow.NoEvidence, "no seat has recorded a claim")},
		"it cannot go on":                               {in("research", 1, flow.Verdict{Move: flow.Fail, Reason: "no seat is left"}), ends(flow.Failed, "no seat is left")},
		"a word of the gate that means nothing":         {in("research", 1, flow.Verdict{Move: "sideways", Reason: "a slip"}), ends(flow.Failed, "a slip")},
		"whom a limit held back has not completed":      {held, ends(flow.OutOfBudget, "20 of 20 turns taken")},
		"who was to finish early says so":               {early, ends(flow.Completed, "finished early by the user")},
		"who was to finish early says so with the rest": {earlyAndWhy, ends(flow.Completed, "finished early by the user: the draft stands")},
	} {
		t.Run(name, func(t *testing.T) {
			e, ok := flow.Decide(twoStages(), c.run)
			require.True(t, ok)
			require.Equal(t, c.want, e)
		})
	}
}

func TestARunThatAsksWaitsForAPerson(t *testing.T) {
	_, ok := flow.Decide(twoStages(), in("research", 1, flow.Verdict{Move: flow.Ask}))
	require.False(t, ok)
}

// A workflow has the last word on what its run has come to: a run that came to
// its end without evidence is not called completed.
func TestAWorkflowSaysWhatItsRunEndsAs(t *testing.T) {
	for name, c := range map[string]struct {
		status flow.Status
		want   flow.Event
	}{
		"it has evidence":              {flow.Completed, ends(flow.Completed, "approved")},
		"the workflow has no opinion":  {"", ends(flow.Completed, "approved")},
		"nothing it says was located":  {flow.NoEvidence, ends(flow.NoEvidence, "as the workflow says")},
		"it has ended out of a budget": {flow.OutOfBudget, ends(flow.OutOfBudget, "as the workflow says")},
	} {
		for _, move := range []flow.Move{flow.Next, flow.Done} {
			t.Run(name+", by "+string(move), func(t *testing.T) {
				w := twoStages()
				w.Close = func(flow.Run) (flow.Status, string) { return c.status, "as the workflow says" }
				e, ok := flow.Decide(w, in("review", 1, flow.Verdict{Move: move, Reason: "approved"}))
				require.True(t, ok)
				require.Equal(t, c.want, e)
			})
		}
	}
}

// Visits are counted over the whole run where a stage is only to be passed, and
// since a person has let the run go on where they would end it: who raises the
// limits is not told at once that the visits are spent.
func TestVisitsAreCountedAcrossTheRun(t *testing.T) {
	behind := func(stages ...string) []flow.Visit {
		var list []flow.Visit
		visits := map[string]int{}
		for _, s := range stages {
			visits[s]++
			list = append(list, flow.Visit{Stage: s, Visit: visits[s]})
		}
		return list
	}
	for name, c := range map[string]struct {
		history []flow.Visit
		opened  int
		to      string
		want    flow.Event
	}{
		"research for the second time":                {behind("research"), 0, "research", enters("research", 2)},
		"research for the third time goes on instead": {behind("research", "review", "research"), 0, "research", ends(flow.Completed, "look again")},
		"review for the third time has failed":        {behind("review", "research"), 0, "review", ends(flow.Failed, "look again; visits of review are spent")},
		"it has visits again since it was reopened":   {behind("review", "research"), 2, "review", enters("review", 3)},
	} {
		t.Run(name, func(t *testing.T) {
			r := in("review", 1, flow.Verdict{Move: flow.Jump, To: c.to, Reason: "look again"})
			for _, v := range c.history {
				if v.Stage == "review" {
					r.Visit = v.Visit + 1
				}
			}
			r.History, r.Opened = c.history, c.opened
			e, ok := flow.Decide(twoStages(), r)
			require.True(t, ok)
			require.Equal(t, c.want, e)
		})
	}
}

// A brand that bears one turn at once gets one, however many seats it has.
func TestABrandGetsNoMoreTurnsThanItBears(t *testing.T) {
	r := flow.Run{Stage: "research", Visit: 1}
	for _, seat := range []string{"claude-1", "claude-2", "claude-3", "codex"} {
		brand := "anthropic"
		if seat == "codex" {
			brand = "openai"
		}
		r.Tasks = append(r.Tasks, flow.TaskState{Task: flow.Task{ID: "research.1/" + seat, Seat: seat, Brand: brand}, Fresh: true})
	}
	for name, c := range map[string]struct {
		perBrand map[string]int
		learned  map[string]int
		want     []string
	}{
		"all at once where nothing is said":        {nil, nil, []string{"claude-1", "claude-2", "claude-3", "codex"}},
		"as configured":                            {map[string]int{"anthropic": 2}, nil, []string{"claude-1", "claude-2", "codex"}},
		"less where the provider has refused some": {map[string]int{"anthropic": 2}, map[string]int{"anthropic": 1}, []string{"claude-1", "codex"}},
	} {
		t.Run(name, func(t *testing.T) {
			r.Setup.PerBrand, r.Windows = c.perBrand, c.learned
			var seats []string
			for _, w := range flow.WantedTurns(r) {
				seats = append(seats, w.Task.Seat)
			}
			require.Equal(t, c.want, seats)
		})
	}
}

// What people read of a run, in the state file and in a sentence.
func TestHowARunIsCalled(t *testing.T) {
	for stage, want := range map[string]string{
		"research":  "gathering",
		"review":    "review",    // a stage without a name for people has its own
		"synthesis": "synthesis", // a stage of another release, which this one does not have
	} {
		require.Equal(t, want, twoStages().Phase(flow.Run{Stage: stage}))
	}
	for status, want := range map[flow.Status]string{
		flow.Completed:   "completed",
		flow.Cancelled:   "cancelled",
		flow.OutOfBudget: "out of budget",
		flow.NoEvidence:  "ended without evidence",
	} {
		require.Equal(t, want, status.Words())
	}
}
