package view_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/campaign"
)

var update = flag.Bool("update", false, "write the golden files anew")

var began = time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return began.Add(d) }

func running() status.Status {
	return status.Status{
		ID: "20260222-143000-a1b2c3", Topic: "How does the Go scheduler\nsteal work?", Phase: "research", Step: 1, Steps: 6,
		Status: "running", Began: began, At: after(11 * time.Minute), Supervisor: 4711, Folder: "/home/ada/project/research/20260222-143000-a1b2c3",
		Seats: []status.Seat{
			{Name: "claude", Role: "research", State: "running", Iteration: 3, Iterations: 10, Active: after(12*time.Minute - 5*time.Second), Activity: "reads runtime/proc.go"},
			{Name: "codex", Role: "research", State: "paused", Iteration: 2, Iterations: 10, Until: after(13 * time.Minute), Reason: "429: too many requests"},
			{Name: "gemini", Role: "research", State: "failed", Iterations: 10, Reason: "no login; no usable report"},
		},
		Missing: []string{"local: not found in PATH"},
		Spent:   status.Money{USD: 0.42, Reported: true, Tokens: 123456, Turns: 7},
		Limits:  status.Limits{USD: 5, Minutes: 480, Turns: 96},
	}
}

func looks() map[string]status.Status {
	wide := running()
	wide.Topic = "調度器如何竊取工作？" + strings.Repeat("非常", 60)
	wide.Seats[0].Activity = "閱讀文件閱讀文件閱讀文件閱讀文件閱讀文件閱讀文件"
	hostile := running()
	hostile.Topic = "\x1b[2J\x1b]0;owned\x07 reverse \u202eesrever\u202c hidden\u200b\U000e0041\u2028next"
	hostile.Seats[0].Activity = "\x1b[31mred\r\nsecond line\x9b1A"
	hostile.Folder = "/tmp/\x1b[8mhidden"
	paused := running()
	paused.Supervisor, paused.Seats = 0, nil
	done := running()
	done.Status, done.Phase, done.Step, done.At, done.Supervisor = "out_of_budget", "synthesis", 6, after(time.Hour), 0
	done.Reason, done.Report, done.Missing, done.Spent.Estimated = "$4.60 of $5.00 spent", done.Folder+"/final-report.md", nil, true
	done.Spent.Elapsed, done.Spent.Reported = time.Hour, false
	free := running()
	free.Spent, free.Limits.USD, free.Waiting = status.Money{}, 0, "the session writes the synthesis"
	return map[string]status.Status{"running": running(), "wide": wide, "hostile": hostile, "paused": paused, "done": done, "free": free}
}

// campaigns are campaigns in each phase, under way and ended.
func campaigns() map[string]status.Status {
	researching := running()
	researching.Topic, researching.Spent, researching.Missing = "How do agents keep a memory?", status.Money{USD: 4.2, Reported: true, Tokens: 900_000, Turns: 8}, nil
	researching.Course = []status.Part{{Name: "Phase A: Research", State: "now"}, {Name: "Phase B: Planning", State: "next"}, {Name: "Phase C: Implementation", State: "next"}}
	researching.Seats = []status.Seat{{Name: "claude", Role: "explore", State: "running", Iteration: 1, Iterations: 1, Active: after(11 * time.Minute), Activity: "reads a page"}}
	researching.Own = campaign.OwnStatus(&campaign.Status{
		Name: "agent memory", Mode: "full-auto", Phase: "Phase A: Research", Iteration: 8, Iterations: 100, Measured: 7,
		Findings: 21, New: 3, Low: 1, Threshold: 3, Sources: 47, Questions: 4, Folder: "docs/research-agent-memory",
		Phases: []campaign.PhaseCost{{Phase: "Phase A: Research", Iterations: 8, Price: status.Price{USD: 4.2, Tokens: 900_000}}},
		Recent: []campaign.IterationCost{
			{Iteration: 8, Phase: "Phase A: Research", Role: "explore"},
			{Iteration: 7, Phase: "Phase A: Research", Role: "explore", Price: status.Price{USD: 0.61, Tokens: 120_000}},
			{Iteration: 6, Phase: "Phase A: Research", Role: "explore", Price: status.Price{USD: 0.5, Estimated: true, Tokens: 100_000}},
			{Iteration: 5, Phase: "Phase A: Research", Role: "explore", Price: status.Price{Tokens: 100_000}},
		},
		Progress: "Phase A: Research, iteration 7/100: 3 new findings (21), 47 sources, $4.20",
	})
	planning := with(researching, func(c *campaign.Status) {
		c.Phase, c.Iteration, c.Measured, c.Blockers = "Phase B: Planning", 13, 13, []string{"B2 \x1b[31mthe store has one writer", "B3 nobody deletes"}
		c.Progress = "Phase B: Planning, iteration 13/100: 2 open blockers, 4 resolved, 6 components, $9.10"
	})
	built := with(researching, func(c *campaign.Status) {
		c.Phase, c.Iteration, c.Measured = "Phase C: Implementation", 40, 40
		c.Features = campaign.FeatureCounts{Total: 12, Complete: 9, Failed: 1, Blocked: 2}
		c.Progress = "Phase C: Implementation, iteration 40/100: F012 passes, 9/12 features passing, 1 failed, 2 blocked, $60.00"
	})
	built.Status, built.Reason, built.Supervisor, built.At = "completed", "Implementation complete — 9/12 features passing", 0, after(30*time.Hour)
	built.Spent.Elapsed = 30 * time.Hour
	return map[string]status.Status{"campaign-research": researching, "campaign-plan": planning, "campaign-built": built}
}

