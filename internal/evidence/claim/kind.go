package claim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Kind is what a claim is, and so what it rests on: a fact on words of sources, an
// inference or a recommendation on other claims.
type Kind string

const (
	Fact           Kind = "" // written "fact", or left out
	Inference      Kind = "inference"
	Recommendation Kind = "recommendation"
)

// kindNames are the kinds as they are written.
func kindNames() string { return "fact, inference, recommendation" }

// parseKind reads a kind; nothing is a fact.
func parseKind(s string) (Kind, bool) {
	switch k := Kind(strings.ToLower(strings.TrimSpace(s))); k {
	case "fact", Fact:
		return Fact, true
	case Inference, Recommendation:
		return k, true
	}
	return Fact, false
}

// RestsOnClaims reports whether what is of this kind rests on other claims instead of
// words of a source.
func (k Kind) RestsOnClaims() bool { return k == Inference || k == Recommendation }

func (k Kind) String() string {
	if k == Fact {
		return "fact"
	}
	return string(k)
}

// Reference is words of a source and where they stand.
type Reference struct {
	Quote  string `json:"quote"`
	Source string `json:"source"`
}

// Passage is one of several that a claim rests on, located for itself.
type Passage struct {
	Reference
	Key      string     `json:"key"` // the source's identity
	Type     SourceType `json:"source_type,omitempty"`
	Location Location   `json:"location"`
}

// maxPassages bounds how many passages a claim rests on, and maxGrounds on how many
// other claims.
const (
	maxPassages = 8
	maxGrounds  = 24
)

// Evidence is what a fact rests on, passage by passage; nothing of what rests on other
// claims.
func (e Entry) Evidence() []Passage {
	switch {
	case e.Kind.RestsOnClaims():
		return nil
	case len(e.Passages) > 0:
		return e.Passages
	}
	return []Passage{{Reference{e.Quote, e.Source}, e.Key, e.Type, e.Location}}
}

// Holds reports whether other claims may rest on a claim: its words were located in
// all their sources, or what it rests on holds, and no vote refutes it.
func (e Entry) Holds() bool {
	return (e.Location.State == Located || e.Location.State == Reasoned) && e.Verdict() != Contradicts
}

// Ground says of every claim that rests on others whether any of these holds, which
// do not, and what it is worth: no more than the weakest of them. Claims that rest on
// one another alone hold nothing up. It is the same in whatever order entries come.
func Ground(entries []Entry) []Entry {
	g := grounding{entries: slices.Clone(entries), place: map[string]int{}}
	for i, e := range g.entries {
		if _, known := g.place[e.ID]; !known {
			g.place[e.ID] = i
		}
		if e.Kind.RestsOnClaims() && !e.IsWithdrawn() {
			g.reasoned = append(g.reasoned, i)
			g.entries[i].Location = Location{State: Unfounded}
		}
	}
	if len(g.reasoned) == 0 {
		return g.entries
	}
	g.findFounded()
	for _, i := range g.reasoned {
		g.entries[i].Location.Reason = g.reason(i)
	}
	g.weigh()
	return g.entries
}

type grounding struct {
	entries  []Entry
	place    map[string]int // of an entry by its id
	reasoned []int          // places of those that rest on others
	above    map[int][]int  // of a place, those that rest on it
}

// findFounded goes from claims that hold to those that rest on them, until there are no more.
func (g *grounding) findFounded() {
	g.above = make(map[int][]int, len(g.reasoned))
	for _, i := range g.reasoned {
		for _, id := range g.entries[i].RestsOn {
			if under, known := g.place[id]; known {
				g.above[under] = append(g.above[under], i)
			}
		}
	}
	var next []int
	for i, e := range g.entries {
		if e.Holds() {
			next = append(next, i)
		}
	}
	for len(next) > 0 {
		under := next[len(next)-1]
		next = next[:len(next)-1]
		for _, i := range g.above[under] {
			if e := &g.entries[i]; e.Location.State == Unfounded {
				if e.Location.State = Reasoned; e.Holds() {
					next = append(next, i)
				}
			}
		}
	}
}

