package shell_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/project/shell"
)

func TestABoxIsEmptiedWhenItHasGrownTooLarge(t *testing.T) {
	p := settle(t)
	code, said := p.run("mkdir -p ~/go/pkg/mod/dep && echo 0123456789 > ~/go/pkg/mod/dep/a.go && chmod -R a-w ~/go && ln -s / ~/root && echo kept > built.txt && echo t > /tmp/t")
	require.Zero(t, code, said)

	removed, err := p.Trim(1 << 20)
	require.NoError(t, err)
	require.Zero(t, removed, "so much it may keep")
	code, said = p.run("cat ~/go/pkg/mod/dep/a.go")
	require.Zero(t, code, said)

	other, err := shell.Open(t.Context(), p.options)
	require.NoError(t, err)
	removed, err = p.Trim(5)
	require.NoError(t, err)
	require.Zero(t, removed, "another shell is at work in it")
	require.NoError(t, other.Close())

	removed, err = p.Trim(5)
	require.NoError(t, err)
	require.Greater(t, removed, int64(11))
	code, said = p.run("test ! -e ~/go && test ! -e /tmp/t && test ! -e ~/root && echo new > ~/new")
	require.Zero(t, code, said)
	data, err := os.ReadFile(filepath.Join(p.project, "built.txt"))
	require.NoError(t, err)
	require.Equal(t, "kept\n", string(data), "the project is nobody's cache")
}
