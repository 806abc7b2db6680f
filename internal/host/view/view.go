// Package view is how a run looks to a person: the text of its status, the
// list of a project's runs, and the live screen.
//
// Everything that comes from a question, an agent or a file is data: control
// characters and marks that turn or hide text are taken out before it reaches
// a terminal, and columns are counted as terminals count them. What is shown
// is read by others; nothing here opens a file.
package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plural"

	"github.com/charmbracelet/x/ansi"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/product/campaign"
)

// topicCells is how much of a question is shown where the width sets no bound.
const topicCells = 200

// SeatNames lists the seats of a run for a sentence.
func SeatNames(s flow.Setup) string {
	var names []string
	for _, seat := range s.Seats {
		names = append(names, seat.Name)
	}
	return strings.Join(names, ", ")
}

// PanelNames lists the reviewers of a run for a sentence.
func PanelNames(s flow.Setup) string {
	var names []string
	for _, seat := range s.Panel {
		names = append(names, seat.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Text is a run's status without bounds on its width, for pipes and messages.
func Text(s status.Status, now time.Time) string { return Screen(s, now, 0) }

// Screen is a run's status in lines of at most width cells; 0 is no bound.
// Seats and the question are cut at the edge, paths and commands go on below.
func Screen(s status.Status, now time.Time, width int) string {
	page := page{width: width}
	page.cut(heading(s, now))
	page.cut(quoted(subjectText(s)))
	if !s.IsOpen() || s.Waiting != "" || s.Paused != "" || s.IsUnattended() {
		page.wrap("state", stateText(s))
	}
	page.wrap("course", courseText(s))
	page.addCampaign(s)
	page.addStaged(s)
	page.review(s)
	page.table(seatRows(s, now))
	for _, x := range s.Seats {
		if f, failed := FailureOf(x); failed {
			page.wrap("failed", strings.TrimSuffix(x.Name+" "+f.What+". What to do: "+f.Do, ". What to do: "))
		}
	}
	for _, m := range s.Missing {
		page.wrap("MISSING", m)
	}
	if s.Score != nil {
		page.wrap("score", fmt.Sprintf("%s/100 (%s)", score.FormatScore(*s.Score), s.Mode))
	}
	page.wrap("claims", claimsOfSeats(s))
	page.wrap("cost", Cost(s))
	page.wrap("time", elapsedText(s, now))
	page.wrap("files", s.Folder)
	page.wrap("report", s.Report)
	for _, c := range commands(s) {
		page.wrap(c[0], c[1])
	}
	return page.String()
}

func heading(s status.Status, now time.Time) string {
	state := stateWord(s)
	parts := []string{s.ID, state}
	if s.IsOpen() && campaign.StatusOf(s) == nil {
		parts = append(parts, Place(s))
	}
	return strings.Join(append(parts, FormatDuration(Elapsed(s, now))), "  ")
}

// stateWord is how a run stands in a word.
func stateWord(s status.Status) string {
	switch {
	case s.IsUnattended() || s.Paused != "":
		return "paused"
	case s.Starting:
		return "starting"
	}
	return PlainWord(s.Status)
}

func stateText(s status.Status) string {
	if s.Status == "running" {
		if s.Paused == "" && s.Waiting == "" && s.IsUnattended() {
			return "no supervisor is at work on it"
		}
		return cmp.Or(s.Paused, s.Waiting)
	}
	return strings.TrimSuffix(PlainWord(s.Status)+": "+s.Reason, ": ")
}

// courseText is the way of a run in one line, with what has become of each part.
func courseText(s status.Status) string {
	var parts []string
	for _, p := range s.Course {
		p.Name = PlainWord(p.Name)
		if p.State != "next" {
			p.Name += " (" + p.State + ")"
		}
		parts = append(parts, p.Name)
	}
	return strings.Join(parts, " → ")
}

func seatRows(s status.Status, now time.Time) [][]string {
	var rows [][]string
	for _, seat := range s.Seats {
		rows = append(rows, []string{
			"  " + seat.Name, StateWord(seat), fmt.Sprintf("%d/%d", seat.Iteration, seat.Iterations), activityAge(seat, now), activityText(seat),
		})
	}
	return rows
}

// activityAge is the age of a running seat's last sign of life, or the time until a
// paused one goes on.
func activityAge(seat status.Seat, now time.Time) string {
	switch {
	case seat.State == "paused" && seat.Until.After(now):
		return "goes on in " + FormatDuration(seat.Until.Sub(now))
	case seat.State == "running" && !seat.Active.IsZero():
		return FormatDuration(now.Sub(seat.Active)) + " ago"
	}
	return ""
}

func activityText(seat status.Seat) string {
	if seat.State == "running" && seat.Activity != "" {
		if said := Doing(seat.Activity); !strings.HasPrefix(said, says) {
			return said
		}
		return seat.Activity
	}
	if seat.Reason != "" {
		return seat.Reason
	}
	return seat.Model
}

// Cost tells what a run has cost, of what it may cost, and where the figure
// comes from.
func Cost(s status.Status) string {
	switch {
	case s.Spent.USD != 0 || s.Spent.Tokens != 0:
	case s.IsOpen() && s.Spent.Turns == 0:
		return "nothing so far" + capped(s)
	default:
		return s.Spent.Cost()
	}
	text := s.Spent.Cost() + capped(s)
	if s.Spent.Tokens != s.Spent.Unpriced || s.Limits.Tokens > 0 { // else they are named already
		text += fmt.Sprintf(", %s tokens", count(s.Spent.Tokens))
	}
	if s.Limits.Tokens > 0 {
		text += " of at most " + count(s.Limits.Tokens)
	}
	text += ", " + plural.Of(s.Spent.Turns, "turn")
	if s.Limits.Turns > 0 {
		text += fmt.Sprintf(" of at most %d", s.Limits.Turns)
	}
	return text
}

func capped(s status.Status) string {
	if s.Limits.USD == 0 {
		return ", no cap on money"
	}
	if s.Spent.Unpriced > 0 {
		return fmt.Sprintf(", of at most $%.2f or %s such tokens", s.Limits.USD, budget.Grouped(s.Limits.Unpriced))
	}
	return fmt.Sprintf(" of at most $%.2f", s.Limits.USD)
}

func count(n int64) string {
	switch {
	case n >= 10_000_000:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 10_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

func elapsedText(s status.Status, now time.Time) string {
	text := FormatDuration(Elapsed(s, now))
	if s.Limits.Minutes > 0 {
		text += " of at most " + FormatDuration(time.Duration(s.Limits.Minutes*float64(time.Minute)))
	}
	return text
}

// Elapsed is how long a run has gone on, or had when it ended.
func Elapsed(s status.Status, now time.Time) time.Duration {
	if s.Status != "running" {
		return s.Spent.Elapsed
	}
	return now.Sub(s.Began)
}

func commands(s status.Status) [][2]string {
	switch {
	case s.Asking != nil:
		return answerCommands(s)
	case s.IsUnattended():
		return [][2]string{{"go on", "council resume " + s.ID}, {"cancel", "council cancel " + s.ID}}
	case s.Status == "running":
		return [][2]string{
			{"follow", "council watch " + s.ID},
			{"browse", "council serve"},
			{"finish", "council finish " + s.ID + " (a report from what there is)"},
			{"cancel", "council cancel " + s.ID},
		}
	}
	return nil
}

// roomForQuestions is how many cells a list of runs has at least where their questions
// stand in its last column; where it has fewer, each stands below its run.
const roomForQuestions = 100

// List is a line for each run, the newest first, or two where the lines are narrow, of at
// most width cells; 0 is no bound.
func List(runs []status.Status, now time.Time, width int) string {
	below := width > 0 && width < roomForQuestions
	rows := [][]string{{"RUN", "STATE", "PHASE", "TIME", "COST", "QUESTION"}}
	for _, s := range runs {
		rows = append(rows, []string{s.ID, stateWord(s), Stage(s), FormatDuration(Elapsed(s, now)), Price(s), quoted(subjectText(s))})
	}
	var questions []string
	for i, row := range rows {
		if below {
			questions, rows[i] = append(questions, row[len(row)-1]), row[:len(row)-1]
		}
	}
	table := page{width: width}
	table.table(rows)
	if !below {
		return table.String()
	}
	list := page{width: width, lines: table.lines[:1:1]}
	for i, line := range table.lines[1:] {
		list.cut(line)
		list.cut("  " + questions[i+1])
	}
	return list.String()
}

// Price is what a run has cost, for a column.
func Price(s status.Status) string {
	return s.Spent.Brief()
}

// Changes tells in lines what is new since a run looked otherwise, for those
// who watch without a screen.
func Changes(before, after status.Status) []string {
	var lines []string
	if line := positionChange(before, after); line != "" {
		lines = append(lines, line)
	}
	old := map[string]status.Seat{}
	for _, seat := range before.Seats {
		old[seat.Name+seat.Role] = seat
	}
	for _, seat := range after.Seats {
		was := old[seat.Name+seat.Role]
		if was.State != seat.State || was.Iteration != seat.Iteration || was.Activity != seat.Activity {
			line := fmt.Sprintf("%s %s %s %d/%d: %s", seat.Name, seat.Role, StateWord(seat), seat.Iteration, seat.Iterations, activityText(seat))
			lines = append(lines, strings.TrimSuffix(line, ": "))
		}
	}
	switch {
	case before.Status == after.Status:
	case after.Asking != nil:
		lines = append(lines, "run waits for you: "+after.Asking.Reason)
	case after.Status != "running":
		lines = append(lines, "run "+stateText(after))
	}
	for i := range lines {
		lines[i] = plain.Terminal(lines[i])
	}
	return lines
}

// FormatDuration is a length of time in its two largest units.
func FormatDuration(d time.Duration) string {
	d = max(0, d).Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return fmt.Sprintf("%dh%02dm", h, m)
	case m > 0:
		return fmt.Sprintf("%dm%02ds", m, s)
	}
	return fmt.Sprintf("%ds", s)
}

func quoted(topic string) string {
	return "“" + ansi.Truncate(strings.Join(strings.Fields(plain.Terminal(topic)), " "), topicCells, "…") + "”"
}

// PlainWord is a state as people write it.
func PlainWord(state string) string { return strings.NewReplacer("_", " ", "-", " ").Replace(state) }
