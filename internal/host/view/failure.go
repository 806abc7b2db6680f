package view

import (
	"regexp"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
)

// Failure is what a person is told of a seat whose part came to nothing.
type Failure struct {
	What string // it did not do, as "left no report"
	Why  string // as the seat, its provider or the check of its answer has it; foreign text
	Do   string // what a person can do about it; "" where nobody can tell

	Minor bool // others do the same, and the answer stands without it: a vote, a debate; or a person ended it
}

// minorRoles are those whose work other seats do as well, or which comes after a result
// that stands.
var minorRoles = []string{agent.Plan, agent.Refinement, agent.Support, agent.Comparison, agent.Validation, agent.Debate, agent.Review, agent.Reconsider}

// StateWord is what a seat is at, in a word: one that failed at what others do as well, or
// that a person's word ended, has missed it, and a librarian without files of its kind had nothing to do.
func StateWord(x status.Seat) string {
	switch f, failed := FailureOf(x); {
	case hadNoFiles(x):
		return "no files"
	case failed && f.Minor:
		return "missed"
	}
	return PlainWord(x.State)
}

// hadNoFiles reports whether a librarian's part came to nothing because there is nothing
// for it to read.
func hadNoFiles(x status.Seat) bool {
	return loop.Outcome(x.State) == loop.Failed && strings.Contains(x.Reason, librarian.NoFiles)
}

// FailureOf tells of a seat that has failed, or was not let begin; false for any other.
func FailureOf(x status.Seat) (Failure, bool) {
	f, failed := failureOf(x)
	f.Minor = failed && (slices.Contains(minorRoles, x.Role) || flow.IsFinishedEarly(x.Reason))
	return f, failed
}

func failureOf(x status.Seat) (Failure, bool) {
	if hadNoFiles(x) {
		return Failure{}, false
	}
	switch loop.Outcome(x.State) {
	case loop.Failed:
		if flow.IsFinishedEarly(x.Reason) {
			return Failure{What: undone(x.Role), Why: x.Reason, Do: "nothing: the run was finished while it was at work"}, true
		}
		return Failure{What: undone(x.Role), Why: x.Reason, Do: remedy(x)}, true
	case loop.Refused:
		if flow.IsFinishedEarly(x.Reason) {
			return Failure{What: undone(x.Role), Why: x.Reason, Do: "nothing: the run was finished before its turn came"}, true
		}
		return Failure{What: undone(x.Role), Why: x.Reason, Do: "a limit left it no room: raise --max-usd, --max-minutes or --max-iterations in the next run"}, true
	}
	return Failure{}, false
}

// Line is a failure in one line.
func (f Failure) Line() string {
	return strings.TrimSuffix(f.What+": "+f.Why, ": ")
}

// undone is what a seat has not done that came to nothing in a role.
func undone(role string) string {
	if said, known := map[string]string{
		agent.Plan:       "did not split the question; rules did",
		agent.Research:   "left no report",
		agent.Refinement: "left no second report; its first one counts",
		agent.Synthesis:  "did not write the report",
		agent.Support:    "has not voted on the passages",
		agent.Comparison: "did not compare the claims",
		agent.Validation: "settled no dispute",
		agent.Debate:     "took no part in the debate",
		agent.Review:     "has not voted on the report",
		agent.Reconsider: "has not voted on the report again",
		agent.Code:       "did not finish the feature",
	}[role]; known {
		return said
	}
	return "left nothing usable in " + PlainWord(role)
}

// remedy is what a person can do where a seat has failed, by what kind of fault it was.
func remedy(x status.Seat) string {
	name, _, _ := strings.Cut(x.Name, " ")
	switch agent.Class(x.Fault) {
	case agent.Terminal:
		return remedyByWords(x.Reason)
	case agent.Retryable:
		return "its provider refused it again and again: try later, or without it (--seats)"
	case agent.TimedOut:
		return "give a turn more time: limits.turn_minutes in the configuration"
	case agent.Lost:
		return "something ended its process: memory that ran out, or a kill"
	}
	return "`council watch` shows what " + name + " said (Enter on its row); another model or tier may do better"
}

// remedies are what a person can do about faults that stay until somebody mends them, by
// what programs and providers call them; the first that fits counts.
var remedies = []struct {
	words *regexp.Regexp
	do    string
}{
	{regexp.MustCompile(`(?i)quota|usage limit|billing|credit|payment|budget exhausted|status 402`), "its account lets it do no more: wait until that is renewed, or go on without it (--seats)"},
	{regexp.MustCompile(`(?i)context window|context.length|prompt too long|maximum context`), "its work outgrew its model: ask a narrower question, or give it a model that holds more"},
	{regexp.MustCompile(`(?i)^model "|unknown model|model.not.found|no such model|model .*(does not exist|is not supported|not available)`), "name another model for it in the configuration; `council doctor` shows which one it has"},
	{regexp.MustCompile(`(?i)log(ged)?.?(in|out)\b|sign(ed)?.?in|unauthori[sz]ed|authenticat|api.?key|credential|oauth|expired|status 40[13]`), "log in to it anew (`council doctor` checks logins); it takes part again in the next run"},
	{regexp.MustCompile(`(?i)did not start|not installed|not found in|no such file|executable`), "mend its program (`council doctor` checks programs); it takes part again in the next run"},
}

// remedyByWords is what a person can do about such a fault; "" where its words tell of no
// kind that is known.
func remedyByWords(why string) string {
	for _, r := range remedies {
		if r.words.MatchString(why) {
			return r.do
		}
	}
	return ""
}
