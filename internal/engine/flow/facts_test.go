package flow_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// minute is a moment of a run that began at half past two.
func minute(n int) time.Time {
	return time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC).Add(time.Duration(n) * time.Minute)
}

// begins is the first fact of a run of two seats that may take an hour.
func begins() flow.Event {
	return flow.Event{Kind: flow.RunBegun, Setup: &flow.Setup{
		ID: "20260222-143000-a1b2c3", Topic: "Do hedgehogs hibernate?", Session: "session-of-monday",
		Seats:  []flow.Seat{{Name: "claude", Brand: "anthropic"}, {Name: "codex", Brand: "openai"}},
		Limits: budget.Limits{Turns: 20, Time: time.Hour},
	}}
}

// entersResearch has both seats begin to research.
func entersResearch() flow.Event {
	rule := loop.Rule{Iterations: 5, Retries: 2, Stuck: 3}
	return flow.Event{Kind: flow.StageEntered, Stage: "research", Visit: 1, Tasks: []flow.Task{
		{ID: "research.1/claude", Seat: "claude", Brand: "anthropic", Rule: rule},
		{ID: "research.1/codex", Seat: "codex", Brand: "openai", Rule: rule},
	}}
}

// asks is a gate that waits for a person.
func asks() flow.Event {
	return flow.Event{Kind: flow.StageJudged, Verdict: &flow.Verdict{Move: flow.Ask, Reason: "the brief is to be confirmed"}}
}

// fold is the run those facts make, one a minute where they do not tell when.
func fold(t *testing.T, facts ...flow.Event) flow.Run {
	t.Helper()
	facts = slices.Clone(facts)
	var r flow.Run
	for i := range facts {
		facts[i].Seq = i + 1
		if facts[i].At.IsZero() {
			facts[i].At = minute(i)
		}
		r = flow.Evolve(r, facts[i])
	}
	require.Equal(t, r, flow.Replay(facts), "a run taken up again is the run that was left")
	return r
}

// The hours in which a person thinks about a question are not the run's: its
// limit of an hour must not be up when they come back after lunch.
func TestWaitingForAPersonCostsNoTime(t *testing.T) {
	waiting := fold(t, begins(), entersResearch(), asks())
	require.True(t, waiting.IsWaiting())
	alarm, _ := flow.Alarm(waiting)
	require.Zero(t, alarm, "no clock runs meanwhile")

	answer := flow.Event{Kind: flow.InputGiven, At: minute(2 + 180), Input: &flow.Input{File: "answers-1.json", Confirmed: true}}
	heard := fold(t, begins(), entersResearch(), asks(), answer)
	require.False(t, heard.IsWaiting())
	require.Equal(t, 2*time.Minute, heard.Spent.Time)
	require.Equal(t, []flow.Input{{File: "answers-1.json", Confirmed: true}}, heard.Given)
	require.Nil(t, heard.Judged, "the gate is to judge again, with what they said")
	alarm, e := flow.Alarm(heard)
	require.Equal(t, flow.TimeUp, e.Kind)
	require.Equal(t, minute(180+54), alarm, "of the hour a tenth is kept back for the synthesis")

	next := fold(t, begins(), entersResearch(), asks(), answer, flow.Event{Kind: flow.StageEntered, Stage: "planning", Visit: 1, At: minute(183)})
	require.True(t, next.History[0].Heard, "the visit in which a person spoke is known by it")
	require.Nil(t, next.Input, "what was said in one visit is not an answer in the next")
}

func TestWhatIsNoAnswerChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		facts   []flow.Event
		waiting bool
	}{
		"an answer nobody asked for":        {[]flow.Event{{Kind: flow.InputGiven, Input: &flow.Input{Confirmed: true}}}, false},
		"an answer that says nothing":       {[]flow.Event{asks(), {Kind: flow.InputGiven}}, true},
		"a run cancelled while it waits":    {[]flow.Event{asks(), {Kind: flow.CancelAsked, Reason: "not needed any more"}}, false},
		"a run that has ended does not ask": {[]flow.Event{asks(), {Kind: flow.RunEnded, Status: flow.Failed}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := fold(t, append([]flow.Event{begins(), entersResearch()}, c.facts...)...)
			require.Equal(t, c.waiting, r.IsWaiting())
			require.Empty(t, r.Given)
		})
	}
}

