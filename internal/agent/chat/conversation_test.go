package chat_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/internal/base/marker"
)

func speakers(talk []chat.Message) string {
	var list []string
	for _, m := range talk {
		list = append(list, m.Speaker)
	}
	return strings.Join(list, " ")
}

func TestAFirstQuestionCarriesWhatTheRoleReads(t *testing.T) {
	m := chat.Material{
		Report: "/r/review.json", Prompt: "Review it.", Open: "- Claim 3 has no source.\n",
		Inputs: []chat.Input{{"/r/inputs/report.md", []byte("A report.\n```\ncode\n```\n")}, {"/r/inputs/registry.json", []byte("{}")}},
	}
	talk := m.Conversation()
	require.Equal(t, "system user", speakers(talk))
	require.Contains(t, talk[0].Text, "`/r/review.json`")
	require.True(t, strings.HasSuffix(talk[0].Text, "\n"+agent.Marker))
	require.Equal(t, "Review it.\n\nThe file `/r/inputs/report.md` (23 bytes):\n\n````text\nA report.\n```\ncode\n```\n\n````\n"+
		"\n\nThe file `/r/inputs/registry.json` (2 bytes):\n\n```text\n{}\n```\n"+
		"\n\nWhat is listed as open:\n\n```text\n- Claim 3 has no source.\n\n```\n", talk[1].Text)
}

func TestAContinuedTurnSendsTheConversationAgain(t *testing.T) {
	m := chat.Material{Prompt: "Review it.", Last: "It is good.", Resume: "Mend it.", Open: "- No score.\n", Inputs: []chat.Input{{"/r/a.md", []byte("a")}}}
	talk := m.Conversation()
	require.Equal(t, "system user assistant user", speakers(talk))
	require.Contains(t, talk[1].Text, "/r/a.md")
	require.NotContains(t, talk[1].Text, "No score", "it was not open then")
	require.Equal(t, "It is good.", talk[2].Text)
	require.Equal(t, "Mend it.\n\nWhat is listed as open:\n\n```text\n- No score.\n\n```\n", talk[3].Text)

	m.Cut = true
	require.Contains(t, m.Conversation()[3].Text, "more briefly")

	m.Last = ""
	require.Equal(t, "system user", speakers(m.Conversation()), "where nothing was answered it is asked again")
}

func TestFilesAreCutToWhatAQuestionMayCarry(t *testing.T) {
	m := chat.Material{Limit: 100, Inputs: []chat.Input{
		{"/r/large", bytes.Repeat([]byte("é"), 1000)}, {"/r/small", []byte("small")}, {"/r/larger", bytes.Repeat([]byte("x"), 5000)},
	}}
	text := m.Conversation()[1].Text
	require.Contains(t, text, "`/r/large` (the first 46 of 2000 bytes; the rest was left out, because a question carries at most 100 bytes of files)", "no part of a letter")
	require.Contains(t, text, "`/r/small` (5 bytes)")
	require.Contains(t, text, "`/r/larger` (the first 48 of 5000 bytes;")
}

func TestNoFileClosesItsFenceAndNoneIsTooLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := chat.Material{Limit: rapid.IntRange(1, 200).Draw(t, "limit")}
		all := 0
		for range rapid.IntRange(1, 5).Draw(t, "files") {
			text := rapid.OneOf(rapid.StringOf(rapid.SampledFrom([]rune("`\n ab~\x00"))), rapid.String()).Draw(t, "text")
			m.Inputs = append(m.Inputs, chat.Input{Path: "/r/f", Data: []byte(text)})
			all += len(text)
		}
		text := m.Conversation()[1].Text
		require.True(t, utf8.ValidString(text))
		shown := 0
		for _, in := range m.Inputs {
			_, rest, found := strings.Cut(text, "The file `/r/f` (")
			require.True(t, found)
			_, rest, _ = strings.Cut(rest, ":\n\n")
			fence, rest, _ := strings.Cut(rest, "text\n")
			body, rest, closed := strings.Cut(rest, "\n"+fence+"\n")
			require.True(t, closed)
			require.True(t, strings.HasPrefix(string(in.Data), body), "%q begins %q", in.Data, body)
			require.NotContains(t, body, fence)
			shown += len(body)
			text = rest
		}
		require.LessOrEqual(t, shown, m.Limit)
		require.True(t, all > m.Limit || shown == all, "what fits is shown whole")
	})
}

