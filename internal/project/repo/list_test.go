package repo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/project/repo/repotest"
	"github.com/research-council/research-council/internal/project/survey"
)

func list(t repotest.TB, dir string, o Listing) ([]survey.File, Info) {
	t.Helper()
	files, info, err := List(context.Background(), dir, o)
	require.NoError(t, err)
	return files, info
}

// told is each file's path, and why it is left out.
func told(files []survey.File) []string {
	var all []string
	for _, f := range files {
		all = append(all, strings.TrimSuffix(f.Path+" "+f.Skip, " "))
	}
	return all
}

const goFile = "package a\n\nfunc A() {}\n"

func TestARepositoryIsListed(t *testing.T) {
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{
		"a.go": goFile, "sub/b.go": goFile, "README.md": "# Words\n", "vendor/v.go": goFile, "p.png": "\x89PNG\x00",
		".gitignore": "*.log\n/out/\n", "gone.go": goFile,
	})
	repotest.Save(t, dir, "Begin")
	repotest.Write(t, dir, map[string]string{"a.go": goFile + "\n", "x.log": "no", "out/o.go": goFile, ".deep-review/state.json": "{}"})
	repotest.Save(t, dir, "Change a")
	repotest.Write(t, dir, map[string]string{"new.go": goFile})
	remove(t, dir, "gone.go")
	repotest.Git(t, dir, "rm", "-q", "--cached", "-r", ".deep-review")
	head := strings.TrimSpace(repotest.Git(t, dir, "rev-parse", "HEAD"))

	files, info := list(t, dir, Listing{})
	require.Equal(t, []string{".gitignore data", "README.md prose", "a.go", "new.go", "p.png binary", "sub/b.go", "vendor/v.go vendored"}, told(files))
	require.Equal(t, 2, files[2].Churn)
	require.Equal(t, 4, files[2].Lines)
	require.Equal(t, Info{
		Repository: true, Root: dir, Commit: head, Branch: "main", Dirty: true, History: "2 commits of the year before HEAD",
		Notes: []string{"left out: 1 file that git knows and that is not there"},
	}, info)
	require.Contains(t, string(survey.Discovery(survey.Map{Commit: info.Commit, Branch: info.Branch, Dirty: info.Dirty, Files: files})), "- Commit: `"+head+"` on `main`, with changes that are not committed\n")
}

// plant makes a tree of n small files in folders of a hundred.
func plant(t repotest.TB, n int) string {
	dir := repotest.Init(t)
	text := "package a\n\nimport \"os/exec\"\n\n// A does it.\nfunc A(list []string) error {\n" +
		strings.Repeat("\tfor _, s := range list {\n\t\tif s == \"\" && len(list) > 3 {\n\t\t\treturn exec.Command(s).Run()\n\t\t}\n\t}\n", 12) + "\treturn nil\n}\n"
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprintf("d%02d/e%02d", i/10000, i/100%100))
		if i%100 == 0 {
			require.NoError(t, os.MkdirAll(folder, 0o755))
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.go", i)), []byte(text), 0o644))
	}
	repotest.Save(t, dir, "Begin")
	return dir
}

// Listing is linear: the time a file takes is about the same in both.
func BenchmarkList(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := plant(b, n)
			before := proctest.SpentWithChildren()
			b.ResetTimer()
			for range b.N {
				files, _ := list(b, dir, Listing{})
				ranked := survey.Rank(files)
				require.NoError(b, survey.CheckBatches(ranked, survey.Batches(ranked, survey.Limits{})))
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/file")
			b.ReportMetric(float64((proctest.SpentWithChildren()-before).Microseconds())/float64(b.N*n), "cpu-µs/file")
		})
	}
}

// hostile are names that could break a line, a path, Markdown or a terminal.
var hostile = []string{"a\nb.go", "\x1b[31mred.go", "-rf.go", "`id`.go", "$(id).go", "\u202eog.exe.go", "a|b.go", "\xff\xfe.go", " lead.go", "日本.go", `q"uote\.go`}

