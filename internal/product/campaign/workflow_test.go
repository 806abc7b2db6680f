package campaign_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// measured is what the program counts after an iteration, by the stage it does
// so in and how often it has: stage, visit.
type measured func(stage string, visit int) campaign.Tally

// ends says how a seat's task ends in a stage: stage/seat. A task that is not
// named is complete.
type ends map[string]loop.Outcome

// course is what became of a campaign: the run, and the stages it went through.
type course struct {
	flow.Run
	stages []string
	facts  []flow.Event
}

// went reports how often a campaign came to a stage.
func (c course) went(stage string) int {
	n := 0
	for _, s := range c.stages {
		if s == stage {
			n++
		}
	}
	return n
}

func campaignOf(m campaign.Mode) flow.Setup {
	return flow.Setup{
		ID: "20260222-143000-a1b2c3", Workflow: string(m), Topic: "a prompt",
		Seats: []flow.Seat{{Name: "claude", Kind: "claude", Brand: "anthropic"}},
		Own:   campaign.Own(&campaign.Setup{Name: "A topic", Slug: "a-topic", Mode: m, Iterations: m.Iterations(), Threshold: 3, Stable: 2}),
	}
}

// travel drives a campaign by facts alone, up to its end.
func travel(t require.TestingT, setup flow.Setup, counts measured, how ends) course {
	return travelTold(t, setup, counts, how, nil)
}

// travelTold drives a campaign to which something is said before each turn.
func travelTold(t require.TestingT, setup flow.Setup, counts measured, how ends, says func(flow.Run) (flow.Event, bool)) course {
	w, ok := campaign.WorkflowOf(setup)
	require.True(t, ok)
	c := course{}
	tell := func(e flow.Event) {
		e.Seq, e.At = len(c.facts)+1, time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC).Add(time.Duration(len(c.facts))*time.Second)
		c.facts = append(c.facts, e)
		c.Run = flow.Evolve(c.Run, e)
	}
	tell(flow.Event{Kind: flow.RunBegun, Setup: &setup})
	for range 20_000 {
		if c.Status != "" || c.IsWaiting() {
			return c
		}
		if e, more := flow.Decide(w, c.Run); more {
			if e.Kind == flow.StageEntered {
				c.stages = append(c.stages, e.Stage)
			}
			tell(e)
			continue
		}
		if says != nil {
			if e, said := says(c.Run); said {
				tell(e)
				continue
			}
		}
		task := c.Tasks[slices.IndexFunc(c.Tasks, func(t flow.TaskState) bool { return !t.Ended() })]
		if task.Seat == flow.Program {
			tell(flow.Event{Kind: flow.TurnStarted, Task: task.ID, Turn: 1})
			if _, out := how[c.Stage+"/"+task.Seat]; out {
				tell(flow.Event{Kind: flow.TurnEnded, Task: task.ID, Turn: 1, Result: &flow.Result{Fault: &agent.Fault{Class: agent.Retryable, Message: "the disk is full"}}})
				continue
			}
			tally := countedNow(c.Run, counts)
			tell(flow.Event{Kind: flow.TurnEnded, Task: task.ID, Turn: 1, Result: &flow.Result{
				Iterations: 1, Found: &flow.Assessment{Own: campaign.OwnTally(&tally)}, Artefact: loop.Artefact{SHA256: fmt.Sprint(len(c.facts)), Usable: true, Complete: true},
			}})
			continue
		}
		outcome := loop.Complete
		if told, ok := how[c.Stage+"/"+task.Seat]; ok {
			outcome = told
		}
		tell(flow.Event{Kind: flow.TaskEnded, Task: task.ID, Outcome: outcome, Reason: "as told"})
	}
	require.FailNow(t, "the campaign does not end")
	return c
}

// countedNow is what is counted, where critics read each plan as soon as it is there
// and have nothing further to say.
func countedNow(r flow.Run, counts measured) campaign.Tally {
	before := campaign.StateOf(r).Tally
	if r.Stage == campaign.Hear {
		if slices.ContainsFunc(r.LastTasks(agent.Critique), func(t flow.TaskState) bool { return t.Outcome.Good() }) {
			before.Criticised = before.Plan
		}
		return before
	}
	now := counts(r.Stage, r.Visit)
	now.Criticised = before.Criticised
	return now
}

