package flow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
)

func TestWhyThereIsNoEvidence(t *testing.T) {
	for want, e := range map[string]flow.Evidence{
		"":                             {Claims: 7, Located: 1, NotFound: 6},
		"no seat has recorded a claim": {},
		"of the quotations of 3 claims none was located: 3 not in their sources":                                         {Claims: 3, NotFound: 3},
		"of the quotations of 4 claims none was located: 4 could not be looked for (no network)":                         {Claims: 4, Reason: "no network"},
		"of the quotations of 4 claims none was located: 1 not in their sources, 3 could not be looked for (no network)": {Claims: 4, NotFound: 1, Reason: "no network"},
	} {
		require.Equal(t, want, e.NoEvidenceReason())
	}
}
