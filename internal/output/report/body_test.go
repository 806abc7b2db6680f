package report_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/output/report"
)

// linkTarget is what of a link nobody reads.
var linkTarget = regexp.MustCompile(`\]\([^)\s]*(?: "[^"]*")?\)`)

// body is what stands before the line, and how many words that has.
func body(t require.TestingT, rendered []byte) (text string, count int) {
	text, _, found := strings.Cut(string(rendered), "\n---\n")
	require.True(t, found)
	return text, words.Count(linkTarget.ReplaceAllString(text, "]"))
}

// anyWords draws a text of so many words at most, some without blanks between them.
func anyWords(most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		word := rapid.SampledFrom([]string{"bbolt ", "durability ", "同步写入", "الكتابة ", "C58 ", "a|b "}).Draw(t, "word")
		return strings.TrimSpace(strings.Repeat(word, rapid.IntRange(0, most).Draw(t, "words")))
	})
}

// anyRun draws a run of any size, with a synthesis or without.
func anyRun() *rapid.Generator[report.Final] {
	return rapid.Custom(func(t *rapid.T) report.Final {
		f := final("")
		n := rapid.SampledFrom([]int{0, 1, 7, 40, 200}).Draw(t, "claims")
		f.Registry = claim.Registry{}
		id := func(name string) string { return fmt.Sprintf("C%d", rapid.IntRange(1, max(n, 1)).Draw(t, name)) }
		states := []claim.State{claim.Located, claim.NotFound, claim.Unchecked, claim.Withdrawn, claim.Unfounded}
		for i := range n {
			e := entry(fmt.Sprintf("C%d", i+1), anyWords(200).Draw(t, "text"), anyWords(200).Draw(t, "quote"), fmt.Sprintf("a%d.md", i%30), claim.Location{}, "alpha")
			e.Kind = rapid.SampledFrom([]claim.Kind{claim.Fact, claim.Fact, claim.Inference, claim.Recommendation}).Draw(t, "kind")
			e.Location.State, e.Location.Reason = rapid.SampledFrom(states).Draw(t, "state"), anyWords(100).Draw(t, "reason")
			if e.Kind.RestsOnClaims() && e.Location.State == claim.Located {
				e.Location.State = claim.Reasoned
			}
			if e.Kind.RestsOnClaims() && i > 0 {
				e.RestsOn = []string{"C1"}
			}
			e.Questions = []string{fmt.Sprintf("Q%d", rapid.IntRange(1, 12).Draw(t, "question"))}
			f.Registry.Entries = append(f.Registry.Entries, e)
		}
		for i := range rapid.SampledFrom([]int{0, 1, 5, 80}).Draw(t, "conflicts") {
			f.Registry.Conflicts = append(f.Registry.Conflicts, claim.Conflict{
				ID: fmt.Sprintf("D%d", i+1), A: id("a"), B: id("b"), Kind: claim.ByScope, Answers: rapid.Bool().Draw(t, "answers"), Possible: rapid.Bool().Draw(t, "possible"),
				Severity: rapid.SampledFrom([]claim.Severity{claim.P0, claim.P1, claim.Minor, ""}).Draw(t, "severity"), Detail: anyWords(100).Draw(t, "detail"), Settle: anyWords(100).Draw(t, "settle"),
				Status: rapid.SampledFrom([]string{claim.Open, claim.ResolvedA, claim.Dismissed, claim.StillDivergent}).Draw(t, "status"), Resolution: anyWords(200).Draw(t, "resolution"),
			})
			f.Registry.Relations = append(f.Registry.Relations, relation.Relation{A: id("one"), B: id("other"), Kind: relation.Condition, Condition: anyWords(100).Draw(t, "condition")})
		}
		f.Plan = scope.Plan{Mode: scope.Decision}
		for i := range 12 {
			f.Plan.Questions = append(f.Plan.Questions, scope.Question{ID: fmt.Sprintf("Q%d", i+1), Text: anyWords(100).Draw(t, "asked")})
		}
		if rapid.Bool().Draw(t, "a synthesis") {
			cited := fmt.Sprintf(" [%s] [%s].\n", id("cited"), id("cited too"))
			f.Draft = []byte("## Recommendation\n\n" + anyWords(300).Draw(t, "advice") + cited + "\n## Executive Summary\n\nSo it is." + cited + "\n## Key Findings\n\n" + strings.Repeat("word ", rapid.IntRange(0, 4000).Draw(t, "finding")) + cited)
		}
		f.Review = "Approved by 2 of 3 reviewers.\n\n" + anyWords(3000).Draw(t, "review")
		return f
	})
}

// However much there is, what stands before the line is read in ten minutes, and what
// is left out there stands behind it.
func TestTheBodyOfAReportIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyRun().Draw(t, "run")
		rendered := report.Render(f)
		text, count := body(t, rendered)
		require.LessOrEqual(t, count, report.MaxBodyWords, text)
		for _, title := range []string{"What the Researchers Recommend", "Further Disputes", "Further Rejected Claims"} {
			require.Equal(t, strings.Contains(text, title), strings.Contains(string(rendered), "\n## "+title+"\n"), "%s in:\n%s", title, rendered)
		}
		require.NotRegexp(t, `(?m)^##+ .*\n\n(?:##|---)`, string(rendered), "a heading without content")
		for _, e := range f.Registry.Entries {
			require.LessOrEqual(t, strings.Count(string(rendered), "\n- "+e.ID+", said by"), 1, "a rejected claim stands once")
		}
	})
}

// A paragraph beyond all bounds takes no room from the program.
func TestALongParagraphStandsBelow(t *testing.T) {
	f := judged()
	f.Draft = []byte("## Key Findings\n\n" + strings.Repeat("word ", 3*report.MaxBodyWords) + "[C1].\n")
	text, count := body(t, report.Render(f))
	require.LessOrEqual(t, count, report.MaxBodyWords)
	require.Contains(t, text, "### D2")
	require.NotContains(t, text, "## Key Findings")
}
