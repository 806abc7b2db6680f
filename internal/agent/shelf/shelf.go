// Package shelf is a library of a person's own: documents of theirs, and sources that
// runs have archived, read once, kept as they were and indexed, for every run that
// names the library.
//
// A library is a folder. Bytes and texts lie under their hashes; the catalogue, one file
// that is replaced whole, says which documents there are and which indexes they are in,
// and nothing counts before it says so. What it does not name is what an interrupted
// addition has left, and is cleared away by a later one. An index is of some of the
// documents and never changes: what is added gets an index of its own, and small indexes
// become one, so that an addition costs what it brings and a search looks into few.
//
// How a document is read is package extract's; how passages are cut and ranked, corpus'
// and the librarian's; what of it a run keeps, the archive's.
package shelf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/source"
)

// The names in a library's folder.
const (
	catalogueName = "catalogue.json"
	dataName      = "data"  // bytes and texts, each under its SHA-256
	indexesName   = "index" // of some of the documents each
	lockName      = "catalogue.lock"
	addingName    = "adding.lock" // shared by those who add, so that nobody clears away what they have not entered yet
)

// format is that of the catalogue.
const format = 1

// Library is a library's folder. It may be used by many goroutines and processes.
type Library struct {
	folder string
	say    func(string) // a line for the person, as that an index is made anew
}

// Document is one that is kept.
type Document struct {
	ID       string           `json:"id"`                 // SHA-256 of its bytes, hexadecimal
	Name     string           `json:"name"`               // of its text in the indexes
	Source   archive.Snapshot `json:"source"`             // what is known of it; Asked is its address: a path, or that of a page
	Size     int64            `json:"size,omitempty"`     // of its file, in bytes
	Modified time.Time        `json:"modified,omitempty"` // its file, as it was read
	Added    time.Time        `json:"added"`
}

// Address is where a reader finds the document: an absolute path, or the address of a
// page.
func (d Document) Address() string { return d.Source.Asked }

// IsFile reports whether a document is a file of the person's.
func (d Document) IsFile() bool { return source.Identify(d.Address()).Kind == source.File }

// Title is what the document calls itself, else the name of its file, else its address.
func (d Document) Title() string {
	switch {
	case d.Source.Title != "":
		return d.Source.Title
	case d.IsFile():
		return filepath.Base(d.Address())
	}
	return d.Address()
}

// catalogue is what a library holds.
type catalogue struct {
	Format    int        `json:"format"`
	Documents []Document `json:"documents"`
	Indexes   []index    `json:"indexes"`
}

// index is one of some documents.
type index struct {
	File      string   `json:"file"`
	Documents []string `json:"documents"` // by their ids
}

// ErrNone says that there is no library of that name.
var ErrNone = errors.New("there is no such library; `council library add` makes it")

// Open opens a library that is there. What is done to its indexes unasked is said.
func Open(folder string, say func(string)) (*Library, error) {
	if _, err := os.Stat(filepath.Join(folder, catalogueName)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, ErrNone
		}
		return nil, fmt.Errorf("open the library: %w", err)
	}
	return newLibrary(folder, say), nil
}

// Make opens a library, and makes it where it is missing.
func Make(folder string, say func(string)) (*Library, error) {
	for _, name := range []string{"", dataName, indexesName} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
			return nil, fmt.Errorf("make the library: %w", err)
		}
	}
	return newLibrary(folder, say), nil
}

func newLibrary(folder string, say func(string)) *Library {
	if say == nil {
		say = func(string) {}
	}
	return &Library{folder, say}
}

// Documents are all that are kept, in the order they came.
func (l *Library) Documents() ([]Document, error) {
	c, err := l.read()
	return c.Documents, err
}

// read reads the catalogue; none is an empty one.
func (l *Library) read() (catalogue, error) {
	c := catalogue{Format: format}
	data, err := os.ReadFile(filepath.Join(l.folder, catalogueName))
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return catalogue{}, fmt.Errorf("the catalogue of the library cannot be read (%w): move %s away and add its documents again", err, l.folder)
	}
	return c, nil
}

// check refuses a catalogue of another form: its names lead to files.
func (c catalogue) check() error {
	if c.Format != format {
		return fmt.Errorf("it is of format %d, and this program knows %d", c.Format, format)
	}
	for _, d := range c.Documents {
		if !isHash(d.ID) || d.ID != d.Source.Body || d.Name == "" || !isHash(d.Source.Text) {
			return errors.New("a document in it has no name")
		}
	}
	for _, i := range c.Indexes {
		if i.File != filepath.Base(i.File) || !strings.HasSuffix(i.File, ".db") {
			return errors.New("an index in it has no name")
		}
	}
	return nil
}

