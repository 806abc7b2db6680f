package councilwork

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// What is to be done is argued before what is.
func TestPointsOnWhatToDoComeFirst(t *testing.T) {
	reg := claim.Registry{Entries: []claim.Entry{{ID: "C1"}, {ID: "C2", Kind: claim.Recommendation}, {ID: "C3", Kind: claim.Inference}}}
	points := []claim.Point{{ID: "D1", A: []string{"C1"}}, {ID: "C3", A: []string{"C3"}}, {ID: "C2", A: []string{"C2"}}, {ID: "D2", Conflict: claim.Conflict{Answers: true}, A: []string{"C9"}}}
	var ids []string
	for _, p := range adviceFirst(reg, points) {
		ids = append(ids, p.ID)
	}
	require.Equal(t, []string{"C2", "D2", "D1", "C3"}, ids)
}
