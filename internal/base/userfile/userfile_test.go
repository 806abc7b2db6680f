//go:build unix

package userfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/base/userfile"
)

// A file of somebody's: with a mark of order, line ends of Windows and no last line.
const theirs = "\ufeff// mine\r\n{\"a\": 1}\r\n\t"

func lay(t *testing.T, path, text string, perm fs.FileMode) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), perm))
	require.NoError(t, os.Chmod(path, perm)) // whatever the umask is
}

// becomes is a change that gives a text, whatever there was.
func becomes(text string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(text), nil }
}

func added(before []byte) ([]byte, error) { return append(before, "more"...), nil }

func TestAFileIsChangedWhereItIs(t *testing.T) {
	const name = "settings"
	for what, c := range map[string]struct {
		lay  func(t *testing.T, dir string)
		real string // where the text lies; name
		perm fs.FileMode
		text string
	}{
		"a file":        {func(t *testing.T, dir string) { lay(t, filepath.Join(dir, name), theirs, 0o640) }, "", 0o640, theirs + "more"},
		"an empty file": {func(t *testing.T, dir string) { lay(t, filepath.Join(dir, name), "", 0o666) }, "", 0o666, "more"},
		"no file":       {func(*testing.T, string) {}, "", 0o600, "more"},
		"a link":        {func(t *testing.T, dir string) { link(t, dir, "dot files/mine", name) }, "dot files/mine", 0o644, theirs + "more"},
		"a link to a link": {func(t *testing.T, dir string) {
			link(t, dir, "mine", "second")
			require.NoError(t, os.Symlink("second", filepath.Join(dir, name)))
		}, "mine", 0o644, theirs + "more"},
		"a folder's link":   {func(t *testing.T, dir string) { lay(t, filepath.Join(dir, "real", "x"), "", 0o600) }, "", 0o600, "more"},
		"one that is there": {func(t *testing.T, dir string) { lay(t, filepath.Join(dir, name+".1.tmp"), "not ours", 0o600) }, "", 0o600, "more"},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			c.lay(t, dir)
			path := filepath.Join(dir, name)
			before, err := os.Lstat(path)
			require.NoError(t, userfile.Check(path))
			tried, trialErr := userfile.Change(path, true, added)
			require.NoError(t, trialErr)
			require.Equal(t, c.text, string(tried.After))
			if err != nil {
				require.NoFileExists(t, path, "a trial writes nothing")
			}
			done, err := userfile.Change(path, false, added)
			require.NoError(t, err)
			require.Equal(t, tried, done)
			require.True(t, done.Any())
			real := path
			if c.real != "" {
				real = filepath.Join(dir, c.real)
			}
			data, err := os.ReadFile(real)
			require.NoError(t, err)
			require.Equal(t, c.text, string(data))
			info, err := os.Lstat(real)
			require.NoError(t, err)
			require.Equal(t, c.perm, info.Mode(), "as it was, and for nobody else where there was none")
			if before != nil {
				now, err := os.Lstat(path)
				require.NoError(t, err)
				require.Equal(t, before.Mode(), now.Mode(), "a link stays one")
			}
		})
	}
}

// link lays a file and a link beside it that leads there.
func link(t *testing.T, dir, target, name string) {
	t.Helper()
	lay(t, filepath.Join(dir, target), theirs, 0o644)
	require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
}

func TestFoldersThatAreMissingAreMadeForTheirOwnerAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".config", "research-council", "config.yaml")
	require.NoError(t, userfile.Check(path))
	require.NoDirExists(t, filepath.Join(dir, ".config"))
	_, err := userfile.Change(path, false, becomes("a: 1\n"))
	require.NoError(t, err)
	for _, made := range []string{filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
		info, err := os.Stat(made)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o700), info.Mode().Perm())
	}
}

