package recipe_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/agent"
	"research-council/internal/engine/flow"
	"research-council/internal/product/campaign"
	"research-council/internal/product/campaign/feature"
	"research-council/internal/product/recipe"
	"research-council/internal/product/staged"
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
		"what is tested": {campaign.Implement, recipe.Test, 2, "judge keep close", byUser},
	} {
		counts := func(stage string, visit int) campaign.Tally {
			if stage == recipe.Gather && visit <= 4 {
				return campaign.Tally{Findings: 7, New: 5}
			}
			if stage == recipe.Adopt {
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
	require.Equal(t, agent.Design, recipe.ReopenStage(got.Run))
	require.False(t, recipe.Finished(got.Run))
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
		if stage == recipe.Adopt {
			return campaign.Tally{}
		}
		return campaign.Tally{Total: 4, Complete: 2, Lost: 1, Blocked: 1}
	}, nil)
	require.True(t, recipe.Finished(got.Run))
	list := feature.List{Features: []feature.Feature{
		{ID: "F001", State: feature.Passed}, {ID: "F002", State: feature.Pending}, {ID: "F003", State: feature.Pending, Dependencies: []string{"F002"}},
	}}
	r := flow.Evolve(got.Run, flow.Event{Kind: flow.Edited, Own: campaign.OwnEdit(&feature.Edit{List: list})})
	st := recipe.CampaignState(r)
	require.Equal(t, []any{3, 1, 0, 0, "F002"}, []any{st.Total, st.Complete, st.Lost, st.Blocked, st.Next})
	require.NotContains(t, st.Done, campaign.PhaseC)
	require.False(t, recipe.Finished(r))
	require.Equal(t, recipe.Baseline, recipe.ReopenStage(r))
}

// What was built and could not be tested is tested once it can be.
func TestTestsThatCouldNotBeRunAreRunOnceTheyCan(t *testing.T) {
	counts := func(string, int) campaign.Tally { return campaign.Tally{Total: 4, Next: "F001"} }
	got := travelTold(t, campaignOf(campaign.Implement), counts, nil, func(r flow.Run) (flow.Event, bool) {
		if r.Stage != recipe.Test || r.Tasks[0].Ended() {
			return flow.Event{}, false
		}
		return flow.Event{Kind: flow.TaskEnded, Task: r.Tasks[0].ID, Outcome: "failed", Reason: "the tests could not be run"}, true
	})
	require.Equal(t, flow.Failed, got.Status)
	require.Equal(t, recipe.Test, recipe.ReopenStage(got.Run))
}

// What a gate's word becomes in a run that is to finish.
func TestNoGateHoldsUpAFinish(t *testing.T) {
	fail, back := flow.Verdict{Move: flow.Fail, Reason: "too little"}, flow.Verdict{Move: flow.Jump, Reason: "mend it"}
	for name, c := range map[string]struct {
		workflow flow.Workflow
		stage    string
		own      flow.Verdict
		want     flow.Move
	}{
		"a council without a report":      {recipe.Council(), recipe.Research, fail, flow.Next},
		"a synthesis is tried once more":  {recipe.Council(), recipe.Synthesis, flow.Verdict{Move: flow.Again}, flow.Again},
		"too few agents of a collection":  {recipe.Staged(), agent.Collection, fail, flow.Next},
		"too few facts are verified":      {recipe.Staged(), recipe.Factcheck, fail, flow.Next},
		"no synthesis is a failure still": {recipe.Staged(), agent.Findings, fail, flow.Fail},
		"nothing is revised any more":     {recipe.Staged(), recipe.Verdict, back, flow.Done},
		"no further batch is read":        {recipe.CodeReview(), recipe.Collate, back, flow.Next},
		"the report of a review":          {recipe.CodeReview(), recipe.PublishReview, flow.Verdict{Move: flow.Done}, flow.Done},
	} {
		got := c.workflow.Finish(flow.Run{Stage: c.stage, Finish: byUser}, c.own)
		require.Equal(t, c.want, got.Move, name)
		if got.Move != c.own.Move {
			require.Equal(t, c.own, got.Own(), "%s: the gate's own word is kept", name)
		}
	}
}

func TestWhatBecomesOfAFinishedRunIsSaid(t *testing.T) {
	staged := flow.Run{Stage: agent.Questions, Visit: 1, Setup: flow.Setup{Workflow: recipe.StagedName, Own: staged.Own(&staged.Setup{})}}
	require.Equal(t, "nothing has been researched yet", recipe.WhyUnfinishable(staged))
	staged.Stage = agent.Collection
	require.Empty(t, recipe.WhyUnfinishable(staged))
	require.Contains(t, recipe.FinishMessage(staged), "No more research begins")
	auto := flow.Run{Stage: agent.Explore, Visit: 1, Setup: campaignOf(campaign.FullAuto)}
	require.Contains(t, recipe.FinishMessage(auto), "Not begun: Phase B: Planning, Phase C: Implementation. `council campaign resume a-topic` goes on")
}
