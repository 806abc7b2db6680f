package vote_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/vote"
)

func TestRulingsAreRead(t *testing.T) {
	rulings, refused := vote.DecodeRulings(strings.NewReader(`{"claim_id": "D1", "verdict": "resolved_a", "evidence": "src/a.go:3-4", "quote": "words", "confidence": "medium"}
{"id": "C7", "verdict": "still_divergent"}
{"claim_id": "D2", "verdict": "A"}
{"verdict": "resolved_B"}
`), "codex", "openai")
	require.Equal(t, []vote.Ruling{
		{ID: "D1", Seat: "codex", Family: "openai", Verdict: "resolved_A", Evidence: "src/a.go:3-4", Quote: "words", Confidence: claim.Medium},
		{ID: "C7", Seat: "codex", Family: "openai", Verdict: "still_divergent", Confidence: claim.Low},
	}, rulings)
	require.Len(t, refused, 2)
}

// disputed has one conflict: openai says C1, google says C2.
func disputed() claim.Registry {
	return claim.Registry{
		Entries:   []claim.Entry{located("C1", "openai"), located("C2", "google")},
		Conflicts: []claim.Conflict{{ID: "D1", A: "C1", B: "C2", Severity: claim.P1, Status: claim.Open}},
	}
}

func TestNewEvidenceSettlesAConflict(t *testing.T) {
	rule := func(family, verdict string) vote.Ruling {
		return vote.Ruling{ID: "D1", Seat: family, Family: family, Verdict: verdict, Evidence: "https://e.org", Quote: "words of " + family, Confidence: claim.High}
	}
	for _, c := range []struct {
		name    string
		rulings []vote.Ruling
		found   bool
		status  string
		says    string
	}{
		{"nobody ruled", nil, true, "open", ""},
		{"a third family, located", []vote.Ruling{rule("anthropic", "resolved_B")}, true, "resolved_B", "anthropic is for C2 (High): https://e.org, “words of anthropic”"},
		{"the same, not located", []vote.Ruling{rule("anthropic", "resolved_B")}, false, "still_divergent", "anthropic is for C2, on a quotation that was not found"},
		{"for its own claim", []vote.Ruling{rule("openai", "resolved_A")}, true, "still_divergent", "openai is for C1, its own claim"},
		{"against its own claim", []vote.Ruling{rule("openai", "resolved_B")}, true, "resolved_B", ""},
		{"each against the other: nobody wins his own case", []vote.Ruling{rule("openai", "resolved_A"), rule("google", "resolved_B")}, true, "still_divergent", ""},
		{"one against one", []vote.Ruling{rule("anthropic", "resolved_A"), rule("xai", "resolved_B")}, true, "still_divergent", ""},
		{"one decides, one cannot", []vote.Ruling{rule("anthropic", "resolved_A"), rule("xai", "still_divergent")}, true, "resolved_A", "xai cannot decide"},
		{"one family twice is one voice", []vote.Ruling{rule("anthropic", "resolved_A"), rule("anthropic", "resolved_A"), rule("xai", "resolved_B")}, true, "still_divergent", ""},
		{"a ruling on something else", []vote.Ruling{{ID: "D9", Family: "xai", Verdict: "resolved_A"}}, true, "open", ""},
	} {
		reg := disputed()
		got := vote.ApplyRulings(reg, c.rulings, func(vote.Ruling) bool { return c.found })
		require.Equal(t, c.status, got[0].Status, c.name)
		require.Contains(t, got[0].Resolution, c.says, c.name)
		require.Equal(t, claim.Open, reg.Conflicts[0].Status, "what was given stays as it was")
	}
}

func TestASettledConflictIsNotOpenedAgain(t *testing.T) {
	reg := disputed()
	reg.Conflicts[0].Status = claim.ResolvedA
	got := vote.ApplyRulings(reg, []vote.Ruling{{ID: "D1", Family: "xai", Verdict: "resolved_B"}}, func(vote.Ruling) bool { return true })
	require.Equal(t, reg.Conflicts, got)
}

func TestARulingsEvidenceIsAClaimLikeAnyOther(t *testing.T) {
	d, ok := vote.Ruling{ID: "D1", Seat: "s", Family: "f", Evidence: "https://e.org", Quote: "it is 12 %", Confidence: claim.High}.Draft()
	require.True(t, ok)
	require.Equal(t, claim.Draft{Text: "On D1: it is 12 %", Quote: "it is 12 %", Source: "https://e.org", Confidence: claim.High, Seat: "s", Family: "f", Round: "validation"}, d)
	_, ok = vote.Ruling{ID: "D1", Verdict: "still_divergent"}.Draft()
	require.False(t, ok)
}

