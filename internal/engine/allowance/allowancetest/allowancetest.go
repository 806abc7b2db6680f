// Package allowancetest is an allowance that tests open.
package allowancetest

import (
	"context"
	"errors"
	"sync"
)

// Shared lets turns begin once it is opened, and keeps what they cost.
type Shared struct {
	open chan struct{}

	mu    sync.Mutex
	spent map[string]float64
	fails int
}

// New is one that is shut.
func New() *Shared { return &Shared{open: make(chan struct{}), spent: map[string]float64{}} }

// Open lets turns begin.
func (s *Shared) Open() { close(s.open) }

// Fail has the next calls of Spent fail.
func (s *Shared) Fail(times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = times
}

// Cost is what was spent with a vendor, in USD.
func (s *Shared) Cost(vendor string) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spent[vendor]
}

// Await waits until it is opened, and says so.
func (s *Shared) Await(ctx context.Context, vendor string, told func(string)) error {
	told("waits for " + vendor)
	select {
	case <-s.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Spent adds what a turn has cost.
func (s *Shared) Spent(_ context.Context, vendor string, usd float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails--; s.fails >= 0 {
		return errors.New("not now")
	}
	s.spent[vendor] += usd
	return nil
}
