package panel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// voiced is a reviewer for each issue.
func voiced(issues ...Issue) []Opinion {
	var list []Opinion
	for i, is := range issues {
		list = append(list, Opinion{Agent: fmt.Sprint("R", i), Family: fmt.Sprint("f", i), Last: says(NeedsRevision, is)})
	}
	return list
}

func TestIssuesThatMeanOneThingAreOnePoint(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b Issue
	}{
		{"the same words", Issue{Section: "Costs", Issue: "The price is too old."}, Issue{Section: "Costs", Issue: "the price is  too old."}},
		{
			"other words for one lack, with other first letters",
			Issue{Section: "Costs", Issue: "There is no source for the maintenance price."},
			Issue{Section: "Costs", Issue: "Maintenance prices lack a source."},
		},
		{
			"one says more than the other",
			Issue{Section: "Costs", Issue: "The maintenance price of 2023 is outdated by now."},
			Issue{Section: "Costs", Issue: "Outdated maintenance price"},
		},
		{"one claim, whatever is said of it", Issue{Section: "Costs", Claims: []string{"C4"}, Issue: "It is outdated."}, Issue{Section: "Costs", Claims: []string{"C4"}, Issue: "Nobody can follow this sentence."}},
		{"a claim named in the words alone", Issue{Section: "Costs", Claims: []string{"C4"}, Issue: "It is outdated."}, Issue{Section: "Costs", Issue: "Nobody can follow [C4]."}},
		{"a heading with its number and marks", Issue{Section: "## 2.1 Running **costs**:", Issue: "The price is too old."}, Issue{Section: "running costs", Issue: "The price is too old."}},
		{"the word section around it", Issue{Section: `the "Running costs" section`, Issue: "The price is too old."}, Issue{Section: "Section 4: Running Costs", Issue: "The price is too old."}},
		{"the whole report", Issue{Issue: "The price is too old."}, Issue{Section: "  ", Issue: "The price is too old."}},
		{"a heading that is only its number", Issue{Section: "Section 2.1", Issue: "The price is too old."}, Issue{Section: "the 2.1. section", Issue: "The price is too old."}},
		{"another script", Issue{Section: "费用", Issue: "价格已经过时"}, Issue{Section: "费用", Issue: "价格过时"}},
	} {
		points := Conclude(voiced(c.a, c.b), Evidence{}).Points
		require.Len(t, points, 1, c.name)
		require.Equal(t, 2, points[0].Reviewers, c.name)
	}
}

func TestIssuesThatMeanTwoThingsStayTwo(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b Issue
	}{
		{"other parts of the report", Issue{Section: "Costs", Issue: "The price is too old."}, Issue{Section: "Risks", Issue: "The price is too old."}},
		{
			"the same first letters",
			Issue{Section: "Costs", Issue: "The statement about the running costs of the pump rests on an advertisement."},
			Issue{Section: "Costs", Issue: "The statement about warranty was left out though the plan asks for it."},
		},
		{"the same words about other claims", Issue{Section: "Costs", Claims: []string{"C1"}, Issue: "The passage does not support it."}, Issue{Section: "Costs", Claims: []string{"C2"}, Issue: "The passage does not support it."}},
		{"other numbers", Issue{Section: "Costs", Issue: "The maintenance price should be 120 euros."}, Issue{Section: "Costs", Issue: "The maintenance price should be 210 euros."}},
		{"one denies what the other says", Issue{Section: "Costs", Issue: "The cost table should be kept."}, Issue{Section: "Costs", Issue: "The cost table should not be kept."}},
		{"one common word", Issue{Section: "Costs", Issue: "The price of installation is exaggerated."}, Issue{Section: "Costs", Issue: "Warranty and price contradict one another."}},
		{"headings that differ by a word", Issue{Section: "Costs of heat pumps", Issue: "The price is too old."}, Issue{Section: "Costs of boilers", Issue: "The price is too old."}},
		{"headings that are only numbers", Issue{Section: "Section 2.1", Issue: "The price is too old."}, Issue{Section: "3.1", Issue: "The price is too old."}},
		{"a part and its chapter", Issue{Section: "2.1", Issue: "The price is too old."}, Issue{Section: "Chapter 1", Issue: "The price is too old."}},
	} {
		require.Len(t, Conclude(voiced(c.a, c.b), Evidence{}).Points, 2, c.name)
	}
}

func TestAnIssueWithoutClaimsDoesNotTieClaimsTogether(t *testing.T) {
	points := Conclude(voiced(
		Issue{Section: "Costs", Claims: []string{"C1"}, Issue: "The passage does not support the price."},
		Issue{Section: "Costs", Claims: []string{"C2"}, Issue: "The passage does not support the price."},
		Issue{Section: "Costs", Issue: "The passages do not support the prices."},
	), Evidence{}).Points
	require.Len(t, points, 2)
	require.Equal(t, []string{"C1"}, points[0].Claims)
	require.Equal(t, 2, points[0].Reviewers)
	require.Equal(t, []string{"C2"}, points[1].Claims)
}

