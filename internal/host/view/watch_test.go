package view

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"research-council/internal/engine/status"
)

func sourceOf(runs ...status.Status) Source {
	n := 0
	return Source{
		Look: func() (status.Status, []string, error) {
			s := runs[min(n, len(runs)-1)]
			n++
			return s, []string{"[2026-02-22T14:31:00Z] Phase 1: Claude research starting (iteration 1/10)", "later \x1b[2J line"}, nil
		},
		Cancel: func() error { return nil },
		Now:    func() time.Time { return time.Date(2026, 2, 22, 14, 42, 0, 0, time.UTC) },
	}
}

func run(state string, iteration int) status.Status {
	return status.Status{
		ID: "20260222-143000-a1b2c3", Topic: "How?", Phase: "research", Step: 1, Steps: 6, Status: state, Supervisor: 1,
		Seats: []status.Seat{{Name: "claude", Role: "research", State: "running", Iteration: iteration, Iterations: 3}},
	}
}

func press(t *testing.T, s screen, key rune) (screen, tea.Cmd) {
	t.Helper()
	next, cmd := s.Update(tea.KeyPressMsg{Code: key, Text: string(key)})
	return next.(screen), cmd
}

func TestTheLiveScreenShowsStatusLogAndKeys(t *testing.T) {
	s := screen{src: sourceOf(run("running", 1))}.refresh()
	next, _ := s.Update(tea.WindowSizeMsg{Width: 60, Height: 12})
	text := next.(screen).render()
	require.Contains(t, text, "phase 1/6 research")
	require.Contains(t, text, "later [2J line")
	require.Contains(t, text, "q leave")
	require.LessOrEqual(t, strings.Count(text, "\n"), 12)
	small, _ := s.Update(tea.WindowSizeMsg{Width: 60, Height: 3})
	require.NotContains(t, small.(screen).render(), "later", "no room for the log")
}

func TestCancelAsksFirst(t *testing.T) {
	s := screen{src: sourceOf(run("running", 1))}.refresh()
	s, _ = press(t, s, 'c')
	require.Contains(t, s.render(), "Cancel the run?")
	s, cmd := press(t, s, 'n')
	require.Nil(t, cmd)
	require.NotContains(t, s.render(), "Cancel the run?")
	s, _ = press(t, s, 'c')
	s, cmd = press(t, s, 'y')
	require.Contains(t, s.render(), "Cancelling")
	next, _ := s.Update(cmd())
	require.Contains(t, next.(screen).render(), "Cancelled")
	next, _ = s.Update(cancelled{errors.New("disk full")})
	require.Contains(t, next.(screen).render(), "Not cancelled: disk full")
}

func TestLeavingAndTheEndCloseTheScreen(t *testing.T) {
	s := screen{src: sourceOf(run("running", 1), run("completed", 3))}.refresh()
	_, cmd := press(t, s, 'q')
	require.IsType(t, tea.QuitMsg{}, cmd())
	next, cmd := s.Update(tick{})
	require.Equal(t, "completed", next.(screen).status.Status)
	require.IsType(t, tea.QuitMsg{}, cmd())
}

func TestTheLiveScreenEndsWithTheRun(t *testing.T) {
	last, err := Watch(context.Background(), sourceOf(run("running", 1), run("running", 2), run("completed", 3)), new(bytes.Buffer), io.Discard)
	require.NoError(t, err)
	require.Equal(t, "completed", last.Status)
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
	broken := Source{Look: func() (status.Status, []string, error) { return status.Status{}, nil, errors.New("gone") }}
	_, err := Watch(context.Background(), broken, new(bytes.Buffer), io.Discard)
	require.ErrorContains(t, err, "gone")
	err = Follow(context.Background(), broken, func(_, _ status.Status) error { return nil })
	require.ErrorContains(t, err, "gone")
}
