package export_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/export"
	"research-council/internal/imprint"
)

// A copy of what this program has written is known again, in every form that
// holds claims.
func TestWhatHoldsClaimsCarriesTheImprint(t *testing.T) {
	p := publication("So [C1].", registry())
	for _, form := range []export.Form{export.Markdown, export.HTML, export.TeX, export.BibTeX, export.JSON} {
		require.True(t, imprint.In([]byte(write(t, p, form))), form)
	}
	require.Contains(t, write(t, p, export.JSON), imprint.Line(p.ID))
}
