package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/engine/sessionloop"
	"github.com/research-council/research-council/internal/host/program"
	hostsession "github.com/research-council/research-council/internal/host/session"
)

// councilHook is what the council program does when a session of Claude Code hands it
// a slash command: the test binary is that program too.
func councilHook(name string) int {
	e := program.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Environ: os.Environ(), Self: os.Getenv("RESEARCH_COUNCIL_BIN")}
	do := hostsession.AnswerSlashCommand
	if name == "answer" {
		do = hostsession.WriteCommandWords
	}
	if err := do(context.Background(), e); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return 0
}

// story is one of testdata/loop.yaml, whose author knew the hosts and not this
// program.
type story struct {
	Name  string
	Host  any
	Given map[string]any
	Steps []map[string]any
}

// ownSession are the sessions of the stories' hosts.
var ownSession = map[string]string{
	sessionloop.Claude: "5b0c1d1e-7f3a-4f0e-9a55-0c2f6c1d0001", sessionloop.Codex: "019ab3c4-5d6e-7f80-9123-456789abcdef", sessionloop.Gemini: "7d1f0a52-0000-4c1e-8f00-aa00bb00cc01",
}

// told is what the hooks are in a story: a home, and a project that is not there
// unless somebody makes it.
type told struct {
	t      *testing.T
	host   string
	folder string
	env    []string
}

func teller(t *testing.T, host string) told {
	home := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	env := []string{"HOME=" + home, "RESEARCH_COUNCIL_BIN=" + self}
	folder, err := sessionloop.Folder(func(name string) string { return map[string]string{"HOME": home}[name] })
	require.NoError(t, err)
	return told{t: t, host: host, folder: folder, env: env}
}

// lay puts a story's state down.
func (x told) lay(state map[string]any) {
	l := sessionloop.New(x.host, ownSession[x.host], state["task"].(string), sessionloop.TaskFile(x.folder, x.host, ownSession[x.host]), time.Now().Add(-time.Minute))
	l.Max, l.Answers, l.Marker = state["max"].(int), state["i"].(int), state["marker"].(string)
	if x.host == sessionloop.Gemini {
		l.Bind(state["task"].(string))
	}
	require.NoError(x.t, sessionloop.Begin(x.folder, l, state["task"].(string)))
}

// stands is how the loop of the story's own session stands.
func (x told) stands() (sessionloop.Loop, bool) {
	h, err := sessionloop.Open(x.folder, x.host, ownSession[x.host])
	require.NoError(x.t, err)
	if h == nil {
		return sessionloop.Loop{}, false
	}
	defer h.Close()
	return h.Loop, true
}

// verbs are the hooks of Claude Code that the plugin registers.
var verbs = map[string]string{
	"Stop": "stop", "UserPromptExpansion": "user-prompt-expansion", "UserPromptSubmit": "user-prompt-submit", "SessionStart": "session-start",
	"SessionEnd": "session-end", "PreCompact": "pre-compact", "StopFailure": "stop-failure",
}

// hear tells the hook of an event.
func (x told) hear(event string, stdin any, env ...string) answer {
	verb := x.host
	if x.host == sessionloop.Claude {
		if verb = verbs[event]; verb == "" {
			return answer{} // it is not registered
		}
	}
	data, err := json.Marshal(stdin)
	require.NoError(x.t, err)
	return call(x.t, append(slices.Clone(x.env), env...), strings.NewReader(string(data)), verb)
}

// kind is what an answer means, as the stories name it.
func (x told) kind(got answer) string {
	require.Zero(x.t, got.status, got.stderr)
	require.LessOrEqual(x.t, strings.Count(got.stdout, "\n"), 1, "one object: %s", got.stdout)
	if !strings.HasPrefix(got.stdout, "{") {
		return "let_go"
	}
	require.True(x.t, json.Valid([]byte(got.stdout)), got.stdout)
	o := gjson.Parse(got.stdout)
	switch {
	case o.Get("decision").Str == "block" || o.Get("decision").Str == "deny":
		require.Equal(x.t, x.host == sessionloop.Gemini, o.Get("decision").Str == "deny")
		require.NotEmpty(x.t, o.Get("reason").Str)
		require.Less(x.t, len(o.Get("reason").Str), 1500)
		for key := range o.Map() {
			require.Contains(x.t, []string{"decision", "reason", "systemMessage"}, key)
		}
		return "continue"
	case o.Get("continue").Exists() && !o.Get("continue").Bool():
		return "block_prompt"
	case o.Get("hookSpecificOutput.additionalContext").Str != "":
		return "context"
	}
	return "let_go"
}

