package codereview_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast/forecasttest"
	"github.com/research-council/research-council/internal/product/codereview"
)

func TestWhatAReviewWillAskOfItsSeats(t *testing.T) {
	setup := flow.Setup{Workflow: codereview.Name, Seats: []flow.Seat{{Name: "claude", Kind: "claude", Brand: "anthropic"}, {Name: "codex", Kind: "codex", Brand: "openai"}}}
	for name, c := range map[string]struct {
		setup        codereview.Setup
		likely, most int
	}{
		"five readers of four batches, by two seats": {codereview.Setup{}, 10, 40},
		"rivals read everything":                     {codereview.Setup{Rivals: true}, 20, 80},
	} {
		setup.Own = codereview.Own(&c.setup)
		p, ok := forecasttest.Part(codereview.Demand(setup, 4), "codex", "inspect")
		require.True(t, ok, name)
		require.Equal(t, []int{c.likely, c.most}, []int{p.Likely, p.Max}, name)
	}
	require.Empty(t, codereview.Demand(setup, 0).Parts, "nothing is to be read")
}

// A review that is to finish early reads no further batch, and has failed where
// nobody had answered by then.
func TestAReviewThatIsToFinishReadsNoFurtherBatch(t *testing.T) {
	surveyed := []flow.Visit{{Stage: codereview.Survey, Tasks: []flow.TaskState{{Found: &flow.Assessment{Own: codereview.OwnTally(&codereview.Tally{Files: 3})}}}}}
	done := flow.Verdict{Move: flow.Done}
	for name, c := range map[string]struct {
		run  flow.Run
		own  flow.Verdict
		want flow.Move
	}{
		"no further batch is read":    {flow.Run{Stage: codereview.Collate}, flow.Verdict{Move: flow.Jump, Reason: "batch 2 of 4"}, flow.Next},
		"the report of a review":      {flow.Run{Stage: codereview.Publish}, done, flow.Done},
		"before anybody had answered": {flow.Run{Stage: codereview.Publish, History: surveyed}, done, flow.Fail},
	} {
		c.run.Finish = "finished early by the user"
		require.Equal(t, c.want, codereview.Workflow().Finish(c.run, c.own).Move, name)
	}
}

func TestTheCodeOfAReviewMayLieElsewhere(t *testing.T) {
	require.Equal(t, "/p", codereview.Root(flow.Setup{Root: "/p"}))
	require.Equal(t, "/p/code", codereview.Root(flow.Setup{Root: "/p", Own: codereview.Own(&codereview.Setup{Code: "/p/code"})}))
}
