package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// The test binary is the hook program too, and a supervisor that is killed.
func TestMain(m *testing.M) {
	if hook := os.Getenv("COUNCIL_HOOK_SUPERVISES"); hook != "" {
		os.Exit(supervise(hook, os.Getenv("COUNCIL_HOOK_IN")))
	}
	if len(os.Args) == 3 && os.Args[1] == "hook" && (os.Args[2] == "begin" || os.Args[2] == "answer") {
		os.Exit(councilHook(os.Args[2]))
	}
	if len(os.Args) > 3 && os.Args[1] == "hook" && os.Args[2] == "hand-back" {
		os.Exit(handBack(os.Args[3:]))
	}
	if os.Getenv("COUNCIL_HOOK_UNDER_TEST") != "" {
		os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

type answer struct {
	stdout, stderr string
	status         int
}

func call(t *testing.T, env []string, stdin io.Reader, args ...string) answer {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(self, args...)
	c.Env = append([]string{"COUNCIL_HOOK_UNDER_TEST=1", "PATH=" + os.Getenv("PATH"), quickRace}, env...)
	var stdout, stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = stdin, &stdout, &stderr
	if err := c.Run(); err != nil && c.ProcessState == nil {
		require.NoError(t, err)
	}
	return answer{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

// quickRace keeps the race detector from waiting a second at the end of each
// process.
const quickRace = "GORACE=atexit_sleep_ms=0"

const prose = "# R\n\nwords\n"

func TestLoop(t *testing.T) {
	claude := `{"session_id":"test","stop_hook_active":false}`
	codex := `{"session_id":"t","turn_id":"1","hook_event_name":"Stop"}`
	gemini := `{"session_id":"t","hook_event_name":"AfterAgent","prompt_response":"` + marker.CompleteMarker + `"}`
	cases := map[string]struct {
		call, in, report, state, max string
		want                         string // decision
		count                        string // the state file afterwards
		words                        string
	}{
		"Claude goes on":                       {"loop", claude, prose, "", "3", "block", "2\n", "Research iteration 2/3"},
		"Codex goes on":                        {"loop", codex, prose, "2", "3", "block", "3\n", "Research iteration 3/3"},
		"Gemini goes on":                       {"after-agent", gemini, prose, "1", "3", "deny", "2\n", "Research iteration 2/3"},
		"Gemini's dialect is told by the call": {"loop", gemini, prose, "1", "3", "deny", "2\n", "Research iteration 2/3"},
		"a report not there yet":               {"loop", claude, "", "1", "3", "block", "2\n", "Research iteration 2/3"},
		"a state that is no number":            {"loop", claude, prose, "soon", "3", "block", "2\n", "Research iteration 2/3"},
		"a state below one":                    {"loop", claude, prose, "-7", "3", "block", "2\n", "Research iteration 2/3"},
		"the marker ends it":                   {"loop", claude, prose + marker.CompleteMarker, "1", "3", "", "1", ""},
		"the marker ends it for Gemini":        {"after-agent", gemini, prose + marker.CompleteMarker, "1", "3", "allow", "1", ""},
		"iterations spent":                     {"loop", claude, prose, "3", "3", "", "3", ""},
		"iterations spent for Gemini":          {"after-agent", gemini, prose, "9", "3", "allow", "9", ""},
		"the marker in prose ends nothing":     {"loop", claude, "I add " + marker.CompleteMarker + " later\nmore", "1", "3", "block", "2\n", "Research iteration 2/3"},
		"ten iterations unless said otherwise": {"loop", claude, prose, "9", "", "block", "10\n", "Research iteration 10/10"},
		"a most that is no number":             {"loop", claude, prose, "10", "many", "", "10", ""},
		"garbage on standard input ends it":    {"loop", "}{", prose, "1", "3", "", "1", ""},
		"nothing on standard input ends it":    {"loop", "", prose, "1", "3", "", "1", ""},
		"stop_hook_active is no reason to end": {"loop", `{"stop_hook_active":true}`, prose, "1", "3", "block", "2\n", "Research iteration 2/3"},
		"garbage for Gemini":                   {"after-agent", "}{", prose, "1", "3", "allow", "1", ""},
		"nothing for Gemini":                   {"after-agent", "", prose, "1", "3", "allow", "1", ""},
		"the marker in an open fence":          {"loop", claude, "```\n" + marker.CompleteMarker, "1", "3", "block", "2\n", "Research iteration 2/3"},
		"the marker after a long fence":        {"loop", claude, "```\n" + strings.Repeat("code\n", 2000) + "```\n" + marker.CompleteMarker, "1", "3", "", "1", ""},
		"the marker in the answer alone":       {"loop", `{"last_assistant_message":"` + marker.CompleteMarker + `"}`, prose, "1", "3", "block", "2\n", "Research iteration 2/3"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			report, state := filepath.Join(dir, "a report.md"), filepath.Join(dir, "state.txt")
			if c.report != "" {
				require.NoError(t, os.WriteFile(report, []byte(c.report), 0o600))
			}
			if c.state != "" {
				require.NoError(t, os.WriteFile(state, []byte(c.state), 0o600))
			}
			env := []string{"RESEARCH_REPORT_PATH=" + report, "RESEARCH_STATE_PATH=" + state, "RESEARCH_MAX_ITERS=" + c.max, marker.ChildVariable + "=x"}
			got := call(t, env, strings.NewReader(c.in), c.call)
			require.Zero(t, got.status)
			require.Equal(t, c.want, gjson.Get(got.stdout, "decision").Str, got.stdout+got.stderr)
			require.Equal(t, c.words, gjson.Get(got.stdout, "systemMessage").Str)
			require.Equal(t, c.want == "block" || c.want == "deny", gjson.Get(got.stdout, "reason").Str != "")
			count, err := os.ReadFile(state)
			require.NoError(t, err)
			require.Equal(t, c.count, string(count))
		})
	}
}

// An answer that is one JSON object bears no mark: it ends the turn once it is whole.
func TestAnAnswerInJSONEndsTheTurnOnceItIsWhole(t *testing.T) {
	for answer, ends := range map[string]bool{
		"":                                false,
		`{"pairs":[{"pair":"C1/C2",`:      false,
		"I have compared them.":           false,
		`{"pairs":[]}`:                    true,
		"\n{\"questions\":[{\"a\":1}]}\n": true,
	} {
		report, state := filepath.Join(t.TempDir(), "answer.json"), filepath.Join(t.TempDir(), "state.txt")
		require.NoError(t, os.WriteFile(report, []byte(answer), 0o600))
		got := call(t, nil, strings.NewReader("{}"), "loop", "--report", report, "--state", state, "--max", "3")
		require.Zero(t, got.status)
		require.Equal(t, !ends, gjson.Get(got.stdout, "decision").Str == "block", answer)
		require.NotContains(t, got.stdout, "Continue researching", answer)
	}
}

func TestLoopByFlags(t *testing.T) {
	dir := t.TempDir()
	open := filepath.Join(dir, "open.md")
	require.NoError(t, os.WriteFile(open, []byte("- C1 was not found\n"), 0o600))
	got := call(t, nil, strings.NewReader("{}"), "loop", "--report", filepath.Join(dir, "r"), "--state", filepath.Join(dir, "s"), "--max", "2", "--open", open)
	require.Contains(t, gjson.Get(got.stdout, "reason").Str, open)
	got = call(t, nil, strings.NewReader("{}"), "loop", "--report", filepath.Join(dir, "r"), "--state", filepath.Join(dir, "s"), "--max", "2")
	require.Empty(t, got.stdout)
}

func TestLoopLetsGoWhenItCannotCount(t *testing.T) {
	dir := t.TempDir()
	report, outside := filepath.Join(dir, "r"), filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("1\n"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	require.NoError(t, proctest.NamedPipe(filepath.Join(dir, "pipe")))
	cases := map[string][]string{
		"no paths":                   nil,
		"no state":                   {"--report", report},
		"no report":                  {"--state", filepath.Join(dir, "s")},
		"a state that is a folder":   {"--report", report, "--state", dir},
		"a state that is a pipe":     {"--report", report, "--state", filepath.Join(dir, "pipe")},
		"a state that is a link":     {"--report", report, "--state", filepath.Join(dir, "link")},
		"a folder that is not there": {"--report", report, "--state", filepath.Join(dir, "no", "state")},
	}
	for name, args := range cases {
		t.Run(name, func(t *testing.T) {
			got := call(t, nil, strings.NewReader("{}"), append([]string{"loop"}, args...)...)
			require.Equal(t, answer{"", got.stderr, 0}, got)
			require.NotEmpty(t, got.stderr)
			got = call(t, nil, strings.NewReader("{}"), append([]string{"after-agent"}, args...)...)
			require.JSONEq(t, `{"decision":"allow"}`, got.stdout)
		})
	}
	kept, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "1\n", string(kept))
}

func TestLoopLetsGoInAFolderThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, "s")
	require.NoError(t, os.WriteFile(state, []byte("1\n"), 0o444))
	require.NoError(t, os.Chmod(dir, 0o555))
	for _, path := range []string{state, filepath.Join(dir, "new")} {
		got := callAs(t, nobody(t, dir), "loop", "--report", filepath.Join(dir, "r"), "--state", path)
		require.Equal(t, answer{"", got.stderr, 0}, got)
		require.Contains(t, got.stderr, "cannot be counted")
	}
}

// nobody is who may write nothing here; file modes do not bind the super-user.
func nobody(t *testing.T, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	return proctest.As(65534)
}

// callAs runs a copy of the program that everybody may start.
func callAs(t *testing.T, who *syscall.SysProcAttr, args ...string) answer {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	self, err := os.Executable()
	require.NoError(t, err)
	data, err := os.ReadFile(self)
	require.NoError(t, err)
	bin := filepath.Join(dir, "council-hook")
	require.NoError(t, os.WriteFile(bin, data, 0o755))
	c := exec.Command(bin, args...)
	c.Env, c.SysProcAttr, c.Stdin = []string{"COUNCIL_HOOK_UNDER_TEST=1", quickRace}, who, strings.NewReader("{}")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	require.NoError(t, c.Run())
	return answer{stdout.String(), stderr.String(), 0}
}

func TestAReportThatIsAPipeHoldsNobody(t *testing.T) {
	dir := t.TempDir()
	report := filepath.Join(dir, "r")
	require.NoError(t, proctest.NamedPipe(report))
	got := call(t, nil, strings.NewReader("{}"), "loop", "--report", report, "--state", filepath.Join(dir, "s"))
	require.Equal(t, "block", gjson.Get(got.stdout, "decision").Str)
}

func TestACounterThatIsHeldHoldsNobody(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "s"))
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, disk.Lock(f))
	got := call(t, nil, strings.NewReader("{}"), "after-agent", "--report", filepath.Join(dir, "r"), "--state", f.Name())
	require.JSONEq(t, `{"decision":"allow"}`, got.stdout)
	require.Contains(t, got.stderr, "cannot be counted")
}

