package quote

import (
	"cmp"
	"slices"
	"strings"
)

// NearestLimit bounds the passage [Nearest] gives, in bytes.
const NearestLimit = 600

// minNearShare is the share of a quotation's weight a passage must have to be called
// near; below it only common words agree.
const minNearShare = 0.4

// Nearest gives the passage of a text that shares most with a quotation, as it
// stands there but for white space, or "" when none is near. Rare words weigh
// more than frequent ones. It shows a writer what the source says instead; that
// it is near proves nothing. Time is linear in both lengths.
func Nearest(text, quoted string) string { return Index(text).Nearest(quoted) }

// Nearest gives the passage nearest to a quotation, as the function of this
// name does.
func (t *Text) Nearest(quoted string) string {
	start, end, ok := t.nearestSpan(newLetterStream(quoted))
	if !ok {
		return ""
	}
	return t.widenToSentence(start, end)
}

// hit is a word of the quotation in the text.
type hit struct {
	word, at int
}

// rareWord is a word of the quotation, how often it is wanted and where it stands.
type rareWord struct {
	text   string
	wanted int
	places []uint32
}

func (r rareWord) weight() float64 { return 1 / float64(1+len(r.places)) }

// maxHits bounds the places looked at. Words too frequent to be among them
// weigh next to nothing.
const maxHits = 512

// nearestSpan gives the span of the text from the first to the last word that is
// near.
func (t *Text) nearestSpan(quoted letterStream) (start, end int, ok bool) {
	words := t.rareWords(quoted)
	var hits []hit
	for i := range words {
		room := maxHits - len(hits)
		for _, at := range words[i].places[:min(room, len(words[i].places))] {
			if t.stream.isWord(words[i].text, int(at)) {
				hits = append(hits, hit{i, int(at)})
			}
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(a.at, b.at) })
	first, last, ok := window(hits, words, len(quoted.letters))
	if !ok {
		return 0, 0, false
	}
	stop := hits[last].at + len(words[hits[last].word].text)
	return int(t.stream.at[hits[first].at]), t.pieceEnd(int(t.stream.at[stop-1])), true
}

// rareWords gives the words of a quotation, the rarest in the text first.
func (t *Text) rareWords(quoted letterStream) []rareWord {
	count := map[string]int{}
	var words []rareWord
	for from := 0; from < len(quoted.letters); {
		to := from + 1
		for to < len(quoted.letters) && !quoted.begins.has(to) {
			to++
		}
		w := quoted.letters[from:to]
		if count[w]++; count[w] == 1 {
			words = append(words, rareWord{text: w})
		}
		from = to
	}
	lexis := t.wordIndex()
	for i := range words {
		w := &words[i]
		w.wanted = count[w.text]
		w.places = lexis.lookUp(w.text)
		if isOtherWord(t.stream, w) {
			w.places = nil
		}
	}
	slices.SortStableFunc(words, func(a, b rareWord) int { return cmp.Compare(len(a.places), len(b.places)) })
	return words
}

// isOtherWord reports whether the places are of another word with the same hash.
// A mixture is seldom, and only weighs a little wrongly.
func isOtherWord(s letterStream, w *rareWord) bool {
	for _, at := range w.places[:min(8, len(w.places))] {
		if s.isWord(w.text, int(at)) {
			return false
		}
	}
	return true
}

// window gives the hits, from first to last, that weigh most within the
// quotation's length and half as much again.
func window(hits []hit, words []rareWord, long int) (first, last int, ok bool) {
	total := 0.0
	for _, w := range words {
		total += float64(w.wanted) * w.weight()
	}
	have := make([]int, len(words))
	best, weight, from := 0.0, 0.0, 0
	for to, h := range hits {
		if have[h.word]++; have[h.word] <= words[h.word].wanted {
			weight += words[h.word].weight()
		}
		for ; h.at-hits[from].at > long+long/2; from++ {
			w := hits[from].word
			if have[w]--; have[w] < words[w].wanted {
				weight -= words[w].weight()
			}
		}
		if weight > best*1.000001 {
			best, first, last = weight, from, to
		}
	}
	return first, last, total > 0 && best >= minNearShare*total
}

// widenToSentence widens a span to the sentence or line around it, within bounds.
func (t *Text) widenToSentence(start, end int) string {
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
