package dialogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/caller"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/staged"
	"github.com/research-council/research-council/internal/product/staged/stagedwork"
)

// answersTemplate is a file of answers to fill in.
const answersTemplate = "answers.json"

// AnswersFile is where a run waits for its answers to be filled in, absolute.
func AnswersFile(f *workspace.Folder) string { return f.Join(answersTemplate) }

// encodeAnswers is how answers are kept.
func encodeAnswers(a staged.Answers) ([]byte, error) {
	data, err := json.MarshalIndent(map[string]staged.Answers{"answers": a}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("keep the answers: %w", err)
	}
	return append(data, '\n'), nil
}

// saveDraft keeps answers of which some may be missing.
func saveDraft(f *workspace.Folder, a staged.Answers) error {
	data, err := encodeAnswers(a)
	if err != nil {
		return err
	}
	return f.Write(answersTemplate, data)
}

// KnownAnswers is what the person has answered so far: what they began to fill in,
// else what they gave last. What cannot be read is no answer.
func KnownAnswers(f *workspace.Folder, q staged.Questions, r flow.Run) staged.Answers {
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
			if text = strings.TrimSpace(plain.Terminal(text)); text != "" && (key == one.ID || strings.HasPrefix(key, one.ID+". ")) {
				found[one.ID] = text
			}
		}
	}
	return found
}

// Input is what a person says to a run that asks.
type Input struct {
	Answers string // a file; "-" for what comes in on Stdin
	Confirm bool
	Person  bool // a person says it, where that was seen elsewhere than at this terminal
}

func (in Input) none() bool { return in.Answers == "" && !in.Confirm }

// Give hands a person's word on to the run. Whatever is wrong with it changes
// nothing.
func (in Input) Give(e program.Env, project, id string) error {
	if in.none() {
		return nil
	}
	r, err := supervisor.Read(project, id)
	if err != nil {
		return err
	}
	switch {
	case !r.IsWaiting():
		return usage.Errorf("run %s does not wait for an answer; `council status %s` tells where it is", id, id)
	case council.AsksToEdit(r) && in.Answers != "":
		return in.readPlan(e, r, id)
	case council.AsksToEdit(r):
		return usage.Errorf("run %s shows no brief to confirm: go on with its plan by --input %s", id, council.EditFile)
	case in.Answers != "" && in.Confirm:
		return usage.Errorf("--input and --confirm cannot be given together: answers change the brief that would be confirmed")
	case in.Confirm && !staged.AsksToConfirm(r):
		return usage.Errorf("there is no brief to confirm yet: run %s waits for answers; give them with --input FILE", id)
	case in.Confirm && in.Person:
		return Give(e.SupervisorOptions(project, id), r, nil, true)
	case in.Confirm:
		if who := caller.Agent(e.Getenv); who != "" {
			return usage.Errorf("only a person can confirm a brief, and this command is run by %s; confirm it in a terminal of your own, or type /research-council:confirm-brief", who)
		}
		if !view.IsTerminal(e.Stdin) {
			return usage.Errorf("only a person can confirm a brief, and nobody is at a terminal here; run this in one, or type /research-council:confirm-brief")
		}
		return Give(e.SupervisorOptions(project, id), r, nil, true)
	}
	answers, err := in.read(e, project, id)
	if err != nil {
		return err
	}
	return Give(e.SupervisorOptions(project, id), r, answers, false)
}

// read reads the answers and holds them against the questions.
func (in Input) read(e program.Env, project, id string) ([]byte, error) {
	data, err := in.open(e)
	if err != nil {
		return nil, err
	}
	f, err := workspace.Open(project, id)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	asked, err := f.Read(staged.QuestionsFile)
	if err != nil {
		return nil, fmt.Errorf("read the questions: %w", err)
	}
	var q staged.Questions
	if err := json.Unmarshal(asked, &q); err != nil {
		return nil, fmt.Errorf("read the questions: %w", err)
	}
	answers, err := staged.ParseAnswers(data, q)
	if err != nil {
		return nil, usage.Errorf("--input %q: %w", in.Answers, err)
	}
	return encodeAnswers(answers)
}

func (in Input) open(e program.Env) ([]byte, error) {
	if in.Answers == "-" {
		return io.ReadAll(io.LimitReader(e.Stdin, maxAnswerBytes+1))
	}
	name := in.Answers
	if !filepath.IsAbs(name) {
		name = filepath.Join(e.Dir, name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, usage.Errorf("--input %q: %w", in.Answers, usage.Cause(err))
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, usage.Errorf("--input %q is no file", in.Answers)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxAnswerBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the answers: %w", err)
	}
	return data, nil
}

// Give gives a person's word to a run, which they have seen wait for it.
func Give(o supervisor.Options, seen flow.Run, answers []byte, confirmed bool) error {
	return RetryWhileHeld(func() error { return stagedwork.GiveInput(o, seen, answers, confirmed) })
}

const maxAnswerBytes = 1 << 20

// RetryWhileHeld does something to a run that somebody else may have in hand for a
// moment: a supervisor that is about to go, or a person whose word is heard.
func RetryWhileHeld(do func() error) error {
	const most, pause = 2 * time.Second, 20 * time.Millisecond
	for began := time.Now(); ; time.Sleep(pause) {
		err := do()
		var held *journal.LeaseHeld
		if !errors.As(err, &held) || time.Since(began) > most {
			return err
		}
	}
}