func with(s status.Status, change func(*campaign.Status)) status.Status {
	c := *campaign.StatusOf(s)
	change(&c)
	s.Own = campaign.OwnStatus(&c)
	return s
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "%s (go test ./internal/host/view -update writes it anew)", path)
}

func TestAStatusOnScreensOfSeveralWidths(t *testing.T) {
	all := looks()
	maps.Copy(all, campaigns())
	for name, s := range all {
		for _, width := range []int{0, 100, 60, 40} {
			t.Run(fmt.Sprintf("%s at %d", name, width), func(t *testing.T) {
				golden(t, fmt.Sprintf("%s-%d", name, width), view.Screen(s, after(12*time.Minute), width))
			})
		}
	}
}

func TestAListOfRuns(t *testing.T) {
	all := looks()
	runs := []status.Status{all["running"], all["wide"], all["done"], all["paused"], all["free"], all["hostile"]}
	for _, width := range []int{0, 80} {
		golden(t, fmt.Sprintf("list-%d", width), view.List(runs, after(12*time.Minute), width))
	}
	all = campaigns()
	runs = []status.Status{all["campaign-built"], all["campaign-plan"], all["campaign-research"], running()}
	golden(t, "list-campaigns", view.List(runs, after(12*time.Minute), 0))
}

func TestAnIterationIsToldOnceItIsMeasured(t *testing.T) {
	first := campaigns()["campaign-research"]
	require.Equal(t, "Phase A: Research, iteration 7/100: 3 new findings (21), 47 sources, $4.20", view.Changes(status.Status{}, first)[0])
	dearer := with(first, func(c *campaign.Status) {
		c.Progress = "Phase A: Research, iteration 7/100: 3 new findings (21), 47 sources, $4.90"
	})
	require.Empty(t, view.Changes(first, dearer), "the next iteration has begun to cost")
	measured := with(dearer, func(c *campaign.Status) {
		c.Measured, c.Progress = 8, "Phase A: Research, iteration 8/100: 0 new findings (21), 47 sources, $5.00"
	})
	require.Equal(t, []string{"Phase A: Research, iteration 8/100: 0 new findings (21), 47 sources, $5.00"}, view.Changes(dearer, measured))
	planning := with(measured, func(c *campaign.Status) { c.Phase, c.Iteration = "Phase B: Planning", 9 })
	require.Equal(t, []string{"full-auto, Phase B: Planning, iteration 9/100"}, view.Changes(measured, planning))
	new := with(first, func(c *campaign.Status) { c.Iteration, c.Measured, c.Progress = 1, 0, "" })
	require.Equal(t, "full-auto, Phase A: Research, iteration 1/100", view.Changes(status.Status{}, new)[0])
}

func TestNoLineIsWiderThanTheScreenAndNothingEscapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := running()
		s.Topic = rapid.String().Draw(t, "topic")
		s.Seats[0].Activity = rapid.String().Draw(t, "activity")
		s.Seats[1].Reason = string(rapid.SliceOf(rapid.Byte()).Draw(t, "reason"))
		s.Missing = []string{rapid.String().Draw(t, "missing")}
		if rapid.Bool().Draw(t, "a campaign") {
			s.Own = campaign.OwnStatus(&campaign.Status{Name: rapid.String().Draw(t, "name"), Blockers: []string{rapid.String().Draw(t, "blocker")}, Progress: rapid.String().Draw(t, "progress"), Features: campaign.FeatureCounts{Total: 1, Next: rapid.String().Draw(t, "next")}})
		}
		width := rapid.IntRange(20, 120).Draw(t, "width")
		text := view.Screen(s, after(time.Minute), width)
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			require.LessOrEqual(t, ansi.StringWidth(line), width, "%q", line)
			require.NotContains(t, line, "\x1b")
			require.Equal(t, line, plain.Terminal(line))
		}
		require.Contains(t, text, "cancel")
		require.Contains(t, text, "gemini")
	})
}

func TestChangesAreToldOnce(t *testing.T) {
	before, now := running(), running()
	require.Empty(t, view.Changes(before, now))
	now.Phase, now.Step = "refinement", 3
	now.Seats[0].Iteration, now.Seats[0].Activity = 4, "writes \x1b[31mthe report"
	require.Equal(t, []string{"phase 3/6 refinement", "claude research running 4/10: writes [31mthe report"}, view.Changes(before, now))
	ended := now
	ended.Status, ended.Reason = "out_of_budget", "$5.00 of $5.00 spent"
	require.Equal(t, []string{"run out of budget: $5.00 of $5.00 spent"}, view.Changes(now, ended))
}

