package footprint

import (
	"errors"

	"github.com/research-council/research-council/internal/base/proc"
)

func askToStop(proc.Identity) error {
	return errors.New("on Windows no process can be asked to stop: council cancel ends a run")
}
