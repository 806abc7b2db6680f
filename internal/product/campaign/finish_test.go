package campaign_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

const byUser = "finished early by the user"

// finishIn asks a run to finish once it has come to a stage for the n-th time.
func finishIn(stage string, n int) func(flow.Run) (flow.Event, bool) {
	return func(r flow.Run) (flow.Event, bool) {
		return flow.Event{Kind: flow.FinishAsked, Reason: byUser}, r.Finish == "" && r.Stage == stage && r.Visit == n
	}
}

func TestACampaignThatIsToFinishWritesDownWhatThereIs(t *testing.T) {
	list := campaign.Tally{Findings: 7, Plan: "p", Total: 4, Complete: 1, Next: "F002"}
	for name, c := range map[string]struct {
		mode  campaign.Mode
		stage string
		visit int
		then  string // the stages from there on
		why   string
	}{
		"research":       {campaign.Research, agent.Explore, 3, "gather conclude publish close", byUser},
		"its end":        {campaign.Research, agent.Conclude, 1, "publish close", byUser},
		"no plan begun":  {campaign.FullAuto, agent.Explore, 3, "gather conclude publish close", byUser + ": 4 of 100 iterations are done; the plan is not settled"},
		"plan":           {campaign.FullAuto, agent.Design, 2, "settle handover close", byUser},
		"breakdown":      {campaign.FullAuto, agent.Breakdown, 1, "enlist close", byUser},
		"code":           {campaign.Implement, agent.Code, 2, "test judge keep close", byUser},
		"what is tested": {campaign.Implement, campaign.Test, 2, "judge keep close", byUser},
	} {
		counts := func(stage string, visit int) campaign.Tally {
			if stage == campaign.Gather && visit <= 4 {
				return campaign.Tally{Findings: 7, New: 5}
			}
			if stage == campaign.Adopt {
				return campaign.Tally{}
			}
			return list
		}
		got := travelTold(t, campaignOf(c.mode), counts, nil, finishIn(c.stage, c.visit))
		require.Equal(t, flow.Completed, got.Status, name)
		require.True(t, strings.HasPrefix(got.Reason, c.why), "%s: %s", name, got.Reason)
		at, n := 0, 0
		for i, s := range got.stages {
			if s == c.stage {
				if n++; n == c.visit {
					at = i
				}
			}
		}
		require.Equal(t, c.then, strings.Join(got.stages[at+1:], " "), name)
	}
}

// The feature that is being built is built to its end; one that has not begun
// is left.
func TestAFeatureUnderWayIsNotCutOff(t *testing.T) {
	running := flow.TaskState{Task: flow.Task{ID: "code.1/claude", Seat: "claude", Whole: true}, Running: &flow.Running{}}
	idle := running
	idle.Running = nil
	setup := campaignOf(campaign.Implement)
	for _, c := range []struct {
		task flow.TaskState
		want int
	}{{running, 1}, {idle, 0}} {
		r := flow.Run{Setup: setup, Stage: agent.Code, Visit: 1, Tasks: []flow.TaskState{c.task}, Finish: byUser}
		require.Len(t, flow.WantedTurns(r), c.want)
	}
}

func TestACampaignThatFinishedEarlyGoesOnWhereItWouldHave(t *testing.T) {
	got := travelTold(t, campaignOf(campaign.FullAuto), plentiful(4), nil, finishIn(agent.Explore, 3))
	require.Equal(t, agent.Design, campaign.ReopenStage(got.Run))
	require.False(t, campaign.Finished(got.Run))
	again := flow.Evolve(got.Run, flow.Event{Kind: flow.RunReopened, Stage: agent.Design, Setup: &got.Setup})
	require.Empty(t, again.Finish)
}

