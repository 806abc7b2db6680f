package prepare

import (
	"errors"
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/steering"
)

// UpdateFeatureList brings the feature list of a campaign that nobody works on in step
// with what has changed around it, and tells on stderr what that is.
func UpdateFeatureList(e program.Env, project string, r flow.Run) (flow.Run, error) {
	r, says, err := steering.UpdateFeatureList(e.SupervisorOptions(project, r.Setup.ID), r, caller.SpeaksFor(e, project, r) == "")
	if len(says) > 0 {
		fmt.Fprintf(e.Stderr, "The feature list: %s\n", strings.Join(says, "; "))
	}
	return r, err
}

// Reopen lets a run go on that a gate has ended, where its product knows how.
func Reopen(e program.Env, project, id string) error {
	w, r, err := product.Load(project, id)
	if err != nil {
		return err
	}
	switch {
	case campaign.Of(r.Setup.Own) != nil && r.Status == "":
		_, err := UpdateFeatureList(e, project, r)
		return err
	case r.Status == "":
		return nil
	case w.Ended != nil:
		return errors.New(w.Ended(r))
	case !w.Reopens || r.Status == flow.Completed || r.Status == flow.Cancelled:
		return fmt.Errorf("run %s has ended (%s); begin a new one with `council %s`", id, steering.PlainStatus(r.Status), runs.NewRunCommand(r.Setup.Workflow))
	}
	if err := supervisor.Reopen(e.SupervisorOptions(project, id), r.Setup, ""); err != nil {
		return fmt.Errorf("take the run up again: %w", err)
	}
	return nil
}