func TestAPointHoldsAllThatWasSaid(t *testing.T) {
	points := Conclude(voiced(
		Issue{Section: "2. Costs", Claims: []string{"C10", "[C2]"}, Issue: "It is outdated.", Fix: "Take the price of 2026.", Severity: Minor},
		Issue{Section: "Costs", Claims: []string{"c2"}, Issue: "Nobody can follow this.", Fix: "Say it in two sentences.", Severity: Critical},
		Issue{Section: "COSTS", Claims: []string{"C10"}, Issue: "it is outdated.", Fix: "take the price of 2026."},
	), Evidence{}).Points
	require.Equal(t, []RevisionPoint{{
		Section: "COSTS", Claims: []string{"C2", "C10"}, Issues: []string{"Nobody can follow this.", "It is outdated."},
		Fixes: []string{"Say it in two sentences.", "Take the price of 2026."}, Severity: Critical, Reviewers: 3,
	}}, points)
}

func TestTheGravestComesFirst(t *testing.T) {
	points := Conclude([]Opinion{
		{Agent: "R1", Last: says(NeedsRevision,
			Issue{Section: "B", Issue: "one alone says it", Severity: Minor},
			Issue{Section: "C", Issue: "two say so", Severity: Minor},
			Issue{Section: "A", Issue: "nobody says how grave", Severity: ""},
			Issue{Section: "Z", Issue: "this is grave", Severity: Critical},
			Issue{Section: "A", Issue: "something smaller", Severity: Minor})},
		{Agent: "R2", Last: says(NeedsRevision, Issue{Section: "C", Issue: "two say so", Severity: Minor}, Issue{Section: "Y", Issue: "rather grave", Severity: Major})},
	}, Evidence{}).Points
	var order []string
	for _, p := range points {
		order = append(order, p.Section+" "+p.Severity)
	}
	require.Equal(t, []string{"Z critical", "Y major", "C minor", "A minor", "B minor", "A "}, order)
}

func TestNoIssueIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := opinions(t)
		r := Conclude(list, Evidence{})
		reviewers := 0
		for i, o := range list {
			b := o.vote()
			if b.review == nil {
				continue
			}
			for _, is := range b.review.Issues {
				text := plainLine(is.Issue)
				if text == "" {
					continue
				}
				reviewers = max(reviewers, i+1)
				holds := func(p RevisionPoint) bool {
					return sectionKey(p.Section) == sectionKey(is.Section) && slices.ContainsFunc(p.Issues, func(s string) bool { return compareKey(s) == compareKey(text) }) &&
						rank(p.Severity) >= rank(is.Severity) && len(shares(p.Claims, claimsOf(is))) == len(claimsOf(is)) &&
						(plainLine(is.Fix) == "" || slices.ContainsFunc(p.Fixes, func(s string) bool { return compareKey(s) == compareKey(plainLine(is.Fix)) }))
				}
				require.True(t, slices.ContainsFunc(r.Points, holds), "%+v in %+v", is, r.Points)
			}
		}
		for _, p := range r.Points {
			require.NotEmpty(t, p.Issues)
			require.LessOrEqual(t, p.Reviewers, r.Valid)
			require.Positive(t, p.Reviewers)
		}
	})
}

func shares(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(b), func(s string) bool { return !slices.Contains(a, s) })
}

func TestSections(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"##", ""},
		{"Costs", "costs"},
		{"3", "3"},
		{"§ 3 Costs", "costs"},
		{"Section", "section"},
		{"The Section", "section"},
		{"2024 results", "2024 results"},
		{"ＣＯＳＴＳ", "costs"},
		{"4.2.1) Running-costs!", "running costs"},
	} {
		require.Equal(t, c.want, sectionKey(c.in), c.in)
	}
}

func BenchmarkUnify(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		for _, kind := range []string{"claims", "words"} {
			b.Run(fmt.Sprintf("%s-%d", kind, n), func(b *testing.B) {
				r := &Review{Verdict: NeedsRevision}
				for i := range n {
					is := Issue{Section: "Costs", Issue: fmt.Sprintf("The price of part %d, type %d, of the pump is outdated since %s", i, i%97, strings.Repeat("x", i%7))}
					if kind == "claims" {
						is.Claims = []string{fmt.Sprint("C", 1+i%1000)}
					}
					r.Issues = append(r.Issues, is)
				}
				for b.Loop() {
					Conclude([]Opinion{{Agent: "A", First: r}, {Agent: "B", First: r}}, Evidence{})
				}
			})
		}
	}
}
