package loopback

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// chat is the Chat Completions API, of OpenAI and of all that imitate it. A
// conversation has no id there: it is known by how it begins.
type chat struct{}

// Chat serves the Chat Completions API, below any path.
func Chat(t testing.TB, s Scenario) *Server { return start(t, "chat", s) }

func (chat) env(url string) (env, args []string) {
	return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=" + key}, nil
}

func (c chat) read(r *http.Request, body []byte) Request {
	b := gjson.ParseBytes(body)
	q := Request{Model: b.Get("model").Str, stream: b.Get("stream").Bool(), counted: b.Get("stream_options.include_usage").Bool(), Inner: c.inner(r)}
	for _, tool := range b.Get("tools").Array() {
		q.Tools = append(q.Tools, tool.Get("function.name").Str)
	}
	for _, m := range b.Get("messages").Array() {
		text := texts(m.Get("content"))
		for _, call := range m.Get("tool_calls").Array() {
			q.said += call.Get("function.arguments").Str + "\n"
		}
		switch role := m.Get("role").Str; role {
		case "system", "developer":
			q.System += text + "\n"
			continue
		case "user":
			q.user(text)
		}
		q.said += text + "\n"
	}
	sum := sha256.Sum256([]byte(q.FirstUser))
	q.Session = hex.EncodeToString(sum[:6])
	return q
}

func (chat) inner(r *http.Request) string {
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/chat/completions") && r.Method == http.MethodPost:
		return ""
	case strings.HasSuffix(path, "/models"):
		return "models"
	}
	return "other"
}

func (chat) usual(q Request) Step {
	if q.Inner == "other" {
		return Step{Status: http.StatusNotFound, Message: fmt.Sprintf("Invalid URL (%s %s)", q.Method, q.Path)}
	}
	return Step{}
}

func (c chat) answer(q Request, s Step) (string, error) {
	if q.Inner == "models" {
		return `{"object":"list","data":[]}`, nil
	}
	calls, err := s.calls(tools{search: "search_web", mcp: "%[2]s"}, q.Tools)
	if err != nil {
		return "", err
	}
	if s.Stop == "" {
		s.Stop = "stop"
		if len(calls) > 0 {
			s.Stop = "tool_calls"
		}
	}
	if q.stream {
		return c.events(q, s, calls), nil
	}
	whole := c.frame(q, "chat.completion")
	message := object{"role": "assistant", "content": s.Text, "refusal": nil, "annotations": []any{}}
	if len(calls) > 0 {
		message["tool_calls"] = toolCalls(q, calls)
	}
	whole["choices"] = []object{{"index": 0, "message": message, "logprobs": nil, "finish_reason": s.Stop}}
	whole["usage"] = c.usage(s)
	return encode(whole), nil
}

// toolCalls are calls as the API has them.
func toolCalls(q Request, calls []Call) []object {
	list := make([]object, len(calls))
	for i, call := range calls {
		list[i] = object{"id": fmt.Sprintf("call_%06d_%d", q.N, i), "type": "function", "function": object{"name": call.Name, "arguments": encode(call.Input)}}
	}
	return list
}

// frame is what every object of an answer bears.
func (chat) frame(q Request, kind string) object {
	return object{
		"id": fmt.Sprintf("chatcmpl-%06d", q.N), "object": kind, "created": 0, "model": q.Model,
		"service_tier": "default", "system_fingerprint": nil,
	}
}

func (chat) usage(s Step) object {
	u := s.used()
	return object{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details":     object{"cached_tokens": u.Cached, "audio_tokens": 0},
		"completion_tokens_details": object{"reasoning_tokens": u.Reasoning, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
	}
}

// events is an answer as it is streamed. These events have no type.
func (c chat) events(q Request, s Step, calls []Call) string {
	var out strings.Builder
	add := func(data object) { fmt.Fprintf(&out, "data: %s\n\n", encode(data)) }
	frame := c.frame(q, "chat.completion.chunk")
	piece := func(delta object, finish any) {
		chunk := maps.Clone(frame)
		chunk["choices"] = []object{{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}}
		if q.counted {
			chunk["usage"] = nil
		}
		add(chunk)
	}
	piece(object{"role": "assistant", "content": "", "refusal": nil}, nil)
	if s.Code != "" {
		add(object{"error": object{"message": s.Message, "type": "server_error", "param": nil, "code": s.Code}})
		return out.String()
	}
	for _, text := range pieces(s.Text) {
		piece(object{"content": text}, nil)
	}
	for i, call := range toolCalls(q, calls) {
		begun := maps.Clone(call)
		function, _ := call["function"].(object)
		begun["index"], begun["function"] = i, object{"name": function["name"], "arguments": ""}
		piece(object{"tool_calls": []object{begun}}, nil)
		arguments, _ := function["arguments"].(string)
		for _, part := range pieces(arguments) {
			piece(object{"tool_calls": []object{{"index": i, "function": object{"arguments": part}}}}, nil)
		}
	}
	piece(object{}, s.Stop)
	if q.counted {
		last := maps.Clone(frame)
		last["choices"], last["usage"] = []object{}, c.usage(s)
		add(last)
	}
	return out.String() + "data: [DONE]\n\n"
}

// failure has the codes of the vendor's other API, and kinds of its own.
func (chat) failure(s Step) string {
	e := gjson.Get(openai{}.failure(s), "error")
	kind, code := e.Get("type").Str, e.Get("code").Str
	switch code {
	case "insufficient_quota":
		kind = code
	case "rate_limit_exceeded":
		kind = "tokens"
	}
	body := object{"message": s.reason(), "type": kind, "param": nil, "code": nil}
	if code != "" {
		body["code"] = code
	}
	return encode(object{"error": body})
}