// require compares the loop with a story's words for it.
func (x told) require(step string, state any) {
	l, is := x.stands()
	switch want := state.(type) {
	case string:
		if want == "none" {
			require.False(x.t, is && l.Status == sessionloop.Active, step)
		}
	case map[string]any:
		require.True(x.t, is, step)
		if n, ok := want["i"]; ok {
			require.Equal(x.t, n, l.Answers, "%s: answers", step)
		}
		if s, ok := want["status"]; ok {
			require.Equal(x.t, s, string(l.Status), step)
		}
		if n, ok := want["max"]; ok {
			require.Equal(x.t, n, l.Max, step)
		}
		if m, ok := want["marker"]; ok {
			require.Equal(x.t, m, l.Marker, step)
		}
		if s, ok := want["task"]; ok {
			require.Equal(x.t, s, l.Task, step)
		}
	}
}

// toldApart are stories that a test of their own tells, for the world does
// something in them, or that another host's doors tell.
var toldApart = map[string]string{
	"l14-cancel-from-a-terminal-during-a-turn":     "testdata/script/loop.txtar of the council program",
	"l15-status-of-the-loop":                       "testdata/script/loop.txtar of the council program",
	"l17-two-loops-two-sessions-one-folder":        "TestLoopsOfTwoSessionsDoNotSeeEachOther",
	"l18-two-hooks-at-the-same-millisecond":        "TestLoopsOfTwoSessionsDoNotSeeEachOther",
	"l57-claude-cap-of-eight":                      "TestTheHostsOwnCapIsSaidAndGoneOnAfter",
	"l60-state-deleted":                            "TestALoopThatCannotBeCountedLetsGo",
	"l61-state-deleted-while-the-hook-runs":        "sessionloop.TestALoopThatWasDeletedStaysDeleted",
	"l62-state-corrupted":                          "TestALoopThatCannotBeCountedLetsGo",
	"l63-state-read-only":                          "TestALoopThatCannotBeCountedLetsGo",
	"l64-state-not-readable":                       "TestALoopThatCannotBeCountedLetsGo",
	"l65-state-is-a-link":                          "TestALoopThatCannotBeCountedLetsGo",
	"l66-state-in-a-cloned-repository":             "TestALoopThatCannotBeCountedLetsGo",
	"l67-state-of-a-newer-version":                 "TestALoopThatCannotBeCountedLetsGo",
	"l68-state-with-mad-numbers":                   "TestALoopThatCannotBeCountedLetsGo",
	"l22-state-with-empty-owner":                   "TestALoopThatCannotBeCountedLetsGo",
	"l70-project-folder-moved-or-removed":          "a loop follows its session, whatever becomes of the folder",
	"l69-person-raises-the-limit-by-hand":          "there is no such command",
	"l98-task-of-30-kb":                            "TestALongTaskIsKeptWhole",
	"l100-flags-in-odd-places":                     "request.TestSessionLoop",
	"l101-stdin-hostile":                           "TestHostileInputLetsGo",
	"l103-gemini-binary-missing":                   "the launcher's",
	"l106-hook-killed-by-time-out":                 "TestHostileInputLetsGo",
	"l107-clock-and-deadline":                      "sessionloop.TestADayIsTheEnd",
	"l09-codex-begin-by-skill":                     "host.TestTyped",
	"l10-gemini-begin-by-command":                  "host.TestTyped",
	"l49-gemini-old-marker-stays":                  "sessionloop.TestANewLoopJudgesNewTextAlone",
	"l59-gemini-needs-the-own-cap":                 "e2e",
	"l108-headless-claude":                         "e2e",
	"l109-headless-codex":                          "e2e",
	"l110-headless-gemini":                         "docs/hosts.md: an extension's hooks run there",
	"l111-plugin-disabled-in-the-middle":           "testdata/script/loop.txtar of the council program",
	"l114-loop-and-a-finished-council-at-one-stop": "TestALoopAndARunSpeakAsOne",
	"l29-council-seat-in-the-same-project":         "TestALoopAndARunSpeakAsOne",
}

