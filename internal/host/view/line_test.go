package view_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/view"
)

func TestStatusLine(t *testing.T) {
	counted := running()
	counted.Evidence = &flow.Evidence{Claims: 15, Located: 12, NotFound: 3}
	researching := running()
	researching.Seats = nil
	researching.Claims = map[string]claim.Tally{"claude": {Located: 4, NotFound: 1, Reasoned: 2}, "codex": {Located: 1, Unchecked: 2, NotFound: 1, Refused: 3}}
	crowd := running()
	crowd.Seats = slices.Repeat([]status.Seat{{Name: "a", Iteration: 1, Iterations: 2, State: "running"}}, 6)
	over := running()
	over.Seats, over.Spent.USD, over.Limits.USD = nil, 13.2, 12
	subscription := running()
	subscription.Seats, subscription.Spent = nil, status.Money{Tokens: 4000, Unpriced: 4000, Turns: 2}
	free := running()
	free.Seats, free.Spent, free.Limits = nil, status.Money{Turns: 3}, status.Limits{}
	early := running()
	early.Seats, early.Began = nil, after(24*time.Hour)
	disk := running()
	disk.Seats, disk.Paused = nil, "the disk is full"
	orphan := running()
	orphan.Seats, orphan.Supervisor = nil, 0
	asks := running()
	asks.Status, asks.Asking, asks.Seats = status.Paused, &status.Asking{Reason: "the brief is to be confirmed"}, nil
	done := running()
	done.Status = "out_of_budget"
	completed := counted
	reached := 78.0
	completed.Status, completed.Score, completed.Report = "completed", &reached, counted.Folder+"/final-report.md"
	hostile := looks()["hostile"]
	hostile.Seats = []status.Seat{{Name: "a\x1b[31m\u202eb\nc", State: "running", Iterations: 3}}
	cancelled := researching
	cancelled.Status = "cancelled"
	for name, c := range map[string]struct {
		s    status.Status
		want string
	}{
		"cancelled":        {cancelled, "council: cancelled · 5 located, 2 not found, 2 never looked for, 3 refused · $0.42 of $5.00"},
		"at work":          {counted, "council: research 1/6 · claude 3/10 · codex 2/10 goes on in 1m00s · gemini 0/10 failed · 12 located, 3 not found · $0.42 of $5.00 · 12m00s"},
		"not judged yet":   {researching, "council: research 1/6 · 5 located, 2 not found, 2 not checked yet, 3 refused · $0.42 of $5.00 · 12m00s"},
		"six seats":        {crowd, "council: research 1/6 · a 1/2 · a 1/2 · a 1/2 · a 1/2 · a 1/2 · 1 more seat · $0.42 of $5.00 · 12m00s"},
		"over its limit":   {over, "council: research 1/6 · $13.20 of $12.00 (over) · 12m00s"},
		"a subscription":   {subscription, "council: research 1/6 · cost unknown · 12m00s"},
		"nothing is paid":  {free, "council: research 1/6 · 12m00s"},
		"the clock is off": {early, "council: research 1/6 · $0.42 of $5.00 · 0s"},
		"a full disk":      {disk, "council: paused: the disk is full · $0.42 of $5.00"},
		"nobody at work":   {orphan, "council: stopped, go on with council resume · $0.42 of $5.00"},
		"a person is due":  {asks, "council: waits for you: the brief is to be confirmed · $0.42 of $5.00"},
		"ended well":       {completed, "council: done · score 78 · research/20260222-143000-a1b2c3/final-report.md · 12 located, 3 not found · $0.42 of $5.00"},
		"ended":            {done, "council: out of budget · $0.42 of $5.00"},
		"hostile":          {hostile, "council: research 1/6 · ab c 0/3 · $0.42 of $5.00 · 12m00s"},
	} {
		require.Equal(t, c.want, view.StatusLine(c.s, after(12*time.Minute), 200), name)
	}
}

// What has no room is left out whole, the time first and where the run stands last.
func TestAStatusLineFitsItsWidth(t *testing.T) {
	s := running()
	whole := view.StatusLine(s, after(12*time.Minute), 200)
	for width := 0; width <= 130; width++ {
		line := view.StatusLine(s, after(12*time.Minute), width)
		require.LessOrEqual(t, ansi.StringWidth(line), width)
		require.True(t, line == "research 1/6" || line == "" || strings.HasPrefix(whole+" · ", line+" · "), line)
	}
	require.Equal(t, "council: research 1/6 · claude 3/10", view.StatusLine(s, after(0), 40))
	require.Equal(t, "research 1/6", view.StatusLine(s, after(0), 20))
	require.Empty(t, view.StatusLine(s, after(0), 10))
	require.Empty(t, view.StatusLine(looks()["wide"], after(0), -1))
}

