package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/sessionloop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/dialogue"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/campaign/steering"
	"github.com/research-council/research-council/internal/project/top"
)

// slashCommand is what the host tells when a slash command of ours is typed.
type slashCommand struct {
	command, Args, Session, Project string

	Host   string // the host it was typed in; "" for Claude Code
	Prompt string // the whole prompt, where the host tells of each answer to which prompt it is

	wordsOnly bool // it is answered only where words for the person are the whole answer
}

func (in slashCommand) host() string { return cmp.Or(in.Host, sessionloop.Claude) }

// requireNoRun refuses a session that has a run under way.
func (in slashCommand) requireNoRun() error {
	if id := workspace.SessionRun(in.Project, in.Session); id != "" {
		return fmt.Errorf("run %s of this session is under way; wait for it, or end it with %s", id, in.typed("cancel-research"))
	}
	return nil
}

// typed is how a person types a command of ours in the session's host.
func (in slashCommand) typed(name string) string {
	switch in.Host {
	case sessionloop.Codex:
		return "$research-council:" + name
	case sessionloop.Gemini:
		return "/" + name
	default:
		return "/research-council:" + name
	}
}

// start lays a run down for the session, with the files it begins with, and leaves it to a supervisor.
func (in slashCommand) start(e program.Env, setup flow.Setup, tell func(*workspace.Folder) string, files ...supervisor.File) hookAnswer {
	if in.wordsOnly {
		return hookAnswer{}
	}
	setup.Session, setup.Host = in.Session, e.HostProcess()
	setup.Attended = in.Host == "" && e.Getenv("CLAUDE_CODE_SESSION_ATTENDED") != "0"
	f, err := product.Begin(setup, time.Now(), files...)
	if err != nil {
		return refusedAnswer(err)
	}
	defer f.Close()
	if _, err := supervisor.Detach(e.SupervisorOptions(in.Project, setup.ID)); err != nil {
		return refusedAnswer(err)
	}
	return hookAnswer{context: tell(f)}
}

const maxHookInput = 1 << 20 // bytes of hook JSON; a longer topic is refused by name

func readSlashCommand(e program.Env) (slashCommand, error) {
	data, err := io.ReadAll(io.LimitReader(e.Stdin, maxHookInput+1))
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
	in := slashCommand{command: field("command_name"), Args: field("command_args"), Session: field("session_id"), Project: e.Getenv("CLAUDE_PROJECT_DIR")}
	if in.Project == "" {
		in.Project = field("cwd")
	}
	if in.Session == "" || in.Project == "" {
		return slashCommand{}, errors.New("the hook's input names no session or no folder")
	}
	in.Project = top.Of(in.Project)
	return in, nil
}

// hookAnswer is the hook's answer: context for the model, or words for the
// person alone, at no model's cost.
type hookAnswer struct {
	context, Words string
}

func refusedAnswer(err error) hookAnswer {
	return hookAnswer{Words: speaker + err.Error()}
}

// speaker begins what the hook says in its own name.
const speaker = "Research council: "

// writeHookAnswer answers the host's hook. Words end the command, without the word
// "blocked" that a decision would put before them.
func writeHookAnswer(e program.Env, x hookAnswer) error {
	full := map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": "UserPromptExpansion", "additionalContext": x.context}}
	if x.Words != "" {
		full = map[string]any{"continue": false, "stopReason": x.Words}
	}
	return json.NewEncoder(e.Stdout).Encode(full)
}

// runStarter is how a slash command begins a run: how its words are read, what
// they come to, and what the session is told.
type runStarter struct {
	parse   func(args string) (request.Request, error)
	prepare func(e program.Env, project string, req request.Request) (flow.Setup, error)
	tell    func(flow.Setup, *workspace.Folder) string
}

func (o runStarter) begin(e program.Env, in slashCommand) hookAnswer {
	if err := in.requireNoRun(); err != nil {
		return refusedAnswer(err)
	}
	req, err := o.parse(in.Args)
	if err != nil {
		return refusedAnswer(err)
	}
	setup, err := o.prepare(e, in.Project, req)
	if err != nil {
		return refusedAnswer(err)
	}
	if req.DryRun {
		return hookAnswer{Words: view.Plan(setup, runs.Forecast(setup))}
	}
	setup.Unwoken = in.Host != ""
	return in.start(e, setup, func(f *workspace.Folder) string { return o.tell(setup, f) })
}

