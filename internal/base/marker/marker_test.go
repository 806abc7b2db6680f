package marker_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/marker"
)

func TestEnds(t *testing.T) {
	const line = "<!-- RESEARCH_COMPLETE -->"
	cases := map[string]struct {
		report string
		want   bool
	}{
		"alone on the last line":            {"# R\n\ntext\n" + line + "\n", true},
		"no line break after it":            {"text\n" + line, true},
		"empty lines after it":              {"text\n" + line + "\n\n \t\n", true},
		"Windows line breaks":               {"text\r\n" + line + "\r\n", true},
		"white space around it":             {"text\n  " + line + "  \n", true},
		"after a closed fence":              {"```\ncode\n```\n" + line, true},
		"in prose":                          {"I will put " + line + " at the end", false},
		"in the middle":                     {line + "\nmore to come\n", false},
		"without its comment signs":         {"text\nRESEARCH_COMPLETE\n", false},
		"words on the same line":            {"text\n" + line + " done\n", false},
		"words before it":                   {"text\ndone " + line + "\n", false},
		"inside an open fence":              {"```\n" + line, false},
		"inside an open fence of tildes":    {"~~~\n" + line, false},
		"after a long closed fence":         {"```\n" + strings.Repeat("code\n", 2000) + "```\n" + line, true},
		"after inline code in backticks":    {"```x``` is code\n" + line, true},
		"after a fence with a language":     {"~~~go\n```\n~~~\n" + line, true},
		"inside a fence of another kind":    {"~~~\n```\n" + line, false},
		"inside a longer fence":             {"````\n```\n" + line, false},
		"inside a fence that names another": {"```\n```go\n" + line, false},
		"inside a fence in a list":          {"- code:\n\n    ```\n    x\n" + line, false},
		"after two backticks":               {"``\n" + line, true},
		"twice, the last one at the end":    {line + "\n" + line + "\n", true},
		"of another form":                   {"text\n<!-- research_complete -->\n", false},
		"nothing":                           {"", false},
		"nothing but the line, but alone":   {line, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, marker.IsComplete([]byte(c.report))) })
	}
}

func TestTheEndOfAReportTellsItsLastLine(t *testing.T) {
	const line = "<!-- RESEARCH_COMPLETE -->"
	for tail, want := range map[string]bool{
		"ext\n" + line + "\r\n\n": true, line: true, "```\n" + line: true,
		"ext " + line: false, "ext\n" + line + " end": false, "RESEARCH_COMPLETE -->": false, "": false, " \n": false,
	} {
		require.Equal(t, want, marker.EndsMarked([]byte(tail)), "%q", tail)
	}
}

// A report is never ended without its last line, and ends as its lines say
// whatever line breaks they have.
func FuzzEnds(f *testing.F) {
	f.Add([]byte("```\n<!-- RESEARCH_COMPLETE -->\n"))
	f.Add([]byte("~~~ x\n~~~\n<!-- RESEARCH_COMPLETE -->"))
	f.Fuzz(func(t *testing.T, report []byte) {
		ends := marker.IsComplete(report)
		if ends {
			require.True(t, marker.EndsMarked(report))
		}
		windows := bytes.ReplaceAll(report, []byte("\n"), []byte("\r\n"))
		require.Equal(t, ends, marker.IsComplete(windows))
		require.False(t, marker.IsComplete(append([]byte("```\n"), bytes.ReplaceAll(report, []byte("`"), nil)...)))
	})
}
