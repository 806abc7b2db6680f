package score_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/score"
)

// entry is a claim of one seat that was located and that votes support, changed
// as a test wants it.
func entry(id, key string, with ...func(*claim.Entry)) claim.Entry {
	e := claim.Entry{ID: id, Text: "claim " + id, Source: key, Key: key, Seats: []string{"claude"}, Rounds: []string{"research"}, Location: claim.Location{State: claim.Located}}
	voted(claim.Supports)(&e)
	for _, change := range with {
		change(&e)
	}
	return e
}

func typed(t claim.SourceType) func(*claim.Entry) { return func(e *claim.Entry) { e.Type = t } }
func answers(q ...string) func(*claim.Entry)      { return func(e *claim.Entry) { e.Questions = q } }

func by(seats ...string) func(*claim.Entry) { return func(e *claim.Entry) { e.Seats = seats } }

func state(s claim.State) func(*claim.Entry) { return func(e *claim.Entry) { e.Location.State = s } }
func critical(e *claim.Entry)                { e.Critical = true }
func blast(e *claim.Entry)                   { e.Blast = true }
func pitfall(e *claim.Entry)                 { e.Pitfall = true }

// voted gives a claim one vote; "" is what nobody has judged.
func voted(answer string) func(*claim.Entry) {
	return func(e *claim.Entry) {
		if e.Support = nil; answer != "" {
			e.Support = &claim.Support{Verdict: answer, Votes: []claim.Vote{{Family: "rival", Answer: answer}}}
		}
	}
}

func of(entries ...claim.Entry) claim.Registry { return claim.Registry{Entries: entries} }

func group(id string, members ...string) claim.Group { return claim.Group{ID: id, Members: members} }

// full covers everything: three types, one critical claim with two sources that
// answers the question, one pitfall.
func full() claim.Registry {
	r := of(
		entry("C1", "doc", typed(claim.Official), critical, answers("Q1")),
		entry("C2", "code", typed(claim.Code), by("codex")),
		entry("C3", "blog", typed(claim.Community), pitfall),
	)
	r.Groups = []claim.Group{group("C1", "C1", "C2")}
	return r
}

func TestTheWeightsOfEachModeSumToAHundred(t *testing.T) {
	for mode, want := range map[scope.Mode][4]int{
		scope.Exploratory: {30, 30, 25, 15}, scope.Compliance: {20, 35, 25, 20}, scope.Decision: {25, 35, 20, 20},
	} {
		w := score.Weights(mode)
		require.Equal(t, want, w, mode)
		require.Equal(t, 100, w[0]+w[1]+w[2]+w[3], mode)
	}
}

func TestEverythingCoveredIsAHundred(t *testing.T) {
	for _, mode := range scope.Modes() {
		r := score.Measure(full(), score.Input{Mode: mode})
		require.InDelta(t, 100, r.Final, 0, mode)
		require.Empty(t, r.Gaps, mode)
	}
	require.Equal(t, score.Report, score.Measure(full(), score.Input{}).Gate)
}

func TestAScoreReckonedByHand(t *testing.T) {
	reg := of(
		entry("C1", "a", typed(claim.Official), critical, answers("Q2")),
		entry("C2", "b", typed(claim.Standard), by("codex")),
		entry("C3", "c", typed(claim.Community), critical),
		entry("C4", "d", typed(claim.Code), critical, state(claim.NotFound), answers("Q3")),
	)
	reg.Groups = []claim.Group{group("C1", "C1", "C2")}
	r := score.Measure(reg, score.Input{Mode: scope.Decision, Questions: []string{"Q1", "Q2", "Q3", "Q4"}, Failed: 1})
	values := [4]float64{2.0 / 3, 1.0 / 3, 0, 1.0 / 4} // types, verified of critical, all four dimensions have gaps, Q2
	for i, v := range values {
		require.InDelta(t, v, r.Signals[i].Value, 1e-12, r.Signals[i].Name)
	}
	require.InDelta(t, 33.33, r.Raw, 0, "25·2/3 + 35·1/3 + 20·0 + 20·1/4")
	require.InDelta(t, 0.67, r.Sound, 0, "one of three claims was not found")
	require.InDelta(t, 20.10, r.Final, 0, "33.33 · 0.9 · 0.67")
	require.Equal(t, []string{"C3", "C4"}, r.Unconfirmed)
	require.Equal(t, []score.Gap{
		{scope.Diversity, "no located claim rests on code", ""},
		{scope.CrossChecked, "fewer than 2 independent located sources for C3, C4", ""},
		{scope.Questions, "no located claim answers Q1, Q3, Q4", ""},
		{scope.Pitfalls, "no located claim tells of a known mistake or danger", ""},
	}, r.Gaps)
}

