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
	"research-council/internal/campaign"
	"research-council/internal/driver"
	"research-council/internal/flow"
	"research-council/internal/proc"
	"research-council/internal/recipe"
	"research-council/internal/request"
	"research-council/internal/view"
	"research-council/internal/workspace"
)

// entrance is what the host tells when a slash command of ours is typed.
type entrance struct {
	command, args, session, project string
}

const mostEntrance = 1 << 20 // bytes of hook JSON; a longer topic is refused by name

func readEntrance(e env) (entrance, error) {
	data, err := io.ReadAll(io.LimitReader(e.stdin, mostEntrance+1))
	if err != nil {
		return entrance{}, fmt.Errorf("read the hook's input: %w", err)
	}
	if len(data) > mostEntrance {
		return entrance{}, fmt.Errorf("the command is longer than %d KiB; put the question into a file and use `council run --topic-file`", mostEntrance>>10)
	}
	if !gjson.ValidBytes(data) {
		return entrance{}, errors.New("the hook's input is not JSON")
	}
	field := func(name string) string {
		if v := gjson.GetBytes(data, name); v.Type == gjson.String {
			return v.Str
		}
		return ""
	}
	in := entrance{command: field("command_name"), args: field("command_args"), session: field("session_id"), project: e.getenv("CLAUDE_PROJECT_DIR")}
	if in.project == "" {
		in.project = field("cwd")
	}
	if in.session == "" || in.project == "" {
		return entrance{}, errors.New("the hook's input names no session or no folder")
	}
	in.project = homeOf(in.project)
	return in, nil
}

func hookBegin(e env) *cobra.Command {
	return &cobra.Command{Use: "begin", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		in, err := readEntrance(e)
		if err != nil {
			return answer(e, refuse(err))
		}
		switch in.command {
		case "research-council:deep-research":
			return answer(e, opening{request.Parse, prepare, begun}.begin(e, in))
		case "research-council:staged-research":
			return answer(e, opening{request.ParseStaged, prepareStaged, stagedBegun}.begin(e, in))
		case "research-council:confirm-brief":
			return answer(e, confirm(e, in))
		case "research-council:accept-change", "research-council:refuse-change":
			return answer(e, decideFor(e, in, in.command == "research-council:accept-change"))
		case "research-council:full-review":
			return answer(e, beginReview(c.Context(), e, in))
		case "research-council:cancel-research":
			return answer(e, cancelFor(c.Context(), e, in))
		case "research-council:status":
			return answer(e, statusFor(in))
		}
		if mode, ok := modeOfCommand(in.command); ok {
			return answer(e, iterate(c.Context(), e, in, mode))
		}
		return nil
	}}
}

// expansion is the hook's answer: context for the model, or words for the
// person alone, at no model's cost.
type expansion struct {
	context, words string
}

func refuse(err error) expansion { return expansion{words: "Research council: " + err.Error()} }

