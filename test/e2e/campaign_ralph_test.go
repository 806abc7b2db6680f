package e2e_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// A fake of the public ralph-loop plugin: its command writes a state file in
// the project, and its Stop hook feeds the same text to the session again until
// its own count or promise ends it. It knows nothing of other plugins and runs
// beside their Stop hooks. It is this test binary under other names, so that it
// needs no shell tools.

// ralphState is where the loop keeps its count, from the session's folder.
const ralphState = ".claude/ralph-loop.local.md"

// ralphs are the programs of the plugin, by the name they are called by.
var ralphs = map[string]func(in io.Reader, out io.Writer) error{
	"setup-ralph-loop": setUpRalph, "ralph-stop-hook": stopRalph,
}

// asRalph runs the program this binary is called as; false where it is called
// as a test.
func asRalph(name string) bool {
	program, ok := ralphs[name]
	if !ok {
		return false
	}
	if err := program(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ralph:", err)
		os.Exit(1)
	}
	return true
}

// ralph lays the plugin down and names its folder.
func ralph(t *testing.T) string {
	self, err := os.Executable()
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "ralph-loop")
	for path, text := range map[string]string{
		".claude-plugin/plugin.json": `{"name":"ralph-loop","version":"1.0.0","description":"A fake of a loop","author":{"name":"Nobody"}}`,
		"hooks/hooks.json":           `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"\"${CLAUDE_PLUGIN_ROOT}/bin/ralph-stop-hook\""}]}]}}`,
		"commands/ralph-loop.md": "---\ndescription: Loop\nargument-hint: PROMPT [--max-iterations N]\nallowed-tools: [\"Bash(${CLAUDE_PLUGIN_ROOT}/bin/setup-ralph-loop:*)\"]\n---\n" +
			"Begin the loop:\n\n```!\n\"${CLAUDE_PLUGIN_ROOT}/bin/setup-ralph-loop\" <<'END_OF_ARGUMENTS'\n$ARGUMENTS\nEND_OF_ARGUMENTS\n```\n\nWork on the task. The same prompt comes back when you stop.\n",
	} {
		path = filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o700))
	for name := range ralphs {
		require.NoError(t, os.Symlink(self, filepath.Join(dir, "bin", name)))
	}
	return dir
}

var (
	mostFlag    = regexp.MustCompile(`(?:^|\s)--max-iterations\s+(\d+)(?:\s|$)`)
	promiseFlag = regexp.MustCompile(`--completion-promise\s+(?:'([^']+)'|"([^"]+)"|(\S+))`)
)

// setUpRalph takes the first flags out of the arguments, wherever they stand,
// and one pair of quotes off what is left. The session is unknown at first.
func setUpRalph(in io.Reader, out io.Writer) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	text, most, promise := string(data), "0", "null"
	if found := mostFlag.FindStringSubmatchIndex(text); found != nil {
		most = text[found[2]:found[3]]
		text = text[:found[0]] + " " + text[found[1]:]
	}
	if found := promiseFlag.FindStringSubmatch(text); found != nil {
		promise = strconv.Quote(found[1] + found[2] + found[3])
		text = strings.Replace(text, found[0], "", 1)
	}
	text = strings.TrimSpace(text)
	for _, q := range []string{`"`, `'`} {
		if inner, ok := strings.CutPrefix(text, q); ok && strings.HasSuffix(inner, q) {
			text = strings.TrimSuffix(inner, q)
			break
		}
	}
	if text == "" {
		return errors.New("no prompt")
	}
	if err := os.MkdirAll(filepath.Dir(ralphState), 0o700); err != nil {
		return err
	}
	state := fmt.Sprintf("---\nactive: true\niteration: 1\nsession_id: \nmax_iterations: %s\ncompletion_promise: %s\nstarted_at: \"2026-01-01T00:00:00Z\"\n---\n\n%s\n", most, promise, text)
	fmt.Fprintf(out, "The loop is active: iteration 1 of %s.\n\n%s\n", most, text)
	return os.WriteFile(ralphState, []byte(state), 0o600)
}

