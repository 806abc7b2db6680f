package engine

import (
	"bytes"
	"encoding/json"
	"time"
)

// SearchesFile is the file, in the folder of a turn's streams, of the searches its seat
// has made at its desk.
const SearchesFile = "searches.jsonl"

// Searched is a search that was made: a line of that file.
type Searched struct {
	At      time.Time `json:"at"`
	Words   string    `json:"words"`
	Kind    Kind      `json:"kind,omitempty"`
	Leads   int       `json:"leads"`
	Engines []string  `json:"engines"`
	USD     float64   `json:"usd,omitempty"`
}

// CostOf is what the searches of such a file have cost by the price lists, in USD; a line
// that is none costs nothing.
func CostOf(data []byte) (sum float64) {
	for line := range bytes.Lines(data) {
		var s Searched
		if json.Unmarshal(line, &s) == nil && s.USD > 0 {
			sum += s.USD
		}
	}
	return sum
}
