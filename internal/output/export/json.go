package export

import (
	"time"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/provenance"
	"github.com/research-council/research-council/internal/evidence/score"
)

// Record is the JSON of a publication. The score follows from it:
// score.Measure(Registry, Score.Input) gives Score.
type Record struct {
	Version    int               `json:"version"` // of this form: 1
	ID         string            `json:"id"`
	Imprint    string            `json:"imprint"` // by which it is known again, so that it never becomes a source
	Topic      string            `json:"topic"`
	Written    time.Time         `json:"written,omitzero"`
	Maker      string            `json:"maker,omitempty"`
	Score      *score.Result     `json:"score,omitempty"`
	References []Reference       `json:"references"` // in the order in which they are first cited
	Registry   claim.Registry    `json:"registry"`
	Sources    map[string]Source `json:"sources,omitempty"` // of every source of the registry, by its key
}

// Reference is a source the report cites.
type Reference struct {
	Number int      `json:"number"` // as the report shows it
	ID     string   `json:"id"`     // as in BibTeX, CSL-JSON and RIS
	Key    string   `json:"key"`    // the source's identity
	Name   string   `json:"name"`
	URL    string   `json:"url,omitempty"`
	Claims []string `json:"claims"` // ids
}

func (e *parsedPublication) json() ([]byte, error) {
	r := Record{
		Version: 1, ID: e.ID, Imprint: provenance.Line(e.ID), Topic: e.Topic, Written: e.Written, Maker: e.Maker, Score: e.Score,
		Registry: e.Registry, Sources: e.Sources, References: []Reference{},
	}
	for _, ref := range e.references {
		out := Reference{Number: ref.Number, ID: ref.Key, Key: ref.ID.Key, Name: ref.Name, URL: ref.ID.URL, Claims: []string{}}
		for _, c := range ref.Claims {
			out.Claims = append(out.Claims, c.ID)
		}
		r.References = append(r.References, out)
	}
	return encode(r)
}
