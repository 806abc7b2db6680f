package vote

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// shownClaims bounds the claims of one side that are shown with their passages;
// the others are named.
const shownClaims = 6

// DocketPaper is what validators and debaters read, in Markdown: each point with all
// claims of its sides, and the questions that nobody has answered.
func DocketPaper(reg claim.Registry, points []claim.Point, questions []scope.Question) string {
	d := newDocketPaper("Docket", reg)
	d.points(points, questions)
	return d.String()
}

type docketPaper struct {
	strings.Builder
	registry claim.Registry
	entries  map[string]claim.Entry
}

func newDocketPaper(title string, reg claim.Registry) *docketPaper {
	d := &docketPaper{registry: reg, entries: map[string]claim.Entry{}}
	for _, e := range reg.Entries {
		d.entries[e.ID] = e
	}
	d.WriteString("# " + title + "\n")
	return d
}

func (d *docketPaper) points(points []claim.Point, questions []scope.Question) {
	for _, p := range points {
		d.point(p)
	}
	for _, q := range questions {
		fmt.Fprintf(d, "\n## %s (a question without an answer: A if what is recorded answers it, B if not)\n\n%s", q.ID, blockQuote(q.Text))
	}
}

func (d *docketPaper) point(p claim.Point) {
	if len(p.B) == 0 {
		fmt.Fprintf(d, "\n## %s (%s, what judges read in opposite ways or doubt: A if it holds as worded, B if not, both if it holds once narrowed)\n\n", p.ID, p.Severity)
		d.side(p.A)
		return
	}
	c := p.Conflict
	said := []string{string(cmp.Or(p.Severity, claim.Minor)), string(cmp.Or(c.Kind, claim.ByFact))}
	if c.Answers {
		said[1] = "opposite answers to the question"
	}
	switch {
	case c.SameToAll:
		said = append(said, "a possible conflict by the program's rules: families call both the same")
	case c.Possible:
		said = append(said, "a possible conflict: no two families have agreed on it")
	}
	fmt.Fprintf(d, "\n## %s (%s): %s\n\n", p.ID, strings.Join(said, ", "), Outcome(c))
	if len(p.With) > 0 {
		fmt.Fprintf(d, "Argued together with %s, which have side %s too: whether that side holds decides all of them. The id to name is %s.\n\n", strings.Join(p.Conflicts()[1:], ", "), p.Shared, p.ID)
	}
	d.quoted("They differ in", c.Detail)
	for _, f := range p.With {
		d.quoted("In "+f.Conflict.ID+" they differ in", f.Conflict.Detail)
	}
	for _, side := range []struct {
		name string
		ids  []string
	}{{"A", p.A}, {"B", p.B}} {
		fmt.Fprintf(d, "### Side %s: %s\n\n", side.name, strings.Join(side.ids, ", "))
		d.side(side.ids)
		d.near(side.ids)
	}
	d.voices(Voices(d.registry, c.A, c.B))
	for _, f := range p.With {
		d.voices(Voices(d.registry, f.Conflict.A, f.Conflict.B))
	}
	d.quoted("What would settle it", c.Settle)
	d.quoted("Up to now", c.Resolution)
}

// side shows the claims of a side, those with a located passage first.
func (d *docketPaper) side(ids []string) {
	located := func(id string) int {
		if state := d.entries[id].Location.State; state == claim.Located || state == claim.Reasoned {
			return 0
		}
		return 1
	}
	ordered := slices.Clone(ids)
	slices.SortStableFunc(ordered, func(a, b string) int { return cmp.Compare(located(a), located(b)) })
	for _, id := range ordered[:min(len(ordered), shownClaims)] {
		d.claim(id)
	}
	if rest := ordered[min(len(ordered), shownClaims):]; len(rest) > 0 {
		fmt.Fprintf(d, "On this side stand %s too.\n\n", strings.Join(rest, ", "))
	}
}

// near names facts that stand and fall with a side, at least in part.
func (d *docketPaper) near(ids []string) {
	near := d.registry.InPart(ids)
	for _, e := range near[:min(len(near), shownClaims)] {
		d.quoted(fmt.Sprintf("A part of this, or this and more, says %s, claimed by %s, which is on no side of this point", e.ID, strings.Join(e.Seats, ", ")), e.Text)
	}
}

// claim shows a claim with its evidence, and what judges say of it.
func (d *docketPaper) claim(id string) {
	e, known := d.entries[id]
	if !known {
		fmt.Fprintf(d, "%s is not in the registry.\n\n", id)
		return
	}
	fmt.Fprintf(d, "%s, claimed by %s:\n\n%s\n", id, strings.Join(e.Seats, ", "), blockQuote(e.Text))
	if e.Kind.RestsOnClaims() {
		fmt.Fprintf(d, "It is %s. %s", kindNoun(e), groundsList(e, d.registry))
	}
	for _, p := range e.Evidence() {
		quote := firstNonEmpty(claim.Readable(p.Source, p.Location.Passage), p.Quote, "none was given")
		fmt.Fprintf(d, "Quotation (%s):\n\n%s\nSource:\n\n%s\n", p.Location.State, blockQuote(quote), blockQuote(p.Source))
	}
	if e.Support == nil {
		return
	}
	for _, v := range e.Support.Votes {
		d.quoted(fmt.Sprintf("A judge of %s says of it %s", plain.Line(v.Family, 40), v.Answer), firstNonEmpty(v.Reason, "without a reason"))
	}
}

// quoted writes foreign words below what they are; nothing where there are none.
func (d *docketPaper) quoted(what, words string) {
	if words != "" {
		fmt.Fprintf(d, "%s:\n\n%s\n", what, blockQuote(words))
	}
}