func TestNamesOfAnyBytesAreListed(t *testing.T) {
	dir := repotest.Init(t)
	files := map[string]string{}
	for _, name := range hostile {
		files[name], files["d\n/"+name] = goFile, goFile
	}
	repotest.Write(t, dir, files)
	repotest.Save(t, dir, "Begin")
	got, _ := list(t, dir, Listing{Since: "HEAD~0"})
	require.Empty(t, got, "nothing has changed")
	got, _ = list(t, dir, Listing{})
	require.Len(t, got, len(files))
	for _, f := range got {
		require.Contains(t, files, f.Path)
		require.Empty(t, f.Skip, "%q", f.Path)
		require.Equal(t, 1, f.Churn, "%q", f.Path)
	}
}

func TestEveryStateOfARepositoryIsListed(t *testing.T) {
	t.Run("empty", func(t *testing.T) {
		files, info := list(t, repotest.Init(t), Listing{})
		require.Empty(t, files)
		require.Equal(t, []any{"", "main", false, "no commit yet"}, []any{info.Commit, info.Branch, info.Dirty, info.History})
	})
	t.Run("without a commit", func(t *testing.T) {
		dir := repotest.Init(t)
		repotest.Write(t, dir, map[string]string{"a.go": goFile})
		files, info := list(t, dir, Listing{})
		require.Equal(t, []string{"a.go"}, told(files))
		require.True(t, info.Dirty)
	})
	t.Run("on no branch", func(t *testing.T) {
		dir := start(t)
		repotest.Git(t, dir, "checkout", "-q", "--detach")
		_, info := list(t, dir, Listing{})
		require.Empty(t, info.Branch)
		require.False(t, info.Dirty)
	})
	t.Run("a shallow clone", func(t *testing.T) {
		dir, clone := start(t), t.TempDir()
		repotest.Save(t, dir, "More")
		repotest.Git(t, clone, "clone", "-q", "--depth=1", "file://"+dir, ".")
		files, info := list(t, clone, Listing{})
		require.Len(t, files, 5)
		require.True(t, info.Shallow)
		require.Equal(t, "unknown, the clone is shallow", info.History)
	})
	t.Run("a conflict", func(t *testing.T) {
		dir := start(t)
		repotest.Git(t, dir, "checkout", "-q", "-b", "other")
		repotest.Write(t, dir, map[string]string{"a": "theirs\n"})
		repotest.Save(t, dir, "Theirs")
		repotest.Git(t, dir, "checkout", "-q", "main")
		repotest.Write(t, dir, map[string]string{"a": "ours\n"})
		repotest.Save(t, dir, "Ours")
		_, err := repotest.Try(dir, "merge", "-q", "other")
		require.Error(t, err)
		files, info := list(t, dir, Listing{})
		require.Equal(t, []string{".gitignore data", "a prose", "b prose", "c prose", "sub/d prose"}, told(files), "each path once")
		require.True(t, info.Dirty)
	})
	t.Run("a bare one", func(t *testing.T) {
		_, _, err := List(context.Background(), repotest.Init(t, "--bare"), Listing{})
		require.ErrorIs(t, err, ErrNoWorkTree)
	})
	t.Run("variables of a hook", func(t *testing.T) {
		dir := start(t)
		t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "elsewhere"))
		t.Setenv("GIT_INDEX_FILE", "/dev/null")
		files, _ := list(t, dir, Listing{})
		require.Len(t, files, 5)
	})
}

