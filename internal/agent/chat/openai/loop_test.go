package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
	adapter "github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/internal/agent/chat/openai"
)

// wire is a server of which a test says each answer as it goes over the wire.
type wire struct {
	*httptest.Server
	answers []func(w http.ResponseWriter)
	asked   []string // bodies of the requests for completions
	models  string   // what it lists
}

func newWire(t *testing.T, answers ...func(http.ResponseWriter)) *wire {
	w := &wire{answers: answers, models: `{"object":"list","data":[]}`}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(out, w.models)
			return
		}
		body, _ := io.ReadAll(r.Body)
		w.asked = append(w.asked, string(body))
		if len(w.asked) > len(w.answers) {
			out.WriteHeader(http.StatusTeapot)
			return
		}
		w.answers[len(w.asked)-1](out)
	}))
	t.Cleanup(w.Close)
	return w
}

// whole is an answer in one piece.
func whole(message, finish string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"model":"m","choices":[{"index":0,"message":%s,"finish_reason":%q}],"usage":{"prompt_tokens":100,"completion_tokens":10}}`, message, finish)
	}
}

func words(text string) func(http.ResponseWriter) {
	data, _ := json.Marshal(text)
	return whole(`{"role":"assistant","content":`+string(data)+`}`, "stop")
}

func calling(name, arguments string) func(http.ResponseWriter) {
	text, _ := json.Marshal(arguments)
	return whole(fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":%q,"arguments":%s}}]}`, name, text), "tool_calls")
}

func refusing(status int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func inEvents(lines ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, line := range lines {
			fmt.Fprintf(w, "data: %s\n\n", line)
		}
	}
}

// box is tools that note what they are asked.
type box struct {
	called []string
	answer string
}

func (b *box) Tools() []adapter.Tool {
	schema := json.RawMessage(`{"type":"object","properties":{}}`)
	return []adapter.Tool{{Name: "fetch_source", Description: "Read a page.", Schema: schema}, {Name: "record_claim", Description: "Record.", Schema: schema}}
}

func (b *box) Call(_ context.Context, c adapter.Call, _ int) (string, bool) {
	b.called = append(b.called, c.Name+" "+c.Arguments)
	if b.answer != "" {
		return b.answer, false
	}
	return fmt.Sprintf("answer %d", len(b.called)), false
}

// researcher is a seat with tools.
func researcher(w *wire) (*seat, *box) {
	s := newSeat(w.URL)
	s.turn.Role, s.turn.Scope, s.turn.Effort = agent.Research, "/project", ""
	b := &box{}
	s.box = b
	return s, b
}

func TestToolsAreCalledUntilTheLastWord(t *testing.T) {
	w := newWire(t, calling("fetch_source", `{"url":"https://a.example"}`), calling("record_claim", `{"text":"It rests."}`), words("The report."))
	s, b := researcher(w)
	reply := s.do(t.Context(), t)
	require.Nil(t, reply.Fault)
	require.Equal(t, []string{`fetch_source {"limit":24000,"url":"https://a.example"}`, `record_claim {"text":"It rests."}`}, b.called)
	require.Equal(t, "The report.\n\n"+agent.Marker+"\n", s.files[report])
	require.Equal(t, agent.Usage{Input: 300, Output: 30}, reply.Usage, "of all three answers")
	last := gjson.Parse(w.asked[2])
	require.Equal(t, "c1", last.Get("messages.3.tool_call_id").Str)
	require.Equal(t, "answer 1", last.Get("messages.3.content").Str)
	require.Len(t, last.Get("tools").Array(), 3, "write_report is one")
	require.Contains(t, s.stream, "reads https://a.example")
	s.clean(t)
}

func TestWhatIsWrittenIsTheReport(t *testing.T) {
	w := newWire(t, calling("write_report", `{"text":"# First"}`), calling("write_report", `{"text":"# Second\n\nIt rests."}`), words("Done.\n\n"+agent.Marker))
	s, _ := researcher(w)
	require.Nil(t, s.do(t.Context(), t).Fault)
	require.Equal(t, "# Second\n\nIt rests.\n\n"+agent.Marker+"\n", s.files[report])
}

