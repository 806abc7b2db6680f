package claim_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

func TestARegistryIsReadInBothForms(t *testing.T) {
	entries := `[{"id":"C1","text":"T","source":"s","key":"k","seats":["a"],"rounds":["research"],"location":{"state":"located"}}]`
	for name, text := range map[string]string{"an array": entries, "an object": `{"entries":` + entries + `}`, "with white space": "\n " + entries + "\n"} {
		r, err := claim.ParseRegistry([]byte(text))
		require.NoError(t, err, name)
		require.Len(t, r.Entries, 1, name)
		e, ok := r.Entry("C1")
		require.True(t, ok)
		require.Equal(t, claim.Located, e.Location.State, name)
	}
	r, err := claim.ParseRegistry(nil)
	require.NoError(t, err)
	require.Equal(t, claim.Registry{}, r)
	for _, bad := range []string{"{", "[1]", "null x", `"text"`} {
		_, err := claim.ParseRegistry([]byte(bad))
		require.ErrorContains(t, err, "read registry", bad)
	}
}

func FuzzParseRegistry(f *testing.F) {
	f.Add([]byte(`{"entries":[{"id":"C1"}],"conflicts":[{"id":"D1"}]}`))
	f.Add([]byte(`[{"id":"C1"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := claim.ParseRegistry(data)
		if err != nil {
			return
		}
		again, err := json.Marshal(r)
		require.NoError(t, err)
		same, err := claim.ParseRegistry(again)
		require.NoError(t, err)
		require.Len(t, same.Entries, len(r.Entries))
	})
}
