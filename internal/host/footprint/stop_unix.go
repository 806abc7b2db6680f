//go:build unix

package footprint

import (
	"syscall"

	"github.com/research-council/research-council/internal/base/proc"
)

func askToStop(id proc.Identity) error {
	if !id.Alive() {
		return nil
	}
	return syscall.Kill(id.PID, syscall.SIGTERM)
}