// plentiful research finds five new things each time, up to a visit; then
// nothing more.
func plentiful(until int) measured {
	return func(stage string, visit int) campaign.Tally {
		n := min(visit, until)
		t := campaign.Tally{Findings: 5 * n, Sources: n}
		if stage == campaign.Gather && visit <= until {
			t.New = 5
		}
		return t
	}
}

func TestResearchEndsWhenLittleMoreIsFound(t *testing.T) {
	c := travel(t, campaignOf(campaign.Research), plentiful(4), nil)
	require.Equal(t, flow.Completed, c.Status)
	require.Equal(t, 4+3, c.went(agent.Explore))
	require.Equal(t, []string{agent.Conclude, campaign.Publish, campaign.Close}, c.stages[len(c.stages)-3:])
	st := campaign.StateOf(c.Run)
	require.Equal(t, "complete", st.Status)
	require.Equal(t, 3, st.Low)
	require.Equal(t, 8, st.Researching, "the prose is an iteration too")
	require.Equal(t, []campaign.Phase{campaign.PhaseA}, st.Done)
}

func TestAPoorIterationIsForgottenAfterARichOne(t *testing.T) {
	c := travel(t, campaignOf(campaign.Research), func(stage string, visit int) campaign.Tally {
		found := []int{1, 1, 2, 0, 1, 7, 0, 1, 1}
		if stage != campaign.Gather {
			return campaign.Tally{}
		}
		return campaign.Tally{New: found[visit-1]}
	}, nil)
	require.Equal(t, 9, c.went(agent.Explore))
}

func TestAnIterationInWhichSeatsFailedCountsNeitherWay(t *testing.T) {
	c := travel(t, campaignOf(campaign.Research), func(_ string, visit int) campaign.Tally {
		return campaign.Tally{Failed: visit%2 == 0}
	}, nil)
	require.Equal(t, 5, c.went(agent.Explore), "poor, failed, poor, failed, poor")
}

func TestTheLastIterationIsKeptForTheProse(t *testing.T) {
	setup := campaignOf(campaign.Research)
	campaign.Of(setup.Own).Iterations = 6
	c := travel(t, setup, plentiful(100), nil)
	require.Equal(t, 5, c.went(agent.Explore))
	require.Equal(t, 1, c.went(agent.Conclude))
	require.Equal(t, flow.OutOfBudget, c.Status, "it still found new things")
	require.Contains(t, c.Reason, "6 of 6 iterations are done; the research still found new things")
}

func TestFixedBudgetsGoBeforeWhatIsFound(t *testing.T) {
	setup := campaignOf(campaign.ResearchAndPlan)
	campaign.Of(setup.Own).Research, campaign.Of(setup.Own).Planning = 4, 3
	c := travel(t, setup, func(_ string, visit int) campaign.Tally {
		return campaign.Tally{Plan: fmt.Sprint("plan ", min(visit, 3))}
	}, nil)
	require.Equal(t, 3, c.went(agent.Explore), "and one for the prose")
	require.Equal(t, 3, c.went(agent.Design))
	require.Equal(t, 4, c.went(agent.Critique), "before each iteration, the first of which has nothing to read, and of the plan as it stands at the end")
	require.Equal(t, flow.Completed, c.Status)
}

func TestOneIterationOfResearchIsOne(t *testing.T) {
	for asked := 1; asked <= 3; asked++ {
		setup := campaignOf(campaign.Research)
		campaign.Of(setup.Own).Research = asked
		c := travel(t, setup, plentiful(100), nil)
		require.Equal(t, flow.Completed, c.Status)
		require.Equal(t, asked, c.went(agent.Explore)+c.went(agent.Conclude))
		require.Equal(t, asked, campaign.StateOf(c.Run).Researching)
		require.Equal(t, 1, c.went(campaign.Publish))
	}
}

