package claim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// What one seat may write in its file does not keep the program from its work: each of
// these took minutes.
func TestThousandsOfClaimsThatNameOneAnotherAreReadAtOnce(t *testing.T) {
	const number = 8000
	var drafts []claim.Draft
	for i := range number {
		drafts = append(drafts, claim.Draft{
			Text: fmt.Sprintf("Chain %d.", i), Kind: claim.Inference, Handle: fmt.Sprintf("k%d", i), RestsOn: []string{fmt.Sprintf("k%d", i+1), fmt.Sprintf("k%d", i*7%number)},
			Contradicts: []string{fmt.Sprintf("k%d", (i*13+1)%number)}, Seat: "eve", Family: "evil",
		})
	}
	began := time.Now()
	require.Len(t, claim.AppendNew(drafts, drafts), number)
	for name, last := range map[string]claim.State{"holds": claim.Located, "does not": claim.NotFound} {
		drafts[number-1].RestsOn = []string{"f"}
		entries := claim.Register(nil, append(drafts, claim.Draft{Text: "A fact.", Quote: "as it stands there, word for word", Source: "a.md", Handle: "f", Seat: "eve"}))
		entries[number].Location = claim.Location{State: last}
		entries[number].Confidence = claim.High
		grounded := claim.Ground(entries)
		require.Equal(t, last == claim.Located, grounded[0].Holds(), name)
	}
	n := claim.NewNames(nil, drafts)
	refused := 0
	for i, d := range drafts {
		if n.Problem(d) != "" {
			refused++
		}
		if i%2 == 0 {
			require.Empty(t, n.Problem(claim.Draft{Withdraws: d.Handle, Reason: "wrong", Seat: "eve"}))
		}
	}
	require.NotZero(t, refused)
	require.Less(t, time.Since(began), 20*time.Second)
}
