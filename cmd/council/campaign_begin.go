package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"research-council/internal/agent"
	"research-council/internal/base/proc"
	"research-council/internal/base/usage"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/host/caller"
	"research-council/internal/host/prepare"
	"research-council/internal/host/request"
	"research-council/internal/product/campaign"
	"research-council/internal/product/campaign/records"
	"research-council/internal/product/campaign/steering"
	"research-council/internal/product/recipe"
)

// A session comes to a campaign by a slash command, which our hook sees typed,
// or by `council campaign begin`, which the session calls where a loop has fed
// the command to it again. Both lead here: the campaign is begun, or the
// session's own is gone on with.

// How long a caller waits for the next brief, while the program still measures
// the last iteration: a hook within its time-out, a command within that of a
// shell tool.
const (
	hookTimeout    = 20 * time.Second
	commandTimeout = 100 * time.Second
)

// iterationRequest is who wants an iteration.
type iterationRequest struct {
	env
	project, session string
	host             flow.Process
	timeout          time.Duration
}

// modeOfCommand is the mode of a slash command; "" for continue-auto.
func modeOfCommand(name string) (mode campaign.Mode, ok bool) {
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

// beginOrContinue begins a campaign or goes on with one, and says what there is to do.
func (o iterationRequest) beginOrContinue(ctx context.Context, mode campaign.Mode, args string) (string, error) {
	if mode == "" {
		return o.continueCampaign(ctx, args)
	}
	req, err := request.ParseCampaign(args)
	if err != nil {
		return "", err
	}
	if id, ok := o.own(req.Name); ok {
		return o.brief(ctx, id)
	}
	if req.Bypass || len(req.Allow) > 0 {
		return "", errors.New("--skip-permissions and --allow are for campaigns without a session; here the session's own permissions hold")
	}
	if r, ok := o.endedCampaign(req.Name); ok {
		return steering.EndedText(r), nil
	}
	if err := o.checkAcceptRed(req); err != nil {
		return "", err
	}
	setup, err := prepare.Campaign(o.env.Env, o.project, o.session, mode, req)
	if err != nil {
		return "", err
	}
	if req.DryRun {
		return prepare.CampaignPlan(setup), nil
	}
	setup.Host = o.host
	setup.Attended = o.Getenv("CLAUDE_CODE_SESSION_ATTENDED") != "0"
	f, err := supervisor.Begin(setup, time.Now())
	if err != nil {
		return "", err
	}
	defer f.Close()
	return o.brief(ctx, setup.ID)
}

// own finds the open campaign of a name that this session owns, or may take
// over because its session is gone.
func (o iterationRequest) own(name string) (id string, ok bool) {
	slug, err := campaign.Slug(name)
	if err != nil {
		return "", false
	}
	r, err := steering.Pick(o.project, slug)
	if err != nil || r.Status != "" {
		return "", false
	}
	return r.Setup.ID, o.take(r, false) == nil
}

// endedCampaign finds the campaign of a name, or without one the last, that this very
// session has brought to its end: a loop that goes on asking is told so.
func (o iterationRequest) endedCampaign(name string) (flow.Run, bool) {
	slug, err := campaign.Slug(name)
	if name != "" && err != nil {
		return flow.Run{}, false
	}
	list, err := steering.Find(o.project, func(r flow.Run) bool {
		return r.Setup.Session == o.session && (name == "" || campaign.Of(r.Setup.Own).Slug == slug)
	})
	if err != nil || len(list) == 0 {
		return flow.Run{}, false
	}
	last := list[len(list)-1]
	return last, last.Status != ""
}

// continueCampaign goes on with the session's own campaign, the one named, or the only one
// there is, under what limits are asked for.
func (o iterationRequest) continueCampaign(ctx context.Context, args string) (string, error) {
	req, err := request.ParseResume(args)
	if err != nil {
		return "", err
	}
	word := req.Name
	if word == "" {
		word = workspace.SessionRun(o.project, o.session)
	}
	r, ended := o.endedCampaign(req.Name)
	if !ended || word != "" && r.Setup.ID != word {
		if r, err = steering.Pick(o.project, word); err != nil {
			return "", err
		}
	}
	if err := o.checkAcceptRed(req); err != nil {
		return "", err
	}
	if r.Status == flow.Cancelled && ended {
		return steering.EndedText(r), nil
	}
	if r.Status == flow.Cancelled {
		return "", errors.New(steering.CancelledText(r))
	}
	if r, err = updateFeatureList(o.env, o.project, r); err != nil {
		return "", err
	}
	setup, changed := prepare.ChangedLimits(req, r.Setup)
	goesOn := r.Status == "" || changed || recipe.HasWorkLeft(r)
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
func (o iterationRequest) checkAcceptRed(req request.Request) error {
	if req.AcceptRed && o.timeout == commandTimeout {
		return errors.New("--accept-red-baseline is a person's to say: they type it behind the slash command, or in a terminal of their own")
	}
	return nil
}

// take makes the campaign this session's, unless another that is open has it.
// A setup that is changed is told anew.
func (o iterationRequest) take(r flow.Run, changed bool) error {
	id, c := r.Setup.ID, campaign.Of(r.Setup.Own)
	if st, err := workspace.ReadState(o.project, id); err == nil && st.SessionID == o.session && !changed {
		return nil
	}
	if other := caller.SessionProcess(o.project, r); r.Setup.Session != "" && other.Alive() && other.PID != o.host.PID {
		return fmt.Errorf("the campaign %q belongs to another session that is open (process %d)", c.Name, other.PID)
	}
	if h, alive := supervisor.Alive(o.project, id); alive {
		if r.Setup.Session == "" && r.Status == "" {
			return fmt.Errorf("process %d works on the campaign %q without a session; stop it first, or follow it with `council watch %s`", h.PID, c.Name, id)
		}
		if err := proc.EndIdentity(proc.Identity{PID: h.PID, Start: h.Start}, time.Second); err != nil {
			return fmt.Errorf("end the supervisor that waits for a session that is gone: %w", err)
		}
	}
	if err := workspace.RemoveState(o.project, id); err != nil && !errors.Is(err, workspace.ErrNoState) {
		return err
	}
	return supervisor.Reopen(o.env.SupervisorOptions(o.project, id), r.Setup, o.session)
}

// brief waits until it is the session's turn, notes that the session was told,
// and says what there is to do.
func (o iterationRequest) brief(ctx context.Context, id string) (string, error) {
	f, err := workspace.Open(o.project, id)
	if err != nil {
		return "", err
	}
	defer f.Close()
	w := sessionWaiter{env: o.env, folder: f, project: o.project, id: id, session: o.session}
	if err := w.recordSessionProcess(o.host); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	for look := time.NewTicker(waitPollInterval); ; {
		_, r, err := supervisor.Load(o.project, id)
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

// briefText notes that the session has its brief, and puts it into words.
func briefText(f *workspace.Folder, r flow.Run, t supervisor.SessionTurn) (string, error) {
	if _, err := recordBegun(f, t); err != nil {
		return "", err
	}
	c, st := campaign.Of(r.Setup.Own), recipe.CampaignState(r)
	text := fmt.Sprintf("Campaign %q (%s), run %s: %s, iteration %d", agent.PlainLine(c.Name, 100), c.Mode, r.Setup.ID, st.Phase, st.Iteration)
	if c.Iterations < request.Unlimited {
		text += fmt.Sprintf(" of %d", c.Iterations)
	}
	text += "."
	text += fmt.Sprintf(" The brief of this iteration is in %s. The iteration is done when everything is recorded and `council campaign end` has been called.", t.Prompt)
	return text + fmt.Sprintf(" State and papers are in %s.", c.Folder()), nil
}

func campaignBeginCommand(e env) *cobra.Command {
	var arguments string
	c := &cobra.Command{
		Use:   "begin [MODE]",
		Short: "Begin a campaign in this session, or wait for its next iteration",
		Long: `Begin a campaign that the Claude Code session around this command works on, or
wait for the next iteration of the one it has, and print what there is to do.
The arguments of the slash command, name, prompt and flags, come as they were
typed: on standard input with --arguments -.`,
		Example: `council campaign begin
council campaign begin research --arguments - <<'END'
'tls-1.3' 'What did TLS 1.3 change for middleboxes?' --max-iterations 30
END
council campaign begin continue-auto`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o, err := sessionRequest(c, e)
			if err != nil {
				return err
			}
			mode, ok := modeOfCommand("research-council:" + strings.Join(append(args, "continue-auto")[:1], ""))
			if !ok {
				return usage.Errorf("there is no mode %q; use research, research-and-plan, full-auto, implement or continue-auto", args[0])
			}
			if arguments == "-" {
				data, err := io.ReadAll(io.LimitReader(e.stdin, request.MaxTopicBytes+4096))
				if err != nil {
					return fmt.Errorf("read the arguments: %w", err)
				}
				arguments = string(data)
			}
			if err := o.refuseModelRequest(mode, arguments); err != nil {
				return err
			}
			text, err := o.beginOrContinue(c.Context(), mode, arguments)
			if err != nil {
				return err
			}
			if asJSON(c) {
				return encode(e.stdout, map[string]string{"text": text})
			}
			_, err = fmt.Fprintln(e.stdout, text)
			return err
		},
	}
	c.Flags().StringVar(&arguments, "arguments", "", "what stood behind the slash command; - is standard input")
	return c
}

// refuseModelRequest refuses what a session may not ask for of itself, since a model wrote
// its words: another campaign than the one it has under way, and other limits
// for one that is there. A person types both.
func (o iterationRequest) refuseModelRequest(mode campaign.Mode, args string) error {
	parse := request.ParseCampaign
	if mode == "" {
		parse = request.ParseResume
	}
	req, err := parse(args)
	if err != nil {
		return err
	}
	word := req.Name
	if id := records.SessionCampaign(o.project, o.session); id != "" {
		if word == "" {
			word = id
		}
		if r, err := steering.Pick(o.project, word); err != nil || r.Setup.ID != id {
			return usage.Errorf("this session works on the campaign of run %s and begins no other; `council cancel %s` ends it", id, id)
		}
	}
	if req.NoHooks {
		return usage.Errorf("--no-hooks is a person's to say: type it behind the slash command, or `council campaign resume --no-hooks` in a terminal")
	}
	if mode != "" {
		return nil // what a campaign that is there has been set up with stays
	}
	if r, err := steering.Pick(o.project, word); err == nil {
		if _, changed := prepare.ChangedLimits(req, r.Setup); changed {
			return usage.Errorf("the limits of a campaign are a person's to change: type /research-council:continue-auto %s …, or `council campaign resume %s …` in a terminal", campaign.Of(r.Setup.Own).Slug, campaign.Of(r.Setup.Own).Slug)
		}
	}
	return nil
}

// sessionRequest is the session around a command. Its project is where it is at
// home.
func sessionRequest(c *cobra.Command, e env) (iterationRequest, error) {
	o := iterationRequest{env: e, session: e.Getenv("CLAUDE_CODE_SESSION_ID"), host: e.HostProcess(), timeout: commandTimeout}
	if o.session == "" {
		return o, usage.Errorf("this is no Claude Code session; `council campaign run` works without one")
	}
	if c.Flags().Changed("project") {
		return o, usage.Errorf("a session works in its own project; --project is for `council campaign run`")
	}
	if o.project = e.SessionProject(); o.project != "" {
		return o, nil
	}
	var err error
	o.project, err = projectWithRuns(c, e)
	return o, err
}

// requestPapers has the papers of this session's campaign built as they stand. That
// none are is no reason to stop.
func (o iterationRequest) requestPapers() {
	f, err := workspace.Open(o.project, workspace.SessionRun(o.project, o.session))
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.DropNote(workspace.Note{Kind: workspace.BuildPapers, Session: o.session, At: time.Now().UTC()})
}
