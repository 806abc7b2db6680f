package loopback

import (
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// anthropic is the Messages API as claude uses it.
type anthropic struct{}

func (anthropic) env(url string) (env, args []string) {
	return []string{
		"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=" + key, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}, nil
}

func (a anthropic) read(r *http.Request, body []byte) Request {
	b := gjson.ParseBytes(body)
	q := Request{
		Session: r.Header.Get("X-Claude-Code-Session-Id"), Model: b.Get("model").Str,
		System: texts(b.Get("system")), stream: b.Get("stream").Bool(),
	}
	if agent := r.Header.Get("X-Claude-Code-Agent-Id"); agent != "" {
		q.Session += "/" + agent
	}
	for _, tool := range b.Get("tools.#.name").Array() {
		q.Tools = append(q.Tools, tool.Str)
	}
	for _, m := range b.Get("messages").Array() {
		switch m.Get("role").Str {
		case "system":
			q.System += "\n" + texts(m.Get("content"))
		case "user":
			q.user(texts(m.Get("content"), "<system-reminder>"))
			fallthrough
		default:
			q.said += everything(m.Get("content"))
		}
	}
	q.Inner = a.inner(r, q, b)
	q.query = strings.TrimPrefix(q.LastUser, "Perform a web search for the query: ")
	return q
}

func (anthropic) inner(r *http.Request, q Request, b gjson.Result) string {
	switch path := r.URL.Path; {
	case path == "/v1/messages/count_tokens":
		return "count"
	case path == "/v1/models":
		return "models"
	case path == "/" || r.Method == http.MethodHead:
		return "hello"
	case path != "/v1/messages" || r.Method != http.MethodPost:
		return "other"
	}
	switch {
	case len(q.Tools) == 1 && q.Tools[0] == "web_search":
		return "search"
	case strings.HasPrefix(strings.TrimSpace(q.FirstUser), "Web page content:"):
		return "fetch"
	case strings.Contains(q.LastUser, "Your task is to create a detailed summary"):
		return "compact"
	case b.Get("max_tokens").Int() == 1:
		return "quota"
	case b.Get("output_config.format.schema.properties.title").Exists():
		return "title"
	}
	return ""
}

func (anthropic) usual(q Request) Step {
	switch q.Inner {
	case "search":
		return Step{Results: pages(q.query)}
	case "fetch":
		return Step{Text: "The page says what it says."}
	case "compact":
		return Step{Text: "<analysis>All is said.</analysis><summary>What was said so far.</summary>"}
	case "title":
		return Step{Text: `{"title":"A scripted session"}`}
	case "quota":
		return Step{Text: "."}
	case "other":
		return Step{Status: http.StatusNotFound, Message: "no such path: " + q.Path}
	}
	return Step{}
}

func (a anthropic) answer(q Request, s Step) (string, error) {
	switch q.Inner {
	case "count":
		return `{"input_tokens":1000}`, nil
	case "models":
		return `{"data":[],"has_more":false,"first_id":null,"last_id":null}`, nil
	case "hello":
		return `{}`, nil
	}
	content, err := a.content(q, s)
	if err != nil {
		return "", err
	}
	message := a.message(q, s, content)
	if !q.stream {
		return encode(message), nil
	}
	return a.events(s, message, content), nil
}

// content is the list of blocks a step says.
func (a anthropic) content(q Request, s Step) ([]object, error) {
	var list []object
	if q.Inner == "search" {
		list = a.found(q, s.Results)
		s.Text = s.told()
	}
	if s.Text != "" {
		list = append(list, object{"type": "text", "text": s.Text})
	}
	calls, err := s.calls(claudeTools, q.Tools)
	for i, c := range calls {
		list = append(list, object{"type": "tool_use", "id": fmt.Sprintf("toolu_%06d_%d", q.N, i), "name": c.Name, "input": c.Input})
	}
	return list, err
}

// found is what the vendor's own search tool leaves in a message.
func (anthropic) found(q Request, results []Result) []object {
	id := fmt.Sprintf("srvtoolu_%06d", q.N)
	list := []object{}
	for _, r := range results {
		list = append(list, object{
			"type": "web_search_result", "url": r.URL, "title": r.Title, "encrypted_content": "c2NyaXB0", "page_age": nil,
		})
	}
	return []object{
		{"type": "server_tool_use", "id": id, "name": "web_search", "input": object{"query": q.query}},
		{"type": "web_search_tool_result", "tool_use_id": id, "content": list},
	}
}

// claudeTools are claude's own tools.
var claudeTools = tools{read: "Read", search: "WebSearch", shell: "Bash", write: "Write", mcp: "mcp__%s__%s"}

func (anthropic) message(q Request, s Step, content []object) object {
	if content == nil {
		content = []object{} // an empty answer is a list as well
	}
	u := s.used()
	counts := object{
		"input_tokens": u.Input - u.Cached, "cache_read_input_tokens": u.Cached, "cache_creation_input_tokens": 0,
		"output_tokens": u.Output, "service_tier": "standard",
	}
	if q.Inner == "search" {
		counts["server_tool_use"] = object{"web_search_requests": 1}
	}
	stop := s.Stop
	if stop == "" {
		stop = "end_turn"
		if n := len(content); n > 0 && content[n-1]["type"] == "tool_use" {
			stop = "tool_use"
		}
	}
	return object{
		"id": fmt.Sprintf("msg_%06d", q.N), "type": "message", "role": "assistant", "model": q.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil, "usage": counts,
	}
}

// events is a message as it is streamed.
func (a anthropic) events(s Step, message object, content []object) string {
	var out events
	begun := maps.Clone(message)
	begun["content"], begun["stop_reason"] = []object{}, nil
	out.add("message_start", object{"message": begun})
	out.add("ping", object{})
	if s.Code != "" {
		out.add("error", object{"error": object{"type": s.Code, "message": s.Message}})
		return out.String()
	}
	for i, block := range content {
		a.block(&out, i, block)
	}
	out.add("message_delta", object{
		"delta": object{"stop_reason": message["stop_reason"], "stop_sequence": nil}, "usage": message["usage"],
	})
	out.add("message_stop", object{})
	return out.String()
}

func (anthropic) block(out *events, i int, block object) {
	begun := maps.Clone(block)
	var deltas []object
	switch block["type"] {
	case "text":
		begun["text"] = ""
		for _, piece := range pieces(block["text"].(string)) {
			deltas = append(deltas, object{"type": "text_delta", "text": piece})
		}
	case "tool_use", "server_tool_use":
		begun["input"] = object{}
		deltas = append(deltas, object{"type": "input_json_delta", "partial_json": encode(block["input"])})
	}
	out.add("content_block_start", object{"index": i, "content_block": begun})
	for _, d := range deltas {
		out.add("content_block_delta", object{"index": i, "delta": d})
	}
	out.add("content_block_stop", object{"index": i})
}

func (anthropic) failure(s Step) string {
	kind := s.Code
	if kind == "" {
		kind = map[int]string{
			400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
			413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error",
		}[s.Status]
	}
	if kind == "" {
		kind = "api_error"
	}
	return encode(object{"type": "error", "error": object{"type": kind, "message": s.reason()}, "request_id": "req_script"})
}
