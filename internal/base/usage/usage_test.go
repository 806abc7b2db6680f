package usage_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/usage"
)

func TestAMistakeKeepsItsWordsAndItsCause(t *testing.T) {
	err := fmt.Errorf("run: %w", usage.Errorf("no file %q: %w", "a.md", fs.ErrNotExist))
	require.EqualError(t, err, `run: no file "a.md": file does not exist`)
	require.ErrorAs(t, err, &usage.Mistake{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorAs(t, usage.Of(errors.New("no")), &usage.Mistake{})
	require.False(t, errors.As(errors.New("no"), &usage.Mistake{}))
}

func TestACauseIsToldWithoutItsPath(t *testing.T) {
	_, err := os.Open(filepath.Join(t.TempDir(), "missing"))
	require.Equal(t, "no such file or directory", usage.Cause(fmt.Errorf("open: %w", err)).Error())
	other := errors.New("it is no JSON")
	require.Equal(t, other, usage.Cause(other))
}
