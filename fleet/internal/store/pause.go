package store

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Paused is what nothing new is begun of.
type Paused struct {
	All   bool     `json:"all,omitempty"`
	Seats []string `json:"seats,omitempty"`
}

// Covers reports whether a run that needs these seats is not to be begun.
func (p Paused) Covers(seats []string) bool {
	return p.All || slices.ContainsFunc(seats, func(s string) bool { return slices.Contains(p.Seats, s) })
}

const (
	pausedAll  = "paused/all"
	pausedSeat = "paused/seat"
)

func pausedName(seat string) string {
	if seat == "" {
		return pausedAll
	}
	return path.Join(pausedSeat, seat)
}

// Pause has nothing new begun that needs a seat; "" is the whole fleet.
func (s *Store) Pause(ctx context.Context, seat string) error {
	if err := s.bucket.Put(ctx, pausedName(seat), []byte("paused"), false); err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	return nil
}

// Resume takes a [Store.Pause] back.
func (s *Store) Resume(ctx context.Context, seat string) error {
	if err := s.bucket.Delete(ctx, pausedName(seat)); err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	return nil
}

// Paused is what is paused now.
func (s *Store) Paused(ctx context.Context) (p Paused, err error) {
	names, err := s.bucket.List(ctx, "paused/")
	if err != nil {
		return p, fmt.Errorf("ask what is paused: %w", err)
	}
	for _, n := range names {
		if seat, is := strings.CutPrefix(n, pausedSeat+"/"); is {
			p.Seats = append(p.Seats, seat)
		}
	}
	p.All = slices.Contains(names, pausedAll)
	return p, nil
}
