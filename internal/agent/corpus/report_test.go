package corpus_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/corpus"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/claim"
)

var update = flag.Bool("update", false, "write the golden reports")

const tea = "Tea is made of leaves and hot water.\n"

// paths are the files a search leads to, sorted.
func paths(t testing.TB, c *corpus.Corpus, q librarian.Query) []string {
	q.Limit = 1000
	list := places(t, c, q)
	slices.Sort(list)
	return slices.Compact(list)
}

func TestSearch(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "corpus.db"), "testdata/kettle")
	for _, c2 := range []struct {
		name string
		ask  librarian.Query
		want []string
	}{
		{"a word", librarian.Query{Any: []string{"vinegar"}}, []string{"README.md"}},
		{"related words", librarian.Query{Any: words.Stems("dissolving")}, []string{"README.md"}},
		{"any of them", librarian.Query{Any: words.Stems("vinegar voltage")}, []string{"README.md", "coil.go"}},
		{"all of them", librarian.Query{Must: words.Stems("steam lid")}, []string{"thermostat.go"}},
		{"one and any", librarian.Query{Must: words.Stems("strip"), Any: words.Stems("timer tea")}, []string{"CHANGELOG.md", "coil_test.go"}},
		{"of a shard", librarian.Query{Any: words.Stems("strip"), Shard: librarian.Code}, []string{"coil.go", "thermostat.go"}},
		{"a part of a name", librarian.Query{Any: words.Stems("off"), Must: words.Stems("switchOff"), Shard: librarian.Code}, []string{"coil.go"}},
		{"nowhere", librarian.Query{Any: []string{"unicorn"}}, []string{}},
		{"nothing", librarian.Query{}, []string{}},
	} {
		t.Run(c2.name, func(t *testing.T) { require.Equal(t, c2.want, paths(t, c, c2.ask)) })
	}
}

func TestLinesAreThoseOfTheFileNow(t *testing.T) {
	scope := lay(t, map[string]string{"a.md": "One tea.\r\nTwo teas.\r\n"})
	c := open(t, filepath.Join(t.TempDir(), "corpus.db"), scope)
	text, err := c.Lines("a.md", 1, 2)
	require.NoError(t, err)
	require.Equal(t, "One tea.\nTwo teas.", text)
	require.NoError(t, os.WriteFile(filepath.Join(scope, "a.md"), []byte("Coffee.\n"), 0o600))
	text, err = c.Lines("a.md", 1, 1)
	require.NoError(t, err)
	require.Equal(t, "Coffee.", text)
	for _, c2 := range []struct {
		path        string
		first, last int
	}{{"a.md", 0, 1}, {"a.md", 2, 1}, {"a.md", 1, 9}, {"b.md", 1, 1}, {"../a.md", 1, 1}, {"/etc/passwd", 1, 1}} {
		_, err := c.Lines(c2.path, c2.first, c2.last)
		require.Error(t, err, c2)
	}
}

func TestPathsOfAnyForm(t *testing.T) {
	scope := lay(t, map[string]string{"a b/c?d#e%20.md": tea, "f'g\"h.md": tea})
	index := filepath.Join(t.TempDir(), "an index? #1 %20.db")
	require.Equal(t, []string{"a b/c?d#e%20.md", "f'g\"h.md"}, paths(t, open(t, index, scope), librarian.Query{Any: []string{"tea"}}))
	require.FileExists(t, index)
}

func TestAnEmptyFolderIsAnEmptyLibrary(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "corpus.db"), t.TempDir())
	require.Zero(t, c.Stats().Files)
	require.Empty(t, paths(t, c, librarian.Query{Any: []string{"tea"}}))
}

func research(t testing.TB, c *corpus.Corpus, q librarian.Question) librarian.Result {
	r, err := librarian.Research(context.Background(), q, c, func(librarian.Result) error { return nil })
	require.NoError(t, err)
	return r
}

func TestReportsOfASmallFolder(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "corpus.db"), "testdata/kettle")
	for _, shard := range librarian.Shards() {
		r := research(t, c, librarian.Question{Topic: "How does the thermostat decide when to switch the coil off?", Shard: shard, Iterations: 3})
		got := librarian.Markdown(r, true)
		golden := fmt.Sprintf("testdata/%s.md", shard)
		if *update {
			require.NoError(t, os.WriteFile(golden, got, 0o600))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
}

func goRuntime(t testing.TB) string {
	scope := theRuntime(t)
	if _, err := os.Stat(scope); err != nil {
		t.Skip("Go's own source is not here")
	}
	return scope
}

// files gives claims the texts of a folder.
type files struct{ scope string }

func (f files) Text(path string) (claim.Text, error) {
	data, err := os.ReadFile(filepath.Join(f.scope, path))
	return claim.Text{Body: string(data)}, err
}

// Go's runtime is a work every reader of this has: what it says on these
// subjects is in these files.
func TestGoRuntime(t *testing.T) {
	scope := goRuntime(t)
	c := open(t, filepath.Join(t.TempDir(), "corpus.db"), scope)
	for _, ask := range []struct {
		topic string
		shard librarian.Shard
		want  string // a file the findings come from
		words string // what one of the first five findings says
	}{
		{"How does the Go garbage collector pace itself?", librarian.Code, "mgcpacer.go", "pacing controller"},
		{"How does the Go garbage collector pace itself?", librarian.Official, "mgc.go", "GOGC"},
		{"How does the scheduler steal work?", librarian.Code, "proc.go", "Steal half of elements from local runnable queue"},
		{"Why does the collector need write barriers?", librarian.Official, "mbarrier.go", "write barriers"},
	} {
		t.Run(string(ask.shard)+" "+ask.topic, func(t *testing.T) {
			r := research(t, c, librarian.Question{Topic: ask.topic, Shard: ask.shard, Iterations: 5})
			var first []string
			from := map[string]bool{}
			for i, f := range r.Findings {
				from[f.Path] = true
				if i < 8 {
					first = append(first, f.Said)
				}
			}
			require.True(t, from[ask.want], "%v", from)
			require.Contains(t, strings.Join(first, "\n"), ask.words)
			drafts, refused := claim.Decode(bytes.NewReader(librarian.Claims(r)), "librarian", agent.Research)
			require.Empty(t, refused)
			for _, e := range claim.Locate(claim.Register(nil, drafts), files{scope}) {
				require.Equal(t, []interface{}{claim.Located, "exact", ""}, []interface{}{e.Location.State, e.Location.Tier, e.Location.Reason}, e.Source)
			}
		})
	}
}
