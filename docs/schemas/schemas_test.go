package schemas_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/docs/schemas"
)

func TestEverySchemaIsNamedAndGiven(t *testing.T) {
	names := schemas.Names()
	require.Contains(t, names, "findings")
	for _, name := range names {
		text, ok := schemas.Text(name)
		require.True(t, ok, name)
		file, err := os.ReadFile(name + ".json")
		require.NoError(t, err)
		require.Equal(t, string(file), string(text))
		var s struct {
			Schema string `json:"$schema"`
			Title  string
		}
		require.NoError(t, json.Unmarshal(text, &s), name)
		require.Equal(t, "https://json-schema.org/draft/2020-12/schema", s.Schema, name)
	}
	_, ok := schemas.Text("../schemas")
	require.False(t, ok)
	_, ok = schemas.Text("nothing")
	require.False(t, ok)
}
