package claim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

func found(text, key, hash string) claim.Entry {
	return claim.Entry{Text: text, Key: key, Source: key, Location: claim.Location{State: claim.Located, Text: hash}}
}

func TestWhatHasChangedBetweenTwoRegistries(t *testing.T) {
	lost := found("Tea is hot.", "url:a", "1")
	kept := found("Coffee is black.", "url:b", "2")
	older := claim.Registry{Entries: []claim.Entry{lost, kept, found("Milk is white.", "url:c", "3")}}
	for i := range older.Entries {
		older.Entries[i].ID = []string{"C1", "C2", "C3"}[i]
	}
	gone := found("Milk is white.", "url:c", "4")
	gone.Location.State = claim.NotFound
	same := kept
	same.ID = "C9"
	newer := claim.Registry{Entries: []claim.Entry{same, gone, found("Water is wet.", "url:d", "5")}}

	d := claim.Diff(older, newer)
	require.Len(t, d.Gained, 1)
	require.Equal(t, "Water is wet.", d.Gained[0].Text)
	require.Len(t, d.Lost, 1)
	require.Equal(t, "Tea is hot.", d.Lost[0].Text)
	require.Len(t, d.Changed, 1)
	require.Equal(t, []string{"location"}, d.Changed[0].What)
	require.Equal(t, []claim.Drift{{Key: "url:c", Source: "url:c", OldText: "3", NewText: "4"}}, d.Drifted)
}

// A claim may have several quotations of one source: one that has changed takes
// no partner from one that has not.
func TestOnlyTheQuotationThatChangedIsTold(t *testing.T) {
	quoted := func(quotes ...string) claim.Registry {
		var r claim.Registry
		for _, q := range quotes {
			e := found("It grew.", "url:a", "1")
			e.Quote = q
			r.Entries = append(r.Entries, e)
		}
		return r
	}
	d := claim.Diff(quoted("first words", "second words"), quoted("third words", "first words"))
	require.Empty(t, d.Gained)
	require.Empty(t, d.Lost)
	require.Len(t, d.Changed, 1)
	require.Equal(t, "second words", d.Changed[0].Old.Quote)
	require.Equal(t, "third words", d.Changed[0].New.Quote)

	d = claim.Diff(quoted("first words"), quoted("third words", "first words"))
	require.Empty(t, d.Changed)
	require.Len(t, d.Gained, 1)
	require.Equal(t, "third words", d.Gained[0].Quote)
}

func TestARegistryDoesNotDifferFromItself(t *testing.T) {
	r := claim.Registry{Entries: []claim.Entry{found("A.", "k", "1"), found("A.", "k", "1"), found("B.", "k", "1")}}
	for i := range r.Entries {
		r.Entries[i].ID = []string{"C1", "C2", "C3"}[i]
	}
	require.Equal(t, claim.Difference{}, claim.Diff(r, r))
}