func TestWhatIsNoFileIsSaid(t *testing.T) {
	dir, other := repotest.Init(t), start(t)
	repotest.Write(t, dir, map[string]string{"a.go": goFile, "d/x.go": goFile, "pipe.go": goFile, "gone/y.go": goFile, "big.go": "package a\n" + strings.Repeat("// x\n", 300_000)})
	require.NoError(t, os.Symlink("a.go", filepath.Join(dir, "link.go")))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "out.go")))
	repotest.Git(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "module")
	repotest.Save(t, dir, "Begin")
	outside := t.TempDir()
	repotest.Write(t, outside, map[string]string{"x.go": "package secret\n"})
	remove(t, dir, "d")
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "d")))
	remove(t, dir, "pipe.go")
	require.NoError(t, proctest.NamedPipe(filepath.Join(dir, "pipe.go")))
	remove(t, dir, "gone")
	repotest.Write(t, dir, map[string]string{"gone": "package a\n"})

	files, info := list(t, dir, Listing{})
	require.Equal(t, []string{
		".gitmodules", "a.go", "big.go too large", "d symbolic link", "d/x.go symbolic link", "gone prose",
		"link.go symbolic link", "module submodule", "out.go symbolic link", "pipe.go unreadable",
	}, told(files))
	require.Equal(t, []string{"left out: 1 file that git knows and that is not there"}, info.Notes)
	for _, f := range files {
		require.NotContains(t, f.Path+strings.Join(f.Reasons, ""), outside)
	}
}

func TestAttributesOfTheRepositoryDecide(t *testing.T) {
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{
		".gitattributes":     "made/* linguist-generated\nvendor/ours/* linguist-vendored=false\nlib/* linguist-vendored=true\n*.x linguist-language=Go\n",
		"made/a.go":          goFile,
		"vendor/ours/b.go":   goFile,
		"vendor/theirs/b.go": goFile,
		"lib/c.go":           goFile,
		"d.x":                goFile,
	})
	files, _ := list(t, dir, Listing{})
	require.Equal(t, []string{".gitattributes", "d.x", "lib/c.go vendored", "made/a.go generated", "vendor/ours/b.go", "vendor/theirs/b.go vendored"}, told(files))
	require.Equal(t, "Go", files[1].Language)

	repotest.Save(t, dir, "Begin")
	repotest.Write(t, dir, map[string]string{"made/a.go": goFile + "\n"})
	files, _ = list(t, dir, Listing{Since: "HEAD"})
	require.Equal(t, []string{"made/a.go generated"}, told(files), "also those of a file that is not listed")
	files, _ = list(t, filepath.Join(dir, "lib"), Listing{})
	require.Equal(t, []string{"c.go vendored"}, told(files), "and of a folder above")
}

func TestOnlyWhatChangedIsListed(t *testing.T) {
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{"a.go": goFile, "b.go": goFile, "sub/c.go": goFile, "gone.go": goFile})
	repotest.Save(t, dir, "Begin")
	repotest.Git(t, dir, "tag", "v1")
	base := strings.TrimSpace(repotest.Git(t, dir, "rev-parse", "HEAD"))
	repotest.Git(t, dir, "branch", "side")
	repotest.Write(t, dir, map[string]string{"a.go": goFile + "// more\n"})
	repotest.Save(t, dir, "On main")
	repotest.Git(t, dir, "checkout", "-q", "side")
	repotest.Write(t, dir, map[string]string{"sub/c.go": goFile + "// more\n"})
	repotest.Save(t, dir, "On side")
	repotest.Write(t, dir, map[string]string{"b.go": goFile + "// open\n", "new.go": goFile})
	remove(t, dir, "gone.go")

	for ref, want := range map[string][]string{
		"v1":   {"b.go", "new.go", "sub/c.go"},
		"main": {"b.go", "new.go", "sub/c.go"}, // a.go changed there, after the two went apart
		"HEAD": {"b.go", "new.go"},
		base:   {"b.go", "new.go", "sub/c.go"}, base[:12]: {"b.go", "new.go", "sub/c.go"}, "HEAD~1": {"b.go", "new.go", "sub/c.go"},
	} {
		files, info := list(t, dir, Listing{Since: ref})
		require.Equal(t, want, told(files), ref)
		require.Len(t, info.Since, 40, ref)
	}
	below, _ := list(t, filepath.Join(dir, "sub"), Listing{Since: "v1"})
	require.Equal(t, []string{"c.go"}, told(below), "relative to the folder")

	for _, ref := range []string{
		"nowhere", "--output=/tmp/x", "-h", "--all", "v1..side", "v1 side", "HEAD:a.go", "a\nb", "\x00", "HEAD^{tree}",
		strings.Repeat("x", 300), strings.Repeat("0", 40),
	} {
		_, _, err := List(context.Background(), dir, Listing{Since: ref})
		require.ErrorIs(t, err, ErrNoRef, "%q", ref)
	}
	repotest.Git(t, dir, "checkout", "-q", "--orphan", "alone")
	repotest.Save(t, dir, "Alone")
	files, info := list(t, dir, Listing{Since: "v1"})
	require.Equal(t, []string{"b.go", "new.go", "sub/c.go"}, told(files))
	require.Equal(t, []string{"v1 and HEAD have no commit in common here: compared with it directly"}, info.Notes)
}

