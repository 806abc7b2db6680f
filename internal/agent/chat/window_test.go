package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent/chat"
)

func round(n, size int) []chat.Message {
	id := fmt.Sprintf("c%d", n)
	return []chat.Message{
		{Speaker: chat.Assistant, Calls: []chat.Call{{ID: id, Name: "fetch_source", Arguments: `{"url":"https://a.example"}`}}},
		{Speaker: chat.ToolRole, Answers: id, Text: strings.Repeat("word ", size/5)},
	}
}

func beganWith(question string) *chat.Talk {
	return &chat.Talk{Messages: []chat.Message{chat.Says(chat.System, "You take part."), chat.Says(chat.User, question)}}
}

func TestWhatFitsStaysAsItIs(t *testing.T) {
	talk := beganWith("Why?")
	talk.Messages = append(talk.Messages, round(1, 400)...)
	before := talk.Shown(10_000)
	talk.Fit(10_000)
	require.Equal(t, before, talk.Shown(10_000))
}

func TestOldAnswersGiveWayToALineEach(t *testing.T) {
	talk := beganWith("Why?")
	for n := range 4 {
		talk.Messages = append(talk.Messages, round(n, 4000)...)
	}
	talk.Fit(3000)
	shown := talk.Shown(3000)
	require.Len(t, shown, 10, "every call still has its answer")
	require.Contains(t, shown[3].Text, "bytes were left out to save room; it began: word word")
	require.Equal(t, 4000, len(shown[9].Text), "the last round is whole")
	require.False(t, talk.Gone)
}

func TestWhatWasRecordedIsToldWhenItsRoundsAreGone(t *testing.T) {
	talk := beganWith("Why?")
	for n := range 60 {
		talk.Messages = append(talk.Messages, round(n, 300)...)
		talk.Recorded = append(talk.Recorded, fmt.Sprintf("a%d: the kettle rests while it is empty, for the %dth time", n, n))
	}
	talk.Fit(3000)
	first := talk.Shown(3000)[1].Text
	require.True(t, strings.HasPrefix(first, "Why?\n\nEarlier rounds were left out"), first)
	require.Contains(t, first, "60 so far")
	require.Contains(t, first, "- a0: the kettle")
	require.LessOrEqual(t, chat.Tokens(talk.Shown(3000)), int64(3000))
}

func TestAConversationFitsWhateverComes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		talk := beganWith(strings.Repeat("q", rapid.IntRange(1, 2000).Draw(t, "question")))
		limit := int64(rapid.IntRange(2500, 20_000).Draw(t, "limit"))
		for n := range rapid.IntRange(1, 30).Draw(t, "rounds") {
			talk.Messages = append(talk.Messages, round(n, rapid.IntRange(5, 20_000).Draw(t, "size"))...)
			if rapid.Bool().Draw(t, "recorded") {
				talk.Recorded = append(talk.Recorded, strings.Repeat("r", rapid.IntRange(1, 400).Draw(t, "record")))
			}
			talk.Fit(limit)
			shown := talk.Shown(limit)
			require.LessOrEqual(t, chat.Tokens(shown), limit)
			require.Equal(t, "You take part.", shown[0].Text)
			require.True(t, strings.HasPrefix(shown[1].Text, "q"))
			asked := map[string]bool{}
			for _, m := range shown {
				for _, c := range m.Calls {
					asked[c.ID] = true
				}
				if m.Speaker == chat.ToolRole {
					require.True(t, asked[m.Answers], "no answer stands without its call")
				}
			}
		}
	})
}

func known(tool string) bool { return tool == "grep" }

func TestCallsInWords(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		calls   []string // name and arguments
		problem string
	}{
		"a list":                     {`{"calls": [{"tool": "grep", "arguments": {"pattern": "x"}}, {"tool": "open_questions", "arguments": {}}]}`, []string{`grep {"pattern": "x"}`, "open_questions {}"}, ""},
		"one alone":                  {`{"tool": "grep", "arguments": {"pattern": "x"}}`, []string{`grep {"pattern": "x"}`}, ""},
		"in a fence":                 {"```json\n{\"tool\": \"grep\", \"arguments\": {}}\n```", []string{"grep {}"}, ""},
		"behind thoughts":            {"<think>let me see</think>\n{\"tool\": \"grep\", \"arguments\": {}}", []string{"grep {}"}, ""},
		"between tags":               {"I look.\n<tool_call>\n{\"name\": \"grep\", \"arguments\": {\"pattern\": \"x\"}}\n</tool_call>", []string{`grep {"pattern": "x"}`}, ""},
		"as the API names it":        {`{"name": "grep", "parameters": {"pattern": "x"}}`, []string{`grep {"pattern": "x"}`}, ""},
		"data that has a name":       {`{"name": "hive 7", "parameters": {}}`, nil, ""},
		"between brackets":           {`[TOOL_REQUEST]{"name": "grep", "arguments": {}}[END_TOOL_REQUEST]`, []string{"grep {}"}, ""},
		"arguments as a text":        {`{"tool": "grep", "arguments": "{\"pattern\": \"x\"}"}`, []string{`grep {"pattern": "x"}`}, ""},
		"words are an answer":        {"The kettle rests.", nil, ""},
		"an answer in JSON is none":  {`{"votes": [{"claim": "C1", "vote": "yes"}]}`, nil, ""},
		"a broken object":            {`{"calls": [{"tool": "grep"`, nil, "no JSON"},
		"words behind the object":    {"{\"tool\": \"grep\", \"arguments\": {}}\nI await the answer.", nil, "no JSON"},
		"an empty list":              {`{"calls": []}`, nil, "empty"},
		"a call of nothing":          {`{"calls": [7]}`, []string{" "}, ""},
		"a report on tool calls":     {"The API takes `{\"tool\": 1}`.", nil, ""},
		"a report in a fence is one": {"```markdown\n# Report\n```", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			calls, problem := chat.SpokenCalls(c.text, known)
			var got []string
			for _, call := range calls {
				got = append(got, call.Name+" "+call.Arguments)
			}
			require.Equal(t, c.calls, got)
			if c.problem == "" {
				require.Empty(t, problem)
			} else {
				require.Contains(t, problem, c.problem)
			}
		})
	}
}

func FuzzSpokenCalls(f *testing.F) {
	f.Add(`{"calls": [{"tool": "grep", "arguments": {"pattern": "x"}}]}`)
	f.Add("<tool_call>{}</tool_call>")
	f.Fuzz(func(t *testing.T, text string) {
		calls, problem := chat.SpokenCalls(text, known)
		require.True(t, len(calls) == 0 || problem == "")
		require.LessOrEqual(t, len(calls), 64)
	})
}
