package readers

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatWasFetchedIsKept(t *testing.T) {
	const done = "node_modules/.package-lock.json"
	for name, c := range map[string]struct {
		before map[string]string // files of the folder
		want   string            // whose installation it has afterwards
	}{
		"nothing was there":           {nil, "ours"},
		"another was first":           {map[string]string{done: "theirs"}, "theirs"},
		"an installation was cut off": {map[string]string{"node_modules/a/half.js": "x"}, "ours"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, aside := t.TempDir(), t.TempDir()
			for file, text := range c.before {
				laid(t, filepath.Join(dir, file), text)
			}
			laid(t, filepath.Join(aside, done), "ours")
			require.NoError(t, keep(aside, dir))
			got, err := os.ReadFile(filepath.Join(dir, done))
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
			require.NoFileExists(t, filepath.Join(dir, "node_modules", "a", "half.js"))
		})
	}
}

func laid(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}
