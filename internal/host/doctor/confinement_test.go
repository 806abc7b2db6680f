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