func TestPlanningEndsWhenThePlanStandsAndNoBlockerIsOpen(t *testing.T) {
	for name, row := range map[string]struct {
		plans    []string
		blockers int // visits with one
		want     int
	}{
		"stable from the first":   {[]string{"a", "a", "a"}, 0, 3},
		"changed once more":       {[]string{"a", "b", "b", "b"}, 0, 4},
		"a blocker holds it":      {[]string{"a", "a", "a", "a", "a"}, 4, 5},
		"no plan is not a stable": {[]string{"", "", "", "a", "a", "a"}, 0, 6},
	} {
		t.Run(name, func(t *testing.T) {
			c := travel(t, campaignOf(campaign.ResearchAndPlan), func(stage string, visit int) campaign.Tally {
				if stage == campaign.Gather || stage == campaign.Publish {
					return campaign.Tally{}
				}
				if stage != campaign.Settle {
					return campaign.Tally{Plan: row.plans[len(row.plans)-1]}
				}
				tally := campaign.Tally{Plan: row.plans[visit-1]}
				if visit <= row.blockers {
					tally.Blockers = []string{"B1: it cannot work"}
				}
				return tally
			}, nil)
			require.Equal(t, row.want, c.went(agent.Design))
			require.Equal(t, flow.Completed, c.Status)
		})
	}
}

func TestABlockerThatStaysOpenLetsNoCodeBeWritten(t *testing.T) {
	setup := campaignOf(campaign.FullAuto)
	campaign.Of(setup.Own).Iterations = 12
	c := travel(t, setup, func(string, int) campaign.Tally {
		return campaign.Tally{Plan: "a", Blockers: []string{"B1: it cannot work"}}
	}, nil)
	require.Zero(t, c.went(agent.Breakdown))
	require.Equal(t, flow.OutOfBudget, c.Status)
	require.Contains(t, c.Reason, "B1: it cannot work")
}

// building counts features that pass one after the other.
func building(features int) measured {
	passed := 0
	return func(stage string, _ int) campaign.Tally {
		switch stage {
		case campaign.Gather, campaign.Settle, campaign.Publish, campaign.Handover:
			return campaign.Tally{Plan: "a"}
		case campaign.Keep:
			passed++
		}
		t := campaign.Tally{Plan: "a", Total: features, Complete: passed}
		if stage == campaign.Test {
			t.Judge = fmt.Sprintf("F%03d", passed+1)
		}
		if passed < features {
			t.Next = fmt.Sprintf("F%03d", passed+1)
		}
		return t
	}
}

func TestFullAutoGoesThroughAllPhases(t *testing.T) {
	c := travel(t, campaignOf(campaign.FullAuto), building(4), nil)
	require.Equal(t, flow.Completed, c.Status)
	require.Equal(t, "Implementation complete — 4/4 features passing", c.Reason)
	require.Equal(t, 4, c.went(agent.Code))
	require.Equal(t, campaign.FullAuto.Phases(), campaign.StateOf(c.Run).Done)
	var news []string
	r := flow.Run{}
	for _, e := range c.facts {
		r = flow.Evolve(r, e)
		for _, n := range campaign.Notices(r, e) {
			news = append(news, n.Text)
		}
	}
	require.Contains(t, news, "Phase A complete — transitioning to planning")
	require.Contains(t, news, "Phase B complete — transitioning to implementation")
	require.Equal(t, "Implementation complete — 4/4 features passing", news[len(news)-1])
}

func TestImplementResumesAFeatureList(t *testing.T) {
	c := travel(t, campaignOf(campaign.Implement), building(2), nil)
	require.Equal(t, []string{campaign.Adopt, campaign.Baseline, agent.Code, campaign.Test, agent.Judge, campaign.Keep, agent.Code}, c.stages[:7])
	counts := building(2)
	c = travel(t, campaignOf(campaign.Implement), func(stage string, visit int) campaign.Tally {
		if stage == campaign.Adopt {
			return campaign.Tally{}
		}
		return counts(stage, visit)
	}, nil)
	require.Equal(t, []string{campaign.Adopt, agent.Critique, campaign.Hear, agent.Breakdown, campaign.Enlist, campaign.Baseline, agent.Code}, c.stages[:7])
}

