package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// history is the commits and branches of a repository, and the index that its next
// commit comes from: read, added to, and put back where they were.
type history struct {
	*plumbing
	lockTimeout time.Duration
	who         []string // what commits need in their environment; nil for a user who has said who they are
}

// checkBranch reports why a commit cannot go to a branch now.
func (h *history) checkBranch(ctx context.Context) error {
	if err := h.checkIndex(ctx); err != nil { // before the branch: a rebase leaves it
		return err
	}
	code, err := h.gitStatus(ctx, "symbolic-ref", "-q", "HEAD")
	if err != nil {
		return fmt.Errorf("find the branch: %w", err)
	}
	if code != 0 {
		return ErrDetached
	}
	return nil
}

// checkIndex reports why the index cannot be worked on now.
func (h *history) checkIndex(ctx context.Context) error {
	for _, half := range []struct{ file, name string }{
		{"MERGE_HEAD", "merge"},
		{"rebase-merge", "rebase"},
		{"rebase-apply", "rebase or am"},
		{"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"},
	} {
		if _, err := os.Stat(filepath.Join(h.dir, half.file)); err == nil {
			return fmt.Errorf("a %s is half done: %w", half.name, ErrBusy)
		}
	}
	return h.waitForIndexLock(ctx)
}

// lockTimeout is how long a lock of the index is waited for. Editors and prompts
// run git often and hold it for milliseconds.
const lockTimeout = 10 * time.Second

// indexLock is the file by which git keeps others from changing the index.
func (h *history) indexLock() string { return filepath.Join(h.dir, "index.lock") }

