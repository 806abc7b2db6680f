package loopback

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// openai is the Responses API as codex uses it.
type openai struct{}

func (openai) env(url string) (env, args []string) {
	return []string{"OPENAI_BASE_URL=" + url + "/v1", "CODEX_API_KEY=" + key, "OPENAI_API_KEY=" + key},
		[]string{"-c", `openai_base_url="` + url + `/v1"`}
}

func (o openai) read(r *http.Request, body []byte) Request {
	b := gjson.ParseBytes(body)
	q := Request{
		Session: r.Header.Get("Thread-Id"), Model: b.Get("model").Str,
		System: b.Get("instructions").Str, stream: b.Get("stream").Bool(),
	}
	q.offer(b.Get("tools"))
	for _, item := range b.Get("input").Array() {
		switch role := item.Get("role").Str; {
		case item.Get("type").Str == "additional_tools":
			q.offer(item.Get("tools"))
		case role == "developer" || role == "system":
			q.System += "\n" + texts(item.Get("content"))
		case role == "user":
			q.user(texts(item.Get("content"), "<environment_context>", "<user_instructions>", "# AGENTS.md"))
			fallthrough
		default:
			q.said += everything(item)
		}
	}
	q.Inner = o.inner(r, b)
	q.query = b.Get("commands.search_query.0.q").Str
	if q.query == "" {
		q.query = b.Get("commands.open.0.ref_id").Str
	}
	return q
}

// nested are the tools that code can call: headings in the description of the
// tool that runs code.
var nested = regexp.MustCompile("(?m)^### `(\\w+)`")

// offer notes tools by name, those within namespaces and code too.
func (q *Request) offer(list gjson.Result) {
	for _, tool := range list.Array() {
		name, kind := tool.Get("name").Str, tool.Get("type").Str
		switch {
		case kind == "namespace":
			q.offer(tool.Get("tools"))
			continue
		case name == "":
			name = kind
		case name == "exec" && kind == "custom":
			q.code = true
			for _, heading := range nested.FindAllStringSubmatch(tool.Get("description").Str, -1) {
				q.Tools = append(q.Tools, heading[1])
			}
		}
		q.Tools = append(q.Tools, name)
	}
}

func (openai) inner(r *http.Request, b gjson.Result) string {
	last := b.Get("input.@reverse.0.type").Str
	switch path := r.URL.Path; {
	case r.Header.Get("Upgrade") != "":
		return "websocket"
	case strings.HasSuffix(path, "/models"):
		return "models"
	case strings.HasSuffix(path, "/alpha/search"):
		return "search"
	case strings.HasSuffix(path, "/responses/compact") || last == "compaction_trigger":
		return "compact"
	case !strings.HasSuffix(path, "/responses") || r.Method != http.MethodPost:
		return "other"
	}
	return ""
}

func (openai) usual(q Request) Step {
	switch q.Inner {
	case "websocket": // codex then posts, and says so on stderr alone
		return Step{Status: http.StatusUpgradeRequired}
	case "search":
		return Step{Results: pages(q.query)}
	case "other":
		return Step{Status: http.StatusNotFound, Message: "no such path: " + q.Path}
	}
	return Step{}
}

func (o openai) answer(q Request, s Step) (string, error) {
	switch q.Inner {
	case "models":
		return `{"models":[]}`, nil
	case "search":
		return encode(object{"output": s.told()}), nil
	}
	items, err := o.items(q, s)
	if err != nil {
		return "", err
	}
	response := o.response(q, s, items)
	if !q.stream {
		return encode(response), nil
	}
	return o.events(s, response, items), nil
}

// items is the output of a response.
func (o openai) items(q Request, s Step) ([]object, error) {
	id := func(kind string, i int) string { return fmt.Sprintf("%s_%06d_%d", kind, q.N, i) }
	if q.Inner == "compact" {
		return []object{{"type": "compaction", "id": id("cmp", 0), "encrypted_content": "c2NyaXB0"}}, nil
	}
	calls, err := o.calls(q, s)
	list := []object{}
	if s.Text != "" {
		phase := "final_answer"
		if len(calls) > 0 {
			phase = "commentary"
		}
		list = append(list, object{
			"type": "message", "id": id("msg", 0), "role": "assistant", "status": "completed", "phase": phase,
			"content": []object{{"type": "output_text", "text": s.Text, "annotations": []any{}}},
		})
	}
	for i, item := range calls {
		item["id"], item["call_id"] = id("item", i+1), id("call", i+1)
		list = append(list, item)
	}
	return list, err
}

// calls are the calls of a step in the form the request offers.
func (o openai) calls(q Request, s Step) ([]object, error) {
	var list []object
	var failed error
	add := func(item object, err error) {
		list = append(list, item)
		if failed == nil {
			failed = err
		}
	}
	if s.Read != "" {
		add(o.shell(q, "cat "+quote(s.Read)))
	}
	if s.Search != "" {
		add(o.search(q, s.Search))
	}
	if s.Shell != "" {
		add(o.shell(q, s.Shell))
	}
	if s.Tool != nil {
		add(o.tool(q, *s.Tool), nil)
	}
	for _, c := range s.Tools {
		add(o.tool(q, c), nil)
	}
	if s.Write != nil {
		add(o.write(q, *s.Write))
	}
	return list, failed
}

