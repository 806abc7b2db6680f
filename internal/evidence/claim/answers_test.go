package claim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
)

// What families have said of the pairs decides what is one answer and what opposes.
func TestTheAnswerToAQuestionIsWhatSeatsRecommendAndWhoHoldsIt(t *testing.T) {
	recommends := func(id, seat, family, text string, grounds ...string) claim.Entry {
		return claim.Entry{ID: id, Kind: claim.Recommendation, Text: text, Seats: []string{seat}, Families: []string{family}, Questions: []string{"Q2"}, RestsOn: grounds}
	}
	agreed := func(a, b string, kind relation.Kind) relation.Relation {
		return relation.Relation{A: a, B: b, Kind: kind, Condition: "each its own", Voices: []relation.Voice{{Family: "x", Kind: kind}, {Family: "y", Kind: kind}}}
	}
	refuted := fact("C9", "contradicts")
	for name, c := range map[string]struct {
		entries         []claim.Entry
		relations       []relation.Relation
		held            []string // the seats of each position, the most widely held first
		agreed, opposed bool
	}{
		"three families, one answer in other words": {
			[]claim.Entry{recommends("C1", "a", "x", "Take raftkit.", "C8"), recommends("C2", "b", "y", "Use raftkit.", "C8"), recommends("C3", "c", "z", "raftkit is the better choice.", "C8")},
			[]relation.Relation{agreed("C1", "C2", relation.Same), agreed("C1", "C3", relation.Same)},
			[]string{"a b c"},
			true, false,
		},
		"two against one": {
			[]claim.Entry{recommends("C1", "a", "x", "Take raftkit.", "C8"), recommends("C2", "b", "y", "Take logtree.", "C8"), recommends("C3", "c", "z", "Take raftkit.", "C8")},
			[]relation.Relation{agreed("C1", "C2", relation.Contradicts)},
			[]string{"a c", "b"},
			false, true,
		},
		"each under its condition": {
			[]claim.Entry{recommends("C1", "a", "x", "Take raftkit unless you need Windows.", "C8"), recommends("C2", "b", "y", "Take logtree if you need more than 50,000 writes a second.", "C8")},
			[]relation.Relation{agreed("C1", "C2", relation.Condition)},
			[]string{"a", "b"},
			false, false,
		},
		"one seat alone": {
			[]claim.Entry{recommends("C1", "a", "x", "Take raftkit.", "C8")}, nil, []string{"a"}, false, false,
		},
		"two seats of one family": {
			[]claim.Entry{recommends("C1", "a", "x", "Take raftkit.", "C8"), recommends("C2", "d", "x", "Take raftkit for it.", "C8")},
			[]relation.Relation{agreed("C1", "C2", relation.Same)},
			[]string{"a d"},
			false, false,
		},
		"what rests on a refuted claim is none": {
			[]claim.Entry{recommends("C1", "a", "x", "Take raftkit.", "C8"), recommends("C2", "b", "y", "Take logtree.", "C9")},
			[]relation.Relation{agreed("C1", "C2", relation.Contradicts)},
			[]string{"a"},
			false, false,
		},
		"nobody recommends": {nil, nil, nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			reg := claim.Merge(claim.Registry{Entries: claim.Ground(append(c.entries, fact("C8", ""), refuted)), Relations: c.relations})
			var held []string
			for _, a := range claim.Answers(reg) {
				require.Equal(t, "Q2", a.Question)
				require.Equal(t, []bool{c.agreed, c.opposed}, []bool{a.Agreed, a.Opposed})
				for _, p := range a.Positions {
					held = append(held, strings.Join(p.Seats, " "))
				}
			}
			require.Equal(t, c.held, held)
			if c.opposed {
				require.True(t, claim.Docket(reg)[0].Conflict.Answers, "opposite answers are the first point")
				require.Equal(t, claim.P0, reg.Conflicts[0].Severity)
			}
			digest := string(claim.Digest(reg, claim.DigestLimit))
			require.Equal(t, len(held) > 0, strings.Contains(digest, "## What seats recommend"))
		})
	}
}