func TestAnAnswerBecomesAReport(t *testing.T) {
	const m = agent.Marker
	for name, c := range map[string]struct{ text, finish, last, want string }{
		"it is marked when the model has not":     {"A report.", chat.Stop, "", "A report.\n\n" + m + "\n"},
		"it is marked once":                       {"A report.\n" + m + "\n\n", chat.Stop, "", "A report.\n\n" + m + "\n"},
		"cut off it is not complete":              {"A rep", chat.Length, "", "A rep\n"},
		"cut off it is not, whatever it says":     {"A rep\n" + m, chat.Length, "", "A rep\n"},
		"nor where it ended in some other way":    {"A rep", "tool_calls", "", "A rep\n"},
		"nor however often it says so":            {"A rep\n" + m + "\n" + m + "\n" + m, chat.Length, "", "A rep\n"},
		"a marker in the middle marks nothing":    {"A\n" + m + "\nB", chat.Stop, "", "A\n" + m + "\nB\n\n" + m + "\n"},
		"nothing is no answer":                    {" \n\t", chat.Stop, "before", ""},
		"a marker alone has nothing to add":       {m, chat.Stop, "Before.\n\n" + m + "\n", "Before.\n\n" + m + "\n"},
		"a marker alone at first says nothing":    {m, chat.Stop, "", ""},
		"thoughts are taken off":                  {"<think>hm\n</think>\n\nA report.", chat.Stop, "", "A report.\n\n" + m + "\n"},
		"thoughts alone are no answer":            {"<think>hm", chat.Length, "", ""},
		"a word of thought in the text stays":     {"On <think> tags.", chat.Stop, "", "On <think> tags.\n\n" + m + "\n"},
		"a fence around it all is taken off":      {"```json\n{\"a\": 1}\n```\n" + m, chat.Stop, "", "{\"a\": 1}\n\n" + m + "\n"},
		"with the marker inside too":              {"```\n{}\n" + m + "\n```", chat.Stop, "", "{}\n\n" + m + "\n"},
		"two blocks are not one fence":            {"```\na\n```\nand\n```\nb\n```", chat.Stop, "", "```\na\n```\nand\n```\nb\n```\n\n" + m + "\n"},
		"a report that begins with a block stays": {"```go\nx\n```\nText.", chat.Stop, "", "```go\nx\n```\nText.\n\n" + m + "\n"},
		"bytes that are no UTF-8":                 {"caf\xe9", chat.Stop, "", "caf\uFFFD\n\n" + m + "\n"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, chat.FinishReport(c.text, c.finish, c.last)) })
	}
}

func FuzzFinished(f *testing.F) {
	f.Add("```\na\n"+agent.Marker+"\n```", chat.Stop, "b")
	f.Add("<think>\xff</think>"+agent.Marker, chat.Length, agent.Marker)
	f.Fuzz(func(t *testing.T, text, finish, last string) {
		last = strings.ToValidUTF8(last, "")
		out := chat.FinishReport(text, finish, last)
		require.True(t, utf8.ValidString(out))
		if out == "" {
			return
		}
		require.Equal(t, finish == chat.Stop, marker.EndsMarked([]byte(out)))
		require.NotEmpty(t, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(out), agent.Marker)))
	})
}

func TestAnAnswerBelongsToOneTurn(t *testing.T) {
	a := chat.Assignment{Session: "s", Iteration: 2}
	n := chat.Answer{Session: "s", Iteration: 2, Text: "x"}
	require.True(t, n.IsFor(a))
	for _, other := range []chat.Answer{{}, {Session: "t", Iteration: 2, Text: "x"}, {Session: "s", Iteration: 1, Text: "x"}, {Session: "s", Iteration: 2}} {
		require.False(t, other.IsFor(a), "%+v", other)
	}
	require.False(t, n.IsFor(chat.Assignment{Iteration: 2}))
	require.False(t, chat.Answer{Text: "x"}.IsFor(chat.Assignment{}), "no session is no session")
}
