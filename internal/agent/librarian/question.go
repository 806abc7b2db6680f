package librarian

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/words"
)

// Bounds of a question: what is beyond them adds nothing to a search.
const (
	maxTopic    = 64 << 10 // bytes of the topic that are read
	maxQuoted   = 50       // phrases in quotation marks
	maxAsked    = 200      // different words that are looked up
	maxConcepts = 16       // of these, how many are searched for
)

// concept is one thing a question asks about.
type concept struct {
	name   string   // as the question has it
	stems  []string // together they meet it
	short  string   // their abbreviation meets it as well; "" for none
	weight float64  // how much it tells apart
	phrase bool     // it stood in quotation marks
	starts []int    // where it stands in the question, among its words
}

// askedFor is how much a question is about a concept: little about the words by
// which anything is asked for, such as "decide", "begin" or "differ".
func (c concept) askedFor() float64 {
	if askingStems()[c.stems[0]] && !c.phrase {
		return 0.35
	}
	return 1
}

// coverage is how far stems meet a concept, from 0 to 1: one word of a compound is
// little.
func (c concept) coverage(has func(string) bool) float64 {
	if c.short != "" && has(c.short) {
		return 1
	}
	n := 0
	for _, s := range c.stems {
		if has(s) {
			n++
		}
	}
	switch {
	case n == len(c.stems):
		return 1
	case len(c.stems) == 0:
		return 0
	}
	return 0.4 * float64(n) / float64(len(c.stems))
}

// all are the stems to search for.
func (c concept) all() []string {
	if c.short == "" {
		return c.stems
	}
	return append([]string{c.short}, c.stems...)
}

// concepts are the words a question is about, in its own order, each once. A
// question of nothing but stop words is about these.
func concepts(topic string) []concept {
	topic = strings.ToValidUTF8(topic[:min(len(topic), maxTopic)], " ")
	quoted := quotedBytes(topic)
	all := words.Split(topic)
	out := conceptsAmong(all, quoted, func(w string) bool { return !isStopWord(w) })
	if len(out) == 0 {
		out = conceptsAmong(all, quoted, func(string) bool { return true })
	}
	return out
}

// termRunes bounds a term or heading that is shown.
const termRunes = 80

// Terms are the words a question is about, in its own order, for people; no more
// than n.
func Terms(topic string, n int) []string {
	var out []string
	for _, c := range concepts(topic) {
		if name := plain.Line(c.name, termRunes); name != "" && !slices.Contains(out, name) && len(out) < n {
			out = append(out, name)
		}
	}
	return out
}

// SearchWords are the words of a question to type into a search box, n at most: those it
// is about, in its own order.
func SearchWords(question string, n int) string { return strings.Join(Terms(question, n), " ") }

// UnmetTerms are the words a question is about that stems do not meet in any
// part.
func UnmetTerms(topic string, stems map[string]bool) []string {
	var out []string
	for _, c := range concepts(topic) {
		if c.coverage(func(s string) bool { return stems[s] }) == 0 {
			out = append(out, plain.Line(c.name, termRunes))
		}
	}
	return out
}

// conceptsAmong are the concepts of those words that are kept, or stand in
// quotation marks.
func conceptsAmong(all []words.Word, quoted func(int) bool, keep func(string) bool) []concept {
	var out []concept
	known := map[string]int{}
	for n, w := range all {
		phrase := quoted(w.Start)
		if !phrase && !keep(w.Text) {
			continue
		}
		for _, c := range conceptsOf(w.Text) {
			if i, ok := known[c.stems[0]]; ok {
				out[i].weight++ // asked for more than once
				out[i].starts = append(out[i].starts, n)
				continue
			}
			if len(out) == maxAsked {
				return out
			}
			known[c.stems[0]] = len(out)
			c.phrase, c.starts = phrase, []int{n}
			out = append(out, c)
		}
	}
	return out
}

// conceptsOf is the concept of a word. A name of code is met by its parts too,
// a run of letters without blanks is as many concepts as it has pairs.
func conceptsOf(w string) []concept {
	stems := words.StemsOf(w)
	if len(stems) == 0 || emptyPairs()[stems[0]] && len(stems) == 1 {
		return nil
	}
	if !words.IsASCII(w) && len(stems) > 1 {
		var out []concept
		for _, s := range stems {
			if !emptyPairs()[s] {
				out = append(out, concept{name: s, stems: []string{s}, weight: 1})
			}
		}
		return out
	}
	if len(stems) == 1 && len(w) == 1 {
		return nil
	}
	return []concept{{name: strings.Trim(w, "_"), stems: slices.Compact(stems[:1:1]), weight: 1}}
}

