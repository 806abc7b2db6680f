// Package checkpoint keeps what a transcript held before it was compacted.
//
// A [Store] is a folder with an index and pieces of transcripts. Transcripts
// only grow, so what one held at a checkpoint is the beginning of what it holds
// later: a checkpoint is a length of a line of pieces, and costs the bytes that
// are new. A transcript that is not the one seen before (another inode, shorter,
// or with another end where the last piece ended) begins a new line. Where the
// file system clones files, the whole transcript is cloned instead, and the
// clone takes the place of the pieces before it.
//
// It promises: a piece is whole or not there, for it is written beside, synced
// and renamed before the index names it; the index alone says what counts, and
// is replaced as a whole; a transcript is only read; the folder holds at most
// [Limits]. Which session may save, and when, is left to others.
package checkpoint

import (
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
	"time"

	"github.com/research-council/research-council/internal/base/disk"
)

// Limits bound a store.
type Limits struct {
	Checkpoints int   // of them the first and the last stay, and those between are thinned evenly in time
	Bytes       int64 // of all pieces; the oldest lines go first
	Pieces      int   // of a line; the smallest neighbours are joined
}

// Default are the limits of a campaign: enough for a week of a compaction every
// three hours, and for a transcript of several hundred thousand turns.
func Default() Limits { return Limits{Checkpoints: 56, Bytes: 4 << 30, Pieces: 32} }

// ErrBusy says that another process saves a checkpoint right now.
var ErrBusy = errors.New("another checkpoint is being saved")

// ErrTooLarge says that a transcript is longer than the store may be.
var ErrTooLarge = errors.New("the transcript is larger than the checkpoints may be")

const (
	indexFile     = "index.json"
	lockFile      = ".lock"
	ignoreFile    = ".gitignore" // transcripts may hold what is not for a repository
	stamp         = "20060102T150405.000Z"
	maxIndexBytes = 8 << 20 // bytes
)

// Store is a folder of checkpoints.
type Store struct {
	root     *os.Root
	limits   Limits
	tryClone bool // cloning is tried
}

// Open opens a store in a folder, which it may fill.
func Open(folder *os.Root, limits Limits) *Store { return &Store{folder, limits, true} }

// Checkpoint is what was kept at one moment.
type Checkpoint struct {
	Stamp  string `json:"stamp"`           // UTC; names its files
	Line   string `json:"line,omitempty"`  // of pieces; "" where there was no transcript
	Bytes  int64  `json:"bytes"`           // of the transcript, from the line's beginning
	SHA256 string `json:"sha256"`          // of those bytes
	State  string `json:"state,omitempty"` // the file with the state, in the folder
}

// At is the moment.
func (c Checkpoint) At() time.Time {
	at, _ := time.Parse(stamp, c.Stamp) // the index was checked when it was read
	return at
}

// piece is a part of a transcript, in a file of its own.
type piece struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// transcriptLine is a transcript as it grew.
type transcriptLine struct {
	Name   string  `json:"name"` // the stamp of its first checkpoint
	Device uint64  `json:"device"`
	Inode  uint64  `json:"inode"`
	Bytes  int64   `json:"bytes"`
	Sum    []byte  `json:"sum"` // the state of the SHA-256 of those bytes
	Tail   string  `json:"tail"`
	Pieces []piece `json:"pieces"`
}

// index is what a store holds. What it does not name is left over from a save
// that was broken off.
type index struct {
	Checkpoints []Checkpoint     `json:"checkpoints"` // the oldest first
	Lines       []transcriptLine `json:"lines"`
}

// Saved is what a save came to.
type Saved struct {
	Checkpoint
	New    int64 // bytes of the transcript that were not there before
	Cloned bool
}

// Transcript opens a transcript for reading: a regular file whose name ends in
// .jsonl and is an absolute path.
func Transcript(path string) (*os.File, error) {
	if !filepath.IsAbs(path) || filepath.Ext(path) != ".jsonl" || strings.ContainsRune(path, 0) {
		return nil, errors.New("open transcript: it is no absolute path that ends in .jsonl")
	}
	f, err := os.OpenFile(path, os.O_RDONLY|disk.NoLink, 0)
	if err != nil {
		return nil, fmt.Errorf("open transcript: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open transcript: %w", err), f.Close())
	}
	return f, nil
}

