package score_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/score"
)

func passage(words string) func(*claim.Entry) {
	return func(e *claim.Entry) { e.Location.Passage = words }
}

func tier(name string) func(*claim.Entry) { return func(e *claim.Entry) { e.Location.Tier = name } }

// One trivial sentence on six sites is one statement from one source.
func TestASentenceOnManySitesIsOne(t *testing.T) {
	var entries []claim.Entry
	g := group("C1")
	types := []claim.SourceType{claim.Official, claim.Code, claim.Community}
	for i := range 6 {
		id := fmt.Sprintf("C%d", i+1)
		entries = append(entries, entry(id, fmt.Sprintf("site%d", i), typed(types[i%3]), critical, answers("Q1"), passage("Go is an open source language."), by(fmt.Sprint("seat", i%3))))
		g.Members = append(g.Members, id)
	}
	r := score.Measure(claim.Registry{Entries: entries, Groups: []claim.Group{g}}, score.Input{})
	require.Less(t, r.Final, 40.0)
	require.Zero(t, r.Crossed)
	require.InDelta(t, 1.0/3, r.Signals[0].Value, 1e-9)
	for i := range entries {
		entries[i].Location.Passage = fmt.Sprintf("The project says in words of its own, number %d, that it is open.", i)
	}
	require.Equal(t, 1, score.Measure(claim.Registry{Entries: entries, Groups: []claim.Group{g}}, score.Input{}).Crossed, "said by each in its own words it is confirmed")
}

// Eighty of a hundred quotations that were not found cost the score.
func TestQuotationsNotFoundElidedOrUnjudgedCountAgainst(t *testing.T) {
	with := func(change func(*claim.Entry)) float64 {
		reg := full()
		for i := range 20 {
			reg.Entries = append(reg.Entries, entry(fmt.Sprintf("C%d", i+10), fmt.Sprint("s", i), change))
		}
		return score.Measure(reg, score.Input{}).Final
	}
	sound := with(func(*claim.Entry) {})
	unjudged, elided, missing := with(voted("")), with(tier("elided")), with(state(claim.NotFound))
	require.InDelta(t, 100, sound, 0)
	require.Less(t, unjudged, sound)
	require.Less(t, elided, unjudged)
	require.Less(t, missing, 20.0)
}

// What a seat says of its source's type counts for nothing.
func TestSelfDeclaredTypesCountNothing(t *testing.T) {
	reg := full()
	want := score.Measure(reg, score.Input{})
	for i := range reg.Entries {
		reg.Entries[i].TypeSaid, reg.Entries[i].Said = claim.Standard, claim.High
	}
	require.Equal(t, want, score.Measure(reg, score.Input{}))
}

// A located source of its own for a claim that is there never lowers the score.
func TestAFurtherSourceNeverLowersTheScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reg, in := anyRegistry(t)
		if len(reg.Entries) == 0 {
			return
		}
		before := score.Measure(reg, in).Final
		old := reg.Entries[rapid.IntRange(0, len(reg.Entries)-1).Draw(t, "of")]
		more := old
		more.ID, more.Key, more.Source = "C999", "another", "another"
		more.Location = claim.Location{State: claim.Located}
		more.Support = rapid.SampledFrom([]*claim.Support{nil, entry("C1", "a").Support}).Draw(t, "votes")
		reg.Entries = append(slices.Clone(reg.Entries), more)
		grouped := false
		groups := slices.Clone(reg.Groups)
		for i, g := range groups {
			if slices.Contains(g.Members, old.ID) {
				groups[i].Members = append(slices.Clone(g.Members), more.ID)
				grouped = true
			}
		}
		if !grouped {
			groups = append(groups, group(old.ID, old.ID, more.ID))
		}
		reg.Groups = groups
		require.GreaterOrEqual(t, score.Measure(reg, in).Final, before-0.005)
	})
}

