package doctor

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhetherCommandsAreConfinedIsTold(t *testing.T) {
	x := exam{World: World{Box: func(context.Context) error { return nil }}}
	require.Equal(t, OK, x.box(t.Context())[0].Level)
	x.Box = func(context.Context) error { return errors.New("bubblewrap is not installed") }
	c := x.box(t.Context())[0]
	require.Equal(t, Note, c.Level)
	require.Contains(t, c.Finding, "not confined: bubblewrap is not installed")
}
