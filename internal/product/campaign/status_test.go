package campaign_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/status/statustest"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// campaignTape tells a campaign.
type campaignTape struct{ *statustest.Tape }

func campaigned(mode campaign.Mode) campaignTape {
	p := campaignTape{statustest.New(campaign.Workflow(mode), flow.Setup{
		ID: "20260222-143000-a1b2c3", Workflow: string(mode), Topic: "How do agents keep a memory?", Loop: loop.Default(), Limits: budget.Limits{USD: 50},
		Seats: []flow.Seat{{Name: "claude"}, {Name: "codex"}},
		Own:   campaign.Own(&campaign.Setup{Name: "agent memory", Slug: "agent-memory", Mode: mode, Iterations: 30, Threshold: 3, Stable: 2}),
	})}
	p.Tell(flow.Event{Kind: flow.SupervisorStarted, Process: &flow.Process{PID: 41}})
	return p
}

// iterate is one iteration of a worker: a stage in which every seat named
// spends a quarter of a dollar.
func (p campaignTape) iterate(stage string, visit int, seats ...string) {
	p.Ask(stage, visit, seats...)
	for _, s := range seats {
		p.Turn(stage, s, statustest.Good(1))
		p.Ends(stage, s, loop.Complete, "marked complete")
	}
	p.Tell(flow.Event{Kind: flow.StageJudged, Stage: stage, Verdict: &flow.Verdict{Move: flow.Next}})
}

// measure is what the program counts after it.
func (p campaignTape) measure(stage string, visit int, found campaign.Tally, why string) {
	p.Ask(stage, visit, flow.Program)
	p.Turn(stage, flow.Program, flow.Result{Iterations: 1, Artefact: loop.Artefact{SHA256: "a", Usable: true, Complete: true}, Found: &flow.Assessment{Own: campaign.OwnTally(&found)}})
	p.Ends(stage, flow.Program, loop.Complete, "marked complete")
	p.Tell(flow.Event{Kind: flow.StageJudged, Stage: stage, Verdict: &flow.Verdict{Move: flow.Next, Reason: why}})
}