// Who claims what by which name changes nothing.
func TestRenamingSeatsChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reg, in := anyRegistry(t)
		before := score.Measure(reg, in)
		for i := range reg.Entries {
			seats := slices.Clone(reg.Entries[i].Seats)
			for j := range seats {
				seats[j] = "zz-" + seats[j]
			}
			reg.Entries[i].Seats = seats
		}
		require.InDelta(t, before.Final, score.Measure(reg, in).Final, 0)
	})
}

// Thirty registries, each better than the one before, keep their order.
func TestBetterEvidenceScoresHigher(t *testing.T) {
	const claims = 9
	var reg claim.Registry
	types := []claim.SourceType{claim.Official, claim.Code, claim.Community}
	for i := range claims {
		reg.Entries = append(reg.Entries, entry(fmt.Sprintf("C%d", i+1), fmt.Sprint("one", i), typed(types[0]), critical, answers(fmt.Sprintf("Q%d", i%3+1)), state(claim.NotFound)))
	}
	in := score.Input{Questions: []string{"Q1", "Q2", "Q3"}}
	var finals []float64
	measure := func() { finals = append(finals, score.Measure(reg, in).Final) }
	for i := range claims { // located, and nobody has judged it
		reg.Entries[i].Location.State = claim.Located
		voted("")(&reg.Entries[i])
		measure()
	}
	for i := range claims { // judged
		voted(claim.Supports)(&reg.Entries[i])
		measure()
	}
	for i := range claims { // confirmed by another kind of source
		id := fmt.Sprintf("C%d", i+101)
		reg.Entries = append(reg.Entries, entry(id, fmt.Sprint("two", i), typed(types[1+i%2]), critical, answers(fmt.Sprintf("Q%d", i%3+1)), by("codex")))
		reg.Groups = append(reg.Groups, group(fmt.Sprintf("C%d", i+1), fmt.Sprintf("C%d", i+1), id))
		measure()
	}
	reg.Entries[0].Pitfall = true
	measure()
	in.Questions = append(in.Questions, "Q4")
	short := score.Measure(reg, in).Final
	require.Less(t, short, finals[len(finals)-1], "a question nobody has answered")
	require.Len(t, finals, 28)
	for i := 1; i < len(finals); i++ {
		require.GreaterOrEqual(t, finals[i], finals[i-1], "step %d of %v", i, finals)
	}
	require.Less(t, finals[8], finals[17])
	require.Less(t, finals[17], finals[26])
	require.InDelta(t, 100, finals[27], 0)
}

// A seat that calls everything critical has a handful of critical claims.
func TestCriticalIsScarce(t *testing.T) {
	var reg claim.Registry
	for i := range 40 {
		reg.Entries = append(reg.Entries, entry(fmt.Sprintf("C%d", i+1), fmt.Sprint("s", i), critical, answers("Q1", fmt.Sprintf("Q%d", i%2+2))))
	}
	r := score.Measure(reg, score.Input{Questions: []string{"Q1", "Q2", "Q3"}})
	require.Equal(t, 10, r.Critical, "five for each of two questions")
	for i := range reg.Entries {
		reg.Entries[i].Critical = i == 7
	}
	require.Equal(t, 1, score.Measure(reg, score.Input{Questions: []string{"Q1", "Q2", "Q3"}}).Critical, "what answers a question is not critical for that alone")
}

// What one file of code says there is no second source for: it is confirmed by two
// families that read the same in it.
func TestCodeIsConfirmedByItsReaders(t *testing.T) {
	e := entry("C1", "raft/log.go", typed(claim.Code), critical, answers("Q1"))
	e.Families = []string{"rival"}
	require.Zero(t, score.Measure(of(e), score.Input{}).Crossed, "its own family alone")
	e.Families = []string{"another"}
	require.Equal(t, 1, score.Measure(of(e), score.Input{}).Crossed)
	e.Type = claim.Experiment
	require.Equal(t, 1, score.Measure(of(e), score.Input{}).Crossed, "what was run stands there to be read and to be run again")
	e.Type = claim.Community
	require.Zero(t, score.Measure(of(e), score.Input{}).Crossed, "a blog defines nothing")
}
