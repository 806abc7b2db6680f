package view

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/staged"
)

// lineSeats is how many seats a line has room for.
const lineSeats = 5

// StatusLine is a run in one line of at most width cells, for a host's status
// line: how far, who does what, what was located, money and time. What has no
// room is left out whole, the last first; "" where there is room for nothing.
func StatusLine(s status.Status, now time.Time, width int) string {
	parts := []string{headline(s)}
	if !s.IsOpen() {
		parts = append(parts, resultInLine(s)...)
	} else {
		parts = append(parts, seatsInLine(s, now)...)
	}
	parts = append(parts, ClaimsText(s), MoneyText(s))
	if s.Status == "running" && !s.IsUnattended() && s.Paused == "" {
		parts = append(parts, FormatDuration(Elapsed(s, now)))
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	for ; len(parts) > 0; parts = parts[:len(parts)-1] {
		line := plain.Line("council: "+strings.Join(parts, " · "), maxLineRunes)
		if ansi.StringWidth(line) <= width {
			return line
		}
	}
	if at := plain.Line(placeInLine(s), maxLineRunes); ansi.StringWidth(at) <= width {
		return at
	}
	return ""
}

// maxLineRunes bounds a line, whatever the width.
const maxLineRunes = 400

// headline is where a run stands, in as few words as say it.
func headline(s status.Status) string {
	switch {
	case s.Asking != nil:
		return "waits for you: " + s.Asking.Reason
	case s.IsOpen() && s.Paused != "":
		return "paused: " + s.Paused
	case s.IsUnattended():
		return "stopped, go on with council resume"
	}
	return placeInLine(s)
}

// resultInLine is the score of a run that has ended, and where its report is: from the
// project's folder.
func resultInLine(s status.Status) []string {
	var parts []string
	if s.Score != nil {
		parts = append(parts, "score "+score.FormatScore(*s.Score))
	}
	if at, err := filepath.Rel(filepath.Dir(filepath.Dir(s.Folder)), s.Report); err == nil && s.Report != "" {
		parts = append(parts, at)
	}
	return parts
}

// placeInLine is how far a run has come.
func placeInLine(s status.Status) string {
	switch {
	case s.Status == string(flow.Completed):
		return "done"
	case !s.IsOpen():
		return PlainWord(s.Status)
	case campaign.StatusOf(s) != nil || staged.StatusOf(s) != nil:
		return Stage(s)
	}
	return cmp.Or(stepText(s), fmt.Sprintf("%s %d/%d", s.Phase, s.Step, s.Steps))
}

// stepText is the step of its course that a run is at, by its own name, as logs have it; ""
// for a run that has told no course.
func stepText(s status.Status) string {
	for _, step := range s.Course {
		if step.State == "now" {
			return PlainWord(step.Name)
		}
	}
	return ""
}

func seatsInLine(s status.Status, now time.Time) []string {
	var parts []string
	for _, seat := range s.Seats {
		if len(parts) == lineSeats {
			return append(parts, plural.Of(len(s.Seats)-lineSeats, "more seat"))
		}
		parts = append(parts, seatInLine(seat, now))
	}
	return parts
}

func seatInLine(seat status.Seat, now time.Time) string {
	text := fmt.Sprintf("%s %d/%d", seat.Name, seat.Iteration, seat.Iterations)
	switch {
	case seat.State == "running":
		return text
	case seat.State == "paused" && seat.Until.After(now):
		return text + " goes on in " + FormatDuration(seat.Until.Sub(now))
	}
	return text + " " + StateWord(seat)
}

// ClaimsText is what became of the quotations of all claims: by the registry once
// there is one, until then as they are recorded; "" before any is.
func ClaimsText(s status.Status) string {
	if s.Evidence == nil && !s.IsOpen() {
		return tallyText(s.Recorded(), "never looked for")
	}
	if s.Evidence == nil {
		return TallyText(s.Recorded())
	}
	text := fmt.Sprintf("%d located, %d not found", s.Evidence.Located, s.Evidence.NotFound)
	if open := s.Evidence.Claims - s.Evidence.Located - s.Evidence.NotFound; open > 0 {
		text += fmt.Sprintf(", %d not checked", open)
	}
	return text
}

// TallyText is what has become of claims so far; "" where there are none.
func TallyText(t claim.Tally) string { return tallyText(t, "not checked yet") }

func tallyText(t claim.Tally, unchecked string) string {
	if t == (claim.Tally{}) {
		return ""
	}
	var parts []string
	if t.Located+t.NotFound > 0 {
		parts = append(parts, fmt.Sprintf("%d located, %d not found", t.Located, t.NotFound))
	}
	if t.Unchecked > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", t.Unchecked, unchecked))
	}
	if t.Refused > 0 {
		parts = append(parts, fmt.Sprintf("%d refused", t.Refused))
	}
	return strings.Join(parts, ", ")
}

