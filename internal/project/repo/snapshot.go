package repo

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// refs is where this package keeps commits that are on no branch. Plain pushes
// and fetches leave refs outside refs/heads and refs/tags alone.
const refs = "refs/research-council/"

const (
	snapshots    = refs + "snapshots/"
	maxSnapshots = 64 // snapshots, each of which keeps its objects from being collected
)

// snapshotState is what there was when a snapshot was taken.
type snapshotState struct {
	name    string // of the snapshot: its tree, or the commit it is kept as
	tree    string // the work tree
	head    string // the commit, "" for none
	base    string // that commit's tree
	index   string // what was staged, as a tree
	ignored []string
	refs    branches
}

// snapshotStore is the snapshots of a repository: taken, kept on refs of their own,
// found again and compared with what there is now.
type snapshotStore struct {
	*plumbing
	files   *workTree
	history *history
	states  map[string]snapshotState // that were read, by a name that is their commit's: they never change
	lists   map[string]string        // of ignored files and of branches, and the objects that hold them
}

// ref is where a moment is kept.
func (m *snapshotState) ref() string { return snapshots + m.name }

// wasIgnored reports whether a path lay in what was ignored, or was another
// repository, at that moment.
func (m *snapshotState) wasIgnored(p string) bool {
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
// collected; the newest 64 snapshots of a repository are known.
func (r *Repo) Snapshot(ctx context.Context) (string, error) {
	m, there, err := r.snapshots.captureState(ctx)
	if err == nil {
		m.name, m.refs = m.tree, branches{}
		_, err = r.snapshots.storeState(ctx, m, there)
	}
	if err != nil {
		return "", fmt.Errorf("take a snapshot of %s: %w", r.root, err)
	}
	return m.tree, nil
}

// SnapshotWithBranches takes a snapshot as [Repo.Snapshot] does, of the branches too, and
// returns a name that is its own: two snapshots of the same files are told apart.
func (r *Repo) SnapshotWithBranches(ctx context.Context) (string, error) {
	name := ""
	m, there, err := r.snapshots.captureState(ctx)
	if err == nil {
		name, err = r.snapshots.storeState(ctx, m, there)
	}
	if err != nil {
		return "", fmt.Errorf("take a snapshot of %s: %w", r.root, err)
	}
	return name, nil
}

// Tree is the work tree at a snapshot.
func (r *Repo) Tree(ctx context.Context, since string) (string, error) {
	m, err := r.snapshots.loadState(ctx, since)
	if err != nil {
		return "", fmt.Errorf("find the work tree of a snapshot: %w", err)
	}
	return m.tree, nil
}

// captureState finds what there is now, and which snapshots.
func (s *snapshotStore) captureState(ctx context.Context) (m snapshotState, there []string, err error) {
	defer s.files.keepTrees()()
	if err := s.history.checkIndex(ctx); err != nil {
		return m, nil, err
	}
	index, drop, err := s.files.copyIndex()
	if err != nil {
		return m, nil, err
	}
	defer drop()
	now, err := s.history.standing(ctx)
	if err != nil {
		return m, nil, err
	}
	m.head, m.refs = now.head, now.branches
	if m.index, err = s.files.writeIndexTree(ctx, index); err != nil {
		return m, nil, err
	}
	found, err := s.files.changedPaths(ctx, index)
	if err != nil {
		return m, nil, err
	}
	if m.ignored, err = s.files.ignored(ctx, index, found); err != nil {
		return m, nil, err
	}
	m.tree, err = s.files.addToIndex(ctx, index, found)
	return m, now.snapshots, err
}

// storeState keeps a moment as a commit: its parent is HEAD, its tree has the work
// tree, the index, the list of what was ignored and the one of the branches. It
// returns the moment's name, which is the commit where it has none yet. The oldest of the
// snapshots there are go in the same step.
func (s *snapshotStore) storeState(ctx context.Context, m snapshotState, there []string) (string, error) {
	lists, err := s.writeLists(ctx, m.ignored, m.refs.list())
	if err != nil {
		return "", err
	}
	items := fmt.Sprintf("100644 blob %s\tignored\x00040000 tree %s\tindex\x00100644 blob %s\trefs\x00040000 tree %s\twork\x00", lists[0], m.index, lists[1], m.tree)
	tree, err := s.gitLine(ctx, gitCall{args: []string{"mktree", "-z"}, stdin: []byte(items)})
	if err != nil {
		return "", err
	}
	id, err := s.history.writeCommit(ctx, tree, "Snapshot of the work tree", m.head)
	if err != nil {
		return "", err
	}
	m.name = cmp.Or(m.name, id)
	for _, other := range s.states {
		if m.head != "" && other.head == m.head {
			m.base = other.base
		}
	}
	there = slices.DeleteFunc(slices.Clone(there), func(ref string) bool { return ref == m.ref() })
	if len(there) < maxSnapshots {
		_, err = s.git(ctx, gitCall{args: []string{"update-ref", m.ref(), id}})
	} else {
		err = s.replaceOldest(ctx, m.ref(), id)
	}
	if err == nil && m.name == id && m.base != "" {
		s.states[id] = m
	}
	return m.name, err
}

// writeLists writes lists as objects; git refuses a tree of objects that are gone.
func (s *snapshotStore) writeLists(ctx context.Context, lists ...[]string) ([]string, error) {
	var ask, files []string
	for _, list := range lists {
		if text := string(nulTerminated(list)); s.lists[text] == "" && !slices.Contains(ask, text) {
			ask = append(ask, text)
		}
	}
	if len(ask) > 0 {
		dir, err := os.MkdirTemp("", "research-council-lists-")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(dir) }() // copies of our own
		for n, text := range ask {
			files = append(files, filepath.Join(dir, fmt.Sprint(n)))
			if err := os.WriteFile(files[n], []byte(text), 0o600); err != nil {
				return nil, err
			}
		}
		out, err := s.gitLine(ctx, gitCall{args: append([]string{"hash-object", "-w", "--no-filters", "--"}, files...)})
		if err != nil {
			return nil, err
		}
		ids := strings.Split(out, "\n")
		if len(ids) != len(ask) {
			return nil, fmt.Errorf("git hash-object wrote %d of %d objects", len(ids), len(ask))
		}
		for n, text := range ask {
			s.lists[text] = ids[n]
		}
	}
	var all []string
	for _, list := range lists {
		all = append(all, s.lists[string(nulTerminated(list))])
	}
	return all, nil
}

