package repo

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/repo/repotest"
	"github.com/research-council/research-council/internal/project/survey"
)

// gauntlet runs the script that makes hostile repositories. With --fire it does
// what people do with git, too.
func gauntlet(t *testing.T, home string, args ...string) string {
	t.Helper()
	cmd := exec.Command("bash", append([]string{"testdata/gauntlet/mkrepo.sh"}, args...)...)
	cmd.Env = append(slices.DeleteFunc(repotest.Env(), func(s string) bool { return strings.HasPrefix(s, "GIT_CONFIG_GLOBAL") }), "HOME="+home)
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

// sumOf is a sum over all files below a folder.
func sumOf(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	require.NoError(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(p)
		fmt.Fprintf(h, "%s %x\n", p, sha256.Sum256(data))
		return err
	}))
	return fmt.Sprintf("%x", h.Sum(nil))
}

// silent are cases in which plain git runs nothing either: a setting it takes
// from the person's own configuration alone.
var silent = []string{"packobjects"}

// Every setting, file and attribute by which a repository names a program, and
// what a review does with it: nothing. Plain git, asked afterwards for what
// people ask it, runs each of them, which shows that the canaries live.
func TestNothingARepositoryNamesRunsWhenItIsListed(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred repositories are made")
	}
	_, noTerminal := exec.LookPath("script")
	for _, name := range strings.Fields(gauntlet(t, t.TempDir(), "--list")) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			top, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			dir, canaries := filepath.Join(top, "repo"), filepath.Join(top, "canaries")
			gauntlet(t, home, name, dir, canaries)
			before := sumOf(t, filepath.Join(dir, ".git"))

			var files []survey.File
			for _, where := range []string{dir, filepath.Join(dir, "src"), filepath.Join(dir, "pkg", "tool"), filepath.Join(dir, "testdata", "fixture")} {
				if !isDir(where) {
					continue
				}
				for _, since := range []string{"HEAD", "HEAD~1", ""} {
					got, _, err := List(t.Context(), where, Listing{Since: since})
					if where == dir && !(since == "HEAD~1" && name == "data_alternates") {
						require.NoError(t, err)
						files = got
					}
				}
			}
			_, err = Empty(dir, nil)
			require.NoError(t, err)
			var names []string
			for _, f := range files {
				names = append(names, f.Path)
			}
			plain := t.TempDir()
			_, err = Copy(t.Context(), dir, plain, names)
			require.NoError(t, err)
			require.FileExists(t, filepath.Join(plain, "src", "rate.py"))
			require.NoFileExists(t, filepath.Join(plain, ".git"))
			ran, err := os.ReadDir(canaries)
			require.NoError(t, err)
			require.Empty(t, ran, "these ran")
			require.Equal(t, before, sumOf(t, filepath.Join(dir, ".git")), "something below .git has changed")
			require.True(t, slices.ContainsFunc(files, func(f survey.File) bool { return f.Path == "src/rate.py" && f.Reviewed() }), "the code is listed: %v", told(files))

			for try := 0; try < 3 && len(ran) == 0; try++ { // what is typed at a terminal may come too late on a slow machine
				gauntlet(t, home, name, filepath.Join(top, fmt.Sprint("again-", try), "repo"), canaries, "--fire")
				ran, err = os.ReadDir(canaries)
				require.NoError(t, err)
				if noTerminal != nil || slices.Contains(silent, name) {
					break
				}
			}
			if noTerminal == nil && !slices.Contains(silent, name) {
				require.NotEmpty(t, ran, "plain git runs nothing here, so the case shows nothing")
			}
		})
	}
}

