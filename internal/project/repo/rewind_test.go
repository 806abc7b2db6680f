package repo

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/repo/repotest"
)

const tips = "refs/research-council/run/F001-1-commits"

// busy is a repository with two commits in which a person has changes of every
// kind that are not committed.
func busy(t *testing.T) (dir string, r *Repo) {
	dir = start(t)
	repotest.Write(t, dir, map[string]string{"c": "c\nsecond\nthird\nfourth\nfifth\nsixth\n", "later": "later\n"})
	repotest.Save(t, dir, "Second")
	repotest.Git(t, dir, "branch", "idea", "HEAD~1")
	repotest.Write(t, dir, map[string]string{"a": "a\nmine\n", "b": "staged\n"})
	repotest.Git(t, dir, "add", "b")
	repotest.Write(t, dir, map[string]string{"c": "mine\nc\nsecond\nthird\nfourth\nfifth\nsixth\n", "notes": "mine\n"})
	return dir, open(t, dir)
}

func TestWhatAWorkerDoesWithGitIsPutBackAndItsFilesStay(t *testing.T) {
	for name, c := range map[string]struct {
		do    [][]string
		kept  string            // a file of the commits that are kept, "" for none
		files []string          // whose uncommitted changes were gone
		work  map[string]string // what the worker's own changes come to
	}{
		"nothing":                         {},
		"stages all":                      {do: [][]string{{"add", "-A"}}},
		"commits all":                     {do: [][]string{{"add", "-A"}, {"commit", "-q", "-m", "mine 1"}}, kept: "new"},
		"commits over the last":           {do: [][]string{{"add", "-A"}, {"commit", "-q", "--amend", "-m", "mine"}}, kept: "new"},
		"commits on a branch of its own":  {do: [][]string{{"switch", "-q", "-c", "other"}, {"add", "new"}, {"commit", "-q", "-m", "mine"}}, kept: "new"},
		"commits with no branch":          {do: [][]string{{"switch", "-q", "--detach"}, {"add", "new"}, {"commit", "-q", "-m", "mine"}}, kept: "new"},
		"throws the last commit away":     {do: [][]string{{"reset", "-q", "--hard", "HEAD~1"}}, files: []string{"a", "b", "c"}},
		"throws changes away":             {do: [][]string{{"checkout", "-q", "--", "."}, {"reset", "-q", "--hard"}}, files: []string{"a", "b", "c"}},
		"stashes":                         {do: [][]string{{"stash", "-q"}}, files: []string{"a", "b", "c"}},
		"stashes what is untracked":       {do: [][]string{{"stash", "-q", "-u"}}, files: []string{"a", "b", "c", "notes"}, work: map[string]string{}},
		"cleans":                          {do: [][]string{{"clean", "-q", "-f", "-d"}}, files: []string{"notes"}, work: map[string]string{}},
		"checks another branch out":       {do: [][]string{{"checkout", "-q", "-f", "idea"}}, files: []string{"a", "b", "c"}},
		"removes a branch":                {do: [][]string{{"branch", "-q", "-D", "idea"}}},
		"moves a branch":                  {do: [][]string{{"branch", "-q", "-f", "idea", "main"}}},
		"renames the branch":              {do: [][]string{{"branch", "-q", "-m", "trunk"}}},
		"removes the branch it is on":     {do: [][]string{{"update-ref", "-d", "HEAD"}}},
		"resets and commits in its place": {do: [][]string{{"reset", "-q", "--hard", "HEAD~1"}, {"add", "new"}, {"commit", "-q", "-m", "mine"}}, kept: "new", files: []string{"a", "b", "c"}},
		"tags what it commits":            {do: [][]string{{"add", "new"}, {"commit", "-q", "-m", "mine"}, {"tag", "v1"}}, kept: "new"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, r := busy(t)
			was, err := r.SnapshotWithBranches(ctx)
			require.NoError(t, err)
			before := picture(t, dir)
			on := repotest.Git(t, dir, "symbolic-ref", "HEAD")
			repotest.Write(t, dir, map[string]string{"new": "feature\n"})
			for _, args := range c.do {
				repotest.Git(t, dir, args...)
			}
			done, err := r.Rewind(ctx, was, tips)
			require.NoError(t, err)
			require.Equal(t, c.files, done.Files)
			require.Equal(t, on, repotest.Git(t, dir, "symbolic-ref", "HEAD"))
			work := c.work
			if work == nil {
				work = map[string]string{"new": "feature\n"}
			}
			after := picture(t, dir)
			for file, text := range work {
				require.Equal(t, text, read(t, dir, file))
				delete(after, "/"+file)
			}
			refs := after["refs"]
			after["refs"] = strings.Join(append(strings.SplitAfter(refs, "\n")[:strings.Count(before["refs"], "\n")], ""), "")
			require.Equal(t, before, after)
			require.Equal(t, c.kept != "", len(done.Kept) > 0, "%v", done)
			if c.kept != "" {
				require.Equal(t, []string{tips}, done.Kept)
				require.Equal(t, "feature\n", repotest.Git(t, dir, "show", tips+":"+c.kept))
			}
			again, err := r.Rewind(ctx, was, tips)
			require.NoError(t, err)
			require.True(t, again.IsEmpty(), "%v", again)
			require.Equal(t, name == "nothing" || name == "stages all", done.IsEmpty(), done.String())
		})
	}
}

