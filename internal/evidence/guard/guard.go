// Package guard says whether two texts agree in the words that decide what a
// sentence says: numbers, dates, units, magnitudes, comparators, negations,
// quantifiers, hedges and proper names.
//
// However alike two sentences are, one altered number or a lost "not" makes
// them different statements. Nothing here measures likeness.
package guard

import "strconv"

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

	// What is told of a passage that was found.
	Begins   Kind = "begins"   // its sentence begins with words that govern it: "There is no evidence that"
	GoesOn   Kind = "goes on"  // its sentence goes on with words that limit it: "unless it rains"
	Answered Kind = "answered" // the next sentence says that it is wrong
	Omitted  Kind = "omitted"  // the quotation leaves words out without an ellipsis
	Joined   Kind = "joined"   // an ellipsis joins parts of two sentences into one
	Renamed  Kind = "renamed"  // brackets call something by another name, and nothing shows that it is the same
	Noted    Kind = "noted"    // a note at the passage takes it back or bounds it
	Struck   Kind = "struck"   // the source has struck it out
	Hidden   Kind = "hidden"   // the source does not show it
)

// Finding is one deciding word in which two texts differ.
type Finding struct {
	Kind  Kind   `json:"kind"`
	Quote string `json:"quote,omitempty"` // what the first says; "" when it lacks the word
	Text  string `json:"text,omitempty"`  // what the second says; "" when it lacks the word
}

// IsUnitSymbol reports whether a word is the symbol of a unit, as "kg".
func IsUnitSymbol(word string) bool { return sharedLexicon().symbols[word] != nil }

// String says what a finding about a located passage is, for people.
func (f Finding) String() string {
	switch f.Kind {
	case Begins:
		return "the sentence begins: " + strconv.Quote(f.Text)
	case GoesOn:
		return "the sentence goes on: " + strconv.Quote(f.Text)
	case Answered:
		return "the next sentence says: " + strconv.Quote(f.Text)
	case Omitted:
		return "the quotation leaves out " + strconv.Quote(f.Text) + " without saying so"
	case Joined:
		return "the parts stand in different sentences: between them " + strconv.Quote(f.Text)
	case Renamed:
		return "brackets put " + strconv.Quote(f.Quote) + " in the place of " + strconv.Quote(f.Text)
	case Noted:
		return "a note to it says: " + strconv.Quote(f.Text)
	case Struck:
		return "struck out in the source: " + strconv.Quote(f.Text)
	case Hidden:
		return "not shown in the source: " + strconv.Quote(f.Text)
	case Gap:
		return "an ellipsis leaves out " + strconv.Quote(f.Text)
	}
	return "the " + string(f.Kind) + " differs: the quotation has " + strconv.Quote(f.Quote) + ", the source " + strconv.Quote(f.Text)
}
