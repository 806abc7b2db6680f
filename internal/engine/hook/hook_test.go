package hook_test

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/engine/hook"
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
		"a status line":                  {`{"session_id":"s","cwd":"/p/deep","workspace":{"current_dir":"/p/deep","project_dir":"/p"},"cost":{}}`, hook.Call{Session: "s", Dir: "/p/deep", Project: "/p"}, true},
		"a workspace that is none":       {`{"workspace":["/p"],"session_id":"s"}`, hook.Call{Session: "s"}, true},
		"a workspace cut off":            {`{"session_id":"s","workspace":{"project_dir":"/p"`, hook.Call{Session: "s", Project: "/p"}, false},
		"other types":                    {`{"session_id":7,"cwd":null,"hook_event_name":["Stop"],"source":{"a":1},"error":true,"reason":"r"}`, hook.Call{Reason: "r"}, true},
		"white space":                    {" {\n\t\"session_id\" : \"s\" ,\r\n \"cwd\" : \"c\" } ", hook.Call{Session: "s", Dir: "c"}, true},
		"cut off in a string":            {`{"session_id":"s","cwd":"/p`, hook.Call{Session: "s"}, false},
		"cut off in an escape":           {`{"session_id":"s","cwd":"\u00`, hook.Call{Session: "s"}, false},
		"a list":                         {`[{"session_id":"s"}]`, hook.Call{}, false},
		"nothing":                        {``, hook.Call{}, false},
		"no JSON":                        {"session_id: s", hook.Call{}, false},
		"a field longer than we keep":    {`{"session_id":"` + strings.Repeat("x", 9<<10) + `","cwd":"c"}`, hook.Call{Dir: "c"}, true},
		"halves of surrogates":           {`{"cwd":"\ud83d\n\ud83d\u0041\ud83d\ud83d\ude00\ude00"}`, hook.Call{Dir: "\ufffd\n\ufffdA\ufffd😀\ufffd"}, true},
		"a name twice":                   {`{"session_id":"a","session_id":"b"}`, hook.Call{Session: "b"}, true},
		"a comma too many":               {`{"session_id":"s",}`, hook.Call{Session: "s"}, false},
		"a value missing":                {`{"session_id":,"cwd":"c"}`, hook.Call{}, false},
		"no colon":                       {`{"session_id" "s"}`, hook.Call{}, false},
		"a trigger, a source, a failure": {`{"trigger":"auto","source":"compact","error":"rate_limit"}`, hook.Call{Trigger: "auto", Source: "compact", Fault: "rate_limit"}, true},
		"a transcript":                   {`{"transcript_path":"/t/a.jsonl"}`, hook.Call{Transcript: "/t/a.jsonl"}, true},
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

// Whatever a full parser takes for an object is read as the parser reads it,
// from a reader that gives one byte at a time too.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"session_id":"s","a":[1,{"b":"\u00e9"}],"background_tasks":[1]}`,
		`{"session_id":"\ud83d\ude00 \ud83d\n \ud83d\u0041 \ud83d\ud83d\ude00 \\","cwd":1,"source":"\b\f\t\/"}`,
		`{"last_assistant_message":"\"session_id\":\"x\"","session_id":"a","session_id":"b"}`,
		` { "background_tasks" : [ ] , "prompt_response" : null , "reason" : "r" } `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, whole := hook.Decode(bytes.NewReader(data))
		slowly, wholeToo := hook.Decode(iotest.OneByteReader(bytes.NewReader(data)))
		require.Equal(t, got, slowly)
		require.Equal(t, whole, wholeToo)
		var fields map[string]json.RawMessage
		if json.Unmarshal(data, &fields) != nil || fields == nil || len(data) > 8<<10 {
			return
		}
		text := func(name string) string {
			var v any
			_ = json.Unmarshal(fields[name], &v) // a missing one is no string
			s, _ := v.(string)
			return s
		}
		var list []any
		_ = json.Unmarshal(fields["background_tasks"], &list) // only a list fills it
		_, gemini := fields["prompt_response"]
		require.True(t, whole)
		require.Equal(t, hook.Call{
			Session: text("session_id"), Dir: text("cwd"), Event: text("hook_event_name"), Source: text("source"),
			Trigger: text("trigger"), Reason: text("reason"), Fault: text("error"), Transcript: text("transcript_path"), Gemini: gemini, Background: len(list) > 0,
		}, plain(got))
	})
}

