package quote

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/spelling"
)

// What near and silently elided passages may differ in.
const (
	maxErrors  = 2  // words misspelt or left out
	maxWindows = 6  // places looked at
	margin     = 32 // letters by which a window is wider than the quotation
)

// findNear looks for a passage with the same words but for a few misspelt or left
// out.
func (s *search) findNear(q *query) (Match, bool) {
	var best Match
	for _, w := range s.candidateWindows(q) {
		m, ok := s.alignWindow(q, w)
		if ok && (best.Tier == "" || rank(m.Tier) < rank(best.Tier)) {
			best = m
		}
		if best.Tier == Near {
			break
		}
	}
	return best, best.Tier != ""
}

// candidateWindows gives the spans of the text that share most pieces with the
// quotation at like distances, best first.
func (s *search) candidateWindows(q *query) []Span {
	letters := q.stream.letters
	if len(letters) < gramLength+gramStep {
		return nil
	}
	shifts := s.candidateShifts(letters)
	type cluster struct{ votes, first, last int }
	var clusters []cluster
	for i, j := 0, 0; i < len(shifts); i++ {
		for shifts[i]-shifts[j] > margin {
			j++
		}
		c := cluster{i - j + 1, shifts[j], shifts[i]}
		if n := len(clusters); n > 0 && clusters[n-1].last >= c.first-margin {
			if c.votes > clusters[n-1].votes {
				clusters[n-1] = c
			}
			continue
		}
		clusters = append(clusters, c)
	}
	slices.SortStableFunc(clusters, func(a, b cluster) int { return cmp.Compare(b.votes, a.votes) })
	var spans []Span
	for _, c := range clusters[:min(maxWindows, len(clusters))] {
		if 3*c.votes < clusters[0].votes {
			break
		}
		if span, ok := s.windowSpan(c.first-margin, c.last+len(letters)+margin); ok {
			spans = append(spans, span)
		}
	}
	return spans
}

// candidateShifts gives by how much pieces of the quotation would have to be shifted to
// stand where the text has them, ascending.
func (s *search) candidateShifts(letters string) []int {
	const mostPieces, mostPlaces = 4096, 64
	g := s.gramIndex()
	var found []int
	for i, stride := 0, 1+len(letters)/mostPieces; i+gramLength <= len(letters); i += stride {
		places := g.lookUp(letters, i)
		if len(places) > mostPlaces {
			continue
		}
		for _, p := range places {
			if s.stream.letters[p:p+gramLength] == letters[i:i+gramLength] {
				found = append(found, int(p)-i)
			}
		}
	}
	slices.Sort(found)
	return found
}

// windowSpan is the text's span of a span of the stream, widened to whole words,
// within the search's bounds.
func (s *search) windowSpan(from, to int) (Span, bool) {
	const mostWord = 64
	from, to = max(0, from), min(len(s.stream.letters), to)
	for i := 0; i < mostWord && from > 0 && !s.stream.begins.has(from); i++ {
		from--
	}
	for i := 0; i < mostWord && to < len(s.stream.letters) && !s.stream.begins.has(to); i++ {
		to++
	}
	for to < len(s.stream.at) && s.stream.at[to-1] == s.stream.at[to] {
		to++
	}
	if from >= to {
		return Span{}, false
	}
	span := Span{max(s.from, int(s.stream.at[from])), min(s.to, s.pieceEnd(int(s.stream.at[to-1])))}
	return span, span.Start < span.End
}

// alignWindow lays the quotation's words along those of a window and judges what
// does not agree.
func (s *search) alignWindow(q *query, w Span) (Match, bool) {
	f := normalisePart(s.text[w.Start:w.End], false)
	a := alignment{search: s, q: q, passage: f.text, quotationWords: q.tokens, passageWords: tokens(f.text)}
	if !a.alignWords() {
		return Match{}, false
	}
	from, to := f.span(a.passageWords[a.first].start, a.passageWords[a.last].end)
	from, to = s.includeQuotedMarks(q, from+w.Start, to+w.Start)
	ok := a.isTolerable()
	if f = normalisePart(s.text[from:to], false); len(q.tokens) < ShortQuotation {
		ok = false
	}
	findings := guard.Compare(guard.Words(a.corrected()), guard.Words(f.text))
	if other, differ := joinsOtherwise(q.normalised, f.text); differ && len(a.dropped) == 0 {
		findings = append(findings, other)
	}
	if other, differ := otherGreek(q.normalised, f.text); differ {
		findings = append(findings, other)
	}
	if !ok || len(findings) > 0 {
		if a.cost*3 <= len(q.tokens)+2 {
			s.recordRefused(from, to, 1+a.cost, findings)
		}
		return Match{}, false
	}
	m := Match{Tier: Near, Start: from, End: to}
	for _, p := range a.misspelt {
		m.Misspelt = append(m.Misspelt, Misspelling{Quoted: q.normalised[q.tokens[p.our].start:q.tokens[p.our].end], Source: a.surface(p.their)})
	}
	if isSameButFirstLetter(q.normalised, f.text) {
		m.Tier = Normalised
	}
	if len(a.dropped) > 0 {
		m.Tier = Elided
		m.Segments = a.segments(w, m)
		m.Findings = a.omitted()
	}
	return s.acceptMatch(m, a.cost)
}

