package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/agenttest"
	"github.com/research-council/research-council/internal/agent/command"
)

var suite = agenttest.Suite{
	Kind: command.Kind(),
	Good: func(text string) string { return "thinking…\n\n" + text + "\n" },
	Cases: []agenttest.Case{
		{Name: "free text: the last line is the answer", Stdout: "a\nb\n\n", Text: "b", Session: agenttest.Session},
		{
			Name: "a last line of JSON tells more", Text: "done", Session: "conv-7", Models: []string{"m-1"},
			Stdout: "progress\n" + `{"text":"done","session":"conv-7","usd":0.25,"input_tokens":100,"cached_input_tokens":40,"output_tokens":7,"model":"m-1","cumulative":true}` + "\n",
			Usage:  agent.Usage{Input: 100, Output: 7, CachedInput: 40, USD: 0.25, Reported: true, Cumulative: true},
		},
		{Name: "no field is needed", Stdout: `{"text":"x"}`, Text: "x", Session: agenttest.Session},
		{Name: "no counts below nothing", Stdout: `{"output_tokens":-5,"usd":-1,"input_tokens":3}`, Usage: agent.Usage{Input: 3, Reported: true}},
		{Name: "a session that could be a flag is not taken", Stdout: `{"session":"--yolo"}`, Session: agenttest.Session},
		{Name: "JSON that is no object is text", Stdout: `[1]`, Text: `[1]`},
		{Name: "no words are needed", Session: agenttest.Session},
		{Name: "EX_TEMPFAIL", Exit: 75, Class: agent.Retryable, Stderr: "busy\n", Message: "busy"},
		{Name: "EX_UNAVAILABLE", Exit: 69, Class: agent.Retryable},
		{Name: "EX_NOHOST", Exit: 68, Class: agent.Retryable},
		{Name: "EX_NOINPUT", Exit: 66, Class: agent.NoSession, Session: "-"},
		{Name: "EX_USAGE", Exit: 64, Class: agent.Terminal, Stderr: "usage: x\n", Message: "usage: x"},
		{Name: "EX_NOPERM", Exit: 77, Class: agent.Terminal},
		{Name: "EX_CONFIG", Exit: 78, Class: agent.Terminal},
		{Name: "not executable", Exit: 126, Class: agent.Terminal},
		{Name: "not found", Exit: 127, Class: agent.Terminal},
		{Name: "any other status", Exit: 1, Class: agent.Degenerate, Stdout: "half\n", Text: "half"},
		{Name: "ended by KILL under a shell", Exit: 137, Class: agent.Lost},
	},
	Notes: map[string]string{
		"reading \x1b[1mpaper 3\x1b[0m":      "reading paper 3",
		`{"text":"searching","session":"s"}`: "searching",
		"":                                   "",
	},
}

func TestCommand(t *testing.T) { suite.Run(t) }

func FuzzRead(f *testing.F) { suite.Fuzz(f) }

func turn() agent.Turn {
	return agent.Turn{
		Run: "20260101-120000-abcdef", Dir: "/r/s", Report: "/r/s/report.md", State: "/r/s/state.txt", MaxIterations: 4,
		Prompt: "Instructions.", Topic: "{dir}", Program: "/opt/agy", Hook: "/opt/council-hook", Model: "{report}",
		Args: []string{"-p", "@{prompt_file}", "{topic_file}", "--out={report}", "{dir}", "s={session}", "{model}", "{max_iterations}", "{other}", "a b;$(c)"},
	}
}

func TestWordsInArgumentsAreReplacedOnce(t *testing.T) {
	spec, err := command.Kind().Spec(turn())
	require.NoError(t, err)
	require.Equal(t, []string{
		"/opt/agy", "-p", "@/r/s/prompt.md", "/r/s/topic.md", "--out=/r/s/report.md", "/r/s", "s=", "{report}", "4", "{other}", "a b;$(c)",
	}, spec.Argv)
	require.Equal(t, "{dir}", string(spec.Files[1].Data))
}

func TestAContinuedCallIsTold(t *testing.T) {
	ask := turn()
	first, err := command.Kind().Spec(ask)
	require.NoError(t, err)
	require.NotContains(t, strings.Join(first.Env, "\n"), "RESEARCH_CONTINUED")
	ask.Session, ask.Resume = "conv-7", "Go on."
	then, err := command.Kind().Spec(ask)
	require.NoError(t, err)
	require.Contains(t, then.Env, "RESEARCH_CONTINUED=1")
	require.Contains(t, then.Env, "RESEARCH_SESSION_ID=conv-7")
	require.Contains(t, then.Argv, "s=conv-7")
	require.Equal(t, "Go on.", string(then.Stdin))
}
