// Package share has the runs of all workers keep the limits of the fleet: turns a minute and
// money a day, by vendor.
//
// A minute is cut into places at equal distances. Whoever begins a turn takes the next place
// that is free, by writing a name that can be written once, and waits until its time has
// come. So no minute holds more turns than are allowed, whichever workers they come from,
// and nobody has to be asked but the store. Clocks of workers have to agree to about a second.
//
// Money is counted when a turn ends: turns under way when the limit is reached go on. A turn that
// waits long looks now and then whether the limit is another.
package share

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"sync"
	"time"

	"github.com/research-council/research-council/fleet/internal/store"
)

// Share is what one worker takes of the fleet's limits.
type Share struct {
	store  *store.Store
	worker string

	mu      sync.Mutex
	vendors map[string]*vendor
}

// New is the share of a worker.
func New(s *store.Store, worker string) *Share {
	return &Share{store: s, worker: worker, vendors: map[string]*vendor{}}
}

// vendor is what this worker knows of one. Whoever asks the store about it has it alone.
type vendor struct {
	alone chan struct{}
	name  string
	next  map[time.Duration]int64   // by the distance of places: those before it this worker need not try
	mine  map[time.Duration][]int64 // those it has had, and has not deleted
	full  map[time.Duration]int64   // the last block in which none is free from now on
}

func (s *Share) vendor(name string) *vendor {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vendors[name] == nil {
		s.vendors[name] = &vendor{alone: make(chan struct{}, 1), name: name, next: map[time.Duration]int64{}, mine: map[time.Duration][]int64{}, full: map[time.Duration]int64{}}
	}
	return s.vendors[name]
}

