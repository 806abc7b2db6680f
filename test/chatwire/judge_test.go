package chatwire

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/internal/agent"
)

// outcome is what must be true in the end.
type outcome struct {
	End     string
	Message []string
	Report  *struct {
		Is         *string
		Has, Lacks []string
		None       bool
	}
	Claims      []string
	ClaimsCount *int `yaml:"claims_count"`
	Desk        map[string]int
	DeskAsked   []string                 `yaml:"desk_asked"`
	NeverSent   []string                 `yaml:"never_sent"`
	FolderAfter struct{ Lacks []string } `yaml:"folder_after"`
	Wait        *struct {
		AtLeast float64 `yaml:"at_least_s"`
		AtMost  float64 `yaml:"at_most_s"`
	}
	Usage struct {
		Input, Output, Cached *int64
		Estimated             bool
		InputAbove            int64         `yaml:"input_above"`
		Of                    map[int]int64 `yaml:"cached_of_request"`
	}
	Requests struct {
		Count   *int
		AtLeast int `yaml:"at_least"`
		AtMost  int `yaml:"at_most"`
		Every   struct {
			Tokens int64 `yaml:"tokens_at_most"`
			Room   int64 `yaml:"room_for_answer_at_least"`
		}
		Seen []seen
	}
}

// seen is what one request must be like.
type seen struct {
	N                           int
	Has, Lacks, Present, Absent []string
	At                          []place
	ShorterThan                 int   `yaml:"shorter_than"`
	Tokens                      int64 `yaml:"tokens_at_most"`
}

type place struct {
	Path       string
	Is, Not    yaml.Node
	SameAs     string `yaml:"same_as"`
	Matches    string
	JSON       map[string]any `yaml:"json"`
	LessThan   int64          `yaml:"less_than"`
	Type       string
	JSONObject bool `yaml:"json_object"`
}

func (r *run) judge(p play) {
	data, err := yaml.Marshal(p.Then)
	require.NoError(r, err)
	var o outcome
	require.NoError(r, yaml.Unmarshal(data, &o))
	r.end(o)
	r.recorded(o)
	r.counted(o)
	asked := r.server.requests()
	q := o.Requests
	if q.Count != nil {
		require.Len(r, asked, *q.Count, "requests")
	}
	require.GreaterOrEqual(r, len(asked), q.AtLeast)
	if q.AtMost > 0 {
		require.LessOrEqual(r, len(asked), q.AtMost)
	}
	for _, body := range asked {
		r.always(body)
		if q.Every.Tokens > 0 {
			require.LessOrEqual(r, agent.EstimateTokens(len(body)), q.Every.Tokens-q.Every.Room)
		}
		for _, text := range o.NeverSent {
			require.NotContains(r, stringsOf(body), text)
		}
	}
	for _, s := range q.Seen {
		require.LessOrEqual(r, s.N, len(asked), "there is no such request")
		r.see(s, asked)
	}
	r.steady(p, asked)
}

// end judges how the turn ended, and its report.
func (r *run) end(o outcome) {
	end, message := "well", ""
	if r.fault != nil {
		message = r.fault.Message
		end = map[agent.Class]string{agent.Retryable: "retryable", agent.Terminal: "terminal", agent.Degenerate: "degenerate"}[r.fault.Class]
	}
	require.Equal(r, o.End, end, message)
	for _, part := range o.Message {
		require.Contains(r, strings.ToLower(message), strings.ToLower(part))
	}
	report := r.report()
	require.NotContains(r, report+r.streams, key)
	if o.Report == nil {
		return
	}
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(report), agent.Marker))
	if o.Report.Is != nil {
		require.Equal(r, strings.TrimSpace(*o.Report.Is), text)
	}
	for _, part := range o.Report.Has {
		require.Contains(r, text, part)
	}
	for _, part := range o.Report.Lacks {
		require.NotContains(r, text, part)
	}
	if o.Report.None {
		require.Empty(r, text)
	}
}

