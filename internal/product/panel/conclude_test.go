package panel

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func says(verdict string, issues ...Issue) *Review {
	return &Review{Verdict: verdict, Scores: map[string]float64{"accuracy": 7, "clarity": 8}, Summary: "s", Issues: issues}
}

// panel is a reviewer for each verdict, each of a family of its own; "" is a
// reviewer that failed.
func panel(verdicts ...string) []Opinion {
	var list []Opinion
	for i, v := range verdicts {
		o := Opinion{Agent: fmt.Sprintf("R%d", i+1), Seat: fmt.Sprintf("seat%d", i), Family: fmt.Sprintf("family%d", i)}
		if v == "" {
			o.Reason = "timed out"
		} else {
			o.First, o.Last = says(v), says(v)
		}
		list = append(list, o)
	}
	return list
}

func times(n int, verdict string) []string { return slices.Repeat([]string{verdict}, n) }

func TestTwoThirdsOfTheValidVotesDecide(t *testing.T) {
	for _, c := range []struct{ valid, needed int }{
		{2, 2}, {3, 2}, {4, 3}, {5, 4}, {6, 4}, {7, 5}, {8, 6}, {9, 6},
	} {
		for _, decided := range []string{Approved, Rejected} {
			for _, rest := range []string{Approved, Rejected, NeedsRevision} {
				if rest == decided {
					continue
				}
				for failed := range 3 {
					name := fmt.Sprintf("%d of %d say %s, the others %s, and %d failed", c.needed, c.valid, decided, rest, failed)
					enough := slices.Concat(times(c.needed, decided), times(c.valid-c.needed, rest), times(failed, ""))
					require.Equal(t, decided, Conclude(panel(enough...), Evidence{}).FinalVerdict, name)
					fewer := slices.Concat(times(c.needed-1, decided), times(c.valid-c.needed+1, rest), times(failed, ""))
					require.NotEqual(t, decided, Conclude(panel(fewer...), Evidence{}).FinalVerdict, "one fewer than "+name)
				}
			}
		}
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name       string
		votes      []string
		want       string
		score      float64
		confidence string
		reason     string
	}{
		{"all approve", times(3, Approved), Approved, 1, High, "3 of 3 valid votes say approved"},
		{"two of three approve", []string{Approved, Rejected, Approved}, Approved, 2. / 3, Medium, "2 of 3 valid votes say approved"},
		{"all reject", times(3, Rejected), Rejected, 1, High, "3 of 3 valid votes say rejected"},
		{"three ways", []string{Approved, Rejected, NeedsRevision}, NeedsRevision, 1. / 3, Low, "the votes are split, with no two thirds for or against: 1 of 3 say needs_revision"},
		{"split without anybody who wants a revision", []string{Approved, Rejected}, NeedsRevision, 0, Low, "the votes are split, with no two thirds for or against: 0 of 2 say needs_revision"},
		{"all want a revision", times(3, NeedsRevision), NeedsRevision, 1, High, "3 of 3 valid votes say needs_revision"},
		{"one failed", []string{Approved, "", Approved, Approved}, Approved, 1, Medium, "3 of 3 valid votes say approved; 1 of 4 reviewers gave no valid vote"},
		{"two are left, and agree", []string{Approved, "", Approved}, Approved, 1, Medium, "2 of 2 valid votes say approved; 1 of 3 reviewers gave no valid vote"},
		{"one is left", []string{Approved, "", ""}, NoQuorum, 0, Low, "no quorum: 1 of 3 reviewers gave a valid vote, and 2 are needed"},
		{"all failed", times(3, ""), NoQuorum, 0, Low, "no quorum: 0 of 3 reviewers gave a valid vote, and 2 are needed"},
		{"nobody was asked", nil, NoQuorum, 0, Low, "no quorum: 0 of 0 reviewers gave a valid vote, and 2 are needed"},
	} {
		r := Conclude(panel(c.votes...), Evidence{})
		require.Equal(t, c.want, r.FinalVerdict, c.name)
		require.InDelta(t, c.score, r.ConsensusScore, 1e-9, c.name)
		require.Equal(t, c.confidence, r.Confidence, c.name)
		require.Equal(t, c.reason, r.Reason, c.name)
		require.Len(t, r.ModelScores, len(c.votes), c.name)
	}
}

