// Package watch shows runs live on a terminal: how far one is, what each seat
// does and has come to, its transcript, its claims with their passages, what is
// in dispute; and lets a person steer a run with the functions the commands have.
//
// It reads what a run leaves (status.json, the journal, records, the registry,
// the streams of turns), in bounded pieces, and holds nothing of it open. All that
// comes from outside is made plain before it is shown.
package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/research-council/research-council/internal/engine/status"
)

// Doors is what a watcher may do, and with what it is shown. ID is the run it is
// done to.
type Doors struct {
	Project string
	Cancel  func(id string) error
	Finish  func(id string) (next string, err error) // and what becomes of the run
	Means   func(id string) (says string, err error) // what finishing now means, or why it cannot be
	Note    func(id, text string) (reaches string, err error)
	Getenv  func(string) string
	Now     func() time.Time
}

// interval is how often a run is looked at.
const interval = time.Second

// Run shows the run of an id, or where that is "" a list of runs to choose from,
// until the watcher leaves. It gives the run as it was last seen; one without an id
// where none was.
func Run(ctx context.Context, d Doors, id string, in io.Reader, out io.Writer) (status.Status, error) {
	m := newModel(d, newStyle(d.Getenv))
	if id == "" {
		m.openRuns()
	} else if err := m.open(id); err != nil {
		return status.Status{}, err
	}
	// Signals end ctx. Heard twice, a screen that ends by the one waits for ever to tell of the other.
	last, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(in), tea.WithOutput(out), tea.WithFPS(20)).Run()
	if err != nil && !errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrInterrupted) {
		return status.Status{}, fmt.Errorf("watch: %w", err)
	}
	if m, ok := last.(*model); ok {
		return m.now.Status, nil
	}
	return status.Status{}, nil
}