// Seats name the question they answer as they please: one says the whole, another a part.
func TestAnAnswerToAPartCountsForTheWholeWhereItSaysTheSame(t *testing.T) {
	recommends := func(id, seat, family, text string, questions ...string) claim.Entry {
		return claim.Entry{ID: id, Kind: claim.Recommendation, Text: text, Seats: []string{seat}, Families: []string{family}, Questions: questions, RestsOn: []string{"C8"}}
	}
	for name, c := range map[string]struct {
		kind            relation.Kind
		held            map[string][]string // by question the seats of each position
		agreed, opposed bool
	}{
		"the same":                  {relation.Same, map[string][]string{"Q1": {"a b"}, "Q2": {"b a", "b"}}, true, false},
		"the same with a condition": {relation.Narrower, map[string][]string{"Q1": {"a b"}, "Q2": {"b a", "b"}}, true, false},
		"the opposite":              {relation.Contradicts, map[string][]string{"Q1": {"a", "b"}, "Q2": {"b", "b", "a"}}, false, true},
		"something else":            {relation.Unrelated, map[string][]string{"Q1": {"a"}, "Q2": {"b", "b"}}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			entries := []claim.Entry{
				recommends("C1", "a", "x", "The service should use slog with one handler for all goroutines.", "Q1"),
				recommends("C2", "b", "y", "Use slog, with one JSONHandler.", "Q2"),
				recommends("C3", "b", "y", "Keep the level in a LevelVar.", "Q2"),
			}
			voices := []relation.Voice{{Family: "x", Kind: c.kind}, {Family: "y", Kind: c.kind}}
			reg := claim.Merge(claim.Registry{Entries: claim.Ground(append(entries, fact("C8", ""))), Relations: []relation.Relation{{A: "C1", B: "C2", Kind: c.kind, Voices: voices}}})
			held := map[string][]string{}
			for _, a := range claim.Answers(reg) {
				for _, p := range a.Positions {
					held[a.Question] = append(held[a.Question], strings.Join(p.Seats, " "))
				}
				if a.Question == "Q1" {
					require.Equal(t, []bool{c.agreed, c.opposed}, []bool{a.Agreed, a.Opposed})
				}
			}
			require.Equal(t, c.held, held)
		})
	}
}

// Two that contradict each other are no agreement by a third that both say more than.
func TestOppositeAdviceIsNotOnePositionByAThird(t *testing.T) {
	recommends := func(id, seat, family, text string) claim.Entry {
		return claim.Entry{ID: id, Kind: claim.Recommendation, Text: text, Seats: []string{seat}, Families: []string{family}, Questions: []string{"Q1"}, RestsOn: []string{"C8"}}
	}
	said := func(a, b string, kind relation.Kind) relation.Relation {
		return relation.Relation{A: a, B: b, Kind: kind, Voices: []relation.Voice{{Family: "x", Kind: kind}, {Family: "y", Kind: kind}}}
	}
	reg := claim.Merge(claim.Registry{
		Entries: claim.Ground([]claim.Entry{
			recommends("C1", "a", "x", "Keep the events in a database of rows."),
			recommends("C2", "b", "y", "Keep the events in a database of rows, and let that be Postgres."),
			recommends("C3", "c", "z", "Keep the events in a database of rows, and by no means in Postgres."),
			fact("C8", ""),
		}),
		Relations: []relation.Relation{said("C1", "C2", relation.Wider), said("C1", "C3", relation.Wider), said("C2", "C3", relation.Contradicts)},
	})
	answers := claim.Answers(reg)
	require.Len(t, answers, 1)
	require.Len(t, answers[0].Positions, 2)
	require.False(t, answers[0].Agreed)
	require.True(t, answers[0].Opposed)
}
