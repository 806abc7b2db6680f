package reviewwork

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/provenance"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/product/codereview/sarif"
	"github.com/research-council/research-council/internal/project/survey"
)

// Reviewed is findings.json: what a review of code has come to, for programs.
type Reviewed struct {
	ID      string         `json:"id"`
	Status  string         `json:"status"`
	Reason  string         `json:"reason,omitempty"`
	Commit  string         `json:"commit,omitempty"`
	Since   string         `json:"since,omitempty"`
	Files   int            `json:"files"` // that were to be reviewed
	Counts  finding.Counts `json:"counts"`
	Dropped map[string]int `json:"dropped"` // by reviewer, findings whose code is not in the files
	Outside map[string]int `json:"outside"` // by reviewer, findings in files that are not reviewed
	Refused map[string]int `json:"refused"` // by reviewer, lines that are no finding
	Unseen  []finding.Gap  `json:"unseen"`

	LeftOut     map[string]int    `json:"left_out,omitempty"`     // files that were not reviewed, by the reason
	Skipped     []finding.Skipped `json:"skipped,omitempty"`      // some of them, by name
	Unread      []finding.Skipped `json:"unread,omitempty"`       // those that may be code and that nobody has said need no reading
	Deleted     []string          `json:"deleted,omitempty"`      // files that a change has taken away
	NothingRead bool              `json:"nothing_read,omitempty"` // and there was something to read

	Themes   []finding.Theme  `json:"themes"`
	Summary  string           `json:"summary,omitempty"`
	Findings []finding.Merged `json:"findings"` // the gravest first; those taken out with their reasons
}

// finishReview is the end of a review: documents, and the report that lists
// them.
func (s *reporter) finishReview(r flow.Run) (*flow.Assessment, error) {
	if err := s.writeDocs(r); err != nil {
		return nil, err
	}
	return nil, s.writeReviewReport(r)
}

// writeReviewReport writes the report of a review from whatever there is.
func (s *reporter) writeReviewReport(r flow.Run) error {
	f := s.finalReview(r)
	text := slices.Concat(bytes.TrimRight(finding.Report(f), "\n"), []byte("\n"), nothingReviewed(r, f), s.docsPage(r))
	all := append(f.Findings[:len(f.Findings):len(f.Findings)], f.False...)
	done := Reviewed{
		ID: s.ID, Status: f.Status, Reason: f.Reason, Commit: f.Commit, Since: f.Since, Files: f.Files, Counts: finding.Count(all), Dropped: f.Dropped,
		Outside: f.Outside, Refused: f.Refused, Unseen: f.Unseen, Themes: f.Themes, Summary: f.Summary, Findings: all,
		LeftOut: f.LeftOut, Skipped: f.Skipped, Unread: f.Unread, Deleted: f.Deleted,
	}
	if found, err := s.loadSurvey(); err == nil {
		done.NothingRead = found.ReadsNothing(codereview.Of(r.Setup.Own).AllowUnread)
	}
	if err := s.WriteJSON(map[string]any{codereview.FindingsFile: done}); err != nil {
		return err
	}
	log, err := sarif.Write(sarif.Tool{Name: "research-council", Version: s.Release, Commit: f.Commit, Incomplete: incompleteReason(f), Run: s.ID}, all)
	if err != nil {
		return fmt.Errorf("write the findings as SARIF: %w", err)
	}
	if err := s.Folder.Write(codereview.SarifFile, log); err != nil {
		return err
	}
	text = provenance.Markdown(text, s.ID)
	if err := s.Folder.Write(flow.FinalReport, text); err != nil {
		return err
	}
	s.CopyTo(codereview.Of(r.Setup.Own).SARIF, log)
	s.CopyTo(r.Setup.Output, text)
	return s.publishReviewReport(text)
}

// nothingReviewed says why a whole review has reviewed nothing.
func nothingReviewed(r flow.Run, f finding.Final) []byte {
	if f.Files > 0 || f.Status != string(flow.Completed) {
		return nil
	}
	return []byte("\n## Nothing was reviewed\n\n" + strings.ToUpper(codereview.NothingToReview(r)[:1]) + codereview.NothingToReview(r)[1:] + ".\n")
}

