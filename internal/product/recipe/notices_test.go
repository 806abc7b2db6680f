package recipe_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research-council/internal/agent"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/loop"
	"research-council/internal/product/campaign"
	"research-council/internal/product/recipe"
	"research-council/internal/product/staged"
)

// notices are what people are told while those facts come in.
func notices(facts []flow.Event) []string {
	var r flow.Run
	var list []string
	for _, e := range facts {
		r = flow.Evolve(r, e)
		for _, n := range recipe.Notices(r, e) {
			list = append(list, n.Level+": "+n.Text)
		}
	}
	return list
}

// built is what is counted of a list of features that are built one after the
// other: each passes its tests, and is judged and kept.
func built(features int) measured {
	count := building(features)
	return func(stage string, visit int) campaign.Tally {
		t := count(stage, visit)
		switch stage {
		case recipe.Test:
			t.Feature = t.Judge
		case recipe.Keep:
			t.Feature, t.Passed = fmt.Sprintf("F%03d", t.Complete), true
		}
		return t
	}
}

// lost is what is counted where the first of three features comes to its end
// in a stage, and the two others need it.
func lost(in string) measured {
	gone := false
	return func(stage string, _ int) campaign.Tally {
		gone = gone || stage == in
		switch {
		case gone:
			return campaign.Tally{Total: 3, Feature: "F001", Lost: 1, Blocked: 2}
		case stage == recipe.Adopt:
			return campaign.Tally{}
		case stage == recipe.Test:
			return campaign.Tally{Total: 3, Next: "F001", Feature: "F001", Judge: "F001"}
		}
		return campaign.Tally{Total: 3, Next: "F001"}
	}
}

// A person who is away reads on their desktop how far the campaign is: each
// phase, each feature, and how it ended. Iterations are not worth a notice.
func TestPeopleAreToldHowACampaignGoes(t *testing.T) {
	for name, c := range map[string]struct {
		mode   campaign.Mode
		counts measured
		how    ends
		want   []string
	}{
		"from a question to code": {campaign.FullAuto, built(2), nil, []string{
			"info: Phase A complete — transitioning to planning",
			"info: Phase B complete — transitioning to implementation",
			"info: Feature F001 passes (1/2)",
			"info: Feature F002 passes (2/2)",
			"info: Implementation complete — 2/2 features passing",
		}},
		"a feature whose change is not accepted, at its last attempt": {campaign.Implement, lost(recipe.Keep), nil, []string{
			"warning: Feature F001 failed for good; blocked by it: 2",
			"info: Implementation complete — 0/3 features passing",
		}},
		"a feature whose tests are red, at its last attempt": {campaign.Implement, lost(recipe.Test), nil, []string{
			"warning: Feature F001 failed for good; blocked by it: 2",
			"info: Implementation complete — 0/3 features passing",
		}},
		"research alone":    {campaign.Research, plentiful(2), nil, []string{"info: Research complete"}},
		"research and plan": {campaign.ResearchAndPlan, building(0), nil, []string{"info: Phase A complete — transitioning to planning", "info: Research and plan complete"}},
		"the iterations are spent before there is a plan": {campaign.ResearchAndPlan, plentiful(2), nil, []string{
			"info: Phase A complete — transitioning to planning",
			"error: Campaign out of budget: 40 of 40 iterations are done; the plan is not settled: there is no plan",
		}},
		"every iteration fails": {campaign.Research, plentiful(2), ends{"explore/claude": loop.Failed}, []string{
			"error: Campaign failed: 5 iterations in a row have left nothing; the last: as told",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got := travel(t, campaignOf(c.mode), c.counts, c.how)
			require.Equal(t, c.want, notices(got.facts))
		})
	}
}

// An attempt that is not the last one is no news, and neither is an iteration
// in which the worker's provider was down.
func TestAnAttemptThatIsNotTheLastIsNoNews(t *testing.T) {
	for name, tally := range map[string]campaign.Tally{
		"its tests are red, and it is tried again": {Total: 2, Next: "F001", Feature: "F001", Problem: "2 tests fail"},
		"nothing was built for want of a provider": {Total: 2, Next: "F001", Feature: "F001", Failed: true},
		"it is handed to somebody else to judge":   {Total: 2, Next: "F001", Feature: "F001", Judge: "F001"},
	} {
		t.Run(name, func(t *testing.T) {
			task := flow.TaskState{Task: flow.Task{ID: "test.1/program"}, Outcome: loop.Complete, Found: &flow.Assessment{Own: campaign.OwnTally(&tally)}}
			r := flow.Run{Setup: campaignOf(campaign.Implement), Stage: recipe.Test, Visit: 1, Tasks: []flow.TaskState{task}}
			require.Empty(t, recipe.Notices(r, flow.Event{Kind: flow.StageJudged, Stage: recipe.Test, Verdict: &flow.Verdict{Move: flow.Next}}))
		})
	}
}