// recorded judges what has reached the desk and the folder.
func (r *run) recorded(o outcome) {
	var texts []string
	for _, c := range r.desk.claims {
		texts = append(texts, c.text)
	}
	if o.Claims != nil {
		require.Equal(r, o.Claims, texts)
	}
	if o.ClaimsCount != nil {
		require.Len(r, texts, *o.ClaimsCount)
	}
	for tool, times := range o.Desk {
		require.Len(r, r.desk.asked[tool], times, tool)
	}
	for _, query := range o.DeskAsked {
		require.Contains(r, r.desk.asked["search_web"], query)
	}
	for _, name := range o.FolderAfter.Lacks {
		for _, dir := range []string{r.turn.Dir, r.turn.Scope} {
			_, err := os.Lstat(filepath.Join(dir, name))
			require.ErrorIs(r, err, os.ErrNotExist)
		}
	}
	if o.Wait != nil && r.server.steps[0].Headers["retry-after"] != "" {
		require.GreaterOrEqual(r, r.waited, time.Duration(o.Wait.AtLeast*float64(time.Second)))
		require.LessOrEqual(r, r.waited, time.Duration(o.Wait.AtMost*float64(time.Second)))
	}
}

// counted judges what was counted.
func (r *run) counted(o outcome) {
	u := o.Usage
	for _, c := range []struct {
		want *int64
		is   int64
	}{{u.Input, r.used.Input}, {u.Output, r.used.Output}, {u.Cached, r.used.CachedInput}} {
		if c.want != nil {
			require.Equal(r, *c.want, c.is)
		}
	}
	for _, want := range u.Of {
		require.Equal(r, want, r.used.CachedInput)
	}
	if u.Estimated {
		require.True(r, r.used.Reckoned)
	}
	require.GreaterOrEqual(r, r.used.Input, u.InputAbove)
}

// always judges what holds of every request.
func (r *run) always(body []byte) {
	require.True(r, gjson.ValidBytes(body))
	q := gjson.ParseBytes(body)
	messages := q.Get("messages").Array()
	require.Contains(r, stringsOf(body), r.turn.Prompt)
	require.Equal(r, "system", messages[0].Get("role").Str)
	ids := map[string]bool{}
	var open []string
	before := ""
	for _, m := range messages {
		role := m.Get("role").Str
		require.False(r, m.Get("name").Exists())
		require.False(r, before == "tool" && role == "user", "a user speaks behind a tool")
		if role == "tool" {
			require.NotEmpty(r, open, "an answer without its call")
			require.Equal(r, open[0], m.Get("tool_call_id").Str)
			open = open[1:]
		} else {
			require.Empty(r, open, "calls without an answer")
		}
		for _, c := range m.Get("tool_calls").Array() {
			id := c.Get("id").Str
			require.NotEmpty(r, id)
			require.False(r, ids[id], "the id %s twice", id)
			ids[id] = true
			require.NotEmpty(r, c.Get("function.name").Str)
			open = append(open, id)
			require.True(r, isObject(c.Get("function.arguments")), c.Raw)
		}
		before = role
	}
	require.Empty(r, open, "calls without an answer")
	if w := r.turn.Server.Window; w > 0 {
		require.LessOrEqual(r, agent.EstimateTokens(len(body)), int64(w))
	}
}

func isObject(v gjson.Result) bool {
	return v.Type == gjson.String && json.Valid([]byte(v.Str)) && gjson.Parse(v.Str).IsObject()
}

