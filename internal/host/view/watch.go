package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"research-council/internal/engine/status"
)

// Source is where a watcher looks and what it may do.
type Source struct {
	Look   func() (status.Status, []string, error) // the run now, and its latest progress lines
	Cancel func() error                            // ends the run
	Now    func() time.Time
}

// pollInterval is how often a watcher looks.
const pollInterval = 500 * time.Millisecond

// Watch shows a run live on a terminal until it has ended or the watcher
// leaves; q leaves, c cancels the run after a question. It returns the run as
// it was last seen.
func Watch(ctx context.Context, src Source, in io.Reader, out io.Writer) (status.Status, error) {
	first := screen{src: src}.refresh()
	if first.err != nil {
		return first.status, first.err
	}
	last, err := tea.NewProgram(first, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out)).Run()
	if err != nil && !errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrInterrupted) {
		return first.status, fmt.Errorf("watch: %w", err)
	}
	s, ok := last.(screen)
	if !ok {
		return first.status, nil
	}
	return s.status, s.err
}

// Follow tells how a run looks, first and at every change, until it has ended
// or ctx is done, for those who watch without a terminal. The first time was
// is empty.
func Follow(ctx context.Context, src Source, tell func(was, now status.Status) error) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	var was status.Status
	for {
		now, _, err := src.Look()
		if err != nil {
			return err
		}
		if err := tell(was, now); err != nil || now.Status != "running" {
			return err
		}
		was = now
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// screen is the live view's state.
type screen struct {
	src           Source
	status        status.Status
	log           []string
	err           error
	asking        bool // whether to cancel
	said          string
	width, height int
}

// tick says that it is time to look; cancelled, what came of a cancel.
type (
	tick      struct{}
	cancelled struct{ err error }
)

func (s screen) refresh() screen {
	s.status, s.log, s.err = s.src.Look()
	return s
}

func (s screen) Init() tea.Cmd { return nextTick() }

func nextTick() tea.Cmd { return tea.Tick(pollInterval, func(time.Time) tea.Msg { return tick{} }) }

func (s screen) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	switch m := m.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
	case tea.KeyPressMsg:
		return s.key(m.String())
	case cancelled:
		s.said = "Cancelled; what was found is kept."
		if m.err != nil {
			s.said = "Not cancelled: " + m.err.Error()
		}
		return s, nil
	case tick:
		s = s.refresh()
		if s.err != nil || s.status.Status != "running" {
			return s, tea.Quit
		}
		return s, nextTick()
	}
	return s, nil
}

func (s screen) key(k string) (tea.Model, tea.Cmd) {
	switch {
	case s.asking && k == "y":
		s.asking, s.said = false, "Cancelling…"
		return s, func() tea.Msg { return cancelled{s.src.Cancel()} }
	case k == "q", k == "ctrl+c", k == "esc" && !s.asking:
		return s, tea.Quit
	case s.asking:
		s.asking = false
	case k == "c":
		s.asking = true
	}
	return s, nil
}

func (s screen) View() tea.View {
	v := tea.NewView(s.render())
	v.AltScreen = true
	return v
}

// render is the status, as much of the log as there is room for, and the keys.
func (s screen) render() string {
	status := Screen(s.status, s.src.Now(), s.width)
	keys := "q leave (the run goes on)   c cancel the run"
	switch {
	case s.asking:
		keys = "Cancel the run? What was found is kept.   y yes   any other key: no"
	case s.said != "":
		keys = s.said + "   q leave"
	}
	foot := page{width: s.width}
	foot.cut(keys)
	room := s.height - strings.Count(status, "\n") - 3
	tail := page{width: s.width}
	for _, line := range s.log[max(0, len(s.log)-max(0, room)):] {
		tail.cut(line)
	}
	return status + "\n" + tail.String() + "\n" + foot.String()
}
