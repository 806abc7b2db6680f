// Package issues is what went wrong in a run, read off its facts: sources that could
// not be had, turns that failed, answers that were refused, gates that did not
// let it pass, seats that were missing, limits.
package issues

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/host/view"
)

// Codes of what facts themselves tell; those of issues that were met on the way
// are flow's.
const (
	turnFailed   = "turn_failed"   // a turn of a seat ended with a fault
	taskFailed   = "task_failed"   // a seat has left nothing to work with
	gateFailed   = "gate_failed"   // a gate has ended the run
	gateAgain    = "gate_again"    // a gate has sent the run back
	seatMissing  = "seat_missing"  // a seat that was asked for takes no part
	requestNote  = "note"          // something of the request was set otherwise
	limitReached = "limit_reached" // a limit of the run has held something back
	sessionLost  = "session_lost"  // the session that owns the run has ended
	runCancelled = "run_cancelled"
	runFailed    = "run_failed"
	noEvidence   = "no_evidence" // the run has ended, and no quotation was located
)

// Issue is one line of a run's issue log.
type Issue struct {
	At       time.Time `json:"at"`
	Code     string    `json:"code"`
	Stage    string    `json:"stage,omitempty"`
	Visit    int       `json:"visit,omitempty"`
	Seat     string    `json:"seat,omitempty"`
	Turn     int       `json:"turn,omitempty"`
	Class    string    `json:"class,omitempty"` // of a turn's fault
	Detail   string    `json:"detail"`
	Problems []string  `json:"problems,omitempty"` // of an answer, all of them
}

// Log is what `council report-log` answers.
type Log struct {
	Run    string         `json:"run"`
	Status string         `json:"status"`
	Codes  map[string]int `json:"codes"`
	Issues []Issue        `json:"issues"`
}

// Of picks what went wrong out of a run's facts.
func Of(w flow.Workflow, events []flow.Event) Log {
	log := Log{Issues: []Issue{}}
	var r flow.Run
	for _, e := range events {
		before := r
		r = flow.Evolve(r, e)
		for _, m := range factIssues(w, before, e) {
			m.At = e.At
			if m.Stage == "" {
				m.Stage, m.Visit = before.Stage, before.Visit
			}
			log.Issues = append(log.Issues, m)
		}
	}
	log.Run, log.Status = r.Setup.ID, string(r.Status)
	switch {
	case r.IsWaiting():
		log.Status = status.Paused
	case r.Status == "":
		log.Status = "running"
	}
	log.count()
	return log
}

func (l *Log) count() {
	l.Codes = map[string]int{}
	for _, m := range l.Issues {
		l.Codes[m.Code]++
	}
}

// Only keeps the issues of some stages and codes; none named keeps all. A stage
// is named by its own name or by that of its part of the workflow. It says of
// which names there was nothing to keep, where there are issues at all.
func (l Log) Only(w flow.Workflow, stages, codes []string) (kept Log, unmet []string) {
	names := map[string]func(Issue) []string{
		"stage": func(m Issue) []string { return []string{m.Stage, partOf(w, m.Stage)} },
		"code":  func(m Issue) []string { return []string{m.Code} },
	}
	all := l.Issues
	unmet = append(l.unmatched("stage", stages, names["stage"]), l.unmatched("code", codes, names["code"])...)
	named := func(m Issue, flag string, wanted []string) bool {
		return len(wanted) == 0 || slices.ContainsFunc(names[flag](m), func(name string) bool { return name != "" && slices.Contains(wanted, name) })
	}
	l.Issues = slices.DeleteFunc(slices.Clone(all), func(m Issue) bool { return !named(m, "stage", stages) || !named(m, "code", codes) })
	if len(all) > 0 && len(l.Issues) == 0 && len(unmet) == 0 {
		unmet = []string{fmt.Sprintf("run %s met no issue of that stage and that code", l.Run)}
	}
	l.count()
	return l, unmet
}

func (l Log) unmatched(flag string, wanted []string, names func(Issue) []string) (said []string) {
	there := map[string]bool{}
	for _, m := range l.Issues {
		for _, name := range names(m) {
			there[name] = true
		}
	}
	delete(there, "")
	for _, name := range wanted {
		if len(there) > 0 && !there[name] {
			said = append(said, fmt.Sprintf("run %s met no issue of the %s %q; there are some of %s", l.Run, flag, name, strings.Join(slices.Sorted(maps.Keys(there)), ", ")))
		}
	}
	return said
}

