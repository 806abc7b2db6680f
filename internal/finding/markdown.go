package finding

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"research-council/internal/agent"
)

// Bounds of what is shown of foreign text, in characters.
const (
	shownText = 4000
	shownName = 300
)

// text is foreign text in a line of ours, every mark taken for itself. It never
// begins the line.
func text(s string, limit int) string {
	s = agent.Plain(s, limit)
	var b strings.Builder
	prev := ' '
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if special(prev, r, next) || r == '.' && www(s[:i]) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String()
}

// special reports whether a character, between two others, is a mark of
// CommonMark or of what code hosts add to it.
func special(prev, r, next rune) bool {
	switch r {
	case '\\', '`', '*', '[', ']', '<', '|', '~', '$', '#':
		return true
	case '_':
		return !alnum(prev) || !alnum(next)
	case '&':
		return next == '#' || unicode.IsLetter(next)
	case ':':
		return next == '/'
	case '@':
		return prev != ' '
	}
	return false
}

func alnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// www reports whether a point would make a link of what follows: many readers
// take such words for addresses.
func www(before string) bool {
	return len(before) >= 3 && strings.EqualFold(before[len(before)-3:], "www")
}

// prose is foreign text in a line of ours, with its spans of code.
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
		b.WriteString(inCode(code))
		s = after
	}
}

// mostParagraphs bounds what is shown of a text of several paragraphs.
const mostParagraphs = 20

// paragraphs is foreign text with its paragraphs, behind a label of ours.
func paragraphs(label, s string) string {
	var list []string
	var part strings.Builder
	for line := range strings.Lines(s + "\n\n") {
		if strings.TrimSpace(line) != "" {
			part.WriteString(line)
			continue
		}
		if shown := strings.TrimSpace(prose(part.String())); shown != "" && len(list) < mostParagraphs {
			list = append(list, begun(shown))
		}
		part.Reset()
	}
	if len(list) == 0 {
		list = []string{"not said"}
	}
	return label + strings.Join(list, "\n\n")
}

// begun is a line that begins no list, quotation or underline.
func begun(line string) string {
	number := strings.TrimLeft(line, "0123456789")
	digits := len(line) - len(number)
	switch {
	case strings.IndexByte("-+=>", line[0]) >= 0:
		return `\` + line
	case digits > 0 && number != "" && (number[0] == '.' || number[0] == ')'):
		return line[:digits] + `\` + number
	}
	return line
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

// inCode is code in a line; it holds no backtick.
func inCode(code string) string {
	if code = strings.TrimSpace(code); code == "" {
		return ""
	}
	return "`" + code + "`"
}

// shown is a path or name as code in a line.
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
