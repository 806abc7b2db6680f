// Package status is what a run looks like to people and to watchers.
//
// [Of] projects a run into the value that stands in status.json; [LogLine] turns
// one fact into a line of the progress log. Both are pure. How they look on a
// screen is left to package view.
package status

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/experiment"
)

// Status is one run at one moment.
type Status struct {
	ID         string    `json:"id"`
	Workflow   string    `json:"workflow"`
	Topic      string    `json:"topic"`
	Phase      string    `json:"phase"`            // of the state file
	Step       int       `json:"step"`             // of the workflow's stages, from 1
	Steps      int       `json:"steps"`            // how many there are
	Course     []Part    `json:"course,omitempty"` // the parts of the way, the plan first
	Mode       string    `json:"mode,omitempty"`
	Score      *float64  `json:"score,omitempty"`  // of the evidence, 0 to 100, once it has been measured
	Status     string    `json:"status"`           // running, paused_for_input, completed, failed, cancelled, out_of_budget, no_evidence
	Reason     string    `json:"reason,omitempty"` // why it ended so
	Began      time.Time `json:"began"`
	At         time.Time `json:"at"`    // of the last fact
	Facts      int       `json:"facts"` // how many there are in the journal
	Tier       string    `json:"tier"`
	Seats      []Seat    `json:"seats"`
	Missing    []string  `json:"missing,omitempty"` // seats that could not take part, with the reason
	Spent      Money     `json:"spent"`
	Limits     Limits    `json:"limits"`
	Report     string    `json:"report,omitempty"` // absolute path of the final report, once it is there
	Folder     string    `json:"folder"`           // the run's folder, absolute
	Supervisor int       `json:"supervisor,omitempty"`
	Starting   bool      `json:"starting,omitempty"` // it was begun a moment ago, and its supervisor is on its way; added by who shows the status
	Waiting    string    `json:"waiting,omitempty"`  // what the run waits for, where it is not a seat
	Paused     string    `json:"paused,omitempty"`   // why nothing goes on for now: a disk is full; added by who shows the status

	Own     flow.Own     `json:"own,omitzero"`      // what the product says of it
	Asking  *Asking      `json:"asking,omitempty"`  // nil while no person is asked
	Heeds   bool         `json:"heeds,omitempty"`   // what people say to it reaches those who work
	Reopens bool         `json:"reopens,omitempty"` // it has stopped, and can be gone on with where it did
	Votes   flow.Own     `json:"votes,omitzero"`    // of the last review of its report; added by who shows the status
	Issues  []flow.Issue `json:"issues,omitempty"`  // what went wrong on the way and stopped nothing
	Uses    []Use        `json:"uses,omitempty"`    // what each seat has used in each role

	Evidence    *flow.Evidence   `json:"evidence,omitempty"`    // what became of the quotations; nil before any was looked for
	Experiments *experiment.Used `json:"experiments,omitempty"` // what the seats have had the program run; nil for nothing

	Claims map[string]claim.Tally `json:"claims,omitempty"` // what each seat has recorded so far; counted beside the journal
}

// Recorded is what all seats have recorded so far.
func (s Status) Recorded() (sum claim.Tally) {
	for _, t := range s.Claims {
		sum = sum.Plus(t)
	}
	return sum
}

// SeatNames lists the seats that have had a task, each once.
func SeatNames(r flow.Run) []string {
	var names []string
	for _, t := range LatestTasks(r) {
		if !slices.Contains(names, t.Seat) {
			names = append(names, t.Seat)
		}
	}
	return names
}

// Paused is the Status of a run that waits for a person.
const Paused = "paused_for_input"

// Asking is what a run wants of a person.
type Asking struct {
	Since   time.Time `json:"since"`
	Reason  string    `json:"reason"`
	File    string    `json:"file,omitempty"` // absolute: what they are shown
	Confirm bool      `json:"confirm"`        // their word opens the gate; otherwise answers do
}

// IsOpen reports whether a run has not ended: it is under way, or waits for a
// person.
func (s Status) IsOpen() bool { return s.Status == "running" || s.Status == Paused }

// IsUnattended reports whether a run is under way with nobody at work on it, and
// nobody on the way.
func (s Status) IsUnattended() bool { return s.Status == "running" && s.Supervisor == 0 && !s.Starting }

