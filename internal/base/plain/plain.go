// Package plain makes foreign text safe to keep and to show: [Text] of several
// lines, [Line] on one of a bounded length, [Terminal] on one that keeps its
// blanks, for columns. What a place gives a meaning to, as Markdown or a prompt
// does, is escaped by others.
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

// Text drops from foreign text what no sentence needs and what could deceive a
// reader or a terminal: control characters but for tabs, marks that change the
// direction of writing or are never seen. Every kind of line end becomes a new
// line, bytes that are no UTF-8 U+FFFD.
func Text(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\t':
			return r
		case '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
			return '\n'
		}
		if IsUnseen(r) {
			return -1
		}
		return r
	}, s)
}

// WithoutEscapes is a text without a terminal's escape sequences.
func WithoutEscapes(s string) string {
	var b strings.Builder
	for {
		at := strings.IndexByte(s, '\x1b')
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:at])
		s = s[at:]
		s = s[escape(s):]
	}
}

// Trimmed is [Text] without white space at its ends.
func Trimmed(s string) string { return strings.TrimSpace(Text(s)) }

// Terminal makes a text safe for a line of a terminal. Its blanks stay.
func Terminal(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029':
			return ' '
		case IsUnseen(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// IsUnseen reports whether a character is a control, turns the direction of
// writing, is never seen or hides what follows it.
func IsUnseen(r rune) bool {
	switch {
	case r < 0xa0:
		return unicode.IsControl(r)
	case r == 0xad, r == 0x61c, r == 0x200b, r == 0x200e, r == 0x200f, r == 0xfeff:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f && r != 0x2065 || r >= 0xfff9 && r <= 0xfffb || r >= 0xe0000 && r <= 0xe007f
}