func TestFoldersAreChosen(t *testing.T) {
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{"a.go": goFile, "sub/b.go": goFile, "sub/deep/c.go": goFile, "subway/d.go": goFile, "research/r.go": goFile})
	repotest.Save(t, dir, "Begin")
	for _, c := range []struct {
		under, except []string
		want          []string
	}{
		{nil, []string{"research"}, []string{"a.go", "sub/b.go", "sub/deep/c.go", "subway/d.go"}},
		{[]string{"."}, []string{"sub*"}, []string{"a.go", "research/r.go"}},
		{[]string{"sub"}, nil, []string{"sub/b.go", "sub/deep/c.go"}},
		{[]string{"sub/deep", "a.go"}, nil, []string{"a.go", "sub/deep/c.go"}},
	} {
		files, _ := list(t, dir, Listing{Under: c.under, Except: c.except})
		require.Equal(t, c.want, told(files))
	}
	files, _ := list(t, filepath.Join(dir, "sub"), Listing{})
	require.Equal(t, []string{"b.go", "deep/c.go"}, told(files))
	require.Equal(t, 1, files[1].Churn)
	for _, under := range []string{"../x", "/etc", "", "sub/", "nowhere"} {
		_, _, err := List(context.Background(), dir, Listing{Under: []string{under}})
		require.Error(t, err, under)
	}
	_, _, err := List(context.Background(), filepath.Join(dir, "a.go"), Listing{})
	require.ErrorContains(t, err, "no folder")
}

