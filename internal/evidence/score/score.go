// Package score measures how complete a registry of claims is, and says what
// follows: the report, a check of single claims, or a debate.
//
// Four signals, weighted by mode, give a score from 0 to 100; failures of the
// run cap it; the gate decides from score, open conflicts and triggers.
// [Measure] is a function of the registry and a few facts about the run, all of
// which stand in the JSON of its result: whoever holds the export can reckon
// every number again.
//
// What counts is a fact: what is inferred or recommended rests on facts and is no
// evidence of its own. Of facts, it is one whose quotation the program located, and which no
// vote found contradicted by its own passage. Verified is one of which votes
// say that its passage supports it; cross-verified, one that is so in two
// independent sources, or in one that defines the matter, code, a standard or an experiment, as two
// model families read it. Claims that say the same are one, and sources that have the
// same words for it are one, wherever they stand. Nothing leaves a denominator for
// not having been found, and the share of the claims that is sound weighs on the
// whole: what was not found, elided or not judged counts against it.
//
// Merging claims and finding conflicts is left to package claim, performing
// what the gate says to others.
package score

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// Input is what the score needs to know beside the registry.
type Input struct {
	Mode      scope.Mode   `json:"mode"`
	Debate    scope.Debate `json:"debate"`
	Questions []string     `json:"questions,omitempty"`          // ids of the plan's; Q1 is the topic as a whole
	Critical  []string     `json:"critical_questions,omitempty"` // of these, those that the whole hangs on
	Failed    int          `json:"failed,omitempty"`             // researchers that were planned and gave nothing; fewer by choice are none
	NoWeb     bool         `json:"no_web,omitempty"`             // no fetch of this run succeeded
	CodeOnly  bool         `json:"code_only,omitempty"`          // only local files were searched
	NoModel   bool         `json:"no_model,omitempty"`           // no seat of the run has a model
}

// Signal is one of the four measures.
type Signal struct {
	Name   string  `json:"name"`
	Weight int     `json:"weight"` // percent; those of a mode sum to 100
	Value  float64 `json:"value"`  // 0 to 1
	Detail string  `json:"detail"` // what was counted, for people
}

// Gap is something the evidence was expected to cover and does not.
type Gap struct {
	Dimension scope.Dimension `json:"dimension"`
	What      string          `json:"what"`               // what is missing, with ids
	NotHere   string          `json:"not_here,omitempty"` // why nothing within reach can close it; nobody is asked for it
}

// Result is the score and all it was made of:
//
//	raw   = Σ weight · value
//	final = the lesser of raw · cap · sound and limit
//
// raw and final are rounded to hundredths, and the gate looks at the rounded
// ones.
type Result struct {
	Mode        scope.Mode `json:"mode"`
	Input       Input      `json:"input"`
	Signals     [4]Signal  `json:"signals"` // diversity, cross-verification, gaps, questions
	Raw         float64    `json:"raw"`
	Cap         float64    `json:"cap"`
	CapReason   string     `json:"cap_reason"`
	Sound       float64    `json:"sound"` // the mean soundness of the claims, 0 to 1
	Limit       float64    `json:"limit"` // 100, or 60 where sources of fewer than two types were found
	Final       float64    `json:"final"`
	Gate        Gate       `json:"gate"`
	Reasons     []string   `json:"reasons"` // of the gate
	Gaps        []Gap      `json:"gaps,omitempty"`
	Claims      int        `json:"claims"` // distinct ones, located or not
	Counted     int        `json:"counted"`
	Critical    int        `json:"critical"`              // claims that ought to be verified
	Verified    int        `json:"verified"`              // of these, those that votes support
	Crossed     int        `json:"cross_verified"`        // of these, those that votes support in two independent sources
	Unconfirmed []string   `json:"unconfirmed,omitempty"` // ids of the critical ones that are not cross-verified
	Unanswered  []string   `json:"unanswered,omitempty"`  // ids of the critical questions that no claim which stands answers
	Open        int        `json:"open"`                  // disputed points that nobody has settled
	OpenGravely int        `json:"open_p0_p1"`
	Unseen      *Unseen    `json:"unseen,omitempty"`
}

// Weights are the percentages of a mode, in the order of the signals. They are
// a choice, not a measurement: compliance and decisions lean on what two
// sources confirm, exploration on seeing all sides.
func Weights(mode scope.Mode) [4]int {
	switch mode {
	case scope.Compliance:
		return [4]int{20, 35, 25, 20}
	case scope.Decision:
		return [4]int{25, 35, 20, 20}
	}
	return [4]int{30, 30, 25, 15}
}

// Names of the four signals, in their order.
const (
	SourceDiversity   = "Source diversity"
	CrossVerification = "Cross-verification"
	GapCoverage       = "Gap coverage"
	QuestionClosure   = "Question closure"
)

