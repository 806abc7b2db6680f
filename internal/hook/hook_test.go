package hook_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"research-council/internal/hook"
)

func TestDecode(t *testing.T) {
	cases := map[string]struct {
		in    string
		want  hook.Call
		whole bool
	}{
		"a Stop of Claude Code":          {`{"session_id":"s","cwd":"/p","hook_event_name":"Stop","stop_hook_active":false,"background_tasks":[]}`, hook.Call{Session: "s", Dir: "/p", Event: "Stop"}, true},
		"background tasks":               {`{"background_tasks":[{"id":"]"}],"session_id":"s"}`, hook.Call{Session: "s", Background: true}, true},
		"an AfterAgent of Gemini":        {`{"hook_event_name":"AfterAgent","prompt_response":"x \" y","session_id":"g"}`, hook.Call{Session: "g", Event: "AfterAgent", Gemini: true}, true},
		"the name in a nested object":    {`{"a":{"session_id":"inner"},"b":["session_id",{"session_id":"x"}],"session_id":"outer"}`, hook.Call{Session: "outer"}, true},
		"the name in a string":           {`{"a":"\"session_id\":\"inner\"","session_id":"outer"}`, hook.Call{Session: "outer"}, true},
		"escapes":                        {`{"cwd":"/a\"b\\c\/d\né😀"}`, hook.Call{Dir: "/a\"b\\c/d\né😀"}, true},
		"a lone surrogate":               {`{"cwd":"\ud83d!"}`, hook.Call{Dir: "�!"}, true},
		"other types":                    {`{"session_id":7,"cwd":null,"hook_event_name":["Stop"],"source":{"a":1},"error":true,"reason":"r"}`, hook.Call{Reason: "r"}, true},
		"white space":                    {" {\n\t\"session_id\" : \"s\" ,\r\n \"cwd\" : \"c\" } ", hook.Call{Session: "s", Dir: "c"}, true},
		"cut off in a string":            {`{"session_id":"s","cwd":"/p`, hook.Call{Session: "s"}, false},
		"cut off in an escape":           {`{"session_id":"s","cwd":"\u00`, hook.Call{Session: "s"}, false},
		"a list":                         {`[{"session_id":"s"}]`, hook.Call{}, false},
		"nothing":                        {``, hook.Call{}, false},
		"no JSON":                        {"session_id: s", hook.Call{}, false},
		"a field longer than we keep":    {`{"session_id":"` + strings.Repeat("x", 9<<10) + `","cwd":"c"}`, hook.Call{Dir: "c"}, true},
		"a trigger, a source, a failure": {`{"trigger":"auto","source":"compact","error":"rate_limit"}`, hook.Call{Trigger: "auto", Source: "compact", Fault: "rate_limit"}, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, whole := hook.Decode(strings.NewReader(c.in))
			require.Equal(t, c.want, got)
			require.Equal(t, c.whole, whole)
		})
	}
}

// What any JSON encoder writes is read as a full parser reads it.
func TestDecodeAgreesWithAParser(t *testing.T) {
	names := []string{"session_id", "cwd", "source", "other", "a", "prompt_response", "background_tasks"}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Deferred(func() *rapid.Generator[any] { return anyJSON(3) })
		object := rapid.MapOf(rapid.SampledFrom(names), value).Draw(t, "object")
		data, err := json.Marshal(object)
		require.NoError(t, err)
		got, whole := hook.Decode(bytes.NewReader(data))
		require.True(t, whole)
		text := func(name string) string {
			if v := gjson.GetBytes(data, name); v.Type == gjson.String {
				return v.Str
			}
			return ""
		}
		require.Equal(t, text("session_id"), got.Session)
		require.Equal(t, text("cwd"), got.Dir)
		require.Equal(t, text("source"), got.Source)
		require.Equal(t, gjson.GetBytes(data, "prompt_response").Exists(), got.Gemini)
		list := gjson.GetBytes(data, "background_tasks")
		require.Equal(t, list.IsArray() && len(list.Array()) > 0, got.Background)
	})
}