// Save keeps what a transcript holds now, and a state beside it. Either may be
// missing: nil. When ctx ends, nothing is kept.
func (s *Store) Save(ctx context.Context, at time.Time, transcript *os.File, state []byte) (Saved, error) {
	unlock, err := s.lock()
	if err != nil {
		return Saved{}, err
	}
	defer unlock()
	idx, err := s.readOrSetAside(at)
	if err != nil {
		return Saved{}, fmt.Errorf("save checkpoint: %w", err)
	}
	saved := Saved{Checkpoint: Checkpoint{Stamp: s.newStamp(at, idx)}}
	if transcript != nil {
		if err := s.addTranscript(ctx, transcript, &idx, &saved); err != nil {
			return Saved{}, fmt.Errorf("save checkpoint: %w", err)
		}
	}
	if state != nil {
		saved.State = saved.Stamp + "-state.md"
		if err := s.write(saved.State, state); err != nil {
			return Saved{}, fmt.Errorf("save checkpoint: %w", err)
		}
	}
	idx.Checkpoints = append(idx.Checkpoints, saved.Checkpoint)
	idx = prune(idx, s.limits)
	if err := s.join(ctx, &idx); err != nil {
		return Saved{}, fmt.Errorf("save checkpoint: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return Saved{}, fmt.Errorf("save checkpoint: %w", err)
	}
	if err := s.commit(idx); err != nil {
		return Saved{}, fmt.Errorf("save checkpoint: %w", err)
	}
	s.removeUnnamed(idx)
	return saved, nil
}

// addTranscript takes in what a transcript holds and the store does not.
func (s *Store) addTranscript(ctx context.Context, transcript *os.File, idx *index, saved *Saved) error {
	info, err := transcript.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size > s.limits.Bytes {
		return ErrTooLarge
	}
	l, known := idx.line(transcript, info)
	if !known {
		l = transcriptLine{Name: saved.Stamp}
		of := disk.IdentityOf(transcript)
		l.Device, l.Inode = of.Device, of.File
	}
	saved.Line, saved.New = l.Name, size-l.Bytes
	if saved.New > 0 {
		if saved.Cloned, err = s.addPiece(ctx, transcript, size, &l, saved.Stamp); err != nil {
			return err
		}
	}
	sum, err := resume(l.Sum)
	if err != nil {
		return err
	}
	saved.Bytes, saved.SHA256 = size, hex.EncodeToString(sum.Sum(nil))
	idx.setLine(l)
	return nil
}

// addPiece adds to a line what its transcript holds beyond it.
func (s *Store) addPiece(ctx context.Context, transcript *os.File, size int64, l *transcriptLine, stamp string) (cloned bool, err error) {
	p := piece{Name: stamp + "-transcript.jsonl", Bytes: size - l.Bytes}
	if cloned, err = s.clone(p.Name, transcript, size); err != nil {
		return false, err
	}
	summed := make(chan error, 1)
	go func() { summed <- l.extendHash(ctx, transcript, size) }()
	if !cloned {
		err = s.copy(ctx, p, transcript, l.Bytes)
	}
	if err := errors.Join(err, <-summed); err != nil {
		return false, err
	}
	if cloned {
		p.Bytes, l.Pieces = size, nil
	}
	l.Bytes, l.Pieces = size, append(l.Pieces, p)
	l.Tail, err = tail(transcript, size)
	return cloned, err
}

// extendHash goes on with the line's hash, up to size.
func (l *transcriptLine) extendHash(ctx context.Context, transcript *os.File, size int64) error {
	sum, err := resume(l.Sum)
	if err != nil {
		return err
	}
	n, err := io.CopyBuffer(plainWriter{sum}, contextReader{ctx, io.NewSectionReader(transcript, l.Bytes, size-l.Bytes)}, make([]byte, chunk))
	if err == nil && n < size-l.Bytes {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	l.Sum, err = sum.MarshalBinary()
	return err
}

// tailBytes is how much of a line's end is compared to tell that a transcript
// is the one seen before.
const tailBytes = 64 << 10

// tail is a hash of the last bytes before size.
func tail(f *os.File, size int64) (string, error) {
	from := max(0, size-tailBytes)
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, from, size-from)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// line finds the line that a transcript goes on with.
func (idx index) line(transcript *os.File, info fs.FileInfo) (transcriptLine, bool) {
	of := disk.IdentityOf(transcript)
	for _, l := range idx.Lines {
		if l.Device != of.Device || l.Inode != of.File || l.Bytes > info.Size() {
			continue
		}
		if _, err := resume(l.Sum); err != nil {
			continue
		}
		if now, err := tail(transcript, l.Bytes); err == nil && now == l.Tail {
			return l, true
		}
	}
	return transcriptLine{}, false
}

func (idx *index) setLine(l transcriptLine) {
	for i := range idx.Lines {
		if idx.Lines[i].Name == l.Name {
			idx.Lines[i] = l
			return
		}
	}
	idx.Lines = append(idx.Lines, l)
}

// List lists the checkpoints, the oldest first.
func (s *Store) List() []Checkpoint {
	idx, _ := s.index() // a broken one lists nothing
	return idx.Checkpoints
}

// Restore writes the transcript as it was at a checkpoint, byte for byte. The
// bytes are hashed on their way: an error means that they are not what was
// saved.
func (s *Store) Restore(w io.Writer, stamp string) error {
	idx, err := s.index()
	if err != nil {
		return fmt.Errorf("restore transcript: %w", err)
	}
	for _, c := range idx.Checkpoints {
		if c.Stamp == stamp && c.Line == "" {
			return fmt.Errorf("restore transcript: checkpoint %q kept no transcript", stamp)
		}
		if c.Stamp == stamp {
			return s.restore(w, c, idx)
		}
	}
	return fmt.Errorf("restore transcript: there is no checkpoint %q", stamp)
}

func (s *Store) restore(w io.Writer, c Checkpoint, idx index) error {
	sum := sha256.New()
	left := c.Bytes
	for _, l := range idx.Lines {
		for _, p := range l.Pieces {
			if l.Name != c.Line || left == 0 {
				continue
			}
			n, err := s.writePiece(io.MultiWriter(w, sum), p, left)
			if err != nil {
				return fmt.Errorf("restore transcript: %w", err)
			}
			left -= n
		}
	}
	if left > 0 || hex.EncodeToString(sum.Sum(nil)) != c.SHA256 {
		return errors.New("restore transcript: its pieces are not what was saved")
	}
	return nil
}

// writePiece writes a piece, or what is left to be written of it.
func (s *Store) writePiece(w io.Writer, p piece, left int64) (int64, error) {
	f, err := s.open(p.Name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.CopyN(w, f, min(p.Bytes, left))
}

// errBroken says that an index is none of a store's.
var errBroken = errors.New("the index of the checkpoints is broken")

// index reads what the store holds.
func (s *Store) index() (index, error) {
	f, err := s.open(indexFile)
	if errors.Is(err, fs.ErrNotExist) {
		return index{}, nil
	}
	if err != nil {
		return index{}, errBroken
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIndexBytes+1))
	if err != nil {
		return index{}, err
	}
	var idx index
	if json.Unmarshal(data, &idx) != nil || !idx.isValid() {
		return index{}, errBroken
	}
	return idx, nil
}

// readOrSetAside reads the index of a store that is to be written. What belongs to a
// broken one is set aside in a folder, for people: it may be all there is.
func (s *Store) readOrSetAside(at time.Time) (index, error) {
	if _, err := s.root.Lstat(ignoreFile); errors.Is(err, fs.ErrNotExist) {
		if err := s.write(ignoreFile, []byte("*\n")); err != nil {
			return index{}, err
		}
	}
	idx, err := s.index()
	if !errors.Is(err, errBroken) {
		return idx, err
	}
	return index{}, s.setAside("set-aside-" + at.UTC().Format(stamp))
}

// isValid reports whether an index may be acted on: its names are names of files
// that a store makes, and its lengths add up.
func (idx index) isValid() bool {
	lines := map[string]int64{"": 0}
	for _, l := range idx.Lines {
		var size int64
		for _, p := range l.Pieces {
			if p.Bytes <= 0 || p.Bytes > 1<<50 || !isStampName(p.Name, "-transcript.jsonl") {
				return false
			}
			size += p.Bytes
		}
		if _, twice := lines[l.Name]; twice || size != l.Bytes || !isStampName(l.Name, "") {
			return false
		}
		lines[l.Name] = size
	}
	for _, c := range idx.Checkpoints {
		size, known := lines[c.Line]
		if !known || c.Bytes < 0 || c.Bytes > size || !isStampName(c.Stamp, "") || c.State != "" && !isStampName(c.State, "-state.md") {
			return false
		}
	}
	return true
}

// isStampName reports whether a name is a stamp and a kind.
func isStampName(name, kind string) bool {
	rest, ok := strings.CutSuffix(name, kind)
	_, err := time.Parse(stamp, rest)
	return ok && err == nil
}

// newStamp is the stamp of a new checkpoint: none is given twice.
func (s *Store) newStamp(at time.Time, idx index) string {
	at = at.UTC().Truncate(time.Millisecond)
	if n := len(idx.Checkpoints); n > 0 && !at.After(idx.Checkpoints[n-1].At()) {
		at = idx.Checkpoints[n-1].At().Add(time.Millisecond)
	}
	return at.Format(stamp)
}