// Notice is what people are told of a run wherever they are.
type Notice struct {
	Text  string
	Level string // info, warning or error
}

// Part is a part of the way a run goes.
type Part struct {
	Name  string `json:"name"`
	State string `json:"state"`           // done, now, next, skipped, or how the run ended there: failed or cancelled
	Plain string `json:"plain,omitempty"` // its name for who watches, where that is another one

	Took  time.Duration `json:"took_ns,omitempty"` // by what of it has ended
	Since time.Time     `json:"since,omitzero"`    // when what is under way of it began; zero for nothing
}

// Said is its name for who watches.
func (p Part) Said() string { return strings.ReplaceAll(cmp.Or(p.Plain, p.Name), "_", " ") }

// Seat is one seat in the current stage.
type Seat struct {
	Name       string    `json:"name"`
	Role       string    `json:"role"`
	State      string    `json:"state"` // waiting, running, paused, or the outcome
	Iteration  int       `json:"iteration"`
	Iterations int       `json:"iterations"` // at most
	Turn       int       `json:"turn"`
	Model      string    `json:"model,omitempty"`
	Activity   string    `json:"activity,omitempty"` // what it did last
	Active     time.Time `json:"active,omitzero"`    // when it did
	Until      time.Time `json:"until,omitzero"`     // a paused seat goes on then
	PID        int       `json:"pid,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	Fault      string    `json:"fault,omitempty"` // the class of the fault that its last turn ended with, as agent.Class
}

// Progress is how far a seat is, of how much, in iterations: one that has said it is
// complete is at the end, however few it took.
func (s Seat) Progress() (part, whole int) {
	if s.State == string(loop.Complete) {
		return s.Iterations, s.Iterations
	}
	return s.Iteration, s.Iterations
}

// Money is what the run has used.
type Money struct {
	USD       float64       `json:"usd"`
	Estimated bool          `json:"estimated,omitempty"`
	Reported  bool          `json:"reported,omitempty"`
	Reckoned  bool          `json:"reckoned,omitempty"`
	Tokens    int64         `json:"tokens"`
	Unpriced  int64         `json:"unpriced,omitempty"` // of the tokens those without a price: usd is without them
	Turns     int           `json:"turns"`
	Elapsed   time.Duration `json:"elapsed_ns"`
}

// Cost says what was spent, and where the figure comes from.
func (m Money) Cost() string { return m.spent().Cost() }

// Brief is the same for a column.
func (m Money) Brief() string { return m.spent().Brief() }

func (m Money) spent() budget.Spent {
	return budget.Spent{USD: m.USD, Estimated: m.Estimated, Reported: m.Reported, Reckoned: m.Reckoned, Tokens: m.Tokens, Unpriced: m.Unpriced}
}

// Limits of the run; 0 is none.
type Limits struct {
	USD     float64 `json:"usd,omitempty"`
	Tokens  int64   `json:"tokens,omitempty"`
	Minutes float64 `json:"minutes,omitempty"`
	Turns   int     `json:"turns,omitempty"`

	Unpriced int64 `json:"unpriced,omitempty"` // tokens without a price that stand for the whole of usd
}

// Parse reads what stands in status.json.
func Parse(data []byte) (Status, error) {
	var s Status
	if err := json.Unmarshal(data, &s); err != nil {
		return Status{}, fmt.Errorf("read status: %w", err)
	}
	return s, nil
}

// Of projects a run.
func Of(w flow.Workflow, r flow.Run, folder string) Status {
	s := Status{
		ID: r.Setup.ID, Workflow: r.Setup.Workflow, Topic: r.Setup.Topic, Phase: w.Phase(r),
		Steps: len(w.Stages), Status: "running", Reason: r.Reason, Began: r.Began, At: r.At, Facts: r.Seq, Tier: r.Setup.Tier, Folder: folder,
		Spent:  Money{USD: r.Spent.USD, Estimated: r.Spent.Estimated, Reported: r.Spent.Reported, Reckoned: r.Spent.Reckoned, Tokens: r.Spent.Tokens, Unpriced: r.Spent.Unpriced, Turns: r.Spent.Turns, Elapsed: timeWorked(r)},
		Limits: Limits{USD: r.Setup.Limits.USD, Tokens: r.Setup.Limits.Tokens, Minutes: r.Setup.Limits.Time.Minutes(), Turns: r.Setup.Limits.Turns, Unpriced: r.Setup.Limits.Unpriced},
	}
	if r.Status != "" {
		s.Status = string(r.Status)
	}
	for i, stage := range w.Stages {
		if stage.Name == r.Stage {
			s.Step = i + 1
		}
	}
	s.Mode, s.Course, s.Uses = string(r.Setup.Plan.Mode), course(w, r), Uses(r)
	s.Heeds = w.Heeds && r.Setup.HasModel() && r.Status == ""
	s.Reopens = w.Reopens && (r.Status == flow.Failed || r.Status == flow.OutOfBudget)
	if found, ok := lastScore(r); ok && !w.Unscored && r.Setup.HasModel() {
		s.Score = &found
	}
	for _, m := range r.Setup.Missing {
		s.Missing = append(s.Missing, m.Seat+": "+m.Reason)
	}
	for _, t := range LatestTasks(r) {
		s.Seats = append(s.Seats, seatOf(r, t))
	}
	s.Issues, s.Evidence, s.Experiments = r.Issues, lastEvidence(r), experiments(r)
	if r.IsWaiting() {
		s.Status, s.Asking = Paused, newAsking(w, r, folder)
	}
	if w.Status != nil {
		s.Own = w.Status(r)
	}
	return s
}

// experiments is what all seats have had run; nil for nothing.
func experiments(r flow.Run) *experiment.Used {
	if len(r.Experiments) == 0 {
		return nil
	}
	var sum experiment.Used
	for _, u := range r.Experiments {
		sum.Number += u.Number
		sum.Seconds += u.Seconds
	}
	sum.Seconds = math.Round(sum.Seconds*10) / 10
	return &sum
}

func newAsking(w flow.Workflow, r flow.Run, folder string) *Asking {
	a := Asking{Since: r.Asked}
	if r.Judged != nil {
		a.Reason = r.Judged.Reason
	}
	if w.Asks != nil {
		file, confirm := w.Asks(r)
		a.File, a.Confirm = folder+"/"+file, confirm
	}
	return &a
}

// timeWorked is how long a run has gone on, without the time it waits for a person.
func timeWorked(r flow.Run) time.Duration {
	if !r.Asked.IsZero() {
		return r.Asked.Sub(r.Began)
	}
	return r.Spent.Time
}

// course lists the parts of the way, and which the run has come to.
func course(w flow.Workflow, r flow.Run) []Part {
	visited := map[string]bool{}
	for _, v := range r.History {
		visited[v.Stage] = true
	}
	var parts []Part
	state := map[string]string{}
	at := slices.IndexFunc(w.Stages, func(s flow.Stage) bool { return s.Name == r.Stage })
	for i, stage := range w.Stages {
		if stage.Part == "" {
			continue
		}
		if _, known := state[stage.Part]; !known {
			parts = append(parts, Part{Name: stage.Part, Plain: w.Plain[stage.Part]})
		}
		switch {
		case i == at && r.Status == "":
			state[stage.Part] = "now"
		case i == at && (r.Status == flow.Failed || r.Status == flow.Cancelled):
			state[stage.Part] = string(r.Status)
		case at >= 0 && i > at && stage.Part == w.Stages[at].Part:
		case visited[stage.Name] || i == at:
			state[stage.Part] = "done"
		case state[stage.Part] == "" && (i < at || r.Status != ""):
			state[stage.Part] = "skipped"
		case state[stage.Part] == "":
			state[stage.Part] = "next"
		}
	}
	for i := range parts {
		parts[i].State = state[parts[i].Name]
		parts[i].Took, parts[i].Since = times(w, r, parts[i].Name)
	}
	if len(parts) == 0 || w.Planned == "" {
		return parts
	}
	return append([]Part{{Name: w.Planned, Plain: w.Plain[w.Planned], State: "done"}}, parts...)
}

// times are how long what has ended of a part of the way took, and since when the rest
// is under way.
func times(w flow.Workflow, r flow.Run, part string) (took time.Duration, since time.Time) {
	within := func(stage string) bool {
		return slices.ContainsFunc(w.Stages, func(s flow.Stage) bool { return s.Name == stage && s.Part == part })
	}
	for _, v := range r.History {
		if within(v.Stage) {
			took += v.Ended.Sub(v.Entered)
		}
	}
	switch {
	case !within(r.Stage):
	case r.Status == "":
		since = r.Entered
	default:
		took += r.At.Sub(r.Entered)
	}
	return took, since
}

// lastScore is the score the program measured last.
func lastScore(r flow.Run) (float64, bool) {
	found := lastFound(r, func(a flow.Assessment) bool { return a.Gate != "" })
	if found == nil {
		return 0, false
	}
	return found.Score, true
}

// lastEvidence counts the quotations as the program did last.
func lastEvidence(r flow.Run) *flow.Evidence {
	found := lastFound(r, func(a flow.Assessment) bool { return a.Evidence != nil })
	if found == nil {
		return nil
	}
	return found.Evidence
}

// lastFound is the last of what the program has found that is of a kind; nil
// before there is one.
func lastFound(r flow.Run, is func(flow.Assessment) bool) *flow.Assessment {
	visits := append(r.History[:len(r.History):len(r.History)], flow.Visit{Tasks: r.Tasks})
	for i := len(visits) - 1; i >= 0; i-- {
		for _, t := range visits[i].Tasks {
			if t.Found != nil && is(*t.Found) {
				return t.Found
			}
		}
	}
	return nil
}

// LatestTasks lists what people want to see: the latest task of every seat that had
// one, in the order the seats came.
func LatestTasks(r flow.Run) []flow.TaskState {
	var latest []flow.TaskState
	add := func(tasks []flow.TaskState) {
		for _, t := range tasks {
			at := slices.IndexFunc(latest, func(l flow.TaskState) bool { return l.Seat == t.Seat && l.Agent == t.Agent })
			switch {
			case t.Seat == flow.Program:
			case at < 0:
				latest = append(latest, t)
			default:
				latest[at] = t
			}
		}
	}
	for _, v := range r.History {
		add(v.Tasks)
	}
	add(r.Tasks)
	return latest
}

func seatOf(r flow.Run, t flow.TaskState) Seat {
	seat, _ := r.Seat(t.Seat)
	s := Seat{
		Name: strings.TrimSpace(t.Seat + " " + t.Agent), Role: t.Role, State: "waiting", Iteration: t.Loop.Iterations,
		Iterations: max(t.Rule.Iterations, t.Loop.Iterations), Turn: t.Turn, Model: seat.Model, Reason: t.Reason,
	}
	switch {
	case t.Ended():
		s.State = string(t.Outcome)
	case t.Running != nil:
		s.State, s.PID, s.Active = "running", t.Running.Child.PID, t.Running.Since
		s.Iteration = min(s.Iteration+1, s.Iterations)
	case t.NotBefore.After(r.At):
		s.State, s.Until = "paused", t.NotBefore
	}
	if fault := t.Loop.Fault; fault != nil {
		s.Reason, s.Fault = cmp.Or(s.Reason, fault.Message), string(fault.Class)
	}
	return s
}

// LogLine is what the progress log says about a fact, given the run with the fact
// folded in; "" for facts that say nothing to people.
func LogLine(w flow.Workflow, r flow.Run, e flow.Event) string {
	if w.Line != nil {
		if line, said := w.Line(r, e); said {
			return line
		}
	}
	switch e.Kind {
	case flow.RunBegun:
		return fmt.Sprintf("Run %s: %s", r.Setup.ID, SeatList(r))
	case flow.SupervisorStarted:
		return takenUpLine(r, e)
	case flow.TurnStarted:
		return startLine(w, r, e)
	case flow.TurnEnded:
		return turnEndedLine(w, r, e)
	case flow.TaskEnded:
		return taskEndedLine(w, r, e)
	case flow.StageJudged:
		return judgedLine(w, r, e)
	case flow.TimeUp:
		return "Time is up: what was found is written down now"
	case flow.CancelAsked:
		return "Cancelled: " + e.Reason
	case flow.FinishAsked:
		return "To be finished early: what was found is written down now"
	case flow.NoteGiven:
		return noteLine(e)
	case flow.SessionMoved:
		if e.Session != "" {
			return "The session goes on under another id: " + e.Reason
		}
		return "The session has ended: a seat takes its place"
	case flow.InputGiven:
		return inputLine(e)
	case flow.IssueMet:
		return issueLine(e)
	case flow.RunReopened:
		return "Taken up again, to go on"
	case flow.RunEnded:
		return strings.TrimSuffix(fmt.Sprintf("Run %s: %s", e.Status.Words(), e.Reason), ": ")
	}
	return ""
}

func takenUpLine(r flow.Run, e flow.Event) string {
	switch {
	case e.Reason != "":
		return "Taken up: " + e.Reason
	case r.Epoch > 1:
		return "Taken up again"
	}
	return ""
}

// maxNoteRunes bounds what is repeated of a note, in runes.
const maxNoteRunes = 300

func noteLine(e flow.Event) string {
	if e.Note == nil {
		return ""
	}
	return "Noted for the next iteration: " + plain.Line(e.Note.Text, maxNoteRunes)
}

func inputLine(e flow.Event) string {
	if e.Input != nil && e.Input.Confirmed {
		return "Confirmed by a person"
	}
	return "Answers are there"
}

func issueLine(e flow.Event) string {
	if e.Issue == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s", strings.ReplaceAll(e.Issue.Code, "_", " "), e.Issue.Detail)
}

// SeatList names the seats of a run, and those that are missing with the reason.
func SeatList(r flow.Run) string {
	var names []string
	for _, s := range r.Setup.Seats {
		names = append(names, s.Name)
	}
	line := strings.Join(names, ", ")
	for _, m := range r.Setup.Missing {
		line += "; MISSING: " + m.Seat + " (" + m.Reason + ")"
	}
	return line
}

// phase is what the log calls the stage a run is in.
func phase(w flow.Workflow, r flow.Run) string {
	for _, stage := range w.Stages {
		if stage.Name == r.Stage && stage.Title != "" {
			return stage.Title
		}
	}
	return Title(r.Stage)
}

func startLine(w flow.Workflow, r flow.Run, e flow.Event) string {
	t, ok := r.Task(e.Task)
	if !ok || t.Seat == flow.Program {
		return ""
	}
	if t.Turn > 1 {
		return IterationLine(w, r, t, t.Loop.Iterations+1)
	}
	return fmt.Sprintf("%s: %s %s starting (iteration %d/%d)", phase(w, r), Title(t.Seat), work(t), t.Loop.Iterations+1, t.Rule.Iterations)
}

// work is what a task is to do, and where several seats do the same, which of
// them it is.
func work(t flow.TaskState) string { return strings.TrimSpace(t.Role + " " + t.Agent) }

// IterationLine is the progress log's line for a further iteration of a task.
func IterationLine(w flow.Workflow, r flow.Run, t flow.TaskState, n int) string {
	return fmt.Sprintf("%s: %s iteration %d/%d", phase(w, r), Title(t.Seat), n, t.Rule.Iterations)
}

func turnEndedLine(w flow.Workflow, r flow.Run, e flow.Event) string {
	t, ok := r.Task(e.Task)
	if !ok || e.Result == nil || e.Result.Fault == nil || e.Result.Stopped {
		return ""
	}
	line := fmt.Sprintf("%s: %s: %s", phase(w, r), Title(t.Seat), e.Result.Fault.Message)
	if wait := t.NotBefore.Sub(r.At); wait > 0 {
		line += fmt.Sprintf(" (again in %s)", wait.Round(time.Second))
	}
	return line
}

func taskEndedLine(w flow.Workflow, r flow.Run, e flow.Event) string {
	t, ok := r.Task(e.Task)
	switch {
	case !ok || t.Seat == flow.Program && t.Outcome.Good():
		return ""
	case t.Outcome.Good():
		return fmt.Sprintf("%s %s %s", Title(t.Seat), work(t), t.Outcome.After(t.Loop.Iterations))
	}
	return fmt.Sprintf("%s: %s %s %s: %s", phase(w, r), Title(t.Seat), work(t), t.Outcome, t.Reason)
}

func judgedLine(w flow.Workflow, r flow.Run, e flow.Event) string {
	switch {
	case e.Verdict != nil && e.Verdict.Move == flow.Ask:
		return "Waiting for a person: " + e.Verdict.Reason
	case e.Verdict != nil && e.Verdict.Reason != "":
		return phase(w, r) + ": " + e.Verdict.Reason
	}
	return ""
}

// Title writes a name with a capital letter.
func Title(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
