package citation

import "slices"

// Cited is a statement with one of the sources it refers to.
type Cited struct {
	Text   string // the sentence
	Source string // address, path with lines or identifier, as it was written
	Quote  string // the quotation attributed to the source; "" for none
	Line   int
}

// Cited gives a report's statements, once for each source they refer to, and
// once for each quotation where several are attributed to one source. What
// refers to nothing that leads anywhere is left out.
func (d Document) Cited() []Cited {
	var out []Cited
	for _, s := range d.Statements {
		for _, ref := range s.References {
			r := d.References[ref]
			if r.URL == "" {
				continue
			}
			quotes := s.quotationsOf(ref)
			for _, q := range quotes {
				out = append(out, Cited{Text: s.Text, Source: r.URL, Quote: q, Line: s.Line})
			}
			if len(quotes) == 0 {
				out = append(out, Cited{Text: s.Text, Source: r.URL, Line: s.Line})
			}
		}
	}
	return out
}

// quotationsOf are a statement's quotations of a reference.
func (s Statement) quotationsOf(ref int) []string {
	var out []string
	for _, q := range s.Quotations {
		if slices.Contains(q.References, ref) {
			out = append(out, q.Text)
		}
	}
	return out
}
