package claim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// What a withdrawal does to the disputes a claim stands in.
func TestAWithdrawnSideSettlesItsDispute(t *testing.T) {
	entry := func(id string, state claim.State) claim.Entry {
		return claim.Entry{ID: id, Location: claim.Location{State: state}}
	}
	reg := claim.Registry{
		Entries: []claim.Entry{entry("C1", claim.Withdrawn), entry("C2", claim.Located), entry("C3", claim.Located), entry("C4", claim.Withdrawn), entry("C5", claim.Located)},
		Groups:  []claim.Group{{ID: "C4", Members: []string{"C4", "C5"}}},
		Conflicts: []claim.Conflict{
			{ID: "D1", A: "C1", B: "C2", Status: claim.Open},
			{ID: "D2", A: "C2", B: "C4", Status: claim.StillDivergent},
			{ID: "D3", A: "C1", B: "C1", Status: claim.Open},
			{ID: "D4", A: "C1", B: "C3", Status: claim.ResolvedA, Resolution: "by votes"},
			{ID: "D5", A: "C2", B: "C3", Status: claim.Open},
			{ID: "D6", A: "C3", B: "C1", Status: claim.Open},
		},
	}
	got := claim.SettleWithdrawn(reg)
	require.Equal(t, []claim.Conflict{
		{ID: "D1", A: "C1", B: "C2", Status: claim.ResolvedB, Resolution: "C1 was withdrawn"},
		{ID: "D2", A: "C2", B: "C5", Status: claim.StillDivergent},
		{ID: "D3", A: "C1", B: "C1", Status: claim.Dismissed, Resolution: "C1 and C1 were withdrawn"},
		{ID: "D4", A: "C1", B: "C3", Status: claim.ResolvedA, Resolution: "by votes"},
		{ID: "D5", A: "C2", B: "C3", Status: claim.Open},
		{ID: "D6", A: "C3", B: "C1", Status: claim.ResolvedA, Resolution: "C1 was withdrawn"},
	}, got)
	reg.Conflicts = got
	require.Equal(t, got, claim.SettleWithdrawn(reg), "said twice it is the same")
	require.False(t, claim.Conflict{Status: claim.StillDivergent, Agreed: "both"}.IsOpen())
}