// incompleteReason says why a review is not whole; "" when it is.
func incompleteReason(f finding.Final) string {
	switch {
	case f.Status != "" && f.Status != string(flow.Completed):
		return strings.TrimSuffix(f.Status+": "+f.Reason, ": ")
	case len(f.Unseen) > 0:
		return plural.Forms(len(f.Unseen), "part of the code was not seen by every reviewer", "parts of the code were not seen by every reviewer")
	case len(f.Unread) > 0:
		return plural.Forms(len(f.Unread), "file that may be code was read by nobody", "files that may be code were read by nobody")
	}
	return ""
}

// finalReview gathers what a report is made of.
func (s *reporter) finalReview(r flow.Run) finding.Final {
	found, err := s.loadSurvey()
	if err != nil {
		found.Map.Name = r.Setup.Root // the survey has failed, and the report says so
	}
	list := s.mergedFindings()
	if list == nil {
		list = s.mergeBatches(r)
	}
	answer := s.synthesis(r)
	list = finding.Tried(finding.Apply(list, append(answer.Judgements, s.spotcheckJudgements(r)...)), s.trials(r))
	aside := s.leftAside(r)
	f := finding.Final{
		Root: found.Map.Name, Commit: found.Map.Commit, Since: found.Map.Since, Batches: len(found.Batches),
		Findings: finding.NotDismissed(list), False: finding.Dismissed(list), Dropped: aside.dropped, Outside: aside.outside, Refused: aside.refused, Themes: answer.Themes, Summary: answer.Summary,
		Unjudged: noSynthesisReason(r), Unseen: codereview.UnseenGaps(r), LeftOut: countLeftOut(found.Map.Files), Seats: reviewers(r),
		Cost: r.Spent.Cost(), Began: r.Began, Ended: cmp.Or(endTime(r), time.Now().UTC()),
	}
	f.Files, f.Lines = found.CountReviewed()
	f.Skipped, f.Unread, f.Deleted = firstLeftOut(found.Map.Files), leftOutFiles(found.UnreadFiles(codereview.Of(r.Setup.Own).AllowUnread)), found.Deleted
	f.Testing, f.NoTesting = codereview.Testing(r)
	f.Status, f.Reason = closingStatus(r)
	return f
}

func endTime(r flow.Run) time.Time {
	if r.Status != "" {
		return r.At
	}
	return time.Time{}
}

// closingStatus is how a run has ended, or how it will.
func closingStatus(r flow.Run) (status, reason string) {
	switch {
	case r.Status != "":
		return string(r.Status), r.Reason
	case r.Refused != "":
		return string(flow.OutOfBudget), r.Refused
	}
	return string(flow.Completed), ""
}

// noSynthesisReason is why there is no synthesis although somebody was asked for one;
// "" where there is one.
func noSynthesisReason(r flow.Run) (reason string) {
	for _, t := range r.LastTasks(agent.Synthesize) {
		if t.Outcome.Good() {
			return ""
		}
		reason = cmp.Or(plain.Line(t.Reason, supervisor.MaxForeignRunes), "it had not come to its end")
	}
	return reason
}

func countLeftOut(files []survey.File) map[string]int {
	counts := map[string]int{}
	for _, f := range files {
		if f.Skip != "" {
			counts[f.Skip]++
		}
	}
	return counts
}

// maxSkippedPerReason bounds the files left out that are told by name, of each reason.
const maxSkippedPerReason = 20

// firstLeftOut are the first files left out for each reason.
func firstLeftOut(files []survey.File) []finding.Skipped {
	var list []survey.File
	of := map[string]int{}
	for _, f := range files {
		if of[f.Skip]++; f.Skip != "" && of[f.Skip] <= maxSkippedPerReason {
			list = append(list, f)
		}
	}
	return leftOutFiles(list)
}

// leftOutFiles are files as a report names them, with why they were left out.
func leftOutFiles(files []survey.File) []finding.Skipped {
	var list []finding.Skipped
	for _, f := range files {
		list = append(list, finding.Skipped{File: survey.Quote(f.Path), Reason: f.Skip, Why: plain.Line(strings.Join(f.Reasons, ", "), supervisor.MaxForeignRunes)})
	}
	return list
}

// Findings reads what a review has come to.
func Findings(project, id string) (Reviewed, error) {
	var done Reviewed
	f, err := workspace.Open(project, id)
	if err != nil {
		return done, err
	}
	defer f.Close()
	data, err := f.Read(codereview.FindingsFile)
	if err != nil {
		return done, fmt.Errorf("read the findings: %w", err)
	}
	if err := json.Unmarshal(data, &done); err != nil {
		return done, fmt.Errorf("read the findings: %w", err)
	}
	return done, nil
}
