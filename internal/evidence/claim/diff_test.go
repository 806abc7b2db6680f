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

// A page that counts its visitors, or tells today's date, touches no claim by that; what
// becomes of a claim's own passage does, and that its paper was retracted.
func TestATextThatChangesElsewhereTouchesNoClaim(t *testing.T) {
	entry := func() claim.Entry {
		e := found("The heater starts at four degrees.", "url:a", "1")
		e.ID, e.Kind, e.Quote, e.Confidence = "C1", claim.Fact, "The heater starts at four degrees outside.", claim.Medium
		return e
	}
	older := claim.Registry{Entries: []claim.Entry{entry()}}
	for name, row := range map[string]struct {
		change  func(*claim.Entry)
		touches bool
	}{
		"a counter":      {func(*claim.Entry) {}, false},
		"passage gone":   {func(e *claim.Entry) { e.Location.State = claim.NotFound }, true},
		"page gone":      {func(e *claim.Entry) { e.Location.State, e.Location.Text = claim.Unchecked, "" }, true},
		"retracted":      {func(e *claim.Entry) { e.Location.Doubt = "the paper has been retracted" }, true},
		"contradicted":   {func(e *claim.Entry) { e.Support = &claim.Support{Verdict: claim.Contradicts} }, true},
		"another number": {func(e *claim.Entry) { e.Text = "The heater starts at five degrees." }, true},
	} {
		e := entry()
		e.Location.Text = "2"
		row.change(&e)
		d := claim.Diff(older, claim.Registry{Entries: []claim.Entry{e}})
		require.Equal(t, row.touches, d.TouchesClaims(), name)
		require.False(t, d.IsEmpty(), name)
	}
}

func TestARegistryDoesNotDifferFromItself(t *testing.T) {
	r := claim.Registry{Entries: []claim.Entry{found("A.", "k", "1"), found("A.", "k", "1"), found("B.", "k", "1")}}
	for i := range r.Entries {
		r.Entries[i].ID = []string{"C1", "C2", "C3"}[i]
	}
	require.Equal(t, claim.Difference{}, claim.Diff(r, r))
}

// A model words anew what it finds again: where the passage is the same, and what is said
// of it, nothing has changed. A number, a negation, an opposite, another name or another
// passage has.
func TestWhatIsOnlyWordedAnewIsNoChange(t *testing.T) {
	const passage = "Before version 3, the server closes idle connections after 60 seconds."
	quoted := func(text, quote string) claim.Registry {
		e := found(text, "url:a", "1")
		e.ID, e.Kind, e.Quote = "C1", claim.Fact, quote
		return claim.Registry{Entries: []claim.Entry{e}}
	}
	was := quoted("The server closes idle connections after 60 seconds.", passage)
	for text, same := range map[string]bool{
		"Idle connections are closed by the server after 60 seconds.":       true,
		"After 60 seconds the server will close connections that are idle.": true,
		"The server closes idle connections after 90 seconds.":              false,
		"The server does not close idle connections after 60 seconds.":      false,
		"The server opens idle connections after 60 seconds.":               false,
		"All servers always close idle connections after 60 seconds.":       false,
		"The server of Oracle closes idle connections after 60 seconds.":    false,
	} {
		d := claim.Diff(was, quoted(text, passage))
		require.Equal(t, same, d.IsEmpty(), text)
		require.Equal(t, same, len(d.Reworded) == 1, text)
	}
	again := "Idle connections are closed by the server after 60 seconds."
	require.True(t, claim.Diff(was, quoted(again, "the server closes idle connections after 60 seconds.")).IsEmpty(), "a part of the passage")
	require.False(t, claim.Diff(was, quoted(again, "Sessions end after 60 seconds.")).IsEmpty(), "another passage")
	gone := quoted(again, passage)
	gone.Entries[0].Location.State = claim.NotFound
	d := claim.Diff(was, gone)
	require.Empty(t, d.Gained)
	require.Equal(t, []string{"location"}, d.Changed[0].What, "it no longer stands there")
}