func TestEnoughEndsTheLoop(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "enough"), nil, 0o600))
	got := call(t, nil, strings.NewReader("{}"), "loop", "--report", filepath.Join(dir, "r"), "--state", filepath.Join(dir, "s"))
	require.Empty(t, got.stdout)
}

func TestManyLoopsLoseNoCount(t *testing.T) {
	dir := t.TempDir()
	const hooks = 16
	var all sync.WaitGroup
	for range hooks {
		all.Go(func() {
			call(t, nil, strings.NewReader("{}"), "loop", "--report", filepath.Join(dir, "r"), "--state", filepath.Join(dir, "s"), "--max", "100")
		})
	}
	all.Wait()
	count, err := os.ReadFile(filepath.Join(dir, "s"))
	require.NoError(t, err)
	require.Equal(t, strconv.Itoa(hooks+1)+"\n", string(count))
}

const id = "20260222-143000-a1b2c3"

// project is a project with a run that session "mine" owns.
func project(t *testing.T, phase string) (root, run string) {
	t.Helper()
	root = t.TempDir()
	f, err := workspace.Create(root, id)
	require.NoError(t, err)
	if phase == "synthesis" {
		require.NoError(t, f.Write(workspace.Prompts+"/synthesis.md", []byte("Write it.")))
	}
	j, _, err := journal.Open(f.Path)
	require.NoError(t, err)
	require.NoError(t, errors.Join(j.Append([]byte(`{"seq":1}`)), j.Close()))
	require.NoError(t, f.Close())
	s := workspace.State{Active: true, Phase: phase, ResearchID: id, SessionID: "mine", MaxIterations: 10, StartedAt: "2026-02-22T14:30:00Z", Topic: "why?"}
	require.NoError(t, workspace.CreateState(root, s))
	return root, f.Path
}

