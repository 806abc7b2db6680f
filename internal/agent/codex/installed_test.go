package codex

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhereCodexIsInstalled(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	lay := func(name string) string {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o700))
		return path
	}
	link := func(to, name string) string {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.Symlink(to, path))
		return path
	}
	script := lay("lib/node_modules/@openai/codex/bin/codex.js")
	alone := lay("opt/codex/codex")
	for program, want := range map[string]string{
		alone:                         "opt/codex",
		link(alone, "bin/alone"):      "opt/codex",
		script:                        "lib/node_modules/@openai",
		link(script, "bin/codex"):     "lib/node_modules/@openai",
		filepath.Join(root, "none/x"): "none",
	} {
		require.Equal(t, filepath.Join(root, want), installFolder(program), program)
	}
}
