package shelf

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wrapAt is how long lines of an indexed text are, in bytes: a passage is some lines,
// and in the texts of pages and documents a line is a paragraph.
const wrapAt = 110

// wrap breaks long lines at blanks, and sets off what was one by an empty line. Nothing
// but white space is another than before.
func wrap(text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/50)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) <= wrapAt {
			b.WriteString(line + "\n")
			continue
		}
		length := 0
		for word := range strings.FieldsSeq(line) {
			switch {
			case length == 0:
			case length+len(word) >= wrapAt:
				b.WriteByte('\n')
				length = 0
			default:
				b.WriteByte(' ')
				length++
			}
			b.WriteString(word)
			length += len(word)
		}
		b.WriteString("\n\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// offsetOf is where in a text the line of its wrapped form begins, counted from 1: both
// have the same letters.
func offsetOf(text, wrapped string, line int) int {
	before := 0
	for l := range strings.Lines(wrapped) {
		if line--; line < 1 {
			break
		}
		before += letters(l)
	}
	for at, r := range text {
		if unicode.IsSpace(r) {
			continue
		}
		if before == 0 {
			return at
		}
		before -= utf8.RuneLen(r)
	}
	return len(text)
}

// letters counts the bytes of a text that are no white space.
func letters(s string) int {
	n := 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			n += utf8.RuneLen(r)
		}
	}
	return n
}
