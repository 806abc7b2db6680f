package quote

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsPeriodicRow(t *testing.T) {
	prose := "The office opened late that day, and\nboats that had waited had gone\naway. Nobody told them that\nthe clerk was ill, or when\nhe would be back. One\nmaster wrote to the port.\n"
	verse := "Where the Ferry ran\nOld Men came to look\nOne of them began\nReading from a Book\nThen the Bell was rung\nTwice across the Bay\nAnd the Rope was flung\nSo they sailed away\n"
	names := "Anchor\nAnker\nAncre\nRope\nTau\nCordage\nSail\nSegel\nVoile\n"
	kinds := "Kind\nMark\nFile\nBrig\nb1\n.brg\nCutter\nc2\n.cut\n"
	votes := "Votes for the chair\nChoose one\nBerg\n\n56\n\nLund\n\n0\n\nHolm\n\n17\n\nPage of the clerk\nEnd\nTurnout\n92\n"
	below := "Votes for the chair\n56\nBerg\n0\nLund\n17\nHolm\nPage of the clerk\n"
	for _, c := range []struct {
		text, first, last string
		want              bool
	}{
		{prose, "boats", "or when", false},
		{prose, "away", "One", false},
		{verse, "Old Men", "a Book", false},
		{verse, "Then", "flung", false},
		{names, "Rope", "Cordage", true},
		{names, "Tau", "Sail", false},
		{kinds, "Brig", ".brg", true},
		{kinds, "Cutter", ".cut", true},
		{kinds, "b1", "Cutter", false},
		{kinds, "Brig", "b1", false},
		{votes, "Berg", "56", true},
		{votes, "Holm", "17", true},
		{votes, "56", "Lund", false},
		{votes, "Turnout", "92", false},
		{below, "Berg", "0", true}, // it may be that of Lund, and is shown with what stands above
	} {
		from, to := strings.Index(c.text, c.first), strings.Index(c.text, c.last)+len(c.last)
		assert.Equal(t, c.want, isPeriodicRow(c.text, from, to), c.text[from:to])
	}
}
