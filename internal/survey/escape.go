package survey

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const mostPlain = 1000 // characters

// Plain writes words of foreign origin in a line of Markdown, also in a table,
// as text: nothing in them is a link, a heading, HTML or an escape of a
// terminal. What is beyond 1,000 characters is cut off.
func Plain(words string) string { return Escape(Line(words, mostPlain), true) }

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

// Escape makes text of what would be more in a line of Markdown. first is
// whether it begins its line.
func Escape(line string, first bool) string {
	var b strings.Builder
	runes := []rune(line)
	at := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return ' '
		}
		return runes[i]
	}
	for i, r := range runes {
		if special(at(i-1), r, at(i+1)) || r == '.' && www(runes[:i]) || first && starts(runes, i) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// special reports whether a character may be more than itself between its
// neighbours. An at sign makes an address, and an import for agents; a colon
// before a slash makes a link.
func special(before, r, after rune) bool {
	switch r {
	case '\\', '`', '*', '[', ']', '<', '|', '~', '@', '$', '!':
		return true
	case '_':
		return !alnum(before) || !alnum(after)
	case ':':
		return after == '/' || before != ' ' && alnum(after)
	case '&':
		return after == '#' || unicode.IsLetter(after)
	}
	return false
}

func alnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func www(before []rune) bool {
	n := len(before)
	return n >= 3 && strings.EqualFold(string(before[n-3:]), "www")
}

// starts reports whether a character makes a block of the line it begins, or
// ends the number of a list.
func starts(runes []rune, i int) bool {
	switch runes[i] {
	case '#', '-', '+', '=', '>':
		return i == 0
	case '.', ')':
		for _, r := range runes[:i] {
			if r < '0' || r > '9' {
				return false
			}
		}
		return i > 0
	}
	return false
}