func anyJSON(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.String().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil),
	}
	if depth > 0 {
		leaves = append(leaves, rapid.SliceOfN(anyJSON(depth-1), 0, 3).AsAny(), rapid.MapOfN(rapid.String(), anyJSON(depth-1), 0, 3).AsAny())
	}
	return rapid.OneOf(leaves...)
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"session_id":"s","a":[1,{"b":"\u00e9"}],"background_tasks":[1]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, _ := hook.Decode(bytes.NewReader(data))
		if gjson.ValidBytes(data) && strings.HasPrefix(strings.TrimSpace(string(data)), "{") && strings.Count(string(data), "session_id") == 1 {
			if v := gjson.GetBytes(data, "session_id"); v.Type == gjson.String && len(v.Str) < 4<<10 && !strings.Contains(v.Raw, `\`) {
				require.Equal(t, v.Str, got.Session)
			}
		}
	})
}

func TestALargeInputIsReadInLittleMemory(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"last_assistant_message":"`), io.LimitReader(endless{}, 50<<20), strings.NewReader(`","session_id":"s"}`))
	allocated := testing.AllocsPerRun(1, func() {
		got, whole := hook.Decode(in)
		_ = got
		_ = whole
	})
	require.Less(t, allocated, 50.0, "the text is passed over, not kept")
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestAnswers(t *testing.T) {
	require.JSONEq(t, `{"decision":"block","reason":"a \"b\"\n","systemMessage":"w"}`, string(hook.Block("a \"b\"\n", "w")))
	require.JSONEq(t, `{"decision":"deny","reason":"r","systemMessage":"w"}`, string(hook.Deny("r", "w")))
	require.JSONEq(t, `{"decision":"allow"}`, string(hook.Allow()))
	rapid.Check(t, func(t *rapid.T) {
		reason := rapid.String().Filter(func(s string) bool { return s != "" }).Draw(t, "reason")
		var back struct{ Reason string }
		require.NoError(t, json.Unmarshal(hook.Block(reason, ""), &back))
		require.Equal(t, strings.ToValidUTF8(reason, "\uFFFD"), back.Reason)
	})
}

func TestParseState(t *testing.T) {
	const good = "---\nactive: true\nphase: research\nresearch_id: 20260222-143000-a1b2c3\nsession_id: \"s\\\"1\"\nmax_iterations: 10\nstarted_at: \"2026-02-22T14:30:00Z\"\n---\n\ntopic\n---\nactive: false\n"
	s, ok := hook.ParseState([]byte(good))
	require.True(t, ok)
	require.Equal(t, hook.State{Active: true, Phase: "research", Run: "20260222-143000-a1b2c3", Session: `s"1`}, s)
	require.True(t, s.Owns(`s"1`))
	for name, data := range map[string]string{
		"empty":           "",
		"no front matter": "active: true\n",
		"unclosed":        good[:40],
		"a path as id":    strings.Replace(good, "20260222-143000-a1b2c3", "../../../../etc/passwd", 1),
		"no id":           strings.Replace(good, "research_id", "research-id", 1),
		"a broken line":   strings.Replace(good, "phase: research", "phase", 1),
		"a bare session":  strings.Replace(good, `"s\"1"`, "s1", 1),
	} {
		t.Run(name, func(t *testing.T) {
			_, ok := hook.ParseState([]byte(data))
			require.False(t, ok)
		})
	}
	inactive, ok := hook.ParseState([]byte(strings.Replace(good, "active: true", "active: false", 1)))
	require.True(t, ok)
	require.False(t, inactive.Owns(`s"1`))
	require.False(t, hook.State{Active: true}.Owns(""), "an empty session owns nothing")
}

func FuzzParseState(f *testing.F) {
	f.Add([]byte("---\nactive: true\nresearch_id: 20260222-143000-a1b2c3\nsession_id: \"s\"\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, ok := hook.ParseState(data); ok {
			require.True(t, hook.ValidRun(s.Run))
		}
	})
}
