package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/fleet/internal/mirror"
	"github.com/research-council/research-council/fleet/internal/store"
	"github.com/research-council/research-council/fleet/internal/temporal"
	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/base/usage"
)

// mirroring is a mirror that is asked for.
type mirroring struct {
	*place
	to      string
	follow  bool
	all     bool // runs that are over too
	council string
	kept    *os.File // locked while the folder is this mirror's
}

func mirrorCommand(p *place) *cobra.Command {
	m := mirroring{place: p}
	c := &cobra.Command{
		Use: "mirror --to DIR [RUN…]", Short: "Lay down runs of the fleet as a project, for council to show", Args: cobra.ArbitraryArgs,
		Long: `Lay down the runs that are under way, or those named, as the runs of a project: council
status, watch, serve and verify show them with --project DIR. With --follow it keeps them as
they are in the store until Ctrl-C; what is said to a run there meanwhile (note, finish,
cancel) is handed on to the fleet. A run is worked on by the fleet alone: council resume
refuses it there, and says how it is answered.`,
		Example: "  council-fleet mirror --to shown --follow\n  council serve --project shown",
		RunE: func(c *cobra.Command, args []string) error {
			if m.to == "" {
				return usage.Errorf("say where to: --to DIR")
			}
			return m.run(c.Context(), args, c.ErrOrStderr(), nil)
		},
	}
	c.Flags().StringVar(&m.to, "to", "", "the folder, of this mirror alone")
	c.Flags().BoolVar(&m.follow, "follow", false, "keep the runs as they are in the store")
	c.Flags().BoolVar(&m.all, "all", false, "runs that are over too")
	return c
}

// showCommand is watch and serve: council's own, on a mirror that is kept while it runs.
func showCommand(p *place, name, short string) *cobra.Command {
	m := mirroring{place: p, follow: true}
	use := name
	if name == "watch" {
		use += " [RUN]"
	}
	c := &cobra.Command{
		Use: use, Short: short, Args: cobra.MaximumNArgs(1),
		Long:    short + ",\nas council " + name + " does a local one, from a copy that is kept as the store has it. Notes, finish\nand cancel are handed on to the fleet; answers and confirmations are given by answer and confirm.",
		Example: "  council-fleet " + name,
		RunE: func(c *cobra.Command, args []string) error {
			if name == "serve" && len(args) > 0 {
				return usage.Errorf("use it as in: council-fleet serve")
			}
			return m.show(c, name, args)
		},
	}
	c.Flags().StringVar(&m.to, "to", "", "the folder of the copy (default: in the user's folder for caches)")
	c.Flags().BoolVar(&m.all, "all", false, "runs that are over too")
	c.Flags().StringVar(&m.council, "council", "council", "the program that shows them")
	return c
}

// show keeps a mirror while council shows it.
func (m *mirroring) show(c *cobra.Command, verb string, runs []string) error {
	program, err := exec.LookPath(m.council)
	if err != nil {
		return fmt.Errorf("find council: %w", err)
	}
	if m.to == "" {
		caches, err := os.UserCacheDir()
		if err != nil {
			return usage.Errorf("say where the copy is to be: --to DIR")
		}
		sum := sha256.Sum256([]byte(m.store + "\n" + m.Namespace))
		if err := m.takeOwn(filepath.Join(caches, "council-fleet", hex.EncodeToString(sum[:8]))); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- m.run(ctx, runs, c.ErrOrStderr(), ready) }()
	var id string
	select {
	case id = <-ready:
	case err := <-done:
		return cmp.Or(c.Context().Err(), err)
	}
	args := []string{verb, "--project", m.to}
	if len(runs) > 0 {
		args = append(args, id)
	}
	child := exec.CommandContext(ctx, program, args...)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, c.OutOrStdout(), c.ErrOrStderr()
	child.Cancel, child.WaitDelay = func() error { return child.Process.Signal(os.Interrupt) }, patience
	err = child.Run()
	stop()
	err = errors.Join(err, <-done)
	if c.Context().Err() != nil {
		return c.Context().Err()
	}
	return err
}

const (
	lookAtStore  = 500 * time.Millisecond
	lookForRuns  = 5 * time.Second
	holdArgument = "hold-mirror"
)

// errKept says that somebody keeps a folder up already.
var errKept = errors.New("another mirror keeps this folder: show it with council watch --project, or name another one")