// What a repository says of itself hides nothing of its own code and shows
// nothing of another's.
func TestWhatARepositoryIsConfiguredToHideIsListed(t *testing.T) {
	for name, want := range map[string]struct {
		since string
		files []string
	}{
		"data_excludes": {"", []string{"src/hidden.py"}},
		"data_assume":   {"HEAD", []string{"src/rate.py"}},
		"data_worktree": {"", []string{"README.md prose", "go.mod", "src/rate.py", "src/shop.go"}},
		"data_symlink":  {"", []string{"src/home symbolic link", "src/key.py symbolic link", "src/users.py symbolic link"}},
		"noise_config":  {"HEAD", []string{"src/rate.py"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "repo")
			gauntlet(t, t.TempDir(), name, dir, filepath.Join(t.TempDir(), "canaries"))
			files, _ := list(t, dir, Listing{Since: want.since})
			require.Subset(t, told(files), want.files)
			require.NotContains(t, strings.Join(told(files), " "), "id_rsa")
			if want.since != "" {
				require.Len(t, files, len(want.files))
			}
		})
	}
}

// A person's own ignore file counts, as in git; that of the repository's
// configuration would be another's.
func TestAPersonsIgnoreFileCounts(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "none"))
	repotest.Write(t, home, map[string]string{".gitconfig": "[core]\n\texcludesFile = ~/mine\n", "mine": "*.swp\n"})
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{"a.go": goFile, "a.swp": "x"})
	files, _ := list(t, dir, Listing{})
	require.Equal(t, []string{"a.go"}, told(files))
}

// Repositories of every shape are listed as git lists them.
func TestReadingARepositoryOfAnotherShape(t *testing.T) {
	t.Run("a linked work tree", func(t *testing.T) {
		dir := start(t)
		tree := filepath.Join(t.TempDir(), "tree")
		repotest.Git(t, dir, "worktree", "add", "-q", "-b", "side", tree)
		repotest.Write(t, tree, map[string]string{"new.go": goFile})
		repotest.Save(t, tree, "On side")
		files, info := list(t, tree, Listing{Since: "main"})
		require.Equal(t, []string{"new.go"}, told(files))
		require.Equal(t, "side", info.Branch)
	})
	t.Run("SHA-256", func(t *testing.T) {
		dir := repotest.Init(t, "--object-format=sha256")
		repotest.Write(t, dir, map[string]string{"a.go": goFile})
		repotest.Save(t, dir, "Begin")
		_, info := list(t, dir, Listing{Since: "HEAD"})
		require.Len(t, info.Commit, 64)
	})
	t.Run("a split index", func(t *testing.T) {
		dir := start(t)
		repotest.Git(t, dir, "update-index", "--split-index")
		repotest.Write(t, dir, map[string]string{"new.go": goFile})
		repotest.Git(t, dir, "add", "new.go")
		files, _ := list(t, dir, Listing{})
		require.Len(t, files, 6)
	})
	t.Run("a sparse checkout", func(t *testing.T) {
		dir := start(t)
		repotest.Git(t, dir, "sparse-checkout", "set", "--sparse-index", "sub")
		files, info := list(t, dir, Listing{})
		require.Contains(t, told(files), "sub/d prose")
		require.False(t, info.Dirty)
	})
	t.Run("what has not been pushed", func(t *testing.T) {
		dir, clone := start(t), t.TempDir()
		repotest.Git(t, clone, "clone", "-q", dir, ".")
		repotest.Git(t, clone, "config", "user.name", "A Person")
		repotest.Git(t, clone, "config", "user.email", "person@project.invalid")
		repotest.Write(t, clone, map[string]string{"new.go": goFile})
		repotest.Save(t, clone, "Mine")
		files, _ := list(t, clone, Listing{Since: "@{upstream}"})
		require.Equal(t, []string{"new.go"}, told(files))
	})
	t.Run("through a link to a folder", func(t *testing.T) {
		dir, link := start(t), filepath.Join(t.TempDir(), "link")
		require.NoError(t, os.Symlink(filepath.Join(dir, "sub"), link))
		files, info := list(t, link, Listing{})
		require.Equal(t, []string{"d prose"}, told(files))
		require.True(t, info.Repository)
	})
}
