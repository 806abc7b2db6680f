package survey

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research-council/internal/base/markdown"
)

const maxPlain = 1000 // characters

// Plain writes words of foreign origin in a line of Markdown, also in a table,
// as text: nothing in them is a link, a heading, HTML or an escape of a
// terminal. What is beyond 1,000 characters is cut off.
func Plain(words string) string { return markdown.Escape(Line(words, maxPlain), true) }

// Line makes a line of at most limit printable characters of a text; "…" stands
// for what was cut off.
func Line(s string, limit int) string {
	var b strings.Builder
	n, blank := 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			blank = n > 0
			continue
		case !unicode.IsPrint(r) || r == utf8.RuneError:
			continue
		}
		if n++; blank {
			b.WriteByte(' ')
			n, blank = n+1, false
		}
		if n > limit {
			return strings.TrimRight(b.String(), " ") + "…"
		}
		b.WriteRune(r)
	}
	return b.String()
}
