package claim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// fact is a located fact; supports, contradicts or nothing is what votes say of it.
func fact(id, verdict string) claim.Entry {
	e := claim.Entry{ID: id, Text: id, Source: "a.md:1", Key: "file:a.md", Type: claim.Code, Location: claim.Location{State: claim.Located}, Confidence: claim.High}
	if verdict != "" {
		e.Support = &claim.Support{Verdict: verdict, Votes: []claim.Vote{{Seat: "s", Family: "f", Answer: verdict}}}
	}
	return e
}

func reasoned(id string, grounds ...string) claim.Entry {
	return claim.Entry{ID: id, Kind: claim.Inference, Text: id, RestsOn: grounds}
}

func TestWhatRestsOnClaimsStandsAsLongAsOneOfThemHolds(t *testing.T) {
	for name, c := range map[string]struct {
		entries []claim.Entry // the first is asked about
		state   claim.State
		reason  string
		worth   claim.Confidence
	}{
		"a fact that holds":         {[]claim.Entry{reasoned("C1", "C2"), fact("C2", "supports")}, claim.Reasoned, "", claim.Medium},
		"a chain down to a fact":    {[]claim.Entry{reasoned("C1", "C2"), reasoned("C2", "C3"), fact("C3", "")}, claim.Reasoned, "", claim.Medium},
		"one of two is refuted":     {[]claim.Entry{reasoned("C1", "C2", "C3"), fact("C2", ""), fact("C3", "contradicts")}, claim.Reasoned, "C3 is refuted by its own passage", claim.Low},
		"the only one is refuted":   {[]claim.Entry{reasoned("C1", "C3"), fact("C3", "contradicts")}, claim.Unfounded, "C3 is refuted by its own passage", claim.Low},
		"no such claim":             {[]claim.Entry{reasoned("C1", "C77")}, claim.Unfounded, "there is no claim C77", claim.Low},
		"nothing":                   {[]claim.Entry{reasoned("C1")}, claim.Unfounded, "it rests on no claim", claim.Low},
		"itself":                    {[]claim.Entry{reasoned("C1", "C1")}, claim.Unfounded, "it rests on itself", claim.Low},
		"two that rest on another":  {[]claim.Entry{reasoned("C1", "C2"), reasoned("C2", "C1")}, claim.Unfounded, "C2 rests on it in turn", claim.Low},
		"three in a circle":         {[]claim.Entry{reasoned("C1", "C2"), reasoned("C2", "C3"), reasoned("C3", "C1")}, claim.Unfounded, "C2 rests on it in turn", claim.Low},
		"a quotation was not found": {[]claim.Entry{reasoned("C1", "C2"), {ID: "C2", Location: claim.Location{State: claim.NotFound}}}, claim.Unfounded, "the quotation of C2 was not found", claim.Low},
	} {
		t.Run(name, func(t *testing.T) {
			e := claim.Ground(c.entries)[0]
			require.Equal(t, c.state, e.Location.State)
			require.Equal(t, c.reason, e.Location.Reason)
			require.Equal(t, c.worth, e.Confidence)
		})
	}
}

func TestAConclusionIsWorthNoMoreThanTheWeakestOfWhatItRestsOn(t *testing.T) {
	weak := fact("C3", "")
	weak.Confidence = claim.Medium
	sure := reasoned("C1", "C2")
	sure.Support = &claim.Support{Verdict: claim.Supports, Votes: []claim.Vote{{Seat: "s", Family: "f", Answer: claim.Supports}}}
	require.Equal(t, claim.High, claim.Ground([]claim.Entry{sure, fact("C2", "supports")})[0].Confidence)
	sure.RestsOn = []string{"C2", "C3"}
	require.Equal(t, claim.Medium, claim.Ground([]claim.Entry{sure, fact("C2", "supports"), weak})[0].Confidence)
}

func TestASeatsOwnHandlesAndTheRegistrysIDsAreResolved(t *testing.T) {
	lines := `{"id": "a", "text": "It is fast.", "quote": "it is very fast indeed", "source": "a.md:1"}
{"text": "Take it.", "kind": "recommendation", "rests_on": ["a", "c1"]}
`
	drafts, refused := claim.Decode(strings.NewReader(lines), "ada", "research")
	require.Empty(t, refused)
	again, _ := claim.Decode(strings.NewReader(string(drafts[0].Line())+string(drafts[1].Line())), "ada", "research")
	require.Equal(t, drafts, again, "a line is read back as it was")
	entries := claim.Register([]claim.Entry{fact("C1", "")}, drafts)
	require.Equal(t, []string{"C2", "C1"}, entries[2].RestsOn)
	require.Equal(t, entries, claim.Register(entries, drafts), "what is registered twice is there once")
}

func TestAClaimOfSeveralPassagesIsLocatedWhenAllAre(t *testing.T) {
	line := `{"text": "It keeps 10 and drops the rest.", "passages": [{"quote": "keep at most ten entries", "source": "a.go:1"}, {"quote": "drop whatever is older", "source": "b.go:1"}]}`
	drafts, refused := claim.Decode(strings.NewReader(line), "ada", "research")
	require.Empty(t, refused)
	texts := shelf{"a.go": "keep at most ten entries\n", "b.go": "drop whatever is older\n"}
	e := claim.Locate(claim.Register(nil, drafts), texts)[0]
	require.Equal(t, claim.Located, e.Location.State)
	require.Len(t, e.Evidence(), 2)
	require.Equal(t, "drop whatever is older", e.Evidence()[1].Location.Passage)

	texts["b.go"] = "nothing of the kind\n"
	e = claim.Locate(claim.Register(nil, drafts), texts)[0]
	require.Equal(t, claim.NotFound, e.Location.State)
	require.Contains(t, e.Location.Reason, "passage 2 of 2, b.go:1")
	require.Equal(t, claim.Located, e.Evidence()[0].Location.State, "each is located for itself")
}

// shelf is a library of texts by their paths.
type shelf map[string]string

func (s shelf) Text(ref string) (claim.Text, error) {
	if text, ok := s[ref]; ok {
		return claim.Text{Body: text}, nil
	}
	return claim.Text{}, claim.Absent{Reason: "there is no such file"}
}

func TestRecommendationsOnOneQuestionAreAlwaysCompared(t *testing.T) {
	answer := func(id, text, family string) claim.Entry {
		return claim.Entry{ID: id, Kind: claim.Recommendation, Text: text, Families: []string{family}, Questions: []string{"Q1"}, RestsOn: []string{"C9"}, Location: claim.Location{State: claim.Reasoned}}
	}
	reg := claim.Registry{Entries: []claim.Entry{answer("C1", "Choose the first.", "x"), answer("C2", "Rely on Postgres replication.", "y"), fact("C9", "")}}
	pairs := claim.PairsToCompare(reg, 10)
	require.Equal(t, "C1", pairs[0][0].ID)
	require.Equal(t, "C2", pairs[0][1].ID)
}
