package doctor

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhetherCommandsAreConfinedIsTold(t *testing.T) {
	x := exam{Machine: Machine{Confine: func(context.Context) error { return nil }}}
	require.Equal(t, OK, x.checkConfinement(t.Context())[0].Level)
	x.Confine = func(context.Context) error { return errors.New("bubblewrap is not installed") }
	c := x.checkConfinement(t.Context())[0]
	require.Equal(t, Note, c.Level)
	require.Contains(t, c.Finding, "not confined: bubblewrap is not installed")
}

func TestWhatCannotBeConfinedIsToldByItsSystem(t *testing.T) {
	for system, want := range map[string]struct{ finding, remedy string }{
		"linux":   {"tests run with your rights, init.sh is not run", "install bubblewrap"},
		"darwin":  {"tests run with your rights, init.sh is not run", "on Linux"},
		"windows": {"a campaign's tests and init.sh cannot be run: they need a Unix shell", "WSL"},
	} {
		x := exam{Subject: Subject{OS: system}, Machine: Machine{Confine: func(context.Context) error { return errors.New("there is no box") }}}
		c := x.checkConfinement(t.Context())[0]
		require.Contains(t, c.Finding, "experiments and the tests of a second look are refused", system)
		require.Contains(t, c.Finding, want.finding, system)
		require.Contains(t, c.Remedy, want.remedy, system)
	}
}
