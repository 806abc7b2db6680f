package main

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io/fs"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/words"
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
	part     string // of all documents, to which its own belongs
}

func (q quotation) isTrue() bool { return strings.HasPrefix(q.Kind, "T-") }

// The parts of the documents.
const (
	develop = "develop" // half of the first set, on which the gate was developed
	measure = "measure" // the other half, which nobody looks at
	later   = "later"   // the second set, which was in sight too
	given   = "given"   // those of a directory that is named
)

// half tells to which half of the first set a document belongs.
func half(doc string) string {
	h := fnv.New32a()
	h.Write([]byte(doc))
	if h.Sum32()%2 == 0 {
		return develop
	}
	return measure
}

// otherNames are those that kinds have in the second set.
var otherNames = map[string]string{
	"T-governed": "T-context", "T-cut": "T-trim", "T-row": "T-table", "F-rejected": "F-rejected-quote", "F-row-mixed": "F-stitched-rows",
}

// readCases reads what is quoted from the documents of a directory. Documents
// of no one part are parted in halves.
func readCases(dir fs.FS, part string) ([]quotation, error) {
	data, err := fs.ReadFile(dir, "cases.jsonl")
	if err != nil {
		return nil, err
	}
	var list []quotation
	for line := range strings.Lines(string(data)) {
		var q quotation
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			return nil, err
		}
		q.Kind = cmp.Or(otherNames[q.Kind], q.Kind)
		q.part = cmp.Or(part, half(q.Doc))
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
	remarked bool // what the quotation leaves out of its sentence, or spells otherwise, is shown beside it
}

// right tells whether the gate lets a true quotation pass without blame, and a
// false one not without a word: refused, blamed, or shown with the words that it
// leaves out of its sentence or spells otherwise.
func (a answer) right() bool {
	passes := a.Found && len(a.Match.Findings) == 0
	if a.isTrue() {
		return passes
	}
	return !passes || a.remarked
}

// ask puts every quotation to the gate, with its document as it is.
func ask(dir fs.FS, cases []quotation) ([]answer, error) {
	texts, bodies := map[string]*quote.Text{}, map[string]string{}
	var list []answer
	for _, q := range cases {
		if texts[q.Doc] == nil {
			data, err := fs.ReadFile(dir, q.Doc)
			if err != nil {
				return nil, fmt.Errorf("read a document: %w", err)
			}
			texts[q.Doc], bodies[q.Doc] = quote.Index(string(data)), string(data)
		}
		a := answer{quotation: q, Result: texts[q.Doc].FindOrExplain(q.Quote)}
		a.remarked = a.Found && len(a.Match.Findings) == 0 && (len(a.Match.Misspelt) > 0 || slices.ContainsFunc(a.Match.Gaps, func(g quote.Span) bool {
			return len(words.Sentences(strings.Join(strings.Fields(bodies[q.Doc][g.Start:g.End]), " "))) <= 1
		}))
		list = append(list, a)
	}
	return list, nil
}

// askAll puts the quotations of the sets that belong here to the gate, or those
// of a directory.
func askAll(dir fs.FS) ([]answer, error) {
	if dir != nil {
		return askSet(dir, given)
	}
	first, err := askSet(sub("testdata"), "")
	if err != nil {
		return nil, err
	}
	second, err := askSet(sub("testdata/later"), later)
	return append(first, second...), err
}

func askSet(dir fs.FS, part string) ([]answer, error) {
	cases, err := readCases(dir, part)
	if err != nil {
		return nil, fmt.Errorf("read the cases: %w", err)
	}
	return ask(dir, cases)
}

func sub(dir string) fs.FS {
	s, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the name is one of this program
	}
	return s
}
