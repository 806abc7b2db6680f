package shelf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/extract"
	"github.com/research-council/research-council/internal/evidence/local"
	"github.com/research-council/research-council/internal/evidence/provenance"
	"github.com/research-council/research-council/internal/evidence/source"
)

// Bounds of an addition.
const (
	maxFile      = 32 << 20 // bytes of a document
	maxReason    = 200      // runes of a reason
	batchFiles   = 64       // documents that are entered at once
	batchBytes   = 64 << 20
	batchTime    = 10 * time.Second // after which what was read is entered
	readTime     = 2 * time.Minute  // for one document
	maxDocuments = 100_000
)

// What became of a document that was to be added.
const (
	Added     = "added"
	Changed   = "changed"   // it is there in its new form
	Unchanged = "unchanged" // its file is as it was, and was not read
	Same      = "same"      // the same bytes are there already
	Unread    = "unread"
)

// Outcome is what became of a document.
type Outcome struct {
	Address string `json:"address"`
	State   string `json:"state"`
	Why     string `json:"why,omitempty"` // it was not read, or is there already under another address
	ID      string `json:"id,omitempty"`
}

// Extract gets the text out of bytes, as [archive.Options.Extract] does.
type Extract func(ctx context.Context, body []byte, mime, url string) extract.Document

// Adder adds documents to a library. What it was given is entered when it is closed,
// and some of it before; until then it is not there.
type Adder struct {
	library *Library
	extract Extract
	adding  *flock.Flock
	new     []Document
	size    int64
	since   time.Time

	byID, byAddress map[string]Document // what is entered, and what is new
}

// Add begins an addition.
func (l *Library) Add(ctx context.Context, how Extract) (*Adder, error) {
	if err := l.clear(); err != nil {
		return nil, err
	}
	a := &Adder{library: l, extract: how, adding: l.addingLock(), since: time.Now()}
	if _, err := a.adding.TryRLockContext(ctx, lockPollInterval); err != nil {
		return nil, fmt.Errorf("wait for who clears the library: %w", err)
	}
	c, err := l.read()
	if err != nil {
		return nil, errors.Join(err, a.adding.Unlock())
	}
	a.know(c)
	return a, nil
}

// know takes over what is entered.
func (a *Adder) know(c catalogue) {
	a.byID, a.byAddress = map[string]Document{}, map[string]Document{}
	for _, d := range slices.Concat(c.Documents, a.new) {
		a.note(d)
	}
}

func (a *Adder) note(d Document) { a.byID[d.ID], a.byAddress[d.Address()] = d, d }

// Close enters what is left.
func (a *Adder) Close(ctx context.Context) error {
	return errors.Join(a.enter(ctx), a.adding.Unlock())
}

// mimes are what files are by the ends of their names, where their bytes do not say it.
var mimes = map[string]string{
	".md": "text/markdown", ".markdown": "text/markdown", ".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml",
}

// File adds a file, by its absolute path. An error is one of the library's, never of the
// file.
func (a *Adder) File(ctx context.Context, path string) (Outcome, error) {
	out := Outcome{Address: path, State: Unread}
	info, err := os.Stat(path)
	switch src := source.Identify(path); {
	case err != nil:
		out.Why = cause(err)
	case !info.Mode().IsRegular():
		out.Why = "it is no file"
	case local.IsSecret(filepath.Base(path)):
		out.Why = "it may hold secrets"
	case src.Kind != source.File || src.Path != filepath.ToSlash(path):
		out.Why = "its name cannot be cited: rename it, with letters, digits, dots and dashes"
	case info.Size() > maxFile:
		out.Why = fmt.Sprintf("larger than %d MiB", maxFile>>20)
	}
	if out.Why != "" {
		return out, nil
	}
	old, had := a.byAddress[path]
	if had && old.Size == info.Size() && old.Modified.Equal(info.ModTime()) {
		return Outcome{path, Unchanged, "", old.ID}, nil
	}
	data, err := readFile(path)
	if err != nil {
		out.Why = cause(err)
		return out, nil
	}
	d := Document{ID: archive.Hash(data), Size: info.Size(), Modified: info.ModTime(), Added: time.Now().UTC()}
	d.Source.Asked = path
	if other, there := a.byID[d.ID]; there {
		return a.again(ctx, other, d, had && old.ID == d.ID)
	}
	read, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	doc := a.extract(read, data, mimes[strings.ToLower(filepath.Ext(path))], "")
	if err := ctx.Err(); err != nil {
		return out, err
	}
	if out.Why = unreadable(doc, data); out.Why != "" {
		return out, nil
	}
	d.Source = archive.Snapshot{
		Key: source.Identify(path).Key, Asked: path, State: archive.Live, Fetched: d.Added, MIME: doc.MIME, Charset: doc.Charset,
		Title: doc.Title, Authors: doc.Authors, Published: doc.Published, DOI: doc.DOI, Extractor: doc.Extractor,
		Parts: doc.Parts, Pages: doc.Pages, Warnings: doc.Warnings,
	}
	if err := a.take(ctx, d, data, doc.Text); err != nil {
		return out, err
	}
	if had {
		return Outcome{path, Changed, "", d.ID}, nil
	}
	return Outcome{path, Added, "", d.ID}, nil
}