func stories(t *testing.T) []story {
	data, err := os.ReadFile("testdata/loop.yaml")
	require.NoError(t, err)
	var all struct{ Stories []story }
	require.NoError(t, yaml.Unmarshal(data, &all))
	require.Greater(t, len(all.Stories), 80)
	return all.Stories
}

// Somebody who had not seen the program wrote what becomes of a person's session
// in each of them.
func TestStoriesOfALoop(t *testing.T) {
	run := 0
	for _, s := range stories(t) {
		if toldApart[s.Name] != "" {
			continue
		}
		hosts := []string{fmt.Sprint(s.Host)}
		if list, ok := s.Host.([]any); ok {
			hosts = nil
			for _, h := range list {
				hosts = append(hosts, h.(string))
			}
		}
		run++
		t.Run(s.Name, func(t *testing.T) { tell1(t, s, hosts) })
	}
	require.Greater(t, run, 50)
}

// hostOf is the host that a call comes from.
func hostOf(event string, stdin map[string]any, hosts []string) string {
	switch {
	case event == "AfterAgent" || event == "BeforeAgent" || event == "PreCompress":
		return sessionloop.Gemini
	case stdin["turn_id"] != nil:
		return sessionloop.Codex
	}
	return hosts[0]
}

func tell1(t *testing.T, s story, hosts []string) {
	owner := teller(t, hosts[0])
	if first, ok := s.Steps[0]["stdin"].(map[string]any); ok {
		owner.host = hostOf(fmt.Sprint(s.Steps[0]["event"]), first, hosts)
	}
	if state, ok := s.Given["state"].(map[string]any); ok {
		if strings.HasPrefix(fmt.Sprint(state["owner"]), "claude ") {
			owner.host = sessionloop.Claude
		}
		owner.lay(state)
	}
	var given []string
	if env, ok := s.Given["env"].(map[string]any); ok {
		for name, value := range env {
			given = append(given, name+"="+fmt.Sprint(value))
		}
	}
	free := false // an answer that may also be was given: what the story expects of the loop no longer holds
	for i, step := range s.Steps {
		event, ok := step["event"].(string)
		if !ok {
			continue
		}
		name := fmt.Sprintf("step %d, %s", i+1, event)
		stdin, _ := step["stdin"].(map[string]any)
		caller := owner
		caller.host = hostOf(event, stdin, hosts)
		env := slices.Clone(given)
		if more, ok := step["env"].(map[string]any); ok {
			for k, v := range more {
				env = append(env, k+"="+fmt.Sprint(v))
			}
		}
		copies, _ := step["copies"].(int)
		var got answer
		answers := make(chan answer, max(copies, 1))
		for range max(copies, 1) {
			go func() { answers <- caller.hear(event, stdin, env...) }()
		}
		for range max(copies, 1) {
			got = <-answers
			kind, want, or := caller.kind(got), step["answer"], fmt.Sprint(step["or"])
			if kind != want && want != nil {
				require.True(t, strings.HasPrefix(or, kind) || strings.HasPrefix(or, "as l30"), "%s: %s, got %s: %s%s", name, want, kind, got.stdout, got.stderr)
				free = true
			}
		}
		if l, is := owner.stands(); is && l.Marker != "" {
			for line := range strings.Lines(gjson.Get(got.stdout, "reason").Str + "\n" + gjson.Get(got.stdout, "hookSpecificOutput.additionalContext").Str) {
				require.NotEqual(t, l.Marker, strings.TrimSpace(line), name)
			}
		}
		if !free {
			owner.require(name, step["state"])
		}
	}
}