// A person lets a run that ran out of its budget go on, with more money and
// from another session.
func TestARunThatIsOpenedAgainGoesOnUnderNewLimits(t *testing.T) {
	ended := []flow.Event{
		begins(), entersResearch(),
		{Kind: flow.TimeUp},
		{Kind: flow.FinishAsked, Reason: "finished early by the user"},
		{Kind: flow.StageJudged, Verdict: &flow.Verdict{Move: flow.Fail, Reason: "one seat is not enough"}},
		{Kind: flow.RunEnded, Status: flow.OutOfBudget, Reason: "20 of 20 turns taken"},
	}
	over := fold(t, ended...)
	require.Equal(t, 5*time.Minute, over.Spent.Time)

	night := flow.Event{Kind: flow.RunReopened, At: minute(5 + 600), Stage: "research", Reason: "the limits were raised", Setup: &flow.Setup{
		Topic: "something else", Session: "session-of-tuesday", Tier: "max", Scope: "/project/papers",
		Limits: budget.Limits{Turns: 80, Time: 2 * time.Hour}, Seats: []flow.Seat{{Name: "claude"}}, Own: campaign.Own(&campaign.Setup{}),
	}}
	open := fold(t, append(slices.Clone(ended), night)...)
	require.Empty(t, open.Status)
	require.Empty(t, open.Reason)
	require.Empty(t, open.Finish, "it is not to finish early any more")
	require.Zero(t, open.TimesUp)
	require.Equal(t, 5*time.Minute, open.Spent.Time, "the night it was closed does not count")
	require.Equal(t, budget.Limits{Turns: 80, Time: 2 * time.Hour}, open.Setup.Limits)
	require.Equal(t, "session-of-tuesday", open.Setup.Session)
	require.Equal(t, "max", open.Setup.Tier)
	require.Equal(t, "/project/papers", open.Setup.Scope)
	require.Len(t, open.Setup.Seats, 1)
	require.NotNil(t, campaign.Of(open.Setup.Own))
	require.Equal(t, "Do hedgehogs hibernate?", open.Setup.Topic, "the question stays what it was")
	require.Equal(t, flow.Verdict{Move: flow.Fail, Reason: "one seat is not enough"}, open.Judged.Own(), "what the gate had said is still known")
	require.Equal(t, flow.Jump, open.Judged.Move)

	e, ok := flow.Decide(twoStages(), open)
	require.True(t, ok)
	require.Equal(t, flow.StageEntered, e.Kind)
	require.Equal(t, "research", e.Stage)
	require.Equal(t, 2, e.Visit)

	asBefore := fold(t, append(slices.Clone(ended), flow.Event{Kind: flow.RunReopened, Stage: "research"})...)
	require.Equal(t, begins().Setup.Limits, asBefore.Setup.Limits, "who names no new limits keeps the old ones")

	before := fold(t, begins(), flow.Event{Kind: flow.RunEnded, Status: flow.Cancelled}, flow.Event{Kind: flow.RunReopened, Stage: "research"})
	require.Zero(t, before.Opened, "it was cancelled before its first stage: no visit is behind it")
	require.Equal(t, flow.Verdict{}, before.Judged.Own(), "no gate had said anything")
}

func TestWhatPeopleSayToARun(t *testing.T) {
	note := func(id, text string) flow.Event {
		return flow.Event{Kind: flow.NoteGiven, Note: &flow.Note{ID: id, Text: text}}
	}
	takesUp := func(numbers ...int) flow.Event {
		return flow.Event{Kind: flow.StageEntered, Stage: "gather", Visit: 1, Tasks: []flow.Task{{ID: "gather.1/claude", Notes: numbers}}}
	}
	for name, c := range map[string]struct {
		facts   []flow.Event
		pending []int
	}{
		"nothing was said":                   {nil, nil},
		"two notes wait for an iteration":    {[]flow.Event{note("a", "look at Finland"), note("b", "no blogs")}, []int{1, 2}},
		"one sent twice is one":              {[]flow.Event{note("a", "look at Finland"), note("a", "look at Finland")}, []int{1}},
		"a note without words is none":       {[]flow.Event{{Kind: flow.NoteGiven}}, nil},
		"what a prompt has is not pending":   {[]flow.Event{note("a", "look at Finland"), note("b", "no blogs"), takesUp(1, 2)}, nil},
		"what came after it is for the next": {[]flow.Event{note("a", "look at Finland"), takesUp(1), note("b", "no blogs")}, []int{2}},
	} {
		t.Run(name, func(t *testing.T) {
			r := fold(t, append([]flow.Event{begins()}, c.facts...)...)
			require.Equal(t, c.pending, r.PendingNotes())
		})
	}
}