// steady judges that a request begins as the one before did, where nothing was refused
// and there is room.
func (r *run) steady(p play, asked [][]byte) {
	for _, s := range p.Server {
		if s.Status != 0 || s.Times != "" || s.SSE != "" && strings.Contains(s.SSE, `"error"`) {
			return
		}
	}
	if r.turn.Server.Window < 100_000 || r.turn.Iteration > 0 {
		return
	}
	for i := 1; i < len(asked); i++ {
		now := gjson.GetBytes(asked[i], "messages").Array()
		for j, m := range gjson.GetBytes(asked[i-1], "messages").Array() {
			require.Less(r, j, len(now))
			if role := m.Get("role").Str; role == "tool" && strings.HasPrefix(now[j].Get("content").Str, m.Get("content").Str+"\n\nYou have said nothing") {
				continue // what follows an answer of a tool is said in it
			}
			require.Equal(r, m.Raw, now[j].Raw, "message %d of request %d", j, i+1)
		}
	}
}

// see judges one request.
func (r *run) see(s seen, asked [][]byte) {
	body := asked[s.N-1]
	text := stringsOf(body)
	for _, part := range s.Has {
		require.Contains(r, text, part, "request %d", s.N)
	}
	for _, part := range s.Lacks {
		require.NotContains(r, text, part, "request %d", s.N)
	}
	for _, name := range s.Present {
		require.True(r, gjson.GetBytes(body, name).Exists(), "%s of request %d", name, s.N)
	}
	for _, name := range s.Absent {
		if _, tool, is := strings.Cut(name, "name=='"); is {
			require.False(r, gjson.GetBytes(body, `tools.#(function.name=="`+strings.TrimSuffix(tool, "']")+`")`).Exists())
			continue
		}
		require.False(r, gjson.GetBytes(body, name).Exists(), "%s of request %d", name, s.N)
	}
	if s.ShorterThan > 0 {
		require.Less(r, len(body), len(asked[s.ShorterThan-1]))
	}
	if s.Tokens > 0 {
		require.LessOrEqual(r, agent.EstimateTokens(len(body)), s.Tokens)
	}
	for _, at := range s.At {
		r.look(at, body)
	}
}

// look judges a place of a request.
func (r *run) look(at place, body []byte) {
	q := gjson.ParseBytes(body)
	switch at.Path {
	case "no message has role":
		require.NotContains(r, q.Get("messages.#.role").Raw, at.Not.Value)
		return
	case "no message has":
		require.Empty(r, q.Get("messages.#."+at.Not.Value).Array())
		return
	case "max_tokens or max_completion_tokens":
		require.Less(r, q.Get("max_tokens").Int()+q.Get("max_completion_tokens").Int(), at.LessThan)
		return
	case "every assistant tool_calls[].function.name", "every tool_calls[].id", "every tool_calls[].function.arguments":
		return // see always; a name that is none is refused there as no tool's
	}
	v := q.Get(pathOf(at.Path, q))
	switch {
	case at.Is.Kind != 0:
		require.Equal(r, at.Is.Value, v.String(), at.Path)
	case at.Not.Kind != 0:
		require.NotEqual(r, at.Not.Value, v.String(), at.Path)
	case at.SameAs != "":
		require.Equal(r, q.Get(pathOf(at.SameAs, q)).Raw, v.Raw)
	case at.Matches != "":
		require.Regexp(r, at.Matches, v.Str)
	case at.Type == "string":
		require.Equal(r, gjson.String, v.Type)
	default:
		var given map[string]any
		require.NoError(r, json.Unmarshal([]byte(v.Str), &given), at.Path)
		want := map[string]any{}
		for name, value := range at.JSON {
			want[r.server.filled(name)] = value
		}
		require.Equal(r, want, given)
	}
}

var fromEnd = regexp.MustCompile(`\[(-?\d+)\]`)

// pathOf is a place as gjson names it.
func pathOf(path string, q gjson.Result) string {
	many := len(q.Get("messages").Array())
	path = fromEnd.ReplaceAllStringFunc(path, func(found string) string {
		n, err := strconv.Atoi(strings.Trim(found, "[]"))
		if err == nil && n < 0 {
			n += many
		}
		return "." + strconv.Itoa(n)
	})
	return strings.ReplaceAll(path, ".length", ".#")
}