func TestTheLogTellsACampaignLikeThis(t *testing.T) {
	p := campaigned(campaign.FullAuto)
	p.iterate(agent.Explore, 1, "claude", "codex")
	p.measure(campaign.Gather, 1, campaign.Tally{Findings: 18, New: 18, Sources: 44}, "")
	p.Ask(agent.Explore, 2, "claude")
	p.Turn(agent.Explore, "claude", flow.Result{Fault: &agent.Fault{Class: agent.Retryable, Message: "too many requests"}})
	p.Turn(agent.Explore, "claude", statustest.Good(1))
	p.Ends(agent.Explore, "claude", loop.Failed, "it left no record")
	p.Tell(flow.Event{Kind: flow.StageJudged, Stage: agent.Explore, Verdict: &flow.Verdict{Move: flow.Next}})
	p.measure(campaign.Gather, 2, campaign.Tally{Failed: true, Findings: 18, Sources: 44}, "")
	p.iterate(agent.Explore, 3, "claude")
	p.measure(campaign.Gather, 3, campaign.Tally{Findings: 19, New: 1, Sources: 45}, "the iterations are spent")
	p.iterate(agent.Conclude, 1, "claude")
	p.measure(campaign.Publish, 1, campaign.Tally{Findings: 19, Sources: 45, Sections: 5}, "")
	p.iterate(agent.Critique, 1, "codex")
	p.iterate(agent.Design, 1, "claude")
	p.measure(campaign.Settle, 1, campaign.Tally{Findings: 19, Sources: 45, Plan: "a", Blockers: []string{"B1 no index"}, Resolved: 2, Components: 1}, "")
	p.measure(campaign.Handover, 1, campaign.Tally{Plan: "a"}, "")
	p.iterate(agent.Breakdown, 1, "claude")
	p.measure(campaign.Enlist, 1, campaign.Tally{Problem: "F002 needs F009, which is not there"}, "F002 needs F009, which is not there")
	p.iterate(agent.Code, 1, "claude")
	p.measure(campaign.Test, 1, campaign.Tally{Total: 3, Complete: 1, Feature: "F001", Passed: true, Next: "F002"}, "")
	p.iterate(agent.Code, 2, "claude")
	p.measure(campaign.Test, 2, campaign.Tally{Total: 3, Complete: 1, Lost: 1, Blocked: 1, Feature: "F002"}, "")
	p.Tell(flow.Event{Kind: flow.RunEnded, Status: flow.Completed, Reason: "Implementation complete — 1/3 features passing"})
	require.Equal(t, []string{
		"Campaign agent memory (full-auto): claude, codex",
		"Phase A: Research, iteration 1/30: Claude explore starting",
		"Phase A: Research, iteration 1/30: Codex explore starting",
		"Phase A: Research, iteration 1/30: 18 new findings (18), 44 sources, $0.50",
		"Phase A: Research, iteration 2/30: Claude explore starting",
		"Phase A: Research: Claude: too many requests (again in 2s)",
		"Phase A: Research, iteration 2/30: Claude explore starting again",
		"Phase A: Research: Claude explore failed: it left no record",
		"Phase A: Research, iteration 2/30: it has left nothing, $0.75",
		"Phase A: Research, iteration 3/30: Claude explore starting",
		"Phase A: Research, iteration 3/30: 1 new finding (19), 45 sources, $1.00; the iterations are spent",
		"Phase A: Research, iteration 4/30: Claude conclude starting",
		"Phase A: Research, iteration 4/30: 5 sections, 19 findings, 45 sources, $1.25",
		"Phase B: Planning, iteration 5/30: Codex critique starting",
		"Phase B: Planning, iteration 5/30: Claude design starting",
		"Phase B: Planning, iteration 5/30: 1 open blocker, 2 resolved, 1 component, $1.75",
		"Phase C: Implementation, iteration 6/30: Claude breakdown starting",
		"Phase C: Implementation, iteration 6/30: not taken: F002 needs F009, which is not there, $2.00",
		"Phase C: Implementation, iteration 7/30: Claude code starting",
		"Phase C: Implementation, iteration 7/30: F001 passes, 1/3 features passing, $2.25",
		"Phase C: Implementation, iteration 8/30: Claude code starting",
		"Phase C: Implementation, iteration 8/30: F002 does not pass, 1/3 features passing, 1 failed, 1 blocked, $2.50",
		"Run completed: Implementation complete — 1/3 features passing",
	}, p.Said)
	c := campaign.StatusOf(p.Status())
	require.Equal(t, "Implementation complete — 1/3 features passing", c.Ended)
	require.Equal(t, campaign.FeatureCounts{Total: 3, Complete: 1, Failed: 1, Blocked: 1}, c.Features)
	require.Equal(t, []campaign.PhaseCost{
		{Phase: "Phase A: Research", Iterations: 4, Price: status.Price{USD: 1.25, Tokens: 500}},
		{Phase: "Phase B: Planning", Iterations: 1, Price: status.Price{USD: 0.5, Tokens: 200}},
		{Phase: "Phase C: Implementation", Iterations: 3, Price: status.Price{USD: 0.75, Tokens: 300}},
	}, c.Phases)
	p.Tell(flow.Event{Kind: flow.RunReopened, Stage: agent.Code})
	require.Equal(t, "Taken up again, to go on", p.Said[len(p.Said)-1])
	require.Empty(t, campaign.StatusOf(p.Status()).Ended)
}

func TestWhatACampaignLooksLike(t *testing.T) {
	p := campaigned(campaign.Research)
	c := campaign.StatusOf(p.Status())
	require.Equal(t, &campaign.Status{
		Name: "agent memory", Mode: "research", Phase: "Phase A: Research", Iterations: 30, Threshold: 3, Folder: "docs/research-agent-memory",
	}, c)

	p.iterate(agent.Explore, 1, "claude")
	p.measure(campaign.Gather, 1, campaign.Tally{Findings: 9, New: 9, Sources: 20, Questions: 4}, "")
	p.iterate(agent.Explore, 2, "claude", "codex")
	s := p.Status()
	c = campaign.StatusOf(s)
	require.Equal(t, 2, c.Iteration)
	require.Equal(t, 1, c.Measured, "the second one has not been measured")
	require.Equal(t, "Phase A: Research, iteration 1/30: 9 new findings (9), 20 sources, $0.75", c.Progress)
	require.Equal(t, []int{9, 9, 20, 4}, []int{c.Findings, c.New, c.Sources, c.Questions})
	require.Equal(t, []campaign.IterationCost{
		{Iteration: 2, Phase: "Phase A: Research", Role: "explore", Price: status.Price{USD: 0.5, Tokens: 200}},
		{Iteration: 1, Phase: "Phase A: Research", Role: "explore", Price: status.Price{USD: 0.25, Tokens: 100}},
	}, c.Recent)
	require.Equal(t, []status.Part{{Name: "Phase A: Research", State: "now", Took: 10 * time.Second, Since: time.Date(2026, 2, 22, 14, 30, 12, 0, time.UTC)}}, s.Course)

	p.measure(campaign.Gather, 2, campaign.Tally{Findings: 10, New: 1, Sources: 21}, "")
	for visit := 3; visit < 9; visit++ {
		p.iterate(agent.Explore, visit, "claude")
	}
	c = campaign.StatusOf(p.Status())
	require.Equal(t, 1, c.Low)
	require.Len(t, c.Recent, 5)
	require.Equal(t, 8, c.Recent[0].Iteration)

	data, err := json.Marshal(p.Status())
	require.NoError(t, err)
	var again status.Status
	require.NoError(t, json.Unmarshal(data, &again))
	require.Equal(t, campaign.StatusOf(p.Status()), campaign.StatusOf(again))
}