// replaceOldest puts a snapshot on its ref and drops the oldest.
func (s *snapshotStore) replaceOldest(ctx context.Context, ref, id string) error {
	out, err := s.gitLine(ctx, gitCall{args: []string{"for-each-ref", "--sort=-committerdate", "--format=%(refname)", snapshots}})
	if err != nil {
		return err
	}
	there := slices.DeleteFunc(strings.Split(out, "\n"), func(s string) bool { return s == ref || s == "" })
	all := fmt.Sprintf("update %s %s\n", ref, id)
	for _, old := range there[min(len(there), maxSnapshots-1):] {
		all += fmt.Sprintf("delete %s\n", old)
	}
	_, err = s.git(ctx, gitCall{args: []string{"update-ref", "--stdin"}, stdin: []byte(all)})
	return err
}

var objectID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`) })

// loadState is what was noted with a snapshot.
func (s *snapshotStore) loadState(ctx context.Context, name string) (*snapshotState, error) {
	if m, known := s.states[name]; known {
		return &m, nil
	}
	m, _, err := s.readState(ctx, name)
	return m, err
}

// readState is what was noted with a snapshot, and in the same call what other names stand
// for now.
func (s *snapshotStore) readState(ctx context.Context, name string, others ...string) (*snapshotState, []objectName, error) {
	if !objectID().MatchString(name) {
		return nil, nil, fmt.Errorf("%q: %w", name, ErrNoSnapshot)
	}
	m, known := s.states[name]
	var names []string
	if !known {
		m.name = name
		names = m.parts()
	}
	found, err := s.objects(ctx, append(names, others...)...)
	if err != nil {
		return nil, nil, err
	}
	if !known {
		if m, err = s.noted(ctx, name, found[:len(names)]); err != nil {
			return nil, nil, err
		}
	}
	return &m, found[len(names):], nil
}

// parts are the names of what is noted with a snapshot.
func (m *snapshotState) parts() []string {
	ref := m.ref()
	return []string{ref + ":ignored", ref + ":index", ref + ":refs", ref + ":work", ref + "^1^{commit}", ref + "^1^{tree}", ref}
}

// noted is a snapshot of its parts.
func (s *snapshotStore) noted(ctx context.Context, name string, parts []objectName) (m snapshotState, err error) {
	if slices.ContainsFunc(parts[:4], func(o objectName) bool { return o.id == "" }) {
		return m, fmt.Errorf("%s: %w", name, ErrNoSnapshot)
	}
	m = snapshotState{
		name: name, index: parts[1].id, tree: parts[3].id, head: parts[4].id, base: parts[5].id,
		ignored: items(parts[0].data), refs: branchesOf(items(parts[2].data)),
	}
	for _, list := range []objectName{parts[0], parts[2]} {
		s.lists[string(list.data)] = list.id
	}
	if m.head == "" {
		if m.base, err = s.files.emptyTree(ctx); err != nil {
			return m, err
		}
	}
	if parts[6].id == name {
		s.states[name] = m
	}
	return m, nil
}

// loadStates is what was noted with two snapshots.
func (s *snapshotStore) loadStates(ctx context.Context, one, two string) (a, b *snapshotState, err error) {
	if second := (snapshotState{name: two}); s.states[two].name == "" && objectID().MatchString(two) {
		var parts []objectName
		if a, parts, err = s.readState(ctx, one, second.parts()...); err != nil {
			return nil, nil, err
		}
		second, err = s.noted(ctx, two, parts)
		return a, &second, err
	}
	if a, err = s.loadState(ctx, one); err == nil {
		b, err = s.loadState(ctx, two)
	}
	return a, b, err
}

// changesSince is the work tree now and what differs in it from a snapshot. See
// [workTree.compareWorkTree] for other pairs.
func (s *snapshotStore) changesSince(ctx context.Context, m *snapshotState, also func(tree string) [][2]string) (string, map[string]change, error) {
	now, changes, err := s.files.compareWorkTree(ctx, m, also)
	if err != nil {
		return "", nil, err
	}
	links := map[string]bool{}
	for p, c := range changes {
		if c.isNested() {
			links[p] = true
		}
	}
	maps.DeleteFunc(changes, func(p string, _ change) bool {
		return s.files.isCampaignPath(p) || m.wasIgnored(p) || isUnder(p, links)
	})
	return now, changes, nil
}

// isUnder reports whether a folder that p lies in is one of those.
func isUnder(p string, folders map[string]bool) bool {
	for i, c := range p {
		if c == '/' && folders[p[:i]] {
			return true
		}
	}
	return false
}
