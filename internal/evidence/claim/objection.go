package claim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
)

// Objection is a seat's word that a claim does not hold if one of its own does. It
// decides nothing: it has families compare the two.
type Objection struct {
	ID   string `json:"id"`   // of the claim that does not hold then
	Seat string `json:"seat"` // who says so
}

// maxObjections bounds how many claims one claim contradicts.
const maxObjections = 8

// decodeObjections reads the ids of the claims that one contradicts, a list or one id.
func decodeObjections(raw json.RawMessage) ([]string, string) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, ""
	}
	var said []string
	if json.Unmarshal(raw, &said) != nil {
		var one string
		if json.Unmarshal(raw, &one) != nil {
			return nil, "its contradicts is no list of ids of claims"
		}
		said = []string{one}
	}
	var ids []string
	for _, id := range said {
		if id = claimName(id); id == "" {
			return nil, "its contradicts names a claim without its id"
		}
		ids = addUnique(ids, id)
	}
	if len(ids) > maxObjections {
		return nil, fmt.Sprintf("it contradicts more than %d claims; name those that decide", maxObjections)
	}
	return ids, ""
}

// claimName is the id of a claim, or a seat's own name for it, as it is compared.
func claimName(said string) string {
	name := plain.Line(said, maxHandle)
	if upper := strings.ToUpper(name); idNumber("C", upper) > 0 {
		return upper
	}
	return name
}

// object takes over that a seat contradicts another claim with this one.
func (e *Entry) object(id, seat string) {
	if o := (Objection{id, seat}); id != e.ID && !slices.Contains(e.Contradicts, o) {
		e.Contradicts = append(e.Contradicts, o)
	}
}

// objectors are the seats that say of two claims, each of its own, that not both
// hold.
func objectors(a, b Entry) []string {
	var seats []string
	for _, of := range [][2]Entry{{a, b}, {b, a}} {
		for _, o := range of[0].Contradicts {
			if o.ID == of[1].ID {
				seats = addUnique(seats, o.Seat)
			}
		}
	}
	return seats
}

// statedPairs are the pairs of claims of which a seat says that not both hold, in the
// order of their ids.
func statedPairs(reg Registry) [][2]Entry {
	at := map[string]int{}
	for i, e := range reg.Entries {
		at[e.ID] = i
	}
	var pairs [][2]Entry
	told := map[[2]string]bool{}
	for _, e := range reg.Entries {
		for _, o := range e.Contradicts {
			i, known := at[o.ID]
			if !known || !e.isComparable() || !reg.Entries[i].isComparable() {
				continue
			}
			pair := [2]Entry{e, reg.Entries[i]}
			if byID(pair[0].ID, pair[1].ID) > 0 {
				pair[0], pair[1] = pair[1], pair[0]
			}
			if ids := [2]string{pair[0].ID, pair[1].ID}; !told[ids] {
				told[ids] = true
				pairs = append(pairs, pair)
			}
		}
	}
	slices.SortStableFunc(pairs, func(p, q [2]Entry) int {
		return byPair(Conflict{A: p[0].ID, B: p[1].ID}, Conflict{A: q[0].ID, B: q[1].ID})
	})
	return pairs
}

// DraftProblem says why a draft may not be recorded beside others: it contradicts or
// withdraws what it may not, or its seat has withdrawn the same claim; "" where it may.
// Known is the registry that its seat was handed, own all that it has recorded.
func DraftProblem(known []Entry, own []Draft, d Draft) string { return NewNames(known, own).Problem(d) }

// Names is what the claims of a seat may name: the registry that it was handed and
// what it has recorded itself.
type Names struct {
	r         *registry
	ids       map[string]int    // places of what it was handed
	handles   map[[2]string]int // places by seat and its own name
	withdraws bool              // something was withdrawn
}

// NewNames registers what a seat has recorded behind the registry that it was handed.
func NewNames(known []Entry, own []Draft) *Names {
	r, places := newRegistry(known, own)
	n := &Names{r: r, ids: map[string]int{}, handles: map[[2]string]int{}}
	for i, e := range r.entries[:len(known)] {
		n.ids[e.ID] = i
	}
	for i, o := range own {
		if n.withdraws = n.withdraws || o.Withdraws != ""; o.Handle != "" && places[i] >= 0 {
			n.handles[[2]string{o.Seat, o.Handle}] = places[i]
		}
	}
	return n
}

// named is the place of a claim as a seat names it, its own name before an id.
func (n *Names) named(seat, name string) (place int, known bool) {
	if place, known = n.handles[[2]string{seat, name}]; !known {
		place, known = n.ids[name]
	}
	return place, known
}

// Problem is the [DraftProblem] of a draft, which may be one of the seat's own. What is
// withdrawn without one is withdrawn for all that are asked about later.
func (n *Names) Problem(d Draft) string {
	if d.Withdraws != "" {
		return n.withdraw(d)
	}
	if len(d.Contradicts) == 0 && !n.withdraws {
		return ""
	}
	place := n.r.register(d)
	if n.r.entries[place].withdrawnBy(d.Seat) {
		return "you have withdrawn this claim; claim it again only in words that say what is different"
	}
	for _, id := range d.Contradicts {
		other, known := n.named(d.Seat, id)
		switch {
		case !known:
			return noSuchClaim(id)
		case n.r.entries[other].IsWithdrawn():
			return id + " is withdrawn, so there is nothing to contradict"
		case other == place:
			return "it would contradict itself"
		}
	}
	return ""
}

func (n *Names) withdraw(d Draft) string {
	place, known := n.named(d.Seat, d.Withdraws)
	if !known {
		return noSuchClaim(d.Withdraws)
	}
	e := &n.r.entries[place]
	if e.withdrawnBy(d.Seat) {
		return d.Withdraws + " is withdrawn already"
	}
	if problem := n.replacementProblem(d, place); problem != "" {
		return problem
	}
	if n.r.withdraw(place, d); !e.withdrawnBy(d.Seat) {
		return fmt.Sprintf("%s is not yours to withdraw, it is claimed by %s; where a claim of yours refutes it, name it there in contradicts", d.Withdraws, plain.Line(strings.Join(e.Seats, ", "), maxName))
	}
	n.withdraws = true
	return ""
}

// replacementProblem says why what a withdrawal names in its place cannot stand there; ""
// where it can, or it names nothing.
func (n *Names) replacementProblem(d Draft, place int) string {
	if d.ReplacedBy == "" {
		return ""
	}
	by, known := n.named(d.Seat, d.ReplacedBy)
	switch {
	case !known:
		return noSuchClaim(d.ReplacedBy)
	case by == place:
		return d.ReplacedBy + " is the claim that is withdrawn"
	case n.r.entries[by].IsWithdrawn() || n.r.entries[by].withdrawnBy(d.Seat):
		return d.ReplacedBy + " is withdrawn itself"
	case !slices.Contains(n.r.entries[by].Seats, d.Seat):
		return fmt.Sprintf("%s is no claim of yours; record your own first, and name that in replaced_by", d.ReplacedBy)
	case restsOn(n.r.entries, by, place):
		return fmt.Sprintf("%s rests on %s, directly or over others, and would rest on itself in its place", d.ReplacedBy, d.Withdraws)
	}
	return ""
}

// restsOn reports whether one of the entries, by their places, rests on another.
func restsOn(entries []Entry, one, other int) bool {
	g := grounding{entries: entries, place: map[string]int{}}
	for i, e := range entries {
		g.place[e.ID] = i
	}
	return g.reaches(entries[one].ID, entries[other].ID, len(entries))
}

func noSuchClaim(id string) string { return "there is no claim " + id }
