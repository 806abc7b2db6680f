package citation

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/citation/stated"
)

// cutLeading takes the marker at the beginning of a block out of its text: it
// is the label of an entry, or the line has nothing but markers.
func (b *block) cutLeading() {
	if len(b.marks) > 0 && b.marks[0].loose && b.marks[0].at == 0 && (hasLink(b) || !isName(b.marks[0].labels[0])) {
		b.marks[0].loose = false
		b.cut([]stated.Span{{From: 0, To: b.marks[0].end}})
	}
}

// settle says of everything in the text that may be a marker whether it is one,
// once the lists of sources are known, and takes the markers out of the text.
func (r *documentBuilder) settle() {
	c := r.countMarkers()
	years := r.authorYears()
	for i := range r.blocks {
		b := &r.blocks[i]
		if !r.isRunning(i) {
			continue
		}
		r.resolveSigns(i, b)
		b.joinRanges()
		if c.highest < 10 {
			r.partDigits(i, b)
		}
		for k := range b.marks {
			if m := &b.marks[k]; m.loose && !r.isMarker(i, b, *m, c) {
				m.labels = nil
			}
		}
		b.marks = slices.DeleteFunc(b.marks, func(m mark) bool { return m.loose && m.labels == nil })
		b.cutMarkers()
		if len(years) > 0 {
			r.readAuthorYears(i, b, years)
		}
	}
	if numbers := (&numberReader{r}); !numbers.readRoundNumbers(c) {
		numbers.readBareNumbers(c)
	}
}

// isRunning reports whether a block is of the running text.
func (r *documentBuilder) isRunning(i int) bool {
	b := &r.blocks[i]
	return b.kind != code && b.kind != rule && !r.listed[i] && !b.note
}

// convention is how a report sets its numbered markers.
type convention struct {
	glued, apart int // to the word before, or not
	ends, amid   int // at the end of a clause, or within one
	numbers      int // that refer to an entry
	labelled     int // entries of the list with a number
	highest      int // of these numbers
}

// countMarkers counts how markers are set.
func (r *documentBuilder) countMarkers() convention {
	var c convention
	for label := range r.byLabel {
		if numberLabel().MatchString(label.name) {
			n, _ := strconv.Atoi(label.name) // digits
			c.labelled, c.highest = c.labelled+1, max(c.highest, n)
		}
	}
	for i := range r.blocks {
		b := &r.blocks[i]
		if !r.isRunning(i) {
			continue
		}
		for _, m := range b.marks {
			if len(m.labels) == 0 || m.soft && !r.resolves(i, m) {
				continue
			}
			if r.resolves(i, m) {
				c.numbers++
			}
			if !m.loose {
				continue
			}
			if b.isGlued(m) {
				c.glued++
			} else {
				c.apart++
			}
			if b.endsClause(m) {
				c.ends++
			} else {
				c.amid++
			}
		}
	}
	return c
}

// resolves reports whether all labels of a mark have a reference.
func (r *documentBuilder) resolves(i int, m mark) bool {
	for _, l := range m.labels {
		if !r.hasLabel(r.scopeOf[i], l) {
			return false
		}
	}
	return len(m.labels) > 0
}

// hasLabel reports whether a label, or the beginning or end of a range, has a
// reference.
func (r *documentBuilder) hasLabel(scope int, l string) bool {
	if _, ok := r.byLabel[labelled{scope, l}]; ok {
		return true
	}
	from, to, ok := labelRange(l)
	if !ok {
		return false
	}
	_, first := r.byLabel[labelled{scope, strconv.Itoa(from)}]
	_, last := r.byLabel[labelled{scope, strconv.Itoa(to)}]
	return first || last
}

// isGlued reports whether a mark follows a word without a blank, in a script
// that has blanks.
func (b *block) isGlued(m mark) bool {
	before, _ := utf8.DecodeLastRuneInString(b.text[:m.at])
	return words.IsAlphanumeric(before) && !words.Unspaced(before)
}

