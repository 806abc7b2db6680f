package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/fleet/internal/ledger"
	"github.com/research-council/research-council/fleet/internal/mirror"
	"github.com/research-council/research-council/fleet/internal/store"
	"github.com/research-council/research-council/fleet/internal/store/storetest"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/workspace"
)

const (
	run = "council-1"
	id  = "20260222-143000-a1b2c3"
)

var (
	key = []byte("a key of thirty-two bytes, really")
	at  = time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC)
)

// worker keeps a run's folder in the store.
type worker struct {
	*store.Keeper
	dir string
}

func newWorker(t require.TestingT, memory *storetest.Memory) worker {
	dir, err := os.MkdirTemp("", "run")
	require.NoError(t, err)
	w := worker{dir: dir}
	w.fact(t)
	w.Keeper, err = store.New(memory, key).Take(context.Background(), run, "w", at)
	require.NoError(t, err)
	require.NoError(t, w.Open(dir, id))
	w.sync(t, nil)
	return w
}

func (w worker) fact(t require.TestingT) {
	j, lines, err := journal.Open(w.dir)
	require.NoError(t, err)
	require.NoError(t, j.Append([]byte(fmt.Sprintf(`{"seq":%d}`, len(lines)+1))))
	require.NoError(t, j.Close())
}

func (w worker) add(t require.TestingT, name, text string) {
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, errors.Join(err, f.Close()))
}

func (w worker) sync(t require.TestingT, end *ledger.End) {
	_, err := w.Sync(context.Background(), at, end)
	require.NoError(t, err)
}

// fleet hears what is handed on, or fails.
type fleet struct {
	said []string
	err  error
}

func (f *fleet) Say(_ context.Context, _, kind string, words []byte) error {
	f.said = append(f.said, kind+" "+string(words))
	return f.err
}

func (f *fleet) Cancel(context.Context, string) error {
	f.said = append(f.said, "cancel")
	return f.err
}

// A store that fails a third of the calls leaves a mirror behind, and never other than what the
// store has.
func TestAMirrorIsAsTheStoreAlthoughThatFails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "dice"), 1))
		memory, failing := &storetest.Memory{}, false
		memory.Fails = func() (bool, bool) { return failing && dice.IntN(3) == 0, false }
		w := newWorker(t, memory)
		to, err := os.MkdirTemp("", "mirror")
		require.NoError(t, err)
		defer os.RemoveAll(w.dir)
		defer os.RemoveAll(to)
		m := &mirror.Mirror{Store: store.New(memory, key), Fleet: &fleet{}, Dir: to}
		_, err = m.Look(context.Background(), run)
		require.NoError(t, err)
		for range 4 {
			w.fact(t)
			for _, name := range []string{"a.jsonl", "b.jsonl", "progress.log"} {
				w.add(t, name, fmt.Sprintf("%s says %d\n", name, dice.IntN(1000)))
			}
			w.sync(t, nil)
			failing = true
			for range 3 {
				_, _ = m.Look(context.Background(), run) // it fails as often as not
			}
			failing = false
		}
		_, err = m.Look(context.Background(), run)
		require.NoError(t, err)
		dir, _ := m.Folder(run)
		require.Equal(t, storetest.Files(t, w.dir), storetest.Files(t, dir))
	})
}

// What was said to a run while no mirror was there reaches the fleet when one is again.
func TestWhatWasSaidMeanwhileIsHandedOn(t *testing.T) {
	memory := &storetest.Memory{}
	w := newWorker(t, memory)
	defer os.RemoveAll(w.dir)
	to := t.TempDir()
	heard := &fleet{}
	look := func() (*mirror.Mirror, error) {
		m := &mirror.Mirror{Store: store.New(memory, key), Fleet: heard, Dir: to}
		_, err := m.Look(t.Context(), run)
		return m, err
	}
	_, err := look()
	require.NoError(t, err)
	here, err := workspace.Open(to, id)
	require.NoError(t, err)
	require.NoError(t, here.DropNote(workspace.Note{Kind: workspace.PersonSaid, Detail: "look at the pump", At: at}))
	require.NoError(t, here.Write(workspace.Tombstone, []byte("the user cancelled it")))
	require.NoError(t, here.Close())
	heard.err = errors.New("the server cannot be reached")
	_, err = look()
	require.ErrorContains(t, err, "cannot be reached")
	heard.said, heard.err = nil, nil
	_, err = look()
	require.NoError(t, err)
	require.Equal(t, []string{"cancel", "note look at the pump"}, heard.said)
	_, err = look()
	require.NoError(t, err)
	require.Len(t, heard.said, 2, "once")
}

