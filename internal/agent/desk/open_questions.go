package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// Bounds of what is open.
const (
	maxOpen = 16 << 10 // bytes of the list
	maxPlan = 1 << 20  // bytes of the plan
)

type openArgs struct{}

type openResult struct {
	Mend      []string   `json:"mend"` // what is to be mended or looked into
	Claims    []item     `json:"claims,omitempty"`
	Questions []question `json:"questions"`
}

// question is a planned question, and how many of the seat's claims answer it.
type question struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Claims int    `json:"claims"`
}

// open is the tool open_questions.
func (d *Desk) open(context.Context, *mcp.CallToolRequest, openArgs) (*mcp.CallToolResult, openResult, error) {
	out := openResult{Mend: d.problemsToFix(), Questions: []question{}}
	own, _ := d.ownClaims()
	for _, e := range claim.NotFoundClaims(own, d.o.Seat) {
		out.Claims = append(out.Claims, itemOf(e))
	}
	for _, q := range d.questions() {
		n := 0
		for _, e := range claim.Standing(own) {
			for _, id := range e.Questions {
				if id == q.ID {
					n++
				}
			}
		}
		out.Questions = append(out.Questions, question{q.ID, plain.Line(q.Text, scope.QuestionLimit), n})
	}
	return &mcp.CallToolResult{Content: textContent(out.toText())}, out, nil
}

// problemsToFix are the lines of the list the program keeps of what is wrong with the
// seat's work.
func (d *Desk) problemsToFix() []string {
	lines := []string{}
	for line := range strings.Lines(string(d.readProgramFile(d.o.Open, maxOpen))) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "- ")
		if line = plain.Line(line, maxMessage); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// questions are those of the run's plan; a plan that is missing or cannot be
// read has none.
func (d *Desk) questions() []scope.Question {
	var plan scope.Plan
	if json.Unmarshal(d.readProgramFile(d.o.Plan, maxPlan), &plan) != nil {
		return nil
	}
	return plan.Questions
}

// readProgramFile is the beginning of a file the program wrote; nothing if it is missing
// or something else stands in its place. In the seat's folder the seat may have
// put it there.
func (d *Desk) readProgramFile(path string, most int64) []byte {
	if path == "" {
		return nil
	}
	root, name := d.seat, ""
	if rel, err := filepath.Rel(d.o.Dir, path); err == nil && filepath.IsLocal(rel) {
		name = rel
	} else {
		above, err := os.OpenRoot(filepath.Dir(path))
		if err != nil {
			return nil
		}
		defer above.Close()
		root, name = above, filepath.Base(path)
	}
	data, err := readFile(root, name, most)
	if err != nil {
		return nil
	}
	return data
}

func (u openResult) toText() string {
	var b strings.Builder
	if len(u.Mend)+len(u.Claims) == 0 {
		b.WriteString("Nothing is to be mended.\n")
	} else {
		b.WriteString("To be mended or looked into:\n")
	}
	for _, m := range u.Mend {
		b.WriteString("- " + m + "\n")
	}
	section(&b, "Claims whose quotations are not in their sources, or that rest on nothing that holds:", u.Claims)
	if len(u.Questions) > 0 {
		b.WriteString("The planned questions:\n")
	}
	for _, q := range u.Questions {
		fmt.Fprintf(&b, "- %s %s (%s of yours)\n", q.ID, q.Text, plural.Of(q.Claims, "claim"))
	}
	return b.String()
}
