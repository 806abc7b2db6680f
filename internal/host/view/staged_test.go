package view_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
)

// stagedLooks is staged research where it asks, works, is sent back and has
// ended.
func stagedLooks() map[string]status.Status {
	asks := running()
	asks.Status, asks.Seats, asks.Missing, asks.Supervisor = staged.Paused, nil, nil, 0
	asks.Spent.Elapsed = 11 * time.Minute
	asks.Own = staged.OwnStatus(&staged.Status{Stage: staged.Discovery, Number: 1, Stages: 8, Iterations: 2})
	asks.Asking = &status.Asking{Since: asks.At, Reason: "10 questions wait for answers", File: asks.Folder + "/questions.json"}
	shows := asks
	shows.Asking = &status.Asking{Since: asks.At, Reason: "the brief waits for a person to confirm it", File: asks.Folder + "/brief.json", Confirm: true}

	back := running()
	back.Missing, back.Issues = nil, []flow.Issue{{Code: "data_source_failed"}}
	back.Seats = []status.Seat{{Name: "claude A1", Role: "collection", State: "complete", Iteration: 1, Iterations: 3}}
	back.Own = staged.OwnStatus(&staged.Status{
		Stage: staged.Synthesis, Number: 5, Stages: 8, Iteration: 1, Iterations: 2, Verdict: panel.NeedsRevision,
		Gates: []staged.Gate{
			{Stage: staged.Discovery, Passed: true, Reason: "the brief is confirmed"},
			{Stage: staged.Collection, Passed: true, Reason: "4 of 5 agents returned data"},
			{Stage: staged.Review, Reason: "the reviewers want \x1b[31ma revision"},
		},
	})
	back.Votes = panel.OwnResult(&panel.Result{
		FinalVerdict: panel.NeedsRevision, ConsensusScore: 2.0 / 3, Valid: 2, Asked: 3, Families: []string{"anthropic", "openai"},
		ModelScores: []panel.ModelScore{
			{Agent: "R1", Seat: "claude", Family: "anthropic", Verdict: panel.NeedsRevision, First: panel.Approved, Changed: true, Mean: 6.25},
			{Agent: "R2", Seat: "openai", Family: "openai", Verdict: panel.NeedsRevision, First: panel.NeedsRevision, Mean: 5},
			{Agent: "R3", Seat: "groq", Family: "meta", Reason: "429: too many \u202erequests"},
		},
		Points: []panel.RevisionPoint{{Section: "Key Findings"}},
	})
	done := back
	done.Status, done.Supervisor, done.Seats = "completed", 0, nil
	done.Spent.Elapsed = 11 * time.Minute
	done.Own = staged.OwnStatus(&staged.Status{Stage: staged.Done, Number: 9, Stages: 8, Iteration: 1, Iterations: 2, Page: "https://notion.invalid/p"})
	done.Votes = panel.OwnResult(&panel.Result{FinalVerdict: panel.Approved, ConsensusScore: 1, Valid: 3, Asked: 3, Families: []string{"anthropic"}, SingleFamily: true})
	return map[string]status.Status{"staged-asks": asks, "staged-shows": shows, "staged-back": back, "staged-done": done}
}

func TestStagedResearchOnScreens(t *testing.T) {
	for name, s := range stagedLooks() {
		for _, width := range []int{0, 60} {
			golden(t, fmt.Sprintf("%s-%d", name, width), view.Screen(s, after(12*time.Minute), width))
		}
	}
	all := stagedLooks()
	golden(t, "list-staged", view.List([]status.Status{all["staged-asks"], all["staged-back"], all["staged-done"]}, after(12*time.Minute), 0))
}

func TestWatchersAreToldOfStagesAndOfWhatARunAsks(t *testing.T) {
	all := stagedLooks()
	working := all["staged-back"]
	working.Phase = staged.Planning
	working.Own = staged.OwnStatus(&staged.Status{Stage: staged.Planning, Number: 2, Stages: 8})
	require.Equal(t, []string{"run waits for you: 10 questions wait for answers"}, view.Changes(quiet(all["staged-back"], 1), quiet(all["staged-asks"], 1)))
	require.Equal(t, []string{"stage 5/8 synthesis"}, view.Changes(working, all["staged-back"]))
	step := all["staged-back"]
	step.Step++
	require.Empty(t, view.Changes(all["staged-back"], step), "a stage is made of steps nobody counts")
	require.Contains(t, view.Changes(all["staged-back"], all["staged-done"]), "run completed")
}