func TestWhyARunIsToEnd(t *testing.T) {
	for name, c := range map[string]struct {
		facts          []flow.Event
		cancel, finish string
	}{
		"cancelled, with a reason":       {[]flow.Event{{Kind: flow.CancelAsked, Reason: "wrong question"}}, "wrong question", ""},
		"cancelled, without one":         {[]flow.Event{{Kind: flow.CancelAsked}}, "cancelled", ""},
		"to finish early":                {[]flow.Event{{Kind: flow.FinishAsked, Reason: "enough is known"}}, "", "enough is known"},
		"to finish early, nobody says":   {[]flow.Event{{Kind: flow.FinishAsked}}, "", "finished early"},
		"asked twice, the first is told": {[]flow.Event{{Kind: flow.FinishAsked, Reason: "enough is known"}, {Kind: flow.FinishAsked, Reason: "hurry"}}, "", "enough is known"},
		"it is too late to finish early": {[]flow.Event{{Kind: flow.RunEnded, Status: flow.Completed}, {Kind: flow.FinishAsked, Reason: "hurry"}}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := fold(t, append([]flow.Event{begins(), entersResearch()}, c.facts...)...)
			require.Equal(t, c.cancel, r.Cancel)
			require.Equal(t, c.finish, r.Finish)
		})
	}
}

// The run follows its person: it belongs to the session that has taken the
// place of the old one, and to the old one while nobody has.
func TestTheSessionOfARun(t *testing.T) {
	for name, c := range map[string]struct{ next, owner string }{
		"the session went on under a new id": {"session-of-tuesday", "session-of-tuesday"},
		"the session is gone":                {"", "session-of-monday"},
	} {
		t.Run(name, func(t *testing.T) {
			r := fold(t, begins(), flow.Event{Kind: flow.SessionMoved, Session: c.next, Reason: "it was closed"})
			require.Equal(t, c.owner, r.Setup.Session)
		})
	}
}

// What went wrong on the way is in the report with its stage and its time; a
// source that fails ten thousand times does not fill the memory.
func TestWhatWentWrongOnTheWay(t *testing.T) {
	r := fold(
		t, begins(), entersResearch(),
		flow.Event{Kind: flow.IssueMet, Issue: &flow.Issue{Code: flow.SourceFailed, Detail: "arxiv.org does not answer"}},
		flow.Event{Kind: flow.IssueMet, Issue: &flow.Issue{Code: flow.NoticeFailed, Stage: "delivery", Detail: "no desktop"}},
		flow.Event{Kind: flow.IssueMet},
	)
	require.Equal(t, []flow.Issue{
		{At: minute(2), Code: flow.SourceFailed, Stage: "research", Detail: "arxiv.org does not answer"},
		{At: minute(3), Code: flow.NoticeFailed, Stage: "delivery", Detail: "no desktop"},
	}, r.Issues)

	facts := []flow.Event{begins()}
	for range 1500 {
		facts = append(facts, flow.Event{Kind: flow.IssueMet, Issue: &flow.Issue{Code: flow.SourceFailed}})
	}
	require.Len(t, fold(t, facts...).Issues, 1000)
}

// An edit of the feature list holds for what comes after it, so the run knows
// how many visits were before.
func TestAnEditKnowsWhatWasBeforeIt(t *testing.T) {
	edit := flow.Event{Kind: flow.Edited, Own: campaign.OwnEdit(&feature.Edit{})}
	r := fold(t, begins(), edit, entersResearch(), edit, flow.Event{Kind: flow.Edited})
	require.Len(t, r.Edits, 2)
	require.Equal(t, 0, r.Edits[0].After, "before the first stage")
	require.Equal(t, 1, r.Edits[1].After, "in the first stage")
}

