package websearch

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
)

// Lead is where engines lead, one source once.
type Lead struct {
	engine.Lead
	Engines []string `json:"engines"` // that found it, sorted
}

// rankConstant is the constant of reciprocal rank fusion, as Cormack, Clarke and
// Büttcher have it (SIGIR 2009): the higher, the more it counts that several engines
// find the same.
const rankConstant = 60

// Merge makes one list of what engines have found, each list its best first: by
// reciprocal rank fusion, where two leads are one if they are one source, by address
// or DOI. Among equals the engine first in names goes first.
func Merge(names []string, lists map[string][]engine.Lead) []Lead {
	m := merger{by: map[string]*merged{}}
	for _, name := range names {
		for rank, l := range lists[name] {
			m.add(name, rank, l)
		}
	}
	list := slices.DeleteFunc(m.list, func(l *merged) bool { return l.gone })
	slices.SortStableFunc(list, func(a, b *merged) int { return cmp.Compare(b.score, a.score) })
	leads := make([]Lead, len(list))
	for i, l := range list {
		slices.Sort(l.Engines)
		l.Engines = slices.Compact(l.Engines)
		leads[i] = l.Lead
	}
	return leads
}

// merged is a lead and what it is found by.
type merged struct {
	Lead
	score float64
	ranks map[string]bool // the engines that have counted
	gone  bool            // it is another one now
}

type merger struct {
	list []*merged
	by   map[string]*merged // by the keys of its sources
}

func (m *merger) add(name string, rank int, l engine.Lead) {
	keys := keysOf(l)
	one := &merged{Lead: Lead{Lead: l}, ranks: map[string]bool{}}
	known := false
	for _, key := range keys {
		if other := m.by[key]; other != nil && other != one {
			if known {
				m.join(one, other) // an engine knows that two are one
				continue
			}
			one, known = other, true
		}
	}
	if !known {
		m.list = append(m.list, one)
	}
	for _, key := range keys {
		m.by[key] = one
	}
	one.Engines = append(one.Engines, name)
	if !one.ranks[name] { // the same page twice in one list counts once
		one.ranks[name] = true
		one.score += 1 / float64(rankConstant+rank+1)
	}
	one.fill(l)
}

// join takes one lead into another.
func (m *merger) join(into, from *merged) {
	from.gone = true
	into.Engines = append(into.Engines, from.Engines...)
	into.score += from.score
	into.fill(from.Lead.Lead)
	for name := range from.ranks {
		into.ranks[name] = true
	}
	for key, at := range m.by {
		if at == from {
			m.by[key] = into
		}
	}
}

// fill takes what another engine knows of the same source and this one did not.
func (m *merged) fill(l engine.Lead) {
	if len(l.Snippet) > len(m.Snippet) {
		m.Snippet = l.Snippet
	}
	m.Published = cmp.Or(m.Published, l.Published)
	m.DOI = cmp.Or(m.DOI, l.DOI)
}

// keysOf are the identities of what a lead leads to: by its address, its DOI, and the
// address without what two spellings of one page differ in. A wrong merge costs no
// more than a lead.
func keysOf(l engine.Lead) []string {
	keys := []string{source.Identify(l.URL).Key, source.Identify(bare(l.URL)).Key}
	if l.DOI != "" {
		keys = append(keys, source.Identify("doi:"+l.DOI).Key)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// bare is an address without www and without a slash at its end.
func bare(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Host = strings.TrimPrefix(strings.ToLower(u.Host), "www.")
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u.String()
}
