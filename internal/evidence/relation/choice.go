package relation

// Sort sorts candidates, in their order, into those that may well clash, and the others.
// Clashing are two of different families that recommend something and share a word, or are
// about one thing of which one has another number, a negation, an opposite or another verb;
// of one family too where they tell of different experiments. Statements in nearly the
// same words about the same lines, or in all but the same words, are taken for one, as
// groups will: of pairs that this makes one the first alone is kept, so that copies of
// one sentence make a star and not each with each.
func Sort(statements []Statement, candidates []Pair) (clashing, others []Pair) {
	s := sorter{statements: statements, read: make([]Meaning, len(statements)), known: make([]bool, len(statements)), union: NewUnion(len(statements))}
	kinds := make([]likeness, len(candidates))
	for i, p := range candidates {
		kinds[i] = s.compare(p)
	}
	joined := make([]bool, len(candidates)) // it is a ray of a star
	for i, p := range candidates {
		if kinds[i] == nearlySame && s.union.Find(p.A) != s.union.Find(p.B) {
			joined[i] = s.union.Unite(p.A, p.B)
		}
	}
	asked := map[Pair]bool{}
	for i, p := range candidates {
		a, b := s.union.Find(p.A), s.union.Find(p.B)
		between := Pair{min(a, b), max(a, b)}
		switch {
		case joined[i]:
			others = append(others, p)
		case a == b, asked[between]:
		case kinds[i] == clash:
			clashing = append(clashing, p)
			asked[between] = true
		default:
			others = append(others, p)
			asked[between] = true
		}
	}
	return clashing, others
}

// likeness is what the words of two statements make likely.
type likeness uint8

const (
	related likeness = iota
	nearlySame
	clash
)

type sorter struct {
	statements []Statement
	read       []Meaning
	known      []bool
	union      *Union
}

func (s *sorter) meaning(i int) Meaning {
	if !s.known[i] {
		s.read[i], s.known[i] = Read(s.statements[i].Text), true
	}
	return s.read[i]
}

func (s *sorter) compare(p Pair) likeness {
	a, b := s.meaning(p.A), s.meaning(p.B)
	rivals := s.statements[p.A].rivals(&s.statements[p.B])
	if a.long || b.long || areOfOthers(a.released(), b.released()) {
		return related
	}
	d := differenceOf(a, b)
	fewer, more := min(len(a.terms), len(b.terms)), max(len(a.terms), len(b.terms))
	_, differ := Veto(a, b)
	switch {
	case rivals && d.shared > 0 && a.advises() && b.advises(), rivals && d.shared > 1 && 3*d.shared >= fewer && differ != "":
		return clash
	case differ != "" || fewer < 3:
		return related
	case 10*d.shared >= 9*more, 10*d.shared >= 6*more && s.statements[p.A].overlaps(&s.statements[p.B]):
		return nearlySame
	}
	return related
}
