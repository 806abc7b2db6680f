package corpus_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/corpus"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/base/words"
)

// lay lays files down in a new folder.
func lay(t testing.TB, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

func open(t testing.TB, index, scope string) *corpus.Corpus {
	c, err := corpus.Open(t.Context(), index, scope)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func indexed(t testing.TB, files map[string]string) *corpus.Corpus {
	return open(t, filepath.Join(t.TempDir(), "corpus.db"), lay(t, files))
}

// places are where a search leads to.
func places(t testing.TB, c *corpus.Corpus, q librarian.Query) []string {
	if q.Limit == 0 {
		q.Limit = 10
	}
	found, err := c.Search(t.Context(), q)
	require.NoError(t, err)
	out := []string{}
	for _, p := range found {
		out = append(out, p.Path)
	}
	return out
}

func any(text string) librarian.Query { return librarian.Query{Any: words.Stems(text)} }

func TestTheBestPassageComesFirst(t *testing.T) {
	c := indexed(t, map[string]string{
		"a.md": "# Bread\n\nBread rises when the yeast is warm, and yeast sleeps in the cold.\n",
		"b.md": "# Ovens\n\nOvens are warm rooms for bread, cakes and other things people eat.\n",
		"c.md": "# Rivers\n\nRivers run to the sea.\n",
	})
	require.Equal(t, []string{"a.md", "b.md"}, places(t, c, any("warm yeast")))
	require.Equal(t, []string{"a.md", "b.md"}, places(t, c, any("breads")), "related words find one another, headings count more")
	require.Equal(t, []string{"b.md"}, places(t, c, librarian.Query{Any: words.Stems("bread"), Must: words.Stems("oven")}))
	require.Len(t, places(t, c, librarian.Query{Any: words.Stems("bread"), Limit: 1}), 1)
	require.Empty(t, places(t, c, any("volcano")))
	require.Empty(t, places(t, c, librarian.Query{}))
}

func TestAPassageIsItsLines(t *testing.T) {
	c := indexed(t, map[string]string{"a.go": "package a\n\n// Knead works the dough\r\n// until it is smooth.\nfunc Knead() {}\n"})
	found, err := c.Search(t.Context(), librarian.Query{Any: words.Stems("dough"), Limit: 1})
	require.NoError(t, err)
	require.Len(t, found, 1)
	p := found[0]
	require.Equal(t, [2]int{3, 5}, [2]int{p.First, p.Last})
	require.Equal(t, "// Knead works the dough\n// until it is smooth.\nfunc Knead() {}", p.Text)
	require.Equal(t, "func Knead() {}", p.Head)
	text, err := c.Lines("a.go", p.First, p.Last)
	require.NoError(t, err)
	require.Equal(t, p.Text, text)
}

func TestFilesAreSortedIntoShards(t *testing.T) {
	const said = "The dough rests for an hour before it is baked.\n"
	comment := "// " + said
	c := indexed(t, map[string]string{
		"README.md": said, "docs/guide.rst": said, "doc.txt": said, "LICENSE": said,
		"dough.go": "package dough\n\n" + comment + "func Rest() {}\n", "dough.py": "# " + said + "rest = 60\n",
		"dough_test.go": "package dough\n\n" + comment + "func TestRest() {}\n", "CHANGELOG.md": said, "examples/rest.go": "package x\n\n" + comment + "func f() {}\n", "TODO": said, "bake.sh": "# " + said + "rest 60\n",
	})
	for shard, want := range map[librarian.Shard][]string{
		librarian.Official:  {"LICENSE", "README.md", "doc.txt", "docs/guide.rst"},
		librarian.Code:      {"dough.go", "dough.py"},
		librarian.Community: {"CHANGELOG.md", "TODO", "bake.sh", "dough_test.go", "examples/rest.go"},
	} {
		require.ElementsMatch(t, want, places(t, c, librarian.Query{Any: words.Stems("hour"), Shard: shard, Limit: 50}), shard)
	}
	require.Equal(t, 11, c.Stats().Files)
}

func TestWhatIsNoReadableTextIsLeftOut(t *testing.T) {
	const words = "The secret of the sourdough is time.\n"
	scope := lay(t, map[string]string{
		"kept.md": words, ".git/notes.md": words, "node_modules/x/README.md": words, "research.md": words,
		"image.png": "\x89PNG\x00" + words, "app.min.js": words, "huge.txt": strings.Repeat(words, 3<<20/len(words)), "id_rsa": words, ".env": words, "go.sum": words,
		"wide.js": strings.Repeat("x", 5000) + words, "empty.md": "",
	})
	c := open(t, filepath.Join(t.TempDir(), "corpus.db"), scope)
	require.ElementsMatch(t, []string{"kept.md", "research.md"}, places(t, c, any("sourdough")))
	skipped := 0
	for _, n := range c.Stats().Skipped {
		skipped += n
	}
	require.Equal(t, 10, skipped, "what is left out is told: %v", c.Stats().Skipped)
}

func TestNoLinkLeavesTheScope(t *testing.T) {
	outside := lay(t, map[string]string{"secret.md": "The sourdough of the neighbours is better.\n"})
	scope := lay(t, map[string]string{"a.md": "Our sourdough is good.\n"})
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(scope, "b.md")))
	require.NoError(t, os.Symlink(outside, filepath.Join(scope, "c")))
	require.NoError(t, os.Symlink("a.md", filepath.Join(scope, "d.md")))
	c := open(t, filepath.Join(t.TempDir(), "corpus.db"), scope)
	require.Equal(t, []string{"a.md"}, places(t, c, any("sourdough")))
	for _, name := range []string{"b.md", "c/secret.md", "../x", "/etc/passwd"} {
		_, err := c.Lines(name, 1, 1)
		require.Error(t, err, name)
	}
}

