package repo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/repo/repotest"
	"research-council/internal/survey"
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
	require.Equal(t, []string{".gitignore", "README.md prose", "a.go", "new.go", "p.png binary", "sub/b.go", "vendor/v.go vendored"}, told(files))
	require.Equal(t, 2, files[2].Churn)
	require.Equal(t, 4, files[2].Lines)
	require.Equal(t, Info{
		Repository: true, Root: dir, Commit: head, Branch: "main", Dirty: true, History: "2 commits of the year before HEAD",
		Notes: []string{"left out: 1 files that git knows and that are not there"},
	}, info)
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
			b.ResetTimer()
			for range b.N {
				files, _ := list(b, dir, Listing{})
				ranked := survey.Rank(files)
				require.NoError(b, survey.Check(ranked, survey.Batches(ranked, survey.Limits{})))
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/file")
		})
	}
}
