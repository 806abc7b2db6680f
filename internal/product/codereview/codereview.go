// Package codereview is a review of a repository: what was asked for, its
// workflow, what the program counts on the way, and what a synthesizer answers.
//
// What is in the repository says package survey, what is wrong with it package
// finding.
package codereview

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/product/codereview/finding"
)

// What is done about the documents for agents (AGENTS.md, CLAUDE.md).
const (
	DocsWrite   = "write"   // they are written into the repository
	DocsPreview = "preview" // they are only shown, below .deep-review/docs
	DocsOff     = "off"
)

// Docs are all ways of dealing with documents.
func Docs() []string { return []string{DocsWrite, DocsPreview, DocsOff} }

// Setup is what a review was asked for. It never changes.
type Setup struct {
	Code   string `json:"code,omitempty"`    // the top of the code, absolute, where it is not the project: nothing is written there
	Under  string `json:"under,omitempty"`   // only this folder or file, slash-separated; "" for the whole project
	Since  string `json:"since,omitempty"`   // only what changed since this branch, tag or commit
	Files  int    `json:"files,omitempty"`   // of a batch, at most; 0 for the usual
	Lines  int    `json:"lines,omitempty"`   // of a batch, at most; 0 for the usual
	Docs   string `json:"docs"`              // one of [Docs]
	FailOn string `json:"fail_on,omitempty"` // a severity: a finding at least as grave makes the command fail
	SARIF  string `json:"sarif,omitempty"`   // where the findings are copied to as SARIF, relative to the project
	Rivals bool   `json:"rivals,omitempty"`  // every family reviews every batch

	Testing bool `json:"testing,omitempty"` // the second look may have tests run on a copy of the code, where they can be confined

	Survey string `json:"survey,omitempty"` // SHA-256, in hex, of the survey the plan was made from, which the run begins with; "" where it makes its own

	AllowUnread []string `json:"allow_unread,omitempty"` // with FailOn, files and folders that need not be read, as [survey.MatchesAny] takes them
}

// Valid says why nothing can be reviewed so, or nil.
func (s Setup) Valid() error {
	switch {
	case !slices.Contains(Docs(), s.Docs):
		return fmt.Errorf("documents are dealt with as one of %s, not %q", strings.Join(Docs(), ", "), s.Docs)
	case s.FailOn != "" && !slices.Contains(finding.Severities(), s.FailOn):
		return fmt.Errorf("%q is no severity; use one of %s", s.FailOn, strings.Join(finding.Severities(), ", "))
	case s.Code != "" && s.Docs == DocsWrite:
		return errors.New("documents are only shown where the code is not this project's; use preview or off")
	case s.Files < 0 || s.Lines < 0:
		return fmt.Errorf("a batch has no fewer than one file and one line")
	}
	return nil
}

// Tally is what the program has counted in one of its stages, for the gates to
// judge by. Which fields there are, the stage says.
type Tally struct {
	Files   int    `json:"files,omitempty"`   // reviewed
	Lines   int    `json:"lines,omitempty"`   // of these
	Batches int    `json:"batches,omitempty"` // of the plan
	Commit  string `json:"commit,omitempty"`
	Same    bool   `json:"same,omitempty"` // what was compared with a commit is as that has it

	Batch    int             `json:"batch,omitempty"` // what follows is of this one
	Works    []ReviewerTally `json:"works,omitempty"`
	Missing  []Absent        `json:"missing,omitempty"`  // of this batch, after this try
	Findings map[string]int  `json:"findings,omitempty"` // by severity

	Merged int            `json:"merged,omitempty"` // findings after merging
	Checks map[string]int `json:"checks,omitempty"` // findings a seat is to look at once more

	Testing   bool   `json:"testing,omitempty"`    // who looks once more may have tests run on a copy of the code
	NoTesting string `json:"no_testing,omitempty"` // why not
}

// ReviewerTally is what a reviewer has found in a batch.
type ReviewerTally struct {
	Reviewer  string `json:"reviewer"`
	Seat      string `json:"seat"`
	Findings  int    `json:"findings"`
	Dropped   int    `json:"dropped,omitempty"` // findings whose code is not where they say
	Outside   int    `json:"outside,omitempty"` // findings in files that are not reviewed
	CutReason string `json:"cut,omitempty"`     // why the answer may be cut short; "" when it came to its end
}

// Absent is a reviewer that has left nothing.
type Absent struct {
	Reviewer string `json:"reviewer"`
	Seat     string `json:"seat"`
	Reason   string `json:"reason,omitempty"`
}
