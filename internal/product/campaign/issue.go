package campaign

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
)

// What an issue's severity may be.
const (
	Blocker    = "blocker" // nothing is built before it is closed
	Concern    = "concern"
	Suggestion = "suggestion"
)

// Severities lists them.
func Severities() []string { return []string{Blocker, Concern, Suggestion} }

// Issue is an objection of a critic to the plan.
type Issue struct {
	ID         string   `json:"id"` // B1, B2, … in the order of first appearance
	Severity   string   `json:"severity"`
	Aspect     string   `json:"aspect,omitempty"`
	Text       string   `json:"text"`
	Resolution string   `json:"resolution,omitempty"` // what would mend it
	Evidence   []string `json:"evidence,omitempty"`   // ids of claims, words of the plan
	By         string   `json:"by"`                   // the critic that raised it
	Plan       string   `json:"plan,omitempty"`       // hash of the plan it was raised against last
	Closed     *Closing `json:"closed,omitempty"`     // nil while it is open
}

// Closing is how an issue was closed.
type Closing struct {
	By       string   `json:"by"`
	How      string   `json:"how"`
	Plan     string   `json:"plan"` // hash of the plan that mends it
	Evidence []string `json:"evidence"`
}

// Criticism is what critics have said of a plan: what the program keeps of it.
type Criticism struct {
	Issues []Issue `json:"issues"`
	Read   string  `json:"read,omitempty"` // hash of the plan a critic has read last
	Turns  []Turn  `json:"turns"`
}

// Turn is one turn of a critic.
type Turn struct {
	Task    string   `json:"task"`
	By      string   `json:"by"`
	Plan    string   `json:"plan"` // hash of what it read
	News    []string `json:"news,omitempty"`
	Refused []string `json:"refused,omitempty"` // lines that changed nothing, and why
}

// HasHeard reports whether a task's turn has been heard.
func (c Criticism) HasHeard(task string) bool {
	return slices.ContainsFunc(c.Turns, func(t Turn) bool { return t.Task == task })
}

// AddTurn takes in what a critic has left of a task.
func (c Criticism) AddTurn(task string, data []byte, r Reading) Criticism {
	h := ReadIssues(c.Issues, data, r)
	t := Turn{Task: task, By: r.By, Plan: r.Hash, News: h.News}
	for _, line := range h.Refused {
		t.Refused = append(t.Refused, line.Reason)
	}
	return Criticism{Issues: h.Issues, Read: r.Hash, Turns: append(slices.Clone(c.Turns), t)}
}

// Open are the blockers that are open.
func Open(list []Issue) []Issue {
	return slices.DeleteFunc(slices.Clone(list), func(i Issue) bool { return i.Severity != Blocker || i.Closed != nil })
}

// Reading is one turn of a critic: who read which plan.
type Reading struct {
	By    string            // the critic, as people are told of it
	Plan  []byte            // the text it was given
	Hash  string            // of what the plan says
	Known func(string) bool // whether the registry has a claim of this id
}

// IssueUpdate is what came of the lines a critic has left.
type IssueUpdate struct {
	Issues  []Issue   // those before and those that are new
	News    []string  // what has changed, a line each
	Refused []Refused // lines that change nothing, and why
}

// ReadIssues takes in what one turn of a critic has left, JSON Lines of {"severity":
// …, "aspect": …, "text": …, "evidence": […], "resolution": …}, and of
// {"resolves": "B2", "how": …, "evidence": […]}. The same words of the same
// severity are one issue; raised again, it is open again. An issue is closed
// when the plan says something else than when it was raised, by evidence that
// is there: ids of claims in the registry, or words that stand in the plan.
// What is no such line is refused and the next one read.
func ReadIssues(before []Issue, data []byte, r Reading) IssueUpdate {
	h := issueReader{IssueUpdate: IssueUpdate{Issues: slices.Clone(before)}, Reading: r}
	h.Refused = eachRecord(bytes.NewReader(data), h.take)
	return h.IssueUpdate
}

