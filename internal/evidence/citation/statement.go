package citation

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/citation/stated"
)

// finishStatement finishes a draft.
func (r *documentBuilder) finishStatement(d *statementDraft) Statement {
	b := d.block
	s := Statement{
		Text: dropMarkerRemains(b.text[d.at.From:d.at.To]), Passage: dropMarkerRemains(b.text[d.from:d.at.To]),
		Start: b.sourceOffset(d.at.From), End: b.end, References: []int{}, Markers: d.marks,
	}
	if d.at.To < len(b.text) {
		s.End = b.sourceOffset(d.at.To-1) + 1
	}
	for _, m := range b.marks {
		if m.at >= d.at.From && m.at <= d.at.To {
			s.End = max(s.End, min(m.to, b.end))
		}
	}
	s.Line = r.lineNumber(s.Start)
	for _, g := range d.groups {
		for _, ref := range g.references {
			if !slices.Contains(s.References, ref) {
				s.References = append(s.References, ref)
				r.doc.References[ref].Cited++
			}
		}
	}
	for _, q := range d.quotes {
		quotation := r.quotation(b, q, d.referencesNear(q))
		quotation.Block = b.quoted && q.From == 0
		s.Quotations = append(s.Quotations, quotation)
	}
	for _, n := range stated.Numbers(b.text[d.at.From:d.at.To]) {
		at := d.at.From + n.Start
		name := slices.ContainsFunc(b.marks, func(m mark) bool { return m.words == "" && m.at <= at && at < m.end })
		if !name && !slices.ContainsFunc(d.quotes, func(q stated.Span) bool { return q.Contains(at) }) && !isEnumerator(b.text, at, n) {
			s.Numbers = append(s.Numbers, n)
		}
	}
	return s
}

// isEnumerator reports the number at the beginning of a paragraph.
func isEnumerator(text string, at int, n stated.Number) bool {
	if at > 1 || at+len(n.Text) >= len(text) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[at+len(n.Text):])
	return strings.ContainsRune(".)、）．", next)
}

// dropMarkerRemains takes away what markers left: blanks before punctuation, empty brackets.
func dropMarkerRemains(s string) string {
	s = emptyBrackets().ReplaceAllString(s, "")
	return strings.TrimSpace(loosePunctuation().ReplaceAllString(s, "$1"))
}

var (
	emptyBrackets    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*(?:\(\s*[,;]?\s*\)|\[\s*\]|（\s*）)`) })
	loosePunctuation = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s+([.,;:!?。，；：！？、])`) })
)