// run is a call by code, as models in code mode make it.
func run(name string, input any) object {
	code := fmt.Sprintf("const r = await tools.%s(%s); text(typeof r === 'string' ? r : JSON.stringify(r));", name, encode(input))
	return object{"type": "custom_tool_call", "name": "exec", "status": "completed", "input": code}
}

func function(name string, input any) object {
	return object{"type": "function_call", "name": name, "arguments": encode(input)}
}

func offers(q Request, name string) error {
	if slices.Contains(q.Tools, name) {
		return nil
	}
	return fmt.Errorf("the request does not offer %s, only %q", name, q.Tools)
}

func (openai) shell(q Request, command string) (object, error) {
	input := object{"cmd": command, "yield_time_ms": 30000}
	if q.code {
		return run("exec_command", input), offers(q, "exec_command")
	}
	if offers(q, "shell_command") == nil {
		return function("shell_command", object{"command": command}), nil
	}
	return function("exec_command", input), offers(q, "exec_command")
}

func (openai) search(q Request, query string) (object, error) {
	if q.code {
		return run("web__run", object{"search_query": []object{{"q": query}}}), offers(q, "web__run")
	}
	item := object{"type": "web_search_call", "status": "completed", "action": object{"type": "search", "query": query}}
	return item, offers(q, "web_search")
}

func (openai) tool(q Request, c Call) object {
	if q.code {
		c = c.spelled("mcp__%s__%s")
		return run(c.Name, c.Input)
	}
	item := function(c.Name, c.spelled("").Input)
	if c.Server != "" {
		item["namespace"] = "mcp__" + c.Server
	}
	return item
}

// write is a patch. A patch cannot end a file without a line feed: the shell
// can.
func (o openai) write(q Request, f File) (object, error) {
	body, whole := strings.CutSuffix(f.Content, "\n")
	if !whole || offers(q, "apply_patch") != nil {
		return o.shell(q, fmt.Sprintf(`mkdir -p "$(dirname %[1]s)" && printf %%s %[2]s > %[1]s`, quote(f.Path), quote(f.Content)))
	}
	patch := "*** Begin Patch\n*** Add File: " + f.Path + "\n+" + strings.ReplaceAll(body, "\n", "\n+") + "\n*** End Patch\n"
	if q.code {
		return run("apply_patch", patch), nil
	}
	return object{"type": "custom_tool_call", "name": "apply_patch", "status": "completed", "input": patch}, nil
}

// quote is one word for a POSIX shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

func (openai) response(q Request, s Step, items []object) object {
	u := s.used()
	response := object{
		"id": fmt.Sprintf("resp_%06d", q.N), "object": "response", "created_at": 0, "model": q.Model,
		"status": "completed", "output": items,
		"usage": object{
			"input_tokens": u.Input, "input_tokens_details": object{"cached_tokens": u.Cached},
			"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": u.Reasoning},
			"total_tokens": u.Input + u.Output,
		},
	}
	if s.Search != "" && !q.code && s.Text == "" {
		response["end_turn"] = false // the vendor searched; the model has not finished
	}
	if s.Stop != "" {
		response["status"], response["incomplete_details"] = "incomplete", object{"reason": s.Stop}
	}
	return response
}

// events is a response as it is streamed.
func (o openai) events(s Step, response object, items []object) string {
	out := events{numbered: true}
	begun := maps.Clone(response)
	begun["status"], begun["output"] = "in_progress", []object{}
	delete(begun, "usage")
	out.add("response.created", object{"response": begun})
	if s.Code != "" {
		begun["status"], begun["error"] = "failed", object{"code": s.Code, "message": s.Message}
		out.add("response.failed", object{"response": begun})
		return out.String()
	}
	for i, item := range items {
		o.item(&out, i, item)
	}
	out.add("response."+response["status"].(string), object{"response": response})
	return out.String()
}

func (openai) item(out *events, i int, item object) {
	at := func(more object) object {
		more["output_index"] = i
		return more
	}
	if item["type"] != "message" {
		out.add("response.output_item.added", at(object{"item": item}))
		out.add("response.output_item.done", at(object{"item": item}))
		return
	}
	begun := maps.Clone(item)
	begun["status"], begun["content"] = "in_progress", []object{}
	part := item["content"].([]object)[0]
	in := func(more object) object {
		more["item_id"], more["content_index"] = item["id"], 0
		return at(more)
	}
	out.add("response.output_item.added", at(object{"item": begun}))
	out.add("response.content_part.added", in(object{"part": object{"type": "output_text", "text": "", "annotations": []any{}}}))
	for _, piece := range pieces(part["text"].(string)) {
		out.add("response.output_text.delta", in(object{"delta": piece}))
	}
	out.add("response.output_text.done", in(object{"text": part["text"]}))
	out.add("response.content_part.done", in(object{"part": part}))
	out.add("response.output_item.done", at(object{"item": item}))
}

func (openai) failure(s Step) string {
	kind, code := "invalid_request_error", s.Code
	if s.Status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	if code == "" {
		code = map[int]string{401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded", 500: "server_error"}[s.Status]
	}
	return encode(object{"error": object{"message": s.reason(), "type": kind, "param": nil, "code": code}})
}
