package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"research-council/internal/agent"
	"research-council/internal/driver"
	"research-council/internal/flow"
	"research-council/internal/proc"
	"research-council/internal/recipe"
	"research-council/internal/request"
	"research-council/internal/status"
	"research-council/internal/view"
	"research-council/internal/workspace"
)

// The hooks of Claude Code that have real work to do. council-hook has looked
// first and hands over only what concerns a run; nothing here may trap the
// user, so whatever goes wrong ends with code 0 and a line on stderr.

// wakeCode is the exit code by which a hook wakes its session with stderr.
const wakeCode = 2

func hookCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "hook", Short: "What the plugin's hooks hand over", Hidden: true}
	c.AddCommand(hookBegin(e), hookWait(e), hookSessionStart(e))
	return c
}

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
			return answer(e, begin(e, in))
		case "research-council:cancel-research":
			return answer(e, cancelFor(c.Context(), e, in))
		case "research-council:status":
			return answer(e, statusFor(in))
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

func begin(e env, in entrance) expansion {
	if id := workspace.SessionRun(in.project, in.session); id != "" {
		return refuse(fmt.Errorf("run %s of this session is under way; wait for it, or end it with /research-council:cancel-research", id))
	}
	req, err := request.Parse(in.args)
	if err != nil {
		return refuse(err)
	}
	setup, err := prepare(e, in.project, req)
	if err != nil {
		return refuse(err)
	}
	setup.Session = in.session
	setup.Attended = e.getenv("CLAUDE_CODE_SESSION_ATTENDED") != "0"
	setup.Host = hostProcess(e)
	f, err := driver.Begin(setup, time.Now())
	if err != nil {
		return refuse(err)
	}
	defer f.Close()
	if _, err := driver.Detach(options(e, in.project, setup.ID)); err != nil {
		return refuse(err)
	}
	return expansion{context: begun(setup, f)}
}

// hostProcess is the process of the session, by which it can be told that the
// session is gone.
func hostProcess(e env) flow.Process {
	pid, err := strconv.Atoi(e.getenv("CLAUDE_PID"))
	if err != nil {
		return flow.Process{}
	}
	id, err := proc.Identify(pid)
	if err != nil {
		return flow.Process{}
	}
	return flow.Process{PID: id.PID, Start: id.Start}
}

func begun(s flow.Setup, f *workspace.Folder) string {
	text := fmt.Sprintf("Research council run %s has started. Seats at work: %s.", s.ID, view.SeatNames(s))
	for _, m := range s.Missing {
		text += fmt.Sprintf(" MISSING: %s (%s).", m.Seat, m.Reason)
	}
	if more := unpriced(s); more != "" {
		text += " " + more
	}
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
	for i := len(ids) - 1; i >= 0; i-- {
		if _, alive := driver.Alive(in.project, ids[i]); alive {
			return ids[i], nil
		}
	}
	return "", errors.New("no run is under way here")
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
	st, err := readStatus(in.project, id)
	if err != nil {
		return refuse(err)
	}
	return expansion{words: view.Text(st, time.Now())}
}

// waiter is one hook process that waits for a run on behalf of its session.
type waiter struct {
	env
	folder  *workspace.Folder
	project string
	id      string
	session string
	began   bool      // the draft's note has been dropped
	pending time.Time // since when the session has been seen asked, without a draft
}

const waitLook = 200 * time.Millisecond

func hookWait(e env) *cobra.Command {
	w := waiter{env: e}
	c := &cobra.Command{Use: "wait", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		f, err := workspace.Open(w.project, w.id)
		if err != nil {
			return err
		}
		defer f.Close()
		w.folder = f
		words, err := w.wait(c.Context())
		if err != nil || words == "" {
			return err
		}
		fmt.Fprintln(e.stderr, words)
		return exitCode(wakeCode)
	}}
	runFlags(c, &w.project, &w.id, &w.session)
	return c
}

func runFlags(c *cobra.Command, project, id, session *string) {
	c.Flags().StringVar(project, "root", "", "the project")
	c.Flags().StringVar(id, "run", "", "the run")
	c.Flags().StringVar(session, "session", "", "the session that owns the run")
}

// wait waits until the run needs its session or has ended, and returns what
// the session is to be told; "" for nothing. One waiter a run is enough.
func (w *waiter) wait(ctx context.Context) (string, error) {
	lock := flock.New(w.folder.Join(workspace.Session, "waiter.lock"), flock.SetPermissions(0o600))
	first, err := lock.TryLock()
	if err != nil || !first {
		return "", err
	}
	defer lock.Unlock()
	host := hostProcess(w.env)
	if err := w.present(host); err != nil {
		return "", err
	}
	look := time.NewTicker(waitLook)
	defer look.Stop()
	for {
		words, over, err := w.look()
		if over || err != nil {
			return words, err
		}
		select {
		case <-ctx.Done():
			return "", nil
		case <-look.C:
		}
		if host.PID != 0 && !(proc.Identity{PID: host.PID, Start: host.Start}).Alive() {
			return "", nil
		}
	}
}

// present tells the supervisor which process the session is now: it may have
// been closed and opened again since the run began.
func (w *waiter) present(host flow.Process) error {
	if host.PID == 0 {
		return nil
	}
	data, err := json.Marshal(host)
	if err != nil {
		return fmt.Errorf("tell the session's process: %w", err)
	}
	return w.folder.Write(driver.HostFile, data)
}

