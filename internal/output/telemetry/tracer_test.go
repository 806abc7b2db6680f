package telemetry

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
)

// names is the spans' names, each with its parent's.
func names(spans []Span) []string {
	of := map[string]string{"": "-"}
	for _, s := range spans {
		of[s.ID] = s.Name
	}
	var list []string
	for _, s := range spans {
		list = append(list, of[s.Parent]+" > "+s.Name+" ("+string(s.Status)+")")
	}
	return list
}

func TestARunBecomesATree(t *testing.T) {
	require.Equal(t, []string{
		"research gemini > invoke_agent gemini (error)",
		"research claude > invoke_agent claude (ok)",
		"stage research > research claude (ok)",
		"research gemini > invoke_agent gemini (ok)",
		"stage research > research gemini (ok)",
		"invoke_workflow council > stage research (ok)",
		"- > invoke_workflow council (ok)",
	}, names(Spans(wholeRun())))
}

func TestNothingPeopleOrModelsWroteIsToldUnasked(t *testing.T) {
	data, err := json.Marshal(Spans(wholeRun()))
	require.NoError(t, err)
	require.NotContains(t, string(data), secret)
}

func TestWhatATurnTells(t *testing.T) {
	turn := Spans(wholeRun())[1]
	require.Equal(t, Client, turn.Kind)
	require.Equal(t, began().Add(3*time.Minute), turn.Start)
	require.Equal(t, began().Add(7*time.Minute), turn.End)
	require.Equal(t, Attributes{
		"research_council.level": "turn", "research_council.run.id": runID, "research_council.stage": "research", "research_council.visit": int64(1),
		"research_council.task": claudes, "research_council.seat": "claude", "research_council.brand": "anthropic", "research_council.role": "research",
		"research_council.turn": int64(1), "research_council.outcome": "ok", "research_council.iterations": int64(0),
		"research_council.tokens": int64(1000), "research_council.cost.usd": 0.5, "research_council.cost.estimated": false,
		"research_council.models": []string{"model-a", "model-b"},
		"gen_ai.operation.name":   "invoke_agent", "gen_ai.agent.name": "claude", "gen_ai.provider.name": "anthropic",
		"gen_ai.request.model": "model-a", "gen_ai.response.model": "model-a", "gen_ai.usage.input_tokens": int64(900), "gen_ai.usage.output_tokens": int64(100), "gen_ai.usage.cache_read.input_tokens": int64(300), "gen_ai.conversation.id": "session-1",
	}, turn.Attributes)
}

func TestWhatAStageTells(t *testing.T) {
	spans := Spans(wholeRun())
	stage := spans[len(spans)-2]
	require.Equal(t, int64(2), stage.Attributes["research_council.tasks"])
	require.Equal(t, int64(3), stage.Attributes["research_council.turns"])
	require.Equal(t, int64(1510), stage.Attributes["research_council.tokens"])
	require.Equal(t, 0.75, stage.Attributes["research_council.cost.usd"])
	require.Equal(t, true, stage.Attributes["research_council.cost.estimated"])
	require.Equal(t, "done", stage.Attributes["research_council.gate.move"])
	require.Equal(t, []Event{
		{Name: "issue.met", At: began().Add(5 * time.Minute), Attributes: Attributes{"research_council.issue.code": "data_source_failed"}},
		{Name: "gate", At: began().Add(12 * time.Minute), Attributes: Attributes{"research_council.gate.move": "done"}},
	}, stage.Events)
}

// last is the last span of a story's facts that has ended.
func last(facts ...flow.Event) Span {
	spans := Spans(story(facts...))
	return spans[len(spans)-1]
}

func TestHowSpansEnd(t *testing.T) {
	work := func(facts ...flow.Event) []flow.Event {
		return append([]flow.Event{begin(), enter("research", 1, task(claudes, "claude", "anthropic", agent.Research)), started(claudes, 1)}, facts...)
	}
	fault := func(c agent.Class) flow.Result { return flow.Result{Fault: &agent.Fault{Class: c}} }
	for name, c := range map[string]struct {
		facts []flow.Event
		at    int // of the spans
		want  Status
		kind  any // error.type
	}{
		"a turn that went well":                {work(ended(claudes, 1, flow.Result{})), 0, OK, nil},
		"a turn at its limit of time":          {work(ended(claudes, 1, fault(agent.TimedOut))), 0, Error, "timed-out"},
		"a turn that was stopped":              {work(ended(claudes, 1, flow.Result{Stopped: true, Fault: &agent.Fault{Class: agent.Lost}})), 0, Unset, nil},
		"a turn whose end nobody told":         {work(over(flow.Cancelled)), 0, Unset, nil},
		"a task that was left when all ended":  {work(over(flow.Cancelled)), 1, Unset, nil},
		"a task that left nothing":             {work(ended(claudes, 1, fault(agent.Terminal)), closed(claudes, loop.Failed)), 1, Error, "failed"},
		"a task that no limit let begin":       {work(closed(claudes, loop.Refused)), 1, Error, "refused"},
		"a task that was cut short":            {work(ended(claudes, 1, flow.Result{}), closed(claudes, loop.CutShort)), 1, OK, nil},
		"a stage that its gate failed":         {work(judged(flow.Fail), over(flow.Failed)), 2, Error, "gate"},
		"a stage that asked, and then was led": {work(judged(flow.Fail), judged(flow.Next), over(flow.Completed)), 2, OK, nil},
		"a run that failed":                    {work(over(flow.Failed)), 3, Error, "failed"},
		"a run out of its budget":              {work(over(flow.OutOfBudget)), 3, Unset, nil},
		"a run that was completed":             {work(over(flow.Completed)), 3, OK, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := Spans(story(c.facts...))[c.at]
			require.Equal(t, c.want, s.Status, s.Name)
			require.Equal(t, c.kind, s.Attributes["error.type"])
		})
	}
}

