package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/campaign/records"
	"github.com/research-council/research-council/internal/product/campaign/steering"
)

// How long a caller waits for the next brief, while the program still measures
// the last iteration: a hook within its time-out, a command within that of a
// shell tool.
const (
	hookTimeout    = 20 * time.Second
	CommandTimeout = 100 * time.Second
)

// Iteration is who wants an iteration.
type Iteration struct {
	program.Env
	Project, Session string
	Host             flow.Process
	Timeout          time.Duration

	CheckOnly bool // what refuses it is looked for, or a plan made: nothing is begun, taken over or changed
}

// ModeOfCommand is the mode of a slash command; "" for continue-auto.
func ModeOfCommand(name string) (mode campaign.Mode, ok bool) {
	word, ours := strings.CutPrefix(name, "research-council:")
	if !ours {
		return "", false
	}
	if word == "continue-auto" {
		return "", true
	}
	for _, m := range campaign.Modes() {
		if string(m) == word {
			return m, true
		}
	}
	return "", false
}

// BeginOrContinue begins a campaign or goes on with one, and says what there is to do;
// where it only checks, the plan that was asked for, or nothing.
func (o Iteration) BeginOrContinue(ctx context.Context, mode campaign.Mode, args string) (string, error) {
	if mode == "" {
		return o.continueCampaign(ctx, args)
	}
	req, err := request.ParseCampaign(args)
	if err != nil {
		return "", err
	}
	if id, ok := o.own(req.Name); ok {
		if o.CheckOnly {
			return "", nil
		}
		return o.brief(ctx, id)
	}
	if req.Bypass || len(req.Allow) > 0 {
		return "", errors.New("--skip-permissions and --allow are for campaigns without a session; here the session's own permissions hold")
	}
	if r, ok := o.endedCampaign(req.Name); ok {
		if o.CheckOnly {
			return "", nil
		}
		return steering.EndedText(r), nil
	}
	if err := o.checkAcceptRed(req); err != nil {
		return "", err
	}
	setup, err := prepare.Campaign(o.Env, o.Project, o.Session, mode, req)
	if err != nil {
		return "", err
	}
	if req.DryRun {
		return prepare.CampaignPlan(setup), nil
	}
	if o.CheckOnly {
		return "", nil
	}
	setup.Host = o.Host
	setup.Attended = o.Getenv("CLAUDE_CODE_SESSION_ATTENDED") != "0"
	f, err := product.Begin(setup, time.Now())
	if err != nil {
		return "", err
	}
	defer f.Close()
	return o.brief(ctx, setup.ID)
}

// own finds the open campaign of a name that this session owns, or may take
// over because its session is gone.
func (o Iteration) own(name string) (id string, ok bool) {
	slug, err := campaign.Slug(name)
	if err != nil {
		return "", false
	}
	r, err := steering.Pick(o.Project, slug)
	if err != nil || r.Status != "" {
		return "", false
	}
	return r.Setup.ID, o.take(r, false) == nil
}

// endedCampaign finds the campaign of a name, or without one the last, that this very
// session has brought to its end: a loop that goes on asking is told so.
func (o Iteration) endedCampaign(name string) (flow.Run, bool) {
	slug, err := campaign.Slug(name)
	if name != "" && err != nil {
		return flow.Run{}, false
	}
	list, err := steering.Find(o.Project, func(r flow.Run) bool {
		return r.Setup.Session == o.Session && (name == "" || campaign.Of(r.Setup.Own).Slug == slug)
	})
	if err != nil || len(list) == 0 {
		return flow.Run{}, false
	}
	last := list[len(list)-1]
	return last, last.Status != ""
}

// continueCampaign goes on with the session's own campaign, the one named, or the only one
// there is, under what limits are asked for.
func (o Iteration) continueCampaign(ctx context.Context, args string) (string, error) {
	req, err := request.ParseResume(args)
	if err != nil {
		return "", err
	}
	word := req.Name
	if word == "" {
		word = workspace.SessionRun(o.Project, o.Session)
	}
	r, ended := o.endedCampaign(req.Name)
	if !ended || word != "" && r.Setup.ID != word {
		if r, err = steering.Pick(o.Project, word); err != nil {
			return "", err
		}
	}
	if err := o.checkAcceptRed(req); err != nil {
		return "", err
	}
	switch {
	case r.Status == flow.Cancelled && !ended:
		return "", errors.New(steering.CancelledText(r))
	case o.CheckOnly && r.Setup.Session == o.Session:
		return "", nil
	case o.CheckOnly:
		return "", o.checkFree(r)
	case r.Status == flow.Cancelled:
		return steering.EndedText(r), nil
	}
	if r, err = prepare.UpdateFeatureList(o.Env, o.Project, r); err != nil {
		return "", err
	}
	setup, changed := prepare.ChangedLimits(req, r.Setup)
	goesOn := r.Status == "" || changed || campaign.HasWorkLeft(r)
	switch {
	case !goesOn && ended:
		return steering.EndedText(r), nil
	case !goesOn:
		return "", fmt.Errorf("the campaign %q has ended (%s); continue-auto %s --max-iterations N lets it go on", campaign.Of(r.Setup.Own).Name, strings.TrimSpace(steering.PlainStatus(r.Status)+" "+r.Reason), campaign.Of(r.Setup.Own).Slug)
	}
	r.Setup = setup
	if err := o.take(r, changed || r.IsWaiting()); err != nil {
		return "", err
	}
	return o.brief(ctx, r.Setup.ID)
}

// checkAcceptRed refuses what only a person may say where the session itself says
// it: what a person has typed comes by a hook.
func (o Iteration) checkAcceptRed(req request.Request) error {
	if req.AcceptRed && o.Timeout == CommandTimeout {
		return errors.New("--accept-red-baseline is a person's to say: they type it behind the slash command, or in a terminal of their own")
	}
	return nil
}

