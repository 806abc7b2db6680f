package librarian

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/words"
)

// lead is a term worth following: a word, a name of code, or two words that
// stand together.
type lead struct {
	name  string
	stems []string
	score float64
}

// maxTerms bounds the terms that are looked up.
const maxTerms = 400

// termWeights are the terms of some sentences and how much speaks for each.
type termWeights struct {
	weight map[string]float64        // by stems
	in     map[string]int            // in how many findings
	names  map[string]map[string]int // as they were written
}

func newTermWeights() termWeights {
	return termWeights{weight: map[string]float64{}, in: map[string]int{}, names: map[string]map[string]int{}}
}

// How much is learnt from, and how much is learnt.
const (
	feedbackPassages = 20
	fieldWords       = 24
	fieldFull        = 6 // so many of the best of them make a passage fit the field in full
)

// learnField looks where all shards answer the question best, and learns what words
// its field has: pseudo relevance feedback, with the weights of divergence from
// randomness (Amati and van Rijsbergen's Bo1, in documents).
func (r *researcher) learnField(ctx context.Context) error {
	q := Query{Any: r.stems(), Limit: breadth}
	if len(q.Any) == 0 {
		return nil
	}
	passages, err := r.lib.Search(ctx, q)
	if err != nil {
		return fmt.Errorf("search the files: %w", err)
	}
	r.feedback = chooseDiverse(r.candidates(passages, lead{}), nil, feedbackPassages, 0)
	r.best = 0
	g := newTermWeights()
	for _, c := range r.feedback {
		counts := map[string]int{}
		for _, s := range c.sentences {
			for st := range s.stems {
				counts[st]++
			}
		}
		g.addPassage(counts, c.score)
	}
	field, err := r.scoreTerms(ctx, g, min(3, len(r.feedback)), func(k string) bool {
		return len([]rune(k)) < 2 || isNumber(k) || dullStems()[k]
	})
	if err != nil {
		return err
	}
	field = field[:min(len(field), fieldWords)]
	full := 0.0
	for _, l := range field[:min(len(field), fieldFull)] {
		full += l.score
	}
	r.rank.field = map[string]float64{}
	for _, l := range field {
		r.rank.field[l.stems[0]] = l.score / full
	}
	return nil
}

// addPassage adds the terms of one passage.
func (g termWeights) addPassage(counts map[string]int, worth float64) {
	for key, n := range counts {
		g.in[key]++
		g.weight[key] += worth * (1 + 0.5*math.Min(float64(n-1), 3))
	}
}

// leads are the terms that the best answers of all shards and the findings have
// in common and that have not been followed.
func (r *researcher) leads(ctx context.Context) ([]lead, error) {
	g := newTermWeights()
	read := func(list []sentence, worth float64) {
		counts := map[string]int{}
		for _, s := range list {
			g.addText(s.text, counts)
		}
		g.addPassage(counts, worth)
	}
	for _, c := range r.feedback {
		read(c.sentences, c.score)
	}
	for _, f := range r.result.Findings {
		read(f.sentences, f.score)
	}
	all, err := r.scoreTerms(ctx, g, min(2, len(r.feedback)), func(string) bool { return false })
	if err != nil {
		return nil, err
	}
	return r.distinctLeads(all, leadsTried), nil
}

// addText takes the terms of a text and counts them.
func (g termWeights) addText(text string, counts map[string]int) {
	previous, end := "", -2
	for _, w := range words.Split(text) {
		if isDullWord(w.Text) {
			previous = ""
			continue
		}
		if words.IsASCII(w.Text) || !words.IsPaired(w.Text) {
			g.countTerm(w.Text, counts)
		}
		if previous != "" && w.Start == end+1 && text[end] == ' ' {
			g.countTerm(previous+" "+w.Text, counts)
		}
		previous, end = w.Text, w.Start+len(w.Text)
	}
}

// isDullWord reports whether a word is never followed.
func isDullWord(w string) bool {
	small := strings.ToLower(w)
	return stopWords()[small] || genericWords()[small] || words.IsASCII(w) && dullStems()[words.Stem(small)] || len(w) < 3 && !words.IsPaired(w) || isNumber(w) || strings.HasSuffix(small, "ly")
}

func isNumber(w string) bool { return strings.Trim(w, "0123456789_xX") == "" }

func (g termWeights) countTerm(name string, counts map[string]int) {
	stems := termStems(name)
	if len(stems) == 0 {
		return
	}
	key := strings.Join(stems, " ")
	counts[key]++
	if g.names[key] == nil {
		g.names[key] = map[string]int{}
	}
	g.names[key][name]++
}

// termStems are what a term is searched by: a name of code by its whole.
func termStems(name string) []string {
	var out []string
	for _, w := range strings.Fields(name) {
		if stems := words.StemsOf(w); len(stems) > 0 {
			out = append(out, stems[0])
		}
	}
	return out
}

// scoreTerms weighs the terms gathered, the best first: by how much more often they
// stand in what answers than in all passages. Terms of the question, and those
// left says, are left out.
func (r *researcher) scoreTerms(ctx context.Context, g termWeights, fewest int, left func(string) bool) ([]lead, error) {
	asked := map[string]bool{}
	for _, s := range r.stems() {
		asked[s] = true
	}
	keys := slices.DeleteFunc(g.topTerms(fewest), func(k string) bool { return left(k) || hasAll(asked, strings.Fields(k)) })
	var stems []string
	for _, k := range keys {
		stems = append(stems, strings.Fields(k)...)
	}
	found, err := r.lib.Frequencies(ctx, stems)
	if err != nil {
		return nil, fmt.Errorf("look up terms to follow: %w", err)
	}
	of := float64(len(r.feedback) + len(r.result.Findings))
	var out []lead
	for _, k := range keys {
		parts := strings.Fields(k)
		l := lead{name: g.usualSpelling(k), stems: parts, score: g.weight[k] * surprise(float64(g.in[k])/of, parts, found, r.result.Stats.Total(All))}
		if len(parts) > 1 && g.in[k] > 2 {
			l.score *= 2.5 // two words together are a thing, one is often only a manner of speaking
		} else if !words.IsCodeName(l.name) {
			l.score *= 0.8
		}
		if l.score > 0 {
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b lead) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		return strings.Compare(a.name+a.stems[0], b.name+b.stems[0])
	})
	return out, nil
}

