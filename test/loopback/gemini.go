package loopback

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
)

// gemini is the Gemini API as gemini uses it.
type gemini struct{}

// env leaves one thing to a settings file, for which there is no variable:
// security.auth.selectedType "gemini-api-key".
func (gemini) env(url string) (env, args []string) {
	return []string{
		"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=" + key, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true",
	}, nil
}

var model = regexp.MustCompile(`/models/([^/:]+):(\w+)$`)

func (g gemini) read(r *http.Request, body []byte) Request {
	b := gjson.ParseBytes(body)
	q := Request{System: texts(b.Get("systemInstruction.parts")), stream: strings.HasSuffix(r.URL.Path, ":streamGenerateContent")}
	op := ""
	if found := model.FindStringSubmatch(r.URL.Path); found != nil {
		q.Model, op = found[1], found[2]
	}
	for _, c := range b.Get("contents").Array() {
		if c.Get("role").Str == "user" {
			q.user(texts(c.Get("parts"), "<session_context>"))
		}
		q.said += everything(c.Get("parts"))
	}
	for _, tool := range b.Get("tools").Array() {
		for _, name := range tool.Get("functionDeclarations.#.name").Array() {
			q.Tools = append(q.Tools, name.Str)
		}
	}
	q.Inner = g.inner(r, op, b)
	q.Session = g.session(q, b.Get("contents.0.parts"))
	q.query = strings.TrimSpace(q.LastUser)
	return q
}

var folder = regexp.MustCompile(`(?m)temporary directory is: (.+)$`)

// session makes up for the id that this format lacks: the folder of the
// project the command line runs for, and what the user said first.
func (gemini) session(q Request, first gjson.Result) string {
	found := folder.FindStringSubmatch(texts(first))
	if found == nil {
		return ""
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(q.FirstUser)) // a hash takes everything
	return fmt.Sprintf("%s#%08x", found[1], h.Sum32())
}

func (gemini) inner(r *http.Request, op string, b gjson.Result) string {
	schema := b.Get("generationConfig.responseJsonSchema").Raw + b.Get("generationConfig.responseSchema").Raw
	tools := b.Get("tools").Raw
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		return "models"
	case op == "countTokens":
		return "count"
	case r.Method != http.MethodPost || op != "generateContent" && op != "streamGenerateContent":
		return "other"
	case strings.Contains(tools, `"googleSearch"`):
		return "search"
	case strings.Contains(tools, `"urlContext"`):
		return "fetch"
	case strings.Contains(schema, "next_speaker"):
		return "next_speaker"
	case strings.Contains(schema, "complexity_score") || strings.Contains(schema, "model_choice"):
		return "router"
	case strings.Contains(schema, "unproductive_state"):
		return "loop_check"
	case op == "generateContent" && strings.Contains(b.Raw, "state_snapshot"):
		return "compact"
	case op == "generateContent":
		return "title"
	}
	return ""
}

func (gemini) usual(q Request) Step {
	text := map[string]string{
		"next_speaker": `{"reasoning":"All is said.","next_speaker":"user"}`,
		"router":       `{"reasoning":"It is hard.","model_choice":"pro","complexity_reasoning":"It is hard.","complexity_score":90}`,
		"loop_check":   `{"unproductive_state_analysis":"None.","unproductive_state_confidence":0.0}`,
		"compact":      "<state_snapshot><overall_goal>What was asked.</overall_goal></state_snapshot>",
		"title":        "A scripted session",
	}[q.Inner]
	switch q.Inner {
	case "search", "fetch":
		return Step{Results: pages(q.query)}
	case "other":
		return Step{Status: http.StatusNotFound, Message: "no such path: " + q.Path}
	}
	return Step{Text: text}
}

// geminiTools are gemini's own tools.
var geminiTools = tools{
	read: "read_file", search: "google_web_search", shell: "run_shell_command", write: "write_file", mcp: "mcp_%s_%s",
}

func (g gemini) answer(q Request, s Step) (string, error) {
	switch q.Inner {
	case "count":
		return `{"totalTokens":1000}`, nil
	case "models":
		return `{"models":[]}`, nil
	case "search", "fetch":
		s.Text = s.told()
	}
	calls, err := s.calls(geminiTools, q.Tools)
	if err != nil {
		return "", err
	}
	parts := []object{}
	for _, piece := range pieces(s.Text) {
		parts = append(parts, object{"text": piece})
	}
	for _, c := range calls {
		parts = append(parts, object{"functionCall": object{"name": c.Name, "args": c.Input}})
	}
	if !q.stream {
		return encode(g.chunk(q, s, parts, true)), nil
	}
	return g.stream(q, s, parts), nil
}

func (g gemini) stream(q Request, s Step, parts []object) string {
	var out strings.Builder
	send := func(data string) { fmt.Fprintf(&out, "data: %s\r\n\r\n", data) }
	for i, part := range parts {
		send(encode(g.chunk(q, s, []object{part}, s.Code == "" && i == len(parts)-1)))
	}
	switch {
	case s.Code != "":
		send(g.failure(s))
	case len(parts) == 0:
		send(encode(g.chunk(q, s, parts, true)))
	}
	return out.String()
}

// chunk is one response; the last says why the model stopped and what it used.
func (g gemini) chunk(q Request, s Step, parts []object, last bool) object {
	candidate := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	chunk := object{"candidates": []object{candidate}, "modelVersion": q.Model, "responseId": fmt.Sprintf("script-%06d", q.N)}
	if !last {
		return chunk
	}
	candidate["finishReason"] = "STOP"
	if s.Stop != "" {
		candidate["finishReason"] = s.Stop
	}
	g.found(candidate, q, s.Results)
	u := s.used()
	chunk["usageMetadata"] = object{
		"promptTokenCount": u.Input, "cachedContentTokenCount": u.Cached, "candidatesTokenCount": u.Output - u.Reasoning,
		"thoughtsTokenCount": u.Reasoning, "totalTokenCount": u.Input + u.Output,
	}
	return chunk
}

// found notes where an inner search or fetch has its text from.
func (gemini) found(candidate object, q Request, results []Result) {
	var chunks, supports, urls []object
	for i, r := range results {
		chunks = append(chunks, object{"web": object{"uri": r.URL, "title": r.Title}})
		supports = append(supports, object{
			"segment": object{"startIndex": 0, "endIndex": len(r.Title), "text": r.Title}, "groundingChunkIndices": []int{i},
		})
		urls = append(urls, object{"retrievedUrl": r.URL, "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"})
	}
	switch q.Inner {
	case "search":
		candidate["groundingMetadata"] = object{
			"webSearchQueries": []string{q.query}, "groundingChunks": chunks, "groundingSupports": supports,
		}
	case "fetch":
		candidate["urlContextMetadata"] = object{"urlMetadata": urls}
	}
}

func (gemini) failure(s Step) string {
	status := map[int]string{
		400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
		429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
	}[s.Status]
	var details []object
	if strings.Contains(s.Code, "Per") {
		details = append(details, object{
			"@type": "type.googleapis.com/google.rpc.QuotaFailure",
			"violations": []object{{
				"quotaMetric": "generativelanguage.googleapis.com/generate_content_requests", "quotaId": s.Code, "quotaValue": "1",
			}},
		})
	} else if s.Code != "" {
		status = s.Code
	}
	if after := s.Headers["Retry-After"]; after != "" {
		details = append(details, object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": after + "s"})
	}
	return encode(object{"error": object{"code": s.Status, "message": s.reason(), "status": status, "details": details}})
}
