package gemini_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/agenttest"
	"github.com/research-council/research-council/internal/agent/gemini"
)

const (
	id        = agenttest.Session
	initEvent = `{"type":"init","timestamp":"2026-01-01T00:00:00.000Z","session_id":"` + id + `","model":"a-model"}` + "\n"
	stats     = `"stats":{"total_tokens":1000,"input_tokens":800,"output_tokens":160,"cached":40,"input":760,"duration_ms":604,"tool_calls":5,"models":{"real-model":{"total_tokens":1000,"input_tokens":800,"output_tokens":160},"asked-in-vain":{"total_tokens":0,"input_tokens":0,"output_tokens":0}}}`
	success   = `{"type":"result","status":"success",` + stats + "}\n"
	toolUse   = `{"type":"tool_use","tool_name":"read_file","tool_id":"t","parameters":{"file_path":"topic.md"}}` + "\n"
)

func piece(text string) string {
	return `{"type":"message","role":"assistant","content":` + strconv.Quote(text) + `,"delta":true}` + "\n"
}

func event(severity, message string) string {
	return `{"type":"error","severity":"` + severity + `","message":` + strconv.Quote(message) + "}\n"
}

func good(text string) string {
	half := len(text) / 2
	return initEvent + piece("Reading.") + toolUse + piece(text[:half]) + piece(text[half:]) + success
}

func failed(message string) string {
	return initEvent + `{"type":"result","status":"error","error":{"type":"unknown","message":` + strconv.Quote(message) + `},"stats":{"models":{"a-model":{"output_tokens":0}}}}` + "\n"
}

const noise = "Warning: 256-color support not detected.\nRipgrep is not available. Falling back to GrepTool.\n"

