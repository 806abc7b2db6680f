package desk

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/source"
)

// maxSearched bounds the texts that one search goes through, in bytes: some
// seconds' worth.
const maxSearched = 64 << 20

// passage is a piece of an archived text and what it is found by.
type passage struct {
	page       archive.Snapshot
	start, end int
	text       string
	words      int
	counts     []int // how often each stem of the query stands there
}

// searchPages goes through all archived texts. They come and go while the run
// lasts, and a few hundred pages are read in a moment, so that there is no
// index to keep.
func (d *Desk) searchPages(ctx context.Context, stems []string, most int) ([]hit, error) {
	if d.o.Archive == nil {
		return nil, nil
	}
	slices.Sort(stems)
	s := pageSearch{stems: slices.Compact(stems)}
	var missing error
	for _, p := range d.o.Archive.Snapshots() {
		if !p.State.Readable() || source.Identify(p.Asked).Kind == source.File || ctx.Err() != nil {
			continue // files are searched in the scope, as they are now
		}
		body, err := d.o.Archive.Text(p)
		if err != nil {
			missing = fmt.Errorf("%s: %w", p.Asked, err)
			continue
		}
		if s.size += len(body); s.size > maxSearched {
			return s.rank(most), fmt.Errorf("the archive is larger than %d MiB; the rest was not searched", maxSearched>>20)
		}
		s.add(p, body)
	}
	return s.rank(most), missing
}

// maxPerPage bounds the passages of one page in an answer: fetch_source gives
// the rest of it.
const maxPerPage = 3

// pageSearch gathers what holds a word of the query, and what BM25 needs.
type pageSearch struct {
	stems    []string
	size     int
	passages int // of all texts
	words    int
	holding  []passage // that hold one of the stems at least
}

// add counts a text's passages.
func (s *pageSearch) add(page archive.Snapshot, body string) {
	for start, end := range splitPassages(body) {
		found := words.Stems(body[start:end])
		s.passages++
		s.words += len(found)
		counts, any := make([]int, len(s.stems)), false
		for _, stem := range found {
			if i, ok := slices.BinarySearch(s.stems, stem); ok {
				counts[i]++
				any = true
			}
		}
		if any {
			s.holding = append(s.holding, passage{page: page, start: start, end: end, text: body[start:end], words: len(found), counts: counts})
		}
	}
}

// BM25's usual parameters, as SQLite's full-text search has them.
const (
	saturation = 1.2
	length     = 0.75
)

// rank ranks the passages by BM25.
func (s *pageSearch) rank(most int) []hit {
	weights := make([]float64, len(s.stems))
	for i := range weights {
		n := 0
		for _, p := range s.holding {
			if p.counts[i] > 0 {
				n++
			}
		}
		weights[i] = math.Log(1 + (float64(s.passages-n)+0.5)/(float64(n)+0.5))
	}
	average := float64(s.words) / math.Max(1, float64(s.passages))
	score := func(p passage) (sum float64) {
		for i, n := range p.counts {
			f := float64(n)
			sum += weights[i] * f * (saturation + 1) / (f + saturation*(1-length+length*float64(p.words)/average))
		}
		return sum
	}
	slices.SortStableFunc(s.holding, func(a, b passage) int { return cmp.Compare(score(b), score(a)) })
	var hits []hit
	of := map[string]int{}
	for _, p := range s.holding {
		if of[p.page.Asked]++; of[p.page.Asked] > maxPerPage {
			continue
		}
		if len(hits) == most {
			break
		}
		hits = append(hits, hit{Source: p.page.Asked, Offset: p.start, Title: plain.Line(p.page.Title, maxTitle), Passage: p.text})
	}
	return hits
}

// passageLength is how long a passage of a page is, in bytes, where its
// paragraphs let it.
const passageLength = 700

// splitPassages cuts a text into passages: whole lines up to the usual length, longer
// lines at words.
func splitPassages(body string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		for start := 0; start < len(body); {
			_, end := piece(body, start, maxPassage)
			if at := passageLines(body[start:end]); at > 0 {
				end = start + at
			}
			if strings.TrimSpace(body[start:end]) != "" && !yield(start, end) {
				return
			}
			start = end
		}
	}
}

// passageLines is where the first lines that make a usual passage end; 0 where
// none do.
func passageLines(s string) int {
	last := 0
	for i := range len(s) {
		if s[i] != '\n' {
			continue
		}
		last = i + 1
		if last >= passageLength {
			break
		}
	}
	return last
}