// What cannot be changed is told, and stays as it is.
func TestWhatCannotBeChangedStays(t *testing.T) {
	for why, layAt := range map[string]func(t *testing.T, path string){
		"is a directory":                 func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o755)) },
		"is not a regular file":          func(t *testing.T, path string) { require.NoError(t, proctest.NamedPipe(path)) },
		"points to gone, which does not": func(t *testing.T, path string) { require.NoError(t, os.Symlink("gone", path)) },
		"a symbolic link that cannot be": func(t *testing.T, path string) { require.NoError(t, os.Symlink(filepath.Base(path), path)) },
		"is not writable (chmod u+w":     func(t *testing.T, path string) { lay(t, path, theirs, 0o444) },
		"larger than 8 MiB": func(t *testing.T, path string) {
			lay(t, path, "", 0o600)
			require.NoError(t, os.Truncate(path, 8<<20+1))
		},
		"not a directory": func(t *testing.T, path string) { lay(t, path, theirs, 0o600) },
	} {
		t.Run(why, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings")
			layAt(t, path)
			before, err := os.Lstat(path)
			require.NoError(t, err)
			asked := path
			if why == "not a directory" {
				asked = filepath.Join(path, "below")
			}
			require.ErrorContains(t, userfile.Check(asked), why)
			_, err = userfile.Change(asked, false, added)
			require.ErrorContains(t, err, why)
			require.ErrorContains(t, err, "; nothing was changed")
			after, err := os.Lstat(path)
			require.NoError(t, err)
			require.True(t, os.SameFile(before, after))
			require.Equal(t, before.Mode(), after.Mode())
			require.Equal(t, before.ModTime(), after.ModTime())
		})
	}
}

func TestAChangeThatFailsOrChangesNothingWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings")
	lay(t, path, theirs, 0o600)
	before, err := os.Stat(path)
	require.NoError(t, err)
	fault := errors.New("it is no JSON")
	_, err = userfile.Change(path, false, func([]byte) ([]byte, error) { return nil, fault })
	require.ErrorIs(t, err, fault)
	require.EqualError(t, err, path+": it is no JSON; nothing was changed")
	done, err := userfile.Change(path, false, func(data []byte) ([]byte, error) {
		require.Equal(t, theirs, string(data))
		return data, nil
	})
	require.NoError(t, err)
	require.False(t, done.Any())
	after, err := os.Stat(path)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after), "it was not even replaced by the same")
	require.Equal(t, before.ModTime(), after.ModTime())
}

func TestAFileThatComesToNothingIsRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings")
	nothing := func([]byte) ([]byte, error) { return nil, nil }
	done, err := userfile.Change(path, false, nothing)
	require.NoError(t, err)
	require.False(t, done.Any(), "there was none")
	lay(t, path, theirs, 0o600)
	done, err = userfile.Change(path, false, nothing)
	require.NoError(t, err)
	require.True(t, done.Any())
	require.NoFileExists(t, path)
}

// A file known by two names is cut off from the other, which is said.
func TestAFurtherNameKeepsTheOldText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings")
	lay(t, path, theirs, 0o600)
	require.NoError(t, os.Link(path, path+".too"))
	done, err := userfile.Change(path, false, added)
	require.NoError(t, err)
	require.True(t, done.CutOff)
	old, err := os.ReadFile(path + ".too")
	require.NoError(t, err)
	require.Equal(t, theirs, string(old))
}

// Whoever makes or removes the file while it is being changed is not written over.
func TestAFileThatComesOrGoesMeanwhileIsLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings")
	_, err := userfile.Change(path, false, func(data []byte) ([]byte, error) {
		lay(t, path, theirs, 0o600)
		return added(data)
	})
	require.ErrorContains(t, err, "was written by another program meanwhile; try again; nothing was changed")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, theirs, string(data))
	_, err = userfile.Change(path, false, func(data []byte) ([]byte, error) {
		require.NoError(t, os.Remove(path))
		return added(data)
	})
	require.ErrorContains(t, err, "was written by another program meanwhile")
	require.NoFileExists(t, path)
}