// What a worker writes on an older version of a file is added to the one that
// was there.
func TestWhatIsWrittenAfterAResetIsAddedToAPersonsChanges(t *testing.T) {
	dir, r := busy(t)
	was, err := r.SnapshotWithBranches(ctx)
	require.NoError(t, err)
	repotest.Git(t, dir, "reset", "-q", "--hard")
	repotest.Write(t, dir, map[string]string{"c": "c\nsecond\nthird\nfourth\nfifth\nsixth\nfeature\n"})
	done, err := r.Rewind(ctx, was, tips)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c"}, done.Files)
	require.Equal(t, "mine\nc\nsecond\nthird\nfourth\nfifth\nsixth\nfeature\n", read(t, dir, "c"))
}

// A worker may write into a file that holds changes of a person's.
func TestWorkInAFileOfAPersonsStays(t *testing.T) {
	dir, r := busy(t)
	was, err := r.SnapshotWithBranches(ctx)
	require.NoError(t, err)
	repotest.Write(t, dir, map[string]string{"c": "mine\nc\nsecond\nthird\nfourth\nfifth\nsixth\nfeature\n", "notes": "rewritten\n"})
	before := picture(t, dir)
	done, err := r.Rewind(ctx, was, tips)
	require.NoError(t, err)
	require.True(t, done.IsEmpty())
	require.Equal(t, before, picture(t, dir))
}

func TestWhatGitIsLeftInTheMiddleOfIsEnded(t *testing.T) {
	for name, begin := range map[string][]string{"merge": {"merge", "other"}, "rebase": {"rebase", "other"}, "cherry-pick": {"cherry-pick", "other"}} {
		t.Run(name, func(t *testing.T) {
			dir := start(t)
			repotest.Git(t, dir, "switch", "-q", "-c", "other")
			repotest.Write(t, dir, map[string]string{"a": "other\n"})
			repotest.Save(t, dir, "Other")
			repotest.Git(t, dir, "switch", "-q", "main")
			repotest.Write(t, dir, map[string]string{"a": "ours\n"})
			repotest.Save(t, dir, "Ours")
			r := open(t, dir)
			was, err := r.SnapshotWithBranches(ctx)
			require.NoError(t, err)
			before := picture(t, dir)["index"]
			_, err = repotest.Try(dir, begin...)
			require.Error(t, err)
			_, err = r.Rewind(ctx, was, tips)
			require.NoError(t, err)
			require.NoError(t, r.Ready(ctx))
			require.Equal(t, before, picture(t, dir)["index"])
			require.Equal(t, "Ours\n", repotest.Git(t, dir, "log", "-1", "--format=%s", "main"))
		})
	}
}

// What another work tree has checked out is its own, and so is what was pulled.
func TestWhatComesFromElsewhereIsKept(t *testing.T) {
	dir, r := busy(t)
	was, err := r.SnapshotWithBranches(ctx)
	require.NoError(t, err)
	other := filepath.Join(t.TempDir(), "other")
	repotest.Git(t, dir, "worktree", "add", "-q", "-b", "theirs", other)
	repotest.Write(t, other, map[string]string{"elsewhere": "x\n"})
	repotest.Save(t, other, "Elsewhere")
	at := repotest.Git(t, dir, "rev-parse", "theirs")
	done, err := r.Rewind(ctx, was, tips)
	require.NoError(t, err)
	require.True(t, done.IsEmpty(), "%v", done)
	require.Equal(t, at, repotest.Git(t, dir, "rev-parse", "theirs"))

	repotest.Git(t, dir, "update-ref", "refs/remotes/origin/main", "theirs")
	repotest.Git(t, dir, "merge", "-q", "--ff-only", "theirs")
	done, err = r.Rewind(ctx, was, tips)
	require.NoError(t, err)
	require.Equal(t, []string{"main"}, done.Moved)
	require.Equal(t, []string{tips}, done.Kept)
	require.NoFileExists(t, filepath.Join(dir, "elsewhere"), "it is no change of a worker's")
}

// Of a file that a person and a worker have changed in different places, the
// worker's change alone is committed.
func TestWorkInAPersonsFileIsCommittedWithoutTheirs(t *testing.T) {
	dir, r := busy(t)
	was := snap(t, r)
	repotest.Write(t, dir, map[string]string{"c": read(t, dir, "c") + "feature\n"})
	before := picture(t, dir)
	c, err := r.Candidate(ctx, was)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c", "notes"}, c.Personal)
	done := commit(t, r, was)
	require.Equal(t, []string{"c"}, done.Files)
	require.Empty(t, done.Kept)
	require.Equal(t, "c\nsecond\nthird\nfourth\nfifth\nsixth\nfeature\n", repotest.Git(t, dir, "show", "HEAD:c"))
	require.Equal(t, c.Tree+"\n", repotest.Git(t, dir, "rev-parse", "HEAD^{tree}"))
	require.Equal(t, []string{" M a", "M  b", " M c", "?? notes"}, status(t, dir))
	after := picture(t, dir)
	require.Equal(t, before["/c"], after["/c"])
	again := commit(t, r, was)
	require.Equal(t, done.ID, again.ID)
	require.True(t, again.Already)
}