// endsClause reports whether a mark stands at the end of a clause: before its
// punctuation, behind it, or before another mark.
func (b *block) endsClause(m mark) bool {
	rest := strings.TrimLeft(b.text[m.end:], " ")
	next, _ := utf8.DecodeRuneInString(rest)
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(b.text[:m.at], " "))
	return rest == "" || strings.ContainsRune(".,;:!?。，；：！？、)）]|—–\"”»」", next) || next == '[' || isStop(before)
}

// isStop are the marks sentences end with.
func isStop(r rune) bool { return strings.ContainsRune(".!?。！？…", r) }

// isMarker settles whether what may be a marker is one: what refers to an entry
// is, a word's index or an interval is not.
func (r *documentBuilder) isMarker(i int, b *block, m mark, c convention) bool {
	switch {
	case m.known != nil:
		return true
	case m.soft:
		return r.resolves(i, m)
	case b.isGlued(m) && !b.endsClause(m) && (c.apart > c.glued || c.labelled == 0):
		return false
	case c.labelled > 0 || len(r.byLabel) > 0:
		return true
	}
	return c.ends > 0 && (b.endsClause(m) || c.ends > c.amid)
}

// joinRanges makes one mark of two with a dash between them: [7]–[9].
func (b *block) joinRanges() {
	for k := 0; k+1 < len(b.marks); k++ {
		m, next := &b.marks[k], b.marks[k+1]
		if !m.loose || !next.loose || len(m.labels) != 1 || len(next.labels) != 1 {
			continue
		}
		switch strings.TrimSpace(b.text[m.end:max(m.end, next.at)]) {
		case "-", "–", "—", "~":
		default:
			continue
		}
		if whole := m.labels[0] + "-" + next.labels[0]; isRange(whole) {
			m.labels, m.end, m.to = []string{whole}, next.end, next.to
			b.marks = slices.Delete(b.marks, k+1, k+2)
		}
	}
}

// partDigits makes several labels of raised digits that stand together and are no number
// of the list, which has none of two digits: ¹² is 1 and 2.
func (r *documentBuilder) partDigits(i int, b *block) {
	for k := range b.marks {
		m := &b.marks[k]
		if !m.loose || !m.soft || len(m.labels) != 1 || r.resolves(i, *m) {
			continue
		}
		if first, _ := utf8.DecodeRuneInString(b.text[m.at:m.end]); digit(first) == 0 {
			continue
		}
		digits := strings.Split(m.labels[0], "")
		rising := slices.IsSorted(digits) && len(slices.Compact(slices.Clone(digits))) == len(digits)
		if parted := (mark{labels: digits}); rising && r.resolves(i, parted) {
			m.labels = digits
		}
	}
}

func isRange(label string) bool {
	_, _, ok := labelRange(label)
	return ok
}

// cutMarkers takes the markers out of a block's text, with the brackets around
// them, and the links that are set like markers.
func (b *block) cutMarkers() {
	var pieces []stated.Span
	for k := 0; k < len(b.marks); k++ {
		m := &b.marks[k]
		if m.hollow || m.shortcut {
			m.words = b.text[m.at:m.end]
			if b.endsClause(*m) && words.Count(m.words) == 1 && m.at > 0 {
				pieces = append(pieces, stated.Span{From: m.at, To: m.end})
			}
			continue
		}
		if m.leftover {
			pieces = append(pieces, stated.Span{From: m.at, To: m.end})
			continue
		}
		if !m.loose {
			if p, last := b.linksInBrackets(k); last >= k {
				pieces = append(pieces, p)
				k = last
			} else if b.kind != row && b.isLinkBehind(k) {
				pieces = append(pieces, stated.Span{From: m.at, To: m.end})
			}
			continue
		}
		m.loose = false
		p := stated.Span{From: m.at, To: m.end}
		if n := len(pieces); n > 0 && isBetweenMarkers(b.text[pieces[n-1].To:max(p.From, pieces[n-1].To)]) {
			pieces[n-1].To = p.To
			continue
		}
		pieces = append(pieces, p)
	}
	for i := range pieces {
		pieces[i] = b.withBrackets(pieces[i])
	}
	b.cut(pieces)
}

