package binaries

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func built(t *testing.T, text string) Pair {
	dir := t.TempDir()
	p := Pair{filepath.Join(dir, "council"), filepath.Join(dir, "council-hook")}
	for _, path := range []string{p.Council, p.Hook} {
		require.NoError(t, os.WriteFile(path, []byte(text+filepath.Base(path)), 0o755))
	}
	return p
}

func copies(t *testing.T, dir string) []string {
	list, err := filepath.Glob(filepath.Join(dir, "bin", "????????????????"))
	require.NoError(t, err)
	return list
}

func TestACopyIsNamedForItsContent(t *testing.T) {
	dir, p := t.TempDir(), built(t, "one ")
	kept, err := Keep(dir, p)
	require.NoError(t, err)
	sum, err := digest(os.Open, p.Council)
	require.NoError(t, err)
	require.Equal(t, Pair{filepath.Join(dir, "bin", sum[:16], "council"), filepath.Join(dir, "bin", sum[:16], "council-hook")}, kept)
	require.True(t, IsCopy(kept.Council))
	require.False(t, IsCopy(p.Council))
	for from, to := range map[string]string{p.Council: kept.Council, p.Hook: kept.Hook} {
		is, err := os.Lstat(to)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o755), is.Mode())
		was, err := os.Stat(from)
		require.NoError(t, err)
		require.False(t, os.SameFile(is, was), "bytes, no link")
	}
	again, err := Keep(dir, p)
	require.NoError(t, err)
	require.Equal(t, kept, again)
	require.Len(t, copies(t, dir), 1)
}

func TestACopyThatIsNotItsContentIsMended(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, path string){
		"a byte more":   func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte("one council!"), 0o755)) },
		"empty":         func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, nil, 0o755)) },
		"not to be run": func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o644)) },
		"for all":       func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o777)) },
		"gone":          func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
		"a link": func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Symlink("/bin/true", path))
		},
	} {
		dir, p := t.TempDir(), built(t, "one ")
		kept, err := Keep(dir, p)
		require.NoError(t, err, name)
		harm(t, kept.Council)
		again, err := Keep(dir, p)
		require.NoError(t, err, name)
		require.Equal(t, kept, again)
		text, err := os.ReadFile(kept.Council)
		require.NoError(t, err)
		require.Equal(t, "one council", string(text), name)
		info, err := os.Lstat(kept.Council)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o755), info.Mode(), name)
	}
}

func TestWhatCannotBeKeptIsSaid(t *testing.T) {
	dir, p := t.TempDir(), built(t, "one ")
	require.NoError(t, os.Remove(p.Hook))
	_, err := Keep(dir, p)
	require.ErrorContains(t, err, "keep a copy of the program in "+dir)
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = Keep(file, built(t, "two "))
	require.Error(t, err)
	elsewhere := t.TempDir()
	three := built(t, "three ")
	sum, err := digest(os.Open, three.Council)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, "bin", sum[:16])))
	_, err = Keep(dir, three)
	require.ErrorContains(t, err, "is no folder")
	left, err := os.ReadDir(elsewhere)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestCopiesNobodyRunsFromAreRemoved(t *testing.T) {
	dir := t.TempDir()
	used, err := Keep(dir, built(t, "used "))
	require.NoError(t, err)
	release := Hold(used.Council)
	_, err = Keep(dir, built(t, "unused "))
	require.NoError(t, err)
	foreign := filepath.Join(dir, "bin", "notes")
	require.NoError(t, os.Mkdir(foreign, 0o700))
	last := built(t, "last ")
	kept, err := Keep(dir, last)
	require.NoError(t, err)
	litter := filepath.Join(filepath.Dir(kept.Council), "council.1234.new")
	require.NoError(t, os.WriteFile(litter, []byte("half"), 0o600))
	want := []string{filepath.Dir(used.Council), filepath.Dir(kept.Council)}
	slices.Sort(want)
	require.Equal(t, want, copies(t, dir), "the one in use and the last")
	require.DirExists(t, foreign)
	release()
	require.NoError(t, os.Remove(kept.Hook))
	_, err = Keep(dir, last)
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Dir(kept.Council)}, copies(t, dir))
	require.NoFileExists(t, litter, "what a killed copying has left goes too")
}

func TestManyMakeOneCopy(t *testing.T) {
	dir, p := t.TempDir(), built(t, "one ")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := Keep(dir, p); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	list := copies(t, dir)
	require.Len(t, list, 1)
	left, err := os.ReadDir(list[0])
	require.NoError(t, err)
	require.Len(t, left, 2)
}