func answer(e env, x expansion) error {
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

// opening is how a slash command begins a run: how its words are read, what
// they come to, and what the session is told.
type opening struct {
	parse   func(args string) (request.Request, error)
	prepare preparation
	tell    func(flow.Setup, *workspace.Folder) string
}

func (o opening) begin(e env, in entrance) expansion {
	if err := in.free(); err != nil {
		return refuse(err)
	}
	req, err := o.parse(in.args)
	if err != nil {
		return refuse(err)
	}
	setup, err := o.prepare(e, in.project, req)
	if err != nil {
		return refuse(err)
	}
	if req.DryRun {
		return expansion{words: view.Plan(setup, forecastOf(setup))}
	}
	return in.start(e, setup, func(f *workspace.Folder) string { return o.tell(setup, f) })
}

// free refuses a session that has a run under way.
func (in entrance) free() error {
	if id := workspace.SessionRun(in.project, in.session); id != "" {
		return fmt.Errorf("run %s of this session is under way; wait for it, or end it with /research-council:cancel-research", id)
	}
	return nil
}

// start lays a run down for the session and leaves it to a supervisor.
func (in entrance) start(e env, setup flow.Setup, tell func(*workspace.Folder) string) expansion {
	setup.Session, setup.Host = in.session, hostProcess(e)
	setup.Attended = e.getenv("CLAUDE_CODE_SESSION_ATTENDED") != "0"
	f, err := driver.Begin(setup, time.Now())
	if err != nil {
		return refuse(err)
	}
	defer f.Close()
	if _, err := driver.Detach(options(e, in.project, setup.ID)); err != nil {
		return refuse(err)
	}
	return expansion{context: tell(f)}
}

// iterate begins a campaign or goes on with one.
func iterate(ctx context.Context, e env, in entrance, mode campaign.Mode) expansion {
	o := owner{env: e, project: in.project, session: in.session, host: hostProcess(e), patience: hookPatience}
	if id := workspace.SessionRun(in.project, in.session); id != "" && mode != "" {
		if _, r, err := driver.Load(in.project, id); err == nil && r.Setup.Campaign == nil {
			return refuse(fmt.Errorf("run %s of this session is under way; wait for it, or end it with /research-council:cancel-research", id))
		}
	}
	text, err := o.enter(ctx, mode, in.args)
	if err != nil {
		return refuse(err)
	}
	if mode == "" {
		o.show()
	}
	return expansion{context: text}
}

func begun(s flow.Setup, f *workspace.Folder) string {
	text := fmt.Sprintf("Research council run %s has started. Seats at work: %s.", s.ID, view.SeatNames(s))
	for _, m := range s.Missing {
		text += fmt.Sprintf(" MISSING: %s (%s).", m.Seat, m.Reason)
	}
	if more := howHeld(s); more != "" {
		text += " " + more
	}
	s.Plan.Questions = nil // the person's words, which the prompt of the command holds already
	text += " The plan, to be shown to the user: " + strings.Join(strings.Fields(view.Plan(s, forecastOf(s))), " ")
	return text + fmt.Sprintf(" The research runs by itself in the background and may take hours."+
		" Follow it with: tail -f %s   or: council watch %s"+
		" The final report will be %s."+
		" Nothing is to be done now but to acknowledge this to the user and end the turn; when the research is complete, the session is asked for the synthesis.",
		f.Join(workspace.Progress), s.ID, f.Join(recipe.FinalReport))
}

func cancelFor(ctx context.Context, e env, in entrance) expansion {
	id, err := chosen(in)
	if err != nil {
		return refuse(err)
	}
	if proc.Within(driver.Mark(id)) { // in the name of a hook
		return refuse(mayEnd(e, in.project, id))
	}
	if err := driver.Cancel(ctx, options(e, in.project, id), "the user cancelled it"); err != nil {
		return refuse(err)
	}
	return expansion{words: fmt.Sprintf("Research council run %s is cancelled and nothing of it runs any more. What was found is kept in research/%s/.", id, id)}
}

// chosen is the run a command means: the one it names, the session's own, or
// the only one alive.
func chosen(in entrance) (string, error) {
	if workspace.ValidID(in.args) {
		return in.args, nil
	}
	if in.args != "" {
		return "", fmt.Errorf("%q is no run id (they look like 20260222-143000-a1b2c3); leave it out for this session's run", agent.Plain(in.args, 60))
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
		if _, alive := driver.Alive(in.project, id); alive {
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

func statusFor(in entrance) expansion {
	id, err := chosen(in)
	if err != nil {
		ids, listErr := workspace.List(in.project)
		if listErr != nil || len(ids) == 0 || in.args != "" {
			return refuse(err)
		}
		id = ids[len(ids)-1]
	}
	st, err := statusNow(in.project, id)
	if err != nil {
		return refuse(err)
	}
	return expansion{words: view.Text(st, time.Now())}
}