// enterCampaign begins a campaign or goes on with one.
func enterCampaign(ctx context.Context, e program.Env, in slashCommand, mode campaign.Mode) hookAnswer {
	o := Iteration{Env: e, Project: in.Project, Session: in.Session, Host: e.HostProcess(), Timeout: hookTimeout, CheckOnly: in.wordsOnly}
	if id := workspace.SessionRun(in.Project, in.Session); id != "" && mode != "" {
		if r, err := supervisor.Read(in.Project, id); err == nil && campaign.Of(r.Setup.Own) == nil {
			return refusedAnswer(fmt.Errorf("run %s of this session is under way; wait for it, or end it with /research-council:cancel-research", id))
		}
	}
	text, err := o.BeginOrContinue(ctx, mode, in.Args)
	if err != nil {
		return refusedAnswer(err)
	}
	if in.wordsOnly {
		return hookAnswer{Words: text}
	}
	if mode == "" {
		o.requestPapers()
	}
	return hookAnswer{context: text}
}

// begun tells the session that its research has begun. What the person is to see of
// that stands there as it is to be seen.
func begun(s flow.Setup, f *workspace.Folder) string {
	text := fmt.Sprintf("Research council run %s has started.", s.ID)
	if s.Unwoken {
		text += " The research runs by itself in the background and may take hours; this session hears of its end with the first prompt after it."
	} else if s.EditPlan {
		text += " First the question is split; this session is woken then, for the user to edit its parts, and nothing is researched before."
	} else {
		text += " The research runs by itself in the background and may take hours; when it is complete, the session is asked for the synthesis."
	}
	return text + " Nothing is to be done now but to show the user the lines below as they stand, and to end the turn.\n\n" + firstAnswer(s, f)
}

// firstAnswer is what a person reads when research begins: what will happen, what
// it is likely to cost, how to watch it and how to end it.
func firstAnswer(s flow.Setup, f *workspace.Folder) string {
	lines := []string{fmt.Sprintf("Research has begun: %s, each alone at first; then they read and check one another, quotations are looked for in their sources, and one report is written.", view.SeatNames(s))}
	for _, m := range s.Missing {
		lines = append(lines, fmt.Sprintf("MISSING: %s (%s)", m.Seat, m.Reason))
	}
	s.Plan.Questions = nil // the person's words, which the prompt of the command holds already
	plan := strings.Split(strings.TrimSpace(view.Plan(s, runs.Forecast(s))), "\n")
	lines = append(lines, slices.DeleteFunc(plan, func(line string) bool {
		return strings.HasPrefix(line, "MISSING") || strings.HasPrefix(line, "seats ") || strings.HasPrefix(line, "shard")
	})...)
	if more := prepare.LimitNote(s); more != "" {
		lines = append(lines, more)
	}
	watch, stop := " or /research-council:status", "/research-council:cancel-research"
	if s.Unwoken {
		watch, stop = "", "council cancel "+s.ID
	}
	return strings.Join(append(lines,
		"watch    council watch "+s.ID+" , council serve (in a browser), tail -f "+dialogue.QuotedPath(f.Join(workspace.Progress))+watch,
		"finish   council finish "+s.ID+" (a report from what there is)",
		"stop     "+stop+" (what was found is kept)",
		"report   "+f.Join(flow.FinalReport)), "\n")
}

func cancelFor(ctx context.Context, e program.Env, in slashCommand) hookAnswer {
	id, err := pickSessionRun(in)
	if err != nil {
		return refusedAnswer(err)
	}
	if proc.Within(supervisor.ProcessMark(id)) { // in the name of a hook
		return refusedAnswer(caller.MayEnd(e, in.Project, id))
	}
	if err := supervisor.Cancel(ctx, e.SupervisorOptions(in.Project, id), "the user cancelled it"); err != nil {
		return refusedAnswer(err)
	}
	return hookAnswer{Words: fmt.Sprintf("Research council run %s is cancelled and nothing of it runs any more. What was found is kept in research/%s/.", id, id)}
}

