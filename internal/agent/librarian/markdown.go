package librarian

import (
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/plain"
)

// DropInvisible drops from foreign text what a terminal or an editor would obey
// instead of showing it.
func DropInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// EscapeProse is foreign text that Markdown shows as it is: no HTML, no emphasis, no
// heading or list at its beginning. It is one line.
func EscapeProse(s string) string {
	s = strings.Join(strings.Fields(DropInvisible(s)), " ")
	var b strings.Builder
	for i, r := range s {
		if strings.ContainsRune(`<*\`, r) || i == 0 && strings.ContainsRune("#-+>=~|", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// span is foreign text as a code span.
func span(s string) string {
	s = strings.Join(strings.Fields(DropInvisible(s)), " ")
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	return "`` " + strings.ReplaceAll(s, "``", "` `") + " ``"
}

// blockQuote is a finding's words as a block quotation; code is indented in it,
// so that no fence of its own can end it.
func blockQuote(f Finding) string {
	if f.Prose {
		return "> " + EscapeProse(f.Said) + "\n"
	}
	var b strings.Builder
	for _, line := range strings.Split(DropInvisible(f.Said), "\n") {
		b.WriteString(strings.TrimRight(">     "+strings.ReplaceAll(line, "\t", "    "), " ") + "\n")
	}
	return b.String()
}

// codeList lists terms as code spans.
func codeList(list []string) string {
	spans := make([]string, len(list))
	for i, n := range list {
		spans[i] = span(n)
	}
	return strings.Join(spans, ", ")
}

// Sentence is a claim's text as a sentence of Markdown without its full stop:
// without addresses, brackets that could be citations, HTML.
func Sentence(text string) string { return SentenceUpTo(500, text) }

// SentenceUpTo is the same with so many runes at most.
func SentenceUpTo(limit int, text string) string {
	fields := slices.DeleteFunc(strings.Fields(DropInvisible(text)), func(w string) bool {
		lowered := strings.ToLower(w)
		return strings.Contains(w, "://") || strings.Contains(lowered, "www.") || strings.Contains(w, "](")
	})
	s := plain.Line(strings.Join(fields, " "), limit)
	if strings.Count(s, "`")%2 == 1 {
		s = strings.ReplaceAll(s, "`", "'")
	}
	s = strings.NewReplacer("&", "&amp;", "[]", `\[\]`, "[", "(", "]", ")").Replace(EscapeProse(s)) // []byte is no citation
	return strings.TrimRight(s, ". ")
}
