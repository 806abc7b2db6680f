package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
)

// What the program's exit codes say.
const (
	codeFailed      = 1   // it failed; of filters and checks: something was found, or a line could not be answered
	codeUsage       = 2   // a mistake in what was typed: nothing was begun
	codeBudget      = 3   // a limit ended the run; its report is there
	codeCancelled   = 4   // the run was cancelled; what was found is kept
	codePaused      = 5   // the run waits for a person
	codeFindings    = 6   // a review has found what --fail-on names
	codeUnread      = 7   // a review or an audit is over, and not all of the code or of the sources was read
	codeNoEvidence  = 8   // a council in which no quotation was located; its report is there and says so
	codeInterrupted = 130 // interrupted; council resume goes on
)

// exitCode ends the program with a code when everything has been said.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// untilInterrupted waits for what looks at no signal by itself, and is left where it is
// when a person interrupts it: the program ends then.
func untilInterrupted[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do()
		done <- outcome{value, err}
	}()
	select {
	case <-ctx.Done():
		var nothing T
		return nothing, ctx.Err()
	case o := <-done:
		return o.value, o.err
	}
}

// flagError is what a flag's mistake is called.
func flagError(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return usage.Errorf("--%s %q: %w", value.GetFlag().Name, value.GetValue(), value.Unwrap())
	}
	hint := "`" + c.CommandPath() + " --help` lists the flags"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if name := unknown.GetSpecifiedName(); len(name) > 2 && !f.Hidden && strings.HasPrefix(f.Name, name) {
				hint = "did you mean --" + f.Name + "?"
			}
		})
	}
	return usage.Errorf("%w; %s", err, hint)
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
