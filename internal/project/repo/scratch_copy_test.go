package repo

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/repo/repotest"
)

// copied lists the files of a copy with what is in them; a link to something of
// the project's own is marked.
func copied(t *testing.T, s *Scratch) map[string]string {
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(s.top, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(s.top, p)
		require.NoError(t, err)
		mark := ""
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(p)
			require.NoError(t, err)
			require.Equal(t, s.repo.files.absolute(rel), target)
			if info, err := os.Stat(p); err == nil && info.IsDir() {
				files[rel] = "-> the project's folder"
				return nil
			}
			mark = "-> "
		}
		text, err := os.ReadFile(p)
		files[rel] = mark + string(text)
		return err
	}))
	return files
}

// worked is a repository with a snapshot and a change made since.
func worked(t *testing.T) (*Repo, Work) {
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{".gitignore": "data/\n*.log\nnode_modules/\ntarget/\n", "a.go": "a", "a_test.go": "tests a", "sub/b.go": "b"})
	repotest.Save(t, dir, "begin")
	repotest.Write(t, dir, map[string]string{
		"mine.txt": "a person's, never added", "data/old.json": "old", "node_modules/pad/index.js": "pad", "run.log": "log",
		"target/CACHEDIR.TAG": "Signature", "target/a.o": "object", "docs/research-x/state.md": "the campaign's",
	})
	r := open(t, dir)
	since := snap(t, r)
	repotest.Write(t, dir, map[string]string{"a.go": "a, built", "new_test.go": "tests new", "data/new.json": "new"})
	require.NoError(t, os.Remove(filepath.Join(dir, "a_test.go")))
	w, err := r.Work(ctx, since)
	require.NoError(t, err)
	return r, w
}

func TestASnapshotIsCopiedAsItWas(t *testing.T) {
	r, w := worked(t)
	before := picture(t, r.root)
	s, err := r.Scratch(ctx, w.Since)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		".gitignore": "data/\n*.log\nnode_modules/\ntarget/\n", "a.go": "a", "a_test.go": "tests a", "sub/b.go": "b", "mine.txt": "a person's, never added",
		"data": "-> the project's folder", "node_modules": "-> the project's folder", "run.log": "-> log",
	}, copied(t, s), "caches are made anew, and the campaign's is nobody's")
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir, "a.go"), []byte("spoilt"), 0o600))
	require.Equal(t, before, picture(t, r.root), "nothing of the project changes")
	s.Remove()
	require.NoDirExists(t, s.top)
	require.Equal(t, before, picture(t, r.root), "what a copy links to stays when it goes")
	_, err = r.Scratch(ctx, strings.Repeat("0", 40))
	require.ErrorIs(t, err, ErrNoSnapshot)
}

func TestFilesAreLaidOverACopy(t *testing.T) {
	r, w := worked(t)
	s, err := r.Scratch(ctx, w.Since)
	require.NoError(t, err)
	defer s.Remove()
	require.NoError(t, s.Overlay(ctx, w, nil))
	require.Contains(t, copied(t, s), "a_test.go")
	require.NoError(t, s.Overlay(ctx, w, []File{{Path: "a_test.go", Was: true}, {Path: "new_test.go", Is: true}}))
	files := copied(t, s)
	require.NotContains(t, files, "a_test.go", "it is gone now")
	require.Equal(t, "tests new", files["new_test.go"])
	require.Equal(t, "a", files["a.go"], "the code is that of before")
}

func TestWhatNoCommitHoldsIsLeftOut(t *testing.T) {
	r, w := worked(t)
	list, err := r.LeftOut(ctx, w.Tree)
	require.NoError(t, err)
	require.Equal(t, []string{"data/new.json", "data/old.json", "node_modules/pad/index.js", "run.log", "target/CACHEDIR.TAG", "target/a.o"}, list)
	repotest.Write(t, r.root, map[string]string{".gitignore": "\n"}) // nothing is ignored any more
	w, err = r.Work(ctx, w.Since)
	require.NoError(t, err)
	again, err := r.LeftOut(ctx, w.Tree)
	require.NoError(t, err)
	require.Contains(t, again, "data/new.json", "its folder was a person's ignored one, and no commit takes it in")

	s, err := r.Checkout(ctx, w, []string{"data/new.json", "run.log"})
	require.NoError(t, err)
	defer s.Remove()
	files := copied(t, s)
	require.Equal(t, "a, built", files["a.go"])
	require.Equal(t, "-> old", files["data/old.json"])
	require.NotContains(t, files, "data/new.json")
	require.NotContains(t, files, "run.log")
	require.NoError(t, s.Link([]string{"data/new.json", "run.log", "is gone"}))
	require.Equal(t, "-> new", copied(t, s)["data/new.json"])
}

func TestACopyOfAProjectInAFolderOfItsRepository(t *testing.T) {
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{"top.txt": "top", "app/a.go": "a", "app/.gitignore": "out/\n", "app/out/x": "x"})
	repotest.Save(t, dir, "begin")
	r := open(t, filepath.Join(dir, "app"))
	s, err := r.Scratch(ctx, snap(t, r), "app/out/x")
	require.NoError(t, err)
	defer s.Remove()
	require.Equal(t, filepath.Join(s.top, "app"), s.Dir)
	require.Equal(t, map[string]string{"top.txt": "top", "app/a.go": "a", "app/.gitignore": "out/\n"}, copied(t, s))
}
