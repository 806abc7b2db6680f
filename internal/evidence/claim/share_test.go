package claim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// side are five claims of little weight, recorded by a seat.
func side(seat string, critical bool) []claim.Draft {
	var drafts []claim.Draft
	for n := range claim.MaxCritical {
		drafts = append(drafts, claim.Draft{
			Text: fmt.Sprintf("Side matter %d.", n), Quote: fmt.Sprintf("it is a side matter, number %d", n), Source: "a.md", Seat: seat, Critical: critical, Questions: []string{"Q1"},
		})
	}
	return drafts
}

// What a seat calls critical fills its own share, whoever said it first.
func TestNoSeatFillsAnothersShareOfCriticalClaims(t *testing.T) {
	main := claim.Draft{Text: "It keeps entries for 5 minutes.", Quote: "entries are kept for 5 minutes", Source: "a.md", Seat: "ann", Critical: true, Questions: []string{"Q1"}}
	entries := claim.Register(nil, append(append(side("ann", false), main), side("bob", true)...))
	require.Len(t, entries, claim.MaxCritical+1)
	require.True(t, claim.Critical(entries)["C6"])
	question, of := claim.CriticalOf(entries, entries[5], "ann")
	require.Equal(t, "Q1", question)
	require.Len(t, of, 1)
	_, of = claim.CriticalOf(entries, entries[0], "bob")
	require.Len(t, of, claim.MaxCritical)
}

// A claim on two questions counts for the one that has room.
func TestACriticalClaimCountsWhereThereIsRoom(t *testing.T) {
	var drafts []claim.Draft
	for n := range 6 {
		drafts = append(drafts, claim.Draft{Text: fmt.Sprintf("It keeps %d entries.", n), Quote: fmt.Sprintf("%d entries are kept", n), Source: "a.md", Seat: "ann", Critical: true, Questions: []string{"Q10"}})
	}
	drafts[5].Questions = []string{"Q10", "Q2"}
	entries := claim.Register(nil, drafts)
	require.Len(t, claim.Critical(entries), 6)
	question, of := claim.CriticalOf(entries, entries[5], "ann")
	require.Equal(t, "Q2", question)
	require.Len(t, of, 1)
}

// A claim on two questions makes room on the one for a claim that has no other.
func TestACriticalClaimMakesRoomForOneThatHasNoOtherQuestion(t *testing.T) {
	var drafts []claim.Draft
	for n := range 12 {
		d := claim.Draft{Text: fmt.Sprintf("It keeps %d entries.", n), Quote: fmt.Sprintf("%d entries are kept", n), Source: "a.md", Seat: "ann", Critical: true, Questions: []string{"Q2", "Q3"}}
		if n >= 5 {
			d.Questions = []string{"Q3"}
		}
		drafts = append(drafts, d)
	}
	entries := claim.Register(nil, drafts)
	within := claim.Critical(entries)
	require.Len(t, within, 2*claim.MaxCritical)
	for n := range 2 * claim.MaxCritical {
		require.True(t, within[entries[n].ID], n)
	}
	question, of := claim.CriticalOf(entries, entries[9], "ann")
	require.Equal(t, "Q3", question)
	require.Len(t, of, claim.MaxCritical)
	question, of = claim.CriticalOf(entries, entries[0], "ann")
	require.Equal(t, "Q2", question)
	require.Len(t, of, claim.MaxCritical)
}

// A seat that repeats another's critical claim takes no more of it back than it has
// called critical itself.
func TestNoSeatTakesBackWhatAnotherCallsCritical(t *testing.T) {
	main := claim.Draft{Text: "It keeps entries for 5 minutes.", Quote: "entries are kept for 5 minutes", Source: "a.md", Seat: "ann", Critical: true}
	again, instead := main, side("bob", true)[0]
	again.Seat, again.Handle, instead.InsteadOf = "bob", "x", "x"
	for _, called := range []bool{false, true} {
		again.Critical = called
		entries := claim.Register(nil, []claim.Draft{main, again, instead})
		require.Equal(t, []string{"ann"}, entries[0].CriticalBy)
		require.True(t, claim.Critical(entries)["C1"])
	}
	main.Handle, instead.Seat, instead.InsteadOf, instead.Critical = "m", "ann", "m", false
	entries := claim.Register(nil, []claim.Draft{main, instead})
	require.True(t, claim.Critical(entries)["C1"], "what takes its place is critical itself")
	require.Empty(t, entries[1].InsteadOf)
}
