package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/fleet/internal/mirror"
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

// Who names a run that nobody has heard of is not kept waiting for it.
func TestARunThatIsNotThereIsSaid(t *testing.T) {
	down := errors.New("the server does not answer")
	knows := func(_ context.Context, run string) (bool, error) {
		if run == "lost" {
			return false, down
		}
		return run == "queued", nil
	}
	missing := func(run string) error {
		return missing(t.Context(), knows, &mirror.Mirror{}, []string{run})
	}
	require.ErrorIs(t, missing("mistyped"), errNoRun)
	require.EqualError(t, missing("queued"), "queued: is not begun yet")
	require.ErrorIs(t, missing("lost"), down)
}
