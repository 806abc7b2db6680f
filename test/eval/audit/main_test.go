package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/test/eval/plant"
)

func TestWhatIsRight(t *testing.T) {
	for _, c := range []struct {
		name string
		v    verdict
		want plant.Want
		is   bool
	}{
		{"located", verdict{state: claim.Located}, plant.Located, true},
		{"located and to be flagged", verdict{state: claim.Located}, plant.Flagged, false},
		{"located and flagged", verdict{state: claim.Located, flagged: true}, plant.Flagged, true},
		{"not found where a flag was wanted", verdict{state: claim.NotFound}, plant.Flagged, true},
		{"refused", verdict{state: claim.Unchecked}, plant.Refused, true},
		{"lost and to be located", verdict{}, plant.Located, false},
		{"lost and to be refused", verdict{}, plant.Refused, false},
		{"lost and to be flagged", verdict{}, plant.Flagged, false},
	} {
		require.Equal(t, c.is, c.v.right(c.want), c.name)
	}
}
