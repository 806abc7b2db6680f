package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"research-council/internal/engine/supervisor"
	"research-council/internal/host/prepare"
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

func TestRegionsStayInsideTheProject(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(project, "internal", "x"), 0o700))
	for words, want := range map[string]string{"": "", ".": "", "internal/x": "internal/x", "./internal/": "internal", filepath.Join(project, "internal"): "internal"} {
		got, err := sessionReviewTarget(project, words)
		require.NoError(t, err, words)
		require.Equal(t, prepare.Region{Project: project, Under: want}, got, words)
	}
	for _, words := range []string{"..", "../elsewhere", "/", "nowhere", "--since"} {
		_, err := sessionReviewTarget(project, words)
		require.Error(t, err, words)
	}
}

func TestWhatLiesOutsideIsSaid(t *testing.T) {
	done := supervisor.Reviewed{Files: 1, Outside: map[string]int{"bug-hunter": 1, "stack-reviewer": 2}}
	require.Contains(t, findingsLine(done), "0 findings: ")
	require.Contains(t, findingsLine(done), "; 3 more outside of what was reviewed")
	require.NotContains(t, findingsLine(supervisor.Reviewed{Files: 1}), "outside")
	require.NotContains(t, findingsLine(supervisor.Reviewed{}), "findings", "where nothing was read, nothing was found out")
}
