package plain_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/plain"
)

func TestASlugIsOfTheLettersOfAName(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"…":                        "",
		"  --Seats: what? ":        "seats-what",
		"https://a.example/B_c?d=": "https-a-example-b-c-d",
		"Café 2":                   "caf-2",
		"aaaaaaaaaaaaaaaaaaa b cc": "aaaaaaaaaaaaaaaaaaa-b",
	} {
		require.Equal(t, want, plain.Slug(text, 20), text)
	}
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 50).Draw(t, "limit")
		s := plain.Slug(rapid.String().Draw(t, "text"), limit)
		require.Regexp(t, `^([a-z0-9]+(-[a-z0-9]+)*)?$`, s)
		require.LessOrEqual(t, len(s), limit+1)
	})
}
