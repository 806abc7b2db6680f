package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"research-council/internal/agent"
	"research-council/internal/base/proc"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/host/caller"
	"research-council/internal/host/prepare"
	"research-council/internal/host/request"
	"research-council/internal/host/runs"
	"research-council/internal/host/view"
	"research-council/internal/product/campaign"
	"research-council/internal/product/recipe"
	"research-council/internal/project/top"
)

// slashCommand is what the host tells when a slash command of ours is typed.
type slashCommand struct {
	command, args, session, project string
}

const maxHookInput = 1 << 20 // bytes of hook JSON; a longer topic is refused by name

func readSlashCommand(e env) (slashCommand, error) {
	data, err := io.ReadAll(io.LimitReader(e.stdin, maxHookInput+1))
	if err != nil {
		return slashCommand{}, fmt.Errorf("read the hook's input: %w", err)
	}
	if len(data) > maxHookInput {
		return slashCommand{}, fmt.Errorf("the command is longer than %d KiB; put the question into a file and use `council run --topic-file`", maxHookInput>>10)
	}
	if !gjson.ValidBytes(data) {
		return slashCommand{}, errors.New("the hook's input is not JSON")
	}
	field := func(name string) string {
		if v := gjson.GetBytes(data, name); v.Type == gjson.String {
			return v.Str
		}
		return ""
	}
	in := slashCommand{command: field("command_name"), args: field("command_args"), session: field("session_id"), project: e.Getenv("CLAUDE_PROJECT_DIR")}
	if in.project == "" {
		in.project = field("cwd")
	}
	if in.session == "" || in.project == "" {
		return slashCommand{}, errors.New("the hook's input names no session or no folder")
	}
	in.project = top.Of(in.project)
	return in, nil
}

func hookBeginCommand(e env) *cobra.Command {
	return &cobra.Command{Use: "begin", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		in, err := readSlashCommand(e)
		if err != nil {
			return writeHookAnswer(e, refusedAnswer(err))
		}
		switch in.command {
		case "research-council:deep-research":
			return writeHookAnswer(e, runStarter{request.Parse, prepare.Council, begun}.begin(e, in))
		case "research-council:staged-research":
			return writeHookAnswer(e, runStarter{request.ParseStaged, prepare.Staged, stagedStartedText}.begin(e, in))
		case "research-council:confirm-brief":
			return writeHookAnswer(e, confirm(e, in))
		case "research-council:accept-change", "research-council:refuse-change":
			return writeHookAnswer(e, decideFor(e, in, in.command == "research-council:accept-change"))
		case "research-council:full-review":
			return writeHookAnswer(e, beginReview(c.Context(), e, in))
		case "research-council:cancel-research":
			return writeHookAnswer(e, cancelFor(c.Context(), e, in))
		case "research-council:status":
			return writeHookAnswer(e, statusFor(in))
		}
		if mode, ok := modeOfCommand(in.command); ok {
			return writeHookAnswer(e, enterCampaign(c.Context(), e, in, mode))
		}
		return nil
	}}
}

// hookAnswer is the hook's answer: context for the model, or words for the
// person alone, at no model's cost.
type hookAnswer struct {
	context, words string
}

func refusedAnswer(err error) hookAnswer {
	return hookAnswer{words: "Research council: " + err.Error()}
}

func writeHookAnswer(e env, x hookAnswer) error {
	out := map[string]any{"hookEventName": "UserPromptExpansion"}
	full := map[string]any{"hookSpecificOutput": out}
	if x.words != "" {
		full["decision"], full["reason"] = "block", x.words
		out["suppressOriginalPrompt"] = true
	} else {
		out["additionalContext"] = x.context
	}
	return json.NewEncoder(e.stdout).Encode(full)
}

// runStarter is how a slash command begins a run: how its words are read, what
// they come to, and what the session is told.
type runStarter struct {
	parse   func(args string) (request.Request, error)
	prepare prepareFunc
	tell    func(flow.Setup, *workspace.Folder) string
}

func (o runStarter) begin(e env, in slashCommand) hookAnswer {
	if err := in.requireNoRun(); err != nil {
		return refusedAnswer(err)
	}
	req, err := o.parse(in.args)
	if err != nil {
		return refusedAnswer(err)
	}
	setup, err := o.prepare(e.Env, in.project, req)
	if err != nil {
		return refusedAnswer(err)
	}
	if req.DryRun {
		return hookAnswer{words: view.Plan(setup, runs.Forecast(setup))}
	}
	return in.start(e, setup, func(f *workspace.Folder) string { return o.tell(setup, f) })
}

// requireNoRun refuses a session that has a run under way.
func (in slashCommand) requireNoRun() error {
	if id := workspace.SessionRun(in.project, in.session); id != "" {
		return fmt.Errorf("run %s of this session is under way; wait for it, or end it with /research-council:cancel-research", id)
	}
	return nil
}

