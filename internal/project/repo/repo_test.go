package repo

import (
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/repo/repotest"
)

func TestMain(m *testing.M) {
	// The machine's configuration is not the tests'.
	home, err := os.MkdirTemp("", "repo-test-")
	if err != nil {
		panic(err)
	}
	set := map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "EMAIL": ""}
	if cache, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		set["GOCACHE"] = filepath.Join(cache, "go-build") // what is compiled need not be again
	}
	for name, value := range set {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	// A drawn repository costs a hundred processes: fewer of them, unless asked
	// for by -rapid.checks.
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		if err := flag.Set("rapid.checks", "20"); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

// open opens the repository of a folder; locks are not waited for.
func open(t repotest.TB, dir string) *Repo {
	r, err := Open(dir, "")
	require.NoError(t, err)
	r.history.lockTimeout = time.Millisecond
	return r
}

func snap(t repotest.TB, r *Repo) string {
	tree, err := r.Snapshot(context.Background())
	require.NoError(t, err)
	return tree
}

func changed(t repotest.TB, r *Repo, since string) []string {
	list, err := changedSince(r, since)
	require.NoError(t, err)
	return list
}

// changedSince are the paths that differ between a snapshot and now, sorted.
func changedSince(r *Repo, tree string) ([]string, error) {
	ctx := context.Background()
	state, err := r.snapshots.loadState(ctx, tree)
	if err != nil {
		return nil, err
	}
	_, changes, err := r.snapshots.changesSince(ctx, state, nil)
	return slices.Sorted(maps.Keys(changes)), err
}

func commit(t repotest.TB, r *Repo, since string) Committed {
	c, err := r.Commit(context.Background(), Commit{Since: since, Message: "Build it", Task: "F001"})
	require.NoError(t, err)
	return c
}

const shelf = "refs/research-council/run/F001-1"

func aside(t repotest.TB, r *Repo, since string) []string {
	files, err := r.Stash(context.Background(), since, shelf, "Attempt 1")
	require.NoError(t, err)
	return files
}

// status is what git says of the work tree, one path a line.
func status(t repotest.TB, dir string) []string {
	out := strings.TrimRight(repotest.Git(t, dir, "status", "--porcelain", "-uall"), "\n")
	if out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

// held lists the files a commit changes, one "STATUS PATH" each.
func held(t repotest.TB, dir, commit string) []string {
	return strings.Split(strings.TrimSpace(repotest.Git(t, dir, "diff-tree", "--root", "-r", "--no-commit-id", "--name-status", commit)), "\n")
}

func read(t repotest.TB, dir, name string) string {
	b, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(b)
}

func remove(t repotest.TB, dir, name string) {
	require.NoError(t, os.RemoveAll(filepath.Join(dir, name)))
}

// start is a repository with a few files, committed.
func start(t repotest.TB) string {
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{"a": "a\n", "b": "b\n", "c": "c\n", "sub/d": "d\n", ".gitignore": "*.log\n"})
	repotest.Save(t, dir, "Begin")
	return dir
}

func TestAFeatureBecomesOneCommitAndThePersonsChangesStay(t *testing.T) {
	dir := start(t)
	r := open(t, dir)
	repotest.Write(t, dir, map[string]string{"a": "staged\n"})
	repotest.Git(t, dir, "add", "a")
	repotest.Write(t, dir, map[string]string{"a": "and more\n", "b": "unstaged\n", "notes": "untracked\n"})
	was := snap(t, r)
	require.Empty(t, changed(t, r, was))

	repotest.Write(t, dir, map[string]string{"c": "feature\n", "sub/new": "new\n", "x.log": "ignored\n"})
	remove(t, dir, "sub/d")
	require.Equal(t, []string{"c", "sub/d", "sub/new"}, changed(t, r, was))

	done := commit(t, r, was)
	require.Equal(t, []string{"c", "sub/d", "sub/new"}, done.Files)
	require.Empty(t, done.Kept)
	require.False(t, done.Already)
	require.Equal(t, []string{"M\tc", "D\tsub/d", "A\tsub/new"}, held(t, dir, done.ID))
	require.Equal(t, "Build it\n\nCouncil-Task: F001", strings.TrimSpace(repotest.Git(t, dir, "log", "-1", "--format=%B")))
	require.Equal(t, []string{"MM a", " M b", "?? notes"}, status(t, dir))
	require.Equal(t, "staged\n", repotest.Git(t, dir, "show", ":a"))
	require.Equal(t, "main\n", repotest.Git(t, dir, "branch", "--show-current"))
	require.Equal(t, "A Person <person@project.invalid>\n", repotest.Git(t, dir, "log", "-1", "--format=%an <%ae>"))

	again := commit(t, r, was)
	require.True(t, again.Already)
	require.Equal(t, done.ID, again.ID)
	require.Equal(t, done.Files, again.Files)
}

func TestAFeatureIsSetAsideAndThePersonsChangesStay(t *testing.T) {
	dir := start(t)
	r := open(t, dir)
	repotest.Write(t, dir, map[string]string{"a": "staged\n"})
	repotest.Git(t, dir, "add", "a")
	repotest.Write(t, dir, map[string]string{"a": "and more\n", "b": "unstaged\n", "notes": "untracked\n"})
	before := status(t, dir)
	was := snap(t, r)

	repotest.Write(t, dir, map[string]string{"b": "both\n", "c": "feature\n", "deep/er/new": "new\n", "notes": "both\n"})
	remove(t, dir, "sub/d")
	repotest.Git(t, dir, "add", "-A")
	files := aside(t, r, was)
	require.Equal(t, []string{"b", "c", "deep/er/new", "notes", "sub/d"}, files)
	require.Empty(t, changed(t, r, was))
	require.Equal(t, "and more\n", read(t, dir, "a"))
	require.Equal(t, "unstaged\n", read(t, dir, "b"))
	require.Equal(t, "untracked\n", read(t, dir, "notes"))
	require.NoDirExists(t, filepath.Join(dir, "deep"))
	require.Equal(t, []string{"M\tb", "M\tc", "A\tdeep/er/new", "M\tnotes", "D\tsub/d"}, held(t, dir, shelf))
	require.Equal(t, before, status(t, dir), "what was staged meanwhile is not")
	require.Equal(t, "staged\n", repotest.Git(t, dir, "show", ":a"))

	require.Equal(t, files, aside(t, r, was), "called again")
	require.Equal(t, "1", strings.TrimSpace(repotest.Git(t, dir, "rev-list", "--count", shelf, "--not", shelf+"^1")))
}
