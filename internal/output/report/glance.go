package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/score"
)

// Bounds of what stands at a glance: lines of each kind, and runes of a claim or
// a question in one.
const (
	maxGlance    = 3
	maxAnswers   = 8
	claimInLine  = 100
	maxRejected  = 5
	reasonInLine = 200
)

// glance tells what a reader has to know beside the answer: how sure it is, what
// is disputed, what nobody knows, what it cost.
func (p *page) glance() []string {
	var out []string
	add := func(name, said string) {
		if said != "" {
			out = append(out, "- **"+name+":** "+said)
		}
	}
	if p.Form == Staged { // a council's report begins with it
		add("Recommended", strings.Join(answers(p, maxGlance), ". "))
	}
	add("How sure", p.sureText())
	add("Disputed", p.disputedText())
	add("Not known", p.unknownText())
	add("Cost", p.costText())
	return out
}

// recommended lists what seats recommend, with who holds it, question by question.
func recommended(p *page) []string {
	var out []string
	for _, line := range answers(p, maxAnswers) {
		out = append(out, "- "+line+".")
	}
	return out
}

// answers says of each question what seats recommend and who holds it, at most so many
// lines; what was recommended on more questions is counted in the last. What stands
// under one question is not said again under another.
func answers(p *page, most int) []string {
	list := claim.Answers(p.Registry)
	list = slices.Concat(withAnswers(list, true), withAnswers(list, false))
	var lines []string
	said := map[string]bool{}
	for _, a := range list {
		fresh := slices.DeleteFunc(slices.Clone(a.Positions), func(one claim.Position) bool { return said[one.IDs[0]] })
		switch {
		case len(fresh) == 0:
			continue
		case len(lines) == most:
			return append(lines[:most-1], lines[most-1]+"; and more on other questions")
		}
		var positions []string
		for _, one := range fresh[:min(len(fresh), maxGlance)] {
			said[one.IDs[0]] = true
			e := p.refs.known[one.IDs[0]]
			positions = append(positions, p.claimText(e.ID)+p.refs.referenceLinks([]claim.Entry{e})+" ("+escapeForeign(enumerate(one.Seats), 120)+againstText(p.Registry.Conflicts, one, a)+")")
		}
		lines = append(lines, "**"+questionName(p.Plan, a.Question)+":** "+strings.Join(positions, "; ")+andMore(len(fresh)-len(positions))+held(a))
	}
	return lines
}

// againstText names who recommends on the same question what a position contradicts; ""
// for nobody.
func againstText(conflicts []claim.Conflict, one claim.Position, a claim.Answer) string {
	var against []string
	for _, c := range conflicts {
		if !c.IsOpen() || c.Possible {
			continue
		}
		for _, pair := range [][2]string{{c.A, c.B}, {c.B, c.A}} {
			other := slices.IndexFunc(a.Positions, func(o claim.Position) bool { return slices.Contains(o.IDs, pair[1]) })
			if other >= 0 && slices.Contains(one.IDs, pair[0]) {
				against = append(against, a.Positions[other].Seats...)
			}
		}
	}
	slices.Sort(against)
	if against = slices.Compact(against); len(against) == 0 {
		return ""
	}
	return "; **against** " + escapeForeign(enumerate(against), 120)
}

// withAnswers are the answers that are opposed, or those that are not.
func withAnswers(list []claim.Answer, opposed bool) []claim.Answer {
	return slices.DeleteFunc(slices.Clone(list), func(a claim.Answer) bool { return a.Opposed != opposed })
}

// questionName is a planned question with its words; the first is the topic, which is
// the title.
func questionName(plan scope.Plan, id string) string {
	at := slices.IndexFunc(plan.Questions, func(q scope.Question) bool { return q.ID == id })
	switch {
	case id == claim.WholeQuestion:
		return "The question as a whole"
	case at < 0:
		return escapeForeign(id, 20)
	}
	return escapeForeign(id+", "+plan.Questions[at].Text, claimInLine)
}

// held says behind an answer whether families agree on it.
func held(a claim.Answer) string {
	switch {
	case a.Agreed:
		return "; families agree on it"
	case a.Opposed:
		return "; they cannot all be followed: see " + divergence
	case len(a.Positions) == 1:
		return "; of one model family alone"
	}
	return ""
}

// sureText is the measured coverage beside what became of the quotations, and
// what other families say of them.
func (p *page) sureText() string {
	if len(p.Registry.Entries) == 0 {
		return "no claim was recorded, so nothing here has evidence that was checked."
	}
	said := quotationCounts(p.Registry.Entries)
	if p.Score.IsMeaningful() {
		said = fmt.Sprintf("coverage %s/100; ", score.FormatScore(p.Score.Final)) + said
	}
	if supported := p.supportedByRivals(); supported > 0 {
		said += fmt.Sprintf("; another model family bears out %s", plural.Of(supported, "claim"))
	}
	return said + "."
}

