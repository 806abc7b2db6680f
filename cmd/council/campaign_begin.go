package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"research-council/internal/agent"
	"research-council/internal/campaign"
	"research-council/internal/driver"
	"research-council/internal/flow"
	"research-council/internal/proc"
	"research-council/internal/recipe"
	"research-council/internal/request"
	"research-council/internal/workspace"
)

// A session comes to a campaign by a slash command, which our hook sees typed,
// or by `council campaign begin`, which the session calls where a loop has fed
// the command to it again. Both lead here: the campaign is begun, or the
// session's own is gone on with.

// How long a caller waits for the next brief, while the program still measures
// the last iteration: a hook within its time-out, a command within that of a
// shell tool.
const (
	hookPatience    = 20 * time.Second
	commandPatience = 100 * time.Second
)

// owner is who wants an iteration.
type owner struct {
	env
	project, session string
	host             flow.Process
	patience         time.Duration
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

// enter begins a campaign or goes on with one, and says what there is to do.
func (o owner) enter(ctx context.Context, mode campaign.Mode, args string) (string, error) {
	if mode == "" {
		return o.goOn(ctx, args)
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
	if r, ok := o.ended(req.Name); ok {
		return ending(r), nil
	}
	if err := o.mayAccept(req); err != nil {
		return "", err
	}
	setup, err := prepareCampaign(o.env, o.project, o.session, mode, req)
	if err != nil {
		return "", err
	}
	if req.DryRun {
		return outlook(setup), nil
	}
	setup.Host = o.host
	setup.Attended = o.getenv("CLAUDE_CODE_SESSION_ATTENDED") != "0"
	f, err := driver.Begin(setup, time.Now())
	if err != nil {
		return "", err
	}
	defer f.Close()
	return o.brief(ctx, setup.ID)
}

// own finds the open campaign of a name that this session owns, or may take
// over because its session is gone.
func (o owner) own(name string) (id string, ok bool) {
	slug, err := campaign.Slug(name)
	if err != nil {
		return "", false
	}
	r, err := pickCampaign(o.project, slug)
	if err != nil || r.Status != "" {
		return "", false
	}
	return r.Setup.ID, o.take(r, false) == nil
}

// ended finds the campaign of a name, or without one the last, that this very
// session has brought to its end: a loop that goes on asking is told so.
func (o owner) ended(name string) (flow.Run, bool) {
	slug, err := campaign.Slug(name)
	if name != "" && err != nil {
		return flow.Run{}, false
	}
	list, err := campaignsOf(o.project, func(r flow.Run) bool {
		return r.Setup.Session == o.session && (name == "" || r.Setup.Campaign.Slug == slug)
	})
	if err != nil || len(list) == 0 {
		return flow.Run{}, false
	}
	last := list[len(list)-1]
	return last, last.Status != ""
}

// goOn goes on with the session's own campaign, the one named, or the only one
// there is, under what limits are asked for.
func (o owner) goOn(ctx context.Context, args string) (string, error) {
	req, err := request.ParseResume(args)
	if err != nil {
		return "", err
	}
	word := req.Name
	if word == "" {
		word = workspace.SessionRun(o.project, o.session)
	}
	r, ended := o.ended(req.Name)
	if !ended || word != "" && r.Setup.ID != word {
		if r, err = pickCampaign(o.project, word); err != nil {
			return "", err
		}
	}
	if err := o.mayAccept(req); err != nil {
		return "", err
	}
	if r.Status == flow.Cancelled && ended {
		return ending(r), nil
	}
	if r.Status == flow.Cancelled {
		return "", errors.New(cancelledForGood(r))
	}
	if r, err = relist(o.env, o.project, r); err != nil {
		return "", err
	}
	setup, changed := raise(req, r.Setup)
	goesOn := r.Status == "" || changed || recipe.ToDo(r)
	switch {
	case !goesOn && ended:
		return ending(r), nil
	case !goesOn:
		return "", fmt.Errorf("the campaign %q has ended (%s); continue-auto %s --max-iterations N lets it go on", r.Setup.Campaign.Name, strings.TrimSpace(plainStatus(r.Status)+" "+r.Reason), r.Setup.Campaign.Slug)
	}
	r.Setup = setup
	if err := o.take(r, changed || r.Waits()); err != nil {
		return "", err
	}
	return o.brief(ctx, r.Setup.ID)
}

// mayAccept refuses what only a person may say where the session itself says
// it: what a person has typed comes by a hook.
func (o owner) mayAccept(req request.Request) error {
	if req.AcceptRed && o.patience == commandPatience {
		return errors.New("--accept-red-baseline is a person's to say: they type it behind the slash command, or in a terminal of their own")
	}
	return nil
}

// take makes the campaign this session's, unless another that is open has it.
// A setup that is changed is told anew.
func (o owner) take(r flow.Run, changed bool) error {
	id, c := r.Setup.ID, r.Setup.Campaign
	if st, err := workspace.ReadState(o.project, id); err == nil && st.SessionID == o.session && !changed {
		return nil
	}
	if other := sessionProcess(o.project, r); r.Setup.Session != "" && other.Alive() && other.PID != o.host.PID {
		return fmt.Errorf("the campaign %q belongs to another session that is open (process %d)", c.Name, other.PID)
	}
	if h, alive := driver.Alive(o.project, id); alive {
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
	return driver.Reopen(options(o.env, o.project, id), r.Setup, o.session)
}

// brief waits until it is the session's turn, notes that the session was told,
// and says what there is to do.
func (o owner) brief(ctx context.Context, id string) (string, error) {
	f, err := workspace.Open(o.project, id)
	if err != nil {
		return "", err
	}
	defer f.Close()
	w := waiter{env: o.env, folder: f, project: o.project, id: id, session: o.session}
	if err := w.present(o.host); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, o.patience)
	defer cancel()
	for look := time.NewTicker(waitLook); ; {
		_, r, err := driver.Load(o.project, id)
		if err != nil {
			return "", err
		}
		if r.Status != "" {
			return ending(r), nil
		}
		if r.Waits() {
			return asking(r), nil
		}
		if err := w.revive(); err != nil {
			return "", err
		}
		if turn, ok := sessionTurn(f); ok {
			return told(f, r, turn)
		}
		select {
		case <-ctx.Done():
			look.Stop()
			return fmt.Sprintf("Campaign %q: the program is still measuring the last iteration (fetching sources, running tests). `council campaign begin` waits for the next one.", r.Setup.Campaign.Name), nil
		case <-look.C:
		}
	}
}

// sessionTurn is what the session is to do now; false when it is not its turn,
// or no longer.
func sessionTurn(f *workspace.Folder) (driver.SessionTurn, bool) {
	var t driver.SessionTurn
	data, err := f.Read(driver.TurnFile)
	if err != nil || json.Unmarshal(data, &t) != nil || t.Prompt == "" {
		return t, false
	}
	if name, ok := nameIn(f, t.Record); ok && f.Filled(name) {
		return t, false // it has done it
	}
	return t, true
}

// nameIn is the name of a file from the folder it lies in.
func nameIn(f *workspace.Folder, path string) (string, bool) {
	return strings.CutPrefix(path, f.Path+"/")
}

// told notes that the session has its brief, and puts it into words.
func told(f *workspace.Folder, r flow.Run, t driver.SessionTurn) (string, error) {
	if _, err := handed(f, t); err != nil {
		return "", err
	}
	c, st := r.Setup.Campaign, recipe.CampaignState(r)
	text := fmt.Sprintf("Campaign %q (%s), run %s: %s, iteration %d", agent.Plain(c.Name, 100), c.Mode, r.Setup.ID, st.Phase, st.Iteration)
	if c.Iterations < request.Unlimited {
		text += fmt.Sprintf(" of %d", c.Iterations)
	}
	text += "."
	text += fmt.Sprintf(" The brief of this iteration is in %s. The iteration is done when everything is recorded and `council campaign end` has been called.", t.Prompt)
	return text + fmt.Sprintf(" State and papers are in %s.", c.Folder()), nil
}

// asking says what a campaign waits for that only a person can give.
func asking(r flow.Run) string {
	return fmt.Sprintf("Campaign %q waits for a person: %s. Tell them so, and end your turn: nothing is left to be done before they have seen to it. `/research-council:continue-auto %s` then goes on.",
		agent.Plain(r.Setup.Campaign.Name, 100), strings.TrimSuffix(agent.Plain(r.Judged.Reason, 2000), "."), r.Setup.Campaign.Slug)
}

// ending says how a campaign has ended.
func ending(r flow.Run) string {
	c, st := r.Setup.Campaign, recipe.CampaignState(r)
	text := fmt.Sprintf("Campaign %q has ended: %s.", agent.Plain(c.Name, 100), st.Status)
	if r.Reason != "" {
		text += " " + r.Reason + "."
	}
	return text + fmt.Sprintf(" What it has come to is in %s. Nothing is left to be done in it; a loop around it can stop.", c.Folder())
}

func campaignBegin(e env) *cobra.Command {
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
			o, err := sessionOwner(c, e)
			if err != nil {
				return err
			}
			mode, ok := modeOfCommand("research-council:" + strings.Join(append(args, "continue-auto")[:1], ""))
			if !ok {
				return misuse("there is no mode %q; use research, research-and-plan, full-auto, implement or continue-auto", args[0])
			}
			if arguments == "-" {
				data, err := io.ReadAll(io.LimitReader(e.stdin, request.MostTopic+4096))
				if err != nil {
					return fmt.Errorf("read the arguments: %w", err)
				}
				arguments = string(data)
			}
			if err := o.untyped(mode, arguments); err != nil {
				return err
			}
			text, err := o.enter(c.Context(), mode, arguments)
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

// untyped refuses what a session may not ask for of itself, since a model wrote
// its words: another campaign than the one it has under way, and other limits
// for one that is there. A person types both.
func (o owner) untyped(mode campaign.Mode, args string) error {
	parse := request.ParseCampaign
	if mode == "" {
		parse = request.ParseResume
	}
	req, err := parse(args)
	if err != nil {
		return err
	}
	word := req.Name
	if id := sessionCampaign(o.project, o.session); id != "" {
		if word == "" {
			word = id
		}
		if r, err := pickCampaign(o.project, word); err != nil || r.Setup.ID != id {
			return misuse("this session works on the campaign of run %s and begins no other; `council cancel %s` ends it", id, id)
		}
	}
	if req.NoHooks {
		return misuse("--no-hooks is a person's to say: type it behind the slash command, or `council campaign resume --no-hooks` in a terminal")
	}
	if mode != "" {
		return nil // what a campaign that is there has been set up with stays
	}
	if r, err := pickCampaign(o.project, word); err == nil {
		if _, changed := raise(req, r.Setup); changed {
			return misuse("the limits of a campaign are a person's to change: type /research-council:continue-auto %s …, or `council campaign resume %s …` in a terminal", r.Setup.Campaign.Slug, r.Setup.Campaign.Slug)
		}
	}
	return nil
}

// sessionOwner is the session around a command. Its project is where it is at
// home.
func sessionOwner(c *cobra.Command, e env) (owner, error) {
	o := owner{env: e, session: e.getenv("CLAUDE_CODE_SESSION_ID"), host: hostProcess(e), patience: commandPatience}
	if o.session == "" {
		return o, misuse("this is no Claude Code session; `council campaign run` works without one")
	}
	if c.Flags().Changed("project") {
		return o, misuse("a session works in its own project; --project is for `council campaign run`")
	}
	if o.project = sessionHome(e); o.project != "" {
		return o, nil
	}
	var err error
	o.project, err = oldProject(c, e)
	return o, err
}

// show has the papers of this session's campaign built as they stand. That
// none are is no reason to stop.
func (o owner) show() {
	f, err := workspace.Open(o.project, workspace.SessionRun(o.project, o.session))
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.Drop(workspace.Note{Kind: workspace.BuildPapers, Session: o.session, At: time.Now().UTC()})
}
