package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/research-council/research-council/internal/base/durable"
)

// The names in an archive's folder.
const (
	indexName    = "index.jsonl"
	dataName     = "data"  // bytes and texts, each under its SHA-256
	locksName    = "locks" // who fetches what, and when which host may be asked again
	robotsFolder = "robots"
)

// store is an archive's folder: an index to which a line is added for every
// fetch, and the bytes it speaks of. A line is
//
//	{"sha256":"<64 hex>","snapshot":{…}}
//
// with the hash of the one before it and the snapshot's bytes.
type store struct {
	dir string

	mu     sync.Mutex
	read   int64 // bytes of the index that are known
	last   string
	latest map[string]Snapshot
	order  []string // keys as they came
}

type entry struct {
	SHA256   string          `json:"sha256"`
	Snapshot json.RawMessage `json:"snapshot"`
}

func openStore(dir string) (*store, error) {
	for _, name := range []string{"", dataName, locksName, robotsFolder} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return nil, fmt.Errorf("open archive: %w", err)
		}
	}
	s := &store{dir: dir, latest: map[string]Snapshot{}}
	return s, s.refresh()
}

// chainHash is the hash of a line of the index.
func chainHash(last string, snapshot []byte) string {
	h := sha256.New()
	h.Write([]byte(last))
	h.Write(snapshot)
	return hex.EncodeToString(h.Sum(nil))
}

// refresh reads what other processes have added to the index. The last line
// may be being written: it is left for the next time.
func (s *store) refresh() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, err := os.Open(filepath.Join(s.dir, indexName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read archive: %w", err)
	}
	defer file.Close()
	added, err := io.ReadAll(io.NewSectionReader(file, s.read, 1<<62))
	if err != nil {
		return fmt.Errorf("read archive: %w", err)
	}
	added = added[:bytes.LastIndexByte(added, '\n')+1]
	s.read += int64(len(added))
	for line := range bytes.Lines(added) {
		s.readEntry(line)
	}
	return nil
}

// readEntry takes a line of the index. One that cannot be read is passed over:
// [Archive.Check] tells of it.
func (s *store) readEntry(line []byte) {
	var e entry
	var snap Snapshot
	if json.Unmarshal(line, &e) != nil || json.Unmarshal(e.Snapshot, &snap) != nil {
		return
	}
	s.last = e.SHA256
	if _, known := s.latest[snap.Key]; !known {
		s.order = append(s.order, snap.Key)
	}
	s.latest[snap.Key] = snap
}

func (s *store) lookup(key string) (Snapshot, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap, ok := s.latest[key]
	return snap, ok
}

func (s *store) snapshots() []Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Snapshot, 0, len(s.order))
	for _, key := range s.order {
		list = append(list, s.latest[key])
	}
	return list
}

// add adds a snapshot to the index and syncs it to disk.
func (s *store) add(ctx context.Context, snap Snapshot) error {
	unlock, err := s.lock(ctx, "index")
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.refresh(); err != nil {
		return err
	}
	data, err := json.Marshal(snap)
	if err != nil {
		return fmt.Errorf("add to archive: %w", err)
	}
	s.mu.Lock()
	hash, at := chainHash(s.last, data), s.read
	s.mu.Unlock()
	line, err := json.Marshal(entry{hash, data})
	if err != nil {
		return fmt.Errorf("add to archive: %w", err)
	}
	if err := s.append(append(line, '\n'), at); err != nil {
		return fmt.Errorf("add to archive: %w", err)
	}
	return s.refresh()
}

// append writes a line behind the last whole one: a torn line was never
// acknowledged.
func (s *store) append(line []byte, at int64) error {
	path := filepath.Join(s.dir, indexName)
	_, statErr := os.Stat(path)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Truncate(at); err != nil {
		return err
	}
	if _, err := file.WriteAt(line, at); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if errors.Is(statErr, fs.ErrNotExist) {
		return durable.SyncFolder(s.dir)
	}
	return nil
}

// put stores bytes under their hash.
func (s *store) put(data []byte) (string, error) {
	hash := Hash(data)
	path := s.path(hash)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(data)) {
		return hash, nil
	}
	if err := write(path, data); err != nil {
		return "", fmt.Errorf("store source: %w", err)
	}
	return hash, nil
}

func (s *store) path(hash string) string { return filepath.Join(s.dir, dataName, hash) }

