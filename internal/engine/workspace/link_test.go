package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/workspace"
)

// Whoever lays a link where a file is written beside its place changes nothing
// behind the link.
func TestNoLinkIsFollowedOnTheWay(t *testing.T) {
	project := t.TempDir()
	precious := filepath.Join(project, "precious.txt")
	require.NoError(t, os.WriteFile(precious, []byte("precious"), 0o600))
	for _, name := range []string{"out.md.new", "out.md.council-new"} {
		require.NoError(t, os.Symlink("precious.txt", filepath.Join(project, name)))
	}
	require.NoError(t, workspace.WriteUserFile(project, "out.md", []byte("report"), workspace.Replaceable{}))
	for name, want := range map[string]string{precious: "precious", filepath.Join(project, "out.md"): "report"} {
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	root, err := os.OpenRoot(project)
	require.NoError(t, err)
	defer root.Close()
	require.NoError(t, workspace.Replace(root, "run.sh", []byte("#!/bin/sh\n"), 0o755))
	info, err := os.Stat(filepath.Join(project, "run.sh"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o755), info.Mode().Perm())
}
