package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/workspace"
)

const (
	one = "20260222-143000-a1b2c3"
	two = "20260222-143001-d4e5f6"
)

var noon = time.Date(2026, 2, 22, 14, 30, 0, 0, time.FixedZone("CET", 3600))

func stateOf(id, session, topic string) workspace.State {
	return workspace.NewState(id, session, topic, 10, noon)
}

// statePath is where a state file stands: id "" is the short name.
func statePath(project, id string) string {
	name := "deep-research.local.md"
	if id != "" {
		name = "deep-research." + id + ".local.md"
	}
	return filepath.Join(project, ".claude", name)
}

func place(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(data)
}

func TestAStateFileReadsLikeThis(t *testing.T) {
	require.Equal(t, `---
active: true
phase: research
research_id: 20260222-143000-a1b2c3
session_id: "s1"
max_iterations: 10
started_at: "2026-02-22T13:30:00Z"
---

How does it work?
`, string(stateOf(one, "s1", "How does it work?").Encode()))
}

func TestTheStateFileOfACampaignNamesIt(t *testing.T) {
	s := stateOf(one, "s1", "Why?")
	s.Campaign, s.Loop = "go-rust", true
	require.Contains(t, string(s.Encode()), "\ncampaign: \"go-rust\"\nloop: true\n---\n")
	agree(t, s)
}

// Whatever the topic and the session's id are, the program and the hook read
// the same state.
func TestNoTopicBreaksTheStateFile(t *testing.T) {
	for name, topic := range map[string]string{
		"nothing":          "",
		"a fence":          "---",
		"fences and keys":  "---\nactive: false\nphase: done\n---\n",
		"another opening":  "---yaml\na: b\n---toml\n+++\n;;;\n",
		"quotes":           `he said "it's" \" and '"' and \n`,
		"NUL":              "a\x00b",
		"line breaks":      "a\nb\r\nc\rd\u2028e\u0085f",
		"right to left":    "\u202Eevil\u202C مرحبا שלום",
		"no UTF-8":         "a\xff\xfeb",
		"a byte order":     "\uFEFFtopic",
		"200 KB":           strings.Repeat("---\n\"x\": 'y' # z\n", 200<<10/16),
		"one line, 200 KB": strings.Repeat("x", 200<<10),
	} {
		t.Run(name, func(t *testing.T) { agree(t, stateOf(one, "s1", topic)) })
	}
}

func TestNoValueBreaksTheStateFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := stateOf(one, rapid.String().Draw(t, "session"), rapid.String().Draw(t, "topic"))
		s.Active = rapid.Bool().Draw(t, "active")
		s.Campaign = rapid.String().Draw(t, "campaign")
		s.Loop = s.Campaign != "" && rapid.Bool().Draw(t, "loop")
		s.MaxIterations = rapid.Int().Draw(t, "iterations")
		s.Phase = rapid.SampledFrom([]string{"research", "refinement", "synthesis"}).Draw(t, "phase")
		agree(t, s)
	})
}

func agree(t require.TestingT, s workspace.State) {
	data := s.Encode()
	ours, err := workspace.DecodeState(data)
	require.NoError(t, err)
	topic := strings.TrimSpace(s.Topic)
	require.Equal(t, topic, ours.Topic)
	s.Topic = topic
	require.Equal(t, s, ours)
	hooks, ok := hook.ParseState(data)
	require.True(t, ok, "the hook reads it")
	require.Equal(t, hook.State{
		Active: s.Active, Phase: s.Phase, Run: s.ResearchID, Session: s.SessionID, Campaign: s.Campaign, Loop: s.Loop,
	}, hooks)
}

func FuzzDecodeState(f *testing.F) {
	f.Add(stateOf(one, "s1", "topic").Encode())
	f.Add([]byte("---\nactive: true\nresearch_id: ../../etc\n---\n"))
	f.Add([]byte("---\nresearch_id: &a [*a]\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := workspace.DecodeState(data)
		if err == nil {
			require.True(t, workspace.ValidID(s.ResearchID))
		}
	})
}

func TestWhatIsNoStateFileIsRefused(t *testing.T) {
	for name, data := range map[string]string{
		"nothing":        "",
		"prose":          "Notes of mine.\n",
		"no end":         "---\nactive: true\nresearch_id: " + one + "\n",
		"no run":         "---\nactive: true\n---\n\ntopic\n",
		"a path as run":  "---\nactive: true\nresearch_id: ../../../tmp\n---\n\ntopic\n",
		"another's keys": "---\niteration: 1\nmax_iterations: 20\ncompletion_promise: \"DONE\"\n---\n\nDo it.\n",
		"broken YAML":    "---\nactive: [\n---\n\ntopic\n",
		"a wrong type":   "---\nactive: maybe\nresearch_id: " + one + "\n---\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := workspace.DecodeState([]byte(data))
			require.Error(t, err)
		})
	}
}

