package survey

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote writes a name in one line of printable characters. A name that is
// printable as it is stays so; any other is written as git does, in double
// quotes with the escapes of C: \" \\ \a \b \t \n \v \f \r, and three octal
// digits for any further byte. Printable letters beyond ASCII stay; marks that
// turn the direction of writing or are never seen do not, nor do the backtick
// and the bar, so that a name may stand in a code span and in a table.
func Quote(name string) string {
	if isPlainName(name) {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if isShown(r) {
			b.WriteRune(r)
		} else {
			for _, c := range []byte(name[i : i+size]) {
				b.WriteString(escape(c))
			}
		}
		i += size
	}
	b.WriteByte('"')
	return b.String()
}

// isPlainName reports whether a name may stand as it is. White space at its ends
// would be lost on the way.
func isPlainName(name string) bool {
	if name == "" || name[0] == ' ' || name[len(name)-1] == ' ' || !utf8.ValidString(name) {
		return false
	}
	for _, r := range name {
		if !isShown(r) {
			return false
		}
	}
	return true
}

// isShown reports whether a character stands for itself in a name.
func isShown(r rune) bool {
	return unicode.IsPrint(r) && r != utf8.RuneError && r != '"' && r != '\\' && r != '`' && r != '|'
}

const (
	escapeLetters = `"\abtnvfr` // after a backslash
	escapedBytes  = "\"\\\a\b\t\n\v\f\r"
)

func escape(c byte) string {
	if i := strings.IndexByte(escapedBytes, c); i >= 0 {
		return `\` + escapeLetters[i:i+1]
	}
	return fmt.Sprintf(`\%03o`, c)
}

var errQuote = errors.New("not a quoted name")

// Unquote reads what [Quote] or git wrote. A name without quotes is itself.
func Unquote(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	if len(s) < 2 || !strings.HasSuffix(s, `"`) {
		return "", fmt.Errorf("read %q: %w", s, errQuote)
	}
	var b strings.Builder
	for in := s[1 : len(s)-1]; in != ""; {
		c, n := unescape(in)
		if n == 0 {
			return "", fmt.Errorf("read %q: %w", s, errQuote)
		}
		b.WriteByte(c)
		in = in[n:]
	}
	return b.String(), nil
}

// unescape is the first byte of a quoted text and how long its spelling is; 0
// for what is none.
func unescape(s string) (byte, int) {
	switch {
	case s[0] == '"':
		return 0, 0
	case s[0] != '\\':
		return s[0], 1
	case len(s) < 2:
		return 0, 0
	}
	if i := strings.IndexByte(escapeLetters, s[1]); i >= 0 {
		return escapedBytes[i], 2
	}
	if len(s) < 4 || s[1] > '3' {
		return 0, 0
	}
	c := 0
	for _, d := range []byte(s[1:4]) {
		if d < '0' || d > '7' {
			return 0, 0
		}
		c = c<<3 | int(d-'0')
	}
	return byte(c), 4
}

// Code writes a name as a code span of Markdown that it cannot close, fit for a
// table.
func Code(name string) string { return "`" + Quote(name) + "`" }