func TestDenominatorsOfZero(t *testing.T) {
	t.Run("no claim at all", func(t *testing.T) {
		r := score.Measure(claim.Registry{}, score.Input{})
		for _, s := range r.Signals {
			require.Zero(t, s.Value, s.Name)
		}
		require.Zero(t, r.Final)
		require.Equal(t, score.Report, r.Gate, "there is nothing to argue over")
		require.Equal(t, []scope.Dimension{scope.Diversity, scope.Diversity, scope.Diversity, scope.CrossChecked, scope.Questions, scope.Pitfalls}, gapped(r))
	})
	t.Run("no critical claim: all are the denominator", func(t *testing.T) {
		reg := of(entry("C1", "a"), entry("C2", "b"), entry("C3", "c"))
		reg.Groups = []claim.Group{group("C1", "C1", "C2")}
		r := score.Measure(reg, score.Input{})
		require.Equal(t, 2, r.Critical)
		require.InDelta(t, 0.5, r.Signals[1].Value, 0)
	})
	t.Run("no question: the topic is one, and any claim answers it", func(t *testing.T) {
		require.InDelta(t, 1, score.Measure(of(entry("C1", "a")), score.Input{}).Signals[3].Value, 0)
		require.Zero(t, score.Measure(of(entry("C1", "a", state(claim.Unchecked))), score.Input{}).Signals[3].Value)
	})
	t.Run("a planned question must be named", func(t *testing.T) {
		require.Zero(t, score.Measure(of(entry("C1", "a")), score.Input{Questions: []string{"Q1"}}).Signals[3].Value)
	})
}

func gapped(r score.Result) []scope.Dimension {
	var list []scope.Dimension
	for _, g := range r.Gaps {
		list = append(list, g.Dimension)
	}
	return list
}

func TestTheTopicIsAnsweredOnceAllItsPartsAre(t *testing.T) {
	plan := score.Input{Questions: []string{"Q1", "Q2", "Q3"}}
	require.InDelta(t, 1, score.Measure(of(entry("C1", "a", answers("Q2")), entry("C2", "b", answers("Q3"))), plan).Signals[3].Value, 0)
	require.InDelta(t, 1.0/3, score.Measure(of(entry("C1", "a", answers("Q2"))), plan).Signals[3].Value, 1e-12)
}

func TestOnlyLocatedClaimsCount(t *testing.T) {
	for name, spoilt := range map[string]func(*claim.Entry){
		"not found": state(claim.NotFound), "not looked for": state(claim.Unchecked), "contradicted by its own passage": voted(claim.Contradicts),
	} {
		reg := full()
		spoilt(&reg.Entries[1])
		r := score.Measure(reg, score.Input{})
		require.Zero(t, r.Crossed, name)
		require.InDelta(t, 2.0/3, r.Signals[0].Value, 1e-12, name)
		require.Equal(t, 1, r.Critical, "%s: it stays in the denominator", name)
	}
}