// A session is never held by a run whose journal this release does not read,
// whatever stands there; not a byte of it is changed.
func TestAJournalOfAnotherFormatHoldsNobody(t *testing.T) {
	for name, text := range map[string]string{
		"before there were formats": `{"seq":1,"type":"run.created","prev":""}`, "a later one": `{"format":999,"seq":1}`, "nothing": `{"format":0}`,
		"below nothing": `{"format":-1}`, "a text": `{"format":"2"}`, "a part": `{"format":1.5}`, "null": `{"format":null}`, "empty": "",
	} {
		t.Run(name, func(t *testing.T) {
			root, run := project(t, "synthesis")
			require.NoError(t, os.WriteFile(filepath.Join(run, journal.Name), []byte(text), 0o600))
			before := tree(t, root)
			got := pluginCall(t, root, "mine", "stop")
			require.Empty(t, got.stdout)
			require.Contains(t, got.stderr, "none this release reads; the session is let go")
			require.Equal(t, before, tree(t, root))
		})
	}
	for name, stands := range map[string]func(path string) error{
		"gone":         func(string) error { return nil },
		"a folder":     func(path string) error { return os.Mkdir(path, 0o700) },
		"a link":       func(path string) error { return os.Symlink("/dev/null", path) },
		"a named pipe": func(path string) error { return proctest.NamedPipe(path) },
	} {
		t.Run(name, func(t *testing.T) {
			root, run := project(t, "synthesis")
			path := filepath.Join(run, journal.Name)
			require.NoError(t, errors.Join(os.Remove(path), stands(path)))
			require.Empty(t, pluginCall(t, root, "mine", "stop").stdout)
		})
	}
}

// A hook of another release than the program that works on the run says so,
// once, and goes on.
func TestAHookSaysThatTheRunIsAnotherReleases(t *testing.T) {
	const says = "the program that works on this run is of release 0.0.9, this plugin of release " + release
	worked := func(t *testing.T, phase, by string) string {
		root, _ := project(t, phase)
		require.NoError(t, workspace.UpdateState(root, id, phase, by))
		return root
	}
	t.Run("while the seats work", func(t *testing.T) {
		root := worked(t, "research", "0.0.9")
		require.Equal(t, answer{stdout: `{"systemMessage":"Research Council: ` + says + `"}` + "\n"}, pluginCall(t, root, "mine", "stop"))
		require.Zero(t, pluginCall(t, root, "mine", "stop"), "it was said")
		require.Zero(t, pluginCall(t, root, "other", "stop"), "another session's is none of ours")
	})
	t.Run("when the session is asked", func(t *testing.T) {
		got := pluginCall(t, worked(t, "synthesis", "0.0.9"), "mine", "stop").stdout
		require.Equal(t, "block", gjson.Get(got, "decision").Str)
		require.Equal(t, "Research Council: Phase 3/3 — Synthesis ("+says+")", gjson.Get(got, "systemMessage").Str)
	})
	t.Run("of one release", func(t *testing.T) {
		require.Zero(t, pluginCall(t, worked(t, "research", release), "mine", "stop"))
	})
}

func pluginCall(t *testing.T, root, session, name string) answer {
	t.Helper()
	in := fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":"Stop","trigger":"auto","reason":"other","error":"rate_limit"}`, session, root)
	return call(t, []string{"RESEARCH_COUNCIL_BIN=/no/such/council"}, strings.NewReader(in), name)
}

// Staged research has a stage of that name too, which is no session's.
func TestStopAsksForNoSynthesisThatIsNotTheSessions(t *testing.T) {
	root, run := project(t, "synthesis")
	require.NoError(t, os.Remove(filepath.Join(run, workspace.Prompts, "synthesis.md")))
	require.Zero(t, pluginCall(t, root, "mine", "stop"))
	require.FileExists(t, filepath.Join(root, ".claude", "deep-research.local.md"))
}

func TestStopAsksForASynthesisThatReviewersHaveSentBack(t *testing.T) {
	root, run := project(t, "synthesis")
	for _, name := range []string{"final-report.md", "review.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(run, name), []byte("{}"), 0o600))
	}
	require.Equal(t, "block", gjson.Get(pluginCall(t, root, "mine", "stop").stdout, "decision").Str)
	require.FileExists(t, filepath.Join(root, ".claude", "deep-research.local.md"))
}

