package checkpoint_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/host/checkpoint"
)

var noon = time.Date(2026, 2, 22, 12, 0, 0, 0, time.UTC)

// tester is what plain tests and those of rapid have in common.
type tester interface {
	require.TestingT
	Helper()
}

// place is a store, and a transcript outside it.
type place struct {
	dir, transcript string
	store           *checkpoint.Store
	now             time.Time
}

func open(t tester, dir string, limits checkpoint.Limits) *place {
	t.Helper()
	folder := filepath.Join(dir, "transcripts")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	root, err := os.OpenRoot(folder)
	require.NoError(t, err)
	return &place{folder, filepath.Join(dir, "t.jsonl"), checkpoint.Open(root, limits), noon}
}

func (p *place) grow(t tester, text string) {
	t.Helper()
	f, err := os.OpenFile(p.transcript, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, errors.Join(err, f.Close()))
}

func (p *place) try(ctx context.Context, t tester) (checkpoint.Saved, error) {
	t.Helper()
	f, err := checkpoint.Transcript(p.transcript)
	require.NoError(t, err)
	defer f.Close()
	p.now = p.now.Add(time.Minute)
	return p.store.Save(ctx, p.now, f, []byte("state at "+p.now.String()))
}

func (p *place) save(t tester) checkpoint.Saved {
	t.Helper()
	saved, err := p.try(context.Background(), t)
	require.NoError(t, err)
	return saved
}

func (p *place) holds(t tester, c checkpoint.Checkpoint, want string) {
	t.Helper()
	var got bytes.Buffer
	require.NoError(t, p.store.Restore(&got, c.Stamp))
	require.True(t, want == got.String(), "%d bytes restored, want %d", got.Len(), len(want))
	require.Equal(t, fmt.Sprintf("%x", sha256.Sum256([]byte(want))), c.SHA256)
}

// files lists what lies in the store with one of these endings.
func (p *place) files(t tester, ending string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(p.dir, "*"+ending))
	require.NoError(t, err)
	return list
}

func TestACheckpointCostsTheBytesThatAreNew(t *testing.T) {
	p := open(t, t.TempDir(), checkpoint.Default())
	text := strings.Repeat("{\"a\":1}\n", 1000)
	p.grow(t, text)
	first := p.save(t)
	require.EqualValues(t, len(text), first.New)
	p.grow(t, "{\"b\":2}\n")
	second := p.save(t)
	require.EqualValues(t, 8, second.New)
	require.Equal(t, first.Line, second.Line)
	third := p.save(t)
	require.Zero(t, third.New)
	p.holds(t, first.Checkpoint, text)
	p.holds(t, second.Checkpoint, text+"{\"b\":2}\n")
	p.holds(t, third.Checkpoint, text+"{\"b\":2}\n")
	require.Len(t, p.store.List(), 3)
	require.Len(t, p.files(t, "-state.md"), 3)
	state, err := os.ReadFile(filepath.Join(p.dir, second.State))
	require.NoError(t, err)
	require.Contains(t, string(state), "state at 2026-02-22 12:02")
}

// Without this program the last checkpoint is restored by cat.
func TestThePiecesInOrderAreTheTranscript(t *testing.T) {
	p := open(t, t.TempDir(), checkpoint.Limits{Checkpoints: 4, Bytes: 1 << 20, Pieces: 3})
	want := ""
	for n := range 20 {
		line := strings.Repeat(fmt.Sprintf("{\"n\":%d}\n", n), 1+n*n%7)
		want += line
		p.grow(t, line)
		p.save(t)
		var got []byte
		for _, name := range p.files(t, "-transcript.jsonl") {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			got = append(got, data...)
		}
		require.Equal(t, want, string(got))
	}
	require.LessOrEqual(t, len(p.files(t, "-transcript.jsonl")), 3)
}

// Where the file system clones, one clone takes the place of all the pieces,
// and older checkpoints are its beginnings.
func TestACloneTakesThePlaceOfPieces(t *testing.T) {
	p := open(t, t.TempDir(), checkpoint.Default())
	want, list := "", []checkpoint.Checkpoint{}
	for range 5 {
		want += strings.Repeat("{\"a\":1}\n", 1000)
		p.grow(t, strings.Repeat("{\"a\":1}\n", 1000))
		saved := p.save(t)
		if !saved.Cloned {
			t.Skip("this file system does not clone files (TMPDIR on btrfs or xfs does)")
		}
		require.EqualValues(t, 8000, saved.New)
		list = append(list, saved.Checkpoint)
	}
	for i, c := range list {
		p.holds(t, c, want[:8000*(i+1)])
	}
	require.Len(t, p.files(t, "-transcript.jsonl"), 1)
}

