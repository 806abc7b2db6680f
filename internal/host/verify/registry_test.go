package verify_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/verify"
)

// A registry is read as whoever works on the run reads it, in a copy under
// another name too; what cannot be read is said.
func TestTheRegistryIsReadOrSaysWhyNot(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "registry.json")
	require.NoError(t, os.WriteFile(outside, []byte(`{"claims": []}`), 0o600))
	for name, c := range map[string]struct {
		lay    func(file string) error
		claims int
		says   string
	}{
		"none, since the run ended before": {lay: func(string) error { return nil }},
		"one claim": {lay: func(f string) error {
			return os.WriteFile(f, []byte(`{"entries": [{"id": "C1", "claim": "It is so."}]}`), 0o600)
		}, claims: 1},
		"cut short":             {lay: func(f string) error { return os.WriteFile(f, []byte(`{"entries": [{"id"`), 0o600) }, says: "read registry"},
		"a folder":              {lay: func(f string) error { return os.Mkdir(f, 0o700) }, says: "it is no file"},
		"a link that leads out": {lay: func(f string) error { return os.Symlink(outside, f) }, says: "escapes"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, "backup", chained(t, history()))
			require.NoError(t, c.lay(filepath.Join(dir, claim.RegistryFile)))
			got, err := verify.Run(dir)
			require.NoError(t, err)
			require.Equal(t, c.claims, got.Claims)
			if c.says == "" {
				require.Empty(t, got.Problems)
				return
			}
			require.Len(t, got.Problems, 1)
			require.Equal(t, claim.RegistryFile, got.Problems[0].Place)
			require.Contains(t, got.Problems[0].What, c.says)
			require.NotContains(t, got.Problems[0].What, dir)
		})
	}
}