// waitForIndexLock waits until nobody holds the index's lock.
func (h *history) waitForIndexLock(ctx context.Context) error {
	end := time.NewTimer(h.lockTimeout)
	defer end.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		if _, err := os.Lstat(h.indexLock()); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		select {
		case <-look.C:
		case <-end.C:
			return fmt.Errorf("%s: %w", h.indexLock(), ErrLocked)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// setIndex changes entries of the repository's index. It waits for a lock, and
// once more when another git was quicker.
func (h *history) setIndex(ctx context.Context, at map[string]entry) error {
	if len(at) == 0 {
		return nil
	}
	var err error
	for range 3 {
		if err := h.waitForIndexLock(ctx); err != nil {
			return err
		}
		_, err = h.git(ctx, gitCall{args: []string{"update-index", "-z", "--index-info"}, stdin: indexInfo(at)})
		if err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	// The entries know no times of their files yet. Where this fails, the next
	// git finds them out.
	_, _ = h.gitStatus(ctx, "update-index", "-q", "--refresh")
	return ctx.Err()
}

// commitOnHead puts a commit of a tree on top of HEAD, if HEAD is still there.
func (h *history) commitOnHead(ctx context.Context, head, tree, message string) (string, error) {
	id, err := h.writeCommit(ctx, tree, message, head)
	if err != nil {
		return "", err
	}
	_, err = h.git(ctx, gitCall{args: []string{"update-ref", "-m", "commit (research-council)", "HEAD", id, head}})
	if err == nil {
		return id, nil
	}
	if now, again := h.resolve(ctx, "HEAD^{commit}"); again == nil && now != head {
		return "", fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return "", err
}

// writeCommit writes a commit object, as the user's; as the program's where the user
// has not said who they are.
func (h *history) writeCommit(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		if p != "" {
			args = append(args, "-p", p)
		}
	}
	call := gitCall{args: append(args, "-F", "-"), settings: ownIdentity(), stdin: []byte(message + "\n"), env: h.who}
	id, err := h.gitLine(ctx, call)
	var f *gitFailure
	if h.who != nil || !errors.As(err, &f) || h.hasIdentity(ctx) {
		return id, err
	}
	const name, address = "research-council", "research-council@localhost.invalid"
	h.who = []string{"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + address, "GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + address}
	call.env = h.who
	return h.gitLine(ctx, call)
}

// ownIdentity keeps git from guessing who the user is from the machine.
func ownIdentity() []string { return []string{"-c", "user.useConfigOnly=true"} }

// hasIdentity reports whether the user has a name and an address configured.
func (h *history) hasIdentity(ctx context.Context) bool {
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		_, err := h.git(ctx, gitCall{args: []string{"var", who}, settings: ownIdentity()})
		var f *gitFailure
		if errors.As(err, &f) && f.code > 0 {
			return false
		}
	}
	return true
}

// log lists the commits HEAD has and had not at the moment, newest first.
func (h *history) log(ctx context.Context, v *comparison, format string) ([]string, error) {
	span := []string{"HEAD"}
	if v.was.head != "" {
		span = append(span, "^"+v.was.head)
	}
	return h.gitItems(ctx, gitCall{args: append([]string{"log", "-z", "--no-show-signature", "--max-count=1000", "--format=" + format}, span...)})
}

// plainRefName are names of refs that git need not be asked about.
var plainRefName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^refs(/[0-9A-Za-z_-]+)+$`) })

// checkStashRef checks that a ref is one for changes that are set aside.
func (h *history) checkStashRef(ctx context.Context, ref string) error {
	if !strings.HasPrefix(ref, refs) || strings.HasPrefix(ref, snapshots) {
		return fmt.Errorf("%q is not below %s", ref, refs)
	}
	if plainRefName().MatchString(ref) {
		return nil
	}
	if code, err := h.gitStatus(ctx, "check-ref-format", ref); err != nil || code != 0 {
		return errors.Join(fmt.Errorf("%q is no name of a ref", ref), err)
	}
	return nil
}

// previousOnRef is what lay on the ref before a commit did: the last parent of its
// first, unless that is HEAD of the snapshot. See [Repo.commitStash].
func (h *history) previousOnRef(ctx context.Context, id, head string) (string, error) {
	parents, err := h.gitLine(ctx, gitCall{args: []string{"log", "-1", "--format=%P", id + "^1"}})
	f := strings.Fields(parents)
	if err != nil || len(f) == 0 || f[len(f)-1] == head {
		return "", err
	}
	return f[len(f)-1], nil
}

// hasOwnCommits reports whether some of the files were committed since the snapshot
// and have to be taken back by a commit. Only commits made here meanwhile are,
// in the user's own name or in any that a worker gave itself: what was pulled or
// merged is others' work.
func (h *history) hasOwnCommits(ctx context.Context, v *comparison, files []string) (bool, error) {
	if !slices.ContainsFunc(files, func(p string) bool { return has(v.moved, p) }) {
		return false, nil
	}
	refuse := fmt.Errorf("%w: the commits since %q are not this iteration's alone: take them back or take a new snapshot", ErrMoved, v.was.head)
	if v.was.head == "" {
		return false, refuse
	}
	if code, err := h.gitStatus(ctx, "merge-base", "--is-ancestor", v.was.head, v.head); err != nil || code != 0 {
		return false, errors.Join(refuse, err)
	}
	taken, err := h.gitLine(ctx, gitCall{args: []string{"log", "-1", "--format=%ct %cn <%ce>", v.was.ref()}})
	if err != nil {
		return false, err
	}
	list, err := h.log(ctx, v, "%H %ct %cn <%ce>%n%P")
	if err != nil {
		return false, err
	}
	here, err := h.localCommits(ctx)
	if err != nil {
		return false, err
	}
	for _, item := range list {
		id, rest, _ := strings.Cut(item, " ")
		by, parents, _ := strings.Cut(rest, "\n")
		if !here[id] && !isSameAuthorLater(by, taken) || strings.Contains(strings.TrimSpace(parents), " ") {
			return false, refuse
		}
	}
	return true, nil
}

// localCommits are the commits that were made in this work tree, and did not come to
// it, as HEAD's log has them: what that has not is not known.
func (h *history) localCommits(ctx context.Context) (map[string]bool, error) {
	list, err := h.gitItems(ctx, gitCall{args: []string{"log", "-z", "-g", "--no-show-signature", "--max-count=1000", "--format=%H %gs", "HEAD"}})
	if err != nil {
		return nil, err
	}
	made := map[string]bool{}
	for _, item := range list {
		if id, how, _ := strings.Cut(item, " "); strings.HasPrefix(how, "commit") {
			made[id] = true
		}
	}
	return made, nil
}

// isSameAuthorLater reports whether a commit, "SECONDS NAME <ADDRESS>", is by the same
// person as another and not older.
func isSameAuthorLater(commit, taken string) bool {
	at, by, _ := strings.Cut(commit, " ")
	from, who, _ := strings.Cut(taken, " ")
	a, errA := strconv.ParseInt(at, 10, 64)
	f, errF := strconv.ParseInt(from, 10, 64)
	return errA == nil && errF == nil && a >= f && by == who
}

// abortOperation forgets what git is in the middle of. The snapshot was taken when it was
// in the middle of nothing.
func (h *history) abortOperation(ctx context.Context) error {
	for _, half := range []struct{ file, command string }{
		{"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"},
	} {
		if _, err := os.Stat(filepath.Join(h.dir, half.file)); err != nil {
			continue
		}
		if _, err := h.git(ctx, gitCall{args: []string{half.command, "--quit"}}); err != nil {
			return err
		}
	}
	return h.waitForIndexLock(ctx)
}

// checkedOutElsewhere are the branches that other work trees of the repository have
// checked out.
func (h *history) checkedOutElsewhere(ctx context.Context) map[string]bool {
	found := map[string]bool{}
	out, err := h.gitLine(ctx, gitCall{args: []string{"worktree", "list", "--porcelain"}})
	if err != nil {
		return found
	}
	here := false
	for line := range strings.SplitSeq(out, "\n") {
		if at, is := strings.CutPrefix(line, "worktree "); is {
			here = at == h.root
		}
		if ref, is := strings.CutPrefix(line, "branch "); is && !here {
			found[ref] = true
		}
	}
	return found
}

// newCommits lists the commits of a tip that were not there at a moment, newest
// first. Further options of git rev-list may leave some out.
func (h *history) newCommits(ctx context.Context, m *snapshotState, tip string, but ...string) ([]string, error) {
	if tip == "" {
		return nil, nil
	}
	args := append([]string{"rev-list", "--max-count=1000", tip, "--not"}, but...)
	if m.head != "" {
		args = append(args, m.head)
	}
	for _, ref := range slices.Sorted(maps.Keys(m.refs.tip)) {
		args = append(args, m.refs.tip[ref])
	}
	out, err := h.gitLine(ctx, gitCall{args: args})
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(out, "\n"), nil
}

// keepTip puts a commit on the first ref of a name that is free, or has it.
func (h *history) keepTip(ctx context.Context, ref, commit string) (string, error) {
	for n := 1; ; n++ {
		name := ref
		if n > 1 {
			name = fmt.Sprintf("%s-%d", ref, n)
		}
		at, err := h.resolve(ctx, name+"^{commit}")
		switch {
		case err != nil:
			return "", err
		case at == commit:
			return name, nil
		case at == "":
			_, err = h.git(ctx, gitCall{args: []string{"update-ref", name, commit, strings.Repeat("0", len(commit))}})
			return name, err
		}
	}
}
