package prompt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/product/codereview/finding"
)

func deepest() ReviewTurn {
	const own = "/run/seats/claude/task/"
	return ReviewTurn{
		Reviewer: "bug-hunter", Repository: "/usr/src/app", Batch: 2, Batches: 7, Files: own + "inputs/batch-2-files.txt", Discovery: own + "inputs/discovery.md",
		Plan: own + "inputs/batch-plan.md", Findings: own + "inputs/merged.jsonl", Report: own + "answer.jsonl", Open: own + "open.md",
	}
}

// What is golden is what holds for a turn; the texts of the agents before it
// are held by their own tests.
func TestGoldenTurnsOfAReview(t *testing.T) {
	for _, role := range []string{agent.Annotate, agent.Inspect, agent.Synthesize, agent.Spotcheck} {
		text, err := Review(role, deepest())
		require.NoError(t, err, role)
		at := max(strings.Index(text, "# This turn\n"), strings.Index(text, "# A second look\n"))
		require.GreaterOrEqual(t, at, 0, role)
		golden(t, role+"-deep", text[at:])
		v := deepest()
		v.Open = ""
		text, err = Review(role, v)
		require.NoError(t, err, role)
		require.NotContains(t, text, "open.md", role)
	}
}

func TestASecondLookIsToldOfItsToolOnlyWhereItHasOne(t *testing.T) {
	v := deepest()
	text, err := Review(agent.Spotcheck, v)
	require.NoError(t, err)
	require.NotContains(t, text, "run_test")
	require.Contains(t, text, "run nothing")
	v.Trials = true
	text, err = Review(agent.Spotcheck, v)
	require.NoError(t, err)
	require.Contains(t, text, "run_test")
	require.NotContains(t, text, "from the code alone")
	for _, role := range []string{agent.Annotate, agent.Inspect, agent.Synthesize} {
		text, err := Review(role, v)
		require.NoError(t, err, role)
		require.NotContains(t, text, "run_test", role)
	}
}

func TestEveryReviewerIsAskedByItsOwnText(t *testing.T) {
	seen := map[string]bool{}
	for _, reviewer := range finding.Reviewers() {
		v := deepest()
		v.Reviewer = reviewer
		text, err := Review(agent.Inspect, v)
		require.NoError(t, err, reviewer)
		who, _, _ := strings.Cut(text, "# This turn\n")
		require.NotEmpty(t, strings.TrimSpace(who), reviewer)
		require.False(t, seen[who], "%s has a text of its own", reviewer)
		seen[who] = true
		require.Contains(t, text, agent.Marker)
	}
}

func TestTheSynthesizerOfCodeIsToldNothingOfResearch(t *testing.T) {
	text, err := Review(agent.Synthesize, deepest())
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(text, "## A review of code\n"))
	require.NotContains(t, text, "AGENT_A_OUTPUT")
}

func TestWhatIsMissingIsAnError(t *testing.T) {
	v := deepest()
	v.Reviewer = "parrot"
	_, err := Review(agent.Inspect, v)
	require.ErrorContains(t, err, `no agent called "parrot"`)
	v = deepest()
	v.Files = ""
	_, err = Review(agent.Inspect, v)
	require.ErrorContains(t, err, "{files}")
	_, err = Review(agent.Research, deepest())
	require.ErrorContains(t, err, "no role of a review of code")
}
