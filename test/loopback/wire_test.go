package loopback_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/test/loopback"
)

// vendor is how a client of one wire format asks for a turn.
type vendor struct {
	api        string
	serve      func(testing.TB, loopback.Scenario) *loopback.Server
	path, body string
	header     string // that names the session
	spoken     func(stream string) string
}

const session = "0b1e"

var vendors = map[string]vendor{
	"anthropic": {
		api: "anthropic", serve: loopback.Anthropic, path: "/v1/messages?beta=true", header: "X-Claude-Code-Session-Id", spoken: deltas("delta.text"),
		body: `{"model":"m","stream":true,"system":[{"type":"text","text":"Be good."}],
			"tools":[{"name":"Read"},{"name":"WebSearch"},{"name":"Bash"},{"name":"Write"}],
			"messages":[
				{"role":"user","content":[{"type":"text","text":"<system-reminder>No.</system-reminder>"},{"type":"text","text":"First."}]},
				{"role":"system","content":[{"type":"text","text":"Be brief."}]},
				{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"date"}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"today"}]},
				{"role":"user","content":"Last."},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"tomorrow"}]}]}`,
	},
	"openai": {
		api: "openai", serve: loopback.OpenAI, path: "/v1/responses", header: "Thread-Id", spoken: deltas("delta"),
		body: `{"model":"m","stream":true,"instructions":"Be good.","tools":[],"input":[
			{"type":"additional_tools","role":"developer","tools":[{"type":"namespace","name":"functions","tools":[{"type":"custom","name":"exec",
				"description":"Run code\n### ` + "`apply_patch`" + `\n### ` + "`exec_command`\\n### `web__run`" + `\n"}]}]},
			{"type":"message","role":"developer","content":[{"type":"input_text","text":"Be brief."}]},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>No.</environment_context>"}]},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"First."}]},
			{"type":"custom_tool_call","name":"exec","call_id":"c","input":"date"},
			{"type":"custom_tool_call_output","call_id":"c","output":"today"},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"Last."}]},
			{"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_text","text":"tomorrow"}]}]}`,
	},
	"gemini": {
		api: "gemini", serve: loopback.Gemini, path: "/v1beta/models/m:streamGenerateContent?alt=sse", spoken: parts,
		body: `{"systemInstruction":{"parts":[{"text":"Be good. Be brief."}]},
			"tools":[{"functionDeclarations":[{"name":"read_file"},{"name":"google_web_search"},{"name":"run_shell_command"},{"name":"write_file"}]}],
			"contents":[
				{"role":"user","parts":[{"text":"<session_context>\nThe project's temporary directory is: /h/tmp/w\n</session_context>"},{"text":"First."}]},
				{"role":"model","parts":[{"functionCall":{"name":"run_shell_command","args":{"command":"date"}}}]},
				{"role":"user","parts":[{"functionResponse":{"name":"run_shell_command","response":{"output":"today"}}}]},
				{"role":"user","parts":[{"text":"Last."}]},
				{"role":"user","parts":[{"functionResponse":{"name":"run_shell_command","response":{"output":"tomorrow"}}}]}]}`,
	},
	"chat": {
		api: "chat", serve: loopback.Chat, path: "/openai/v1/chat/completions", spoken: choices,
		body: `{"model":"m","stream":true,"stream_options":{"include_usage":true},
			"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}},{"type":"function","function":{"name":"c"}},{"type":"function","function":{"name":"d"}}],
			"messages":[
				{"role":"system","content":"Be good."},{"role":"developer","content":"Be brief."},
				{"role":"user","content":"First."},
				{"role":"tool","tool_call_id":"t","content":"today"},
				{"role":"user","content":[{"type":"text","text":"Last."}]},
				{"role":"tool","tool_call_id":"t","content":"tomorrow"}]}`,
	},
}

// data are the payloads of a stream.
func data(stream string) []gjson.Result {
	var list []gjson.Result
	for line := range strings.Lines(stream) {
		if payload, ok := strings.CutPrefix(line, "data: "); ok {
			list = append(list, gjson.Parse(payload))
		}
	}
	return list
}

func deltas(path string) func(string) string {
	return func(stream string) string {
		var text strings.Builder
		for _, d := range data(stream) {
			if strings.HasSuffix(d.Get("type").Str, "delta") {
				text.WriteString(d.Get(path).Str)
			}
		}
		return text.String()
	}
}

