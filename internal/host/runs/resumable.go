package runs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/staged"
)

// NewestResumable is the newest run of a project that has not ended and nobody works
// on.
func NewestResumable(project string) (string, error) {
	all, err := workspace.List(project)
	if err != nil {
		return "", err
	}
	for _, id := range slices.Backward(all) {
		if s, err := Checked(project, id); err == nil && WhyNotResumable(s) == "" {
			return id, nil
		}
	}
	return "", fmt.Errorf("no run in %s waits to be taken up; `council list` shows what there is", project)
}

// CheckResumable says why there is nothing to take up in a run, of a campaign with
// what can be done next; nil when there is.
func CheckResumable(project, id string) error {
	s, err := Checked(project, id)
	if err != nil {
		return err
	}
	why := WhyNotResumable(s)
	if why == "" {
		return nil
	}
	if w, r, err := product.Load(project, id); err == nil && w.Ended != nil && r.Status != "" {
		return errors.New(w.Ended(r))
	}
	return errors.New(why)
}

// RefuseSeveral refuses to guess which of several runs under way is meant.
func RefuseSeveral(project string) error {
	all, err := workspace.List(project)
	if err != nil {
		return err
	}
	if live := Running(project, all); len(live) > 1 {
		return usage.Errorf("%d runs are under way (%s); name the one to cancel", len(live), strings.Join(live, ", "))
	}
	return nil
}

// WhyNotResumable says why there is nothing to take up in a run; "" when there is.
func WhyNotResumable(s status.Status) string {
	switch {
	case !s.IsOpen() && !s.Reopens:
		return fmt.Sprintf("run %s has ended (%s); begin a new one with `council %s`", s.ID, strings.ReplaceAll(s.Status, "_", " "), NewRunCommand(s.Workflow))
	case s.Supervisor != 0:
		return fmt.Sprintf("process %d works on run %s already; follow it with `council watch %s`", s.Supervisor, s.ID, s.ID)
	}
	return ""
}

// NewRunCommand is the command that begins a further run of a workflow's kind.
func NewRunCommand(workflow string) string {
	if workflow == staged.Name || workflow == codereview.Name {
		return workflow // it is called as the kind of run is
	}
	return "run"
}
