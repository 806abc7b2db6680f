package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
)

func TestWhatWentWrongWithASeatIsKept(t *testing.T) {
	events := []flow.Event{
		{Kind: flow.StageEntered, Tasks: []flow.Task{{ID: "a", Seat: "ada"}, {ID: "b", Seat: "bo"}}},
		{Kind: flow.TurnEnded, Task: "b", At: noon().Add(time.Hour), Result: &flow.Result{Fault: agent.NewFault(agent.Terminal, "it broke")}},
		{Kind: flow.TaskEnded, Task: "b", At: noon(), Outcome: loop.Failed, Reason: "login expired"},
		{Kind: flow.TaskEnded, Task: "a", At: noon(), Outcome: loop.Refused, Reason: flow.FinishedEarly},
		{Kind: flow.TurnEnded, Task: "a", At: noon(), Result: &flow.Result{Fault: agent.NewFault(agent.Terminal, flow.FinishedEarly)}},
		{Kind: flow.TaskEnded, Task: "a", At: noon(), Outcome: loop.Failed, Reason: flow.FinishedEarly + "; it wrote no report"},
	}
	past := pastOf(events)
	require.Equal(t, []string{noon().Add(time.Hour).Local().Format("15:04") + "  : a turn failed: it broke", noon().Local().Format("15:04") + "  : failed: login expired"}, past["bo"])
	require.Empty(t, past["ada"], "what a person ended has not failed")
}
