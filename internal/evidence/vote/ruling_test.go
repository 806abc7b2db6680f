package vote_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/evidence/claim"
	"research-council/internal/evidence/vote"
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

func TestTheDocketShowsBothSidesGravestFirst(t *testing.T) {
	reg := disputed()
	reg.Conflicts = append(reg.Conflicts, claim.Conflict{ID: "D2", A: "C1", B: "C9", Severity: claim.P0}, claim.Conflict{ID: "D3", Status: claim.ResolvedB, Severity: claim.P0})
	list := vote.Disputed(reg.Conflicts, 5)
	require.Equal(t, []string{"D2", "D1"}, []string{list[0].ID, list[1].ID})
	doubted := reg.Entries[0]
	doubted.Support = &claim.Support{Verdict: "unverifiable", Reason: "the judges disagree"}
	text := vote.DisputeList(reg, list, []claim.Entry{doubted})
	require.Less(t, strings.Index(text, "## D2"), strings.Index(text, "## D1"))
	for _, part := range []string{"Side A is C1.", "Side B is C2.", "> Passage of C2.", "> https://example.org/C2", "(not in the registry)", "## C1 (a single claim", "> the judges disagree"} {
		require.Contains(t, text, part)
	}
}