func TestAFolderOutsideAnyRepositoryIsListed(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	inner := filepath.Join(dir, "inner")
	require.NoError(t, os.MkdirAll(inner, 0o755))
	repotest.Git(t, inner, "init", "-q")
	repotest.Write(t, dir, map[string]string{
		".gitignore": "*.log\n", "a.go": goFile, "x.log": "no", "node_modules/m.js": "x", "sub/.gitignore": "/b.go\n", "sub/b.go": goFile, "sub/c.go": goFile,
		"inner/d.go": goFile, "inner/e.out": "no", "inner/.gitignore": "*.out\n",
	})
	t.Setenv("TMPDIR", t.TempDir())
	files, info := list(t, dir, Listing{})
	require.Equal(t, []string{
		".gitignore data", "a.go", "inner/.gitignore data", "inner/d.go", "node_modules/m.js vendored", "sub/.gitignore data", "sub/c.go",
	}, told(files))
	require.Equal(t, Info{
		Root: dir, History: "unknown, no git repository", Notes: []string{"not a git repository: all files but those .gitignore names"},
	}, info)
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "council-list-*"))
	require.NoError(t, err)
	require.Empty(t, left, "what was made for it is gone")
	_, _, err = List(context.Background(), dir, Listing{Since: "main"})
	require.ErrorIs(t, err, ErrNoRepository)
	_, _, err = List(context.Background(), filepath.Join(dir, "nowhere"), Listing{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestARepositoryInsideIsItsOwn(t *testing.T) {
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{"a.go": goFile, "inner/b.go": goFile})
	repotest.Git(t, filepath.Join(dir, "inner"), "init", "-q")
	repotest.Git(t, filepath.Join(dir, "inner"), "add", "b.go")
	files, info := list(t, dir, Listing{})
	require.Equal(t, []string{"a.go"}, told(files))
	require.Equal(t, []string{"left out: 1 git repositories inside the folder that are no submodules"}, info.Notes)
}

func TestCommitsOfAYearCount(t *testing.T) {
	dir := repotest.Init(t)
	at := func(date, message string, files map[string]string) {
		repotest.Write(t, dir, files)
		repotest.Git(t, dir, "add", "-A")
		cmd := exec.Command("git", "commit", "-q", "-m", message)
		cmd.Dir, cmd.Env = dir, append(repotest.Env(), "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	mass := map[string]string{"a.go": goFile + "//1"}
	for i := range massCommit {
		mass[fmt.Sprintf("m/%d.txt", i)] = "x"
	}
	at("2001-01-01T00:00:00Z", "Long ago", map[string]string{"a.go": goFile})
	at("2003-06-01T00:00:00Z", "Many", mass)
	at("2003-07-01T00:00:00Z", "One", map[string]string{"a.go": goFile + "//2"})
	at("2003-08-01T00:00:00Z", "Two", map[string]string{"a.go": goFile + "//3", "b.go": goFile})
	files, info := list(t, dir, Listing{Except: []string{"m"}})
	require.Equal(t, []string{"a.go", "b.go"}, told(files))
	require.Equal(t, []int{2, 1}, []int{files[0].Churn, files[1].Churn})
	require.Equal(t, "3 commits of the year before HEAD, of which 1 with more than 1000 files do not count", info.History)
}

// What git writes arrives in pieces of any size.
func TestHistoryIsCountedInAnyPieces(t *testing.T) {
	text := "\x01\x00\na\x00b\nc\x00\x01\x00\x01\x00\na\x00"
	for size := 1; size <= len(text); size++ {
		c := &commitCounter{at: map[string]int{}}
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			_, err := c.Write([]byte(rest[:n]))
			require.NoError(t, err)
			rest = rest[n:]
		}
		c.commit()
		require.Equal(t, map[string]int{"a": 2, "b\nc": 1}, c.at)
		require.Equal(t, 3, c.commits)
	}
}

func TestAnEndedListingSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := List(ctx, start(t), Listing{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestAPartIsListedBesideTheWhole(t *testing.T) {
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{
		"a.go": goFile, "gone.go": goFile, "sub/b.go": goFile, "sub/start.js": "run()\n",
		"package.json": `{"main": "sub/start.js"}`, ".deep-review/x.go": goFile,
	})
	repotest.Save(t, dir, "Begin")
	repotest.Write(t, dir, map[string]string{"sub/start.js": "run(1)\n", "sub/new.go": goFile, ".deep-review/x.go": goFile + "\n"})
	remove(t, dir, "gone.go")
	all := []string{"a.go", "package.json", "sub/b.go", "sub/new.go", "sub/start.js"}
	for name, c := range map[string]struct {
		asked Listing
		want  []string
	}{
		"what changed":           {Listing{Since: "HEAD"}, []string{".deep-review/x.go a review's own", "sub/new.go", "sub/start.js"}},
		"a folder":               {Listing{Under: []string{"sub"}}, []string{"sub/b.go", "sub/new.go", "sub/start.js"}},
		"what changed in a file": {Listing{Since: "HEAD", Under: []string{"sub/new.go"}}, []string{"sub/new.go"}},
	} {
		t.Run(name, func(t *testing.T) {
			part, _ := list(t, dir, c.asked)
			require.Equal(t, c.want, told(part))
			c.asked.Whole = true
			part, info := list(t, dir, c.asked)
			require.Equal(t, c.want, told(part))
			require.Equal(t, all, told(info.Whole))
			for _, f := range part {
				require.Equal(t, f.Path == "sub/start.js", f.Entry == "named by package.json", f.Path)
			}
		})
	}
	_, info := list(t, dir, Listing{Whole: true})
	require.Nil(t, info.Whole, "the whole is what was asked for")
}
