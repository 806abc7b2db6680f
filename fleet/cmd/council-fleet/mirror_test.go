package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A folder has one mirror; whoever shows runs beside another gets a folder of their own.
func TestAFolderHasOneMirror(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shown")
	var one, other, third mirroring
	require.NoError(t, one.take(dir))
	defer one.kept.Close()
	require.ErrorIs(t, other.take(dir), errKept)
	require.NoError(t, other.takeOwn(dir))
	require.Equal(t, dir+"-2", other.to)
	require.NoError(t, other.kept.Close())
	require.NoError(t, third.takeOwn(dir))
	require.Equal(t, dir+"-2", third.to)
	require.NoError(t, third.kept.Close())
}

func TestWhatIsWrongWithARunIsSaidOnce(t *testing.T) {
	var out strings.Builder
	told := sayOnce{&out, map[string]string{}}
	for range 3 {
		told.say("a", "is not begun yet")
		told.say("b", "is damaged")
	}
	told.say("a", "is damaged")
	require.Equal(t, "a: is not begun yet\nb: is damaged\na: is damaged\n", out.String())
}