func TestCallsOfEveryMake(t *testing.T) {
	for name, first := range map[string]func(http.ResponseWriter){
		"in pieces": inEvents(
			`{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"fetch_source","arguments":""}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"url\":"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"x\"}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, `[DONE]`),
		"whole, without an index":    inEvents(`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"a","function":{"name":"fetch_source","arguments":"{\"url\":\"x\"}"}}]},"finish_reason":"stop"}]}`, `[DONE]`),
		"without an id":              whole(`{"content":"","tool_calls":[{"function":{"name":"fetch_source","arguments":"{\"url\":\"x\"}"}}]}`, "tool_calls"),
		"its arguments as an object": whole(`{"content":"","tool_calls":[{"id":"a","function":{"name":"fetch_source","arguments":{"url":"x"}}}]}`, "tool_calls"),
		"between tags":               words("<tool_call>\n{\"name\": \"fetch_source\", \"arguments\": {\"url\":\"x\"}}\n</tool_call>"),
		"in a fence":                 words("```json\n{\"tool\": \"fetch_source\", \"arguments\": {\"url\":\"x\"}}\n```"),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, first, words("The report."))
			s, b := researcher(w)
			require.Nil(t, s.do(t.Context(), t).Fault)
			require.Len(t, b.called, 1)
			require.Equal(t, "x", gjson.Get(strings.TrimPrefix(b.called[0], "fetch_source "), "url").Str)
			require.Contains(t, w.asked[1], "answer 1")
			require.Contains(t, s.files[report], "The report.")
		})
	}
}

func TestCallsSideBySideAreAllAnswered(t *testing.T) {
	w := newWire(t, whole(`{"content":null,"tool_calls":[{"id":"a","function":{"name":"fetch_source","arguments":"{\"url\":\"x\"}"}},{"id":"b","function":{"name":"fetch_source","arguments":"{\"url\":\"y\"}"}}]}`, "tool_calls"), words("The report."))
	s, b := researcher(w)
	require.Nil(t, s.do(t.Context(), t).Fault)
	require.Len(t, b.called, 2)
	m := gjson.Get(w.asked[1], "messages").Array()
	require.Equal(t, []string{"a", "b"}, []string{m[3].Get("tool_call_id").Str, m[4].Get("tool_call_id").Str})
}

func TestWhatCannotBeCalledIsTold(t *testing.T) {
	for name, c := range map[string]struct{ tool, arguments, told string }{
		"an unknown tool":          {"run_shell", `{"command":"date"}`, `no tool \"run_shell\"; there are fetch_source, record_claim, write_report`},
		"arguments that are none":  {"fetch_source", `{"url":`, "no JSON object"},
		"arguments of no object":   {"fetch_source", `["x"]`, "no JSON object"},
		"a report without a text":  {"write_report", `{"text":"  "}`, "no text"},
		"a report with other keys": {"write_report", `{"content":"x"}`, "no text"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, calling(c.tool, c.arguments), words("The report."))
			s, b := researcher(w)
			require.Nil(t, s.do(t.Context(), t).Fault)
			require.Empty(t, b.called)
			require.Contains(t, w.asked[1], c.told)
		})
	}
}

func TestWhatAServerDoesNotTakeIsLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		status      int
		body        string
		gone, stays string
	}{
		"stream_options":        {400, `{"error":{"message":"Unknown field: stream_options"}}`, `"stream_options"`, `"tools"`},
		"reasoning_effort":      {400, `{"error":{"message":"Unsupported parameter","param":"reasoning_effort","code":"unsupported_parameter"}}`, `"reasoning_effort"`, `"tools"`},
		"max_completion_tokens": {422, `{"error":{"message":"Extra inputs are not permitted: max_completion_tokens"}}`, `"max_completion_tokens"`, `"max_tokens":500`},
		"tools":                 {400, `{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error"}}`, `"tools"`, "You call tools in words"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, refusing(c.status, c.body), words("The report."))
			s, _ := researcher(w)
			s.turn.Effort, s.turn.Server.Output = "high", 500
			require.Nil(t, s.do(t.Context(), t).Fault)
			require.Contains(t, w.asked[0], c.gone)
			require.NotContains(t, w.asked[1], c.gone)
			require.Contains(t, w.asked[1], c.stays)
		})
	}
}

func TestToolsInWords(t *testing.T) {
	w := newWire(t, words(`{"calls":[{"tool":"fetch_source","arguments":{"url":"x"}},{"tool":"fetch_source","arguments":{"url":"y"}}]}`), words("The report."))
	s, b := researcher(w)
	s.turn.Server.Spoken = true
	require.Nil(t, s.do(t.Context(), t).Fault)
	require.Len(t, b.called, 2)
	m := gjson.Get(w.asked[1], "messages").Array()
	require.Equal(t, []string{"system", "user", "assistant", "user"}, []string{m[0].Get("role").Str, m[1].Get("role").Str, m[2].Get("role").Str, m[3].Get("role").Str})
	require.Contains(t, m[3].Get("content").Str, "answer 2")
	require.NotContains(t, w.asked[1], "tool_calls")
}

func TestNothingIsPaidTwiceAfterAFault(t *testing.T) {
	w := newWire(t, calling("fetch_source", `{"url":"x"}`), refusing(429, `{"error":{"message":"slow down"}}`), words("The report."))
	s, b := researcher(w)
	reply := s.do(t.Context(), t)
	require.Equal(t, agent.Retryable, reply.Fault.Class)
	require.Equal(t, int64(100), reply.Usage.Input, "the first answer was paid")
	reply = s.do(t.Context(), t)
	require.Nil(t, reply.Fault)
	require.Equal(t, int64(100), reply.Usage.Input, "this process has had one answer")
	require.Len(t, b.called, 1, "what was answered before stands")
	require.Contains(t, w.asked[2], "answer 1")
}

func TestALaterIterationGoesOn(t *testing.T) {
	w := newWire(t, calling("fetch_source", `{"url":"x"}`), words("A report."), words("A better report."))
	s, _ := researcher(w)
	require.Nil(t, s.do(t.Context(), t).Fault)
	s.again("Mend it.")
	require.Nil(t, s.do(t.Context(), t).Fault)
	require.Contains(t, s.files[report], "A better report.")
	for _, kept := range []string{"answer 1", "A report.", "Mend it."} {
		require.Contains(t, w.asked[2], kept)
	}
}

func TestTheSameCallAgainAndAgainIsStopped(t *testing.T) {
	var answers []func(http.ResponseWriter)
	for range 8 {
		answers = append(answers, calling("fetch_source", `{"url":"x"}`))
	}
	w := newWire(t, append(answers[:6:6], words("What I have."))...)
	s, b := researcher(w)
	require.Nil(t, s.do(t.Context(), t).Fault)
	require.Len(t, b.called, 3)
	require.Contains(t, w.asked[4], "its answer stands above")
	require.Contains(t, w.asked[6], "no more calls")
	require.Contains(t, w.asked[6], `"tool_choice":"none"`)
	require.Contains(t, s.files[report], "What I have.")
}

func TestSilenceIsAskedAboutAndEnds(t *testing.T) {
	w := newWire(t, words(""), words("The report."))
	s, _ := researcher(w)
	require.Nil(t, s.do(t.Context(), t).Fault)
	require.Contains(t, w.asked[1], "You have said nothing")

	w = newWire(t, words(""), words(""), words(""))
	s, _ = researcher(w)
	reply := s.do(t.Context(), t)
	require.Equal(t, agent.Degenerate, reply.Fault.Class)
	require.Equal(t, int64(300), reply.Usage.Input)
}

