package council_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/claim"
	"research-council/internal/report"
	"research-council/prompts"
)

// What prompts ask for is what the program takes: the two are written in
// different rooms that do not know each other.

func TestTheSynthesisIsAskedForTheHeadingsItIsHeldTo(t *testing.T) {
	text, err := prompts.Text("synthesis")
	require.NoError(t, err)
	const made = "Comprehensive Source List" // by the program, from the ids
	require.Contains(t, report.Headings(), made)
	for _, heading := range report.Headings() {
		if heading == made {
			continue
		}
		_, after, found := strings.Cut(text, ". **"+heading+"**")
		require.True(t, found, "%q is asked for, in its order", heading)
		text = after
	}
	require.NotContains(t, text, ". **", "no further heading is asked for")
}

func TestTheClaimThatPromptsShowIsAClaim(t *testing.T) {
	for _, name := range []string{"research", "refinement"} {
		text, err := prompts.Text(name)
		require.NoError(t, err)
		var shown []string
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "{") && strings.Contains(line, "quote") {
				shown = append(shown, line)
			}
		}
		require.Len(t, shown, 1, name)
		drafts, refused := claim.Decode(strings.NewReader(shown[0]), "claude", name)
		require.Empty(t, refused, name)
		require.Len(t, drafts, 1, name)
		require.Equal(t, "verbatim words from the source", drafts[0].Quote)
	}
}
