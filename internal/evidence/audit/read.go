package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/citation"
	"github.com/research-council/research-council/internal/evidence/library"
	"github.com/research-council/research-council/internal/evidence/provenance"
)

// Subject is a report that was read, to be audited.
type Subject struct {
	Name string // as it was asked for
	Dir  string // where it lies; "" for one that is no file
	Run  string // the run it says it was written in; "" for none
	citation.Document
}

// Reader says where reports are read from.
type Reader struct {
	Dir     string           // the folder that file names start from
	Stdin   io.Reader        // the report called -
	Archive *archive.Archive // pages are fetched by it
	Offline bool             // no page is fetched
}

// Read reads the report of a name: a file, an address, or - for standard input.

func (o Reader) Read(ctx context.Context, name string) (Subject, error) {
	r := Subject{Name: name}
	var data []byte
	var mime string
	var err error
	switch {
	case name == "-":
		r.Dir = o.Dir
		data, err = io.ReadAll(io.LimitReader(o.Stdin, citation.Limit+1))
	case isURL(name):
		data, mime, err = o.fetch(ctx, name)
	default:
		r.Dir, data, mime, err = o.readFile(name)
	}
	if err != nil {
		return r, err
	}
	r.Document, err = citation.Parse(data, mime)
	if err != nil {
		return r, usage.Errorf("%s is no report that can be read: %w", name, err)
	}
	r.Run = provenance.RunID(data)
	return r, nil
}

func isURL(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// fetch gives a page's bytes in UTF-8.
func (o Reader) fetch(ctx context.Context, url string) (data []byte, mime string, err error) {
	if o.Offline {
		return nil, "", usage.Errorf("%s cannot be fetched with --offline; save it as a file", url)
	}
	s, err := o.Archive.Fetch(ctx, url)
	if err != nil {
		return nil, "", fmt.Errorf("fetch %s: %w", url, err)
	}
	if s.Body == "" || !s.State.Readable() {
		return nil, "", usage.Errorf("%s cannot be read: %s", url, library.SnapshotProblem(s))
	}
	if data, err = o.Archive.Bytes(s); err != nil {
		return nil, "", fmt.Errorf("read %s from the archive: %w", url, err)
	}
	if !strings.HasPrefix(s.MIME, "text/") && !strings.Contains(s.MIME, "html") {
		return nil, "", usage.Errorf("%s is %s; only Markdown and HTML can be audited", url, s.MIME)
	}
	if s.Charset != "" && !strings.EqualFold(s.Charset, "utf-8") {
		if enc, _ := charset.Lookup(s.Charset); enc != nil {
			data, err = enc.NewDecoder().Bytes(data)
		}
	}
	return data, s.MIME, err
}

// readFile reads a file, and gives the folder it lies in.
func (o Reader) readFile(name string) (dir string, data []byte, mime string, err error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, "", usage.Errorf("there is no file %s", name)
	case err != nil:
		return "", nil, "", usage.Errorf("%s: %w", name, usage.Cause(err))
	case !info.Mode().IsRegular():
		return "", nil, "", usage.Errorf("%s is no file", name)
	case info.Size() > citation.Limit:
		return "", nil, "", usage.Errorf("%s is no report that can be read: %w", name, citation.ErrTooLarge)
	}
	if data, err = os.ReadFile(path); err != nil {
		return "", nil, "", usage.Errorf("%s: %w", name, usage.Cause(err))
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html", ".htm", ".xhtml":
		mime = "text/html"
	case ".md", ".markdown":
		mime = "text/markdown"
	}
	return filepath.Dir(path), data, mime, nil
}

// OpenScope opens the local sources of a report, which are to be closed; nil without
// a scope. A run is named where the scope is taken from it.
func OpenScope(scope, run string) (*library.Library, error) {
	if scope == "" {
		return nil, nil
	}
	l, err := library.Open(scope, nil)
	switch {
	case err != nil && run != "":
		return nil, usage.Errorf("the scope of run %s, %q: %w; name another with --scope", run, scope, usage.Cause(err))
	case err != nil:
		return nil, usage.Errorf("--scope %q: %w", scope, usage.Cause(err))
	}
	return l, nil
}
