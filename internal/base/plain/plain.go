// Package plain makes one safe line of foreign text, for a terminal, a journal or
// a prompt.
package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes one line of at most limit runes out of foreign text: escape
// sequences, control and formatting characters are gone, white space is single
// blanks, and "…" stands for what was cut off.
func Line(s string, limit int) string {
	var b strings.Builder
	blank, runes := false, 0
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == '\x1b' {
			s = s[escape(s):]
			continue
		}
		s = s[size:]
		switch {
		case unicode.IsSpace(r):
			blank = runes > 0
			continue
		case !unicode.IsPrint(r):
			continue
		}
		if blank {
			b.WriteByte(' ')
			runes++
			blank = false
		}
		b.WriteRune(r)
		runes++
		if runes > limit {
			return truncate(b.String(), limit)
		}
	}
	return b.String()
}

func truncate(s string, limit int) string {
	kept := []rune(s)[:max(0, limit-1)]
	return strings.TrimRight(string(kept), " ") + "…"
}

// escape is the length of the terminal escape sequence s begins with, by
// ECMA-48: a control sequence ends with its first byte from @ to ~, a string
// (OSC, DCS, APC, PM, SOS) with BEL or before the ESC of its terminator, any
// other after its second byte.
func escape(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	length := func(end int) int {
		if end < 0 {
			return len(s)
		}
		return 2 + end
	}
	switch s[1] {
	case '[':
		end := strings.IndexFunc(s[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		return min(length(end)+1, len(s))
	case ']', 'P', '_', '^', 'X':
		return length(strings.IndexAny(s[2:], "\a\x1b\n"))
	}
	return 2
}