func TestAFileThatCannotBeReadIsPassedOver(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	scope := lay(t, map[string]string{"a.md": "Our sourdough is good.\n", "b.md": "Their sourdough too.\n", "c/d.md": "Any sourdough is.\n"})
	require.NoError(t, os.Chmod(filepath.Join(scope, "b.md"), 0))
	require.NoError(t, os.Chmod(filepath.Join(scope, "c"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(scope, "c"), 0o700) })
	require.Equal(t, []string{"a.md"}, places(t, open(t, filepath.Join(t.TempDir(), "corpus.db"), scope), any("sourdough")))
}

func TestThereIsOneIndexForAll(t *testing.T) {
	scope := lay(t, map[string]string{"a.md": "Bread rises when the yeast is warm.\n"})
	index := filepath.Join(t.TempDir(), "a folder?#%", "corpus.db")
	require.NoError(t, os.Mkdir(filepath.Dir(index), 0o700))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			c, err := corpus.Open(context.Background(), index, scope)
			if err != nil {
				t.Error(err)
				return
			}
			found, err := c.Search(context.Background(), librarian.Query{Any: words.Stems("yeast"), Limit: 5})
			if err != nil || len(found) != 1 {
				t.Error(found, err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	info, err := os.Stat(index)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, os.WriteFile(filepath.Join(scope, "b.md"), []byte("Yeast again.\n"), 0o600))
	require.Equal(t, 1, open(t, index, scope).Stats().Files, "it is built once: what seats cite does not change under them")
}

func TestAnIndexThatCannotBeUsedIsMadeAnew(t *testing.T) {
	scope := lay(t, map[string]string{"a.md": "Bread rises when the yeast is warm.\n"})
	for name, spoil := range map[string]func(index string) error{
		"empty":            func(index string) error { return os.WriteFile(index, nil, 0o600) },
		"no index":         func(index string) error { return os.WriteFile(index, []byte("yeast"), 0o600) },
		"cut off":          func(index string) error { return os.Truncate(index, 5000) },
		"of another scope": func(index string) error { open(t, index+".x", t.TempDir()); return os.Rename(index+".x", index) },
		"half built":       func(index string) error { return os.Rename(index, index+".new") },
	} {
		t.Run(name, func(t *testing.T) {
			index := filepath.Join(t.TempDir(), "corpus.db")
			open(t, index, scope)
			require.NoError(t, spoil(index))
			require.Equal(t, []string{"a.md"}, places(t, open(t, index, scope), any("yeast")))
		})
	}
}

func TestWhatCannotBeOpenedIsSaidInOneLine(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, place := range map[string][2]string{
		"no scope": {filepath.Join(dir, "i.db"), filepath.Join(dir, "gone")}, "a scope that is a file": {filepath.Join(dir, "i.db"), file},
		"an index in no folder": {filepath.Join(dir, "gone", "i.db"), dir},
	} {
		_, err := corpus.Open(t.Context(), place[0], place[1])
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "\n", name)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err := corpus.Open(stopped, filepath.Join(dir, "i.db"), lay(t, map[string]string{"a.md": "words of a file\n"}))
	require.ErrorIs(t, err, context.Canceled)
}

func TestFrequenciesCountPassages(t *testing.T) {
	c := indexed(t, map[string]string{"a.md": "Yeast and more yeast is warm.\n", "b.md": "The yeast sleeps now.\n"})
	counts, err := c.Frequencies(t.Context(), []string{"yeast", "warm", "nowhere", "yeast", `"`})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"yeast": 2, "warm": 1}, counts)
	counts, err = c.Frequencies(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, counts)
}