func TestAnotherTranscriptBeginsALineOfItsOwn(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string){
		"a new file": func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+".old"))
			require.NoError(t, os.WriteFile(path, []byte("something quite different\n"), 0o600))
		},
		"a shorter one": func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 3)) },
		"written anew in place": func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte("something quite different, and longer than it was\n"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, t.TempDir(), checkpoint.Default())
			p.grow(t, "the first transcript\n")
			first := p.save(t)
			change(t, p.transcript)
			now, err := os.ReadFile(p.transcript)
			require.NoError(t, err)
			second := p.save(t)
			require.NotEqual(t, first.Line, second.Line)
			p.holds(t, first.Checkpoint, "the first transcript\n")
			p.holds(t, second.Checkpoint, string(now))
		})
	}
}

// Whatever becomes of the transcript, every checkpoint that is listed restores
// what there was, and the store stays within its limits.
func TestEveryCheckpointRestoresWhatThereWas(t *testing.T) {
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(base, "")
		require.NoError(t, err)
		limits := checkpoint.Limits{
			Checkpoints: rapid.IntRange(1, 6).Draw(t, "checkpoints"), Bytes: int64(rapid.IntRange(3000, 6000).Draw(t, "bytes")),
			Pieces: rapid.IntRange(1, 4).Draw(t, "pieces"),
		}
		p := open(t, dir, limits)
		was, now := map[string]string{}, ""
		for range rapid.IntRange(1, 8).Draw(t, "saves") {
			switch rapid.IntRange(0, 9).Draw(t, "event") {
			case 0:
				if now != "" {
					require.NoError(t, os.Remove(p.transcript))
				}
				now = ""
			case 1:
				now = now[:len(now)/2]
				require.NoError(t, os.WriteFile(p.transcript, []byte(now), 0o600))
			}
			more := rapid.StringN(0, 60, 200).Draw(t, "more")
			if len(now)+len(more) < 2900 {
				now += more
			}
			f, err := os.OpenFile(p.transcript, os.O_WRONLY|os.O_CREATE, 0o600)
			require.NoError(t, err)
			_, err = f.WriteAt([]byte(now), 0)
			require.NoError(t, errors.Join(err, f.Close()))
			saved := p.save(t)
			was[saved.Stamp] = now
			list := p.store.List()
			require.LessOrEqual(t, len(list), limits.Checkpoints)
			require.Equal(t, saved.Checkpoint, list[len(list)-1], "the last one stays")
			for _, c := range list {
				p.holds(t, c, was[c.Stamp])
			}
			require.Len(t, p.files(t, "-state.md"), len(list))
			require.Empty(t, p.files(t, ".new"))
			var bytes int64
			for _, name := range p.files(t, "-transcript.jsonl") {
				info, err := os.Stat(name)
				require.NoError(t, err)
				bytes += info.Size()
			}
			require.LessOrEqual(t, bytes, limits.Bytes)
		}
	})
}

func TestTheFirstAndTheLastStayAndTheRestLiesEvenly(t *testing.T) {
	p := open(t, t.TempDir(), checkpoint.Limits{Checkpoints: 9, Bytes: 1 << 20, Pieces: 4})
	p.grow(t, "{}\n")
	first := p.save(t)
	for range 39 {
		p.grow(t, "{}\n")
		p.save(t)
	}
	list := p.store.List()
	require.Len(t, list, 9)
	require.Equal(t, first.Stamp, list[0].Stamp)
	require.Equal(t, p.now, list[8].At())
	for i := 1; i < len(list); i++ {
		require.LessOrEqual(t, list[i].At().Sub(list[i-1].At()), 10*time.Minute, "of 39 minutes in 8 parts")
	}
}