func (v *vendor) take(ctx context.Context) error {
	select {
	case v.alone <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (v *vendor) give() { <-v.alone }

const (
	askAgain    = 2 * time.Second  // a store that fails
	lookAgain   = 10 * time.Second // whether a day is over, or a limit raised
	lookAtLimit = time.Minute      // while a turn waits for its place
	keepFor     = 2 * time.Minute  // places that are over: the clocks of two workers never differ by that

	forgetAtOnce = 4
	slack        = 1.02 // turns come this much slower than allowed: processes start late by different times
)

// MostTurns a minute that can be told apart.
const MostTurns = 6000

// IsVendor reports whether a vendor of this name can have a limit.
func IsVendor(name string) bool { return vendorName.MatchString(name) }

var vendorName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$`)

// Distance between the places of turns.
func Distance(turns int) time.Duration {
	return time.Duration(float64(time.Minute) * slack / float64(turns)).Round(time.Microsecond)
}

// Await waits until a turn of a vendor may begin; told hears why it waits. An error is that of
// ctx.
func (s *Share) Await(ctx context.Context, name string, told func(why string)) error {
	if !IsVendor(name) {
		return nil
	}
	v := s.vendor(name)
	for {
		p, why, err := s.admit(ctx, v, time.Now())
		wait := lookAgain
		if err != nil {
			wait, why = askAgain, "waits for the fleet's store: "+err.Error()
		}
		if why != "" {
			told(why)
			if err := sleep(ctx, wait); err != nil {
				return err
			}
			continue
		}
		if wait := time.Until(p.begins); wait > time.Second {
			told(fmt.Sprintf("begins in %s, as the fleet's limit of turns of %s allows", wait.Round(time.Second), name))
		}
		if begins, err := s.waitFor(ctx, v, p); begins || err != nil {
			return err
		}
	}
}

// admitted is when a turn may begin, and the limit by which it may.
type admitted struct {
	begins time.Time
	turns  int // a minute
}

// waitFor waits until an admitted turn begins. It does not where the limit of turns has
// changed, or the money of the day is spent meanwhile: then its place is nobody's.
func (s *Share) waitFor(ctx context.Context, v *vendor, p admitted) (begins bool, err error) {
	long := false
	for ; time.Until(p.begins) > lookAtLimit; long = true {
		if err := sleep(ctx, lookAtLimit); err != nil {
			return false, err
		}
		if l, err := s.store.Limit(ctx, v.name); err == nil && l.Turns != p.turns {
			return false, nil
		}
	}
	if err := sleep(ctx, time.Until(p.begins)); err != nil || !long {
		return err == nil, err
	}
	for {
		_, why, err := s.spent(ctx, v, time.Now())
		if err == nil {
			return why == "", nil
		}
		if err := sleep(ctx, askAgain); err != nil {
			return false, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// admit is when a turn may begin, whose place is taken then, or why it may not yet.
func (s *Share) admit(ctx context.Context, v *vendor, now time.Time) (p admitted, why string, err error) {
	l, why, err := s.spent(ctx, v, now)
	p = admitted{begins: now, turns: l.Turns}
	if err != nil || why != "" || l.Turns == 0 {
		return p, why, err
	}
	p.begins, err = s.place(ctx, v, Distance(l.Turns), now)
	return p, "", err
}

// spent is the limit of a vendor, and why nothing may begin where its money is spent.
func (s *Share) spent(ctx context.Context, v *vendor, now time.Time) (l store.Limit, why string, err error) {
	if l, err = s.store.Limit(ctx, v.name); err != nil || l.USD == 0 {
		return l, "", err
	}
	usd, _, err := s.store.Spent(ctx, v.name, Day(now), s.worker)
	if err == nil && usd >= l.USD {
		why = fmt.Sprintf("waits for a new day: $%.2f of $%.2f that the fleet may spend on %s are spent", usd, l.USD, v.name)
	}
	return l, why, err
}

// place takes the next place that is free, and returns its time. Where another was faster it
// looks which are taken, and passes over some that are free, by chance and over more of them
// each time: many workers that begin at once do not meet at one place again and again.
func (s *Share) place(ctx context.Context, v *vendor, distance time.Duration, now time.Time) (time.Time, error) {
	if err := v.take(ctx); err != nil {
		return now, err
	}
	defer v.give()
	us := distance.Microseconds()
	n := max(v.next[distance], now.UnixMicro()/us+1)
	first := n
	for wide := int64(1); ; wide = min(4*wide, int64(farthest/distance)+1) {
		mine, err := s.store.TakeSlot(ctx, v.name, distance, n)
		if err != nil {
			return now, err
		}
		if mine {
			if v.next[distance] = n + 1; first < n {
				v.next[distance] = first // what was passed over is for the next turn
			}
			v.mine[distance] = append(v.mine[distance], n)
			s.forget(ctx, v, distance, now)
			return time.UnixMicro(n * us), nil
		}
		if first, n, err = s.free(ctx, v, distance, rand.Int64N(2*wide)); err != nil {
			return now, err
		}
	}
}

// farthest ahead of the first free place another one is tried.
const farthest = 20 * time.Second

// free is the first place from now on that nobody has, and the one so many free ones later.
func (s *Share) free(ctx context.Context, v *vendor, distance time.Duration, later int64) (first, n int64, err error) {
	n = time.Now().UnixMicro()/distance.Microseconds() + 1
	for block := n / store.Block; ; block++ {
		if v.full[distance] >= block {
			n = (block + 1) * store.Block
			continue
		}
		taken, err := s.store.Slots(ctx, v.name, distance, block)
		if err != nil {
			return 0, 0, err
		}
		open := false
		for ; n < (block+1)*store.Block; n++ {
			if taken[n] {
				continue
			}
			if open = true; first == 0 {
				first = n
			}
			if later == 0 {
				return first, n, nil
			}
			later--
		}
		if !open {
			v.full[distance] = block // those before it are over, or full too
		}
	}
}

// forget deletes places that this worker has had, and that nobody will try to take again. What
// cannot be deleted now stays.
func (s *Share) forget(ctx context.Context, v *vendor, distance time.Duration, now time.Time) {
	over := 0
	for over < len(v.mine[distance]) && v.mine[distance][over]*distance.Microseconds() < now.Add(-keepFor).UnixMicro() {
		over++
	}
	if over < forgetAtOnce {
		return
	}
	if s.store.ForgetSlots(ctx, v.name, distance, v.mine[distance][:over]) == nil {
		v.mine[distance] = v.mine[distance][over:]
	}
}

// Spent adds what a turn has cost, in USD, to this worker's part of the day.
func (s *Share) Spent(ctx context.Context, name string, usd float64) error {
	if !IsVendor(name) {
		return nil
	}
	v := s.vendor(name)
	if err := v.take(ctx); err != nil {
		return err
	}
	defer v.give()
	today := Day(time.Now())
	_, own, err := s.store.Spent(ctx, name, today, s.worker)
	if err != nil {
		return err
	}
	return s.store.SetSpent(ctx, name, today, s.worker, own+usd)
}

// Day that what is spent at a time belongs to.
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
