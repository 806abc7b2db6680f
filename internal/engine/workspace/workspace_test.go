package workspace_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/provenance"
)

func create(t testing.TB, project string) *workspace.Folder {
	t.Helper()
	f, err := workspace.Create(project, one)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

func TestARunsIDIsAMomentAndThreeRandomBytes(t *testing.T) {
	id, err := workspace.NewID(noon, bytes.NewReader([]byte{0xa1, 0xb2}))
	require.NoError(t, err)
	require.Equal(t, "20260222-133000-00a1b2", id, "the moment is told in UTC")
	later, err := workspace.NewID(noon.Add(500*time.Millisecond), bytes.NewReader([]byte{0, 0}))
	require.NoError(t, err)
	require.Equal(t, "20260222-133000-800000", later, "of two in one second the later one comes later")
	_, err = workspace.NewID(noon, bytes.NewReader([]byte{0xa1}))
	require.Error(t, err, "an id with fewer random bytes is none")
}

func TestEveryNewIDIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(0, 200*365*24*3600).Draw(t, "moment"), rapid.Int64Range(0, 999_999_999).Draw(t, "part of a second"))
		id, err := workspace.NewID(at, bytes.NewReader(rapid.SliceOfN(rapid.Byte(), 2, 2).Draw(t, "dice")))
		require.NoError(t, err)
		require.True(t, workspace.ValidID(id), id)
	})
}

func TestNoOtherIDBecomesAPath(t *testing.T) {
	project := t.TempDir()
	for _, id := range []string{
		"", ".", "..", "../" + one, one + "/", one + "/..", "/" + one, one + "\n", one + "\x00", " " + one,
		"20260222-143000-A1B2C3", "20260222-143000-a1b2c", "20260222-143000-a1b2c3d", "20260222143000-a1b2c3", "20260222-143000_a1b2c3",
		"٢٠٢٦٠٢٢٢-143000-a1b2c3",
	} {
		require.False(t, workspace.ValidID(id), "%q", id)
		_, err := workspace.Create(project, id)
		require.ErrorContains(t, err, "is no run id", "%q", id)
		_, err = workspace.Open(project, id)
		require.ErrorContains(t, err, "is no run id", "%q", id)
	}
	left, err := os.ReadDir(project)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestARunsFolderIsTheUsersAlone(t *testing.T) {
	project := t.TempDir()
	f := create(t, project)
	require.NoError(t, f.Write("a.md", []byte("a")))
	require.NoError(t, f.Write("b.json", []byte("b")))
	require.NoError(t, f.Append("c.log", []byte("c")))
	require.NoError(t, f.Mkdir("seats/ada"))
	require.NoError(t, f.Write("seats/ada/d.md", []byte("d")))
	require.NoError(t, filepath.WalkDir(filepath.Join(project, workspace.Runs), func(name string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		want := os.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		}
		require.Equal(t, want, mode(t, name), name)
		return nil
	}))
	for _, sub := range []string{workspace.Inbox, workspace.Session, workspace.Prompts, workspace.Seats} {
		require.DirExists(t, f.Join(sub))
	}
}

func TestARunsFolderIsMadeOnce(t *testing.T) {
	project := t.TempDir()
	f := create(t, project)
	require.NoError(t, f.Write("a.md", []byte("kept")))
	_, err := workspace.Create(project, one)
	require.ErrorIs(t, err, fs.ErrExist)
	require.Equal(t, "kept", read(t, f.Join("a.md")))
}

