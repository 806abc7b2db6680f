package flow

import (
	"fmt"
	"strings"
)

// Evidence counts what became of the quotations of all claims.
type Evidence struct {
	Claims   int    `json:"claims"`
	Located  int    `json:"located"`             // they stand in their sources
	NotFound int    `json:"not_found,omitempty"` // their sources were read and do not hold them
	Reason   string `json:"reason,omitempty"`    // why the first of those was not that could not be looked for
}

// NoEvidenceReason says, in one line for people, why there is no evidence; "" where there
// is some.
func (e Evidence) NoEvidenceReason() string {
	switch {
	case e.Located > 0:
		return ""
	case e.Claims == 0:
		return "no seat has recorded a claim"
	}
	var why []string
	if e.NotFound > 0 {
		why = append(why, fmt.Sprintf("%d not in their sources", e.NotFound))
	}
	if open := e.Claims - e.NotFound; open > 0 {
		why = append(why, fmt.Sprintf("%d could not be looked for (%s)", open, e.Reason))
	}
	return fmt.Sprintf("of the quotations of %d claims none was located: %s", e.Claims, strings.Join(why, ", "))
}
