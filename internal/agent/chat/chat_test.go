package chat_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/agenttest"
	"github.com/research-council/research-council/internal/agent/chat"
)

func line(e chat.Event) string {
	data, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	return string(data) + "\n"
}

func ended(text string) string {
	return line(chat.Event{Type: chat.Ended, Model: "m-1", Finish: chat.Stop, Text: text, Usage: &chat.Usage{Input: 100, Cached: 40, Output: 7}})
}

func refused(status int, code string) string {
	return line(chat.Event{Type: chat.Failed, Cause: chat.Refused, Status: status, Code: code, Message: "the server said no"})
}

func failed(cause string) string {
	return line(chat.Event{Type: chat.Failed, Cause: cause, Message: "it failed"})
}

// server makes a chat seat of the suite's turns.
type server struct{ chat.Adapter }

func (s server) Spec(t agent.Turn) (agent.Spec, error) {
	t.Server = agent.Server{BaseURL: "https://models.invalid/v1", KeyEnv: "A_KEY"}
	return s.Adapter.Spec(t)
}

var suite = agenttest.Suite{
	Kind: agent.Kind{Name: "chat", Adapter: server{}, Desk: true},
	Good: func(text string) string {
		return line(chat.Event{Type: chat.Started, Model: "m", Note: "asking m"}) + line(chat.Event{Type: chat.Noted, Note: "answering: 9 letters"}) + ended(text)
	},
	Cases: []agenttest.Case{
		{Name: "an answer", Stdout: ended("done"), Text: "done", Session: agenttest.Session, Models: []string{"m-1"}, Usage: agent.Usage{Input: 100, CachedInput: 40, Output: 7}},
		{Name: "an answer that was cut off is one", Stdout: line(chat.Event{Type: chat.Ended, Finish: chat.Length, Text: "half"}), Text: "half"},
		{Name: "no end is no success", Stdout: line(chat.Event{Type: chat.Started}), Class: agent.Degenerate, Message: "without an answer"},
		{Name: "nothing at all", Class: agent.Degenerate},
		{Name: "a rate limit passes", Exit: 1, Stdout: refused(429, "rate_limit_exceeded"), Class: agent.Retryable, Message: "the server said no"},
		{Name: "a rate limit without a code passes", Exit: 1, Stdout: refused(429, ""), Class: agent.Retryable},
		{Name: "a spent quota does not pass", Exit: 1, Stdout: refused(429, "insufficient_quota"), Class: agent.Terminal},
		{Name: "a wrong key", Exit: 1, Stdout: refused(401, "invalid_api_key"), Class: agent.Terminal},
		{Name: "a key without the right", Exit: 1, Stdout: refused(403, ""), Class: agent.Terminal},
		{Name: "no such model", Exit: 1, Stdout: refused(404, "model_not_found"), Class: agent.Terminal},
		{Name: "too long a question", Exit: 1, Stdout: refused(400, "context_length_exceeded"), Class: agent.Terminal},
		{Name: "too large a question", Exit: 1, Stdout: refused(413, ""), Class: agent.Terminal},
		{Name: "a parameter it does not know", Exit: 1, Stdout: refused(400, "unsupported_value"), Class: agent.Terminal},
		{Name: "nothing is paid", Exit: 1, Stdout: refused(402, ""), Class: agent.Terminal},
		{Name: "Groq is busy", Exit: 1, Stdout: refused(498, ""), Class: agent.Retryable},
		{Name: "the server's own failure", Exit: 1, Stdout: refused(500, "server_error"), Class: agent.Retryable},
		{Name: "a bad gateway", Exit: 1, Stdout: refused(502, ""), Class: agent.Retryable},
		{Name: "a redirection", Exit: 1, Stdout: refused(307, ""), Class: agent.Terminal},
		{Name: "an error in the stream passes", Exit: 1, Stdout: refused(0, "server_error"), Class: agent.Retryable},
		{Name: "a spent quota in the stream does not", Exit: 1, Stdout: refused(0, "insufficient_quota"), Class: agent.Terminal},
		{Name: "a status for a code in the stream", Exit: 1, Stdout: refused(0, "400"), Class: agent.Terminal},
		{Name: "a status that passes for a code", Exit: 1, Stdout: refused(0, "503"), Class: agent.Retryable},
		{Name: "no connection", Exit: 1, Stdout: failed(chat.Unreachable), Class: agent.Retryable},
		{Name: "a stream that breaks off", Exit: 1, Stdout: failed(chat.Broken), Class: agent.Retryable},
		{Name: "silence", Exit: 1, Stdout: failed(chat.Silent), Class: agent.Retryable},
		{Name: "too late", Exit: 1, Stdout: failed(chat.Late), Class: agent.TimedOut},
		{Name: "an empty answer", Exit: 1, Stdout: failed(chat.Empty), Class: agent.Degenerate},
		{Name: "a refusal", Exit: 1, Stdout: failed(chat.Withheld), Class: agent.Degenerate},
		{Name: "an answer too large", Exit: 1, Stdout: failed(chat.Large), Class: agent.Degenerate},
		{Name: "no key", Exit: 1, Stdout: failed(chat.Unset), Class: agent.Terminal},
		{Name: "a cause of a later version", Exit: 1, Stdout: failed("eclipse"), Class: agent.Degenerate},
		{Name: "any other failure may pass", Exit: 1, Stderr: "council: disk full\n", Class: agent.Degenerate, Message: "disk full"},
		{
			Name: "tokens that were paid for nothing count", Exit: 1, Class: agent.Degenerate, Usage: agent.Usage{Input: 5, Output: 9},
			Stdout: line(chat.Event{Type: chat.Failed, Cause: chat.Empty, Message: "it thought", Usage: &chat.Usage{Input: 5, Output: 9}}),
		},
		{Name: "ended by KILL under a shell", Exit: 137, Class: agent.Lost},
	},
	Notes: map[string]string{
		`{"type":"note","note":"answering: 12 letters"}`:                      "answering: 12 letters",
		`{"type":"error","message":"429: \u001b[1mslow down"}`:                "429: slow down",
		`{"type":"end","text":"an answer that is read where it was written"}`: "",
		"a panic": "",
	},
}

