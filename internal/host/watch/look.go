package watch

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

// look is a run as it is at one moment.
type look struct {
	status.Status
	seats    []seat
	log      []string      // the latest lines of the progress log
	left     forecast.Span // what is left by the run's own pace
	registry claim.Registry
	latest   []claim.Entry // the claims recorded last, the newest first, before there is a registry
	scope    string        // folder of local sources, absolute
	stages   []string      // of the workflow, in their order
	problem  string        // why what is shown is old; "" where it is not
}

// hasReport reports whether the run has ended with a report.
func (l look) hasReport() bool { return l.Report != "" && !l.IsOpen() }

// working is the place of a seat that works, the one at a place before others; that place
// where none does.
func (l look) working(at int, now time.Time) int {
	works := func(s seat) bool { return s.at(now) == working }
	if at < len(l.seats) && works(l.seats[at]) {
		return at
	}
	if i := slices.IndexFunc(l.seats, works); i >= 0 {
		return i
	}
	return at
}

// seat is one that takes part, as a row.
type seat struct {
	status.Seat
	name, kind string
	now        bool     // it has a part in the present stage
	past       []string // what went wrong with it, the earliest first
	claims     counts
	cost       flow.Cost
}

// counts is what became of a seat's claims.
type counts struct {
	found, located, missing, refused int
	judged                           bool // their quotations have been looked for
}

// maxLogLines bounds what is shown of the progress log.
const maxLogLines = 200

// reader looks at one run again and again, and remembers what does not change.
type reader struct {
	project, id string
	now         func() time.Time

	last     look
	journal  *runs.Follower
	past     map[string][]string
	registry stamp
}

// stamp tells whether a file is another than it was.
type stamp struct {
	size int64
	at   time.Time
}

// take looks at the run. Where that fails after it has been seen, what was seen last
// is given with the reason.
func (r *reader) take() (look, error) {
	s, err := runs.Status(r.project, r.id)
	if err != nil {
		if r.last.ID == "" {
			return look{}, err
		}
		r.last.problem = err.Error()
		return r.last, nil
	}
	if r.journal == nil {
		r.journal = &runs.Follower{Project: r.project, ID: r.id, Now: r.now, Share: 50}
	}
	if r.journal.Look(s) {
		r.past = pastOf(r.journal.Events)
	}
	now := look{Status: s, left: r.journal.Left, registry: r.last.registry, scope: r.journal.Run.Setup.Scope}
	for _, stage := range r.journal.Flow.Stages {
		now.stages = append(now.stages, stage.Name)
	}
	if data, err := proc.LastBytes(filepath.Join(s.Folder, workspace.Progress), maxLogLines*200); err == nil && len(data) > 0 {
		now.log = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	}
	r.readRegistry(&now)
	for _, x := range s.Seats {
		now.seats = append(now.seats, r.seatOf(x, now))
	}
	if now.latest = r.last.latest; now.Recorded() != r.last.Recorded() || len(now.registry.Entries) > 0 {
		now.latest = evidence{look: now, project: r.project}.latestClaims()
	}
	r.last = now
	return now, nil
}

// pastOf is what went wrong with each seat, with its time and stage.
func pastOf(events []flow.Event) map[string][]string {
	past := map[string][]string{}
	stage, at := "", map[string]string{}
	for _, e := range events {
		line := ""
		switch {
		case e.Kind == flow.StageEntered:
			stage = e.Stage
			for _, t := range e.Tasks {
				at[t.ID] = strings.TrimSpace(t.Seat + " " + t.Agent)
			}
		case e.Kind == flow.TurnEnded && e.Result != nil && e.Result.Fault != nil && !e.Result.Stopped && !flow.IsFinishedEarly(e.Result.Fault.Message):
			line = "a turn failed: " + e.Result.Fault.Message
		case e.Kind == flow.TaskEnded && !e.Outcome.Good() && !flow.IsFinishedEarly(e.Reason):
			line = words(": ", string(e.Outcome), e.Reason)
		}
		if name := at[e.Task]; line != "" && name != "" {
			past[name] = append(past[name], e.At.Local().Format("15:04")+"  "+strings.ReplaceAll(stage, "_", " ")+": "+line)
		}
	}
	return past
}