// quiet is a status in the first stage, with no seats to tell of.
func quiet(s status.Status, stage int) status.Status {
	s.Seats = nil
	s.Own = staged.OwnStatus(&staged.Status{Stage: staged.Discovery, Number: stage, Stages: 8})
	return s
}

func TestAPlanOfStagedResearch(t *testing.T) {
	s := flow.Setup{
		Workflow: staged.Name, Tier: "standard", Scope: "/home/ada/project", Warnings: []string{"reviewer groq cannot take part: no key"},
		Seats:   []flow.Seat{{Name: "claude", Model: "a-model", Brand: "anthropic"}, {Name: "librarian", Kind: "librarian", Free: true}},
		Missing: []flow.Missing{{Seat: "codex", Reason: "not found in PATH"}},
		Panel:   []flow.Seat{{Name: "claude", Brand: "anthropic"}, {Name: "openai", Brand: "openai"}, {Name: "own"}},
		Own:     staged.Own(&staged.Setup{Agents: 5, Revisions: 2}), Limits: budget.Limits{Turns: 300, USD: 20, Time: 8 * time.Hour},
	}
	golden(t, "plan-staged", view.Plan(s, forecast.Of(staged.Demand(s), nil)))
	staged.Of(s.Own).Notion, s.Limits.USD = "0123abcd", 0
	require.Contains(t, view.Plan(s, forecast.Of(staged.Demand(s), nil)), "final-report.md, and a page in Notion below 0123abcd")
	require.Contains(t, view.Plan(s, forecast.Of(staged.Demand(s), nil)), "no cap on money")
	s.Own, s.Plan = staged.Own(nil), scope.Plan{}
	require.Contains(t, view.Plan(s, forecast.Of(council.Demand(s), nil)), "reviewed by R1 claude (anthropic), R2 openai (openai), R3 own (of no known family)")
	require.Equal(t, []view.PlannedReviewer{{Agent: "R1", Seat: "claude", Family: "anthropic"}, {Agent: "R2", Seat: "openai", Family: "openai"}, {Agent: "R3", Seat: "own"}}, view.NewPlannedRun(s, forecast.Forecast{}).Reviewers)
}

func TestQuestionsAndABriefOnPages(t *testing.T) {
	q := staged.Questions{Questions: []staged.Question{
		{ID: "Q1", Question: "Is it for a decision or for a talk, and who is to decide or to listen?", Why: "It decides what counts.", Options: []string{"a decision", "a talk"}},
		{ID: "Q2", Question: "By when?"},
	}}
	golden(t, "questions-40", view.Questions(q, 40))
	b := staged.Brief{Topic: "Pacing", Goal: "To decide", SuccessCriteria: []string{"It is known what paces it, and how far that goes", "It is cited"}, InScope: []string{"Go"}, OutOfScope: []string{"Java"}, Audience: "us"}
	golden(t, "brief-40", view.Brief(b, 40))
}

// Whatever models write, a page of theirs obeys the terminal's edge and holds
// nothing a terminal obeys.
func TestPagesHoldWhateverModelsWrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 200, -1)
		width := rapid.IntRange(20, 120).Draw(t, "width")
		q := staged.Question{ID: "Q1", Question: text.Draw(t, "question"), Why: text.Draw(t, "why"), Options: []string{text.Draw(t, "option")}}
		b := staged.Brief{Topic: text.Draw(t, "topic"), Goal: text.Draw(t, "goal"), SuccessCriteria: []string{text.Draw(t, "criterion")}}
		for _, page := range []string{view.Question(q, width), view.Questions(staged.Questions{Questions: []staged.Question{q}}, width), view.Brief(b, width)} {
			for line := range strings.Lines(page) {
				line = strings.TrimSuffix(line, "\n")
				require.Equal(t, line, plain.Terminal(line))
				require.LessOrEqual(t, ansi.StringWidth(line), width)
			}
		}
	})
}

// Why a campaign waits says what a person can do; nothing else is advised.
func TestACampaignThatWaitsIsGivenOneAdvice(t *testing.T) {
	s := status.Status{
		ID: "20260222-143000-a1b2c3", Status: "paused_for_input", Own: campaign.OwnStatus(&campaign.Status{}),
		Asking: &status.Asking{Reason: "nobody else could judge F001. `council campaign accept shelf F001 --reason …` decides", File: "questions.json"},
	}
	text := view.Text(s, time.Now())
	require.Contains(t, text, "council campaign accept shelf F001")
	require.NotContains(t, text, "answers.json")
	require.NotContains(t, text, "questions.json")
	require.NotContains(t, text, "council resume")
	require.Contains(t, text, "council cancel "+s.ID)
}
