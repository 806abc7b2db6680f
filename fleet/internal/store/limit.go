package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"time"
)

// Limit bounds what all runs of the fleet do with a vendor together; 0 bounds nothing.
type Limit struct {
	Turns int     `json:"turns_a_minute,omitempty"`
	USD   float64 `json:"usd_a_day,omitempty"` // days are those of UTC
}

const (
	limits = "limits"
	slots  = "slots"
	spent  = "spent"
)

// SetLimit bounds a vendor from now on; the zero limit takes an earlier one back.
func (s *Store) SetLimit(ctx context.Context, vendor string, l Limit) error {
	name := path.Join(limits, vendor)
	if l == (Limit{}) {
		return s.bucket.Delete(ctx, name)
	}
	data, err := json.Marshal(l)
	if err == nil {
		err = s.bucket.Put(ctx, name, data, false)
	}
	if err != nil {
		return fmt.Errorf("limit %s: %w", vendor, err)
	}
	return nil
}

// Limit of a vendor; the zero one where there is none.
func (s *Store) Limit(ctx context.Context, vendor string) (l Limit, err error) {
	data, err := s.bucket.Get(ctx, path.Join(limits, vendor))
	if errors.Is(err, ErrNone) {
		return l, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &l)
	}
	if err != nil {
		return l, fmt.Errorf("read the limit of %s: %w", vendor, err)
	}
	return l, nil
}

// Limited are the vendors that have a limit.
func (s *Store) Limited(ctx context.Context) ([]string, error) {
	names, err := s.bucket.List(ctx, limits+"/")
	for i, n := range names {
		names[i] = path.Base(n)
	}
	return names, err
}

// Block is how many places in time are listed together.
const Block = 1000

// slotName of the n-th place in time for a turn: places of a vendor stand at equal distances,
// counted from 1970.
func slotName(vendor string, distance time.Duration, n int64) string {
	return blockName(vendor, distance, n/Block) + strconv.FormatInt(n, 10)
}

func blockName(vendor string, distance time.Duration, block int64) string {
	return path.Join(slots, vendor, strconv.FormatInt(distance.Microseconds(), 10), strconv.FormatInt(block, 10)) + "/"
}

// TakeSlot takes a place in time, which one worker alone can; false where another has it.
func (s *Store) TakeSlot(ctx context.Context, vendor string, distance time.Duration, n int64) (bool, error) {
	err := s.bucket.Put(ctx, slotName(vendor, distance, n), []byte("taken"), true)
	if errors.Is(err, ErrThere) {
		return false, nil
	}
	return err == nil, err
}

// Slots are the places of a vendor that are taken of a block (the n-th has those from
// n×[Block]), those too that are over.
func (s *Store) Slots(ctx context.Context, vendor string, distance time.Duration, block int64) (map[int64]bool, error) {
	names, err := s.bucket.List(ctx, blockName(vendor, distance, block))
	if err != nil {
		return nil, err
	}
	taken := make(map[int64]bool, len(names))
	for _, name := range names {
		if n, err := strconv.ParseInt(path.Base(name), 10, 64); err == nil {
			taken[n] = true
		}
	}
	return taken, nil
}

// ForgetSlots deletes places of a vendor.
func (s *Store) ForgetSlots(ctx context.Context, vendor string, distance time.Duration, list []int64) error {
	for _, n := range list {
		if err := s.bucket.Delete(ctx, slotName(vendor, distance, n)); err != nil {
			return err
		}
	}
	return nil
}

// spentName of what a worker has spent with a vendor on a day.
func spentName(vendor, day, worker string) string {
	return path.Join(spent, vendor, day, url.PathEscape(worker)) // a/b and a_b are two
}

// SetSpent says what a worker has spent with a vendor on a day, as 2026-11-26, in USD.
func (s *Store) SetSpent(ctx context.Context, vendor, day, worker string, usd float64) error {
	if err := s.bucket.Put(ctx, spentName(vendor, day, worker), []byte(strconv.FormatFloat(usd, 'f', -1, 64)), false); err != nil {
		return fmt.Errorf("note what %s has cost: %w", vendor, err)
	}
	return nil
}

// Spent is what all workers have spent with a vendor on a day, and what one of them has of it,
// in USD.
func (s *Store) Spent(ctx context.Context, vendor, day, worker string) (all, own float64, err error) {
	names, err := s.bucket.List(ctx, path.Join(spent, vendor, day)+"/")
	if err != nil {
		return 0, 0, fmt.Errorf("ask what %s has cost: %w", vendor, err)
	}
	for _, name := range names {
		data, err := s.bucket.Get(ctx, name)
		if err != nil {
			return 0, 0, fmt.Errorf("ask what %s has cost: %w", vendor, err)
		}
		usd, err := strconv.ParseFloat(string(data), 64)
		if err != nil {
			return 0, 0, fmt.Errorf("ask what %s has cost: %s: %w", vendor, name, err)
		}
		if all += usd; name == spentName(vendor, day, worker) {
			own = usd
		}
	}
	return all, own, nil
}
