package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/host/view"
)

func TestErrorsAreOneLineWithARemedy(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		says string
		code int
	}{
		"usage":       {usage.Errorf("no"), "no", codeUsage},
		"wrapped":     {fmt.Errorf("begin: %w", usage.Errorf("no")), "begin: no", codeUsage},
		"held":        {&journal.LeaseHeld{Holder: journal.Holder{PID: 7}}, "process 7 already works on this run; follow it with", codeFailed},
		"damaged":     {&journal.Damaged{Path: "j", Line: 3}, "j is damaged at line 3; nothing after it can be trusted; restore it", codeFailed},
		"forbidden":   {&os.PathError{Op: "mkdir", Path: "x", Err: fs.ErrPermission}, "give this user write access", codeFailed},
		"read-only":   {&os.PathError{Op: "mkdir", Path: "x", Err: syscall.EROFS}, "choose a folder that can be written", codeFailed},
		"full":        {&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, "make room on the disk", codeFailed},
		"interrupted": {context.Canceled, "context canceled", codeInterrupted},
		"a code":      {errors.Join(exitCode(3)), "exit code 3", 3},
		"hostile":     {errors.New("a\x1b[2J\nb"), "a b", codeFailed},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, view.ErrorLine(c.err), c.says)
			require.NotContains(t, view.ErrorLine(c.err), "\n")
			require.Equal(t, c.code, exitCodeOf(c.err))
		})
	}
	require.Zero(t, exitCodeOf(nil))
}

func TestHowARunEndsIsTheExitCode(t *testing.T) {
	for status, code := range map[flow.Status]int{flow.Completed: 0, flow.Failed: 1, flow.OutOfBudget: 3, flow.Cancelled: 4, flow.NoEvidence: 8} {
		require.Equal(t, code, exitCodeOf(statusExit(status)), status)
	}
}