func TestOnlyWhatVotesSupportIsVerified(t *testing.T) {
	for name, c := range map[string]struct {
		votes             [2]string // on the two sources of the one critical claim
		verified, crossed int
	}{
		"both supported":                {[2]string{"supports", "supports"}, 1, 1},
		"nobody has judged":             {[2]string{"", ""}, 0, 0},
		"one supported, one not judged": {[2]string{"supports", ""}, 1, 0},
		"both qualified":                {[2]string{"qualifies", "qualifies"}, 0, 0},
		"undecided":                     {[2]string{"undecided", "undecided"}, 0, 0},
	} {
		reg := full()
		for i, answer := range c.votes {
			voted(answer)(&reg.Entries[i])
		}
		r := score.Measure(reg, score.Input{})
		require.Equal(t, c.verified, r.Verified, name)
		require.Equal(t, c.crossed, r.Crossed, name)
		require.InDelta(t, float64(c.crossed), r.Signals[1].Value, 0, name)
		require.Contains(t, r.Signals[1].Detail, fmt.Sprintf("%d of 1 critical claims are verified in 2 independent sources, or by 2 model families in code, a standard or an experiment; %d verified in any", c.crossed, c.verified), name)
		require.InDelta(t, 1, r.Signals[0].Value, 0, "%s: what was located covers its type of source", name)
		if c.crossed == 0 {
			require.Contains(t, r.Gaps, score.Gap{Dimension: scope.CrossChecked, What: "located in 2 independent sources, and not judged to be supported by as many: C1"}, name)
		}
	}
}

func TestCopiesOfOneTextAreOneSource(t *testing.T) {
	reg := full()
	reg.Copies = map[string]string{"code": "press", "doc": "press"}
	require.Zero(t, score.Measure(reg, score.Input{}).Crossed)
	reg.Copies = map[string]string{"code": "doc", "doc": "code"}
	require.LessOrEqual(t, score.Measure(reg, score.Input{}).Crossed, 1, "a circle ends")
}

func TestFailuresCapTheScore(t *testing.T) {
	for _, c := range []struct {
		name string
		in   score.Input
		want float64
	}{
		{"all delivered", score.Input{}, 1},
		{"one failed", score.Input{Failed: 1}, 0.9},
		{"no web", score.Input{NoWeb: true}, 0.9},
		{"one failed and no web", score.Input{Failed: 1, NoWeb: true}, 0.9},
		{"two failed", score.Input{Failed: 2}, 0.75},
		{"three failed", score.Input{Failed: 3}, 0.75},
		{"code only", score.Input{CodeOnly: true}, 0.75},
		{"two failed, code only", score.Input{Failed: 2, CodeOnly: true}, 0.75},
	} {
		r := score.Measure(full(), c.in)
		require.InDelta(t, c.want, r.Cap, 0, c.name)
		require.InDelta(t, 100*c.want, r.Final, 1e-9, c.name)
		require.NotEmpty(t, r.CapReason, c.name)
	}
}

func TestOneTypeOfSourceIsAtMostSixty(t *testing.T) {
	reg := of(entry("C1", "a", typed(claim.Official), critical, pitfall), entry("C2", "b", typed(claim.Standard), by("codex")))
	reg.Groups = []claim.Group{group("C1", "C1", "C2")}
	r := score.Measure(reg, score.Input{Mode: scope.Compliance})
	require.Greater(t, r.Raw, 60.0)
	require.InDelta(t, 60, r.Limit, 0)
	require.InDelta(t, 60, r.Final, 0)
	reg.Entries[1].Type = claim.Community
	require.Greater(t, score.Measure(reg, score.Input{Mode: scope.Compliance}).Final, 60.0)
}

// conflict puts a conflict between C1 and C3 into the full registry.
func conflict(sev claim.Severity, status string) claim.Registry {
	r := full()
	r.Conflicts = []claim.Conflict{{ID: "D1", A: "C1", B: "C3", Severity: sev, Status: status}}
	return r
}

