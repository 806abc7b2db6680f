package source_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/source"
)

func TestALocalFileIsTheWitnessThatItsNameAndPlaceSay(t *testing.T) {
	data, err := os.ReadFile("testdata/local_files.tsv")
	require.NoError(t, err)
	for line := range bytes.Lines(data) {
		cells := strings.Split(strings.TrimSpace(string(line)), "\t")
		t.Run(cells[0], func(t *testing.T) {
			standing, why := source.Classify(cells[0]+":1", "", "")
			allowed := map[string][]source.Standing{
				"documentation": {source.StandingOfficial, source.StandingStandard}, "code": {source.StandingCode},
				"community": {source.StandingCommunity}, "paper": {source.StandingPublication}, "data": {source.StandingCommunity},
			}[cells[1]]
			if cells[1] == "unclear" {
				return
			}
			require.Contains(t, allowed, standing, "%s: %s", why, cells[2])
			require.Equal(t, cells[1] == "data", strings.HasPrefix(why, "not established"), why)
		})
	}
}
