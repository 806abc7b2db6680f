package shelf

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent/corpus"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/extract"
)

// Reader searches a library as it was when it was opened.
type Reader struct {
	corpus.Several
	library   *Library
	documents map[string]Document // by the names of their texts in the indexes
}

// Hit is a passage of a document.
type Hit struct {
	Document Document
	Passage  string
	Head     string // the heading it stands under; may be ""
	Offset   int    // where in the document's text it begins, in bytes
	Page     int    // of a PDF, from 1; 0 of what has no pages
	Score    float64
}

// attempts is how often a catalogue is read again whose indexes are gone: somebody has
// changed the library meanwhile.
const attempts = 5

// Read opens a library to be searched. An index that is missing or damaged is made
// anew, which is said.
func (l *Library) Read(ctx context.Context) (*Reader, error) {
	for n := 0; ; n++ {
		c, err := l.read()
		if err != nil {
			return nil, err
		}
		r, err := l.open(c)
		if err == nil {
			return r, nil
		}
		if n == attempts {
			return nil, fmt.Errorf("open the library's index: %w", err)
		}
		if now, again := l.read(); again != nil || !slices.EqualFunc(now.Indexes, c.Indexes, sameIndex) {
			continue
		}
		l.say("The library's index was damaged and is made anew.")
		if err := l.mend(ctx); err != nil {
			return nil, err
		}
	}
}

func sameIndex(a, b index) bool { return a.File == b.File }

func (l *Library) open(c catalogue) (*Reader, error) {
	r := &Reader{library: l, documents: map[string]Document{}}
	for _, d := range c.Documents {
		r.documents[d.Name] = d
	}
	for _, i := range c.Indexes {
		one, err := corpus.OpenTexts(l.indexFile(i.File), keyOf(i.Documents), corpus.Texts{Read: r.text})
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		r.Several = append(r.Several, one)
	}
	return r, nil
}

func (l *Library) indexFile(name string) string { return filepath.Join(l.folder, indexesName, name) }

// name is what the text of a document is called in an index. It says in which form the
// text is, its words are searched, and it stays whatever its file is called later.
func (d Document) name() string {
	base := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r < ' ' {
			return ' '
		}
		return r
	}, d.Title())
	ending := ".txt"
	if d.Source.MIME == "text/markdown" {
		ending = ".md"
	}
	return d.ID[:16] + "/" + strings.TrimSuffix(base, path.Ext(base)) + ending
}

// text is the text of a document as it was indexed.
func (r *Reader) text(name string) (string, error) {
	d, ok := r.documents[name]
	if !ok {
		return "", fs.ErrNotExist
	}
	text, err := r.library.get(d.Source.Text)
	return wrap(d.article(string(text))), err
}

// article is what of a document's text is searched: of a page not what stands around its
// article, in menus and comments.
func (d Document) article(text string) string {
	for _, p := range d.Source.Parts {
		if p.Kind == extract.Aside && p.Start > 0 && p.Start <= len(text) {
			return strings.TrimSuffix(text[:p.Start], extract.Separator)
		}
	}
	return text
}

// Search gives the passages that fit best, each with the address of its document.
func (r *Reader) Search(ctx context.Context, q librarian.Query) ([]librarian.Passage, error) {
	return r.Addressed(r.Several.Search(ctx, q))
}

// Addressed gives passages of documents the addresses of these.
func (r *Reader) Addressed(found []librarian.Passage, err error) ([]librarian.Passage, error) {
	for i := range found {
		if d, ok := r.documents[found[i].Path]; ok {
			found[i].Address = d.Address()
		}
	}
	return found, err
}

// Find gives the passages that fit words best, the best first.
func (r *Reader) Find(ctx context.Context, stems []string, most int) ([]Hit, error) {
	found, err := r.Several.Search(ctx, librarian.Query{Any: stems, Limit: most})
	if err != nil {
		return nil, err
	}
	var hits []Hit
	for _, p := range found {
		d := r.documents[p.Path]
		text, err := r.library.get(d.Source.Text)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was forgotten meanwhile
		}
		if err != nil {
			return nil, err
		}
		h := Hit{Document: d, Passage: p.Text, Head: p.Head, Score: p.Score}
		wrapped := wrap(d.article(string(text)))
		h.Offset = offsetOf(string(text), wrapped, p.First)
		if len(d.Source.Pages) > 0 { // a passage may begin on the page before
			h.Page = d.Source.Page(offsetOf(string(text), wrapped, p.First+bestLine(p.Text, stems)))
		}
		hits = append(hits, h)
	}
	return hits, nil
}

// bestLine is the line of a passage, from 0, that holds most of some stems.
func bestLine(text string, stems []string) int {
	best, most := 0, 0
	for i, line := range strings.Split(text, "\n") {
		n := 0
		for _, s := range words.Stems(line) {
			if slices.Contains(stems, s) {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}

// Search opens the library, gives the passages that fit words best, and closes it.
func (l *Library) Search(ctx context.Context, query string, most int) ([]Hit, error) {
	r, err := l.Read(ctx)
	if err != nil {
		return nil, err
	}
	hits, err := r.Find(ctx, words.Stems(query), most)
	return hits, errors.Join(err, r.Close())
}
