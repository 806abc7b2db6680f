package report

import (
	"fmt"
	"slices"
	"strings"

	"research-council/internal/claim"
	"research-council/internal/source"
)

// references number sources in the order in which they are first cited, and
// keep which of their claims were.
type references struct {
	known   map[string]claim.Entry
	number  map[string]int // of a source, by key
	sources []cited
	unknown map[string]bool // ids that no claim has
	typed   int             // references typed by hand that were left out
}

// cited is a source with the claims cited from it, in order.
type cited struct {
	source source.Source
	claims []claim.Entry
}

func newReferences(entries []claim.Entry) *references {
	return &references{known: byID(entries), number: map[string]int{}, unknown: map[string]bool{}}
}

// cite writes the references of a citation: one link for each source, to the
// first of its claims. The link's title names the claims. Without a known claim
// it is "".
func (r *references) cite(citation string) string {
	var order []int
	named := map[int][]string{}
	for _, id := range ids(citation) {
		e, ok := r.known[id]
		if !ok {
			r.unknown[id] = true
			continue
		}
		n := r.add(e)
		if named[n] == nil {
			order = append(order, n)
		}
		named[n] = append(named[n], id)
	}
	var b strings.Builder
	for _, n := range order {
		fmt.Fprintf(&b, `[\[%d\]](#%s "%s")`, n, anchor(named[n][0]), strings.Join(named[n], ", "))
	}
	return b.String()
}

// add notes that a claim is cited and gives its source's number.
func (r *references) add(e claim.Entry) int {
	s := source.Identify(e.Source)
	n, ok := r.number[s.Key]
	if !ok {
		r.sources = append(r.sources, cited{source: s})
		n = len(r.sources)
		r.number[s.Key] = n
	}
	c := &r.sources[n-1]
	if !slices.ContainsFunc(c.claims, func(o claim.Entry) bool { return o.ID == e.ID }) {
		c.claims = append(c.claims, e)
	}
	return n
}

// anchor is where a claim's quotation stands in the list of sources.
func anchor(id string) string { return strings.ToLower(id) }

// list writes the list of sources, each with the quotations of its claims.
func (r *references) list() []string {
	if len(r.sources) == 0 {
		return []string{"No source is cited."}
	}
	var out []string
	for i, c := range r.sources {
		if i > 0 {
			out = append(out, "")
		}
		marker := fmt.Sprintf("%d. ", i+1)
		indent := strings.Repeat(" ", len(marker))
		out = append(out, marker+name(c), "")
		for _, e := range c.claims {
			out = append(out, indent+"- "+quotation(e))
		}
	}
	return out
}

// name writes what a source is and where it leads.
func name(c cited) string {
	label := foreign(c.claims[0].Source, 200)
	switch c.source.Kind {
	case source.File:
		return foreignSpan(c.source.Path)
	case source.URL:
		label = strings.ReplaceAll(strings.ReplaceAll(escape(c.source.URL), `\:`, ":"), `\.`, ".") // within a link no other begins
	case source.DOI, source.ArXiv, source.PMC, source.PMID, source.ISBN, source.RFC:
		kind, id, _ := strings.Cut(c.source.Key, ":")
		label = strings.ToUpper(kind) + " " + escape(id)
	}
	switch {
	case label == "":
		return "A source that was not named"
	case c.source.URL == "":
		return label
	}
	return fmt.Sprintf("[%s](<%s>)", label, c.source.URL)
}

// Bounds on what of a claim a final report shows, in runes; the registry has
// the whole.
const (
	quoteShown = 800
	textShown  = 400
)

// quotation writes a claim's quotation and what came of looking for it. The
// anchor before it is where references lead.
func quotation(e claim.Entry) string {
	head := fmt.Sprintf(`<a id="%s"></a>%s`, anchor(e.ID), e.ID)
	if len(e.Seats) > 0 {
		head += ", claimed by " + foreign(enumerate(e.Seats), 200)
	}
	if e.Quote == "" {
		return head + ": " + foreign(e.Text, textShown) + " — " + location(e)
	}
	return head + ": “" + foreign(e.Quote, quoteShown) + "” — " + location(e)
}

func location(e claim.Entry) string {
	l := e.Location
	reason := foreign(l.Reason, 200)
	switch l.State {
	case claim.Located:
		where := "line "
		if l.First != l.Last {
			where = "lines "
		}
		where = "located at " + where + claim.Lines(l.First, l.Last)
		if l.Tier != "" {
			where += " (" + foreign(l.Tier, 20) + ")"
		}
		return where + after("; ", reason) + "."
	case claim.NotFound:
		return "**NOT FOUND**" + after(": ", reason) + "."
	}
	return "not checked" + after(": ", reason) + "."
}

// after puts a mark before words, if there are any.
func after(mark, words string) string {
	if words == "" {
		return ""
	}
	return mark + words
}

// enumerate writes "a, b and c".
func enumerate(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
