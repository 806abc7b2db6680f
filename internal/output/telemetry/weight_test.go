package telemetry

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// What this package brings along is in every process of the program, and it
// starts one for each seat.
func TestNoProtobufIsBroughtAlong(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "github.com/research-council/research-council/internal/output/telemetry")
	require.NotContains(t, string(out), "google.golang.org/")
}
