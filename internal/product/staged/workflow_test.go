package staged_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
)

// stagedWorld plays staged research: what each task comes to is asked of play.
type stagedWorld struct {
	t     *testing.T
	run   flow.Run
	wf    flow.Workflow
	clock time.Time
	play  func(task flow.TaskState, visit int) flow.Own // nothing: the task fails
	asks  []flow.Input                                  // what a person says, one after another
	path  []string                                      // stages as they were entered
	heard func(flow.Event)                              // who listens to its facts; nil for nobody
}

func stagedSetup() flow.Setup {
	return flow.Setup{
		ID: "20260222-143000-a1b2c3", Workflow: staged.Name, Topic: "t", Loop: loop.Default(),
		Own:   staged.Own(&staged.Setup{Agents: staged.Agents, Revisions: panel.DefaultRevisions}),
		Seats: []flow.Seat{{Name: "claude", Brand: "anthropic", Kind: "claude"}, {Name: "codex", Brand: "openai", Kind: "codex"}, {Name: "groq", Brand: "meta", Kind: "chat"}, {Name: "librarian", Brand: "librarian", Kind: "librarian", Free: true}},
		Panel: []flow.Seat{{Name: "claude", Brand: "anthropic"}, {Name: "openai", Brand: "openai"}, {Name: "groq", Brand: "meta"}},
	}
}

// wellDone is a stage's output that its gate lets through.
func wellDone(task flow.TaskState, _ int) flow.Own {
	switch task.Role {
	case agent.Questions:
		return staged.OwnOutput(&staged.Output{Questions: 10})
	case agent.Brief:
		return staged.OwnOutput(&staged.Output{Brief: true})
	case agent.Planning:
		return staged.OwnOutput(&staged.Output{Subtopics: 2, Agents: []staged.Assignment{{ID: "A1"}, {ID: "A2"}, {ID: "A3"}, {ID: "A4"}, {ID: "A5"}}})
	case agent.Collection:
		return staged.OwnOutput(&staged.Output{Facts: 3})
	case staged.Factcheck:
		return staged.OwnOutput(&staged.Output{Stats: &staged.Stats{Total: 9, Verified: 4}})
	case agent.Findings:
		return staged.OwnOutput(&staged.Output{Recommendations: 3})
	case agent.Advocate:
		return staged.OwnOutput(&staged.Output{Risks: 1})
	case staged.Delivery:
		return staged.OwnOutput(&staged.Output{Report: &staged.ReportResult{File: flow.FinalReport, Local: true, Blocks: 20}})
	case panel.Verdict:
		return panel.OwnCount(&panel.Count{Verdict: panel.Approved, Valid: 3, Score: 1})
	}
	return staged.OwnOutput(&staged.Output{})
}

var answersAndYes = []flow.Input{{File: "answers-1.json"}, {Confirmed: true}}

func newStaged(t *testing.T, setup flow.Setup) *stagedWorld {
	w := &stagedWorld{t: t, play: wellDone, asks: answersAndYes, clock: time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC)}
	for _, of := range []func(flow.Setup) (flow.Workflow, bool){council.WorkflowOf, staged.WorkflowOf, campaign.WorkflowOf} {
		if wf, mine := of(setup); mine {
			w.wf = wf
		}
	}
	w.tell(flow.Event{Kind: flow.RunBegun, Setup: &setup})
	return w
}

func (w *stagedWorld) tell(e flow.Event) {
	w.clock = w.clock.Add(time.Second)
	e.Seq, e.At = w.run.Seq+1, w.clock
	w.run = flow.Evolve(w.run, e)
	if w.heard != nil {
		w.heard(e)
	}
	if e.Kind == flow.StageEntered {
		w.path = append(w.path, e.Stage)
	}
}