func TestATranscriptLargerThanTheStoreIsRefused(t *testing.T) {
	p := open(t, t.TempDir(), checkpoint.Limits{Checkpoints: 3, Bytes: 10, Pieces: 3})
	p.grow(t, "twelve bytes")
	_, err := p.try(context.Background(), t)
	require.ErrorIs(t, err, checkpoint.ErrTooLarge)
	require.Empty(t, p.files(t, ".jsonl"))
	saved, err := p.store.Save(context.Background(), noon, nil, []byte("state"))
	require.NoError(t, err)
	require.ErrorContains(t, p.store.Restore(io.Discard, saved.Stamp), "no transcript")
}

// ending is a context that ends when it has been asked so often.
type ending struct {
	context.Context
	left atomic.Int64
}

func (e *ending) Err() error {
	if e.left.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// A save that is broken off, wherever, has changed nothing, and the next one
// succeeds.
func TestASaveThatIsBrokenOffLeavesWhatThereWas(t *testing.T) {
	p := open(t, t.TempDir(), checkpoint.Limits{Checkpoints: 3, Bytes: 1 << 20, Pieces: 2})
	want := map[string]string{}
	text := ""
	for range 4 {
		text += "{\"a\":1}\n"
		p.grow(t, "{\"a\":1}\n")
		want[p.save(t).Stamp] = text
	}
	before := p.store.List()
	p.grow(t, "more\n")
	broken := int64(0)
	for {
		soon := &ending{Context: context.Background()}
		soon.left.Store(broken)
		saved, err := p.try(soon, t)
		if err == nil {
			p.holds(t, saved.Checkpoint, text+"more\n")
			break
		}
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, before, p.store.List())
		for _, c := range before {
			p.holds(t, c, want[c.Stamp])
		}
		require.Empty(t, p.files(t, ".new"))
		broken++
	}
	require.Greater(t, broken, int64(1))
	require.LessOrEqual(t, len(p.files(t, "-transcript.jsonl")), 2, "what was left over is swept")
}

func TestWhatASaveThatWasKilledLeftIsSwept(t *testing.T) {
	p := open(t, t.TempDir(), checkpoint.Default())
	p.grow(t, "{}\n")
	saved := p.save(t)
	for _, name := range []string{"20260222T130000.000Z-transcript.jsonl", "20260222T130000.000Z-transcript.jsonl.new", "index.json.new", "20260222T130000.000Z-state.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(p.dir, name), []byte("torn"), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "notes.md"), []byte("mine"), 0o600))
	p.holds(t, saved.Checkpoint, "{}\n")
	p.save(t)
	require.Len(t, p.files(t, ".jsonl"), 1)
	require.Empty(t, p.files(t, ".new"))
	require.FileExists(t, filepath.Join(p.dir, "notes.md"), "a person's file is left alone")
}

func TestTwoSaversAtOnceAreOne(t *testing.T) {
	p := open(t, t.TempDir(), checkpoint.Default())
	p.grow(t, "{}\n")
	lock, err := os.Create(filepath.Join(p.dir, ".lock"))
	require.NoError(t, err)
	defer lock.Close()
	require.NoError(t, disk.Lock(lock))
	_, err = p.try(context.Background(), t)
	require.ErrorIs(t, err, checkpoint.ErrBusy)
}

// An index that was edited into nonsense loses nothing: what it may have named
// is set aside.
func TestABrokenIndexIsSetAside(t *testing.T) {
	good := `{"checkpoints":[{"stamp":"20260222T120100.000Z","line":"20260222T120100.000Z","bytes":3,"sha256":""}],` +
		`"lines":[{"name":"20260222T120100.000Z","bytes":3,"pieces":[{"name":"20260222T120100.000Z-transcript.jsonl","bytes":3}]}]}`
	for name, text := range map[string]string{
		"empty":                "",
		"no JSON":              "}{",
		"a list":               "[]",
		"a path as a piece":    strings.Replace(good, `"name":"20260222T120100.000Z-transcript.jsonl"`, `"name":"../../x-transcript.jsonl"`, 1),
		"a path as a state":    strings.Replace(good, `"sha256":""`, `"sha256":"","state":"../../x-state.md"`, 1),
		"a path as a stamp":    strings.Replace(good, `"stamp":"20260222T120100.000Z"`, `"stamp":"../x"`, 1),
		"lengths that differ":  strings.Replace(good, `"bytes":3,"pieces"`, `"bytes":4,"pieces"`, 1),
		"a length below zero":  strings.Replace(good, `"bytes":3,"sha256"`, `"bytes":-3,"sha256"`, 1),
		"a line that is not":   strings.Replace(good, `"line":"20260222T120100.000Z"`, `"line":"20260222T120101.000Z"`, 1),
		"more than there was":  strings.Replace(good, `"bytes":3,"sha256"`, `"bytes":9,"sha256"`, 1),
		"a size no disk holds": strings.ReplaceAll(good, `"bytes":3`, `"bytes":9223372036854775807`),
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, t.TempDir(), checkpoint.Default())
			p.grow(t, "{}\n")
			p.save(t)
			require.NoError(t, os.WriteFile(filepath.Join(p.dir, "index.json"), []byte(text), 0o600))
			require.Empty(t, p.store.List())
			require.Error(t, p.store.Restore(io.Discard, "20260222T120100.000Z"))
			saved := p.save(t)
			p.holds(t, saved.Checkpoint, "{}\n")
			aside, err := filepath.Glob(filepath.Join(p.dir, "set-aside-*", "*"))
			require.NoError(t, err)
			require.Len(t, aside, 3, "the index, a piece and a state")
		})
	}
}

