package repo

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/repo/repotest"
)

// A change does not say of itself what of it is reviewed.
func TestAttributesOfAChangeAreThoseOfItsBase(t *testing.T) {
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{"a.go": goFile, "gen/b.go": goFile, "sub/c.go": goFile, ".gitattributes": "gen/** linguist-generated\n"})
	repotest.Save(t, dir, "Begin")
	repotest.Write(t, dir, map[string]string{
		"a.go": goFile + "\n", "gen/b.go": goFile + "\n", "sub/c.go": goFile + "\n", "new.go": goFile,
		".gitattributes": "*.go linguist-generated\n", "sub/.gitattributes": "* linguist-vendored\n*.go linguist-language=Markdown\n",
	})
	want := []string{".gitattributes", "a.go", "gen/b.go generated", "new.go", "sub/.gitattributes", "sub/c.go"}
	files, _ := list(t, dir, Listing{Since: "HEAD"})
	require.Equal(t, want, told(files), "it is not committed")
	repotest.Save(t, dir, "Change")
	files, _ = list(t, dir, Listing{Since: "HEAD~1"})
	require.Equal(t, want, told(files), "it is committed")
	files, _ = list(t, filepath.Join(dir, "sub"), Listing{Since: "HEAD~1"})
	require.Equal(t, []string{".gitattributes", "c.go"}, told(files), "a folder of it")

	files, _ = list(t, dir, Listing{})
	require.Contains(t, told(files), "a.go generated", "a whole tree has none but its own")
}

func TestAChangeIsCountedWithWhatItDeletes(t *testing.T) {
	dir, other := repotest.Init(t), start(t)
	repotest.Write(t, dir, map[string]string{"a.go": goFile, "sub/b.go": goFile, "x/\x1b.go": goFile})
	repotest.Git(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "module")
	repotest.Save(t, dir, "Begin")
	_, info := list(t, dir, Listing{Since: "HEAD"})
	require.True(t, info.Unchanged())
	_, info = list(t, dir, Listing{})
	require.False(t, info.Unchanged(), "nothing was compared")

	remove(t, dir, "a.go")
	files, info := list(t, dir, Listing{Since: "HEAD"})
	require.Empty(t, files)
	require.Equal(t, []string{"a.go"}, info.Deleted)
	require.False(t, info.Unchanged())
	repotest.Git(t, dir, "rm", "-q", "-r", "x")
	repotest.Save(t, dir, "Delete")
	_, info = list(t, dir, Listing{Since: "HEAD~1"})
	require.Equal(t, []string{"a.go", "x/\x1b.go"}, info.Deleted)
	_, info = list(t, dir, Listing{Since: "HEAD~1", Under: []string{"sub"}})
	require.True(t, info.Unchanged(), "what was deleted lies elsewhere")

	// A repository of its own that is moved on brings code that nobody reads.
	require.NoError(t, os.WriteFile(filepath.Join(other, "more.go"), []byte(goFile), 0o644))
	repotest.Save(t, other, "More")
	repotest.Git(t, filepath.Join(dir, "module"), "-c", "protocol.file.allow=always", "pull", "-q", other, "main")
	repotest.Save(t, dir, "Move on")
	files, info = list(t, dir, Listing{Since: "HEAD~1"})
	require.Equal(t, []string{"module submodule"}, told(files))
	require.False(t, info.Unchanged())
}

// A change does not hide among what reviews and runs keep.
func TestCodeAmongWhatIsOursIsNamed(t *testing.T) {
	dir := start(t)
	repotest.Write(t, dir, map[string]string{".deep-review/a.go": goFile, "research/20260101-000000-abcdef/b.go": goFile, "research/20260101-000000-abcdef/report.md": "# R\n"})
	own := []string{"research/2026*"}
	_, info := list(t, dir, Listing{Since: "HEAD", Except: own})
	require.True(t, info.Unchanged(), "what nobody has committed is a review's or a run's own")
	repotest.Save(t, dir, "Change")
	files, info := list(t, dir, Listing{Since: "HEAD~1", Except: own})
	require.False(t, info.Unchanged())
	require.Equal(t, []string{".deep-review/a.go a review's own", "research/20260101-000000-abcdef/b.go a review's own", "research/20260101-000000-abcdef/report.md a review's own"}, told(files))
	require.True(t, files[0].MayBeCode(true))
	require.False(t, files[2].MayBeCode(true))
	files, _ = list(t, dir, Listing{Except: own})
	require.Len(t, files, 5, "in a whole tree they are left out without a word")
}

// A change to files that are not checked out is not a change to nothing.
func TestWhatIsNotCheckedOutIsNamed(t *testing.T) {
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{"sub/d": "x\n", "out/a.go": goFile})
	repotest.Save(t, dir, "Begin")
	repotest.Write(t, dir, map[string]string{"out/a.go": goFile + "\n"})
	repotest.Save(t, dir, "Change")
	repotest.Git(t, dir, "sparse-checkout", "set", "--cone", "--no-sparse-index", "sub")
	files, info := list(t, dir, Listing{Since: "HEAD~1"})
	require.Equal(t, []string{"out/a.go unreadable"}, told(files))
	require.True(t, files[0].MayBeCode(true))
	require.Empty(t, info.Deleted)
}

func TestARevisionByItsMessageIsNone(t *testing.T) {
	dir := start(t)
	for _, ref := range []string{":/Begin", ":a", ":0:a"} {
		_, _, err := List(context.Background(), dir, Listing{Since: ref})
		require.ErrorContains(t, err, "begins with a colon", ref)
		require.NotContains(t, err.Error(), "\n")
		require.NotContains(t, err.Error(), "exit")
	}
}

// A program that is ended by the system is told as that.
func TestGitThatCrashesIsNamed(t *testing.T) {
	git := filepath.Join(t.TempDir(), "git")
	require.NoError(t, os.WriteFile(git, []byte("#!/bin/sh\nkill -SEGV $$\n"), 0o755))
	_, _, err := List(context.Background(), start(t), Listing{Git: git})
	require.ErrorContains(t, err, "segmentation fault")
	require.ErrorContains(t, err, git)
	require.NotContains(t, err.Error(), "-1")
	require.False(t, strings.HasSuffix(err.Error(), ": "))
}
