// Package relation says what two claims have to do with each other: whether they
// say the same, one says more than the other or they share a part, they contradict each other, or
// each holds under a condition of its own.
//
// It does so in three steps that need no model for the first and the last.
// [Candidates] proposes the few pairs of many claims that are worth a question.
// Models judge them, a family of models being one voice: [Decode] reads what
// they answer, [Decide] says what was agreed. [Compare] and [Veto] are the rules
// of the program: what may never be called the same because a number, a
// negation, a direction or the verb that decides differs, and what can be told
// without a model at all. [Unite] makes groups of what was agreed, none of which
// holds a contradiction.
//
// Where a claim's evidence stands, and what it is worth, is left to others.
package relation

// Kind is what two claims have to do with each other.
type Kind string

const (
	Same        Kind = "same"
	Narrower    Kind = "narrower"    // A says what B says and more, or for less
	Wider       Kind = "wider"       // B is narrower than A
	Overlaps    Kind = "overlaps"    // they share a part, and each says more
	Contradicts Kind = "contradicts" // not both can hold
	Condition   Kind = "condition"   // both hold, each under its condition
	Unrelated   Kind = "unrelated"
)

// Dispute is what sort of matter a contradiction is about.
type Dispute string

const (
	Fact       Dispute = "fact"       // how a thing is, or how much of it there is
	Definition Dispute = "definition" // what a word means
	Date       Dispute = "date"       // when it was
	Scope      Dispute = "scope"      // of what it holds
	Method     Dispute = "method"     // how it was measured or found
	Advice     Dispute = "advice"     // what to do
)

// Disputes are all there are.
func Disputes() []Dispute { return []Dispute{Fact, Definition, Date, Scope, Method, Advice} }

// Statement is a claim as far as it is compared.
type Statement struct {
	ID        string
	Text      string
	Source    string // the identity of its source; "" when unknown
	First     int    // the lines of its passage, 0 when they are not known
	Last      int
	Questions []string // planned ones that it answers
	Family    string   // of the model that claims it
	Measured  bool     // its source is an experiment
}

// rivals reports whether nobody says both of two statements, or they tell of different
// experiments: these may differ whoever reads them.
func (s *Statement) rivals(o *Statement) bool {
	return s.Family == "" || s.Family != o.Family || s.Measured && o.Measured && s.Source != o.Source
}

// Pair is two statements, by their places in a list.
type Pair struct{ A, B int }