// pickSessionRun is the run a command means: the one it names, the session's own, or
// the only one alive.
func pickSessionRun(in slashCommand) (string, error) {
	if workspace.ValidID(in.Args) {
		return in.Args, nil
	}
	if in.Args != "" {
		return "", fmt.Errorf("%q is no run id (they look like 20260222-143000-a1b2c3); leave it out for this session's run", plain.Line(in.Args, 60))
	}
	if id := workspace.SessionRun(in.Project, in.Session); id != "" {
		return id, nil
	}
	ids, err := workspace.List(in.Project)
	if err != nil {
		return "", err
	}
	var living []string
	for _, id := range slices.Backward(ids) {
		if _, alive := supervisor.Alive(in.Project, id); alive {
			living = append(living, id)
		}
	}
	if len(living) > 1 {
		return "", fmt.Errorf("several runs are under way here; name the one you mean: %s", strings.Join(living, ", "))
	}
	if len(living) == 1 {
		return living[0], nil
	}
	return paused(in.Project, errors.New("no run is under way here"))
}

func statusFor(in slashCommand) hookAnswer {
	id, err := pickSessionRun(in)
	if err != nil {
		ids, listErr := workspace.List(in.Project)
		if listErr != nil || len(ids) == 0 || in.Args != "" {
			return refusedAnswer(err)
		}
		id = ids[len(ids)-1]
	}
	st, err := runs.Status(in.Project, id)
	if err != nil {
		return refusedAnswer(err)
	}
	return hookAnswer{Words: view.Text(st, time.Now())}
}

// decideFor keeps what a person has typed at a session.
func decideFor(e program.Env, in slashCommand, accept bool) hookAnswer {
	if who := caller.SessionStarter(e); who != "" {
		return refusedAnswer(fmt.Errorf("only a person can judge a change, and this session was started by %s", who))
	}
	w, err := request.ParseWord(in.Args)
	if err != nil {
		return refusedAnswer(err)
	}
	r, err := steering.Pick(in.Project, w.Name)
	if err != nil {
		return refusedAnswer(err)
	}
	if err := steering.Decide(e.SupervisorOptions(in.Project, r.Setup.ID), r, campaignwork.PersonVerdict{Feature: w.Feature, Accept: accept, Reason: w.Reason}); err != nil {
		return refusedAnswer(err)
	}
	return hookAnswer{Words: "Research council: " + steering.DecidedText(r)}
}

// AnswerSlashCommand answers a slash command of ours that was typed in a session: the host
// tells it on standard input, and reads the answer on standard output.
func AnswerSlashCommand(ctx context.Context, e program.Env) error {
	in, err := readSlashCommand(e)
	if err != nil {
		return writeHookAnswer(e, refusedAnswer(err))
	}
	if x, ours := in.answer(ctx, e); ours {
		return writeHookAnswer(e, x)
	}
	return nil
}

// WriteCommandWords writes what a slash command of ours comes to in words for the
// person, where these are all of it: it shows, ends or refuses something. What
// would begin or go on with a run writes nothing and does nothing: the host's hook
// does that.
func WriteCommandWords(ctx context.Context, e program.Env) error {
	in, err := readSlashCommand(e)
	if err != nil {
		return err
	}
	in.wordsOnly = true
	x, _ := in.answer(ctx, e)
	_, err = io.WriteString(e.Stdout, strings.TrimPrefix(x.Words, speaker)) // the host says whose answer it is
	return err
}

// answer does what a slash command asks for; false for one that is none of ours.
func (in slashCommand) answer(ctx context.Context, e program.Env) (hookAnswer, bool) {
	switch in.command {
	case "research-council:deep-research":
		return runStarter{request.Parse, prepare.Council, begun}.begin(e, in), true
	case "research-council:staged-research":
		return runStarter{request.ParseStaged, prepare.Staged, stagedStartedText}.begin(e, in), true
	case "research-council:confirm-brief":
		return confirm(e, in), true
	case "research-council:accept-change", "research-council:refuse-change":
		return decideFor(e, in, in.command == "research-council:accept-change"), true
	case "research-council:full-review":
		return beginReview(ctx, e, in), true
	case "research-council:cancel-research":
		return cancelFor(ctx, e, in), true
	case "research-council:research-loop":
		return loopFor(e, in), true
	case "research-council:status":
		return statusFor(in), true
	case "research-council:setup":
		return setUpFor(ctx, e, in), true
	}
	if mode, ok := ModeOfCommand(in.command); ok {
		return enterCampaign(ctx, e, in, mode), true
	}
	return hookAnswer{}, false
}
