package seats_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/research-council/research-council/internal/agent"
)

// step is what the scripted model does with one request: write a file and
// wait for the tool's answer, say something and be done, or fail.
type step struct {
	write, content string
	run            string // a shell command instead, where the seat has nothing but a shell
	say            string
	status         int
}

// model is a fake model: it speaks a provider's true wire format on loopback
// and follows its script; after that it only says that it is done.
type model struct {
	url    string
	mu     sync.Mutex
	script []step
	bodies []string // of the requests it was asked to continue
}

// wire says one step in a provider's format.
type wire func(w http.ResponseWriter, r *http.Request, body []byte, s step)

func serve(t *testing.T, speak wire, script ...step) *model {
	m := &model{script: script}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a cut request is no concern of the script
		if r.Method != http.MethodPost || strings.Contains(r.URL.Path, "ount") {
			aside(w, r)
			return
		}
		s := m.next(string(body))
		if s.status != 0 {
			w.WriteHeader(s.status)
			fmt.Fprintf(w, `{"type":"error","error":{"type":"t","code":%d,"message":%q,"status":"S"}}`, s.status, "models/x is not found")
			return
		}
		speak(w, r, body, s)
	}))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

// aside answers what is no turn of the model: token counts and the attempt to
// open a WebSocket.
func aside(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost:
		_, _ = io.WriteString(w, `{"input_tokens":1,"totalTokens":1}`)
	case r.Header.Get("Upgrade") != "":
		w.WriteHeader(http.StatusUpgradeRequired)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (m *model) next(body string) step {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bodies = append(m.bodies, body)
	if len(m.script) == 0 {
		return step{say: "done"}
	}
	s := m.script[0]
	m.script = m.script[1:]
	return s
}

func (m *model) asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bodies
}

type object = map[string]any

func event(w io.Writer, name string, data object) {
	data["type"] = name
	text, _ := json.Marshal(data) // objects of strings and numbers encode
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, text)
}

// messages is Anthropic's Messages API.
func messages(w http.ResponseWriter, _ *http.Request, body []byte, s step) {
	w.Header().Set("Content-Type", "text/event-stream")
	var request struct{ Model string }
	_ = json.Unmarshal(body, &request) // an odd request gets an odd answer
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": s.say}, "end_turn"
	if s.write != "" {
		input, _ := json.Marshal(object{"file_path": s.write, "content": s.content})
		block = object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", len(body)), "name": "Write", "input": object{}}
		delta, stop = object{"type": "input_json_delta", "partial_json": string(input)}, "tool_use"
	}
	event(w, "message_start", object{"message": object{
		"id": fmt.Sprintf("msg_%d", len(body)), "type": "message", "role": "assistant", "model": request.Model,
		"content": []any{}, "stop_reason": nil, "usage": object{"input_tokens": 100, "output_tokens": 1},
	}})
	event(w, "content_block_start", object{"index": 0, "content_block": block})
	event(w, "content_block_delta", object{"index": 0, "delta": delta})
	event(w, "content_block_stop", object{"index": 0})
	event(w, "message_delta", object{"delta": object{"stop_reason": stop}, "usage": object{"output_tokens": 20}})
	event(w, "message_stop", object{})
}

// responses is OpenAI's Responses API, for a model that has one freeform tool
// named exec, which takes JavaScript.
func responses(w http.ResponseWriter, _ *http.Request, body []byte, s step) {
	w.Header().Set("Content-Type", "text/event-stream")
	id := fmt.Sprint(len(body))
	item := object{
		"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed", "phase": "final_answer",
		"content": []object{{"type": "output_text", "text": s.say, "annotations": []any{}}},
	}
	if s.write != "" || s.run != "" {
		text := s.run
		if s.write != "" {
			text = "cat > " + agent.Shell([]string{s.write}) + " <<'END'\n" + s.content + "END"
		}
		command, _ := json.Marshal(text)
		item = object{
			"type": "custom_tool_call", "id": "ctc_" + id, "call_id": "call_" + id, "name": "exec", "status": "completed",
			"input": "const r = await tools.exec_command({cmd: " + string(command) + ", yield_time_ms: 30000}); text(JSON.stringify(r));",
		}
	}
	usage := object{
		"input_tokens": 1000, "input_tokens_details": object{"cached_tokens": 400},
		"output_tokens": 50, "output_tokens_details": object{"reasoning_tokens": 20}, "total_tokens": 1050,
	}
	event(w, "response.created", object{"response": object{"id": "resp_" + id, "status": "in_progress"}})
	event(w, "response.output_item.added", object{"output_index": 0, "item": item})
	event(w, "response.output_item.done", object{"output_index": 0, "item": item})
	event(w, "response.completed", object{"response": object{"id": "resp_" + id, "status": "completed", "output": []object{item}, "usage": usage}})
}

// generate is the Gemini API.
func generate(w http.ResponseWriter, _ *http.Request, _ []byte, s step) {
	w.Header().Set("Content-Type", "text/event-stream")
	part := object{"text": s.say}
	if s.write != "" {
		part = object{"functionCall": object{"name": "write_file", "args": object{"file_path": s.write, "content": s.content}}}
	}
	answer, _ := json.Marshal(object{
		"candidates":    []object{{"content": object{"role": "model", "parts": []object{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120},
		"modelVersion":  "gemini-2.5-pro",
	})
	fmt.Fprintf(w, "data: %s\r\n\r\n", answer)
}
