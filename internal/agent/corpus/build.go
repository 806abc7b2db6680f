package corpus

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"path"
	"strings"

	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/base/durable"
	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/local"
)

// visitor takes a text with its name, or the reason why there is none.
type visitor func(name string, text local.Text, reason string) error

// build writes an index beside its place and moves it there; each gives what it is made
// of.
func build(ctx context.Context, index, scope string, each func(visitor) error) error {
	beside := durable.TempName(index)
	err := write(ctx, beside, scope, each)
	if err == nil {
		err = durable.MoveFile(beside, index)
	}
	if err != nil {
		return errors.Join(err, remove(beside))
	}
	return nil
}

func remove(at string) error {
	if err := os.Remove(at); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// write makes a whole index.
func write(ctx context.Context, at, scope string, each func(visitor) error) (err error) {
	file, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := newWriter(file, scope)
	err = each(func(name string, text local.Text, reason string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if reason != "" {
			w.stats.Skipped[reason]++
			return nil
		}
		return w.add(name, text.Words)
	})
	if err != nil {
		return err
	}
	return w.writeTable()
}

// writer adds files to an index. Passages go to the file as they come; what
// they are found by is kept until the end.
type writer struct {
	out *bufio.Writer
	indexTable
	lists  lists
	counts map[string]stemCount // of the passage that is added
}

// stemCount is how often a stem stands in the head of a passage and in its body.
type stemCount struct{ head, body int }

func newWriter(file *os.File, scope string) *writer {
	w := &writer{out: bufio.NewWriterSize(file, 1<<20), lists: lists{open: map[string]*postingList{}}, counts: map[string]stemCount{}}
	w.scope = scope
	w.stats = librarian.Stats{Passages: map[librarian.Shard]int{}, Skipped: map[string]int{}}
	return w
}

// add indexes one file.
func (w *writer) add(name, text string) error {
	passages := librarian.Split(name, text)
	if len(passages) == 0 {
		w.stats.Skipped["nothing in it to read"]++
		return nil
	}
	w.stats.Files++
	w.paths = append(w.paths, name)
	for _, p := range passages {
		w.stats.Passages[p.Shard]++
		record := appendRecord(nil, p)
		if _, err := w.out.Write(record); err != nil {
			return err
		}
		stems := w.addPassage(p.Head+" "+strings.TrimSuffix(name, path.Ext(name)), p.Text)
		w.passages = append(w.passages, passageEntry{path: len(w.paths) - 1, shard: p.Shard, at: w.records, size: len(record), stems: stems})
		w.records += int64(len(record))
	}
	return nil
}

// addPassage notes what the next passage is found by, and says how much that is.
func (w *writer) addPassage(head, body string) int {
	inHead, inBody := words.Stems(head), words.Stems(body)
	clear(w.counts)
	for _, s := range inHead {
		c := w.counts[s]
		w.counts[s] = stemCount{c.head + 1, c.body}
	}
	for _, s := range inBody {
		c := w.counts[s]
		w.counts[s] = stemCount{c.head, c.body + 1}
	}
	id := len(w.passages)
	for s, n := range w.counts {
		w.lists.add(s, id, n)
	}
	w.lists.pack(maxOpen)
	return len(inHead) + len(inBody)
}

// writeTable writes what the passages are found by and what the index says of
// itself.
func (w *writer) writeTable() error {
	at := w.records
	err := w.lists.merged(func(stem string, list postingList) error {
		w.terms = append(w.terms, term{stem: stem, passages: list.passages, at: at, size: len(list.data)})
		at += int64(len(list.data))
		_, err := w.out.Write(list.data)
		return err
	})
	if err != nil {
		return err
	}
	if _, err := w.out.Write(w.indexTable.append(nil, at)); err != nil {
		return err
	}
	return w.out.Flush()
}

// generated reports whether a file says, as Go's tools agree, that a program
// has written it, or looks as if no person reads it.
func generated(name string, data []byte) bool {
	top := data[:min(len(data), 4<<10)]
	if bytes.Contains(top, []byte("Code generated ")) && bytes.Contains(top, []byte(" DO NOT EDIT.")) {
		return true
	}
	if strings.Contains(name, ".min.") || strings.HasSuffix(name, ".map") || strings.HasSuffix(name, ".svg") {
		return true
	}
	lines := bytes.Count(data, []byte("\n")) + 1
	return len(data) > 4<<10 && len(data)/lines > 400
}