func TestTwoRunsHaveAStateFileEach(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, workspace.CreateState(project, stateOf(one, "s1", "first")))
	require.NoError(t, workspace.CreateState(project, stateOf(two, "s2", "second")))
	require.FileExists(t, statePath(project, ""))
	require.FileExists(t, statePath(project, two))
	require.Equal(t, one, workspace.SessionRun(project, "s1"))
	require.Equal(t, two, workspace.SessionRun(project, "s2"))

	before := read(t, statePath(project, ""))
	require.NoError(t, workspace.UpdateState(project, two, "synthesis", ""))
	require.Equal(t, before, read(t, statePath(project, "")), "the other run's file is left alone")
	s, err := workspace.ReadState(project, two)
	require.NoError(t, err)
	require.Equal(t, "synthesis", s.Phase)
	require.Equal(t, "second", s.Topic)

	require.NoError(t, workspace.RemoveState(project, one))
	require.NoFileExists(t, statePath(project, ""))
	require.FileExists(t, statePath(project, two))
	require.NoError(t, workspace.RemoveState(project, two))
	left, err := os.ReadDir(filepath.Join(project, ".claude"))
	require.NoError(t, err)
	require.Empty(t, left, "what pointed to them is gone too")
}

func TestADeletedStateFileStaysDeleted(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, workspace.CreateState(project, stateOf(one, "s1", "topic")))
	require.NoError(t, os.Remove(statePath(project, "")))
	require.ErrorIs(t, workspace.UpdateState(project, one, "synthesis", ""), workspace.ErrNoState)
	require.ErrorIs(t, workspace.RemoveState(project, one), workspace.ErrNoState)
	_, err := workspace.ReadState(project, one)
	require.ErrorIs(t, err, workspace.ErrNoState)
	require.Empty(t, workspace.SessionRun(project, "s1"))
	left, err := os.ReadDir(filepath.Join(project, ".claude"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestASessionOwnsOnlyItsOwnActiveRun(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, workspace.CreateState(project, stateOf(one, "s1", "topic")))
	over := stateOf(two, "s2", "over")
	over.Active = false
	require.NoError(t, workspace.CreateState(project, over))
	for session, run := range map[string]string{"s1": one, "s2": "", "s3": "", "": "", "s": "", "S1": ""} {
		require.Equal(t, run, workspace.SessionRun(project, session), "session %q", session)
	}
	headless := t.TempDir()
	require.NoError(t, workspace.CreateState(headless, stateOf(one, "", "nobody's")))
	require.Empty(t, workspace.SessionRun(headless, ""), "an unknown session owns nothing")
}

// A file that is not ours stands under our short name: it is never adopted,
// changed or removed, and the run works with a file of its own.
func TestAForeignStateFileIsLeftAlone(t *testing.T) {
	for name, content := range map[string]string{
		"empty":           "",
		"binary":          "\x00\x01\x02\xff",
		"cut short":       "---\nactive: true\nphase: rese",
		"prose":           "Notes of mine.\n",
		"of another tool": "---\nactive: true\nsession_id: \"s1\"\nmax_iterations: 20\n---\n\nDo it.\n",
		"of another run":  string(stateOf(two, "other", "theirs").Encode()),
		"from the future": "---\nactive: true\nphase: [dreaming]\nresearch_id: " + one + "\nsession_id: \"s1\"\n---\n\ntopic\n",
	} {
		t.Run(name, func(t *testing.T) {
			project := t.TempDir()
			place(t, statePath(project, ""), content)
			require.Empty(t, workspace.SessionRun(project, "s1"))
			require.NoError(t, workspace.CreateState(project, stateOf(one, "s1", "ours")))
			require.Equal(t, one, workspace.SessionRun(project, "s1"))
			require.NoError(t, workspace.UpdateState(project, one, "synthesis", ""))
			s, err := workspace.ReadState(project, one)
			require.NoError(t, err)
			require.Equal(t, "ours", s.Topic)
			require.NoError(t, workspace.RemoveState(project, one))
			require.Equal(t, content, read(t, statePath(project, "")))
		})
	}
}

// What stands under the short name and is no file at all is left alone too.
func TestAStateFileThatIsNoFileIsLeftAlone(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "state.md")
	place(t, outside, string(stateOf(one, "s1", "outside").Encode()))
	for name, lay := range map[string]func(string) error{
		"a folder":          func(p string) error { return os.Mkdir(p, 0o700) },
		"a link out":        func(p string) error { return os.Symlink(outside, p) },
		"a link to nothing": func(p string) error { return os.Symlink("nothing", p) },
		"a pipe":            func(p string) error { return proctest.NamedPipe(p) },
		"a link to itself":  func(p string) error { return os.Symlink(filepath.Base(p), p) },
	} {
		t.Run(name, func(t *testing.T) {
			project := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(project, ".claude"), 0o700))
			require.NoError(t, lay(statePath(project, "")))
			require.Empty(t, workspace.SessionRun(project, "s1"))
			require.NoError(t, workspace.CreateState(project, stateOf(one, "s1", "ours")))
			require.NoError(t, workspace.UpdateState(project, one, "synthesis", ""))
			require.Equal(t, one, workspace.SessionRun(project, "s1"))
			require.NoError(t, workspace.RemoveState(project, one))
			require.NoFileExists(t, statePath(project, one))
			_, err := os.Lstat(statePath(project, ""))
			require.NoError(t, err, "it is still there")
			require.Equal(t, string(stateOf(one, "s1", "outside").Encode()), read(t, outside))
		})
	}
}

