package vote

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// piece is a part of what an experiment has printed.
type piece struct {
	from int // its first byte in all that was printed
	text string
}

// holds reports whether a passage stands in it.
func (p piece) holds(l claim.Location) bool {
	return p.from <= l.Start && l.End <= p.from+len(p.text)
}

// aroundQuoted are, of each experiment that claims quote, the pieces of what it has printed
// around the passages, by its source. Passages of one experiment often stand close together:
// told once, a judge reads what lies between them once.
func aroundQuoted(asked []claim.Entry) map[string][]piece {
	all := map[string][]piece{}
	for _, e := range asked {
		for _, p := range e.Evidence() {
			if before, _, found := strings.Cut(p.Location.Context, p.Location.Passage); isPrinted(p) && found {
				all[p.Source] = append(all[p.Source], piece{p.Location.Start - len(before), p.Location.Context})
			}
		}
	}
	for ref, list := range all {
		all[ref] = joined(list)
	}
	return all
}

// isPrinted reports whether a passage is one of what an experiment has printed.
func isPrinted(p claim.Passage) bool { return p.Location.Made != "" && p.Location.Passage != "" }

// joined are pieces in order, those that touch as one.
func joined(list []piece) []piece {
	slices.SortStableFunc(list, func(a, b piece) int { return a.from - b.from })
	whole := list[:1]
	for _, p := range list[1:] {
		last := &whole[len(whole)-1]
		switch end := last.from + len(last.text); {
		case p.from > end+1:
			whole = append(whole, p)
		case p.from == end+1: // a line break lies between them
			last.text += "\n" + p.text
		case p.from+len(p.text) > end:
			last.text += p.text[end-p.from:]
		}
	}
	return whole
}

// piecesText is what was printed, with a mark where something is left out.
func piecesText(list []piece) string {
	var texts []string
	for _, p := range list {
		texts = append(texts, p.text)
	}
	return strings.Join(texts, "\n[…]\n")
}
