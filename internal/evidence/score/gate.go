package score

import (
	"fmt"
	"slices"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// Gate is what follows from a score.
type Gate string

const (
	Report   Gate = "report"   // write it
	Validate Gate = "validate" // settle the open conflicts one by one, then write it
	Debate   Gate = "debate"   // let the seats argue first
)

// Thresholds of the gate.
const (
	Good             = 80.0 // a score from here on needs no further work
	Fair             = 60.0 // from here on single conflicts may be checked one by one
	MinCrossVerified = 0.5  // cross-verification a good score needs
)

// Conflicts says what is open.
type Conflicts string

const (
	None  Conflicts = "none"
	Minor Conflicts = "minor"
	Grave Conflicts = "P0 or P1"
)

// Band is where a score lies.
type Band string

const (
	High   Band = "80 and more"
	Middle Band = "60 to under 80"
	Lower  Band = "under 60"
)

// Row is one line of the gate's table. "" stands for any.
type Row struct {
	Score     Band
	Conflicts Conflicts
	Checked   string // cross-verification: "50 % and more" or "under 50 %"
	Gate      Gate
}

// What a row says of cross-verification.
const (
	Enough    = "50 % and more"
	NotEnough = "under 50 %"
)

// Table is the gate where nothing else decides. The first row that fits does,
// and every case has one.
func Table() []Row {
	return []Row{
		{"", None, "", Report},
		{"", Grave, "", Debate},
		{Lower, Minor, "", Debate},
		{High, Minor, NotEnough, Debate},
		{High, Minor, Enough, Report},
		{Middle, Minor, "", Validate},
	}
}

// Trigger is something that calls for a debate whatever the score is.
type Trigger struct {
	Mode scope.Mode // "" for every mode
	What string     // for people
	on   func(gateInput) bool
}

// Triggers are looked at before the score, where something is disputed; one is
// enough. Compliance needs no dispute.
func Triggers() []Trigger {
	return []Trigger{
		{scope.Compliance, "the mode is compliance", func(gateInput) bool { return true }},
		{"", "a P0 or P1 conflict is open", func(s gateInput) bool { return s.grave > 0 }},
		{"", "a claim recommends what reaches far beyond recall (irreversible cost, security, architecture)", func(s gateInput) bool { return s.blast }},
		{scope.Exploratory, "cross-verification of critical claims is under 50 %", func(s gateInput) bool { return s.checked < MinCrossVerified }},
		{scope.Decision, "cross-verification of critical claims is under 70 %", func(s gateInput) bool { return s.checked < crossDecision }},
		{scope.Decision, "a conflict is open", func(s gateInput) bool { return s.open > 0 && s.grave == 0 }},
	}
}

const crossDecision = 0.7

// gateInput is what the gate looks at.
type gateInput struct {
	final   float64
	checked float64 // cross-verification
	open    int     // points that are disputed
	grave   int     // of these, P0 and P1
	blast   bool
	asked   []string // critical questions without an answer
}

func (s registryCounts) gateInput(r Result) gateInput {
	state := gateInput{final: r.Final, checked: r.Signals[1].Value}
	for _, p := range claim.Docket(s.all) {
		state.open++
		if s.severity(p) != claim.Minor {
			state.grave++
		}
	}
	state.asked = s.unansweredCritical(r.Input.Critical)
	// One seat's word is enough, whether or not its quotation was found.
	state.blast = slices.ContainsFunc(slices.Concat(s.reg.Entries, s.reasoned), func(e claim.Entry) bool { return e.Blast })
	return state
}

// IsOpen reports whether nobody has settled a conflict.
func IsOpen(c claim.Conflict) bool { return c.IsOpen() }

// severity is that of a point; of a conflict that carries none, what follows from
// its claims too.
func (s registryCounts) severity(p claim.Point) claim.Severity {
	if p.Conflict.Severity != "" {
		return p.Severity
	}
	for _, e := range s.all.Entries {
		if (slices.Contains(p.A, e.ID) || slices.Contains(p.B, e.ID)) && s.answersPlanned(e) {
			return claim.P0
		}
	}
	return p.Severity
}

// chooseGate decides. What the person or the mode demands comes first, then the
// triggers, then the table.
func chooseGate(in Input, s gateInput) (Gate, []string) {
	switch {
	case in.Mode == scope.Compliance: // not to be switched off
	case in.Debate == scope.Off:
		if s.open == 0 {
			return Report, []string{"the debate is off, and nothing is disputed"}
		}
		return Report, []string{"the debate is off; " + plural.Forms(s.open, "disputed point stays", "disputed points stay") + " marked as not validated"}
	case in.Debate == scope.Force:
		return Debate, append([]string{"the debate is forced"}, activeTriggers(in.Mode, s)...)
	case s.open == 0 && len(s.asked) > 0:
		return Validate, []string{"nothing is disputed, and nobody has answered " + listIDs(s.asked)}
	case s.open == 0:
		return Report, []string{"nothing is disputed"}
	}
	if reasons := activeTriggers(in.Mode, s); len(reasons) > 0 {
		return Debate, reasons
	}
	return gateFromTable(s)
}

// activeTriggers names the triggers of a mode that are.
func activeTriggers(mode scope.Mode, s gateInput) []string {
	var reasons []string
	for _, t := range Triggers() {
		if (t.Mode == "" || t.Mode == mode) && t.on(s) {
			reasons = append(reasons, t.What)
		}
	}
	return reasons
}

// gateFromTable finds the row of the table.
func gateFromTable(s gateInput) (Gate, []string) {
	band, conflicts, checked := s.band(), s.conflicts(), NotEnough
	if s.checked >= MinCrossVerified {
		checked = Enough
	}
	for _, r := range Table() {
		if (r.Score == "" || r.Score == band) && (r.Conflicts == "" || r.Conflicts == conflicts) && (r.Checked == "" || r.Checked == checked) {
			return r.Gate, []string{fmt.Sprintf("score %s, open conflicts: %s, cross-verification %s", band, conflicts, checked)}
		}
	}
	return Debate, []string{"no row of the gate's table fits"}
}

func (s gateInput) band() Band {
	switch {
	case s.final >= Good:
		return High
	case s.final >= Fair:
		return Middle
	}
	return Lower
}

func (s gateInput) conflicts() Conflicts {
	switch {
	case s.grave > 0:
		return Grave
	case s.open > 0:
		return Minor
	}
	return None
}
