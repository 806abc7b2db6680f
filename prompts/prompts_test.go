package prompts

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
)

func names(t *testing.T) []string {
	t.Helper()
	found, err := fs.Glob(files, "*.md")
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for i := range found {
		found[i] = strings.TrimSuffix(found[i], ".md")
	}
	return found
}

func TestFrontMatterTellsTheTruth(t *testing.T) {
	placeholder := regexp.MustCompile(`\{([a-z][a-z0-9_]*)\}`)
	for _, name := range names(t) {
		f, text, err := read(name)
		require.NoError(t, err)
		require.Equal(t, name, f.Role)
		var used []string
		for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(used, m[1]) {
				used = append(used, m[1])
			}
		}
		require.ElementsMatch(t, f.Placeholders, used, "%s: placeholders listed and used", name)
		for _, file := range append(f.Reads, f.Writes...) {
			require.Contains(t, used, file, "%s: what it reads and writes has a placeholder", name)
		}
	}
}

func TestFrontMatterStaysOutOfTheText(t *testing.T) {
	for _, name := range names(t) {
		text, err := Text(name)
		require.NoError(t, err)
		require.NotContains(t, text, "placeholders:")
		require.False(t, strings.HasPrefix(text, "---"))
	}
}

func TestEveryRoleHasItsParts(t *testing.T) {
	parts := map[string][]string{
		agent.Research: {
			"## Your Assignment", "## Your Approach", "Breadth", "Depth", "Cross-reference", "Synthesize",
			"## Report Structure", "Executive Summary", "Key Findings", "Methodology", "Open Questions", "Sources",
			"## Rules",
		},
		agent.Refinement: {"## Files", "## Your Task", "NEW", "## Critical Rule", "springboard"},
		agent.Synthesis: {
			"{questions}", "The very first paragraph", "**Recommendation**", "**Executive Summary**", "**Key Findings**", "**Areas of Strong Consensus**", "**Areas of Disagreement or Nuance**",
			"**Novel Insights**", "**Remaining Open Questions**", "**Methodology Note**",
		},
		"continue":       {"only when"},
		agent.Support:    {"**supports**", "**qualifies**", "**contradicts**", "**unverifiable**", `"answer"`},
		agent.Validation: {"## Disputed Claims", "## Instructions", "1.", "2.", "3.", "4.", "## Output for each", "`resolved_A`", "`resolved_B`", "`still_divergent`"},
		agent.Debate:     {"## Rules of the debate", "located", "## Output", "`both`", "`neither`", "concession", "insight"},
	}
	for role, wanted := range parts {
		text, err := Text(role)
		require.NoError(t, err)
		require.Contains(t, text, "`"+agent.Marker+"`", "%s names the marker as the loop knows it", role)
		at := 0
		for _, part := range wanted {
			next := strings.Index(text[at:], part)
			require.GreaterOrEqual(t, next, 0, "%s: %q comes in its order", role, part)
			at += next
		}
	}
}

func TestUnknownPromptIsAnError(t *testing.T) {
	for _, name := range []string{"", "nothing", "../prompts", "research.md"} {
		_, err := Text(name)
		require.ErrorIs(t, err, fs.ErrNotExist, name)
	}
}