func TestAPlanIsNotSettledBeforeItIsWholeAndACriticHasReadIt(t *testing.T) {
	for name, row := range map[string]struct {
		tally campaign.Tally
		deaf  bool // no critic leaves a word
		says  string
	}{
		"a section is missing": {campaign.Tally{Plan: "a", Missing: []string{"risks"}}, false, "the plan has no risks"},
		"nobody reads it":      {campaign.Tally{Plan: "a"}, true, "no critic has read the plan as it stands"},
		"a blocker is open":    {campaign.Tally{Plan: "a", Blockers: []string{"B1: it cannot work"}}, false, "B1: it cannot work"},
	} {
		for _, fixed := range []int{0, 2} {
			t.Run(fmt.Sprint(name, fixed), func(t *testing.T) {
				setup := campaignOf(campaign.FullAuto)
				campaign.Of(setup.Own).Iterations, campaign.Of(setup.Own).Planning = 14, fixed
				how := ends{}
				if row.deaf {
					how["critique/claude"] = loop.Failed
				}
				c := travel(t, setup, func(stage string, visit int) campaign.Tally {
					if stage == campaign.Settle || stage == campaign.Close {
						return row.tally
					}
					return plentiful(1)(stage, visit)
				}, how)
				require.Zero(t, c.went(agent.Breakdown))
				require.Equal(t, flow.OutOfBudget, c.Status)
				require.Contains(t, c.Reason, row.says)
			})
		}
	}
}

func TestAPlanThatIsThereIsCriticisedUntilTheListAnswersIt(t *testing.T) {
	open := true
	c := travel(t, campaignOf(campaign.Implement), func(stage string, visit int) campaign.Tally {
		switch {
		case stage == campaign.Adopt:
			return campaign.Tally{Plan: "a"}
		case stage == campaign.Enlist && open:
			open = visit < 3
			return campaign.Tally{Plan: "a", Total: 1, Problem: "a blocker is open", Blockers: []string{"B1: it cannot work"}}
		case stage == campaign.Test, stage == campaign.Close:
			return campaign.Tally{Plan: "a", Total: 1, Complete: 1}
		}
		return campaign.Tally{Plan: "a", Total: 1, Next: "F001"}
	}, nil)
	require.Equal(t, []string{
		campaign.Adopt, agent.Critique, campaign.Hear, agent.Breakdown, campaign.Enlist,
		agent.Critique, campaign.Hear, campaign.Enlist, // heard again, still open
		agent.Breakdown, campaign.Enlist, agent.Critique, campaign.Hear, campaign.Enlist, campaign.Baseline, agent.Code, campaign.Test, campaign.Close,
	}, c.stages)
	require.Equal(t, flow.Completed, c.Status)
	require.Equal(t, []campaign.Phase{campaign.PhaseC}, campaign.StateOf(c.Run).Done)
}

func TestWhoCriticises(t *testing.T) {
	claude := flow.Seat{Name: "claude", Kind: "claude", Brand: "anthropic"}
	codex := flow.Seat{Name: "codex", Kind: "codex", Brand: "openai"}
	librarian := flow.Seat{Name: "librarian", Kind: "librarian", Brand: "librarian", Free: true}
	for name, row := range map[string]struct {
		session string
		seats   []flow.Seat
		critic  *flow.Seat
		want    string
	}{
		"rivals":                           {"", []flow.Seat{claude, codex}, nil, "codex"},
		"a worker alone begins anew":       {"", []flow.Seat{claude}, nil, "claude"},
		"the librarian judges nothing":     {"", []flow.Seat{claude, librarian}, nil, "claude"},
		"rivals of a session":              {"s1", []flow.Seat{codex}, &claude, "codex"},
		"a session alone, its own program": {"s1", nil, &claude, "claude"},
		"a session alone without any":      {"s1", nil, nil, flow.Host},
	} {
		t.Run(name, func(t *testing.T) {
			setup := campaignOf(campaign.ResearchAndPlan)
			setup.Session, setup.Seats, setup.Critic = row.session, row.seats, row.critic
			c := travel(t, setup, func(string, int) campaign.Tally { return campaign.Tally{Plan: "a"} }, nil)
			require.Equal(t, flow.Completed, c.Status)
			for _, v := range c.History {
				if v.Stage == agent.Critique && len(v.Tasks) > 0 {
					require.Len(t, v.Tasks, 1)
					require.Equal(t, row.want, v.Tasks[0].Seat)
					require.True(t, v.Tasks[0].Clean)
				}
			}
			require.NotNil(t, c.LastTasks(agent.Critique))
		})
	}
}