func TestWhatTriggersADebate(t *testing.T) {
	unchecked := full()
	unchecked.Groups = nil
	two := full() // one of two critical claims is verified
	two.Entries[2].Critical = true
	risky := full()
	risky.Entries = append(risky.Entries, entry("C4", "x", blast, state(claim.NotFound)))
	disputed := func(r claim.Registry) claim.Registry {
		r.Conflicts = []claim.Conflict{{ID: "D1", A: "C2", B: "C3", Severity: claim.Minor, Status: claim.Open}}
		return r
	}
	possible := conflict(claim.P0, "open")
	possible.Conflicts[0].Possible = true
	opposed := full()
	opposed.Entries[0].Support = &claim.Support{Verdict: claim.Undecided, Votes: []claim.Vote{{Family: "one", Answer: claim.Supports}, {Family: "other", Answer: claim.Contradicts}}}
	for _, c := range []struct {
		name                             string
		reg                              claim.Registry
		exploratory, compliance, decided score.Gate
	}{
		{"nothing", full(), score.Report, score.Debate, score.Report},
		{"an open P0", conflict(claim.P0, "open"), score.Debate, score.Debate, score.Debate},
		{"an open P1", conflict(claim.P1, "still_divergent"), score.Debate, score.Debate, score.Debate},
		{"an open minor conflict", conflict(claim.Minor, "open"), score.Report, score.Debate, score.Debate},
		{"a conflict of unknown severity on the answer", conflict("", "open"), score.Debate, score.Debate, score.Debate},
		{"a settled P0", conflict(claim.P0, "resolved_A"), score.Report, score.Debate, score.Report},
		{"a P0 that is only possible", possible, score.Report, score.Debate, score.Report},
		{"votes that oppose each other", opposed, score.Debate, score.Debate, score.Debate},
		{"nothing verified, nothing disputed", unchecked, score.Report, score.Debate, score.Report},
		{"nothing verified, and a dispute", disputed(unchecked), score.Debate, score.Debate, score.Debate},
		{"half verified, nothing disputed", two, score.Report, score.Debate, score.Report},
		{"half verified, and a dispute", disputed(two), score.Validate, score.Debate, score.Debate},
		{"one seat flags a blast radius, nothing disputed", risky, score.Report, score.Debate, score.Report},
		{"one seat flags a blast radius, without evidence, and a dispute", disputed(risky), score.Debate, score.Debate, score.Debate},
	} {
		for mode, want := range map[scope.Mode]score.Gate{scope.Exploratory: c.exploratory, scope.Compliance: c.compliance, scope.Decision: c.decided} {
			r := score.Measure(c.reg, score.Input{Mode: mode})
			require.Equal(t, want, r.Gate, "%s, %s: %v", c.name, mode, r.Reasons)
			require.NotEmpty(t, r.Reasons)
			require.Equal(t, score.Debate, score.Measure(c.reg, score.Input{Mode: mode, Debate: scope.Force}).Gate, "%s, %s, forced", c.name, mode)
			switched := score.Measure(c.reg, score.Input{Mode: mode, Debate: scope.Off})
			require.NotContains(t, switched.Reasons, "the debate is off; 0 disputed points stay marked as not validated", c.name)
			off := switched.Gate
			if mode == scope.Compliance {
				require.Equal(t, score.Debate, off, "%s: compliance is not switched off", c.name)
			} else {
				require.Equal(t, score.Report, off, "%s, %s, off", c.name, mode)
			}
		}
	}
}

func TestAMiddlingScoreWithMinorConflictsIsValidated(t *testing.T) {
	reg := conflict(claim.Minor, "open")
	reg.Entries[2].Type, reg.Entries[2].Pitfall = "", false
	in := score.Input{Failed: 1}
	r := score.Measure(reg, in)
	require.InDelta(t, 69.75, r.Final, 0, "(30·2/3 + 30 + 25·1/2 + 15) · 0.9")
	require.Equal(t, score.Validate, r.Gate)
	reg.Conflicts = nil
	require.Equal(t, score.Report, score.Measure(reg, in).Gate, "without conflict there is nothing to validate")
}

func TestACriticalQuestionThatNobodyHasAnsweredIsValidated(t *testing.T) {
	reg := full() // C1 is critical and answers Q1
	in := score.Input{Questions: []string{"Q1", "Q2", "Q3"}}
	require.Equal(t, score.Report, score.Measure(reg, in).Gate, "none of them is critical")
	in.Critical = []string{"Q1", "Q3"}
	r := score.Measure(reg, in)
	require.Equal(t, score.Validate, r.Gate, r.Reasons)
	require.Equal(t, []string{"Q3"}, r.Unanswered)
	in.Critical = []string{"Q1"}
	require.Equal(t, score.Report, score.Measure(reg, in).Gate)
}

