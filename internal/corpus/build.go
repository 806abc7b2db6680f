package corpus

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"research-council/internal/agent/librarian"
	"research-council/internal/durable"
)

// schema: passages as they are, and what they are found by. The full-text
// table keeps no text of its own.
const schema = `
CREATE TABLE about (kind TEXT, name TEXT, value TEXT, number INTEGER);
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT);
CREATE TABLE passages (id INTEGER PRIMARY KEY, file INTEGER, first INTEGER, last INTEGER, shard TEXT, kinds TEXT, head TEXT, text TEXT);
CREATE VIRTUAL TABLE words USING fts5(head, body, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co'");
CREATE VIRTUAL TABLE terms USING fts5vocab(words, row);
`

// build writes the index of a folder beside its place and moves it there.
func build(ctx context.Context, files *Files, index, scope string) error {
	beside := durable.Beside(index)
	err := write(ctx, files, beside, scope)
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

// write makes a whole index. It can be made again at any time, so nothing of
// it is synced.
func write(ctx context.Context, files *Files, at, scope string) (err error) {
	file, err := os.OpenFile(at, os.O_CREATE|os.O_WRONLY, 0o600) // SQLite would let others read it
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", address(at, "_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=cache_size(-65536)"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	w, err := newWriter(ctx, tx)
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := w.all(ctx, files, scope); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// writer adds files to an index.
type writer struct {
	tx                   *sql.Tx
	file, passage, stems *sql.Stmt
	files, passages      int
	shards               map[librarian.Shard]int
	skipped              map[string]int
}

func newWriter(ctx context.Context, tx *sql.Tx) (*writer, error) {
	w := &writer{tx: tx, shards: map[librarian.Shard]int{}, skipped: map[string]int{}}
	for stmt, text := range map[**sql.Stmt]string{
		&w.file:    "INSERT INTO files (id, path) VALUES (?, ?)",
		&w.passage: "INSERT INTO passages (id, file, first, last, shard, kinds, head, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		&w.stems:   "INSERT INTO words (rowid, head, body) VALUES (?, ?, ?)",
	} {
		var err error
		if *stmt, err = tx.PrepareContext(ctx, text); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *writer) all(ctx context.Context, files *Files, scope string) error {
	err := walk(files, func(name string, text Text, reason string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if reason != "" {
			w.skipped[reason]++
			return nil
		}
		return w.add(ctx, name, text.Words)
	})
	if err != nil {
		return err
	}
	return w.describe(ctx, scope)
}

// add indexes one file.
func (w *writer) add(ctx context.Context, name, text string) error {
	passages := librarian.Split(name, text)
	if len(passages) == 0 {
		w.skipped["nothing in it to read"]++
		return nil
	}
	w.files++
	if _, err := w.file.ExecContext(ctx, w.files, name); err != nil {
		return fmt.Errorf("add %s: %w", name, err)
	}
	for _, p := range passages {
		w.passages++
		w.shards[p.Shard]++
		if _, err := w.passage.ExecContext(ctx, w.passages, w.files, p.First, p.Last, string(p.Shard), p.Kinds, p.Head, p.Text); err != nil {
			return fmt.Errorf("add %s: %w", name, err)
		}
		head, body := librarian.Stems(p.Head+" "+strings.TrimSuffix(name, path.Ext(name))), librarian.Stems(p.Text)
		if _, err := w.stems.ExecContext(ctx, w.passages, strings.Join(head, " "), strings.Join(body, " ")); err != nil {
			return fmt.Errorf("add %s: %w", name, err)
		}
	}
	return nil
}

// describe writes what the index says of itself; without it an index is none.
func (w *writer) describe(ctx context.Context, scope string) error {
	type row struct {
		kind, name, value string
		number            int
	}
	rows := []row{{kind: "index", name: "form", value: form}, {kind: "index", name: "scope", value: scope}, {kind: "files", number: w.files}}
	for shard, n := range w.shards {
		rows = append(rows, row{kind: "shard", name: string(shard), number: n})
	}
	for reason, n := range w.skipped {
		rows = append(rows, row{kind: "skipped", name: reason, number: n})
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.kind+a.name, b.kind+b.name) })
	for _, r := range rows {
		if _, err := w.tx.ExecContext(ctx, "INSERT INTO about (kind, name, value, number) VALUES (?, ?, ?, ?)", r.kind, r.name, r.value, r.number); err != nil {
			return err
		}
	}
	return nil
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