// ends plays until the run has ended or waits for a person in vain.
func (w *stagedWorld) ends() flow.Run {
	for range 10000 {
		if e, ok := flow.Decide(w.wf, w.run); ok {
			w.tell(e)
			continue
		}
		if !w.run.Asked.IsZero() && len(w.asks) > 0 {
			in := w.asks[0]
			w.asks = w.asks[1:]
			w.clock = w.clock.Add(72 * time.Hour)
			w.tell(flow.Event{Kind: flow.InputGiven, Input: &in})
			continue
		}
		if w.run.Status != "" || !w.run.Asked.IsZero() {
			return w.run
		}
		for _, work := range flow.WantedTurns(w.run) {
			w.turn(work.Task)
		}
	}
	w.t.Fatal("the run does not end")
	return w.run
}

func (w *stagedWorld) turn(task flow.TaskState) {
	w.tell(flow.Event{Kind: flow.TurnStarted, Task: task.ID, Session: "s"})
	res := flow.Result{Iterations: 1, Artefact: loop.Artefact{Problems: []string{"it is not JSON"}}}
	if out := w.play(task, w.run.Visit); !out.IsZero() {
		res.Artefact = loop.Artefact{SHA256: "a", Usable: true, Complete: true}
		res.Found = &flow.Assessment{Own: out}
	}
	w.tell(flow.Event{Kind: flow.TurnEnded, Task: task.ID, Result: &res})
}

func TestStagedResearchGoesThroughItsStagesInOrder(t *testing.T) {
	w := newStaged(t, stagedSetup())
	r := w.ends()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, []string{
		"questions", "brief", "planning", "collection", "gathering", "support", "factcheck", "findings", "advocate", "prose", "delivery", "review", "reconsider", "verdict",
	}, w.path)
	var parts []string
	for _, s := range w.wf.Stages {
		parts = append(parts, s.Part)
	}
	require.Equal(t, staged.Stages(), slices.Compact(parts))
	st := staged.StateOf(r)
	require.Equal(t, "done", st.CurrentStage)
	require.Equal(t, "completed", st.Status)
	require.Len(t, staged.Outputs(r), 8)
	require.Less(t, r.Spent.Time, time.Hour, "the days it waited for a person do not count")
}

func TestItWaitsForAPerson(t *testing.T) {
	for name, c := range map[string]struct {
		asks  []flow.Input
		stage string
		ask   string
	}{
		"for answers":                    {nil, agent.Questions, "10 questions wait for answers"},
		"for a word on the brief":        {answersAndYes[:1], agent.Brief, "the brief waits for a person to confirm it"},
		"again when more answers came":   {[]flow.Input{{File: "answers-1.json"}, {File: "answers-2.json"}}, agent.Brief, "the brief waits for a person to confirm it"},
		"and a no is no confirmation":    {[]flow.Input{{File: "answers-1.json"}, {}}, agent.Brief, "the brief waits for a person to confirm it"},
		"a confirmation answers nothing": {[]flow.Input{{Confirmed: true}}, agent.Brief, "the brief waits for a person to confirm it"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newStaged(t, stagedSetup())
			w.asks = c.asks
			r := w.ends()
			require.Empty(t, r.Status)
			require.Equal(t, c.stage, r.Stage)
			require.Equal(t, c.ask, r.Judged.Reason)
			require.Equal(t, staged.Paused, staged.StateOf(r).Status)
			require.Equal(t, "discovery", staged.StateOf(r).CurrentStage)
			require.Empty(t, flow.WantedTurns(r))
			at, _ := flow.Alarm(r)
			require.True(t, at.IsZero(), "no time limit runs meanwhile")
		})
	}
}

