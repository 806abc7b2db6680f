package reviewwork

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/project/repo"
	"github.com/research-council/research-council/internal/project/survey"
)

// ReviewFolder is where people find what a review of code is at, below the project.
// All of it follows from the run's folder and is made anew where it is gone.
const ReviewFolder = ".deep-review"

// Names in that folder, beside those that are named as in the run's.
const (
	ReviewStateFile    = "state.json"
	ReviewProgressFile = "progress.md"
	ReviewReportFile   = "REVIEW_REPORT.md"
	previewFolder      = "docs" // documents that are only shown
)

// isReviewRole reports whether a role is one of a review of code.
func isReviewRole(role string) bool {
	switch role {
	case agent.Annotate, agent.Inspect, agent.Synthesize, agent.Spotcheck:
		return true
	}
	return false
}

// CodeSurvey is a repository as a review sees it.
type CodeSurvey struct {
	Map     survey.Map     `json:"map"` // Files are those listed for this review, in the order of risk
	Batches []survey.Batch `json:"batches"`
	Whole   []survey.File  `json:"whole,omitempty"`   // all files, where the review is of some alone
	Git     bool           `json:"git,omitempty"`     // it is a git repository
	Base    string         `json:"base,omitempty"`    // the commit that changes are counted from
	Deleted []string       `json:"deleted,omitempty"` // since that commit, as package survey quotes them
	Same    bool           `json:"same,omitempty"`    // nothing has changed since that commit
}

// AllFiles are all files of the repository.
func (s CodeSurvey) AllFiles() []survey.File {
	if s.Whole != nil {
		return s.Whole
	}
	return s.Map.Files
}

// CountReviewed counts the files that are reviewed, and their lines.
func (s CodeSurvey) CountReviewed() (files, lines int) {
	for _, f := range s.Map.Files {
		if f.Reviewed() {
			files, lines = files+1, lines+f.Lines
		}
	}
	return files, lines
}

// UnreadFiles are the files that are left out and may be code, but those that a
// person has said nobody needs to read.
func (s CodeSurvey) UnreadFiles(allowed []string) []survey.File {
	var list []survey.File
	for _, f := range s.Map.Files {
		if f.MayBeCode(s.Base != "") && !survey.MatchesAny(f.Path, allowed) {
			list = append(list, f)
		}
	}
	return list
}

// ReadsNothing reports whether a review reads nothing though there is something
// that nobody has said needs no reading. A folder that is as it was needs none.
func (s CodeSurvey) ReadsNothing(allowed []string) bool {
	if files, _ := s.CountReviewed(); files > 0 || s.Same {
		return false
	}
	for _, f := range s.Map.Files {
		if !survey.MatchesAny(f.Path, allowed) {
			return true
		}
	}
	for _, name := range s.Deleted {
		if p, err := survey.Unquote(name); err != nil || !survey.MatchesAny(p, allowed) {
			return true
		}
	}
	return len(s.Map.Files)+len(s.Deleted) == 0
}

// runFolders are the folders of runs: what they hold is no code of the project.
const runFolders = workspace.Runs + "/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]-*"

// Survey lists what a review would read and cuts it into batches. Nothing is
// written.
func Survey(ctx context.Context, root string, d codereview.Setup) (CodeSurvey, error) {
	o := repo.Listing{Since: d.Since, Except: []string{runFolders}, Whole: true}
	if d.Under != "" {
		o.Under = []string{d.Under}
	}
	files, info, err := repo.List(ctx, root, o)
	if err != nil {
		return CodeSurvey{}, err
	}
	ranked := survey.Rank(files)
	found := CodeSurvey{
		Git: info.Repository, Base: info.Since, Same: info.Unchanged(), Whole: info.Whole,
		Map: survey.Map{
			Name: filepath.Base(root), Commit: info.Commit, Branch: info.Branch, Dirty: info.Dirty, Since: d.Since,
			History: info.History, Notes: info.Notes, Files: ranked,
		},
		Batches: survey.Batches(ranked, survey.Limits{Files: d.Files, Lines: d.Lines}),
	}
	for _, name := range info.Deleted {
		found.Deleted = append(found.Deleted, survey.Quote(name))
	}
	if err := survey.CheckBatches(ranked, found.Batches); err != nil {
		return found, fmt.Errorf("cut the files into batches: %w", err)
	}
	return found, nil
}

