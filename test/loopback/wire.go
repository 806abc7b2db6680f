package loopback

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// key is the API key of all command lines here. It opens nothing.
const key = "sk-test-dummy"

type object = map[string]any

// encode leaves <, > and & as they are, as the vendors do.
func encode(v any) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // objects of strings, numbers and lists encode
	return strings.TrimSuffix(out.String(), "\n")
}

// events is a stream of server-sent events that carry their type.
type events struct {
	strings.Builder
	numbered bool // by sequence_number
	n        int
}

func (e *events) add(kind string, data object) {
	data["type"] = kind
	if e.numbered {
		data["sequence_number"] = e.n
	}
	e.n++
	fmt.Fprintf(e, "event: %s\ndata: %s\n\n", kind, encode(data))
}

// pieces cuts a text as a stream does.
func pieces(text string) []string {
	var list []string
	for piece := range slices.Chunk([]rune(text), 200) {
		list = append(list, string(piece))
	}
	return list
}

// texts joins the texts of a message's content: a string, or a list of parts.
// Parts that begin with one of skip are the command line's own.
func texts(content gjson.Result, skip ...string) string {
	if content.Type == gjson.String {
		return content.Str
	}
	var list []string
	for _, part := range content.Array() {
		text := part.Get("text").Str
		own := func(prefix string) bool { return strings.HasPrefix(text, prefix) }
		if text != "" && !slices.ContainsFunc(skip, own) {
			list = append(list, text)
		}
	}
	return strings.Join(list, "\n")
}

// everything joins all strings of a JSON value.
func everything(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.Str + "\n"
	}
	var out strings.Builder
	if v.IsObject() || v.IsArray() {
		v.ForEach(func(_, child gjson.Result) bool {
			out.WriteString(everything(child))
			return true
		})
	}
	return out.String()
}

// user notes what the user said in one message.
func (q *Request) user(text string) {
	if text == "" {
		return
	}
	if q.FirstUser == "" {
		q.FirstUser = text
	}
	q.LastUser = text
}

// tools are a command line's own tools. Those that share a job in claude and
// gemini also share the names of their arguments.
type tools struct{ read, search, shell, write, mcp string }

// calls are the calls of a step, if the request offers what they need.
func (s Step) calls(own tools, offered []string) ([]Call, error) {
	var list []Call
	var err error
	add := func(name string, input object) {
		if !slices.Contains(offered, name) && err == nil {
			err = fmt.Errorf("the request does not offer %s, only %q", name, offered)
		}
		list = append(list, Call{Name: name, Input: input})
	}
	if s.Read != "" {
		add(own.read, object{"file_path": s.Read})
	}
	if s.Search != "" {
		add(own.search, object{"query": s.Search})
	}
	if s.Shell != "" {
		add(own.shell, object{"command": s.Shell, "description": "Run a command"})
	}
	if s.Tool != nil {
		list = append(list, s.Tool.spelled(own.mcp))
	}
	for _, c := range s.Tools {
		list = append(list, c.spelled(own.mcp))
	}
	if s.Write != nil {
		add(own.write, object{"file_path": s.Write.Path, "content": s.Write.Content})
	}
	return list, err
}

// spelled is the call under the name it has among all tools.
func (c Call) spelled(mcp string) Call {
	if c.Server != "" {
		c.Name = fmt.Sprintf(mcp, c.Server, c.Name)
	}
	if c.Input == nil {
		c.Input = object{}
	}
	return c
}

// pages are the results of a search that the scenario says nothing about.
func pages(query string) []Result {
	return []Result{
		{URL: "https://example.org/a", Title: "A page", Text: "The first page on: " + query},
		{URL: "https://example.org/b", Title: "Another page", Text: "The second page on: " + query},
	}
}

// told is the text of an answer to a search: its own, or what was found.
func (s Step) told() string {
	if s.Text != "" {
		return s.Text
	}
	var list []string
	for _, r := range s.Results {
		list = append(list, fmt.Sprintf("%s (%s): %s", r.Title, r.URL, r.Text))
	}
	return strings.Join(list, "\n")
}

// reason is the message of an error.
func (s Step) reason() string {
	if s.Message != "" {
		return s.Message
	}
	return "scripted: " + http.StatusText(s.Status)
}
