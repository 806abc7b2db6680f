package relation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/relation"
)

// What documentation advises in its own words is advice that may be reported.
func TestSourcesSayWhatToDoInManyForms(t *testing.T) {
	for _, text := range []string{
		"If you expect your database to grow quickly you might want to set DB.InitialMmapSize to a large value.",
		"Try to avoid long running read transactions.",
		"Please use the soft limit of 65535.  It is recommended to set it.",
		"Applications must call RunValueLogGC from time to time.",
		"Don't open the same file twice in one process.",
		"It is a good idea to call Sync before Close.",
		"Make sure that the value log is on the same disk.",
		"Consider a larger block cache where memory allows.",
	} {
		require.True(t, relation.Prescribes(text), text)
	}
	for _, text := range []string{
		"Opening a database writes the meta pages twice.",
		"The default of SyncWrites is false.",
		"NoSync: bool, skips fdatasync after each commit",
		"A page has 4096 bytes on most systems.",
	} {
		require.False(t, relation.Prescribes(text), text)
	}
}