// quotedBytes tells which bytes of the topic stand in quotation marks.
func quotedBytes(topic string) func(int) bool {
	var spans [][2]int
	for _, pair := range []string{`""`, "“”", "„“", "«»", "「」", "``"} {
		runes := []rune(pair)
		for at := 0; len(spans) < maxQuoted; {
			i := strings.IndexRune(topic[at:], runes[0])
			if i < 0 {
				break
			}
			open := at + i + len(string(runes[0]))
			j := strings.IndexRune(topic[open:], runes[1])
			if j < 0 {
				break
			}
			if j < 200 {
				spans = append(spans, [2]int{open, open + j})
			}
			at = open + j + len(string(runes[1]))
		}
	}
	return func(at int) bool {
		return slices.ContainsFunc(spans, func(s [2]int) bool { return s[0] <= at && at < s[1] })
	}
}

// weighConcepts gives each concept the weight its rarity in the library gives it (the
// inverse document frequency of Robertson and Spärck Jones, smoothed), keeps
// those that tell most, and names those that are nowhere.
func weighConcepts(ctx context.Context, lib Library, all []concept) (known []concept, missing []string, err error) {
	var stems []string
	for _, c := range all {
		stems = append(stems, c.stems...)
	}
	for i := range all {
		for _, p := range adjacentConcepts(all, i) {
			stems = append(stems, p.short)
		}
	}
	found, err := lib.Frequencies(ctx, stems)
	if err != nil {
		return nil, nil, err
	}
	total := lib.Stats().Total(All)
	for _, c := range all {
		if found[c.stems[0]] == 0 {
			if c.phrase || !askingStems()[c.stems[0]] { // nobody misses a verb that only asks
				missing = append(missing, c.name)
			}
			continue
		}
		boost := 1 + 0.25*math.Min(c.weight-1, 4)
		if c.phrase {
			boost *= 1.5
		}
		c.weight = c.askedFor() * boost * inverseFrequency(total, found[c.stems[0]])
		known = append(known, c)
	}
	known = joinAbbreviated(known, found)
	slices.SortStableFunc(known, func(a, b concept) int { return cmp.Compare(b.weight, a.weight) })
	return known[:min(len(known), maxConcepts)], missing, nil
}

// pair is a concept and one that follows it in the question.
type pair struct {
	second int
	short  string
}

// adjacentConcepts are the concepts right behind one in the question, each with the
// initials of both.
func adjacentConcepts(all []concept, first int) []pair {
	var out []pair
	a := all[first]
	for i, b := range all {
		if i == first || !words.IsASCII(a.name+b.name) || len(a.starts) == 0 {
			continue
		}
		if slices.ContainsFunc(b.starts, func(at int) bool { return slices.Contains(a.starts, at-1) }) {
			out = append(out, pair{i, strings.ToLower(a.name[:1] + b.name[:1])})
		}
	}
	return out
}

// joinAbbreviated makes one concept of two words for which the files have an
// abbreviation: they ask for one thing, and GC means it as well as garbage
// collector. An abbreviation counts where it is at least as common as the
// words.
func joinAbbreviated(known []concept, found map[string]int) []concept {
	for i := range known {
		for _, p := range adjacentConcepts(known, i) {
			a, b := known[i], known[p.second]
			if n := found[p.short]; n == 0 || n < found[a.stems[0]] || n < found[b.stems[0]] {
				continue
			}
			known[i] = concept{
				name: a.name + " " + b.name, stems: []string{a.stems[0], b.stems[0]}, short: p.short,
				weight: math.Max(a.weight, b.weight), phrase: a.phrase || b.phrase,
			}
			return joinAbbreviated(slices.Delete(known, p.second, p.second+1), found)
		}
	}
	return known
}

// inverseFrequency is how much a word tells that stands in so many of all passages.
func inverseFrequency(total, found int) float64 {
	return math.Log(1 + (float64(total-found)+0.5)/(float64(found)+0.5))
}
