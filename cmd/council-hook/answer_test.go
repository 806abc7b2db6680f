package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/product/codereview/reviewwork"
)

// TestWhatIsRefusedIsAnswered types commands of campaigns and of the review that
// are refused: a host with mods is given the words and nothing else, one without
// the same words as the reason for which the command is stopped. Neither changes
// anything.
func TestWhatIsRefusedIsAnswered(t *testing.T) {
	code := map[string]string{"main.go": "package main\n\nfunc main() {}\n"}
	plan := map[string]string{"docs/research-tea/tea-state.md": "no state\n"}
	lock, err := json.Marshal(map[string]any{"run": "20260222-143000-a1b2c3", "at": time.Now()})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		files        map[string]string
		typed, words string
	}{
		"no name":                              {nil, "research", "there is no name"},
		"no prompt":                            {nil, "research 'tea'", "there is no prompt"},
		"no prompt for a plan":                 {nil, "research-and-plan 'tea'", "there is no prompt"},
		"a name that is a path":                {nil, "research '../..' 'Why?'", "a letter or a digit"},
		"a flag for campaigns without session": {nil, "full-auto 'tea' 'Why?' --allow Bash(make:*)", "--allow"},
		"a seat that is none":                  {nil, "research 'tea' 'Why?' --seats parrot", "parrot"},
		"a tier that is none":                  {nil, "research 'tea' 'Why?' --tier gold", "gold"},
		"a folder of another":                  {plan, "research 'tea' 'Why?'", "docs/research-tea/tea-state.md cannot be read"},
		"nothing to build":                     {nil, "implement 'tea'", "plan"},
		"no campaign to go on with":            {nil, "continue-auto", "no campaign"},
		"no campaign of that name":             {nil, "continue-auto 'tea'", "tea"},
		"a folder that is not there":           {code, "full-review nowhere", "nowhere"},
		"a folder outside":                     {code, "full-review ..", "outside this project"},
		"a reviewer that is none":              {code, "full-review --seats parrot", "parrot"},
		"a commit that is none":                {code, "full-review --since nowhere", "nowhere"},
		"a second review": {
			map[string]string{"main.go": code["main.go"], filepath.Join(reviewwork.ReviewFolder, reviewwork.ReviewLock): string(lock)},
			"full-review", "20260222-143000-a1b2c3 of this project is under way",
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := typist(t, c.files)
			before := tree(t, x.root)
			said := x.types("answer", c.typed)
			require.Contains(t, said.stdout, c.words)
			require.NotContains(t, said.stdout, "Research council:", "the host says whose answer it is")
			stopped := x.types("user-prompt-expansion", c.typed)
			require.False(t, gjson.Get(stopped.stdout, "continue").Bool(), stopped.stdout)
			require.Equal(t, "Research council: "+said.stdout, gjson.Get(stopped.stdout, "stopReason").Str)
			require.Equal(t, before, tree(t, x.root))
		})
	}
}

// TestWhatBeginsIsLeftToTheHook types commands that nothing refuses.
func TestWhatBeginsIsLeftToTheHook(t *testing.T) {
	x := typist(t, map[string]string{"main.go": "package main\n\nfunc main() {}\n"})
	before := tree(t, x.root)
	for _, typed := range []string{"research 'tea' 'Why is it hot?'", "research-and-plan 'tea' 'Why is it hot?'", "full-review --seats reader", "deep-research 'Why?' --seats reader --scope ."} {
		require.Equal(t, answer{}, x.types("answer", typed), typed)
		require.Equal(t, before, tree(t, x.root), typed)
	}
	require.Contains(t, x.types("answer", "research 'tea' 'Why is it hot?' --dry-run").stdout, "tea", "a plan is all of an answer")
	require.Equal(t, before, tree(t, x.root))
}

// A command that only a person may type is answered as what the session is: one that
// an agent has started, though what it inherited names the process of another.
func TestAnAnswerKnowsWhoHasStartedTheSession(t *testing.T) {
	x := typist(t, nil)
	typed := `{"command_name":"research-council:accept-change","command_args":"'tea' F001 it is right","session_id":"mine","cwd":"` + x.root + `"}`
	for started, words := range map[string]string{"": "no campaign", "CLAUDECODE=1": "only a person can judge a change, and this session was started by Claude Code"} {
		host := exec.Command("/bin/sh", "-c", `"$0" answer; exit $?`, x.env[len(x.env)-1][len("RESEARCH_COUNCIL_BIN="):]) // which stays the parent
		host.Env = append([]string{"COUNCIL_HOOK_UNDER_TEST=1", quickRace, "CLAUDE_PID=" + strconv.Itoa(os.Getpid()), started}, x.env...)
		host.Stdin = strings.NewReader(typed)
		said, err := host.Output()
		require.NoError(t, err)
		require.Contains(t, string(said), words)
	}
}

// typing is a session in which a person types our commands.
type typing struct {
	t    *testing.T
	root string
	env  []string
}

// typist is a session in a repository with the files.
func typist(t *testing.T, files map[string]string) typing {
	x := teller(t, "")
	root := t.TempDir()
	require.NoError(t, exec.Command("git", "init", "-q", root).Run())
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("seats: [reader]\ncommands:\n  reader: {program: /bin/true}\n"), 0o600))
	self, err := os.Executable()
	require.NoError(t, err)
	bin := t.TempDir()
	for _, program := range []string{"council", "council-hook"} {
		require.NoError(t, os.Symlink(self, filepath.Join(bin, program)))
	}
	return typing{t, root, append(x.env, "COUNCIL_CONFIG="+config, "RESEARCH_COUNCIL_BIN="+filepath.Join(bin, "council"))}
}

// types tells a verb of the hook of a command with its arguments.
func (x typing) types(verb, typed string) answer {
	name, args, _ := strings.Cut(typed, " ")
	data, err := json.Marshal(map[string]string{"command_name": "research-council:" + name, "command_args": args, "session_id": "mine", "cwd": x.root})
	require.NoError(x.t, err)
	got := call(x.t, x.env, strings.NewReader(string(data)), verb)
	require.Zero(x.t, got.status)
	require.Empty(x.t, got.stderr)
	return got
}
