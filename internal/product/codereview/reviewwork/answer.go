package reviewwork

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/prompt"
	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/trial"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/product/codereview/handbook"
	"github.com/research-council/research-council/internal/project/survey"
)

// Bounds of what a seat is told and shown.
const (
	mostMended   = 40      // faults of one answer
	maxCodeBytes = 4 << 20 // bytes of a file that is quoted
)

// measureReviewAnswer judges an answer of a review of code. What a seat says of its own
// work decides nothing: findings are usable, and complete once each quotation
// stands where it was said to.
func (s *work) measureReviewAnswer(t flow.Task, data []byte) loop.Artefact {
	a := supervisor.NewArtefact(data)
	said, problems := s.checkReviewAnswer(t, data)
	a.Usable = said > 0 || marker.IsComplete(data) && len(problems) == 0
	a.Complete = a.Usable && len(problems) == 0 && (marker.IsComplete(data) || t.Role == agent.Synthesize || t.Role == agent.Spotcheck)
	if !marker.IsComplete(data) && len(problems) == 0 && !a.Complete {
		problems = append(problems, "its last line is not "+marker.CompleteMarker+", so it may be cut short")
	}
	a.Problems = problems[:min(len(problems), mostMended)]
	return a
}

// checkReviewAnswer counts what an answer says, and lists what is wrong with it.
func (s *work) checkReviewAnswer(t flow.Task, data []byte) (said int, problems []string) {
	switch t.Role {
	case agent.Inspect:
		list, refused := finding.Decode(bytes.NewReader(data), findingAuthor(t, 0))
		return len(list), append(findingRefusalLines(refused), misquoteLines(s.locateFindings(list))...)
	case agent.Annotate:
		notes, refused := handbook.DecodeNotes(bytes.NewReader(data))
		for _, r := range refused {
			problems = append(problems, fmt.Sprintf("line %d: %s", r.Line, r.Reason))
		}
		_, left := handbook.ValidNotes(notes, func(string) bool { return false })
		return len(notes), append(problems, left...)
	case agent.Synthesize:
		return s.checkSynthesis(t, data)
	}
	return s.checkSpotcheck(t, data)
}

func findingAuthor(t flow.Task, batch int) finding.Author {
	return finding.Author{Reviewer: t.Agent, Seat: t.Seat, Family: t.Brand, Batch: batch}
}

func findingRefusalLines(list []finding.Refusal) []string {
	var told []string
	for _, r := range list {
		told = append(told, fmt.Sprintf("line %d: %s", r.Line, r.Reason))
	}
	return told
}

// misquoteLines tells which findings quote what does not stand in the file.
func misquoteLines(list []finding.Finding) []string {
	var told []string
	for _, f := range list {
		if !f.IsLocated() {
			told = append(told, fmt.Sprintf("the finding at %s:%d quotes code that was not found there (%s): quote whole lines as they stand in the file, or take it out", survey.Quote(f.File), f.Line, f.Reason))
		}
	}
	return told
}

// checkSynthesis holds a synthesizer's answer against the findings there are.
func (s *work) checkSynthesis(t flow.Task, data []byte) (said int, problems []string) {
	answer, problems := codereview.DecodeSynthesis(data, t.Role)
	known := map[string]bool{}
	for _, m := range s.mergedFindings() {
		known[m.ID] = true
	}
	for _, j := range answer.Judgements {
		switch {
		case !known[j.ID]:
			problems = append(problems, fmt.Sprintf("no finding has the id %q", plain.Line(j.ID, 60)))
		case j.Verdict == finding.SaysDuplicate && !known[j.Of]:
			problems = append(problems, fmt.Sprintf("%s repeats no finding: none has the id %q", j.ID, plain.Line(j.Of, 60)))
		case j.Verdict != finding.SaysDuplicate && j.Verdict != finding.SaysFalse:
			problems = append(problems, fmt.Sprintf("%s: %s is not yours to say; use false_positive or duplicate", j.ID, j.Verdict))
		}
	}
	said = len(answer.Judgements) + len(answer.Themes)
	if answer.Summary == "" {
		return said, append(problems, "it has no summary")
	}
	return said + 1, problems
}

