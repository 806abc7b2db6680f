package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/fleet/internal/ledger"
	"github.com/research-council/research-council/fleet/internal/store"
	"github.com/research-council/research-council/fleet/internal/store/storetest"
	"github.com/research-council/research-council/internal/engine/journal"
)

var (
	key = []byte("a key of thirty-two bytes, really")
	at  = time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC)
)

const run = "council-1"

// folder is a run's folder with a real journal.
func newFolder(t require.TestingT) string {
	dir, err := os.MkdirTemp("", "run")
	require.NoError(t, err)
	appendFact(t, dir, `{"seq":1}`)
	return dir
}

func appendFact(t require.TestingT, dir, fact string) {
	j, _, err := journal.Open(dir)
	require.NoError(t, err)
	require.NoError(t, j.Append([]byte(fact)))
	require.NoError(t, j.Close())
}

// until does something again while the store fails, as a carrier does.
func until(t require.TestingT, do func() error) {
	var err error
	for range 500 {
		if err = do(); err == nil {
			return
		}
		require.NotErrorIs(t, err, store.ErrLost)
	}
	require.NoError(t, err, "500 times")
}

// A store that fails one call in twenty, some of them only after it has done what it
// was asked, holds in the end what the folder holds; the run is handed from one holder
// to the next and none of the earlier ones appends anything.
func TestAFolderIsKeptAlthoughTheStoreFails(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "dice"), 1))
		memory := &storetest.Memory{Fails: func() (bool, bool) {
			n := dice.IntN(40)
			return n == 1, n == 2
		}}
		s := store.New(memory, key)
		dir := newFolder(t)
		defer os.RemoveAll(dir)
		var k *store.Keeper
		var former []*store.Keeper
		take := func() {
			if k != nil {
				former = append(former, k)
			}
			until(t, func() (err error) {
				k, err = s.Take(ctx, run, fmt.Sprint("holder", len(former)), at)
				return err
			})
			require.NoError(t, k.Open(dir, "20260222-143000-a1b2c3"))
		}
		take()
		name := rapid.SampledFrom([]string{"a.md", "seats/one/claims.jsonl", "progress.log", "status.json"})
		t.Repeat(map[string]func(*rapid.T){
			"a fact": func(t *rapid.T) {
				appendFact(t, dir, `{"seq":2,"of":"`+rapid.StringMatching(`[a-z]*`).Draw(t, "fact")+`"}`)
			},
			"a file is written": func(t *rapid.T) {
				file := filepath.Join(dir, name.Draw(t, "name"))
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
				require.NoError(t, os.WriteFile(file, []byte(rapid.String().Draw(t, "text")), 0o600))
				tick(t, file)
			},
			"a file grows": func(t *rapid.T) {
				file := filepath.Join(dir, name.Draw(t, "name"))
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
				f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
				require.NoError(t, err)
				_, err = f.WriteString(rapid.String().Draw(t, "more"))
				require.NoError(t, err)
				require.NoError(t, f.Close())
				tick(t, file)
			},
			"a file goes": func(t *rapid.T) { _ = os.Remove(filepath.Join(dir, name.Draw(t, "name"))) },
			"a sync":      func(t *rapid.T) { _, _ = k.Sync(ctx, at, nil) },
			"it is taken": func(*rapid.T) { take() },
			"a former holder": func(t *rapid.T) {
				if len(former) == 0 {
					return
				}
				before := ledgerOf(ctx, t, s)
				appendFact(t, dir, `{"seq":3}`)
				_, err := rapid.SampledFrom(former).Draw(t, "former").Sync(ctx, at, nil)
				require.Error(t, err)
				require.Equal(t, before, ledgerOf(ctx, t, s), "it has appended nothing")
			},
		})
		until(t, func() error { _, err := k.Sync(ctx, at, &ledger.End{Status: "completed", Final: true}); return err })
		memory.Fails = nil
		copied, err := os.MkdirTemp("", "copy")
		require.NoError(t, err)
		defer os.RemoveAll(copied)
		l, err := s.Fetch(ctx, run, filepath.Join(copied, "run"))
		require.NoError(t, err)
		require.Equal(t, storetest.Files(t, dir), storetest.Files(t, filepath.Join(copied, "run")))
		require.Greater(t, l.Epoch, len(former), "a take whose answer was lost is one more")
	})
}

// tick makes a file newer than any before: the scan goes by size and time, and these
// tests write faster than the clock of a file system goes.
func tick(t require.TestingT, file string) {
	clock = clock.Add(time.Second)
	require.NoError(t, os.Chtimes(file, clock, clock))
}

var clock = at

func ledgerOf(ctx context.Context, t require.TestingT, s *store.Store) (l ledger.Ledger) {
	until(t, func() (err error) { l, err = s.Ledger(ctx, run); return err })
	return l
}

