package claim

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// maxContext bounds how far the context of a passage reaches to either side, in
// bytes.
const maxContext = 400

// maxCited is how long the lines that a claim names may be to be its context, in bytes:
// they are what its author holds to be needed.
const maxCited = 2000

// maxWord is how many bytes at an end of a context may go for ending between words.
const maxWord = 60

const blanks = " \t\r\n"

// contextAround is a passage with the rest of its sentences and a sentence more
// on either side: there stands what qualifies it. It never reaches over a blank
// line, but where nothing of its paragraph stands before the passage: then over one, as a
// comment of code or the head of a list is often parted so from what it speaks of.
func contextAround(body string, start, end int) string {
	low, high := reach(body, start, end)
	begin := len(strings.TrimRight(body[:start], blanks)) // of the blanks before the passage
	for at := start - 1; at >= low; at-- {
		if isBlankLine(body, at) && at < begin {
			low = at + 1
			break
		}
	}
	for at := end; at < high; at++ {
		if isBlankLine(body, at) {
			high = at
		}
	}
	from, to := withNeighbours(strings.NewReplacer("\n", " ", "\r", " ").Replace(body[low:high]), start-low, end-low)
	if from == 0 && low > 0 { // no half of a word, where there are words
		from = max(0, strings.IndexAny(body[low-1:min(start, low+maxWord)], blanks))
	}
	if to == high-low && high < len(body) {
		tail := max(end, high-maxWord)
		if at := strings.LastIndexAny(body[tail:high+1], blanks); at >= 0 {
			to = tail - low + at
		}
	}
	return strings.TrimSpace(body[low+from : low+to])
}

// linesAround are the whole lines within reach of a passage: of what a program has printed
// each is a unit.
func linesAround(body string, start, end int) string {
	low, high := reach(body, start, end)
	if at := strings.IndexByte(body[low:start], '\n'); at >= 0 && low > 0 {
		low += at + 1
	}
	if at := strings.LastIndexByte(body[end:high], '\n'); at >= 0 && high < len(body) {
		high = end + at
	}
	return strings.Trim(body[low:high], "\r\n")
}

// reach is how far the context of a passage may reach, between letters.
func reach(body string, start, end int) (low, high int) {
	low, high = max(0, start-maxContext), min(len(body), end+maxContext)
	for low < start && !utf8.RuneStart(body[low]) {
		low++
	}
	for high < len(body) && high > end && !utf8.RuneStart(body[high]) {
		high--
	}
	return low, high
}

// withNeighbours is where the sentence before those of a part of a text begins,
// and where the one behind them ends.
func withNeighbours(text string, start, end int) (from, to int) {
	list := words.Sentences(text)
	first := slices.IndexFunc(list, func(s words.Sentence) bool { return start < s.End })
	last := slices.IndexFunc(list, func(s words.Sentence) bool { return end <= s.End })
	if first < 0 || last < 0 {
		return 0, len(text)
	}
	return list[max(0, first-1)].Start, list[min(len(list)-1, last+1)].End
}

// isBlankLine reports whether a blank line begins at a byte.
func isBlankLine(body string, at int) bool {
	return body[at] == '\n' && (strings.HasPrefix(body[at+1:], "\n") || strings.HasPrefix(body[at+1:], "\r\n"))
}

// maxBlocks is how many lines that enclose a passage of code are told, and
// maxReach how far before it they are looked for, in bytes.
const (
	maxBlocks = 2
	maxReach  = 16 << 10
)

// enclosingBlocks are the lines that open the blocks a passage of code stands in,
// outermost first, as a function and its type; nil where it stands in none.
// A quotation out of a function seldom has its name, and without it nobody can
// judge what is said of that function.
func enclosingBlocks(body string, start int) []string {
	begin := strings.LastIndexByte(body[:start], '\n') + 1
	depth := indentation(body[begin:])
	var list []string
	for end := begin - 1; end > 0 && depth > 0 && start-end < maxReach; {
		from := strings.LastIndexByte(body[:end], '\n') + 1
		line := body[from:end]
		if text := strings.TrimSpace(line); text != "" && indentation(line) < depth {
			depth = indentation(line)
			if opensBlock(text) && strings.ContainsFunc(text, unicode.IsLetter) {
				list = append(list, text)
			}
		}
		end = from - 1
	}
	slices.Reverse(list)
	return list[:min(len(list), maxBlocks)]
}

// indentation is how many blanks a line begins with; a tab counts as one.
func indentation(line string) int {
	return len(line) - len(strings.TrimLeft(line, " \t"))
}

// opensBlock reports whether a line of code opens a block, as braces and
// parentheses do at its end, or the colon of a definition.
func opensBlock(line string) bool {
	switch line[len(line)-1] {
	case '{', '(':
		return true
	case ':':
		return strings.HasSuffix(line, "):") || strings.HasPrefix(line, "class ")
	}
	return false
}