// A person decides where the program must not: on tests that are red before
// anything is built, on notes nobody can read, on a change nobody else judges.
func TestACampaignWaitsForAPerson(t *testing.T) {
	for stage, resumed := range map[string]string{campaign.Baseline: campaign.Baseline, campaign.Test: agent.Code, campaign.Keep: agent.Judge} {
		counts := building(2)
		c := travel(t, campaignOf(campaign.Implement), func(at string, visit int) campaign.Tally {
			tally := counts(at, visit)
			if at == stage {
				tally.Judge, tally.Ask = "", "look at it"
			}
			return tally
		}, nil)
		require.True(t, c.IsWaiting(), stage)
		require.Equal(t, stage, c.Stage)
		require.Equal(t, "look at it", c.Judged.Reason)
		require.Equal(t, resumed, campaign.ResumeStage(c.Run))
	}
}

// What is not in the worker's hands is never the end of a campaign.
func TestAnOutageOfTheTestsIsWaitedFor(t *testing.T) {
	for _, stage := range []string{campaign.Baseline, campaign.Test, campaign.Keep} {
		c := travel(t, campaignOf(campaign.Implement), building(2), ends{stage + "/program": loop.Failed})
		require.True(t, c.IsWaiting(), stage)
		require.Contains(t, c.Judged.Reason, "the disk is full")
		require.Contains(t, c.Judged.Reason, "council campaign resume a-topic")
		require.Equal(t, stage, campaign.ResumeStage(c.Run))
	}
}

func TestAnotherJudgesAChange(t *testing.T) {
	judge := func(change func(*flow.Setup)) string {
		setup := campaignOf(campaign.Implement)
		change(&setup)
		c := travel(t, setup, building(1), nil)
		tasks := c.LastTasks(agent.Judge)
		if len(tasks) == 0 {
			return ""
		}
		require.True(t, tasks[0].Clean, "in a folder and a context of its own")
		return tasks[0].Seat
	}
	same, other := flow.Seat{Name: "second", Kind: "claude", Brand: "anthropic"}, flow.Seat{Name: "codex", Kind: "codex", Brand: "openai"}
	require.Equal(t, "claude", judge(func(*flow.Setup) {}), "alone: its own program, begun anew")
	require.Equal(t, "codex", judge(func(s *flow.Setup) { s.Seats = append(s.Seats, same, other) }))
	require.Equal(t, "claude", judge(func(s *flow.Setup) { s.Session, s.Seats, s.Critic = "s1", nil, &s.Seats[0] }), "a session alone: the seat set up for it")
	require.Empty(t, judge(func(s *flow.Setup) { s.Session, s.Seats = "s1", nil }), "never the session that has built it")
}

func TestAFeatureListIsAskedForAgainButNotForEver(t *testing.T) {
	c := travel(t, campaignOf(campaign.Implement), func(string, int) campaign.Tally {
		return campaign.Tally{Problem: "F001 depends on F009, which is not there"}
	}, nil)
	require.Equal(t, flow.Failed, c.Status)
	require.Contains(t, c.Reason, "F001 depends on F009")
	require.Equal(t, 5, c.went(agent.Breakdown))
}

func TestIterationsThatLeaveNothingEndACampaign(t *testing.T) {
	c := travel(t, campaignOf(campaign.Research), plentiful(100), ends{"explore/claude": loop.Failed})
	require.Equal(t, flow.Failed, c.Status)
	require.Equal(t, 5, c.went(agent.Explore))
	require.Contains(t, c.Reason, "as told")
}

