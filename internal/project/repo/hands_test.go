package repo

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/project/repo/repotest"
)

// strange is all a file may be called: with what shells, pathspecs, quoting and
// encodings stumble over, and files in the place of folders.
var strange = []string{
	"a", "b", "c.go", "sub/d", "sub/deep/e", "sub", "sub/deep", "with space", "-dash", "--", "quo\"te'`$(x)", "new\nline", "tab\tstop", "back\\slash",
	"*", "[a-c]", "?", ":(top)a", "!not", "#hash", "привет", "文件/名", "é", "e\u0301", "\xff\xfe", "sub/\x80", "CASE", "case", "trailing ", "...", "a.log.txt",
	strings.Repeat("long", 60),
}

// names are those of the strange ones that the file system here takes, and keeps
// apart.
var names = sync.OnceValue(func() []string {
	dir, err := os.MkdirTemp("", "names-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	return slices.DeleteFunc(slices.Clone(strange), func(name string) bool {
		f, err := os.OpenFile(filepath.Join(dir, strings.ReplaceAll(name, "/", "_")), os.O_CREATE|os.O_EXCL, 0o600)
		return err != nil || f.Close() != nil
	})
})

// hand changes files, as a person or a worker does.
type hand struct {
	*rapid.T
	dir string
}

// write puts something at a path: text, an executable, a symbolic link, or
// nothing.
func (h hand) write(name, by string) {
	file := h.dir + "/" + name
	h.clear(name)
	text := by + rapid.StringMatching(`[ab\n]{0,3}`).Draw(h.T, "text")
	switch rapid.IntRange(0, 6).Draw(h.T, "kind") {
	case 0:
		require.NoError(h, os.RemoveAll(file))
		return
	case 1:
		require.NoError(h, os.Symlink(text, file))
	case 2:
		require.NoError(h, os.WriteFile(file, []byte(text), 0o755))
	default:
		require.NoError(h, os.WriteFile(file, []byte(text), 0o644))
	}
}

// clear makes room for a file: what is there goes, and so does a file where a
// folder has to be.
func (h hand) clear(name string) {
	at := h.dir
	for _, part := range strings.Split(filepath.Dir(name), "/") {
		at += "/" + part
		if info, err := os.Lstat(at); err == nil && !info.IsDir() {
			require.NoError(h, os.Remove(at))
		}
	}
	require.NoError(h, os.MkdirAll(at, 0o755))
	require.NoError(h, os.RemoveAll(h.dir+"/"+name))
}

func (h hand) some(label string) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(names()), 0, 5, rapid.ID[string]).Draw(h.T, label)
}

// drawn is a repository with a person's changes of every kind.
func drawn(t *rapid.T) hand {
	h := hand{t, repotest.Init(dirs{t})}
	repotest.Write(h, h.dir, map[string]string{".gitignore": "*.log\n", "secret.log": "SECRET"})
	for _, name := range h.some("committed") {
		h.write(name, "base")
	}
	repotest.Save(h, h.dir, "Begin")
	for _, name := range h.some("staged") {
		h.write(name, "staged")
	}
	repotest.Git(h, h.dir, "add", "-A")
	for _, name := range h.some("unstaged") {
		h.write(name, "mine")
	}
	return h
}

// work is a feature's changes.
func (h hand) work() {
	for _, name := range h.some("feature") {
		h.write(name, "feature")
	}
	if rules := rapid.SampledFrom([]string{"", "", "*\n", "sub\n", "#"}).Draw(h.T, "ignored now"); rules != "" {
		repotest.Write(h, h.dir, map[string]string{".gitignore": rules})
	}
	if rapid.Bool().Draw(h.T, "stages") {
		repotest.Git(h, h.dir, "add", "-A")
	}
}

// dirs gives a rapid test folders to work in.
type dirs struct{ *rapid.T }