func choices(stream string) string {
	var text strings.Builder
	for _, d := range data(stream) {
		text.WriteString(d.Get("choices.0.delta.content").Str)
	}
	return text.String()
}

func parts(stream string) string {
	var text strings.Builder
	for _, d := range data(stream) {
		text.WriteString(d.Get("candidates.0.content.parts.0.text").Str)
	}
	return text.String()
}

// ask sends a request and returns the answer with its body.
func (v vendor) ask(ctx context.Context, url, path, body string) (*http.Response, string, error) {
	return v.askAs(ctx, session, url+path, body)
}

func (v vendor) askAs(ctx context.Context, session, url, body string) (*http.Response, string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	if v.header != "" {
		r.Header.Set(v.header, session)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer, string(text), err
}

func (v vendor) turn(t *testing.T, s *loopback.Server) string {
	t.Helper()
	answer, text, err := v.ask(t.Context(), s.URL, v.path, v.body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode, text)
	require.Equal(t, "text/event-stream", answer.Header.Get("Content-Type"))
	return text
}

func speaking(t *testing.T, test func(t *testing.T, v vendor)) {
	for name, v := range vendors {
		t.Run(name, func(t *testing.T) { test(t, v) })
	}
}

func scenario(t *testing.T, text string) loopback.Scenario {
	t.Helper()
	s, err := loopback.Parse([]byte(text))
	require.NoError(t, err)
	return s
}

func TestARequestIsUnderstoodWhateverTheVendor(t *testing.T) {
	speaking(t, func(t *testing.T, v vendor) {
		s := v.serve(t, scenario(t, `rules: [{when: {any: "today.*Last.*tomorrow", system: "Be good..Be brief"}, steps: [{text: Yes.}]}]`))
		v.turn(t, s)
		q := s.Requests()[0]
		require.Equal(t, "First.", q.FirstUser)
		require.Equal(t, "Last.", q.LastUser)
		require.Equal(t, "m", q.Model)
		require.Empty(t, q.Inner)
		require.Equal(t, 200, q.Status)
		require.JSONEq(t, v.body, string(q.Body))
		require.Len(t, q.Tools, 4)
		switch {
		case v.header != "":
			require.Equal(t, session, q.Session)
		case v.api == "chat":
			require.Regexp(t, `^[0-9a-f]{12}$`, q.Session)
		default:
			require.Regexp(t, `^/h/tmp/w#[0-9a-f]{8}$`, q.Session)
		}
	})
}

func TestEveryTextArrivesWhole(t *testing.T) {
	speaking(t, func(t *testing.T, v vendor) {
		rapid.Check(t, func(r *rapid.T) {
			text := strings.ReplaceAll(rapid.String().Draw(r, "text"), "$", "")
			s, err := loopback.Listen(v.api, "127.0.0.1:0", loopback.Scenario{Rules: []loopback.Rule{{
				Steps: []loopback.Step{{Text: strings.Repeat(text, 5)}},
			}}}, io.Discard)
			require.NoError(r, err)
			defer s.Close()
			_, stream, err := v.ask(t.Context(), s.URL, v.path, v.body)
			require.NoError(r, err)
			require.Equal(r, strings.Repeat(text, 5), v.spoken(stream))
		})
	})
}

const actions = `
rules:
- steps:
  - text: Now.
    read: /r
    search: sky
    shell: "true"
    tool: {server: desk, name: greet, input: {name: Ada, times: 2}}
    write: {path: /w, content: "a\nb\n"}
`

func TestMessagesCallClaudesTools(t *testing.T) {
	v := vendors["anthropic"]
	var calls []string
	stream := v.turn(t, v.serve(t, scenario(t, actions)))
	var kinds []string
	for _, d := range data(stream) {
		kinds = append(kinds, d.Get("type").Str)
		if d.Get("content_block.type").Str == "tool_use" {
			require.Equal(t, "{}", d.Get("content_block.input").Raw)
			calls = append(calls, d.Get("content_block.name").Str)
		}
		if d.Get("delta.type").Str == "input_json_delta" {
			calls = append(calls, d.Get("delta.partial_json").Str)
		}
	}
	require.Equal(t, []string{
		"Read", `{"file_path":"/r"}`, "WebSearch", `{"query":"sky"}`, "Bash", `{"command":"true","description":"Run a command"}`,
		"mcp__desk__greet", `{"name":"Ada","times":2}`, "Write", `{"content":"a\nb\n","file_path":"/w"}`,
	}, calls)
	block := []string{"content_block_start", "content_block_delta", "content_block_stop"}
	want := []string{"message_start", "ping"}
	for range 6 {
		want = append(want, block...)
	}
	require.Equal(t, append(want, "message_delta", "message_stop"), kinds)
	require.Contains(t, stream, `"stop_reason":"tool_use"`)
	require.Contains(t, stream, "event: message_start\ndata: {")
}

func TestResponsesCallCodexsToolsByCode(t *testing.T) {
	v := vendors["openai"]
	var calls, kinds []string
	for i, d := range data(v.turn(t, v.serve(t, scenario(t, actions)))) {
		require.Equal(t, int64(i), d.Get("sequence_number").Int())
		kinds = append(kinds, strings.TrimPrefix(d.Get("type").Str, "response."))
		if d.Get("type").Str == "response.output_item.done" && d.Get("item.type").Str == "custom_tool_call" {
			require.Equal(t, "exec", d.Get("item.name").Str)
			call, _, _ := strings.Cut(strings.TrimPrefix(d.Get("item.input").Str, "const r = await tools."), "; text(")
			calls = append(calls, call)
		}
	}
	require.Equal(t, []string{
		`exec_command({"cmd":"cat '/r'","yield_time_ms":30000})`, `web__run({"search_query":[{"q":"sky"}]})`,
		`exec_command({"cmd":"true","yield_time_ms":30000})`, `mcp__desk__greet({"name":"Ada","times":2})`,
		`apply_patch("*** Begin Patch\n*** Add File: /w\n+a\n+b\n*** End Patch\n")`,
	}, calls)
	require.Equal(t, []string{
		"created", "output_item.added", "content_part.added", "output_text.delta", "output_text.done", "content_part.done", "output_item.done",
	}, kinds[:7])
	require.Equal(t, "completed", kinds[len(kinds)-1])
}

func TestToolsSideBySideAreAllCalled(t *testing.T) {
	for _, name := range []string{"anthropic", "openai", "gemini"} {
		t.Run(name, func(t *testing.T) {
			v := vendors[name]
			stream := v.turn(t, v.serve(t, scenario(t, `rules: [{steps: [{tools: [{name: agree}, {server: desk, name: greet}]}]}]`)))
			require.Contains(t, stream, "agree")
			require.Contains(t, stream, "greet")
		})
	}
}

func TestResponsesCallCodexsToolsOneByOne(t *testing.T) {
	v := vendors["openai"]
	v.body = `{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Go."}]}],
		"tools":[{"type":"function","name":"exec_command"},{"type":"custom","name":"apply_patch"},{"type":"web_search"}]}`
	var calls []string
	for _, d := range data(v.turn(t, v.serve(t, scenario(t, actions)))) {
		if item := d.Get("item"); d.Get("type").Str == "response.output_item.done" && item.Get("type").Str != "message" {
			calls = append(calls, item.Get("type").Str+" "+item.Get("namespace").Str+" "+item.Get("name").Str)
		}
	}
	require.Equal(t, []string{
		"function_call  exec_command", "web_search_call  ", "function_call  exec_command",
		"function_call mcp__desk greet", "custom_tool_call  apply_patch",
	}, calls)
}

func TestGenerateContentCallsGeminisTools(t *testing.T) {
	v := vendors["gemini"]
	var calls []string
	chunks := data(v.turn(t, v.serve(t, scenario(t, actions))))
	for _, d := range chunks[1:] {
		call := d.Get("candidates.0.content.parts.0.functionCall")
		calls = append(calls, call.Get("name").Str, call.Get("args").Raw)
	}
	require.Equal(t, []string{
		"read_file", `{"file_path":"/r"}`, "google_web_search", `{"query":"sky"}`,
		"run_shell_command", `{"command":"true","description":"Run a command"}`,
		"mcp_desk_greet", `{"name":"Ada","times":2}`, "write_file", `{"content":"a\nb\n","file_path":"/w"}`,
	}, calls)
	last := chunks[len(chunks)-1]
	require.Equal(t, "STOP", last.Get("candidates.0.finishReason").Str)
	require.Equal(t, int64(1050), last.Get("usageMetadata.totalTokenCount").Int())
	require.False(t, chunks[0].Get("candidates.0.finishReason").Exists())
}

func TestAChatIsAnsweredInPiecesOrAsOne(t *testing.T) {
	v := vendors["chat"]
	s := v.serve(t, scenario(t, `rules: [{steps: [{text: Hello., stop: length, usage: {input: 7, cached: 3, output: 5}}]}]`))
	stream := v.turn(t, s)
	require.True(t, strings.HasSuffix(stream, "\n\ndata: [DONE]\n\n"))
	events := data(stream)
	for _, e := range events[:4] {
		require.Equal(t, "chat.completion.chunk", e.Get("object").Str)
		require.Equal(t, "m", e.Get("model").Str)
	}
	require.Equal(t, "assistant", events[0].Get("choices.0.delta.role").Str)
	require.Equal(t, gjson.Null, events[1].Get("choices.0.finish_reason").Type)
	require.Equal(t, "length", events[2].Get("choices.0.finish_reason").Str)
	require.Empty(t, events[3].Get("choices").Array(), "the tokens come last and alone")
	require.Equal(t, int64(12), events[3].Get("usage.total_tokens").Int())

	v.body = strings.Replace(v.body, `"stream":true,"stream_options":{"include_usage":true},`, "", 1)
	answer, whole, err := v.ask(t.Context(), s.URL, v.path, v.body)
	require.NoError(t, err)
	require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	require.Equal(t, "Hello.", gjson.Get(whole, "choices.0.message.content").Str)
	require.Equal(t, int64(3), gjson.Get(whole, "usage.prompt_tokens_details.cached_tokens").Int())
	require.Equal(t, "length", gjson.Get(whole, "choices.0.finish_reason").Str)

	v.body = strings.Replace(v.body, `"model"`, `"stream":true,"model"`, 1)
	require.NotContains(t, v.turn(t, s), "usage", "unless they are asked for")
}

func TestInnerRequestsGetTheAnswerTheVendorWouldGive(t *testing.T) {
	for _, c := range []struct{ api, path, body, inner, answer string }{
		{"anthropic", "/v1/messages/count_tokens", `{}`, "count", `"input_tokens":`},
		{"anthropic", "/v1/messages", `{"stream":true,"tools":[{"name":"web_search"}],"messages":[{"role":"user","content":"Perform a web search for the query: sky"}]}`, "search", `"partial_json":"{\"query\":\"sky\"}"`},
		{"anthropic", "/v1/messages", `{"stream":true,"messages":[{"role":"user","content":"\nWeb page content:\n---\nhi"}]}`, "fetch", "text_delta"},
		{"anthropic", "/v1/messages", `{"messages":[{"role":"user","content":"Your task is to create a detailed summary of it"}]}`, "compact", `<summary>`},
		{"anthropic", "/v1/messages", `{"max_tokens":1,"messages":[{"role":"user","content":"quota"}]}`, "quota", `"end_turn"`},
		{"openai", "/v1/alpha/search", `{"commands":{"search_query":[{"q":"sky"}]}}`, "search", `on: sky`},
		{"openai", "/v1/responses", `{"stream":true,"input":[{"type":"message","role":"user","content":"x"},{"type":"compaction_trigger"}]}`, "compact", `"type":"compaction"`},
		{"chat", "/v1/models", `{}`, "models", `"object":"list"`},
		{"gemini", "/v1beta/models/m:countTokens", `{}`, "count", `"totalTokens":`},
		{"gemini", "/v1beta/models/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"sky"}]}],"tools":[{"googleSearch":{}}]}`, "search", `"webSearchQueries":["sky"]`},
		{"gemini", "/v1beta/models/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"sky"}]}],"tools":[{"urlContext":{}}]}`, "fetch", `"retrievedUrl"`},
		{"gemini", "/v1beta/models/m:generateContent", `{"generationConfig":{"responseJsonSchema":{"properties":{"next_speaker":{}}}}}`, "next_speaker", `next_speaker\":\"user`},
		{"gemini", "/v1beta/models/m:generateContent", `{"generationConfig":{"responseJsonSchema":{"properties":{"complexity_score":{}}}}}`, "router", `model_choice`},
		{"gemini", "/v1beta/models/m:generateContent", `{"systemInstruction":{"parts":[{"text":"a <state_snapshot> of it"}]}}`, "compact", `state_snapshot`},
	} {
		t.Run(c.api+" "+c.inner, func(t *testing.T) {
			v := vendors[c.api]
			s := v.serve(t, loopback.Scenario{})
			answer, text, err := v.ask(t.Context(), s.URL, c.path, c.body)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, answer.StatusCode)
			require.Contains(t, text, c.answer)
			require.Equal(t, c.inner, s.Requests()[0].Inner)
			require.Empty(t, s.Turns())
		})
	}
}

func TestAWebSocketIsRefusedSoThatCodexPosts(t *testing.T) {
	s := loopback.OpenAI(t, loopback.Scenario{})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/responses", nil)
	require.NoError(t, err)
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "websocket")
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusUpgradeRequired, answer.StatusCode)
	require.Equal(t, "websocket", s.Requests()[0].Inner)
}