func TestWhatIsUnderWayHasNoEnd(t *testing.T) {
	spans := Spans(wholeRun()[:5])
	require.Equal(t, []string{
		"- > invoke_workflow council (unset)",
		"invoke_workflow council > stage research (unset)",
		"stage research > research claude (unset)",
		"research claude > invoke_agent claude (unset)",
		"stage research > research gemini (unset)",
		"research gemini > invoke_agent gemini (unset)",
	}, names(spans))
	for _, s := range spans {
		require.Zero(t, s.End)
	}
}

func TestAReviewersModelIsKnown(t *testing.T) {
	b := begin()
	b.Setup.Panel = []flow.Seat{{Name: "reviewer", Model: "model-r"}}
	turn := last(b, enter("review", 1, task("review.1/reviewer", "reviewer", "openai", agent.Review)), started("review.1/reviewer", 1))
	require.Equal(t, "model-r", turn.Attributes["gen_ai.request.model"])
}

func TestTheProgramsWorkIsNoAgents(t *testing.T) {
	turn := last(begin(), enter("registry", 1, task("registry.1/program", flow.Program, "", "gather")), started("registry.1/program", 1))
	require.Equal(t, "work gather", turn.Name)
	require.Equal(t, Internal, turn.Kind)
	require.NotContains(t, turn.Attributes, "gen_ai.operation.name")
}

func TestATurnThatOutlivedItsSupervisorSaysSo(t *testing.T) {
	facts := story(begin(), flow.Event{Kind: flow.SupervisorStarted}, enter("research", 1, task(claudes, "claude", "anthropic", agent.Research)),
		started(claudes, 1), flow.Event{Kind: flow.SupervisorStarted}, ended(claudes, 1, flow.Result{Stopped: true}))
	require.Equal(t, true, Spans(facts)[0].Attributes["research_council.turn.taken_up"])
	require.NotContains(t, Spans(wholeRun())[0].Attributes, "research_council.turn.taken_up")
}

func TestARunThatIsReopenedGoesOnInItsTrace(t *testing.T) {
	again := flow.Event{Kind: flow.RunReopened, Setup: &flow.Setup{Tier: "cheap", Seats: begin().Setup.Seats}}
	spans := Spans(story(begin(), over(flow.OutOfBudget), again, over(flow.Completed)))
	require.Len(t, spans, 2)
	require.Equal(t, spans[0].Trace, spans[1].Trace)
	require.NotEqual(t, spans[0].ID, spans[1].ID)
	require.Equal(t, int64(1), spans[1].Attributes["research_council.run.reopened"])
	require.Equal(t, "cheap", spans[1].Attributes["research_council.tier"])
}

func TestContentIsToldWhenItIsAskedFor(t *testing.T) {
	tr := tracer{content: true}
	var spans []Span
	for _, e := range wholeRun() {
		spans = append(spans, tr.apply(e)...)
	}
	run := spans[len(spans)-1]
	require.Equal(t, secret, run.Attributes["research_council.topic"])
	require.Contains(t, spans[0].Attributes["research_council.message"], secret)
	data, err := json.Marshal(spans)
	require.NoError(t, err)
	require.NotContains(t, string(data), `"`+secret+`."`, "the last words of a seat are an answer")
}

func TestAClockThatGoesBackMakesNoSpanThatDoes(t *testing.T) {
	facts := wholeRun()
	facts[7].At = began().Add(-time.Hour)
	require.NoError(t, sound(Spans(facts)))
}

// sound says what of spans cannot be.
func sound(spans []Span) error {
	at := map[string]int{}
	for i, s := range spans {
		if _, double := at[s.ID]; double {
			return fmt.Errorf("%s: its id is another's", s.Name)
		}
		at[s.ID] = i
	}
	for i, s := range spans {
		p, ok := at[s.Parent]
		switch {
		case !s.End.IsZero() && s.End.Before(s.Start):
			return fmt.Errorf("%s ends before it starts", s.Name)
		case s.Trace != spans[0].Trace:
			return fmt.Errorf("%s is of another trace", s.Name)
		case s.Parent == "" && s.Attributes[levelKey] == levelRun:
		case !ok:
			return fmt.Errorf("%s is a part of nothing", s.Name)
		case s.Start.Before(spans[p].Start):
			return fmt.Errorf("%s starts before its parent", s.Name)
		case s.End.IsZero() && !spans[p].End.IsZero():
			return fmt.Errorf("%s goes on after its parent", s.Name)
		case spans[p].End.IsZero():
		case s.End.After(spans[p].End) || i > p:
			return fmt.Errorf("%s ends after its parent", s.Name)
		}
	}
	return nil
}