var suite = agenttest.Suite{
	Kind: gemini.Kind(),
	Good: good,
	Cases: []agenttest.Case{
		{
			Name: "an answer in pieces", Stdout: good("done now"), Stderr: noise, Session: id, Text: "done now",
			Usage: agent.Usage{Input: 800, Output: 160, CachedInput: 40}, Models: []string{"real-model"},
		},
		{
			Name: "sent back by the hook, then done", Text: "second",
			Stdout: initEvent + piece("first") + event("warning", "Agent execution blocked: Research iteration 1/3") + piece("second") + success,
		},
		{Name: "exit 0 without a result is no success", Class: agent.Lost, Session: id, Stdout: initEvent + piece("half")},
		{Name: "nor is it in a continued session, which is given up", Resume: true, Class: agent.NoSession, Session: "-", Stdout: initEvent},
		{Name: "something after the result", Class: agent.Lost, Stdout: good("done") + piece("more")},
		{Name: "an empty reply", Class: agent.Degenerate, Message: "empty response", Stdout: initEvent + event("error", "The model returned an empty response with no text or thoughts.") + `{"type":"result","status":"error",` + stats + "}\n"},
		{Name: "the loop detector", Class: agent.Degenerate, Message: "loop", Stdout: initEvent + piece("x") + event("warning", "Loop detected, stopping execution") + success},
		{Name: "no login", Exit: 41, Class: agent.Terminal, Message: "login", Stderr: noise + "Invalid auth method selected.\n"},
		{
			Name: "a session that is gone", Resume: true, Exit: 42, Class: agent.NoSession, Session: "-",
			Stderr: "Error resuming session: Invalid session identifier \"" + id + "\".\n  Use --list-sessions to see available sessions.\n",
		},
		{
			Name: "a session an earlier process left", Exit: 42, Class: agent.Lost, Session: id,
			Stderr: "Error starting session: Session ID \"" + id + "\" already exists. Use --resume to resume it, or provide a different ID.\n",
		},
		{Name: "no prompt", Exit: 42, Class: agent.Terminal, Stderr: "No input provided via stdin.\n"},
		{Name: "no sandbox", Exit: 44, Class: agent.Terminal},
		{Name: "corrupt settings", Exit: 52, Class: agent.Terminal},
		{Name: "too many model calls", Exit: 53, Class: agent.Degenerate},
		{Name: "an untrusted folder", Exit: 55, Class: agent.Terminal},
		{Name: "a crash in the middle of its work", Exit: 1, Class: agent.Lost, Session: id, Message: "ended without a result", Stdout: initEvent + piece("x") + toolUse, Stderr: "TypeError: x is undefined\n"},
		{Name: "a crash in a continued session", Resume: true, Exit: 7, Class: agent.NoSession, Session: "-", Stdout: initEvent},
		{Name: "a bad flag", Exit: 1, Class: agent.Terminal, Stderr: "Unknown argument: --nope\n"},
		{
			Name: "unknown model", Exit: 1, Class: agent.Terminal, Message: `model "a-model"`, Models: []string{},
			Stdout: failed("[API Error: models/a-model is not found for API version v1beta, or is not supported for generateContent.]"),
		},
		{Name: "unknown model on Vertex", Exit: 1, Class: agent.Terminal, Stdout: failed("[API Error: Publisher Model `projects/p/a-model` was not found or your project does not have access to it.]")},
		{Name: "a bad key", Exit: 144, Class: agent.Terminal, Stdout: failed("[API Error: API key not valid]")},
		{Name: "denied", Exit: 147, Class: agent.Terminal, Stdout: failed("[API Error: denied]")},
		{Name: "rate limit", Exit: 173, Class: agent.Retryable, Stdout: failed("[API Error: Resource exhausted]")},
		{Name: "daily quota", Exit: 173, Class: agent.Terminal, Stdout: failed("[API Error: You have exhausted your daily quota on this model.]")},
		{Name: "server error", Exit: 244, Class: agent.Retryable, Stdout: failed("[API Error: internal]")},
		{Name: "overload", Exit: 247, Class: agent.Retryable, Stdout: failed("[API Error: overloaded]")},
		{Name: "cut stream", Exit: 1, Class: agent.Retryable, Stdout: failed("[API Error: terminated]")},
		{Name: "no network", Exit: 1, Class: agent.Retryable, Stdout: failed("[API Error: exception TypeError: fetch failed sending request]")},
		{Name: "nothing at all", Class: agent.Degenerate},
	},
	Notes: map[string]string{
		strings.TrimSpace(initEvent): "started with a-model",
		strings.TrimSpace(toolUse):   "reading topic.md",
		`{"type":"tool_use","tool_name":"google_web_search","parameters":{"query":"go gc"}}`:        "searching: go gc",
		`{"type":"tool_use","tool_name":"web_fetch","parameters":{"prompt":"https://go.dev/ sum"}}`: "reading https://go.dev/ sum",
		`{"type":"tool_use","tool_name":"replace","parameters":{"file_path":"/r/s/report.md"}}`:     "writing report.md",
		`{"type":"tool_use","tool_name":"mcp_desk_ping","parameters":{}}`:                           "calling mcp_desk_ping",
		strings.TrimSpace(event("warning", "Agent execution blocked: iteration 1/3")):               "iteration feedback",
		strings.TrimSpace(event("error", "empty")):                                                  "warning: empty",
		strings.TrimSpace(piece("hello")):                                                           "",
	},
}

func TestGemini(t *testing.T) { suite.Run(t) }

func FuzzRead(f *testing.F) { suite.Fuzz(f) }

func turn() agent.Turn {
	return agent.Turn{
		Run: "20260101-120000-abcdef", Dir: "/r/s", Report: "/r/s/report.md", State: "/r/s/gemini-state.txt", Session: id, MaxIterations: 4,
		Prompt: "Instructions.", Topic: "Why?", Program: "/opt/gemini", Hook: "/opt/council-hook", Model: "gemini-3-x",
		Env: map[string]string{"HOME": "/h", "GEMINI_API_KEY": "k"},
	}
}

func spec(t *testing.T, ask agent.Turn) agent.Spec {
	spec, err := gemini.Kind().Spec(ask)
	require.NoError(t, err)
	return spec
}

func file(t *testing.T, s agent.Spec, name string) string {
	for _, f := range s.Files {
		if f.Path == filepath.Join("/r/s", name) {
			return string(f.Data)
		}
	}
	require.Fail(t, "no such file", name)
	return ""
}

func TestTheFirstTurn(t *testing.T) {
	ask := turn()
	ask.Scope = "/src"
	s := spec(t, ask)
	require.Equal(t, []string{
		"/opt/gemini", "-e", "none", "-o", "stream-json", "--approval-mode=auto_edit", "--policy", "/r/s/policy.toml",
		"-m", "gemini-3-x", "--include-directories", "/src", "--session-id", id,
	}, s.Argv)
	for _, entry := range []string{
		"GEMINI_CLI_HOME=/r/s/home", "TMPDIR=/r/s/tmp", "GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_TRUST_WORKSPACE=true",
	} {
		require.Contains(t, s.Env, entry)
	}
	require.Equal(t, "Instructions.", file(t, s, "GEMINI.md"))
	require.Equal(t, "Why?", file(t, s, "topic.md"))
	require.Equal(t, "{}", file(t, s, ".gemini/settings.json"), "nothing is found in the workspace")
	require.Empty(t, file(t, s, "tmp/.keep"))
	require.NotContains(t, string(s.Stdin), "@")
}

