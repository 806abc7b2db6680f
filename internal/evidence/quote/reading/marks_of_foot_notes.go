package reading

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// withMarksOfNotes adds to the edits that take out what is of the pages of a text others for the
// marks of the notes among it: numbers that are glued to words above, on the same page, and show
// what they are by nothing else. They may be of a name.
func withMarksOfNotes(text string, pages []Edit) []Edit {
	const page = 6000 // bytes
	var marks []Edit
	from := 0
	for _, e := range pages {
		for _, n := range numbersOfNotes(text[e.From:e.To]) {
			begin := words.RuneStart(text, max(from, e.From-page))
			if at, ok := lastGlued(text[begin:e.From], n); ok {
				marks = append(marks, Edit{From: begin + at, To: begin + at + len(n), note: true, unsure: true})
			}
		}
		from = e.To
	}
	if len(marks) == 0 {
		return pages
	}
	all := slices.Concat(pages, marks)
	slices.SortFunc(all, func(a, b Edit) int { return cmp.Compare(a.From, b.From) })
	return slices.CompactFunc(all, func(a, b Edit) bool { return a.note && b.note && a.From == b.From })
}

// numbersOfNotes are the numbers with which lines begin that have words behind them.
func numbersOfNotes(lines string) []string {
	const most = 3 // digits
	var list []string
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		rest := strings.TrimLeft(line, "0123456789")
		digits := len(line) - len(rest)
		n, _ := strconv.Atoi(line[:digits])
		if digits <= most && n > 0 && line[0] != '0' && unicode.IsLetter(char.First(strings.TrimLeft(rest, ".) "))) {
			list = append(list, line[:digits])
		}
	}
	return list
}

// lastGlued is where a number stands that is glued to a word and ends it, the last of a text.
func lastGlued(text, number string) (int, bool) {
	for end := len(text); ; {
		at := strings.LastIndex(text[:end], number)
		if at < 0 {
			return 0, false
		}
		next := char.First(text[at+len(number):])
		if gluedBehind(text[:at]) == gluedToWord && !unicode.IsLetter(next) && !unicode.IsDigit(next) {
			return at, true
		}
		end = at
	}
}
