package codex_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/agenttest"
	"github.com/research-council/research-council/internal/agent/codex"
)

const thread = agenttest.Session

func began(id string) string {
	return `{"type":"thread.started","thread_id":"` + id + `"}` + "\n" + `{"type":"turn.started"}` + "\n"
}

func said(text string) string {
	return `{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":` + strconv.Quote(text) + "}}\n"
}

const completed = `{"type":"turn.completed","usage":{"input_tokens":4000,"cached_input_tokens":1600,"cache_write_input_tokens":0,"output_tokens":200,"reasoning_output_tokens":80}}` + "\n"

func good(text string) string { return began(thread) + said("draft") + said(text) + completed }

func failed(message string) string {
	m := strconv.Quote(message)
	return began(thread) + `{"type":"error","message":` + m + "}\n" + `{"type":"turn.failed","error":{"message":` + m + "}}\n"
}

// retried is a failure that codex itself met by sending the request again.
func retried(message string) string {
	return began(thread) + `{"type":"error","message":` + strconv.Quote("Reconnecting... 5/5 ("+message+")") + "}\n" + strings.TrimPrefix(failed(message), began(thread))
}

const warning = "WARNING: proceeding, even though we could not create PATH aliases\n"

var suite = agenttest.Suite{
	Kind: codex.Kind(),
	Good: good,
	Cases: []agenttest.Case{
		{
			Name: "an answer", Stdout: good("done"), Session: thread, Text: "done",
			Usage: agent.Usage{Input: 4000, Output: 200, CachedInput: 1600, Cumulative: true},
		},
		{Name: "the same thread resumed", Resume: true, Stdout: good("done"), Session: thread},
		{
			Name: "another thread instead of the one to resume", Resume: true, Class: agent.NoSession, Message: "started anew",
			Stdout: strings.Replace(good("done"), thread, "01a1fd43-5c85-7b32-95b1-ebc9febc1609", 1), Session: "01a1fd43-5c85-7b32-95b1-ebc9febc1609",
		},
		{
			Name: "no such thread", Resume: true, Exit: 1, Class: agent.NoSession, Session: "-",
			Stderr: warning + "Error: thread/resume: thread/resume failed: no rollout found for thread id " + thread + " (code -32600)\n",
		},
		{
			Name: "a thread another process writes to", Resume: true, Exit: 1, Class: agent.Retryable, Session: thread,
			Stderr: "Error: thread/resume: thread " + thread + " already has an active writer\n",
		},
		{
			Name: "no home", Exit: 1, Class: agent.Terminal, Message: "CODEX_HOME",
			Stderr: `Error finding codex home: CODEX_HOME points to "/nonexistent", but that path does not exist` + "\n",
		},
		{Name: "a bad flag", Exit: 2, Class: agent.Terminal, Stderr: "error: unexpected argument '--full-auto' found\n"},
		{
			Name: "unknown model", Exit: 1, Class: agent.Terminal, Message: `model "a-model"`, Session: thread,
			Stdout: failed("The model `a-model` does not exist or you do not have access to it."),
		},
		{
			Name: "unknown model behind a gateway", Exit: 1, Class: agent.Terminal, Message: `model "a-model"`,
			Stdout: retried("unexpected status 404 Not Found: no route, url: http://127.0.0.1/v1/responses"),
		},
		{Name: "a bad request", Exit: 1, Class: agent.Terminal, Stdout: failed(`{"error": {"message": "bad", "type": "invalid_request_error"}}`)},
		{Name: "rate limit", Exit: 1, Class: agent.Retryable, Stdout: failed("exceeded retry limit, last status: 429 Too Many Requests")},
		{Name: "rate limit in the stream", Exit: 1, Class: agent.Retryable, Stdout: retried("rate limit exceeded: Rate limit reached for gpt. Please try again in 0.5s.")},
		{Name: "wrong key", Exit: 1, Class: agent.Terminal, Stdout: retried("unexpected status 401 Unauthorized: Incorrect API key provided, url: http://127.0.0.1/v1/responses")},
		{Name: "server error", Exit: 1, Class: agent.Retryable, Stdout: retried("unexpected status 503 Service Unavailable: overloaded, url: http://127.0.0.1/v1/responses")},
		{Name: "cut stream", Exit: 1, Class: agent.Retryable, Stdout: retried("stream disconnected before completion: boom")},
		{Name: "no network", Exit: 1, Class: agent.Retryable, Stdout: retried("Connection failed: error sending request")},
		{Name: "no money", Exit: 1, Class: agent.Terminal, Stdout: failed("Quota exceeded. Check your plan and billing details.")},
		{Name: "usage limit", Exit: 1, Class: agent.Terminal, Stdout: failed("You’ve hit your usage limit. Upgrade to Pro or try again at 7:40 PM.")},
		{Name: "a first prompt that is too long", Exit: 1, Class: agent.Terminal, Stdout: failed("Codex ran out of room in the model's context window. Start a new thread.")},
		{Name: "a thread that is full", Resume: true, Exit: 1, Class: agent.NoSession, Stdout: failed("Codex ran out of room in the model's context window. Start a new thread.")},
		{Name: "an answer cut short", Exit: 1, Class: agent.Degenerate, Stdout: failed("Incomplete response returned, reason: max_output_tokens")},
		{Name: "ended by TERM", Exit: 143, Class: agent.Lost, Session: thread, Stdout: began(thread)},
		{Name: "no closing event", Exit: 1, Class: agent.Lost, Session: thread, Stdout: began(thread) + said("half"), Text: "half"},
		{Name: "nothing at all", Class: agent.Degenerate},
		{
			Name: "a warning beside a good end is no fault", Session: thread,
			Stdout: began(thread) + `{"type":"error","message":"Reconnecting... 1/5 (stream disconnected)"}` + "\n" + said("done") + completed,
		},
	},
	Notes: map[string]string{
		strings.Split(began(thread), "\n")[0]:                                                                     "started",
		strings.TrimSpace(said("Hello\nyou")):                                                                     "Hello you",
		item("started", `"type":"command_execution","command":"/bin/bash -lc ls"`):                                "running /bin/bash -lc ls",
		item("completed", `"type":"command_execution","command":"ls","exit_code":0`):                              "",
		item("completed", `"type":"web_search","id":"ws","query":"go gc","action":{"type":"search"}`):             "searching: go gc",
		item("completed", `"type":"web_search","query":"","action":{"type":"open_page","url":"https://go.dev/"}`): "reading https://go.dev/",
		item("completed", `"type":"file_change","changes":[{"path":"/r/s/report.md","kind":"add"}]`):              "writing report.md",
		item("started", `"type":"mcp_tool_call","server":"desk","tool":"record_claim"`):                           "calling record_claim",
		item("completed", `"type":"error","message":"Model metadata not found"`):                                  "warning: Model metadata not found",
		`{"type":"error","message":"Reconnecting... 1/5 (x)"}`:                                                    "Reconnecting... 1/5 (x)",
		`{"type":"turn.started"}`: "",
	},
}

