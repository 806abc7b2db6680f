package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/vote"
)

// Bounds of what stands at a glance: lines of each kind, and runes of a claim or
// a question in one.
const (
	maxGlance     = 3
	maxAnswers    = 8 // lines on what seats recommend, where there is no synthesis
	claimInLine   = 100
	wholeClaim    = 400 // and where it stands in whole sentences
	wholeQuestion = 200
	reasonInLine  = 200
)

// glanceSection writes of a page what stands beside the answer.
type glanceSection struct{ *page }

// glance tells what a reader has to know beside the answer: how sure it is, what
// is disputed, what nobody knows.
func (p glanceSection) glance() []string {
	recommended := ""
	if p.Form == Staged { // a council's report begins with it
		recommended = recommendedBriefly(p.page)
	}
	return labelled([][2]string{{"Recommended", recommended}, {"How sure", p.sureText()}, {"Disputed", p.disputedText()}, {"Not known", p.unknownText()}})
}

// bookkeeping tells what evidence there is, who has researched it and what it cost.
func (p glanceSection) bookkeeping() []string {
	return labelled([][2]string{{"Evidence", p.evidenceText()}, {"Who", p.researchersText()}, {"Cost", p.costText()}})
}

// labelled is a list of what was said, each behind its name.
func labelled(list [][2]string) []string {
	var out []string
	for _, l := range list {
		if l[1] != "" {
			out = append(out, "- **"+l[0]+":** "+l[1])
		}
	}
	return out
}

// withGlance puts the glance into the text of a section: behind the answer where a
// recommendation is made, else below the summary.
func (p glanceSection) withGlance(name string, prose map[string][]string) []string {
	text := prose[name]
	if (name == advice) != (len(prose[advice]) > 0) {
		return text
	}
	at := slices.Index(text, "")
	if name != advice || at < 0 || noParagraph().MatchString(text[0]) {
		return spaced(text, p.glance())
	}
	if strings.HasPrefix(text[at+1], remark) { // it belongs to the answer
		if at += 2; at == len(text) {
			return spaced(text, p.glance())
		}
	}
	return spaced(spaced(slices.Clone(text[:at]), p.glance()), text[at+1:])
}

// noParagraph is how a first line begins that is of no paragraph.
var noParagraph = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:[-*+] |[|>#]|```|~~~|[0-9]+[.)] )") })

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
		return strings.TrimSpace(p.failedText())
	}
	failed, how := p.failedText(), " researched it, each alone at first."
	switch {
	case len(names) == 1 && failed != "":
		how = " researched it to a report."
	case len(names) == 1:
		how = " alone researched it."
	}
	return enumerate(names[:min(len(names), maxMembers)]) + andMore(len(names)-maxMembers) + how + failed
}

// failedText names the seats that came to no report and whose claims stand here all the
// same; "" for none.
func (p *page) failedText() string {
	claimed := map[string]bool{}
	for _, e := range p.Registry.Entries {
		for _, seat := range e.Seats {
			claimed[seat] = true
		}
	}
	var names []string
	failed := false
	for _, s := range p.Seats {
		if role, _, _ := strings.Cut(s.Role, " "); role == p.Form.researchRole() && hasFailed(s) && claimed[s.Name] {
			names = append(names, escapeForeign(s.Name, 60))
			failed = failed || !flow.IsFinishedEarly(s.Reason)
		}
	}
	if len(names) == 0 {
		return ""
	}
	end := map[bool]string{false: " was ended", true: " were ended"}[len(names) > 1]
	if failed {
		end = " failed"
	}
	return " " + enumerate(names[:min(len(names), maxMembers)]) + andMore(len(names)-maxMembers) + end + " before a report; what was recorded until then counts."
}

// sureText is the measured coverage, and what judges of other models say of the claims.
// Where no coverage was measured it is what became of the quotations.
func (p glanceSection) sureText() string {
	if len(p.Registry.Entries) == 0 {
		return "no claim was recorded, so nothing here has evidence that was checked."
	}
	said := quotationCounts(p.Registry.Entries)
	if p.Score.IsMeaningful() {
		said = fmt.Sprintf("coverage %s/100 (how much of the question checked evidence covers, not how likely the answer is right)", score.FormatScore(p.Score.Final))
	}
	if supported := p.supportedByRivals(); supported > 0 {
		said += fmt.Sprintf("; judges of another model support %s", plural.Of(supported, "claim"))
	}
	return said + withPrefix("; ", p.weakestText()) + "."
}

// evidenceText is what became of the quotations, where [glanceSection.sureText] does not say it.
func (p glanceSection) evidenceText() string {
	if len(p.Registry.Entries) == 0 || !p.Score.IsMeaningful() {
		return ""
	}
	return quotationCounts(p.Registry.Entries) + "."
}

// weakestText is what keeps the coverage down: the signal that is lowest, and the cap.
func (p glanceSection) weakestText() string {
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

// disputedText counts what was disputed, and names the gravest that is open.
func (p glanceSection) disputedText() string {
	said, points := sentence(vote.Tally(p.Registry.Conflicts)), claim.Docket(p.Registry)
	if len(points) == 0 {
		return said
	}
	side := p.claimText(points[0].Conflict.A) + " against " + p.claimText(points[0].Conflict.B)
	if len(points[0].B) == 0 {
		side = p.claimText(points[0].ID) + ", on whose passage judges oppose each other"
	}
	return strings.TrimSpace(said + " Open: " + side + andMore(len(points)-1) + ".")
}

// claimText is a claim in a line, between quotation marks.
func (p *page) claimText(id string) string {
	e, known := p.refs.known[id]
	if !known {
		return escapeForeign(id, 20)
	}
	return "“" + strings.TrimRight(whole(e.Text, wholeClaim), ".") + "”"
}

func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("; and %d more", n)
}

// unknownText names the planned questions that no located claim answers, nor what is drawn
// from such. The first
// is the topic itself. Without a model nothing says which claim answers what.
func (p glanceSection) unknownText() string {
	if p.withoutModel() {
		return ""
	}
	answered := map[string]bool{}
	for _, e := range p.Registry.Entries {
		for _, q := range e.Questions {
			answered[q] = answered[q] || score.IsEvidence(e) || e.Kind.RestsOnClaims() && e.Holds()
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

func (p glanceSection) costText() string {
	said := p.Spent.Cost()
	if !p.Began.IsZero() && p.Ended.After(p.Began) {
		said += fmt.Sprintf("; %s from question to report", p.Ended.Sub(p.Began).Round(time.Second))
	}
	return said + "."
}
