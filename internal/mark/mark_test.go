package mark_test

import (
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
		"twice, the last one at the end":    {marker + "\n" + marker + "\n", true},
		"of another form":                   {"text\n<!-- research_complete -->\n", false},
		"nothing":                           {"", false},
		"nothing but the marker, but alone": {marker, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, mark.Ends([]byte(c.report))) })
	}
}