func TestNoStateIsWrittenThroughALinkOutOfTheProject(t *testing.T) {
	project, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(project, ".claude")))
	require.Error(t, workspace.CreateState(project, stateOf(one, "s1", "topic")))
	place(t, filepath.Join(outside, "deep-research.local.md"), string(stateOf(one, "s1", "topic").Encode()))
	require.Error(t, workspace.UpdateState(project, one, "synthesis", ""))
	require.Error(t, workspace.RemoveState(project, one))
	require.Empty(t, workspace.SessionRun(project, "s1"))
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestAStateFileIsTheUsersAlone(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, workspace.CreateState(project, stateOf(one, "s1", "topic")))
	require.Equal(t, os.FileMode(0o600), mode(t, statePath(project, "")))
	require.NoError(t, workspace.UpdateState(project, one, "synthesis", ""))
	require.Equal(t, os.FileMode(0o600), mode(t, statePath(project, "")))
}

func mode(t *testing.T, name string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(name)
	require.NoError(t, err)
	return info.Mode().Perm()
}

func pointer(project, session string) string {
	return filepath.Join(project, ".claude", "deep-research.of-"+session+".local.md")
}

// A pointer is a hint: whatever it says, the state file decides.
func TestAPointerAdoptsNothing(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "pointer")
	place(t, outside, one+"\n")
	for name, lay := range map[string]func(string) error{
		"forged, to another's run": func(p string) error { return os.WriteFile(p, []byte(one), 0o600) },
		"stale, to no run":         func(p string) error { return os.WriteFile(p, []byte(two+"\n"), 0o600) },
		"a path":                   func(p string) error { return os.WriteFile(p, []byte("../../"+one), 0o600) },
		"empty":                    func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"long":                     func(p string) error { return os.WriteFile(p, []byte(one+strings.Repeat(" ", 1<<20)), 0o600) },
		"a folder":                 func(p string) error { return os.Mkdir(p, 0o700) },
		"a link out":               func(p string) error { return os.Symlink(outside, p) },
		"a pipe":                   func(p string) error { return proctest.NamedPipe(p) },
	} {
		t.Run(name, func(t *testing.T) {
			project := t.TempDir()
			require.NoError(t, workspace.CreateState(project, stateOf(one, "s1", "topic")))
			require.NoError(t, lay(pointer(project, "s2")))
			require.Empty(t, workspace.SessionRun(project, "s2"))
			require.Equal(t, one, workspace.SessionRun(project, "s1"))
		})
	}
}

func TestAPointerThatIsALinkLeadsNowhere(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, workspace.CreateState(project, stateOf(one, "s1", "topic")))
	outside := filepath.Join(t.TempDir(), "pointer")
	require.NoError(t, os.Rename(pointer(project, "s1"), outside))
	require.NoError(t, os.Symlink(outside, pointer(project, "s1")))
	require.Empty(t, workspace.SessionRun(project, "s1"))
}

