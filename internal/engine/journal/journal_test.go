package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/engine/journal"
)

func write(t require.TestingT, dir string, facts ...string) []byte {
	j, _, err := journal.Open(dir)
	require.NoError(t, err)
	for _, f := range facts {
		require.NoError(t, j.Append([]byte(f)))
	}
	require.NoError(t, j.Close())
	data, err := os.ReadFile(filepath.Join(dir, journal.Name))
	require.NoError(t, err)
	return data
}

func texts(facts [][]byte) []string {
	list := []string{}
	for _, f := range facts {
		list = append(list, string(f))
	}
	return list
}

func TestFactsComeBackInOrder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, `{"seq":1}`, `{"seq":2}`)
	j, facts, err := journal.Open(dir)
	require.NoError(t, err)
	require.Equal(t, []string{`{"seq":1}`, `{"seq":2}`}, texts(facts))
	require.NoError(t, j.Append([]byte(`{"seq":3}`), []byte(`{"seq":4}`)))
	require.NoError(t, j.Close())
	facts, err = journal.Read(dir)
	require.NoError(t, err)
	require.Len(t, facts, 4)
}

// A crash may stop a write at any byte: what was acknowledged is there, what
// was not is gone, and writing goes on.
func TestAnyTearHeals(t *testing.T) {
	whole := write(t, t.TempDir(), `{"seq":1,"a":"x"}`, `{"seq":2,"b":"y"}`)
	first := bytes.IndexByte(whole, '\n') + 1
	for cut := range len(whole) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, journal.Name), whole[:cut], 0o600))
		want := 0
		if cut >= first {
			want = 1
		}
		j, facts, err := journal.Open(dir)
		require.NoError(t, err)
		require.Len(t, facts, want, "cut at byte %d", cut)
		require.NoError(t, j.Append([]byte(`{"again":true}`)))
		require.NoError(t, j.Close())
		facts, err = journal.Read(dir)
		require.NoError(t, err)
		require.Len(t, facts, want+1)
	}
}

func TestAZeroedLastLineHeals(t *testing.T) {
	dir := t.TempDir()
	whole := write(t, dir, `{"seq":1}`, `{"seq":2}`)
	first := bytes.IndexByte(whole, '\n') + 1
	for i := first; i < len(whole)-1; i++ {
		whole[i] = 0
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, journal.Name), whole, 0o600))
	facts, err := journal.Read(dir)
	require.NoError(t, err)
	require.Len(t, facts, 1)
}

// Any changed byte of an acknowledged line is found and its line is named.
func TestAnyFlippedBitIsFound(t *testing.T) {
	whole := write(t, t.TempDir(), `{"seq":1,"a":"x"}`, `{"seq":2,"b":"y"}`, `{"seq":3}`)
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.IntRange(0, len(whole)-2).Draw(t, "byte")
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		dir, err := os.MkdirTemp("", "journal")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		require.NoError(t, os.WriteFile(filepath.Join(dir, journal.Name), flipped, 0o600))
		_, err = journal.Read(dir)
		var damage *journal.Damaged
		require.ErrorAs(t, err, &damage)
		require.Equal(t, 1+bytes.Count(whole[:at], []byte{'\n'}), damage.Line)
		_, _, err = journal.Open(dir)
		require.ErrorAs(t, err, &damage, "a damaged journal is never written on")
	})
}

func TestAFactIsOneLine(t *testing.T) {
	j, _, err := journal.Open(t.TempDir())
	require.NoError(t, err)
	require.Error(t, j.Append([]byte("a\nb")))
	require.Error(t, j.Append(nil))
	require.NoError(t, j.Append([]byte(`{}`)), "a refused fact breaks nothing")
}

func TestAFailedWriteBreaksTheJournal(t *testing.T) {
	j, _, err := journal.Open(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, j.Close())
	require.Error(t, j.Append([]byte(`{}`)))
	require.ErrorIs(t, j.Append([]byte(`{}`)), journal.ErrBroken)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"sha256\":\"\",\"fact\":}\n"))
	f.Add(write(f, f.TempDir(), `{"seq":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, journal.Name), data, 0o600))
		_, _ = journal.Read(dir)
	})
}

func TestOneHoldsTheLease(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC)
	_, err := journal.TakeLease(dir, journal.Holder{PID: 41, Start: "s1"}, now)
	require.ErrorIs(t, err, fs.ErrNotExist, "there is nothing to hold")
	write(t, dir, `{"seq":1}`)
	first, err := journal.TakeLease(dir, journal.Holder{PID: 41, Start: "s1"}, now)
	require.NoError(t, err)
	_, err = journal.TakeLease(dir, journal.Holder{PID: 42, Start: "s2"}, now)
	var held *journal.LeaseHeld
	require.ErrorAs(t, err, &held)
	require.Equal(t, 41, held.Holder.PID)
	require.NoError(t, first.Heartbeat(now.Add(time.Second)))
	holder, err := journal.ReadHolder(dir)
	require.NoError(t, err)
	require.Equal(t, now.Add(time.Second), holder.Heartbeat)
	require.NoError(t, first.Release())
	_, err = journal.TakeLease(dir, journal.Holder{PID: 42, Start: "s2"}, now)
	require.NoError(t, err)
}

func BenchmarkAppend(b *testing.B) {
	fact := []byte(`{"seq":1234,"at":"2026-02-22T14:30:00.000000000Z","kind":"turn.running","task":"research.1/claude","process":{"pid":12345,"start":"b1/8812345"},"keeper":{"pid":12346,"start":"b1/8812346"}}`)
	for _, group := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("group=%d", group), func(b *testing.B) {
			j, _, err := journal.Open(b.TempDir())
			require.NoError(b, err)
			facts := make([][]byte, group)
			for i := range facts {
				facts[i] = fact
			}
			for b.Loop() {
				require.NoError(b, j.Append(facts...))
			}
			b.ReportMetric(float64(group)*float64(b.N)/b.Elapsed().Seconds(), "facts/s")
		})
	}
}

// Whatever becomes of the files beside it, the journal itself is held: nobody
// else gets it while its holder lives, and a holder whose journal was moved away
// says so.
func TestNoLostFileMakesTwoHolders(t *testing.T) {
	now := time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC)
	for name, lose := range map[string]func(path string) error{
		"deleted": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".away"), os.WriteFile(path, nil, 0o600))
		},
		"truncated": func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, `{"seq":1}`)
			first, err := journal.TakeLease(dir, journal.Holder{PID: 41, Start: "s1"}, now)
			require.NoError(t, err)
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			for _, e := range entries {
				if e.Name() != journal.Name {
					require.NoError(t, lose(filepath.Join(dir, e.Name())))
				}
			}
			_, err = journal.TakeLease(dir, journal.Holder{PID: 42, Start: "s2"}, now)
			require.Error(t, err)
			require.NoError(t, first.Heartbeat(now.Add(time.Second)))
			holder, err := journal.ReadHolder(dir)
			require.NoError(t, err)
			require.Equal(t, 41, holder.PID)
			require.NoError(t, os.Rename(filepath.Join(dir, journal.Name), filepath.Join(dir, "away")))
			require.ErrorIs(t, first.Heartbeat(now.Add(2*time.Second)), journal.ErrReplaced)
		})
	}
}
