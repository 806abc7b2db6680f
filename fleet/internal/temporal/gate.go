package temporal

import (
	"context"
	"sync"

	"github.com/research-council/research-council/fleet/internal/store"
)

// gate is what a worker takes no run of.
type gate struct {
	mu     sync.Mutex
	paused store.Paused
	drains bool
	drain  chan struct{} // closed once the worker is to take nothing new
}

func newGate() *gate { return &gate{drain: make(chan struct{})} }

// pause takes in what is paused now.
func (g *gate) pause(p store.Paused) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.paused = p
}

// shut reports whether nothing is taken of a queue: a run that is begun is taken while it is
// paused, by a worker that does not drain.
func (g *gate) shut(seats []string, begun bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.drains || !begun && g.paused.Covers(seats)
}

// close has the worker take nothing new any more.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.drains {
		g.drains = true
		close(g.drain)
	}
}

// why a run that has come is given back; "" where it is taken. What is paused is asked
// of the store, so that nothing is begun after a pause was answered.
func (g *gate) why(ctx context.Context, s *store.Store, seats []string, begun bool) string {
	if !begun {
		p, err := s.Paused(ctx)
		if err != nil {
			return err.Error()
		}
		g.pause(p)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.drains:
		return "the worker it came to takes nothing new"
	case !begun && g.paused.Covers(seats):
		return "it is paused"
	}
	return ""
}
