// Package library gives the texts in which quotations are looked for: files
// below a scope, and of everything else that is cited what the archive has.
//
// A file is named relative to the scope or to the project, absolutely or as a
// file URL, and no path leads out of the scope, by dots or by a link. What this
// program has written is no source, whoever cites it. A
// source that is dead is absent; one that could not be read for another reason
// is an error, for an outage is no verdict. How sources are fetched and kept is
// the archive's.
package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/experiment"
	"github.com/research-council/research-council/internal/evidence/local"
	"github.com/research-council/research-council/internal/evidence/provenance"
	"github.com/research-council/research-council/internal/evidence/source"
)

// Archive fetches and keeps what is cited, as [archive.Archive] does.
type Archive interface {
	Fetch(ctx context.Context, ref string) (archive.Snapshot, error)
	Lookup(key string) (archive.Snapshot, bool)
	Text(s archive.Snapshot) (string, error)
	Bytes(s archive.Snapshot) ([]byte, error)
}

// Library is a scope and an archive. It may be used by many goroutines.
type Library struct {
	files   *local.Files // nil without a scope
	archive Archive      // nil without one
}

// MaxFile bounds a file of the scope, in bytes.
const MaxFile = 16 << 20

// Open opens a scope, which is a folder, or "" for none. Without an archive
// whatever is no file is [claim.ErrRemote].
func Open(scope string, a Archive) (*Library, error) {
	l := &Library{archive: a}
	if scope == "" {
		return l, nil
	}
	files, err := local.Open(scope)
	if err != nil {
		return nil, fmt.Errorf("open the scope: %w", err)
	}
	l.files = files
	return l, nil
}

// Close gives the scope back.
func (l *Library) Close() error {
	if l.files == nil {
		return nil
	}
	return l.files.Close()
}

// Fetcher gives the texts of files and of what can be fetched.
func (l *Library) Fetcher(ctx context.Context) claim.Library {
	return textSource{l, func(ref string) (archive.Snapshot, error) { return l.archive.Fetch(ctx, ref) }}
}

// ArchivedOnly gives the texts of files and of what is archived, and fetches nothing.
func (l *Library) ArchivedOnly() claim.Library {
	return textSource{l, func(ref string) (archive.Snapshot, error) {
		src := source.Identify(ref)
		if s, ok := l.archive.Lookup(src.Key); ok {
			return s, nil
		}
		if src.Kind == source.Experiment { // what there is of it is archived
			return archive.Snapshot{}, claim.Absent{Reason: archive.NoExperiment}
		}
		return archive.Snapshot{}, ErrNotArchived
	}}
}

// What keeps a text from being looked at.
var (
	ErrNoScope     = errors.New("there are no local sources here")     // a file is cited
	ErrNotArchived = errors.New("the source has not been fetched yet") // it is not kept
)

// textSource are a library's, with one way to its archive.
type textSource struct {
	*Library
	page func(ref string) (archive.Snapshot, error)
}

// Text gives the text of a source.
func (t textSource) Text(ref string) (claim.Text, error) {
	src := source.Identify(ref)
	switch {
	case src.Kind == source.File:
		return t.fileOrDocument(src.Path)
	case t.archive == nil:
		return claim.Text{}, claim.ErrRemote
	}
	s, err := t.page(ref)
	if err != nil {
		return claim.Text{}, err
	}
	return t.textOf(s)
}

// fileOrDocument is a file of the scope, or a document that the person keeps in a library
// of theirs, which is known by its absolute path and archived as it was read there.
func (t textSource) fileOrDocument(name string) (claim.Text, error) {
	if t.archive != nil && filepath.IsAbs(name) {
		if s, err := t.page(name); err == nil && s.State.Readable() && s.WasRead() {
			return t.textOf(s)
		}
	}
	text, err := t.file(name)
	if err == nil || t.archive == nil || t.files == nil || filepath.IsAbs(name) {
		return text, err
	}
	at, known := t.files.Absolute(name) // one that is no text for the scope may have been read for the library
	if !known {
		return text, err
	}
	if s, kept := t.page(at); kept == nil && s.State.Readable() && s.WasRead() {
		return t.textOf(s)
	}
	return text, err
}