func TestRivalsResearchTooAndCriticiseThePlan(t *testing.T) {
	setup := campaignOf(campaign.ResearchAndPlan)
	setup.Seats = append(setup.Seats, flow.Seat{Name: "codex", Kind: "codex", Brand: "openai"}, flow.Seat{Name: "librarian", Kind: "librarian", Brand: "librarian", Free: true})
	c := travel(t, setup, plentiful(1), nil)
	asked := map[string][]string{}
	for _, v := range c.History {
		for _, task := range v.Tasks {
			if !slices.Contains(asked[v.Stage], task.Seat) {
				asked[v.Stage] = append(asked[v.Stage], task.Seat)
			}
		}
	}
	require.Equal(t, []string{"claude", "codex", "librarian"}, asked[agent.Explore])
	require.Equal(t, []string{"codex"}, asked[agent.Critique], "the librarian judges nothing, the worker not itself")
	require.Equal(t, []string{"claude"}, asked[agent.Design])
}

func TestASessionIsTheWorkerOfItsCampaign(t *testing.T) {
	setup := campaignOf(campaign.Research)
	setup.Session = "s1"
	c := travel(t, setup, plentiful(1), nil)
	require.Equal(t, flow.Host, c.History[0].Tasks[0].Seat)
}

func TestAReopenedCampaignGoesOnWhereItStood(t *testing.T) {
	setup := campaignOf(campaign.FullAuto)
	campaign.Of(setup.Own).Iterations = 8
	c := travel(t, setup, building(4), nil)
	require.Equal(t, flow.OutOfBudget, c.Status)
	more := c.Setup
	longer := *campaign.Of(more.Own)
	longer.Iterations = 40
	more.Own = campaign.Own(&longer)
	require.Equal(t, campaign.Baseline, campaign.ReopenStage(c.Run))
	r := flow.Evolve(c.Run, flow.Event{Seq: c.Seq + 1, At: c.At.Add(time.Hour), Kind: flow.RunReopened, Stage: agent.Code, Setup: &more})
	require.Empty(t, r.Status)
	require.Equal(t, c.Began.Add(time.Hour), r.Began, "the time it was closed does not count")
	w, _ := campaign.WorkflowOf(campaignOf(campaign.FullAuto))
	e, ok := flow.Decide(w, r)
	require.True(t, ok)
	require.Equal(t, agent.Code, e.Stage)
}

// A campaign that is taken over while its prose is written has it written.
func TestACampaignTakenOverWritesItsProse(t *testing.T) {
	c := travel(t, campaignOf(campaign.Research), plentiful(2), nil)
	w, _ := campaign.WorkflowOf(campaignOf(campaign.Research))
	var r flow.Run
	for _, e := range c.facts {
		if r = flow.Evolve(r, e); r.Stage == agent.Conclude {
			break
		}
	}
	tell := func(e flow.Event) {
		e.Seq, e.At = r.Seq+1, r.At.Add(time.Second)
		r = flow.Evolve(r, e)
	}
	for range 5 {
		tell(flow.Event{Kind: flow.RunReopened, Stage: agent.Conclude})
		e, ok := flow.Decide(w, r)
		require.True(t, ok)
		require.Equal(t, flow.StageEntered, e.Kind)
		require.Equal(t, agent.Conclude, e.Stage)
		tell(e)
	}
}

