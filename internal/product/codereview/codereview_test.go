package codereview_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
)

func TestASynthesisIsReadLineByLine(t *testing.T) {
	s, refused := codereview.DecodeSynthesis([]byte("```json\n"+
		`{"id":"F1","verdict":"false_positive","reason":"main.go:3 rules it out"}`+"\n"+
		`{"id":"F2","verdict":"duplicate","of":"F3","reason":"the same cause"}`+"\n\n"+
		`{"theme":"Nobody checks","text":"Neither here nor there.","findings":["F3","F4"]}`+"\n"+
		`{"summary":"first"}`+"\n"+`{"summary":"It fails."}`+"\n```\n<!-- RESEARCH_COMPLETE -->\n"), "ada")
	require.Empty(t, refused)
	require.Equal(t, codereview.Synthesis{
		Summary: "It fails.",
		Judgements: []finding.Judgement{
			{ID: "F1", Verdict: "false_positive", Reason: "main.go:3 rules it out", By: "ada"},
			{ID: "F2", Verdict: "duplicate", Of: "F3", Reason: "the same cause", By: "ada"},
		},
		Themes: []finding.Theme{{Title: "Nobody checks", Text: "Neither here nor there.", Findings: []string{"F3", "F4"}}},
	}, s)
}

func TestWhatIsNoAnswerIsToldWithItsLine(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		told []string
	}{
		"words":                  {"I think\n{\"summary\":\"x\"}\n", []string{"line 1: it is no JSON object"}},
		"a verdict without why":  {"\n{\"id\":\"F1\",\"verdict\":\"false_positive\"}\n", []string{"line 2:"}},
		"a theme without a name": {"{\"theme\":\" \",\"text\":\"x\"}\n", []string{"line 1:"}},
		"a broken line":          {"{\"summary\":\n", []string{"line 1:"}},
		"nothing":                {"", nil},
	} {
		_, refused := codereview.DecodeSynthesis([]byte(c.text), "ada")
		require.Len(t, refused, len(c.told), "%s: %v", name, refused)
		for i, words := range c.told {
			require.True(t, strings.HasPrefix(refused[i], words), "%s: %s", name, refused[i])
		}
	}
}

func TestASetupIsHeldToItsWords(t *testing.T) {
	require.NoError(t, codereview.Setup{Docs: codereview.DocsOff, FailOn: finding.Serious}.Valid())
	for _, s := range []codereview.Setup{{}, {Docs: "maybe"}, {Docs: codereview.DocsWrite, FailOn: "grave"}, {Docs: codereview.DocsWrite, Files: -1}} {
		require.Error(t, s.Valid())
	}
}

// Any bytes may come.
func FuzzDecodeSynthesis(f *testing.F) {
	f.Add([]byte(`{"id":"F1","verdict":"duplicate","of":"F2","reason":"x"}` + "\n" + `{"theme":"a","findings":["F1"]}`))
	f.Add([]byte("{\"summary\":\"\xff\"}\n[]\n{}\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, refused := codereview.DecodeSynthesis(data, "x")
		require.LessOrEqual(t, len(refused), 20)
		require.LessOrEqual(t, len(s.Themes), 100)
		for _, j := range s.Judgements {
			require.NotEmpty(t, j.ID)
			require.Contains(t, finding.Verdicts(), j.Verdict)
		}
	})
}
