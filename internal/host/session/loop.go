package session

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/sessionloop"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
)

const loopUsage = `research-loop TASK [--max-iterations N] [--marker "TEXT"]
  asks this session to go on with the task after each answer: 10 answers unless told, and a day, at most;
  an answer whose last line is the marker, and nothing else, ends it at once
research-loop status | continue | cancel
  shows the loop of this session, goes on after an interruption, ends it`

// loopFor begins the loop of a session, or says what becomes of the one that is on.
func loopFor(e program.Env, in slashCommand) hookAnswer {
	folder, err := sessionloop.Folder(e.Getenv)
	if err != nil {
		return refusedAnswer(err)
	}
	req, err := request.ParseSessionLoop(in.Args)
	if err != nil {
		return refusedAnswer(err)
	}
	switch req.Word {
	case "help":
		return hookAnswer{Words: loopUsage}
	case "":
		return beginLoop(e, in, folder, req)
	}
	held, err := sessionloop.Open(folder, in.host(), in.Session)
	if err != nil {
		return refusedAnswer(err)
	}
	if held == nil {
		return refusedAnswer(errors.New("no loop is on in this session"))
	}
	defer held.Close()
	return changeLoop(held, in, req.Word)
}

// changeLoop does what a word asks for with the loop of a session.
func changeLoop(held *sessionloop.Held, in slashCommand, word string) hookAnswer {
	switch {
	case word == "status":
		return hookAnswer{Words: held.Summary(time.Now())}
	case held.Status != sessionloop.Active:
		return refusedAnswer(fmt.Errorf("no loop is on in this session; the last one has ended: %s, after %d of %d answers", held.Status, held.Answers, held.Max))
	case word == "cancel":
		held.Status = sessionloop.Cancelled
	case in.wordsOnly:
		return hookAnswer{}
	default:
		held.GoOn()
		if in.Prompt != "" {
			held.Bind(in.Prompt)
		}
	}
	if err := held.Save(); err != nil {
		return refusedAnswer(err)
	}
	if word == "cancel" {
		return hookAnswer{Words: fmt.Sprintf("Research loop: it is cancelled, after %d of %d answers.", held.Answers, held.Max)}
	}
	return hookAnswer{context: held.Standing()}
}

func beginLoop(e program.Env, in slashCommand, folder string, req request.Request) hookAnswer {
	if st, err := workspace.ReadState(in.Project, workspace.SessionRun(in.Project, in.Session)); err == nil && st.Campaign != "" {
		return refusedAnswer(fmt.Errorf("this session works on the campaign %s, which is a loop of its own", st.Campaign))
	}
	if most := sessionloop.CeilingOf(in.host()); req.Iterations > most {
		return refusedAnswer(fmt.Errorf("--max-iterations %d: in this host it is %d at most", req.Iterations, most))
	}
	if in.wordsOnly {
		return hookAnswer{}
	}
	l := sessionloop.New(in.host(), in.Session, req.Topic, sessionloop.TaskFile(folder, in.host(), in.Session), time.Now())
	l.Max, l.Marker = cmp.Or(req.Iterations, l.Max), req.Marker
	if in.Prompt != "" {
		l.Bind(in.Prompt)
	}
	err := sessionloop.Begin(folder, l, req.Topic)
	if errors.Is(err, sessionloop.ErrBusy) {
		return refusedAnswer(errors.New("a loop is on in this session; research-loop status shows it, research-loop cancel ends it"))
	}
	if err != nil {
		return refusedAnswer(fmt.Errorf("the loop cannot be laid down: %w", err))
	}
	return hookAnswer{context: l.BegunText() + hostCap(e, l)}
}

// hostCap says where Claude Code itself ends a turn sooner than the loop would.
func hostCap(e program.Env, l sessionloop.Loop) string {
	const usual, variable = 8, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
	most := usual
	if n, err := strconv.Atoi(e.Getenv(variable)); err == nil {
		most = n
	}
	if l.Host != sessionloop.Claude || most == 0 || l.Max <= most {
		return ""
	}
	return fmt.Sprintf(" Tell the user that Claude Code itself ends a turn after %d answers in a row without a tool call, unless %s is set higher; typing continue goes on then.", most, variable)
}

// Loops shows the loops of all sessions of the user, on and ended.
func Loops(e program.Env) error {
	folder, err := sessionloop.Folder(e.Getenv)
	if err != nil {
		return err
	}
	all, err := sessionloop.List(folder)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(e.Stdout, "No loop is on.")
	}
	for i, l := range all {
		if i > 0 {
			fmt.Fprintln(e.Stdout)
		}
		fmt.Fprintln(e.Stdout, l.Summary(time.Now()))
	}
	return nil
}

// CancelLoop ends the loop of a session, or with "" the only one that is on.
func CancelLoop(e program.Env, session string) error {
	folder, err := sessionloop.Folder(e.Getenv)
	if err != nil {
		return err
	}
	all, err := sessionloop.List(folder)
	if err != nil {
		return err
	}
	var on []sessionloop.Loop
	for _, l := range all {
		if l.Status == sessionloop.Active && (session == "" || l.Session == session) {
			on = append(on, l)
		}
	}
	switch len(on) {
	case 0:
		return usage.Errorf("no such loop is on; `council loop` shows all")
	case 1:
	default:
		return usage.Errorf("several loops are on; name the session of the one you mean (`council loop` shows all)")
	}
	held, err := sessionloop.Open(folder, on[0].Host, on[0].Session)
	if err != nil || held == nil {
		return errors.Join(err, errors.New("the loop cannot be opened"))
	}
	defer held.Close()
	held.Status = sessionloop.Cancelled
	if err := held.Save(); err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "The loop of session %s is cancelled, after %d of %d answers.\n", held.Session, held.Answers, held.Max)
	return nil
}