// A mirrored run is marked as a copy; one that a person has taken over is theirs, for this
// mirror and for later ones.
func TestAMirrorLeavesWhatAPersonHasTakenOver(t *testing.T) {
	memory := &storetest.Memory{}
	w := newWorker(t, memory)
	defer os.RemoveAll(w.dir)
	to := t.TempDir()
	newMirror := func() *mirror.Mirror {
		return &mirror.Mirror{Store: store.New(memory, key), Fleet: &fleet{}, Dir: to, From: "s3://runs"}
	}
	m := newMirror()
	_, err := m.Look(t.Context(), run)
	require.NoError(t, err)
	mark, is, err := workspace.MirroredFrom(to, id)
	require.NoError(t, err)
	require.True(t, is)
	require.Equal(t, workspace.Mirrored{Run: run, Store: "s3://runs"}, mark)

	mark.Taken = true
	require.NoError(t, workspace.MarkMirrored(to, id, mark))
	dir, _ := m.Folder(run)
	worker{dir: dir}.fact(t)
	before := storetest.Files(t, dir)
	w.fact(t)
	w.sync(t, nil)
	for _, one := range []*mirror.Mirror{m, newMirror()} {
		_, err := one.Look(t.Context(), run)
		require.ErrorIs(t, err, mirror.ErrTaken)
	}
	require.Equal(t, before, storetest.Files(t, dir))
}

// A fleet that takes nothing keeps no mirror from showing how the run goes on.
func TestAMirrorGoesOnWhereNothingCanBeHandedOn(t *testing.T) {
	memory := &storetest.Memory{}
	w := newWorker(t, memory)
	defer os.RemoveAll(w.dir)
	heard := &fleet{err: errors.New("run council-1 is not under way here")}
	m := &mirror.Mirror{Store: store.New(memory, key), Fleet: heard, Dir: t.TempDir()}
	_, err := m.Look(t.Context(), run)
	require.NoError(t, err)
	here, err := workspace.Open(m.Dir, id)
	require.NoError(t, err)
	require.NoError(t, here.DropNote(workspace.Note{Kind: workspace.PersonSaid, Detail: "look at the pump", At: at}))
	require.NoError(t, here.Close())
	w.fact(t)
	w.sync(t, &ledger.End{Status: "completed", Final: true})
	changed, err := m.Look(t.Context(), run)
	require.ErrorContains(t, err, "not under way")
	require.True(t, changed)
	dir, _ := m.Folder(run)
	lines, err := journal.Read(dir)
	require.NoError(t, err)
	require.Len(t, lines, 2)
}

// A commit that somebody has changed is refused, and nothing of the run is laid down.
func TestAMirrorRefusesWhatIsDamaged(t *testing.T) {
	memory := &storetest.Memory{}
	w := newWorker(t, memory)
	defer os.RemoveAll(w.dir)
	memory.Change("runs/"+run+"/log/00000002", func(data []byte) []byte { data[len(data)-3] ^= 1; return data })
	m := &mirror.Mirror{Store: store.New(memory, key), Fleet: &fleet{}, Dir: t.TempDir()}
	_, err := m.Look(t.Context(), run)
	require.ErrorIs(t, err, store.ErrDamaged)
	dir, _ := m.Folder(run)
	require.Empty(t, dir)
	require.Empty(t, storetest.Files(t, m.Dir))
}
