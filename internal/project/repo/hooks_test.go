package repo_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/repo"
	"github.com/research-council/research-council/internal/project/repo/repotest"
)

// plainly runs hooks as they are.
func plainly(ctx context.Context, h repo.Hook) (repo.HookResult, error) {
	cmd := exec.CommandContext(ctx, h.Argv[0], h.Argv[1:]...)
	cmd.Dir, cmd.Env = h.Dir, append(repotest.Env(), h.Env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return repo.HookResult{Code: exit.ExitCode(), Said: strings.TrimSpace(string(out))}, nil
	}
	return repo.HookResult{Said: string(out)}, err
}

// hooked is a project with hooks in which a feature was built after a snapshot.
type hooked struct {
	*testing.T
	dir   string
	repo  *repo.Repo
	since string
}

func newHooked(t *testing.T, folder string, hooks map[string]string) *hooked {
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{"cart.js": "let a;\n", ".gitignore": "node_modules/\n"})
	if folder != ".git/hooks" {
		repotest.Git(t, dir, "config", "core.hooksPath", folder)
	}
	for name, text := range hooks {
		repotest.Write(t, dir, map[string]string{folder + "/" + name: "#!/bin/sh\n" + text})
		require.NoError(t, os.Chmod(filepath.Join(dir, folder, name), 0o755))
	}
	repotest.Save(t, dir, "Begin") // runs them
	repotest.Write(t, dir, map[string]string{"NOTES.txt": "a person's\n"})
	_ = os.Remove(filepath.Join(dir, ".git/hook-ran"))
	r, err := repo.Open(dir, "")
	require.NoError(t, err)
	since, err := r.Snapshot(t.Context())
	require.NoError(t, err)
	repotest.Write(t, dir, map[string]string{"cart.js": "let a;   \nlet b;\n"})
	return &hooked{t, dir, r, since}
}

func (h *hooked) commit(look func(context.Context) error) (repo.Committed, error) {
	return h.repo.Commit(h.Context(), repo.Commit{Since: h.since, Message: "F001: an item", Task: "a/1", Hooks: repo.Hooks{Run: plainly, Check: look}})
}

func (h *hooked) head() string { return repotest.Git(h, h.dir, "rev-parse", "HEAD") }

func TestAHookRefusesACommit(t *testing.T) {
	h := newHooked(t, ".git/hooks", map[string]string{"pre-commit": `git diff --cached | grep -q "^+.*let b" && { echo "no b please"; exit 1; }; exit 0`})
	before := h.head()
	_, err := h.commit(nil)
	var refused *repo.HookRefusal
	require.ErrorAs(t, err, &refused)
	require.Equal(t, repo.HookRefusal{Hook: "pre-commit", Said: "no b please"}, *refused)
	require.Equal(t, before, h.head())
	require.Equal(t, " M cart.js\n?? NOTES.txt\n", repotest.Git(t, h.dir, "status", "--porcelain"), "index and work tree are as they were")
}

func TestHooksRunOnceACommit(t *testing.T) {
	h := newHooked(t, ".git/hooks", map[string]string{
		"pre-commit": "echo pre >> .git/hook-ran", "commit-msg": `echo msg >> .git/hook-ran; echo "Reviewed-by: A Hook" >> "$1"`,
		"prepare-commit-msg": `echo "prepare $2" >> .git/hook-ran`, "post-commit": "echo post >> .git/hook-ran",
	})
	_, err := h.commit(nil)
	require.NoError(t, err)
	done, err := h.commit(nil)
	require.NoError(t, err)
	require.True(t, done.Already)
	ran, err := os.ReadFile(filepath.Join(h.dir, ".git/hook-ran"))
	require.NoError(t, err)
	require.Equal(t, "pre\nprepare message\nmsg\npost\n", string(ran))
	said := repotest.Git(t, h.dir, "log", "-1", "--format=%B")
	require.Contains(t, said, "Reviewed-by: A Hook")
	require.Contains(t, said, "Council-Task: a/1")
}

