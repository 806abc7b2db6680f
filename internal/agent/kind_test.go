package agent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
)

func TestASeatInheritsNoOthersKey(t *testing.T) {
	parent := []string{
		"PATH=/bin", "LC_ALL=C", "HTTPS_PROXY=http://proxy", "OPENAI_API_KEY=theirs", "ANTHROPIC_API_KEY=mine", "CLAUDECODE=1",
		"MY_TOKEN=named", "PATHOLOGY=no", "no equals sign", "=nameless", "EMPTY=",
	}
	plain := agent.Kind{}.Environ(parent)
	require.Equal(t, map[string]string{"PATH": "/bin", "LC_ALL": "C", "HTTPS_PROXY": "http://proxy"}, plain)
	own := agent.Kind{Inherits: func(given map[string]string) []string {
		require.Equal(t, "1", given["CLAUDECODE"], "a kind sees all before it chooses")
		return []string{"ANTHROPIC_*"}
	}}
	require.Equal(t, map[string]string{
		"PATH": "/bin", "LC_ALL": "C", "HTTPS_PROXY": "http://proxy", "ANTHROPIC_API_KEY": "mine", "MY_TOKEN": "named", "EMPTY": "",
	}, own.Environ(parent, "MY_TOKEN", "EMPTY", "NOT_THERE"))
}

func TestASwitchOfTheEnvironment(t *testing.T) {
	for value, on := range map[string]bool{"": false, "0": false, "False": false, "NO": false, "off": false, "1": true, "true": true, "yes": true, "2": true} {
		require.Equal(t, on, agent.IsSet(value), value)
	}
}

func TestAProgramsFolderIsWhereItsVariableSays(t *testing.T) {
	set := map[string]string{"CODEX_HOME": "/elsewhere"}
	i := agent.Installation{Home: "/home/ada", Getenv: func(name string) string { return set[name] }}
	require.Equal(t, "/elsewhere", i.Folder("CODEX_HOME", ".codex"))
	require.Equal(t, "/home/ada/.gemini", i.Folder("GEMINI_HOME", ".gemini"))
}

func TestWhatIsSaidOfALogin(t *testing.T) {
	require.Equal(t, agent.Finding{Level: agent.LevelOK, Text: "login: A_KEY; the owner of that key pays by use"}, agent.KeyLogin("A_KEY"))
	require.Equal(t, agent.Finding{Level: agent.LevelWarning, Text: "login: none", Remedy: "run it once"}, agent.NoLogin("run it once"))
}

func TestAStringOfTOMLHoldsAnything(t *testing.T) {
	for text, want := range map[string]string{
		"":            `""`,
		`C:\a "b"`:    `"C:\\a \"b\""`,
		"a\nb\t\x7f":  `"a\u000Ab\u0009\u007F"`,
		"$HOME 'é' 不": `"$HOME 'é' 不"`,
	} {
		require.Equal(t, want, agent.TOML(text))
	}
}

func TestASeatThatHasABoxHasADesk(t *testing.T) {
	desk, shell := []string{"council", "desk"}, []string{"council", "shell"}
	require.True(t, agent.Turn{Desk: desk, Shell: shell}.RunsInBox())
	require.False(t, agent.Turn{Desk: desk}.RunsInBox())
	require.False(t, agent.Turn{Shell: shell}.RunsInBox(), "without a desk there is nobody who runs its commands")
}

func TestTheLeastEffortOfACommandLine(t *testing.T) {
	for effort, least := range map[string]string{"minimal": "low", "low": "low", "high": "high", "": ""} {
		require.Equal(t, least, agent.Turn{Effort: effort}.LeastEffort())
	}
}

func TestTheLoopHookIsToldItsTurn(t *testing.T) {
	want := []string{"/bin/council-hook", "loop", "--report", "/r/seats/claude/report.md", "--state", "/r/seats/claude/state.txt", "--max", "3"}
	require.Equal(t, want, turn().LoopCommand("loop"))
	open := turn()
	open.Open = "/r/open.md"
	require.Equal(t, append(want, "--open", "/r/open.md"), open.LoopCommand("loop"))
}
