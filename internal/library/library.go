// Package library gives the texts in which quotations are looked for: files
// below a scope, and of everything else that is cited what an archive has.
//
// No path leads out of the scope, by dots, by a link or by being absolute. A
// path that does is no file of the scope, as one that is not there. How the
// other sources are fetched and kept is the archive's.
package library

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"research-council/internal/claim"
	"research-council/internal/source"
)

// Library is a scope and an archive as one [claim.Library]. It may be used by
// many goroutines.
type Library struct {
	root    *os.Root      // nil without a scope
	archive claim.Library // nil without one
}

// MostFile bounds a file of the scope, in bytes.
const MostFile = 16 << 20

// Open opens a scope, which is a folder, or "" for none. The archive is asked
// for what is no file; without one such sources are [claim.ErrRemote].
func Open(scope string, archive claim.Library) (*Library, error) {
	l := &Library{archive: archive}
	if scope == "" {
		return l, nil
	}
	root, err := os.OpenRoot(scope)
	if err != nil {
		return nil, fmt.Errorf("open the scope: %w", err)
	}
	l.root = root
	return l, nil
}

// Close gives the scope back.
func (l *Library) Close() error {
	if l.root == nil {
		return nil
	}
	return l.root.Close()
}

// Text gives the text of a source.
func (l *Library) Text(ref string) (claim.Text, error) {
	src := source.Identify(ref)
	switch {
	case src.Kind == source.File:
		return l.file(src.Path)
	case l.archive == nil:
		return claim.Text{}, claim.ErrRemote
	}
	return l.archive.Text(ref)
}

// ErrNoScope says that a file is cited though there are no local sources.
var ErrNoScope = errors.New("there are no local sources here")

func (l *Library) file(name string) (claim.Text, error) {
	if l.root == nil {
		return claim.Text{}, ErrNoScope
	}
	name = filepath.FromSlash(name)
	if !filepath.IsLocal(name) {
		return claim.Text{}, claim.Absent{Reason: "the path leads out of the local sources; write it relative to them"}
	}
	info, err := l.root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return claim.Text{}, claim.Absent{Reason: "there is no such file among the local sources"}
	case err != nil:
		return claim.Text{}, fmt.Errorf("read %s: %w", name, plain(err))
	case !info.Mode().IsRegular():
		return claim.Text{}, claim.Absent{Reason: "it is no file"}
	case info.Size() > MostFile:
		return claim.Text{}, fmt.Errorf("%s is larger than %d MiB", name, MostFile>>20)
	}
	data, err := l.root.ReadFile(name)
	if err != nil {
		return claim.Text{}, fmt.Errorf("read %s: %w", name, plain(err))
	}
	return claim.Text{Body: string(data), FirstLine: 1}, nil
}

// plain takes the system call and the path from an error, which say nothing to
// a person.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
