package repo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Hooks say how the repository's commit hooks are run. Without Run there are
// none.
type Hooks struct {
	Run   func(context.Context, Hook) (HookResult, error)
	Check func(context.Context) error // asked when a hook has changed what is committed; an error stops the commit
}

// Hook is a commit hook that is to be run.
type Hook struct {
	Name string   // pre-commit
	Argv []string // its program is the first word
	Env  []string // NAME=VALUE, beside whatever else it sees
	Dir  string   // where it begins: the top of the work tree
	Git  []string // git's own folders, which it may write
}

// HookResult is how a hook went.
type HookResult struct {
	Code int
	Said string
}

// HookRefusal is a commit that a hook of the repository does not let pass.
type HookRefusal struct {
	Hook string
	Said string // its own words
}

func (r *HookRefusal) Error() string {
	return fmt.Sprintf("the commit hook %s refuses the commit: %s", r.Hook, cmp.Or(r.Said, "it says nothing"))
}

// ErrHook says that a hook could not do its work for want of something around
// it: nothing is known of the commit.
var ErrHook = errors.New("a commit hook cannot be run")

// What a shell ends with when it could not start a command (POSIX, 2.8.2).
const (
	notExecutable = 126
	notFound      = 127
)

// hookedCommit is a commit on its way through the hooks.
type hookedCommit struct {
	repo    *Repo
	view    *comparison
	folder  string
	run     func(context.Context, Hook) (HookResult, error)
	index   string
	changed bool // a hook has changed what is committed
	left    []string
}

