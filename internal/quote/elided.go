package quote

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	leastWords   = 3       // of an elided quotation
	leastSegment = 3       // words of a part that may stand far from the others
	mostGap      = 4 << 10 // bytes an ellipsis may leave out
	mostSegments = 16
	mostPlaces   = 256 // of one part
	mostReach    = 2 * mostGap
)

// ellipsis is a mark for words left out, in brackets or without.
var ellipsis = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\[(]\s*(?:…|⋯|\.{3,}|\.(?:\s\.){2,})+\s*[\])]|(?:…|⋯|\.{3,}|\.(?:\s\.){2,})+`)
})

// trimEllipses takes ellipses off both ends.
func trimEllipses(s string) string {
	for {
		s = strings.TrimSpace(s)
		marks := ellipsis().FindAllStringIndex(s, -1)
		switch {
		case len(marks) == 0:
			return s
		case marks[0][0] == 0:
			s = s[marks[0][1]:]
		case marks[len(marks)-1][1] == len(s):
			s = s[:marks[len(marks)-1][0]]
		default:
			return s
		}
	}
}

// parts splits a quotation at its ellipses.
func parts(quoted string) []string {
	var list []string
	for _, part := range ellipsis().Split(quoted, mostSegments+3) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// elided looks for the parts of a quotation that marks what it leaves out, in
// order and not too far apart. Parts of a word or two, and quotations of few
// words, could be put together from anywhere: theirs stand in one sentence, or
// leave out whole ones.
func (s *search) elided(q *query) (Match, bool) {
	list := parts(q.raw)
	if len(list) < 2 || len(list) > mostSegments || len(q.tokens) < leastWords {
		return Match{}, false
	}
	queries, longest := make([]*query, len(list)), 0
	for i, part := range list {
		if queries[i] = newQuery(part); queries[i] == nil {
			return Match{}, false
		}
		if len(queries[i].tokens) > len(queries[longest].tokens) {
			longest = i
		}
	}
	few := len(q.tokens) < Short || slices.ContainsFunc(queries, func(p *query) bool { return len(p.tokens) < leastSegment })
	places := make([][]Span, len(list))
	places[longest] = s.places(queries[longest], longest == 0, longest == len(list)-1, nil)
	for i, p := range queries {
		if i != longest {
			places[i] = s.places(p, i == 0, i == len(list)-1, places[longest])
		}
		if len(places[i]) == 0 {
			return Match{}, false
		}
	}
	for _, chain := range chains(places) {
		if few && !s.close(chain) {
			continue
		}
		m := Match{Tier: Elided, Start: chain[0].Start, End: chain[len(chain)-1].End, Segments: chain}
		if m, ok := s.honest(m, q); ok {
			return m, true
		}
	}
	return Match{}, false
}

// close reports whether every gap of a chain lies within a sentence or leaves
// out whole ones.
func (s *search) close(chain []Span) bool {
	for i := range len(chain) - 1 {
		before, gap := s.text[:chain[i].End], s.text[chain[i].End:chain[i+1].Start]
		end := sentenceEnd(gap)
		if end < 0 {
			continue
		}
		begins := ended(before) || !strings.ContainsFunc(gap[:end], wordy)
		if !begins || strings.ContainsFunc(gap[lastSentence(gap):], wordy) {
			return false
		}
	}
	return true
}

// places gives where a part of a quotation stands, ascending. Qualifiers cut
// off count at the quotation's own ends; at an ellipsis they are flagged
// instead.
//
// Where beside is given, only places in reach of one of those count.
func (s *search) places(q *query, first, last bool, beside []Span) []Span {
	var list []Span
	for at := range s.same(q.stream.letters) {
		start, end, ok := s.pieces(at, at+len(q.stream.letters))
		if !ok || start < s.from || end > s.to || beside != nil && !reaches(beside, start) {
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

// reaches reports whether a place is in reach of one of some others, which
// ascend.
func reaches(others []Span, at int) bool {
	i, _ := slices.BinarySearchFunc(others, at-mostReach, func(o Span, at int) int { return cmp.Compare(o.Start, at) })
	return i < len(others) && others[i].Start <= at+mostReach
}

// chains gives runs of places, one of each part, in order, the shortest first:
// for each place of the first part the nearest of the others.
func chains(places [][]Span) [][]Span {
	var list [][]Span
	for _, first := range places[0] {
		chain := []Span{first}
		for _, next := range places[1:] {
			end := chain[len(chain)-1].End
			i, _ := slices.BinarySearchFunc(next, end, func(p Span, end int) int { return cmp.Compare(p.Start, end) })
			if i == len(next) || next[i].Start-end > mostGap {
				break
			}
			chain = append(chain, next[i])
		}
		if len(chain) == len(places) {
			list = append(list, chain)
		}
	}
	length := func(chain []Span) int { return chain[len(chain)-1].End - chain[0].Start }
	slices.SortStableFunc(list, func(a, b []Span) int { return cmp.Compare(length(a), length(b)) })
	return list
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