// take has a folder kept by this mirror alone: of two, each would undo what the other lays down.
func (m *mirroring) take(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("mirror: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, ".mirror"), os.O_CREATE|os.O_RDWR|disk.NoLink, 0o600)
	if err != nil {
		return fmt.Errorf("mirror: %w", err)
	}
	if err := disk.TryLock(f); err != nil {
		_ = f.Close() // nothing was written
		if errors.Is(err, disk.ErrBusy) {
			return usage.Errorf("%s: %w", dir, errKept)
		}
		return fmt.Errorf("mirror: %w", err)
	}
	m.to, m.kept = dir, f
	return nil
}

// takeOwn takes a folder, or one beside it where others are shown at the same time.
func (m *mirroring) takeOwn(dir string) error {
	err := m.take(dir)
	for n := 2; errors.Is(err, errKept) && n < 100; n++ {
		err = m.take(fmt.Sprintf("%s-%d", dir, n))
	}
	return err
}

// run mirrors until all is laid down once, or until ctx is done. ready hears, once
// something is laid down, the id of the first run that is named; until then a run that is
// damaged ends it, and from then on nothing is told.
func (m *mirroring) run(ctx context.Context, named []string, told io.Writer, ready chan<- string) error {
	fleet, err := m.open(ctx)
	if err != nil {
		return err
	}
	to, err := filepath.Abs(m.to)
	if err != nil {
		return err
	}
	if m.kept == nil {
		if err := m.take(to); err != nil {
			return err
		}
	}
	defer m.kept.Close() // nothing was written
	mir := &mirror.Mirror{Store: fleet.Store, Fleet: fleet, Dir: to, From: m.store}
	if m.follow {
		h := &holder{}
		defer h.close()
		mir.Holds = h.identity
	}
	defer func() { _ = mir.Close() }() // a lease of a process that is gone holds nobody up
	var runs []string
	asked, said := time.Time{}, map[string]string{}
	for {
		if time.Since(asked) > lookForRuns {
			now, err := m.runs(ctx, fleet, named)
			if err != nil && (!m.follow || asked.IsZero()) {
				return err
			}
			runs, asked = union(runs, now), time.Now() // one that is over by now has its end in the store
		}
		err := lookAll(ctx, mir, runs, sayOnce{told, said})
		if ctx.Err() != nil {
			return nil
		}
		var waits error
		if err == nil {
			waits = missing(ctx, fleet.Knows, mir, named)
		}
		if !m.follow || errors.Is(waits, errNoRun) {
			return cmp.Or(err, waits)
		}
		if ready != nil {
			id, is := laidDown(mir, runs, named)
			switch {
			case is:
				ready <- id
				ready, told = nil, io.Discard
			case errors.Is(err, store.ErrDamaged):
				return err
			case err == nil:
				sayOnce{told, said}.say(named[0], "is not begun yet")
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lookAtStore):
		}
	}
}

// errNoRun says that neither server nor store has a run.
var errNoRun = errors.New("the fleet has no such run (council-fleet status tells of those under way)")

// missing says why a run that is named is not laid down.
func missing(ctx context.Context, knows func(context.Context, string) (bool, error), mir *mirror.Mirror, named []string) error {
	for _, run := range named {
		if dir, _ := mir.Folder(run); dir != "" {
			continue
		}
		switch known, err := knows(ctx, run); {
		case err != nil:
			return err
		case !known:
			return usage.Errorf("%s: %w", run, errNoRun)
		}
		return fmt.Errorf("%s: is not begun yet", run)
	}
	return nil
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// laidDown is the id of the run that is named, once it is there; without a name any will
// do, and none where there is none.
func laidDown(mir *mirror.Mirror, runs, named []string) (string, bool) {
	for _, run := range runs {
		if dir, id := mir.Folder(run); dir != "" {
			return id, true
		}
	}
	return "", len(named) == 0
}

// runs are those to mirror.
func (m *mirroring) runs(ctx context.Context, fleet *temporal.Fleet, named []string) ([]string, error) {
	if len(named) > 0 {
		return named, nil
	}
	all, err := fleet.Begun(ctx)
	if err == nil && m.all {
		var over map[string]string
		if over, err = fleet.Over(ctx); err == nil {
			maps.Copy(all, over)
		}
	}
	return slices.Sorted(maps.Keys(all)), err
}

// lookAll looks at all runs. What cannot be read of one is told, and keeps no other.
func lookAll(ctx context.Context, mir *mirror.Mirror, runs []string, told sayOnce) (err error) {
	for _, run := range runs {
		changed, oneErr := mir.Look(ctx, run)
		if oneErr != nil {
			err = errors.Join(err, oneErr)
			told.say(run, oneErr.Error())
		} else if changed {
			if dir, _ := mir.Folder(run); dir != "" {
				fmt.Fprintln(told.to, run, "is in", dir)
				delete(told.said, run)
			}
		}
	}
	return err
}

// sayOnce says of each run what is not what was said of it last.
type sayOnce struct {
	to   io.Writer
	said map[string]string
}

func (s sayOnce) say(run, what string) {
	if s.said[run] != what {
		s.said[run] = what
		fmt.Fprintln(s.to, run+":", what)
	}
}

// holder is a process that does nothing: leases of mirrored runs name it. A cancel ends
// whoever a lease names, and is not to end the mirror.
type holder struct {
	child *exec.Cmd
	in    io.Closer
	id    proc.Identity
}

func (h *holder) identity() (proc.Identity, error) {
	if h.child != nil && h.id.Alive() {
		return h.id, nil
	}
	h.close()
	self, err := os.Executable()
	if err != nil {
		return proc.Identity{}, fmt.Errorf("hold the mirror: %w", err)
	}
	h.child = exec.Command(self, holdArgument)
	if h.in, err = h.child.StdinPipe(); err == nil { // it ends when this process does
		err = h.child.Start()
	}
	if err != nil {
		h.child = nil
		return proc.Identity{}, fmt.Errorf("hold the mirror: %w", err)
	}
	h.id, err = proc.Identify(h.child.Process.Pid)
	return h.id, err
}

func (h *holder) close() {
	if h.child == nil {
		return
	}
	_ = h.in.Close()
	_ = h.child.Wait() // it may have been ended
	h.child = nil
}

// holdCommand is that process.
func holdCommand() *cobra.Command {
	return &cobra.Command{Use: holdArgument, Hidden: true, RunE: func(c *cobra.Command, _ []string) error {
		_, err := io.Copy(io.Discard, c.InOrStdin())
		return err
	}}
}
