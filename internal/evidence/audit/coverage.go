package audit

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"

	"golang.org/x/text/unicode/norm"
)

// Page is a text made ready for statements to be held against.
type Page struct {
	at    map[string][]int32 // where each term stands, counted in words
	words int
}

// NewPage makes a text ready.
func NewPage(text string) *Page {
	p := &Page{at: map[string][]int32{}}
	p.words = eachTerm(text, func(term string, at int) { p.at[term] = append(p.at[term], int32(at)) })
	return p
}

// Weights say how much a word tells: the rarer it is among some pages, the
// more. A word of grammar tells nothing.
type Weights struct {
	pages int
	in    map[string]int // in how many of them a term stands
}

// NewWeights counts words in pages.
func NewWeights(pages []*Page) *Weights {
	w := &Weights{pages: len(pages), in: map[string]int{}}
	for _, p := range pages {
		for term := range p.at {
			w.in[term]++
		}
	}
	return w
}

// weight is ln(1 + (N+1)/(1+n)) for a term that stands in n of N pages: one
// page gives weights as well.
func (w *Weights) weight(term string) float64 {
	return math.Log(1 + float64(w.pages+1)/float64(1+w.in[term]))
}

// Window is in how many words of a page a statement's words are looked for. A
// long page holds most words somewhere: measured on the pairs of
// test/eval/wrongsource among 20 passages, a window of 200 words tells a wrong
// source from a right one with AUROC 0.98, the whole page with 0.95.
const Window = 200

// Coverage is the largest share of a statement's words, by weight, that stand
// within [Window] words of a page: from 0 to 1. Words is how many different
// ones the statement has; with few of them the share says little.
func (w *Weights) Coverage(statement string, p *Page) (share float64, words int) {
	weights := map[string]float64{}
	all := 0.0
	eachTerm(statement, func(term string, _ int) {
		if weights[term] == 0 {
			weights[term] = w.weight(term)
			all += weights[term]
		}
	})
	if all == 0 {
		return 0, 0
	}
	return p.bestWindow(weights) / all, len(weights)
}

// bestWindow is the largest sum of different terms' weights within a window.
func (p *Page) bestWindow(weights map[string]float64) float64 {
	type hit struct {
		at   int32
		term string
	}
	var hits []hit
	for term := range weights {
		for _, at := range p.at[term] {
			hits = append(hits, hit{at, term})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.term, b.term)) })
	within := map[string]int{}
	best, sum, first := 0.0, 0.0, 0
	for _, h := range hits {
		if within[h.term]++; within[h.term] == 1 {
			sum += weights[h.term]
		}
		for ; h.at-hits[first].at >= Window; first++ {
			if within[hits[first].term]--; within[hits[first].term] == 0 {
				sum -= weights[hits[first].term]
			}
		}
		best = max(best, sum)
	}
	return best
}

// maxTerm bounds a term, in letters: what follows is mostly inflection.
const maxTerm = 6

// eachTerm gives the words of a text that tell something, folded and cut to their
// first six letters, each with the number of words before it; of scripts
// without blanks, pairs of letters, two of which count as one word. It returns
// how many words there are.
func eachTerm(s string, yield func(term string, at int)) int {
	var word []rune
	var last rune
	count, wide := 0, 0
	end := func() {
		if len(word) == 0 {
			return
		}
		if len(word) > 1 && !allFunctionWords()[string(word)] {
			yield(string(word[:min(len(word), maxTerm)]), count)
		}
		count++
		word = word[:0]
	}
	for _, r := range norm.NFKC.String(s) {
		if words.Unspaced(r) {
			end()
			if last != 0 {
				yield(string([]rune{last, r}), count)
			}
			last = r
			if wide++; wide%2 == 0 {
				count++
			}
			continue
		}
		last = 0
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			word = append(word, unicode.ToLower(r))
			continue
		}
		end()
	}
	end()
	return count
}

// functionWords are known by the words of their grammar.
func functionWords() map[string]string {
	return map[string]string{
		"en": " the of and to in is that for it as was with on by are this be from at an which or have has not their its but were they these been can will more also ",
		"de": " der die das und in zu den von mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über ",
		"fr": " le la les de des et en un une du est que dans qui par pour au il sur avec ce pas plus ne se son sont aux ou mais cette ",
		"es": " el la los las de que y en un una por con no para su al lo como más pero sus le ha es se del son ",
		"it": " il la le di che e in un una per con non del della sono è da al dei si come più anche nel alla ",
		"pt": " o a os as de que e em um uma para com não por do da dos das se na no mais como mas ao é ",
		"nl": " de het een en van in is dat op te zijn voor met die niet aan er om ook als bij maar door naar ",
	}
}

// allFunctionWords are the words of grammar of all languages known.
var allFunctionWords = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, words := range functionWords() {
		for word := range strings.FieldsSeq(words) {
			all[word] = true
		}
	}
	return all
})

// language tells the language of a text by its script, or by the words of its
// grammar; "" when too few are known.
func language(text string) string {
	text = text[:min(len(text), 64<<10)]
	scripts := map[string]int{}
	letters := 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			scripts["ja"] += 5 // few are enough
		case unicode.Is(unicode.Han, r):
			scripts["zh"]++
		case unicode.Is(unicode.Hangul, r):
			scripts["ko"]++
		case unicode.Is(unicode.Cyrillic, r):
			scripts["cyrillic"]++
		case unicode.Is(unicode.Arabic, r):
			scripts["arabic"]++
		case !unicode.Is(unicode.Latin, r):
			scripts["other"]++
		}
	}
	for _, s := range []string{"ja", "zh", "ko", "cyrillic", "arabic", "other"} {
		if scripts[s]*4 > letters {
			return s
		}
	}
	return latin(text)
}

func latin(text string) string {
	hits := map[string]int{}
	all := functionWords()
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if !allFunctionWords()[word] {
			continue
		}
		for lang, words := range all {
			if strings.Contains(words, " "+word+" ") {
				hits[lang]++
			}
		}
	}
	best, most := "", 4
	for _, lang := range []string{"en", "de", "fr", "es", "it", "pt", "nl"} {
		if hits[lang] > most {
			best, most = lang, hits[lang]
		}
	}
	return best
}
