// Package loop says whether an agent takes another turn.
//
// A task is a loop of turns that deepen one artefact. It ends when the agent
// has set the marker on a usable artefact, when its iterations are spent,
// when it no longer changes anything, or when faults leave no hope. The
// judgement is a pure function of what has been measured; nothing the agent
// says about its own progress enters it.
package loop

import (
	"fmt"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plural"
)

// Rule bounds one task's loop. Every bound is at least 1: there is no
// unlimited loop.
type Rule struct {
	Iterations int `json:"iterations"`         // iterations in all, those driven by the agent's own hook included
	Retries    int `json:"retries"`            // faults in a row that a further turn may follow
	Stuck      int `json:"stuck"`              // turns in a row that may leave the artefact as it was
	New        int `json:"new,omitempty"`      // an iteration with fewer new claims that stand is dry
	Patience   int `json:"patience,omitempty"` // dry iterations in a row that end the loop; 0 never does
}

// Default is the rule of a research task: ten iterations, as many retries in
// a row as the providers' own clients make (five), and patience for three
// turns without a change.
func Default() Rule { return Rule{Iterations: 10, Retries: 5, Stuck: 3} }

// Artefact is what the program measured of the file a task is to write.
type Artefact struct {
	Bytes    int64    `json:"bytes"`
	SHA256   string   `json:"sha256,omitempty"`
	Complete bool     `json:"complete,omitempty"` // the marker is its last non-empty line
	Usable   bool     `json:"usable,omitempty"`   // it says something: not empty, not headings alone, no lint error
	Problems []string `json:"problems,omitempty"` // what a further turn should mend
	Standing int      `json:"standing,omitempty"` // claims recorded whose quotations stand: found, or not to be looked for
	Dry      int      `json:"dry,omitempty"`      // iterations in a row, up to now, that brought too few of them
}

// NextDry is how many iterations in a row have been dry once one more has ended
// with so many claims that stand.
func (a Artefact) NextDry(r Rule, standing int) int {
	if standing-a.Standing < r.New {
		return a.Dry + 1
	}
	return 0
}

// State is what has happened in a task so far.
type State struct {
	Turns      int          `json:"turns"`            // turns ended
	Iterations int          `json:"iterations"`       // iterations done in them
	Faults     int          `json:"faults"`           // faulty turns in a row, up to now, that brought nothing but the last
	Halted     int          `json:"halted,omitempty"` // faulty turns in a row that had brought something before, and may go on
	Unchanged  int          `json:"unchanged"`        // turns in a row that left the artefact as it was
	Fault      *agent.Fault `json:"fault,omitempty"`
	Artefact   Artefact     `json:"artefact"`
}

// After is the state once one more turn has ended with these iterations, this
// fault (nil for none) and this artefact. Answered says that the model had answered in
// that turn: where a provider then asks for patience, as it does every minute in a long
// conversation, the turn has come further, and what was in vain is counted anew.
func (s State) After(iterations int, fault *agent.Fault, a Artefact, answered bool) State {
	next := State{Turns: s.Turns + 1, Iterations: s.Iterations + iterations, Fault: fault, Artefact: a}
	if fault != nil {
		next.Faults, next.Halted = s.Faults+1, s.Halted
		if answered && fault.Class == agent.Retryable {
			next.Faults, next.Halted = 1, s.Halted+1
		}
	}
	if fault == nil && a.SHA256 == s.Artefact.SHA256 {
		next.Unchanged = s.Unchanged + 1
	}
	return next
}

// maxHalts is how often, for each retry, a turn may be halted that comes further each time.
const maxHalts = 10

// Outcome is how a task ended.
type Outcome string

const (
	Complete  Outcome = "complete"  // the agent set the marker
	Exhausted Outcome = "exhausted" // iterations spent, the artefact is usable
	Stuck     Outcome = "stuck"     // no longer changing, the artefact is usable
	RanDry    Outcome = "ran-dry"   // no longer finding what holds, the artefact is usable
	CutShort  Outcome = "cut-short" // a fault or a limit ended it, the artefact is usable
	Failed    Outcome = "failed"    // no usable artefact
	Refused   Outcome = "refused"   // a limit of the run let no (further) turn start, nothing usable
)