// Bounds of the score.
const (
	SourceTypes    = 3    // official (standards among them), code, community
	Independent    = 2    // sources whose passages support a claim, to make it cross-verified
	TypesOverLimit = 2    // source types without which the score stays at
	Limit          = 60.0 // this
	capOne         = 0.9
	capTwo         = 0.75
)

// Measure reckons score and gate of a registry. A mode or a word of debate that
// is none is the default one.
func Measure(reg claim.Registry, in Input) Result {
	in.Mode, _ = scope.ParseMode(string(in.Mode))
	in.Debate, _ = scope.ParseDebate(string(in.Debate))
	s := countRegistry(reg, in)
	r := Result{
		Mode: in.Mode, Input: in, Gaps: s.findGaps(), Claims: len(s.units), Counted: s.counted,
		Critical: len(s.critical), Verified: s.verified, Crossed: s.crossed, Unconfirmed: slices.Concat(s.single, s.unjudged), Limit: 100,
	}
	r.Signals = s.signals(Weights(in.Mode), r.Gaps)
	for _, signal := range r.Signals {
		r.Raw += float64(signal.Weight) * signal.Value
	}
	r.Raw = hundredths(r.Raw)
	r.Cap, r.CapReason = confidenceCap(in)
	if len(s.types) < TypesOverLimit {
		r.Limit = Limit
	}
	r.Sound = hundredths(s.sound)
	r.Final = hundredths(min(r.Raw*r.Cap*r.Sound, r.Limit))
	state := s.gateInput(r)
	r.Open, r.OpenGravely, r.Unanswered = state.open, state.grave, state.asked
	r.Gate, r.Reasons = chooseGate(in, state)
	r.Unseen = estimate(s.reg, s.units)
	return r
}

// IsMeaningful reports whether a result is worth showing to people: there is one, and
// a model took part. What a search for words has found covers nothing of a question.
func (r *Result) IsMeaningful() bool { return r != nil && !r.Input.NoModel }

// FormatScore is how a score is written wherever people read it: in whole points, and
// rounded down, so that 79.6 is not shown as the 80 it does not reach. The JSON has
// hundredths.
func FormatScore(x float64) string {
	return strconv.FormatFloat(math.Floor(hundredths(x)), 'f', -1, 64)
}

func hundredths(x float64) float64 { return math.Round(x*100) / 100 }

// confidenceCap is the confidence a run's failures leave.
func confidenceCap(in Input) (float64, string) {
	switch {
	case in.Failed >= 2 && in.CodeOnly:
		return capTwo, fmt.Sprintf("%d researchers left no report, and no page was looked up, only local sources", in.Failed)
	case in.Failed >= 2:
		return capTwo, fmt.Sprintf("%d researchers left no report", in.Failed)
	case in.CodeOnly:
		return capTwo, "no page was looked up, only local sources"
	case in.Failed == 1 && in.NoWeb:
		return capOne, "one researcher left no report, and there was no web"
	case in.Failed == 1:
		return capOne, "one researcher left no report"
	case in.NoWeb:
		return capOne, "there was no web"
	}
	return 1, "every planned researcher delivered, with the web"
}

func (s registryCounts) signals(weights [4]int, gaps []Gap) [4]Signal {
	missing := dimensions(gaps)
	expected := len(scope.Dimensions())
	return [4]Signal{
		{SourceDiversity, weights[0], ratio(len(s.types), SourceTypes), fmt.Sprintf("%d of %d source types: %s", len(s.types), SourceTypes, joinOrNone(s.types))},
		{CrossVerification, weights[1], ratio(s.crossed, len(s.critical)), fmt.Sprintf("%d of %d %s are verified in %d independent sources, or by %d model families in code, a standard or an experiment; %d verified in any", s.crossed, len(s.critical), s.kind, Independent, Independent, s.verified)},
		{GapCoverage, weights[2], 1 - ratio(len(missing), expected), fmt.Sprintf("%d of %d expected dimensions have gaps: %s", len(missing), expected, joinOrNone(missing))},
		{QuestionClosure, weights[3], ratio(len(s.answered), len(s.questions)), fmt.Sprintf("%d of %d questions answered: %s", len(s.answered), len(s.questions), joinOrNone(s.answered))},
	}
}

// ratio is 0 where there is nothing to divide by.
func ratio(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// dimensions are those with gaps, each once, in the order of the gaps.
func dimensions(gaps []Gap) []string {
	var list []string
	for _, g := range gaps {
		if len(list) == 0 || list[len(list)-1] != string(g.Dimension) {
			list = append(list, string(g.Dimension))
		}
	}
	return list
}

func joinOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
