// Package bench makes a batch of a benchmark's prompts, and of the runs the answers in the
// benchmark's own format with the figures about citations that need no judge.
//
// A set is JSON lines with id and prompt, as DeepResearch Bench has them; other members are
// left aside. An answer is {"id", "prompt", "article"}, as its raw_data has them.
package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/research-council/research-council/fleet/internal/batch"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// Prompt is a question of a set.
type Prompt struct {
	ID     json.RawMessage `json:"id"` // a string or a number, given back as it came
	Prompt string          `json:"prompt"`
}

// Article answers a prompt.
type Article struct {
	Prompt
	Article string `json:"article"`
}

// Label is the id as a text.
func (p Prompt) Label() string { return strings.Trim(string(p.ID), `"`) }

var idForm = regexp.MustCompile(`^("[^"\\]+"|-?\d+)$`)

const longestLine = 4 << 20

// Read reads a set. A line that has no id or no prompt, and an id that comes twice, are told
// with the number of the line.
func Read(in io.Reader) ([]Prompt, error) {
	var list []Prompt
	seen := map[string]int{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var p Prompt
		err := json.Unmarshal(lines.Bytes(), &p)
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", n, err)
		case !idForm.Match(p.ID):
			return nil, fmt.Errorf("line %d: id: use a text or a whole number", n)
		case strings.TrimSpace(p.Prompt) == "":
			return nil, fmt.Errorf("line %d: it has no prompt", n)
		case seen[p.Label()] > 0:
			return nil, fmt.Errorf("line %d: the id %s was on line %d already", n, p.ID, seen[p.Label()])
		}
		seen[p.Label()] = n
		list = append(list, p)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("it holds no question")
	}
	return list, nil
}

// Batch asks each question of a set in a run: each is what all runs have in common, as members
// of a line of a batch in JSON.
func Batch(set []Prompt, each string) ([]batch.Request, error) {
	var common map[string]any
	if err := json.Unmarshal([]byte(each), &common); err != nil {
		return nil, fmt.Errorf("what all runs have in common: %w", err)
	}
	for _, own := range []string{"id", "question"} {
		if _, there := common[own]; there {
			return nil, fmt.Errorf("what all runs have in common: %s comes from the set", own)
		}
	}
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	for _, p := range set {
		line := maps.Clone(common)
		line["id"], line["question"] = p.Label(), p.Prompt
		if err := out.Encode(line); err != nil {
			return nil, err
		}
	}
	return batch.Read(&lines)
}

// Figures are what the program can say of an answer's citations without a judge.
type Figures struct {
	Cited     int // places in the article that lead to a claim
	Dangling  int // of these, those that lead to none
	Claims    int // facts in the registry, each with a quotation
	Located   int // of these, those whose quotation stands in its source
	NotFound  int // those whose quotation does not
	Judged    int // located claims that models of other families have voted on
	Supported int // of these, those the quotation supports
}

// citation is a link of a report to a claim.
var citation = regexp.MustCompile(`\(#(c\d+)(?: "[^"\n]*")?\)`)

// Answer reads the article of a run's folder: its report up to the appendix, with the
// addresses of sources in place of links to claims.
func Answer(dir, report string) (article string, f Figures, err error) {
	text, err := os.ReadFile(filepath.Join(dir, report))
	if err != nil {
		return "", f, fmt.Errorf("read the report: %w", err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "registry.json"))
	if err != nil {
		return "", f, fmt.Errorf("read the registry: %w", err)
	}
	var registry claim.Registry
	if err := json.Unmarshal(data, &registry); err != nil {
		return "", f, fmt.Errorf("read the registry: %w", err)
	}
	sources := map[string]string{}
	for _, e := range registry.Entries {
		sources[strings.ToLower(e.ID)] = e.Source
		f.count(e)
	}
	article, _, _ = strings.Cut(string(text), "\n---\n")
	article = citation.ReplaceAllStringFunc(article, func(link string) string {
		source, known := sources[citation.FindStringSubmatch(link)[1]]
		if f.Cited++; !known {
			f.Dangling++
		}
		if strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://") {
			return "(" + inMarkdown(source) + ")"
		}
		return link
	})
	return strings.TrimSpace(article) + "\n", f, nil
}

// inMarkdown is an address as the target of a link.
func inMarkdown(address string) string {
	if strings.ContainsAny(address, "() ") {
		return "<" + address + ">"
	}
	return address
}

func (f *Figures) count(e claim.Entry) {
	if e.Kind.RestsOnClaims() { // it quotes nothing
		return
	}
	f.Claims++
	switch e.Location.State {
	case claim.Located:
		f.Located++
	case claim.NotFound:
		f.NotFound++
	}
	if v := e.Verdict(); e.Location.State == claim.Located && v != "" && v != claim.Unjudged {
		if f.Judged++; v == claim.Supports {
			f.Supported++
		}
	}
}