func TestTheDocketShowsAllPassagesOfBothSides(t *testing.T) {
	reg := groups()
	reg.Entries[4].Location = claim.Location{State: claim.NotFound}
	reg.Conflicts[0].Detail, reg.Conflicts[0].Settle = "20 against 30", "the release notes"
	reg.Conflicts[0].Kind = claim.ByFact
	torn := located("C6", "openai")
	torn.Support = &claim.Support{Verdict: claim.Undecided, Votes: []claim.Vote{{Family: "google", Answer: claim.Supports, Reason: "it does"}, {Family: "xai", Answer: claim.Contradicts, Reason: "it does not"}}}
	reg.Entries = append(reg.Entries, torn)
	reg.Conflicts = append(reg.Conflicts, claim.Conflict{ID: "D2", A: "C1", B: "C9", Severity: claim.P0})
	reg.Relations = []relation.Relation{{A: "C6", B: "C2", Kind: relation.Narrower}, {A: "C3", B: "C1", Kind: relation.Wider}, {A: "C6", B: "C4", Kind: relation.Overlaps}}
	text := vote.DocketPaper(reg, claim.Docket(reg), []scope.Question{{ID: "Q3", Text: "Which one?"}})
	for _, part := range []string{
		"### Side B: C9\n\nC9 is not in the registry.", "> 20 against 30", "### Side A: C1, C3\n", "> Passage of C1.", "> Passage of C3.",
		"### Side B: C2, C4, C5\n", "> Passage of C2.", "> https://example.org/C2", "> Passage of C4.", "Quotation (not-found)", "What would settle it:\n\n> the release notes",
		"A judge of google says of it supports:\n\n> it does\n", "A judge of xai says of it contradicts:\n\n> it does not\n", "> Which one?",
		"A part of this, or this and more, says C6, claimed by openai, which is on no side of this point:\n\n> Claim C6.\n",
	} {
		require.Contains(t, text, part)
	}
	require.Equal(t, 1, strings.Count(text, "which is on no side of this point"))
	place := 0
	for _, heading := range []string{"## D2 (P0", "## D1 (P1, fact)", "## C6 (minor", "## Q3 (a question without an answer"} {
		at := strings.Index(text, heading)
		require.Greater(t, at, place, heading)
		place = at
	}
}

// What was disputed is told with who says why, and how it ended; what is only possible
// is called so.
func TestThePaperOfAllDisputesSaysWhyAndHowTheyEnded(t *testing.T) {
	reg := groups()
	reg.Entries = append(reg.Entries, located("C6", "openai"), located("C7", "google"))
	reg.Relations = []relation.Relation{
		{A: "C3", B: "C4", Kind: relation.Contradicts, Dispute: relation.Fact, Words: "20 / 30", Voices: []relation.Voice{{Family: "xai", Kind: relation.Contradicts, Words: "20 ms / 30 ms"}, {Family: "zhipu", Kind: relation.Contradicts}}},
		{A: "C5", B: "C6", Kind: relation.Condition, Condition: "before and since version 2", Voices: []relation.Voice{{Family: "google", Kind: relation.Condition, Words: "v1 / v2"}}},
	}
	reg.Conflicts[0].Status, reg.Conflicts[0].Resolution, reg.Conflicts[0].Settle = claim.ResolvedA, "By validation: glm is for C1 (High).", "the release notes"
	reg.Conflicts = append(reg.Conflicts, claim.Conflict{ID: "D2", A: "C6", B: "C7", Possible: true}, claim.Conflict{ID: "D3", A: "C1", B: "C7", Status: claim.Dismissed})
	text := vote.DisputesPaper(reg, nil, nil)
	for _, part := range []string{
		"# Disputes\n", "## D1 (P1, fact): settled: A (C1) holds\n", "### Side A: C1, C3\n", "> Passage of C3.", "> https://example.org/C2",
		"A judge of xai who has compared both says contradicts, which hangs on:\n\n> 20 ms / 30 ms\n", "A judge of zhipu who has compared both says contradicts, which hangs on:\n\n> words it does not name\n",
		"What would settle it:\n\n> the release notes\n", "> By validation: glm is for C1 (High).\n",
		"## D2 (", "a possible conflict: no two families have agreed on it): open",
		"## C5 and C6 (no conflict: each holds under its own condition)\n", "The condition:\n\n> before and since version 2\n", "A judge of google who has compared both says condition, which hangs on:\n\n> v1 / v2\n",
	} {
		require.Contains(t, text, part)
	}
	require.NotContains(t, text, "D3", "what turned out to be none is none")
	require.Empty(t, vote.DisputesPaper(claim.Registry{Entries: reg.Entries}, nil, nil))
}

func TestAFamilyDoesNotRuleForItsOwnGroup(t *testing.T) {
	reg := groups()
	always := func(vote.Ruling) bool { return true }
	by := func(family, verdict string) []vote.Ruling {
		return []vote.Ruling{{ID: "D1", Seat: family, Family: family, Verdict: verdict, Evidence: "https://e.org", Quote: "words"}}
	}
	require.Equal(t, claim.StillDivergent, vote.ApplyRulings(reg, by("mistral", claim.ResolvedB), always)[0].Status, "it has claimed C5, which is of the side of C2")
	require.Equal(t, claim.ResolvedA, vote.ApplyRulings(reg, by("mistral", claim.ResolvedA), always)[0].Status)
	require.Equal(t, claim.ResolvedB, vote.ApplyRulings(reg, by("zhipu", claim.ResolvedB), always)[0].Status)
}

func TestWhatAnswersAQuestionSaysWhich(t *testing.T) {
	rulings, refused := vote.DecodeRulings(strings.NewReader(`{"claim_id":"Q2","verdict":"resolved_A","evidence":"a.md:1","quote":"It is this one."}`), "s", "f")
	require.Empty(t, refused)
	d, ok := rulings[0].Draft()
	require.True(t, ok)
	require.Equal(t, []string{"Q2"}, d.Questions)
}
