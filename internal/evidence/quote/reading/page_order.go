package reading

import (
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// A number alone at the break of a page may be that of the page, or a word of the sentence that goes
// over it: "sentenced each of them to / 10 / years". Its shape does not tell. Numbers of pages count up
// by one a page; what does not, beside one that does or where no page lacks its number, is a word. Where
// nothing counts, nobody knows: then it is left out, which is shown, and may be quoted.

// A breakNumber is a number on a line of what may be of a page.
type breakNumber struct {
	line, block int
	run         int // of such lines, one right behind the other
	at          int // the page that it stands on, or the run where no form feed parts pages
	value       int
	bare        bool // it is alone on its line
	weight      int  // how well it stands in a row that counts up
}

// The weights of a step from one number of a row to the next.
const (
	exactStep = 2 // as much greater as it is pages further on
	looseStep = 1
	inOrder   = exactStep // the least weight of a number that is in order
)

// A pageOrder tells, of the lines with a number alone that seem to be of pages, by where they begin,
// which are words of the text and which may be.
type pageOrder struct {
	words, doubtful map[int]bool
	counted         map[int]bool // those in a block with others, which are of pages
}

// orderOfPages looks which of the numbers at breaks count up.
func orderOfPages(lines []pageLine, blocks []block) pageOrder {
	list := breakNumbers(lines, blocks)
	weigh(list)
	o := pageOrder{words: map[int]bool{}, doubtful: map[int]bool{}, counted: map[int]bool{}}
	behind := make([]*breakNumber, len(list)+1) // the first one in order from there on
	for i := len(list) - 1; i >= 0; i-- {
		behind[i] = behind[i+1]
		if list[i].weight >= inOrder {
			behind[i] = &list[i]
		}
	}
	times := runsWith(list)
	var before *breakNumber // the last one in order
	for from := 0; from < len(list); {
		to, best := from, 0
		for ; to < len(list) && list[to].run == list[from].run; to++ {
			best = max(best, list[to].weight)
		}
		run := list[from:to]
		for i, n := range run {
			if !n.bare {
				if n.weight < inOrder && best >= inOrder && isNamedOnce(lines, list, n) {
					o.doubtful[lines[n.line].at] = true
				}
				continue
			}
			if n.bare && isAboveNote(lines, n) {
				continue
			}
			// the number of a chapter, which heads have too, and those of notes, one below the other
			other := times[n.value] > 1 || isInColumn(run, i)
			switch at := lines[n.line].at; {
			case other && n.weight < max(best, inOrder):
				o.doubtful[at] = true
			case best < inOrder && (isNumberedPage(n, before) || isNumberedPage(n, behind[to]) || before != nil && behind[to] != nil && behind[to].value == before.value+1):
				o.words[at] = true
			case best < inOrder:
				o.doubtful[at] = true
			case 3*n.weight < 2*best:
				o.words[at] = true
			case n.weight < best || hasEqual(run, i):
				o.doubtful[at] = true
			default:
				o.counted[at] = true
			}
		}
		for i := range run {
			if run[i].weight >= inOrder {
				before = &list[from+i]
			}
		}
		from = to
	}
	return o
}

// isNumberedPage reports whether another number is known to be that of the page that a number stands on.
func isNumberedPage(n breakNumber, other *breakNumber) bool { return other != nil && other.at == n.at }

// runsWith tells in how many runs each number stands alone.
func runsWith(list []breakNumber) map[int]int {
	times, last := map[int]int{}, map[int]int{}
	for _, n := range list {
		if run, ok := last[n.value]; n.bare && (!ok || run != n.run) {
			last[n.value] = n.run
			times[n.value]++
		}
	}
	return times
}

// isNamedOnce reports whether a number has one word before it, as "Year 2031", and no other line is the
// same.
func isNamedOnce(lines []pageLine, list []breakNumber, n breakNumber) bool {
	const near = 40 // numbers
	line := lines[n.line].bare
	i, _ := slices.BinarySearchFunc(list, n.line, func(m breakNumber, line int) int { return m.line - line })
	return countOfWords(line) == 1 && len(strings.Fields(line)) == 2 &&
		!slices.ContainsFunc(list[max(0, i-near):min(len(list), i+near)], func(m breakNumber) bool { return m.line != n.line && lines[m.line].bare == line })
}

// isAboveNote reports whether a number stands alone above a line that begins as a sentence does, as
// that of a note does, and the number of the page stands below, or that of the next at its head.
func isAboveNote(lines []pageLine, n breakNumber) bool {
	note, numbered := false, false
	for _, below := range lines[n.line+1:] {
		switch {
		case below.fed:
			return note && (numbered || isPageNumber(below.bare) || hasOuterNumber(below.bare))
		case below.bare == "":
		case !note:
			if note = unicode.IsUpper(char.First(below.bare)) && countOfWords(below.bare) >= prose; !note {
				return false
			}
		default:
			numbered = numbered || isPageNumber(below.bare)
		}
	}
	return false
}

// isInColumn reports whether the line above or below a number of a run has the number before or the next.
func isInColumn(run []breakNumber, i int) bool {
	for _, k := range []int{i - 1, i + 1} {
		if k >= 0 && k < len(run) && run[k].block == run[i].block && run[k].bare && run[k].value-run[i].value == k-i {
			return true
		}
	}
	return false
}

// hasEqual reports whether a number of a run stands further from the edge of its page than another one
// that is in order as well as it is.
func hasEqual(run []breakNumber, i int) bool {
	for k, other := range run {
		if k != i && other.at == run[i].at && other.weight == run[i].weight && (k > i || !other.bare) {
			return true
		}
	}
	return false
}

// breakNumbers gives the numbers on lines of pages, in their order.
func breakNumbers(lines []pageLine, blocks []block) []breakNumber {
	var list []breakNumber
	k, page, run := 0, 0, 0
	for i, b := range blocks {
		for k+1 < len(lines) && lines[k+1].at <= b.from {
			k++
			page += feeds(lines, k)
		}
		if !b.furniture {
			continue
		}
		if i > 0 && !blocks[i-1].furniture {
			run++
		}
		alone := b.ofPage || isOfNumbers(b.lines)
		for ; k < len(lines) && lines[k].at < b.to; k++ {
			if k > 0 && lines[k-1].at >= b.from {
				page += feeds(lines, k)
			}
			line := lines[k].bare
			if line == "" || !hasOuterNumber(line) && !isPageNumber(line) {
				continue
			}
			bare := alone && isPageNumber(line)
			numbers, _ := numbersOfPage(line)
			for _, n := range numbers {
				list = append(list, breakNumber{line: k, block: i, run: run, at: page, value: n, bare: bare})
			}
		}
		k--
	}
	if page == 0 {
		for i := range list {
			list[i].at = list[i].run
		}
	}
	return list
}

func feeds(lines []pageLine, k int) int {
	if lines[k].fed {
		return 1
	}
	return 0
}

// isOfNumbers reports whether lines are numbers of pages and nothing else.
func isOfNumbers(lines []string) bool {
	for _, line := range lines {
		if !isPageNumber(line) {
			return false
		}
	}
	return true
}

// weigh tells of each number how many steps the row has that it stands in, up and down.
func weigh(list []breakNumber) {
	up := stepsTo(len(list), func(i int) (at, value int) { return list[i].at, list[i].value })
	down := stepsTo(len(list), func(i int) (at, value int) {
		n := list[len(list)-1-i]
		return -n.at, -n.value
	})
	for i := range list {
		list[i].weight = up[i] + down[len(list)-1-i]
	}
}

// stepsTo tells how much the steps weigh that lead up to each of some numbers, which stand on pages one
// behind the other.
func stepsTo(n int, number func(int) (at, value int)) []int {
	const most, far = 4, 8 // how much greater the next number is, and how many pages further on
	weights := make([]int, n)
	last := map[int]int{} // the number that has a value, on a page before
	for i := 0; i < n; {
		page, _ := number(i)
		from := i
		for ; i < n; i++ {
			at, value := number(i)
			if at != page {
				break
			}
			for step := 1; step <= most; step++ {
				before, ok := last[value-step]
				if !ok {
					continue
				}
				behind, _ := number(before)
				switch d := at - behind; {
				case d == step:
					weights[i] = max(weights[i], weights[before]+exactStep)
				case d <= far:
					weights[i] = max(weights[i], weights[before]+looseStep)
				}
			}
		}
		for k := from; k < i; k++ {
			_, value := number(k)
			if other, ok := last[value]; !ok || other < from || weights[k] >= weights[other] {
				last[value] = k
			}
		}
	}
	return weights
}

// apply makes words of the numbers that are not of pages: where what is doubtful is not to be taken out,
// of those too. Else it gives where the lines of those begin.
func (o *pageOrder) apply(lines []pageLine, ofPages map[int]bool, unsure bool) (doubtful []int) {
	for at := range o.doubtful {
		if unsure {
			doubtful = append(doubtful, at)
		} else {
			o.words[at] = true
		}
	}
	if len(o.words) == 0 {
		return doubtful
	}
	for at := range o.counted {
		ofPages[at] = true // apart from a word in the same block
	}
	for i := range lines {
		if lines[i].word = o.words[lines[i].at]; lines[i].word {
			delete(ofPages, lines[i].at)
		}
	}
	return doubtful
}

// isOverWord reports whether a sentence goes on from one block to the next, of which one is a number
// that belongs to it.
func isOverWord(blocks []block, i int) bool {
	above, below := blocks[i-1], blocks[i]
	switch {
	case below.word:
		return isOpenAtBreak(above.lines[len(above.lines)-1])
	case !above.word:
		return false
	case goesOn(strings.TrimSpace(below.lines[0])):
		return true
	}
	for k := i - 2; k >= 0; k-- {
		if b := blocks[k]; !b.furniture && !b.word {
			last := b.lines[len(b.lines)-1]
			return isOpenAtBreak(last) && countOfWords(last) >= prose
		}
	}
	return false
}
