// Package openai does a turn of a chat seat: it asks a server that speaks
// OpenAI's chat completions and leaves the answer as the turn's report.
//
// It promises that a report is there, and kept a second time, before the stream
// tells of the end; that an answer which was kept is not asked for again; that
// a request is not repeated, but without what the server has refused to take
// (whoever runs the turn waits and tries again);
// that neither the size nor the time of an answer is unbounded; and that the key
// is in the request's header and nowhere else. What a failure means is left to
// the adapter (package internal/agent/chat), and so is what is asked.
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/internal/base/plain"
)

// TurnIO is what a turn's process reads, writes and says.
type TurnIO struct {
	Read  func(path string) ([]byte, error)
	Write func(path string, data []byte) error // whole or not at all
	Key   func(agent.Server) (string, error)   // its error may be shown
	Now   func() time.Time
	Out   io.Writer // the stream of events

	// Toolbox opens the tools of a turn that has some, until the function it gives
	// is called.
	Toolbox func(context.Context, chat.Assignment) (Toolbox, func(), error)
}

// failure is why there is no answer, as the stream tells it.
type failure struct {
	chat.Event
	param string // of the request that a server has refused
}

func (f *failure) Error() string { return f.Message }

func newFailure(cause, format string, args ...any) *failure {
	return &failure{Event: chat.Event{Type: chat.Failed, Cause: cause, Message: fmt.Sprintf(format, args...)}}
}

// Main does the turn that a file describes. An error says in one line why there
// is no answer; the stream tells it as well where the server is the reason.
func Main(ctx context.Context, turn string, d TurnIO) error {
	data, err := d.Read(turn)
	if err != nil {
		return fmt.Errorf("read the turn: %w", err)
	}
	var a chat.Assignment
	if err := json.Unmarshal(data, &a); err != nil {
		return fmt.Errorf("read the turn: %w", err)
	}
	key, err := d.Key(a.Server)
	if err != nil {
		err = newFailure(chat.Unset, "%s", err)
	} else {
		err = d.runTurn(ctx, a, key)
	}
	var f *failure
	if !errors.As(err, &f) {
		return err
	}
	f.Message = plain.Line(redactKey(f.Message, key), maxMessage)
	return errors.Join(f, d.writeEvent(f.Event))
}

// maxMessage bounds what is told of an answer or a failure, in runes.
const maxMessage = 300

// redactKey is a text without a key.
func redactKey(text, key string) string {
	if key == "" {
		return text
	}
	return strings.ReplaceAll(text, key, "…")
}

// runTurn has the answer, from this call or from one whose end was not told, and
// leaves it.
func (d TurnIO) runTurn(ctx context.Context, a chat.Assignment, key string) error {
	if err := d.writeEvent(chat.Event{Type: chat.Started, Model: a.Model, Note: "asking " + a.Model}); err != nil {
		return err
	}
	var before chat.Answer
	if data, err := d.Read(a.Kept); err == nil {
		_ = json.Unmarshal(data, &before) // what cannot be read is no answer
	}
	if before.IsFor(a) {
		return d.writeAnswer(a, before)
	}
	m, err := d.loadMaterial(a)
	if err != nil {
		return err
	}
	if m.Cut = before.Finish == chat.Length; before.Session != a.Session {
		m.Last, m.Cut = "", false // the report is of another conversation
	}
	ask := d.askServer
	if a.Talk != "" {
		ask = d.useTools
	}
	answer, err := ask(ctx, a, m, key)
	if err != nil {
		return err
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("keep the answer: %w", err)
	}
	if err := d.Write(a.Kept, data); err != nil {
		return fmt.Errorf("keep the answer: %w", err)
	}
	return d.writeAnswer(a, answer)
}

// writeAnswer writes the report and tells of the end, in this order.
func (d TurnIO) writeAnswer(a chat.Assignment, n chat.Answer) error {
	if err := d.Write(a.Report, []byte(n.Text)); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return d.writeEvent(chat.Event{Type: chat.Ended, Model: n.Model, Usage: &n.Usage, Finish: n.Finish, Text: plain.Line(n.Text, maxMessage)})
}

