package workspace_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/workspace"
)

func TestWhyARunIsPausedIsWrittenInPlace(t *testing.T) {
	f, err := workspace.Create(t.TempDir(), "20260222-143000-a1b2c3")
	require.NoError(t, err)
	defer f.Close()
	require.Empty(t, f.PausedReason(), "nothing was laid down")
	require.NoError(t, f.ClearPaused())
	require.Empty(t, f.PausedReason())
	before, err := os.Stat(f.Join(workspace.Paused))
	require.NoError(t, err)
	require.NoError(t, f.WritePaused("the disk is full"))
	require.Equal(t, "the disk is full", f.PausedReason())
	require.NoError(t, f.WritePaused(strings.Repeat("x", 9000)))
	after, err := os.Stat(f.Join(workspace.Paused))
	require.NoError(t, err)
	require.Equal(t, before.Size(), after.Size(), "however much there is to say")
	require.True(t, os.SameFile(before, after))
	require.NoError(t, f.ClearPaused())
	require.Empty(t, f.PausedReason())
}

func TestADiskWithoutRoomSaysSo(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, workspace.Room(dir, 0))
	require.ErrorIs(t, workspace.Room(dir, 1<<62), syscall.ENOSPC)
	require.ErrorIs(t, workspace.Room(dir+"/none", 0), os.ErrNotExist)
}