func TestALoginInTheUsersHomeIsKept(t *testing.T) {
	ask := turn()
	delete(ask.Env, "GEMINI_API_KEY")
	s := spec(t, ask)
	for _, entry := range s.Env {
		require.NotContains(t, entry, "GEMINI_CLI_HOME")
	}
	settings := file(t, s, ".gemini/settings.json")
	require.Contains(t, settings, "research-loop")
	require.NotContains(t, settings, "selectedType")
}

type settings struct {
	General struct {
		SessionRetention, Plan struct{ Enabled bool }
	}
	Hooks struct {
		AfterAgent []struct {
			Matcher string
			Hooks   []struct {
				Name, Type, Command string
				Timeout             int
			}
		}
	}
	MCPServers map[string]struct {
		Command string
		Args    []string
		Timeout int
		Trust   bool
	} `json:"mcpServers"`
	ModelConfigs struct {
		CustomAliases   map[string]struct{ ModelConfig struct{ Model string } }
		CustomOverrides []struct {
			Match       struct{ Model string }
			ModelConfig struct {
				GenerateContentConfig struct{ ThinkingConfig map[string]any }
			}
		}
	}
}

func set(t *testing.T, ask agent.Turn) (s settings) {
	require.NoError(t, json.Unmarshal([]byte(file(t, spec(t, ask), "home/.gemini/settings.json")), &s))
	return s
}

func TestTheHookIsAbsoluteAndQuoted(t *testing.T) {
	hook := set(t, turn()).Hooks.AfterAgent[0]
	require.Equal(t, "*", hook.Matcher)
	require.Equal(t, "research-loop", hook.Hooks[0].Name)
	require.Equal(t, 30_000, hook.Hooks[0].Timeout)
	require.Equal(t, "'/opt/council-hook' 'after-agent' '--report' '/r/s/report.md' '--state' '/r/s/gemini-state.txt' '--max' '4'", hook.Hooks[0].Command)
}

func TestTheDeskIsTrusted(t *testing.T) {
	ask := turn()
	require.Nil(t, set(t, ask).MCPServers)
	ask.Desk = []string{"/opt/council", "desk", "--dir", "/r/$HOME"}
	desk := set(t, ask).MCPServers["desk"]
	require.Equal(t, "/opt/council", desk.Command)
	require.Equal(t, []string{"desk", "--dir", "/r/${RESEARCH_COUNCIL_DOLLAR}HOME"}, desk.Args, "the CLI fills in variables")
	require.True(t, desk.Trust, "else its tools are taken away")
	require.Equal(t, 180_000, desk.Timeout)
	require.Contains(t, spec(t, ask).Env, "RESEARCH_COUNCIL_DOLLAR=$")
	ask.Trials = true
	require.Equal(t, 1_200_000, set(t, ask).MCPServers["desk"].Timeout, "a test takes longer than a page")
}

func TestEveryRequestStaysOnTheSeatsModel(t *testing.T) {
	aliases := set(t, turn()).ModelConfigs.CustomAliases
	for _, name := range []string{"web-search", "web-fetch", "web-fetch-fallback"} {
		require.Equal(t, "gemini-3-x", aliases[name].ModelConfig.Model, name)
	}
	ask := turn()
	ask.Model = ""
	require.Empty(t, set(t, ask).ModelConfigs.CustomAliases, "no model named, none pinned")
}

func TestThinkingIsABudgetOrALevel(t *testing.T) {
	for _, c := range []struct {
		name, model, effort string
		tokens              int
		want                map[string]any
	}{
		{"a budget", "gemini-2.5-pro", "", 24576, map[string]any{"thinkingBudget": 24576.0}},
		{"a budget before an effort", "gemini-3-x", "high", 1024, map[string]any{"thinkingBudget": 1024.0}},
		{"little effort", "gemini-3-x", "minimal", 0, map[string]any{"thinkingLevel": "LOW"}},
		{"much effort", "gemini-3-x", "max", 0, map[string]any{"thinkingLevel": "HIGH"}},
		{"an effort for a model that knows no levels", "gemini-2.5-pro", "high", 0, nil},
		{"neither", "gemini-3-x", "", 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ask := turn()
			ask.Model, ask.Effort, ask.Thinking = c.model, c.effort, c.tokens
			overrides := set(t, ask).ModelConfigs.CustomOverrides
			if c.want == nil {
				require.Empty(t, overrides)
				return
			}
			require.Equal(t, c.model, overrides[0].Match.Model)
			require.Equal(t, c.want, overrides[0].ModelConfig.GenerateContentConfig.ThinkingConfig)
		})
	}
}

