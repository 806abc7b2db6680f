package repo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is what a tree holds at a path.
type entry struct{ mode, id string }

const (
	modeNone = "000000"
	modeLink = "160000" // a commit of another repository
)

func (e entry) isAbsent() bool { return e.mode == modeNone }

// change is what differs at a path.
type change struct{ from, to entry }

// isNested reports whether a side belongs to another repository.
func (c change) isNested() bool { return c.from.mode == modeLink || c.to.mode == modeLink }

// workTree is the files of a repository that are checked out, and the trees git
// has of them: compared, written, put together and put back. It changes neither
// the index nor a branch; where it needs an index, it is one of its own.
type workTree struct {
	*plumbing
	diffs map[[2]string]map[string]change // of trees that were compared; trees never change
	trees map[[sha256.Size]byte]string    // by the index they were written of, while [workTree.keepTrees] holds
}

// keepTrees has an index of the same bytes be written as a tree once, until the function it
// gives is called. Nobody else's program may run meanwhile: it could drop the tree.
func (w *workTree) keepTrees() func() {
	if w.trees != nil {
		return func() {}
	}
	w.trees = map[[sha256.Size]byte]string{}
	return func() { w.trees = nil }
}

// forgetTrees is called after somebody else's program has run.
func (w *workTree) forgetTrees() { clear(w.trees) }

// writeTree writes an index as a tree.
func (w *workTree) writeTree(ctx context.Context, index string) (string, error) {
	if tree := w.treeOf(index); tree != "" {
		return tree, nil
	}
	sum, known := w.sum(index)
	tree, err := w.gitLine(ctx, gitCall{args: []string{"write-tree"}, index: index})
	if err == nil && known {
		w.trees[sum] = tree
	}
	return tree, err
}

// treeOf is the tree an index was written as, "" where that is not known.
func (w *workTree) treeOf(index string) string {
	if sum, known := w.sum(index); known {
		return w.trees[sum]
	}
	return ""
}

// sum tells indexes apart while trees are kept; there may be none yet.
func (w *workTree) sum(index string) (sum [sha256.Size]byte, known bool) {
	if w.trees == nil {
		return sum, false
	}
	data, err := os.ReadFile(index)
	return sha256.Sum256(data), err == nil
}