func TestTheGatesTableHasARowForEveryCase(t *testing.T) {
	for _, band := range []score.Band{score.High, score.Middle, score.Lower} {
		for _, open := range []score.Conflicts{score.None, score.Minor, score.Grave} {
			for _, checked := range []string{score.Enough, score.NotEnough} {
				require.True(t, slices.ContainsFunc(score.Table(), func(r score.Row) bool {
					return (r.Score == "" || r.Score == band) && (r.Conflicts == "" || r.Conflicts == open) && (r.Checked == "" || r.Checked == checked)
				}), "%s, %s, %s", band, open, checked)
			}
		}
	}
}

func TestTheUnseenIsEstimated(t *testing.T) {
	// f1 = 3, f2 = 1, m = 3: 2/3 · 3·2 / (2·2) = 1
	reg := of(entry("C1", "a"), entry("C2", "b", by("codex")), entry("C3", "c", by("gemini")), entry("C4", "d", by("claude", "codex")), entry("C5", "e", by("claude", "codex", "gemini")))
	u := score.Measure(reg, score.Input{}).Unseen
	require.Equal(t, &score.Unseen{Seats: 3, Observed: 5, Once: 3, Twice: 1, AtLeast: 1}, u)
	require.Contains(t, u.String(), "at least 1 more")

	for name, reg := range map[string]claim.Registry{
		"no claim was located":                         of(entry("C1", "a", state(claim.NotFound))),
		"only one seat found claims":                   of(entry("C1", "a"), entry("C2", "b")),
		"no claim was found by two seats":              of(entry("C1", "a"), entry("C2", "b", by("codex"))),
		"no claim was found by two seats: what is uns": of(entry("C1", "a"), entry("C2", "b", by("codex")), entry("C3", "c", by("claude", "codex"), func(e *claim.Entry) { e.Rounds = []string{"refinement"} })),
	} {
		require.Contains(t, score.Measure(reg, score.Input{}).Unseen.Reason, name)
		require.Zero(t, score.Measure(reg, score.Input{}).Unseen.AtLeast)
	}
}

// The estimator is tried where the truth is known: of 400 claims each of three
// seats finds each one by chance, in three of ten cases.
func TestTheEstimateMeetsTheTruthOnAverage(t *testing.T) {
	const n, seats, trials = 400, 3, 100
	dice := rand.New(rand.NewPCG(1, 2))
	total := 0.0
	for range trials {
		var reg claim.Registry
		for i := range n {
			var found []string
			for s := range seats {
				if dice.IntN(10) < 3 {
					found = append(found, fmt.Sprint("seat", s))
				}
			}
			if found != nil {
				reg.Entries = append(reg.Entries, entry(fmt.Sprint("C", i+1), fmt.Sprint("s", i), by(found...)))
			}
		}
		u := score.Measure(reg, score.Input{}).Unseen
		total += float64(u.Observed) + u.AtLeast
	}
	require.InEpsilon(t, n, total/trials, 0.03, "what was observed alone is 66 % of it")
}

func anyRegistry(t *rapid.T) (claim.Registry, score.Input) {
	n := rapid.IntRange(0, 12).Draw(t, "claims")
	var reg claim.Registry
	id := func(i int) string { return fmt.Sprint("C", i+1) }
	for i := range n {
		e := entry(id(i), rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key"),
			typed(rapid.SampledFrom([]claim.SourceType{claim.Official, claim.Code, claim.Community, claim.Standard, ""}).Draw(t, "type")),
			state(rapid.SampledFrom([]claim.State{claim.Located, claim.Located, claim.NotFound, claim.Unchecked}).Draw(t, "state")),
			answers(rapid.SliceOfN(rapid.SampledFrom([]string{"Q1", "Q2", "Q3"}), 0, 2).Draw(t, "answers")...),
			by(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"claude", "codex", "gemini"}), 1, 3, rapid.ID[string]).Draw(t, "seats")...))
		e.Critical, e.Blast, e.Pitfall = rapid.Bool().Draw(t, "critical"), rapid.Bool().Draw(t, "blast"), rapid.Bool().Draw(t, "pitfall")
		reg.Entries = append(reg.Entries, e)
	}
	for i := 0; i+1 < n; i += 3 {
		reg.Groups = append(reg.Groups, group(id(i), id(i), id(i+1)))
	}
	if n > 2 && rapid.Bool().Draw(t, "conflict") {
		reg.Conflicts = []claim.Conflict{{ID: "D1", A: id(0), B: id(2), Severity: rapid.SampledFrom([]claim.Severity{claim.P0, claim.P1, claim.Minor, ""}).Draw(t, "severity"), Status: "open"}}
	}
	return reg, score.Input{
		Mode: rapid.SampledFrom(scope.Modes()).Draw(t, "mode"), Debate: rapid.SampledFrom([]scope.Debate{scope.Auto, scope.Force, scope.Off}).Draw(t, "debate"),
		Questions: []string{"Q1", "Q2"}[:rapid.IntRange(0, 2).Draw(t, "questions")],
		Failed:    rapid.IntRange(0, 3).Draw(t, "failed"), NoWeb: rapid.Bool().Draw(t, "no web"), CodeOnly: rapid.Bool().Draw(t, "code only"),
	}
}

