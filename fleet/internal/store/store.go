// Package store keeps runs in a bucket: their ledgers, and the parts of their files.
//
//	runs/<run>/log/<n>         commit n, given once
//	runs/<run>/parts/<sha256>  a part of a file
//	said/<sha256>              what a person says to a run, and what is asked
//	queues/<queue>             a set of seats that runs ask for
//	paused/all                 nothing new is begun
//	paused/seat/<seat>         nothing that needs the seat
//
// A commit is written under its number only where none is there (a conditional
// write): of two who write number n one is told that it is taken, and has lost the
// run. That is the fencing token, and it is checked by the store itself, in the
// same request that appends. A store that does not keep conditional writes is
// found by [Store.Probe] and refused.
//
// Parts go before the commit that names them, so that what a commit names is there.
// What the bucket is, package bucket knows.
package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/research-council/research-council/fleet/internal/ledger"
)

// Bucket is what the store asks of a bucket. Put with once writes only where nothing
// is there: [ErrThere].
type Bucket interface {
	Get(ctx context.Context, name string) ([]byte, error) // [ErrNone] where nothing is there
	Put(ctx context.Context, name string, data []byte, once bool) error
	List(ctx context.Context, prefix string) ([]string, error)
	Delete(ctx context.Context, name string) error // what is not there is deleted
}

var (
	// ErrThere says that something is there already, under a name that is given once.
	ErrThere = errors.New("it is there already")
	// ErrNone says that nothing is there.
	ErrNone = errors.New("it is not there")
	// ErrDamaged says that what the store has of a run is not what was kept of it.
	ErrDamaged = errors.New("what the store has of it is damaged")
	// ErrLost says that somebody else has the run now.
	ErrLost = errors.New("somebody else has taken this run")
)

// Store keeps runs.
type Store struct {
	bucket Bucket
	key    []byte
}

// New is a store in a bucket, whose commits are sealed with a key.
func New(b Bucket, key []byte) *Store { return &Store{bucket: b, key: key} }

// Probe refuses a store in which two can write one name once.
func (s *Store) Probe(ctx context.Context) error {
	name := "probe/" + rand.Text()
	if err := s.bucket.Put(ctx, name, []byte("1"), true); err != nil {
		return fmt.Errorf("write to the store: %w", err)
	}
	switch err := s.bucket.Put(ctx, name, []byte("2"), true); {
	case errors.Is(err, ErrThere):
		return nil
	case err != nil:
		return fmt.Errorf("write to the store: %w", err)
	}
	return errors.New("the store writes a name twice that is to be written once (it ignores If-None-Match): two workers could hold one run; use another store")
}

func logName(run string, n int) string { return fmt.Sprintf("runs/%s/log/%08d", run, n) }
func partName(run, hash string) string { return path.Join("runs", run, "parts", hash) }
func saidName(hash string) string      { return path.Join("said", hash) }
func queueName(queue string) string    { return path.Join("queues", queue) }

// Say keeps a text by its hash, which it returns: what a person says, or what is asked.
func (s *Store) Say(ctx context.Context, text []byte) (string, error) {
	hash := ledger.Hash(text)
	if err := s.bucket.Put(ctx, saidName(hash), text, false); err != nil {
		return "", fmt.Errorf("keep what was said: %w", err)
	}
	return hash, nil
}

// Said is a text that was kept.
func (s *Store) Said(ctx context.Context, hash string) ([]byte, error) {
	text, err := s.bucket.Get(ctx, saidName(hash))
	if err != nil {
		return nil, fmt.Errorf("read what was said: %w", err)
	}
	if ledger.Hash(text) != hash {
		return nil, fmt.Errorf("read what was said: the store has other bytes under %s", hash)
	}
	return text, nil
}

// Ask notes that runs ask for a queue.
func (s *Store) Ask(ctx context.Context, queue string) error {
	return s.bucket.Put(ctx, queueName(queue), []byte(queue), false)
}

