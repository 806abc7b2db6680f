package vote

import (
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
)

// Bounds of the passages shown with a claim of a pair, which are there to say what is
// meant: how many, and each in runes.
const (
	maxShownPassages = 3
	maxShownPassage  = 400
)

// PairsPaper is what a judge reads who is to compare claims, in Markdown: each pair
// with both claims and their passages.
func PairsPaper(pairs [][2]claim.Entry) string {
	var b strings.Builder
	b.WriteString("# Pairs of claims\n")
	for _, p := range pairs {
		fmt.Fprintf(&b, "\n## %s\n", relation.PairID(p[0].ID, p[1].ID))
		for _, e := range p {
			fmt.Fprintf(&b, "\n%s:\n\n%s", e.ID, blockQuote(e.Text))
			if e.Kind.RestsOnClaims() {
				fmt.Fprintf(&b, "\nIt is %s, and rests on %s.\n", kindNoun(e), strings.Join(e.RestsOn, ", "))
				continue
			}
			for i, passage := range e.Evidence() {
				text := plain.Line(firstNonEmpty(passage.Location.Passage, passage.Quote), maxShownPassage)
				switch {
				case text == "" || i >= maxShownPassages:
				case i == 0:
					fmt.Fprintf(&b, "\nIt rests on:\n\n%s", blockQuote(text))
				default:
					fmt.Fprintf(&b, "\nAnd on:\n\n%s", blockQuote(text))
				}
			}
		}
	}
	return b.String()
}

// KeepPairs is a paper of pairs, as [PairsPaper] writes it, with those of some claims
// alone; the whole paper where that left none.
func KeepPairs(paper []byte, keep func(a, b string) bool) []byte {
	head, rest, _ := strings.Cut(string(paper), "\n## ")
	kept := ""
	for section := range strings.SplitSeq(rest, "\n## ") {
		id, _, _ := strings.Cut(section, "\n")
		if a, b, ok := strings.Cut(id, "/"); ok && keep(a, b) {
			kept += "\n## " + strings.TrimRight(section, "\n") + "\n"
		}
	}
	if kept == "" {
		return paper
	}
	return []byte(head + kept)
}

func kindNoun(e claim.Entry) string {
	if e.Kind == claim.Recommendation {
		return "a recommendation"
	}
	return "an inference"
}
