package telemetry

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// What this package brings along is in every process of the program, and it
// starts one for each seat.
func TestNoGRPCIsBroughtAlong(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "go.opentelemetry.io/proto/otlp/trace/v1")
	require.NotContains(t, string(out), "google.golang.org/grpc")
}