func (d dirs) TempDir() string {
	dir, err := os.MkdirTemp("", "hands-")
	require.NoError(d, err)
	d.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func (h hand) TempDir() string { return dirs{h.T}.TempDir() }

func TestWhatIsSetAsideLeavesEverythingAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawn(t)
		r := open(h, h.dir)
		before := picture(h, h.dir)
		was := snap(h, r)
		require.Equal(t, before, picture(h, h.dir), "a snapshot touches nothing")
		h.work()
		now := picture(h, h.dir)
		files := aside(h, r, was)
		after := picture(h, h.dir)
		delete(after, "refs")
		delete(before, "refs")
		require.Equal(t, before, after)
		for _, name := range files {
			mode, text, _ := strings.Cut(now["/"+name], " ")
			require.True(t, onShelf(h, r, name, text, mode == ""), "%q is kept", name)
		}
		require.Equal(t, files, aside(h, r, was), "called again")
		require.Equal(t, before["index"], picture(h, h.dir)["index"])
	})
}

// onShelf looks whether a commit on the ref has a file as it was: one that came
// to light when a .gitignore went is in a later commit.
func onShelf(h hand, r *Repo, name, text string, gone bool) bool {
	head, err := r.HeadCommit(ctx)
	require.NoError(h, err)
	for at := shelf; at != ""; {
		held, err := repotest.Try(h.dir, "cat-file", "blob", at+":"+name)
		if gone && err != nil || !gone && err == nil && held == text {
			return true
		}
		at, err = r.history.previousOnRef(ctx, at, head)
		require.NoError(h, err)
	}
	return false
}

func TestACommitHoldsTheFeatureAloneAndLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawn(t)
		r := open(h, h.dir)
		was, index := snap(h, r), staging(h)
		dirty := compareTrees(h, r, "HEAD^{tree}", was)
		h.work()
		changes := changed(h, r, was)
		now := picture(h, h.dir)
		done := commit(h, r, was)

		require.Equal(t, changes, slices.Sorted(slices.Values(slices.Concat(done.Files, done.Kept))), "each change is committed or kept")
		for _, p := range done.Files {
			require.NotContains(t, dirty, p, "%q was a person's", p)
		}
		after := picture(h, h.dir)
		for _, p := range []map[string]string{now, after} {
			delete(p, "index")
			delete(p, "refs")
		}
		require.Equal(t, now, after, "the work tree is nobody's to touch")
		if done.ID != "" {
			in := slices.Sorted(maps.Keys(compareTrees(h, r, "HEAD~1^{tree}", "HEAD^{tree}")))
			require.Equal(t, done.Files, in)
		}
		staged := staging(h)
		for p, entry := range index {
			if !slices.Contains(done.Files, p) && !clashes(p, done.Files) {
				require.Equal(t, entry, staged[p], "%q is staged as it was", p)
			}
		}
		again := commit(h, r, was)
		require.Equal(t, done.ID, again.ID)
		require.Equal(t, done.Files, again.Files)
		require.Equal(t, done.Kept, again.Kept)
		require.Equal(t, staged, staging(h))
	})
}

// clashes reports whether a committed path cannot be beside another: the index
// holds a file or a folder of a name, not both.
func clashes(p string, files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool {
		return strings.HasPrefix(f, p+"/") || strings.HasPrefix(p, f+"/")
	})
}

// staging is the index, by path.
func staging(h hand) map[string]string {
	at := map[string]string{}
	for item := range strings.SplitSeq(strings.TrimSuffix(repotest.Git(h, h.dir, "ls-files", "-sz"), "\x00"), "\x00") {
		entry, name, _ := strings.Cut(item, "\t")
		at[name] = entry
	}
	return at
}

func compareTrees(h hand, r *Repo, from, to string) map[string]change {
	found, err := r.objects(ctx, from, to)
	require.NoError(h, err)
	d, err := r.files.diffTrees(ctx, found[0].id, found[1].id)
	require.NoError(h, err)
	return d
}

