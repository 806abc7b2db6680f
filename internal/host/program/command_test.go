package program_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/program"
)

func TestSettingsNameTheLauncher(t *testing.T) {
	bin := t.TempDir()
	built := filepath.Join(bin, "council-x86_64-unknown-linux-musl")
	require.Equal(t, built, program.Env{Self: built}.Command(), "there is no launcher")
	launcher := filepath.Join(bin, "council")
	require.NoError(t, os.WriteFile(launcher, []byte("#!/bin/sh\n"), 0o700))
	require.Equal(t, launcher, program.Env{Self: built}.Command())
	require.Equal(t, launcher, program.Env{Self: launcher}.Command())
	other := filepath.Join(bin, "librarian")
	require.Equal(t, other, program.Env{Self: other}.Command())
}