// What is no session's id never becomes part of a path, and owns nothing.
func TestOnlyAnIDOfASessionOwnsARun(t *testing.T) {
	for name, session := range map[string]string{
		"a path": "../../x", "a folder": "a/b", "dots": "..", "a space": "a b", "a glob": "*", "NUL": "a\x00b",
		"no ASCII": "сессия", "too long": strings.Repeat("a", 65), "an underscore": "a_b",
	} {
		t.Run(name, func(t *testing.T) {
			project := t.TempDir()
			require.NoError(t, workspace.CreateState(project, stateOf(one, session, "topic")))
			require.Empty(t, workspace.SessionRun(project, session))
			names, err := os.ReadDir(filepath.Join(project, ".claude"))
			require.NoError(t, err)
			require.Len(t, names, 1, "no pointer is laid")
		})
	}
}

func TestAStateFileMovesToTheSessionThatTakesOver(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, workspace.CreateState(project, stateOf(one, "s1", "topic")))
	require.ErrorIs(t, workspace.MoveState(project, one, "s3", "s2"), workspace.ErrNoState, "it is not that session's to give")
	require.ErrorIs(t, workspace.MoveState(project, one, "s1", "../s2"), workspace.ErrNoState)
	require.ErrorIs(t, workspace.MoveState(project, two, "s1", "s2"), workspace.ErrNoState)
	require.Equal(t, one, workspace.SessionRun(project, "s1"))

	require.NoError(t, workspace.MoveState(project, one, "s1", "s2"))
	require.Equal(t, one, workspace.SessionRun(project, "s2"))
	require.Empty(t, workspace.SessionRun(project, "s1"))
	require.NoFileExists(t, pointer(project, "s1"))
	s, err := workspace.ReadState(project, one)
	require.NoError(t, err)
	require.Equal(t, "topic", s.Topic)
}

func TestAHandOverIsForOneProcess(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, workspace.CreateState(project, stateOf(one, "s1", "topic")))
	_, ok := workspace.ReadHandOver(project, 77)
	require.False(t, ok)
	left := workspace.HandOver{Run: one, Session: "s1", PID: 77, Start: "123", At: noon.UTC()}
	require.NoError(t, workspace.WriteHandOver(project, left))
	got, ok := workspace.ReadHandOver(project, 77)
	require.True(t, ok)
	require.Equal(t, left, got)
	_, ok = workspace.ReadHandOver(project, 78)
	require.False(t, ok)
	require.NoError(t, workspace.RemoveHandOver(project, 77))
	require.NoError(t, workspace.RemoveHandOver(project, 77), "that it is gone is no error")

	require.NoError(t, workspace.WriteHandOver(project, left))
	require.NoError(t, workspace.RemoveState(project, one))
	entries, err := os.ReadDir(filepath.Join(project, ".claude"))
	require.NoError(t, err)
	require.Empty(t, entries, "nobody takes over a run that has ended")
}

func TestWhatIsNoHandOverIsNone(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	good := `{"run":"` + one + `","session":"s1","pid":77,"start":"1"}`
	place(t, outside, good)
	for name, lay := range map[string]func(string) error{
		"empty":           func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"no JSON":         func(p string) error { return os.WriteFile(p, []byte("}{"), 0o600) },
		"another process": func(p string) error { return os.WriteFile(p, []byte(strings.Replace(good, "77", "78", 1)), 0o600) },
		"a path as run":   func(p string) error { return os.WriteFile(p, []byte(strings.Replace(good, one, "../../x", 1)), 0o600) },
		"long":            func(p string) error { return os.WriteFile(p, []byte(strings.Repeat(" ", 1<<20)+good), 0o600) },
		"a link out":      func(p string) error { return os.Symlink(outside, p) },
		"a folder":        func(p string) error { return os.Mkdir(p, 0o700) },
		"a pipe":          func(p string) error { return proctest.NamedPipe(p) },
	} {
		t.Run(name, func(t *testing.T) {
			project := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(project, ".claude"), 0o700))
			require.NoError(t, lay(filepath.Join(project, hook.HandOverFile(77))))
			_, ok := workspace.ReadHandOver(project, 77)
			require.False(t, ok)
		})
	}
}

func TestOneOfManyClaims(t *testing.T) {
	f, err := workspace.Create(t.TempDir(), one)
	require.NoError(t, err)
	defer f.Close()
	var first atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			mine, err := f.CreateOnce("session/ask-1", []byte("x"))
			if err == nil && mine {
				first.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, first.Load())
	_, err = f.CreateOnce("no/such", nil)
	require.Error(t, err)
}
