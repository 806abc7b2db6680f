package product_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/agent"
	"research-council/internal/engine/flow"
	"research-council/internal/product/codereview"
	"research-council/internal/product/council"
	"research-council/internal/product/panel"
	"research-council/internal/product/staged"
)

// What a gate's word becomes in a run that is to finish.
func TestNoGateHoldsUpAFinish(t *testing.T) {
	fail, back := flow.Verdict{Move: flow.Fail, Reason: "too little"}, flow.Verdict{Move: flow.Jump, Reason: "mend it"}
	for name, c := range map[string]struct {
		workflow flow.Workflow
		stage    string
		own      flow.Verdict
		want     flow.Move
	}{
		"a council without a report":      {council.Workflow(), council.Research, fail, flow.Next},
		"a synthesis is tried once more":  {council.Workflow(), council.Synthesis, flow.Verdict{Move: flow.Again}, flow.Again},
		"too few agents of a collection":  {staged.Workflow(), agent.Collection, fail, flow.Next},
		"too few facts are verified":      {staged.Workflow(), staged.Factcheck, fail, flow.Next},
		"no synthesis is a failure still": {staged.Workflow(), agent.Findings, fail, flow.Fail},
		"nothing is revised any more":     {staged.Workflow(), panel.Verdict, back, flow.Done},
		"no further batch is read":        {codereview.Workflow(), codereview.Collate, back, flow.Next},
		"the report of a review":          {codereview.Workflow(), codereview.Publish, flow.Verdict{Move: flow.Done}, flow.Done},
	} {
		got := c.workflow.Finish(flow.Run{Stage: c.stage, Finish: "finished early by the user"}, c.own)
		require.Equal(t, c.want, got.Move, name)
		if got.Move != c.own.Move {
			require.Equal(t, c.own, got.Own(), "%s: the gate's own word is kept", name)
		}
	}
}

func TestStagedResearchThatIsOnlyAskedAboutCannotFinish(t *testing.T) {
	w := staged.Workflow()
	r := flow.Run{Stage: agent.Questions, Visit: 1}
	require.Equal(t, "nothing has been researched yet", w.WhyUnfinishable(r))
	r.Stage = agent.Collection
	require.Empty(t, w.WhyUnfinishable(r))
	require.Contains(t, w.FinishMessage(r), "No more research begins")
}
