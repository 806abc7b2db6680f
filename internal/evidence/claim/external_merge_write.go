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

	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/source"
)

// Merged is what claims that say the same come to: a line of what [Pile.Merge]
// writes.
type Merged struct {
	ID         string     `json:"id"`             // C1, C2, …, in the order of their first lines
	Kind       Kind       `json:"kind,omitempty"` // as its first line says
	Text       string     `json:"text"`           // of its first line,
	Source     string     `json:"source"`         // and so is the source
	Key        string     `json:"key"`            // the source's identity
	Type       SourceType `json:"source_type,omitempty"`
	Confidence Confidence `json:"confidence,omitempty"` // the highest given
	Critical   bool       `json:"critical,omitempty"`   // as any of them
	Seats      []string   `json:"seats,omitempty"`
	Families   []string   `json:"families,omitempty"`
	Members    []uint32   `json:"members"`   // lines, counted from 1
	Sources    int        `json:"sources"`   // different ones; of what rests on other claims none
	Agreed     bool       `json:"consensus"` // two seats or more say it
	Conflicts  []string   `json:"conflicts,omitempty"`
}

// Merge writes what the claims come to, as JSON Lines: first each [Merged], in
// the order of first lines, then {"conflict": …} for each [Conflict] between
// two of them. Lines gives again what was read, from its first byte. Nothing is
// known here of where quotations stand: confidence is what the lines say.
func (p *ExternalMerger) Merge(lines io.ReaderAt, out io.Writer) error {
	if err := p.compare(lines); err != nil {
		return err
	}
	w := writer{groupTable: p.groupTable(), out: bufio.NewWriterSize(out, 64<<10)}
	if err := w.findConflicts(); err != nil {
		return err
	}
	if err := w.addObjections(lines); err != nil {
		return err
	}
	w.sortDisputes()
	next := 0
	err := eachLine(io.NewSectionReader(lines, 0, math.MaxInt64), func(n int, _ int64, line []byte) error {
		if next == p.claims.len() || p.claims.at(uint32(next)).line != uint32(n) {
			return nil // it was refused
		}
		next++
		if g := w.claimGroup[next-1]; w.claimsOf(g)[0] == uint32(next-1) {
			return w.writeGroup(g, line)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.writeConflicts()
}

// compare settles which claims say the same, once.
func (p *ExternalMerger) compare(lines io.ReaderAt) error {
	p.text = func(n uint32) (string, error) { return p.rereadText(lines, n) }
	if p.parent != nil {
		return p.err
	}
	return p.findEquivalent()
}

// groupTable knows which claims are together: group g has claims
// members[starts[g]:starts[g+1]], ascending.
type groupTable struct {
	*ExternalMerger
	groups     []uint32 // by root, counted from 1
	claimGroup []uint32 // each claim's group
	starts     []uint32
	members    []uint32
	conflicts  []Conflict
	sides      []rootPair // of each, its groups
	inConflict []uint32   // of each group the place behind its conflicts in disputes
	disputes   []uint32   // conflicts, by group
}

func (p *ExternalMerger) groupTable() *groupTable {
	t := &groupTable{ExternalMerger: p, claimGroup: make([]uint32, p.claims.len()), groups: make([]uint32, len(p.set))}
	n := uint32(0)
	for i := range t.claimGroup {
		root := p.root(p.claims.at(uint32(i)).statement)
		if t.groups[root] == 0 {
			n++
			t.groups[root] = n
		}
		t.claimGroup[i] = t.groups[root] - 1
	}
	t.starts, t.members = make([]uint32, n+1), make([]uint32, p.claims.len())
	for _, g := range t.claimGroup {
		t.starts[g+1]++
	}
	for g := range n {
		t.starts[g+1] += t.starts[g]
	}
	next := slices.Clone(t.starts)
	for i, g := range t.claimGroup {
		t.members[next[g]] = uint32(i)
		next[g]++
	}
	return t
}

func (t *groupTable) claimsOf(g uint32) []uint32 { return t.members[t.starts[g]:t.starts[g+1]] }

func (t *groupTable) groupOf(statement uint32) uint32 { return t.groups[t.root(statement)] - 1 }

// rootPair are the groups between which a conflict is, the lower first.
type rootPair struct{ a, b uint32 }

// findConflicts names the conflicts between groups, each in the words of the first
// voices that disagree.
func (t *groupTable) findConflicts() error {
	type opposed struct {
		rootPair
		pair
	}
	all := make([]opposed, len(t.conflicting))
	for i, e := range t.conflicting {
		if t.groupOf(e.a) > t.groupOf(e.b) {
			e.a, e.b = e.b, e.a
		}
		all[i] = opposed{rootPair{t.groupOf(e.a), t.groupOf(e.b)}, e}
	}
	t.conflicting = nil
	slices.SortFunc(all, func(x, y opposed) int {
		return cmp.Or(cmp.Compare(x.rootPair.a, y.rootPair.a), cmp.Compare(x.rootPair.b, y.rootPair.b), cmp.Compare(x.pair.a, y.pair.a), cmp.Compare(x.pair.b, y.pair.b))
	})
	var last rootPair
	var read string // the statement a, which conflicts in a row share
	reading := uint32(math.MaxUint32)
	if t.reader == nil {
		t.reader = relation.NewReader()
	}
	one, another := t.reader, t.reader.Another()
	t.conflicts = make([]Conflict, 0, len(all))
	var meaning relation.Meaning // of what was read
	for _, o := range all {
		r, e := o.rootPair, o.pair
		if r.a == r.b || r == last && len(t.conflicts) > 0 {
			continue
		}
		if !t.isFew() && !t.digestOf(e.a).MayContradict(t.digestOf(e.b)) {
			continue
		}
		c := Conflict{ID: "D" + strconv.Itoa(len(t.conflicts)+1), A: groupID(r.a), B: groupID(r.b), Possible: true}
		if reading != e.a {
			read, reading = t.reread(e.a), e.a
			meaning = one.Read(read)
		}
		var f relation.Finding
		if other := t.reread(e.b); t.isFew() {
			f = relation.Relate(read, other)
		} else {
			f = relation.Contradiction(meaning, another.Read(other))
		}
		if f.Kind != relation.Contradicts {
			continue
		}
		c.Kind, c.Detail = f.Dispute, f.Detail
		last = r
		c.assess(t.sideOf(r.a), t.sideOf(r.b))
		t.conflicts, t.sides = append(t.conflicts, c), append(t.sides, r)
	}
	return t.err
}

// addObjections adds as possible conflicts what claims say of others that lines give the
// ids of: of the same seat first.
func (t *groupTable) addObjections(lines io.ReaderAt) error {
	if len(t.objections) == 0 {
		return nil
	}
	named, err := t.claimsByName(lines)
	if err != nil {
		return err
	}
	known := map[[2]string]int{}
	for i, c := range t.conflicts {
		known[[2]string{c.A, c.B}] = i
	}
	for _, o := range t.objections {
		seat := t.nameOf(t.claims.at(o.claim).seat)
		for _, name := range o.names {
			other, there := named[seatName{t.claims.at(o.claim).seat, name}]
			if !there {
				other, there = named[seatName{0, name}]
			}
			a, b := t.claimGroup[o.claim], uint32(0)
			if there && other != ambiguous {
				b = t.claimGroup[other]
			}
			if !there || other == ambiguous {
				t.Unknown = append(t.Unknown, Refusal{Line: int(t.claims.at(o.claim).line), Reason: "it contradicts " + name + ", and not one line has this id; the claim is merged without"})
				continue
			}
			if a == b {
				continue
			}
			a, b = min(a, b), max(a, b)
			i, said := known[[2]string{groupID(a), groupID(b)}]
			if !said {
				c := Conflict{ID: "D" + strconv.Itoa(len(t.conflicts)+1), A: groupID(a), B: groupID(b), Kind: ByFact, Possible: true}
				c.assess(t.sideOf(a), t.sideOf(b))
				i = len(t.conflicts)
				known[[2]string{c.A, c.B}] = i
				t.conflicts, t.sides = append(t.conflicts, c), append(t.sides, rootPair{a, b})
			}
			if seat != "" {
				t.conflicts[i].SaidBy = addUnique(t.conflicts[i].SaidBy, seat)
			}
		}
	}
	return nil
}

// sortDisputes lists the conflicts by group.
func (t *groupTable) sortDisputes() {
	t.inConflict, t.disputes = make([]uint32, len(t.starts)), make([]uint32, 2*len(t.sides))
	for _, s := range t.sides {
		t.inConflict[s.a+1]++
		t.inConflict[s.b+1]++
	}
	for g := 1; g < len(t.inConflict); g++ {
		t.inConflict[g] += t.inConflict[g-1]
	}
	for i, s := range t.sides {
		for _, g := range [2]uint32{s.a, s.b} {
			t.disputes[t.inConflict[g]] = uint32(i)
			t.inConflict[g]++
		}
	}
}

// appendConflicts adds the ids of a group's conflicts.
func (t *groupTable) appendConflicts(ids []string, g uint32) []string {
	from := uint32(0)
	if g > 0 {
		from = t.inConflict[g-1]
	}
	for _, i := range t.disputes[from:t.inConflict[g]] {
		ids = append(ids, t.conflicts[i].ID)
	}
	return ids
}

// ambiguous is the place of what several lines are called.
const ambiguous = math.MaxUint32

// seatName is what a seat calls a claim; of seat 0 the only claim of that name.
type seatName struct {
	seat uint32
	name string
}

// claimsByName finds the claims that objections name, which takes another reading.
func (t *groupTable) claimsByName(lines io.ReaderAt) (map[seatName]uint32, error) {
	wanted := map[string]bool{}
	for _, o := range t.objections {
		for _, name := range o.names {
			wanted[name] = true
		}
	}
	named := map[seatName]uint32{}
	next := 0
	err := eachLine(io.NewSectionReader(lines, 0, math.MaxInt64), func(n int, _ int64, line []byte) error {
		if next == t.claims.len() || t.claims.at(uint32(next)).line != uint32(n) {
			return nil // it was refused
		}
		next++
		if err := t.cols.read(line); err != nil {
			return err
		}
		id, _ := content(t.cols.id)
		name := claimName(string(id))
		if name == "" || !wanted[name] {
			return nil
		}
		if _, before := named[seatName{0, name}]; before {
			named[seatName{0, name}] = ambiguous
		} else {
			named[seatName{0, name}] = uint32(next - 1)
		}
		if seat := t.claims.at(uint32(next - 1)).seat; seat != 0 {
			named[seatName{seat, name}] = uint32(next - 1)
		}
		return nil
	})
	return named, err
}

// nameOf is a seat's or a family's name by its number.
func (t *groupTable) nameOf(number uint32) string {
	if number == 0 {
		return ""
	}
	return t.names[number-1]
}

func groupID(g uint32) string { return "C" + strconv.Itoa(int(g)+1) }

func (t *groupTable) sideOf(g uint32) side {
	s := newSide()
	for _, i := range t.claimsOf(g) {
		s.add(t.claims.at(i).confidence, t.claims.at(i).critical, t.claims.at(i).planned)
		s.reasoned = s.reasoned || t.claims.at(i).reasoned
	}
	return s
}

// writer writes what the claims came to.
type writer struct {
	*groupTable
	out *bufio.Writer
	Merged
	json bytes.Buffer
}

// writeGroup writes a group whose first line this is.
func (w *writer) writeGroup(g uint32, line []byte) error {
	if err := w.cols.read(line); err != nil {
		return err
	}
	text, src, err := w.cols.textAndSource()
	if err != nil {
		return err
	}
	w.Merged = Merged{
		ID: groupID(g), Text: string(text), Source: string(src), Conflicts: w.appendConflicts(w.Conflicts[:0], g),
		Seats: w.Seats[:0], Families: w.Families[:0], Members: w.Members[:0],
	}
	if w.Kind, err = w.cols.reasoned(); err != nil {
		return err
	}
	if w.Source != "" {
		w.Key = source.Identify(w.Source).Key
	}
	w.aggregate(&w.Merged, g)
	return w.write(w.Merged.append(w.out.AvailableBuffer()))
}

// aggregate fills in what all claims of a group say together.
func (w *writer) aggregate(m *Merged, g uint32) {
	members := w.claimsOf(g)
	sources, voices := map[uint64]bool{}, map[[2]uint32]bool{}
	m.Type = sourceTypes()[w.claims.at(members[0]).kind]
	for _, i := range members {
		it := w.claims.at(i)
		if len(members) > 1 {
			sources[it.source] = true
		}
		m.Members = append(m.Members, it.line)
		if it.family != 0 {
			voices[[2]uint32{it.family, 0}] = true
		} else if it.seat != 0 {
			voices[[2]uint32{0, it.seat}] = true
		}
		m.Seats, m.Families = addUnique(m.Seats, w.nameOf(it.seat)), addUnique(m.Families, w.nameOf(it.family))
		m.Critical = m.Critical || it.critical
		if it.confidence > m.Confidence.rank() {
			m.Confidence = confidences()[it.confidence]
		}
	}
	m.Sources, m.Agreed = max(1, len(sources)), len(voices) > 1
	if m.Kind.RestsOnClaims() {
		m.Sources, m.Type = 0, ""
	}
}

// conflictLine is the line of a conflict.
type conflictLine struct {
	Conflict Conflict `json:"conflict"`
}

func (w *writer) writeConflicts() error {
	for _, c := range w.conflicts {
		if err := w.writeJSON(conflictLine{c}); err != nil {
			return err
		}
	}
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("write what the claims came to: %w", err)
	}
	return nil
}

func (w *writer) writeJSON(v any) error {
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
