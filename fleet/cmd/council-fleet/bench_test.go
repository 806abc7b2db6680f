package main

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAStoppedBenchSaysThatItsRunsGoOn(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	asked := 0
	over := func(ctx context.Context) (map[string]string, error) {
		if asked++; asked > 1 {
			t.Fatal("it asks again")
		}
		stop() // Ctrl-C while the server answers
		return map[string]string{"a": ""}, ctx.Err()
	}
	err := awaitRuns(ctx, over, []string{"a", "b", "c"}, io.Discard)
	require.ErrorIs(t, err, errGoesOn)
	require.ErrorContains(t, err, "3 of 3 runs go on")
}
