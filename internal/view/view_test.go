package view_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"research-council/internal/status"
	"research-council/internal/view"
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
		Spent:   status.Money{USD: 0.42, Tokens: 123456, Turns: 7},
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
	free := running()
	free.Spent, free.Limits.USD, free.Waiting = status.Money{}, 0, "the session writes the synthesis"
	return map[string]status.Status{"running": running(), "wide": wide, "hostile": hostile, "paused": paused, "done": done, "free": free}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "%s (go test ./internal/view -update writes it anew)", path)
}

func TestAStatusOnScreensOfSeveralWidths(t *testing.T) {
	for name, s := range looks() {
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
}

func TestNoLineIsWiderThanTheScreenAndNothingEscapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := running()
		s.Topic = rapid.String().Draw(t, "topic")
		s.Seats[0].Activity = rapid.String().Draw(t, "activity")
		s.Seats[1].Reason = string(rapid.SliceOf(rapid.Byte()).Draw(t, "reason"))
		s.Missing = []string{rapid.String().Draw(t, "missing")}
		width := rapid.IntRange(20, 120).Draw(t, "width")
		text := view.Screen(s, after(time.Minute), width)
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			require.LessOrEqual(t, ansi.StringWidth(line), width, "%q", line)
			require.NotContains(t, line, "\x1b")
			require.Equal(t, line, view.Clean(line))
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
		"nothing that costs has begun": {status.Money{}, "free so far of at most $5.00"},
		"told by the seats":            {status.Money{USD: 1, Tokens: 900, Turns: 2}, "$1.00 (reported) of at most $5.00, 900 tokens, 2 turns of at most 96"},
		"reckoned from a list":         {status.Money{USD: 1, Estimated: true, Tokens: 20_000, Turns: 2}, "$1.00 (estimated) of at most $5.00, 20k tokens, 2 turns of at most 96"},
		"no price known":               {status.Money{Tokens: 12_000_000, Turns: 2}, "$0.00 (none reported) of at most $5.00, 12M tokens, 2 turns of at most 96"},
	} {
		t.Run(name, func(t *testing.T) {
			s := running()
			s.Spent = c.spent
			require.Equal(t, c.want, view.Cost(s))
		})
	}
}