// A file that changes without changing its size, in the very second in which
// git last looked at it, is the case in which git could overlook it.
func TestAChangeInTheSameMomentIsSeen(t *testing.T) {
	dir := start(t)
	r := open(t, dir)
	for i := range 10 {
		repotest.Write(t, dir, map[string]string{"c": fmt.Sprint(i)})
		repotest.Git(t, dir, "add", "c")
		was := snap(t, r)
		repotest.Write(t, dir, map[string]string{"c": fmt.Sprint(9 - i)})
		require.Equal(t, []string{"c"}, changed(t, r, was))
	}
}

func TestModesAndLinks(t *testing.T) {
	dir := start(t)
	file := filepath.Join(dir, "private")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	r := open(t, dir)
	was := snap(t, r)
	feature := func() {
		require.NoError(t, os.WriteFile(file, []byte("both"), 0o600))
		require.NoError(t, os.Chmod(filepath.Join(dir, "c"), 0o755))
		require.NoError(t, os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "renamed")))
		remove(t, dir, "b")
		require.NoError(t, os.Symlink("../outside", filepath.Join(dir, "b")))
		remove(t, dir, "sub")
		require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(dir, "sub")))
	}
	feature()
	require.Equal(t, []string{"a", "b", "c", "private", "renamed", "sub", "sub/d"}, aside(t, r, was))
	info, err := os.Lstat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode(), "what nobody else could read stays so")
	require.Equal(t, []string{"?? private"}, status(t, dir))
	feature()
	done := commit(t, r, was)
	require.Equal(t, []string{"D\ta", "T\tb", "M\tc", "A\trenamed", "A\tsub", "D\tsub/d"}, held(t, dir, done.ID))
	require.Equal(t, []string{"private"}, done.Kept)
	require.Contains(t, repotest.Git(t, dir, "ls-tree", "HEAD", "c"), "100755")
	require.Equal(t, "../outside", repotest.Git(t, dir, "show", "HEAD:b"))
	require.Equal(t, []string{"?? private"}, status(t, dir))
}

func TestAFolderWithIgnoredFilesIsNotDeleted(t *testing.T) {
	dir := start(t)
	r := open(t, dir)
	was := snap(t, r)
	remove(t, dir, "a")
	repotest.Write(t, dir, map[string]string{"a/new": "x", "a/precious.log": "ignored"})
	_, err := r.Stash(ctx, was, shelf, "m")
	require.ErrorContains(t, err, shelf)
	require.FileExists(t, filepath.Join(dir, "a/precious.log"))
	require.Equal(t, "x", repotest.Git(t, dir, "show", shelf+":a/new"))
	require.NoError(t, os.Rename(filepath.Join(dir, "a/precious.log"), filepath.Join(dir, "precious.log")))
	require.Equal(t, []string{"a", "a/new"}, aside(t, r, was))
	require.Equal(t, "a\n", read(t, dir, "a"))
}

func TestAFileReturnsWhereFoldersCame(t *testing.T) {
	dir := start(t)
	r := open(t, dir)
	was := snap(t, r)
	remove(t, dir, "a")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a/of/empty/ones"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "a/beside"), 0o755))
	require.Equal(t, []string{"a"}, aside(t, r, was))
	require.Equal(t, "a\n", read(t, dir, "a"))
}

func TestAPersonsRemovalIsNotSweptInByAFolderInItsPlace(t *testing.T) {
	dir := start(t)
	remove(t, dir, "a")
	r := open(t, dir)
	was := snap(t, r)
	repotest.Write(t, dir, map[string]string{"a/new": "feature\n", "c": "feature\n"})
	done := commit(t, r, was)
	require.Equal(t, []string{"M\tc"}, held(t, dir, done.ID), "a commit of a/new would remove a")
	require.Equal(t, []string{"a/new"}, done.Kept)
	require.Equal(t, done.Kept, commit(t, r, was).Kept)
}