// Kept adds a source that an archive has.
func (a *Adder) Kept(ctx context.Context, d archive.Document) (Outcome, error) {
	address := d.Asked
	if url := source.Identify(address).URL; url != "" {
		address = url
	}
	out := Outcome{Address: address, State: Unread}
	switch {
	case !d.State.Readable():
		out.Why = plain.Line(string(d.State)+": "+d.Reason, maxReason)
	case len(d.Data) == 0 || d.Words == "":
		out.Why = "no text in it"
	case provenance.HasImprint(d.Data) || provenance.HasImprint([]byte(d.Words)):
		out.Why = provenance.OwnFileReason
	}
	if out.Why != "" {
		return out, nil
	}
	doc := Document{ID: archive.Hash(d.Data), Source: d.Snapshot, Added: time.Now().UTC()}
	doc.Source.Key, doc.Source.Asked = source.Identify(address).Key, address
	if other, there := a.byID[doc.ID]; there {
		if other.Address() == address {
			return Outcome{address, Unchanged, "", doc.ID}, nil
		}
		return Outcome{address, Same, "the same as " + other.Address(), doc.ID}, nil
	}
	_, had := a.byAddress[address]
	if err := a.take(ctx, doc, d.Data, d.Words); err != nil {
		return out, err
	}
	if had {
		return Outcome{address, Changed, "", doc.ID}, nil
	}
	return Outcome{address, Added, "", doc.ID}, nil
}

// again is a file whose bytes are there already: under its own name, or under one that
// is gone, in whose place it steps, or under another's.
func (a *Adder) again(ctx context.Context, there, d Document, own bool) (Outcome, error) {
	path := d.Address()
	moved := false
	if !own && there.IsFile() {
		_, err := os.Stat(there.Address())
		moved = errors.Is(err, fs.ErrNotExist)
	}
	if !own && !moved {
		return Outcome{path, Same, "the same as " + there.Address(), d.ID}, nil
	}
	err := a.library.change(ctx, func(c *catalogue) error {
		for i := range c.Documents {
			if at := &c.Documents[i]; at.ID == d.ID {
				at.Size, at.Modified = d.Size, d.Modified
				at.Source.Asked, at.Source.Key = path, source.Identify(path).Key
			}
		}
		a.know(*c)
		return nil
	})
	if moved {
		return Outcome{path, Changed, "it was " + there.Address(), d.ID}, err
	}
	return Outcome{path, Unchanged, "", d.ID}, err
}

// unreadable says why a document is not added; "" when it is.
func unreadable(doc extract.Document, data []byte) string {
	switch {
	case strings.TrimSpace(doc.Text) != "" && (provenance.HasImprint(data) || provenance.HasImprint([]byte(doc.Text))):
		return provenance.OwnFileReason
	case strings.TrimSpace(doc.Text) != "":
		return ""
	}
	for _, kind := range []string{extract.Damaged, extract.Garbled, extract.NoText} {
		for _, w := range doc.Warnings {
			if extract.HasWarning([]string{w}, kind) {
				return plain.Line(w, maxReason)
			}
		}
	}
	return "no text in it"
}

// readFile reads a file of at most so many bytes.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxFile:
		return nil, fmt.Errorf("larger than %d MiB", maxFile>>20)
	case len(data) == 0:
		return nil, errors.New("empty")
	}
	return data, nil
}

// cause is an error without the path, which the address names.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return plain.Line(err.Error(), maxReason)
}

// take keeps a document's bytes and text, and enters it with others.
func (a *Adder) take(ctx context.Context, d Document, body []byte, text string) (err error) {
	if len(a.byID) >= maxDocuments {
		return fmt.Errorf("a library holds %d documents at most: name another with --library", maxDocuments)
	}
	if d.Source.Body, err = a.library.put(body); err != nil {
		return fmt.Errorf("keep a document: %w", err)
	}
	if d.Source.Text, err = a.library.put([]byte(text)); err != nil {
		return fmt.Errorf("keep a document: %w", err)
	}
	d.Source.Bytes, d.Source.Chars = int64(len(body)), int64(len(text))
	d.Name = d.name()
	a.new = append(a.new, d)
	a.note(d)
	a.size += int64(len(text))
	if len(a.new) >= batchFiles || a.size >= batchBytes || time.Since(a.since) >= batchTime {
		return a.enter(ctx)
	}
	return nil
}

// enter writes into the catalogue what was read: from then on it is there.
func (a *Adder) enter(ctx context.Context) error {
	if len(a.new) == 0 {
		return nil
	}
	return a.library.change(ctx, func(c *catalogue) error {
		var ids []string
		for _, d := range a.new {
			if _, there := c.find(d.ID); there || !a.library.has(d) {
				continue // another process was faster, or has had it forgotten
			}
			c.drop(func(old Document) bool { return old.Address() == d.Address() }) // it is another now
			c.Documents = append(c.Documents, d)
			ids = append(ids, d.ID)
		}
		ids = slices.DeleteFunc(ids, func(id string) bool { _, there := c.find(id); return !there })
		if err := a.library.reindex(ctx, c, ids); err != nil {
			return err
		}
		a.new, a.size, a.since = nil, 0, time.Now()
		a.know(*c)
		return nil
	})
}

// has reports whether the bytes and the text of a document are kept.
func (l *Library) has(d Document) bool {
	for _, hash := range []string{d.Source.Body, d.Source.Text} {
		if _, err := os.Stat(l.data(hash)); err != nil {
			return false
		}
	}
	return true
}
