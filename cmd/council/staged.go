package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"research-council/internal/agent"
	"research-council/internal/base/usage"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/host/caller"
	"research-council/internal/host/prepare"
	"research-council/internal/host/request"
	"research-council/internal/host/runs"
	"research-council/internal/host/view"
	"research-council/internal/product/campaign"
	"research-council/internal/product/campaign/steering"
	"research-council/internal/product/codereview"
	"research-council/internal/product/recipe"
	"research-council/internal/product/staged"
)

func stagedCommand(e env) *cobra.Command {
	var w runOptions
	c := &cobra.Command{
		Use:   "staged QUESTION",
		Short: "Research in eight stages, with gates and a review council",
		Long: `Research in eight stages: discovery, planning, collection, factcheck, synthesis,
devils_advocate, report, review. A gate behind each decides whether the next
begins. The discovery asks you ten questions and waits; answer them with
` + "`council resume RUN --input answers.json`" + `, read the brief that is made of them,
and confirm it with ` + "`council resume RUN --confirm`" + ` in a terminal. Nobody else can. On a
terminal both are asked right here.`,
		Example: `council staged "Should we move our queue from Redis to NATS?"
council staged --reviewers claude,openai,groq --max-usd 20 "…"
council staged --seats librarian --scope docs "Which settings are deprecated?"
council resume 20260222-143000-a1b2c3 --input answers.json
council resume 20260222-143000-a1b2c3 --confirm`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return w.run(c, e, args, prepare.Staged) },
	}
	w.flags(c, request.StagedFlags())
	w.topicFlags(c)
	return c
}

// personInput is what a person says to a run that asks.
type personInput struct {
	answers string // a file
	confirm bool
}

func (in personInput) none() bool { return in.answers == "" && !in.confirm }

// give hands a person's word on to the run. Whatever is wrong with it changes
// nothing.
func (in personInput) give(e env, project, id string) error {
	if in.none() {
		return nil
	}
	_, r, err := supervisor.Load(project, id)
	if err != nil {
		return err
	}
	switch {
	case !r.IsWaiting():
		return usage.Errorf("run %s does not wait for an answer; `council status %s` tells where it is", id, id)
	case in.answers != "" && in.confirm:
		return usage.Errorf("--input and --confirm cannot be given together: answers change the brief that would be confirmed")
	case in.confirm && !recipe.AsksToConfirm(r):
		return usage.Errorf("there is no brief to confirm yet: run %s waits for answers; give them with --input FILE", id)
	case in.confirm:
		if who := caller.Agent(e.Getenv); who != "" {
			return usage.Errorf("only a person can confirm a brief, and this command is run by %s; confirm it in a terminal of your own, or type /research-council:confirm-brief", who)
		}
		if !isTerminal(e.stdin) {
			return usage.Errorf("only a person can confirm a brief, and nobody is at a terminal here; run this in one, or type /research-council:confirm-brief")
		}
		return give(e.SupervisorOptions(project, id), nil, true)
	}
	answers, err := in.read(e, project, id)
	if err != nil {
		return err
	}
	return give(e.SupervisorOptions(project, id), answers, false)
}

// give gives a person's word to a run.
func give(o supervisor.Options, answers []byte, confirmed bool) error {
	return retryWhileHeld(func() error { return supervisor.GiveInput(o, answers, confirmed) })
}

const maxAnswerBytes = 1 << 20

// read reads the answers and holds them against the questions.
func (in personInput) read(e env, project, id string) ([]byte, error) {
	data, err := in.open(e)
	if err != nil {
		return nil, err
	}
	f, err := workspace.Open(project, id)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	asked, err := f.Read(recipe.QuestionsFile)
	if err != nil {
		return nil, fmt.Errorf("read the questions: %w", err)
	}
	var q staged.Questions
	if err := json.Unmarshal(asked, &q); err != nil {
		return nil, fmt.Errorf("read the questions: %w", err)
	}
	answers, err := staged.ParseAnswers(data, q)
	if err != nil {
		return nil, usage.Errorf("--input %q: %w", in.answers, err)
	}
	return encodeAnswers(answers)
}

// encodeAnswers is how answers are kept.
func encodeAnswers(a staged.Answers) ([]byte, error) {
	data, err := json.MarshalIndent(map[string]staged.Answers{"answers": a}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("keep the answers: %w", err)
	}
	return append(data, '\n'), nil
}

