// Package guard says whether two texts agree in the words that decide what a
// sentence says: numbers, dates, units, magnitudes, comparators, negations,
// quantifiers, hedges and proper names.
//
// However alike two sentences are, one altered number or a lost "not" makes
// them different statements. Nothing here measures likeness.
package guard

// Kind is what sort of deciding word a guard is about.
type Kind string

const (
	Number     Kind = "number"
	Date       Kind = "date"       // months, weekdays, years
	Unit       Kind = "unit"       // kg, ms, percent, currencies
	Magnitude  Kind = "magnitude"  // thousand, million, kilo
	Comparator Kind = "comparator" // more, less, at least, before, increase, <
	Negation   Kind = "negation"
	Quantifier Kind = "quantifier" // all, some, most, few, only
	Hedge      Kind = "hedge"      // may, up to, about, suggests
	Name       Kind = "name"       // proper names and acronyms
	Gap        Kind = "gap"        // what an ellipsis leaves out holds one of the above
)

// Finding is one deciding word in which two texts differ.
type Finding struct {
	Kind  Kind   `json:"kind"`
	Quote string `json:"quote,omitempty"` // what the first says; "" when it lacks the word
	Text  string `json:"text,omitempty"`  // what the second says; "" when it lacks the word
}

// IsUnitSymbol reports whether a word is the symbol of a unit, as "kg".
func IsUnitSymbol(word string) bool { return sharedLexicon().symbols[word] != nil }