// Print is the log for people: a table, and how many there are of each code.
func (l Log) Print(w io.Writer) error {
	if len(l.Issues) == 0 {
		_, err := fmt.Fprintf(w, "Run %s (%s) met no issues.\n", l.Run, strings.ReplaceAll(l.Status, "_", " "))
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TIME\tSTAGE\tSEAT\tCODE\tWHAT")
	for _, m := range l.Issues {
		stage := m.Stage
		if m.Visit > 1 {
			stage = fmt.Sprintf("%s %d", m.Stage, m.Visit)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", m.At.UTC().Format(time.RFC3339), orDash(stage), orDash(m.Seat), orDash(m.Code), view.Cell(m.text(), view.MaxTextRunes))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s in run %s (%s).\n", plain.Terminal(l.tally()), l.Run, strings.ReplaceAll(l.Status, "_", " "))
	return err
}

// tally is how many issues there are of each code, the most first.
func (l Log) tally() string {
	codes := slices.Collect(maps.Keys(l.Codes))
	slices.SortFunc(codes, func(a, b string) int {
		if d := l.Codes[b] - l.Codes[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, code := range codes {
		codes[i] = fmt.Sprintf("%d %s", l.Codes[code], code)
	}
	return strings.Join(codes, ", ")
}

// factIssues are what a fact tells went wrong; r is the run before it.
func factIssues(w flow.Workflow, r flow.Run, e flow.Event) []Issue {
	switch e.Kind {
	case flow.RunBegun, flow.RunReopened:
		return setupIssues(e.Setup)
	case flow.TurnEnded:
		return turnIssues(r, e)
	case flow.TaskEnded:
		return taskIssues(r, e)
	case flow.StageJudged:
		return gateIssues(w, r, e)
	case flow.TimeUp:
		return []Issue{{Code: limitReached, Detail: "the time limit is up: what was found is written down"}}
	case flow.CancelAsked:
		return []Issue{{Code: runCancelled, Detail: e.Reason}}
	case flow.SessionMoved:
		if e.Session == "" {
			return []Issue{{Code: sessionLost, Detail: "the session has ended: " + e.Reason}}
		}
	case flow.IssueMet:
		if e.Issue != nil {
			return []Issue{{Code: e.Issue.Code, Stage: e.Issue.Stage, Seat: e.Issue.Seat, Detail: e.Issue.Detail}}
		}
	case flow.RunEnded:
		code, told := map[flow.Status]string{flow.Failed: runFailed, flow.OutOfBudget: limitReached, flow.NoEvidence: noEvidence}[e.Status]
		if told {
			return []Issue{{Code: code, Detail: "the run has ended: " + e.Reason}}
		}
	}
	return nil
}

// setupIssues is what of a request could not be had.
func setupIssues(s *flow.Setup) []Issue {
	if s == nil {
		return nil
	}
	var list []Issue
	for _, m := range s.Missing {
		list = append(list, Issue{Code: seatMissing, Seat: m.Seat, Detail: m.Reason})
	}
	for _, w := range s.Warnings {
		list = append(list, Issue{Code: requestNote, Detail: w})
	}
	return list
}

// turnIssues tells a turn's fault, or else what its answer lacked. A turn that
// was stopped, or ended by a person's word, says nothing.
func turnIssues(r flow.Run, e flow.Event) []Issue {
	t, ok := r.Task(e.Task)
	if !ok || e.Result == nil || e.Result.Stopped {
		return nil
	}
	m := Issue{Seat: t.Seat, Turn: e.Turn}
	problems := e.Result.Artefact.Problems
	switch f := e.Result.Fault; {
	case f != nil && flow.IsFinishedEarly(f.Message):
		return nil
	case f != nil:
		m.Code, m.Class, m.Detail = turnFailed, string(f.Class), f.Message
	case len(problems) > 0:
		m.Code, m.Detail, m.Problems = flow.AnswerRefused, problems[0], problems
		if n := len(problems); n > 1 {
			m.Detail = fmt.Sprintf("%s, the first: %s", plural.Of(n, "problem"), problems[0])
		}
	default:
		return nil
	}
	return []Issue{m}
}

func taskIssues(r flow.Run, e flow.Event) []Issue {
	t, ok := r.Task(e.Task)
	m := Issue{Code: taskFailed, Seat: t.Seat, Detail: e.Reason}
	switch {
	case !ok:
		return nil
	case e.Limit:
		m.Code = limitReached
	case e.Outcome != loop.Failed || flow.IsFinishedEarly(e.Reason):
		return nil
	}
	return []Issue{m}
}

// gateIssues tells what a gate did not let pass. The stages of a campaign go
// round as a matter of course.
func gateIssues(w flow.Workflow, r flow.Run, e flow.Event) []Issue {
	if e.Verdict == nil {
		return nil
	}
	v := *e.Verdict
	back := v.Move == flow.Again || v.Move == flow.Jump && r.Visits(v.To) > 0
	switch {
	case v.Move == flow.Fail || v.Move == flow.Halt || v.Move == flow.Empty:
		return []Issue{{Code: gateFailed, Detail: v.Reason}}
	case back && !w.Rounds:
		to := r.Stage
		if v.Move == flow.Jump {
			to = v.To
		}
		return []Issue{{Code: gateAgain, Detail: strings.TrimSuffix("back to "+to+": "+v.Reason, ": ")}}
	}
	return nil
}

// partOf is the part of the way a stage belongs to; "" where it has none.
func partOf(w flow.Workflow, stage string) string {
	for _, s := range w.Stages {
		if s.Name == stage {
			return s.Part
		}
	}
	return ""
}

func (m Issue) text() string {
	if m.Class != "" {
		return m.Class + ": " + m.Detail
	}
	return m.Detail
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return view.Cell(text, view.MaxNameRunes)
}
