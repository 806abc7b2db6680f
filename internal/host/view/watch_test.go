package view

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/status"
)

func sourceOf(runs ...status.Status) func() (status.Status, error) {
	n := 0
	return func() (status.Status, error) {
		s := runs[min(n, len(runs)-1)]
		n++
		return s, nil
	}
}

func run(state string, iteration int) status.Status {
	return status.Status{
		ID: "20260222-143000-a1b2c3", Topic: "How?", Phase: "research", Step: 1, Steps: 6, Status: state, Supervisor: 1,
		Seats: []status.Seat{{Name: "claude", Role: "research", State: "running", Iteration: iteration, Iterations: 3}},
	}
}

func TestWithoutATerminalEveryLookIsTold(t *testing.T) {
	var told []string
	err := Follow(context.Background(), sourceOf(run("running", 1), run("running", 2), run("completed", 2)), func(was, now status.Status) error {
		told = append(told, was.Status+">"+now.Status)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{">running", "running>running", "running>completed"}, told)
}

func TestARunThatCannotBeReadIsAnError(t *testing.T) {
	broken := func() (status.Status, error) { return status.Status{}, errors.New("gone") }
	err := Follow(context.Background(), broken, func(_, _ status.Status) error { return nil })
	require.ErrorContains(t, err, "gone")
}
