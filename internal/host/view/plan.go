package view

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
)

// PlannedRun is a run before it begins, for `--dry-run --json`.
type PlannedRun struct {
	scope.Plan
	Seats    []string          `json:"seats"`
	Missing  []string          `json:"missing,omitempty"`
	Scope    string            `json:"scope,omitempty"`
	Warnings []string          `json:"warnings,omitempty"`
	Estimate forecast.Forecast `json:"estimate"`

	Planner  string `json:"planner,omitempty"` // the model that splits the question before anybody researches; "" where rules do
	EditPlan bool   `json:"edit_plan,omitempty"`

	Reviewers []PlannedReviewer `json:"reviewers,omitempty"`
	Staged    *staged.Setup     `json:"staged,omitempty"`
}

// PlannedReviewer is who reviews.
type PlannedReviewer struct {
	Agent  string `json:"agent"` // R1, R2, …
	Seat   string `json:"seat"`
	Family string `json:"family"`
	Model  string `json:"model,omitempty"`
}

// seatsWithModels lists seats with their models.
func seatsWithModels(seats []flow.Seat) []string {
	var list []string
	for _, s := range seats {
		list = append(list, strings.TrimSuffix(s.Name+" ("+s.Model+")", " ()"))
	}
	return list
}

// NewPlannedRun is what a setup comes to, and what it may take.
func NewPlannedRun(s flow.Setup, f forecast.Forecast) PlannedRun {
	p := PlannedRun{Plan: s.Plan, Scope: s.Scope, Warnings: s.Warnings, Estimate: f}
	p.Seats, p.EditPlan = seatsWithModels(s.Seats), s.EditPlan
	if s.Planner != nil {
		p.Planner = seatsWithModels([]flow.Seat{*s.Planner})[0]
	}
	for i, seat := range s.Panel {
		p.Reviewers = append(p.Reviewers, PlannedReviewer{panel.ReviewerID(i), seat.Name, seat.Brand, seat.Model})
	}
	p.Staged = staged.Of(s.Own)
	for _, m := range s.Missing {
		p.Missing = append(p.Missing, m.Seat+": "+m.Reason)
	}
	return p
}

// Plan tells what a run will be before anything of it is paid.
func Plan(s flow.Setup, f forecast.Forecast) string { return planPage(s, f).String() }

// PlanRows is the same in pairs of a label and a text; one without a label goes on with
// what stands above it.
func PlanRows(s flow.Setup, f forecast.Forecast) [][2]string { return planPage(s, f).rows }

func planPage(s flow.Setup, f forecast.Forecast) *page {
	if staged.Of(s.Own) != nil {
		return stagedPlan(s, f)
	}
	p := NewPlannedRun(s, f)
	var page page
	page.wrap("plan", fmt.Sprintf("mode %s (by %s), debate %s, budget %s, agents %d", p.Mode, p.ModeFrom, p.Debate, p.Budget, p.Agents))
	page.wrap("seats", strings.Join(p.Seats, ", "))
	for _, m := range p.Missing {
		page.wrap("MISSING", m)
	}
	page.reviewers(s)
	for _, w := range p.Work {
		page.wrap("shard", assignment(w))
	}
	page.wrap("scope", p.Scope)
	page.wrap("web", SearchText(s))
	for _, line := range planningLines(s) {
		page.wrap("planner", line)
	}
	for _, q := range p.Questions[min(1, len(p.Questions)):] {
		page.wrap("question", q.ID+" "+q.Text)
	}
	page.estimate(f)
	for _, note := range append(p.Warnings, p.Lowered...) {
		page.wrap("note", note)
	}
	for _, a := range p.Advice {
		page.wrap("advice", a.Text)
	}
	return &page
}

// SearchText says by which engines the web is searched, and what of that is paid; "" where
// none is set up for the run.
func SearchText(s flow.Setup) string {
	var list []string
	for _, e := range s.Network.Search {
		name := e.Engine
		if e.USD > 0 {
			name += fmt.Sprintf(" ($%.4f a search)", e.USD)
		}
		list = append(list, name)
	}
	if len(list) == 0 {
		return ""
	}
	return "searched by " + strings.Join(list, ", ")
}

// planningLines say who splits the question, and whether the run waits then.
func planningLines(s flow.Setup) []string {
	var lines []string
	if s.Planner != nil {
		who := s.Planner.Model
		if who == "" {
			who = "a model of " + s.Planner.Brand
		}
		lines = append(lines, fmt.Sprintf("%s splits the question before anybody researches (--no-plan leaves it to rules, --edit-plan lets you edit it)", who))
	}
	if s.EditPlan {
		lines = append(lines, "the run waits then until you have edited them")
	}
	return lines
}

func assignment(w scope.Assignment) string {
	var names []string
	for _, s := range w.Shards {
		names = append(names, s.ID+" "+s.Name)
	}
	return w.Seat + ": " + strings.Join(names, ", ")
}

// Dollars writes an amount as short as it is exact, with cents at least.
func Dollars(usd float64) string {
	exact := strconv.FormatFloat(usd, 'f', -1, 64)
	if short := fmt.Sprintf("%.2f", usd); len(exact) <= len(short) {
		return "$" + short
	}
	return "$" + exact
}
