package allowance_test

import (
	"context"
	"math"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/allowance"
	"github.com/research-council/research-council/internal/engine/allowance/allowancetest"
)

func serve(t *testing.T, s *allowancetest.Shared) (path string, server *http.Server) {
	path = filepath.Join(t.TempDir(), "turns")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	server = &http.Server{Handler: allowance.Handler(s)}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return path, server
}

func TestATurnWaitsUntilItMayBegin(t *testing.T) {
	s := allowancetest.New()
	path, _ := serve(t, s)
	why := make(chan string, 1)
	ended := make(chan error)
	go func() { ended <- allowance.At(path).Await(t.Context(), "a vendor & co", func(w string) { why <- w }) }()
	require.Equal(t, "waits for a vendor & co", <-why)
	select {
	case err := <-ended:
		t.Fatal("it began: ", err)
	case <-time.After(50 * time.Millisecond):
	}
	s.Open()
	require.NoError(t, <-ended)
}

// Who shares out turns may go and come back: that is no leave to begin.
func TestAnAnswerThatEndsIsAskedForAgain(t *testing.T) {
	path, server := serve(t, allowancetest.New())
	why := make(chan string, 100)
	ended := make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { ended <- allowance.At(path).Await(ctx, "v", func(w string) { why <- w }) }()
	require.Equal(t, "waits for v", <-why)
	require.NoError(t, server.Close())
	require.Contains(t, <-why, "waits for who shares out turns: ")
	require.Contains(t, <-why, "connect: no such file")
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

func TestWhatIsSpentIsSaid(t *testing.T) {
	s := allowancetest.New()
	s.Fail(2)
	path, _ := serve(t, s)
	c := allowance.At(path)
	require.NoError(t, c.Spent(t.Context(), "v", 0.25), "the third try is taken")
	require.NoError(t, c.Spent(t.Context(), "v", 0.000001))
	require.InDelta(t, 0.250001, s.Cost("v"), 1e-12)
	for _, usd := range []float64{-1, math.NaN(), math.Inf(1)} {
		require.Error(t, c.Spent(t.Context(), "v", usd))
	}
	require.InDelta(t, 0.250001, s.Cost("v"), 1e-12)
	require.ErrorContains(t, allowance.At(filepath.Join(t.TempDir(), "none")).Spent(t.Context(), "v", 1), "say what a turn has cost")
	require.Nil(t, allowance.At(""))
}
