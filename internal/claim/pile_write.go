package claim

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"research-council/internal/source"
)

// Merged is what claims that say the same come to: a line of what [Pile.Merge]
// writes.
type Merged struct {
	ID         string     `json:"id"`     // C1, C2, …, in the order of their first lines
	Text       string     `json:"text"`   // of its first line,
	Source     string     `json:"source"` // and so is the source
	Key        string     `json:"key"`    // the source's identity
	Type       SourceType `json:"source_type,omitempty"`
	Confidence Confidence `json:"confidence,omitempty"` // the highest given
	Critical   bool       `json:"critical,omitempty"`   // as any of them
	Seats      []string   `json:"seats,omitempty"`
	Families   []string   `json:"families,omitempty"`
	Members    []uint32   `json:"members"`   // lines, counted from 1
	Sources    int        `json:"sources"`   // different ones
	Agreed     bool       `json:"consensus"` // two seats or more say it
	Conflicts  []string   `json:"conflicts,omitempty"`
}

// Merge writes what the claims come to, as JSON Lines: first each [Merged], in
// the order of first lines, then {"conflict": …} for each [Conflict] between
// two of them. Lines gives again what was read, from its first byte. Nothing is
// known here of where quotations stand: confidence is what the lines say.
func (p *Pile) Merge(lines io.ReaderAt, out io.Writer) error {
	if err := p.compare(lines); err != nil {
		return err
	}
	w := writer{tally: p.tally(), out: bufio.NewWriterSize(out, 64<<10)}
	if err := w.oppose(); err != nil {
		return err
	}
	next := 0
	err := eachLine(io.NewSectionReader(lines, 0, math.MaxInt64), func(n int, _ int64, line []byte) error {
		if next == len(p.claims) || p.claims[next].line != uint32(n) {
			return nil // it was refused
		}
		next++
		if g := w.of[next-1]; w.all(g)[0] == uint32(next-1) {
			return w.merged(g, line)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.end()
}

// compare settles which claims say the same, once.
func (p *Pile) compare(lines io.ReaderAt) error {
	p.text = func(n uint32) (string, error) { return p.again(lines, n) }
	if p.parent != nil {
		return p.err
	}
	return p.settle()
}

// tally knows which claims are together: group g has claims
// members[starts[g]:starts[g+1]], ascending.
type tally struct {
	*Pile
	groups    []uint32 // by root, counted from 1
	of        []uint32 // each claim's group
	starts    []uint32
	members   []uint32
	conflicts []Conflict
	against   map[uint32][]string // ids of conflicts by group
}

func (p *Pile) tally() *tally {
	t := &tally{Pile: p, of: make([]uint32, len(p.claims)), groups: make([]uint32, len(p.bag)), against: map[uint32][]string{}}
	n := uint32(0)
	for i, it := range p.claims {
		root := p.root(it.saying)
		if t.groups[root] == 0 {
			n++
			t.groups[root] = n
		}
		t.of[i] = t.groups[root] - 1
	}
	t.starts, t.members = make([]uint32, n+1), make([]uint32, len(p.claims))
	for _, g := range t.of {
		t.starts[g+1]++
	}
	for g := range n {
		t.starts[g+1] += t.starts[g]
	}
	next := slices.Clone(t.starts)
	for i, g := range t.of {
		t.members[next[g]] = uint32(i)
		next[g]++
	}
	return t
}

func (t *tally) all(g uint32) []uint32 { return t.members[t.starts[g]:t.starts[g+1]] }

func (t *tally) group(saying uint32) uint32 { return t.groups[t.root(saying)] - 1 }

// oppose names the conflicts between groups, each in the words of the first
// voices that disagree.
func (t *tally) oppose() error {
	type opposition struct {
		rivals
		pair
	}
	all := make([]opposition, len(t.edges))
	for i, e := range t.edges {
		if t.group(e.a) > t.group(e.b) {
			e.a, e.b = e.b, e.a
		}
		all[i] = opposition{rivals{t.group(e.a), t.group(e.b)}, e}
	}
	t.edges = nil
	slices.SortFunc(all, func(x, y opposition) int {
		return cmp.Or(cmp.Compare(x.rivals.a, y.rivals.a), cmp.Compare(x.rivals.b, y.rivals.b), cmp.Compare(x.pair.a, y.pair.a), cmp.Compare(x.pair.b, y.pair.b))
	})
	var last rivals
	for _, o := range all {
		r, e := o.rivals, o.pair
		if r == last && len(t.conflicts) > 0 {
			continue
		}
		c := Conflict{ID: "D" + strconv.Itoa(len(t.conflicts)+1), A: groupID(r.a), B: groupID(r.b)}
		if c.Kind, c.Detail = disagreement(t.reread(e.a), t.reread(e.b)); c.Kind == "" {
			continue
		}
		last = r
		c.weigh(t.side(r.a), t.side(r.b))
		t.conflicts = append(t.conflicts, c)
		t.against[r.a], t.against[r.b] = append(t.against[r.a], c.ID), append(t.against[r.b], c.ID)
	}
	return t.err
}

func groupID(g uint32) string { return "C" + strconv.Itoa(int(g)+1) }

func (t *tally) side(g uint32) side {
	s := side{Low, Minor}
	for _, i := range t.all(g) {
		s.add(t.claims[i].confidence, t.claims[i].critical, t.claims[i].asked)
	}
	return s
}

// writer writes what the claims came to.
type writer struct {
	*tally
	out *bufio.Writer
	Merged
	json bytes.Buffer
}

// merged writes a group whose first line this is.
func (w *writer) merged(g uint32, line []byte) error {
	if err := w.cols.read(line); err != nil {
		return err
	}
	text, src, err := w.cols.claimed()
	if err != nil {
		return err
	}
	w.Merged = Merged{
		ID: groupID(g), Text: string(text), Source: string(src), Conflicts: w.against[g],
		Seats: w.Seats[:0], Families: w.Families[:0], Members: w.Members[:0],
	}
	w.Key = source.Identify(w.Source).Key
	w.gather(&w.Merged, g)
	return w.write(w.Merged.append(w.out.AvailableBuffer()))
}

// gather fills in what all claims of a group say together.
func (w *writer) gather(m *Merged, g uint32) {
	members := w.all(g)
	sources := map[uint64]bool{}
	m.Type = witnesses()[w.claims[members[0]].kind]
	for _, i := range members {
		it := w.claims[i]
		if len(members) > 1 {
			sources[it.source] = true
		}
		m.Members = append(m.Members, it.line)
		m.Seats, m.Families = with(m.Seats, w.called(it.seat)), with(m.Families, w.called(it.family))
		m.Critical = m.Critical || it.critical
		if it.confidence > m.Confidence.weight() {
			m.Confidence = confidences()[it.confidence]
		}
	}
	m.Sources, m.Agreed = max(1, len(sources)), len(m.Seats) > 1
}

func (w *writer) called(name uint32) string {
	if name == 0 {
		return ""
	}
	return w.names[name-1]
}

// opposed is the line of a conflict.
type opposed struct {
	Conflict Conflict `json:"conflict"`
}

func (w *writer) end() error {
	for _, c := range w.conflicts {
		if err := w.line(opposed{c}); err != nil {
			return err
		}
	}
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("write what the claims came to: %w", err)
	}
	return nil
}

func (w *writer) line(v any) error {
	w.json.Reset()
	enc := json.NewEncoder(&w.json)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return w.write(w.json.Bytes())
}

func (w *writer) write(line []byte) error {
	if _, err := w.out.Write(line); err != nil {
		return fmt.Errorf("write what the claims came to: %w", err)
	}
	return nil
}
