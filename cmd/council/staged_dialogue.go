package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"research-council/internal/engine/flow"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/host/caller"
	"research-council/internal/host/view"
	"research-council/internal/product/recipe"
	"research-council/internal/product/staged"
)

// dialogue is a conversation with a person at a terminal. What is shown comes from
// models, and is cleaned before it is.
type dialogue struct {
	in    *bufio.Reader
	out   io.Writer
	width int
}

// errNoAnswer says that the person has said no more.
var errNoAnswer = errors.New("nobody answers")

// atTerminal is a person who can be asked right here; nil where nobody can: an
// agent's terminal is no person's.
func atTerminal(c *cobra.Command, e env, quiet bool) *dialogue {
	out, ok := e.stderr.(*os.File)
	if quiet || asJSON(c) || !ok || !isTerminal(e.stdin) || !term.IsTerminal(out.Fd()) || caller.Agent(e.Getenv) != "" {
		return nil
	}
	return &dialogue{bufio.NewReader(e.stdin), e.stderr, widthOf(e.stderr)}
}

// line asks for one line; errSilent when none comes any more. The question
// stands alone on the terminal's last line.
func (t *dialogue) line(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(t.out, view.Clean(prompt)+" ")
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

// noPreference is the answer of a person who leaves a question out twice.
const noPreference = "no preference"

// answers asks all questions, one after another. What was answered before is
// kept by an empty line. Each answer is kept as soon as it is there.
func (t *dialogue) answers(ctx context.Context, q staged.Questions, known staged.Answers, keep func(staged.Answers) error) (staged.Answers, error) {
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

func (t *dialogue) answer(ctx context.Context, q staged.Question, known string) (string, error) {
	if known != "" {
		fmt.Fprintln(t.out, "         so far: "+view.Clean(known))
	}
	for again := false; ; {
		text, err := t.line(ctx, q.ID+">")
		switch text = view.Clean(text); {
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
			fmt.Fprintln(t.out, "         The answer "+view.Clean(err.Error())+".")
			known = ""
			continue
		}
		again = true
		fmt.Fprintln(t.out, "         An empty line once more: "+noPreference+".")
	}
}

// What a person says to a brief.
const (
	saysYes  = "y"
	saysNo   = "n"
	saysEdit = "edit"
)

func (t *dialogue) askToConfirm(ctx context.Context, b staged.Brief) (string, error) {
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
func (t *dialogue) askForInput(ctx context.Context, o supervisor.Options, f *workspace.Folder, r flow.Run) (bool, error) {
	if recipe.AsksToConfirm(r) {
		var b staged.Brief
		if err := f.ReadJSON(recipe.BriefFile, &b); err != nil {
			return false, err
		}
		switch said, err := t.askToConfirm(ctx, b); {
		case err != nil:
			return false, err
		case said == saysNo:
			return false, nil
		case said == saysYes:
			return true, give(o, nil, true)
		}
	}
	var q staged.Questions
	if err := f.ReadJSON(recipe.QuestionsFile, &q); err != nil {
		return false, err
	}
	given, err := t.answers(ctx, q, knownAnswers(f, q, r), func(a staged.Answers) error { return saveDraft(f, a) })
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
	return true, give(o, data, false)
}

// saveDraft keeps answers of which some may be missing.
func saveDraft(f *workspace.Folder, a staged.Answers) error {
	data, err := encodeAnswers(a)
	if err != nil {
		return err
	}
	return f.Write(answersTemplate, data)
}

// knownAnswers is what the person has answered so far: what they began to fill in,
// else what they gave last. What cannot be read is no answer.
func knownAnswers(f *workspace.Folder, q staged.Questions, r flow.Run) staged.Answers {
	names := []string{answersTemplate}
	for _, in := range slices.Backward(r.Given) {
		if in.File != "" {
			names = append(names, in.File)
		}
	}
	known := staged.Answers{}
	for _, name := range names {
		data, err := f.Read(name)
		if err != nil {
			continue
		}
		for id, text := range parseDraft(data, q) {
			if known[id] == "" {
				known[id] = text
			}
		}
	}
	return known
}

// parseDraft are the answers of a file that may lack some, in either shape.
func parseDraft(data []byte, q staged.Questions) staged.Answers {
	var wrapped struct{ Answers map[string]string }
	given := map[string]string{}
	if json.Unmarshal(data, &wrapped) == nil && wrapped.Answers != nil {
		given = wrapped.Answers
	} else if json.Unmarshal(data, &given) != nil {
		return nil
	}
	found := staged.Answers{}
	for _, one := range q.WithIDs().Questions {
		for key, text := range given {
			if text = strings.TrimSpace(view.Clean(text)); text != "" && (key == one.ID || strings.HasPrefix(key, one.ID+". ")) {
				found[one.ID] = text
			}
		}
	}
	return found
}

// workAndAsk works on a run in the foreground, and asks the person at the
// terminal whenever it waits for them.
func workAndAsk(c *cobra.Command, e env, w work) (flow.Run, error) {
	t := atTerminal(c, e, w.quiet)
	_, r, err := supervisor.Load(w.project, w.folder.ID)
	if err == nil && (t == nil || !r.IsWaiting()) {
		r, err = superviseShowing(c, e, w)
	}
	for err == nil && t != nil && r.IsWaiting() {
		if err := t.askOrExplain(c.Context(), e.SupervisorOptions(w.project, w.folder.ID), w.folder, r); err != nil {
			return r, err
		}
		w.from = w.progressEnd()
		r, err = superviseShowing(c, e, w)
	}
	return r, err
}

// askOrExplain hears the person out. One who goes, or leaves the run as it is, is
// told how to go on.
func (t *dialogue) askOrExplain(ctx context.Context, o supervisor.Options, f *workspace.Folder, r flow.Run) error {
	heard, err := t.askForInput(ctx, o, f, r)
	left := exitCode(codePaused)
	switch {
	case err == nil && heard:
		return nil
	case errors.Is(err, context.Canceled):
		left = codeInterrupted
	case err != nil && !errors.Is(err, errNoAnswer):
		return err
	}
	fmt.Fprintf(t.out, "Run %s waits for you. Go on: council resume %s   End it: council cancel %s\n", f.ID, f.ID, f.ID)
	return left
}
