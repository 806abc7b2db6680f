package mark_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/mark"
)

func TestEnds(t *testing.T) {
	const marker = "<!-- RESEARCH_COMPLETE -->"
	cases := map[string]struct {
		report string
		want   bool
	}{
		"alone on the last line":            {"# R\n\ntext\n" + marker + "\n", true},
		"no line break after it":            {"text\n" + marker, true},
		"empty lines after it":              {"text\n" + marker + "\n\n \t\n", true},
		"Windows line breaks":               {"text\r\n" + marker + "\r\n", true},
		"white space around it":             {"text\n  " + marker + "  \n", true},
		"after a closed fence":              {"```\ncode\n```\n" + marker, true},
		"in prose":                          {"I will put " + marker + " at the end", false},
		"in the middle":                     {marker + "\nmore to come\n", false},
		"without its comment signs":         {"text\nRESEARCH_COMPLETE\n", false},
		"words on the same line":            {"text\n" + marker + " done\n", false},
		"words before it":                   {"text\ndone " + marker + "\n", false},
		"inside an open fence":              {"```\n" + marker, false},
		"inside an open fence of tildes":    {"~~~\n" + marker, false},
		"after a long closed fence":         {"```\n" + strings.Repeat("code\n", 2000) + "```\n" + marker, true},
		"after inline code in backticks":    {"```x``` is code\n" + marker, true},
		"after a fence with a language":     {"~~~go\n```\n~~~\n" + marker, true},
		"inside a fence of another kind":    {"~~~\n```\n" + marker, false},
		"inside a longer fence":             {"````\n```\n" + marker, false},
		"inside a fence that names another": {"```\n```go\n" + marker, false},
		"inside a fence in a list":          {"- code:\n\n    ```\n    x\n" + marker, false},
		"after two backticks":               {"``\n" + marker, true},
		"twice, the last one at the end":    {marker + "\n" + marker + "\n", true},
		"of another form":                   {"text\n<!-- research_complete -->\n", false},
		"nothing":                           {"", false},
		"nothing but the marker, but alone": {marker, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, mark.Ends([]byte(c.report))) })
	}
}

func TestTheEndOfAReportTellsItsLastLine(t *testing.T) {
	const marker = "<!-- RESEARCH_COMPLETE -->"
	for tail, want := range map[string]bool{
		"ext\n" + marker + "\r\n\n": true, marker: true, "```\n" + marker: true,
		"ext " + marker: false, "ext\n" + marker + " end": false, "RESEARCH_COMPLETE -->": false, "": false, " \n": false,
	} {
		require.Equal(t, want, mark.Last([]byte(tail)), "%q", tail)
	}
}

// A report is never ended without its last line, and ends as its lines say
// whatever line breaks they have.
func FuzzEnds(f *testing.F) {
	f.Add([]byte("```\n<!-- RESEARCH_COMPLETE -->\n"))
	f.Add([]byte("~~~ x\n~~~\n<!-- RESEARCH_COMPLETE -->"))
	f.Fuzz(func(t *testing.T, report []byte) {
		ends := mark.Ends(report)
		if ends {
			require.True(t, mark.Last(report))
		}
		windows := bytes.ReplaceAll(report, []byte("\n"), []byte("\r\n"))
		require.Equal(t, ends, mark.Ends(windows))
		require.False(t, mark.Ends(append([]byte("```\n"), bytes.ReplaceAll(report, []byte("`"), nil)...)))
	})
}