func (in personInput) open(e env) ([]byte, error) {
	if in.answers == "-" {
		return io.ReadAll(io.LimitReader(e.stdin, maxAnswerBytes+1))
	}
	name := in.answers
	if !filepath.IsAbs(name) {
		name = filepath.Join(e.Dir, name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, usage.Errorf("--input %q: %w", in.answers, usage.Cause(err))
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, usage.Errorf("--input %q is no file", in.answers)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxAnswerBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the answers: %w", err)
	}
	return data, nil
}

// stillWaits tells what a run waits for, where nobody is there to say it: then
// there is nothing to do for a supervisor.
func stillWaits(c *cobra.Command, e env, w work, inBackground bool) (bool, error) {
	_, r, err := supervisor.Load(w.project, w.folder.ID)
	if err != nil || !r.IsWaiting() || !inBackground && atTerminal(c, e, w.quiet) != nil {
		return false, err
	}
	return true, printWaiting(c, e, w.project, r)
}

// waitingPage tells a person what a run waits for, and how to go on, in lines of at
// most width cells.
func waitingPage(project string, r flow.Run, width int) (string, error) {
	f, err := workspace.Open(project, r.Setup.ID)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if campaign.Of(r.Setup.Own) != nil {
		return "Paused: " + agent.PlainLine(r.Judged.Reason, 4000) + "\n", nil
	}
	if recipe.AsksToConfirm(r) {
		return briefPage(f, width)
	}
	return questionPage(f, width)
}

// printWaiting tells what a run waits for, in the foreground.
func printWaiting(c *cobra.Command, e env, project string, r flow.Run) error {
	page, err := waitingPage(project, r, widthOf(e.stdout))
	if err != nil {
		return err
	}
	if asJSON(c) {
		st, err := runs.Status(project, r.Setup.ID)
		if err != nil {
			return err
		}
		return errors.Join(encode(e.stdout, st), exitCode(codePaused))
	}
	if _, err := fmt.Fprint(e.stdout, page); err != nil {
		return err
	}
	return exitCode(codePaused)
}

func briefPage(f *workspace.Folder, width int) (string, error) {
	var b staged.Brief
	if err := f.ReadJSON(recipe.BriefFile, &b); err != nil {
		return "", err
	}
	return "The brief, made of your answers:\n\n" + view.Brief(b, width) +
		fmt.Sprintf("\nConfirm it:            council resume %s --confirm\nSay what is different: council resume %s --input %s (edited)\n", f.ID, f.ID, quotedPath(answersFile(f))), nil
}

func questionPage(f *workspace.Folder, width int) (string, error) {
	var q staged.Questions
	if err := f.ReadJSON(recipe.QuestionsFile, &q); err != nil {
		return "", err
	}
	file := answersFile(f)
	if !f.Filled(answersTemplate) {
		if err := f.Write(answersTemplate, staged.Template(q)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d questions before the research begins:\n\n", len(q.Questions)) + view.Questions(q, width) +
		fmt.Sprintf("\nFill in %s (or a file of your own) and go on:\n  council resume %s --input %s\n", file, f.ID, quotedPath(file)), nil
}

// quotedPath is a path as one word of a shell.
func quotedPath(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@", r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return agent.Shell([]string{path})
}

// answersTemplate is a file of answers to fill in.
const answersTemplate = "answers.json"

func answersFile(f *workspace.Folder) string { return f.Join(answersTemplate) }

// reopenRun lets staged research that a gate has ended go on there.
func reopenRun(e env, project, id string) error {
	_, r, err := supervisor.Load(project, id)
	if err != nil {
		return err
	}
	switch {
	case campaign.Of(r.Setup.Own) != nil && r.Status == "":
		_, err := updateFeatureList(e, project, r)
		return err
	case r.Status == "":
		return nil
	case staged.Of(r.Setup.Own) == nil || r.Status == flow.Completed || r.Status == flow.Cancelled:
		if campaign.Of(r.Setup.Own) != nil {
			return fmt.Errorf("the campaign %q has ended (%s)%s", campaign.Of(r.Setup.Own).Name, steering.PlainStatus(r.Status), steering.NextCommand(r))
		}
		return fmt.Errorf("run %s has ended (%s); begin a new one with `council %s`", id, steering.PlainStatus(r.Status), begins(r))
	}
	if err := supervisor.Reopen(e.SupervisorOptions(project, id), r.Setup, ""); err != nil {
		return fmt.Errorf("take the run up again: %w", err)
	}
	return nil
}

func begins(r flow.Run) string {
	if staged.Of(r.Setup.Own) != nil {
		return "staged"
	}
	if codereview.Of(r.Setup.Own) != nil {
		return "review"
	}
	return "run"
}