func TestForeignLines(t *testing.T) {
	const reset = "\x1b]8;;\x1b\\\x1b[0m"
	link := "\x1b]8;;https://example.invalid\x1b\\link\x1b]8;;\x1b\\"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"two lines":                {"one\ntwo\n", []string{"one", "two"}},
		"no line end":              {"one", []string{"one"}},
		"blank lines":              {"\n \n\x1b[1m\x1b[0m\nthird\r\n", []string{"third"}},
		"more than are shown":      {"1\n2\n3\n4\n", []string{"1", "2", "3"}},
		"colours and a link":       {"\x1b[1;32mgreen\x1b[0m " + link, []string{"\x1b[1;32mgreen\x1b[0m " + link + reset}},
		"a colour without an end":  {"\x1b[41;97mred", []string{"\x1b[41;97mred" + reset}},
		"what moves the terminal":  {"a\x1b[2J\x1b[H\x1b]52;c;UFdO\a\x1b]0;PWNED\a\x1b[?1049h\x1b[6n\rOVER\b\b", []string{"aOVER"}},
		"a title without an end":   {"a \x1b]0;never ends", []string{"a "}},
		"bytes that are no text":   {"a\xffb\x00\x9b1Ac", []string{"a\ufffdb\ufffd1Ac"}},
		"wide characters":          {strings.Repeat("日", 40), []string{strings.Repeat("日", 29) + "…"}},
		"a link to what is no URL": {"\x1b]8;;a b\x1b\\x", []string{"x"}},
	} {
		require.Equal(t, c.want, view.ForeignLines(c.text, 3, 60, true), name)
	}
	require.Equal(t, []string{"green link"}, view.ForeignLines("\x1b[1;32mgreen\x1b[0m "+link, 3, 60, false))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`(\x1b(\[[0-9;]{0,4}[mJH]|\]8;;[a-z]{0,3}(\x1b\\|\x07)?|\]0;)|[a-z日\n\r\x08]){0,30}`)).Draw(t, "text")
		for _, line := range view.ForeignLines(text, 3, 20, false) {
			require.NotContains(t, line, "\x1b")
			require.NotContains(t, line, "\n")
			require.LessOrEqual(t, ansi.StringWidth(line), 20)
		}
	})
}

func TestPaneLines(t *testing.T) {
	s := running()
	s.Evidence = &flow.Evidence{Claims: 15, Located: 12, NotFound: 3}
	s.Seats[0].Activity = "reads\n\x1b[31mruntime/proc.go"
	require.Equal(t, []string{
		"research 1/6", "● claude 3/10: reads runtime/proc.go", "◐ codex 2/10 goes on in 1m00s: 429: too many requests", "✗ gemini 0/10 failed: no login; no usable report",
		"12 located, 3 not found", "$0.42 of $5.00", "12m00s of at most 8h00m", "More: council watch, council serve. End early: council finish",
	}, view.PaneLines(s, after(12*time.Minute)))
}

// A vote that was lost is none of the failures that an answer suffers by, and a librarian
// without files of its kind has none.
func TestWhatFailedIsToldByWhatItCosts(t *testing.T) {
	for _, c := range []struct {
		seat status.Seat
		want string
	}{
		{status.Seat{Role: "research", State: "failed", Reason: "no login"}, "✗ ada 1/1 failed: no login"},
		{status.Seat{Role: "support", State: "failed", Reason: "it wrote nothing"}, "– ada 1/1 missed: it wrote nothing"},
		{status.Seat{Role: "debate", State: "refused", Reason: "the limit"}, "– ada 1/1 missed: the limit"},
		{status.Seat{Role: "research", State: "failed", Reason: "terminal: there are no files of this kind in docs: code"}, "– ada 1/1 no files: terminal: there are no files of this kind in docs: code"},
	} {
		s := running()
		c.seat.Name, c.seat.Iteration, c.seat.Iterations = "ada", 1, 1
		s.Seats = []status.Seat{c.seat}
		require.Equal(t, c.want, view.PaneLines(s, after(0))[1])
	}
}

func TestAStatusHasTheClaimsOfEachSeat(t *testing.T) {
	s := running()
	s.Claims = map[string]claim.Tally{"claude": {Located: 4, NotFound: 1}}
	require.Contains(t, view.Text(s, after(0)), "4 located, 1 not found\n")
	s.Claims["\x1b[31mcodex"] = claim.Tally{Refused: 1}
	require.Contains(t, view.Text(s, after(0)), "4 located, 1 not found, 1 refused ([31mcodex 1 refused; claude 4 located, 1 not found)\n")
	s.Evidence = &flow.Evidence{Claims: 15, Located: 12, NotFound: 3}
	require.Contains(t, view.Text(s, after(0)), "12 located, 3 not found\n", "the registry has been made")
	s.Evidence.Claims = 17
	require.Contains(t, view.Text(s, after(0)), "12 located, 3 not found, 2 not checked\n")
}

// The line below a session, the pane beside it and `council status` name the step that
// `council watch` marks, not one of the engine's own.
func TestEveryViewNamesTheStepOfTheCourse(t *testing.T) {
	s := running()
	s.Phase, s.Step, s.Steps, s.Course = "research", 2, 14, []status.Part{{Name: "0 Scope & Plan", State: "done"}, {Name: "1 Parallel Research", State: "now"}}
	require.Equal(t, "1 Parallel Research", view.PaneLines(s, time.Now())[0])
	require.Contains(t, view.StatusLine(s, time.Now(), 200), "council: 1 Parallel Research")
	require.Contains(t, view.Screen(s, time.Now(), 80), "1 Parallel Research: research")
}
