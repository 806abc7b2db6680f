package watch

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/project/secret"
)

// maxMarks bounds how many marks may stand on one letter.
const maxMarks = 3

// clean makes foreign text fit for a line of the screen: no escape sequences,
// controls or turns of direction, no joined signs whose width terminals do not
// agree on, no tower of marks, no secrets.
func clean(s string) string {
	s = plain.Terminal(plain.WithoutEscapes(strings.ReplaceAll(s, "\u009b", "\x1b[")))
	if finds := secret.NewSecrets([]secret.File{{Path: "stream", Is: []byte(s)}}); len(finds) > 0 {
		s = string(secret.Redact([]byte(s), finds))
	}
	s = keyForm().ReplaceAllString(s, "[a secret was here]")
	marks := 0
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u200d' || r >= 0xfe00 && r <= 0xfe0f:
			return -1
		case unicode.Is(unicode.M, r):
			if marks++; marks > maxMarks {
				return -1
			}
		default:
			marks = 0
		}
		return r
	}, s)
}

// keyForm is the beginning by which keys are known, however short the rest is.
var keyForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:sk-(?:ant|proj|svcacct|admin)-|[Bb]earer )[\w.~+/=-]{6,}`)
})

// cut is a line of at most width cells.
func cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(s, width, "…")
}

// fill is a line of exactly width cells.
func fill(s string, width int) string {
	s = cut(s, width)
	return s + strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
}

// wrap cuts a text, which may have lines, into lines of at most width cells.
func wrap(s string, width int) []string {
	if width < 1 {
		return nil
	}
	var rows []string
	for line := range strings.SplitSeq(s, "\n") {
		rows = append(rows, strings.Split(ansi.Wrap(line, width, ""), "\n")...)
	}
	return rows
}

// atMost are the first rows of a text; the last of them says that there is more.
func atMost(n int, rows []string) []string {
	if len(rows) <= n {
		return rows
	}
	rows = rows[:n:n]
	rows[n-1] = strings.TrimRight(rows[n-1], " ") + "…"
	return rows
}

// spread is a line with something at either end; what stands left gives way.
func spread(left, right string, width int) string {
	room := width - ansi.StringWidth(right) - 1
	if right == "" || room < 10 {
		return cut(left, width)
	}
	return fill(left, room) + " " + right
}

// words joins what is not empty.
func words(between string, parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, between)
}
