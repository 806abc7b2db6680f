package desk

import (
	"context"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/agent/shelf"
	"github.com/research-council/research-council/internal/base/plain"
)

// personLibrary is the library a run names, opened when it is first searched.
type personLibrary struct {
	folder string // "" for none
	mu     sync.Mutex
	reader *shelf.Reader
}

// search looks into the library. A page that is archived by now is searched there.
func (l *personLibrary) search(ctx context.Context, stems []string, most int, archived func(ref string) bool) ([]hit, error) {
	if l.folder == "" {
		return nil, nil
	}
	own, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	found, err := own.Find(ctx, stems, most)
	if err != nil {
		return nil, err
	}
	var hits []hit
	for _, f := range found {
		if !f.Document.IsFile() && archived(f.Document.Address()) {
			continue
		}
		text := strings.ToValidUTF8(f.Passage[:min(len(f.Passage), maxPassage)], "")
		hits = append(hits, hit{Source: f.Document.Address(), Offset: f.Offset, Page: f.Page, Title: plain.Line(f.Document.Title(), maxTitle), Passage: text})
	}
	return hits, nil
}

func (l *personLibrary) open(ctx context.Context) (*shelf.Reader, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reader == nil {
		kept, err := shelf.Open(l.folder, nil)
		if err != nil {
			return nil, err
		}
		if l.reader, err = kept.Read(ctx); err != nil {
			return nil, err
		}
	}
	return l.reader, nil
}

// Close lets go of the index.
func (l *personLibrary) Close() error {
	if l.reader == nil {
		return nil
	}
	return l.reader.Close()
}