// start lays a run down for the session and leaves it to a supervisor.
func (in slashCommand) start(e env, setup flow.Setup, tell func(*workspace.Folder) string) hookAnswer {
	setup.Session, setup.Host = in.session, e.HostProcess()
	setup.Attended = e.Getenv("CLAUDE_CODE_SESSION_ATTENDED") != "0"
	f, err := supervisor.Begin(setup, time.Now())
	if err != nil {
		return refusedAnswer(err)
	}
	defer f.Close()
	if _, err := supervisor.Detach(e.SupervisorOptions(in.project, setup.ID)); err != nil {
		return refusedAnswer(err)
	}
	return hookAnswer{context: tell(f)}
}

// enterCampaign begins a campaign or goes on with one.
func enterCampaign(ctx context.Context, e env, in slashCommand, mode campaign.Mode) hookAnswer {
	o := iterationRequest{env: e, project: in.project, session: in.session, host: e.HostProcess(), timeout: hookTimeout}
	if id := workspace.SessionRun(in.project, in.session); id != "" && mode != "" {
		if _, r, err := supervisor.Load(in.project, id); err == nil && campaign.Of(r.Setup.Own) == nil {
			return refusedAnswer(fmt.Errorf("run %s of this session is under way; wait for it, or end it with /research-council:cancel-research", id))
		}
	}
	text, err := o.beginOrContinue(ctx, mode, in.args)
	if err != nil {
		return refusedAnswer(err)
	}
	if mode == "" {
		o.requestPapers()
	}
	return hookAnswer{context: text}
}

func begun(s flow.Setup, f *workspace.Folder) string {
	text := fmt.Sprintf("Research council run %s has started. Seats at work: %s.", s.ID, view.SeatNames(s))
	for _, m := range s.Missing {
		text += fmt.Sprintf(" MISSING: %s (%s).", m.Seat, m.Reason)
	}
	if more := prepare.LimitNote(s); more != "" {
		text += " " + more
	}
	s.Plan.Questions = nil // the person's words, which the prompt of the command holds already
	text += " The plan, to be shown to the user: " + strings.Join(strings.Fields(view.Plan(s, runs.Forecast(s))), " ")
	return text + fmt.Sprintf(" The research runs by itself in the background and may take hours."+
		" Follow it with: tail -f %s   or: council watch %s"+
		" The final report will be %s."+
		" Nothing is to be done now but to acknowledge this to the user and end the turn; when the research is complete, the session is asked for the synthesis.",
		f.Join(workspace.Progress), s.ID, f.Join(recipe.FinalReport))
}

func cancelFor(ctx context.Context, e env, in slashCommand) hookAnswer {
	id, err := pickSessionRun(in)
	if err != nil {
		return refusedAnswer(err)
	}
	if proc.Within(supervisor.ProcessMark(id)) { // in the name of a hook
		return refusedAnswer(caller.MayEnd(e.Env, in.project, id))
	}
	if err := supervisor.Cancel(ctx, e.SupervisorOptions(in.project, id), "the user cancelled it"); err != nil {
		return refusedAnswer(err)
	}
	return hookAnswer{words: fmt.Sprintf("Research council run %s is cancelled and nothing of it runs any more. What was found is kept in research/%s/.", id, id)}
}

// pickSessionRun is the run a command means: the one it names, the session's own, or
// the only one alive.
func pickSessionRun(in slashCommand) (string, error) {
	if workspace.ValidID(in.args) {
		return in.args, nil
	}
	if in.args != "" {
		return "", fmt.Errorf("%q is no run id (they look like 20260222-143000-a1b2c3); leave it out for this session's run", agent.PlainLine(in.args, 60))
	}
	if id := workspace.SessionRun(in.project, in.session); id != "" {
		return id, nil
	}
	ids, err := workspace.List(in.project)
	if err != nil {
		return "", err
	}
	var living []string
	for _, id := range slices.Backward(ids) {
		if _, alive := supervisor.Alive(in.project, id); alive {
			living = append(living, id)
		}
	}
	if len(living) > 1 {
		return "", fmt.Errorf("several runs are under way here; name the one you mean: %s", strings.Join(living, ", "))
	}
	if len(living) == 1 {
		return living[0], nil
	}
	return paused(in.project, errors.New("no run is under way here"))
}

func statusFor(in slashCommand) hookAnswer {
	id, err := pickSessionRun(in)
	if err != nil {
		ids, listErr := workspace.List(in.project)
		if listErr != nil || len(ids) == 0 || in.args != "" {
			return refusedAnswer(err)
		}
		id = ids[len(ids)-1]
	}
	st, err := runs.Status(in.project, id)
	if err != nil {
		return refusedAnswer(err)
	}
	return hookAnswer{words: view.Text(st, time.Now())}
}