func TestStopAsksForTheSynthesisAndRemindsTwice(t *testing.T) {
	root, run := project(t, "synthesis")
	first := pluginCall(t, root, "mine", "stop")
	require.Equal(t, "block", gjson.Get(first.stdout, "decision").Str)
	require.Equal(t, "Research Council: Phase 3/3 — Synthesis", gjson.Get(first.stdout, "systemMessage").Str)
	reason := gjson.Get(first.stdout, "reason").Str
	require.Contains(t, reason, filepath.Join(run, "prompts", "synthesis.md"))
	require.Contains(t, reason, filepath.Join(run, "synthesis.md"))
	require.Less(t, len(reason)-2*len(run), 150, "the host sends it twice")
	for range 2 {
		again := pluginCall(t, root, "mine", "stop")
		require.True(t, strings.HasPrefix(gjson.Get(again.stdout, "reason").Str, "Please write the synthesis report"))
	}
	require.Equal(t, answer{}, pluginCall(t, root, "mine", "stop"), "then the session is let go")
	notes, err := filepath.Glob(filepath.Join(run, "inbox", "*.json"))
	require.NoError(t, err)
	require.Len(t, notes, 1)
	f, err := workspace.Open(root, id)
	require.NoError(t, err)
	defer f.Close()
	read, err := f.Notes()
	require.NoError(t, err)
	require.Equal(t, workspace.SessionGaveUp, read[0].Kind)
	require.Equal(t, "mine", read[0].Session)
}

func TestStopLeavesADraftAndARunningPhaseAlone(t *testing.T) {
	busy, _ := project(t, "research")
	require.Equal(t, answer{}, pluginCall(t, busy, "mine", "stop"))
	root, run := project(t, "synthesis")
	in := `{"session_id":"mine","cwd":"` + root + `","background_tasks":[{"id":"1"}]}`
	require.Equal(t, answer{}, call(t, nil, strings.NewReader(in), "stop"), "its own agents are still at work")
	require.NoError(t, os.WriteFile(filepath.Join(run, "synthesis.md"), []byte("draft"), 0o600))
	require.Equal(t, answer{}, pluginCall(t, root, "mine", "stop"))
	asked, err := filepath.Glob(filepath.Join(run, "session", "ask-*"))
	require.NoError(t, err)
	require.Empty(t, asked)
}

func TestManyStopsAskThreeTimes(t *testing.T) {
	root, _ := project(t, "synthesis")
	const stops = 16
	answers := make([]answer, stops)
	var all sync.WaitGroup
	for n := range stops {
		all.Go(func() { answers[n] = pluginCall(t, root, "mine", "stop") })
	}
	all.Wait()
	asked := slices.DeleteFunc(answers, func(a answer) bool { return a.stdout == "" })
	require.Len(t, asked, 3)
}

func TestAnAskThatCannotBeNotedIsNotMade(t *testing.T) {
	root, run := project(t, "synthesis")
	require.NoError(t, os.RemoveAll(filepath.Join(run, "session")))
	got := pluginCall(t, root, "mine", "stop")
	require.Empty(t, got.stdout)
	require.NotEmpty(t, got.stderr)
}

func TestStopRemovesTheStateOnceTheReportIsThere(t *testing.T) {
	root, run := project(t, "synthesis")
	require.NoError(t, os.WriteFile(filepath.Join(run, "final-report.md"), []byte("report"), 0o600))
	require.Equal(t, answer{}, pluginCall(t, root, "mine", "stop"))
	_, err := workspace.ReadState(root, id)
	require.ErrorIs(t, err, workspace.ErrNoState)
	left, err := os.ReadDir(filepath.Join(root, ".claude"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestNotesReachTheInbox(t *testing.T) {
	for name, want := range map[string]workspace.Note{
		"pre-compact":  {Kind: workspace.PreCompact, Detail: "auto"},
		"session-end":  {Kind: workspace.SessionEnded, Detail: "other"},
		"stop-failure": {Kind: workspace.StopFailure, Detail: "rate_limit"},
	} {
		t.Run(name, func(t *testing.T) {
			root, _ := project(t, "research")
			require.Equal(t, answer{}, pluginCall(t, root, "mine", name))
			f, err := workspace.Open(root, id)
			require.NoError(t, err)
			defer f.Close()
			notes, err := f.Notes()
			require.NoError(t, err)
			require.Len(t, notes, 1)
			require.Equal(t, want.Kind, notes[0].Kind)
			require.Equal(t, want.Detail, notes[0].Detail)
		})
	}
}

// tree is a digest of a folder: names, modes and contents.
func tree(t *testing.T, root string) string {
	t.Helper()
	sum := sha256.New()
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var data []byte
		if info.Mode().IsRegular() {
			if data, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		fmt.Fprintln(sum, path, info.Mode(), len(data), string(data))
		return nil
	}))
	return fmt.Sprintf("%x", sum.Sum(nil))
}

var pluginHooks = []string{"stop", "stop-wait", "session-start", "pre-compact", "session-end", "stop-failure", "user-prompt-submit", "permission-request"}

func TestAnotherSessionsRunIsNoneOfOurs(t *testing.T) {
	for _, session := range []string{"", "other", "mine ", "MINE", id, "*"} {
		for _, name := range pluginHooks {
			root, _ := project(t, "synthesis")
			before := tree(t, root)
			require.Equal(t, answer{}, pluginCall(t, root, session, name), "%s for session %q", name, session)
			require.Equal(t, before, tree(t, root), "%s for session %q", name, session)
		}
	}
}

func TestInsideASeatThePluginIsSilent(t *testing.T) {
	root, _ := project(t, "synthesis")
	before := tree(t, root)
	for _, name := range append(pluginHooks, "user-prompt-expansion") {
		got := call(t, []string{marker.ChildVariable + "=" + id}, strings.NewReader(`{"session_id":"mine","cwd":"`+root+`"}`), name)
		require.Equal(t, answer{}, got, name)
	}
	require.Equal(t, before, tree(t, root))
}

func TestACorruptStateBlocksNobody(t *testing.T) {
	const good = "---\nactive: true\nphase: synthesis\nresearch_id: " + id + "\nsession_id: \"mine\"\n---\n"
	const first = "deep-research.local.md"
	for name, state := range map[string]struct {
		file, text string
		told       bool
	}{
		"empty":                {first, "", true},
		"no front matter":      {first, "hello", true},
		"binary":               {first, "\x00\xff\xfe", true},
		"of another version":   {first, "---\nversion: 9\nactive: yes\n---\n", true},
		"a path as id":         {first, strings.Replace(good, id, "../../etc", 1), true},
		"cut off":              {first, strings.TrimSuffix(good, "---\n"), true},
		"another run's name":   {"deep-research.20260222-143000-ffffff.local.md", good, false},
		"another run":          {first, strings.Replace(good, id, "20260222-143000-ffffff", 1), false},
		"longer than we look":  {first, strings.Replace(good, "active", "x: "+strings.Repeat("y", 4<<10)+"\nactive", 1), true},
		"a session not quoted": {first, strings.Replace(good, `"mine"`, "mine", 1), true},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(root, "research", id, "inbox"), 0o700))
			require.NoError(t, os.MkdirAll(filepath.Join(root, "research", id, "session"), 0o700))
			require.NoError(t, os.MkdirAll(filepath.Join(root, ".claude"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(root, ".claude", state.file), []byte(state.text), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(root, hook.PointerFile("mine")), []byte(id+"\n"), 0o600))
			before := tree(t, root)
			for _, name := range pluginHooks {
				got := pluginCall(t, root, "mine", name)
				require.Equal(t, answer{"", got.stderr, 0}, got)
				if state.told {
					require.Contains(t, got.stderr, state.file)
				}
			}
			require.Equal(t, before, tree(t, root))
		})
	}
}

