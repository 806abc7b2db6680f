package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// NearestLimit bounds the passage [Nearest] gives, in bytes.
const NearestLimit = 600

// enough is the share of a quotation's weight a passage must have to be called
// near; below it only common words agree.
const enough = 0.4

// Nearest gives the passage of a text that shares most with a quotation, as it
// stands there but for white space, or "" when none is near. Rare words weigh
// more than frequent ones. It shows a writer what the source says instead; that
// it is near proves nothing. Time is linear in both lengths.
func Nearest(text, quoted string) string { return Index(text).Nearest(quoted) }

// Nearest gives the passage nearest to a quotation, as the function of this
// name does.
func (t *Text) Nearest(quoted string) string {
	wanted := map[string]int{}
	long := 0
	for w := range words(quoted) {
		wanted[strings.ToLower(w.text)]++
		long++
	}
	if long == 0 {
		return ""
	}
	var hits []hit
	place := 0
	seen := map[string]int{}
	for w := range words(t.text) {
		if low := strings.ToLower(w.text); wanted[low] > 0 {
			hits = append(hits, hit{word: low, place: place, start: w.start, end: w.start + len(w.text)})
			seen[low]++
		}
		place++
	}
	first, last, ok := window(hits, wanted, seen, long)
	if !ok {
		return ""
	}
	return t.passage(hits[first].start, hits[last].end)
}

// hit is a word of the quotation in the text; place counts the text's words.
type hit struct {
	word              string
	place, start, end int
}

// window gives the hits, from first to last, that weigh most within the
// quotation's length and half as much again.
func window(hits []hit, wanted, seen map[string]int, long int) (first, last int, ok bool) {
	total := 0.0
	for word, n := range wanted {
		total += float64(n) / float64(1+seen[word])
	}
	have := map[string]int{}
	best, weight, from := 0.0, 0.0, 0
	for to, h := range hits {
		if have[h.word]++; have[h.word] <= wanted[h.word] {
			weight += 1 / float64(1+seen[h.word])
		}
		for ; h.place-hits[from].place > long+long/2; from++ {
			w := hits[from].word
			if have[w]--; have[w] < wanted[w] {
				weight -= 1 / float64(1+seen[w])
			}
		}
		if weight > best*1.000001 {
			best, first, last = weight, from, to
		}
	}
	return first, last, total > 0 && best >= enough*total
}

// passage widens a span to the sentence or line around it, within bounds.
func (t *Text) passage(start, end int) string {
	const margin = 120
	end = min(end, start+NearestLimit-2*margin)
	left := t.text[max(0, start-margin):start]
	if at := strings.LastIndexAny(left, ".!?\n"); at >= 0 {
		left = left[at+1:]
	} else if start > margin {
		left = left[strings.IndexAny(left, " \t")+1:]
	}
	right := t.text[end:min(len(t.text), end+margin)]
	if at := strings.IndexAny(right, ".!?\n"); at >= 0 {
		right = right[:at+1]
	} else if end+margin < len(t.text) {
		right = right[:strings.LastIndexAny(right, " \t")+1]
	}
	cut := strings.ToValidUTF8(left+t.text[start:end]+right, "")
	return strings.Join(strings.Fields(cut), " ")
}

// word is a word of a text and where it begins.
type word struct {
	text  string
	start int
}

// words gives runs of letters and digits; where a script has no blanks each
// letter is one.
func words(text string) func(func(word) bool) {
	return func(yield func(word) bool) {
		for i := 0; i < len(text); {
			r, size := utf8.DecodeRuneInString(text[i:])
			if !wordy(r) {
				i += size
				continue
			}
			end := i + size
			for !wide(r) && end < len(text) {
				next, n := utf8.DecodeRuneInString(text[end:])
				if !wordy(next) && next != unicode.ReplacementChar || wide(next) {
					break
				}
				end += n
			}
			if !yield(word{text: text[i:end], start: i}) {
				return
			}
			i = end
		}
	}
}