// File is the survey as a run keeps it, and the digest by which its setup knows it.
func (s CodeSurvey) File() (f supervisor.File, digest string, err error) {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return f, "", fmt.Errorf("write the survey: %w", err)
	}
	data = append(data, '\n')
	return supervisor.File{Name: codereview.SurveyFile, Data: data}, digestOf(data), nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// surveyCode makes a clean place for the review of what was surveyed.
func (s *repository) surveyCode(r flow.Run) (*flow.Assessment, error) {
	found, err := s.handedSurvey(r)
	if err != nil {
		return nil, err
	}
	for _, b := range found.Batches {
		if err := s.Folder.Write(codereview.BatchList(b.Number), survey.FileList(b.Files)); err != nil {
			return nil, err
		}
		if err := s.writeChanges(r, found.Base, b); err != nil {
			return nil, err
		}
	}
	for name, data := range found.Pages() {
		if err := s.Folder.Write(name, data); err != nil {
			return nil, err
		}
	}
	files, lines := found.CountReviewed()
	if files > 0 {
		if err := s.clearReviewFolder(); err != nil {
			return nil, err
		}
	}
	return &flow.Assessment{Own: codereview.OwnTally(&codereview.Tally{Files: files, Lines: lines, Batches: len(found.Batches), Commit: found.Map.Commit, Same: found.Same})}, s.syncReviewFolder(r)
}

// handedSurvey is the survey the plan was made from, which the run has begun with.
// Without one, or where the file is another by now, the code is surveyed here.
func (s *repository) handedSurvey(r flow.Run) (CodeSurvey, error) {
	d := *codereview.Of(r.Setup.Own)
	if data, err := s.Folder.Read(codereview.SurveyFile); err == nil && d.Survey != "" && digestOf(data) == d.Survey {
		return s.loadSurvey()
	}
	found, err := Survey(s.Life, s.codeRoot(), d)
	if err != nil {
		return found, err
	}
	file, _, err := found.File()
	if err != nil {
		return found, err
	}
	s.forgetSurvey()
	return found, s.Folder.Write(file.Name, file.Data)
}

// writeChanges writes what has changed in the files of a batch, where only
// changes are reviewed.
func (s *repository) writeChanges(r flow.Run, base string, b survey.Batch) error {
	if base == "" {
		return nil
	}
	var names []string
	for _, f := range b.Files {
		names = append(names, f.Path)
	}
	text, err := repo.DiffSince(s.Life, codereview.Root(r.Setup), base, names)
	if err != nil {
		return err
	}
	return s.Folder.Write(codereview.BatchChanges(b.Number), text)
}

// Pages are what people read of a survey, by the names of the files.
func (s CodeSurvey) Pages() map[string][]byte {
	reviewed := slices.DeleteFunc(slices.Clone(s.Map.Files), func(f survey.File) bool { return !f.Reviewed() })
	return map[string][]byte{
		codereview.ListFile:      survey.FileList(reviewed),
		codereview.DiscoveryFile: survey.Discovery(s.Map),
		codereview.BatchPlanFile: survey.BatchPlan(s.Batches),
	}
}

// batchFolder is the name of a batch's folder.
func batchFolder(batch int) string { return fmt.Sprintf("batch-%d", batch) }

// clearReviewFolder takes what an earlier review has left out of the folder.
func (s *repository) clearReviewFolder() error {
	return WithReviewFolder(s.Project, func(f *workspace.Folder) error {
		names, err := f.Names(".")
		if err != nil {
			return fmt.Errorf("look into %s: %w", ReviewFolder, err)
		}
		root, err := os.OpenRoot(f.Path)
		if err != nil {
			return fmt.Errorf("clear %s: %w", ReviewFolder, err)
		}
		defer root.Close()
		if err := archiveLastReport(f, s.ID); err != nil {
			return err
		}
		old := regexp.MustCompile(`^(batch-[0-9]+|` + previewFolder + `|` + regexp.QuoteMeta(ReviewReportFile) + `)$`)
		for _, name := range names {
			if !old.MatchString(name) {
				continue
			}
			if err := root.RemoveAll(name); err != nil {
				return fmt.Errorf("clear %s: %w", ReviewFolder, err)
			}
		}
		return nil
	})
}

