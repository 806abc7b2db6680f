package citation

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// statement finishes a draft.
func (r *reading) statement(d *draft) Statement {
	b := d.block
	s := Statement{
		Text: tidy(b.text[d.at.from:d.at.to]), Passage: tidy(b.text[d.from:d.at.to]),
		Start: b.place(d.at.from), End: b.end, References: []int{},
	}
	if d.at.to < len(b.text) {
		s.End = b.place(d.at.to-1) + 1
	}
	for _, m := range b.marks {
		if m.at >= d.at.from && m.at <= d.at.to {
			s.End = max(s.End, min(m.to, b.end))
		}
	}
	s.Line = r.line(s.Start)
	for _, g := range d.groups {
		for _, ref := range g.references {
			if !slices.Contains(s.References, ref) {
				s.References = append(s.References, ref)
				r.doc.References[ref].Cited++
			}
		}
	}
	for _, q := range d.quotes {
		text := strings.TrimSpace(b.text[q.from:q.to])
		s.Quotations = append(s.Quotations, Quotation{
			Text: text, Start: b.place(q.from), End: b.place(q.to-1) + 1, Line: r.line(b.place(q.from)),
			Block: b.quoted && q.from == 0, References: d.near(q),
		})
	}
	for _, n := range Numbers(b.text[d.at.from:d.at.to]) {
		at := d.at.from + n.Start
		name := slices.ContainsFunc(b.marks, func(m mark) bool { return m.words == "" && m.at <= at && at < m.end })
		if !name && !slices.ContainsFunc(d.quotes, func(q extent) bool { return q.holds(at) }) && !enumerates(b.text, at, n) {
			s.Numbers = append(s.Numbers, n)
		}
	}
	return s
}

// enumerates reports the number at the beginning of a paragraph.
func enumerates(text string, at int, n Number) bool {
	if at > 1 || at+len(n.Text) >= len(text) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[at+len(n.Text):])
	return strings.ContainsRune(".)、）．", next)
}

// tidy takes away what markers left: blanks before punctuation, empty brackets.
func tidy(s string) string {
	s = emptied().ReplaceAllString(s, "")
	return strings.TrimSpace(loose().ReplaceAllString(s, "$1"))
}

var (
	emptied = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*(?:\(\s*[,;]?\s*\)|\[\s*\]|（\s*）)`) })
	loose   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s+([.,;:!?。，；：！？、])`) })
)