func item(state, fields string) string {
	return `{"type":"item.` + state + `","item":{"id":"item_0",` + fields + `}}`
}

func TestCodex(t *testing.T) { suite.Run(t) }

func FuzzRead(f *testing.F) { suite.Fuzz(f) }

func TestTrustedHashIsTheOneCodexReckons(t *testing.T) {
	for command, want := range map[string]string{
		"/abs/council-hook codex-stop": "sha256:c154538d52377318e01a51dfb74eded8a795d962214c4fcbd6ae2f12ef13d2c0",
		"'/h/é \"x\" <&>'":             "sha256:ff52a5a8ca347ae3e16a5db4d1cb52573f84cdb0a6d87667cca5143fc7fa5ca0",
	} {
		require.Equal(t, want, codex.TrustedHash("stop", command, 120), command)
	}
}

func turn() agent.Turn {
	return agent.Turn{
		Run: "20260101-120000-abcdef", Dir: "/r/s", Report: "/r/s/report.md", State: "/r/s/state.txt", MaxIterations: 4,
		Prompt: "Instructions.", Topic: "Why?", Program: "/opt/codex", Hook: "/opt/council-hook",
		Env: map[string]string{"HOME": "/h"},
	}
}

func TestTheFirstTurn(t *testing.T) {
	ask := turn()
	ask.Model, ask.Effort = "gpt-x", "xhigh"
	ask.Env["OPENAI_BASE_URL"] = `http://gateway/v1?a="b"`
	spec, err := codex.Kind().Spec(ask)
	require.NoError(t, err)
	hook := "'/opt/council-hook' 'loop' '--report' '/r/s/report.md' '--state' '/r/s/state.txt' '--max' '4'"
	require.Equal(t, []string{
		"/opt/codex", "exec", "--json", "--skip-git-repo-check", "--ignore-user-config",
		"--disable", "plugins", "--disable", "unbounded_connection_retries",
		"-s", "workspace-write", "-C", "/r/s", "-m", "gpt-x",
		"-c", `web_search="live"`, "-c", "analytics.enabled=false", "-c", "project_doc_max_bytes=0",
		"-c", "shell_environment_policy.ignore_default_excludes=false",
		"-c", "sandbox_workspace_write.exclude_slash_tmp=true", "-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true",
		"-c", `hooks.Stop=[{hooks=[{type="command",command="` + hook + `",timeout=120}]}]`,
		"-c", `hooks.state={"/<session-flags>/config.toml:stop:0:0"={trusted_hash="` + codex.TrustedHash("stop", hook, 120) + `"}}`,
		"-c", `model_reasoning_effort="xhigh"`, "-c", `openai_base_url="http://gateway/v1?a=\"b\""`,
		"-",
	}, spec.Argv)
}

