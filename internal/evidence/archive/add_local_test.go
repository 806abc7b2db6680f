package archive_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/archive"
)

func TestALocalFileIsKeptAsItWas(t *testing.T) {
	dir := t.TempDir()
	a, err := archive.Open(dir, archive.Options{})
	require.NoError(t, err)
	first, err := a.AddLocal(t.Context(), "docs/a.md:3-5", []byte("one"))
	require.NoError(t, err)
	again, err := a.AddLocal(t.Context(), "docs/a.md", []byte("one"))
	require.NoError(t, err)
	require.Equal(t, first, again, "lines do not make another source")
	later, err := a.AddLocal(t.Context(), "docs/a.md", []byte("two"))
	require.NoError(t, err)
	require.NotEqual(t, first.Text, later.Text)
	for _, s := range []archive.Snapshot{first, later} {
		_, err := a.Text(s)
		require.NoError(t, err, "what was quoted once can be read again")
	}
	require.Len(t, a.Snapshots(), 1)
	require.Empty(t, a.Check())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data", first.Body), []byte("onE"), 0o600))
	require.Len(t, a.Check(), 1)
}
