package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/reviewwork"
	"github.com/research-council/research-council/internal/project/top"
)

// beginReview begins a review of code for a session.
func beginReview(ctx context.Context, e program.Env, in slashCommand) hookAnswer {
	if err := in.requireNoRun(); err != nil {
		return refusedAnswer(err)
	}
	req, err := request.ParseReview(in.Args)
	if err != nil {
		return refusedAnswer(err)
	}
	where, err := reviewTarget(in.Project, req.Topic)
	if err != nil {
		return refusedAnswer(err)
	}
	if !req.DryRun && !req.SurveyOnly {
		if err := reviewwork.CheckNoReview(in.Project); err != nil {
			return refusedAnswer(err)
		}
	}
	r, err := prepare.Review(ctx, e, where, req)
	if err != nil {
		return refusedAnswer(err)
	}
	switch {
	case req.SurveyOnly:
		if err := r.WriteSurvey(); err != nil {
			return refusedAnswer(err)
		}
		return hookAnswer{Words: r.Plan().Text() + "\nWritten into " + filepath.Join(r.Setup.Root, reviewwork.ReviewFolder)}
	case req.DryRun:
		return hookAnswer{Words: r.Plan().Text()}
	}
	return in.start(e, r.Setup, func(f *workspace.Folder) string { return reviewStartedText(r, f) }, r.Files...)
}

// reviewTarget is what a session's words name inside its project.
func reviewTarget(project, words string) (prepare.Region, error) {
	if words == "" {
		return prepare.Region{Project: project}, nil
	}
	target := words
	if !filepath.IsAbs(target) {
		target = filepath.Join(project, target)
	}
	under, is := top.Inside(project, target)
	if !is {
		return prepare.Region{}, fmt.Errorf("%q lies outside this project; start a session there, or use `council review`", words)
	}
	if _, err := os.Lstat(target); err != nil {
		return prepare.Region{}, fmt.Errorf("%q is not there; name a folder or a file of this project, or nothing for all of it", words)
	}
	return prepare.Region{Project: project, Under: under}, nil
}

func reviewStartedText(r prepare.CodeReview, f *workspace.Folder) string {
	s := r.Setup
	text := fmt.Sprintf("Code review %s has started. Seats: %s.", s.ID, view.SeatNames(s))
	if more := prepare.LimitNote(s); more != "" {
		text += " " + more
	}
	text += " The plan, to be shown to the user: " + strings.Join(strings.Fields(plain.Terminal(r.Plan().Text())), " ")
	return text + fmt.Sprintf(" It works by itself in the background and may take hours. Follow it with: tail -f %s   or: council watch %s   How far it is stands in %s."+
		" The report will be %s. Nothing is to be done now but to tell the user and end the turn: read no code for it. This session is woken when the review has ended.",
		f.Join(workspace.Progress), s.ID, filepath.Join(s.Root, reviewwork.ReviewFolder, reviewwork.ReviewProgressFile), filepath.Join(s.Root, reviewwork.ReviewFolder, reviewwork.ReviewReportFile))
}

// reviewEndText adds to the end of a run what a review has found; nothing for what
// is none.
func reviewEndText(project string, st status.Status) string {
	if codereview.StatusOf(st) == nil {
		return ""
	}
	done, err := reviewwork.Findings(project, st.ID)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" The review: %s. For people: %s.", runs.FindingsLine(done), reviewwork.ReviewReportPath(project, st.ID))
}

// reviewStatusText tells a session that has lost its context how far its review is.
func reviewStatusText(st status.Status) string {
	v, project := codereview.StatusOf(st), filepath.Dir(filepath.Dir(st.Folder))
	return fmt.Sprintf(" It is a code review in batch %d of %d. It goes on by itself; progress is in %s. The session is woken when it has ended; read no code for it.",
		v.Batch, v.Batches, filepath.Join(project, reviewwork.ReviewFolder, reviewwork.ReviewProgressFile))
}
