// Package folder reads a run's folder as the parts a store keeps, and lays one down
// from them.
//
// A scan reads what has changed by size and time since the last one. A file that has
// only grown, as logs and streams do, gives its new bytes as one more part.
// Nothing is followed that leads elsewhere: links, pipes and devices are left out.
package folder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/fleet/internal/ledger"
)

// Most bytes of one file that are kept; a longer one is named and left out.
const Most = 256 << 20

// mostParts is how often a file grows before it is kept as one again.
const mostParts = 64

// Scanner reads one folder again and again.
type Scanner struct {
	root    *os.Root
	seen    map[string]seen
	pending map[string]source // parts that have not reached the store, by hash
}

// seen is a file as it was at the last scan.
type seen struct {
	size int64
	mod  time.Time
	file ledger.File
	sum  hash.Hash // over all its bytes so far
}

// New is a scanner of the folder below root.
func New(root *os.Root) *Scanner {
	return &Scanner{root: root, seen: map[string]seen{}, pending: map[string]source{}}
}

// Scan is what a folder holds now.
type Scan struct {
	Files map[string]ledger.File
	Large []string // too large to be kept
}

// source is where the bytes of a part are.
type source struct {
	name     string
	from, to int64
	data     []byte // of a small one: what is written anew all the time is read once
}

// small is a part that is held until it has reached the store.
const small = 256 << 10

// Scan reads the folder. Files that name others (JSON lines, indices) are read before
// the rest, so that what they name is never older than they are.
func (s *Scanner) Scan() (Scan, error) {
	names, err := s.names()
	if err != nil {
		return Scan{}, fmt.Errorf("read the run's folder: %w", err)
	}
	out := Scan{Files: map[string]ledger.File{}}
	now := map[string]seen{}
	for _, name := range names {
		one, err := s.read(name)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errChanged):
			continue // it comes with the next scan
		case errors.Is(err, errLarge):
			out.Large = append(out.Large, name)
			continue
		case err != nil:
			return Scan{}, fmt.Errorf("read %s of the run's folder: %w", name, err)
		}
		now[name], out.Files[name] = one, one.file
	}
	for name, was := range s.seen { // one that could not be read this time is not gone
		if _, there := now[name]; !there && slices.Contains(names, name) && !slices.Contains(out.Large, name) {
			now[name], out.Files[name] = was, was.file
		}
	}
	s.seen = now
	s.prune()
	return out, nil
}

// prune drops the parts of files that have been written anew before they reached the
// store.
func (s *Scanner) prune() {
	used := map[string]bool{}
	for _, f := range s.seen {
		for _, p := range f.file.Parts {
			used[p.Hash] = true
		}
	}
	maps.DeleteFunc(s.pending, func(hash string, _ source) bool { return !used[hash] })
}

var (
	errChanged = errors.New("it changed while it was read")
	errLarge   = errors.New("it is too large")
)

func (s *Scanner) names() ([]string, error) {
	var first, rest []string
	err := fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it went while we looked
		case err != nil:
			return err
		case !d.Type().IsRegular() || !ledger.Kept(name):
			return nil
		}
		if ext := path.Ext(name); ext == ".jsonl" || strings.HasPrefix(path.Base(name), "index") {
			first = append(first, name)
		} else {
			rest = append(rest, name)
		}
		return nil
	})
	return append(first, rest...), err
}