func (r *reader) seatOf(x status.Seat, now look) seat {
	name, _, _ := strings.Cut(x.Name, " ")
	s := seat{Seat: x, name: name, now: true, past: r.past[x.Name], cost: costOf(r.journal.Run, name)}
	if known, ok := r.journal.Run.Seat(name); ok {
		s.kind = known.Kind
	} else if name == "librarian" {
		s.kind = name
	}
	if len(r.journal.Run.Tasks) > 0 {
		s.now = slices.ContainsFunc(r.journal.Run.Tasks, func(t flow.TaskState) bool {
			return strings.TrimSpace(t.Seat+" "+t.Agent) == x.Name
		})
	}
	s.claims = countClaims(name, now.Claims[name], now.registry)
	return s
}

// costOf is what the turns of a seat that have ended have cost.
func costOf(r flow.Run, name string) (sum flow.Cost) {
	for _, v := range append(slices.Clip(r.History), flow.Visit{Tasks: r.Tasks}) {
		for _, t := range v.Tasks {
			if t.Seat == name {
				sum = sum.Plus(t.Cost)
			}
		}
	}
	return sum
}

// countClaims counts what became of a seat's claims: by the registry where it has
// them, before that by what was seen when they were recorded.
func countClaims(name string, t claim.Tally, reg claim.Registry) counts {
	c := counts{found: t.Recorded(), located: t.Located, missing: t.NotFound, refused: t.Refused, judged: t.Located+t.NotFound > 0}
	var known counts
	for _, e := range reg.Entries {
		if !slices.Contains(e.Seats, name) {
			continue
		}
		known.found++
		switch e.Location.State {
		case claim.Located:
			known.located++
		case claim.NotFound:
			known.missing++
		}
	}
	if known.found == 0 {
		return c
	}
	return counts{max(c.found, known.found), known.located, known.missing, c.missing + c.refused, true}
}

// readRegistry reads the registry where it is another than it was.
func (r *reader) readRegistry(now *look) {
	info, err := os.Lstat(filepath.Join(now.Folder, claim.RegistryFile))
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	if is := (stamp{info.Size(), info.ModTime()}); is != r.registry {
		if reg, err := runs.Registry(r.project, r.id); err == nil {
			now.registry, r.registry = reg, is
		}
	}
}

// at is what a seat is at now. What happened to it before is no state of its.
func (s seat) at(now time.Time) state {
	outcome := loop.Outcome(s.State)
	switch {
	case s.State == "running" && !s.Active.IsZero() && now.Sub(s.Active) > longSilence:
		return silent
	case s.State == "running":
		return working
	case s.State == "paused":
		return paused
	case s.now && (outcome == loop.Failed || outcome == loop.Refused):
		switch f, failed := view.FailureOf(s.Seat); {
		case !failed:
			return over
		case f.Minor:
			return missed
		}
		return failing
	case s.now && outcome.Good() && s.State != "waiting":
		return over
	}
	return resting
}

// longSilence is when a seat that shows no sign of life is called silent.
const longSilence = 10 * time.Minute

// doing says in plain words what a seat does, or why it does nothing.
func (s seat) doing(now time.Time) string {
	switch s.at(now) {
	case working, silent:
		return cmp.Or(clean(view.Doing(s.Activity)), "begins its turn")
	case paused:
		return words(", ", waitingText(s.Until, now), s.Reason)
	case over:
		return words(": ", strings.ReplaceAll(s.Role, "_", " ")+" "+strings.ReplaceAll(s.State, "-", " "), s.Reason)
	}
	if f, failed := view.FailureOf(s.Seat); failed {
		return clean(f.Line())
	}
	if s.State == "waiting" {
		return words(", ", "its turn is to come", s.Reason)
	}
	return "has done its part in " + strings.ReplaceAll(s.Role, "_", " ") + " (" + strings.ReplaceAll(s.State, "-", " ") + ")"
}

func waitingText(until, now time.Time) string {
	if d := until.Sub(now); d > 0 {
		return "tries again at " + until.Local().Format("15:04") + " (in " + age(d) + ")"
	}
	return "is due to try again"
}

// age is a length of time in its largest unit.
func age(d time.Duration) string {
	switch {
	case d < time.Second:
		return "now"
	case d < 90*time.Second:
		return d.Round(time.Second).String()
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