// isBetweenMarkers reports what parts markers that stand together.
func isBetweenMarkers(s string) bool {
	return strings.Trim(s, " ,;，；、") == "" && len(s) < 4
}

// withBrackets is a piece of text with the brackets that hold nothing else.
func (b *block) withBrackets(p stated.Span) stated.Span {
	before, behind := strings.TrimRight(b.text[:p.From], " "), strings.TrimLeft(b.text[p.To:], " ,;")
	open, size := utf8.DecodeLastRuneInString(before)
	closed, width := utf8.DecodeRuneInString(behind)
	if want := map[rune]rune{'(': ')', '（': '）', '[': ']', '【': '】'}[open]; want != 0 && want == closed {
		return stated.Span{From: len(before) - size, To: len(b.text) - len(behind) + width}
	}
	return p
}

// linksInBrackets finds the brackets around links that are set like a marker:
// behind a sentence, or with nothing but a site's name for words. It gives the
// last mark within; -1 where there are none.
func (b *block) linksInBrackets(k int) (stated.Span, int) {
	first := b.marks[k]
	if first.target == "" || first.at == 0 {
		return stated.Span{}, -1
	}
	open, size := utf8.DecodeLastRuneInString(b.text[:first.at])
	want := map[rune]string{'(': ")", '（': "）", '[': "]", '【': "】"}[open]
	if want == "" {
		return stated.Span{}, -1
	}
	last, names := k, isSiteName(first.words)
	for last+1 < len(b.marks) && b.marks[last+1].target != "" && b.marks[last+1].at >= b.marks[last].end && isBetweenLinks(b.text[b.marks[last].end:b.marks[last+1].at]) {
		last++
		names = names && isSiteName(b.marks[last].words)
	}
	end := b.marks[last].end
	rest := strings.TrimLeft(b.text[end:], " .,;")
	if first.end == first.at && last == k || !strings.HasPrefix(rest, want) {
		return stated.Span{}, -1
	}
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(b.text[:first.at-size], " \"”»」*"))
	if !names && !isStop(before) {
		return stated.Span{}, -1
	}
	return stated.Span{From: first.at - size, To: len(b.text) - len(rest) + len(want)}, last
}

// isBetweenLinks reports what parts links that stand together.
func isBetweenLinks(s string) bool {
	switch strings.Trim(s, " ,;，；、|·") {
	case "", "and", "&", "und", "et", "y", "和":
		return len(s) < 10
	}
	return false
}

// isSiteName reports whether a link's words are only the name of a host, or an
// address.
func isSiteName(s string) bool {
	return s == "" || !strings.ContainsAny(s, " \t") && hostOf(s) != ""
}

// isLinkBehind reports whether a link's words belong to no sentence: they stand
// behind one, and what follows begins another.
func (b *block) isLinkBehind(k int) bool {
	m := b.marks[k]
	if m.target == "" || m.at == m.end || m.at == 0 || words.Count(m.words) > 12 {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(m.words)
	before := strings.TrimRight(b.text[:m.at], " ")
	stop, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, "\"”»」)*"))
	if !isStop(stop) || isStop(last) {
		return false
	}
	rest := strings.TrimLeft(b.text[m.end:], " ")
	next, _ := utf8.DecodeRuneInString(rest)
	if k+1 < len(b.marks) && b.marks[k+1].at-m.end <= 2 && b.marks[k+1].target != "" {
		next = 0 // another such link
	}
	if rest != "" && next != 0 && !unicode.IsUpper(next) && !unicode.IsDigit(next) && !words.Unspaced(next) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(m.words)
	return rest == "" || len(before) == m.at || unicode.IsLower(first)
}
