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
	Run  func(context.Context, Hook) (Ran, error)
	Look func(context.Context) error // asked when a hook has changed what is committed; an error stops the commit
}

// Hook is a commit hook that is to be run.
type Hook struct {
	Name string   // pre-commit
	Argv []string // its program is the first word
	Env  []string // NAME=VALUE, beside whatever else it sees
	Dir  string   // where it begins: the top of the work tree
	Git  []string // git's own folders, which it may write
}

// Ran is how a hook went.
type Ran struct {
	Code int
	Said string
}

// Refused is a commit that a hook of the repository does not let pass.
type Refused struct {
	Hook string
	Said string // its own words
}

func (r *Refused) Error() string {
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

// hooking is a commit on its way through the hooks.
type hooking struct {
	*Repo
	view    *view
	folder  string
	run     func(context.Context, Hook) (Ran, error)
	index   string
	changed bool // a hook has changed what is committed
	left    []string
}

// throughHooks runs the hooks that come before a commit, as `git commit` does,
// on an index that holds what is committed and nothing else. What they change of
// it is in s afterwards; what they add of a person's own changes is left out,
// and named. It returns the message.
func (r *Repo) throughHooks(ctx context.Context, v *view, s sorted, c Commit) (said string, left []string, err error) {
	h := &hooking{Repo: r, view: v, run: c.Hooks.Run}
	if h.folder, err = r.hooksFolder(ctx); err != nil {
		return "", nil, err
	}
	said = cmp.Or(message(c.Message, c.Task), "Complete a task")
	if !h.any() {
		return said, nil, nil
	}
	if err := h.unchanged(); err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp(r.dir, "research-council-commit-") // where a box lets it write
	if err != nil {
		return "", nil, fmt.Errorf("make an index for the hooks: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // an index of our own
	h.index = filepath.Join(dir, "index")
	if err := h.before(ctx, s); err != nil {
		return "", nil, err
	}
	if h.changed && c.Hooks.Look != nil {
		if err := c.Hooks.Look(ctx); err != nil {
			return "", nil, err
		}
	}
	said, err = h.worded(ctx, said, filepath.Join(dir, "COMMIT_EDITMSG"))
	return message(said, c.Task), h.left, err
}

// hooksFolder is where git looks for hooks, as the user has configured it.
func (r *Repo) hooksFolder(ctx context.Context) (string, error) {
	theirs := r.plumbing
	theirs.settings = nil
	out, err := theirs.git(ctx, call{args: []string{"rev-parse", "--git-path", "hooks"}})
	if err != nil {
		return "", fmt.Errorf("find the hooks: %w", err)
	}
	folder := line(out)
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(r.root, folder)
	}
	return folder, nil
}

func (h *hooking) any() bool {
	return slices.ContainsFunc([]string{"pre-commit", "prepare-commit-msg", "commit-msg"}, h.there)
}

// there reports whether a hook is: git runs files that may be executed.
func (h *hooking) there(name string) bool {
	info, err := os.Stat(filepath.Join(h.folder, name))
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// unchanged refuses hooks that were changed since the snapshot: they are a
// person's. Husky keeps what it runs in the folder above the one git looks in.
func (h *hooking) unchanged() error {
	folder := h.folder
	if filepath.Base(folder) == "_" {
		folder = filepath.Dir(folder)
	}
	rel, err := filepath.Rel(h.root, folder)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return nil // they are not in the work tree
	}
	for _, p := range slices.Sorted(maps.Keys(h.view.changes)) {
		if strings.HasPrefix(p, filepath.ToSlash(rel)+"/") {
			return &Refused{Hook: p, Said: "it was changed here, and is not run: commit hooks are a person's to write. Leave " + filepath.ToSlash(rel) + " as it was"}
		}
	}
	return nil
}

// perform runs a hook, where there is one.
func (h *hooking) perform(ctx context.Context, name string, args ...string) (Ran, error) {
	if !h.there(name) {
		return Ran{}, nil
	}
	git := []string{h.dir}
	if common, err := h.word(ctx, call{args: []string{"rev-parse", "--path-format=absolute", "--git-common-dir"}}); err == nil && common != h.dir {
		git = append(git, common)
	}
	ran, err := h.run(ctx, Hook{
		Name: name, Argv: append([]string{filepath.Join(h.folder, name)}, args...), Dir: h.root, Git: git,
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

// before runs the hook pre-commit. One that mends files and refuses for that
// has its mended files taken and is asked once more, as people do.
func (h *hooking) before(ctx context.Context, s sorted) error {
	const hook = "pre-commit"
	tree, err := h.compose(ctx, h.view.base, s.commit)
	if err != nil {
		return err
	}
	if _, err := h.git(ctx, call{args: []string{"read-tree", tree}, index: h.index}); err != nil {
		return err
	}
	for try := 1; ; try++ {
		_, _ = h.git(ctx, call{args: []string{"update-index", "-q", "--refresh"}, index: h.index}) // it fails where a person has changes
		ran, err := h.perform(ctx, hook)
		if err != nil {
			return err
		}
		mended, err := h.takeUp(ctx, s)
		if err != nil {
			return err
		}
		if ran.Code == 0 {
			return h.read(ctx, tree, s)
		}
		if !mended || try > 1 {
			return &Refused{hook, ran.Said}
		}
	}
}

// takeUp puts what a hook has changed in the work tree into the index, and
// tells whether there was any.
func (h *hooking) takeUp(ctx context.Context, s sorted) (bool, error) {
	now, err := h.tree(ctx, h.view.was)
	if err != nil {
		return false, err
	}
	changes, err := h.diff(ctx, h.view.now, now)
	if err != nil {
		return false, err
	}
	at := map[string]entry{}
	for p, c := range changes {
		if !c.other() && h.mayCommit(p, s) {
			at[p] = c.to
		}
	}
	if len(at) == 0 {
		return false, nil
	}
	h.view.now = now
	_, err = h.git(ctx, call{args: []string{"update-index", "-z", "--index-info"}, index: h.index, stdin: entries(at)})
	return true, err
}

// mayCommit reports whether what a hook changes of a path belongs to the
// commit: it holds the whole path, or nobody else had changed it.
func (h *hooking) mayCommit(p string, s sorted) bool {
	return has(s.commit, p) && !s.part[p] || !has(h.view.open, p) && !h.ours(p) && !h.view.was.foreign(p)
}

// read takes what the hooks have left in the index for what is committed.
func (h *hooking) read(ctx context.Context, tree string, s sorted) error {
	left, err := h.word(ctx, call{args: []string{"write-tree"}, index: h.index})
	if err != nil {
		return err
	}
	changes, err := h.diff(ctx, tree, left)
	if err != nil {
		return err
	}
	apart, err := h.diff(ctx, left, h.view.now)
	if err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(changes)) {
		if !h.mayCommit(p, s) {
			h.left = append(h.left, p)
			continue
		}
		if has(apart, p) {
			return &Refused{"pre-commit", fmt.Sprintf("it has staged something else of %q than what the file holds, which nobody has tested", p)}
		}
		s.commit[p], h.changed = changes[p].to, true
	}
	return nil
}

// worded has the hooks look at the message.
func (h *hooking) worded(ctx context.Context, said, file string) (string, error) {
	if err := os.WriteFile(file, []byte(said+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the message for the hooks: %w", err)
	}
	for _, hook := range [][]string{{"prepare-commit-msg", file, "message"}, {"commit-msg", file}} {
		ran, err := h.perform(ctx, hook[0], hook[1:]...)
		if err != nil {
			return "", err
		}
		if ran.Code != 0 {
			return "", &Refused{hook[0], ran.Said}
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the message the hooks have left: %w", err)
	}
	return string(text), nil
}

// afterwards runs the hook post-commit, which can stop nothing any more.
func (r *Repo) afterwards(ctx context.Context, c Commit) error {
	folder, err := r.hooksFolder(ctx)
	if err != nil {
		return err
	}
	h := &hooking{Repo: r, folder: folder, run: c.Hooks.Run, index: path.Join(r.dir, "index")}
	_, err = h.perform(ctx, "post-commit")
	return err
}
