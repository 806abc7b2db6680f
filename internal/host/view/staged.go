package view

import (
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"

	"github.com/research-council/research-council/internal/base/plural"
)

// addStaged adds where staged research stands, what its gates have said and what
// it wants of a person; of another run what its reviewers have said, if any
// have.
func (p *page) addStaged(s status.Status) {
	if g := staged.StatusOf(s); g != nil {
		p.wrap("stage", stageOf(*g))
		for _, gate := range g.Gates {
			p.wrap("gate", gateLine(gate))
		}
		p.wrap("revision", fmt.Sprintf("%d of at most %d", g.Iteration, g.Iterations))
		p.wrap("page", g.Page)
	}
	p.votes(panel.ResultOf(s.Votes))
	if n := len(s.Issues); n > 0 {
		p.wrap("issues", fmt.Sprintf("%s; council report-log %s", plural.Forms(n, "thing went wrong on the way", "things went wrong on the way"), s.ID))
	}
	if s.Asking != nil {
		p.wrap("waits", s.Asking.Reason)
	}
}

func stageOf(g staged.Status) string {
	if g.Stage == staged.Done {
		return fmt.Sprintf("done, all %d", g.Stages)
	}
	return fmt.Sprintf("%d/%d %s", g.Number, g.Stages, PlainWord(g.Stage))
}

func gateLine(g staged.Gate) string {
	said := "passed"
	if !g.Passed {
		said = "not passed"
	}
	return strings.TrimSuffix(fmt.Sprintf("%s %s: %s", PlainWord(g.Stage), said, g.Reason), ": ")
}

// votes tells how the reviewers have voted.
func (p *page) votes(r *panel.Result) {
	if r == nil {
		return
	}
	text := fmt.Sprintf("%s: %d of %d votes valid, %.0f%% agree", PlainWord(r.FinalVerdict), r.Valid, r.Asked, 100*r.ConsensusScore)
	if len(r.Families) > 0 {
		text += "; families: " + strings.Join(r.Families, ", ")
	}
	if r.SingleFamily {
		text += " (a single family)"
	}
	p.wrap("review", text)
	for _, v := range r.ModelScores {
		p.wrap("", voteLine(v))
	}
	if n := len(r.Points); n > 0 {
		p.wrap("", plural.Forms(n, "point", "points")+" to mend")
	}
}

func voteLine(v panel.ModelScore) string {
	text := fmt.Sprintf("%s %s (%s): ", v.Agent, v.Seat, v.Family)
	switch {
	case v.Verdict == "":
		return text + "no valid vote; " + v.Reason
	case v.Changed:
		text += PlainWord(v.First) + ", then "
	}
	text += PlainWord(v.Verdict)
	if v.Mean > 0 {
		text += fmt.Sprintf(", %.1f of 10", v.Mean)
	}
	return text
}

// answerCommands are the commands by which a person goes on with a run that asks.
// Why a campaign waits names its own.
func answerCommands(s status.Status) [][2]string {
	if campaign.StatusOf(s) != nil {
		return [][2]string{{"cancel", "council cancel " + s.ID}}
	}
	said := [2]string{"answer", "council resume " + s.ID + " --input answers.json   (on a terminal: council resume " + s.ID + ")"}
	if s.Asking.Confirm {
		said = [2]string{"confirm", "council resume " + s.ID + " --confirm   (or --input with other answers)"}
	}
	return [][2]string{{"shown in", s.Asking.File}, said, {"cancel", "council cancel " + s.ID}}
}

// Questions is a page with what a run asks, in lines of at most width cells; 0
// is no bound.
func Questions(q staged.Questions, width int) string {
	page := page{width: width}
	for _, one := range q.WithIDs().Questions {
		page.question(one)
	}
	return page.String()
}

// Question is one of them, with its options numbered.
func Question(q staged.Question, width int) string {
	page := page{width: width}
	page.question(q)
	return page.String()
}

