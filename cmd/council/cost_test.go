package main

import (
	"bytes"
	"html"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/output/export"
	written "github.com/research-council/research-council/internal/output/report"
	"github.com/research-council/research-council/internal/output/telemetry"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/staged"
)

const reportedNothing = "$0.00 (as the providers report)"

// wherever is every place that tells what a run has cost, by its name.
func wherever(t *testing.T, facts []flow.Event) map[string]string {
	t.Helper()
	r := flow.Replay(facts)
	st := status.Of(staged.Workflow(), r, "/p/research/x")
	final := written.Final{ID: r.Setup.ID, Topic: "How?", Status: "completed", Began: r.Began, Ended: r.At, Spent: r.Spent}
	markdown := written.Render(final)
	pub := export.Publication{Report: markdown, ID: r.Setup.ID, Topic: "How?", Written: r.At}
	places := map[string]string{
		"status": view.Text(st, r.At), "report": string(markdown),
		"campaign result": string(written.RenderCodeCampaign(written.CodeCampaign{Final: final, Name: "x", Slug: "x"})),
	}
	for _, form := range export.Forms() {
		data, err := export.Write(pub, form)
		require.NoError(t, err)
		places["export "+string(form)] = html.UnescapeString(string(data))
	}
	places["list"] = view.List([]status.Status{st}, r.At, 0)
	price := status.Price{USD: r.Spent.USD, Estimated: r.Spent.Estimated, Reported: r.Spent.Reported, Tokens: r.Spent.Tokens, Unpriced: r.Spent.Unpriced}
	st.Own = campaign.OwnStatus(&campaign.Status{Mode: string(campaign.Research), Phases: []campaign.PhaseCost{{Phase: "A", Iterations: 1, Price: price}}, Recent: []campaign.IterationCost{{Iteration: 1, Role: "explore", Price: price}}})
	places["campaign"] = view.Text(st, r.At)
	var log []string
	for n := range facts {
		log = append(log, status.LogLine(staged.Workflow(), flow.Replay(facts[:n+1]), facts[n])) // also what notices are made of
	}
	places["progress log"] = strings.Join(log, "\n")
	var tree bytes.Buffer
	require.NoError(t, view.Trace(&tree, telemetry.Spans(facts)))
	places["trace"] = tree.String()
	before := st
	before.Phase = "questions"
	places["watch"] = strings.Join(view.Changes(before, st), "\n")
	return places
}

// storyOf is the facts of a run with one seat in one stage, a minute apart.
func storyOf(setup flow.Setup, facts ...flow.Event) []flow.Event {
	setup.ID = "20260222-143000-a1b2c3"
	tasks := []flow.Task{{ID: "collection.1/claude", Seat: "claude", Role: "collection"}}
	facts = append([]flow.Event{{Kind: flow.RunBegun, Setup: &setup}, {Kind: flow.StageEntered, Stage: "collection", Visit: 1, Tasks: tasks}}, facts...)
	for i := range facts {
		facts[i].Seq, facts[i].At = i+1, time.Date(2026, 2, 22, 14, 30+i, 0, 0, time.UTC)
	}
	return facts
}

// paidTurn is the n-th turn of a run's one seat.
func paidTurn(n int, r flow.Result) []flow.Event {
	end := flow.Event{Kind: flow.TurnEnded, Task: "collection.1/claude", Turn: 1, Result: &r}
	end.Turn = n
	return []flow.Event{{Kind: flow.TurnStarted, Task: end.Task, Turn: n}, end}
}

func TestNothingSpentIsSaidOnlyWhereAProviderSaidSo(t *testing.T) {
	silent := flow.Result{Tokens: 36_000, Unpriced: 36_000, Counted: 36_000}
	zero := flow.Result{Tokens: 12_000, Reported: true}
	paid := flow.Result{Tokens: 12_000, USD: 0.42, Reported: true}
	for _, c := range []struct {
		name    string
		results []flow.Result
		cost    string // where it is told at length
		brief   string // in a column
		nothing bool   // it may be said that nothing was spent
	}{
		{"nobody reported a price", []flow.Result{silent}, "unknown: 36,000 tokens without a price", "unknown", false},
		{"one reported nothing", []flow.Result{zero}, reportedNothing, "$0.00", true},
		{"one reported a price", []flow.Result{paid}, "$0.42 (as the providers report)", "$0.42", false},
		{"one did, one did not", []flow.Result{paid, silent}, "$0.42 (as the providers report) and 36,000 tokens without a price", "over $0.42", false},
		{"one reported nothing, one did not report", []flow.Result{zero, silent}, reportedNothing + " and 36,000 tokens without a price", "unknown", true},
		{"no model was asked", []flow.Result{{}}, "none: no model was paid for", "free", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var facts []flow.Event
			for i, r := range c.results {
				facts = append(facts, paidTurn(i+1, r)...)
			}
			places := wherever(t, storyOf(flow.Setup{Workflow: staged.Name, Seats: []flow.Seat{{Name: "claude"}}}, facts...))
			for place, text := range places {
				if !c.nothing {
					require.NotContains(t, text, "$0.00", place)
				}
				if strings.Contains(text, "as the providers report") {
					require.Contains(t, strings.ReplaceAll(strings.ReplaceAll(text, `\$`, "$"), `\`, ""), c.cost, place)
				}
			}
			for _, place := range []string{"status", "report", "campaign result", "campaign", "export md", "export html"} {
				require.Contains(t, places[place], c.cost, place)
			}
			require.Contains(t, places["list"], c.brief)
			if c.brief != "free" {
				require.Contains(t, places["trace"], strings.TrimPrefix(c.brief, "over "))
			}
		})
	}
}

func TestAnEstimateIsMarkedInEveryColumn(t *testing.T) {
	facts := storyOf(flow.Setup{Workflow: staged.Name, Seats: []flow.Seat{{Name: "claude"}}}, paidTurn(1, flow.Result{Tokens: 10, USD: 0.5, Estimated: true})...)
	for place, text := range wherever(t, facts) {
		if place == "list" || place == "trace" {
			require.Contains(t, text, "~$0.50", place)
		}
		require.NotContains(t, text, "as the providers report", place)
	}
}
