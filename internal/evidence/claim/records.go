package claim

import (
	"bytes"
	"encoding/json"
)

// Records is the folder, in a run's, of what seats have recorded; no seat writes
// there.
const Records = "records"

// RecordsFile is the file, from the run's folder, of the claims a seat has
// recorded.
func RecordsFile(seat string) string { return Records + "/" + seat + ".jsonl" }

// RefusalsFile is the file, from the run's folder, of the claims that a seat's desk
// has refused because their quotations were not where they were said to stand.
func RefusalsFile(seat string) string { return Records + "/" + seat + ".refused.jsonl" }

// DeskRefusal is a claim that a desk has refused: a line of that file, told to
// people and counted in nothing.
type DeskRefusal struct {
	Seat   string `json:"seat"`
	Text   string `json:"text"`
	Quote  string `json:"quote,omitempty"`
	Source string `json:"source,omitempty"`
	Reason string `json:"reason"`
	State  State  `json:"state,omitempty"` // what came of looking for the quotation
}

// DecodeRefusals reads the lines of such a file; what is none is passed over.
func DecodeRefusals(data []byte) []DeskRefusal {
	var list []DeskRefusal
	for line := range bytes.Lines(data) {
		var r DeskRefusal
		if json.Unmarshal(line, &r) == nil && r.Text != "" {
			list = append(list, r)
		}
	}
	return list
}

// RecordLine is a claim as a line of the file of records: [Decode] reads it back,
// and what came of looking for its quotation when it was recorded stands in it for
// those who count.
func (d Draft) RecordLine(found State) []byte {
	line := d.Line()
	if d.Withdraws != "" || found == "" {
		return line
	}
	return append(bytes.TrimSuffix(line, []byte("}\n")), `,"state":"`+string(found)+"\"}\n"...)
}

// Tally is what has become so far of the claims of a seat, before the registry is
// made of them: those recorded and those its desk has refused. A refused claim that
// was mended counts as both.
type Tally struct {
	Located   int `json:"located,omitempty"`   // facts whose quotations stand in their sources
	Unchecked int `json:"unchecked,omitempty"` // facts whose quotations have not been looked for yet
	Reasoned  int `json:"reasoned,omitempty"`  // inferences and recommendations, which quote nothing
	NotFound  int `json:"not_found,omitempty"` // refused: the quotation is not in its source
	Refused   int `json:"refused,omitempty"`   // refused for another reason
}

// Recorded is how many claims the seat has made that stand.
func (t Tally) Recorded() int { return t.Located + t.Unchecked + t.Reasoned }

// Plus adds tallies.
func (t Tally) Plus(u Tally) Tally {
	return Tally{t.Located + u.Located, t.Unchecked + u.Unchecked, t.Reasoned + u.Reasoned, t.NotFound + u.NotFound, t.Refused + u.Refused}
}
