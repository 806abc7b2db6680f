package repo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/repo/repotest"
)

// What git is not asked twice is what cannot have changed: files, the index, HEAD and the
// branches are looked at each time.
func TestWhatChangesWhileTreesAreKeptIsSeen(t *testing.T) {
	dir := start(t)
	r := open(t, dir)
	defer r.KeepTrees()()
	name, err := r.SnapshotWithBranches(ctx)
	require.NoError(t, err)
	before, err := r.Candidate(ctx, name)
	require.NoError(t, err)

	repotest.Write(t, dir, map[string]string{"a": "work\n"})
	require.Equal(t, []string{"a"}, changed(t, r, name))
	after, err := r.Candidate(ctx, name)
	require.NoError(t, err)
	require.NotEqual(t, before.Tree, after.Tree)
	require.Equal(t, "work\n", repotest.Git(t, dir, "show", after.Tree+":a"))

	repotest.Git(t, dir, "add", "a")
	repotest.Git(t, dir, "switch", "-q", "-c", "other")
	repotest.Git(t, dir, "commit", "-q", "-m", "Meanwhile")
	second, err := r.SnapshotWithBranches(ctx)
	require.NoError(t, err)
	m, err := r.snapshots.loadState(ctx, second)
	require.NoError(t, err)
	require.Equal(t, "refs/heads/other", m.refs.on)
	require.Len(t, m.refs.tip, 2)
	require.Equal(t, repotest.Git(t, dir, "rev-parse", "HEAD", "HEAD^{tree}"), m.head+"\n"+m.index+"\n")
	require.Equal(t, m.tree, after.Tree)

	repotest.Git(t, dir, "switch", "-q", "--detach", "main")
	third, err := r.SnapshotWithBranches(ctx)
	require.NoError(t, err)
	m, err = r.snapshots.loadState(ctx, third)
	require.NoError(t, err)
	require.Empty(t, m.refs.on)
	require.Equal(t, repotest.Git(t, dir, "rev-parse", "main"), m.head+"\n")
}
