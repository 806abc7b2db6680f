package view

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

func TestConflictsShowWhatTheirQuotationsLeaveOut(t *testing.T) {
	a := claim.Entry{ID: "C1", Text: "It is safe.", Quote: "The cache is … safe.", Source: "a.md:1", Location: claim.Location{State: claim.Located, LeftOut: []string{"by \x1b[2Jnow"}}}
	b := claim.Entry{ID: "C2", Text: "It is slow.", Quote: "It is slow.", Source: "a.md:2", Location: claim.Location{State: claim.Located}}
	var out bytes.Buffer
	require.NoError(t, Conflicts(&out, claim.Registry{Entries: []claim.Entry{a, b}, Conflicts: []claim.Conflict{{ID: "D1", A: "C1", B: "C2"}}}))
	require.Contains(t, out.String(), "“The cache is … safe.” (left out: “by")
	require.NotContains(t, out.String(), "\x1b")
	require.Contains(t, out.String(), "“It is slow.”\n")
}
