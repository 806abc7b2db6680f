package quote

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
	"github.com/research-council/research-council/internal/evidence/quote/spelling"
)

// findByLetters looks for the places with the quotation's letters and digits. The
// surest of them is the match.
func (s *search) findByLetters(q *query) (Match, bool) {
	const enough = 1 << 20 // letters of places judged with care
	var best Match
	work := 0
	for at := range s.letterMatches(q.stream.letters) {
		work += len(q.stream.letters)
		m, ok := s.matchAt(q, at, work < enough)
		if !ok || best.Tier != "" && rank(m.Tier) >= rank(best.Tier) {
			continue
		}
		if best = m; m.Tier == Exact {
			break
		}
	}
	return best, best.Tier != ""
}

// rank orders tiers, the surest first.
func rank(t Tier) int { return slices.Index([]Tier{Exact, Normalised, Spaceless, Near, Elided}, t) }

// matchAt says what a place with the same letters is. Without care only the very
// bytes count.
func (s *search) matchAt(q *query, at int, care bool) (Match, bool) {
	start, end, ok := s.textSpan(at, at+len(q.stream.letters))
	if !ok {
		return Match{}, false
	}
	if m, ok := s.matchExact(q, start); ok {
		return s.acceptMatch(m, 0)
	}
	if !care {
		return Match{}, false
	}
	if m, ok := s.matchNormalised(q, start, end); ok {
		return s.acceptMatch(m, 0)
	}
	if m, ok := s.matchRow(q, start, end); ok {
		return s.acceptMatch(m, 0)
	}
	if m, ok := matchTyped(s, q, start, end); ok {
		return s.acceptMatch(m, 0)
	}
	if m, ok := matchCellsBelow(s, q, start, end); ok {
		return s.acceptMatch(m, 0)
	}
	return s.matchSpaceless(q, start, end)
}

// acceptMatch lets a match pass whose span is within bounds and cut off from
// nothing that changes it.
func (s *search) acceptMatch(m Match, cost int) (Match, bool) {
	if m.Start < s.from || m.End > s.to {
		return Match{}, false
	}
	if isWhole(s.text, m.Start, m.End) {
		cut := omittedBeside(s.around(m.Start, m.End))
		if len(cut) == 0 || s.isAmidCode(m.Start, m.End) {
			return m, true
		}
		s.recordRefused(m.Start, m.End, cost, cut)
	} else if isCloser(cost, s.cost) {
		s.recordRefused(m.Start, m.End, cost, checkEnds(s.around(m.Start, m.End)))
	}
	return Match{}, false
}

// textSpan gives the text's span of a span of the stream, if it begins and ends
// between pieces.
func (t *Text) textSpan(from, to int) (start, end int, ok bool) {
	at := t.stream.at
	if from > 0 && at[from-1] == at[from] || to < len(at) && at[to-1] == at[to] {
		return 0, 0, false
	}
	return int(at[from]), t.pieceEnd(int(at[to-1])), true
}

// pieceEnd is where the piece ends that begins at a byte of the text.
func (t *Text) pieceEnd(at int) int {
	c := t.text[at]
	if c == '&' {
		if _, end := char.Entity(t.text, at); end > 0 {
			return end
		}
	}
	_, size := utf8.DecodeRuneInString(t.text[at:])
	if next := at + size; next == len(t.text) || !combiningLeads[t.text[next]] || !mayCombine(t.text, next) {
		return next
	}
	return at + max(size, norm.NFKC.NextBoundaryInString(t.text[at:], true))
}

// matchExact reports whether the quotation's very bytes have their first letter at
// a byte.
func (s *search) matchExact(q *query, start int) (Match, bool) {
	from := start - int(q.stream.at[0])
	if from < 0 || !strings.HasPrefix(s.text[from:], q.raw) {
		return Match{}, false
	}
	return Match{Tier: Exact, Start: from, End: from + len(q.raw)}, true
}

