package checkpoint_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/checkpoint"
)

// FuzzIndex finds any bytes where the index ought to be: what cannot be read is
// refused, and never written over.
func FuzzIndex(f *testing.F) {
	for _, text := range []string{"", "null", "[]", `{"checkpoints":null}`, "\x00", `{"checkpoints":[{"stamp":"../../x","bytes":-1}]}`, `{"lines":[{"name":"20260222T120000.000Z","bytes":9223372036854775807,"sum":"AA==","pieces":[{"name":"/etc/passwd","bytes":-1}]}]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, index []byte) {
		p := open(t, t.TempDir(), checkpoint.Default())
		name := filepath.Join(p.dir, "index.json")
		require.NoError(t, os.WriteFile(name, index, 0o600))
		p.grow(t, "a line\n")
		saved, err := p.try(context.Background(), t)
		if err != nil {
			left, read := os.ReadFile(name)
			require.NoError(t, read)
			require.Equal(t, index, left)
			return
		}
		p.holds(t, saved.Checkpoint, "a line\n")
	})
}
