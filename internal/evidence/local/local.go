// Package local reads the files below a folder, the scope: what a person has,
// as a source. Nothing outside of it is read, whatever it is called and wherever
// a link leads, and nothing this program has written. What is worth an index,
// and where a quotation stands in a file, is left to others.
package local

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/extract"
	"github.com/research-council/research-council/internal/evidence/provenance"
)

// Files are the files below a folder, the scope. Nothing outside it is read, by
// whatever path it is named, and nothing this program has written. It may be
// used by many goroutines.
type Files struct {
	root      *os.Root
	scope     string // absolute
	real      string // the same without links
	insideOwn bool   // the scope lies in a folder of ours
	pages     bool   // it holds pages of the web, whose texts a run has archived too

	once    sync.Once
	written *provenance.RunFiles
}

// Text is a file that was read.
type Text struct {
	Data  []byte // its bytes
	Words string // the same in UTF-8
	Doubt string // why what is not found may stand in it all the same; "" for none
}

// What keeps a file from being a source, whoever names it.
var (
	ErrOutside = errors.New("the path leads out of the local sources")
	ErrOwnFile = errors.New(provenance.OwnFileReason)
	ErrNoFile  = errors.New("it is no file")
)

// Unread says why a file that is there was not read.
type Unread struct{ Why string }

func (u Unread) Error() string { return u.Why }

// Open opens a folder.
func Open(scope string) (*Files, error) {
	scope, err := filepath.Abs(scope)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(scope)
	if err != nil {
		return nil, err
	}
	f := &Files{root: root, scope: scope, real: scope}
	if real, err := filepath.EvalSymlinks(scope); err == nil {
		f.real = real
	}
	f.insideOwn = provenance.IsInRunFolder(filepath.ToSlash(f.real)) || provenance.HasMarker(os.DirFS("/"), strings.TrimPrefix(filepath.ToSlash(f.real), "/"))
	return f, nil
}

// OpenPages opens a folder in a run that holds pages of the web: they are the words of
// others, although they lie among our own writings.
func OpenPages(folder string) (*Files, error) {
	f, err := Open(folder)
	if err == nil {
		f.insideOwn, f.pages = false, true
	}
	return f, err
}

// FS are the files as they lie, whoever has written them.
func (f *Files) FS() fs.FS { return f.root.FS() }

// IsOwnFolder reports whether a folder below the scope, or the scope itself, is
// one of ours as a whole.
func (f *Files) IsOwnFolder(name string) bool {
	return f.insideOwn || name != "." && (provenance.HasOwnName(f.nameWithScope(name)) || provenance.HasMarker(f.root.FS(), name))
}

// Close gives the folder back.
func (f *Files) Close() error { return f.root.Close() }

// PathInScope is where a file lies below the scope, with slashes, however it was
// named: relative to the scope, to a folder the scope lies in, as a project is,
// or absolutely. A link is where it leads to. What leads out is ErrOutside.
func (f *Files) PathInScope(name string) (string, error) {
	name = filepath.Clean(filepath.FromSlash(name))
	if filepath.IsAbs(name) {
		below, ok := f.belowScope(name)
		if !ok {
			return "", ErrOutside
		}
		return f.resolveLinks(below), nil
	}
	if !filepath.IsLocal(name) {
		return "", ErrOutside
	}
	if _, err := f.root.Lstat(name); err == nil {
		return f.resolveLinks(name), nil
	}
	parts := strings.Split(strings.Trim(f.scope, string(filepath.Separator)), string(filepath.Separator))
	for i := len(parts) - 1; i >= 0; i-- {
		if rest, ok := strings.CutPrefix(name+string(filepath.Separator), filepath.Join(parts[i:]...)+string(filepath.Separator)); ok {
			rest = filepath.Clean(rest)
			if _, err := f.root.Lstat(rest); err == nil {
				return f.resolveLinks(rest), nil
			}
		}
	}
	return filepath.ToSlash(name), nil
}

// Absolute is where a file of the scope lies on this machine, if it is there.
func (f *Files) Absolute(name string) (string, bool) {
	place, err := f.PathInScope(name)
	if err != nil {
		return "", false
	}
	if _, err := f.root.Stat(filepath.FromSlash(place)); err != nil {
		return "", false
	}
	return filepath.Join(f.real, filepath.FromSlash(place)), true
}

// belowScope is an absolute path as one below the scope.
func (f *Files) belowScope(name string) (string, bool) {
	if rel, err := filepath.Rel(f.scope, name); err == nil && filepath.IsLocal(rel) {
		return rel, true
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(f.real, real)
	return rel, err == nil && filepath.IsLocal(rel)
}

// resolveLinks is a path below the scope without links, where it stays below.
func (f *Files) resolveLinks(name string) string {
	if real, err := filepath.EvalSymlinks(filepath.Join(f.real, name)); err == nil {
		if rel, err := filepath.Rel(f.real, real); err == nil && filepath.IsLocal(rel) {
			name = rel
		}
	}
	return filepath.ToSlash(name)
}

// Read reads a file of at most so many bytes, by its place. The error is
// ErrNoFile, ErrOwnFile, an Unread, or one of the system's.
func (f *Files) Read(name string, most int64) (Text, error) {
	at := filepath.FromSlash(name)
	if f.insideOwn || f.isInOwnFolder(name) {
		return Text{}, ErrOwnFile
	}
	info, err := f.root.Stat(at)
	switch {
	case err != nil:
		return Text{}, err
	case !info.Mode().IsRegular():
		return Text{}, ErrNoFile
	case info.Size() > most:
		return Text{}, Unread{fmt.Sprintf("larger than %d MiB", most>>20)}
	}
	file, err := f.root.Open(at)
	if err != nil {
		return Text{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	switch {
	case err != nil:
		return Text{}, err
	case int64(len(data)) > most:
		return Text{}, Unread{fmt.Sprintf("larger than %d MiB", most>>20)}
	case provenance.HasImprint(data) || !f.pages && f.runFiles().Contains(data, info.ModTime()):
		return Text{}, ErrOwnFile
	}
	words, doubt, err := extract.Local(data)
	if errors.Is(err, extract.ErrBinary) {
		return Text{}, Unread{"no text"}
	}
	if err != nil {
		return Text{}, Unread{err.Error()}
	}
	return Text{data, words, doubt}, nil
}

// isInOwnFolder reports whether a file lies in a folder of ours.
func (f *Files) isInOwnFolder(name string) bool {
	dir := filepath.ToSlash(filepath.Dir(filepath.FromSlash(name)))
	return provenance.HasOwnName(f.nameWithScope(dir)) || provenance.HasMarker(f.root.FS(), dir)
}

// nameWithScope is a folder's path with the name of the scope: docs/research-x is ours
// also where docs is the scope.
func (f *Files) nameWithScope(dir string) string {
	return filepath.ToSlash(filepath.Join(filepath.Base(f.real), dir))
}

// runFiles is what lies in the folders of runs of the projects around.
func (f *Files) runFiles() *provenance.RunFiles {
	f.once.Do(func() {
		var projects []fs.FS
		for dir := f.real; ; dir = filepath.Dir(dir) {
			projects = append(projects, os.DirFS(dir))
			if dir == filepath.Dir(dir) {
				break
			}
		}
		f.written = provenance.ListRunFiles(projects...)
	})
	return f.written
}
