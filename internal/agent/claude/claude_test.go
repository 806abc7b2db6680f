package claude_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/agenttest"
	"github.com/research-council/research-council/internal/agent/claude"
)

const id = agenttest.Session

const (
	initEvent = `{"type":"system","subtype":"init","cwd":"/w","session_id":"` + id + `","tools":["Edit","Read"],"model":"claude-haiku-5-5","permissionMode":"dontAsk"}` + "\n"
	used      = `"total_cost_usd":0.0125,"usage":{"input_tokens":1,"output_tokens":1},"modelUsage":{"claude-haiku-5-5":{"inputTokens":1000,"outputTokens":325,"cacheReadInputTokens":400,"cacheCreationInputTokens":50,"costUSD":0.0100},"claude-a":{"inputTokens":10,"outputTokens":5,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":0.0025}}`
)

var counted = agent.Usage{Input: 1460, Output: 330, CachedInput: 400, USD: 0.0125, Reported: true, Cumulative: true}

func said(text string) string {
	return `{"type":"assistant","message":{"model":"claude-haiku-5-5","id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":` +
		strconv.Quote(text) + `}],"usage":{"input_tokens":100,"cache_creation_input_tokens":20,"cache_read_input_tokens":30,"output_tokens":1}},"parent_tool_use_id":null,"session_id":"` + id + "\"}\n"
}

func result(fields string) string {
	return `{"type":"result","subtype":"success","session_id":"` + id + `",` + fields + "}\n"
}

func good(text string) string {
	return initEvent + said("on the way") + result(`"is_error":false,"api_error_status":null,"result":`+strconv.Quote(text)+`,"terminal_reason":"completed","stop_reason":"end_turn",`+used)
}

func failed(status, reason, stop, text string) string {
	synthetic := strings.Replace(said(text), "claude-haiku-5-5", "<synthetic>", 1)
	return initEvent + synthetic + result(`"is_error":true,"api_error_status":`+status+`,"terminal_reason":"`+reason+`","stop_reason":"`+stop+`","result":`+strconv.Quote(text)+`,"total_cost_usd":0,"modelUsage":{}`)
}

