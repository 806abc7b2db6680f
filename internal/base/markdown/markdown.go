// Package markdown writes words of foreign origin into Markdown of ours, so
// that they are text there and nothing else: no link, picture, heading, HTML or
// mathematics, by CommonMark, by what code hosts add to it, and for agents,
// which take in a file behind an at sign. To make one line of words, and to
// drop what could deceive a terminal, is left to the callers.
package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape makes text of words in a line, also in a table or a heading. first is
// whether they begin their line. Bytes that are no UTF-8 become U+FFFD.
func Escape(s string, first bool) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	var b strings.Builder
	prev := ' '
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if needsEscape(prev, r, next) || r == '.' && isAutolinkPrefix(s[:i]) || first && starts(s, i) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String()
}

// needsEscape reports whether a character may be more than itself between its
// neighbours.
func needsEscape(prev, r, next rune) bool {
	switch r {
	case '\\', '`', '*', '[', ']', '<', '|', '~', '$', '@':
		return true
	case '#':
		return prev == ' ' && next != ' ' || isAlphanumeric(next) // it ends a heading, names an issue
	case '>':
		return prev != ' ' || next != ' ' // alone it is a comparison
	case ':':
		return next == '/' // many readers make a link of any address
	case '!':
		return next == utf8.RuneError // a link that followed would be a picture
	case '&':
		return next == '#' || unicode.IsLetter(next)
	case '_':
		return !isAlphanumeric(prev) || !isAlphanumeric(next)
	}
	return false
}

func isAlphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isAutolinkPrefix reports whether a point would make a link of what follows: many readers
// take such words for addresses.
func isAutolinkPrefix(before string) bool {
	return len(before) >= 3 && strings.EqualFold(before[len(before)-3:], "www")
}

// starts reports whether a character makes a block of the line it begins, or
// ends the number of a list.
func starts(s string, i int) bool {
	switch s[i] {
	case '#', '-', '+', '=', '>':
		return i == 0
	case '.', ')':
		return i > 0 && strings.Trim(s[:i], "0123456789") == "" && (i+1 == len(s) || s[i+1] == ' ')
	}
	return false
}

// Prose makes text of words in a line, but for code between two backticks,
// which stays code.
func Prose(s string, first bool) string {
	var b strings.Builder
	for s != "" {
		before, rest, opened := strings.Cut(s, "`")
		code, after, closed := strings.Cut(rest, "`")
		b.WriteString(Escape(before, first && b.Len() == 0))
		switch {
		case !opened:
			return b.String()
		case !closed, strings.TrimSpace(code) == "", strings.HasSuffix(b.String(), "`"), strings.HasPrefix(after, "`"):
			b.WriteString("\\`") // two that touch would not end where they seem to
			s = rest
		case strings.Contains(code, "@") && !strings.HasSuffix(b.String(), " ") && before != "":
			b.WriteString(Escape("`"+code+"`", false)) // with the word it follows it would be an address of mail
			s = after
		default:
			b.WriteString("`" + code + "`")
			s = after
		}
	}
	return b.String()
}

// Span is words as a code span that they cannot close; "" for none.
func Span(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return ""
	}
	fence := strings.Repeat("`", longest(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// Fence is what opens and closes a block of code that holds a text: three
// backticks, or more than the text has anywhere.
func Fence(text string) string { return strings.Repeat("`", max(3, longest(text)+1)) }

// longest is the length of the longest run of backticks.
func longest(s string) int {
	most, run := 0, 0
	for i := range len(s) {
		if run++; s[i] != '`' {
			run = 0
		}
		most = max(most, run)
	}
	return most
}
