package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/research-council/research-council/internal/evidence/quote"
)

//go:embed testdata
var files embed.FS

// A quotation of a document, true or false by its kind.
type quotation struct {
	ID       string `json:"id"`
	Doc      string `json:"doc"`
	Kind     string `json:"kind"`
	Lang     string `json:"lang"`
	Quote    string `json:"quote"`
	Finding  string `json:"finding,omitempty"`  // what is wrong with a false one
	Doubtful bool   `json:"doubtful,omitempty"` // a fair judge may see it otherwise
}

func (q quotation) isTrue() bool { return strings.HasPrefix(q.Kind, "T-") }

// The halves of the documents.
const (
	develop = "develop" // on which the gate was developed
	measure = "measure" // which nobody looked at before
)

// half tells to which half a document belongs.
func half(doc string) string {
	h := fnv.New32a()
	h.Write([]byte(doc))
	if h.Sum32()%2 == 0 {
		return develop
	}
	return measure
}

func readCases() ([]quotation, error) {
	data, err := files.ReadFile("testdata/cases.jsonl")
	if err != nil {
		return nil, err
	}
	var list []quotation
	for line := range strings.Lines(string(data)) {
		var q quotation
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			return nil, err
		}
		if !q.Doubtful {
			list = append(list, q)
		}
	}
	return list, nil
}

// An answer is what the gate says of a quotation.
type answer struct {
	quotation
	quote.Result
}

// right tells whether the gate lets a true quotation pass, and a false one not
// without a word.
func (a answer) right() bool {
	return a.isTrue() == (a.Found && len(a.Match.Findings) == 0)
}

// ask puts every quotation to the gate, with its document as it is.
func ask(cases []quotation) ([]answer, error) {
	texts := map[string]*quote.Text{}
	var list []answer
	for _, q := range cases {
		if texts[q.Doc] == nil {
			data, err := files.ReadFile("testdata/" + q.Doc)
			if err != nil {
				return nil, fmt.Errorf("read a document: %w", err)
			}
			texts[q.Doc] = quote.Index(string(data))
		}
		list = append(list, answer{q, texts[q.Doc].FindOrExplain(q.Quote)})
	}
	return list, nil
}
