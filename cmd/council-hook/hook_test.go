package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"research-council/internal/mark"
	"research-council/internal/workspace"
)

// The test binary is the hook program too.
func TestMain(m *testing.M) {
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
	c.Env = append([]string{"COUNCIL_HOOK_UNDER_TEST=1", "PATH=" + os.Getenv("PATH")}, env...)
	var stdout, stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = stdin, &stdout, &stderr
	if err := c.Run(); err != nil && c.ProcessState == nil {
		require.NoError(t, err)
	}
	return answer{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

const prose = "# R\n\nwords\n"

func TestLoop(t *testing.T) {
	claude := `{"session_id":"test","stop_hook_active":false}`
	codex := `{"session_id":"t","turn_id":"1","hook_event_name":"Stop"}`
	gemini := `{"session_id":"t","hook_event_name":"AfterAgent","prompt_response":"` + mark.Complete + `"}`
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
		"the marker ends it":                   {"loop", claude, prose + mark.Complete, "1", "3", "", "1", ""},
		"the marker ends it for Gemini":        {"after-agent", gemini, prose + mark.Complete, "1", "3", "allow", "1", ""},
		"iterations spent":                     {"loop", claude, prose, "3", "3", "", "3", ""},
		"iterations spent for Gemini":          {"after-agent", gemini, prose, "9", "3", "allow", "9", ""},
		"the marker in prose ends nothing":     {"loop", claude, "I add " + mark.Complete + " later\nmore", "1", "3", "block", "2\n", "Research iteration 2/3"},
		"ten iterations unless said otherwise": {"loop", claude, prose, "9", "", "block", "10\n", "Research iteration 10/10"},
		"a most that is no number":             {"loop", claude, prose, "10", "many", "", "10", ""},
		"garbage on standard input":            {"loop", "}{", prose, "1", "3", "block", "2\n", "Research iteration 2/3"},
		"stop_hook_active is no reason to end": {"loop", `{"stop_hook_active":true}`, prose, "1", "3", "block", "2\n", "Research iteration 2/3"},
		"garbage for Gemini":                   {"after-agent", "", prose, "3", "3", "allow", "3", ""},
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
			env := []string{"RESEARCH_REPORT_PATH=" + report, "RESEARCH_STATE_PATH=" + state, "RESEARCH_MAX_ITERS=" + c.max, mark.Child + "=x"}
			for _, got := range []answer{
				call(t, env, strings.NewReader(c.in), c.call),
			} {
				require.Zero(t, got.status)
				require.Equal(t, c.want, gjson.Get(got.stdout, "decision").Str, got.stdout+got.stderr)
				require.Equal(t, c.words, gjson.Get(got.stdout, "systemMessage").Str)
				require.Equal(t, c.want == "block" || c.want == "deny", gjson.Get(got.stdout, "reason").Str != "")
			}
			count, err := os.ReadFile(state)
			require.NoError(t, err)
			require.Equal(t, c.count, string(count))
		})
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
	cases := map[string][]string{
		"no paths":                   nil,
		"no state":                   {"--report", filepath.Join(dir, "r")},
		"a state that is a folder":   {"--report", filepath.Join(dir, "r"), "--state", dir},
		"a folder that is not there": {"--report", filepath.Join(dir, "r"), "--state", filepath.Join(dir, "no", "state")},
	}
	for name, args := range cases {
		t.Run(name, func(t *testing.T) {
			got := call(t, nil, strings.NewReader("{}"), append([]string{"loop"}, args...)...)
			require.Equal(t, answer{"", got.stderr, 0}, got)
			got = call(t, nil, strings.NewReader("{}"), append([]string{"after-agent"}, args...)...)
			require.JSONEq(t, `{"decision":"allow"}`, got.stdout)
		})
	}
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
	require.NoError(t, f.Close())
	s := workspace.State{Active: true, Phase: phase, ResearchID: id, SessionID: "mine", MaxIterations: 10, StartedAt: "2026-02-22T14:30:00Z", Topic: "why?"}
	require.NoError(t, workspace.CreateState(root, s))
	return root, f.Path
}

func pluginCall(t *testing.T, root, session, name string) answer {
	t.Helper()
	in := fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":"Stop","trigger":"auto","reason":"other","error":"rate_limit"}`, session, root)
	return call(t, []string{"RESEARCH_COUNCIL_BIN=/no/such/council"}, strings.NewReader(in), name)
}

func TestStopAsksForTheSynthesisAndRemindsTwice(t *testing.T) {
	root, run := project(t, "synthesis")
	first := pluginCall(t, root, "mine", "stop")
	require.Equal(t, "block", gjson.Get(first.stdout, "decision").Str)
	require.Equal(t, "Research Council: Phase 3/3 — Synthesis", gjson.Get(first.stdout, "systemMessage").Str)
	require.Contains(t, gjson.Get(first.stdout, "reason").Str, "research/"+id+"/prompts/synthesis.md")
	for range 2 {
		again := pluginCall(t, root, "mine", "stop")
		require.Contains(t, gjson.Get(again.stdout, "reason").Str, "Please write the synthesis report")
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
	require.NoError(t, os.WriteFile(filepath.Join(run, "synthesis.md"), []byte("draft"), 0o600))
	require.Equal(t, answer{}, pluginCall(t, root, "mine", "stop"))
}

func TestStopRemovesTheStateOnceTheReportIsThere(t *testing.T) {
	root, run := project(t, "synthesis")
	require.NoError(t, os.WriteFile(filepath.Join(run, "final-report.md"), []byte("report"), 0o600))
	require.Equal(t, answer{}, pluginCall(t, root, "mine", "stop"))
	_, err := workspace.ReadState(root, id)
	require.ErrorIs(t, err, workspace.ErrNoState)
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
		data, err := os.ReadFile(path)
		if err != nil && !d.IsDir() {
			return err
		}
		fmt.Fprintln(sum, path, info.Mode(), len(data), string(data))
		return nil
	}))
	return fmt.Sprintf("%x", sum.Sum(nil))
}

