package shelf

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/google/uuid"

	"github.com/research-council/research-council/internal/agent/corpus"
)

// drop takes documents out of the catalogue. The indexes they are in are left to
// [Library.reindex].
func (c *catalogue) drop(which func(Document) bool) {
	c.Documents = slices.DeleteFunc(c.Documents, which)
}

// reindex makes the indexes those of the documents that are there: one that holds what
// is gone is made anew without it, what is new gets an index, and together with it those
// that are not larger than it has become, so that each document is indexed again as
// often only as the library doubles.
func (l *Library) reindex(ctx context.Context, c *catalogue, added []string) error {
	there := map[string]int64{}
	for _, d := range c.Documents {
		there[d.ID] = d.Source.Chars
	}
	size := func(ids []string) (n int64) {
		for _, id := range ids {
			n += there[id]
		}
		return n
	}
	var kept []index
	for _, i := range c.Indexes {
		left := slices.DeleteFunc(slices.Clone(i.Documents), func(id string) bool { _, ok := there[id]; return !ok })
		switch {
		case len(left) == len(i.Documents):
			kept = append(kept, i)
		default:
			added = append(left, added...)
		}
	}
	for len(kept) > 0 && len(added) > 0 {
		last := kept[len(kept)-1]
		if size(last.Documents) > size(added) {
			break
		}
		kept, added = kept[:len(kept)-1], append(slices.Clone(last.Documents), added...)
	}
	c.Indexes = kept
	if len(added) == 0 {
		return nil
	}
	made, err := l.index(ctx, *c, added)
	if err != nil {
		return err
	}
	c.Indexes = append(c.Indexes, made)
	slices.SortStableFunc(c.Indexes, func(a, b index) int {
		return int(min(max(size(b.Documents)-size(a.Documents), -1), 1))
	})
	return nil
}

// index makes an index of documents.
func (l *Library) index(ctx context.Context, c catalogue, ids []string) (index, error) {
	i := index{File: uuid.NewString() + ".db", Documents: ids}
	return i, l.build(ctx, c, i)
}

func (l *Library) build(ctx context.Context, c catalogue, i index) error {
	r := Reader{library: l, documents: map[string]Document{}}
	var names []string
	for _, id := range i.Documents {
		d, ok := c.find(id)
		if !ok {
			return errors.New("index the library: a document is in an index and not in the catalogue")
		}
		names = append(names, d.Name)
		r.documents[d.Name] = d
	}
	if err := corpus.BuildTexts(ctx, l.indexFile(i.File), keyOf(i.Documents), corpus.Texts{Names: names, Read: r.text}); err != nil {
		return fmt.Errorf("index the library: %w", err)
	}
	return nil
}

// mend makes each index anew that is missing or damaged, in its place.
func (l *Library) mend(ctx context.Context) error {
	return l.change(ctx, func(c *catalogue) error {
		for n, i := range c.Indexes {
			one, err := corpus.OpenTexts(l.indexFile(i.File), keyOf(i.Documents), corpus.Texts{})
			if err == nil {
				_ = one.Close() // it was opened to look
				continue
			}
			made, err := l.index(ctx, *c, i.Documents)
			if err != nil {
				return err
			}
			c.Indexes[n] = made
		}
		return nil
	})
}

// Forget takes documents out of a library: their bytes, their texts, and what the
// indexes hold of them.
func (l *Library) Forget(ctx context.Context, which func(Document) bool) ([]Document, error) {
	var gone []Document
	err := l.change(ctx, func(c *catalogue) error {
		for _, d := range c.Documents {
			if which(d) {
				gone = append(gone, d)
			}
		}
		c.drop(which)
		return l.reindex(ctx, c, nil)
	})
	if err != nil {
		return nil, err
	}
	return gone, l.clear()
}

// Remove takes a whole library away.
func (l *Library) Remove(ctx context.Context) error {
	if _, err := l.Forget(ctx, func(Document) bool { return true }); err != nil {
		return err
	}
	if err := os.RemoveAll(l.folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("take the library away: %w", err)
	}
	return nil
}