// A promise stands nowhere but in an answer, and what the loop asks with makes none
// when it is quoted back.
func TestTheReasonIsNoPromise(t *testing.T) {
	l := sessionloop.New(sessionloop.Claude, "s", "Work\nALL GREEN\nuntil done", "/f", time.Now())
	l.Marker = "ALL GREEN"
	require.False(t, marker.EndsWith([]byte(l.Reason()), l.Marker))
	require.Contains(t, l.Reason(), `"ALL GREEN"`)
}

// What cannot be counted is not continued, and what is no loop of this session's
// stays as it is.
func TestALoopThatCannotBeCountedLetsGo(t *testing.T) {
	state := map[string]any{"task": "Fix it", "max": 5, "i": 2, "marker": "ALL GREEN"}
	stop := func(x told) answer {
		return x.hear("Stop", map[string]any{"session_id": ownSession[x.host], "cwd": "/tmp/w/proj", "hook_event_name": "Stop", "turn_id": "1", "last_assistant_message": "x"})
	}
	edit := func(old, new string) func(*testing.T, string) {
		return func(t *testing.T, file string) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Contains(t, string(data), old)
			require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(data), old, new, 1)), 0o600))
		}
	}
	for name, c := range map[string]struct {
		world func(t *testing.T, file string)
		stays bool // what stands there stays byte for byte
		gone  bool // it is set aside
	}{
		"nothing happens": {world: nil},
		"it is deleted":   {world: func(t *testing.T, file string) { require.NoError(t, os.Remove(file)) }, gone: true},
		"it is cut":       {world: func(t *testing.T, file string) { require.NoError(t, os.Truncate(file, 40)) }, gone: true},
		"it is NULs":      {world: func(t *testing.T, file string) { require.NoError(t, os.WriteFile(file, make([]byte, 4096), 0o600)) }, gone: true},
		"it is empty":     {world: func(t *testing.T, file string) { require.NoError(t, os.Truncate(file, 0)) }, gone: true},
		"a folder": {world: func(t *testing.T, file string) {
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.Mkdir(file, 0o700))
		}},
		"a pipe": {world: func(t *testing.T, file string) {
			require.NoError(t, os.Remove(file))
			require.NoError(t, proctest.NamedPipe(file))
		}},
		"a link": {world: func(t *testing.T, file string) {
			require.NoError(t, os.Rename(file, file+".x"))
			require.NoError(t, os.Symlink(file+".x", file))
		}},
		"a newer release":     {world: edit("research-loop 1", "research-loop 2"), stays: true},
		"no owner":            {world: edit("session: "+ownSession[sessionloop.Codex], "session: "), stays: true},
		"another owner":       {world: edit("session: 019a", "session: 019b"), stays: true},
		"another host's":      {world: edit("host: codex", "host: claude"), stays: true},
		"answers below zero":  {world: edit("answers: 2", "answers: -5"), gone: true},
		"answers over all":    {world: edit("answers: 2", "answers: 7"), gone: true},
		"answers in words":    {world: edit("answers: 2", "answers: two"), gone: true},
		"no most":             {world: edit("max: 5", "max: 0"), gone: true},
		"a most below zero":   {world: edit("max: 5", "max: -1"), gone: true},
		"a most without end":  {world: edit("max: 5", "max: 9223372036854775807"), gone: true},
		"a most over any int": {world: edit("max: 5", "max: 92233720368547758070"), gone: true},
		"a marker unquoted":   {world: edit(`marker: "ALL GREEN"`, "marker: ALL GREEN"), gone: true},
		"it may not be written": {world: func(t *testing.T, file string) {
			require.NoError(t, os.Chmod(file, 0o400))
			require.NoError(t, os.Chmod(filepath.Dir(file), 0o500))
			t.Cleanup(func() { _ = os.Chmod(filepath.Dir(file), 0o700) })
			if os.Geteuid() == 0 {
				t.Skip("root may write all the same")
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			x := teller(t, sessionloop.Codex)
			x.lay(state)
			file := filepath.Join(x.folder, "codex-"+ownSession[x.host])
			if c.world == nil {
				require.Equal(t, "continue", x.kind(stop(x)), "the story would hold without its fault")
				return
			}
			c.world(t, file)
			var before []byte
			if c.stays {
				var err error
				before, err = os.ReadFile(file)
				require.NoError(t, err)
			}
			for range 2 {
				require.Equal(t, "let_go", x.kind(stop(x)))
			}
			if c.stays {
				after, err := os.ReadFile(file)
				require.NoError(t, err)
				require.Equal(t, before, after)
			}
			if c.gone {
				require.NoFileExists(t, file)
			}
		})
	}
}

