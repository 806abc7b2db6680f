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
	"research-council/internal/flow"
	"research-council/internal/journal"
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

// usage is a mistake in what was typed.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

func misuse(format string, args ...any) error { return usage{fmt.Errorf(format, args...)} }

// flagError is what a flag's mistake is called.
func flagError(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return misuse("--%s %q: %w", value.GetFlag().Name, value.GetValue(), value.Unwrap())
	}
	return misuse("%w; `%s --help` lists the flags", err, c.CommandPath())
}

// codeOf is the exit code an error stands for.
func codeOf(err error) int {
	var code exitCode
	var u usage
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &u):
		return codeUsage
	case errors.Is(err, context.Canceled):
		return codeInterrupted
	}
	return codeFailed
}

// ended is the exit code of a run's status.
func ended(s flow.Status) error {
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

// words is one line that names a mistake and, where there is one, the remedy.
func words(err error) string {
	var held *journal.Held
	var damage *journal.Damage
	text := agent.Plain(err.Error(), 2000)
	switch {
	case errors.As(err, &held):
		return fmt.Sprintf("process %d already works on this run; follow it with `council watch`, or end it with `council cancel`", held.Holder.PID)
	case errors.As(err, new(*journal.Foreign)):
		return text
	case errors.As(err, &damage), errors.As(err, new(*flow.Gap)):
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