func TestAGateThatDoesNotHoldEndsTheRun(t *testing.T) {
	for name, c := range map[string]struct {
		role   string
		out    flow.Own
		reason string
		status flow.Status
	}{
		"no questions":      {agent.Questions, staged.OwnOutput(&staged.Output{}), "Gate failed: discovery — there are no questions", flow.Failed},
		"no plan":           {agent.Planning, flow.Own{}, "Gate failed: planning — groq: ", flow.Failed},
		"no subtopic":       {agent.Planning, staged.OwnOutput(&staged.Output{}), "Gate failed: planning — no subtopic", flow.Failed},
		"nothing collected": {agent.Collection, flow.Own{}, "Gate failed: collection — 0 of 5 agents returned data", flow.Failed},
		"nothing verified":  {staged.Factcheck, staged.OwnOutput(&staged.Output{Stats: &staged.Stats{Total: 4, Unverified: 4}}), "Gate failed: factcheck — none of 4 facts", flow.Failed},
		"two of three":      {agent.Findings, staged.OwnOutput(&staged.Output{Recommendations: 2}), "Gate failed: synthesis — 2 recommendations", flow.Failed},
		"no risk":           {agent.Advocate, staged.OwnOutput(&staged.Output{}), "Gate failed: devils_advocate — no risk", flow.Failed},
		"a thin report":     {staged.Delivery, staged.OwnOutput(&staged.Output{Report: &staged.ReportResult{File: "f", Local: true, Blocks: 3}}), "Gate failed: report — the report has 3 blocks", flow.Failed},
		"rejected":          {panel.Verdict, panel.OwnCount(&panel.Count{Verdict: panel.Rejected, Valid: 3}), "Gate failed: review — the consilium has rejected", flow.Failed},
		"no reviewer":       {panel.Verdict, panel.OwnCount(&panel.Count{Verdict: panel.NoQuorum}), "Gate failed: review — no quorum", flow.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			w := newStaged(t, stagedSetup())
			w.play = func(task flow.TaskState, visit int) flow.Own {
				if task.Role == c.role {
					return c.out
				}
				return wellDone(task, visit)
			}
			r := w.ends()
			require.Equal(t, c.status, r.Status)
			require.Contains(t, r.Reason, c.reason)
			require.NotContains(t, staged.Outputs(r), staged.Part(r))
		})
	}
}

func TestAThinReportIsWrittenThreeTimes(t *testing.T) {
	w := newStaged(t, stagedSetup())
	w.play = func(task flow.TaskState, visit int) flow.Own {
		if task.Role == staged.Delivery {
			return staged.OwnOutput(&staged.Output{Report: &staged.ReportResult{File: "f", Local: true, Blocks: 3}})
		}
		return wellDone(task, visit)
	}
	w.ends()
	require.Equal(t, staged.Deliveries, timesIn(w.path, agent.Prose))
	require.Equal(t, staged.Deliveries, timesIn(w.path, staged.Delivery))
}

func timesIn(list []string, one string) int {
	n := 0
	for _, s := range list {
		if s == one {
			n++
		}
	}
	return n
}

func TestThreeOfFiveAgentsSuffice(t *testing.T) {
	lost := func(n int) func(flow.TaskState, int) flow.Own {
		return func(task flow.TaskState, visit int) flow.Own {
			if task.Role == agent.Collection && visit < 3 && slices.Contains([]string{"A1", "A2", "A3", "A4", "A5"}[:n], task.Agent) {
				return flow.Own{}
			}
			return wellDone(task, visit)
		}
	}
	w := newStaged(t, stagedSetup())
	w.play = lost(2)
	require.Equal(t, flow.Completed, w.ends().Status)
	w = newStaged(t, stagedSetup())
	w.play = lost(3)
	r := w.ends()
	require.Contains(t, r.Reason, "Gate failed: collection — 2 of 5 agents returned data")
	require.Contains(t, r.Reason, "it is not JSON")
	var empty []string
	for _, t := range staged.EmptyTasks(r) {
		empty = append(empty, t.Agent)
	}
	require.Equal(t, []string{"A1", "A2", "A3"}, empty, "who brought nothing is told in the report")
	// Taken up again, it asks only those that are missing, of other seats.
	before := map[string]string{}
	for _, t := range r.LastTasks(agent.Collection) {
		before[t.Agent] = t.Seat
	}
	w.play = wellDone
	setup := r.Setup
	w.tell(flow.Event{Kind: flow.RunReopened, Stage: staged.ReopenStage(r), Setup: &setup})
	e, _ := flow.Decide(w.wf, w.run)
	var again []string
	for _, task := range e.Tasks {
		again = append(again, task.Agent)
		require.NotEqual(t, before[task.Agent], task.Seat)
	}
	require.Equal(t, []string{"A1", "A2", "A3"}, again)
	r = w.ends()
	require.Equal(t, flow.Completed, r.Status)
	require.Len(t, staged.CollectedTasks(r), 5)
	require.Empty(t, staged.EmptyTasks(r))
}

