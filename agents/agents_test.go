package agents

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func all(t *testing.T) map[string]Agent {
	t.Helper()
	list, err := All()
	require.NoError(t, err)
	named := map[string]Agent{}
	for _, a := range list {
		require.NotEmpty(t, a.Description, a.Name)
		require.NotContains(t, a.Prompt, "\nmodel:", a.Name)
		named[a.Name] = a
	}
	require.Len(t, named, len(list), "each has a name of its own")
	return named
}

// What a subagent has to deliver, its tools allow.
func TestToolsAllowWhatIsPromised(t *testing.T) {
	const session, headless = "mcp__plugin_research-council_desk", "mcp__desk"
	for name, want := range map[string]struct {
		model         string
		needs, denied []string
	}{
		"researcher":       {"sonnet", []string{"WebSearch", "WebFetch", "Read", "Grep", "Glob", session, headless}, []string{"Bash", "Write", "Edit"}},
		"repo-analyst":     {"sonnet", []string{"Read", "Grep", "Glob", session, headless}, []string{"Bash", "Write", "Edit", "WebFetch"}},
		"latex-compiler":   {"sonnet", []string{"Bash", "Read", "Edit"}, []string{"Write", "WebFetch"}},
		"plan-architect":   {"opus", []string{"Read", "Grep", "Glob"}, []string{"Bash", "Write", "Edit", "WebFetch"}},
		"plan-critic":      {"opus", []string{"Read", "Grep", "Glob"}, []string{"Bash", "Write", "Edit", "WebFetch"}},
		"autonomous-coder": {"opus", []string{"Read", "Write", "Edit", "Bash", "Grep", "Glob"}, []string{"WebFetch", "Agent"}},
	} {
		a, ok := all(t)[name]
		require.True(t, ok, name)
		require.Equal(t, want.model, a.Model, name)
		require.Subset(t, a.Tools, want.needs, name)
		for _, tool := range want.denied {
			require.False(t, slices.Contains(a.Tools, tool), "%s has no use for %s", name, tool)
		}
	}
}

// Who reviews code reads it, writes one answer, and can do nothing else: it
// reads what strangers wrote.
func TestReviewersOfCodeReadAndWriteTheirAnswerAlone(t *testing.T) {
	for _, name := range []string{"discovery", "bug-hunter", "security-auditor", "error-inspector", "performance-detector", "stack-reviewer"} {
		a, ok := all(t)[name]
		require.True(t, ok, name)
		require.Equal(t, []string{"Read", "Grep", "Glob", "Write"}, a.Tools, name)
		require.Contains(t, a.Prompt, "write your answer file alone", name)
	}
}

func TestOneThatNamesNoToolsHasThemAll(t *testing.T) {
	require.Nil(t, all(t)["validator"].Tools)
	require.Equal(t, []string{"Read", "Grep", "Glob"}, all(t)["council-reader"].Tools)
}