// inOtherCase are the words that a quotation has in other cases than a passage with the
// same letters; none where their words are parted otherwise.
func inOtherCase(quoted, passage string) []Misspelling {
	ours, theirs := tokens(quoted), tokens(passage)
	if len(ours) != len(theirs) {
		return nil
	}
	var list []Misspelling
	for i, our := range ours {
		m := Misspelling{Quoted: quoted[our.start:our.end], Source: passage[theirs[i].start:theirs[i].end]}
		if m.Quoted != m.Source {
			list = append(list, m)
		}
	}
	return list
}

// isSameButFirstLetter reports whether a quotation is a passage, or that with another case
// of its first letter, which brackets may mark: [T]he.
func isSameButFirstLetter(quoted, passage string) bool {
	first, size := utf8.DecodeRuneInString(quoted)
	if first == '[' {
		letter, behind, marked := strings.Cut(quoted[1:], "]")
		if first, size = utf8.DecodeRuneInString(letter); !marked || size != len(letter) {
			return false
		}
		quoted = letter + behind
	}
	other, length := utf8.DecodeRuneInString(passage)
	return unicode.IsLetter(first) && unicode.ToLower(first) == unicode.ToLower(other) && quoted[size:] == passage[length:]
}

// alignment is how the words of a quotation lie along those of a passage.
type alignment struct {
	*search
	q                            *query
	passage                      string // folded
	quotationWords, passageWords []token
	steps                        []alignmentStep // from the first word to the last
	first, last                  int             // of theirs
	cost                         int
	misspelt                     []pair
	dropped                      []int // of theirs
}

// pair is a word of the quotation and the one it stands for.
type pair struct{ our, their int }

// alignmentStep is one step along both: which words it takes, -1 for none.
type alignmentStep struct {
	our, their int
	same       bool
}

// The ways to come to a place.
const (
	stepBoth = iota
	stepQuotation
	stepPassage
)

// alignWords finds the cheapest way to lay all words of the quotation along some of
// the passage's, which may begin and end anywhere: a word that differs, is
// missing or too many costs one (Sellers 1980). Only places near the diagonal
// are looked at: a window is hardly longer than its quotation.
func (a *alignment) alignWords() bool {
	n, m := len(a.quotationWords), len(a.passageWords)
	if n == 0 || m == 0 || n > 1<<14 {
		return false
	}
	const slack = 8
	low, high := -slack, max(0, m-n)+slack
	width := high - low + 1
	if width > 1<<10 {
		return false
	}
	same := a.wordComparer()
	const far = 1 << 28
	cost := make([]int32, width+1)
	before := make([]int32, width+1)
	ways := make([]byte, (n+1)*width)
	for i := range n + 1 {
		for k := range width {
			j := i + low + k
			cost[k] = far
			if j < 0 || j > m {
				continue
			}
			if i == 0 {
				cost[k] = 0
				continue
			}
			way := byte(stepQuotation)
			if k+1 < width {
				cost[k] = before[k+1] + 1
			}
			if j > 0 {
				c := before[k]
				if !same(i-1, j-1) {
					c++
				}
				if c <= cost[k] {
					cost[k], way = c, stepBoth
				}
				if k > 0 && cost[k-1]+1 < cost[k] {
					cost[k], way = cost[k-1]+1, stepPassage
				}
			}
			ways[i*width+k] = way
		}
		cost, before = before, cost
	}
	best := 0
	for k := range width {
		if before[k] < before[best] || before[k] == before[best] && ways[n*width+k] == stepBoth && ways[n*width+best] != stepBoth {
			best = k
		}
	}
	a.cost = int(before[best])
	return a.cost < n && a.traceBack(ways, width, low, best, same)
}

