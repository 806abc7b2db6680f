package prepare

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/steering"
)

// ChangedLimits is a setup under the limits asked for; false when it is as before.
func ChangedLimits(req request.Request, s flow.Setup) (flow.Setup, bool) {
	c := *campaign.Of(s.Own)
	c.Iterations, c.Loop = first(req.Iterations, c.Iterations), c.Loop || req.Loop
	c.NoHooks, c.AcceptRed = c.NoHooks || req.NoHooks, c.AcceptRed || req.AcceptRed
	changed := c.NoHooks != campaign.Of(s.Own).NoHooks || c.AcceptRed != campaign.Of(s.Own).AcceptRed || c.Iterations != campaign.Of(s.Own).Iterations || c.Loop != campaign.Of(s.Own).Loop || req.USD > 0 || req.Hours > 0
	s.Own = campaign.Own(&c)
	if req.USD > 0 {
		s.Limits.USD = req.USD
	}
	if req.Hours > 0 {
		s.Limits.Time = time.Duration(req.Hours * float64(time.Hour))
	}
	s.Limits.Turns = max(s.Limits.Turns, maxCampaignTurns(&s))
	return s, changed
}

// ResumeCampaign makes a campaign one that can be worked on without a session, under the
// limits that are asked for.
func ResumeCampaign(e program.Env, project string, r flow.Run, req request.Request) error {
	id := r.Setup.ID
	if r.Status == flow.Cancelled {
		return errors.New(steering.CancelledText(r))
	}
	if h := caller.SessionProcess(project, r); r.Setup.Session != "" && r.Status == "" && h.Alive() {
		return fmt.Errorf("the campaign %q belongs to a Claude Code session that is open (process %d); go on there with /research-council:continue-auto, or close it first", campaign.Of(r.Setup.Own).Name, h.PID)
	}
	r, err := UpdateFeatureList(e, project, r)
	if err != nil {
		return err
	}
	if campaign.Finished(r) {
		return fmt.Errorf("the campaign %q has nothing left to do: %s%s", campaign.Of(r.Setup.Own).Name, r.Reason, campaign.NextCommand(r))
	}
	setup, raised := ChangedLimits(req, r.Setup)
	if len(setup.Seats) == 0 { // the session did the work
		conf, err := e.Config()
		if err != nil {
			return err
		}
		setup.Session = ""
		if err := assignSeats(e, conf, request.Request{Tier: setup.Tier}, &setup); err != nil {
			return err
		}
	}
	if r.Status != "" && r.Status != flow.Failed && !campaign.HasWorkLeft(r) && !raised {
		return fmt.Errorf("the campaign %q has ended: %s; to go on say a new limit, as in: council campaign resume %s --max-iterations %d", campaign.Of(r.Setup.Own).Name, strings.TrimSpace(string(r.Status)+" "+r.Reason), campaign.Of(r.Setup.Own).Slug, campaign.StateOf(r).Iteration+10)
	}
	if r.Status == "" && !raised && r.Setup.Session == "" && !r.IsWaiting() {
		return nil // it goes on as it is
	}
	if h, alive := supervisor.Alive(project, id); alive {
		if r.Setup.Session == "" {
			return fmt.Errorf("process %d works on the campaign; `council cancel %s` ends it, Ctrl-C there stops it", h.PID, id)
		}
		if err := proc.EndIdentity(proc.Identity{PID: h.PID, Start: h.Start}, time.Second); err != nil {
			return fmt.Errorf("end the supervisor that waits for the session: %w", err)
		}
	}
	if err := workspace.RemoveState(project, id); err != nil && !errors.Is(err, workspace.ErrNoState) {
		return err
	}
	return supervisor.Reopen(e.SupervisorOptions(project, id), setup, "")
}
