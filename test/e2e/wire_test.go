package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent"
)

type object = map[string]any

// voice is a provider's wire format.
type voice struct {
	read  func(r *http.Request, body string) request
	speak func(w io.Writer, r request, s step, id string)
}

func voices(path string) (voice, bool) {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return voice{readMessages, speakMessages}, true
	case strings.HasSuffix(path, "/responses"):
		return voice{readResponses, speakResponses}, true
	case strings.HasSuffix(path, ":streamGenerateContent"):
		return voice{readGenerate, speakGenerate}, true
	}
	return voice{}, false
}

var reportAsked = regexp.MustCompile("(?:Markdown to|refined report to:|draft to:|your report at|[Ww]rite to|positions to:) `([^`]+)`|write (?:the synthesis|it again) to (.+?/synthesis\\.md)")

// wanted finds the file a conversation asks for; what was said last counts.
func wanted(said string) string {
	all := reportAsked.FindAllStringSubmatch(said, -1)
	if len(all) == 0 {
		return ""
	}
	last := all[len(all)-1]
	return last[1] + last[2]
}

// speech is the texts of the user's side.
func (r *request) speech(texts []string) {
	r.said = strings.Join(texts, "\n")
	if len(texts) > 0 {
		r.last = texts[len(texts)-1]
	}
}

// offered is the tool's name when it is among the names, else "".
func offered(names gjson.Result, tool string) string {
	for _, name := range names.Array() {
		if name.String() == tool {
			return tool
		}
	}
	return ""
}

// texts gathers the text of a message whose content is a string or parts.
func texts(content gjson.Result) []string {
	if content.Type == gjson.String {
		return []string{content.Str}
	}
	var list []string
	for _, part := range content.Array() {
		if text := part.Get("text"); text.Type == gjson.String {
			list = append(list, text.Str)
		}
	}
	return list
}

func spoken(messages gjson.Result, content string) []string {
	var list []string
	for _, m := range messages.Array() {
		if m.Get("role").Str == "user" {
			list = append(list, texts(m.Get(content))...)
		}
	}
	return list
}

func event(w io.Writer, name string, data object) {
	data["type"] = name
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, encoded(data))
}

func encoded(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a script holds what is no JSON
	}
	return text
}

// call is the tool that a step calls, and with what; "" where it calls none.
// The desk's tool has a name of its own at each vendor.
func (s step) call(r request, desk string) (tool string, input object) {
	switch {
	case s.claim != nil:
		return desk, s.claim
	case s.write != "":
		return r.writer, object{"file_path": s.write, "content": s.content}
	}
	return "", nil
}

// Anthropic's Messages API.

func readMessages(r *http.Request, body string) request {
	req := request{vendor: "anthropic", model: gjson.Get(body, "model").Str, session: r.Header.Get("X-Claude-Code-Session-Id")}
	req.speech(spoken(gjson.Get(body, "messages"), "content"))
	req.writer = offered(gjson.Get(body, "tools.#.name"), "Write")
	return req
}

func speakMessages(w io.Writer, r request, s step, id string) {
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": s.say}, "end_turn"
	if tool, input := s.call(r, "mcp__desk__record_claim"); tool != "" {
		block = object{"type": "tool_use", "id": "toolu_" + id, "name": tool, "input": object{}}
		delta, stop = object{"type": "input_json_delta", "partial_json": string(encoded(input))}, "tool_use"
	}
	event(w, "message_start", object{"message": object{
		"id": "msg_" + id, "type": "message", "role": "assistant", "model": r.model,
		"content": []any{}, "stop_reason": nil, "usage": object{"input_tokens": 100, "output_tokens": 1},
	}})
	event(w, "content_block_start", object{"index": 0, "content_block": block})
	event(w, "content_block_delta", object{"index": 0, "delta": delta})
	event(w, "content_block_stop", object{"index": 0})
	event(w, "message_delta", object{"delta": object{"stop_reason": stop}, "usage": object{"output_tokens": 20}})
	event(w, "message_stop", object{})
}

// OpenAI's Responses API. Most models of codex have one freeform tool named
// exec, which takes JavaScript that calls the others.

func readResponses(r *http.Request, body string) request {
	req := request{vendor: "openai", model: gjson.Get(body, "model").Str, session: r.Header.Get("Thread-Id")}
	req.speech(spoken(gjson.Get(body, "input"), "content"))
	req.writer = offered(gjson.Get(body, `input.#(type=="additional_tools").tools.#.tools.#.name|@flatten`), "exec")
	return req
}

func speakResponses(w io.Writer, r request, s step, id string) {
	item := object{
		"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed", "phase": "final_answer",
		"content": []object{{"type": "output_text", "text": s.say, "annotations": []any{}}},
	}
	tool, input := s.call(r, "mcp__desk__record_claim")
	if s.write != "" {
		tool, input = "exec_command", object{"cmd": "cat > " + agent.Shell([]string{s.write}) + " <<'END'\n" + strings.TrimSuffix(s.content, "\n") + "\nEND", "yield_time_ms": 30000}
	}
	if tool != "" {
		item = object{
			"type": "custom_tool_call", "id": "ctc_" + id, "call_id": "call_" + id, "name": r.writer, "status": "completed",
			"input": fmt.Sprintf("const r = await tools.%s(%s); text(JSON.stringify(r));", tool, encoded(input)),
		}
	}
	usage := object{
		"input_tokens": 100, "input_tokens_details": object{"cached_tokens": 0},
		"output_tokens": 20, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 120,
	}
	event(w, "response.created", object{"response": object{"id": "resp_" + id, "status": "in_progress"}})
	event(w, "response.output_item.added", object{"output_index": 0, "item": item})
	event(w, "response.output_item.done", object{"output_index": 0, "item": item})
	event(w, "response.completed", object{"response": object{"id": "resp_" + id, "status": "completed", "output": []object{item}, "usage": usage}})
}

// The Gemini API. Its requests name no session: a conversation is known by the
// report it asks for.

func readGenerate(r *http.Request, body string) request {
	model, _, _ := strings.Cut(path.Base(r.URL.Path), ":")
	req := request{vendor: "google", model: model}
	req.speech(spoken(gjson.Get(body, "contents"), "parts"))
	req.writer = offered(gjson.Get(body, "tools.#.functionDeclarations.#.name|@flatten"), "write_file")
	return req
}

func speakGenerate(w io.Writer, r request, s step, _ string) {
	part := object{"text": s.say}
	if tool, input := s.call(r, "mcp_desk_record_claim"); tool != "" {
		part = object{"functionCall": object{"name": tool, "args": input}}
	}
	fmt.Fprintf(w, "data: %s\r\n\r\n", encoded(object{
		"candidates":    []object{{"content": object{"role": "model", "parts": []object{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120},
		"modelVersion":  r.model,
	}))
}
