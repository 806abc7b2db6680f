package main

import (
	"io"
	"os"
	"time"

	"github.com/research-council/research-council/internal/engine/hook"
	"github.com/research-council/research-council/internal/engine/sessionloop"
)

// loops are those of a person's sessions in one host.
type loops struct {
	host, folder string
	stderr       io.Writer
}

func loopsOf(host string, stderr io.Writer) loops {
	if isInSeat() {
		return loops{}
	}
	folder, err := sessionloop.Folder(os.Getenv)
	if err != nil {
		return loops{}
	}
	return loops{host: host, folder: folder, stderr: stderr}
}

// has reports whether a session has a loop, on or ended; of one that is not yet
// known, whether any may.
func (l loops) has(session string) bool {
	if l.folder == "" || session != "" {
		return l.folder != "" && sessionloop.Exists(l.folder, l.host, session)
	}
	_, err := os.Lstat(l.folder)
	return err == nil
}

// loopSaid is what a loop has to say to an event: a reason to go on, facts for the
// model, and words for the person.
type loopSaid struct{ reason, context, words string }

func join(texts ...string) string {
	all := ""
	for _, text := range texts {
		if text != "" && all != "" {
			all += "\n"
		}
		all += text
	}
	return all
}

// answer writes it in Claude Code's dialect, which at a stop is Codex's too.
func (x loopSaid) answer(event string, stdout io.Writer) {
	switch {
	case x.reason != "":
		_, _ = stdout.Write(hook.Block(x.reason, x.words))
	case x.context != "" && event == "pre-compact":
		_, _ = io.WriteString(stdout, x.context+"\n") // it joins what the summary is asked for
	case x.context != "":
		_, _ = stdout.Write(hook.Context(contextEvents[event], x.context, x.words))
	case x.words != "":
		_, _ = stdout.Write(hook.Object("systemMessage", x.words))
	}
}

var contextEvents = map[string]string{"session-start": "SessionStart", "user-prompt-submit": "UserPromptSubmit"}

// hear lets the loop of a session take an event in.
func (l loops) hear(event string, call hook.Call) loopSaid {
	if !l.has(call.Session) || call.Agent {
		return loopSaid{}
	}
	held, err := sessionloop.Open(l.folder, l.host, call.Session)
	if err != nil {
		warn(l.stderr, "the session's loop cannot be read; the session is let go")
		if event == "stop" {
			return loopSaid{words: "Research loop: its file cannot be written, so nothing is counted and it does not go on."}
		}
		return loopSaid{}
	}
	if held == nil {
		return loopSaid{}
	}
	defer held.Close()
	if held.Status != sessionloop.Active {
		return loopSaid{}
	}
	said := take(held, event, call)
	if err := held.Save(); err != nil {
		warn(l.stderr, "the session's loop cannot be written; the session is let go")
		return loopSaid{words: "Research loop: its file cannot be written, so nothing is counted and it does not go on."}
	}
	return said
}

// take is what an event does to a loop that is on, and what comes of it.
func take(held *sessionloop.Held, event string, call hook.Call) loopSaid {
	switch event {
	case "stop":
		v := held.Hear(answerOf(held.Host, call))
		if v.More {
			return loopSaid{reason: held.Reason(), words: v.Words}
		}
		return loopSaid{words: v.Words}
	case "user-prompt-submit":
		text, ok := call.TypedText()
		switch {
		case !ok || held.Host == sessionloop.Gemini: // which tells with each answer whose it is
			return loopSaid{}
		case sessionloop.IsGoOn(text):
			held.GoOn()
			return loopSaid{context: held.Standing(), words: held.Title()}
		}
		held.Rest()
		return loopSaid{words: held.RestsText()}
	case "interrupt":
		held.Rest()
	case "session-start":
		if call.Source == "clear" {
			held.Status = sessionloop.Cancelled
			return loopSaid{words: "Research loop: it has ended, for its session was cleared."}
		}
		return loopSaid{context: held.Standing(), words: held.Standing()}
	case "pre-compact":
		return loopSaid{context: held.Standing()}
	case "session-end":
		if call.Reason == "clear" {
			held.Status = sessionloop.Cancelled
		}
	}
	return loopSaid{}
}

func answerOf(host string, call hook.Call) sessionloop.Answer {
	a := sessionloop.Answer{
		Text: call.Answer, Call: call.PromptID + "\n" + call.Turn + "\n" + call.Dir, Continued: call.Continued,
		Waits: call.Background || call.Mode == "plan", At: time.Now(),
	}
	if host == sessionloop.Gemini {
		a.Cumulative, a.Prompt = true, call.Prompt
	}
	return a
}