func TestLoopsOfTwoSessionsDoNotSeeEachOther(t *testing.T) {
	claude := teller(t, sessionloop.Claude)
	codex := claude
	codex.host = sessionloop.Codex
	claude.lay(map[string]any{"task": "Mend A", "max": 300, "i": 0, "marker": "AAA"})
	codex.lay(map[string]any{"task": "Mend B", "max": 300, "i": 0, "marker": "BBB"})
	const each = 20
	var wait sync.WaitGroup
	for n := range each {
		for _, x := range []told{claude, codex} {
			other := map[string]string{sessionloop.Claude: "BBB", sessionloop.Codex: "AAA"}[x.host]
			wait.Go(func() {
				got := x.hear("Stop", map[string]any{"session_id": ownSession[x.host], "hook_event_name": "Stop", "last_assistant_message": fmt.Sprintf("%d\n%s", n, other)})
				require.Equal(t, "continue", x.kind(got))
				require.Contains(t, got.stdout, map[string]string{sessionloop.Claude: "Mend A", sessionloop.Codex: "Mend B"}[x.host])
			})
		}
		wait.Wait()
	}
	for _, x := range []told{claude, codex} {
		l, _ := x.stands()
		require.Equal(t, each, l.Answers)
	}
}

func TestHostileInputLetsGo(t *testing.T) {
	state := map[string]any{"task": "Fix it", "max": 50, "i": 0, "marker": "ALL GREEN"}
	valid := `{"session_id":"` + ownSession[sessionloop.Claude] + `","hook_event_name":"Stop","last_assistant_message":`
	for name, c := range map[string]struct{ in, want string }{
		"nothing":                    {"", "let_go"},
		"a brace":                    {"{", "let_go"},
		"a list":                     {"[]", "let_go"},
		"no session":                 {`{"hook_event_name":"Stop"}`, "let_go"},
		"cut in the answer":          {valid + `"ALL GR`, "let_go"},
		"bytes that are no UTF-8":    {valid + "\"\xff\xfe\"}", "continue"},
		"20 MB that end in the mark": {valid + `"` + strings.Repeat("words ", 3_500_000) + `\nALL GREEN"}`, "let_go"},
		"10,000 nested arrays":       {valid + `"x","more":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "}", "continue"},
		"a megabyte of blanks":       {valid + `"x"}` + strings.Repeat(" ", 1<<20), "continue"},
		"an answer that is a list":   {valid + `[{"type":"text","text":"ALL GREEN"}]}`, "continue"},
		"another event":              {`{"session_id":"` + ownSession[sessionloop.Claude] + `","hook_event_name":"NoSuchEvent"}`, "let_go"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, verb := range []string{"stop", "codex", "gemini"} {
				x := teller(t, sessionloop.Claude)
				if verb != "stop" {
					x.host = verb
				}
				x.lay(state)
				in := strings.ReplaceAll(c.in, ownSession[sessionloop.Claude], ownSession[x.host])
				if verb == "gemini" {
					in = strings.NewReplacer(`"Stop"`, `"AfterAgent","prompt":"Fix it"`, "last_assistant_message", "prompt_response").Replace(in)
				}
				if verb == "stop" && strings.Contains(in, "NoSuchEvent") {
					continue // Claude Code names the event on the command line
				}
				require.Equal(t, c.want, x.kind(call(t, x.env, strings.NewReader(in), verb)), verb)
			}
		})
	}
}

// The answer is judged as soon as its object is whole: a host need not close its end.
func TestAHostThatDoesNotCloseItsEndIsAnswered(t *testing.T) {
	x := teller(t, sessionloop.Claude)
	x.lay(map[string]any{"task": "Fix it", "max": 5, "i": 0, "marker": "G"})
	ours, theirs, err := os.Pipe()
	require.NoError(t, err)
	defer theirs.Close()
	_, err = theirs.WriteString(`{"session_id":"` + ownSession[x.host] + `","last_assistant_message":"x"}`)
	require.NoError(t, err)
	require.Equal(t, "continue", x.kind(call(t, x.env, ours, "stop")))
}

func TestAHostThatNeverEndsWhatItTellsIsLetGo(t *testing.T) {
	t.Parallel()
	x := teller(t, sessionloop.Gemini)
	ours, theirs, err := os.Pipe()
	require.NoError(t, err)
	defer theirs.Close()
	_, err = theirs.WriteString(`{"session_id":"` + ownSession[x.host] + `","prompt_response":"x`)
	require.NoError(t, err)
	require.Equal(t, answer{}, call(t, x.env, ours, "gemini"))
}

func TestTheHostsOwnCapIsSaidAndGoneOnAfter(t *testing.T) {
	x := teller(t, sessionloop.Claude)
	begin := func(args string, env ...string) string {
		got := x.hear("UserPromptExpansion", map[string]any{"session_id": ownSession[x.host], "cwd": "/tmp/w/proj", "command_name": "research-council:research-loop", "command_args": args}, env...)
		return gjson.Get(got.stdout, "hookSpecificOutput.additionalContext").Str + gjson.Get(got.stdout, "stopReason").Str
	}
	require.Contains(t, begin("Fix it --max-iterations 20"), "after 8 answers in a row without a tool call")
	for n := range 9 {
		require.Equal(t, "continue", x.kind(x.hear("Stop", map[string]any{"session_id": ownSession[x.host], "stop_hook_active": n > 0, "last_assistant_message": strconv.Itoa(n)})))
	}
	said := x.hear("UserPromptSubmit", map[string]any{"session_id": ownSession[x.host], "prompt": "go on"})
	require.Equal(t, "context", x.kind(said))
	require.Contains(t, said.stdout, "9 of 20")
	require.Equal(t, "continue", x.kind(x.hear("Stop", map[string]any{"session_id": ownSession[x.host], "last_assistant_message": "more"})))
	l, _ := x.stands()
	require.Equal(t, 10, l.Answers)

	require.Contains(t, begin("cancel"), "cancelled, after 10 of 20")
	require.NotContains(t, begin("Fix it --max-iterations 20", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=0"), "in a row")
	require.Contains(t, begin("Other --max-iterations 3"), "a loop is on in this session")
	require.Contains(t, begin("status"), "0 of 20")
	require.Contains(t, begin("continue"), "0 of 20")
}

func TestALongTaskIsKeptWhole(t *testing.T) {
	x := teller(t, sessionloop.Claude)
	task := strings.TrimSpace(strings.Repeat("Fix the tests.\r\n```\n---\nALL GREEN\n", 900))
	got := x.hear("UserPromptExpansion", map[string]any{"session_id": ownSession[x.host], "cwd": "/tmp/w/proj", "command_name": "research-council:research-loop", "command_args": task + ` --marker "ALL GREEN"`})
	require.Equal(t, "context", x.kind(got), got.stdout)
	reason := gjson.Get(x.hear("Stop", map[string]any{"session_id": ownSession[x.host], "last_assistant_message": "x"}).stdout, "reason").Str
	require.Less(t, len(reason), 1500)
	file := sessionloop.TaskFile(x.folder, x.host, ownSession[x.host])
	require.Contains(t, reason, file)
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, task, string(kept))
}

// A loop and a run of one session speak with one voice at a stop.
func TestALoopAndARunSpeakAsOne(t *testing.T) {
	root, _ := project(t, "synthesis")
	x := teller(t, sessionloop.Claude)
	l := sessionloop.New(x.host, "mine", "Fix it", "/f", time.Now())
	require.NoError(t, sessionloop.Begin(x.folder, l, "Fix it"))
	got := call(t, append(x.env, "CLAUDE_PROJECT_DIR="+root), strings.NewReader(`{"session_id":"mine","last_assistant_message":"waiting"}`), "stop")
	require.Equal(t, "continue", x.kind(got))
	require.Contains(t, got.stdout, "write the synthesis")
	require.Contains(t, got.stdout, "Go on with the task")
}