// Asked lists the queues that runs have asked for.
func (s *Store) Asked(ctx context.Context) ([]string, error) {
	names, err := s.bucket.List(ctx, "queues/")
	for i, n := range names {
		names[i] = strings.TrimPrefix(n, "queues/")
	}
	return names, err
}

// Ledger reads what the store knows of a run; a ledger without a commit is one that
// nobody has begun. Every commit is checked.
func (s *Store) Ledger(ctx context.Context, run string) (ledger.Ledger, error) {
	l, _, err := s.read(ctx, ledger.New(run), false)
	return l, err
}

// Since takes in what the store has of a run beyond a ledger, and the lines of its
// journal.
func (s *Store) Since(ctx context.Context, l ledger.Ledger) (ledger.Ledger, []byte, error) {
	return s.read(ctx, l, true)
}

// read takes in the commits that follow a ledger, and their lines of the journal.
func (s *Store) read(ctx context.Context, l ledger.Ledger, lines bool) (ledger.Ledger, []byte, error) {
	names, err := s.bucket.List(ctx, path.Join("runs", l.Run, "log")+"/")
	if err != nil {
		return l, nil, fmt.Errorf("list the commits of run %s: %w", l.Run, err)
	}
	names = names[min(l.N, len(names)):]
	all := make([][]byte, len(names))
	group, sub := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, name := range names {
		group.Go(func() (err error) {
			all[i], err = s.bucket.Get(sub, name)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return l, nil, fmt.Errorf("read the commits of run %s: %w", l.Run, err)
	}
	var journal bytes.Buffer
	for _, data := range all {
		c, err := ledger.Unseal(s.key, data)
		if err == nil {
			l, err = l.Next(c, ledger.Hash(data))
		}
		if err != nil {
			return l, nil, fmt.Errorf("read the commits of run %s: %w: %w", l.Run, ErrDamaged, err)
		}
		if lines {
			journal.WriteString(c.Journal)
		}
	}
	return l, journal.Bytes(), nil
}

// atOnce is how many requests of one run are under way at a time.
const atOnce = 8

// Append adds a commit to a run's ledger; its number and what stands before it are
// filled in here. Where the number is taken it is [ErrLost], unless what is there is
// what was to be written: an answer that got lost on the way is no loss of the run.
func (s *Store) Append(ctx context.Context, l ledger.Ledger, c ledger.Commit) (ledger.Ledger, error) {
	c.N, c.Before, c.Run = l.N+1, l.Last, l.Run
	data, err := ledger.Seal(s.key, c)
	if err != nil {
		return l, err
	}
	next, err := l.Next(c, ledger.Hash(data))
	if err != nil {
		return l, err
	}
	name := logName(l.Run, c.N)
	err = s.bucket.Put(ctx, name, data, true)
	if errors.Is(err, ErrThere) {
		there, getErr := s.bucket.Get(ctx, name)
		switch {
		case getErr != nil:
			return l, fmt.Errorf("append to run %s: %w", l.Run, getErr)
		case !bytes.Equal(there, data):
			return l, fmt.Errorf("append to run %s: %w", l.Run, ErrLost)
		}
		err = nil
	}
	if err != nil {
		return l, fmt.Errorf("append to run %s: %w", l.Run, err)
	}
	return next, nil
}

// PutPart keeps a part of a file of a run.
func (s *Store) PutPart(ctx context.Context, run, hash string, data []byte) error {
	if err := s.bucket.Put(ctx, partName(run, hash), data, false); err != nil {
		return fmt.Errorf("keep a part of run %s: %w", run, err)
	}
	return nil
}

// Part of a file of a run, its hash checked.
func (s *Store) Part(ctx context.Context, run string, p ledger.Part) ([]byte, error) {
	data, err := s.bucket.Get(ctx, partName(run, p.Hash))
	if errors.Is(err, ErrNone) { // parts go before the commit that names them
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read a part of run %s: %w", run, err)
	}
	if ledger.Hash(data) != p.Hash {
		return nil, fmt.Errorf("read a part of run %s: %w: the store has other bytes under %s", run, ErrDamaged, p.Hash)
	}
	return data, nil
}