func TestErrorsHaveTheVendorsForm(t *testing.T) {
	want := map[string]map[string]string{
		"anthropic": {"error.type": "rate_limit_error", "error.message": "Slow down.", "type": "error"},
		"openai":    {"error.code": "rate_limit_exceeded", "error.message": "Slow down."},
		"chat":      {"error.code": "rate_limit_exceeded", "error.type": "tokens", "error.message": "Slow down."},
		"gemini":    {"error.status": "RESOURCE_EXHAUSTED", "error.message": "Slow down.", "error.details.0.retryDelay": "7s"},
	}
	speaking(t, func(t *testing.T, v vendor) {
		s := v.serve(t, scenario(t, `rules: [{steps: [{status: 429, message: Slow down., headers: {Retry-After: "7"}}]}]`))
		answer, text, err := v.ask(t.Context(), s.URL, v.path, v.body)
		require.NoError(t, err)
		require.Equal(t, 429, answer.StatusCode)
		require.Equal(t, "7", answer.Header.Get("Retry-After"))
		for path, value := range want[v.api] {
			require.Equal(t, value, gjson.Get(text, path).Str, path)
		}
	})
}

func TestAStreamMayFailAfterItBegan(t *testing.T) {
	want := map[string]string{"anthropic": "error.type", "openai": "response.error.code", "gemini": "error.status", "chat": "error.code"}
	speaking(t, func(t *testing.T, v vendor) {
		s := v.serve(t, scenario(t, `rules: [{steps: [{code: overloaded, message: Later.}]}]`))
		events := data(v.turn(t, s))
		require.Equal(t, "overloaded", events[len(events)-1].Get(want[v.api]).Str)
	})
}