// A council is over in minutes: who asked for it reads its report.
func TestACouncilSendsNoNotices(t *testing.T) {
	r := flow.Run{Setup: setupOf(""), Status: flow.Completed}
	require.Empty(t, recipe.Notices(r, flow.Event{Kind: flow.RunEnded, Status: flow.Completed}))
}

// Staged research takes hours and asks its person twice: they are told of each
// of the eight stages, once, of what waits for them, and of the end.
func TestPeopleAreToldHowStagedResearchGoes(t *testing.T) {
	var facts []flow.Event
	w := newStaged(t, stagedSetup())
	w.heard = func(e flow.Event) { facts = append(facts, e) }
	setup := stagedSetup()
	r := w.ends()
	got := notices(append([]flow.Event{{Seq: 1, Kind: flow.RunBegun, Setup: &setup}}, facts...))
	require.Equal(t, []string{
		"info: Stage 1/8: discovery",
		"warning: Waiting for you: 10 questions wait for answers",
		"warning: Waiting for you: the brief waits for a person to confirm it",
		"info: Stage 2/8: planning",
		"info: Stage 3/8: collection",
		"info: Stage 4/8: factcheck",
		"info: Stage 5/8: synthesis",
		"info: Stage 6/8: devils_advocate",
		"info: Stage 7/8: report",
		"info: Stage 8/8: review",
		"info: Research complete: " + r.Reason,
	}, got)
}

func TestPeopleAreToldWhatGoesWrongInStagedResearch(t *testing.T) {
	in := flow.Run{Setup: stagedSetup(), Stage: agent.Planning, Visit: 1}
	failed := in
	failed.Status, failed.Reason = flow.Failed, "Gate failed: planning"
	for name, c := range map[string]struct {
		run  flow.Run
		fact flow.Event
		want []recipe.Notice
	}{
		"a stage takes too long": {
			in,
			flow.Event{Kind: flow.IssueMet, Issue: &flow.Issue{Code: flow.TooSlow, Detail: "planning has taken 31m of 30m"}},
			[]recipe.Notice{{Text: "planning has taken 31m of 30m", Level: "warning"}},
		},
		"one source of many does not answer": {in, flow.Event{Kind: flow.IssueMet, Issue: &flow.Issue{Code: flow.SourceFailed, Detail: "arxiv.org"}}, nil},
		"it has failed": {
			failed,
			flow.Event{Kind: flow.RunEnded, Status: flow.Failed},
			[]recipe.Notice{{Text: "Research failed: Gate failed: planning", Level: "error"}},
		},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, recipe.Notices(c.run, c.fact)) })
	}
}

// A stage that is late is told of once, and once more where it is visited again
// and is late again.
func TestAStageThatIsLateIsToldOfOnce(t *testing.T) {
	at := func(minutes int) time.Time {
		return time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC).Add(time.Duration(minutes) * time.Minute)
	}
	r := flow.Run{Setup: stagedSetup(), Stage: agent.Findings, Visit: 1, Entered: at(60)}
	late := func(stage string, minute int) []flow.Issue {
		return []flow.Issue{{Code: flow.TooSlow, Stage: stage, At: at(minute)}}
	}
	for name, c := range map[string]struct {
		issues []flow.Issue
		want   bool
	}{
		"nobody was told":                  {nil, false},
		"they were told just now":          {late(staged.Synthesis, 90), true},
		"that was of another stage":        {late(staged.Planning, 90), false},
		"that was of the visit before":     {late(staged.Synthesis, 30), false},
		"something else was wrong with it": {[]flow.Issue{{Code: flow.SourceFailed, Stage: staged.Synthesis, At: at(90)}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r.Issues = c.issues
			require.Equal(t, c.want, recipe.IsLateTold(r, staged.Synthesis))
		})
	}
}