func (d TurnIO) writeEvent(e chat.Event) error {
	data, err := json.Marshal(e)
	if err == nil {
		_, err = d.Out.Write(append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("tell what is done: %w", err)
	}
	return nil
}

// loadMaterial reads what the conversation is made of.
func (d TurnIO) loadMaterial(a chat.Assignment) (chat.Material, error) {
	m := chat.Material{Report: a.Report, Limit: a.Server.Input}
	for _, path := range a.Inputs {
		data, err := d.Read(path)
		if err != nil {
			return m, fmt.Errorf("read what the role reads: %w", err)
		}
		m.Inputs = append(m.Inputs, chat.Input{Path: path, Data: data})
	}
	parts := []struct {
		path   string
		to     *string
		absent bool // it may not be there
	}{{a.Prompt, &m.Prompt, false}, {a.Resume, &m.Resume, false}, {a.Open, &m.Open, true}, {a.Report, &m.Last, true}}
	for _, p := range parts {
		if p.path == "" {
			continue
		}
		data, err := d.Read(p.path)
		if err != nil && !(p.absent && errors.Is(err, fs.ErrNotExist)) {
			return m, fmt.Errorf("read the question: %w", err)
		}
		*p.to = string(data)
	}
	return m, nil
}

// askServer has the server answer and makes a report of what it says.
func (d TurnIO) askServer(ctx context.Context, a chat.Assignment, m chat.Material, key string) (chat.Answer, error) {
	if a.Deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.Deadline)
		defer cancel()
	}
	asked := chat.Usage{Input: questionTokens(m), Reckoned: true}
	if err := d.writeEvent(chat.Event{Type: chat.Asked, Usage: &asked}); err != nil {
		return chat.Answer{}, err
	}
	said, err := Ask(ctx, Question{Server: a.Server, Key: key, Model: a.Model, Effort: a.Effort, Talk: m.Conversation(), Heard: d.progressNotes()})
	if err != nil {
		return chat.Answer{}, err
	}
	if said.Usage == (chat.Usage{}) { // not every server tells
		said.Usage = chat.Usage{Input: questionTokens(m), Output: agent.EstimateTokens(len(said.Text) + len(said.Refusal)), Reckoned: true}
	}
	n := chat.Answer{
		Session: a.Session, Iteration: a.Iteration, Model: said.Model, Finish: said.Finish, Usage: said.Usage,
		Text: chat.FinishReport(redactKey(said.Text, key), said.Finish, m.Last),
	}
	f := answerFailure(said, n)
	if f == nil {
		return n, nil
	}
	f.Usage, f.Model = &said.Usage, said.Model
	return n, f
}

// questionTokens is about how many tokens a question has.
func questionTokens(m chat.Material) (tokens int64) {
	for _, said := range m.Conversation() {
		tokens += agent.EstimateTokens(len(said.Text))
	}
	return tokens
}

// answerFailure says why an answer that came to its end is none.
func answerFailure(said Completion, n chat.Answer) *failure {
	switch {
	case said.Finish == chat.Filtered:
		return newFailure(chat.Withheld, "the server's filter cut the answer off")
	case n.Text == "" && said.Refusal != "":
		return newFailure(chat.Withheld, "the model refused: %s", said.Refusal)
	case n.Text == "" && said.Finish == chat.Length:
		return newFailure(chat.Empty, "the model used up its tokens before it came to an answer")
	case n.Text == "":
		return newFailure(chat.Empty, "the model ended with %q and without an answer", said.Finish)
	case len(n.Text) > chat.MaxAnswer:
		return newFailure(chat.Large, "the answer is larger than %d MiB", chat.MaxAnswer>>20)
	}
	return nil
}

// progressNotes tells at most once a second how much has come.
func (d TurnIO) progressNotes() func(letters int) {
	var told time.Time
	return func(letters int) {
		now := d.Now()
		if now.Sub(told) < time.Second {
			return
		}
		told = now
		note := fmt.Sprintf("answering: %d letters", letters)
		if letters == 0 {
			note = "thinking"
		}
		_ = d.writeEvent(chat.Event{Type: chat.Noted, Note: note}) // the end will find that nobody listens
	}
}