func TestRunsAreListedOldestFirst(t *testing.T) {
	project := t.TempDir()
	ids, err := workspace.List(project)
	require.NoError(t, err)
	require.Empty(t, ids, "a project without runs")
	for _, id := range []string{two, one} {
		f, err := workspace.Create(project, id)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	place(t, filepath.Join(project, workspace.Runs, "notes", "mine.md"), "mine")
	place(t, filepath.Join(project, workspace.Runs, "20260222-143002-000000"), "a file")
	ids, err = workspace.List(project)
	require.NoError(t, err)
	require.Equal(t, []string{one, two}, ids)
}

// Wherever on the way to a file a link leads out of the project, nothing is
// read or written through it.
func TestNoLinkLeadsOutOfTheProject(t *testing.T) {
	for name, lay := range map[string]func(t *testing.T, project, outside string) error{
		"research/": func(t *testing.T, project, outside string) error {
			require.NoError(t, os.Symlink(outside, filepath.Join(project, workspace.Runs)))
			_, err := workspace.Create(project, one)
			return err
		},
		"research/ of a run that is there": func(t *testing.T, project, outside string) error {
			require.NoError(t, os.Mkdir(filepath.Join(outside, one), 0o700))
			require.NoError(t, os.Symlink(outside, filepath.Join(project, workspace.Runs)))
			_, err := workspace.Open(project, one)
			require.NoError(t, os.Remove(filepath.Join(outside, one)))
			return err
		},
		"the run's folder": func(t *testing.T, project, outside string) error {
			require.NoError(t, os.Mkdir(filepath.Join(project, workspace.Runs), 0o700))
			require.NoError(t, os.Symlink(outside, filepath.Join(project, workspace.Runs, one)))
			_, err := workspace.Create(project, one)
			require.Error(t, err)
			_, err = workspace.Open(project, one)
			return err
		},
		"a folder of the run": func(t *testing.T, project, outside string) error {
			f := create(t, project)
			require.NoError(t, os.Symlink(outside, f.Join("seats", "ada")))
			require.Error(t, f.Write("seats/ada/a.md", []byte("a")))
			require.Error(t, f.Append("seats/ada/a.md", []byte("a")))
			require.Error(t, f.Mkdir("seats/ada/inputs"))
			require.Error(t, f.Rename("seats", "seats/ada/moved"))
			return f.Write("seats/ada/a.md", []byte("a"))
		},
		"the inbox": func(t *testing.T, project, outside string) error {
			f := create(t, project)
			require.NoError(t, os.Remove(f.Join(workspace.Inbox)))
			require.NoError(t, os.Symlink(outside, f.Join(workspace.Inbox)))
			_, err := f.Notes()
			require.Error(t, err)
			return f.DropNote(workspace.Note{Kind: workspace.PreCompact, At: noon})
		},
		"a log": func(t *testing.T, project, outside string) error {
			f := create(t, project)
			require.NoError(t, os.Symlink(filepath.Join(outside, "log"), f.Join(workspace.Progress)))
			return f.Log(noon, "line")
		},
		"a name with dots": func(t *testing.T, project, outside string) error {
			f := create(t, project)
			require.NoError(t, os.Symlink(outside, filepath.Join(project, "out")))
			return f.Write("../../out/a.md", []byte("a"))
		},
		"an absolute name": func(t *testing.T, project, outside string) error {
			return create(t, project).Write(filepath.Join(outside, "a.md"), []byte("a"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			outside := t.TempDir()
			require.Error(t, lay(t, t.TempDir(), outside))
			left, err := os.ReadDir(outside)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func TestAReportThatIsALinkOutIsNotRead(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	place(t, secret, "secret")
	f := create(t, t.TempDir())
	require.NoError(t, os.Symlink(secret, f.Join("ada-report.md")))
	_, err := f.Read("ada-report.md")
	require.Error(t, err)
	require.False(t, f.Filled("ada-report.md"))
	require.True(t, f.Has("ada-report.md"))
	require.NoError(t, f.Write("ada-report.md", []byte("ours")), "a link is replaced, not followed")
	require.Equal(t, "secret", read(t, secret))
	require.Equal(t, "ours", read(t, f.Join("ada-report.md")))
}

// A link may stay within the project: people keep research/ where they like.
func TestALinkWithinTheProjectIsFollowed(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(project, "kept"), 0o700))
	require.NoError(t, os.Symlink("kept", filepath.Join(project, workspace.Runs)))
	require.NoError(t, create(t, project).Write("a.md", []byte("a")))
	require.FileExists(t, filepath.Join(project, "kept", one, "a.md"))
}

func TestFilledIsARegularFileWithSomethingInIt(t *testing.T) {
	f := create(t, t.TempDir())
	require.NoError(t, f.Write("full.md", []byte("x")))
	require.NoError(t, f.Write("empty.md", nil))
	require.NoError(t, proctest.NamedPipe(f.Join("pipe")))
	for name, want := range map[string]bool{"full.md": true, "empty.md": false, "seats": false, "pipe": false, "nothing": false} {
		require.Equal(t, want, f.Filled(name), name)
	}
	require.False(t, f.Has("nothing"))
	require.NoError(t, f.Remove("nothing"))
	require.NoError(t, f.Remove("full.md"))
	require.False(t, f.Has("full.md"))
}

// A write that fails leaves what was there, nothing beside it, and one line of
// error that says what was tried.
func TestAFailedWriteLeavesTheOldContent(t *testing.T) {
	big := bytes.Repeat([]byte("new "), 1<<20)
	for name, write := range map[string]func(*workspace.Folder, string) error{
		"written": func(f *workspace.Folder, name string) error { return f.Write(name, big) },
	} {
		t.Run(name, func(t *testing.T) {
			f := create(t, t.TempDir())
			require.NoError(t, f.Write("a.md", []byte("old")))
			var err error
			limited(t, 4<<10, func() { err = write(f, "a.md") })
			require.ErrorIs(t, err, syscall.EFBIG)
			require.ErrorContains(t, err, "write a.md")
			require.NotContains(t, err.Error(), "\n")
			require.Equal(t, "old", read(t, f.Join("a.md")))
			require.Equal(t, []string{provenance.MarkerFile, "a.md", "inbox", "prompts", "seats", "session"}, names(t, f.Path))
		})
	}
}

// A claim that could not be written is nobody's: whoever tries again when there is
// room has it.
func TestAFailedClaimCanBeTakenAgain(t *testing.T) {
	f := create(t, t.TempDir())
	var won bool
	var err error
	limited(t, 4<<10, func() { won, err = f.CreateOnce("begun.json", bytes.Repeat([]byte("brief "), 1<<12)) })
	require.ErrorIs(t, err, syscall.EFBIG)
	require.False(t, won)
	require.False(t, f.Has("begun.json"))
	won, err = f.CreateOnce("begun.json", []byte("brief"))
	require.NoError(t, err)
	require.True(t, won)
	won, err = f.CreateOnce("begun.json", []byte("other"))
	require.NoError(t, err)
	require.False(t, won)
	require.Equal(t, "brief", read(t, f.Join("begun.json")))
}

// limited runs a function while no file may grow beyond a size, as on a full
// disk.
func limited(t *testing.T, size uint64, do func()) {
	t.Helper()
	defer proctest.LimitFileSize(size)()
	do()
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestAWriteThatCannotTakePlaceSaysSoOnce(t *testing.T) {
	f := create(t, t.TempDir())
	require.NoError(t, os.Mkdir(f.Join("folder"), 0o700))
	for name, err := range map[string]error{
		"no such folder":            f.Write("nowhere/a.md", []byte("a")),
		"a folder of its name":      f.Write("folder", []byte("a")),
		"a name that is no name":    f.Write("a\x00b", []byte("a")),
		"a name longer than can be": f.Write(strings.Repeat("x", 300), []byte("a")),
	} {
		require.ErrorContains(t, err, "write ", name)
		require.NotContains(t, err.Error(), "\n", name)
	}
	require.Equal(t, []string{provenance.MarkerFile, "folder", "inbox", "prompts", "seats", "session"}, names(t, f.Path))
}

func TestAFolderThatMayNotBeWrittenIsAnError(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is read-only to root")
	}
	project := t.TempDir()
	f := create(t, project)
	require.NoError(t, f.Write("a.md", []byte("old")))
	require.NoError(t, os.Chmod(f.Path, 0o500))
	defer func() { require.NoError(t, os.Chmod(f.Path, 0o700)) }()
	err := f.Write("a.md", []byte("new"))
	require.ErrorIs(t, err, fs.ErrPermission)
	require.NotContains(t, err.Error(), "\n")
	require.Equal(t, "old", read(t, f.Join("a.md")))
}

func TestALineOfTheLogIsPlain(t *testing.T) {
	f := create(t, t.TempDir())
	require.NoError(t, f.Log(noon, "Phase 1: Ada research starting (iteration 1/10)"))
	require.NoError(t, f.Log(noon, "\x1b[2J\x1b]0;title\x07two\r\nlines\u202Eand\x00more"))
	require.NoError(t, f.Log(noon, strings.Repeat("long ", 1000)))
	lines := strings.Split(strings.TrimSuffix(read(t, f.Join(workspace.Progress)), "\n"), "\n")
	require.Len(t, lines, 3)
	require.Equal(t, "[2026-02-22T13:30:00Z] Phase 1: Ada research starting (iteration 1/10)", lines[0])
	require.Regexp(t, `^\[2026-02-22T13:30:00Z\] `, lines[1])
	for _, bad := range []string{"\x1b", "\r", "\x00", "\u202E", "\x07"} {
		require.NotContains(t, lines[1], bad)
	}
	require.Contains(t, lines[1], "lines")
	require.Less(t, len(lines[2]), 2100)
}

func TestNotesComeInOrderAndGoWhenDone(t *testing.T) {
	f := create(t, t.TempDir())
	for i, kind := range []string{workspace.SessionStopped, workspace.PreCompact, workspace.SessionEnded} {
		at := noon.Add(time.Duration([]int{2, 0, 1}[i]) * time.Second)
		require.NoError(t, f.DropNote(workspace.Note{Kind: kind, Session: "s1", Detail: "why", At: at}))
	}
	notes, err := f.Notes()
	require.NoError(t, err)
	require.Equal(t, []string{workspace.PreCompact, workspace.SessionEnded, workspace.SessionStopped}, kinds(notes))
	require.Equal(t, "s1", notes[0].Session)
	require.Equal(t, "why", notes[0].Detail)
	require.True(t, notes[0].At.Equal(noon))
	require.NoError(t, f.RemoveNote(notes[0]))
	require.NoError(t, f.RemoveNote(notes[0]), "done twice is done")
	notes, err = f.Notes()
	require.NoError(t, err)
	require.Equal(t, []string{workspace.SessionEnded, workspace.SessionStopped}, kinds(notes))
}

func kinds(notes []workspace.Note) []string {
	var list []string
	for _, n := range notes {
		list = append(list, n.Kind)
	}
	return list
}

// What is no note is removed and never stops the notes behind it.
func TestHostileNotesAreClearedAway(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.json")
	place(t, outside, `{"kind":"session-ended","session":"s1"}`)
	for name, lay := range map[string]func(string) error{
		"nothing":     func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"no JSON":     func(p string) error { return os.WriteFile(p, []byte("{\"kind\":"), 0o600) },
		"a list":      func(p string) error { return os.WriteFile(p, []byte(`["session-ended"]`), 0o600) },
		"wrong types": func(p string) error { return os.WriteFile(p, []byte(`{"kind":{"a":1}}`), 0o600) },
		"too much": func(p string) error {
			return os.WriteFile(p, []byte(`{"kind":"session-ended","detail":"`+strings.Repeat("x", 64<<10)+`"}`), 0o600)
		},
		"deeply nested":   func(p string) error { return os.WriteFile(p, bytes.Repeat([]byte("["), 60<<10), 0o600) },
		"a folder":        func(p string) error { return os.Mkdir(p, 0o700) },
		"a filled folder": func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.WriteFile(p+"/a", nil, 0o600)) },
		"a pipe":          func(p string) error { return proctest.NamedPipe(p) },
		"a link out":      func(p string) error { return os.Symlink(outside, p) },
	} {
		t.Run(name, func(t *testing.T) {
			f := create(t, t.TempDir())
			require.NoError(t, lay(f.Join(workspace.Inbox, "0-hostile.json")))
			require.NoError(t, f.DropNote(workspace.Note{Kind: workspace.SessionStopped, Session: "s1", At: noon}))
			notes, err := f.Notes()
			require.NoError(t, err)
			require.Equal(t, []string{workspace.SessionStopped}, kinds(notes))
			require.FileExists(t, outside)
		})
	}
}

// A note that is still being written has another name.
func TestHalfWrittenNotesAreLeftInPeace(t *testing.T) {
	f := create(t, t.TempDir())
	place(t, f.Join(workspace.Inbox, "1-2.json.3.new"), `{"kind"`)
	notes, err := f.Notes()
	require.NoError(t, err)
	require.Empty(t, notes)
	require.FileExists(t, f.Join(workspace.Inbox, "1-2.json.3.new"))
}

func FuzzNotes(f *testing.F) {
	f.Add([]byte(`{"kind":"session-ended","session":"s1","detail":"x","at":"2026-02-22T14:30:00Z"}`))
	f.Add([]byte("{"))
	folder := create(f, f.TempDir())
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(folder.Join(workspace.Inbox, "1-1.json"), data, 0o600))
		notes, err := folder.Notes()
		require.NoError(t, err)
		for _, n := range notes {
			require.NoError(t, folder.RemoveNote(n))
		}
		require.Empty(t, names(t, folder.Join(workspace.Inbox)), "read or removed")
	})
}

// A seat can put anything where its report is looked for.
func TestWhatIsNoFileIsNotWaitedForAndWhatNoMemoryHoldsIsNotRead(t *testing.T) {
	f, err := workspace.Create(t.TempDir(), "20260222-143000-a1b2c3")
	require.NoError(t, err)
	defer f.Close()
	for name, make := range map[string]func(path string) error{
		"pipe":   func(path string) error { return proctest.NamedPipe(path) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"hollow": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
		},
	} {
		require.NoError(t, make(f.Join(name)))
		_, err := f.Read(name)
		require.ErrorContains(t, err, name)
	}
	require.NoError(t, proctest.NamedPipe(f.Join(claim.RegistryFile)))
	_, err = f.Registry()
	require.Error(t, err)
	_, err = f.Read("none")
	require.ErrorIs(t, err, fs.ErrNotExist)
}