func (p *page) question(q staged.Question) {
	p.wrap(q.ID, q.Question)
	if q.Why != "" {
		p.wrap("", "why: "+q.Why)
	}
	var options []string
	for i, o := range q.Options {
		options = append(options, fmt.Sprintf("%d) %s", i+1, o))
	}
	p.wrap("", strings.Join(options, "   "))
}

// Brief is a page with the brief a person is asked to confirm, in lines of at
// most width cells; 0 is no bound.
func Brief(b staged.Brief, width int) string {
	page := page{width: width}
	page.wrap("topic", b.Topic)
	page.wrap("goal", b.Goal)
	page.wrap("reader", b.Audience)
	page.list("success", b.SuccessCriteria)
	page.list("in scope", b.InScope)
	page.list("left out", b.OutOfScope)
	page.list("bounds", b.Constraints)
	return page.String()
}

// list adds texts below one label, each on a line of its own.
func (p *page) list(label string, texts []string) {
	for _, t := range texts {
		p.wrap(label, "- "+t)
		label = ""
	}
}

// stagedPlan tells what staged research will be before anything of it is paid.
func stagedPlan(s flow.Setup, f forecast.Forecast) *page {
	var page page
	page.wrap("stages", strings.Join(plainWords(staged.Stages()), " → "))
	page.wrap("seats", strings.Join(seatsWithModels(s.Seats), ", "))
	for _, m := range s.Missing {
		page.wrap("MISSING", m.Seat+": "+m.Reason)
	}
	page.reviewers(s)
	page.wrap("collect", fmt.Sprintf("%s at once, facts from %d are enough", plural.Forms(staged.Of(s.Own).Agents, "agent", "agents"), staged.MinReturned(staged.Of(s.Own).Agents)))
	page.wrap("gates", gatesText(s))
	page.wrap("deliver", deliveryText(*staged.Of(s.Own)))
	page.wrap("scope", s.Scope)
	page.wrap("web", SearchText(s))
	page.wrap("limits", limitsText(s))
	page.estimate(f)
	for _, w := range s.Warnings {
		page.wrap("note", w)
	}
	return &page
}

// reviewers adds who votes on the report.
func (p *page) reviewers(s flow.Setup) {
	var list []string
	for i, r := range s.Panel {
		list = append(list, fmt.Sprintf("%s %s (%s)", panel.ReviewerID(i), r.Name, familyText(r)))
	}
	if len(list) == 0 {
		return
	}
	p.wrap("reviewed", "by "+strings.Join(list, ", ")+"; two thirds of the valid votes decide, two have to be valid")
}

func familyText(s flow.Seat) string {
	if s.Brand == "" {
		return "of no known family"
	}
	return s.Brand
}

func gatesText(s flow.Setup) string {
	return fmt.Sprintf("your word on the brief; a subtopic; facts from %s; a verified fact (or, where nobody can judge, a located one); %d recommendations; a risk; %d blocks; approval, with %s back to the synthesis at most",
		plural.Forms(staged.MinReturned(staged.Of(s.Own).Agents), "agent", "agents"), staged.Recommendations, staged.Blocks, plural.Forms(staged.Of(s.Own).Revisions, "way", "ways"))
}

func deliveryText(p staged.Setup) string {
	if p.Notion == "" {
		return "final-report.md; no page in Notion, which is not set up (`council config path`)"
	}
	return "final-report.md, and a page in Notion below " + p.Notion
}

func limitsText(s flow.Setup) string {
	money := "no cap on money (--max-usd sets one)"
	if s.Limits.USD > 0 {
		money = fmt.Sprintf("at most $%.2f", s.Limits.USD)
	}
	text := money + ", at most " + plural.Of(s.Limits.Turns, "turn")
	if s.Limits.Time > 0 {
		text += ", at most " + FormatDuration(s.Limits.Time) + " of work"
	}
	return text
}

func plainWords(list []string) []string {
	var texts []string
	for _, s := range list {
		texts = append(texts, PlainWord(s))
	}
	return texts
}