// wordComparer makes words comparable by numbers.
func (a *alignment) wordComparer() func(i, j int) bool {
	number := make(map[string]int32, len(a.quotationWords))
	ours, theirs := make([]int32, len(a.quotationWords)), make([]int32, len(a.passageWords))
	for i, w := range a.quotationWords {
		if number[w.low] == 0 {
			number[w.low] = int32(len(number) + 1)
		}
		ours[i] = number[w.low]
	}
	for j, w := range a.passageWords {
		theirs[j] = number[w.low]
	}
	return func(i, j int) bool { return ours[i] == theirs[j] }
}

// traceBack goes back the cheapest way.
func (a *alignment) traceBack(ways []byte, width, low, k int, same func(i, j int) bool) bool {
	i := len(a.quotationWords)
	for i > 0 {
		j := i + low + k
		switch ways[i*width+k] {
		case stepBoth:
			i, j = i-1, j-1
			a.steps = append(a.steps, alignmentStep{i, j, same(i, j)})
		case stepQuotation:
			i, k = i-1, k+1
			a.steps = append(a.steps, alignmentStep{i, -1, false})
		case stepPassage:
			k--
			a.steps = append(a.steps, alignmentStep{-1, j - 1, false})
		}
	}
	slices.Reverse(a.steps)
	a.first, a.last = -1, -1
	for _, st := range a.steps {
		if st.their >= 0 && a.first < 0 {
			a.first = st.their
		}
		a.last = max(a.last, st.their)
	}
	return a.first >= 0
}

// isTolerable says whether what differs are misspellings and words left out, few
// enough.
func (a *alignment) isTolerable() bool {
	if a.cost > 2*maxErrors {
		return false
	}
	for i := 0; i < len(a.steps); {
		if a.steps[i].same {
			i++
			continue
		}
		end := i
		for end < len(a.steps) && !a.steps[end].same {
			end++
		}
		if !a.acceptRegion(a.steps[i:end]) {
			return false
		}
		i = end
	}
	for _, d := range a.dropped {
		if r, _ := utf8.DecodeRuneInString(a.passageWords[d].low); words.Unspaced(r) {
			return false // half a word
		}
	}
	return len(a.misspelt)+len(a.dropped) <= maxErrors
}

// acceptRegion judges neighbouring words none of which agree.
func (a *alignment) acceptRegion(steps []alignmentStep) bool {
	var ours, theirs []int
	for _, st := range steps {
		if st.our >= 0 {
			ours = append(ours, st.our)
		}
		if st.their >= 0 {
			theirs = append(theirs, st.their)
		}
	}
	if joined := func(list []token, at []int) (s string) {
		for _, i := range at {
			s += list[i].low
		}
		return s
	}; joined(a.quotationWords, ours) == joined(a.passageWords, theirs) {
		return true // only blanks differ
	}
	for len(ours) > 0 && len(theirs) > 0 {
		switch {
		case a.typo(ours[0], theirs[0]):
			a.misspelt = append(a.misspelt, pair{ours[0], theirs[0]})
			ours = ours[1:]
		case len(theirs) > len(ours):
			a.dropped = append(a.dropped, theirs[0])
		default:
			return false
		}
		theirs = theirs[1:]
	}
	a.dropped = append(a.dropped, theirs...)
	return len(ours) == 0
}

// corrected is the quotation with the words it misspells set right.
func (a *alignment) corrected() string {
	var out strings.Builder
	at := 0
	set := a.misspelt
	if len(a.steps) > 0 && a.steps[0].same { // the first may be a name that begins a sentence now
		set = append([]pair{{a.steps[0].our, a.steps[0].their}}, set...)
	}
	for _, p := range set {
		our, their := a.quotationWords[p.our], a.passageWords[p.their]
		out.WriteString(a.q.normalised[at:our.start])
		out.WriteString(a.passage[their.start:their.end])
		at = our.end
	}
	out.WriteString(a.q.normalised[at:])
	return out.String()
}

// omitted tells which words the quotation leaves out without an ellipsis.
func (a *alignment) omitted() []guard.Finding {
	var list []guard.Finding
	for i := 0; i < len(a.dropped); {
		end := i + 1
		for end < len(a.dropped) && a.dropped[end] == a.dropped[end-1]+1 {
			end++
		}
		said := a.passage[a.passageWords[a.dropped[i]].start:a.passageWords[a.dropped[end-1]].end]
		list = append(list, guard.Finding{Kind: guard.Omitted, Text: said})
		i = end
	}
	return list
}

