package dialogue

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/staged"
)

// Person is a conversation with a person at a terminal. What is shown comes from
// models, and is cleaned before it is.
type Person struct {
	in    *bufio.Reader
	out   io.Writer
	width int
	edit  func(ctx context.Context, file string) error // opens a file in their editor
}

// errNoAnswer says that the person has said no more.
var errNoAnswer = errors.New("nobody answers")

// ErrLeft says that a person has left a run as it is: it waits for them.
var ErrLeft = errors.New("the run waits for an answer")

// AtTerminal is a person who can be asked right here; nil where nobody can: an
// agent's terminal is no person's.
func AtTerminal(e program.Env) *Person {
	out, ok := e.Stderr.(*os.File)
	if !ok || !view.IsTerminal(e.Stdin) || !term.IsTerminal(out.Fd()) || caller.Agent(e.Getenv) != "" {
		return nil
	}
	return &Person{bufio.NewReader(e.Stdin), e.Stderr, view.Width(e.Stderr), func(ctx context.Context, file string) error {
		editor, err := Editor(e)
		if err != nil {
			return err
		}
		return edit(ctx, editor, file)
	}}
}

// Line asks for one line, and gives it without the blanks around it.
func (t *Person) Line(ctx context.Context, prompt string) (string, error) { return t.line(ctx, prompt) }

// Say shows lines.
func (t *Person) Say(lines ...string) {
	for _, line := range lines {
		fmt.Fprintln(t.out, plain.Terminal(line))
	}
}

// line asks for one line; errSilent when none comes any more. The question
// stands alone on the terminal's last line.
func (t *Person) line(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(t.out, plain.Terminal(prompt)+" ")
	type read struct {
		text string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		text, err := t.in.ReadString('\n')
		got <- read{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(t.out)
		return "", ctx.Err()
	case r := <-got:
		if r.err != nil && strings.TrimSpace(r.text) == "" {
			fmt.Fprintln(t.out)
			return "", errNoAnswer
		}
		return strings.TrimSpace(r.text), nil
	}
}

// answers asks all questions, one after another. What was answered before is
// kept by an empty line. Each answer is kept as soon as it is there.
func (t *Person) answers(ctx context.Context, q staged.Questions, known staged.Answers, keep func(staged.Answers) error) (staged.Answers, error) {
	list := q.WithIDs().Questions
	given := staged.Answers{}
	for _, one := range list {
		given[one.ID] = known[one.ID]
	}
	fmt.Fprintf(t.out, "\n%d questions. A number takes an option, an empty line leaves the answer to the research; Ctrl-C stops, and nothing is lost.\n", len(list))
	for _, one := range list {
		fmt.Fprint(t.out, "\n"+view.Question(one, t.width))
		text, err := t.answer(ctx, one, given[one.ID])
		if err != nil {
			return nil, err
		}
		given[one.ID] = text
		if err := keep(given); err != nil {
			return nil, err
		}
	}
	return given, nil
}

func (t *Person) answer(ctx context.Context, q staged.Question, known string) (string, error) {
	if known != "" {
		fmt.Fprintln(t.out, "         so far: "+plain.Terminal(known))
	}
	for again := false; ; {
		text, err := t.line(ctx, q.ID+">")
		switch text = plain.Terminal(text); {
		case err != nil:
			return "", err
		case text == "" && known == "" && again:
			fmt.Fprintln(t.out, "         "+noPreference)
			return noPreference, nil
		case text != "" || known != "":
			chosen, err := q.ResolveOptions(cmp.Or(text, known))
			if err == nil {
				return chosen, nil
			}
			fmt.Fprintln(t.out, "         The answer "+plain.Terminal(err.Error())+".")
			known = ""
			continue
		}
		again = true
		fmt.Fprintln(t.out, "         An empty line once more: "+noPreference+".")
	}
}

func (t *Person) askToConfirm(ctx context.Context, b staged.Brief) (string, error) {
	fmt.Fprint(t.out, "\n"+view.Brief(b, t.width)+"\n")
	for {
		text, err := t.line(ctx, "Confirm? [y/N/edit]")
		if err != nil {
			return "", err
		}
		switch strings.ToLower(text) {
		case "y", "yes":
			return saysYes, nil
		case "e", "edit":
			return saysEdit, nil
		case "", "n", "no":
			return saysNo, nil
		}
		fmt.Fprintln(t.out, "y goes on with it, n leaves it as it is, edit asks the questions again.")
	}
}

// askForInput asks the person what a run waits for and gives it to the run; false when
// they have left it as it is.
func (t *Person) askForInput(ctx context.Context, o supervisor.Options, f *workspace.Folder, r flow.Run) (bool, error) {
	if council.AsksToEdit(r) {
		return t.editPlan(ctx, o, f, r)
	}
	if staged.AsksToConfirm(r) {
		var b staged.Brief
		if err := f.ReadJSON(staged.BriefFile, &b); err != nil {
			return false, err
		}
		switch said, err := t.askToConfirm(ctx, b); {
		case err != nil:
			return false, err
		case said == saysNo:
			return false, nil
		case said == saysYes:
			return true, Give(o, r, nil, true)
		}
	}
	var q staged.Questions
	if err := f.ReadJSON(staged.QuestionsFile, &q); err != nil {
		return false, err
	}
	given, err := t.answers(ctx, q, KnownAnswers(f, q, r), func(a staged.Answers) error { return saveDraft(f, a) })
	if err != nil {
		return false, err
	}
	data, err := encodeAnswers(given)
	if err != nil {
		return false, err
	}
	checked, err := staged.ParseAnswers(data, q)
	if err != nil {
		return false, err
	}
	if data, err = encodeAnswers(checked); err != nil {
		return false, err
	}
	return true, Give(o, r, data, false)
}

// AskOrExplain hears the person out. One who goes, or leaves the run as it is, is
// told how to go on.
func (t *Person) AskOrExplain(ctx context.Context, o supervisor.Options, f *workspace.Folder, r flow.Run) error {
	heard, err := t.askForInput(ctx, o, f, r)
	left := ErrLeft
	switch {
	case err == nil && heard:
		return nil
	case errors.Is(err, context.Canceled):
		left = err
	case err != nil && !errors.Is(err, errNoAnswer):
		return err
	}
	fmt.Fprintf(t.out, "Run %s waits for you. Go on: council resume %s   End it: council cancel %s\n", f.ID, f.ID, f.ID)
	return left
}

// noPreference is the answer of a person who leaves a question out twice.
const noPreference = "no preference"

// What a person says to a brief.
const (
	saysYes  = "y"
	saysNo   = "n"
	saysEdit = "edit"
)
