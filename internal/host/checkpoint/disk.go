package checkpoint

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/base/durable"
)

// chunk is how many bytes are copied between two looks at the deadline.
const chunk = 1 << 20

// copyChunk is the same of a copy that the system does by itself.
const copyChunk = 64 << 20

// open opens a file of the store for reading, and nothing but a file.
func (s *Store) open(name string) (*os.File, error) {
	f, err := s.root.OpenFile(name, os.O_RDONLY|disk.NoLink, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (s *Store) write(name string, data []byte) error {
	return durable.Put(s.root, name, 0o600, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// copy writes a piece from an offset of a transcript. The system copies: the
// bytes do not pass through this process where it can.
func (s *Store) copy(ctx context.Context, p piece, from *os.File, offset int64) error {
	return durable.Put(s.root, p.Name, 0o600, func(f *os.File) error { return copyRange(ctx, f, from, offset, p.Bytes) })
}

func copyRange(ctx context.Context, to, from *os.File, offset, left int64) error {
	if _, err := from.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	for left > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.Copy(to, io.LimitReader(from, min(left, copyChunk)))
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrUnexpectedEOF
		}
		left -= n
	}
	return nil
}

// concat writes two pieces as one, under a name that is neither's.
func (s *Store) concat(ctx context.Context, a, b piece) (piece, error) {
	p := piece{Name: s.nextPieceName(a.Name), Bytes: a.Bytes + b.Bytes}
	err := durable.Put(s.root, p.Name, 0o600, func(f *os.File) error {
		for _, part := range []piece{a, b} {
			from, err := s.open(part.Name)
			if err != nil {
				return err
			}
			if err := errors.Join(copyRange(ctx, f, from, 0, part.Bytes), from.Close()); err != nil {
				return err
			}
		}
		return nil
	})
	return p, err
}

// nextPieceName is the next name of a piece, in the order of time, that is free.
func (s *Store) nextPieceName(name string) string {
	at, _ := time.Parse(stamp, strings.TrimSuffix(name, "-transcript.jsonl")) // the index was checked
	for {
		at = at.Add(time.Millisecond)
		next := at.Format(stamp) + "-transcript.jsonl"
		if _, err := s.root.Lstat(next); errors.Is(err, fs.ErrNotExist) {
			return next
		}
	}
}

// clone makes a piece of the whole transcript that shares its bytes on disk,
// where the file system can.
func (s *Store) clone(name string, from *os.File, size int64) (bool, error) {
	if !s.tryClone {
		return false, nil
	}
	err := durable.Put(s.root, name, 0o600, func(f *os.File) error {
		if err := cloneFile(f, from); err != nil {
			return errNoClone
		}
		return f.Truncate(size)
	})
	if errors.Is(err, errNoClone) {
		return false, nil
	}
	return err == nil, err
}

// errNoClone says that the file system cannot clone this file.
var errNoClone = errors.New("the file cannot be cloned")

// commit makes an index the one that counts: the names of what it needs are on
// disk first.
func (s *Store) commit(idx index) error {
	data, err := json.Marshal(idx)
	if err != nil {
		return err
	}
	if err := s.syncFolder(); err != nil {
		return err
	}
	if err := s.write(indexFile, append(data, '\n')); err != nil {
		return err
	}
	return s.syncFolder()
}

func (s *Store) syncFolder() error { return durable.SyncDir(s.root, ".") }

// removeUnnamed removes what a store has made and its index does not name. What cannot
// be removed is left for the next time.
func (s *Store) removeUnnamed(idx index) {
	keep := map[string]bool{indexFile: true}
	for _, c := range idx.Checkpoints {
		keep[c.State] = true
	}
	for _, l := range idx.Lines {
		for _, p := range l.Pieces {
			keep[p.Name] = true
		}
	}
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return
	}
	for _, e := range entries {
		if name := e.Name(); !keep[name] && isStoreFile(name) {
			_ = s.root.Remove(name)
		}
	}
}

// setAside moves what a store has made into a folder of it.
func (s *Store) setAside(folder string) error {
	if err := s.root.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); isStoreFile(name) {
			err = errors.Join(err, s.root.Rename(name, folder+"/"+name))
		}
	}
	return err
}

// isStoreFile reports whether a store makes files of such a name.
func isStoreFile(name string) bool {
	name, _ = durable.UnderTemp(name)
	return name == indexFile || isStampName(name, "-transcript.jsonl") || isStampName(name, "-state.md")
}

// lock keeps other savers out. It is not waited for.
func (s *Store) lock() (unlock func(), err error) {
	f, err := s.root.OpenFile(lockFile, os.O_RDWR|os.O_CREATE|disk.NoLink, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock checkpoints: %w", err)
	}
	err = disk.TryLock(f)
	if errors.Is(err, disk.ErrBusy) {
		err = ErrBusy
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock checkpoints: %w", err), f.Close())
	}
	return func() { _ = f.Close() }, nil // which unlocks it
}

// resumableHash is a hash whose state can be kept.
type resumableHash interface {
	hash.Hash
	encoding.BinaryMarshaler
}

// resume goes on with a hash whose state was kept.
func resume(state []byte) (resumableHash, error) {
	sum := sha256.New()
	if len(state) > 0 {
		back, ok := sum.(encoding.BinaryUnmarshaler)
		if !ok {
			return nil, errors.New("the hash keeps no state")
		}
		if err := back.UnmarshalBinary(state); err != nil {
			return nil, err
		}
	}
	s, ok := sum.(resumableHash)
	if !ok {
		return nil, errors.New("the hash keeps no state")
	}
	return s, nil
}

// contextReader reads until a context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (u contextReader) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// plainWriter hides whatever else a writer can do, so that the given buffer is
// used.
type plainWriter struct{ io.Writer }
