package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/research-council/research-council/fleet/internal/folder"
	"github.com/research-council/research-council/fleet/internal/ledger"
	"github.com/research-council/research-council/internal/engine/journal"
)

// Keeper keeps one run's folder in the store, for as long as it holds the run. It is
// not safe for concurrent use.
type Keeper struct {
	store  *Store
	holder string
	l      ledger.Ledger
	root   *os.Root
	scan   *folder.Scanner
	id     string // of the run, as council calls it
	kept   int64  // bytes of the journal that are in the store
	pend   *ledger.Commit
}

// Take takes a run: from now on whoever had it appends nothing more. The run's folder
// is opened by [Keeper.Open] or fetched by [Keeper.Fetch].
func (s *Store) Take(ctx context.Context, run, holder string, now time.Time) (*Keeper, error) {
	l, err := s.Ledger(ctx, run)
	if err != nil {
		return nil, err
	}
	k := &Keeper{store: s, holder: holder, l: l, id: l.ID}
	if l.End != nil && l.End.Final {
		return k, nil
	}
	k.l, err = s.Append(ctx, l, ledger.Commit{Epoch: l.Epoch + 1, Holder: holder, Kind: ledger.Taken, At: now.UTC()})
	return k, err
}

// Ledger is what the store knows of the run, as of the last commit of this keeper.
func (k *Keeper) Ledger() ledger.Ledger { return k.l }

// Open begins to keep a run's folder. What the store has of it must be there already.
func (k *Keeper) Open(dir, id string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the run's folder: %w", err)
	}
	k.root, k.scan, k.id, k.kept = root, folder.New(root), id, k.l.Journal
	return nil
}

// Close lets go of the folder.
func (k *Keeper) Close() error {
	if k.root == nil {
		return nil
	}
	return k.root.Close()
}

// Continues reports whether a folder on this machine is what the store has of the run,
// or goes on from there: it is then worth more than what can be fetched.
func (k *Keeper) Continues(dir string) bool {
	f, err := os.Open(filepath.Join(dir, journal.Name))
	if err != nil || k.l.Journal == 0 {
		return false
	}
	defer f.Close()
	_, lines, err := k.store.read(context.Background(), ledger.New(k.l.Run), true)
	if err != nil {
		return false
	}
	head := make([]byte, len(lines))
	if _, err := io.ReadFull(f, head); err != nil || !bytes.Equal(head, lines) {
		return false
	}
	_, err = journal.Read(dir)
	return err == nil
}

// Fetch lays down what the store has of a run as a folder that is not there yet, and
// checks the chain of its journal.
func (s *Store) Fetch(ctx context.Context, run, dir string) (ledger.Ledger, error) {
	l, lines, err := s.read(ctx, ledger.New(run), true)
	if err != nil {
		return l, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return l, fmt.Errorf("fetch run %s: %w", run, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return l, fmt.Errorf("fetch run %s: %w", run, err)
	}
	defer root.Close()
	group, sub := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, name := range slices.Sorted(maps.Keys(l.Files)) {
		group.Go(func() error {
			return folder.LayDown(root, name, l.Files[name], func(p ledger.Part) ([]byte, error) { return s.Part(sub, run, p) })
		})
	}
	if err := group.Wait(); err != nil {
		return l, err
	}
	for _, empty := range emptied {
		if err := root.Mkdir(empty, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return l, fmt.Errorf("fetch run %s: %w", run, err)
		}
	}
	if err := root.WriteFile(journal.Name, lines, 0o600); err != nil {
		return l, fmt.Errorf("fetch run %s: %w", run, err)
	}
	if _, err := journal.Read(dir); err != nil {
		return l, fmt.Errorf("fetch run %s: %w: %w", run, ErrDamaged, err)
	}
	return l, nil
}

// Lay fetches a run as a folder that is there whole or not at all, in the place of what
// lies there; beside is where it is laid down meanwhile, on the same disk.
func (s *Store) Lay(ctx context.Context, run, dir, beside string) (l ledger.Ledger, err error) {
	if err := os.RemoveAll(beside); err != nil {
		return l, fmt.Errorf("fetch run %s: %w", run, err)
	}
	if l, err = s.Fetch(ctx, run, beside); err != nil {
		return l, err
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(dir), 0o700), os.RemoveAll(dir)); err != nil {
		return l, fmt.Errorf("fetch run %s: %w", run, err)
	}
	if err := os.Rename(beside, dir); err != nil {
		return l, fmt.Errorf("fetch run %s: %w", run, err)
	}
	return l, nil
}

