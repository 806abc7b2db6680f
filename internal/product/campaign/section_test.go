package campaign_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/output/export"
	"github.com/research-council/research-council/internal/product/campaign"
)

func TestEverySectionHasItsPlaceInThePaper(t *testing.T) {
	for kind, keys := range map[string][]string{export.ReportPaper: campaign.ReportSections(), export.PlanPaper: campaign.PlanSections()} {
		for _, key := range keys {
			if key == "components" {
				key = "component-store"
			}
			got, err := campaign.SectionKey(kind, key)
			require.NoError(t, err)
			out, err := export.Typeset(export.Paper{Kind: kind, Sections: map[string][]byte{got: []byte("Words of this section alone.")}})
			require.NoError(t, err)
			require.Contains(t, string(out), "Words of this section alone.", "%s: %s", kind, key)
		}
	}
}
