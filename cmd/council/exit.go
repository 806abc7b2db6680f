package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"research-council/internal/agent"
	"research-council/internal/base/usage"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/journal"
)

// What the program's exit codes say.
const (
	codeFailed      = 1
	codeUsage       = 2
	codeBudget      = 3
	codeCancelled   = 4
	codePaused      = 5 // the run waits for a person
	codeFindings    = 6 // a review has found what it was to fail on
	codeUnread      = 7 // a review or an audit is over, and not all of the code or of the sources was read
	codeNoEvidence  = 8 // a council in which no quotation was located
	codeInterrupted = 130
)

// exitCode ends the program with a code when everything has been said.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// flagError is what a flag's mistake is called.
func flagError(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return usage.Errorf("--%s %q: %w", value.GetFlag().Name, value.GetValue(), value.Unwrap())
	}
	return usage.Errorf("%w; `%s --help` lists the flags", err, c.CommandPath())
}

// exitCodeOf is the exit code an error stands for.
func exitCodeOf(err error) int {
	var code exitCode
	var typed usage.Mistake
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &typed):
		return codeUsage
	case errors.Is(err, context.Canceled):
		return codeInterrupted
	}
	return codeFailed
}

// statusExit is the exit code of a run's status.
func statusExit(s flow.Status) error {
	switch s {
	case flow.Completed:
		return nil
	case flow.NoEvidence:
		return exitCode(codeNoEvidence)
	case flow.OutOfBudget:
		return exitCode(codeBudget)
	case flow.Cancelled:
		return exitCode(codeCancelled)
	}
	return exitCode(codeFailed)
}

// errorLine is one line that names a mistake and, where there is one, the remedy.
func errorLine(err error) string {
	var held *journal.LeaseHeld
	var damage *journal.Damaged
	text := agent.PlainLine(err.Error(), 2000)
	switch {
	case errors.As(err, &held):
		return fmt.Sprintf("process %d already works on this run; follow it with `council watch`, or end it with `council cancel`", held.Holder.PID)
	case errors.As(err, new(*journal.ForeignFormat)):
		return text
	case errors.As(err, &damage), errors.As(err, new(*flow.JournalGap)):
		return text + "; restore it from a copy, or begin a new run (nothing has been changed)"
	case errors.Is(err, fs.ErrPermission):
		return text + "; give this user write access, or choose another folder with --project"
	case errors.Is(err, syscall.EROFS):
		return text + "; choose a folder that can be written with --project"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return text + "; make room on the disk and try again (`council resume` goes on with a run)"
	}
	return text
}
