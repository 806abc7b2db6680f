package claim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// page is a library of one text, whatever is cited.
type page claim.Text

func (p page) Text(string) (claim.Text, error) { return claim.Text(p), nil }

func TestWhatATextIsWorthIsSaid(t *testing.T) {
	const said = "The limit of the service is 20 megabytes for every single file."
	whole := page{Body: said + "\nComments: it is fine.", FirstLine: 1}
	for name, row := range map[string]struct {
		quote  string
		change func(*page)
		state  claim.State
		worth  claim.Confidence
		says   string
	}{
		"found":                          {said, func(*page) {}, claim.Located, claim.Medium, ""},
		"of a retracted paper":           {said, func(p *page) { p.Doubt = "the paper has been retracted" }, claim.Located, claim.Low, "retracted"},
		"outside the article":            {said, func(p *page) { p.Aside = func(int, int) bool { return true } }, claim.Located, claim.Low, "outside the article"},
		"misspelt":                       {"The limit of the service is 20 megabites for every single file.", func(*page) {}, claim.Located, claim.Low, "“megabites” stands there as “megabytes”"},
		"altered":                        {"The limit of the service is 30 megabytes for every single file.", func(*page) {}, claim.NotFound, claim.Low, "does not hold"},
		"not in what could be read":      {"Nothing of this kind stands anywhere in the page, not one word.", func(p *page) { p.Partial = "a paywall" }, claim.Unchecked, claim.Low, "a paywall"},
		"altered, in what could be read": {"The limit of the service is 30 megabytes for every single file.", func(p *page) { p.Partial = "a paywall" }, claim.NotFound, claim.Low, "does not hold"},
	} {
		t.Run(name, func(t *testing.T) {
			p := whole
			row.change(&p)
			entries := claim.Register(nil, []claim.Draft{{Text: "T", Quote: row.quote, Source: "https://a.test/", Type: claim.Official}})
			e := claim.Locate(entries, p)[0]
			require.Equal(t, row.state, e.Location.State)
			require.Equal(t, row.worth, e.Confidence)
			require.Contains(t, e.Location.Reason+e.Location.Doubt, row.says)
			if name == "altered" {
				require.NotEmpty(t, e.Location.Findings)
				require.Equal(t, "20", e.Location.Findings[0].Text)
			}
		})
	}
}

// A source that settles a matter makes a claim certain once another family has
// read the passage so, and not by the word of the family that brought it.
func TestNoFamilyMakesItsOwnClaimCertain(t *testing.T) {
	const said = "Backups are kept for 30 days."
	for own, want := range map[bool]claim.Confidence{false: claim.High, true: claim.Medium} {
		entries := claim.Register(nil, []claim.Draft{{Text: said, Quote: said, Source: "https://a.test/", Type: claim.Official}})
		entries = claim.Locate(entries, page{Body: said, FirstLine: 1})
		entries[0].Type = claim.Official
		entries[0].Support = &claim.Support{Verdict: claim.Supports, Own: own, Votes: []claim.Vote{{Seat: "a", Family: "a", Answer: claim.Supports}}}
		require.Equal(t, want, claim.Locate(entries, page{Body: said, FirstLine: 1})[0].Confidence)
	}
}
