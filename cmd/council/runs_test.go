package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/engine/status"
)

func TestWhatHasEndedIsBegunAnewByItsOwnCommand(t *testing.T) {
	for command, s := range map[string]status.Status{
		"run": {}, "staged": {Staged: &status.StagedStatus{}}, "review": {Review: &status.ReviewStatus{}},
	} {
		s.ID, s.Status = "20260222-143000-a1b2c3", "cancelled"
		require.Equal(t, "run 20260222-143000-a1b2c3 has ended (cancelled); begin a new one with `council "+command+"`", whyNotResumable(s))
	}
}
