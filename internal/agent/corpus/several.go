package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/research-council/research-council/internal/agent/librarian"
)

// Several are indexes that are searched as one: what a word is worth is reckoned over
// all of them, so that their passages can be compared.
type Several []*Corpus

// collection is what is reckoned over all indexes.
type collection struct {
	passages float64        // in all
	average  float64        // stems of a passage
	in       map[string]int // in how many passages each stem of a query stands
}

// Search gives the passages that fit best, as that of one index does.
func (s Several) Search(ctx context.Context, q librarian.Query) ([]librarian.Passage, error) {
	if len(q.Must)+len(q.Any) == 0 || q.Limit < 1 {
		return nil, nil
	}
	all, err := s.measure(ctx, q)
	if err != nil {
		return nil, err
	}
	var found []hit
	for _, c := range s {
		more, err := c.rank(ctx, q, all)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		found = append(found, more...)
	}
	slices.SortStableFunc(found, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var out []librarian.Passage
	for _, f := range found[:min(len(found), q.Limit)] {
		p, err := f.in.passage(f.id)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		p.Score = f.score
		out = append(out, p)
	}
	return out, nil
}

func (s Several) measure(ctx context.Context, q librarian.Query) (all collection, err error) {
	stems := 0.0
	for _, c := range s {
		if n := float64(len(c.passages)); n > 0 {
			all.passages += n
			stems += c.average * n
		}
	}
	all.average = stems / all.passages
	all.in, err = s.Frequencies(ctx, slices.Concat(q.Must, q.Any))
	return all, err
}

// Frequencies says in how many passages each stem stands.
func (s Several) Frequencies(ctx context.Context, stems []string) (map[string]int, error) {
	stems = slices.Clone(stems)
	slices.Sort(stems)
	stems = slices.Compact(stems)
	out := map[string]int{}
	for _, c := range s {
		in, err := c.Frequencies(ctx, stems)
		if err != nil {
			return nil, err
		}
		for stem, n := range in {
			out[stem] += n
		}
	}
	return out, nil
}

// Lines are the lines of a text as they are now.
func (s Several) Lines(path string, first, last int) (string, error) {
	for _, c := range s {
		if slices.Contains(c.paths, path) {
			return c.Lines(path, first, last)
		}
	}
	return "", fmt.Errorf("read lines: %s is in no index", path)
}

// Stats says what they hold in all.
func (s Several) Stats() librarian.Stats {
	all := librarian.Stats{Passages: map[librarian.Shard]int{}, Skipped: map[string]int{}}
	for _, c := range s {
		all.Files += c.stats.Files
		for shard, n := range c.stats.Passages {
			all.Passages[shard] += n
		}
		for reason, n := range c.stats.Skipped {
			all.Skipped[reason] += n
		}
	}
	return all
}

// Close gives their files back.
func (s Several) Close() error {
	var err error
	for _, c := range s {
		err = errors.Join(err, c.Close())
	}
	return err
}
