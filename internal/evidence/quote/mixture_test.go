package quote_test

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/quote"
	"github.com/research-council/research-council/internal/evidence/quote/reading"
)

// commonMarks and words stand in texts of all forms; the marks of each form stand together.
var (
	commonMarks  = strings.Split("\n|\n|\n|\n|\n\n| | | |  |\t|\f|\r\n|word|Other|12|3.5 kg|é|数|\u0336|①|¹|†|*|1|.|,|;|:|::|\"|'|-|–|…|[1]|(a)|[^1]|[^1]: |~~|&amp;|{|}|%|^", "|")
	marksOfForms = [][]string{
		{"|", "||", "^", "|=", "|-", "|}", "{|", "!", "|===", "[cols=\"2*\"]", "|_. ", "|-----|", "|---+---|", "+----+----+", "| a  | b  |", "| a  |", "=code=", "~x~", "@c@", "[[a|b]]", "{{{c}}}", "`c`", "│", "─", "┃", "║"},
		{"\\begin{tabular}{ll}", "\\end{tabular}", "&", "\\\\", "\\hline", "\\midrule", "\\multicolumn{2}{l}{", "\\verb|a", "\\textbf{", "\\sout{", "\\iffalse", "\\fi", "\\begin{comment}", "\\end{comment}", "\\documentclass{a}", "\\begin{document}", "\\footnote{", "\\frac{1}{2}", "\\tabularnewline"},
		{".. list-table::\n", "   :header-rows: 1\n", "   * - ", "     - ", "* - ", ".. csv-table::\n", "   :header: ", "   ", ".. ", ".. comment::\n", "======\n", ":a: ", "+----+----+\n", "| a  | b  |\n", "|    | é  |\n", "====  ====\n"},
		{".TS\n", ".TE\n", "tab(é);\n", "tab(:);\n", "l l.\n", "T{\n", "\nT}", "T}:", ".TP\n", ".IP a\n", ".It Fl a\n", ".B x\n", ".BR x y\n", "\\fB", "\\(em", "Ar x", " Ns "},
		{"<row>", "</row>", "<entry>", "</entry>", "<entry", "<cell/>", "<para>", "</para>", "<table>", "<tr>", "<td>", "</td>", "<th>", "<p>", "</p>", "<s>", "</s>", "<del>", "<!-- ", " -->", "<sup>", "</sup>", "<dt>", "<dd>", "<delSpan spanTo=\"#a\"/>", "<anchor xml:id=\"a\"/>", "<restore>", "</restore>", "<app>", "</app>", "<lem>", "<rdg>", "<segtitle>", "<seglistitem>", "<seg>", "</seg>"},
	}
)

// mixture is a text of words and of marks of one form or two.
func mixture(random *rand.Rand, n int) string {
	one, other := marksOfForms[random.IntN(len(marksOfForms))], marksOfForms[random.IntN(len(marksOfForms))]
	var text strings.Builder
	for range n {
		list := commonMarks
		switch random.IntN(8) {
		case 0, 1, 2:
			list = one
		case 3:
			list = other
		}
		text.WriteString(list[random.IntN(len(list))])
	}
	return text.String()
}

// quotedFrom is a part of a text as it stands, or its words with what people type between cells.
func quotedFrom(random *rand.Rand, text string) string {
	from := random.IntN(len(text))
	part := strings.ToValidUTF8(text[from:min(len(text), from+5+random.IntN(90))], "")
	if random.IntN(2) == 0 {
		return part
	}
	typed := strings.FieldsFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' })
	return strings.Join(typed, []string{" ", ", ", ": ", " | ", "\t"}[random.IntN(5)])
}

// Whatever marks stand in whatever order, a text is read: what is taken out of it ascends and
// stands apart, and what is found stands in it.
func TestAnyMixtureOfMarksIsRead(t *testing.T) {
	const texts = 3000
	for seed := range uint64(texts) {
		require.Empty(t, wrongOfMixture(seed))
	}
}

func FuzzMixture(f *testing.F) {
	f.Fuzz(func(t *testing.T, seed uint64) { require.Empty(t, wrongOfMixture(seed)) })
}

// wrongOfMixture is what goes wrong with the mixture of a seed, "" for nothing.
func wrongOfMixture(seed uint64) (wrong string) {
	random := rand.New(rand.NewPCG(seed, 7))
	text := mixture(random, 5+random.IntN(80))
	quoted := quotedFrom(random, text)
	defer func() {
		if r := recover(); r != nil {
			wrong = fmt.Sprintf("%v: seed %d, %q in %q\n%s", r, seed, quoted, text, debug.Stack())
		}
	}()
	at := 0
	for _, e := range reading.WholeRows(text) {
		if e.From < at || e.To < e.From || e.To > len(text) {
			return fmt.Sprintf("seed %d: %+v behind %d of %q", seed, e, at, text)
		}
		at = e.To
	}
	if r := quote.Index(text).FindOrExplain(quoted); r.Match.Start < 0 || r.Match.End < r.Match.Start || r.Match.End > len(text) {
		return fmt.Sprintf("seed %d: %+v, %q in %q", seed, r.Match, quoted, text)
	}
	return ""
}
