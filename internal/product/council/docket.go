package council

import (
	"slices"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// Docket is what is laid before those who validate and debate, noted as it is then.
type Docket struct {
	Points    []claim.Point    `json:"points,omitempty"`
	Questions []scope.Question `json:"questions,omitempty"` // critical ones that nobody has answered
}

const docketName = "docket"

// OwnDocket is a docket as an assessment has it.
func OwnDocket(d *Docket) flow.Own { return flow.Hold(docketName, d) }

// LaidOut is the docket that was laid out last; nil where none was.
func LaidOut(r flow.Run) *Docket {
	for _, v := range slices.Backward(r.History) {
		for _, t := range v.Tasks {
			if v.Stage != Assessment || t.Found == nil {
				continue
			}
			if d := flow.Held[Docket](t.Found.Own, docketName); d != nil {
				return d
			}
		}
	}
	return nil
}
