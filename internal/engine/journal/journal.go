// Package journal keeps the facts of a run: the only truth on disk.
//
// A journal is a file of lines, each a fact in an envelope with a hash:
//
//	{"format":2,"sha256":"<64 hex>","fact":{…}}
//
// A journal of another format is refused as a whole ([ForeignFormat]), and left as it
// is: what is half understood is worse than what is not read. So is one that is
// no file of its own ([NotAFile]).
//
// The hash covers the hash before it and the fact's bytes, so that a changed,
// lost or inserted line is found and its place is known. A fact is synced to
// disk before [Journal.Append] returns. A last line that was torn by a crash
// was never acknowledged and is cut off when the journal is opened; any other
// damage is refused and left as it is.
//
// One process writes, held by a [Lease]. What the facts mean is left to
// package flow.
package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/engine/hook"
)

// Name of the journal in a run's folder.
const Name = "journal.jsonl"

const (
	lineStart  = hook.JournalHead
	lineMiddle = `","fact":`
	lineEnd    = "}\n"
	hashLen    = 2 * sha256.Size
)

// A Damaged is a line whose hash does not follow from what stands before it.
type Damaged struct {
	Path string
	Line int    // from 1
	Why  string // where it can be told
}

func (d *Damaged) Error() string {
	why := ""
	if d.Why != "" {
		why = " (" + d.Why + ")"
	}
	return fmt.Sprintf("%s is damaged at line %d%s; nothing after it can be trusted", d.Path, d.Line, why)
}

// ErrBroken is returned by Append after a write has failed: what is on disk is
// then unknown, and the journal has to be opened again.
var ErrBroken = errors.New("the journal has to be opened again after a failed write")

// Journal appends facts to a file. It is not safe for concurrent use.
type Journal struct {
	file   *os.File
	last   [hashLen]byte
	line   []byte
	broken bool
}

// Open opens or creates the journal in a run's folder and returns the facts it
// holds, in order. A torn last line is cut off. Another damage is a [*Damaged].
func Open(dir string) (*Journal, [][]byte, error) {
	path := filepath.Join(dir, Name)
	data, err := read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	created := err != nil
	facts, last, whole, err := scan(path, data)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|openFlags, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open journal: %w", err)
	}
	j := &Journal{file: file, last: last}
	if err := j.makeDurable(dir, created, len(data) > whole, int64(whole)); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return j, facts, nil
}

// makeDurable makes the file's name and its healed length durable.
func (j *Journal) makeDurable(dir string, created, torn bool, whole int64) error {
	if torn {
		if err := j.file.Truncate(whole); err != nil {
			return fmt.Errorf("heal journal: %w", err)
		}
		if err := j.file.Sync(); err != nil {
			return fmt.Errorf("heal journal: %w", err)
		}
	}
	if !created {
		return nil
	}
	if err := durable.SyncFolder(dir); err != nil {
		return fmt.Errorf("sync journal's folder: %w", err)
	}
	return nil
}

// Append writes facts and syncs them to disk, all with one sync. Each fact is
// one JSON value without a line break. After an error the journal is broken:
// a failed sync is never tried again, because the system may have dropped what
// it could not write.
func (j *Journal) Append(facts ...[]byte) error {
	if j.broken {
		return ErrBroken
	}
	j.line = j.line[:0]
	last := j.last
	for _, fact := range facts {
		if len(fact) == 0 || bytes.IndexByte(fact, '\n') >= 0 {
			return fmt.Errorf("append to journal: a fact is one line, not empty")
		}
		last = chainHash(last, fact)
		j.line = append(j.line, lineStart...)
		j.line = append(j.line, last[:]...)
		j.line = append(j.line, lineMiddle...)
		j.line = append(j.line, fact...)
		j.line = append(j.line, lineEnd...)
	}
	if _, err := j.file.Write(j.line); err != nil {
		j.broken = true
		return fmt.Errorf("append to journal: %w", err)
	}
	if err := datasync(j.file); err != nil {
		j.broken = true
		return fmt.Errorf("sync journal: %w", err)
	}
	j.last = last
	return nil
}

// Close closes the file; every acknowledged fact is on disk already.
func (j *Journal) Close() error { return j.file.Close() }

// Read returns the facts of a journal without opening it for writing. A torn
// last line is left out.
func Read(dir string) ([][]byte, error) {
	path := filepath.Join(dir, Name)
	data, err := read(path)
	if err != nil {
		return nil, err
	}
	facts, _, _, err := scan(path, data)
	return facts, err
}

// scan checks the chain and returns the facts, the last hash and the length
// of what is whole.
func scan(path string, data []byte) (facts [][]byte, last [hashLen]byte, whole int, err error) {
	facts = make([][]byte, 0, bytes.Count(data, []byte{'\n'}))
	for whole < len(data) {
		end := bytes.IndexByte(data[whole:], '\n')
		rest := data[whole:]
		if end >= 0 {
			rest = rest[:end]
		}
		if format, release, is := foreignFormat(rest); is {
			return facts, last, whole, &ForeignFormat{Damaged: Damaged{Path: path, Line: len(facts) + 1}, Format: format, Release: release}
		}
		if end < 0 {
			return facts, last, whole, nil
		}
		line := data[whole : whole+end+1]
		fact, hash, ok := parseLine(line)
		if !ok || chainHash(last, fact) != hash {
			if torn(data[whole:]) {
				return facts, last, whole, nil
			}
			return facts, last, whole, &Damaged{Path: path, Line: len(facts) + 1, Why: damageHint(line)}
		}
		facts = append(facts, fact)
		last = hash
		whole += len(line)
	}
	return facts, last, whole, nil
}

// damageHint tells what was done to a line, where its end shows it.
func damageHint(line []byte) string {
	if bytes.HasSuffix(line, []byte("\r\n")) {
		return "its lines end in CR LF: something has saved it as a text of Windows"
	}
	return ""
}

// torn reports whether what follows the last good line can be a write that a
// power cut left half done: one line whose first block never reached the disk
// and reads as zeros.
func torn(rest []byte) bool {
	return rest[0] == 0 && bytes.IndexByte(rest, '\n') == len(rest)-1
}

func parseLine(line []byte) (fact []byte, hash [hashLen]byte, ok bool) {
	const head = len(lineStart) + hashLen + len(lineMiddle)
	if len(line) <= head+len(lineEnd) || string(line[:len(lineStart)]) != lineStart ||
		string(line[head-len(lineMiddle):head]) != lineMiddle || string(line[len(line)-len(lineEnd):]) != lineEnd {
		return nil, hash, false
	}
	copy(hash[:], line[len(lineStart):])
	return line[head : len(line)-len(lineEnd)], hash, true
}

// chainHash is the hash of a fact in its place: SHA-256 over the hash before it, in
// hex, and the fact's bytes.
func chainHash(before [hashLen]byte, fact []byte) (after [hashLen]byte) {
	h := sha256.New()
	h.Write(before[:])
	h.Write(fact)
	var sum [sha256.Size]byte
	hex.Encode(after[:], h.Sum(sum[:0]))
	return after
}