func TestTheDeskIsToldWhatItMayKnow(t *testing.T) {
	ask := turn()
	ask.Env["CODEX_API_KEY"] = "secret"
	ask.Desk = []string{"/opt/council", "desk", "--dir", `/r/a "quoted" $HOME`}
	spec, err := codex.Kind().Spec(ask)
	require.NoError(t, err)
	require.Contains(t, spec.Argv, `mcp_servers.desk={command="/opt/council",args=["desk","--dir","/r/a \"quoted\" $HOME"],`+
		`env_vars=["HOME","RESEARCH_COUNCIL_CHILD","RESEARCH_COUNCIL_TURN"],startup_timeout_sec=30,tool_timeout_sec=180,default_tools_approval_mode="approve"}`)
	ask.Trials = true
	spec, err = codex.Kind().Spec(ask)
	require.NoError(t, err)
	require.Contains(t, strings.Join(spec.Argv, " "), "tool_timeout_sec=1200", "a test takes longer than a page")
	require.NotContains(t, spec.Argv, "shell_tool", "it reads the code with its own shell")
}

func TestAContinuedTurnNamesItsThread(t *testing.T) {
	ask := turn()
	ask.Session, ask.Resume = thread, "Go on."
	spec, err := codex.Kind().Spec(ask)
	require.NoError(t, err)
	require.Equal(t, []string{"resume", thread, "-"}, spec.Argv[len(spec.Argv)-3:])
	require.Equal(t, "Go on.", string(spec.Stdin))
}

func TestABareKeyIsHandedOn(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"alone":                 {map[string]string{"OPENAI_API_KEY": "a"}, "CODEX_API_KEY=a"},
		"beside codex's own":    {map[string]string{"OPENAI_API_KEY": "a", "CODEX_API_KEY": "b"}, "CODEX_API_KEY=b"},
		"none: a login is used": {map[string]string{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ask := turn()
			ask.Env = c.env
			spec, err := codex.Kind().Spec(ask)
			require.NoError(t, err)
			var got string
			for _, entry := range spec.Env {
				if strings.HasPrefix(entry, "CODEX_API_KEY=") {
					got = entry
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestOnlyTheUserLeavesTheSandbox(t *testing.T) {
	ask := turn()
	ask.Bypass = true
	spec, err := codex.Kind().Spec(ask)
	require.NoError(t, err)
	require.Contains(t, spec.Argv, "danger-full-access")
}

func TestTheProvidersWishIsKept(t *testing.T) {
	for words, want := range map[string]time.Duration{
		"rate limit exceeded: Please try again in 1.5s.":  1500 * time.Millisecond,
		"rate limit exceeded: Please try again in 20ms.":  20 * time.Millisecond,
		"rate limit exceeded: Please try again in 3m.":    3 * time.Minute,
		"rate limit exceeded: Please try again in 9999m.": 0,
		"rate limit exceeded":                             0,
	} {
		reply := codex.Kind().Read(turn(), agent.Exit{Code: 1, Stdout: strings.NewReader(retried(words))})
		require.Equal(t, agent.Retryable, reply.Fault.Class, words)
		require.Equal(t, want, reply.Fault.RetryAfter, words)
	}
}

// A seat that reads strangers' code off line sees that code, its own folder and
// what programs need of the system.
func TestASeatOffLineSeesItsScopeAlone(t *testing.T) {
	turn := agent.Turn{
		Run: "r", Seat: "codex", Dir: "/r/s", Report: "/r/s/report.md", State: "/r/s/state.txt", Prompt: "p", MaxIterations: 1, Deadline: time.Minute,
		Program: "/opt/codex", Hook: "/opt/council-hook", Offline: true, Scope: "/code", Env: map[string]string{"HOME": "/home/a"},
	}
	spec, err := codex.Kind().Spec(turn)
	require.NoError(t, err)
	require.NotContains(t, spec.Argv, "-s")
	require.Contains(t, spec.Argv, `permissions.reader.filesystem={":minimal"="read","/code"="read","/home/a/.codex/tmp"="read","/opt"="read","/r/s"="write"}`)
	turn.Offline = false
	spec, err = codex.Kind().Spec(turn)
	require.NoError(t, err)
	require.Contains(t, spec.Argv, "workspace-write")
}

func TestAnErrorWithoutWordsStillSaysSomething(t *testing.T) {
	for _, end := range []string{`,"error":{"message":""}`, `,"error":{}`, "", `,"error":null`, `,"error":""`, `,"error":{"message":" \t\n"}`, `,"error":{"message":"\u0007\u001b[0m"}`} {
		x := agent.Exit{Code: 1, Stdout: strings.NewReader(began(thread) + `{"type":"turn.failed"` + end + "}\n")}
		fault := codex.Kind().Read(agent.Turn{}, x).Fault
		require.NotNil(t, fault, end)
		require.NotEmpty(t, fault.Message, end)
	}
}