func TestWhatAHookFormatsIsCommitted(t *testing.T) {
	for what, hook := range map[string]string{
		"and adds":        `sed -i "s/ *$//" cart.js && git add cart.js`,
		"and leaves":      `sed -i "s/ *$//" cart.js`,
		"and refuses for": `grep -q " $" cart.js || exit 0; sed -i "s/ *$//" cart.js; echo "files were modified"; exit 1`,
	} {
		t.Run(what, func(t *testing.T) {
			h := newHooked(t, ".git/hooks", map[string]string{"pre-commit": hook})
			looked := 0
			done, err := h.commit(func(context.Context) error { looked++; return nil })
			require.NoError(t, err)
			require.Equal(t, []string{"cart.js"}, done.Files)
			require.Equal(t, "let a;\nlet b;\n", repotest.Git(t, h.dir, "show", "HEAD:cart.js"))
			require.Equal(t, "?? NOTES.txt\n", repotest.Git(t, h.dir, "status", "--porcelain"))
			require.Equal(t, 1, looked, "what nobody had tested is looked at")
		})
	}
}

func TestWhatAHookMakesRedIsNotCommitted(t *testing.T) {
	h := newHooked(t, ".git/hooks", map[string]string{"pre-commit": `echo broken > cart.js; git add cart.js`})
	before := h.head()
	red := errors.New("red")
	_, err := h.commit(func(context.Context) error { return red })
	require.ErrorIs(t, err, red)
	require.Equal(t, before, h.head())
}

func TestAHookThatAddsAllTakesNothingOfAPersons(t *testing.T) {
	h := newHooked(t, ".git/hooks", map[string]string{"pre-commit": "git add -A"})
	done, err := h.commit(nil)
	require.NoError(t, err)
	require.Equal(t, []string{"cart.js"}, done.Files)
	require.Equal(t, []string{"NOTES.txt"}, done.Left)
	require.Equal(t, "?? NOTES.txt\n", repotest.Git(t, h.dir, "status", "--porcelain"))
}

func TestAHookWhoseToolIsMissingSaysNothingOfTheCommit(t *testing.T) {
	h := newHooked(t, ".git/hooks", map[string]string{"pre-commit": "[ -e .git/begun ] || { touch .git/begun; exit 0; }\nexec lefthook-not-here run pre-commit"})
	_, err := h.commit(nil)
	require.ErrorIs(t, err, repo.ErrHook)
	require.ErrorContains(t, err, "lefthook-not-here")
}

func TestHooksInTheWorkTreeRunAndMayNotBeChanged(t *testing.T) {
	h := newHooked(t, ".husky", map[string]string{"pre-commit": "echo ran >> .git/hook-ran"})
	repotest.Write(t, h.dir, map[string]string{".husky/pre-commit": "#!/bin/sh\ntouch .git/evil\n"})
	_, err := h.commit(nil)
	require.ErrorContains(t, err, ".husky/pre-commit")
	require.NoFileExists(t, filepath.Join(h.dir, ".git/evil"))
	repotest.Git(t, h.dir, "checkout", ".husky")
	_, err = h.commit(nil)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(h.dir, ".git/hook-ran"))
}

func TestWithoutHooksNoneRuns(t *testing.T) {
	h := newHooked(t, ".git/hooks", map[string]string{"pre-commit": "[ -e .git/begun ] || { touch .git/begun; exit 0; }\nexit 1"})
	_, err := h.repo.Commit(t.Context(), repo.Commit{Since: h.since, Message: "F001"})
	require.NoError(t, err)
}

func TestASecretIsFoundAndNotSetAside(t *testing.T) {
	h := newHooked(t, ".git/hooks", nil)
	token := "gh" + "p_Zk3Rw8Tn5Xv1Qy7Lp2Md9Hs4Bf6Gj0Cu8Ea1"
	repotest.Write(t, h.dir, map[string]string{"src/a.js": "one\nconst t = '" + token + "';\n", "node_modules/x": token})
	finds, err := h.repo.Secrets(t.Context(), h.since)
	require.NoError(t, err)
	require.Len(t, finds, 1)
	require.Equal(t, "src/a.js:2: a GitHub token", finds[0].String())
	const ref = "refs/research-council/a/F001-attempt-1"
	_, err = h.repo.Stash(t.Context(), h.since, ref, "F001")
	require.NoError(t, err)
	require.Equal(t, "one\nconst t = '[a secret was here]';\n", repotest.Git(t, h.dir, "show", ref+":src/a.js"))
	require.NoFileExists(t, filepath.Join(h.dir, "src/a.js"))
	kept := repotest.Git(t, h.dir, "log", "-p", "--all")
	require.NotContains(t, kept, token)
}