// simulated is a run as the engine makes it, with turns that come to anything.
func simulated(t *rapid.T) []flow.Event {
	plan := func(roles ...string) func(flow.Run) []flow.Task {
		return func(flow.Run) []flow.Task {
			var tasks []flow.Task
			for i, role := range roles {
				tasks = append(tasks, flow.Task{Seat: begin().Setup.Seats[i].Name, Brand: "b", Role: role, Rule: loop.Rule{Iterations: 3, Retries: 1, Stuck: 1}})
			}
			return tasks
		}
	}
	gate := func(r flow.Run) flow.Verdict {
		move := rapid.SampledFrom([]flow.Move{flow.Next, flow.Next, flow.Again, flow.Jump, flow.Fail, flow.Done}).Draw(t, "move")
		return flow.Verdict{Move: move, To: "research"}
	}
	w := flow.Workflow{Name: "council", Stages: []flow.Stage{
		{Name: "research", Plan: plan("research", "research"), Gate: gate, Visits: 3, Spent: flow.Next},
		{Name: "review", Plan: plan("review"), Gate: gate, Visits: 2, Spent: flow.Fail},
	}}
	var events []flow.Event
	var r flow.Run
	tell := func(e flow.Event) {
		e.Seq, e.At = r.Seq+1, began().Add(time.Duration(rapid.IntRange(-1, 9).Draw(t, "at"))*time.Minute+time.Duration(r.Seq)*time.Second)
		events, r = append(events, e), flow.Evolve(r, e)
	}
	tell(begin())
	for r.Status == "" && len(events) < 200 {
		if e, ok := flow.Decide(w, r); ok {
			tell(e)
			continue
		}
		switch rapid.IntRange(0, 19).Draw(t, "world") {
		case 0:
			tell(flow.Event{Kind: flow.SupervisorStarted})
		case 1:
			tell(issue(flow.SourceFailed))
		case 2:
			tell(flow.Event{Kind: flow.CancelAsked})
		}
		for _, work := range flow.WantedTurns(r) {
			if work.Task.Running == nil {
				tell(started(work.Task.ID, work.Turn))
			}
		}
		for _, task := range r.Tasks {
			if task.Running != nil {
				tell(ended(task.ID, task.Turn, anyResult(t)))
				break
			}
		}
	}
	return events
}

func anyResult(t *rapid.T) flow.Result {
	res := flow.Result{Iterations: 1, Tokens: rapid.Int64Range(0, 100).Draw(t, "tokens"), USD: rapid.Float64Range(0, 1).Draw(t, "usd")}
	switch rapid.IntRange(0, 5).Draw(t, "result") {
	case 0:
		res.Fault = &agent.Fault{Class: agent.Retryable}
	case 1:
		res.Stopped = true
	case 2:
		res.Artefact = loop.Artefact{Complete: true, Usable: true}
	}
	return res
}

func TestEveryRunHasSoundSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := simulated(t)
		spans := Spans(events)
		require.NoError(t, sound(spans))
		turns, open := 0, 0
		for _, s := range spans {
			if s.Attributes[levelKey] == levelTurn {
				turns++
			}
			if s.End.IsZero() {
				open++
			}
		}
		for _, e := range events {
			if e.Kind == flow.TurnStarted {
				turns--
			}
		}
		require.Zero(t, turns, "a span for each turn")
		if events[len(events)-1].Kind == flow.RunEnded {
			require.Zero(t, open, "nothing outlives the run")
		}
	})
}

func TestFactsThatAreMissingOrToldAgainLeaveSpansSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var some []flow.Event
		for _, e := range simulated(t) {
			for range rapid.SampledFrom([]int{1, 1, 1, 1, 0, 2}).Draw(t, "times") {
				some = append(some, e)
			}
		}
		require.NoError(t, sound(Spans(some)))
	})
}

func TestTheParentOfATurnsProcessIsItsSpan(t *testing.T) {
	turn := Spans(wholeRun())[1]
	require.Equal(t, "00-"+turn.Trace+"-"+turn.ID+"-01", Traceparent(runID, claudes, 1))
	require.Regexp(t, `^00-[0-9a-f]{32}-[0-9a-f]{16}-01$`, Traceparent("", "", 0))
	require.NotEqual(t, Traceparent(runID, claudes, 1), Traceparent(runID, claudes, 2))
	require.Equal(t, "00-1c2179d6", Traceparent(runID, claudes, 1)[:11], "ids are never reckoned otherwise: traces of older versions go on")
}
