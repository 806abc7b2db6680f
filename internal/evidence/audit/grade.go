package audit

import (
	"fmt"

	"github.com/research-council/research-council/internal/evidence/archive"
)

// Grade is what the counts come to, with the way they came to it.
type Grade struct {
	Letter string  `json:"letter"` // A to F; "" when the report's way to cite is not understood
	Score  float64 `json:"score"`  // 0 to 100
	Parts  []Part  `json:"parts"`
	Why    string  `json:"why"` // a sentence
}

// Part is one share of a grade.
type Part struct {
	Name   string  `json:"name"`
	Good   int     `json:"good"`
	Of     int     `json:"of"`
	Weight float64 `json:"weight"` // of 100
}

// The weights of the parts: what is most of a report's worth to a reader who
// checks it weighs most. A part with nothing to count is left out, and the
// others share its weight.
const (
	sourcesWeight    = 30
	quotationsWeight = 30
	numbersWeight    = 15
	aboutWeight      = 15
	structureWeight  = 10
)

// grade grades a result. What could not be read counts as not good: a reader
// cannot check it either.
func grade(r Result) Grade {
	if !r.Understood {
		return Grade{Parts: []Part{}, Why: "The way the report refers to its sources is not understood, so there is nothing to grade."}
	}
	c := r.Counts
	parts := []Part{
		{"sources that can be read", c.Read, c.Sources, sourcesWeight},
		{"quotations that stand in their source", c.Located, c.Quotations, quotationsWeight},
		{"numbers that stand in their source", c.NumbersFound, c.Numbers, numbersWeight},
		{"statements whose source speaks of their matter", c.About, c.Statements, aboutWeight},
	}
	if r.structural() {
		parts = nil // sources were not looked at: only structure can be graded
	}
	marks := c.References + c.Statements
	parts = append(parts, Part{"references and statements without a fault of structure", max(0, marks-c.Structure), marks, structureWeight})
	g := Grade{Parts: []Part{}}
	weight := 0.0
	for _, p := range parts {
		if p.Of > 0 {
			g.Parts = append(g.Parts, p)
			g.Score += p.Weight * float64(p.Good) / float64(p.Of)
			weight += p.Weight
		}
	}
	if weight == 0 {
		g.Letter, g.Why = "F", "The report cites nothing."
		return g
	}
	g.Score = 100 * g.Score / weight
	g.Letter = letter(g.Score)
	g.Why = "The weighted mean of the shares above."
	if r.structural() {
		g.Why = "Structure alone: not all sources were looked at."
	}
	return g.limited(r)
}

// structural reports whether only structure was graded: off line, with sources
// that would have to be fetched.
func (r Result) structural() bool { return r.Offline && r.Counts.States[Unchecked] > 0 }

func letter(score float64) string {
	switch {
	case score >= 95:
		return "A"
	case score >= 85:
		return "B"
	case score >= 70:
		return "C"
	case score >= 50:
		return "D"
	}
	return "F"
}

// limited lowers the grade of a report with what no reader forgives: one such
// thing leaves C at best, however much else there is.
func (g Grade) limited(r Result) Grade {
	for _, f := range r.Findings {
		switch f.Kind {
		case "invented", "altered", "retracted", "mismatch":
			if g.Letter < "C" {
				g.Letter = "C"
				g.Why = fmt.Sprintf("%s At most C: %s.", g.Why, kindDescription(f.Kind))
			}
			return g
		}
	}
	return g
}

func kindDescription(kind string) string {
	for _, k := range Kinds() {
		if k.Name == kind {
			return k.What
		}
	}
	return kind
}

// states are the states of sources in the order in which they are told.
func states() []archive.State {
	return []archive.State{
		archive.Live, archive.Moved, archive.Stale, archive.Blocked, archive.Gone, archive.LikelyInvented, archive.Unreachable, Unchecked,
	}
}
