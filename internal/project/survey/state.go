package survey

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/research-council/research-council/internal/base/plural"
)

// Phases of a review.
const (
	PhaseDiscovery = "discovery"
	PhaseReview    = "review"
	PhaseSynthesis = "synthesis"
	PhaseDone      = "done"
	PhaseFailed    = "failed"
)

// States of a reviewer's work on a batch.
const (
	Waiting = "waiting"
	Running = "running"
	Done    = "done"
	Missing = "missing" // asked twice, nothing came
)

// State is state.json: how far a review is. It follows from the run's journal
// and holds nothing of its own.
type State struct {
	Version  int            `json:"version"` // 1
	Run      string         `json:"run,omitempty"`
	Phase    string         `json:"phase"`
	Commit   string         `json:"commit,omitempty"`
	Since    string         `json:"since,omitempty"`
	Batch    int            `json:"batch"`   // under review, from 1; 0 before the first
	Batches  int            `json:"batches"` // of the plan
	Files    int            `json:"files"`   // reviewed
	Lines    int            `json:"lines"`   // of these
	Reviews  []Work         `json:"reviews,omitempty"`
	Findings map[string]int `json:"findings"` // by severity
	Failures []Failure      `json:"failures,omitempty"`
	Started  time.Time      `json:"started,omitzero"`
	Updated  time.Time      `json:"updated,omitzero"`
	Ended    time.Time      `json:"ended,omitzero"`
}

// Work is what a reviewer does on a batch.
type Work struct {
	Batch    int       `json:"batch"`
	Reviewer string    `json:"reviewer"`
	Seat     string    `json:"seat,omitempty"`
	State    string    `json:"state"`
	Tries    int       `json:"tries,omitempty"`
	Findings int       `json:"findings,omitempty"`
	Dropped  int       `json:"dropped,omitempty"` // findings whose code is not where they say
	Started  time.Time `json:"started,omitzero"`
	Ended    time.Time `json:"ended,omitzero"`
}

// Failure is something that went wrong and was gone on from.
type Failure struct {
	Batch    int       `json:"batch,omitempty"` // 0 when it is of no batch
	Reviewer string    `json:"reviewer,omitempty"`
	Reason   string    `json:"reason"`
	At       time.Time `json:"at,omitzero"`
}

const stateVersion = 1

// Encode writes state.json.
func (s State) Encode() ([]byte, error) {
	s.Version = stateVersion
	if s.Findings == nil {
		s.Findings = map[string]int{}
	}
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the state of a review: %w", err)
	}
	return append(out, '\n'), nil
}

// Severities in the order they are told, the worst first. Others follow by
// name.
func severities(found map[string]int) []string {
	known := []string{"critical", "high", "medium", "low", "info"}
	var rest []string
	for name := range found {
		if !slices.Contains(known, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(known, rest...)
}

const maxBatches = 100 // rows of the table of batches

// Progress writes progress.md, the state for people.
func Progress(s State) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Progress of the review\n\n- Phase: %s\n", Plain(s.Phase))
	if s.Batches > 0 {
		fmt.Fprintf(&b, "- Batch: %d of %d\n", s.Batch, s.Batches)
	}
	fmt.Fprintf(&b, "- To review: %s, %s\n", plural.Of(s.Files, "file"), plural.Of(s.Lines, "line"))
	if s.Commit != "" {
		fmt.Fprintf(&b, "- Commit: %s\n", Code(s.Commit))
	}
	if s.Since != "" {
		fmt.Fprintf(&b, "- Only files changed since %s\n", Code(s.Since))
	}
	s.writeTimes(&b)
	s.writeFindings(&b)
	s.writeWork(&b)
	s.writeFailures(&b)
	return b.Bytes()
}

func (s State) writeTimes(b *bytes.Buffer) {
	for _, at := range []struct {
		what string
		time.Time
	}{{"Started", s.Started}, {"Updated", s.Updated}, {"Ended", s.Ended}} {
		if !at.IsZero() {
			fmt.Fprintf(b, "- %s: %s\n", at.what, at.UTC().Format("2006-01-02 15:04:05 UTC"))
		}
	}
}

func (s State) writeFindings(b *bytes.Buffer) {
	b.WriteString("\n## Findings\n\n| Severity | Findings |\n|---|---:|\n")
	sum := 0
	for _, name := range severities(s.Findings) {
		fmt.Fprintf(b, "| %s | %d |\n", Plain(name), s.Findings[name])
		sum += s.Findings[name]
	}
	fmt.Fprintf(b, "| all | %d |\n", sum)
}

// writeWork writes a row a batch. Of a long review the batches around the one
// under review are shown.
func (s State) writeWork(b *bytes.Buffer) {
	if len(s.Reviews) == 0 {
		return
	}
	first := max(1, min(s.Batch-maxBatches/2, s.Batches-maxBatches+1))
	last := min(s.Batches, first+maxBatches-1)
	reviewers, cells := s.cells()
	b.WriteString("\n## Batches\n\n| Batch |")
	for _, r := range reviewers {
		fmt.Fprintf(b, " %s |", Plain(r))
	}
	b.WriteString("\n|---:|" + string(bytes.Repeat([]byte("---|"), len(reviewers))) + "\n")
	for n := first; n <= last; n++ {
		fmt.Fprintf(b, "| %d |", n)
		for _, r := range reviewers {
			fmt.Fprintf(b, " %s |", cells[batchCell{n, r}])
		}
		b.WriteByte('\n')
	}
	if rest := s.Batches - (last - first + 1); rest > 0 {
		fmt.Fprintf(b, "\nNot shown: %d more batches.\n", rest)
	}
}

// batchCell is a cell of the table of batches.
type batchCell struct {
	batch    int
	reviewer string
}

// cells are the reviewers in the order they first appear, and what each did.
func (s State) cells() ([]string, map[batchCell]string) {
	var reviewers []string
	known, cells := map[string]bool{}, map[batchCell]string{}
	for _, w := range s.Reviews {
		if !known[w.Reviewer] {
			known[w.Reviewer] = true
			reviewers = append(reviewers, w.Reviewer)
		}
		cell := w.State
		if w.State == Done {
			cell = plural.Of(w.Findings, "finding")
		}
		if w.Tries > 1 {
			cell += fmt.Sprintf(", try %d", w.Tries)
		}
		key := batchCell{w.Batch, w.Reviewer}
		if cells[key] != "" {
			cell = cells[key] + "; " + cell
		}
		cells[key] = Plain(cell)
	}
	return reviewers, cells
}

func (s State) writeFailures(b *bytes.Buffer) {
	if len(s.Failures) == 0 {
		return
	}
	b.WriteString("\n## What went wrong\n\n")
	for _, f := range s.Failures {
		b.WriteString("- ")
		if f.Batch > 0 {
			fmt.Fprintf(b, "Batch %d, ", f.Batch)
		}
		if f.Reviewer != "" {
			fmt.Fprintf(b, "%s: ", Plain(f.Reviewer))
		}
		fmt.Fprintf(b, "%s\n", Plain(f.Reason))
	}
}