func TestChat(t *testing.T) { suite.Run(t) }

func FuzzRead(f *testing.F) { suite.Fuzz(f) }

func TestTheServersWishIsHonouredWithinReason(t *testing.T) {
	for asked, want := range map[int64]time.Duration{7000: 7 * time.Second, -1: 0, 1 << 62: 24 * time.Hour} {
		stream := line(chat.Event{Type: chat.Failed, Cause: chat.Refused, Status: 429, RetryAfter: asked})
		reply := chat.Kind().Read(agent.Turn{}, agent.Exit{Code: 1, Stdout: strings.NewReader(stream)})
		require.Equal(t, want, reply.Fault.RetryAfter)
	}
}

const dir = "/run/seats/openai"

func turn() agent.Turn {
	return agent.Turn{
		Run: "20260101-120000-abcdef", Seat: "openai", Role: agent.Review, MaxIterations: 3, Council: "/opt/council", Session: agenttest.Session,
		Dir: dir, Report: dir + "/review.json", State: dir + "/state.txt", Open: dir + "/open.md", Inputs: []string{dir + "/inputs/report.md"},
		Prompt: "Review.", Topic: "\xff\x00?", Model: "m", Effort: "low", Deadline: time.Hour, Env: map[string]string{"A_KEY": "sk-secret"},
		Server: agent.Server{BaseURL: "https://models.invalid/v1", KeyEnv: "A_KEY"},
	}
}

func TestATurnLiesInItsFolderAndHoldsNoKey(t *testing.T) {
	first := turn()
	again := first
	again.Resume, again.Iteration = "Mend it.", 1
	for _, t1 := range []agent.Turn{first, again} {
		spec, err := chat.Kind().Spec(t1)
		require.NoError(t, err)
		require.Equal(t, []string{"/opt/council", "chat", dir + "/turn.json"}, spec.Argv)
		require.Contains(t, spec.Env, "A_KEY=sk-secret", "the environment alone")
		require.NotContains(t, fmt.Sprint(spec.Argv, spec.Files, string(spec.Stdin)), "sk-secret")
		files := map[string]string{}
		for _, f := range spec.Files {
			files[strings.TrimPrefix(f.Path, dir+"/")] = string(f.Data)
		}
		var a chat.Assignment
		require.NoError(t, json.Unmarshal([]byte(files["turn.json"]), &a))
		require.Equal(t, "Review."+agent.FenceTopic(t1.Topic), files["prompt.md"])
		want := chat.Assignment{
			Server: t1.Server, Model: "m", Effort: "low", Session: t1.Session, Iteration: t1.Iteration, Deadline: time.Hour,
			Prompt: dir + "/prompt.md", Open: t1.Open, Inputs: t1.Inputs, Report: t1.Report, Kept: dir + "/answer.json",
		}
		if t1.Resume != "" {
			want.Resume = dir + "/resume.md"
			require.Equal(t, "Mend it.", files["resume.md"])
		}
		require.Equal(t, want, a)
	}
}

func TestASeatWithoutAServerOrAModelIsNotStarted(t *testing.T) {
	for want, edit := range map[string]func(*agent.Turn){
		"no server": func(t *agent.Turn) { t.Server.BaseURL = "" },
		"no model":  func(t *agent.Turn) { t.Model = "" },
	} {
		t1 := turn()
		edit(&t1)
		_, err := chat.Kind().Spec(t1)
		require.ErrorContains(t, err, want)
	}
}
