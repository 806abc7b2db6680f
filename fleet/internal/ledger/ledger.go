// Package ledger is what the store knows of one run: a list of commits, and what
// they come to.
//
// A commit says what has changed since the one before it: whole lines of the
// run's journal, and files by the hashes of their parts. Commits are numbered from
// 1, each names the hash of the one before, and each is sealed with the fleet's
// key: what was changed, lost, inserted or written by somebody without the key is
// found. A commit carries the epoch of whoever holds the run; taking a run is a
// commit of the next epoch. Since a number can be given once (package store sees to
// that), whoever has been replaced finds the number taken, and appends nothing.
//
// The package is pure: bytes in, bytes out.
package ledger

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Part is a piece of a file, kept once by its hash.
type Part struct {
	Hash string `json:"hash"` // SHA-256, hexadecimal
	Size int64  `json:"size"` // bytes
}

// File is a file of a run's folder. One that has only grown keeps its parts and
// has one more.
type File struct {
	Exec  bool   `json:"exec,omitempty"`
	Parts []Part `json:"parts,omitempty"` // in order; none of an empty file
}

// Size of the file in bytes.
func (f File) Size() (n int64) {
	for _, p := range f.Parts {
		n += p.Size
	}
	return n
}

// Equal reports whether two files are the same by their parts.
func (f File) Equal(g File) bool { return f.Exec == g.Exec && slices.Equal(f.Parts, g.Parts) }

// Kind of a commit.
type Kind string

// Kinds of commits.
const (
	Taken  Kind = "taken"  // Holder has the run from now on
	Facts  Kind = "facts"  // Journal, Put and Gone
	Rested Kind = "rested" // the same, and nobody works on the run: End says why
)

// End is how a carrier left a run.
type End struct {
	Status  string  `json:"status"`            // of the run; paused_for_input where it waits for a person
	Code    int     `json:"code"`              // the exit code of council
	Reason  string  `json:"reason,omitempty"`  // of a run that could not be begun
	Final   bool    `json:"final,omitempty"`   // nothing more comes
	Facts   int     `json:"facts,omitempty"`   // in the journal
	Score   float64 `json:"score,omitempty"`   // of the evidence, 0 to 100
	USD     float64 `json:"usd,omitempty"`     // what the run has cost
	Report  string  `json:"report,omitempty"`  // its name in the run's folder
	Seconds float64 `json:"seconds,omitempty"` // from the first fact to the last
	Notice  string  `json:"notice,omitempty"`  // hash of what people are to be told of it
}

// Commit is one change of what the store knows of a run.
type Commit struct {
	N       int             `json:"n"`                // from 1
	Before  string          `json:"before,omitempty"` // hash of the commit before, hexadecimal; "" of the first
	Run     string          `json:"run"`              // whose ledger this is: a commit of another run is refused
	Epoch   int             `json:"epoch"`            // of its holder, from 1
	Holder  string          `json:"holder"`
	Kind    Kind            `json:"kind"`
	At      time.Time       `json:"at"`
	ID      string          `json:"id,omitempty"`      // of the run as council calls it, once it is known
	Journal string          `json:"journal,omitempty"` // whole lines that follow
	Put     map[string]File `json:"put,omitempty"`     // new or changed, by name in the run's folder
	Gone    []string        `json:"gone,omitempty"`
	End     *End            `json:"end,omitempty"`
}

// Ledger is what commits come to.
type Ledger struct {
	Run     string
	N       int    // of the last commit
	Last    string // its hash
	Epoch   int
	Holder  string
	At      time.Time
	ID      string
	Journal int64  // bytes
	Sum     string // hash of the journal's bytes, as [Chain] makes it
	Files   map[string]File
	End     *End // nil while somebody works on it, or nobody has begun
}

// Chain is the hash of a journal's bytes after more have come, group by group.
func Chain(before, group string) string {
	if group == "" {
		return before
	}
	sum := sha256.Sum256([]byte(before + group))
	return hex.EncodeToString(sum[:])
}

// ErrForged says that a commit was not sealed with the fleet's key, or was changed since.
var ErrForged = errors.New("is not sealed with the key of this fleet")

// sealed is a commit as it lies in the store.
type sealed struct {
	MAC    string          `json:"mac"`
	Commit json.RawMessage `json:"commit"`
}

