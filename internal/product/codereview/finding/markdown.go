package finding

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/markdown"
	"github.com/research-council/research-council/internal/base/plain"
)

// Bounds of what is shown of foreign text, in characters.
const (
	shownText = 4000
	shownName = 300
)

// escapeText is foreign text in a line of ours, every mark taken for itself. It never
// begins the line.
func escapeText(s string, limit int) string { return markdown.Escape(plain.Line(s, limit), false) }

// escapeProse is foreign text in a line of ours, with its spans of code.
func escapeProse(s string) string { return markdown.Prose(plain.Line(s, shownText), false) }

// maxParagraphs bounds what is shown of a text of several paragraphs.
const maxParagraphs = 20

// paragraphs is foreign text with its paragraphs, behind a label of ours.
func paragraphs(label, s string) string {
	var list []string
	var part strings.Builder
	for line := range strings.Lines(s + "\n\n") {
		if strings.TrimSpace(line) != "" {
			part.WriteString(line)
			continue
		}
		if line := plain.Line(part.String(), shownText); line != "" && len(list) < maxParagraphs {
			list = append(list, markdown.Prose(line, true))
		}
		part.Reset()
	}
	if len(list) == 0 {
		list = []string{"not said"}
	}
	return label + strings.Join(list, "\n\n")
}

// codeName is a path or name as code in a line.
func codeName(s string) string { return cmp.Or(markdown.Span(plain.Line(s, shownName)), "?") }

// writeCode is code between fences that it cannot close. What is not seen, or
// changes how other characters are seen, is spelt out.
func writeCode(b *strings.Builder, code, file string) {
	fence := markdown.Fence(code)
	fmt.Fprintf(b, "%s%s\n", fence, language(file))
	code = strings.ToValidUTF8(strings.ReplaceAll(code, "\r\n", "\n"), "\ufffd")
	for _, r := range strings.TrimRight(code, "\n") {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(b, "⟨U+%04X⟩", r)
	}
	fmt.Fprintf(b, "\n%s\n", fence)
}

// language is what readers that colour code know a file's language by.
func language(file string) string {
	at := strings.LastIndexByte(file, '.')
	if at < 0 || len(file)-at > 9 {
		return ""
	}
	for _, r := range file[at+1:] {
		if r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return ""
		}
	}
	return file[at+1:]
}
