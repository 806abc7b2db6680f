// Package scope says what a research is to be before anything is paid: its
// mode, how many seats look where, whether there will be a debate, and which
// questions must be answered.
//
// Everything is reckoned from the words of the wish by rules, never by a
// model, so the same wish gives the same plan. [Classify] reads the intent off
// the wording, [Advise] names a shorter way where the topic is narrow,
// [NewPlan] settles what the mode, the flags and the wording demand of one
// another. What a run may take is left to package forecast.
//
// Who the seats are, what they run on and whether they can take part at all is
// left to others; so is the state of a run.
package scope

import (
	"fmt"
	"slices"
	"strings"
)

// Mode is what the research is for. It sets the weights of the score and what
// triggers a debate.
type Mode string

const (
	Exploratory Mode = "exploratory" // how does it work, what is there
	Compliance  Mode = "compliance"  // does it follow what is good practice or the rule
	Decision    Mode = "decision"    // this or that
)

// Modes lists them, the default first.
func Modes() []Mode { return []Mode{Exploratory, Compliance, Decision} }

// Debate says when the seats argue over open conflicts.
type Debate string

const (
	Auto  Debate = "auto"  // when the evidence calls for it
	Force Debate = "force" // always
	Off   Debate = "off"   // never: open conflicts stay marked as not validated
)

// Budget says how many seats look, and whether they argue.
type Budget string

const (
	Low    Budget = "low"    // one researcher, no debate
	Medium Budget = "medium" // two or three researchers
	High   Budget = "high"   // three researchers and a debate
)

// MaxAgents is how many researchers --agents may ask for: one for each shard.
// Seats named one by one may be more.
const MaxAgents = 3

// ParseMode reads a mode. What is none is exploratory, with a warning.
func ParseMode(s string) (mode Mode, warning string) {
	return parse("mode", s, Modes())
}

// ParseDebate reads a word of --debate. What is none is auto, with a warning.
func ParseDebate(s string) (debate Debate, warning string) {
	return parse("debate", s, []Debate{Auto, Force, Off})
}

// ParseBudget reads a budget. What is none is medium, with a warning.
func ParseBudget(s string) (budget Budget, warning string) {
	return parse("budget", s, []Budget{Medium, Low, High})
}

// parse finds a word among those known, the first of which is the default. No
// word at all is the default without a warning.
func parse[T ~string](flag, s string, known []T) (T, string) {
	word := T(strings.ToLower(strings.TrimSpace(s)))
	if word == "" {
		return known[0], ""
	}
	if slices.Contains(known, word) {
		return word, ""
	}
	return known[0], fmt.Sprintf("--%s %.40q is unknown; %s is used (there is %s)", flag, s, known[0], join(known))
}

func join[T ~string](words []T) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return strings.Join(list, ", ")
}