func TestASmallWindowIsKeptTo(t *testing.T) {
	var answers []func(http.ResponseWriter)
	for n := range 20 {
		answers = append(answers, calling("fetch_source", fmt.Sprintf(`{"url":"https://a.example/%d"}`, n)))
		answers = append(answers, calling("record_claim", fmt.Sprintf(`{"text":"The kettle rests, seen %d times."}`, n)))
	}
	w := newWire(t, append(answers, words("The report."))...)
	w.models = `{"data":[{"id":"m","max_model_len":8192}]}`
	s, b := researcher(w)
	b.answer = strings.Repeat("A long passage of a page. ", 150)
	require.Nil(t, s.do(t.Context(), t).Fault)
	require.Len(t, b.called, 40)
	require.Contains(t, b.called[0], `"limit":4096`)
	for _, body := range w.asked {
		require.Less(t, len(body), 8192*4)
	}
	last := w.asked[40]
	require.Contains(t, last, "20 so far")
	require.Contains(t, last, "seen 0 times")
}

func TestAWindowTooSmallIsSaid(t *testing.T) {
	w := newWire(t)
	s, _ := researcher(w)
	s.turn.Server.Window = 1000
	reply := s.do(t.Context(), t)
	require.Equal(t, agent.Terminal, reply.Fault.Class)
	require.Contains(t, reply.Fault.Message, "1000 tokens is too small")
	require.Empty(t, w.asked)
}

func TestAServerThatFindsItTooLongIsAskedShorter(t *testing.T) {
	w := newWire(t, refusing(400, `{"error":{"message":"This model's maximum context length is 4096 tokens.","code":"context_length_exceeded"}}`), words("The report."))
	s, _ := researcher(w)
	s.files[s.turn.Inputs[0]] = strings.Repeat("It is water. ", 9000)
	require.Nil(t, s.do(t.Context(), t).Fault)
	require.Len(t, w.asked, 2)
}

func TestAStreamThatStopsInACallIsAskedAgain(t *testing.T) {
	half := inEvents(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"fetch_source","arguments":"{\"ur"}}]}}]}`)
	w := newWire(t, half, calling("fetch_source", `{"url":"x"}`), words("The report."))
	s, b := researcher(w)
	require.Equal(t, agent.Retryable, s.do(t.Context(), t).Fault.Class)
	require.Empty(t, b.called)
	require.Nil(t, s.do(t.Context(), t).Fault)
	require.Len(t, b.called, 1)
}

func TestThoughtsAndSignaturesGoBackWithTheirCalls(t *testing.T) {
	w := newWire(t, whole(`{"content":null,"reasoning_content":"I look.","tool_calls":[{"id":"a","extra_content":{"google":{"thought_signature":"sig"}},"function":{"name":"fetch_source","arguments":"{\"url\":\"x\"}"}}]}`, "tool_calls"), words("The report."))
	s, _ := researcher(w)
	require.Nil(t, s.do(t.Context(), t).Fault)
	m := gjson.Get(w.asked[1], "messages.2")
	require.Equal(t, "I look.", m.Get("reasoning_content").Str)
	require.Equal(t, "sig", m.Get("tool_calls.0.extra_content.google.thought_signature").Str)
}

var _ openai.Toolbox = (*box)(nil)

func TestTheCallsOfAStreamAreTold(t *testing.T) {
	w := newWire(t, calling("fetch_source", `{"url":"x"}`), words("The report."))
	s, _ := researcher(w)
	s.do(t.Context(), t)
	var calls []agent.Call
	for line := range strings.Lines(s.stream) {
		calls = append(calls, adapter.Kind().Calls([]byte(line))...)
	}
	require.True(t, slices.Equal(calls, []agent.Call{{ID: "c1", Name: "fetch_source"}, {ID: "c1", Ended: true}}), "%v", calls)
}
