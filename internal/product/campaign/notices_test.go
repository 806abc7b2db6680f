package campaign_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/product/campaign"
)

// notices are what people are told while those facts come in.
func notices(facts []flow.Event) []string {
	var r flow.Run
	var list []string
	for _, e := range facts {
		r = flow.Evolve(r, e)
		for _, n := range campaign.Notices(r, e) {
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
		case campaign.Test:
			t.Feature = t.Judge
		case campaign.Keep:
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
		case stage == campaign.Adopt:
			return campaign.Tally{}
		case stage == campaign.Test:
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
		"a feature whose change is not accepted, at its last attempt": {campaign.Implement, lost(campaign.Keep), nil, []string{
			"warning: Feature F001 failed for good; blocked by it: 2",
			"info: Implementation complete — 0/3 features passing",
		}},
		"a feature whose tests are red, at its last attempt": {campaign.Implement, lost(campaign.Test), nil, []string{
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
			r := flow.Run{Setup: campaignOf(campaign.Implement), Stage: campaign.Test, Visit: 1, Tasks: []flow.TaskState{task}}
			require.Empty(t, campaign.Notices(r, flow.Event{Kind: flow.StageJudged, Stage: campaign.Test, Verdict: &flow.Verdict{Move: flow.Next}}))
		})
	}
}