func TestConnectionsBreakAsTheScenarioSays(t *testing.T) {
	speaking(t, func(t *testing.T, v vendor) {
		s := v.serve(t, scenario(t, `rules: [{steps: [{drop: true}, {text: Half of this., cut: true}, {hang: true}, {text: Half of this., cut: true, hang: true}]}]`))
		_, _, err := v.ask(t.Context(), s.URL, v.path, v.body)
		require.Error(t, err)

		_, text, err := v.ask(t.Context(), s.URL, v.path, v.body)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.NotEmpty(t, text)

		for _, begun := range []bool{false, true} {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			answer, _, err := v.ask(ctx, s.URL, v.path, v.body)
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, begun, answer != nil)
		}
	})
}

func TestAServerThatHangsCanBeClosed(t *testing.T) {
	v := vendors["anthropic"]
	s, err := loopback.Listen("anthropic", "127.0.0.1:0", scenario(t, `rules: [{steps: [{hang: true}]}]`), io.Discard)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { _, _, err := v.ask(context.Background(), s.URL, v.path, v.body); done <- err }()
	require.Eventually(t, func() bool { return len(s.Requests()) == 1 }, 10*time.Second, time.Millisecond)
	s.Close()
	<-done
}

func TestTheLogIsALineOfJSONForEachRequest(t *testing.T) {
	v := vendors["openai"]
	var log strings.Builder
	s, err := loopback.Listen("openai", "127.0.0.1:0", scenario(t, `rules: [{name: hello, steps: [{text: Hi.}]}]`), &log)
	require.NoError(t, err)
	v.turn(t, s)
	_, _, err = v.ask(t.Context(), s.URL, "/nowhere", "no JSON")
	require.NoError(t, err)
	s.Close()
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	require.Len(t, lines, 2)
	require.Equal(t, "hello", gjson.Get(lines[0], "rule").Str)
	require.Equal(t, "no JSON", gjson.Get(lines[1], "body").Str)
	require.Equal(t, int64(404), gjson.Get(lines[1], "status").Int())
}
