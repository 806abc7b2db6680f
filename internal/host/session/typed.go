package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/sessionloop"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/project/top"
)

// Typed is a command of ours that a person has typed at a session of Codex or Gemini
// CLI, as a hook of that session says.
type Typed struct {
	Host, Dir, Session, Command, Args string
	Prompt                            string // all that was submitted
}

// TypedCommands are those that other hosts than Claude Code have.
var TypedCommands = []string{"deep-research", "status", "cancel-research", "research-loop"}

// AnswerTyped does what the command asks for, and answers the host's hook.
func AnswerTyped(ctx context.Context, e program.Env, t Typed) error {
	if !slices.Contains(TypedCommands, t.Command) {
		return writeTypedAnswer(e, t.Host, refusedAnswer(fmt.Errorf("%s is no command in this host; there are %s", plain.Line(t.Command, 40), strings.Join(TypedCommands, ", "))))
	}
	if t.Session == "" || t.Dir == "" {
		return errors.New("the hook names no session or no folder")
	}
	in := slashCommand{command: "research-council:" + t.Command, Args: t.Args, Session: t.Session, Project: top.Of(t.Dir), Host: t.Host}
	if t.Host == sessionloop.Gemini {
		in.Prompt = t.Prompt
	}
	x, ours := in.answer(ctx, e)
	if !ours {
		return nil
	}
	return writeTypedAnswer(e, t.Host, x)
}

// writeTypedAnswer answers in the host's dialect. Gemini CLI shows why a prompt is
// denied; Codex shows nothing of that where it runs without a terminal, so there the
// model says it.
func writeTypedAnswer(e program.Env, host string, x hookAnswer) error {
	var out []byte
	switch {
	case x.Words == "" && host == sessionloop.Gemini:
		out = hook.Context("BeforeAgent", x.context, "")
	case x.Words == "":
		out = hook.Context("UserPromptSubmit", x.context, "")
	case host == sessionloop.Gemini:
		out = hook.Deny(x.Words, "")
	default:
		out = hook.Context("UserPromptSubmit", "The research council has done what was typed. Show the user the lines below as they stand, do nothing else, and end the turn.\n\n"+x.Words, "")
	}
	_, err := e.Stdout.Write(out)
	return err
}

// HandedBack is an event of a session of Codex or Gemini CLI at which it may hear how
// its run has ended, with what its loop has to say to that event.
type HandedBack struct {
	Owner
	Host, Event            string
	Reason, Context, Words string
}

// HandBack tells a session once how its run has ended.
func HandBack(e program.Env, h HandedBack) error {
	if text, err := ending(h.Owner); err != nil {
		fmt.Fprintln(e.Stderr, "council: "+err.Error()) // the loop's words are said all the same
	} else if h.Event == "Stop" || h.Event == "AfterAgent" {
		h.Reason = strings.TrimSpace(text + "\n\n" + h.Reason)
	} else {
		h.Context = strings.TrimSpace(text + "\n\n" + h.Context)
	}
	var out []byte
	switch {
	case h.Reason != "" && h.Host == sessionloop.Gemini:
		out = hook.Deny(h.Reason, h.Words)
	case h.Reason != "":
		out = hook.Block(h.Reason, h.Words)
	case h.Context != "":
		out = hook.Context(h.Event, h.Context, h.Words)
	case h.Words != "":
		out = hook.Object("systemMessage", h.Words)
	}
	_, err := e.Stdout.Write(out)
	return err
}

// ending is what a session hears of its run's end, which it has heard then.
func ending(o Owner) (string, error) {
	f, err := workspace.Open(o.Project, o.Run)
	if err != nil {
		return "", err
	}
	defer f.Close()
	st, err := runs.Read(o.Project, o.Run)
	if err != nil || st.IsOpen() {
		return "", err
	}
	if err := workspace.Heard(f, o.Project); err != nil {
		return "", err
	}
	return lastAnswerWords(f, st), nil
}
