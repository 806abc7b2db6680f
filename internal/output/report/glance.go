package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/score"
)

// Bounds of what stands at a glance: lines of each kind, and runes of a claim or
// a question in one.
const (
	maxGlance      = 3
	maxAnswers     = 8 // lines on what seats recommend, where there is no synthesis
	claimInLine    = 100
	questionInLine = 60
	reasonInLine   = 120
)

// glance tells what a reader has to know beside the answer: how sure it is, what
// is disputed, what nobody knows, who has researched it, what it cost.
func (p *page) glance() []string {
	var out []string
	add := func(name, said string) {
		if said != "" {
			out = append(out, "- **"+name+":** "+said)
		}
	}
	if p.Form == Staged { // a council's report begins with it
		add("Recommended", recommendedBriefly(p))
	}
	add("How sure", p.sureText())
	add("Disputed", p.disputedText())
	add("Not known", p.unknownText())
	add("Who", p.researchersText())
	add("Cost", p.costText())
	return out
}

// researchersText names the seats that researched, by which the report speaks of them,
// with their models.
func (p *page) researchersText() string {
	var names []string
	for _, s := range p.Seats {
		if role, _, _ := strings.Cut(s.Role, " "); role == p.Form.researchRole() && !hasFailed(s) && !p.withoutModel() {
			names = append(names, escapeForeign(s.Name, 60)+withPrefix(" (", closeParenthesis(escapeForeign(s.Model, 60))))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return enumerate(names[:min(len(names), maxMembers)]) + andMore(len(names)-maxMembers) + " researched it, each alone at first."
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
	return said + withPrefix("; ", p.weakestText()) + "."
}

// weakestText is what keeps the coverage down: the signal that is lowest, and the cap.
func (p *page) weakestText() string {
	if !p.Score.IsMeaningful() {
		return ""
	}
	weakest := p.Score.Signals[0]
	for _, s := range p.Score.Signals {
		if s.Value < weakest.Value {
			weakest = s
		}
	}
	said := ""
	if weakest.Value < 1 && weakest.Name != "" {
		said = fmt.Sprintf("weakest in %s (%.0f %%)", strings.ToLower(escapeForeign(weakest.Name, 60)), math.Round(100*weakest.Value))
	}
	if p.Score.Cap < 1 {
		said = strings.TrimPrefix(said+withPrefix("; ", escapeForeign(p.Score.CapReason, 200)), "; ")
	}
	return said
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

// disputedText names the gravest of what is disputed, or of what possibly is where
// nothing else is, and says how much was settled.
func (p *page) disputedText() string {
	points, possibly := claim.Docket(p.Registry), ""
	if len(points) == 0 {
		points, possibly = claim.WideDocket(p.Registry, nil), "possibly, and nobody has agreed on it: "
	}
	settled := 0
	for _, c := range p.disputes {
		if !score.IsOpen(c) {
			settled++
		}
	}
	ended := ""
	if settled > 0 {
		ended = fmt.Sprintf("%s settled", plural.Of(settled, "conflict"))
	}
	if len(points) == 0 {
		return withPrefix("nothing is open; ", sentence(ended))
	}
	side := p.claimText(points[0].Conflict.A) + " against " + p.claimText(points[0].Conflict.B)
	if len(points[0].B) == 0 {
		side = p.claimText(points[0].ID) + ", on whose passage judges oppose each other"
	}
	return possibly + side + andMore(len(points)-1) + withPrefix("; ", ended) + "."
}

// claimText is a claim in a line, between quotation marks.
func (p *page) claimText(id string) string {
	e, known := p.refs.known[id]
	if !known {
		return escapeForeign(id, 20)
	}
	return "“" + strings.TrimRight(shortened(e.Text, claimInLine), ".") + "”"
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
