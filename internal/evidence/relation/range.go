package relation

import (
	"regexp"
	"strings"
	"sync"
)

// readRanges reads numbers that belong together as what they say: "5 to 10 s" and "5 or 10
// s" is 5 s at least and 10 s at most, "5 ± 2 s" is about 5 s, and "5 s or more" 5 s at
// least. What goes from 5 to 10 changes, and stays as it is.
func (r *reader) readRanges() {
	for i := 1; i < len(r.quantities); i++ {
		low, high := &r.quantities[i-1], &r.quantities[i]
		end := low.start + len(low.text)
		if low.sort != amount || high.sort != amount || low.exact+high.exact != "" || low.bound+high.bound != 0 || end > high.start {
			continue
		}
		if low.unit != "" && low.unit != high.unit {
			continue
		}
		switch strings.TrimSpace(r.text[end:high.start]) {
		case "±", "+/-", "+-":
			low.takeUnit(*high)
			low.bound, high.unit = '~', "± "+high.unit // how far off it may be is another thing
		case "to", "-", "–", "—", "or":
			if !r.isBehind(low.start, "from") {
				join(low, high)
			}
		case "and":
			if r.isBehind(low.start, "between") {
				join(low, high)
			}
		}
	}
	if !strings.Contains(r.text, " or ") && !strings.Contains(r.text, " and ") {
		return
	}
	for i := range r.quantities {
		q := &r.quantities[i]
		if m := boundBehind().FindStringSubmatch(r.text[min(len(r.text), q.start+len(q.text)):]); m != nil && q.sort == amount && q.bound == 0 && (m[1] == "" || strings.HasPrefix(q.unit, "of ")) {
			q.bound = 'm'
			if m[2] == "" {
				q.bound = 'l'
			}
		}
	}
}

// isBehind reports whether what begins at a place stands behind a word.
func (r *reader) isBehind(at int, word string) bool {
	before := strings.TrimRight(r.text[:at], " ")
	return len(before) >= len(word) && strings.EqualFold(before[len(before)-len(word):], word)
}

// join makes two numbers the ends of a range.
func join(low, high *quantity) {
	low.takeUnit(*high)
	low.bound, high.bound = 'l', 'm'
	low.ends, high.ends = true, true
}

// takeUnit gives the lower end of a range the unit that stands behind the upper one.
func (q *quantity) takeUnit(of quantity) {
	if q.unit != "" || of.unit == "" && of.factor == 0 {
		return
	}
	q.unit, q.near = of.unit, of.near
	if q.factor == 0 {
		q.scale(of.written())
		q.value = round(q.value)
	}
}

// boundBehind is what may stand behind a quantity, or the word it counts, and make it the
// least or the most.
var boundBehind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^( [a-z]+)? (?:(?:or|and) (?:more|longer|higher|greater|larger|older|above|over|up)\b|((?:or|and) (?:less|fewer|lower|shorter|smaller|younger|below|under)\b))`)
})
