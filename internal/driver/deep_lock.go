package driver

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"research-council/internal/flow"
	"research-council/internal/recipe"
	"research-council/internal/workspace"
)

// DeepLock is the name of the file, in the folder of a project's reviews, that
// names the review at work there.
const DeepLock = "lock"

// starting is how long a review that was begun may take until its supervisor is
// at work.
const starting = time.Minute

// Underway is a review of the project that is at work, so that no other can be.
type Underway struct{ ID string }

func (u *Underway) Error() string {
	return fmt.Sprintf("review %s of this project is under way; follow it with `council watch %s`, or end it with `council cancel %s`", u.ID, u.ID, u.ID)
}

// deepHolder is what the lock says.
type deepHolder struct {
	Run  string    `json:"run"`
	At   time.Time `json:"at"`
	Work bool      `json:"work"` // its supervisor has been at work
}

// holdDeep makes a run the project's only review, or names the one that is
// ([*Underway]). The lock of a run whose supervisor is dead holds nobody up; a
// lock that was deleted lets nobody in beside a supervisor that lives.
func holdDeep(project string, h deepHolder) error {
	return InDeep(project, func(f *workspace.Folder) error {
		return f.Alone(func() error {
			if other := otherReview(project, h.Run, readHolder(f), h.At); other != "" {
				return &Underway{ID: other}
			}
			data, err := json.Marshal(h)
			if err != nil {
				return fmt.Errorf("write the lock of reviews: %w", err)
			}
			return f.Write(DeepLock, append(data, '\n'))
		})
	})
}

// DeepFree says that a review of the project is at work ([*Underway]), or nil.
// Nothing is written.
func DeepFree(project string) error {
	var held deepHolder
	if data, err := os.ReadFile(filepath.Join(project, DeepFolder, DeepLock)); err == nil {
		held = decodeHolder(data)
	}
	if other := otherReview(project, "", held, time.Now()); other != "" {
		return &Underway{ID: other}
	}
	return nil
}

// otherReview is another review of the project that is at work; "" for none.
func otherReview(project, own string, held deepHolder, now time.Time) string {
	if held.Run != "" && held.Run != own && !held.Work && now.Sub(held.At).Abs() < starting && pending(project, held.Run) {
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
		if _, alive := Alive(project, id); !alive {
			continue
		}
		_, r, err := Load(project, id)
		if err == nil && r.Setup.Deep != nil && r.Status == "" {
			return id
		}
	}
	return ""
}

// pending reports whether a run has not ended; one that is being laid down has
// not.
func pending(project, id string) bool {
	_, r, err := Load(project, id)
	return err != nil || r.Status == ""
}

func readHolder(f *workspace.Folder) deepHolder {
	data, err := f.Read(DeepLock)
	if err != nil {
		return deepHolder{}
	}
	return decodeHolder(data)
}

func decodeHolder(data []byte) deepHolder {
	var h deepHolder
	if json.Unmarshal(data, &h) != nil || !workspace.ValidID(h.Run) {
		return deepHolder{}
	}
	return h
}

// reserveDeep keeps a project's reviews for a run that is about to be laid
// down.
func reserveDeep(setup flow.Setup, now time.Time) error {
	if setup.Deep == nil {
		return nil
	}
	return holdDeep(setup.Root, deepHolder{Run: setup.ID, At: now.UTC()})
}

// unreserve gives up what [reserveDeep] has kept.
func unreserve(setup flow.Setup) {
	if setup.Deep != nil {
		freeDeep(setup.Root, setup.ID)
	}
}

// holdReviews does so for a supervisor, which is at work.
func (s *supervisor) holdReviews() error {
	if s.setup.Deep == nil || s.run.Status != "" {
		return nil
	}
	return holdDeep(s.Project, deepHolder{Run: s.ID, At: time.Now().UTC(), Work: true})
}

// freeDeep gives a project's reviews back.
func freeDeep(project, id string) {
	_ = InDeep(project, func(f *workspace.Folder) error { // a lock of a dead process holds nobody up
		return f.Alone(func() error {
			if readHolder(f).Run != id {
				return nil
			}
			return f.Remove(DeepLock)
		})
	})
}

// deepReports is where the reports of all reviews of a project are kept.
const deepReports = "reports"

// DeepReportOf is the name of a run's report in the folder of reviews.
func DeepReportOf(id string) string { return deepReports + "/" + id + ".md" }

// keepReport puts a report that lies in the folder of reviews among those that
// are kept, where none of them is the same: an earlier release kept one alone,
// and a person may have written into it.
func keepReport(f *workspace.Folder, id string) error {
	text, err := f.Read(DeepReport)
	if err != nil {
		return nil
	}
	names, err := f.Names(deepReports)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("keep the last report: %w", err)
	}
	for _, name := range names {
		if kept, err := f.Read(deepReports + "/" + name); err == nil && string(kept) == string(text) {
			return nil
		}
	}
	return renew(f, DeepReportOf("before-"+id), text)
}

// emptySurvey reports whether a survey has found nothing to review: then what
// the last review has left is left alone.
func (s *supervisor) emptySurvey() bool {
	found, err := s.surveyed()
	if err != nil {
		return false
	}
	files, _ := found.Reviewed()
	return files == 0
}

// showReport shows the report of this run.
func (s *supervisor) showReport(text []byte) error {
	return InDeep(s.Project, func(f *workspace.Folder) error {
		if err := renew(f, DeepReportOf(s.ID), text); err != nil {
			return err
		}
		if s.emptySurvey() && f.Has(DeepReport) {
			return nil
		}
		return renew(f, DeepReport, text)
	})
}

// DeepReportPath is where people read the report of a review of a project: the
// newest one's, or where that belongs to another review, its own.
func DeepReportPath(project, id string) string {
	newest := filepath.Join(project, DeepFolder, DeepReport)
	own := filepath.Join(project, DeepFolder, DeepReportOf(id))
	text, err := os.ReadFile(own)
	if shown, wrong := os.ReadFile(newest); err == nil && (wrong != nil || string(shown) != string(text)) {
		return own
	}
	return newest
}

// codeRoot is the top of the code that is reviewed.
func (s *supervisor) codeRoot() string { return recipe.CodeRoot(s.setup) }