// read looks at one file, and reads it where it has changed.
func (s *Scanner) read(name string) (seen, error) {
	info, err := s.root.Lstat(name)
	if err != nil {
		return seen{}, err
	}
	was, known := s.seen[name]
	exec := info.Mode()&0o100 != 0
	switch {
	case !info.Mode().IsRegular():
		return seen{}, fs.ErrNotExist
	case info.Size() > Most:
		return seen{}, errLarge
	case known && was.size == info.Size() && was.mod.Equal(info.ModTime()) && was.file.Exec == exec:
		return was, nil
	}
	f, err := s.root.Open(name)
	if err != nil {
		return seen{}, err
	}
	defer f.Close()
	one := seen{size: info.Size(), mod: info.ModTime(), sum: sha256.New()}
	one.file.Exec = exec
	grown := known && info.Size() > was.size && was.size > 0 && len(was.file.Parts) < mostParts
	if grown {
		if _, err := io.CopyN(one.sum, f, was.size); err != nil {
			return seen{}, errChanged
		}
		grown = string(one.sum.Sum(nil)) == string(was.sum.Sum(nil))
	}
	if !grown {
		one.sum.Reset()
		was.size, was.file.Parts = 0, nil
	}
	one.file.Parts = slices.Clone(was.file.Parts)
	if info.Size() == was.size {
		return one, nil
	}
	p, err := s.readPart(source{name: name, from: was.size, to: info.Size()}, f, one.sum)
	one.file.Parts = append(one.file.Parts, p)
	return one, err
}

// readPart reads a part and keeps where it is.
func (s *Scanner) readPart(at source, f io.ReaderAt, whole io.Writer) (ledger.Part, error) {
	part := sha256.New()
	to := io.MultiWriter(part, whole)
	var held bytes.Buffer
	if at.to-at.from <= small {
		to = io.MultiWriter(part, whole, &held)
	}
	n, err := io.Copy(to, io.NewSectionReader(f, at.from, at.to-at.from))
	if err != nil || n != at.to-at.from {
		return ledger.Part{}, errChanged
	}
	if at.to-at.from <= small {
		at.data = held.Bytes()
	}
	p := ledger.Part{Hash: hex.EncodeToString(part.Sum(nil)), Size: n}
	s.pending[p.Hash] = at
	return p, nil
}

// Pending are the parts that have been read and have not been [Scanner.Stored].
func (s *Scanner) Pending() []string { return slices.Sorted(maps.Keys(s.pending)) }

// Stored says that a part has reached the store.
func (s *Scanner) Stored(hash string) { delete(s.pending, hash) }

// Bytes of a pending part. Where its file has changed since, which [IsChanged] tells,
// the part is forgotten, and the next scan reads the file anew.
func (s *Scanner) Bytes(hash string) ([]byte, error) {
	at := s.pending[hash]
	if at.data != nil {
		return at.data, nil
	}
	data, err := s.reread(at)
	if sum := sha256.Sum256(data); err != nil || hex.EncodeToString(sum[:]) != hash {
		delete(s.seen, at.name)
		delete(s.pending, hash)
		return nil, fmt.Errorf("read %s: %w", at.name, errChanged)
	}
	return data, nil
}

func (s *Scanner) reread(at source) ([]byte, error) {
	f, err := s.root.Open(at.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, at.from, at.to-at.from))
}

// IsChanged reports whether an error says only that a file was written to meanwhile.
func IsChanged(err error) bool { return errors.Is(err, errChanged) }

// LayDown writes a file of parts below root. get gives the bytes of a part, whose hash
// is checked here.
func LayDown(root *os.Root, name string, f ledger.File, get func(ledger.Part) ([]byte, error)) error {
	if !ledger.Kept(name) {
		return fmt.Errorf("lay down %q: it is no name of a file that is kept", name)
	}
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return fmt.Errorf("lay down %s: %w", name, err)
	}
	mode := os.FileMode(0o600)
	if f.Exec {
		mode = 0o700
	}
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return fmt.Errorf("lay down %s: %w", name, err)
	}
	for _, p := range f.Parts {
		data, err := get(p)
		if err == nil {
			if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != p.Hash {
				err = fmt.Errorf("the store has other bytes under %s", p.Hash)
			}
		}
		if err == nil {
			_, err = out.Write(data)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("lay down %s: %w", name, err), out.Close())
		}
	}
	return out.Close()
}
