package staged_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/product/staged"
)

// stagedNotices are what people are told while those facts come in.
func stagedNotices(facts []flow.Event) []string {
	var r flow.Run
	var list []string
	for _, e := range facts {
		r = flow.Evolve(r, e)
		for _, n := range staged.Notices(r, e) {
			list = append(list, n.Level+": "+n.Text)
		}
	}
	return list
}

// Staged research takes hours and asks its person twice: they are told of each
// of the eight stages, once, of what waits for them, and of the end.
func TestPeopleAreToldHowStagedResearchGoes(t *testing.T) {
	var facts []flow.Event
	w := newStaged(t, stagedSetup())
	w.heard = func(e flow.Event) { facts = append(facts, e) }
	setup := stagedSetup()
	r := w.ends()
	got := stagedNotices(append([]flow.Event{{Seq: 1, Kind: flow.RunBegun, Setup: &setup}}, facts...))
	require.Equal(t, []string{
		"info: Stage 1/8: discovery",
		"warning: Waiting for you: 10 questions wait for answers",
		"warning: Waiting for you: the brief waits for a person to confirm it",
		"info: Stage 2/8: planning",
		"info: Stage 3/8: collection",
		"info: Stage 4/8: factcheck",
		"info: Stage 5/8: synthesis",
		"info: Stage 6/8: devils_advocate",
		"info: Stage 7/8: report",
		"info: Stage 8/8: review",
		"info: Research complete: " + r.Reason,
	}, got)
}

func TestPeopleAreToldWhatGoesWrongInStagedResearch(t *testing.T) {
	in := flow.Run{Setup: stagedSetup(), Stage: agent.Planning, Visit: 1}
	failed := in
	failed.Status, failed.Reason = flow.Failed, "Gate failed: planning"
	for name, c := range map[string]struct {
		run  flow.Run
		fact flow.Event
		want []status.Notice
	}{
		"a stage takes too long": {
			in,
			flow.Event{Kind: flow.IssueMet, Issue: &flow.Issue{Code: flow.TooSlow, Detail: "planning has taken 31m of 30m"}},
			[]status.Notice{{Text: "planning has taken 31m of 30m", Level: "warning"}},
		},
		"one source of many does not answer": {in, flow.Event{Kind: flow.IssueMet, Issue: &flow.Issue{Code: flow.SourceFailed, Detail: "arxiv.org"}}, nil},
		"it has failed": {
			failed,
			flow.Event{Kind: flow.RunEnded, Status: flow.Failed},
			[]status.Notice{{Text: "Research failed: Gate failed: planning", Level: "error"}},
		},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, staged.Notices(c.run, c.fact)) })
	}
}

// A stage that is late is told of once, and once more where it is visited again
// and is late again.
func TestAStageThatIsLateIsToldOfOnce(t *testing.T) {
	at := func(minutes int) time.Time {
		return time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC).Add(time.Duration(minutes) * time.Minute)
	}
	r := flow.Run{Setup: stagedSetup(), Stage: agent.Findings, Visit: 1, Entered: at(60)}
	late := func(stage string, minute int) []flow.Issue {
		return []flow.Issue{{Code: flow.TooSlow, Stage: stage, At: at(minute)}}
	}
	for name, c := range map[string]struct {
		issues []flow.Issue
		want   bool
	}{
		"nobody was told":                  {nil, false},
		"they were told just now":          {late(staged.Synthesis, 90), true},
		"that was of another stage":        {late(staged.Planning, 90), false},
		"that was of the visit before":     {late(staged.Synthesis, 30), false},
		"something else was wrong with it": {[]flow.Issue{{Code: flow.SourceFailed, Stage: staged.Synthesis, At: at(90)}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r.Issues = c.issues
			require.Equal(t, c.want, staged.IsLateTold(r, staged.Synthesis))
		})
	}
}
