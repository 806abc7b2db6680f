// Package mirror lays down runs of a store as the runs of a project, and keeps them as
// they are in the store, so that what shows a local run shows one of the fleet.
//
// A mirrored run is read, and never worked on: a mark beside it says whose copy it is, and
// while a worker has it, its lease names a process of this machine. One that a person has
// taken over all the same is left alone. What a person leaves
// in a mirrored run (a note, that it is to finish, that it is cancelled) is handed on
// to the fleet.
package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/fleet/internal/carry"
	"github.com/research-council/research-council/fleet/internal/folder"
	"github.com/research-council/research-council/fleet/internal/ledger"
	"github.com/research-council/research-council/fleet/internal/store"
	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// Fleet is what a mirror asks of one.
type Fleet interface {
	Say(ctx context.Context, run, kind string, words []byte) error
	Cancel(ctx context.Context, run string) error
}

// Mirror keeps runs below a folder. It is not safe for concurrent use.
type Mirror struct {
	Store *store.Store
	Fleet Fleet
	Dir   string                        // a project of the mirror's own
	From  string                        // the store, as it is named
	Holds func() (proc.Identity, error) // the process that leases name; nil for no leases

	known map[string]*run
}

// run is one that is laid down.
type run struct {
	ledger ledger.Ledger
	dir    string // "" until there is something of it
	asked  bool   // to be cancelled, from here
}

// Folder of a run that is laid down, and its id; "" where there is none.
func (m *Mirror) Folder(name string) (dir, id string) {
	if r := m.known[name]; r != nil && r.dir != "" {
		return r.dir, r.ledger.ID
	}
	return "", ""
}

// Look brings a run up to what the store has of it, hands on what was said to it here,
// and reports whether anything is new.
func (m *Mirror) Look(ctx context.Context, name string) (changed bool, err error) {
	if m.known == nil {
		m.known = map[string]*run{}
	}
	r := m.known[name]
	if r == nil {
		r = &run{ledger: ledger.New(name)}
		m.known[name] = r
	}
	if r.ledger.End != nil && r.ledger.End.Final {
		return false, nil
	}
	if err := m.checkOurs(name, r.ledger.ID); err != nil {
		return false, err
	}
	var notHeard error // it keeps nobody from seeing how the run goes on
	if r.dir != "" {
		notHeard = m.handOn(ctx, name, r)
	}
	l, lines, err := m.Store.Since(ctx, r.ledger)
	if err != nil {
		return false, errors.Join(notHeard, err)
	}
	if r.dir == "" {
		if err := m.checkOurs(name, l.ID); err != nil {
			return false, err
		}
		notHeard = m.handOnFormer(ctx, name, r, l)
	}
	if notHeard != nil && !r.isAsLaidDown() {
		return false, notHeard // what is to be laid down anew would take away what was said
	}
	changed, err = m.bring(ctx, r, l, lines)
	return changed, errors.Join(notHeard, err)
}

// ErrTaken says that a person goes on with a run here, beside the fleet.
var ErrTaken = errors.New("was taken over here by `council resume --from-fleet`, and is shown no more as the fleet has it")

// checkOurs refuses to touch a run that a person has taken over.
func (m *Mirror) checkOurs(name, id string) error {
	mark, _, err := workspace.MirroredFrom(m.Dir, id)
	if err == nil && mark.Taken {
		err = fmt.Errorf("run %s %w", name, ErrTaken)
	}
	return err
}

// bring lays down what a run has come to.
func (m *Mirror) bring(ctx context.Context, r *run, l ledger.Ledger, lines []byte) (changed bool, err error) {
	changed = l.N != r.ledger.N
	switch {
	case l.ID == "" || !workspace.ValidID(l.ID):
		r.ledger = l // nobody has begun it
		return changed, nil
	case r.dir == "":
		err = m.layDown(ctx, r, l)
	case changed:
		err = m.update(ctx, r, l, lines)
	}
	if err != nil {
		return changed, err
	}
	return changed, m.lease(r)
}