// quotationCounts says what became of the quotations of claims.
func quotationCounts(entries []claim.Entry) string {
	n, reasoned := map[claim.State]int{}, 0
	for _, e := range entries {
		n[e.Location.State]++
		if e.Kind.RestsOnClaims() {
			reasoned++
		}
	}
	facts := len(entries) - reasoned
	said := fmt.Sprintf("%s; quotations located %d, not found %d, not checked %d", plural.Of(facts, "claim"),
		n[claim.Located], n[claim.NotFound], facts-n[claim.Located]-n[claim.NotFound])
	if reasoned > 0 {
		said += fmt.Sprintf("; %s drawn from them", plural.Of(reasoned, "conclusion"))
	}
	return said
}

func (p *page) supportedByRivals() int {
	n := 0
	for _, e := range p.Registry.Entries {
		if e.Verified() && !e.Support.Own && !e.Kind.RestsOnClaims() {
			n++
		}
	}
	return n
}

// disputedText names the gravest of what is disputed, and of what possibly is where
// nothing else is.
func (p *page) disputedText() string {
	points, possibly := claim.Docket(p.Registry), ""
	if len(points) == 0 {
		points, possibly = claim.WideDocket(p.Registry, nil), "possibly, and nobody has agreed on it: "
	}
	if len(points) == 0 {
		return ""
	}
	var sides []string
	for _, point := range points[:min(len(points), maxGlance)] {
		if len(point.B) == 0 {
			sides = append(sides, p.claimText(point.ID)+", on whose passage judges oppose each other")
			continue
		}
		sides = append(sides, p.claimText(point.Conflict.A)+" against "+p.claimText(point.Conflict.B))
	}
	said := possibly + strings.Join(sides, "; ") + andMore(len(points)-len(sides)) + "."
	if slices.ContainsFunc(points, func(point claim.Point) bool { return len(point.B) > 0 }) {
		said += " Both sides stand under " + divergence + "."
	}
	return said
}

// claimText is a claim in a line, between quotation marks.
func (p *page) claimText(id string) string {
	e, known := p.refs.known[id]
	if !known {
		return escapeForeign(id, 20)
	}
	return "“" + strings.TrimRight(escapeForeign(e.Text, claimInLine), ".") + "”"
}

func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("; and %d more", n)
}

// unknownText names the planned questions that no located claim answers. The first
// is the topic itself. Without a model nothing says which claim answers what.
func (p *page) unknownText() string {
	if p.withoutModel() {
		return ""
	}
	answered := map[string]bool{}
	for _, e := range p.Registry.Entries {
		for _, q := range e.Questions {
			answered[q] = answered[q] || score.IsEvidence(e)
		}
	}
	var open []string
	for i, q := range p.Plan.Questions {
		if i > 0 && !answered[q.ID] {
			open = append(open, "“"+escapeForeign(q.Text, claimInLine)+"”")
		}
	}
	if len(open) == 0 {
		return ""
	}
	shown := open[:min(len(open), maxGlance)]
	return "no located claim answers " + strings.Join(shown, ", ") + andMore(len(open)-len(shown)) + "."
}

func (p *page) costText() string {
	said := p.Spent.Cost()
	if !p.Began.IsZero() && p.Ended.After(p.Began) {
		said += fmt.Sprintf("; %s from question to report", p.Ended.Sub(p.Began).Round(time.Second))
	}
	return said + "."
}

// rejected lists claims that were made and did not hold: their quotation was not
// found, judges found that the passage says otherwise, or their seat withdrew them.
func (p *page) rejected() []string {
	var out []string
	more := 0
	for _, e := range slices.Concat(p.Registry.Entries, p.withdrawn) {
		why := rejection(e)
		switch {
		case why == "":
		case len(out) == maxRejected:
			more++
		default:
			out = append(out, fmt.Sprintf("- %s, said by %s: “%s” %s: %s.", e.ID, escapeForeign(enumerate(e.Seats), 60),
				escapeForeign(e.Text, claimInCell), p.refs.referenceLinks([]claim.Entry{e}), why))
		}
	}
	return append(out, p.restNote(more, "claim")...)
}

// rejection is why a claim did not hold; "" for one that was not refuted.
func rejection(e claim.Entry) string {
	switch {
	case e.IsWithdrawn():
		return "withdrawn" + withPrefix(" (", closeParenthesis(strings.TrimRight(escapeForeign(e.Location.Reason, reasonInLine), ".")))
	case e.Location.State == claim.Unfounded:
		return "what it rests on does not hold" + withPrefix(" (", closeParenthesis(strings.TrimRight(escapeForeign(e.Location.Reason, reasonInLine), ".")))
	case e.Verdict() == claim.Contradicts && e.Kind.RestsOnClaims():
		return "judges have voted that it does not follow" + withPrefix(" (", closeParenthesis(strings.TrimRight(escapeForeign(e.Support.Reason, reasonInLine), ".")))
	case e.Location.State == claim.NotFound:
		return "its quotation was not found" + withPrefix(" (", closeParenthesis(strings.TrimRight(escapeForeign(e.Location.Reason, reasonInLine), ".")))
	case e.Verdict() == claim.Contradicts:
		return "its own passage says otherwise" + withPrefix(" (", closeParenthesis(strings.TrimRight(escapeForeign(e.Support.Reason, reasonInLine), ".")))
	}
	return ""
}
