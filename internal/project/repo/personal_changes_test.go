package repo

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/repo/repotest"
)

func mark(t *testing.T, r *Repo) string {
	name, err := r.SnapshotWithBranches(ctx)
	require.NoError(t, err)
	return name
}

// goneOn is a repository in which a worker has finished its turn and a person
// has gone on since.
func goneOn(t *testing.T) (dir string, r *Repo, since string) {
	dir, r = busy(t)
	since = mark(t, r)
	repotest.Write(t, dir, map[string]string{"c": read(t, dir, "c") + "feature\n", "new": "feature\n", "sub/d": "feature\n"})
	end := mark(t, r)
	repotest.Write(t, dir, map[string]string{"c": "mine again\n" + read(t, dir, "c"), "private": "mine\n", "sub/d": "feature and mine\n"})
	was, files, err := r.AssignToPerson(ctx, since, end)
	require.NoError(t, err)
	require.Equal(t, []string{"c", "private", "sub/d"}, files)
	same, files, err := r.AssignToPerson(ctx, was, mark(t, r))
	require.NoError(t, err)
	require.Empty(t, files)
	require.Equal(t, was, same)
	return dir, r, was
}

const (
	personsC = "mine again\nmine\nc\nsecond\nthird\nfourth\nfifth\nsixth\n"
	workersC = "c\nsecond\nthird\nfourth\nfifth\nsixth\nfeature\n"
)

func TestWhatAPersonChangesAfterTheWorkIsNotSetAside(t *testing.T) {
	dir, r, was := goneOn(t)
	require.Equal(t, []string{"c", "new"}, aside(t, r, was))
	require.Equal(t, personsC, read(t, dir, "c"))
	require.Equal(t, "mine\n", read(t, dir, "private"))
	require.Equal(t, "feature and mine\n", read(t, dir, "sub/d"), "where both touch, nothing is taken away")
	require.NoFileExists(t, dir+"/new")
}

func TestWhatAPersonChangesAfterTheWorkIsNotCommitted(t *testing.T) {
	dir, r, was := goneOn(t)
	require.Equal(t, []string{"c", "new"}, commit(t, r, was).Files)
	require.Equal(t, workersC, repotest.Git(t, dir, "show", "HEAD:c"))
	require.Equal(t, []string{" M a", "M  b", " M c", " M sub/d", "?? notes", "?? private"}, status(t, dir))
}

func TestWhatIsWrittenAfterAWorkerWasCutOffIsAPersons(t *testing.T) {
	dir, r := busy(t)
	since := mark(t, r)
	repotest.Write(t, dir, map[string]string{"new": "feature\n"})
	was, files, err := r.AssignToPersonAfter(ctx, since, time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Empty(t, files)
	require.Equal(t, since, was)
	was, files, err = r.AssignToPersonAfter(ctx, since, time.Now().Add(-time.Hour))
	require.NoError(t, err)
	require.Equal(t, []string{"new"}, files)
	require.Empty(t, aside(t, r, was))
	require.Equal(t, "feature\n", read(t, dir, "new"))
}