// handOnFormer hands on what was left in the folder of an earlier mirror while none was there,
// before it gives way to what the store has.
func (m *Mirror) handOnFormer(ctx context.Context, name string, r *run, l ledger.Ledger) error {
	if !workspace.ValidID(l.ID) || l.End != nil && l.End.Final {
		return nil
	}
	former := &run{ledger: l, asked: r.asked}
	err := m.handOn(ctx, name, former)
	if r.asked = former.asked; errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// layDown lays a run down whole, or not at all.
func (m *Mirror) layDown(ctx context.Context, r *run, l ledger.Ledger) error {
	dir := filepath.Join(m.Dir, workspace.Runs, l.ID)
	if err := workspace.MarkMirrored(m.Dir, l.ID, workspace.Mirrored{Run: l.Run, Store: m.From}); err != nil {
		return err
	}
	l, err := m.Store.Lay(ctx, l.Run, dir, filepath.Join(m.Dir, "."+l.ID+".part"))
	if err != nil {
		return err
	}
	if err := emptyInbox(dir); err != nil {
		return fmt.Errorf("mirror run %s: %w", l.Run, err)
	}
	r.ledger, r.dir = l, dir
	return nil
}

// emptyInbox drops notes that the worker has: they are not this machine's to hand on.
func emptyInbox(dir string) error {
	inbox := filepath.Join(dir, workspace.Inbox)
	return errors.Join(os.RemoveAll(inbox), os.MkdirAll(inbox, 0o700))
}

// isAsLaidDown reports whether a run is here, and its journal as it was laid down.
func (r *run) isAsLaidDown() bool {
	if r.dir == "" {
		return false
	}
	info, err := os.Stat(filepath.Join(r.dir, journal.Name))
	return err == nil && info.Size() == r.ledger.Journal
}

// update lays down what has changed: files, then the facts that speak of them, then how
// far the run is, which watchers look at first.
func (m *Mirror) update(ctx context.Context, r *run, l ledger.Ledger, lines []byte) error {
	if !r.isAsLaidDown() {
		return m.layDown(ctx, r, l) // somebody has changed it here
	}
	put, gone := r.ledger.Diff(l.Files)
	names := slices.SortedFunc(maps.Keys(put), func(a, b string) int {
		return strings.Compare(last(a)+a, last(b)+b)
	})
	facts := func() error { return appendTo(filepath.Join(r.dir, journal.Name), lines) }
	for _, name := range names {
		if strings.HasPrefix(name, workspace.Inbox+"/") {
			continue
		}
		if name == workspace.Status {
			if err := facts(); err != nil {
				return fmt.Errorf("mirror run %s: %w", l.Run, err)
			}
			facts = func() error { return nil }
		}
		if err := m.file(ctx, r, name, l); err != nil {
			return err
		}
	}
	if err := facts(); err != nil {
		return fmt.Errorf("mirror run %s: %w", l.Run, err)
	}
	for _, name := range gone {
		if err := os.Remove(filepath.Join(r.dir, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("mirror run %s: %w", l.Run, err)
		}
	}
	r.ledger = l
	return nil
}

// last puts how far the run is behind all other files.
func last(name string) string {
	if name == workspace.Status {
		return "1"
	}
	return "0"
}

// file brings one file up to what the store has of it: what has only grown is added to, and
// any other is replaced whole.
func (m *Mirror) file(ctx context.Context, r *run, name string, l ledger.Ledger) error {
	now, was := l.Files[name], r.ledger.Files[name]
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	part := func(p ledger.Part) ([]byte, error) { return m.Store.Part(ctx, l.Run, p) }
	n := len(was.Parts)
	info, err := os.Lstat(path)
	if err == nil && info.Mode().IsRegular() && info.Size() == was.Size() && // not where it was added to already
		n > 0 && n < len(now.Parts) && slices.Equal(was.Parts, now.Parts[:n]) && was.Exec == now.Exec {
		for _, p := range now.Parts[n:] {
			data, err := part(p)
			if err == nil {
				err = appendTo(path, data)
			}
			if err != nil {
				return fmt.Errorf("mirror run %s: %w", l.Run, err)
			}
		}
		return nil
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return fmt.Errorf("mirror run %s: %w", l.Run, err)
	}
	defer root.Close()
	beside := "part.mirrored"
	if err := folder.LayDown(root, beside, now, part); err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o700); err != nil {
		return fmt.Errorf("mirror run %s: %w", l.Run, err)
	}
	if err := root.Rename(beside, filepath.FromSlash(name)); err != nil {
		return fmt.Errorf("mirror run %s: %w", l.Run, err)
	}
	return nil
}

func appendTo(path string, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// lease says that somebody works on a run while a worker has it.
func (m *Mirror) lease(r *run) error {
	path := filepath.Join(r.dir, journal.LeaseName)
	if r.ledger.End != nil || m.Holds == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("mirror run %s: %w", r.ledger.Run, err)
		}
		return nil
	}
	who, err := m.Holds()
	if err != nil {
		return err
	}
	data, err := json.Marshal(journal.Holder{PID: who.PID, Start: who.Start, Heartbeat: time.Now().UTC()})
	if err == nil {
		err = durable.ReplaceFile(path, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("mirror run %s: %w", r.ledger.Run, err)
	}
	return nil
}

// Close takes the leases back: nobody here speaks for the fleet any more.
func (m *Mirror) Close() (err error) {
	m.Holds = nil
	for _, r := range m.known {
		if r.dir != "" {
			err = errors.Join(err, m.lease(r))
		}
	}
	return err
}

// handOn hands on what was left in the run's folder here.
func (m *Mirror) handOn(ctx context.Context, name string, r *run) error {
	f, err := workspace.Open(m.Dir, r.ledger.ID)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, theirs := r.ledger.Files[workspace.Tombstone]; f.Has(workspace.Tombstone) && !theirs && !r.asked {
		if err := m.Fleet.Cancel(ctx, name); err != nil {
			return err
		}
		r.asked = true
	}
	notes, err := f.Notes()
	if err != nil {
		return err
	}
	for _, n := range notes {
		switch n.Kind {
		case workspace.FinishAsked:
			err = m.Fleet.Say(ctx, name, carry.Finish, nil)
		case workspace.PersonSaid:
			err = m.Fleet.Say(ctx, name, carry.Note, []byte(n.Detail))
		}
		if err == nil {
			err = f.RemoveNote(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
