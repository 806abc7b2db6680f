package reading

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// Notes are counted through a text: where the numbers behind the marks around a word count upwards,
// a number that is glued to the word and does not fit in between is likely part of a name, as in
// "Windows95". It may be the mark of a note that comes again: it is shown where it is left out.

// doubtNumbers marks as unsure what leaves out a number that does not fit. Of each there is the number,
// and what it is glued to. Time is linear.
func doubtNumbers(text string, found []Edit, numbers, kinds []int) {
	const least, near = 4, 3 // marks that count upwards, and those at each side
	var marks []int          // of found, behind marks
	for i, kind := range kinds {
		if kind == gluedToMark {
			marks = append(marks, i)
		}
	}
	reached, next := 0, 0 // the last number that fits, the first mark behind it
	for i := range found {
		if next < len(marks) && marks[next] == i {
			reached = lastNumber(text[found[i].From:found[i].To])
			next++
			continue
		}
		from, to := max(0, next-near), min(len(marks), next+near)
		if from == 0 {
			to = min(len(marks), max(to, least))
		} else if to == len(marks) {
			from = max(0, min(from, to-least))
		}
		if kinds[i] != gluedToWord || to-from < least {
			continue
		}
		upwards := true
		for k := from + 1; k < to; k++ {
			upwards = upwards && numbers[marks[k-1]] < numbers[marks[k]]
		}
		switch n := numbers[i]; {
		case !upwards:
		case n <= reached, next < len(marks) && n >= numbers[marks[next]], next == len(marks) && n > reached+1:
			found[i].unsure = true
		default:
			reached = lastNumber(text[found[i].From:found[i].To])
		}
	}
}

// lastNumber is the number that a mark of several ends with.
func lastNumber(mark string) int {
	list := strings.FieldsFunc(mark, func(r rune) bool { return r < '0' || r > '9' })
	n, _ := strconv.Atoi(list[len(list)-1])
	return n
}

// numbersThatBeginLines are the places of numbers that begin a line and have words behind them,
// or stand alone there, as those of notes at the foot of a page do.
func numbersThatBeginLines(text string) map[int][]int {
	const longest = 3 // digits
	at := map[int][]int{}
	for start := 0; start < len(text); {
		line := char.Line(text, start)
		words := strings.TrimLeft(line, " \t")
		digits := len(words) - len(strings.TrimLeft(words, "0123456789"))
		rest := strings.TrimSpace(words[digits:])
		if digits > 0 && digits <= longest && (rest == "" || words[digits] == ' ' && unicode.IsLetter(char.First(rest))) {
			n, _ := strconv.Atoi(words[:digits])
			at[n] = append(at[n], start)
		}
		start += len(line) + 1
	}
	return at
}

// standsBelow reports whether one of some places, which ascend, is not far behind another: a note
// stands on the page of its mark.
func standsBelow(places []int, from int) bool {
	const page = 6000 // bytes
	i, _ := slices.BinarySearch(places, from)
	return i < len(places) && places[i] < from+page
}

// countsNotes reports whether all raised numbers of a text count up from one, as the marks of notes do
// and powers do not: then they are marks behind numbers too.
func countsNotes(text string) bool {
	const least = 3
	n := 0
	for i := 0; i < len(text); {
		end := i
		if text[i] == "¹"[0] || text[i] == "⁰"[0] {
			end = raisedEnd(text, i)
		}
		if end == i {
			i++
			continue
		}
		if n++; strings.Map(PlainDigit, text[i:end]) != strconv.Itoa(n) {
			return false
		}
		i = end
	}
	return n >= least
}

// raisedEnd is where raised digits end that begin at a place of a text, the place itself where none do.
func raisedEnd(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !IsRaised(r) {
			break
		}
		i += size
	}
	return i
}