// Whatever is counted and however tasks end, a campaign ends, within its
// iterations, and its facts fold to the same state again.
func TestEveryCampaignEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		setup := campaignOf(rapid.SampledFrom(campaign.Modes()).Draw(t, "mode"))
		campaign.Of(setup.Own).Iterations = rapid.IntRange(1, 25).Draw(t, "iterations")
		campaign.Of(setup.Own).Research = rapid.IntRange(0, 4).Draw(t, "research")
		campaign.Of(setup.Own).Planning = rapid.IntRange(0, 4).Draw(t, "planning")
		some := rapid.Custom(func(t *rapid.T) campaign.Tally {
			return campaign.Tally{
				New: rapid.IntRange(0, 3).Draw(t, "new"), Failed: rapid.Bool().Draw(t, "failed"), Plan: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "plan"),
				Blockers: rapid.SliceOfN(rapid.Just("B1: no"), 0, 1).Draw(t, "blockers"), Total: rapid.IntRange(0, 2).Draw(t, "total"),
				Next: rapid.SampledFrom([]string{"", "F001"}).Draw(t, "next"), Problem: rapid.SampledFrom([]string{"", "no"}).Draw(t, "problem"),
			}
		})
		how := ends{}
		for _, stage := range []string{agent.Explore, agent.Conclude, agent.Design, agent.Breakdown, agent.Code} {
			how[stage+"/claude"] = rapid.SampledFrom([]loop.Outcome{loop.Complete, loop.Complete, loop.Failed, loop.CutShort}).Draw(t, stage)
		}
		c := travel(t, setup, func(string, int) campaign.Tally { return some.Draw(t, "tally") }, how)
		require.NotEmpty(t, c.Status)
		worked := 0
		for _, stage := range c.stages {
			if campaign.IsIteration(stage) && stage != agent.Critique {
				worked++
			}
		}
		require.LessOrEqual(t, worked, campaign.Of(setup.Own).Iterations)
		require.Equal(t, campaign.StateOf(c.Run), campaign.StateOf(flow.Replay(c.facts)))
	})
}

// A session is Claude Code, so a seat on claude is no rival that could judge
// what it has built.
func TestWhatASessionHasBuiltIsJudgedByAnotherFamily(t *testing.T) {
	w := campaign.Workflow(campaign.Implement)
	i := slices.IndexFunc(w.Stages, func(s flow.Stage) bool { return s.Name == agent.Judge })
	seats := []flow.Seat{{Name: "claude", Kind: "claude", Brand: "anthropic"}, {Name: "codex", Kind: "codex", Brand: "openai"}}
	r := flow.Run{Setup: flow.Setup{ID: "x", Session: "s1", Seats: seats, Own: campaign.Own(&campaign.Setup{Mode: campaign.Implement})}}
	tasks := w.Stages[i].Plan(r)
	require.Len(t, tasks, 1)
	require.Equal(t, "codex", tasks[0].Seat)
}

// A campaign's seats add to what they have recorded, so they come back to one
// folder; whoever is to look with fresh eyes finds an empty one.
func TestWhereASeatWorks(t *testing.T) {
	for name, c := range map[string]struct {
		task flow.Task
		want string
	}{
		"its first report":                    {flow.Task{ID: "research.1/claude", Seat: "claude", Role: agent.Research}, "claude"},
		"a later role begins in a clean one":  {flow.Task{ID: "refinement.1/claude", Seat: "claude", Role: "refine"}, "claude/refine"},
		"each iteration of a campaign":        {flow.Task{ID: "explore.7/claude", Seat: "claude", Role: agent.Explore}, "claude"},
		"a critic, in its second reading":     {flow.Task{ID: "critique.2/codex", Seat: "codex", Role: agent.Critique, Clean: true}, "codex/critique.2"},
		"one of two reviewers of one seat":    {flow.Task{ID: "inspect.3/codex.R2", Seat: "codex", Role: agent.Inspect, Agent: "R2", Clean: true}, "codex/inspect.3.R2"},
		"whose name is the stage's beginning": {flow.Task{ID: "code.1/co", Seat: "co", Role: agent.Judge, Clean: true}, "co/code.1"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, campaign.FolderOf(c.task)) })
	}
}

