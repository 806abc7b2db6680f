package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/project/top"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/session"
)

// A session, or a person, in a folder below the top of a repository is in that
// repository's project, however they came there.
func TestTheProjectOfAFolder(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"repo/.git", "repo/app/web", "repo/inner/.git", "repo/inner/x", "none/src", "links"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for _, repository := range []string{"repo", "repo/inner"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, repository, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(root, "boxed/.git"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "boxed/src"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(root, "tree"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "tree", ".git"), []byte("gitdir: ../repo/.git/worktrees/tree\n"), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(root, "tree", "src"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(root, "repo/app/web"), filepath.Join(root, "links/web")))
	for folder, want := range map[string]string{
		"repo": "repo", "repo/app/web": "repo", "repo/inner": "repo/inner", "repo/inner/x": "repo/inner", "links/web": "repo", "none/src": "none/src", "tree/src": "tree",
		"boxed/src": "boxed/src", // an empty .git is no repository
	} {
		dir := filepath.Join(root, folder)
		require.Equal(t, filepath.Join(root, want), top.Of(dir), folder)
		for _, variable := range []string{dir, ""} {
			e := program.Env{Dir: dir, Getenv: func(name string) string { return map[string]string{"CLAUDE_PROJECT_DIR": variable}[name] }}
			require.Equal(t, filepath.Join(root, want), session.NewDesk(e).Project, folder)
			c := rootCommand(e)
			require.NoError(t, c.ParseFlags(nil))
			project, err := projectForNewRun(c, e)
			require.NoError(t, err)
			require.Equal(t, filepath.Join(root, want), project, folder)
		}
	}
}
