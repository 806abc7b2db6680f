package campaignwork

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/project/repo"
	"github.com/research-council/research-council/internal/project/shell"
	"github.com/research-council/research-council/internal/project/testresult"
)

// A feature is committed by the program, with the repository's own hooks.

const hookTime = 10 * time.Minute // of one hook

// secrets says which secrets an attempt has added, and where; "" for none.
func (s *gate) secrets(ctx context.Context, project *repo.Repo, since string) (string, error) {
	finds, err := project.Secrets(ctx, since)
	if err != nil || len(finds) == 0 {
		return "", err
	}
	var places []string
	for _, f := range finds {
		places = append(places, f.String())
	}
	return "a secret would be committed: " + listNames(places) + ". Leave it out: read it from the environment when the program runs, make what tests need while they run, and show forms by placeholders", nil
}

// committed makes a feature's commit. Why it may not be, for a secret or by the
// repository's hooks, is returned in words; hooks that cannot be run are an
// outage.
func (s *gate) committed(project *repo.Repo, j judgement) (done repo.Committed, refused string, err error) {
	if refused, err = s.secrets(s.Life, project, j.since); err != nil || refused != "" {
		return done, refused, err
	}
	done, err = project.Commit(s.Life, repo.Commit{Since: j.since, Message: message(j.Feature), Task: s.ID + "/" + j.task.ID, Hooks: s.hooks(j.ID)})
	var no *repo.HookRefusal
	switch {
	case errors.As(err, &no):
		return done, plain.Line(no.Error(), maxTailBytes), nil
	case errors.Is(err, repo.ErrHook):
		err = fmt.Errorf("commit %s: %w. Mend what is missing, or `council campaign resume %s --no-hooks`", j.ID, err, campaign.Of(s.Setup.Own).Slug)
		s.progress(plain.Line(err.Error(), maxTailBytes) + "; this is waited for, and no attempt is counted")
	case err != nil:
		err = fmt.Errorf("commit %s: %w", j.ID, err)
	}
	for _, name := range done.Left {
		s.progress(fmt.Sprintf("%s: a commit hook added %s, which is yours; it is left out of the commit", j.ID, name))
	}
	return done, "", err
}

// hooks are how commit hooks are run: in the project's shell, for what they
// call is the project's, and that is what was just changed.
func (s *gate) hooks(id string) repo.Hooks {
	if campaign.Of(s.Setup.Own).NoHooks {
		s.progress(id + ": the repository's commit hooks do not run (--no-hooks)")
		return repo.Hooks{}
	}
	return repo.Hooks{
		Run:   func(_ context.Context, h repo.Hook) (repo.HookResult, error) { return s.runHook(id, h) },
		Check: func(context.Context) error { return s.testAfterHook(id) },
	}
}

func (s *gate) runHook(id string, h repo.Hook) (repo.HookResult, error) {
	log := path.Join(workspace.Turns, "hook-"+id+"-"+h.Name+".log")
	if err := errors.Join(s.Folder.Mkdir(workspace.Turns), s.Folder.Write(log, nil)); err != nil {
		return repo.HookResult{}, err
	}
	s.Log(id + ": the repository's commit hook " + h.Name + " runs")
	result, err := s.runInShell(shell.Command{
		Line: agent.Shell(h.Argv), Dir: h.Dir, Log: s.Folder.Join(log), Timeout: hookTime,
		Env: h.Env, Read: []string{filepath.Dir(h.Argv[0])}, Git: h.Git,
	})
	switch {
	case err != nil:
		return repo.HookResult{}, err
	case result.Late:
		return repo.HookResult{}, fmt.Errorf("it did not end within %s", hookTime)
	case result.Signal != "":
		return repo.HookResult{}, errors.New("it was ended by " + result.Signal)
	}
	said, err := proc.LastBytes(s.Folder.Join(log), maxTailBytes)
	return repo.HookResult{Code: result.Code, Said: strings.TrimSpace(string(said))}, err
}

// testAfterHook runs the tests on what a hook has made of the files.
func (s *gate) testAfterHook(id string) error {
	s.progress(id + ": a commit hook has changed what is committed; the tests run on that")
	after, err := s.runTests(s.Setup.Root, id+"-hooked")
	if err != nil {
		return err
	}
	before, _ := s.lastBaseline()
	if after.Cut != "" || testresult.Compare(before.Tests.Result, after.Result).HasNewFailures() || after.Exit != 0 && before.Accepted == "" {
		return &repo.HookRefusal{Hook: "pre-commit", Said: "it changed files, and with them the tests are red: " + after.Tail}
	}
	return nil
}