func TestCollectionIsForSeatsThatCanSearch(t *testing.T) {
	w := newStaged(t, stagedSetup())
	r := w.ends()
	ids := map[string]bool{}
	for _, t := range r.LastTasks(agent.Collection) {
		ids[t.ID] = true
	}
	require.Equal(t, map[string]bool{
		"collection.1/claude.A1": true, "collection.1/codex.A2": true, "collection.1/claude.A3": true, "collection.1/codex.A4": true, "collection.1/claude.A5": true,
	}, ids)
}

func TestTheAdvocateIsARival(t *testing.T) {
	w := newStaged(t, stagedSetup())
	r := w.ends()
	require.Equal(t, "claude", r.LastTasks(agent.Findings)[0].Seat)
	require.Equal(t, "codex", r.LastTasks(agent.Advocate)[0].Seat)
}

func TestAnotherSeatAnswersWhereOneCannot(t *testing.T) {
	w := newStaged(t, stagedSetup())
	w.play = func(task flow.TaskState, visit int) flow.Own {
		if task.Role == agent.Planning && task.Seat == "claude" {
			return flow.Own{}
		}
		return wellDone(task, visit)
	}
	r := w.ends()
	require.Equal(t, flow.Completed, r.Status)
	require.Equal(t, "codex", r.LastTasks(agent.Planning)[0].Seat)
}

// A review that wants a revision takes everything after the synthesis with it.
func TestARevisionMakesEverythingAnew(t *testing.T) {
	for revisions := range 4 {
		w := newStaged(t, stagedSetup())
		w.play = func(task flow.TaskState, visit int) flow.Own {
			if task.Role == panel.Verdict && visit <= revisions {
				out := staged.Outputs(w.run)
				require.NotContains(t, out, staged.Review)
				require.Contains(t, out, staged.Report)
				return panel.OwnCount(&panel.Count{Verdict: panel.NeedsRevision, Valid: 3, Reason: "split"})
			}
			if task.Role == agent.Findings && visit > 1 {
				out := staged.Outputs(w.run)
				require.NotContains(t, out, staged.Synthesis)
				require.NotContains(t, out, staged.DevilsAdvocate)
				require.NotContains(t, out, staged.Report)
				require.Contains(t, out, staged.Factcheck)
				require.Contains(t, task.Reads, panel.RevisionFile)
				require.Equal(t, visit-1, staged.StateOf(w.run).Iteration)
			}
			return wellDone(task, visit)
		}
		r := w.ends()
		again := min(revisions, panel.DefaultRevisions)
		for _, stage := range []string{agent.Findings, agent.Advocate, agent.Prose, staged.Delivery, agent.Review, agent.Reconsider, panel.Verdict} {
			require.Equal(t, again+1, timesIn(w.path, stage), stage)
		}
		require.Equal(t, 1, timesIn(w.path, agent.Collection))
		if revisions <= panel.DefaultRevisions {
			require.Equal(t, flow.Completed, r.Status)
			require.Len(t, staged.Outputs(r), 8)
			continue
		}
		require.Equal(t, flow.Failed, r.Status)
		require.Contains(t, r.Reason, "Gate failed: review — needs_revision, and 2 of 2 revisions are spent")
		require.Contains(t, staged.Outputs(r), staged.Report)
	}
}

func TestReviewersOfOneSeatHaveTurnsOfTheirOwn(t *testing.T) {
	setup := stagedSetup()
	claude := flow.Seat{Name: "claude", Brand: "anthropic"}
	setup.Panel = []flow.Seat{claude, claude, claude}
	w := newStaged(t, setup)
	r := w.ends()
	var ids []string
	for _, t := range slices.Concat(r.LastTasks(agent.Review), r.LastTasks(agent.Reconsider)) {
		ids = append(ids, t.ID+" "+t.Writes)
	}
	require.Equal(t, []string{
		"review.1/claude.R1 review-1-R1.json", "review.1/claude.R2 review-1-R2.json", "review.1/claude.R3 review-1-R3.json",
		"reconsider.1/claude.R1 reconsider-1-R1.json", "reconsider.1/claude.R2 reconsider-1-R2.json", "reconsider.1/claude.R3 reconsider-1-R3.json",
	}, ids)
}