func isHash(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}

func (c catalogue) find(id string) (Document, bool) {
	i := slices.IndexFunc(c.Documents, func(d Document) bool { return d.ID == id })
	if i < 0 {
		return Document{}, false
	}
	return c.Documents[i], true
}

// lockPollInterval is how often a lock in another process' hands is tried again.
const lockPollInterval = 20 * time.Millisecond

// change changes the catalogue, one process at a time, and puts the changed one in its
// place. Files that no catalogue names any more are for the caller to remove.
func (l *Library) change(ctx context.Context, edit func(*catalogue) error) error {
	lock := flock.New(filepath.Join(l.folder, lockName), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPollInterval); err != nil {
		return fmt.Errorf("wait for who changes the library: %w", err)
	}
	defer lock.Unlock()
	c, err := l.read()
	if err != nil {
		return err
	}
	before := c.files()
	if err := edit(&c); err != nil {
		return err
	}
	data, err := json.Marshal(c)
	if err == nil {
		err = durable.ReplaceFile(filepath.Join(l.folder, catalogueName), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the catalogue of the library: %w", err)
	}
	after := c.files()
	for name := range before {
		if !after[name] {
			_ = os.Remove(filepath.Join(l.folder, name)) // one that is being read goes with the next clearing
		}
	}
	return nil
}

// files are the files that a catalogue names, below the library's folder.
func (c catalogue) files() map[string]bool {
	names := map[string]bool{}
	for _, d := range c.Documents {
		names[filepath.Join(dataName, d.Source.Body)] = true
		names[filepath.Join(dataName, d.Source.Text)] = true
	}
	for _, i := range c.Indexes {
		names[filepath.Join(indexesName, i.File)] = true
	}
	return names
}

// clear removes what an interrupted addition has left, where nobody adds.
func (l *Library) clear() error {
	adding := l.addingLock()
	if alone, err := adding.TryLock(); err != nil || !alone {
		return nil // whoever adds next clears
	}
	defer adding.Unlock()
	c, err := l.read()
	if err != nil {
		return err
	}
	named := c.files()
	for _, folder := range []string{dataName, indexesName} {
		entries, err := os.ReadDir(filepath.Join(l.folder, folder))
		if err != nil {
			return fmt.Errorf("clear the library: %w", err)
		}
		for _, e := range entries {
			if name := filepath.Join(folder, e.Name()); !named[name] {
				_ = os.Remove(filepath.Join(l.folder, name)) // one that is being read goes the next time
			}
		}
	}
	return nil
}

func (l *Library) addingLock() *flock.Flock {
	return flock.New(filepath.Join(l.folder, addingName), flock.SetPermissions(0o600))
}

// put keeps bytes under their hash.
func (l *Library) put(data []byte) (string, error) {
	hash := archive.Hash(data)
	at := l.data(hash)
	if info, err := os.Stat(at); err == nil && info.Size() == int64(len(data)) {
		return hash, nil
	}
	return hash, durable.ReplaceFile(at, data, 0o600)
}

func (l *Library) data(hash string) string { return filepath.Join(l.folder, dataName, hash) }

// get reads what is kept under a hash, and holds it against the hash.
func (l *Library) get(hash string) ([]byte, error) {
	data, err := os.ReadFile(l.data(hash))
	if err != nil {
		return nil, fmt.Errorf("read the library: %w", err)
	}
	if archive.Hash(data) != hash {
		return nil, fmt.Errorf("read the library: %s is not what was kept; forget the document and add it again", filepath.Join(l.folder, dataName, hash))
	}
	return data, nil
}

// Document gives the document that a key of a source is the identity of, for an archive
// of a run. Of several the one that came last is it.
func (l *Library) Document(key string) (archive.Document, bool, error) {
	c, err := l.read()
	if err != nil {
		return archive.Document{}, false, err
	}
	for _, d := range slices.Backward(c.Documents) {
		if d.Source.Key != key {
			continue
		}
		body, err := l.get(d.Source.Body)
		if err != nil {
			return archive.Document{}, false, err
		}
		text, err := l.get(d.Source.Text)
		return archive.Document{Snapshot: d.Source, Data: body, Words: string(text)}, err == nil, err
	}
	return archive.Document{}, false, nil
}

// keyOf names an index by the texts it is made of.
func keyOf(ids []string) string {
	sum := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	return "library " + hex.EncodeToString(sum[:])
}