func TestFewerFamiliesAreSaidAndCapConfidence(t *testing.T) {
	of := func(families ...string) Result {
		list := panel(times(len(families), Approved)...)
		for i, f := range families {
			list[i].Family = f
		}
		return Conclude(list, Evidence{})
	}
	for _, c := range []struct {
		name       string
		families   []string
		want       []string
		single     bool
		confidence string
	}{
		{"one family in two turns", []string{"anthropic", "anthropic"}, []string{"anthropic"}, true, Low},
		{"one family, spelt twice", []string{"anthropic", " Anthropic "}, []string{"anthropic"}, true, Low},
		{"nobody knows the families", []string{"", ""}, []string{}, true, Low},
		{"two families", []string{"openai", "anthropic", "openai"}, []string{"anthropic", "openai"}, false, Medium},
		{"three families", []string{"openai", "anthropic", "google"}, []string{"anthropic", "google", "openai"}, false, High},
	} {
		r := of(c.families...)
		require.Equal(t, Approved, r.FinalVerdict, c.name)
		require.Equal(t, c.want, r.Families, c.name)
		require.Equal(t, c.single, r.SingleFamily, c.name)
		require.Equal(t, c.confidence, r.Confidence, c.name)
		require.Equal(t, c.single, strings.Contains(r.Reason, "single family"), c.name)
		require.Equal(t, c.single, strings.Contains(r.Markdown(), "single family"), c.name)
	}
	list := panel(Approved, Approved, "")
	list[0].Family, list[1].Family, list[2].Family = "anthropic", "anthropic", "openai"
	require.True(t, Conclude(list, Evidence{}).SingleFamily, "a family that has not truly voted does not count")
}

// A family that sits twice does not outvote one that sits once.
func TestAFamilyHasOneVoteBesideOthers(t *testing.T) {
	for name, c := range map[string]struct {
		families, verdicts string
		want               string
		score              float64
	}{
		"two of one against one of another":     {"x y x", "approved rejected approved", NeedsRevision, 0},
		"two of one against a point to mend":    {"x y x", "approved needs_revision approved", NeedsRevision, 0.5},
		"two of one that object":                {"x y x", "rejected approved rejected", NeedsRevision, 0},
		"all of both":                           {"x y x", "approved approved approved", Approved, 1},
		"a family that is divided":              {"x y x", "approved approved rejected", Approved, 0.75},
		"two families against a third's two":    {"x x y z", "rejected rejected approved approved", Approved, 2.0 / 3},
		"one family alone has a vote a turn":    {"x x x", "approved rejected approved", Approved, 2.0 / 3},
		"the rest of a family that has failed":  {"x y x", "approved  approved", Approved, 1},
		"a lone vote, the other family failing": {"x y", "approved ", NoQuorum, 0},
	} {
		t.Run(name, func(t *testing.T) {
			list := panel(strings.Split(c.verdicts, " ")...)
			for i, f := range strings.Fields(c.families) {
				list[i].Family = f
			}
			r := Conclude(list, Evidence{})
			require.Equal(t, c.want, r.FinalVerdict, r.Reason)
			require.InDelta(t, c.score, r.ConsensusScore, 1e-6)
		})
	}
}

func TestTheLastValidReviewOfAReviewerCounts(t *testing.T) {
	for _, c := range []struct {
		name        string
		first, last *Review
		verdict     string
		changed     bool
		reason      string
	}{
		{"it has changed its mind", says(Rejected), says(Approved), Approved, true, ""},
		{"it has not", says(Rejected), says(Rejected), Rejected, false, ""},
		{"the second turn failed", says(Rejected), nil, Rejected, false, "the first review counts, since the second turn brought nothing: timed out"},
		{"the second is no review", says(Rejected), says("fine"), Rejected, false, "the first review counts, since the second turn brought no review that can be counted"},
		{"the first turn failed", nil, says(Approved), Approved, false, ""},
		{"both failed", nil, nil, "", false, "no vote, since the first turn brought nothing and the second nothing: timed out"},
		{"no score may be beyond 10", nil, &Review{Verdict: Approved, Scores: map[string]float64{"x": 11}}, "", false, "no vote"},
		{"no score may be no number", nil, &Review{Verdict: Approved, Scores: map[string]float64{"x": math.NaN()}}, "", false, "no vote"},
	} {
		v := Conclude([]Opinion{{Agent: "R1", First: c.first, Last: c.last, Reason: "timed out"}}, Evidence{}).ModelScores[0]
		require.Equal(t, c.verdict, v.Verdict, c.name)
		require.Equal(t, c.changed, v.Changed, c.name)
		require.Contains(t, v.Reason, c.reason, c.name)
		if c.verdict == "" {
			require.Empty(t, v.Scores, c.name)
		} else {
			require.InDelta(t, 7.5, v.Mean, 1e-9, c.name)
		}
	}
}

func TestReviewersOfOneNameDoNotCount(t *testing.T) {
	list := panel(Approved, Approved, Approved)
	list[1].Agent = "R1"
	r := Conclude(list, Evidence{})
	require.Equal(t, NoQuorum, r.FinalVerdict)
	require.Equal(t, 1, r.Valid)
	require.Contains(t, r.ModelScores[0].Reason, "several reviewers bear this name")
}