// reason names what a claim rests on that does not hold, each with why; "" where all
// of it holds.
func (g *grounding) reason(i int) string {
	e := g.entries[i]
	if len(e.RestsOn) == 0 {
		return "it rests on no claim"
	}
	var lost []string
	for _, id := range e.RestsOn {
		if why := g.whyNot(e.ID, id); why != "" {
			lost = append(lost, why)
		}
	}
	return strings.Join(lost, "; ")
}

// whyNot says why a claim does not hold another up; "" where it does.
func (g *grounding) whyNot(of, id string) string {
	i, known := g.place[id]
	if !known {
		return fmt.Sprintf("there is no claim %s", id)
	}
	e := g.entries[i]
	switch {
	case e.Holds():
		return ""
	case id == of:
		return "it rests on itself"
	case e.IsWithdrawn():
		return fmt.Sprintf("%s was withdrawn", id)
	case e.Verdict() == Contradicts && e.Kind.RestsOnClaims():
		return fmt.Sprintf("%s does not follow, as judges have voted", id)
	case e.Verdict() == Contradicts:
		return fmt.Sprintf("%s is refuted by its own passage", id)
	case e.Kind.RestsOnClaims() && g.reaches(id, of, mostTurns):
		return fmt.Sprintf("%s rests on it in turn", id)
	case e.Kind.RestsOnClaims():
		return fmt.Sprintf("%s rests on nothing that holds", id)
	case e.Location.State == NotFound:
		return fmt.Sprintf("the quotation of %s was not found", id)
	}
	return fmt.Sprintf("the quotation of %s is not checked", id)
}

// mostTurns bounds how many claims are looked at to say that one rests on another in
// turn: of so many it is enough that nothing of it holds.
const mostTurns = 200

// reaches reports whether a claim rests on another, with so many looked at at most.
func (g *grounding) reaches(from, to string, most int) bool {
	seen, next := map[string]bool{}, []string{from}
	for len(next) > 0 && len(seen) <= most {
		id := next[0]
		next = next[1:]
		i, known := g.place[id]
		if !known || seen[id] {
			continue
		}
		seen[id] = true
		for _, under := range g.entries[i].RestsOn {
			if under == to {
				return true
			}
			next = append(next, under)
		}
	}
	return false
}

// weigh gives claims that rest on others their confidence: what votes leave of it, and
// never more than that of the weakest claim they rest on.
func (g *grounding) weigh() {
	for _, i := range g.reasoned {
		e := &g.entries[i]
		switch {
		case e.Location.State == Unfounded, e.Verdict() == Contradicts:
			e.Confidence = Low
		case e.Verified() && !e.Support.Own:
			e.Confidence = High
		default:
			e.Confidence = Medium
		}
	}
	for next := slices.Clone(g.reasoned); len(next) > 0; {
		i := next[len(next)-1]
		next = next[:len(next)-1]
		if g.lower(&g.entries[i]) {
			next = append(next, g.above[i]...)
		}
	}
}

// lower gives a claim the confidence of the weakest claim it rests on, and reports
// whether that is less than it had.
func (g *grounding) lower(e *Entry) bool {
	had := e.Confidence
	for _, id := range e.RestsOn {
		under := Low
		if n, known := g.place[id]; known && g.entries[n].Holds() {
			under = g.entries[n].Confidence
		}
		if max(under.rank(), Low.rank()) < e.Confidence.rank() {
			e.Confidence = cmp.Or(under, Low)
		}
	}
	return e.Confidence != had
}

// GroundsProblem says why a claim may not rest on what it names; "" where it may: all of
// it is in the registry, nothing of it rests on the claim in turn, and some of it holds.
func GroundsProblem(entries []Entry, e Entry) string {
	g := grounding{entries: entries, place: map[string]int{}}
	for i, o := range entries {
		g.place[o.ID] = i
	}
	var missing []string
	for _, id := range e.RestsOn {
		if _, known := g.place[id]; !known {
			missing = append(missing, id)
		}
	}
	switch {
	case len(missing) > 0:
		return "there is no claim " + strings.Join(missing, ", ")
	case g.reaches(e.ID, e.ID, len(entries)):
		return "it would rest on itself"
	case e.Location.State == Unfounded:
		return "nothing it rests on holds: " + e.Location.Reason
	}
	return ""
}