// FuzzSearch holds that no word of a query is ever query syntax.
func FuzzSearch(f *testing.F) {
	c := indexed(f, map[string]string{"a.md": "# Bread\n\nBread rises when the yeast is warm: NEAR the oven, OR not.\n"})
	for _, s := range []string{`yeast`, `"`, `yeast" OR "x`, `NEAR(yeast warm)`, `head:bread`, `-yeast`, `^yeast`, `yeast*`, `{head body}: x`, "a\x00b", "\xff", "酵母", "'; DROP TABLE files; --"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, one, other string) {
		_, err := c.Search(t.Context(), librarian.Query{Any: []string{one, other}, Must: []string{other}, Shard: librarian.Shard(one), Limit: 3})
		require.NoError(t, err)
		_, err = c.Frequencies(t.Context(), []string{one, other})
		require.NoError(t, err)
	})
}

// The runtime of Go is about 900 files of 11 MB.
func theRuntime(t testing.TB) string {
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	require.NoError(t, err)
	return filepath.Join(strings.TrimSpace(string(root)), "src", "runtime")
}

func BenchmarkBuild(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		c, err := corpus.Open(b.Context(), filepath.Join(b.TempDir(), "corpus.db"), theRuntime(b))
		require.NoError(b, err)
		require.NoError(b, c.Close())
	}
}

func BenchmarkOpen(b *testing.B) {
	index := filepath.Join(b.TempDir(), "corpus.db")
	open(b, index, theRuntime(b))
	for b.Loop() {
		c, err := corpus.Open(b.Context(), index, theRuntime(b))
		require.NoError(b, err)
		require.NoError(b, c.Close())
	}
}

func BenchmarkSearch(b *testing.B) {
	c := open(b, filepath.Join(b.TempDir(), "corpus.db"), theRuntime(b))
	q := librarian.Query{Any: words.Stems("how does the garbage collector pace a cycle"), Limit: 150}
	for b.Loop() {
		_, err := c.Search(b.Context(), q)
		require.NoError(b, err)
	}
}

func BenchmarkResearch(b *testing.B) {
	c := open(b, filepath.Join(b.TempDir(), "corpus.db"), theRuntime(b))
	q := librarian.Question{Topic: "How does the garbage collector decide when to start a cycle?", Iterations: 5}
	for b.Loop() {
		_, err := librarian.Research(b.Context(), q, c, func(librarian.Result) error { return nil })
		require.NoError(b, err)
	}
}