// diffTrees is where two trees differ, by path. Renames are a removal and an
// addition.
func (w *workTree) diffTrees(ctx context.Context, from, to string) (map[string]change, error) {
	all, err := w.diffPairs(ctx, [2]string{from, to})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// diffPairs compares pairs of trees, all those in one call that were not compared yet.
func (w *workTree) diffPairs(ctx context.Context, pairs ...[2]string) ([]map[string]change, error) {
	var ask [][2]string
	for _, p := range pairs {
		if p[0] != p[1] && w.diffs[p] == nil && !slices.Contains(ask, p) {
			ask = append(ask, p)
		}
	}
	if err := w.askDiffs(ctx, ask); err != nil {
		return nil, err
	}
	all := make([]map[string]change, len(pairs))
	for i, p := range pairs {
		all[i] = map[string]change{} // the caller's own
		maps.Copy(all[i], w.diffs[p])
	}
	return all, nil
}

// askDiffs has git compare pairs of trees. Git writes the pair on a line of its own, then
// a change and its path, each ending in NUL.
func (w *workTree) askDiffs(ctx context.Context, pairs [][2]string) error {
	if len(pairs) == 0 {
		return nil
	}
	var stdin strings.Builder
	for _, p := range pairs {
		fmt.Fprintf(&stdin, "%s %s\n", p[0], p[1])
	}
	args := []string{"diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none"}
	items, err := w.gitItems(ctx, gitCall{args: args, stdin: []byte(stdin.String())})
	if err != nil {
		return err
	}
	var all []map[string]change
	for i := 0; i < len(items); i += 2 {
		heads := strings.Split(items[i], "\n")
		for range heads[1:] {
			all = append(all, map[string]change{})
		}
		f := strings.Fields(heads[len(heads)-1])
		if len(f) == 0 && i+1 == len(items) {
			break
		}
		if len(f) != 5 || i+1 == len(items) || len(all) == 0 {
			return fmt.Errorf("git diff-tree wrote %q", items[i])
		}
		all[len(all)-1][items[i+1]] = change{entry{f[0][1:], f[2]}, entry{f[1], f[3]}}
	}
	if len(all) != len(pairs) {
		return fmt.Errorf("git diff-tree compared %d of %d trees", len(all), len(pairs))
	}
	for i, p := range pairs {
		w.diffs[p] = all[i]
	}
	return nil
}

// writeWorkTree writes the work tree as a tree object: what the index knows and what is
// untracked, but not ignored. What was a person's ignored file at the moment of
// a snapshot stays out, and what the snapshot has is looked at even where it is
// ignored by now.
func (w *workTree) writeWorkTree(ctx context.Context, since *snapshotState) (string, error) {
	tree, _, err := w.compareWorkTree(ctx, since, nil)
	return tree, err
}

// compareWorkTree writes the work tree as writeWorkTree does, and tells what differs in
// it from a snapshot's. Other pairs of trees that will be asked for are compared in the same
// call.
func (w *workTree) compareWorkTree(ctx context.Context, since *snapshotState, also func(tree string) [][2]string) (string, map[string]change, error) {
	index, drop, err := w.copyIndex()
	if err != nil {
		return "", nil, err
	}
	defer drop()
	found, err := w.changedPaths(ctx, index)
	if err != nil {
		return "", nil, err
	}
	tree, err := w.addToIndex(ctx, index, slices.DeleteFunc(found, since.wasIgnored))
	if err != nil {
		return "", nil, err
	}
	pairs := [][2]string{{since.tree, tree}}
	if also != nil {
		pairs = append(pairs, also(tree)...)
	}
	all, err := w.diffPairs(ctx, pairs...)
	if err != nil {
		return "", nil, err
	}
	differ := all[0]
	hidden := w.newlyIgnored(differ)
	if len(hidden) == 0 {
		return tree, differ, nil
	}
	if tree, err = w.addToIndex(ctx, index, hidden); err != nil {
		return "", nil, err
	}
	differ, err = w.diffTrees(ctx, since.tree, tree)
	return tree, differ, err
}

// changedPaths lists what differs in the work tree from an index, and what is
// untracked. Repositories of their own end in a slash.
func (w *workTree) changedPaths(ctx context.Context, index string) ([]string, error) {
	return w.gitItems(ctx, gitCall{args: []string{"ls-files", "-z", "--others", "--modified", "--deleted", "--exclude-standard"}, index: index})
}

// newlyIgnored lists, of what differs from a snapshot, its files that the tree of now
// has not and that are there: they were untracked and are ignored by now.
func (w *workTree) newlyIgnored(differ map[string]change) []string {
	var list []string
	beyond := w.beyondLinks()
	for p, c := range differ {
		if info, err := os.Lstat(w.absolute(p)); c.to.isAbsent() && err == nil && !info.IsDir() && !beyond(p) {
			list = append(list, p)
		}
	}
	return list
}

// addToIndex brings paths of an index to what the work tree has there and writes it as
// a tree. A folder comes before what is in it, so that git sees a file give way
// to a folder.
func (w *workTree) addToIndex(ctx context.Context, index string, found []string) (string, error) {
	slices.Sort(found)
	var there, gone []string
	beyond := w.beyondLinks()
	for _, p := range slices.Compact(found) {
		switch {
		case strings.HasSuffix(p, "/") || w.isCampaignPath(p): // a repository of its own, or the campaign's
		case beyond(p):
			gone = append(gone, p)
		default:
			there = append(there, p)
		}
	}
	for _, step := range []struct {
		flag  string
		paths []string
	}{{"--force-remove", gone}, {"--remove", there}} {
		if len(step.paths) == 0 {
			continue
		}
		args := []string{"update-index", "--add", "--replace", "--ignore-skip-worktree-entries", step.flag, "-z", "--stdin"}
		if _, err := w.git(ctx, gitCall{args: args, index: index, stdin: nulTerminated(step.paths)}); err != nil {
			return "", err
		}
	}
	return w.writeTree(ctx, index)
}

// beyondLinks tells paths that lie beyond a symbolic link: nothing of this work tree
// is there.
func (w *workTree) beyondLinks() func(string) bool {
	folders := map[string]bool{".": false}
	var beyond func(folder string) bool
	beyond = func(folder string) bool {
		is, looked := folders[folder]
		if !looked {
			info, err := os.Lstat(w.absolute(folder))
			is = beyond(path.Dir(folder)) || err == nil && info.Mode()&fs.ModeSymlink != 0
			folders[folder] = is
		}
		return is
	}
	return func(p string) bool { return beyond(path.Dir(p)) }
}

// absolute is where a path of the repository lies.
func (w *workTree) absolute(p string) string { return w.root + "/" + p }

// nulTerminated ends each path in NUL.
func nulTerminated(paths []string) []byte {
	var b bytes.Buffer
	for _, p := range paths {
		b.WriteString(p)
		b.WriteByte(0)
	}
	return b.Bytes()
}

// indexInfo is what `update-index --index-info` reads: what is to be at each path.
func indexInfo(at map[string]entry) []byte {
	var b bytes.Buffer
	for _, p := range slices.Sorted(maps.Keys(at)) {
		e := at[p]
		if e.isAbsent() {
			e.mode = "0"
		}
		fmt.Fprintf(&b, "%s %s\t%s\x00", e.mode, e.id, p)
	}
	return b.Bytes()
}

// composeTree writes a tree that is another one but for some paths.
func (w *workTree) composeTree(ctx context.Context, base string, at map[string]entry) (string, error) {
	index, drop, err := w.copyIndex()
	if err == nil && w.treeOf(index) != base {
		drop()
		index, drop, err = w.loadIndex(ctx, base)
	}
	if err != nil {
		return "", err
	}
	defer drop()
	if _, err := w.git(ctx, gitCall{args: []string{"update-index", "-z", "--index-info"}, index: index, stdin: indexInfo(at)}); err != nil {
		return "", err
	}
	return w.gitLine(ctx, gitCall{args: []string{"write-tree"}, index: index})
}

// loadIndex makes an index that holds a tree, and drops it again.
func (w *workTree) loadIndex(ctx context.Context, tree string) (string, func(), error) {
	index, drop, err := tempIndex()
	if err != nil {
		return "", nil, err
	}
	if _, err := w.git(ctx, gitCall{args: []string{"read-tree", tree}, index: index}); err != nil {
		drop()
		return "", nil, err
	}
	return index, drop, nil
}

// copyIndex copies the repository's index, with its time: git trusts what the
// index says of a file only when the file is older than it.
func (w *workTree) copyIndex() (string, func(), error) {
	index, drop, err := tempIndex()
	if err != nil {
		return "", nil, err
	}
	if err := copyWithTime(filepath.Join(w.dir, "index"), index); err != nil {
		drop()
		return "", nil, fmt.Errorf("copy the index: %w", err)
	}
	return index, drop, nil
}

func copyWithTime(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was ever added
	}
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// tempIndex names an index that is not there yet, in a folder of its own.
func tempIndex() (string, func(), error) {
	dir, err := os.MkdirTemp("", "research-council-index-")
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(dir, "index"), func() { _ = os.RemoveAll(dir) }, nil
}

// isCampaignPath reports whether a path is the campaign's: see [campaigns].
func (w *workTree) isCampaignPath(p string) bool {
	in, below := strings.CutPrefix(p, w.prefix)
	return below && matches(in, campaigns())
}

// campaigns are the folders of a project in which a campaign keeps its own.
func campaigns() []string { return []string{"docs/research-*", "research", ".claude"} }

// matches reports whether a path, or a folder it lies in, is one of the
// patterns: as it is written, or with path.Match's wildcards. A slash at the
// end says nothing.
func matches(p string, patterns []string) bool {
	parts := strings.Split(p, "/")
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		pattern = strings.TrimSuffix(pattern, "/")
		deep := strings.Count(pattern, "/") + 1
		if deep > len(parts) {
			return false
		}
		start := strings.Join(parts[:deep], "/")
		fits, err := path.Match(pattern, start)
		return start == pattern || err == nil && fits
	})
}

