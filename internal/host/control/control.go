// Package control is what a person does to a run from outside: end it, have it
// finish early, say what it waits for, go on with it, begin one in the background.
// Every door does it here, so that each refuses and records the same; what only
// a person may say, and who may not end a run, package caller knows.
package control

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/campaign/steering"
)

// Cancel ends a run for good, for anybody but those who work on it.
func Cancel(ctx context.Context, e program.Env, project, id string) error {
	if err := caller.MayEnd(e, project, id); err != nil {
		return err
	}
	return supervisor.Cancel(ctx, e.SupervisorOptions(project, id), "the user cancelled it")
}

// CheckCancellable refuses a run that has ended.
func CheckCancellable(project, id string) error {
	s, err := runs.Status(project, id)
	if err == nil && !s.IsOpen() {
		return fmt.Errorf("run %s has ended already (%s); there is nothing to cancel", id, steering.PlainStatus(flow.Status(s.Status)))
	}
	return nil // one that cannot be read can still be cancelled
}

// Finish has a run research no more and write up what there is, and says what becomes
// of it. Whoever works on the run cannot ask.
func Finish(e program.Env, project, id string) (next string, err error) {
	if err := caller.MayEnd(e, project, id); err != nil {
		return "", err
	}
	w, r, err := product.Load(project, id)
	if err != nil {
		return "", err
	}
	if r.Status != "" {
		return "", fmt.Errorf("run %s has ended already (%s); there is nothing to finish", id, steering.PlainStatus(r.Status))
	}
	if why := w.WhyUnfinishable(r); why != "" {
		return "", fmt.Errorf("run %s: %s; `council cancel %s` ends it", id, why, id)
	}
	if r.Finish == "" {
		if err := supervisor.AskToFinish(project, id, time.Now()); err != nil {
			return "", err
		}
	}
	_, err = supervisor.Detach(e.SupervisorOptions(project, id)) // where nobody works on it
	if errors.Is(err, supervisor.ErrMirrored) {
		return "the fleet hears of it by the next `council-fleet mirror` of this folder", nil
	}
	if err != nil {
		return "", fmt.Errorf("%w; the run is to finish: `council resume %s` works on it", err, id)
	}
	return w.FinishMessage(r), nil
}

// Note leaves what a person says to those who work on a run: to the next iteration of a
// campaign, to every turn of another run that begins from then on. It gives the note as
// it was kept.
func Note(e program.Env, project string, r flow.Run, text string) (string, error) {
	by := caller.SpeaksFor(e, project, r)
	switch {
	case campaign.Of(r.Setup.Own) != nil:
		return steering.Note(project, r, text, by)
	case !product.WorkflowOf(r.Setup).Heeds:
		return "", fmt.Errorf("run %s hears no notes: its reviewers go by the code alone", r.Setup.ID)
	case by != "":
		return "", usage.Errorf("only a person can say something to a run, and this program runs on behalf of %s: say it in a terminal of your own", by)
	case !r.Setup.HasModel():
		return "", fmt.Errorf("run %s has no model that could read a note", r.Setup.ID)
	case r.Status != "":
		return "", fmt.Errorf("run %s has ended (%s), and no turn would hear it", r.Setup.ID, steering.PlainStatus(r.Status))
	}
	text, err := supervisor.CheckNote(text)
	if err != nil {
		return "", usage.Of(err)
	}
	return text, supervisor.LeaveNote(project, r.Setup.ID, text, time.Now())
}

// NoteReaches says who hears a note that was left for a run.
func NoteReaches(r flow.Run) string {
	if campaign.Of(r.Setup.Own) != nil {
		return "the next iteration has it in its prompt"
	}
	return "every turn that begins from now on has it in its prompt, but for those that judge"
}

// DecideChange keeps a person's word on a change of a campaign that waits for it. No
// agent can say it.
func DecideChange(e program.Env, project string, r flow.Run, w campaignwork.PersonVerdict) error {
	if w.Reason = strings.TrimSpace(w.Reason); w.Reason == "" {
		return usage.Errorf("say why: --reason TEXT")
	}
	if err := caller.RequirePerson(e, project, r); err != nil {
		return err
	}
	return steering.Decide(e.SupervisorOptions(project, r.Setup.ID), r, w)
}

// GoOn gives a run that was stopped, or that waits for a person, what they say, and
// lets it be gone on with. What is wrong with that changes nothing.
func GoOn(e program.Env, project, id string, said dialogue.Input) error {
	if err := said.Give(e, project, id); err != nil {
		return err
	}
	return prepare.Reopen(e, project, id)
}

// Begin lays down the run of a setup and leaves it to a supervisor in the background.
func Begin(e program.Env, s flow.Setup) error {
	f, err := product.Begin(s, time.Now())
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := supervisor.Detach(e.SupervisorOptions(s.Root, s.ID)); err != nil {
		return fmt.Errorf("%w; the run is laid down, `council resume %s` works on it", err, s.ID)
	}
	return nil
}