// checkSpotcheck holds a second look's answer against what it was asked about.
func (s *work) checkSpotcheck(t flow.Task, data []byte) (said int, problems []string) {
	list, refused := finding.DecodeJudgements(bytes.NewReader(data), t.Seat)
	problems = findingRefusalLines(refused)
	asked := s.spotcheckAssignments()[t.Seat]
	for _, j := range list {
		switch {
		case !slices.Contains(asked, j.ID):
			problems = append(problems, fmt.Sprintf("nobody asked about %q", plain.Line(j.ID, 60)))
		case !isSpotcheckVerdict(j):
			problems = append(problems, fmt.Sprintf("%s: say confirmed, refuted or unsure", j.ID))
		default:
			said++
		}
	}
	for _, id := range asked {
		if !slices.ContainsFunc(list, func(j finding.Judgement) bool { return j.ID == id && isSpotcheckVerdict(j) }) {
			problems = append(problems, id+" has no verdict")
		}
	}
	return said, problems
}

// isSpotcheckVerdict reports whether a judgement is one of a second look.
func isSpotcheckVerdict(j finding.Judgement) bool {
	return slices.Contains([]string{finding.SaysConfirmed, finding.SaysRefuted, finding.SaysUnsure}, j.Verdict)
}

// locateFindings looks the quotations of findings up in the files.
func (s *repository) locateFindings(list []finding.Finding) []finding.Finding {
	list = slices.Clone(list)
	indexes := map[string]*finding.Locator{}
	for i, f := range list {
		at, known := indexes[f.File]
		if !known {
			text, err := s.code(f.File)
			if err == nil {
				at = finding.Index(text)
			}
			indexes[f.File] = at
		}
		if at == nil {
			list[i].State, list[i].Reason = finding.Unreadable, "there is no such file in the review"
			continue
		}
		list[i] = at.Locate(f)
	}
	return list
}

// code reads a file of the repository, as far as it was listed.
func (s *repository) code(name string) (string, error) {
	if _, err := s.loadSurvey(); err != nil {
		return "", err
	}
	if !s.listed[name] { // it is written once, before anybody reads it
		return "", fmt.Errorf("%s was not listed", survey.Quote(name))
	}
	root, err := os.OpenRoot(s.codeRoot())
	if err != nil {
		return "", fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close()
	if info, err := root.Lstat(filepath.FromSlash(name)); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no file any more", survey.Quote(name))
	}
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", survey.Quote(name), err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxCodeBytes))
	return strings.ToValidUTF8(string(data), "\uFFFD"), err
}

// isQuotable reports whether a file has a text one may quote.
func isQuotable(f survey.File) bool {
	return !slices.Contains([]string{survey.SkipLink, survey.SkipModule, survey.SkipName, survey.SkipUnread, survey.SkipBinary}, f.Skip)
}

// reviewPrompt asks for a turn of a review of code.
func (s *work) reviewPrompt(t flow.Task, ask agent.Turn, inputs []string) (string, error) {
	v := prompt.ReviewTurn{Reviewer: t.Agent, Repository: s.codeRoot(), Report: ask.Report, Open: s.Folder.Join(s.OpenItemsFile(t)), Trials: ask.Trials}
	for _, file := range inputs {
		switch name := path.Base(file); {
		case name == codereview.DiscoveryFile:
			v.Discovery = file
		case name == codereview.BatchPlanFile:
			v.Plan = file
		case name == codereview.RankedFile, strings.HasPrefix(name, "check-"):
			v.Findings = file
		case strings.HasSuffix(name, "-changes.diff"):
			v.Changes = file
		default:
			v.Files = file
		}
	}
	if readings := codereview.BatchVisits(s.Now); t.Role == agent.Inspect && len(readings) > 0 {
		found, err := s.loadSurvey()
		if err != nil {
			return "", err
		}
		v.Batch, v.Batches = readings[len(readings)-1].Batch, len(found.Batches)
	}
	return prompt.Review(t.Role, v)
}

// spotcheckAssignments is who looks at what once more.
func (s *repository) spotcheckAssignments() map[string][]string {
	checks := map[string][]string{}
	if data, err := s.Folder.Read(trial.ChecksFile); err == nil && json.Unmarshal(data, &checks) != nil {
		return nil
	}
	return checks
}

// mergedFindings are all findings before anybody has judged them.
func (s *repository) mergedFindings() []finding.Merged {
	var list []finding.Merged
	if data, err := s.Folder.Read(codereview.MergedFile); err == nil && json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}