var suite = agenttest.Suite{
	Kind: claude.Kind(),
	Good: good,
	Cases: []agenttest.Case{
		{Name: "an answer", Stdout: good("done"), Session: id, Text: "done", Usage: counted, Models: []string{"claude-a", "claude-haiku-5-5"}},
		{
			Name: "the last of several results counts", Session: id, Text: "second",
			Stdout: good("first") + good("second"),
		},
		{
			Name: "the host cut continuations off and left the result empty", Text: "on the way",
			Stdout: good(""),
		},
		{
			Name: "unknown model", Exit: 1, Class: agent.Terminal, Message: `model "a-model"`, Session: id,
			Stdout: failed("404", "api_error", "stop_sequence", "There's an issue with the selected model (a-model)."),
		},
		{Name: "rate limit", Exit: 1, Class: agent.Retryable, Stdout: failed("429", "api_error", "stop_sequence", "API Error: Request rejected (429) · slow down")},
		{Name: "overload", Exit: 1, Class: agent.Retryable, Stdout: failed("529", "api_error", "stop_sequence", "API Error: 529 Overloaded.")},
		{Name: "server error", Exit: 1, Class: agent.Retryable, Stdout: failed("500", "api_error", "stop_sequence", "API Error: 500 boom")},
		{Name: "wrong key", Exit: 1, Class: agent.Terminal, Stdout: failed("401", "api_error", "stop_sequence", "Invalid API key · Fix external API key")},
		{Name: "no money", Exit: 1, Class: agent.Terminal, Stdout: failed("400", "api_error", "stop_sequence", "Credit balance is too low")},
		{Name: "no login", Exit: 1, Class: agent.Terminal, Stdout: failed("null", "api_error", "stop_sequence", "Not logged in · Please run /login")},
		{Name: "no network", Exit: 1, Class: agent.Retryable, Stdout: failed("null", "api_error", "stop_sequence", "API Error: Connection refused (ECONNREFUSED)")},
		{Name: "too large", Exit: 1, Class: agent.Terminal, Stdout: failed("413", "image_error", "stop_sequence", "Request too large (max 32MB).")},
		{Name: "a first prompt that is too long", Exit: 1, Class: agent.Terminal, Stdout: failed("400", "prompt_too_long", "stop_sequence", "Prompt is too long")},
		{Name: "a session that is full", Resume: true, Exit: 1, Class: agent.NoSession, Session: "-", Stdout: failed("400", "prompt_too_long", "stop_sequence", "Prompt is too long")},
		{Name: "a refusal", Exit: 1, Class: agent.NoSession, Session: "-", Stdout: failed("null", "api_error", "refusal", "API Error: can't help with this. Start a new session to continue.")},
		{Name: "too many model calls", Exit: 1, Class: agent.Degenerate, Session: id, Stdout: failed("null", "max_turns", "tool_use", "")},
		{Name: "money limit", Exit: 1, Class: agent.Terminal, Stdout: failed("null", "budget_exhausted", "end_turn", "")},
		{
			Name: "a session that is gone", Resume: true, Exit: 1, Class: agent.NoSession, Session: "-",
			Stdout: `{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"99999999-0000-4000-8000-000000000000","num_turns":0,"total_cost_usd":0,"modelUsage":{},"errors":["No conversation found with session ID: ` + id + `"]}`,
			Stderr: "No conversation found with session ID: " + id + "\n",
		},
		{
			Name: "a session an earlier process left", Exit: 1, Class: agent.Lost, Session: id,
			Stderr: "Error: Session ID " + id + " is already in use.\n",
		},
		{
			Name: "a flag refused", Exit: 1, Class: agent.Terminal, Message: "root/sudo", Session: "-",
			Stderr: "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons\n",
		},
		{
			Name: "crashed half way: counted by its messages, each once", Exit: 1, Class: agent.Lost, Session: id, Text: "b",
			Stdout: initEvent + said("a") + said("b") + strings.Replace(said("b"), "msg_1", "msg_2", 1),
			Usage:  agent.Usage{Input: 300, Output: 2, CachedInput: 60},
		},
		{Name: "interrupted from outside", Class: agent.Lost, Stdout: initEvent + result(`"is_error":false,"result":"","terminal_reason":"stop_hook_prevented"`)},
		{Name: "ended by TERM", Exit: 143, Class: agent.Lost, Session: id, Stdout: initEvent},
		{Name: "nothing at all", Class: agent.Degenerate, Session: "-"},
	},
	Notes: map[string]string{
		strings.TrimSpace(initEvent):                                                      "started with claude-haiku-5-5",
		strings.TrimSpace(said("Hello")):                                                  "Hello",
		call("WebSearch", `{"query":"go gc \u001b[31mred"}`):                              "searching: go gc red",
		call("WebFetch", `{"url":"https://go.dev/doc"}`):                                  "reading https://go.dev/doc",
		call("Read", `{"file_path":"/w/topic.md"}`):                                       "reading topic.md",
		call("Write", `{"file_path":"/w/report.md"}`):                                     "writing report.md",
		call("Grep", `{"pattern":"x"}`):                                                   "looking for x",
		call("mcp__desk__record_claim", `{}`):                                             "calling mcp__desk__record_claim",
		`{"type":"user","isSynthetic":true,"message":{}}`:                                 "iteration feedback",
		`{"type":"user","message":{}}`:                                                    "",
		`{"type":"system","subtype":"api_retry","error":"rate_limit","error_status":429}`: "waiting for the provider: rate_limit 429",
		`{"type":"system","subtype":"compact_boundary"}`:                                  "context compacted",
		`garbage`: "",
	},
}

func call(name, input string) string {
	return `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"` + name + `","input":` + input + `}]}}`
}

func TestClaude(t *testing.T) { suite.Run(t) }

func FuzzRead(f *testing.F) { suite.Fuzz(f) }

func turn() agent.Turn {
	return agent.Turn{
		Run: "20260101-120000-abcdef", Dir: "/r/s", Report: "/r/s/report.md", State: "/r/s/state.txt", Session: id, MaxIterations: 12,
		Prompt: "Instructions.", Topic: "Why?", Program: "/opt/claude", Hook: "/opt/council-hook",
	}
}

func TestATestAtTheDeskIsWaitedFor(t *testing.T) {
	ask := turn()
	ask.Desk, ask.Scope, ask.Offline, ask.Trials = []string{"/opt/council", "desk"}, "/code", true, true
	spec, err := claude.Kind().Spec(ask)
	require.NoError(t, err)
	require.Contains(t, spec.Env, "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS=0")
	require.Contains(t, spec.Argv, "Edit(./**),mcp__desk", "neither shell nor web come with it")
	require.Contains(t, spec.Argv, "Read,Edit,Write,Glob,Grep")
}