// Seal makes a commit's bytes.
func Seal(key []byte, c Commit) ([]byte, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("seal commit %d: %w", c.N, err)
	}
	data, err := json.Marshal(sealed{MAC: mac(key, body), Commit: body})
	if err != nil {
		return nil, fmt.Errorf("seal commit %d: %w", c.N, err)
	}
	return data, nil
}

// Unseal reads a commit's bytes.
func Unseal(key, data []byte) (Commit, error) {
	var s sealed
	var c Commit
	if err := json.Unmarshal(data, &s); err != nil {
		return c, fmt.Errorf("a commit %w", ErrForged)
	}
	if !hmac.Equal([]byte(s.MAC), []byte(mac(key, s.Commit))) {
		return c, fmt.Errorf("a commit %w", ErrForged)
	}
	if err := json.Unmarshal(s.Commit, &c); err != nil {
		return c, fmt.Errorf("read a commit: %w", err)
	}
	return c, nil
}

func mac(key, body []byte) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("council-fleet commit\n"))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// Hash of a commit's bytes, by which the next one names it.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// New is the ledger of a run nobody has begun.
func New(run string) Ledger { return Ledger{Run: run, Files: map[string]File{}} }

// Next takes a commit in, whose bytes have the hash given. A commit that does not
// follow is refused, and the ledger is unchanged.
func (l Ledger) Next(c Commit, hash string) (Ledger, error) {
	if err := l.check(c); err != nil {
		return l, fmt.Errorf("commit %d of run %s: %w", c.N, l.Run, err)
	}
	l.Files = maps.Clone(l.Files)
	for _, name := range c.Gone {
		delete(l.Files, name)
	}
	maps.Copy(l.Files, c.Put)
	l.N, l.Last, l.Epoch, l.Holder, l.At, l.End = c.N, hash, c.Epoch, c.Holder, c.At, c.End
	l.Journal += int64(len(c.Journal))
	l.Sum = Chain(l.Sum, c.Journal)
	if c.ID != "" {
		l.ID = c.ID
	}
	return l, nil
}

func (l Ledger) check(c Commit) error {
	switch {
	case c.Run != l.Run:
		return errors.New("it belongs to another run")
	case c.N != l.N+1 || c.Before != l.Last:
		return errors.New("it does not follow the one before it")
	case c.Kind == Taken && c.Epoch != l.Epoch+1:
		return errors.New("whoever takes a run has the next epoch")
	case c.Kind != Taken && (c.Epoch != l.Epoch || c.Holder != l.Holder):
		return errors.New("its holder does not hold the run")
	case l.End != nil && l.End.Final:
		return errors.New("the run has ended")
	case c.ID != "" && l.ID != "" && c.ID != l.ID:
		return errors.New("a run keeps its id")
	case c.Journal != "" && !strings.HasSuffix(c.Journal, "\n"):
		return errors.New("it holds half a line")
	}
	for name := range c.Put {
		if !Kept(name) {
			return fmt.Errorf("%q is no name of a file that is kept", name)
		}
	}
	return nil
}

// lease is who works on a run on one machine; it means nothing on another.
const (
	lease   = "lease.json"
	journal = "journal.jsonl"
)

// Kept reports whether a name in a run's folder is that of a file a store keeps
// beside the journal: not what only one machine can know, and nothing that leads
// out of the folder.
func Kept(name string) bool {
	return filepath.IsLocal(name) && filepath.ToSlash(filepath.Clean(name)) == name && name != "." &&
		!strings.ContainsAny(name, "\x00\\") && name != lease && name != journal && !unfinished(name)
}

// unfinished is a file that is being written beside its place.
func unfinished(name string) bool { return strings.HasSuffix(name, ".new") }

// Diff is what makes the files of a ledger those of a folder.
func (l Ledger) Diff(now map[string]File) (put map[string]File, gone []string) {
	put = map[string]File{}
	for name, f := range now {
		if was, there := l.Files[name]; !there || !was.Equal(f) {
			put[name] = f
		}
	}
	for name := range l.Files {
		if _, there := now[name]; !there {
			gone = append(gone, name)
		}
	}
	slices.Sort(gone)
	return put, gone
}