// plain replaces each byte that is no UTF-8, as the parser does.
func plain(c hook.Call) hook.Call {
	for _, s := range []*string{&c.Session, &c.Dir, &c.Event, &c.Source, &c.Trigger, &c.Reason, &c.Fault, &c.Transcript} {
		*s = string([]rune(*s))
	}
	return c
}

func TestALargeInputIsReadInLittleMemory(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"last_assistant_message":"`), io.LimitReader(endless{}, 50<<20), strings.NewReader(`","session_id":"s"}`))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, whole := hook.Decode(in)
	runtime.ReadMemStats(&after)
	require.True(t, whole)
	require.Equal(t, hook.Call{Session: "s"}, got)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "the text is passed over, not kept")
}

// Strings that mix what ends them with what does not, cut at every place by the
// buffer's end, are passed over to their own end.
func TestAStringIsPassedOverWhereverTheBufferEnds(t *testing.T) {
	const buffer = 16 << 10
	for _, text := range []string{`\\`, `\"`, `\\\"`, `x\"\\`, `\u0022`, `\n`} {
		for shift := range 12 {
			in := `{"a":"` + strings.Repeat("x", buffer-12+shift-len(`{"a":"`)) + text + `","session_id":"s"}`
			got, whole := hook.Decode(strings.NewReader(in))
			require.True(t, whole, "%s at %d", text, shift)
			require.Equal(t, hook.Call{Session: "s"}, got, "%s at %d", text, shift)
		}
	}
}

func TestDecodeWaitsForNothingBehindTheObject(t *testing.T) {
	r, w := io.Pipe()
	go func() { _, _ = io.WriteString(w, `{"session_id":"s"}`) }() // and the end stays open
	got, whole := hook.Decode(r)
	require.True(t, whole)
	require.Equal(t, "s", got.Session)
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
		"a bare campaign": strings.Replace(good, "phase", "campaign: go\nphase", 1),
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

func TestPointers(t *testing.T) {
	const run = "20260222-143000-a1b2c3"
	require.Equal(t, ".claude/deep-research.of-s-1.local.md", hook.PointerFile("s-1"))
	require.Equal(t, []string{".claude/deep-research.local.md", ".claude/deep-research." + run + ".local.md"}, hook.StateFiles(run))
	require.Empty(t, hook.StateFiles("../x"))
	require.Equal(t, run, hook.ParsePointer([]byte(run+"\n")))
	for _, bad := range []string{"", "\n", run + "\n\n", run + "x", "../" + run, " " + run} {
		require.Empty(t, hook.ParsePointer([]byte(bad)), "%q", bad)
	}
	rapid.Check(t, func(t *rapid.T) {
		session := rapid.OneOf(rapid.String(), rapid.StringMatching(`[A-Za-z0-9-]{0,66}.?`)).Draw(t, "session")
		require.Equal(t, regexp.MustCompile(`\A[A-Za-z0-9-]{1,64}\z`).MatchString(session), hook.ValidSession(session))
	})
	require.True(t, hook.ValidSession("0b6c2a5e-7d1f-4a39-9e42-3a1c5d7f8e90"))
}

func FuzzParseState(f *testing.F) {
	f.Add([]byte("---\nactive: true\nresearch_id: 20260222-143000-a1b2c3\nsession_id: \"s\"\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, ok := hook.ParseState(data); ok {
			require.True(t, hook.ValidRun(s.Run))
		}
	})
}