type issueReader struct {
	IssueUpdate
	Reading
}

func (h *issueReader) take(line []byte) string {
	var in struct {
		Severity, Aspect, Text, Resolution, Resolves, How string

		Evidence []string
	}
	if problem := object(line, &in); problem != "" {
		return problem
	}
	if in.Resolves != "" {
		return h.resolve(in.Resolves, plain.Line(in.How, maxTextRunes), in.Evidence)
	}
	i := Issue{
		Severity: strings.ToLower(strings.TrimSpace(in.Severity)), Aspect: plain.Line(in.Aspect, maxTextRunes),
		Text: plain.Line(in.Text, maxTextRunes), Resolution: plain.Line(in.Resolution, maxTextRunes), By: h.By, Plan: h.Hash,
	}
	for _, e := range in.Evidence {
		if h.isEvidence(e) {
			i.Evidence = addUnique(i.Evidence, []string{plain.Line(e, maxTextRunes)})
		}
	}
	return h.raise(i)
}

func (h *issueReader) raise(i Issue) string {
	switch {
	case !slices.Contains(Severities(), i.Severity):
		return fmt.Sprintf("there is no severity %q; there are %s", plain.Line(i.Severity, 20), strings.Join(Severities(), ", "))
	case i.Text == "":
		return "it has no text"
	}
	same := func(old Issue) bool { return old.Severity == i.Severity && strings.EqualFold(old.Text, i.Text) }
	if at := slices.IndexFunc(h.Issues, same); at >= 0 {
		if old := &h.Issues[at]; old.Closed != nil {
			old.Closed, old.Plan = nil, h.Hash
			h.addNews("%s is open again, raised by %s", old.ID, h.By)
		}
		return ""
	}
	i.ID = fmt.Sprintf("B%d", len(h.Issues)+1)
	h.Issues = append(h.Issues, i)
	h.addNews("%s (%s) raised by %s", i.ID, i.Severity, h.By)
	return ""
}

func (h *issueReader) resolve(id, how string, evidence []string) string {
	id = strings.ToUpper(strings.TrimSpace(id))
	at := slices.IndexFunc(h.Issues, func(i Issue) bool { return i.ID == id })
	if at < 0 {
		return fmt.Sprintf("there is no issue %q", plain.Line(id, 20))
	}
	i := &h.Issues[at]
	var absent []string
	for _, e := range evidence {
		if !h.isEvidence(e) {
			absent = append(absent, fmt.Sprintf("%q", plain.Line(e, 80)))
		}
	}
	switch {
	case i.Closed != nil:
		return ""
	case i.Plan == h.Hash:
		return id + " stays open: the plan says what it said when it was raised"
	case len(evidence) == 0:
		return id + " stays open: no evidence is named that it is mended"
	case len(absent) > 0:
		return fmt.Sprintf("%s stays open: %s is neither the id of a claim in the registry nor words of the plan", id, strings.Join(absent, ", "))
	}
	i.Closed = &Closing{By: h.By, How: how, Plan: h.Hash, Evidence: plainNames(evidence)}
	h.addNews("%s closed by %s on %s", id, h.By, strings.Join(i.Closed.Evidence, "; "))
	return ""
}

// minWords is how many words of the plan say which place is meant.
const minWords = 4

// isEvidence reports whether evidence is there to be looked at.
func (h *issueReader) isEvidence(evidence string) bool {
	if numbered("C", evidence) {
		return h.Known(evidence)
	}
	words := NormalisePlan([]byte(evidence))
	return bytes.Count(words, []byte(" ")) >= minWords-1 && bytes.Contains(NormalisePlan(h.Plan), words)
}

func (h *issueReader) addNews(format string, args ...any) {
	h.News = append(h.News, fmt.Sprintf(format, args...))
}