func TestWhatWasTamperedWithIsNotFetched(t *testing.T) {
	ctx := context.Background()
	begin := func(t *testing.T) (*storetest.Memory, *store.Store) {
		memory := &storetest.Memory{}
		s := store.New(memory, key)
		dir := newFolder(t)
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		require.NoError(t, os.WriteFile(filepath.Join(dir, "report.md"), []byte("true"), 0o600))
		k, err := s.Take(ctx, run, "a", at)
		require.NoError(t, err)
		require.NoError(t, k.Open(dir, "20260222-143000-a1b2c3"))
		_, err = k.Sync(ctx, at, nil)
		require.NoError(t, err)
		return memory, s
	}
	for _, c := range []struct{ says, name, from, to, why string }{
		{"a fact is changed", "runs/council-1/log/00000002", `seq`, `sea`, "is not sealed"},
		{"a holder is changed", "runs/council-1/log/00000001", `"a"`, `"b"`, "is not sealed"},
		{"a file's bytes are changed", "runs/council-1/parts/" + ledger.Hash([]byte("true")), "true", "fals", "the store has other bytes"},
		{"a commit is cut off", "runs/council-1/log/00000002", "}", "", "is not sealed"},
	} {
		t.Run(c.says, func(t *testing.T) {
			memory, s := begin(t)
			memory.Change(c.name, func(data []byte) []byte { return []byte(strings.Replace(string(data), c.from, c.to, 1)) })
			_, err := s.Fetch(ctx, run, filepath.Join(t.TempDir(), "run"))
			require.ErrorContains(t, err, c.why)
		})
	}
	t.Run("a commit of another run in its place", func(t *testing.T) {
		memory, s := begin(t)
		other, err := s.Take(ctx, "council-2", "a", at)
		require.NoError(t, err)
		require.NotNil(t, other)
		data, err := memory.Get(ctx, "runs/council-2/log/00000001")
		require.NoError(t, err)
		memory.Change("runs/council-1/log/00000001", func([]byte) []byte { return data })
		_, err = s.Fetch(ctx, run, filepath.Join(t.TempDir(), "run"))
		require.ErrorContains(t, err, "belongs to another run")
	})
	t.Run("another fleet's key", func(t *testing.T) {
		memory, _ := begin(t)
		_, err := store.New(memory, []byte("another")).Ledger(ctx, run)
		require.ErrorIs(t, err, ledger.ErrForged)
	})
}

// Of two workers that take one run the one that came later has it.
func TestTwoWorkersNeverHoldOneRun(t *testing.T) {
	ctx := context.Background()
	s := store.New(&storetest.Memory{}, key)
	dir := newFolder(t)
	defer os.RemoveAll(dir)
	first, err := s.Take(ctx, run, "a", at)
	require.NoError(t, err)
	require.NoError(t, first.Open(dir, "x"))
	_, err = first.Sync(ctx, at, nil)
	require.NoError(t, err)
	second, err := s.Take(ctx, run, "b", at)
	require.NoError(t, err)
	appendFact(t, dir, `{"seq":2}`)
	_, err = first.Sync(ctx, at, nil)
	require.ErrorIs(t, err, store.ErrLost)
	require.Equal(t, 2, second.Ledger().Epoch)
	require.True(t, second.Continues(dir), "the folder of the first goes on from what is in the store")
	require.NoError(t, os.WriteFile(filepath.Join(dir, journal.Name), []byte("{}\n"), 0o600))
	require.False(t, second.Continues(dir))
}

// A full store takes nothing; once it has room the run is kept whole.
func TestAStoreThatIsFull(t *testing.T) {
	ctx := context.Background()
	full := false
	memory := &storetest.Memory{Fails: func() (bool, bool) { return full, false }}
	s := store.New(memory, key)
	dir := newFolder(t)
	defer os.RemoveAll(dir)
	k, err := s.Take(ctx, run, "a", at)
	require.NoError(t, err)
	require.NoError(t, k.Open(dir, "x"))
	full = true
	for range 3 {
		appendFact(t, dir, `{"seq":2}`)
		_, err = k.Sync(ctx, at, nil)
		require.ErrorIs(t, err, storetest.ErrDown)
	}
	full = false
	facts, err := k.Sync(ctx, at, nil)
	require.NoError(t, err)
	require.Equal(t, 4, facts)
}

func TestWithoutNewsNothingIsWritten(t *testing.T) {
	ctx := context.Background()
	memory := &storetest.Memory{}
	s := store.New(memory, key)
	dir := newFolder(t)
	defer os.RemoveAll(dir)
	k, err := s.Take(ctx, run, "a", at)
	require.NoError(t, err)
	require.NoError(t, k.Open(dir, "x"))
	_, err = k.Sync(ctx, at, nil)
	require.NoError(t, err)
	before := memory.Puts()
	for range 5 {
		_, err = k.Sync(ctx, at, nil)
		require.NoError(t, err)
	}
	require.Equal(t, before, memory.Puts())
}
