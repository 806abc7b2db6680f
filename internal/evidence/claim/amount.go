package claim

import (
	"errors"
	"fmt"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/relation"
)

// Amount is the one number of a unit that a fact's located words state. The error says
// in one line why there is none to be drawn: the claim is no fact, its quotation was not
// located, or it states no such number, several, or none exactly.
func (e Entry) Amount(unit string) (float64, error) {
	switch {
	case e.Kind.RestsOnClaims():
		return 0, fmt.Errorf("%s is no fact: its kind is %s", e.ID, e.Kind)
	case e.IsWithdrawn():
		return 0, fmt.Errorf("%s was withdrawn", e.ID)
	case e.Location.State != Located:
		return 0, fmt.Errorf("the quotation of %s was not located", e.ID)
	case !e.Holds():
		return 0, fmt.Errorf("%s is refuted by its own passage", e.ID)
	}
	var found []relation.Amount
	for _, p := range e.Evidence() {
		words := p.Location.Passage
		if words == "" || len(p.Location.LeftOut) > 0 {
			words = p.Quote
		}
		for _, a := range relation.Amounts(words, unit) {
			if len(found) == 0 || found[0] != a {
				found = append(found, a)
			}
		}
	}
	unit = plain.Line(unit, 20)
	switch {
	case len(found) == 0:
		return 0, fmt.Errorf("the quotation of %s states no number in %s", e.ID, unit)
	case len(found) > 1:
		return 0, fmt.Errorf("the quotation of %s states several numbers in %s", e.ID, unit)
	case found[0].Loose:
		return 0, errors.New("the quotation of " + e.ID + " states no exact number in " + unit)
	}
	return found[0].Value, nil
}
