// Package logs shows what has happened in a run, as it happens: its progress log,
// or what a seat did in its turns.
package logs

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/product"
)

// pollInterval is how often files that grow are looked at.
const pollInterval = 200 * time.Millisecond

// tails follows several files, some of which may not be there yet.
type tails map[string]*proc.Tail

// showNew shows the whole lines that have come since the last pass.
func (t tails) showNew(paths []string, show func(path string, line []byte) error) error {
	for _, path := range paths {
		if t[path] == nil {
			t[path] = proc.NewTail(path)
		}
		for {
			lines, err := t[path].Next()
			if err != nil {
				return err
			}
			for _, line := range lines {
				if err := show(path, line); err != nil {
					return err
				}
			}
			if len(lines) == 0 {
				break
			}
		}
	}
	return nil
}

func (t tails) close() {
	for _, tail := range t {
		_ = tail.Close() // it was opened to read
	}
}

// Follow shows the lines of files as they come, until done is closed; what has
// come by then is shown too.
func Follow(done <-chan struct{}, paths []string, show func(path string, line []byte) error) error {
	t := tails{}
	defer t.close()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return t.showNew(paths, show)
		case <-tick.C:
		}
		if err := t.showNew(paths, show); err != nil {
			return err
		}
	}
}

// Book is what `council logs` shows.
type Book struct {
	Project, ID string
	Seat        string // whose turns are shown; "" for the progress log
	Follow      bool   // go on until the run has ended
	JSON        bool
	Out         io.Writer
	kind        map[string]string // of each seat
	stages      []string          // in their order
}

// Write writes the log, and what is added to it until done is closed where it is
// followed.
func (b *Book) Write(done <-chan struct{}) error {
	f, err := workspace.Open(b.Project, b.ID)
	if err != nil {
		return err
	}
	defer f.Close()
	if b.Seat != "" {
		if err := b.loadSeats(); err != nil {
			return err
		}
	}
	t := tails{}
	defer t.close()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		over := !b.Follow || b.ended()
		if err := t.showNew(b.paths(f), b.show); err != nil || over {
			return err
		}
		select {
		case <-done:
			return nil
		case <-tick.C:
		}
	}
}

// loadSeats learns from the journal which seats there are.
func (b *Book) loadSeats() error {
	w, r, err := product.Load(b.Project, b.ID)
	if err != nil {
		return err
	}
	b.kind = map[string]string{}
	var names []string
	for _, s := range append(slices.Clone(r.Setup.Seats), flow.Seat{Name: "librarian", Kind: "librarian"}) {
		b.kind[s.Name] = s.Kind
		names = append(names, s.Name)
	}
	for _, s := range w.Stages {
		b.stages = append(b.stages, s.Name)
	}
	if b.kind[b.Seat] == "" {
		return usage.Errorf("run %s has no seat %q; it has %s", b.ID, b.Seat, strings.Join(names[:len(names)-1], ", "))
	}
	return nil
}

func (b *Book) ended() bool {
	s, err := runs.Status(b.Project, b.ID)
	return err != nil || s.Status != "running"
}

// paths are the files to show, in the order they were written.
func (b *Book) paths(f *workspace.Folder) []string {
	if b.Seat == "" {
		return []string{f.Join(workspace.Progress)}
	}
	var paths []string
	for _, name := range Turns(f.Join(workspace.Turns), b.Seat, b.stages) {
		paths = append(paths, f.Join(workspace.Turns, name, supervisor.StdoutFile), f.Join(workspace.Turns, name, supervisor.StderrFile))
	}
	return paths
}

// Turns are the folders of a seat's turns, by their names, in the order they were
// begun; stages are those of the workflow. None where no turn has begun.
func Turns(dir, seat string, stages []string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, d := range entries {
		if turnOf(d.Name()).seat == seat {
			names = append(names, d.Name())
		}
	}
	slices.SortFunc(names, func(x, y string) int { return compare(stages, turnOf(x), turnOf(y)) })
	return names
}

func compare(stages []string, x, y seatTurn) int {
	if d := slices.Index(stages, x.stage) - slices.Index(stages, y.stage); d != 0 {
		return d
	}
	if d := compareNumbers(x.visit, y.visit); d != 0 {
		return d
	}
	return compareNumbers(x.number, y.number)
}

// show writes one line: of the progress log as it is, of a seat's stream in
// the words its adapter has for it.
func (b *Book) show(path string, line []byte) error {
	if b.JSON {
		return b.showJSON(path, line)
	}
	text := string(line)
	if b.Seat != "" {
		turn := filepath.Base(filepath.Dir(path))
		if filepath.Base(path) == supervisor.StderrFile {
			text = turn + " ! " + text
		} else if text = kinds.Note(b.kind[b.Seat], line); text != "" {
			text = turn + "   " + text
		}
	}
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintln(b.Out, plain.Terminal(text))
	return err
}

func (b *Book) showJSON(path string, line []byte) error {
	entry := map[string]string{"line": string(line)}
	if b.Seat != "" {
		entry["turn"], entry["file"] = filepath.Base(filepath.Dir(path)), filepath.Base(path)
	}
	enc := json.NewEncoder(b.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(entry)
}

// seatTurn is what the name of a turn's folder says: stage.visit-seat-number,
// or stage.visit-seat.agent-number.
type seatTurn struct{ stage, visit, seat, number string }

func turnOf(name string) seatTurn {
	m := turnForm().FindStringSubmatch(name)
	if m == nil {
		return seatTurn{}
	}
	return seatTurn{m[1], m[2], m[3], m[4]}
}

var turnForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([a-z_]+)\.(\d+)-([^.]+)(?:\.[^.]+)?-(\d+)$`)
})

// compareNumbers compares two numbers as they are written.
func compareNumbers(x, y string) int {
	if d := len(x) - len(y); d != 0 {
		return d
	}
	return strings.Compare(x, y)
}
