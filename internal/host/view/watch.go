package view

import (
	"context"
	"time"

	"github.com/research-council/research-council/internal/engine/status"
)

// pollInterval is how often a watcher looks.
const pollInterval = 500 * time.Millisecond

// Follow tells how a run looks, first and at every change, until it has ended
// or ctx is done, for those who watch without a terminal. The first time was
// is empty.
func Follow(ctx context.Context, look func() (status.Status, error), tell func(was, now status.Status) error) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	var was status.Status
	for {
		now, err := look()
		if err != nil {
			return err
		}
		if err := tell(was, now); err != nil || now.Status != "running" {
			return err
		}
		was = now
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
