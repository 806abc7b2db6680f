package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"

	"github.com/research-council/research-council/internal/base/plural"
)

// ReviewPlan is a review of code before it begins, for `--dry-run`.
type ReviewPlan struct {
	Path    string            `json:"path"` // what is reviewed, relative to the project
	Since   string            `json:"since,omitempty"`
	Commit  string            `json:"commit,omitempty"`
	Files   int               `json:"files"`
	Lines   int               `json:"lines"`
	LeftOut map[string]int    `json:"left_out"`         // files, by the reason
	Unread  []string          `json:"unread,omitempty"` // files left out that may be code, as package survey quotes them, and why
	Batches []ReviewPlanBatch `json:"batches"`
	Seats   []string          `json:"seats"`
	Missing []string          `json:"missing,omitempty"`
	Turns   int               `json:"turns"`  // at least
	Tokens  int64             `json:"tokens"` // of source that is read at least, by all reviewers together
	Docs    string            `json:"docs"`
	Notes   []string          `json:"notes,omitempty"`

	Testing   bool   `json:"testing"`              // the second look may run tests
	NoTesting string `json:"no_testing,omitempty"` // why not, where somebody takes one

	Estimate *forecast.Forecast `json:"estimate,omitempty"` // nil where no model is asked
}

// ReviewPlanBatch is a batch of it.
type ReviewPlanBatch struct {
	Files int     `json:"files"`
	Lines int     `json:"lines"`
	Risk  float64 `json:"risk"`
	First string  `json:"first"` // its riskiest file, as package survey quotes it
}

// maxUnread is how many files that nobody reads are told one by one.
const maxUnread = 10

// maxBatches is how many batches are told one by one.
const maxBatches = 20

// Text tells what a review will be before anything of it is paid.
func (s ReviewPlan) Text() string {
	var page page
	what := s.Path
	if s.Since != "" {
		what += ", what changed since " + s.Since
	}
	page.wrap("review", fmt.Sprintf("%s: %s, %s, %s", what, plural.Forms(s.Files, "file", "files"), plural.Forms(s.Lines, "line", "lines"), plural.Forms(len(s.Batches), "batch", "batches")))
	page.wrap("left out", leftOut(s.LeftOut))
	for _, name := range s.Unread[:min(len(s.Unread), maxUnread)] {
		page.wrap("not read", name)
	}
	if more := len(s.Unread) - maxUnread; more > 0 {
		page.wrap("", "and "+plural.Of(more, "file")+" more")
	}
	for i, b := range s.Batches[:min(len(s.Batches), maxBatches)] {
		page.wrap(fmt.Sprintf("batch %d", i+1), fmt.Sprintf("%s, %s, risk %.0f, first %s", plural.Forms(b.Files, "file", "files"), plural.Forms(b.Lines, "line", "lines"), b.Risk, b.First))
	}
	if more := len(s.Batches) - maxBatches; more > 0 {
		page.wrap("", "and "+plural.Forms(more, "batch", "batches")+" more")
	}
	page.wrap("seats", strings.Join(s.Seats, ", "))
	for _, m := range s.Missing {
		page.wrap("MISSING", m)
	}
	page.wrap("reads", fmt.Sprintf("at least %s, which read about %s tokens of source", plural.Of(s.Turns, "turn"), formatTokens(float64(s.Tokens))))
	if s.Estimate != nil && s.Files > 0 {
		page.estimate(*s.Estimate)
	}
	switch {
	case s.Testing:
		page.wrap("tests", "the second look may run tests on a copy of the code, confined, without network; --no-run has it run nothing")
	case s.NoTesting != "":
		page.wrap("tests", "none are run, since "+s.NoTesting+": the second look judges from the code alone")
	}
	if s.Docs != codereview.DocsOff {
		page.wrap("docs", "AGENTS.md and CLAUDE.md in significant folders: "+s.Docs)
	}
	for _, n := range s.Notes {
		page.wrap("note", n)
	}
	return page.String()
}

func leftOut(counts map[string]int) string {
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[why], why))
	}
	return strings.Join(parts, ", ")
}

// WithSeats adds who reviews.
func (s ReviewPlan) WithSeats(setup flow.Setup) ReviewPlan {
	for _, seat := range setup.Seats {
		s.Seats = append(s.Seats, strings.TrimSuffix(seat.Name+" ("+seat.Model+")", " ()"))
	}
	for _, m := range setup.Missing {
		s.Missing = append(s.Missing, m.Seat+": "+m.Reason)
	}
	s.Notes = append(s.Notes, setup.Warnings...)
	return s
}

// review adds how far a review of code is; nothing for what is none.
func (p *page) review(s status.Status) {
	r := codereview.StatusOf(s)
	if r == nil {
		return
	}
	p.wrap("review", fmt.Sprintf("%s, batch %d of %d, %s, %s", r.Phase, r.Batch, r.Batches, plural.Forms(r.Files, "file", "files"), plural.Forms(r.Lines, "line", "lines")))
	var parts []string
	for _, severity := range finding.Severities() {
		parts = append(parts, fmt.Sprintf("%d %s", r.Findings[severity], severity))
	}
	p.wrap("found", strings.Join(parts, ", "))
	if r.Missing > 0 {
		p.wrap("missing", plural.Of(r.Missing, "time")+" a reviewer has left nothing")
	}
}