// opinions draws any panel, also one that says what no reviewer may.
func opinions(t *rapid.T) []Opinion {
	verdict := rapid.SampledFrom([]string{Approved, NeedsRevision, Rejected, NoQuorum, "", "APPROVED"})
	words := rapid.SampledFrom([]string{"", "cost", "costs are missing", "the cost of 12", "the cost of 21", "no source [C3]", "# Forged\n# twice", "\x1b[2J<b>|"})
	review := func(name string) *Review {
		if rapid.IntRange(0, 3).Draw(t, name) == 0 {
			return nil
		}
		r := &Review{Verdict: verdict.Draw(t, "verdict"), Scores: map[string]float64{}, Summary: words.Draw(t, "summary")}
		for i := range rapid.IntRange(0, 3).Draw(t, "scores") {
			r.Scores[fmt.Sprint("s", i)] = rapid.OneOf(rapid.Float64Range(0, 10), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), -1, 10.5})).Draw(t, "score")
		}
		for range rapid.IntRange(0, 4).Draw(t, "issues") {
			r.Issues = append(r.Issues, Issue{
				Section: rapid.SampledFrom([]string{"", "Costs", "2. costs", "Risks", rapid.String().Draw(t, "section")}).Draw(t, "part"),
				Issue:   words.Draw(t, "issue"), Fix: words.Draw(t, "fix"), Severity: rapid.SampledFrom([]string{"", Critical, Major, Minor, "huge"}).Draw(t, "severity"),
				Claims: rapid.SliceOfN(rapid.SampledFrom([]string{"C1", "[C2]", "c3", "x", ""}), 0, 2).Draw(t, "claims"),
			})
		}
		return r
	}
	return rapid.Custom(func(t *rapid.T) []Opinion {
		list := make([]Opinion, rapid.IntRange(0, 9).Draw(t, "asked"))
		for i := range list {
			list[i] = Opinion{
				Agent: fmt.Sprint("R", i), Seat: "s", Family: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "family"),
				First: review("first"), Last: review("last"), Reason: words.Draw(t, "reason"),
			}
		}
		return list
	}).Draw(t, "opinions")
}

func TestWhatHoldsOfEveryVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := opinions(t)
		r := Conclude(list, Evidence{})
		require.Contains(t, []string{Approved, NeedsRevision, Rejected, NoQuorum}, r.FinalVerdict)
		require.GreaterOrEqual(t, r.ConsensusScore, 0.)
		require.LessOrEqual(t, r.ConsensusScore, 1.)
		require.Equal(t, r.Valid < 2, r.FinalVerdict == NoQuorum, "fewer than two votes and no quorum are the same")
		require.LessOrEqual(t, r.Valid, r.Asked)
		require.LessOrEqual(t, len(r.Families), r.Valid)
		require.NotContains(t, r.Reason, "\n")
		_, err := json.Marshal(r)
		require.NoError(t, err, "a result can be written down")
	})
}

func TestTheOrderOfOpinionsIsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := opinions(t)
		mixed := slices.Clone(list)
		seed := rapid.Uint64().Draw(t, "seed")
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		require.Equal(t, written(Conclude(list, Evidence{})), written(Conclude(mixed, Evidence{})))
		require.Equal(t, OtherReviews("R0", list), OtherReviews("R0", mixed))
	})
}

func written(r Result) string {
	data, _ := json.Marshal(r) // the test above holds that it can be
	return string(data) + r.RevisionBrief() + r.Markdown()
}

func TestOneMoreApprovalNeverUndoesAnApproval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := opinions(t)
		if len(list) == 0 || Conclude(list, Evidence{}).FinalVerdict != Approved {
			list = panel(times(rapid.IntRange(2, 9).Draw(t, "n"), Approved)...)
			for i := range len(list) / 3 {
				list[i].Last = says(rapid.SampledFrom([]string{Rejected, NeedsRevision}).Draw(t, "other"))
			}
		}
		require.Equal(t, Approved, Conclude(list, Evidence{}).FinalVerdict)
		i := rapid.IntRange(0, len(list)-1).Draw(t, "who")
		list[i].Last = says(Approved)
		require.Equal(t, Approved, Conclude(list, Evidence{}).FinalVerdict)
	})
}

func TestWithoutTwoVotesNothingIsApproved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := opinions(t)
		for i := range list {
			list[i].First, list[i].Last = nil, nil
		}
		require.Equal(t, NoQuorum, Conclude(list, Evidence{}).FinalVerdict)
		if len(list) > 0 {
			list[0].Last = says(Approved)
			require.Equal(t, NoQuorum, Conclude(list, Evidence{}).FinalVerdict)
		}
	})
}

func TestTheResultIsWrittenAsItsReadersKnowIt(t *testing.T) {
	list := panel(Approved, NeedsRevision, Approved)
	list[1].Last.Issues = []Issue{{Section: "Costs", Claims: []string{"C4"}, Issue: "The figure is old.", Fix: "Take the one of 2026.", Severity: "major"}}
	data, err := json.Marshal(Conclude(list, Evidence{}))
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal(data, &got))
	require.Equal(t, "approved", got["final_verdict"])
	require.InDelta(t, 2./3, got["consensus_score"], 1e-9)
	require.Len(t, got["model_scores"], 3)
	require.Equal(t, []any{map[string]any{
		"section": "Costs", "claims": []any{"C4"}, "issues": []any{"The figure is old."},
		"fixes": []any{"Take the one of 2026."}, "severity": "major", "reviewers": 1.,
	}}, got["unified_tz"])
	var back Result
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, Conclude(list, Evidence{}), back)
}