// Good reports whether the task left something to work with.
func (o Outcome) Good() bool { return o != Failed && o != Refused && o != "" }

// After is an outcome in plain words, with how many iterations had ended before it.
func (o Outcome) After(iterations int) string {
	said := string(o)
	switch o {
	case Exhausted:
		return "stopped at its limit of " + plural.Of(iterations, "iteration")
	case Stuck:
		said = "no longer changing"
	case RanDry:
		said = "no longer finding anything new"
	case CutShort:
		said = "cut short"
	}
	if iterations == 0 {
		return said + " before an iteration had ended"
	}
	return said + " after " + plural.Of(iterations, "iteration")
}

// Verdict is what follows a turn.
type Verdict struct {
	More   bool          // another turn, please
	Fresh  bool          // that turn starts a new session
	Wait   time.Duration // and not before this long from now
	Done   Outcome       // when not More
	Reason string        // for people, one line
}

// Judge says what follows, once at least one turn has ended.
func Judge(r Rule, s State) Verdict {
	if s.Fault != nil {
		return afterFault(r, s)
	}
	switch {
	case s.Artefact.Complete && s.Artefact.Usable:
		return Verdict{Done: Complete, Reason: "marked complete"}
	case s.Iterations >= r.Iterations:
		return endVerdict(s, Exhausted, "iterations spent")
	case s.Unchanged >= r.Stuck:
		return endVerdict(s, Stuck, "nothing changed any more")
	case r.Patience > 0 && s.Artefact.Dry >= r.Patience:
		return endVerdict(s, RanDry, fmt.Sprintf("%d iterations in a row found nothing new that holds", s.Artefact.Dry))
	}
	return Verdict{More: true}
}

func afterFault(r Rule, s State) Verdict {
	spent := s.Faults > r.Retries || s.Halted > r.Retries*maxHalts
	switch s.Fault.Class {
	case agent.Terminal, agent.TimedOut:
		return endVerdict(s, CutShort, s.Fault.Message)
	case agent.Retryable:
		if !spent {
			return Verdict{More: true, Wait: pause(s)}
		}
	case agent.NoSession:
		if !spent {
			return Verdict{More: true, Fresh: true}
		}
	case agent.Lost:
		if !spent {
			return Verdict{More: true}
		}
	case agent.Degenerate:
		if !spent && s.Faults <= r.Stuck && s.Iterations < r.Iterations {
			return Verdict{More: true}
		}
	}
	return endVerdict(s, CutShort, s.Fault.Message)
}

// endVerdict closes the task: what is usable counts whatever ended the loop, so that
// a complete report is never thrown away for a late time-out.
func endVerdict(s State, o Outcome, reason string) Verdict {
	switch {
	case s.Artefact.Usable && s.Artefact.Complete:
		o = Complete
	case !s.Artefact.Usable:
		o = Failed
		reason = unusableReason(s, reason)
	}
	return Verdict{Done: o, Reason: reason}
}

// unusableReason says why there is nothing to work with: for a fault by itself, else by
// what is wrong with what was left.
func unusableReason(s State, reason string) string {
	switch {
	case len(s.Artefact.Problems) > 0 && s.Fault == nil:
		return reason + ", and what it left cannot be used: " + s.Artefact.Problems[0]
	case len(s.Artefact.Problems) > 0:
		return reason + "; " + s.Artefact.Problems[0]
	}
	return reason + "; no usable report"
}

// pause is the provider's own wish, or doubles from 2 s to at most 5 min with
// each fault in a row.
func pause(s State) time.Duration {
	const first, most = 2 * time.Second, 5 * time.Minute
	wait := first << min(s.Faults-1, 8)
	return max(s.Fault.RetryAfter, min(wait, most))
}
