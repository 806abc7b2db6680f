package dialogue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/council/councilwork"
)

// PlanText is a run's planned questions for a person to edit, with what the run may
// take and how the text is read as comments below them.
func PlanText(r flow.Run) []byte {
	plan := council.PlanOf(r)
	about := []string{
		plain.Line(r.Setup.Topic, scope.QuestionLimit), "",
		council.PlannedText(plan) + ". Nothing is researched before you go on.",
		"Estimate: " + strings.Join(view.Forecast(runs.Forecast(r.Setup)), "; "), "",
	}
	return []byte(scope.EditText(plan.Questions) + "\n" + scope.Comments(strings.Join(about, "\n")+"\n"+scope.EditHelp))
}

// PlanFile is where a run's planned questions are edited, absolute.
func PlanFile(f *workspace.Folder) string { return f.Join(council.EditFile) }

// layOutPlan writes the questions for a person to edit, where they do not lie there.
func layOutPlan(f *workspace.Folder, r flow.Run) error {
	if f.Has(council.EditFile) {
		return nil
	}
	return f.Write(council.EditFile, PlanText(r))
}

// planPage tells a person what was planned, and how to go on.
func planPage(f *workspace.Folder, r flow.Run) (string, error) {
	if err := layOutPlan(f, r); err != nil {
		return "", err
	}
	plan := council.PlanOf(r)
	file := QuotedPath(PlanFile(f))
	shown := council.PlannedText(plan) + ":\n\n"
	for line := range strings.Lines(scope.EditText(plan.Questions)) {
		shown += plain.Terminal(strings.TrimRight(line, "\n")) + "\n"
	}
	return shown + fmt.Sprintf("\nGo on with them:  council resume %s --input %s\nEdit them first:  council resume %s   (opens your editor in a terminal), or edit that file\nEnd the run:      council cancel %s\n", f.ID, file, f.ID, f.ID), nil
}

// givePlan gives a run the questions of a text as a person has left it. The run is as it
// was where the text cannot be read.
func givePlan(o supervisor.Options, r flow.Run, text []byte) error {
	list, err := scope.ParseEdited(text)
	if err != nil {
		return err
	}
	edited := scope.Planned(r.Setup.Topic, list)
	if scope.EditText(edited) == scope.EditText(council.PlanOf(r).Questions) {
		edited = nil
	}
	return RetryWhileHeld(func() error { return councilwork.GivePlan(o, r, edited) })
}

// readPlan gives a run the questions of a file.
func (in Input) readPlan(e program.Env, r flow.Run, id string) error {
	data, err := in.open(e)
	if err != nil {
		return err
	}
	switch err := givePlan(e.SupervisorOptions(r.Setup.Root, id), r, data); {
	case errors.Is(err, scope.ErrNoQuestions):
		return usage.Errorf("--input %q: %w; to end the run: council cancel %s", in.Answers, err, id)
	case errors.Is(err, supervisor.ErrNotAsked):
		return err
	case err != nil:
		return usage.Errorf("--input %q: %w", in.Answers, err)
	}
	return nil
}

// Editor is how the person's editor is called, as git asks for it; an error says that
// there is none.
func Editor(e program.Env) (string, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if said := strings.TrimSpace(e.Getenv(name)); said != "" {
			return said, nil
		}
	}
	for _, name := range []string{"vi", "nano"} {
		if found, err := exec.LookPath(name); err == nil {
			return QuotedPath(found), nil
		}
	}
	return "", usage.Errorf("--edit-plan finds no editor: set VISUAL or EDITOR to one")
}

// edit opens a file in an editor and waits for its end. What the editor is called with
// is a line for the shell, as git has it.
func edit(ctx context.Context, editor, file string) error {
	c := exec.CommandContext(ctx, "sh", "-c", editor+` "$@"`, editor, file)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("the editor (%s) has failed: %w", plain.Line(editor, 60), err)
	}
	return nil
}

// editPlan has the person edit the planned questions; false when they have left the
// run as it is. An emptied file cancels it.
func (t *Person) editPlan(ctx context.Context, o supervisor.Options, f *workspace.Folder, r flow.Run) (bool, error) {
	if err := layOutPlan(f, r); err != nil {
		return false, err
	}
	for {
		err := t.edit(ctx, PlanFile(f))
		if err == nil {
			var text []byte
			if text, err = f.Read(council.EditFile); err == nil {
				err = givePlan(o, r, bytes.Clone(text))
			}
		}
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, scope.ErrNoQuestions):
			fmt.Fprintln(t.out, "There is no question left: the run is cancelled.")
			return true, supervisor.Cancel(ctx, o, "the person has left no question in the plan")
		case errors.Is(err, supervisor.ErrNotAsked), ctx.Err() != nil:
			return false, err
		}
		fmt.Fprintln(t.out, "The plan cannot be taken: "+plain.Terminal(err.Error())+".")
		said, err := t.line(ctx, "Open it again? [Y/n]")
		if err != nil || strings.HasPrefix(strings.ToLower(said), "n") {
			return false, err
		}
	}
}
