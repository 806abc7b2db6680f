package claim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/source"
)

// MaxJudged is how many claims may be compared by judges at once.
const MaxJudged = 5000

// ReadLines reads claims of any seats, one JSON object a line with seat (or agent) and
// family beside what [Decode] reads. Each line is an entry of its own, whose id has
// the line's number; its quotation is not looked for. What it contradicts is named by the
// id that a line gives its claim, one of the same seat before others; where no line has
// it, or several of other seats, the claim is kept without, and the line is told.
func ReadLines(in io.Reader) (Registry, []Refusal, error) {
	var r Registry
	var refused []Refusal
	var names lineNames
	err := eachLine(in, func(n int, _ int64, line []byte) error {
		d, problem := decodeLine(line)
		var who struct {
			Seat, Agent, Family string
			ID                  json.RawMessage
		}
		if problem == "" && json.Unmarshal(line, &who) != nil {
			problem = "its seat or family is no string"
		}
		if problem == "" && d.Withdraws != "" {
			problem = withdrawsInMerge
		}
		switch {
		case problem != "":
			refused = append(refused, Refusal{Line: n, Reason: problem})
		case len(r.Entries) == MaxJudged:
			return fmt.Errorf("line %d: judges compare at most %d claims at once", n, MaxJudged)
		default:
			seat := plain.Line(firstOf(who.Seat, who.Agent), maxName)
			r.Entries = append(r.Entries, lineEntry(n, d, seat, plain.Line(who.Family, maxName)))
			id, _ := content(who.ID)
			names = append(names, lineName{n, seat, claimName(string(id)), d.Contradicts})
		}
		return nil
	})
	refused = append(refused, names.resolve(r.Entries)...)
	if err == nil && len(r.Entries) == 0 {
		err = errors.New("there are no claims to compare")
	}
	return r, refused, err
}

// lineName is what a line calls its claim, and what it contradicts.
type lineName struct {
	line        int
	seat, id    string
	contradicts []string
}

// lineNames are those of all lines that are claims, entry by entry.
type lineNames []lineName

// resolve gives entries the ids of those that they contradict, and tells of names that no
// line, or more than one, has.
func (names lineNames) resolve(entries []Entry) (refused []Refusal) {
	own, all := map[[2]string]string{}, map[string][]string{}
	for i, n := range names {
		if n.id != "" {
			own[[2]string{n.seat, n.id}] = entries[i].ID
			all[n.id] = append(all[n.id], entries[i].ID)
		}
	}
	for i, n := range names {
		for _, named := range n.contradicts {
			id, known := own[[2]string{n.seat, named}]
			if !known && len(all[named]) == 1 {
				id, known = all[named][0], true
			}
			if !known {
				refused = append(refused, Refusal{Line: n.line, Reason: fmt.Sprintf("it contradicts %s, and %d lines have this id; the claim is merged without", named, len(all[named]))})
				continue
			}
			entries[i].object(id, n.seat)
		}
	}
	return refused
}

// withdrawsInMerge is why a line that withdraws a claim is none to be merged.
const withdrawsInMerge = "it withdraws a claim; leave it out, and the claim"

// maxName bounds the name of a seat or a family, in runes.
const maxName = 200

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func lineEntry(n int, d Draft, seat, family string) Entry {
	if d.Kind.RestsOnClaims() { // nobody follows it down to facts here
		return Entry{
			ID: "C" + strconv.Itoa(n), Kind: d.Kind, Text: d.Text, RestsOn: d.RestsOn, Confidence: d.Confidence, Questions: d.Questions, Critical: d.Critical,
			Seats: addUnique(nil, seat), Families: addUnique(nil, family), Location: Location{State: Reasoned, Reason: "nobody has looked at what it rests on"},
		}
	}
	return Entry{
		ID: "C" + strconv.Itoa(n), Text: d.Text, Quote: d.Quote, Source: d.Source, Key: source.Identify(d.Source).Key,
		Type: d.Type, Confidence: d.Confidence, Questions: d.Questions, Critical: d.Critical,
		Seats: addUnique(nil, seat), Families: addUnique(nil, family),
		Location: Location{State: Unchecked, Reason: "nobody has looked for it"},
	}
}

// MergedLines are what the claims of [ReadLines] came to, one for each group and
// each claim that stands alone, in the order of their first lines.
func MergedLines(r Registry) []Merged {
	d := newDocket(r)
	var list []Merged
	for _, e := range r.Entries {
		g := d.groups[e.ID]
		if g.ID != "" && g.ID != e.ID {
			continue
		}
		m := Merged{ID: e.ID, Kind: e.Kind, Text: e.Text, Source: e.Source, Key: e.Key, Type: e.Type}
		keys := map[string]bool{}
		for _, id := range d.side(e.ID) {
			m.add(d.entries[id])
			keys[d.entries[id].Key] = true
		}
		delete(keys, "") // of what rests on other claims
		m.Sources, m.Agreed = len(keys), g.Agreed
		for _, c := range r.Conflicts {
			if c.Status != Dismissed && (d.home(c.A) == e.ID || d.home(c.B) == e.ID) {
				m.Conflicts = append(m.Conflicts, c.ID)
			}
		}
		list = append(list, m)
	}
	return list
}

// add takes in a line.
func (m *Merged) add(e Entry) {
	if e.Confidence.rank() > m.Confidence.rank() {
		m.Confidence = e.Confidence
	}
	m.Critical = m.Critical || e.Critical
	for _, seat := range e.Seats {
		m.Seats = addUnique(m.Seats, seat)
	}
	for _, family := range e.Families {
		m.Families = addUnique(m.Families, family)
	}
	m.Members = append(m.Members, uint32(idNumber("C", e.ID)))
}