// After a crash the supervisor ends what the last one has left behind: it must
// know the processes of every turn that was under way.
func TestTheProcessesOfATurnAreKnownWhileItRuns(t *testing.T) {
	const task = "research.1/claude"
	starts := flow.Event{Kind: flow.TurnStarted, Task: task, Session: "s1"}
	child, keeper := flow.Process{PID: 4711, Start: "88001"}, flow.Process{PID: 4710, Start: "88000"}
	keeperUp := flow.Event{Kind: flow.TurnRunning, Task: task, Keeper: &keeper}
	childUp := flow.Event{Kind: flow.TurnRunning, Task: task, Process: &child}
	ends := flow.Event{Kind: flow.TurnEnded, Task: task, Result: &flow.Result{Iterations: 1}}
	for name, c := range map[string]struct {
		facts   []flow.Event
		running *flow.Running
	}{
		"the keeper comes first, then its child": {[]flow.Event{starts, keeperUp, childUp}, &flow.Running{Since: minute(2), Session: "s1", Keeper: keeper, Child: child}},
		"nothing is up yet":                      {[]flow.Event{starts}, &flow.Running{Since: minute(2), Session: "s1"}},
		"a word that comes after the turn's end": {[]flow.Event{starts, ends, childUp}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := fold(t, append([]flow.Event{begins(), entersResearch()}, c.facts...)...)
			is, ok := r.Task(task)
			require.True(t, ok)
			require.Equal(t, c.running, is.Running)
		})
	}
}

// What a turn came to decides how its task goes on.
func TestHowATaskGoesOnAfterATurn(t *testing.T) {
	const task = "research.1/claude"
	starts := func(session string) flow.Event {
		return flow.Event{Kind: flow.TurnStarted, Task: task, Session: session}
	}
	ends := func(r flow.Result) flow.Event { return flow.Event{Kind: flow.TurnEnded, Task: task, Result: &r} }
	total := flow.SessionTotal{USD: 0.5, Tokens: 900}
	for name, c := range map[string]struct {
		facts []flow.Event
		check func(t *testing.T, r flow.Run, is flow.TaskState)
	}{
		"it is resumed in the session the provider has named": {
			[]flow.Event{starts(""), ends(flow.Result{Iterations: 1, Session: "s1"})},
			func(t *testing.T, _ flow.Run, is flow.TaskState) {
				require.Equal(t, "s1", is.Session)
				require.False(t, is.Fresh)
			},
		},
		"without a session it begins anew": {
			[]flow.Event{starts(""), ends(flow.Result{Iterations: 1})},
			func(t *testing.T, _ flow.Run, is flow.TaskState) { require.True(t, is.Fresh) },
		},
		"a session that is gone is not resumed": {
			[]flow.Event{starts("s1"), ends(flow.Result{Fault: &agent.Fault{Class: agent.NoSession}})},
			func(t *testing.T, _ flow.Run, is flow.TaskState) { require.True(t, is.Fresh) },
		},
		"a turn that ended with its supervisor is taken up in its session and held against nobody": {
			[]flow.Event{starts(""), ends(flow.Result{Stopped: true, Session: "s1", Fault: &agent.Fault{Class: agent.Lost}})},
			func(t *testing.T, _ flow.Run, is flow.TaskState) {
				require.Equal(t, "s1", is.Session)
				require.False(t, is.Fresh)
				require.Zero(t, is.Loop.Faults)
			},
		},
		"the total of a session is kept to take the next one from": {
			[]flow.Event{starts("s1"), ends(flow.Result{Iterations: 1, Total: total}), starts("s1")},
			func(t *testing.T, _ flow.Run, is flow.TaskState) { require.Equal(t, total, is.SessionTotal) },
		},
		"a new session counts from nothing": {
			[]flow.Event{starts("s1"), ends(flow.Result{Iterations: 1, Total: total}), starts("s2")},
			func(t *testing.T, _ flow.Run, is flow.TaskState) { require.Zero(t, is.SessionTotal) },
		},
		"a limit that ended the turn is why the run ends": {
			[]flow.Event{starts("s1"), ends(flow.Result{Limit: "$10.00 of $10.00 spent"})},
			func(t *testing.T, r flow.Run, _ flow.TaskState) {
				require.Equal(t, "$10.00 of $10.00 spent", r.Refused)
			},
		},
		"a result told twice is paid once": {
			[]flow.Event{starts("s1"), ends(flow.Result{Iterations: 1, USD: 2}), ends(flow.Result{Iterations: 1, USD: 2})},
			func(t *testing.T, r flow.Run, is flow.TaskState) {
				require.InDelta(t, 2.0, r.Spent.USD, 1e-9)
				require.Equal(t, 1, is.Loop.Turns)
			},
		},
		"an end without a result leaves the turn under way": {
			[]flow.Event{starts("s1"), {Kind: flow.TurnEnded, Task: task}},
			func(t *testing.T, _ flow.Run, is flow.TaskState) { require.NotNil(t, is.Running) },
		},
		"a turn of a task that is not there is counted nowhere": {
			[]flow.Event{{Kind: flow.TurnStarted, Task: "research.1/gemini"}},
			func(t *testing.T, r flow.Run, is flow.TaskState) {
				require.Zero(t, r.Spent.Turns)
				require.Nil(t, is.Running)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := fold(t, append([]flow.Event{begins(), entersResearch()}, c.facts...)...)
			is, ok := r.Task(task)
			require.True(t, ok)
			c.check(t, r, is)
		})
	}
	_, ok := fold(t, begins(), entersResearch()).Task("research.1/gemini")
	require.False(t, ok)
}

