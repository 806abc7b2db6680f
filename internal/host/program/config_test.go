package program

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAConfigurationIsHeldToWhatProductsTake(t *testing.T) {
	for own, says := range map[string]string{
		"":                               "",
		"staged: {agents: 1}":            "",
		"staged: {sla: {review: 20m}}":   "",
		"staged: {agents: 6}":            "staged.agents: 6 is not between 1 and 5",
		"staged: {agents: 0}":            "staged.agents: 0 is not at least 1",
		"staged: {revisions: 11}":        "staged.revisions: 11 is not between 0 and 10",
		"staged: {reviewers: []}":        "staged.reviewers: name at least one seat",
		"staged: {sla: {revue: 20m}}":    `staged.sla: there is no stage "revue"`,
		"staged: {sla: {review: -20m}}":  "staged.sla.review: a time cannot be negative",
		"staged: {sla: {review: later}}": "read configuration",
	} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		require.NoError(t, os.WriteFile(path, []byte(own), 0o600))
		c, err := LoadConfig(path)
		if says == "" {
			require.NoError(t, err, own)
			require.NotEmpty(t, c.Seats)
			continue
		}
		require.ErrorContains(t, err, path+": ", own)
		require.ErrorContains(t, err, says, own)
	}
}