func TestAnyRegistryHasAScoreThatCanBeReckonedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reg, in := anyRegistry(t)
		r := score.Measure(reg, in)
		require.GreaterOrEqual(t, r.Final, 0.0)
		require.LessOrEqual(t, r.Final, min(r.Limit, 100))
		raw := 0.0
		for _, s := range r.Signals {
			require.GreaterOrEqual(t, s.Value, 0.0, s.Name)
			require.LessOrEqual(t, s.Value, 1.0, s.Name)
			raw += float64(s.Weight) * s.Value
		}
		require.InDelta(t, raw, r.Raw, 0.0051, "rounded to hundredths")
		require.InDelta(t, min(r.Raw*r.Cap*r.Sound, r.Limit), r.Final, 0.0051)

		var again claim.Registry
		var read score.Result
		back(t, reg, &again)
		told := back(t, r, &read)
		require.JSONEq(t, told, back(t, score.Measure(again, read.Input), nil), "from the JSON alone")
	})
}

// back writes a value as JSON and, where wanted, reads it again.
func back(t require.TestingT, v, into any) string {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	if into != nil {
		require.NoError(t, json.Unmarshal(data, into))
	}
	return string(data)
}

func TestWhatIsNotLocatedNeverRaisesTheScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reg, in := anyRegistry(t)
		before := score.Measure(reg, in)
		more := entry("C99", "elsewhere", state(claim.NotFound), typed(claim.Code), critical, pitfall, answers("Q1", "Q2"))
		reg.Entries = append(slices.Clone(reg.Entries), more)
		after := score.Measure(reg, in)
		// A critical claim moves the denominator from all claims to the critical
		// ones; it adds nothing to what is verified.
		require.LessOrEqual(t, after.Signals[0].Value, before.Signals[0].Value)
		require.LessOrEqual(t, after.Signals[1].Value, before.Signals[1].Value)
		require.LessOrEqual(t, after.Signals[3].Value, before.Signals[3].Value)
	})
}

func TestAScoreIsWrittenInWholePointsItHasReached(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 7.5: "7", 66.67: "66", 200.0 / 3: "66", 79.6: "79", 79.999: "80", 90: "90", 100: "100"} {
		require.Equal(t, want, score.FormatScore(x))
	}
}

func TestWhatWasWithdrawnCountsNeitherForNorAgainst(t *testing.T) {
	standing := claim.Registry{Entries: []claim.Entry{
		{ID: "C1", Text: "It is 3.", Source: "a.md:1", Key: "file:a.md", Type: claim.Code, Critical: true, Location: claim.Location{State: claim.Located}},
		{ID: "C2", Text: "It is 4.", Source: "b.md:1", Key: "file:b.md", Type: claim.Code, Location: claim.Location{State: claim.NotFound}},
	}}
	withdrawn := standing
	withdrawn.Entries = append(withdrawn.Entries[:2:2], claim.Entry{ID: "C3", Text: "It is 5.", Key: "file:c.md", Critical: true, Location: claim.Location{State: claim.Withdrawn, Reason: "no"}})
	require.Equal(t, score.Measure(standing, score.Input{}), score.Measure(withdrawn, score.Input{}))
}