// A pointer only hints: what it leads to has to name the run and the session.
func TestAPointerAloneAdoptsNothing(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "pointer")
	require.NoError(t, os.WriteFile(outside, []byte(id+"\n"), 0o600))
	for name, lay := range map[string]func(string) error{
		"forged": func(p string) error { return os.WriteFile(p, []byte(id+"\n"), 0o600) },
		"stale":  func(p string) error { return os.WriteFile(p, []byte("20260222-143000-ffffff\n"), 0o600) },
		"a path": func(p string) error { return os.WriteFile(p, []byte("../../"+id), 0o600) },
		"empty":  func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"folder": func(p string) error { return os.Mkdir(p, 0o700) },
		"link":   func(p string) error { return os.Symlink(outside, p) },
		"pipe":   func(p string) error { return proctest.NamedPipe(p) },
	} {
		t.Run(name, func(t *testing.T) {
			root, _ := project(t, "synthesis")
			require.NoError(t, lay(filepath.Join(root, hook.PointerFile("other"))))
			before := tree(t, root)
			for _, name := range pluginHooks {
				require.Equal(t, answer{}, pluginCall(t, root, "other", name))
			}
			require.Equal(t, before, tree(t, root))
			require.Equal(t, "block", gjson.Get(pluginCall(t, root, "mine", "stop").stdout, "decision").Str)
		})
	}
}

