package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/prepare"
)

func TestRegionsStayInsideTheProject(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(project, "internal", "x"), 0o700))
	for words, want := range map[string]string{"": "", ".": "", "internal/x": "internal/x", "./internal/": "internal", filepath.Join(project, "internal"): "internal"} {
		got, err := reviewTarget(project, words)
		require.NoError(t, err, words)
		require.Equal(t, prepare.Region{Project: project, Under: want}, got, words)
	}
	for _, words := range []string{"..", "../elsewhere", "/", "nowhere", "--since"} {
		_, err := reviewTarget(project, words)
		require.Error(t, err, words)
	}
}
