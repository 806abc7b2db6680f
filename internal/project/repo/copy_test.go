package repo

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/project/repo/repotest"
)

func TestACopyIsTheBytesOfTheFilesAlone(t *testing.T) {
	home, ran := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	repotest.Write(t, home, map[string]string{"key": "canary"})
	dir := repotest.Init(t)
	repotest.Write(t, dir, map[string]string{
		".gitattributes": "*.go filter=evil text eol=crlf ident\n", ".gitignore": "*.log\n", "a.go": "package a // $Id$\n", "made.log": "ignored",
		"sub/deep/b.go": "package deep\r\n", "bin.dat": "\x00\xff\n", "module/.git": "gitdir: " + home + "\n", "module/c.go": "package c\n",
		"Makefile": "all:\n\ttouch " + ran + "\n",
	})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.sh"), []byte("#!/bin/sh\n"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(home, "key"), filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(home, filepath.Join(dir, "home")))
	require.NoError(t, proctest.NamedPipe(filepath.Join(dir, "pipe")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "huge"), nil, 0o600))
	require.NoError(t, os.Truncate(filepath.Join(dir, "huge"), 1<<40))
	for _, name := range []string{"clean", "smudge", "process"} {
		repotest.Git(t, dir, "config", "filter.evil."+name, "touch "+ran+"; cat")
	}
	names := []string{
		".gitattributes", "a.go", "sub/deep/b.go", "bin.dat", "run.sh", "Makefile", "gone.go", "a.go/x",
		"link", "home", "home/key", "pipe", "huge", "module/.git", ".git/config", "../key", "/etc/passwd", "sub",
	}
	to := t.TempDir()
	c, err := Copy(t.Context(), dir, to, names)
	require.NoError(t, err)
	require.Equal(t, 6, c.Files)
	require.Equal(t, []string{"link", "home", "home/key", "pipe", "huge", "module/.git", ".git/config", "../key", "/etc/passwd", "sub"}, c.LeftOut)
	require.NoFileExists(t, ran)
	var there []string
	require.NoError(t, filepath.WalkDir(to, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			require.True(t, d.Type().IsRegular(), p)
			there = append(there, strings.TrimPrefix(p, to+"/"))
		}
		return err
	}))
	require.Equal(t, []string{".gitattributes", "Makefile", "a.go", "bin.dat", "run.sh", "sub/deep/b.go"}, there)
	for _, name := range there {
		was, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		is, err := os.ReadFile(filepath.Join(to, name))
		require.NoError(t, err)
		require.Equal(t, was, is, name)
	}
	info, err := os.Stat(filepath.Join(to, "run.sh"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&0o100, "what could be run still can")
}

func TestACopyHasItsBounds(t *testing.T) {
	dir := t.TempDir()
	repotest.Write(t, dir, map[string]string{"a": "12345", "b": "12345"})
	_, err := copyUpTo(t.Context(), dir, t.TempDir(), []string{"a", "b"}, 10)
	require.NoError(t, err)
	_, err = copyUpTo(t.Context(), dir, t.TempDir(), []string{"a", "b"}, 9)
	require.ErrorContains(t, err, "it has more than")
}
