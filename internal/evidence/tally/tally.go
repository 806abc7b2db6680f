// Package tally counts what becomes of the claims of a run's seats while they record
// them. It reads what has come in the files of records since it last looked, a
// bounded piece at a time; nothing rests on its figures, and a file that cannot be
// read counts for what was read of it.
package tally

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// Counter counts for one run. It is for one goroutine.
type Counter struct {
	folder string
	seats  map[string]*seat
}

// New counts in a run's folder, which is an absolute path.
func New(folder string) *Counter { return &Counter{folder, map[string]*seat{}} }

// Of is what has become of the claims of some seats up to now. A seat without any
// is left out; nil where all are.
func (c *Counter) Of(seats []string) map[string]claim.Tally {
	var found map[string]claim.Tally
	for _, name := range seats {
		s := c.seats[name]
		if s == nil {
			s = &seat{}
			c.seats[name] = s
		}
		s.recorded.follow(filepath.Join(c.folder, filepath.FromSlash(claim.RecordsFile(name))))
		s.refused.follow(filepath.Join(c.folder, filepath.FromSlash(claim.RefusalsFile(name))))
		if sum := s.recorded.sum.Plus(s.refused.sum); sum != (claim.Tally{}) {
			if found == nil {
				found = map[string]claim.Tally{}
			}
			found[name] = sum
		}
	}
	return found
}

// seat is what was counted of one.
type seat struct{ recorded, refused file }

// file is what was counted of a file that grows.
type file struct {
	read  int64 // bytes
	sum   claim.Tally
	kinds map[string]*int // by a claim's id the figure it counts in: it may be withdrawn
}

// maxPiece bounds what is read at once, in bytes; no line is longer.
const maxPiece = claim.FileLimit

// follow counts the lines that have come. A file that has shrunk is counted anew.
func (f *file) follow(path string) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		*f = file{}
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() == f.read {
		return
	}
	if info.Size() < f.read {
		*f = file{}
	}
	data, err := proc.ReadPiece(path, f.read, min(info.Size(), f.read+maxPiece))
	if err != nil {
		return // it is looked at again
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if whole == 0 && len(data) == maxPiece {
		whole = len(data) // no line of ours
	}
	f.read += int64(whole)
	for line := range bytes.Lines(data[:whole]) {
		f.count(line)
	}
}

// count counts a line, of either file; what is none of ours counts for nothing.
func (f *file) count(line []byte) {
	var l struct {
		ID, Text, Withdraws, Reason string
		Kind                        claim.Kind
		State                       claim.State
	}
	if json.Unmarshal(line, &l) != nil {
		return
	}
	if l.Withdraws != "" {
		if figure := f.kinds[l.Withdraws]; figure != nil {
			*figure--
			delete(f.kinds, l.Withdraws)
		}
		return
	}
	if l.Text == "" {
		return
	}
	figure := &f.sum.Unchecked
	switch {
	case l.Reason != "" && l.State == claim.NotFound:
		figure = &f.sum.NotFound
	case l.Reason != "":
		figure = &f.sum.Refused
	case l.Kind.RestsOnClaims():
		figure = &f.sum.Reasoned
	case l.State == claim.Located:
		figure = &f.sum.Located
	}
	*figure++
	if f.kinds == nil {
		f.kinds = map[string]*int{}
	}
	if l.ID != "" {
		f.kinds[l.ID] = figure
	}
}
