package councilwork

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// What several families recommend on one question is set side by side before anybody has
// compared it; what one family alone recommends is not.
func TestAnswersOfSeveralFamiliesAreSetSideBySide(t *testing.T) {
	recommends := func(id, seat, family, text, question string) claim.Entry {
		return claim.Entry{
			ID: id, Kind: claim.Recommendation, Text: text, RestsOn: []string{"C9"}, Questions: []string{question}, Seats: []string{seat}, Families: []string{family},
			Location: claim.Location{State: claim.Reasoned},
		}
	}
	said := answersApart(claim.Registry{Entries: []claim.Entry{
		recommends("C1", "ann", "alpha", "Keep the ledger on paper.", "Q2"), recommends("C2", "ben", "beta", "Keep the ledger in a database.", "Q2"),
		recommends("C3", "ann", "alpha", "Count twice.", "Q3"), recommends("C4", "amy", "alpha", "Count three times.", "Q3"),
	}})
	require.Contains(t, said, "- Q2 has these answers.")
	require.Contains(t, said, "C1, of ann: Keep the ledger on paper.")
	require.Contains(t, said, "C2, of ben: Keep the ledger in a database.")
	require.NotContains(t, said, "Q3")
	require.Empty(t, answersApart(claim.Registry{}))

	aside := recommends("C5", "ben", "beta", "Sharpen the pencils.", "Q3")
	aside.Questions = []string{"Q3", "Q2"}
	said = answersApart(claim.Registry{Entries: []claim.Entry{
		aside, recommends("C6", "ben", "beta", "Keep the ledger in a database.", "Q2"), recommends("C7", "ann", "alpha", "Keep the ledger on paper.", "Q2"),
	}})
	require.Regexp(t, `(?s)- Q2 has.*C6, of ben.*C7, of ann.*C5, of ben`, said, "what it says of this question first")

	both := recommends("C1", "ben", "beta", "Keep the ledger in a database, and count once.", "Q2")
	both.Questions = []string{"Q2", "Q3"}
	last := recommends("C2", "ben", "beta", "Count twice.", "Q4")
	last.Questions = []string{"Q4", "Q3"}
	said = answersApart(claim.Registry{Entries: []claim.Entry{
		both, last, recommends("C3", "ann", "alpha", "Never count twice.", "Q3"), recommends("C4", "ann", "alpha", "Keep the ledger on paper.", "Q2"),
	}})
	require.Regexp(t, `(?s)- Q3 has.*C3, of ann.*C2, of ben.*C1, of ben`, said, "what was not told with another question before what was")
}
