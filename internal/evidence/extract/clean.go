package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// NormaliseText drops what cannot be seen from a text, and gives every kind of blank
// and line break one form. What it leaves can be put before a reader or a
// prompt: no escape sequence, no turned direction, no hidden letters.
func NormaliseText(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	var last rune
	for i, r := range s {
		if isJoiner(r) {
			if next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):]); showsJoiner(last) && showsJoiner(next) {
				b.WriteRune(r)
			}
			continue
		}
		if r = visibleForm(r); r >= 0 {
			b.WriteRune(r)
			last = r
		}
	}
	return trimBlankLines(b.String())
}

// Line is a text cleaned and on one line.
func Line(s string) string { return strings.Join(strings.Fields(NormaliseText(s)), " ") }

// visibleForm is the visible form of a character, -1 for none.
func visibleForm(r rune) rune {
	switch {
	case r >= ' ' && r <= '~', r == '\n', r == '\t':
		return r
	case r == '\r', r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
		return '\n'
	case r >= 0xE0100 && r <= 0xE01EF: // selectors of variants, which can carry hidden bytes
		return -1
	case r >= 0x0600 && r <= 0x0605, r == 0x06DD: // Arabic signs of numbers, which are seen
		return r
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Noncharacter_Code_Point, r):
		return -1
	case r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0: // letters without a shape
		return -1
	case unicode.Is(unicode.Zs, r):
		return ' '
	}
	return r
}

// isJoiner reports whether a character only says how its neighbours are shaped.
func isJoiner(r rune) bool { return r == 0x200C || r == 0x200D }

// showsJoiner reports whether a joiner beside the character can be seen: in
// scripts whose letters join, and between pictures.
func showsJoiner(r rune) bool {
	return r >= 0x0600 && r < 0x1000 || r >= 0x1F000 && r < 0x20000 || unicode.Is(unicode.So, r)
}

// trimBlankLines has no blanks at the end of a line and at most one empty line on end.
func trimBlankLines(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	empty := 0
	for l := range strings.Lines(s) {
		l = strings.TrimRight(l, " \t\n")
		if l == "" {
			empty++
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n"[:min(1+empty, 2)])
		}
		b.WriteString(l)
		empty = 0
	}
	return b.String()
}