// matchNormalised reports whether a span and the marks around it fold to the same
// as the quotation, the mark that ends it aside.
func (s *search) matchNormalised(q *query, start, end int) (Match, bool) {
	from, to := s.widenByMarks(start, end, len(q.lead), len(q.trail))
	for _, whole := range []bool{false, true} {
		f := normaliser{src: s.text[from:to], whole: whole}.normalise(from == 0 || s.text[from-1] == '\n')
		for _, needle := range []string{q.normalised, strings.TrimRight(q.normalised, ".,;: ")} {
			for at := range char.Occurrences(f.text, needle) {
				a, b := f.span(at, at+len(needle))
				if a, b = a+from, b+from; a <= start && b >= end && f.isOnBoundaries(at, at+len(needle)) {
					return Match{Tier: Normalised, Start: a, End: b}, true
				}
			}
		}
		if !strings.Contains(s.text[from:to], "\n") {
			break
		}
	}
	return Match{}, false
}

// widenByMarks widens a span by what marks before and behind it may take.
func (t *Text) widenByMarks(start, end, lead, trail int) (from, to int) {
	const wide = 10 // bytes of text a folded byte may stem from, such as an entity
	from, to = start, end
	if strings.HasPrefix(t.text[to:], "](") && strings.LastIndexByte(t.text[from:to], '[') > strings.LastIndexByte(t.text[from:to], ']') {
		to = max(to, char.LinkTarget(t.text, to+1)) // the text of a link that begins within
	}
	if lead > 0 {
		for from = max(0, start-4-wide*lead); from > 0 && from < start && !utf8.RuneStart(t.text[from]); {
			from++
		}
	}
	if trail > 0 {
		for to = max(to, min(len(t.text), end+4+wide*trail)); to > end && to < len(t.text) && !utf8.RuneStart(t.text[to]); {
			to--
		}
	}
	return from, to
}

// matchSpaceless judges a span that has the same letters and digits and does not
// fold to the same: blanks, marks or capitals differ.
func (s *search) matchSpaceless(q *query, start, end int) (Match, bool) {
	start, end = s.includeQuotedMarks(q, start, end)
	passage := normalisePart(s.text[start:end], true).text
	theirs, glued := restoreSpaces(passage, q.normalised)
	ours, _ := restoreSpaces(q.normalised, passage)
	findings := guard.Compare(guard.Words(ours), guard.Words(theirs))
	if f, ok := joinsOtherwise(q.normalised, passage); ok && len(findings) == 0 {
		findings = append(findings, f)
	}
	if f, ok := otherGreek(q.normalised, passage); ok && len(findings) == 0 {
		findings = append(findings, f)
	}
	m := Match{Tier: Spaceless, Start: start, End: end}
	switch {
	case start < s.from || end > s.to:
		return Match{}, false
	case max(len(q.tokens), len(tokens(passage))) < ShortQuotation:
	case len(findings) > 0:
	case glued:
		findings = checkGluedEnds(s.around(start, end))
		if len(findings) == 0 {
			return m, true
		}
	case isSameButFirstLetter(q.normalised, passage):
		m.Tier = Normalised
		return s.acceptMatch(m, 1)
	case !isSameButFirstLetter(char.OfWords(q.normalised), char.OfWords(passage)):
		m.Tier, m.Misspelt = Near, inOtherCase(q.normalised, passage)
		return s.acceptMatch(m, 1)
	default:
		return s.acceptMatch(m, 1)
	}
	s.recordRefused(start, end, 1, findings)
	return Match{}, false
}

// includeQuotedMarks widens a span by the marks that the quotation has around it.
func (t *Text) includeQuotedMarks(q *query, start, end int) (int, int) {
	for _, want := range strings.ReplaceAll(q.trail, " ", "") {
		at := end
		for at < len(t.text) && t.text[at] == ' ' {
			at++
		}
		r, size := utf8.DecodeRuneInString(t.text[at:])
		if char.Plain(r) != want {
			break
		}
		end = at + size
	}
	lead := []rune(strings.ReplaceAll(q.lead, " ", ""))
	for i := len(lead) - 1; i >= 0; i-- {
		at := len(strings.TrimRight(t.text[:start], " "))
		r, size := utf8.DecodeLastRuneInString(t.text[:at])
		if char.Plain(r) != lead[i] {
			break
		}
		start = at - size
	}
	return start, end
}

