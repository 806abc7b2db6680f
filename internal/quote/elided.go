package quote

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"research-council/internal/guard"
)

const (
	leastSegment = 3       // words of each part of an elided quotation
	mostGap      = 4 << 10 // bytes an ellipsis may leave out
	mostSegments = 16
	mostPlaces   = 64 // of one part
)

// ellipses are the marks for words left out, longer ones first.
var ellipses = []string{"[…]", "[...]", "[. . .]", "(…)", "(...)", "[ … ]", "[ ... ]", ". . .", "....", "...", "……", "…", "⋯"}

// trimEllipses takes ellipses off both ends.
func trimEllipses(s string) string {
	for again := true; again; {
		again = false
		for _, e := range ellipses {
			before := s
			s = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(s, e), e))
			again = again || s != before
		}
	}
	return s
}

// parts splits a quotation at its ellipses.
func parts(quoted string) []string {
	list := []string{quoted}
	for _, e := range ellipses {
		var finer []string
		for _, part := range list {
			for finest := range strings.SplitSeq(part, e) {
				finer = append(finer, strings.TrimSpace(finest))
			}
		}
		list = finer
	}
	return slices.DeleteFunc(list, func(part string) bool { return part == "" })
}

// elided looks for the parts of a quotation that marks what it leaves out, in
// order and not too far apart.
func (s *search) elided(q *query) (Match, bool) {
	list := parts(q.raw)
	if len(list) < 2 || len(list) > mostSegments || len(q.tokens) < Short {
		return Match{}, false
	}
	places := make([][]Span, len(list))
	for i, part := range list {
		p := newQuery(part)
		if p == nil || len(p.tokens) < leastSegment {
			return Match{}, false
		}
		if places[i] = s.places(p, i == 0, i == len(list)-1); len(places[i]) == 0 {
			return Match{}, false
		}
	}
	chain := tightest(places)
	if chain == nil {
		return Match{}, false
	}
	m := Match{Tier: Elided, Start: chain[0].Start, End: chain[len(chain)-1].End, Segments: chain}
	for i := range chain[1:] {
		m.Findings = append(m.Findings, hidden(s.text, chain[i].End, chain[i+1].Start)...)
	}
	return m, true
}

// places gives where a part of a quotation stands, ascending. Qualifiers cut
// off count at the quotation's own ends; at an ellipsis they are flagged
// instead.
func (s *search) places(q *query, first, last bool) []Span {
	var list []Span
	for at := range s.same(q.stream.letters) {
		start, end, ok := s.pieces(at, at+len(q.stream.letters))
		if !ok || start < s.from || end > s.to {
			continue
		}
		m, ok := s.exact(q, start)
		if !ok {
			m, ok = s.normalised(q, start, end)
		}
		if !ok || !whole(s.text, m.Start, m.End) {
			continue
		}
		if first && len(cutLeft(s.text, m.Start, m.End)) > 0 || last && len(cutRight(s.text, m.Start, m.End)) > 0 {
			continue
		}
		if list = append(list, Span{m.Start, m.End}); len(list) == mostPlaces {
			break
		}
	}
	if len(list) == 0 && len(q.tokens) >= Short {
		if m, ok := s.letters(q); ok {
			list = append(list, Span{m.Start, m.End})
		} else if m, ok := s.near(q); ok && m.Tier == Near {
			list = append(list, Span{m.Start, m.End})
		}
	}
	slices.SortFunc(list, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	return list
}

// tightest gives the shortest run of places, one of each part, in order; nil
// for none.
func tightest(places [][]Span) []Span {
	var best []Span
	for _, first := range places[0] {
		chain := []Span{first}
		for _, next := range places[1:] {
			end := chain[len(chain)-1].End
			i := slices.IndexFunc(next, func(p Span) bool { return p.Start >= end })
			if i < 0 || next[i].Start-end > mostGap {
				break
			}
			chain = append(chain, next[i])
		}
		if len(chain) == len(places) && (best == nil || chain[len(chain)-1].End-chain[0].Start < best[len(best)-1].End-best[0].Start) {
			best = chain
		}
	}
	return best
}

// hidden gives the words that an ellipsis leaves out of the sentences it
// begins and ends in and that change what these say.
func hidden(text string, from, to int) []guard.Finding {
	gap := text[from:to]
	inside := gap
	if first, last := sentenceEnd(gap), lastSentence(gap); first >= 0 {
		inside = gap[:first] + " . " + gap[last:]
	}
	if ended(text[:from]) && sentenceEnd(gap) >= 0 {
		inside = gap[lastSentence(gap):]
	}
	var found []guard.Finding
	for _, w := range guard.Words(inside) {
		f := guard.Finding{Kind: guard.Gap, Text: w.Text}
		if qualifies(w) && !slices.Contains(found, f) && len(found) < 8 {
			found = append(found, f)
		}
	}
	return found
}

// qualifies reports whether leaving a word out can change what remains.
func qualifies(w guard.Word) bool {
	switch w.Kind {
	case guard.Negation, guard.Hedge, guard.Quantifier:
		return true
	case guard.Comparator:
		switch w.Norm {
		case "between", "during", "within", "before", "after", "north", "south", "east", "west":
			return false
		}
		return true
	}
	return false
}

// sentenceEnd is where the first sentence of a text ends, -1 when it does not.
func sentenceEnd(s string) int {
	for i, r := range s {
		if stops(r) && (r >= 0x3000 || ends(s[i+utf8.RuneLen(r):])) || strings.HasPrefix(s[i:], "\n\n") {
			return i
		}
	}
	return -1
}

// lastSentence is where the last sentence of a text begins.
func lastSentence(s string) int {
	at := 0
	for i, r := range s {
		if stops(r) && (r >= 0x3000 || ends(s[i+utf8.RuneLen(r):])) || strings.HasPrefix(s[i:], "\n\n") {
			at = i + utf8.RuneLen(r)
		}
	}
	return at
}

func stops(r rune) bool { return strings.ContainsRune(".!?。！？؟", r) }

// ends reports whether a sentence can end before a text.
func ends(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || unicode.IsSpace(r) || strings.ContainsRune(`"'”’»)]`, r)
}

// ended reports whether a text ends with a sentence.
func ended(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "\"'”’»)] \n"))
	return stops(r)
}