// bytes gives what is stored under a hash, and holds it against the hash.
func (s *store) bytes(hash string) ([]byte, error) {
	if !isHash(hash) {
		return nil, fmt.Errorf("read source: nothing is stored of it: %w", fs.ErrNotExist)
	}
	data, err := os.ReadFile(s.path(hash))
	if err != nil {
		return nil, fmt.Errorf("read source: %w", err)
	}
	if Hash(data) != hash {
		return nil, fmt.Errorf("read source: %s is not what was stored", filepath.Join(dataName, hash))
	}
	return data, nil
}

// Hash is the name of bytes in an archive, their SHA-256 in hexadecimal.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func isHash(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}

// write puts a file in place whole.
func write(path string, data []byte) error { return durable.ReplaceFile(path, data, 0o600) }

// lockPollInterval is how often a lock in another process' hands is tried again.
const lockPollInterval = 15 * time.Millisecond

// lock takes one of the archive's locks, which are the system's: they end with
// the process that holds them.
func (s *store) lock(ctx context.Context, name string) (unlock func(), err error) {
	l := s.flock(name)
	if _, err := l.TryLockContext(ctx, lockPollInterval); err != nil {
		return nil, fmt.Errorf("lock archive: %w", err)
	}
	return func() { _ = l.Unlock() }, nil // what cannot be unlocked is by the end of the process
}

func (s *store) flock(name string) *flock.Flock {
	return flock.New(s.lockPath(name), flock.SetPermissions(0o600))
}

func (s *store) lockPath(name string) string { return filepath.Join(s.dir, locksName, name) }

// shortName is a file name for a key or host.
func shortName(s string) string { return Hash([]byte(s))[:24] }

// Damage is something in an archive that is not what it was.
type Damage struct {
	Path string `json:"path"`           // relative to the archive
	Line int    `json:"line,omitempty"` // of the index, from 1; 0 elsewhere
	Key  string `json:"key,omitempty"`  // the source it belongs to
	What string `json:"what"`
}

// check reads everything the index speaks of.
func (s *store) check() []Damage {
	data, err := os.ReadFile(filepath.Join(s.dir, indexName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return []Damage{{Path: indexName, What: err.Error()}}
	}
	var found []Damage
	seen := map[string]bool{}
	n, last := 0, ""
	for line := range bytes.Lines(data) {
		n++
		if !bytes.HasSuffix(line, []byte("\n")) {
			if json.Valid(line) { // one that is being written, or was torn by a crash, never is
				found = append(found, Damage{Path: indexName, Line: n, What: "the end of the line is missing"})
			}
			break
		}
		var e entry
		var snap Snapshot
		if json.Unmarshal(line, &e) != nil || json.Unmarshal(e.Snapshot, &snap) != nil {
			found = append(found, Damage{Path: indexName, Line: n, What: "the line cannot be read"})
			continue
		}
		if chainHash(last, e.Snapshot) != e.SHA256 {
			found = append(found, Damage{indexName, n, snap.Key, "the line is not what was written, or lines before it are missing"})
		}
		last = e.SHA256
		found = append(found, s.checkData(snap, seen)...)
	}
	return found
}

// checkData holds the bytes, the text and the rendered page of a snapshot against their hashes
// and lengths.
func (s *store) checkData(snap Snapshot, seen map[string]bool) []Damage {
	type part struct {
		hash   string
		length int64
	}
	parts := []part{{snap.Body, snap.Bytes}, {snap.Text, snap.Chars}}
	if r := snap.Rendered; r != nil {
		parts = append(parts, part{r.Document, r.Bytes})
	}
	var found []Damage
	for _, part := range parts {
		if part.hash == "" || seen[part.hash] {
			continue
		}
		seen[part.hash] = true
		data, err := s.bytes(part.hash)
		switch {
		case !isHash(part.hash):
			found = append(found, Damage{Path: indexName, Key: snap.Key, What: "what should be a hash is none"})
		case errors.Is(err, fs.ErrNotExist):
			found = append(found, Damage{filepath.Join(dataName, part.hash), 0, snap.Key, "it is missing"})
		case err != nil:
			found = append(found, Damage{filepath.Join(dataName, part.hash), 0, snap.Key, "it is not what was stored"})
		case int64(len(data)) != part.length:
			found = append(found, Damage{filepath.Join(dataName, part.hash), 0, snap.Key, "its length is not the one in the index"})
		}
	}
	return found
}
