package finding

import (
	"fmt"
	"strings"
	"unicode"

	"research-council/internal/agent"
)

// Bounds of what is shown of foreign text, in characters.
const (
	shownTitle = 200
	shownText  = 4000
	shownName  = 300
)

// text is foreign text on one line of ours, every mark taken for itself.
func text(s string, limit int) string {
	var b strings.Builder
	for _, r := range agent.Plain(s, limit) {
		if r < unicode.MaxASCII && strings.ContainsRune("\\`*_{}[]<>#|!&~$@:", r) || r == '.' && www(b.String()) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// www reports whether a point would make a link of what follows: many readers
// take such words for addresses.
func www(before string) bool {
	return len(before) >= 3 && strings.EqualFold(before[len(before)-3:], "www")
}

// prose is foreign text on one line of ours, with its spans of code.
func prose(s string) string {
	s = agent.Plain(s, shownText)
	var b strings.Builder
	for {
		before, rest, opened := strings.Cut(s, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !opened || !closed {
			b.WriteString(spaced(s))
			return b.String()
		}
		b.WriteString(spaced(before))
		b.WriteString(span1(code))
		s = after
	}
}

// spaced is text with the blanks at its ends, which stand between it and code.
func spaced(s string) string {
	shown := text(s, shownText)
	if shown != "" && strings.HasPrefix(s, " ") {
		shown = " " + shown
	}
	if shown == "" && s != "" || strings.HasSuffix(s, " ") {
		shown += " "
	}
	return shown
}

// span1 is code in a line; it holds no backtick.
func span1(code string) string {
	if code = strings.TrimSpace(code); code == "" {
		return ""
	}
	return "`" + code + "`"
}

// name is a path or name as code in a line.
func shown(s string) string {
	s = agent.Plain(s, shownName)
	if s == "" {
		return "?"
	}
	fence := strings.Repeat("`", longest(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// longest is the length of the longest run of backticks.
func longest(s string) int {
	most, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		most = max(most, run)
	}
	return most
}

// block is code between fences that it cannot close. What is not seen, or
// changes how other characters are seen, is spelt out.
func block(b *strings.Builder, code, file string) {
	fence := strings.Repeat("`", max(3, longest(code)+1))
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