func (l *Library) textOf(s archive.Snapshot) (claim.Text, error) {
	switch {
	case s.State == archive.Gone || s.State == archive.LikelyInvented:
		return claim.Text{}, claim.Absent{Reason: SnapshotProblem(s)}
	case !s.State.Readable():
		return claim.Text{}, errors.New(SnapshotProblem(s))
	}
	body, err := l.archive.Text(s)
	if err != nil {
		return claim.Text{}, fmt.Errorf("read the archived text: %w", err)
	}
	if provenance.HasImprint([]byte(body)) {
		return claim.Text{}, claim.Absent{Reason: provenance.OwnFileReason}
	}
	text := claim.Text{Body: body, FirstLine: 1, Snapshot: s.Body, Hash: s.Text, Aside: s.Aside}
	if why, partial := s.Partial(); partial {
		text.Partial = why
	}
	if s.Record != nil && s.Record.Retracted {
		text.Doubt = "the paper has been retracted"
	}
	if _, made := experiment.Number(s.Key); made {
		return l.ofExperiment(s, text)
	}
	return text, nil
}

// ofExperiment is the output of an experiment, with what is to be said of its
// passages.
func (l *Library) ofExperiment(s archive.Snapshot, text claim.Text) (claim.Text, error) {
	data, err := l.archive.Bytes(s)
	if err != nil {
		return claim.Text{}, fmt.Errorf("read the archived record: %w", err)
	}
	r, err := experiment.Parse(data)
	if err != nil {
		return claim.Text{}, err
	}
	text.Doubts, text.Made = r.Doubt, plain.Text(r.Account())
	if r.Cut == experiment.Flooded {
		text.Partial = r.Cut
	}
	return text, nil
}

// SnapshotProblem says what became of fetching a source, for people.
func SnapshotProblem(s archive.Snapshot) string {
	if s.Reason == archive.NoExperiment {
		return s.Reason
	}
	if s.Reason == "" {
		return "the page is " + string(s.State)
	}
	return "the page is " + string(s.State) + ": " + s.Reason
}

// Canonical is a reference to a file as every other to the same file and lines
// is written: by the file's place below the scope. What is no such file stays
// as it is.
func (l *Library) Canonical(ref string) string {
	src := source.Identify(ref)
	if l.files == nil || src.Kind != source.File {
		return ref
	}
	if l.archive != nil && filepath.IsAbs(src.Path) {
		if s, kept := l.archive.Lookup(src.Key); kept && s.WasRead() {
			return ref // a document of a library, which is known by its path
		}
	}
	place, err := l.files.PathInScope(src.Path)
	if err != nil || place == src.Path && !strings.HasPrefix(ref, "file:") {
		return ref
	}
	if named := source.Identify(place); named.Kind != source.File || named.Path != place {
		return ref // it would be read as something else
	}
	switch {
	case src.First == 0:
		return place
	case src.First == src.Last:
		return fmt.Sprintf("%s:%d", place, src.First)
	}
	return fmt.Sprintf("%s:%d-%d", place, src.First, src.Last)
}

func (l *Library) file(name string) (claim.Text, error) {
	if l.files == nil {
		return claim.Text{}, ErrNoScope
	}
	place, err := l.files.PathInScope(name)
	if err != nil {
		return claim.Text{}, claim.Absent{Reason: "the path leads out of the local sources; name a file inside them", Outside: true}
	}
	text, err := l.files.Read(place, MaxFile)
	var unread local.Unread
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return claim.Text{}, claim.Absent{Reason: "there is no such file among the local sources"}
	case errors.Is(err, local.ErrNoFile), errors.Is(err, local.ErrOwnFile):
		return claim.Text{}, claim.Absent{Reason: err.Error()}
	case errors.As(err, &unread):
		return claim.Text{}, fmt.Errorf("the file was not read: %s", unread.Why)
	case err != nil:
		return claim.Text{}, fmt.Errorf("read %s: %w", place, withoutPath(err))
	case len(text.Data) == 0:
		return claim.Text{}, claim.Absent{Reason: "the file is empty"}
	}
	hash := textHash(text.Words) // that under which an archive keeps it
	return claim.Text{Body: text.Words, FirstLine: 1, Snapshot: hash, Hash: hash, Partial: text.Doubt}, nil
}

func textHash(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

// withoutPath takes the system call and the path from an error, which say nothing to
// a person.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
