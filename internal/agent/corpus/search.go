package corpus

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/research-council/research-council/internal/agent/librarian"
)

// Search gives the passages that fit best by BM25, what stands in a heading,
// a declaration or a path counting twice.
func (c *Corpus) Search(ctx context.Context, q librarian.Query) ([]librarian.Passage, error) {
	if len(q.Must)+len(q.Any) == 0 || q.Limit < 1 {
		return nil, nil
	}
	found, err := c.rank(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	var out []librarian.Passage
	for _, f := range found[:min(len(found), q.Limit)] {
		p, err := c.passage(f.id)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		p.Score = f.score
		out = append(out, p)
	}
	return out, nil
}

// hit is a passage that fits a query.
type hit struct {
	id    int
	score float64
}

// rank gives all passages that fit, the best first.
func (c *Corpus) rank(ctx context.Context, q librarian.Query) ([]hit, error) {
	scores := make([]float64, len(c.passages))
	must, some := make([]int, len(c.passages)), make([]bool, len(c.passages))
	for _, stem := range q.Must {
		if err := c.score(stem, scores, func(id int) { must[id]++ }); err != nil {
			return nil, err
		}
	}
	wanted := slices.Clone(q.Any)
	slices.Sort(wanted)
	for _, stem := range slices.Compact(wanted) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := c.score(stem, scores, func(id int) { some[id] = true }); err != nil {
			return nil, err
		}
	}
	var found []hit
	for id, score := range scores {
		fits := must[id] == len(q.Must) && (some[id] || len(q.Any) == 0)
		if fits && (q.Shard == librarian.All || c.passages[id].shard == q.Shard) {
			found = append(found, hit{id, score})
		}
	}
	slices.SortStableFunc(found, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return found, nil
}

// The constants of BM25 that are usual (Robertson and Zaragoza, The Probabilistic
// Relevance Framework, 2009), and what a stem in a heading counts.
const (
	k1         = 1.2
	b          = 0.75
	headWeight = 2.0
	minIDF     = 1e-6 // of a stem that stands in more than half of all passages
)

// score adds what a stem is worth to the passages it stands in, and calls seen
// for each.
func (c *Corpus) score(stem string, scores []float64, seen func(id int)) error {
	t, ok := c.find(stem)
	if !ok {
		return nil
	}
	n, all := float64(t.passages), float64(len(c.passages))
	idf := math.Log((all - n + 0.5) / (n + 0.5))
	if idf <= 0 {
		idf = minIDF
	}
	return c.postings(t, func(id, head, body int) {
		often := headWeight*float64(head) + float64(body)
		long := float64(c.passages[id].stems) / c.average
		scores[id] += idf * (often * (k1 + 1) / (often + k1*(1-b+b*long)))
		seen(id)
	})
}

// postings calls visit for each passage a stem stands in, with how often it
// stands in the head and in the body.
func (c *Corpus) postings(t term, visit func(id, head, body int)) error {
	data, err := c.read(t.at, t.size)
	if err != nil {
		return err
	}
	d, id := decoder{left: data}, 0
	for range t.passages {
		more, head, body := d.number(), d.number(), d.number()
		id += more
		if d.bad || id >= len(c.passages) {
			return errDamaged
		}
		visit(id, head, body)
	}
	return nil
}

func (c *Corpus) passage(id int) (librarian.Passage, error) {
	e := c.passages[id]
	data, err := c.read(e.at, e.size)
	if err != nil {
		return librarian.Passage{}, err
	}
	p, err := decodeRecord(data)
	p.Path, p.Shard = c.paths[e.path], e.shard
	return p, err
}

// read gives a part of the index.
func (c *Corpus) read(at int64, size int) (string, error) {
	data := make([]byte, size)
	_, err := c.file.ReadAt(data, at)
	return string(data), err
}

// Frequencies says in how many passages each stem stands.
func (c *Corpus) Frequencies(_ context.Context, stems []string) (map[string]int, error) {
	out := map[string]int{}
	for _, s := range stems {
		if t, ok := c.find(s); ok {
			out[s] = t.passages
		}
	}
	return out, nil
}
