package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/workspace"
)

func TestAFileIsDeliveredInsideTheProjectAlone(t *testing.T) {
	project, elsewhere := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(project, "docs"), 0o700))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(project, "link")))
	for name, problem := range map[string]string{
		"report.md": "", "docs/report.md": "",
		"../report.md": "it leads out of the project", filepath.Join(elsewhere, "x.md"): "it leads out of the project",
		"link/report.md": "its folder is not there", "nowhere/report.md": "its folder is not there",
		"docs": "something else than a file stands there", "link": "something else than a file stands there",
	} {
		err := workspace.Inside(project, name)
		if problem != "" {
			require.ErrorContains(t, err, problem, name)
			require.Error(t, workspace.Deliver(project, name, []byte("x")), name)
			continue
		}
		require.NoError(t, err, name)
		for _, text := range []string{"first", "second"} {
			require.NoError(t, workspace.Deliver(project, name, []byte(text)))
			got, err := os.ReadFile(filepath.Join(project, name))
			require.NoError(t, err)
			require.Equal(t, text, string(got))
		}
	}
	left, err := os.ReadDir(elsewhere)
	require.NoError(t, err)
	require.Empty(t, left)
}