// look says whether the waiting is over, and with what words.
func (w *waiter) look() (words string, over bool, err error) {
	st, err := readStatus(w.project, w.id)
	if errors.Is(err, os.ErrNotExist) {
		return "", false, w.revive()
	}
	if err != nil {
		return "", true, err
	}
	if st.Status != "running" {
		words, err := w.ended(st)
		return words, true, err
	}
	state, err := workspace.ReadState(w.project, w.id)
	if err != nil || state.SessionID != w.session {
		return "", true, nil // deleted or handed on: none of ours any more
	}
	if !asked(st) {
		w.pending = time.Time{}
		return "", false, w.revive()
	}
	if w.folder.Filled(recipe.SynthesisFile) {
		return "", false, errors.Join(w.drafted(), w.revive())
	}
	if w.folder.Filled(driver.SynthesisPrompt) {
		words, over, err = w.ask()
	}
	return words, over, errors.Join(err, w.revive())
}

// asked reports whether the synthesis is the session's to write.
func asked(st status.Status) bool {
	return slices.ContainsFunc(st.Seats, func(s status.Seat) bool { return s.Name == flow.Host && s.State == "running" })
}

// drafted tells the supervisor that the session has stopped and its draft is
// there.
func (w *waiter) drafted() error {
	if w.began {
		return nil
	}
	w.began = true
	return w.folder.Drop(workspace.Note{Kind: workspace.SessionStopped, Session: w.session, At: time.Now().UTC()})
}

// ask claims the first request for the synthesis, or the next one after a
// draft was set aside. The reminders are the Stop hook's, which runs beside
// this one: a host that waits for both would never let the reminded session go
// on, so then the waiting is over. The next Stop starts it again.
func (w *waiter) ask() (words string, over bool, err error) {
	if w.folder.Has(workspace.Session+"/ask-1") && !w.began {
		if w.pending.IsZero() {
			w.pending = time.Now()
		}
		return "", time.Since(w.pending) > reminding, nil
	}
	w.began = false
	for n := 1; n <= asks; n++ {
		if claimAsk(w.folder, n) {
			return synthesisWords(w.folder, n), true, nil
		}
	}
	return "", false, w.folder.Drop(workspace.Note{Kind: workspace.SessionGaveUp, Session: w.session, At: time.Now().UTC()})
}

// reminding is how long the Stop hook may take to remind the session, or to
// give it up and the supervisor to hear of that.
const reminding = time.Second

// asks is how often a session is asked for its synthesis: once, and two
// reminders.
const asks = 3

func claimAsk(f *workspace.Folder, n int) bool {
	file, err := os.OpenFile(f.Join(workspace.Session, "ask-"+strconv.Itoa(n)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false
	}
	_, err = fmt.Fprintf(file, "%s wait\n", time.Now().UTC().Format(time.RFC3339))
	return errors.Join(err, file.Close()) == nil
}

func synthesisWords(f *workspace.Folder, n int) string {
	if n > 1 {
		return fmt.Sprintf("Research Council: the draft needs mending before the report can be rendered. %s lists what; write it again to %s.",
			f.Join(workspace.Session, "open.md"), f.Join(recipe.SynthesisFile))
	}
	return fmt.Sprintf("Research Council: Phase 3/3 — Synthesis. All research phases are complete. Read %s and write the synthesis to %s.",
		f.Join(driver.SynthesisPrompt), f.Join(recipe.SynthesisFile))
}

// ended tells the session once how its run has ended, where it did not end by
// the session's own synthesis.
func (w *waiter) ended(st status.Status) (string, error) {
	if w.began && st.Status == string(flow.Completed) || st.Status == string(flow.Cancelled) || w.folder.Has(workspace.Session+"/told") {
		return "", nil
	}
	if err := w.folder.Write(workspace.Session+"/told", []byte(st.Status)); err != nil {
		return "", err
	}
	words := fmt.Sprintf("Research Council: run %s has ended: %s.", st.ID, st.Status)
	if st.Reason != "" {
		words += " " + st.Reason + "."
	}
	return words + " The report of what is known: " + w.folder.Join(recipe.FinalReport) + ". Tell the user; nothing else is to be done.", nil
}

// revive starts a supervisor where none lives.
func (w *waiter) revive() error {
	if _, alive := driver.Alive(w.project, w.id); alive || w.folder.Has(workspace.Tombstone) {
		return nil
	}
	_, err := driver.Detach(options(w.env, w.project, w.id))
	return err
}

func hookSessionStart(e env) *cobra.Command {
	var project, id, session, source string
	c := &cobra.Command{Use: "session-start", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		if !workspace.ValidID(id) {
			return nil
		}
		f, err := workspace.Open(project, id)
		if err != nil {
			return err
		}
		defer f.Close()
		w := waiter{env: e, folder: f, project: project, id: id, session: session}
		if err := errors.Join(w.present(hostProcess(e)), w.revive()); err != nil {
			return err
		}
		st, err := readStatus(project, id)
		if err != nil {
			return err
		}
		return json.NewEncoder(e.stdout).Encode(map[string]any{"hookSpecificOutput": map[string]any{
			"hookEventName": "SessionStart", "additionalContext": restored(f, st),
		}})
	}}
	runFlags(c, &project, &id, &session)
	c.Flags().StringVar(&source, "source", "", "how the session started")
	return c
}

// restored tells a session that has lost its context where its run stands.
func restored(f *workspace.Folder, st status.Status) string {
	text := fmt.Sprintf("This session owns research council run %s on: %q. It stands in phase %s (%s).", st.ID, agent.Plain(st.Topic, 300), st.Phase, st.Status)
	if st.Phase == recipe.Synthesis && f.Filled(driver.SynthesisPrompt) && !f.Filled(recipe.SynthesisFile) {
		return text + fmt.Sprintf(" The next step is this session's: read %s and write the synthesis to %s.", f.Join(driver.SynthesisPrompt), f.Join(recipe.SynthesisFile))
	}
	return text + fmt.Sprintf(" The seats work by themselves; progress is in %s. The session is asked when it is its turn.", f.Join(workspace.Progress))
}
