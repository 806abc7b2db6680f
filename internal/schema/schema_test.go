package schema

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEverySchemaCompiles(t *testing.T) {
	for _, name := range Names() {
		_, err := compiled(name)
		require.NoError(t, err)
		_, ok := Text(name)
		require.True(t, ok)
	}
	require.NotEmpty(t, Names())
}
