package claim_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// How an experiment was made stands once in a registry's JSON, whoever quotes it.
func TestHowAnExperimentWasMadeIsWrittenOnce(t *testing.T) {
	by := func(id, made string, passages ...string) claim.Entry {
		e := claim.Entry{ID: id, Text: "It took 3 s.", Location: claim.Location{State: claim.Located, Text: "aa", Made: made}}
		for _, p := range passages {
			e.Passages = append(e.Passages, claim.Passage{Location: claim.Location{State: claim.Located, Text: "aa", Made: p}})
		}
		return e
	}
	reg := claim.Registry{Entries: []claim.Entry{by("C1", ""), by("C2", "ran main.go", "ran main.go", "ran other.go"), by("C3", "ran other.go"), by("C4", "ran main.go")}}
	data, err := json.Marshal(reg)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(data), "ran main.go"))
	require.Contains(t, string(data), `"made_under":"C2/2"`)
	require.Equal(t, "ran main.go", reg.Entries[3].Location.Made, "the registry itself is as it was")
	again, err := claim.ParseRegistry(data)
	require.NoError(t, err)
	require.Equal(t, reg, again)
	strange, err := claim.ParseRegistry([]byte(`{"entries":[{"id":"C1","location":{"state":"located","made_under":"C9/-1"}}]}`))
	require.NoError(t, err)
	require.Empty(t, strange.Entries[0].Location.Made)
	require.Empty(t, strange.Entries[0].Location.MadeUnder)
}

func TestAnyRegistryIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		made := rapid.SampledFrom([]string{"", "a", "b"})
		var reg claim.Registry
		for i := range rapid.IntRange(0, 6).Draw(t, "claims") {
			e := claim.Entry{ID: "C" + string(rune('1'+i)), Seats: []string{"ada"}, Rounds: []string{"research"}, Location: claim.Location{State: claim.Located, Made: made.Draw(t, "made")}}
			for range rapid.IntRange(0, 3).Draw(t, "passages") {
				e.Passages = append(e.Passages, claim.Passage{Location: claim.Location{State: claim.Located, Made: made.Draw(t, "made")}})
			}
			reg.Entries = append(reg.Entries, e)
		}
		data, err := json.Marshal(reg)
		require.NoError(t, err)
		again, err := claim.ParseRegistry(data)
		require.NoError(t, err)
		require.Equal(t, reg, again)
	})
}

// The registries of before have it at each passage.
func TestARegistryOfBeforeIsRead(t *testing.T) {
	data, err := os.ReadFile("testdata/registry_of_before.json")
	require.NoError(t, err)
	reg, err := claim.ParseRegistry(data)
	require.NoError(t, err)
	out, err := json.Marshal(reg)
	require.NoError(t, err)
	require.Less(t, len(out), len(data))
	again, err := claim.ParseRegistry(out)
	require.NoError(t, err)
	require.Equal(t, reg, again)
}
