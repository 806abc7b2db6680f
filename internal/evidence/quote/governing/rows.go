package governing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// EndsRowOfLines reports whether a passage ends with a row of a table whose cells stand in lines one below
// the other: its last line is a number, as the one before may be, and below a blank line the name of the
// next row begins. Read without its numbers, the name of the one would go on with that of the other.
func EndsRowOfLines(text string, start, end int) bool {
	last := strings.LastIndexByte(text[start:end], '\n')
	if last < 0 || strings.ContainsFunc(text[start+last:end], unicode.IsLetter) || !strings.ContainsFunc(text[start+last:end], unicode.IsDigit) {
		return false
	}
	rest := strings.TrimLeft(text[end:], " \t\r")
	below := strings.TrimLeft(rest, " \t\r\n")
	first, _ := utf8.DecodeRuneInString(below)
	return strings.Count(rest[:len(rest)-len(below)], "\n") > 1 && unicode.IsUpper(first)
}