func TestAReviewerAloneHearsNobody(t *testing.T) {
	w := newStaged(t, stagedSetup())
	w.play = func(task flow.TaskState, visit int) flow.Own {
		if task.Role == agent.Review && task.Agent != "R2" {
			return flow.Own{}
		}
		return wellDone(task, visit)
	}
	r := w.ends()
	require.Empty(t, r.LastTasks(agent.Reconsider))
}

// Any workflow can have a review at its end; a council goes back to its
// synthesis.
func TestACouncilCanBeReviewed(t *testing.T) {
	setup := stagedSetup()
	setup.Workflow, setup.Own = "council", staged.Own(nil)
	w := newStaged(t, setup)
	w.play = func(task flow.TaskState, visit int) flow.Own {
		if task.Role == panel.Verdict && visit == 1 {
			return panel.OwnCount(&panel.Count{Verdict: panel.NeedsRevision, Valid: 3})
		}
		return wellDone(task, visit)
	}
	r := w.ends()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, 2, timesIn(w.path, council.Synthesis))
	require.Equal(t, 2, timesIn(w.path, council.Report))
	require.Contains(t, r.LastTasks(council.Synthesis)[0].Reads, panel.RevisionFile)
	require.True(t, strings.HasSuffix(strings.Join(w.path, " "), "synthesis report review reconsider verdict"))
	setup.Panel = nil
	w = newStaged(t, setup)
	w.ends()
	require.NotContains(t, w.path, agent.Review)
}

// Whoever can look for sources collects; where nobody can, the librarian reads
// what is there, and a model's voice alone is the last resort.
func TestWhoCollectsWhereNobodyCanSearch(t *testing.T) {
	chat := flow.Seat{Name: "groq", Brand: "meta", Kind: "chat"}
	librarian := flow.Seat{Name: "librarian", Brand: "librarian", Kind: "librarian", Free: true}
	for name, c := range map[string]struct {
		seats []flow.Seat
		want  string
	}{
		"a program that searches, beside others": {[]flow.Seat{chat, librarian, {Name: "codex", Brand: "openai", Kind: "codex"}}, "codex"},
		"the librarian, rather than a voice":     {[]flow.Seat{chat, librarian}, "librarian"},
		"a voice, where there is nobody else":    {[]flow.Seat{chat}, "groq"},
	} {
		t.Run(name, func(t *testing.T) {
			setup := stagedSetup()
			setup.Seats = c.seats
			for _, task := range newStaged(t, setup).ends().LastTasks(agent.Collection) {
				require.Equal(t, c.want, task.Seat, task.ID)
			}
		})
	}
}

// A campaign's report is written and its passages are voted on before it is
// reviewed: nothing that is unjudged can be approved. It ends with the count,
// whatever that says, since there is nothing to go back to.
func TestACampaignCanBeReviewed(t *testing.T) {
	for verdict, ending := range map[string]string{
		panel.Approved:      "approved by the consilium (3 valid votes)",
		panel.NeedsRevision: "the reviewers do not approve: ",
	} {
		t.Run(verdict, func(t *testing.T) {
			setup := stagedSetup()
			setup.Workflow, setup.Own = "research", campaign.Own(&campaign.Setup{Mode: campaign.Research, Iterations: 30, Threshold: 3, Stable: 2, Research: 2})
			w := newStaged(t, setup)
			w.play = func(task flow.TaskState, visit int) flow.Own {
				if task.Role == panel.Verdict {
					return panel.OwnCount(&panel.Count{Verdict: verdict, Valid: 3})
				}
				return wellDone(task, visit)
			}
			_, counted := panel.LastCount(w.run)
			require.False(t, counted, "nobody has voted yet")
			r := w.ends()
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			require.Contains(t, r.Reason, ending)
			require.True(t, strings.HasSuffix(strings.Join(w.path, " "), "close judgement support assessment report review reconsider verdict"), w.path)
			out, counted := panel.LastCount(r)
			require.True(t, counted)
			require.Equal(t, verdict, out.Verdict)
		})
	}
}
