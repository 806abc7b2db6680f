// Package repo is the git repository a project lies in, and the command by
// which the project tests itself.
//
// Work on a feature begins with a snapshot of the whole work tree. What changed
// since then is the feature's: [Repo.Commit] makes it one commit on the current
// branch, [Repo.Stash] keeps it on a ref of its own and puts the work tree
// back. What a person had changed before the snapshot, staged or not, tracked
// or not, is left as it was, byte for byte: it is neither committed nor put
// back. Of a file that holds both hands' changes the work's alone is committed,
// and nothing where the two touch. Both may be called again after a crash at any moment and come to the same end.
//
// Nothing is pushed or fetched and no history is rewritten: a commit is only
// ever added. Everything is done by git's plumbing, so no editor and no prompt
// opens. The repository's hooks run at [Repo.Commit] alone, by the caller's own
// means, on exactly what is committed; a person's other changes do not come
// along, whatever a hook adds.
//
// What lies in submodules and in repositories inside the work tree is theirs,
// and what was ignored when the snapshot was taken stays a person's even when a
// change of .gitignore uncovers it. The folders of the campaign itself are
// never part of a snapshot.
//
// To look at a repository is another mode: [List] and [Empty] have git read it
// through a folder of our own ([readOnlyRepo]), so that nothing it is configured to
// do happens and nothing in it changes, whoever made it.
//
// When a feature is worked on, and whether it passes, others decide. The test
// command is only named here: running it is package driver's.
package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// What a caller may want to tell apart. Each comes wrapped, with what to do.
var (
	ErrNoRepository = errors.New("not in a git repository: run `git init` there, and commit what is to be kept")
	ErrNoWorkTree   = errors.New("the git repository has no work tree here: name a folder that is checked out")
	ErrDetached     = errors.New("HEAD is on no branch: switch to one, or make one with `git switch -c NAME`")
	ErrBusy         = errors.New("git is in the middle of something: finish or abort it")
	ErrLocked       = errors.New("the index stays locked by another git: wait for it, or remove the file if none runs")
	ErrMoved        = errors.New("the branch was moved meanwhile")
	ErrNoSnapshot   = errors.New("no snapshot of this project")
)

// Repo is the git repository a folder lies in. It holds no open file and may be
// used by one goroutine at a time.
//
// Its methods are what is done with a project. What they are made of, its parts
// know: [workTree] files and trees, [history] commits, branches and the index,
// [snapshotStore] what was kept of a moment.
type Repo struct {
	*plumbing
	files     *workTree
	history   *history
	snapshots *snapshotStore
}

// Open finds the repository that dir lies in. git is the path of the program;
// "" stands for the one in PATH. A folder outside any repository is
// [ErrNoRepository].
func Open(dir, git string) (*Repo, error) {
	git, err := gitPath(git)
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open the repository of %s: %w", dir, err)
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	r := newRepo(&plumbing{program: git, env: environment(os.Environ()), settings: settings()})
	if err := r.find(dir); err != nil {
		return nil, fmt.Errorf("open the repository of %s: %w", dir, err)
	}
	return r, nil
}

func newRepo(p *plumbing) *Repo {
	r := &Repo{plumbing: p, files: &workTree{plumbing: p, diffs: map[[2]string]map[string]change{}}, history: &history{plumbing: p, lockTimeout: lockTimeout}}
	r.snapshots = &snapshotStore{plumbing: p, files: r.files, history: r.history, states: map[string]snapshotState{}, lists: map[string]string{}}
	return r
}

// gitPath is the path of git; "" stands for the one in PATH.
func gitPath(git string) (string, error) {
	if git != "" {
		return git, nil
	}
	found, err := exec.LookPath("git")
	if err != nil {
		return "", fmt.Errorf("find git: %w", err)
	}
	return found, nil
}

// find asks git for the places of the repository that dir lies in.
func (r *Repo) find(dir string) error {
	ask := func(what ...string) (string, error) {
		out, err := r.run(context.Background(), dir, gitCall{args: append([]string{"rev-parse"}, what...)})
		return line(out), err
	}
	const root, prefix, own = "--show-toplevel", "--show-prefix", "--absolute-git-dir"
	all, err := ask("--is-inside-work-tree", root, prefix, own)
	if told := strings.Split(all, "\n"); err == nil && len(told) == 4 {
		r.root, r.prefix, r.dir = told[1], told[2], told[3]
		return nil
	}
	inside, err := ask("--is-inside-work-tree") // or a place has a line break in its name
	if f := (*gitFailure)(nil); errors.As(err, &f) && !hasGitEntry(dir) {
		return ErrNoRepository
	}
	if err != nil {
		return err
	}
	if inside != "true" {
		return ErrNoWorkTree
	}
	var errRoot, errPrefix, errOwn error
	r.root, errRoot = ask(root)
	r.prefix, errPrefix = ask(prefix)
	r.dir, errOwn = ask(own)
	return errors.Join(errRoot, errPrefix, errOwn)
}

// hasGitEntry reports whether something named .git lies in dir or above it: then git
// has another reason to refuse than that there is no repository.
func hasGitEntry(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// KeepTrees spares git from writing the tree of the same index twice, until the function it
// gives is called. Nobody else's program may be run meanwhile, but for the hooks of a commit.
func (r *Repo) KeepTrees() (end func()) { return r.files.keepTrees() }

// HeadCommit is the commit HEAD is at, "" in a repository without commits.
func (r *Repo) HeadCommit(ctx context.Context) (string, error) {
	commit, err := r.resolve(ctx, "HEAD^{commit}")
	if err != nil {
		return "", fmt.Errorf("find HEAD: %w", err)
	}
	return commit, nil
}

// Ready reports why nothing can be committed here now: HEAD is on no branch,
// a merge or the like is half done, a file has a conflict, the index stays
// locked.
func (r *Repo) Ready(ctx context.Context) error {
	if err := r.history.checkBranch(ctx); err != nil {
		return err
	}
	index, drop, err := r.files.copyIndex()
	if err != nil {
		return err
	}
	defer drop()
	_, err = r.files.writeIndexTree(ctx, index)
	return err
}
