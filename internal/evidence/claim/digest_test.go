package claim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
)

func digestRegistry(n int) claim.Registry {
	var reg claim.Registry
	for i := range n {
		reg.Entries = append(reg.Entries, claim.Entry{
			ID: fmt.Sprintf("C%d", i+1), Text: fmt.Sprintf("Statement %d about the log holds.", i+1), Quote: fmt.Sprintf("the words of line %d", i+1),
			Source: fmt.Sprintf("raft/log.go:%d", i+1), Key: "file:raft/log.go", Seats: []string{"one"}, Families: []string{"a"},
			Questions: []string{"Q2"}, Location: claim.Location{State: claim.Located},
		})
	}
	return reg
}

func TestADigestSaysWhatAModelNeedsOfARegistry(t *testing.T) {
	reg := digestRegistry(4)
	reg.Entries[3].Critical, reg.Entries[3].Questions = true, []string{"Q3"}
	reg.Entries[2].Location = claim.Location{State: claim.NotFound, Reason: "the source does not hold these words"}
	reg.Entries[1].Seats, reg.Entries[1].Families = []string{"two"}, []string{"b"}
	reg.Entries[1].Support = &claim.Support{Verdict: claim.Qualifies, Reason: "the passage speaks of 2019 alone", Votes: []claim.Vote{{Seat: "x", Family: "c", Answer: claim.Qualifies}}}
	reg.Groups = []claim.Group{{ID: "C1", Members: []string{"C1", "C2"}, Seats: []string{"one", "two"}, Families: []string{"a", "b"}, Agreed: true}}
	reg.Conflicts = []claim.Conflict{{ID: "D1", A: "C1", B: "C4", Detail: "number: 3 against 5", Status: claim.Open}, {ID: "D2", A: "C1", B: "C3", Status: claim.ResolvedA}}
	got := string(claim.Digest(reg, claim.DigestLimit))
	require.Equal(t, `# Claims

4 recorded; quotations located 3, not found 1, not checked 0. Below an id stand its state, what judges say of its passage, who holds it, and which questions it answers; then the claim, its quotation, its source; under it what else is claimed of the same lines.

## Open conflicts

- D1: C1, C2 against C4: number: 3 against 5

## What is claimed

- **C4** (located; one; Q3; critical) Statement 4 about the log holds.
  “the words of line 4” raft/log.go:4
- **C1** (located; one; Q2) Statement 1 about the log holds.
  “the words of line 1” raft/log.go:1
  - the same: C2 (located; qualifies: the passage speaks of 2019 alone; two; Q2)
- **C3** (not-found, the source does not hold these words; one; Q2) Statement 3 about the log holds.
  “the words of line 3” raft/log.go:3
`, got)
}

func TestADigestQuotesLinesOnce(t *testing.T) {
	reg := digestRegistry(5)
	reg.Groups = []claim.Group{{ID: "C4", Members: []string{"C4", "C5"}, Agreed: true}}
	at := func(i, start, end int, text string) {
		reg.Entries[i].Location = claim.Location{State: claim.Located, Start: start, End: end, Text: text}
	}
	at(0, 100, 180, "one")
	at(1, 120, 150, "another") // the same place of another text
	at(2, 150, 230, "one")     // shares a part alone
	at(3, 110, 180, "one")
	_, claims, _ := strings.Cut(string(claim.Digest(reg, claim.DigestLimit)), "What is claimed\n\n")
	require.Equal(t, `- **C1** (located; one; Q2) Statement 1 about the log holds.
  “the words of line 1” raft/log.go:1
  - of the same lines: **C4** (located; one; Q2) Statement 4 about the log holds.
    - the same: C5 (located; one; Q2)
- **C2** (located; one; Q2) Statement 2 about the log holds.
  “the words of line 2” raft/log.go:2
- **C3** (located; one; Q2) Statement 3 about the log holds.
  “the words of line 3” raft/log.go:3
`, claims)
}

func TestADigestKeepsToItsLimitAndNamesTheRest(t *testing.T) {
	reg := digestRegistry(5000)
	got := string(claim.Digest(reg, claim.DigestLimit))
	require.LessOrEqual(t, len(got), claim.DigestLimit)
	require.Greater(t, len(got), claim.DigestLimit*9/10)
	require.Contains(t, got, "more claims stand in the registry: C")
	require.True(t, strings.HasSuffix(got, "The tool `list_claims` shows them by id, question or words.\n"))
}