// emptied are folders a run needs and that a store, which knows files alone, forgets
// when they are empty.
var emptied = [...]string{"inbox", "session", "prompts", "seats"}

// Sync brings what is new of the folder into the store: the journal is read first, then
// the files, so that no file is older than a fact; the parts of files are put, and
// one commit names all. Without news it does nothing. end is nil while the run goes on.
func (k *Keeper) Sync(ctx context.Context, now time.Time, end *ledger.End) (facts int, err error) {
	if k.pend != nil { // the answer to it got lost: it is there, or it is written now
		if facts, err = k.commit(ctx, *k.pend); err != nil {
			return 0, err
		}
		if k.l.End != nil {
			return facts, nil
		}
	}
	lines, err := k.lines()
	if err != nil {
		return facts, err
	}
	scan, err := k.scan.Scan()
	if err != nil {
		return facts, err
	}
	late, err := k.putParts(ctx)
	if err != nil {
		return facts, err
	}
	put, gone := k.l.Diff(k.withoutLate(scan.Files, late))
	if len(lines) == 0 && len(put) == 0 && len(gone) == 0 && end == nil {
		return facts, nil
	}
	kind := ledger.Facts
	if end != nil {
		kind = ledger.Rested
	}
	more, err := k.commit(ctx, ledger.Commit{Epoch: k.l.Epoch, Holder: k.holder, Kind: kind, At: now.UTC(), ID: k.id, Journal: string(lines), Put: put, Gone: gone, End: end})
	return facts + more, err
}

// Rest says that nobody works on a run that has no folder yet.
func (k *Keeper) Rest(ctx context.Context, now time.Time, end ledger.End) (err error) {
	k.l, err = k.store.Append(ctx, k.l, ledger.Commit{Epoch: k.l.Epoch, Holder: k.holder, Kind: ledger.Rested, At: now.UTC(), End: &end})
	return err
}

func (k *Keeper) commit(ctx context.Context, c ledger.Commit) (facts int, err error) {
	next, err := k.store.Append(ctx, k.l, c)
	if err != nil {
		k.pend = &c
		return 0, err
	}
	k.pend = nil
	k.l, k.kept = next, k.kept+int64(len(c.Journal))
	return bytes.Count([]byte(c.Journal), []byte{'\n'}), nil
}

// lines are the whole lines of the journal that are not in the store.
func (k *Keeper) lines() ([]byte, error) {
	f, err := k.root.Open(journal.Name)
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, k.kept, mostLines))
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return data[:bytes.LastIndexByte(data, '\n')+1], nil
}

// mostLines bounds a group of facts, in bytes.
const mostLines = 16 << 20

// putParts puts every part that is not in the store yet, and names the files that have
// changed meanwhile.
func (k *Keeper) putParts(ctx context.Context) (late map[string]bool, err error) {
	late = map[string]bool{}
	pending := k.scan.Pending()
	done := make([]bool, len(pending))
	group, sub := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, hash := range pending {
		data, err := k.scan.Bytes(hash)
		if folder.IsChanged(err) {
			late[hash] = true
			continue
		}
		group.Go(func() error {
			err := k.store.PutPart(sub, k.l.Run, hash, data)
			done[i] = err == nil
			return err
		})
	}
	err = group.Wait()
	for i, hash := range pending {
		if done[i] {
			k.scan.Stored(hash)
		}
	}
	return late, err
}

// withoutLate leaves files as the store has them whose parts could not be read again.
func (k *Keeper) withoutLate(now map[string]ledger.File, late map[string]bool) map[string]ledger.File {
	if len(late) == 0 {
		return now
	}
	now = maps.Clone(now)
	for name, f := range now {
		if !slices.ContainsFunc(f.Parts, func(p ledger.Part) bool { return late[p.Hash] }) {
			continue
		}
		delete(now, name)
		if was, there := k.l.Files[name]; there {
			now[name] = was
		}
	}
	return now
}