// A run may fail before its session has stopped for the first time: the session's
// next stop is handed over, so that it hears why. Nobody else's is.
func TestASessionThatHasNotHeardTheEndIsHandedOver(t *testing.T) {
	root, run := project(t, "research")
	require.NoError(t, workspace.LeaveUnheard(root, id))
	require.NoFileExists(t, filepath.Join(root, hook.StateFiles(id)[0]))
	council := filepath.Join(t.TempDir(), "council")
	require.NoError(t, os.WriteFile(council, []byte("#!/bin/sh\nprintf '%s|' \"$@\"\n"), 0o700))
	stops := func(session, name string) answer {
		in := `{"session_id":"` + session + `","cwd":"` + root + `","source":"startup"}`
		return call(t, []string{"RESEARCH_COUNCIL_BIN=" + council}, strings.NewReader(in), name)
	}
	before := tree(t, root)
	for _, name := range pluginHooks {
		want := answer{}
		if name == "stop-wait" {
			want.stdout = "hook|wait|--root|" + root + "|--run|" + id + "|--session|mine|"
		}
		require.Equal(t, want, stops("mine", name), name)
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, hook.PointerFile("other")), []byte(id+"\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, hook.PointerFile("mine-too")), []byte(id+"\n"), 0o600))
	for _, session := range []string{"other", "mine-too", ""} {
		require.Equal(t, answer{}, stops(session, "stop-wait"), session)
	}
	require.NoError(t, errors.Join(os.Remove(filepath.Join(root, hook.PointerFile("other"))), os.Remove(filepath.Join(root, hook.PointerFile("mine-too")))))
	require.Equal(t, before, tree(t, root))

	f, err := workspace.Open(root, id)
	require.NoError(t, err)
	require.NoError(t, errors.Join(workspace.Heard(f, root), f.Close()))
	require.Equal(t, answer{}, stops("mine", "stop-wait"))
	require.NoFileExists(t, filepath.Join(run, hook.Unheard))
}

func TestADeletedStateFileStaysDeleted(t *testing.T) {
	root, _ := project(t, "synthesis")
	require.NoError(t, os.Remove(filepath.Join(root, hook.StateFiles(id)[0])))
	before := tree(t, root)
	for _, name := range pluginHooks {
		require.Equal(t, answer{}, pluginCall(t, root, "mine", name))
	}
	require.Equal(t, before, tree(t, root))
}

// Whichever folder of a project is a link that leads out of it, nothing behind
// it is read or written.
func TestNoLinkLeadsOutOfTheProject(t *testing.T) {
	for _, name := range []string{".claude", ".claude/deep-research.local.md", "research", "research/" + id, "research/" + id + "/session", "research/" + id + "/inbox"} {
		t.Run(name, func(t *testing.T) {
			root, _ := project(t, "synthesis")
			outside := filepath.Join(t.TempDir(), "outside")
			require.NoError(t, os.Rename(filepath.Join(root, name), outside))
			require.NoError(t, os.Symlink(outside, filepath.Join(root, name)))
			before, inside := tree(t, outside), tree(t, root)
			for range 4 {
				for _, event := range []string{"stop", "pre-compact", "session-end", "stop-failure"} {
					require.Zero(t, pluginCall(t, root, "mine", event).status)
				}
			}
			require.Equal(t, before, tree(t, outside))
			if strings.HasPrefix(name, ".claude") {
				require.Equal(t, inside, tree(t, root), "a state outside is nobody's")
			}
		})
	}
}

func TestAMissingProgramIsSaidAtTheEntranceAlone(t *testing.T) {
	root, _ := project(t, "research")
	got := pluginCall(t, root, "mine", "user-prompt-expansion")
	require.Zero(t, got.status)
	require.JSONEq(t, `{"continue":false,"stopReason":"Research council: its program is missing; run make build in the plugin's folder"}`, got.stdout)
	for _, name := range []string{"stop-wait", "session-start", "answer"} {
		got := pluginCall(t, root, "mine", name)
		require.Equal(t, answer{"", got.stderr, 0}, got)
		require.NotEmpty(t, got.stderr)
	}
}

func TestWorkIsHandedOver(t *testing.T) {
	root, _ := project(t, "research")
	council := filepath.Join(t.TempDir(), "council")
	require.NoError(t, os.WriteFile(council, []byte("#!/bin/sh\nprintf '%s|' \"$@\"; cat\n"), 0o700))
	in := `{"session_id":"mine","cwd":"` + root + `","source":"compact"}`
	env := []string{"RESEARCH_COUNCIL_BIN=" + council}
	require.Equal(t, "hook|begin|"+in, call(t, env, strings.NewReader(in), "user-prompt-expansion").stdout, "standard input is handed on unread")
	require.Equal(t, "hook|wait|--root|"+root+"|--run|"+id+"|--session|mine|", call(t, env, strings.NewReader(in), "stop-wait").stdout)
	require.Equal(t, "hook|session-start|--root|"+root+"|--run|"+id+"|--session|mine|--source|compact|", call(t, env, strings.NewReader(in), "session-start").stdout)
}

// councilThatTells is a program in council's place that prints what it was told.
func councilThatTells(t *testing.T) string {
	t.Helper()
	council := filepath.Join(t.TempDir(), "council")
	require.NoError(t, os.WriteFile(council, []byte("#!/bin/sh\nprintf '%s|' \"$@\"\n"), 0o700))
	return "RESEARCH_COUNCIL_BIN=" + council
}

// campaign is a project with a campaign that session "mine" owns.
func campaign(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	f, err := workspace.Create(root, id)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	s := workspace.State{Active: true, Phase: "synthesis", ResearchID: id, SessionID: "mine", Topic: "why?", Campaign: "go-rust", Loop: true}
	require.NoError(t, workspace.CreateState(root, s))
	return root
}

func TestEveryEventOfACampaignIsHandedOver(t *testing.T) {
	root, council := campaign(t), councilThatTells(t)
	before := tree(t, root)
	own := "hook|campaign|--root|" + root + "|--run|" + id + "|--session|mine|--event|"
	for name, c := range map[string]struct{ more, want string }{
		"stop":          {`"stop_hook_active":true,"background_tasks":[{"id":"1"}]`, "stop|--background|"},
		"stop-wait":     {`"stop_hook_active":false`, "stop-wait|"},
		"session-start": {`"source":"compact"`, "session-start|--source|compact|"},
		"pre-compact":   {`"trigger":"auto","transcript_path":"/a b/'$(c)'.jsonl"`, "pre-compact|--trigger|auto|--transcript|/a b/'$(c)'.jsonl|"},
		"session-end":   {`"reason":"clear"`, "session-end|--reason|clear|"},
		"stop-failure":  {`"error":"--root"`, "stop-failure|--fault|--root|"},
	} {
		got := call(t, []string{council}, strings.NewReader(`{"session_id":"mine","cwd":"`+root+`",`+c.more+`}`), name)
		require.Equal(t, answer{stdout: own + c.want}, got)
		require.Equal(t, answer{}, call(t, []string{council}, strings.NewReader(`{"session_id":"other","cwd":"`+root+`",`+c.more+`}`), name))
		require.Equal(t, answer{}, call(t, []string{council, marker.ChildVariable + "=x"}, strings.NewReader(`{"session_id":"mine","cwd":"`+root+`",`+c.more+`}`), name))
	}
	for _, name := range pluginHooks {
		if name == "permission-request" || name == "user-prompt-submit" {
			continue // which are answered here
		}
		got := pluginCall(t, root, "mine", name)
		require.Equal(t, answer{"", got.stderr, 0}, got, "without the program nobody is held")
		require.NotEmpty(t, got.stderr)
	}
	require.Equal(t, before, tree(t, root))
}

// What the person types at the session that owns a campaign is for its next
// iteration; what a host says by itself, or another session, is not.
func TestAPersonsWordsReachTheCampaign(t *testing.T) {
	root := campaign(t)
	said := func(session, prompt string) {
		data, err := json.Marshal(map[string]string{"session_id": session, "cwd": root, "prompt": prompt})
		require.NoError(t, err)
		require.Equal(t, answer{}, call(t, nil, bytes.NewReader(data), "user-prompt-submit"))
	}
	said("mine", "leave out Windows,\nand \"quote\" nothing")
	said("mine", "/research-council:continue-auto")
	said("mine", "<task-notification>a page says: leave out Linux</task-notification>")
	said("other", "leave out everything")
	f, err := workspace.Open(root, id)
	require.NoError(t, err)
	defer f.Close()
	notes, err := f.Notes()
	require.NoError(t, err)
	require.Len(t, notes, 1)
	require.Equal(t, []string{workspace.SessionSaid, "mine", "leave out Windows,\nand \"quote\" nothing"}, []string{notes[0].Kind, notes[0].Session, notes[0].Detail})
}

func TestASessionThatIsClearedHandsItsRunOver(t *testing.T) {
	root, _ := project(t, "research")
	council := councilThatTells(t)
	in := `{"session_id":"mine","cwd":"` + root + `","reason":"clear"}`
	require.Equal(t, "hook|cleared|--root|"+root+"|--run|"+id+"|--session|mine|", call(t, []string{council}, strings.NewReader(in), "session-end").stdout)

	start := func(session, source, pid string) string {
		in := `{"session_id":"` + session + `","cwd":"` + root + `","source":"` + source + `"}`
		return call(t, []string{council, "CLAUDE_PID=" + pid}, strings.NewReader(in), "session-start").stdout
	}
	require.Empty(t, start("new", "clear", "77"), "nobody has left anything")
	require.NoError(t, os.WriteFile(filepath.Join(root, hook.HandOverFile(77)), []byte("{}"), 0o600))
	require.Equal(t, "hook|adopt|--root|"+root+"|--session|new|", start("new", "clear", "77"))
	for _, source := range []string{"startup", "resume", "fork", "compact", ""} {
		require.Empty(t, start("new", source, "77"), source)
	}
	for _, pid := range []string{"78", "", "-77", "77x", "../77"} {
		require.Empty(t, start("new", "clear", pid), pid)
	}
	require.Empty(t, start("../new", "clear", "77"))
}

// A host may count a hook that leaves its input unread as failed.
func TestEveryHookReadsItsInput(t *testing.T) {
	root, _ := project(t, "research")
	in := `{"session_id":"other","cwd":"` + root + `","last_assistant_message":"` + strings.Repeat("x", 1<<20) + `"}` + "\n"
	for _, env := range [][]string{nil, {"CLAUDE_PROJECT_DIR=" + root}, {"CLAUDE_PROJECT_DIR=" + t.TempDir()}, {marker.ChildVariable + "=" + id}} {
		for _, name := range append(pluginHooks, "loop", "after-agent") {
			unread := strings.NewReader(in)
			call(t, env, unread, name)
			require.Zero(t, unread.Len(), "%s %s", name, env)
		}
	}
}

// Whatever bytes come, a hook ends with status 0 and one JSON object or nothing.
func TestHostileInput(t *testing.T) {
	root, folder := project(t, "synthesis")
	second := workspace.State{Active: true, ResearchID: "20260222-143000-ffffff", SessionID: "owner", Campaign: "go-rust", Loop: true}
	require.NoError(t, workspace.CreateState(root, second))
	t.Setenv("RESEARCH_COUNCIL_BIN", filepath.Join(root, "no such program"))
	t.Setenv("RESEARCH_REPORT_PATH", filepath.Join(folder, "report.md"))
	t.Setenv("RESEARCH_STATE_PATH", filepath.Join(folder, "state.txt"))
	t.Setenv("RESEARCH_MAX_ITERS", "100000")
	dice := rand.New(rand.NewPCG(1, 2))
	seeds := []string{
		`{"session_id":"mine","cwd":"` + root + `","hook_event_name":"Stop","background_tasks":[]}`,
		`{"session_id":"mine","cwd":"` + root + `","turn_id":"1","source":"compact","error":{"a":[1]}}`,
		`{"session_id":"owner","cwd":"` + root + `","transcript_path":"/t.jsonl","reason":"clear","source":"clear"}`,
		`{"session_id":"owner","cwd":"` + root + `","permission_suggestions":[{}],"tool_name":"Bash","tool_input":{"command":"council campaign end 'x' \"y\" <<'E'\n\\ \nE"}}`,
		`{"session_id":"owner","cwd":"` + root + `","permission_suggestions":[{}],"tool_name":"Write","tool_input":{"file_path":"research/20260222-143000-ffffff/seats/session/a/b.md"}}`,
		`{"session_id":"mine","cwd":"` + root + `","hook_event_name":"AfterAgent","prompt_response":"\ud83d\""}`,
		`{"session_id":{"session_id":"mine"}}`, "", "[", `{"a`, `{"a":`, `{"\ud800":1}`, strings.Repeat("[", 9999), strings.Repeat(`{"a":`, 9999), "\xef\xbb\xbf{}", "\x00",
	}
	names := append(pluginHooks, "user-prompt-expansion", "loop", "after-agent", "\xff", "")
	answered := 0
	for n := range 10_000 {
		in := []byte(seeds[n%len(seeds)])
		for range dice.IntN(4) {
			if len(in) > 0 {
				in[dice.IntN(len(in))] = byte(dice.Uint32())
			}
		}
		name := names[dice.IntN(len(names))]
		var stdout bytes.Buffer
		require.Zero(t, run([]string{"council-hook", name}, bytes.NewReader(in), &stdout, io.Discard))
		if stdout.Len() == 0 {
			require.NotEqual(t, "after-agent", name)
			continue
		}
		answered++
		require.True(t, gjson.ValidBytes(stdout.Bytes()) && gjson.ParseBytes(stdout.Bytes()).IsObject(), "%q", stdout.String())
	}
	require.Greater(t, answered, 1000)
}

type faulty struct{}

func (faulty) Read([]byte) (int, error) { panic("read") }

func TestAFaultLetsTheUserGo(t *testing.T) {
	for what, stdin := range map[string]io.Reader{"a panic": faulty{}, "a failed read": iotest.ErrReader(errors.New("input/output error"))} {
		for _, name := range append(pluginHooks, "loop", "after-agent", "no-such-hook") {
			var stdout, stderr bytes.Buffer
			require.Zero(t, run([]string{"council-hook", name}, stdin, &stdout, &stderr))
			require.NotEmpty(t, stderr.String(), "%s in %s", what, name)
			want := ""
			if name == "after-agent" {
				want = `{"decision":"allow"}` + "\n"
			}
			require.Equal(t, want, stdout.String(), "%s in %s", what, name)
		}
	}
}

func TestVersionIsThePlugins(t *testing.T) {
	manifest, err := os.ReadFile("../../.claude-plugin/plugin.json")
	require.NoError(t, err)
	want := answer{stdout: "council-hook " + gjson.GetBytes(manifest, "version").Str + "\n"}
	require.Equal(t, want, call(t, nil, nil, "version"))
	codex, err := os.ReadFile("../../.codex-plugin/plugin.json")
	require.NoError(t, err)
	require.Equal(t, gjson.GetBytes(manifest, "version").Str, gjson.GetBytes(codex, "version").Str)
	require.Equal(t, "./hosts/codex/hooks.json", gjson.GetBytes(codex, "hooks").Str, "without the key it would read Claude Code's")
	require.Contains(t, call(t, nil, nil, "--help").stdout, "council-hook version")
}

// What the plugin registers is what the program knows.
func TestThePluginsHooks(t *testing.T) {
	data, err := os.ReadFile("../../hooks/hooks.json")
	require.NoError(t, err)
	require.True(t, gjson.ValidBytes(data))
	file := gjson.ParseBytes(data)
	require.Len(t, file.Map(), 1, "Codex refuses any other key than hooks")
	registered := map[string][]string{}
	for event, groups := range file.Get("hooks").Map() {
		for _, group := range groups.Array() {
			for _, h := range group.Get("hooks").Array() {
				require.Equal(t, "command", h.Get("type").Str)
				require.Equal(t, "${CLAUDE_PLUGIN_ROOT}/bin/council-hook", h.Get("command").Str)
				require.Len(t, h.Get("args").Array(), 1, "the exec form: no shell reads the path")
				require.Positive(t, h.Get("timeout").Int())
				name := h.Get("args.0").Str
				registered[event] = append(registered[event], strings.TrimPrefix(group.Get("matcher").Str+" ", " ")+name)
				if name == "stop-wait" {
					require.True(t, h.Get("asyncRewake").Bool())
					require.GreaterOrEqual(t, h.Get("timeout").Int(), int64(86400), "no run is longer")
					require.NotEmpty(t, h.Get("statusMessage").Str)
				}
			}
		}
	}
	require.Equal(t, map[string][]string{
		"UserPromptExpansion": {
			"research-council:deep-research user-prompt-expansion",
			"research-council:staged-research user-prompt-expansion",
			"research-council:confirm-brief user-prompt-expansion",
			"research-council:accept-change user-prompt-expansion",
			"research-council:refuse-change user-prompt-expansion",
			"research-council:full-review user-prompt-expansion",
			"research-council:cancel-research user-prompt-expansion",
			"research-council:research-loop user-prompt-expansion",
			"research-council:status user-prompt-expansion",
			"research-council:setup user-prompt-expansion",
			"research-council:research user-prompt-expansion",
			"research-council:research-and-plan user-prompt-expansion",
			"research-council:full-auto user-prompt-expansion",
			"research-council:implement user-prompt-expansion",
			"research-council:continue-auto user-prompt-expansion",
		},
		"UserPromptSubmit": {"user-prompt-submit"},
		"SessionStart":     {"startup|resume|clear|compact session-start"},
		"Stop":             {"stop", "stop-wait"},
		"PermissionRequest": {
			"Bash|Edit|Write permission-request",
			"mcp__plugin_research-council_desk__.* permission-request",
		},
		"PreCompact":  {"pre-compact"},
		"StopFailure": {"stop-failure"},
		"SessionEnd":  {"session-end"},
	}, registered)
}

// The hook starts with every turn of every session: what it links, it pays for.
func TestTheProgramStaysSmall(t *testing.T) {
	out, err := exec.Command("go", "list", "-buildvcs=false", "-deps", ".").Output()
	require.NoError(t, err)
	listed := []string{"net", "net/http", "os/exec", "regexp", "encoding/json", "text/template", "crypto/tls", "gopkg.in/yaml.v3", "github.com/spf13/cobra", "github.com/tidwall/gjson"}
	if runtime.GOOS == "linux" { // elsewhere the package that lists processes brings them
		listed = append(listed, "fmt", "reflect")
	}
	for _, dep := range strings.Fields(string(out)) {
		for _, heavy := range listed {
			require.NotEqual(t, heavy, dep)
		}
	}
	info, err := os.Stat(hookProgram(t))
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(3<<20))
}

// A session in a folder below the top of a repository owns the run that lies at
// the top.
func TestASessionBelowTheTopIsServed(t *testing.T) {
	root, _ := project(t, "synthesis")
	below, link := filepath.Join(root, "app", "web"), filepath.Join(t.TempDir(), "web")
	require.NoError(t, os.MkdirAll(below, 0o755))
	require.NoError(t, os.Symlink(below, link))
	require.Empty(t, pluginCall(t, below, "mine", "stop").stdout, "outside of a repository it is a project of its own")
	require.NoError(t, os.Mkdir(filepath.Join(root, ".git"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
	for _, dir := range []string{below, link, root} {
		require.Equal(t, "block", gjson.Get(pluginCall(t, dir, "mine", "stop").stdout, "decision").Str, dir)
	}
}
