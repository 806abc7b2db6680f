package repo

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// refs is where this package keeps commits that are on no branch. Plain pushes
// and fetches leave refs outside refs/heads and refs/tags alone.
const refs = "refs/research-council/"

const (
	snapshots = refs + "snapshots/"
	remember  = 32 // snapshots, each of which keeps its objects from being collected
)

// moment is what there was when a snapshot was taken.
type moment struct {
	ref     string
	tree    string // the work tree
	head    string // the commit, "" for none
	base    string // that commit's tree
	index   string // what was staged, as a tree
	ignored []string
}

// foreign reports whether a path lay in what was ignored, or was another
// repository, at that moment.
func (m *moment) foreign(p string) bool {
	if _, is := slices.BinarySearch(m.ignored, p); is {
		return true
	}
	for i := strings.IndexByte(p, '/'); i >= 0; {
		if _, is := slices.BinarySearch(m.ignored, p[:i+1]); is {
			return true
		}
		next := strings.IndexByte(p[i+1:], '/')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

// Snapshot writes the whole work tree as a tree object and returns its id:
// untracked files too, ignored ones and the campaign's folders not. Index and
// work tree stay as they are. It also notes what HEAD, the index and the
// ignored files are, on a ref of its own that keeps all of it from being
// collected; the newest 32 snapshots of a repository are known.
func (r *Repo) Snapshot(ctx context.Context) (string, error) {
	tree, err := r.snapshot(ctx)
	if err != nil {
		return "", fmt.Errorf("take a snapshot of %s: %w", r.root, err)
	}
	return tree, nil
}

func (r *Repo) snapshot(ctx context.Context) (string, error) {
	if err := r.whole(ctx); err != nil {
		return "", err
	}
	head, err := r.resolve(ctx, "HEAD^{commit}")
	if err != nil {
		return "", err
	}
	index, err := r.staged(ctx)
	if err != nil {
		return "", err
	}
	ignored, err := r.ignored(ctx)
	if err != nil {
		return "", err
	}
	tree, err := r.tree(ctx, nil)
	if err != nil {
		return "", err
	}
	return tree, r.note(ctx, moment{ref: snapshots + tree, tree: tree, head: head, index: index, ignored: ignored})
}

// staged writes the index as a tree.
func (r *Repo) staged(ctx context.Context) (string, error) {
	index, drop, err := r.copyIndex()
	if err != nil {
		return "", err
	}
	defer drop()
	return r.word(ctx, call{args: []string{"write-tree"}, index: index})
}

// ignored lists what git ignores and what is a repository of its own, sorted;
// a folder ends in a slash and stands for all that is in it.
func (r *Repo) ignored(ctx context.Context) ([]string, error) {
	list, err := r.list(ctx, call{args: []string{"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"}})
	if err != nil {
		return nil, err
	}
	untracked, err := r.list(ctx, call{args: []string{"ls-files", "-z", "--others", "--exclude-standard"}})
	if err != nil {
		return nil, err
	}
	for _, p := range untracked {
		if strings.HasSuffix(p, "/") {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// note keeps a moment as a commit: its parent is HEAD, its tree has the work
// tree, the index and the list of what was ignored.
func (r *Repo) note(ctx context.Context, m moment) error {
	ignored, err := r.word(ctx, call{args: []string{"hash-object", "-w", "--stdin"}, stdin: lines(m.ignored)})
	if err != nil {
		return err
	}
	items := fmt.Sprintf("100644 blob %s\tignored\x00040000 tree %s\tindex\x00040000 tree %s\twork\x00", ignored, m.index, m.tree)
	tree, err := r.word(ctx, call{args: []string{"mktree", "-z"}, stdin: []byte(items)})
	if err != nil {
		return err
	}
	id, err := r.write(ctx, tree, "Snapshot of the work tree", m.head)
	if err != nil {
		return err
	}
	if _, err := r.git(ctx, call{args: []string{"update-ref", m.ref, id}}); err != nil {
		return err
	}
	return r.forget(ctx)
}

// forget drops the oldest snapshots.
func (r *Repo) forget(ctx context.Context) error {
	out, err := r.word(ctx, call{args: []string{"for-each-ref", "--sort=-committerdate", "--format=%(refname)", snapshots}})
	if err != nil {
		return err
	}
	all := strings.Split(out, "\n")
	if len(all) <= remember {
		return nil
	}
	var drop strings.Builder
	for _, ref := range all[remember:] {
		fmt.Fprintf(&drop, "delete %s\n", ref)
	}
	_, err = r.git(ctx, call{args: []string{"update-ref", "--stdin"}, stdin: []byte(drop.String())})
	return err
}

var object = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`) })

// moment is what was noted with a snapshot.
func (r *Repo) moment(ctx context.Context, tree string) (*moment, error) {
	if !object().MatchString(tree) {
		return nil, fmt.Errorf("%q: %w", tree, ErrNoSnapshot)
	}
	m := &moment{ref: snapshots + tree, tree: tree}
	out, err := r.list(ctx, call{args: []string{"ls-tree", "-z", m.ref}})
	if err != nil || len(out) != 3 {
		return nil, fmt.Errorf("%s: %w", tree, ErrNoSnapshot)
	}
	m.index = strings.Fields(out[1])[2]
	if m.ignored, err = r.list(ctx, call{args: []string{"cat-file", "blob", strings.Fields(out[0])[2]}}); err != nil {
		return nil, err
	}
	if m.head, err = r.resolve(ctx, m.ref+"^1^{commit}"); err != nil {
		return nil, err
	}
	m.base, err = r.treeOf(ctx, m.head)
	return m, err
}

// treeOf is the tree of a commit, the empty tree for none.
func (r *Repo) treeOf(ctx context.Context, commit string) (string, error) {
	if commit == "" {
		return r.word(ctx, call{args: []string{"mktree"}})
	}
	return r.resolve(ctx, commit+"^{tree}")
}

// Changed lists the paths that differ between a snapshot and now, sorted: the
// campaign's folders, and what was ignored at the snapshot, never among them.
func (r *Repo) Changed(ctx context.Context, tree string) ([]string, error) {
	m, err := r.moment(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("find what changed: %w", err)
	}
	_, changes, err := r.since(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("find what changed since %s: %w", tree, err)
	}
	return slices.Sorted(maps.Keys(changes)), nil
}

// since is the work tree now and what differs in it from a snapshot.
func (r *Repo) since(ctx context.Context, m *moment) (string, map[string]change, error) {
	now, err := r.tree(ctx, m)
	if err != nil {
		return "", nil, err
	}
	changes, err := r.diff(ctx, m.tree, now)
	if err != nil {
		return "", nil, err
	}
	links := map[string]bool{}
	for p, c := range changes {
		if c.other() {
			links[p] = true
		}
	}
	maps.DeleteFunc(changes, func(p string, _ change) bool { return r.ours(p) || m.foreign(p) || under(p, links) })
	return now, changes, nil
}

// under reports whether a folder that p lies in is one of those.
func under(p string, folders map[string]bool) bool {
	for i, c := range p {
		if c == '/' && folders[p[:i]] {
			return true
		}
	}
	return false
}
