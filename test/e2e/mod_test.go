package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTheModKeepsItsPromises runs what the host has for testing mods: each test of
// testdata/council.test.ts in an environment like the one the mod's hooks run in.
func TestTheModKeepsItsPromises(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mod := filepath.Join(w.root, "mod")
	for _, dir := range []string{".claude-plugin", "hooks", "commands"} {
		require.NoError(t, os.CopyFS(filepath.Join(mod, dir), os.DirFS(filepath.Join(plugin, dir))))
	}
	tests, err := os.ReadFile(filepath.Join("testdata", "council.test.ts"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(mod, "hooks", "council.test.ts"), tests, 0o600))
	r := w.done(w.program(2*time.Minute, filepath.Join(w.root, "bin", "claude"), "plugin", "test", mod))
	require.Zero(t, r.code, r.out+r.errs)
	require.Contains(t, r.out, " 0 fail")
}