func TestADigestTellsInShortWhatItHasNoRoomFor(t *testing.T) {
	reg := digestRegistry(12)
	reg.Groups = []claim.Group{{ID: "C11", Members: []string{"C11", "C12"}, Agreed: true}}
	reg.Entries[9].Kind, reg.Entries[9].Text, reg.Entries[9].Location = claim.Recommendation, "Take the first.", claim.Location{State: claim.Reasoned}
	for i := range 9 {
		reg.Entries[i].Quote = strings.Repeat("long ", 60)
	}
	got := string(claim.Digest(reg, 3500))
	require.LessOrEqual(t, len(got), 3500)
	require.Contains(t, got, "\n\nThe others in short; the tool `list_claims` gives their quotations by id:\n\n- **C")
	require.True(t, strings.HasSuffix(got, "- **C10** (reasoned) Take the first.\n"), got)
	require.Contains(t, got, "**C11** (located; the same: C12)")
	for i := range 12 {
		require.Contains(t, got, fmt.Sprintf("C%d", i+1))
	}
	require.NotContains(t, got, "more claims stand in the registry")
}

func TestADigestOfAnyRegistryKeepsToItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var reg claim.Registry
		for i := range rapid.IntRange(0, 40).Draw(t, "claims") {
			reg.Entries = append(reg.Entries, claim.Entry{
				ID: fmt.Sprintf("C%d", i+1), Text: rapid.String().Draw(t, "text"), Quote: rapid.String().Draw(t, "quote"), Source: rapid.String().Draw(t, "source"),
				Location: claim.Location{State: claim.State(rapid.SampledFrom([]string{"located", "not-found", "unchecked", ""}).Draw(t, "state")), Reason: rapid.String().Draw(t, "reason")},
			})
			reg.Conflicts = append(reg.Conflicts, claim.Conflict{ID: "D1", A: "C1", B: "C2", Detail: rapid.String().Draw(t, "detail")})
		}
		limit := rapid.IntRange(1500, 20000).Draw(t, "limit")
		got := string(claim.Digest(reg, limit))
		require.LessOrEqual(t, len(got), limit)
		require.NotContains(t, got, "\x1b")
	})
}

func TestADigestTellsWhatHoldsInsteadOfAWithdrawnClaim(t *testing.T) {
	reg := digestRegistry(4)
	reg.Entries[0].Location.State, reg.Entries[0].Withdrawn = claim.Withdrawn, []claim.Withdrawal{{Seat: "one", Reason: "too wide", ReplacedBy: "C3"}}
	reg.Entries[1].Location.State = claim.Withdrawn
	require.Contains(t, string(claim.Digest(reg, claim.DigestLimit)), "Withdrawn, and not to be cited: C1 (now C3) C2.\n")
	reg.Entries[2].Location.State, reg.Entries[2].Withdrawn = claim.Withdrawn, []claim.Withdrawal{{Seat: "one", Reason: "still too wide", ReplacedBy: "C4"}}
	require.Contains(t, string(claim.Digest(reg, claim.DigestLimit)), "Withdrawn, and not to be cited: C1 (now C4) C2 C3 (now C4).\n", "what holds in the end")
}

func TestADigestTellsSidesAndConditions(t *testing.T) {
	r := claim.Registry{
		Groups:    []claim.Group{{ID: "C1", Members: []string{"C1", "C3"}}},
		Conflicts: []claim.Conflict{{ID: "D1", A: "C1", B: "C2", Status: claim.Open, Detail: "3 / 5"}, {ID: "D2", A: "C2", B: "C4", Possible: true}, {ID: "D3", A: "C1", B: "C4", Status: claim.Dismissed}},
		Relations: []relation.Relation{{A: "C2", B: "C4", Kind: relation.Condition, Condition: "with and without quorum"}, {A: "C1", B: "C4", Kind: relation.Unrelated}},
	}
	for i := range 4 {
		r.Entries = append(r.Entries, claim.Entry{ID: fmt.Sprint("C", i+1), Text: "It is so.", Location: claim.Location{State: claim.Located}})
	}
	text := string(claim.Digest(r, claim.DigestLimit))
	require.Contains(t, text, "## Open conflicts\n\n- D1: C1, C3 against C2: 3 / 5\n- D2: possibly, C2 against C4\n\n## No conflicts: each holds under its condition\n\n- C2 and C4: with and without quorum\n\n## What")
}