// WithReviewFolder does something in the folder of a project's reviews, which it makes
// where it is not there. The folder itself says that git is to leave it alone:
// what is the person's is not changed for it.
func WithReviewFolder(project string, do func(*workspace.Folder) error) error {
	f, err := workspace.OpenPublic(project, ReviewFolder)
	if err != nil {
		return err
	}
	defer f.Close()
	const ignore = ".gitignore"
	if _, err := f.Read(ignore); errors.Is(err, fs.ErrNotExist) {
		if err := f.Write(ignore, []byte("*\n")); err != nil {
			return err
		}
	}
	return do(f)
}

// writeReviewState writes the state of a review. It repeats what the journal says, so
// nothing stops when it cannot be written.
func (s *repository) writeReviewState() {
	st := codereview.StateOf(s.Now)
	data, err := st.Encode()
	if err != nil {
		return
	}
	_ = WithReviewFolder(s.Project, func(f *workspace.Folder) error {
		_ = f.Write(ReviewStateFile, data)
		return f.Write(ReviewProgressFile, survey.Progress(st))
	})
}

// syncReviewFolder makes the review's folder show what the run's folder holds.
func (s *repository) syncReviewFolder(r flow.Run) error {
	if s.isSurveyEmpty() {
		return nil
	}
	err := WithReviewFolder(s.Project, func(f *workspace.Folder) error {
		for _, name := range []string{codereview.ListFile, codereview.DiscoveryFile, codereview.BatchPlanFile} {
			if data, err := s.Folder.Read(name); err == nil {
				if err := writeIfChanged(f, name, data); err != nil {
					return err
				}
			}
		}
		for _, reading := range codereview.BatchVisits(r) {
			if reading.Counted == nil {
				continue
			}
			if err := s.writeBatchPages(f, reading.Batch); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if data, err := s.Folder.Read(flow.FinalReport); err == nil {
		return s.publishReviewReport(data)
	}
	return nil
}

// refreshReviewFolder does the same for whoever takes a review up: somebody may have
// deleted what it shows. That it cannot be written stops nothing.
func (s *repository) refreshReviewFolder() {
	s.writeReviewState()
	if err := s.syncReviewFolder(s.Now); err != nil {
		s.Log(ReviewFolder + " is not up to date: " + err.Error())
	}
}

// writeIfChanged writes a file that does not hold what it should.
func writeIfChanged(f *workspace.Folder, name string, data []byte) error {
	if there, err := f.Read(name); err == nil && string(there) == string(data) {
		return nil
	}
	if err := f.Mkdir(path.Dir(name)); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return f.Write(name, data)
}

// forgetSurvey has the survey read anew.
func (s *repository) forgetSurvey() {
	s.surveying.Lock()
	defer s.surveying.Unlock()
	s.survey = nil
}

// loadSurvey reads the survey of the run. It is read once: it does not change.
func (s *repository) loadSurvey() (CodeSurvey, error) {
	s.surveying.Lock()
	defer s.surveying.Unlock()
	if s.survey != nil {
		return *s.survey, nil
	}
	data, err := s.Folder.Read(codereview.SurveyFile)
	if err != nil {
		return CodeSurvey{}, fmt.Errorf("read the survey: %w", err)
	}
	var found CodeSurvey
	if err := json.Unmarshal(data, &found); err != nil {
		return CodeSurvey{}, fmt.Errorf("read the survey: %w", err)
	}
	s.survey, s.listed, s.reviewed = &found, map[string]bool{}, map[string]bool{}
	for _, f := range found.Map.Files {
		s.reviewed[f.Path] = f.Reviewed()
	}
	for _, f := range found.AllFiles() {
		s.listed[f.Path] = isQuotable(f)
	}
	return found, nil
}