// take makes the campaign this session's, unless another that is open has it.
// A setup that is changed is told anew.
func (o Iteration) take(r flow.Run, changed bool) error {
	id := r.Setup.ID
	if st, err := workspace.ReadState(o.Project, id); err == nil && st.SessionID == o.Session && !changed {
		return nil
	}
	if err := o.checkFree(r); err != nil || o.CheckOnly {
		return err
	}
	if h, alive := supervisor.Alive(o.Project, id); alive {
		if err := proc.EndIdentity(proc.Identity{PID: h.PID, Start: h.Start}, time.Second); err != nil {
			return fmt.Errorf("end the supervisor that waits for a session that is gone: %w", err)
		}
	}
	if err := workspace.RemoveState(o.Project, id); err != nil && !errors.Is(err, workspace.ErrNoState) {
		return err
	}
	return supervisor.Reopen(o.Env.SupervisorOptions(o.Project, id), r.Setup, o.Session)
}

// checkFree refuses a campaign that another session has, or that is worked on without one.
func (o Iteration) checkFree(r flow.Run) error {
	name := campaign.Of(r.Setup.Own).Name
	if other := caller.SessionProcess(o.Project, r); r.Setup.Session != "" && other.Alive() && other.PID != o.Host.PID {
		return fmt.Errorf("the campaign %q belongs to another session that is open (process %d)", name, other.PID)
	}
	if h, alive := supervisor.Alive(o.Project, r.Setup.ID); alive && r.Setup.Session == "" && r.Status == "" {
		return fmt.Errorf("process %d works on the campaign %q without a session; stop it first, or follow it with `council watch %s`", h.PID, name, r.Setup.ID)
	}
	return nil
}

// brief waits until it is the session's turn, notes that the session was told,
// and says what there is to do.
func (o Iteration) brief(ctx context.Context, id string) (string, error) {
	f, err := workspace.Open(o.Project, id)
	if err != nil {
		return "", err
	}
	defer f.Close()
	w := sessionWaiter{Env: o.Env, Owner: Owner{o.Project, id, o.Session}, folder: f}
	if err := w.recordSessionProcess(o.Host); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	for look := time.NewTicker(waitPollInterval); ; {
		r, err := supervisor.Read(o.Project, id)
		if err != nil {
			return "", err
		}
		if r.Status != "" {
			return steering.EndedText(r), nil
		}
		if r.IsWaiting() {
			return steering.WaitingText(r), nil
		}
		if err := w.restartSupervisor(); err != nil {
			return "", err
		}
		if turn, ok := records.Turn(f); ok {
			return briefText(f, r, turn)
		}
		select {
		case <-ctx.Done():
			look.Stop()
			return fmt.Sprintf("Campaign %q: the program is still measuring the last iteration (fetching sources, running tests). `council campaign begin` waits for the next one.", campaign.Of(r.Setup.Own).Name), nil
		case <-look.C:
		}
	}
}

// RefuseModelRequest refuses what a session may not ask for of itself, since a model wrote
// its words: another campaign than the one it has under way, and other limits
// for one that is there. A person types both.
func (o Iteration) RefuseModelRequest(mode campaign.Mode, args string) error {
	parse := request.ParseCampaign
	if mode == "" {
		parse = request.ParseResume
	}
	req, err := parse(args)
	if err != nil {
		return err
	}
	word := req.Name
	if id := records.SessionCampaign(o.Project, o.Session); id != "" {
		if word == "" {
			word = id
		}
		if r, err := steering.Pick(o.Project, word); err != nil || r.Setup.ID != id {
			return usage.Errorf("this session works on the campaign of run %s and begins no other; `council cancel %s` ends it", id, id)
		}
	}
	if req.NoHooks {
		return usage.Errorf("--no-hooks is a person's to say: type it behind the slash command, or `council campaign resume --no-hooks` in a terminal")
	}
	if mode != "" {
		return nil // what a campaign that is there has been set up with stays
	}
	if r, err := steering.Pick(o.Project, word); err == nil {
		if _, changed := prepare.ChangedLimits(req, r.Setup); changed {
			return usage.Errorf("the limits of a campaign are a person's to change: type /research-council:continue-auto %s …, or `council campaign resume %s …` in a terminal", campaign.Of(r.Setup.Own).Slug, campaign.Of(r.Setup.Own).Slug)
		}
	}
	return nil
}

// requestPapers has the papers of this session's campaign built as they stand. That
// none are is no reason to stop.
func (o Iteration) requestPapers() {
	f, err := workspace.Open(o.Project, workspace.SessionRun(o.Project, o.Session))
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.DropNote(workspace.Note{Kind: workspace.BuildPapers, Session: o.Session, At: time.Now().UTC()})
}

// briefText notes that the session has its brief, and puts it into words.
func briefText(f *workspace.Folder, r flow.Run, t campaignwork.SessionTurn) (string, error) {
	if _, err := recordBegun(f, t); err != nil {
		return "", err
	}
	c, st := campaign.Of(r.Setup.Own), campaign.StateOf(r)
	text := fmt.Sprintf("Campaign %q (%s), run %s: %s, iteration %d", plain.Line(c.Name, 100), c.Mode, r.Setup.ID, st.Phase, st.Iteration)
	if c.Iterations < request.Unlimited {
		text += fmt.Sprintf(" of %d", c.Iterations)
	}
	text += "."
	text += fmt.Sprintf(" The brief of this iteration is in %s. The iteration is done when everything is recorded and `council campaign end` has been called.", t.Prompt)
	return text + fmt.Sprintf(" State and papers are in %s.", c.Folder()), nil
}
