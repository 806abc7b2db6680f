package claim

import (
	"slices"
	"strings"
	"unicode/utf8"

	"research-council/internal/base/words"
)

// maxContext bounds how far the context of a passage reaches to either side, in
// bytes.
const maxContext = 400

// contextAround is a passage with the rest of its sentences and a sentence more
// on either side: there stands what qualifies it. It never reaches over a blank
// line.
func contextAround(body string, start, end int) string {
	low, high := max(0, start-maxContext), min(len(body), end+maxContext)
	for low < start && !utf8.RuneStart(body[low]) {
		low++
	}
	for high < len(body) && high > end && !utf8.RuneStart(body[high]) {
		high--
	}
	for at := start - 1; at >= low; at-- {
		if isBlankLine(body, at) {
			low = at + 1
		}
	}
	for at := end; at < high; at++ {
		if isBlankLine(body, at) {
			high = at
		}
	}
	from, to := withNeighbours(strings.NewReplacer("\n", " ", "\r", " ").Replace(body[low:high]), start-low, end-low)
	return strings.TrimSpace(body[low+from : low+to])
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