// `council campaign resume` goes on with a campaign that was completed only
// where there is something to do and something left to do it with.
func TestWhetherACompletedCampaignHasWorkLeft(t *testing.T) {
	done := travel(t, campaignOf(campaign.FullAuto), building(2), nil)
	early := travelTold(t, campaignOf(campaign.FullAuto), plentiful(4), nil, finishIn(agent.Explore, 3))
	opened := done.Run
	opened.Edits = []flow.Edit{{After: len(done.History) + 1, Own: campaign.OwnEdit(&feature.Edit{List: feature.List{Features: []feature.Feature{{ID: "F002", State: feature.Pending}}}})}}
	spent := opened
	few := *campaign.Of(spent.Setup.Own)
	few.Iterations = campaign.StateOf(done.Run).Iteration
	spent.Setup.Own = campaign.Own(&few)
	failed := early.Run
	failed.Status = flow.Failed
	for name, c := range map[string]struct {
		run  flow.Run
		want bool
	}{
		"everything is built":                     {done.Run, false},
		"a person has opened a feature again":     {opened, true},
		"the same, and its iterations are spent":  {spent, false},
		"it was finished early":                   {early.Run, true},
		"one that has failed is not one of those": {failed, false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, campaign.HasWorkLeft(c.run)) })
	}
}

// Where a campaign that has ended goes on: with the phase that is not done.
func TestAReopenedCampaignGoesOnWithThePhaseThatIsNotDone(t *testing.T) {
	none := func(string, int) campaign.Tally { return campaign.Tally{Problem: "it is no JSON"} }
	open := func(stage string, _ int) campaign.Tally {
		if stage == campaign.Adopt {
			return campaign.Tally{Plan: "p", Problem: "there is no list"}
		}
		return campaign.Tally{Plan: "p", Total: 2, Next: "F001", Blockers: []string{"who may log in?"}}
	}
	noList := func(stage string, visit int) campaign.Tally {
		if stage == campaign.Enlist {
			return campaign.Tally{Problem: "it is no JSON"}
		}
		return building(0)(stage, visit)
	}
	for name, c := range map[string]struct {
		mode   campaign.Mode
		counts measured
		how    ends
		want   string
	}{
		"the research failed":                        {campaign.FullAuto, plentiful(9), ends{"explore/claude": loop.Failed}, agent.Explore},
		"more is to be found":                        {campaign.Research, plentiful(2), nil, agent.Explore},
		"the plan was not settled":                   {campaign.ResearchAndPlan, plentiful(2), nil, agent.Design},
		"more is to be planned":                      {campaign.ResearchAndPlan, building(0), nil, agent.Design},
		"there is no list of a plan made elsewhere":  {campaign.Implement, none, nil, campaign.Adopt},
		"blockers are open in a plan made elsewhere": {campaign.Implement, open, nil, campaign.Adopt},
		"there is no list of a plan of its own":      {campaign.FullAuto, noList, nil, agent.Breakdown},
	} {
		t.Run(name, func(t *testing.T) {
			got := travel(t, campaignOf(c.mode), c.counts, c.how)
			require.NotEmpty(t, got.Status)
			require.Equal(t, c.want, campaign.ReopenStage(got.Run))
		})
	}
}

// What stood in the way and has been seen to is tried again, not the whole.
func TestWhatAPersonHasSeenToIsTriedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		stage   string
		outcome loop.Outcome
		tally   campaign.Tally
		want    string
	}{
		"the tests needed a service that is up now":    {campaign.Test, loop.Complete, campaign.Tally{Ask: "start the database", Again: true}, campaign.Test},
		"the project could not be read to be kept":     {campaign.Keep, loop.Complete, campaign.Tally{Ask: "let git ignore it", Again: true}, campaign.Test},
		"nobody could be asked to judge":               {campaign.Keep, loop.Complete, campaign.Tally{Ask: "nobody else could judge"}, agent.Judge},
		"the worker's notes were sent back five times": {campaign.Test, loop.Complete, campaign.Tally{Ask: "F001 was sent back"}, agent.Code},
		"the disk was full when it was to be kept":     {campaign.Keep, loop.Failed, campaign.Tally{}, campaign.Keep},
	} {
		t.Run(name, func(t *testing.T) {
			task := flow.TaskState{Outcome: c.outcome, Found: &flow.Assessment{Own: campaign.OwnTally(&c.tally)}}
			require.Equal(t, c.want, campaign.ResumeStage(flow.Run{Stage: c.stage, Tasks: []flow.TaskState{task}}))
		})
	}
}
