package corpus

import (
	"context"
	"math"
	"slices"

	"github.com/research-council/research-council/internal/agent/librarian"
)

// Search gives the passages that fit best by BM25, what stands in a heading,
// a declaration or a path counting twice.
func (c *Corpus) Search(ctx context.Context, q librarian.Query) ([]librarian.Passage, error) {
	return Several{c}.Search(ctx, q)
}

// hit is a passage that fits a query.
type hit struct {
	in    *Corpus
	id    int
	score float64
}

// rank gives all passages that fit, by what their stems are worth in all of a collection.
func (c *Corpus) rank(ctx context.Context, q librarian.Query, all collection) ([]hit, error) {
	scores := make([]float64, len(c.passages))
	must, some := make([]int, len(c.passages)), make([]bool, len(c.passages))
	for _, stem := range q.Must {
		if err := c.score(stem, all, scores, func(id int) { must[id]++ }); err != nil {
			return nil, err
		}
	}
	wanted := slices.Clone(q.Any)
	slices.Sort(wanted)
	for _, stem := range slices.Compact(wanted) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := c.score(stem, all, scores, func(id int) { some[id] = true }); err != nil {
			return nil, err
		}
	}
	var found []hit
	for id, score := range scores {
		fits := must[id] == len(q.Must) && (some[id] || len(q.Any) == 0)
		if fits && (q.Shard == librarian.All || c.passages[id].shard == q.Shard) {
			found = append(found, hit{c, id, score})
		}
	}
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
func (c *Corpus) score(stem string, all collection, scores []float64, seen func(id int)) error {
	t, ok := c.find(stem)
	if !ok {
		return nil
	}
	n := float64(all.in[stem])
	idf := math.Log((all.passages - n + 0.5) / (n + 0.5))
	if idf <= 0 {
		idf = minIDF
	}
	return c.postings(t, func(id, head, body int) {
		often := headWeight*float64(head) + float64(body)
		long := float64(c.passages[id].stems) / all.average
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