// claimsOfSeats is the same with what each seat has, where there are several.
func claimsOfSeats(s status.Status) string {
	text := ClaimsText(s)
	if s.Evidence != nil || len(s.Claims) < 2 {
		return text
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s.Claims)) {
		parts = append(parts, name+" "+TallyText(s.Claims[name]))
	}
	return text + " (" + strings.Join(parts, "; ") + ")"
}

// MoneyText is what was spent of what may be; "" for a run that costs nothing.
func MoneyText(s status.Status) string {
	text := s.Spent.Brief()
	switch {
	case text == "free" && s.Limits.USD > 0 && s.Spent.Turns > 0, text == "free" && s.Limits.USD == 0:
		return ""
	case text == "free":
		text = "$0.00"
	case text == "unknown":
		return "cost unknown"
	}
	if s.Limits.USD > 0 {
		text += fmt.Sprintf(" of $%.2f", s.Limits.USD)
	}
	if s.Limits.USD > 0 && s.Spent.USD > s.Limits.USD {
		text += " (over)"
	}
	return text
}

// lineStyle is what a program may write to a terminal to colour what follows, or
// to make a link of it.
var lineStyle = regexp.MustCompile(`\x1b\[[0-9;:]*m|\x1b\]8;[!-:<-~]*;[!-~]*(?:\x1b\\|\a)`)

// ForeignLines are the first lines of what another program has written to be
// shown: at most so many that are not blank, each of at most width cells. Colours
// and links stay where coloured says so, and end with their line; all else that
// moves a terminal is gone.
func ForeignLines(text string, most, width int, coloured bool) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = foreignLine(strings.TrimSuffix(line, "\r"), coloured); strings.TrimSpace(ansi.Strip(line)) == "" {
			continue
		}
		if lines = append(lines, ansi.Truncate(line, width, "…")); len(lines) == most {
			break
		}
	}
	return lines
}

func foreignLine(line string, coloured bool) string {
	var b strings.Builder
	styled := false
	for {
		style := lineStyle.FindStringIndex(line)
		if style == nil {
			b.WriteString(plain.Terminal(plain.WithoutEscapes(line)))
			break
		}
		b.WriteString(plain.Terminal(plain.WithoutEscapes(line[:style[0]])))
		if coloured {
			b.WriteString(line[style[0]:style[1]])
			styled = true
		}
		line = line[style[1]:]
	}
	if styled {
		b.WriteString("\x1b]8;;\x1b\\\x1b[0m")
	}
	return b.String()
}

// signOf tells by shape what the line tells in words: whether a seat works, waits, is done
// or has failed.
func signOf(seat status.Seat) string {
	f, failed := FailureOf(seat)
	switch {
	case f.Minor || hadNoFiles(seat):
		return "–"
	case failed:
		return "✗"
	case seat.State == "running":
		return "●"
	case seat.State == "paused":
		return "◐"
	case seat.State == "waiting":
		return "○"
	}
	return "✓"
}

// PaneLines are a run in a few short lines, for a pane beside a session: how far,
// each seat with its iteration and what it does, what was located, money, time.
func PaneLines(s status.Status, now time.Time) []string {
	lines := []string{headline(s)}
	for _, seat := range s.Seats {
		lines = append(lines, signOf(seat)+" "+strings.TrimSuffix(seatInLine(seat, now)+": "+activityText(seat), ": "))
	}
	lines = append(lines, ClaimsText(s), MoneyText(s), elapsedText(s, now))
	if s.IsOpen() {
		lines = append(lines, "More: council watch, council serve. End early: council finish")
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	for i := range lines {
		lines[i] = plain.Line(lines[i], maxLineRunes)
	}
	return lines
}
