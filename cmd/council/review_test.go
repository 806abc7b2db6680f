package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// Reviews list files by git, so that their scripts have it in the PATH.
func TestReviewScript(t *testing.T) {
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/review", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			if err := surround(e); err != nil {
				return err
			}
			e.Setenv("PATH", e.Getenv("PATH")+string(filepath.ListSeparator)+filepath.Dir(git))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"refused": refused, "exits": exits, "await": await, "cancel-all": cancelAll},
	})
}