func TestSessionsAreKeptAndPlansAreOff(t *testing.T) {
	general := set(t, turn()).General
	require.False(t, general.SessionRetention.Enabled)
	require.False(t, general.Plan.Enabled)
}

func TestAContinuedTurn(t *testing.T) {
	for name, c := range map[string]struct{ resume, stdin string }{
		"is asked directly":                     {"Go on.", "Go on."},
		"by a file, where @ would paste files":  {"See a@b.", "Read the file continue.md"},
		"by a file, where / would run commands": {" /quit", "Read the file continue.md"},
	} {
		t.Run(name, func(t *testing.T) {
			ask := turn()
			ask.Resume = c.resume
			s := spec(t, ask)
			require.Equal(t, []string{"--resume", id}, s.Argv[len(s.Argv)-2:])
			require.True(t, strings.HasPrefix(string(s.Stdin), c.stdin), "%s", s.Stdin)
			if c.stdin != c.resume {
				require.Equal(t, c.resume, file(t, s, "continue.md"))
			}
		})
	}
}

func TestNoLineOfTheTopicIsCutOff(t *testing.T) {
	ask := turn()
	ask.Topic = strings.Repeat("ж", 2500) + "\n" + strings.Repeat("y", 1000) + "\nend"
	topic := file(t, spec(t, ask), "topic.md")
	require.Equal(t, strings.ReplaceAll(ask.Topic, "\n", ""), strings.ReplaceAll(topic, "\n", ""))
	for line := range strings.SplitSeq(topic, "\n") {
		require.LessOrEqual(t, len([]rune(line)), 1000)
	}
	require.Equal(t, 5, len(strings.Split(topic, "\n")))
}

// TestThePolicyKeepsTheSeatInItsFolder reads the rules as the CLI does, apart
// from the one pattern that needs a look ahead: for it, a folder is compared.
func TestThePolicyKeepsTheSeatInItsFolder(t *testing.T) {
	ask := turn()
	ask.Dir, ask.Report, ask.State = "/r/s (1)", "/r/s (1)/report.md", "/r/s (1)/gemini-state.txt"
	s := spec(t, ask)
	var policy string
	for _, f := range s.Files {
		if filepath.Base(f.Path) == "policy.toml" {
			policy = string(f.Data)
		}
	}
	var denied []*regexp.Regexp
	for _, m := range regexp.MustCompile(`(?m)^argsPattern = (".*")$`).FindAllStringSubmatch(policy, -1) {
		pattern, err := strconv.Unquote(m[1])
		require.NoError(t, err)
		require.NotRegexp(t, `\([^)]*[*+?{].*\)[*+?{]`, pattern, "the CLI drops such a pattern")
		if strings.Contains(pattern, "(?!") {
			require.Equal(t, `"file_path":"(?!/r/s \(1\)/)/`, pattern)
			continue
		}
		denied = append(denied, regexp.MustCompile(pattern))
	}
	require.Len(t, denied, 5)
	for path, want := range map[string]bool{
		"report.md": false, "/r/s (1)/report.md": false, "notes/gemini.mdx": false, "my-policy.toml": false, "gemini-report.md": false,
		".gemini/settings.json": true, "home/.Gemini/policies/x.toml": true, "./.gemini/a": true,
		"/r/s (1)/home/.gemini/a": true, "/r/s (1)//.gemini/a": true, "GEMINI.md": true, "/r/s (1)/gemini.MD": true,
		"policy.toml": true, "gemini-state.txt": true, "../x": true, "/r/s (1)/../x": true,
	} {
		call, err := json.Marshal(map[string]string{"content": `"file_path":".gemini/x"`, "file_path": path})
		require.NoError(t, err)
		got := false
		for _, d := range denied {
			got = got || d.Match(call)
		}
		require.Equal(t, want, got, path)
	}
}