var pluginHooks = []string{"stop", "stop-wait", "session-start", "pre-compact", "session-end", "stop-failure"}

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
		got := call(t, []string{mark.Child + "=" + id}, strings.NewReader(`{"session_id":"mine","cwd":"`+root+`"}`), name)
		require.Equal(t, answer{}, got, name)
	}
	require.Equal(t, before, tree(t, root))
}

func TestACorruptStateBlocksNobody(t *testing.T) {
	for name, state := range map[string]string{
		"empty": "", "no front matter": "hello", "binary": "\x00\xff\xfe", "of another version": "---\nversion: 9\nactive: yes\n---\n",
		"a path as id": "---\nactive: true\nphase: synthesis\nresearch_id: ../../etc\nsession_id: \"mine\"\n---\n",
		"cut off":      "---\nactive: true\nphase: synthesis\nresearch_id: " + id,
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(root, ".claude"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(root, ".claude", "deep-research.local.md"), []byte(state), 0o600))
			before := tree(t, root)
			for _, hook := range pluginHooks {
				require.Equal(t, answer{}, pluginCall(t, root, "mine", hook))
			}
			require.Equal(t, before, tree(t, root))
		})
	}
}

func TestALinkedStateIsNotFollowed(t *testing.T) {
	other, _ := project(t, "synthesis")
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".claude"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(other, ".claude", "deep-research.local.md"), filepath.Join(root, ".claude", "deep-research.local.md")))
	require.Equal(t, answer{}, pluginCall(t, root, "mine", "stop"))
}

func TestAMissingProgramIsSaidAtTheEntranceAlone(t *testing.T) {
	root, _ := project(t, "research")
	got := pluginCall(t, root, "mine", "user-prompt-expansion")
	require.Zero(t, got.status)
	require.Equal(t, "block", gjson.Get(got.stdout, "decision").Str)
	for _, name := range []string{"stop-wait", "session-start"} {
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

// Whatever bytes come, a hook ends with status 0 and one JSON object or nothing.
func TestHostileInput(t *testing.T) {
	root, _ := project(t, "synthesis")
	dice := rand.New(rand.NewPCG(1, 2))
	seeds := []string{`{"session_id":"mine","cwd":"` + root + `","background_tasks":[1]}`, `{"session_id":{"session_id":"mine"}}`, "", "[", `{"a`, `{"a":`, `{"\ud800":1}`, strings.Repeat("[", 9999)}
	for n := range 10_000 {
		in := []byte(seeds[n%len(seeds)])
		for range dice.IntN(4) {
			if len(in) > 0 {
				in[dice.IntN(len(in))] = byte(dice.Uint32())
			}
		}
		name := append(pluginHooks, "loop", "after-agent", "\xff", "")[dice.IntN(len(pluginHooks)+4)]
		if name == "stop-wait" || name == "session-start" {
			continue // they become another program
		}
		var stdout bytes.Buffer
		require.Zero(t, run([]string{"council-hook", name}, bytes.NewReader(in), &stdout, io.Discard))
		if stdout.Len() > 0 {
			require.True(t, gjson.ValidBytes(stdout.Bytes()), "%q", stdout.String())
		}
	}
}

type faulty struct{}

func (faulty) Read([]byte) (int, error) { panic("read") }

func TestAPanicLetsTheUserGo(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Zero(t, run([]string{"council-hook", "stop"}, faulty{}, &stdout, &stderr))
	require.Empty(t, stdout.String())
	require.NotEmpty(t, stderr.String())
}

func TestAFailedReadLetsTheUserGo(t *testing.T) {
	var stdout bytes.Buffer
	require.Zero(t, run([]string{"council-hook", "stop"}, iotestErr{}, &stdout, io.Discard))
	require.Empty(t, stdout.String())
}

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, errors.New("input/output error") }

// The hook starts with every turn of every session: what it links, it pays for.
func TestTheProgramStaysSmall(t *testing.T) {
	out, err := exec.Command("go", "list", "-buildvcs=false", "-deps", ".").Output()
	require.NoError(t, err)
	for _, dep := range strings.Fields(string(out)) {
		for _, heavy := range []string{"net", "net/http", "os/exec", "regexp", "text/template", "crypto/tls", "gopkg.in/yaml.v3", "github.com/spf13/cobra"} {
			require.NotEqual(t, heavy, dep)
		}
	}
	bin := filepath.Join(t.TempDir(), "council-hook")
	build := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	require.NoError(t, build.Run())
	info, err := os.Stat(bin)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(3<<20))
}
