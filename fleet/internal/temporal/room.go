package temporal

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/worker"
)

// room is how many runs a worker carries at once, whatever queues they come from: a
// place each.
type room chan struct{}

// take takes a place; false where there is none.
func (r room) take() bool {
	select {
	case r <- struct{}{}:
		return true
	default:
		return false
	}
}

func (r room) give() { <-r }

// asking is how often one queue is asked for a run at a time: while there is room, as
// often as the server cuts a queue into parts, or runs in those that nobody asks would wait. Asking takes
// no place, or queues without runs would hold those that others need; so more runs may
// come than there are places, and those are given back.
type asking struct {
	room room
	shut func() bool // nothing is taken from this queue now
	mu   sync.Mutex
	out  map[*worker.SlotPermit]bool // questions that are not answered yet
}

// questions of one queue that are not answered yet, at most.
const questions = 4

const lookForRoom = 50 * time.Millisecond

// ReserveSlot waits until the queue may be asked.
func (a *asking) ReserveSlot(ctx context.Context, _ worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	tick := time.NewTicker(lookForRoom)
	defer tick.Stop()
	for {
		if p := a.ask(); p != nil {
			return p, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

func (a *asking) ask() *worker.SlotPermit {
	if a.shut() {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.out) == questions || len(a.room) == cap(a.room) {
		return nil
	}
	p := &worker.SlotPermit{}
	a.out[p] = true
	return p
}

func (a *asking) answered(p *worker.SlotPermit) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.out, p)
}

// MarkSlotUsed says that a run has come.
func (a *asking) MarkSlotUsed(info worker.SlotMarkUsedInfo) { a.answered(info.Permit()) }

// ReleaseSlot says that none has come, or that one is over.
func (a *asking) ReleaseSlot(info worker.SlotReleaseInfo) { a.answered(info.Permit()) }

// TryReserveSlot is for runs that come unasked; there are none.
func (a *asking) TryReserveSlot(worker.SlotReservationInfo) *worker.SlotPermit { return nil }

// MaxSlots is not known of one queue.
func (a *asking) MaxSlots() int { return 0 }