func TestAPieceThatWasChangedIsNoticed(t *testing.T) {
	p := open(t, t.TempDir(), checkpoint.Default())
	p.grow(t, "{\"a\":1}\n")
	saved := p.save(t)
	piece := p.files(t, ".jsonl")[0]
	for _, text := range []string{"{\"a\":2}\n", "", "{\"a\":1}"} {
		require.NoError(t, os.WriteFile(piece, []byte(text), 0o600))
		require.Error(t, p.store.Restore(io.Discard, saved.Stamp))
	}
}

// What is planted where the store writes leads nothing out of it.
func TestNoLinkLeadsOutOfTheStore(t *testing.T) {
	for _, name := range []string{"index.json", ".lock", ".gitignore", "index.json.new", "20260222T120100.000Z-transcript.jsonl", "20260222T120100.000Z-transcript.jsonl.new", "20260222T120100.000Z-state.md.new"} {
		t.Run(name, func(t *testing.T) {
			p := open(t, t.TempDir(), checkpoint.Default())
			outside := filepath.Join(t.TempDir(), "outside")
			require.NoError(t, os.WriteFile(outside, []byte("kept"), 0o600))
			require.NoError(t, os.Symlink(outside, filepath.Join(p.dir, name)))
			p.grow(t, "{}\n")
			saved, err := p.try(context.Background(), t)
			if err == nil {
				p.holds(t, saved.Checkpoint, "{}\n")
			}
			kept, err := os.ReadFile(outside)
			require.NoError(t, err)
			require.Equal(t, "kept", string(kept))
		})
	}
}

func TestOnlyATranscriptIsRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a b.jsonl")
	require.NoError(t, os.WriteFile(file, []byte("{}\n"), 0o400))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret.txt"), []byte("x"), 0o600))
	require.NoError(t, os.Symlink(file, filepath.Join(dir, "link.jsonl")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.jsonl"), 0o700))
	require.NoError(t, proctest.NamedPipe(filepath.Join(dir, "pipe.jsonl")))
	f, err := checkpoint.Transcript(file)
	require.NoError(t, err)
	_, err = f.Write([]byte("x"))
	require.Error(t, err, "it is only read")
	require.NoError(t, f.Close())
	for _, path := range []string{"", "t.jsonl", "../t.jsonl", filepath.Join(dir, "secret.txt"), filepath.Join(dir, "link.jsonl"), filepath.Join(dir, "folder.jsonl"), filepath.Join(dir, "pipe.jsonl"), filepath.Join(dir, "none.jsonl"), "/dev/zero", "/a\x00b.jsonl"} {
		_, err := checkpoint.Transcript(path)
		require.Error(t, err, "%q", path)
	}
}

func TestTheStoreIsTheUsersAlone(t *testing.T) {
	p := open(t, t.TempDir(), checkpoint.Default())
	p.grow(t, "{}\n")
	p.save(t)
	require.NoError(t, filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		return nil
	}))
	ignored, err := os.ReadFile(filepath.Join(p.dir, ".gitignore"))
	require.NoError(t, err)
	require.Equal(t, "*\n", string(ignored))
}
