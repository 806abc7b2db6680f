package journal

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A sync that a signal cuts off is made again; what else it says is said on.
func TestASignalDoesNotBreakASync(t *testing.T) {
	for _, last := range []error{nil, syscall.EIO} {
		said := []error{syscall.EINTR, syscall.EINTR, last}
		calls := 0
		err := retryInterrupted(func() error {
			calls++
			return said[calls-1]
		})
		require.Equal(t, last, err)
		require.Equal(t, 3, calls)
	}
}
