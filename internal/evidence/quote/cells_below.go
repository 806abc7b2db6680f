package quote

import (
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// matchCellsBelow reports whether a span is a row of a table whose cells stand in lines one below the
// other, as programs write that read a PDF, with the letters and marks of a quotation that has commas,
// bars or a colon between them: a name, and numbers behind it, or cells that look like those of the
// rows above or below. Numbers that stand in one line there may be parted too.
func matchCellsBelow(s *search, q *query, start, end int) (Match, bool) {
	text, passage := s.text, s.text[start:end]
	if !strings.Contains(passage, "\n") || strings.Contains(strings.TrimSpace(q.raw), "\n") || end-start > maxTypedRow {
		return Match{}, false
	}
	from, _ := char.LineAround(text, start)
	_, to := char.LineAround(text, end)
	to = max(to, end)
	if char.OfWords(text[from:start]+text[end:to]) != "" {
		return Match{}, false
	}
	ofNumbers, whole := isRowOfLines(text, from, to), to
	if !ofNumbers && !isPeriodicRow(text, from, to) {
		if whole = endOfPeriodicRow(text, from, to); whole <= to {
			return Match{}, false
		}
	}
	passage = strings.ToLower(passage)
	quoted := strings.ToLower(strings.TrimFunc(q.raw, char.IsNotOfWord))
	if char.OfWords(passage) != char.OfWords(quoted) {
		return Match{}, false
	}
	same, numbered := true, false
	walkAligned(passage, quoted, func(_, other, mine string, at int) {
		behind := passage[at+len(mine):]
		isBetween := unicode.IsDigit(char.Last(passage[:at])) && unicode.IsDigit(char.First(behind))
		switch {
		case !ofNumbers && strings.Contains(mine, "\n"):
			same = same && (strings.TrimSpace(behind) == "" || partsAtLines(mine, other) || at > 0 && isFirstColon(passage[:at], mine, other))
		case strings.Contains(mine, "\n"):
			isName := !numbered && !isCellOfNumber(firstLine(behind))
			numbered = numbered || !isName
			same = same && (isName && plainMarks(mine) == plainMarks(other) || !isName && partsLines(mine, other))
		case mine == " " && numbered && isBetween && !isThousands(behind):
			same = same && (other == " " || partsLines(mine, other))
		default:
			same = same && plainMarks(mine) == plainMarks(other)
		}
	})
	if !same || !hasSameEnds(text[from:to], q.raw) {
		return Match{}, false
	}
	if start, end = s.includeQuotedMarks(q, start, end); !ofNumbers {
		start, end = from+len(text[from:to])-len(strings.TrimLeft(text[from:to], " \t\f")), from+len(strings.TrimRight(text[from:to], " \t\r\n"))
	}
	m := Match{Tier: Normalised, Start: start, End: end}
	if whole > to {
		m.Gaps = []Span{bareSpan(text, to, whole)}
	} else if above, ok := numberAbove(text, from, to); ok && !ofNumbers {
		m.Gaps = []Span{above}
	}
	return m, true
}

// partsLines reports whether a quotation has between two words the marks that stand between two cells,
// but for what parts them.
func partsLines(mine, other string) bool {
	if !strings.ContainsFunc(other, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("|;、；：，", r) }) {
		return false
	}
	return withoutSeparators(mine) == withoutSeparators(other)
}

// isThousands reports whether a text begins with three digits, before which a blank parts thousands.
func isThousands(text string) bool {
	const digits = 3
	n := len(text) - len(strings.TrimLeftFunc(text, unicode.IsDigit))
	return n == digits
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// isCellOfNumber reports whether a line has nothing but numbers, with signs and units of a few letters.
func isCellOfNumber(line string) bool {
	const most, letters = 60, 3
	line = strings.TrimSpace(line)
	if len(line) > most || !strings.ContainsFunc(line, unicode.IsDigit) {
		return false
	}
	list := tokens(normalise(line).text)
	return list[0].isNumber() && !slices.ContainsFunc(list, func(w token) bool { return !w.isNumber() && len(w.low) > letters })
}

// isRowOfLines reports whether some lines are a name, which may go on in a second line, and two or
// more lines of numbers behind it, and the table goes on so above or below: numbers stand right above
// the name, or as many below the next one. As many names as there are numbers, one below the other,
// are a column.
func isRowOfLines(text string, from, to int) bool {
	var name, numbers int // lines
	for line := range strings.Lines(text[from:to]) {
		switch {
		case strings.TrimSpace(line) == "":
		case isCellOfNumber(line):
			numbers++
		case numbers > 0 || !strings.ContainsFunc(line, unicode.IsLetter):
			return false
		default:
			name++
		}
	}
	const longest = 2 // lines of a name
	if name < 1 || name > longest || numbers < 2 {
		return false
	}
	below := linesBelow(text, to)
	n := numbersAtFront(below)
	numbers += n
	names, afterNumbers := namesAbove(text, from)
	if afterNumbers && names == 0 {
		return true
	}
	if below = below[n:]; names+name == numbers || len(below) == 0 {
		return false
	}
	return numbersAtFront(below[1:]) == numbers
}

// numbersAtFront is how many lines of numbers some lines begin with.
func numbersAtFront(lines []string) int {
	n := slices.IndexFunc(lines, func(line string) bool { return !isCellOfNumber(line) })
	if n < 0 {
		n = len(lines)
	}
	return n
}

// linesBelow are the next lines of a text that have something in them.
func linesBelow(text string, at int) []string {
	const most, far = 50, 2000 // lines, bytes
	var list []string
	for line := range strings.Lines(text[at:words.RuneStart(text, at+far)]) {
		if strings.TrimSpace(line) != "" && len(list) < most {
			list = append(list, line)
		}
	}
	return list
}

// namesAbove is how many lines without numbers stand above a line, and whether one of numbers stands
// above them.
func namesAbove(text string, at int) (names int, afterNumbers bool) {
	const most = 50
	for at > 0 && names < most {
		begins, ends := char.LineAround(text, at-1)
		switch line := text[begins:ends]; {
		case strings.TrimSpace(line) == "":
		case isCellOfNumber(line):
			return names, true
		default:
			names++
		}
		at = begins
	}
	return names, false
}
