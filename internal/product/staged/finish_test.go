package staged_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast/forecasttest"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
)

// A run that is to finish early is not held up by a gate that wants more of it.
func TestNoGateOfStagedResearchHoldsUpAFinish(t *testing.T) {
	fail := flow.Verdict{Move: flow.Fail, Reason: "too little"}
	for name, c := range map[string]struct {
		stage string
		own   flow.Verdict
		want  flow.Move
	}{
		"too few agents of a collection":  {agent.Collection, fail, flow.Next},
		"too few facts are verified":      {staged.Factcheck, fail, flow.Next},
		"no synthesis is a failure still": {agent.Findings, fail, flow.Fail},
		"nothing is revised any more":     {panel.Verdict, flow.Verdict{Move: flow.Jump, Reason: "mend it"}, flow.Done},
	} {
		got := staged.Workflow().Finish(flow.Run{Stage: c.stage, Finish: "finished early by the user"}, c.own)
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

func TestWhatStagedResearchWillAskOfItsSeats(t *testing.T) {
	seats := []flow.Seat{{Name: "claude", Kind: "claude", Brand: "anthropic", Model: "m"}, {Name: "codex", Kind: "codex", Brand: "openai", Model: "x"}}
	setup := flow.Setup{Workflow: "staged", Seats: seats, Own: staged.Own(&staged.Setup{Agents: 5, Revisions: 2}), Panel: seats}
	for _, c := range []struct {
		name, seat, role string
		likely, most     int
	}{
		{"the first answers", "claude", "brief", 3, 9},
		{"another family speaks against it", "codex", "advocate", 1, 9},
		{"agents are dealt out", "codex", "collection", 3, 15},
	} {
		p, ok := forecasttest.Part(staged.Demand(setup), c.seat, c.role)
		require.True(t, ok, c.name)
		require.Equal(t, []int{c.likely, c.most}, []int{p.Likely, p.Max}, c.name)
	}
	require.Empty(t, staged.Demand(flow.Setup{Own: setup.Own}).Parts, "nobody is there to be asked")
}