func TestTheFirstTurnIsHermetic(t *testing.T) {
	ask := turn()
	ask.Model, ask.Effort, ask.Scope = "claude-x", "minimal", "/src"
	spec, err := claude.Kind().Spec(ask)
	require.NoError(t, err)
	require.Equal(t, []string{
		"/opt/claude", "-p", "--setting-sources", "", "--settings", "/r/s/claude-settings.json",
		"--strict-mcp-config", "--disable-slash-commands", "--tools", "WebSearch,WebFetch,Read,Edit,Write,Glob,Grep",
		"--max-turns", "200", "--output-format", "stream-json", "--verbose",
		"--permission-mode", "dontAsk", "--allowedTools", "WebSearch,WebFetch,Edit(./**)",
		"--add-dir", "/src", "--model", "claude-x", "--effort", "low", "--session-id", id,
	}, spec.Argv)
	require.Contains(t, spec.Env, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=22", "the host's cap is above our maximum")
	require.Contains(t, spec.Env, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1")
}

func TestTheDeskIsTheOnlyServer(t *testing.T) {
	ask := turn()
	ask.Desk = []string{"/opt/council", "desk", "--dir", "/r/${HOME} $s"}
	spec, err := claude.Kind().Spec(ask)
	require.NoError(t, err)
	require.Equal(t, []string{
		"--settings", "/r/s/claude-settings.json",
		"--mcp-config", `{"mcpServers":{"desk":{"alwaysLoad":true,"args":["desk","--dir","/r/${RESEARCH_COUNCIL_DOLLAR}{HOME} $s"],"command":"/opt/council"}}}`,
		"--strict-mcp-config",
	}, spec.Argv[4:9])
	require.Contains(t, spec.Argv, "WebSearch,WebFetch,Edit(./**),mcp__desk", "its tools need nobody's leave")
	require.Contains(t, spec.Env, "RESEARCH_COUNCIL_DOLLAR=$")
	require.Contains(t, spec.Env, agent.ChildVariable+"="+ask.Run)
}

func TestAContinuedTurnResumes(t *testing.T) {
	ask := turn()
	ask.Resume = "Go on."
	spec, err := claude.Kind().Spec(ask)
	require.NoError(t, err)
	require.Equal(t, []string{"--resume", id}, spec.Argv[len(spec.Argv)-2:])
	require.Equal(t, "Go on.", string(spec.Stdin))
}

func TestOnlyTheUserSkipsPermissionChecks(t *testing.T) {
	ask := turn()
	ask.Bypass = true
	spec, err := claude.Kind().Spec(ask)
	require.NoError(t, err)
	require.Contains(t, spec.Argv, "--dangerously-skip-permissions")
	require.NotContains(t, spec.Argv, "--permission-mode")
}

func TestTheLoopHookNeedsNoShell(t *testing.T) {
	spec, err := claude.Kind().Spec(turn())
	require.NoError(t, err)
	var settings struct {
		Hooks struct {
			Stop []struct {
				Hooks []struct {
					Type, Command string
					Args          []string
					Timeout       int
				}
			}
		}
		Permissions struct{ Deny []string }
	}
	require.NoError(t, json.Unmarshal(spec.Files[0].Data, &settings))
	hook := settings.Hooks.Stop[0].Hooks[0]
	require.Equal(t, "/opt/council-hook", hook.Command)
	require.Equal(t, []string{"loop", "--report", "/r/s/report.md", "--state", "/r/s/state.txt", "--max", "12"}, hook.Args)
	require.Equal(t, 120, hook.Timeout)
	require.Equal(t, []string{"Edit(./claude-settings.json)", "Edit(//r/s/state.txt)"}, settings.Permissions.Deny)
}

func TestTheProvidersWishIsKept(t *testing.T) {
	retry := `{"type":"system","subtype":"api_retry","attempt":1,"retry_delay_ms":2453.5,"error_status":429,"error":"rate_limit"}` + "\n"
	for name, c := range map[string]struct {
		stream string
		want   time.Duration
	}{
		"a wait":              {retry, 2453500 * time.Microsecond},
		"no wait":             {"", 0},
		"a wait beyond a day": {strings.Replace(retry, "2453.5", "1e300", 1), 0},
		"a negative wait":     {strings.Replace(retry, "2453.5", "-5", 1), 0},
	} {
		t.Run(name, func(t *testing.T) {
			stream := c.stream + failed("429", "api_error", "stop_sequence", "slow down")
			reply := claude.Kind().Read(turn(), agent.Exit{Code: 1, Stdout: strings.NewReader(stream)})
			require.Equal(t, c.want, reply.Fault.RetryAfter)
		})
	}
}

func TestAnErrorWithoutWordsStillSaysSomething(t *testing.T) {
	for _, fields := range []string{`"result":""`, `"result":null,"errors":null`, `"errors":[""]`, `"errors":[]`, `"result":"  \n"`, `"result":"\u001b[31m\u0000"`, `"result":"","api_error_status":529`} {
		x := agent.Exit{Code: 1, Stdout: strings.NewReader(`{"type":"result","subtype":"success","is_error":true,` + fields + "}\n")}
		fault := claude.Kind().Read(turn(), x).Fault
		require.NotNil(t, fault, fields)
		require.NotEmpty(t, fault.Message, fields)
	}
}