func TestWhereAFigureComesFrom(t *testing.T) {
	for name, c := range map[string]struct {
		spent status.Money
		want  string
	}{
		"nothing that costs has begun": {status.Money{}, "nothing so far of at most $5.00"},
		"told by the seats":            {status.Money{USD: 1, Reported: true, Tokens: 900, Turns: 2}, "$1.00 (as the providers report) of at most $5.00, 900 tokens, 2 turns of at most 96"},
		"reckoned from a list":         {status.Money{USD: 1, Estimated: true, Tokens: 20_000, Turns: 2}, "$1.00 (estimated from tokens and configured prices) of at most $5.00, 20k tokens, 2 turns of at most 96"},
		"no price known":               {status.Money{Tokens: 12_000_000, Unpriced: 12_000_000, Turns: 2}, "unknown: 12,000,000 tokens without a price, of at most $5.00 or 500,000 such tokens, 2 turns of at most 96"},
	} {
		t.Run(name, func(t *testing.T) {
			s := running()
			s.Spent, s.Limits.Unpriced = c.spent, 500_000
			require.Equal(t, c.want, view.Cost(s))
		})
	}
}

// Paused is never said without why.
func TestARunThatNobodyWorksOnSaysSo(t *testing.T) {
	s := running()
	s.Supervisor = 0
	require.Contains(t, view.Text(s, after(time.Minute)), "no supervisor is at work on it")
	s.Starting = true
	begun := view.Text(s, after(time.Second))
	require.Contains(t, begun, s.ID+"  starting")
	require.Contains(t, begun, "council watch "+s.ID)
	require.NotContains(t, begun, "no supervisor is at work on it")
	require.NotContains(t, begun, "council resume")
	s.Supervisor, s.Starting = 4711, false
	require.NotContains(t, view.Text(s, after(time.Minute)), "no supervisor is at work on it")
}

// A run that waits for room on its disk says so, whether or not anybody is at work on it.
func TestAFullDiskIsSeenInTheStatus(t *testing.T) {
	for _, supervisor := range []int{0, 4711} {
		s := running()
		s.Supervisor, s.Paused = supervisor, "append to journal: no space left on device"
		text := view.Text(s, after(12*time.Minute))
		require.Contains(t, text, s.ID+"  paused")
		require.Contains(t, text, "append to journal: no space left on device")
	}
}

func TestASeatThatALimitHeldBackIsToldApartFromOneThatAFinishDid(t *testing.T) {
	for reason, do := range map[string]string{
		"the time limit of 30m0s is up": "a limit left it no room",
		flow.FinishedEarly:              "nothing: the run was finished before its turn came",
	} {
		f, failed := view.FailureOf(status.Seat{Name: "bo", Role: "debate", State: "refused", Reason: reason})
		require.True(t, failed)
		require.Equal(t, "took no part in the debate: "+reason, f.Line())
		require.Contains(t, f.Do, do)
	}
}

// A seat that a finish has ended is told nothing of limits, whatever else came of it.
func TestASeatThatAFinishEndedHasNothingToMend(t *testing.T) {
	ended := status.Seat{Name: "bo", Role: "research", State: "failed", Fault: "timed-out", Reason: flow.FinishedEarly + "; it wrote no report"}
	require.Equal(t, "missed", view.StateWord(ended), "a person ended it")
	f, failed := view.FailureOf(ended)
	require.True(t, failed)
	require.Equal(t, "nothing: the run was finished while it was at work", f.Do)
}

// What to do is said where it is known what kind of fault it was, and nowhere else.
func TestWhatToDoFitsTheFault(t *testing.T) {
	for reason, do := range map[string]string{
		"401: the login has expired":                           "log in to it anew",
		"status 403: forbidden":                                "log in to it anew",
		"Invalid API key · Please run /login":                  "log in to it anew",
		"did not start (status 127): sh: codex: not found":     "mend its program",
		`model "opus-9": not found`:                            "name another model",
		"Quota exceeded. Check your plan and billing details.": "its account lets it do no more",
		"Codex ran out of room in the model's context window":  "its work outgrew its model",
		"prompt too long: 210000 tokens":                       "its work outgrew its model",
		"status 3: kettle: no water":                           "",
		"read what was written: input/output error":            "",
	} {
		f, failed := view.FailureOf(status.Seat{Name: "bo", Role: "research", State: "failed", Fault: "terminal", Reason: reason})
		require.True(t, failed)
		if do == "" {
			require.Empty(t, f.Do, reason)
			continue
		}
		require.Contains(t, f.Do, do, reason)
	}
	s := running()
	s.Seats = []status.Seat{{Name: "bo", Role: "research", State: "failed", Fault: "terminal", Reason: "status 3: kettle: no water"}}
	require.Contains(t, view.Text(s, after(time.Minute)), "bo left no report\n")
}