// stopRalph claims a loop without an owner, leaves another session's alone,
// ends it at its count, on its promise or on any state it cannot read, and else
// hands its prompt out again.
func stopRalph(in io.Reader, out io.Writer) error {
	stop, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(ralphState)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	state, session := string(data), gjson.GetBytes(stop, "session_id").Str
	switch ralphField(state, "session_id") {
	case "":
		state = strings.Replace(state, "\nsession_id: \n", "\nsession_id: "+session+"\n", 1)
	case session:
	default:
		return nil
	}
	n, err := strconv.Atoi(ralphField(state, "iteration"))
	most, err2 := strconv.Atoi(ralphField(state, "max_iterations"))
	parts := strings.SplitN(state, "\n---\n", 2)
	said, err3 := lastSaid(gjson.GetBytes(stop, "transcript_path").Str)
	switch promise := strings.Trim(ralphField(state, "completion_promise"), `"`); {
	case err != nil, err2 != nil, err3 != nil, len(parts) < 2, strings.TrimSpace(parts[1]) == "":
		return os.Remove(ralphState)
	case most > 0 && n >= most:
		fmt.Fprintf(out, "Ralph loop: max iterations (%d) reached.\n", most)
		return os.Remove(ralphState)
	case promise != "null" && strings.Contains(said, "<promise>"+promise+"</promise>"):
		return os.Remove(ralphState)
	}
	state = strings.Replace(state, fmt.Sprintf("\niteration: %d\n", n), fmt.Sprintf("\niteration: %d\n", n+1), 1)
	if err := os.WriteFile(ralphState, []byte(state), 0o600); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(map[string]string{
		"decision": "block", "reason": parts[1], "systemMessage": fmt.Sprintf("Ralph iteration %d", n+1),
	})
}

func ralphField(state, name string) string {
	for line := range strings.Lines(state) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// lastSaid is the last text of the assistant in a transcript. One in which it
// has said nothing at all ends the loop.
func lastSaid(transcript string) (string, error) {
	f, err := os.Open(transcript)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, heard := "", false
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		m := gjson.GetBytes(lines.Bytes(), "message")
		if m.Get("role").Str != "assistant" {
			continue
		}
		heard = true
		if said := m.Get(`content.#(type=="text").text`); said.Exists() {
			text = said.Str
		}
	}
	if !heard {
		return "", errors.Join(errors.New("the transcript has no answer"), lines.Err())
	}
	return text, lines.Err()
}

func TestTheFakeLoopBehavesAsTheTrueOne(t *testing.T) {
	t.Chdir(t.TempDir())
	spoken := filepath.Join(t.TempDir(), "transcript.jsonl")
	require.NoError(t, os.WriteFile(spoken, []byte(`{"message":{"role":"assistant","content":[{"type":"text","text":"Well: <promise>DONE</promise>"}]}}`+"\n"), 0o600))
	stop := func(session string) string {
		var out strings.Builder
		input := fmt.Sprintf(`{"session_id":%q,"transcript_path":%q,"stop_hook_active":true}`, session, spoken)
		require.NoError(t, stopRalph(strings.NewReader(input), &out))
		return out.String()
	}
	begin := func(args string) { require.NoError(t, setUpRalph(strings.NewReader(args), io.Discard)) }

	require.Empty(t, stop("a"), "without a loop it lets every session stop")
	begin(`"/do 'it' & that" --max-iterations 2` + "\n")
	first := stop("a")
	require.Equal(t, "\n/do 'it' & that\n", gjson.Get(first, "reason").Str)
	require.Equal(t, "block", gjson.Get(first, "decision").Str)
	require.Empty(t, stop("b"), "it is the first session's")
	require.FileExists(t, ralphState)
	require.Contains(t, stop("a"), "max iterations (2) reached")
	require.NoFileExists(t, ralphState)

	begin("go on --completion-promise 'NEVER'")
	require.Contains(t, stop("a"), `"block"`)
	require.NoError(t, os.Remove(ralphState))
	begin("go on --completion-promise 'DONE'")
	require.Empty(t, stop("a"), "its promise ends it")
	require.NoFileExists(t, ralphState)
	require.Error(t, setUpRalph(strings.NewReader("  --max-iterations 3 "), io.Discard))
}
