package repo

import (
	"cmp"
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
	m, err := r.snapshots.captureState(ctx)
	if err == nil {
		m.name = m.tree
		_, err = r.snapshots.storeState(ctx, m)
	}
	if err != nil {
		return "", fmt.Errorf("take a snapshot of %s: %w", r.root, err)
	}
	return m.tree, nil
}

// SnapshotWithBranches takes a snapshot as [Repo.Snapshot] does, of the branches too, and
// returns a name that is its own: two snapshots of the same files are told apart.
func (r *Repo) SnapshotWithBranches(ctx context.Context) (string, error) {
	m, err := r.snapshots.captureState(ctx)
	if err == nil {
		m.refs, err = r.history.branches(ctx)
	}
	name := ""
	if err == nil {
		name, err = r.snapshots.storeState(ctx, m)
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

// captureState finds what there is now.
func (s *snapshotStore) captureState(ctx context.Context) (m snapshotState, err error) {
	if err := s.history.checkIndex(ctx); err != nil {
		return m, err
	}
	index, drop, err := s.files.copyIndex()
	if err != nil {
		return m, err
	}
	defer drop()
	if m.head, err = s.resolve(ctx, "HEAD^{commit}"); err != nil {
		return m, err
	}
	if m.index, err = s.files.writeIndexTree(ctx, index); err != nil {
		return m, err
	}
	found, err := s.files.changedPaths(ctx, index)
	if err != nil {
		return m, err
	}
	if m.ignored, err = s.files.ignored(ctx, index, found); err != nil {
		return m, err
	}
	m.tree, err = s.files.addToIndex(ctx, index, found)
	return m, err
}

// storeState keeps a moment as a commit: its parent is HEAD, its tree has the work
// tree, the index, the list of what was ignored and the one of the branches. It
// returns the moment's name, which is the commit where it has none yet.
func (s *snapshotStore) storeState(ctx context.Context, m snapshotState) (string, error) {
	ignored, err := s.gitLine(ctx, gitCall{args: []string{"hash-object", "-w", "--stdin"}, stdin: nulTerminated(m.ignored)})
	if err != nil {
		return "", err
	}
	refs := ignored
	if list := m.refs.list(); !slices.Equal(list, m.ignored) {
		if refs, err = s.gitLine(ctx, gitCall{args: []string{"hash-object", "-w", "--stdin"}, stdin: nulTerminated(list)}); err != nil {
			return "", err
		}
	}
	items := fmt.Sprintf("100644 blob %s\tignored\x00040000 tree %s\tindex\x00100644 blob %s\trefs\x00040000 tree %s\twork\x00", ignored, m.index, refs, m.tree)
	tree, err := s.gitLine(ctx, gitCall{args: []string{"mktree", "-z"}, stdin: []byte(items)})
	if err != nil {
		return "", err
	}
	id, err := s.history.writeCommit(ctx, tree, "Snapshot of the work tree", m.head)
	if err != nil {
		return "", err
	}
	m.name = cmp.Or(m.name, id)
	if _, err := s.git(ctx, gitCall{args: []string{"update-ref", m.ref(), id}}); err != nil {
		return "", err
	}
	return m.name, s.pruneSnapshots(ctx)
}

// pruneSnapshots drops the oldest snapshots.
func (s *snapshotStore) pruneSnapshots(ctx context.Context) error {
	out, err := s.gitLine(ctx, gitCall{args: []string{"for-each-ref", "--sort=-committerdate", "--format=%(refname)", snapshots}})
	if err != nil {
		return err
	}
	all := strings.Split(out, "\n")
	if len(all) <= maxSnapshots {
		return nil
	}
	var drop strings.Builder
	for _, ref := range all[maxSnapshots:] {
		fmt.Fprintf(&drop, "delete %s\n", ref)
	}
	_, err = s.git(ctx, gitCall{args: []string{"update-ref", "--stdin"}, stdin: []byte(drop.String())})
	return err
}

var objectID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`) })

// loadState is what was noted with a snapshot.
func (s *snapshotStore) loadState(ctx context.Context, name string) (*snapshotState, error) {
	if !objectID().MatchString(name) {
		return nil, fmt.Errorf("%q: %w", name, ErrNoSnapshot)
	}
	m := &snapshotState{name: name}
	noted, err := s.objects(ctx, m.ref()+":ignored", m.ref()+":index", m.ref()+":refs", m.ref()+":work", m.ref()+"^1^{commit}", m.ref()+"^1^{tree}")
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(noted[:4], func(o objectName) bool { return o.id == "" }) {
		return nil, fmt.Errorf("%s: %w", name, ErrNoSnapshot)
	}
	m.index, m.tree, m.head, m.base = noted[1].id, noted[3].id, noted[4].id, noted[5].id
	m.ignored, m.refs = items(noted[0].data), branchesOf(items(noted[2].data))
	if m.head == "" {
		m.base, err = s.files.emptyTree(ctx)
	}
	return m, err
}

// changesSince is the work tree now and what differs in it from a snapshot.
func (s *snapshotStore) changesSince(ctx context.Context, m *snapshotState) (string, map[string]change, error) {
	now, changes, err := s.files.compareWorkTree(ctx, m)
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