// restoreSpaces gives a text with the blanks that it has lost against another of
// the same letters. They are put back where it has lost blanks throughout, as
// texts from PDF do, or where what stands there is no word: "andthe" is "and
// the", but "notable" is not "not able". It tells whether they are lost
// throughout.
func restoreSpaces(text, other string) (with string, throughout bool) {
	gaps, lost := 0, 0 // where the other has a blank, and where this one has nothing there
	walkAligned(text, other, func(_, gap, mine string, _ int) {
		if strings.Contains(gap, " ") {
			gaps++
			if mine == "" {
				lost++
			}
		}
	})
	if lost == 0 {
		return text, false
	}
	throughout = lost >= 3 && lost*3 >= gaps
	var out strings.Builder
	walkAligned(text, other, func(letter, gap, mine string, at int) {
		out.WriteString(letter)
		switch blank := strings.Contains(gap, " "); {
		case mine == "" && blank && (throughout || !isOneWord(wordAround(text, at))):
			out.WriteByte(' ')
		case mine != "" && blank && throughout:
			writeSpaced(&out, mine, gap)
		default:
			out.WriteString(mine)
		}
	})
	return out.String(), throughout
}

// isOneWord reports whether letters written together are one word or number, which
// must not be parted.
func isOneWord(glued string) bool {
	return spelling.IsEnglish(glued) || strings.ContainsFunc(glued, unicode.IsDigit)
}

// writeSpaced writes marks with the blanks around them that the other text has.
func writeSpaced(out *strings.Builder, marks, other string) {
	marks = strings.TrimSpace(marks)
	if strings.HasPrefix(other, " ") {
		out.WriteByte(' ')
	}
	out.WriteString(marks)
	if len(other) > 1 && strings.HasSuffix(other, " ") {
		out.WriteByte(' ')
	}
}

// walkAligned goes through two texts with the same letters. For each it tells what
// stands behind it in the other text and in this one, and where that is.
func walkAligned(text, other string, seam func(letter, gap, mine string, at int)) {
	i, k := 0, 0
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !char.IsOfWord(r) {
			end := marksEnd(text, i)
			seam("", "", text[i:end], i)
			i = end
			continue
		}
		i += size
		k = marksEnd(other, k)
		_, n := utf8.DecodeRuneInString(other[k:])
		k += n
		mine, gap := marksEnd(text, i), marksEnd(other, k)
		seam(text[i-size:i], other[k:gap], text[i:mine], i)
		i, k = mine, gap
	}
}

// marksEnd is where the marks and blanks end that begin at i.
func marksEnd(s string, i int) int {
	if rest := strings.IndexFunc(s[i:], char.IsOfWord); rest >= 0 {
		return i + rest
	}
	return len(s)
}

// wordAround is the word of a text around a place in it, in small letters.
func wordAround(text string, at int) string {
	const longest = 64
	left := text[max(0, at-longest):at]
	start := at - len(left) + len(strings.TrimRightFunc(left, char.IsOfWord))
	end := at
	for end < min(len(text), at+longest) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !char.IsOfWord(r) {
			break
		}
		end += size
	}
	return strings.ToLower(text[start:end])
}

// findBytes looks for the very bytes where letters alone cannot find them: a text
// with entities or links of Markdown may be quoted as it is written.
func (s *search) findBytes(q *query) (Match, bool) {
	if !s.stream.decoded {
		return Match{}, false
	}
	for at := range char.Occurrences(s.text, q.raw) {
		if m, ok := s.acceptMatch(Match{Tier: Exact, Start: at, End: at + len(q.raw)}, 0); ok {
			return m, true
		}
	}
	return Match{}, false
}

// hasWord reports whether the text has a word, whatever its case.
func (t *Text) hasWord(word string) bool {
	for i, at := range t.wordIndex().lookUp(word) {
		if t.stream.isWord(word, int(at)) {
			return true
		}
		if i == maxPlacesPerGram {
			break
		}
	}
	return false
}
