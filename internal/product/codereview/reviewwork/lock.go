package reviewwork

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/codereview"
)

// ReviewLock is the name of the file, in the folder of a project's reviews, that
// names the review at work there.
const ReviewLock = "lock"

// startGrace is how long a review that was begun may take until its supervisor is
// at work.
const startGrace = time.Minute

// ReviewUnderway is a review of the project that is at work, so that no other can be.
type ReviewUnderway struct{ ID string }

func (u *ReviewUnderway) Error() string {
	return fmt.Sprintf("review %s of this project is under way; follow it with `council watch %s`, or end it with `council cancel %s`", u.ID, u.ID, u.ID)
}

// reviewHolder is what the lock says.
type reviewHolder struct {
	Run  string    `json:"run"`
	At   time.Time `json:"at"`
	Work bool      `json:"work"` // its supervisor has been at work
}

// lockReviews makes a run the project's only review, or names the one that is
// ([*ReviewUnderway]). The lock of a run whose supervisor is dead holds nobody up; a
// lock that was deleted lets nobody in beside a supervisor that lives.
func lockReviews(project string, h reviewHolder) error {
	return WithReviewFolder(project, func(f *workspace.Folder) error {
		return f.WithLock(func() error {
			if other := otherReview(project, h.Run, readReviewLock(f), h.At); other != "" {
				return &ReviewUnderway{ID: other}
			}
			data, err := json.Marshal(h)
			if err != nil {
				return fmt.Errorf("write the lock of reviews: %w", err)
			}
			return f.Write(ReviewLock, append(data, '\n'))
		})
	})
}

// CheckNoReview says that a review of the project is at work ([*ReviewUnderway]), or nil.
// Nothing is written.
func CheckNoReview(project string) error {
	var held reviewHolder
	if data, err := os.ReadFile(filepath.Join(project, ReviewFolder, ReviewLock)); err == nil {
		held = decodeReviewLock(data)
	}
	if other := otherReview(project, "", held, time.Now()); other != "" {
		return &ReviewUnderway{ID: other}
	}
	return nil
}

// otherReview is another review of the project that is at work; "" for none.
func otherReview(project, own string, held reviewHolder, now time.Time) string {
	if held.Run != "" && held.Run != own && !held.Work && now.Sub(held.At).Abs() < startGrace && isUnfinished(project, held.Run) {
		return held.Run
	}
	if held.Run == own && own != "" {
		return "" // nobody was at work when it was written
	}
	ids, err := workspace.List(project)
	if err != nil {
		return ""
	}
	for _, id := range slices.Backward(ids) {
		if id == own {
			continue
		}
		if _, alive := supervisor.Alive(project, id); !alive {
			continue
		}
		r, err := supervisor.Read(project, id)
		if err == nil && codereview.Of(r.Setup.Own) != nil && r.Status == "" {
			return id
		}
	}
	return ""
}

// isUnfinished reports whether a run has not ended; one that is being laid down has
// not.
func isUnfinished(project, id string) bool {
	r, err := supervisor.Read(project, id)
	return err != nil || r.Status == ""
}

func readReviewLock(f *workspace.Folder) reviewHolder {
	data, err := f.Read(ReviewLock)
	if err != nil {
		return reviewHolder{}
	}
	return decodeReviewLock(data)
}

func decodeReviewLock(data []byte) reviewHolder {
	var h reviewHolder
	if json.Unmarshal(data, &h) != nil || !workspace.ValidID(h.Run) {
		return reviewHolder{}
	}
	return h
}

// unlockReviews gives a project's reviews back.
func unlockReviews(project, id string) {
	_ = WithReviewFolder(project, func(f *workspace.Folder) error { // a lock of a dead process holds nobody up
		return f.WithLock(func() error {
			if readReviewLock(f).Run != id {
				return nil
			}
			return f.Remove(ReviewLock)
		})
	})
}

// reviewReportsFolder is where the reports of all reviews of a project are kept.
const reviewReportsFolder = "reports"

// ReviewReportName is the name of a run's report in the folder of reviews.
func ReviewReportName(id string) string { return reviewReportsFolder + "/" + id + ".md" }

// archiveLastReport puts a report that lies in the folder of reviews among those that
// are kept, where none of them is the same: an earlier release kept one alone,
// and a person may have written into it.
func archiveLastReport(f *workspace.Folder, id string) error {
	text, err := f.Read(ReviewReportFile)
	if err != nil {
		return nil
	}
	names, err := f.Names(reviewReportsFolder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("keep the last report: %w", err)
	}
	for _, name := range names {
		if kept, err := f.Read(reviewReportsFolder + "/" + name); err == nil && string(kept) == string(text) {
			return nil
		}
	}
	return writeIfChanged(f, ReviewReportName("before-"+id), text)
}

// isSurveyEmpty reports whether a survey has found nothing to review: then what
// the last review has left is left alone.
func (s *repository) isSurveyEmpty() bool {
	found, err := s.loadSurvey()
	if err != nil {
		return false
	}
	files, _ := found.CountReviewed()
	return files == 0
}

// publishReviewReport shows the report of this run.
func (s *repository) publishReviewReport(text []byte) error {
	return WithReviewFolder(s.Project, func(f *workspace.Folder) error {
		if err := writeIfChanged(f, ReviewReportName(s.ID), text); err != nil {
			return err
		}
		if s.isSurveyEmpty() && f.Has(ReviewReportFile) {
			return nil
		}
		return writeIfChanged(f, ReviewReportFile, text)
	})
}

// ReviewReportPath is where people read the report of a review of a project: the
// newest one's, or where that belongs to another review, its own.
func ReviewReportPath(project, id string) string {
	newest := filepath.Join(project, ReviewFolder, ReviewReportFile)
	own := filepath.Join(project, ReviewFolder, ReviewReportName(id))
	text, err := os.ReadFile(own)
	if shown, wrong := os.ReadFile(newest); err == nil && (wrong != nil || string(shown) != string(text)) {
		return own
	}
	return newest
}

// codeRoot is the top of the code that is reviewed.
func (s *repository) codeRoot() string { return codereview.Root(s.Setup) }
