package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"research-council/internal/base/plain"
	"research-council/internal/base/proc"
	"research-council/internal/base/usage"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/status"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/host/program"
	"research-council/internal/host/runs"
	"research-council/internal/host/view"
	"research-council/internal/product"
)

// logPollInterval is how often files that grow are looked at.
const logPollInterval = 200 * time.Millisecond

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

// follow shows the lines of files as they come, until done is closed; what has
// come by then is shown too.
func follow(done <-chan struct{}, paths []string, show func(path string, line []byte) error) error {
	t := tails{}
	defer t.close()
	tick := time.NewTicker(logPollInterval)
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

// logbook is what `council logs` shows.
type logbook struct {
	project, id string
	seat        string
	follow      bool
	json        bool
	out         io.Writer
	kind        map[string]string // of each seat
	stages      []string          // in their order
}

func logsCommand(e program.Env) *cobra.Command {
	b := logbook{out: e.Stdout}
	c := &cobra.Command{
		Use: "logs [ID]", Short: "Show what has happened in a run",
		Long: "Show the progress log of a run, or with --seat what that seat did in all its turns.",
		Example: `council logs -f
council logs --seat claude
council logs 20260222-143000-a1b2c3 --seat codex --json`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if b.project, b.id, err = pick(c, e, args); err != nil {
				return err
			}
			b.json = asJSON(c)
			return b.run(c.Context().Done())
		},
	}
	c.Flags().BoolVarP(&b.follow, "follow", "f", false, "go on until the run has ended")
	c.Flags().StringVar(&b.seat, "seat", "", "what this seat did")
	return c
}

func (b *logbook) run(done <-chan struct{}) error {
	f, err := workspace.Open(b.project, b.id)
	if err != nil {
		return err
	}
	defer f.Close()
	if b.seat != "" {
		if err := b.loadSeats(); err != nil {
			return err
		}
	}
	t := tails{}
	defer t.close()
	tick := time.NewTicker(logPollInterval)
	defer tick.Stop()
	for {
		over := !b.follow || b.ended()
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
func (b *logbook) loadSeats() error {
	w, r, err := product.Load(b.project, b.id)
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
	if b.kind[b.seat] == "" {
		return usage.Errorf("run %s has no seat %q; it has %s", b.id, b.seat, strings.Join(names[:len(names)-1], ", "))
	}
	return nil
}

func (b *logbook) ended() bool {
	s, err := runs.Status(b.project, b.id)
	return err != nil || s.Status != "running"
}

// paths are the files to show, in the order they were written.
func (b *logbook) paths(f *workspace.Folder) []string {
	if b.seat == "" {
		return []string{f.Join(workspace.Progress)}
	}
	entries, err := os.ReadDir(f.Join(workspace.Turns))
	if err != nil {
		return nil // no turn has begun
	}
	turns := slices.DeleteFunc(entries, func(d os.DirEntry) bool { return turnOf(d.Name()).seat != b.seat })
	slices.SortFunc(turns, func(x, y os.DirEntry) int { return b.compare(turnOf(x.Name()), turnOf(y.Name())) })
	var paths []string
	for _, d := range turns {
		paths = append(paths, f.Join(workspace.Turns, d.Name(), supervisor.StdoutFile), f.Join(workspace.Turns, d.Name(), supervisor.StderrFile))
	}
	return paths
}

// seatTurn is what the name of a turn's folder says: stage.visit-seat-number,
// or stage.visit-seat.agent-number.
type seatTurn struct{ stage, visit, seat, number string }

func turnOf(name string) seatTurn {
	m := regexp.MustCompile(`^([a-z_]+)\.(\d+)-([^.]+)(?:\.[^.]+)?-(\d+)$`).FindStringSubmatch(name)
	if m == nil {
		return seatTurn{}
	}
	return seatTurn{m[1], m[2], m[3], m[4]}
}

func (b *logbook) compare(x, y seatTurn) int {
	if d := slices.Index(b.stages, x.stage) - slices.Index(b.stages, y.stage); d != 0 {
		return d
	}
	if d := compareNumbers(x.visit, y.visit); d != 0 {
		return d
	}
	return compareNumbers(x.number, y.number)
}

// compareNumbers compares two numbers as they are written.
func compareNumbers(x, y string) int {
	if d := len(x) - len(y); d != 0 {
		return d
	}
	return strings.Compare(x, y)
}

// show writes one line: of the progress log as it is, of a seat's stream in
// the words its adapter has for it.
func (b *logbook) show(path string, line []byte) error {
	if b.json {
		return b.showJSON(path, line)
	}
	text := string(line)
	if b.seat != "" {
		turn := filepath.Base(filepath.Dir(path))
		if filepath.Base(path) == supervisor.StderrFile {
			text = turn + " ! " + text
		} else if text = supervisor.Note(b.kind[b.seat], line); text != "" {
			text = turn + "   " + text
		}
	}
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintln(b.out, plain.Terminal(text))
	return err
}

func (b *logbook) showJSON(path string, line []byte) error {
	entry := map[string]string{"line": string(line)}
	if b.seat != "" {
		entry["turn"], entry["file"] = filepath.Base(filepath.Dir(path)), filepath.Base(path)
	}
	return encodeLine(b.out, entry)
}

func watchCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "watch [ID]", Short: "Watch a run live",
		Long:    "Watch a run until it ends. On a terminal q leaves and c cancels the run after a question; elsewhere every change is a line.",
		Example: "council watch\ncouncil watch 20260222-143000-a1b2c3\ncouncil watch --json",
		Args:    cobra.MaximumNArgs(1), ValidArgsFunction: ids(e),
		RunE: func(c *cobra.Command, args []string) error {
			project, id, err := pick(c, e, args)
			if err != nil {
				return err
			}
			src := watchSource(c, e, project, id)
			if asJSON(c) || view.Width(e.Stdout) == 0 || !view.IsTerminal(e.Stdin) {
				return view.Follow(c.Context(), src, changePrinter(c, e))
			}
			s, err := view.Watch(c.Context(), src, e.Stdin, e.Stdout)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(e.Stdout, view.Screen(s, time.Now(), view.Width(e.Stdout)))
			return err
		},
	}
}

// maxWatchLines is how many progress lines a watcher is shown at most.
const maxWatchLines = 100

func watchSource(c *cobra.Command, e program.Env, project, id string) view.Source {
	return view.Source{
		Now:    time.Now,
		Cancel: func() error { return cancel(c.Context(), e, project, id) },
		Look: func() (status.Status, []string, error) {
			s, err := runs.Status(project, id)
			if err != nil {
				return s, nil, err
			}
			data, err := proc.LastBytes(filepath.Join(s.Folder, workspace.Progress), maxWatchLines*200)
			if errors.Is(err, os.ErrNotExist) {
				return s, nil, nil
			}
			lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
			return s, lines[max(0, len(lines)-maxWatchLines):], err
		},
	}
}

// changePrinter tells a run's changes in lines, or in JSON one a line.
func changePrinter(c *cobra.Command, e program.Env) func(was, now status.Status) error {
	return func(was, now status.Status) error {
		changes := view.Changes(was, now)
		switch {
		case asJSON(c) && (was.ID == "" || len(changes) > 0):
			return encodeLine(e.Stdout, now)
		case asJSON(c):
			return nil
		case was.ID == "":
			_, err := fmt.Fprint(e.Stdout, view.Text(now, time.Now()))
			return err
		}
		for _, line := range changes {
			if _, err := fmt.Fprintln(e.Stdout, line); err != nil {
				return err
			}
		}
		return nil
	}
}
