//go:build linux

package confine

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// However deep the folder of temporary files lies, the box has its way out.
func TestASocketsPathMayBeLong(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("deep/", 40))
	require.NoError(t, os.MkdirAll(dir, 0o700))
	path := filepath.Join(dir, "proxy")
	require.Greater(t, len(path), 108)
	p, err := Listen(path, nil, nil)
	require.NoError(t, err)
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, os.ModeSocket, info.Mode().Type())
	t.Chdir(dir)
	c, err := net.Dial("unix", "proxy")
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.NoError(t, p.Close())
}