// Each line says what an iteration came to, so that whoever reads the log in the
// morning knows which feature holds and which does not.
func TestTheLogSaysWhatAFeatureCameTo(t *testing.T) {
	for name, c := range map[string]struct {
		found campaign.Tally
		says  string
	}{
		"it passes":           {campaign.Tally{Total: 2, Complete: 1, Feature: "F001", Passed: true}, "F001 passes, 1/2 features passing"},
		"it is to be judged":  {campaign.Tally{Total: 2, Judge: "F001"}, "F001 passes its tests and is judged, 0/2 features passing"},
		"it was not right":    {campaign.Tally{Total: 2, Feature: "F001", Problem: "the tests\nare red"}, "F001 does not pass: the tests are red"},
		"nothing was written": {campaign.Tally{Failed: true, Total: 2}, "it has left nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			p := campaigned(campaign.Implement)
			p.iterate(agent.Code, 1, "claude")
			p.measure(campaign.Test, 1, c.found, "")
			require.Equal(t, "Phase C: Implementation, iteration 1/30: "+c.says+", $0.25", p.Said[len(p.Said)-1])
			require.Nil(t, p.Status().Score, "there is no evidence to score")
		})
	}
}

// What rivals say of a plan is in the log in their words, and only what is new.
func TestTheLogSaysWhatCriticsHaveRaised(t *testing.T) {
	p := campaigned(campaign.FullAuto)
	p.iterate(agent.Critique, 1, "codex")
	p.measure(campaign.Hear, 1, campaign.Tally{Heard: []string{"codex: there is no index", "codex: B1 is settled"}}, "")
	require.Equal(t, "codex: there is no index; codex: B1 is settled", p.Said[len(p.Said)-1])
	before := len(p.Said)
	p.measure(campaign.Hear, 2, campaign.Tally{}, "")
	require.Len(t, p.Said, before, "nothing new was said")
}

// A reviewer of the report at the end works on no iteration: the lines are those
// of every run.
func TestReviewersOfACampaignsReportAreNoIteration(t *testing.T) {
	p := campaigned(campaign.Research)
	p.Ask(agent.Review, 1, "codex")
	require.Empty(t, p.Tell(flow.Event{Kind: flow.TurnEnded, Task: statustest.ID(agent.Review, "codex"), Result: &flow.Result{}}))
	require.Equal(t, "Review: Codex review starting (iteration 1/10)", p.Tell(flow.Event{Kind: flow.TurnStarted, Task: statustest.ID(agent.Review, "codex")}))
}

func TestTheLogSaysHowTheFeatureListWasEdited(t *testing.T) {
	p := campaigned(campaign.Implement)
	p.Ask(agent.Code, 1, "claude")
	for want, edit := range map[string]*feature.Edit{
		"The feature list is taken over from a person: F002 is new; F003 is gone":  {By: feature.Person, Says: []string{"F002 is new", "F003 is gone"}},
		"The feature list is changed as the campaign goes on: F002 is tried again": {By: feature.Resumed, Says: []string{"F002 is tried again"}},
		"": nil,
	} {
		require.Equal(t, want, p.Tell(flow.Event{Kind: flow.Edited, Own: campaign.OwnEdit(edit)}))
	}
}
