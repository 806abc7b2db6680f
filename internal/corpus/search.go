package corpus

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"research-council/internal/agent/librarian"
)

// Search gives the passages that fit best by BM25, what stands in a heading,
// a declaration or a path counting twice.
func (c *Corpus) Search(ctx context.Context, q librarian.Query) ([]librarian.Passage, error) {
	match := expression(q)
	if match == "" || q.Limit < 1 {
		return nil, nil
	}
	const text = `
SELECT files.path, p.first, p.last, p.text, p.kinds, p.head, p.shard, -bm25(words, 2.0, 1.0) AS score
FROM words JOIN passages p ON p.id = words.rowid JOIN files ON files.id = p.file
WHERE words MATCH ? AND (? = '' OR p.shard = ?)
ORDER BY score DESC, p.id LIMIT ?`
	rows, err := c.db.QueryContext(ctx, text, match, string(q.Shard), string(q.Shard), q.Limit)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	defer rows.Close()
	var out []librarian.Passage
	for rows.Next() {
		var p librarian.Passage
		if err := rows.Scan(&p.Path, &p.First, &p.Last, &p.Text, &p.Kinds, &p.Head, &p.Shard, &p.Score); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		out = append(out, p)
	}
	return out, rows.Err()
}

// expression is a query in the index's own language. Each stem stands there as
// a string, in which nothing has a meaning.
func expression(q librarian.Query) string {
	var parts []string
	for _, s := range q.Must {
		parts = append(parts, quoted(s))
	}
	if any := strings.Join(quotedAll(q.Any), " OR "); any != "" {
		parts = append(parts, "("+any+")")
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	return strings.Join(parts, " AND ")
}

func quotedAll(stems []string) []string {
	var out []string
	for _, s := range stems {
		if s = quoted(s); s != "" {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// quoted is a stem as a string, without anything words do not consist of; ""
// when nothing is left.
func quoted(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return r
		}
		return -1
	}, s)
	if s == "" {
		return ""
	}
	return `"` + s + `"`
}

// Frequencies says in how many passages each stem stands.
func (c *Corpus) Frequencies(ctx context.Context, stems []string) (map[string]int, error) {
	out := map[string]int{}
	stems = slices.Clone(stems)
	slices.Sort(stems)
	for part := range slices.Chunk(slices.Compact(stems), 500) {
		if err := c.frequencies(ctx, part, out); err != nil {
			return nil, fmt.Errorf("count passages: %w", err)
		}
	}
	return out, nil
}

func (c *Corpus) frequencies(ctx context.Context, stems []string, out map[string]int) error {
	args := make([]any, len(stems))
	for i, s := range stems {
		args[i] = s
	}
	rows, err := c.db.QueryContext(ctx, "SELECT term, doc FROM terms WHERE term IN (?"+strings.Repeat(", ?", len(stems)-1)+")", args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var term string
		var n int
		if err := rows.Scan(&term, &n); err != nil {
			return err
		}
		out[term] = n
	}
	return rows.Err()
}