// Whoever keeps a run, as a hook does that reads it while it goes on, keeps it
// as it was.
func TestARunThatIsKeptDoesNotChange(t *testing.T) {
	facts := []flow.Event{
		{Kind: flow.IssueMet, Issue: &flow.Issue{Code: flow.TooSlow}},
		{Kind: flow.NoteGiven, Note: &flow.Note{ID: "a"}},
		{Kind: flow.Edited, Own: campaign.OwnEdit(&feature.Edit{})},
		{Kind: flow.TurnStarted, Task: "research.1/claude", Session: "s1"},
		{Kind: flow.TurnEnded, Task: "research.1/claude", Result: &flow.Result{Fault: &agent.Fault{Class: agent.Retryable}}},
		{Kind: flow.TurnStarted, Task: "research.1/claude", Session: "s1"},
		{Kind: flow.TurnRunning, Task: "research.1/claude", Process: &flow.Process{PID: 4711}},
		{Kind: flow.TurnEnded, Task: "research.1/claude", Result: &flow.Result{Iterations: 1}},
		asks(),
		{Kind: flow.InputGiven, Input: &flow.Input{Confirmed: true}},
		{Kind: flow.StageEntered, Stage: "synthesis", Visit: 1},
	}
	for name, change := range map[string]flow.Event{
		"an issue":    {Kind: flow.IssueMet, Issue: &flow.Issue{Code: flow.SourceFailed}},
		"a note":      {Kind: flow.NoteGiven, Note: &flow.Note{ID: "b"}},
		"an edit":     {Kind: flow.Edited, Own: campaign.OwnEdit(&feature.Edit{})},
		"a new stage": {Kind: flow.StageEntered, Stage: "review", Visit: 1},
	} {
		t.Run(name, func(t *testing.T) {
			whole := append([]flow.Event{begins(), entersResearch()}, facts...)
			kept, again := fold(t, whole...), fold(t, whole...)
			flow.Evolve(kept, change)
			require.Equal(t, again, kept)
		})
	}
	early := fold(t, append([]flow.Event{begins(), entersResearch()}, facts[:7]...)...)
	flow.Evolve(early, facts[7])
	is, _ := early.Task("research.1/claude")
	require.NotNil(t, is.Running, "the turn ends in the new run alone")
	require.Equal(t, map[string]int{"anthropic": 1}, early.Windows)
}

// Seats take part under one name each, whatever they do.
func TestASeatIsFoundByItsName(t *testing.T) {
	s := flow.Setup{
		Seats:  []flow.Seat{{Name: "claude", Kind: "claude"}, {Name: "papers", Kind: "librarian"}},
		Panel:  []flow.Seat{{Name: "reviewer-1", Kind: "gemini"}},
		Critic: &flow.Seat{Name: "critic", Kind: "codex"},
	}
	for name, c := range map[string]struct {
		kind  string
		model bool
	}{
		"claude":     {"claude", true},
		"papers":     {"librarian", false},
		"reviewer-1": {"gemini", true},
		"critic":     {"codex", true},
	} {
		t.Run(name, func(t *testing.T) {
			seat, ok := flow.Run{Setup: s}.Seat(name)
			require.True(t, ok)
			require.Equal(t, c.kind, seat.Kind)
			require.Equal(t, c.model, seat.HasModel())
		})
	}
	_, ok := s.Seat("nobody")
	require.False(t, ok)
}