// What people say is in the prompt of the next iteration, and of no other.
func TestANoteIsGivenToTheNextIterationOnce(t *testing.T) {
	said := map[int]string{2: "Use SQLite, not JSON; don't touch api/", 5: "leave out Windows"}
	got := travelTold(t, campaignOf(campaign.ResearchAndPlan), plentiful(4), nil, func(r flow.Run) (flow.Event, bool) {
		text := said[r.Visits(agent.Explore)]
		return flow.Event{Kind: flow.NoteGiven, Note: &flow.Note{ID: text, By: flow.ByCommand, Text: text}}, text != "" && !hasNote(r, text)
	})
	where := map[string][]int{}
	for _, e := range got.facts {
		for _, task := range e.Tasks {
			if len(task.Notes) > 0 {
				where[task.ID] = task.Notes
			}
		}
	}
	require.Equal(t, map[string][]int{"explore.3/claude": {1}, "explore.6/claude": {2}}, where)
	require.Empty(t, got.PendingNotes())
}

func hasNote(r flow.Run, id string) bool {
	for _, n := range r.Notes {
		if n.ID == id {
			return true
		}
	}
	return false
}

func TestANoteThatComesTwiceIsOne(t *testing.T) {
	var r flow.Run
	for range 2 {
		r = flow.Evolve(r, flow.Event{Kind: flow.NoteGiven, Note: &flow.Note{ID: "n", Text: "once"}})
	}
	require.Len(t, r.Notes, 1)
}

// Editing the list of a campaign that has ended gives it something to do.
func TestAnEditedListIsCounted(t *testing.T) {
	setup := campaignOf(campaign.Implement)
	got := travel(t, setup, func(stage string, _ int) campaign.Tally {
		if stage == campaign.Adopt {
			return campaign.Tally{}
		}
		return campaign.Tally{Total: 4, Complete: 2, Lost: 1, Blocked: 1}
	}, nil)
	require.True(t, campaign.Finished(got.Run))
	list := feature.List{Features: []feature.Feature{
		{ID: "F001", State: feature.Passed}, {ID: "F002", State: feature.Pending}, {ID: "F003", State: feature.Pending, Dependencies: []string{"F002"}},
	}}
	r := flow.Evolve(got.Run, flow.Event{Kind: flow.Edited, Own: campaign.OwnEdit(&feature.Edit{List: list})})
	st := campaign.StateOf(r)
	require.Equal(t, []any{3, 1, 0, 0, "F002"}, []any{st.Total, st.Complete, st.Lost, st.Blocked, st.Next})
	require.NotContains(t, st.Done, campaign.PhaseC)
	require.False(t, campaign.Finished(r))
	require.Equal(t, campaign.Baseline, campaign.ReopenStage(r))
}

// What was built and could not be tested is tested once it can be.
func TestTestsThatCouldNotBeRunAreRunOnceTheyCan(t *testing.T) {
	counts := func(string, int) campaign.Tally { return campaign.Tally{Total: 4, Next: "F001"} }
	got := travelTold(t, campaignOf(campaign.Implement), counts, nil, func(r flow.Run) (flow.Event, bool) {
		if r.Stage != campaign.Test || r.Tasks[0].Ended() {
			return flow.Event{}, false
		}
		return flow.Event{Kind: flow.TaskEnded, Task: r.Tasks[0].ID, Outcome: "failed", Reason: "the tests could not be run"}, true
	})
	require.Equal(t, flow.Failed, got.Status)
	require.Equal(t, campaign.Test, campaign.ReopenStage(got.Run))
}

func TestWhatBecomesOfACampaignThatIsToFinishIsSaid(t *testing.T) {
	auto := flow.Run{Stage: agent.Explore, Visit: 1, Setup: campaignOf(campaign.FullAuto)}
	w, _ := campaign.WorkflowOf(auto.Setup)
	require.Empty(t, w.WhyUnfinishable(auto))
	require.Contains(t, w.FinishMessage(auto), "Not begun: Phase B: Planning, Phase C: Implementation. `council campaign resume a-topic` goes on")
}
