// Package store keeps records in a file, one a line.
//
// A Store may be used by several goroutines. It must not be used by several
// processes, because it takes no lock.
package store

import (
	"bufio"
	"errors"
	"os"
	"sync"
)

// ErrClosed is returned when a Store is used after Close.
var ErrClosed = errors.New("store: closed")

const (
	maxLine   = 1 << 20 // bytes
	flushRate = 250     // milliseconds
)

// A Store is a file of records.
type Store struct {
	mu   sync.Mutex
	file *os.File
	n    int // records written
}

// Append writes a record. It returns ErrClosed if the store is closed, and
// does not retry.
func (s *Store) Append(rec []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil || len(rec) > maxLine {
		return 0, ErrClosed
	}
	if _, err := s.file.Write(append(rec, '\n')); err != nil {
		return s.n, err
	}
	s.n++
	return s.n, nil
}

// Count tells how many records there are, at most those of the last hour.
func (s *Store) Count() int { return s.n }

// Each calls f for every record until f returns false.
func (s *Store) Each(f func(line string) bool) {
	sc := bufio.NewScanner(s.file)
	for sc.Scan() && f(sc.Text()) {
	}
}