// segments gives the parts of a passage between the words left out.
func (a *alignment) segments(w Span, m Match) []Span {
	f := normalisePart(a.text[w.Start:w.End], false)
	var list []Span
	start := m.Start
	for i, d := range a.dropped {
		from, to := f.span(a.passageWords[d].start, a.passageWords[d].end)
		if end := len(strings.TrimRightFunc(a.text[:from+w.Start], unicode.IsSpace)); end > start {
			list = append(list, Span{start, end})
		}
		start = to + w.Start
		if i+1 == len(a.dropped) || a.dropped[i+1] != d+1 {
			rest := a.text[start:m.End]
			start += len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
		}
	}
	return append(list, Span{start, m.End})
}

// typo reports whether a word of the quotation is a misspelling of a word of
// the passage. A misspelling is no word itself, neither of the text nor, in
// English, of the language: that would be another word. A number is never one,
// and a deciding word only when it can be meant alone. Names are never
// misspelt: Johnson is not Jonson.
func (a *alignment) typo(our, their int) bool {
	q, w := a.quotationWords[our].low, a.passageWords[their].low
	if !spelling.Misspells(q, w) || a.hasWord(q) || spelling.IsEnglish(q) && a.english() {
		return false
	}
	if guard.IsUnitSymbol(a.surface(their)) {
		return false
	}
	ours, theirs := guard.Words(q), guard.Words(w)
	decides := len(ours) > 0 && ours[0].Norm != "un-" // which any misspelling can begin with
	if len(theirs) > 0 && theirs[0].Kind != guard.Name {
		return guard.Misspells(q, w) || decides && len(guard.Compare(ours, theirs)) == 0
	}
	if decides {
		return false
	}
	surface := a.surface(their)
	first, _ := utf8.DecodeRuneInString(surface)
	return !unicode.IsUpper(first) || !a.isName(their, surface)
}

// surface is a word of the passage as it stands there.
func (a *alignment) surface(their int) string {
	return a.passage[a.passageWords[their].start:a.passageWords[their].end]
}

// english reports whether a quotation is in English: more than half of its
// words are.
func (a *alignment) english() bool {
	n := 0
	for _, w := range a.quotationWords {
		if spelling.IsEnglish(w.low) {
			n++
		}
	}
	return 2*n > len(a.quotationWords)
}

// findHeading looks for a quotation without numbers as a line in capitals, or, of two words, as the
// whole of one or of what a stroke parts it into.
func findHeading(s *search, quoted string) (Match, bool) {
	const most, some, fewest = 160, 3, 2 // bytes, words
	capitals := strings.ToUpper(quoted)
	n := len(strings.Fields(quoted))
	if len(quoted) > most || n < fewest || capitals == quoted || strings.ContainsFunc(quoted, unicode.IsDigit) {
		return Match{}, false
	}
	m, ok := s.find(capitals)
	if !ok || m.Tier == Elided {
		return Match{}, false
	}
	start, _ := char.LineAround(s.text, m.Start)
	_, end := char.LineAround(s.text, m.End)
	m.Tier = Near
	before := strings.TrimLeftFunc(s.text[start:m.Start], func(r rune) bool { return !unicode.IsLetter(r) && r != '/' })
	behind := strings.TrimSpace(s.text[m.End:end])
	isAll := (before == "" || strings.HasSuffix(before, " / ") || before == "/ ") && (behind == "" || strings.HasPrefix(behind, "/ "))
	return m, (n >= some || isAll) && !strings.ContainsFunc(s.text[start:end], unicode.IsLower)
}

// labelled is a title as it may be typed: "Table 2: Outcomes". Its label has other marks behind it in
// the text, or none.
var labelled = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\p{Lu}\p{Ll}+\.? \d{1,3}(?:\.\d{1,3})*) ?(?:[:.|]|[–—-]) ?(\p{Lu}.{3,120})$`)
})

// findLabelled looks for the title of a table, a figure or the like, on a line of its own, that is
// typed with another mark behind its number.
func findLabelled(s *search, quoted string) (Match, bool) {
	parts := labelled().FindStringSubmatch(strings.TrimSpace(quoted))
	if parts == nil {
		return Match{}, false
	}
	for _, mark := range [...]string{" ", ": ", ". ", " – "} {
		m, ok := s.find(parts[1] + mark + parts[2])
		if !ok || m.Tier != Exact && m.Tier != Normalised {
			continue
		}
		start, _ := char.LineAround(s.text, m.Start)
		_, end := char.LineAround(s.text, m.End)
		if !strings.ContainsFunc(s.text[start:m.Start], char.IsOfWord) && !strings.ContainsFunc(s.text[m.End:end], char.IsOfWord) {
			m.Tier = Normalised
			return m, true
		}
	}
	return Match{}, false
}
