package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/output/report"
)

// advised is a draft with a recommendation and a finding.
func advised(recommendation string) report.Final {
	f := judged()
	f.Draft = []byte("## Recommendation\n\n" + recommendation + "\n\n## Executive Summary\n\nCaches age [C1].\n\n## Key Findings\n\nThe first finding [C1].\n")
	return f
}

// However long a recommendation is, its first sentences stand on top, findings come soon,
// and the rest follows behind them: all of it, once.
func TestALongRecommendationLeavesRoomForTheFindings(t *testing.T) {
	long := func(n int) string {
		return fmt.Sprintf("Sentence %d says of the cache in v1.%d. that it ages and ages and ages [C1].", n, n)
	}
	var many []string
	for n := range 30 {
		many = append(many, long(n))
	}
	paragraph, list := strings.Join(many, " "), "- "+strings.Join(many, "\n- ")
	for name, text := range map[string]string{
		"one paragraph": paragraph, "lines of a paragraph": strings.Join(many, "\n"), "paragraphs": strings.Join(many, "\n\n"), "a list": list,
		"a paragraph and a list": "Empty the cache [C1].\n\n" + list, "sections of its own": "Empty the cache [C1].\n\n### Why\n\n" + list,
		"a bold beginning": "**Empty the cache. Do it daily.** " + paragraph,
	} {
		t.Run(name, func(t *testing.T) {
			got := string(report.Render(advised(text)))
			top, rest := section(t, []byte(got), "Recommendation"), section(t, []byte(got), "Recommendation, Continued")
			require.Less(t, strings.Index(got, "## Key Findings"), strings.Index(got, "## Recommendation, Continued"))
			require.Less(t, strings.Index(got, "## Recommendation, Continued"), strings.Index(got, "\n---\n"))
			require.Contains(t, top, "The recommendation goes on under Recommendation, Continued.")
			said, _, _ := strings.Cut(top, "- **How sure:**")
			require.LessOrEqual(t, words.Count(linkTarget.ReplaceAllString(said, "]")), 140)
			require.Equal(t, strings.Count(top, "**")%2, 0, top)
			for n := range 30 {
				whole := fmt.Sprintf("Sentence %d says of the cache in v1.%d. that it ages and ages and ages", n, n)
				require.Equal(t, 1, strings.Count(got, whole), whole)
			}
			require.NotRegexp(t, `(?m)^\[\\\[`, rest, "a reference stays with its sentence")
		})
	}
	short := report.Render(advised("Empty the cache [C1].\n\nBut not daily."))
	require.NotContains(t, string(short), "Continued")
	whole := report.Render(advised(strings.Repeat("word ", 300) + "[C1]."))
	require.NotContains(t, string(whole), "Continued", "a sentence is not cut")
}

// Nothing that a recommendation says is lost or said twice, whatever it is made of.
func TestNothingOfARecommendationIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 0
		word := func() string { n++; return fmt.Sprintf("w%dw", n) }
		block := rapid.Custom(func(t *rapid.T) string {
			var b strings.Builder
			kind := rapid.SampledFrom([]string{"", "- ", "1. ", "> ", "### "}).Draw(t, "kind")
			b.WriteString(kind)
			for range rapid.IntRange(1, 80).Draw(t, "words") {
				b.WriteString(word() + rapid.SampledFrom([]string{" ", " ", " ", ". ", " **x.** ", " [C1]. ", " `a. b` "}).Draw(t, "behind"))
				if kind == "- " && rapid.IntRange(0, 9).Draw(t, "item") == 0 {
					b.WriteString("\n- ")
				}
			}
			return b.String()
		})
		got := string(report.Render(advised(strings.Join(rapid.SliceOfN(block, 1, 5).Draw(t, "blocks"), "\n\n"))))
		text, _, _ := strings.Cut(got, "\n---\n")
		for i := 1; i <= n; i++ {
			require.Equal(t, 1, strings.Count(text, fmt.Sprintf("w%dw", i)), "word %d in:\n%s", i, text)
		}
	})
}

// Of long lines on what is opposed one stands with the answer, the others behind the
// findings.
func TestWhatIsOpposedLeavesRoomToo(t *testing.T) {
	f := advised("Small ones [C1].")
	var list []claim.Entry
	for q := 2; q <= 4; q++ {
		for side := range 2 {
			id := fmt.Sprintf("C%d", 100+10*q+side)
			seat := []string{"alpha", "beta"}[side]
			list = append(list, claim.Entry{
				ID: id, Kind: claim.Recommendation, Text: fmt.Sprintf("Answer %s: %s.", id, strings.TrimSpace(strings.Repeat("empty it ", 30))), RestsOn: []string{"C1"},
				Seats: []string{seat}, Families: []string{seat}, Questions: []string{fmt.Sprintf("Q%d", q)}, Location: claim.Location{State: claim.Reasoned},
			})
		}
		f.Registry.Conflicts = append(f.Registry.Conflicts, claim.Conflict{ID: fmt.Sprintf("D%d", 10+q), A: fmt.Sprintf("C%d", 100+10*q), B: fmt.Sprintf("C%d", 101+10*q), Kind: claim.ByFact, Status: claim.Open, Severity: claim.P1, Answers: true})
	}
	f.Registry.Entries = append(f.Registry.Entries, list...)
	got := report.Render(f)
	top, below := section(t, got, "Recommendation"), section(t, got, "Key Findings")
	require.Equal(t, 1, strings.Count(top, "they cannot all be followed"), string(got))
	require.Equal(t, 2, strings.Count(below, "they cannot all be followed"))
	for _, e := range list {
		require.Equal(t, 1, strings.Count(listed(top)+listed(below), "Answer "+e.ID+":"), e.ID)
	}
}

// listed is what a section lists of what researchers recommend.
func listed(section string) string {
	_, list, _ := strings.Cut(section, "What the researchers recommend, and who of them:")
	return list
}

// A planned question that is too long for its line ends before a bracket it leaves open.
func TestALongQuestionIsCutBeforeAnOpenBracket(t *testing.T) {
	f := advised("Small ones [C1].")
	asked := "Should a service that logs many structured records a second from hundreds of goroutines use one JSON handler or the older logger, or neither (as they come, or with a buffer in front of the file, or behind a pipe that somebody else empties)?"
	f.Plan.Questions = []scope.Question{{ID: "Q1", Text: asked}, {ID: "Q2", Text: asked}}
	f.Registry.Entries = append(f.Registry.Entries, claim.Entry{
		ID: "C50", Kind: claim.Recommendation, Text: "Use the handler.", RestsOn: []string{"C1"}, Seats: []string{"alpha"}, Families: []string{"alpha"}, Questions: []string{"Q2"}, Location: claim.Location{State: claim.Reasoned},
	})
	require.Contains(t, string(report.Render(f)), "or the older logger, or neither …:** “Use the handler” ")
}