// runHooks runs the hooks that come before a commit, as `git commit` does,
// on an index that holds what is committed and nothing else. What they change of
// it is in s afterwards; what they add of a person's own changes is left out,
// and named. It returns the message.
func (r *Repo) runHooks(ctx context.Context, v *comparison, s commitPlan, c Commit) (said string, left []string, err error) {
	h := &hookedCommit{repo: r, view: v, run: c.Hooks.Run}
	if h.folder, err = r.hooksFolder(ctx); err != nil {
		return "", nil, err
	}
	said = cmp.Or(message(c.Message, c.Task), "Complete a task")
	if !h.hasHooks() {
		return said, nil, nil
	}
	if err := h.refuseChangedHooks(); err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp(r.dir, "research-council-commit-") // where a box lets it write
	if err != nil {
		return "", nil, fmt.Errorf("make an index for the hooks: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // an index of our own
	h.index = filepath.Join(dir, "index")
	if err := h.runPreCommit(ctx, s); err != nil {
		return "", nil, err
	}
	if h.changed && c.Hooks.Check != nil {
		err := c.Hooks.Check(ctx)
		if r.files.forgetTrees(); err != nil {
			return "", nil, err
		}
	}
	said, err = h.runMessageHooks(ctx, said, filepath.Join(dir, "COMMIT_EDITMSG"))
	return message(said, c.Task), h.left, err
}

// hooksFolder is where git looks for hooks, as the user has configured it.
func (r *Repo) hooksFolder(ctx context.Context) (string, error) {
	theirs := *r.plumbing
	theirs.settings = nil
	out, err := theirs.git(ctx, gitCall{args: []string{"rev-parse", "--git-path", "hooks"}})
	if err != nil {
		return "", fmt.Errorf("find the hooks: %w", err)
	}
	folder := line(out)
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(r.root, folder)
	}
	return folder, nil
}

func (h *hookedCommit) hasHooks() bool {
	return slices.ContainsFunc([]string{"pre-commit", "prepare-commit-msg", "commit-msg"}, h.hasHook)
}

// hasHook reports whether a hook is: git runs files that may be executed.
func (h *hookedCommit) hasHook(name string) bool {
	info, err := os.Stat(filepath.Join(h.folder, name))
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// refuseChangedHooks refuses hooks that were changed since the snapshot: they are a
// person's. Husky keeps what it runs in the folder above the one git looks in.
func (h *hookedCommit) refuseChangedHooks() error {
	folder := h.folder
	if filepath.Base(folder) == "_" {
		folder = filepath.Dir(folder)
	}
	rel, err := filepath.Rel(h.repo.root, folder)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return nil // they are not in the work tree
	}
	for _, p := range slices.Sorted(maps.Keys(h.view.changes)) {
		if strings.HasPrefix(p, filepath.ToSlash(rel)+"/") {
			return &HookRefusal{Hook: p, Said: "it was changed here, and is not run: commit hooks are a person's to write. Leave " + filepath.ToSlash(rel) + " as it was"}
		}
	}
	return nil
}

// runHook runs a hook, where there is one.
func (h *hookedCommit) runHook(ctx context.Context, name string, args ...string) (HookResult, error) {
	if !h.hasHook(name) {
		return HookResult{}, nil
	}
	git := []string{h.repo.dir}
	if common, err := h.repo.gitLine(ctx, gitCall{args: []string{"rev-parse", "--path-format=absolute", "--git-common-dir"}}); err == nil && common != h.repo.dir {
		git = append(git, common)
	}
	defer h.repo.files.forgetTrees()
	ran, err := h.run(ctx, Hook{
		Name: name, Argv: append([]string{filepath.Join(h.folder, name)}, args...), Dir: h.repo.root, Git: git,
		Env: []string{"GIT_INDEX_FILE=" + h.index, "GIT_EDITOR=:", "GIT_PREFIX=", "GIT_TERMINAL_PROMPT=0"},
	})
	switch {
	case err != nil:
		return ran, fmt.Errorf("%w: %s: %w", ErrHook, name, err)
	case ran.Code == notFound || ran.Code == notExecutable:
		return ran, fmt.Errorf("%w: %s ended with %d, a command is not there or cannot be started: %s", ErrHook, name, ran.Code, ran.Said)
	}
	return ran, nil
}

// runPreCommit runs the hook pre-commit. One that mends files and refuses for that
// has its mended files taken and is asked once more, as people do.
func (h *hookedCommit) runPreCommit(ctx context.Context, s commitPlan) error {
	const hook = "pre-commit"
	tree, err := h.repo.files.composeTree(ctx, h.view.base, s.commit)
	if err != nil {
		return err
	}
	if _, err := h.repo.git(ctx, gitCall{args: []string{"read-tree", tree}, index: h.index}); err != nil {
		return err
	}
	for try := 1; ; try++ {
		_, _ = h.repo.git(ctx, gitCall{args: []string{"update-index", "-q", "--refresh"}, index: h.index}) // it fails where a person has changes
		ran, err := h.runHook(ctx, hook)
		if err != nil {
			return err
		}
		mended, err := h.stageHookChanges(ctx, s)
		if err != nil {
			return err
		}
		if ran.Code == 0 {
			return h.readHookIndex(ctx, tree, s)
		}
		if !mended || try > 1 {
			return &HookRefusal{hook, ran.Said}
		}
	}
}

// stageHookChanges puts what a hook has changed in the work tree into the index, and
// tells whether there was any.
func (h *hookedCommit) stageHookChanges(ctx context.Context, s commitPlan) (bool, error) {
	now, err := h.repo.files.writeWorkTree(ctx, h.view.was)
	if err != nil {
		return false, err
	}
	changes, err := h.repo.files.diffTrees(ctx, h.view.now, now)
	if err != nil {
		return false, err
	}
	at := map[string]entry{}
	for p, c := range changes {
		if !c.isNested() && h.mayCommit(p, s) {
			at[p] = c.to
		}
	}
	if len(at) == 0 {
		return false, nil
	}
	h.view.now = now
	_, err = h.repo.git(ctx, gitCall{args: []string{"update-index", "-z", "--index-info"}, index: h.index, stdin: indexInfo(at)})
	return true, err
}

// mayCommit reports whether what a hook changes of a path belongs to the
// commit: it holds the whole path, or nobody else had changed it.
func (h *hookedCommit) mayCommit(p string, s commitPlan) bool {
	return has(s.commit, p) && !s.mixed[p] || !has(h.view.open, p) && !h.repo.files.isCampaignPath(p) && !h.view.was.wasIgnored(p)
}

// readHookIndex takes what the hooks have left in the index for what is committed.
func (h *hookedCommit) readHookIndex(ctx context.Context, tree string, s commitPlan) error {
	left, err := h.repo.gitLine(ctx, gitCall{args: []string{"write-tree"}, index: h.index})
	if err != nil {
		return err
	}
	changes, err := h.repo.files.diffTrees(ctx, tree, left)
	if err != nil {
		return err
	}
	apart, err := h.repo.files.diffTrees(ctx, left, h.view.now)
	if err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(changes)) {
		if !h.mayCommit(p, s) {
			h.left = append(h.left, p)
			continue
		}
		if has(apart, p) {
			return &HookRefusal{"pre-commit", fmt.Sprintf("it has staged something else of %q than what the file holds, which nobody has tested", p)}
		}
		s.commit[p], h.changed = changes[p].to, true
	}
	return nil
}

// runMessageHooks has the hooks look at the message.
func (h *hookedCommit) runMessageHooks(ctx context.Context, said, file string) (string, error) {
	if err := os.WriteFile(file, []byte(said+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the message for the hooks: %w", err)
	}
	for _, hook := range [][]string{{"prepare-commit-msg", file, "message"}, {"commit-msg", file}} {
		ran, err := h.runHook(ctx, hook[0], hook[1:]...)
		if err != nil {
			return "", err
		}
		if ran.Code != 0 {
			return "", &HookRefusal{hook[0], ran.Said}
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the message the hooks have left: %w", err)
	}
	return string(text), nil
}

// runPostCommit runs the hook post-commit, which can stop nothing any more.
func (r *Repo) runPostCommit(ctx context.Context, c Commit) error {
	folder, err := r.hooksFolder(ctx)
	if err != nil {
		return err
	}
	h := &hookedCommit{repo: r, folder: folder, run: c.Hooks.Run, index: path.Join(r.dir, "index")}
	_, err = h.runHook(ctx, "post-commit")
	return err
}