// writeIndexTree writes an index as a tree.
func (w *workTree) writeIndexTree(ctx context.Context, index string) (string, error) {
	tree, err := w.writeTree(ctx, index)
	if err == nil {
		return tree, nil
	}
	unmerged, again := w.gitItems(ctx, gitCall{args: []string{"ls-files", "-z", "--unmerged"}, index: index})
	if again != nil || len(unmerged) == 0 {
		return "", err
	}
	_, path, _ := strings.Cut(unmerged[0], "\t")
	return "", fmt.Errorf("%q has a conflict: %w", path, ErrBusy)
}

// ignored lists what git ignores, and what of the paths it found is a
// repository of its own, sorted; a folder ends in a slash and stands for all
// that is in it.
func (w *workTree) ignored(ctx context.Context, index string, found []string) ([]string, error) {
	list, err := w.gitItems(ctx, gitCall{args: []string{"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"}, index: index})
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		if strings.HasSuffix(p, "/") {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// emptyTree is the tree without anything.
func (w *workTree) emptyTree(ctx context.Context) (string, error) {
	return w.gitLine(ctx, gitCall{args: []string{"mktree"}})
}

// pathsOutside lists what lies in the work tree beside a tree of it.
func (w *workTree) pathsOutside(ctx context.Context, tree string, flags ...string) ([]string, error) {
	index, drop, err := w.loadIndex(ctx, tree)
	if err != nil {
		return nil, err
	}
	defer drop()
	return w.gitItems(ctx, gitCall{args: append([]string{"ls-files", "-z", "--others"}, flags...), index: index})
}

// writtenAfter reports whether a file or link was changed after a time. The time
// of that cannot be set by hand.
func (w *workTree) writtenAfter(p string, after time.Time) bool {
	info, err := os.Lstat(w.absolute(p))
	if err != nil {
		return false
	}
	changed, known := changedAt(w.absolute(p), info)
	return known && changed.After(after)
}