// topTerms are the terms that most speaks for, in an order that is always the same.
func (g termWeights) topTerms(fewest int) []string {
	keys := slices.Sorted(maps.Keys(g.weight))
	keys = slices.DeleteFunc(keys, func(k string) bool { return g.in[k] < fewest })
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(g.weight[b], g.weight[a]) })
	return keys[:min(len(keys), maxTerms)]
}

// RecurringTerm is a term that several findings share.
type RecurringTerm struct {
	Name string
	In   int // findings
}

// RecurringTerms are the terms that findings share, those first that most speaks
// for.
func RecurringTerms(findings []Finding) []RecurringTerm {
	g := newTermWeights()
	for _, f := range findings {
		counts := map[string]int{}
		for _, s := range f.sentences {
			g.addText(s.text, counts)
		}
		g.addPassage(counts, 1)
	}
	var out []RecurringTerm
	for _, k := range g.topTerms(2) {
		out = append(out, RecurringTerm{g.usualSpelling(k), g.in[k]})
	}
	return out
}

// usualSpelling is how a term is written most often.
func (g termWeights) usualSpelling(key string) string {
	best := ""
	for _, n := range slices.Sorted(maps.Keys(g.names[key])) {
		if best == "" || g.names[key][n] > g.names[key][best] {
			best = n
		}
	}
	return best
}

// surprise is how much more often a term stands in what answers (the share
// given) than in all passages: the logarithm of the ratio, the mean of its
// words; 0 where one of them stands nowhere or the ratio is small.
func surprise(share float64, stems []string, found map[string]int, total int) float64 {
	sum := 0.0
	for _, s := range stems {
		if found[s] == 0 {
			return 0
		}
		sum += math.Log2(math.Max(1, share*float64(total)/float64(found[s])))
	}
	mean := sum / float64(len(stems))
	if mean < 1 {
		return 0
	}
	return mean
}

// distinctLeads takes the first n leads that share no word with one another or with
// what has been followed, the question's own words aside.
func (r *researcher) distinctLeads(all []lead, n int) []lead {
	used := maps.Clone(r.followed)
	asked := r.stems()
	var out []lead
	for _, l := range all {
		if len(out) == n {
			break
		}
		fresh := !slices.ContainsFunc(l.stems, func(s string) bool { return used[s] && !slices.Contains(asked, s) })
		if !fresh {
			continue
		}
		out = append(out, l)
		for _, s := range l.stems {
			used[s] = true
		}
	}
	return out
}

// maxNames bounds the names of code that are looked up.
const maxNames = 12

// findUndefined finds out what the findings leave open: terms of the question that
// none of them meets, and names of code they speak of that nothing declares.
func (r *researcher) findUndefined(ctx context.Context) error {
	stems := map[string]bool{}
	heads := map[string]bool{}
	counts := map[string]int{}
	for _, f := range r.result.Findings {
		maps.Copy(stems, f.stems)
		for _, s := range words.Stems(f.Head) {
			heads[s] = true
		}
		for _, w := range words.Split(f.Said) {
			if f.Prose && words.IsCodeName(w.Text) && len(w.Text) > 3 && (w.Text[0] < '0' || w.Text[0] > '9') {
				counts[w.Text]++
			}
		}
	}
	r.result.Unmet = nil
	for _, c := range r.rank.concepts {
		if !slices.ContainsFunc(c.stems, func(s string) bool { return stems[s] }) {
			r.result.Unmet = append(r.result.Unmet, c.name)
		}
	}
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	var err error
	r.result.Undefined, err = r.undeclaredNames(ctx, names[:min(len(names), maxNames)], heads)
	return err
}

// undeclaredNames are the names that stand in no heading and no declaration.
func (r *researcher) undeclaredNames(ctx context.Context, names []string, heads map[string]bool) ([]string, error) {
	var out []string
	for _, name := range names {
		stem := termStems(name)
		if len(stem) == 0 || heads[stem[0]] {
			continue
		}
		found, err := r.lib.Search(ctx, Query{Must: stem, Limit: 20})
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", name, err)
		}
		declares := func(p Passage) bool { return slices.Contains(words.Stems(p.Head), stem[0]) || defines(p, name) }
		if !slices.ContainsFunc(found, declares) {
			out = append(out, name)
		}
	}
	return out, nil
}

// defines reports whether a line of code begins with a name, as in a block of
// declarations.
func defines(p Passage, name string) bool {
	for i, line := range strings.Split(p.Text, "\n") {
		line = strings.TrimSpace(line)
		if p.Kinds[min(i, len(p.Kinds)-1)] != codeLine {
			continue
		}
		for _, word := range []string{"", "func ", "type ", "var ", "const ", "def ", "class ", "fn ", "let ", "static "} {
			rest, ok := strings.CutPrefix(line, word+name)
			if ok && (rest == "" || strings.ContainsAny(rest[:1], " (=:,;{<")) {
				return true
			}
		}
	}
	return false
}

// StemSet are the stems of a text.
func StemSet(text string) map[string]bool {
	m := map[string]bool{}
	for _, st := range words.Stems(text) {
		m[st] = true
	}
	return m
}
