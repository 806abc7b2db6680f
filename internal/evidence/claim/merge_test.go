package claim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/claim"
)

const long = "the new compiler builds the whole tree of the project on a laptop with four cores in "

// reworded says the same as long in not quite its words.
const reworded = "a new compiler builds the whole tree of the project on a laptop with four cores in "

func quoteOrNone(id int, text, seat, src string) claim.Entry {
	return claim.Entry{
		ID: fmt.Sprintf("C%d", id), Text: text, Seats: []string{seat}, Families: []string{"of " + seat}, Source: src, Key: "url:" + src,
		Confidence: claim.Medium, Location: claim.Location{State: claim.Located},
	}
}

func TestMergeGroups(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		together   bool
	}{
		{"the same words", long + "May", long + "May", true},
		{"white space, capital, full stop", "It  grew a lot.", "it grew\na lot", true},
		{"marks that may decide", "It grew, a lot!", "It grew a lot", false},
		{"another article", long + "spring", reworded + "spring", true},
		{"a word more", long + "spring", "clearly " + long + "spring", false},
		{"too few words shared", "one two three four", "one two three five", false},
		{"another number", long + "12 seconds", long + "21 seconds", false},
		{"a negation", long + "spring", strings.Replace(long, "builds", "never builds", 1) + "spring", false},
		{"a figure written otherwise", long + "1,000 seconds", long + "1000 seconds", true},
		{"another unit", long + "12 seconds", long + "12 minutes", false},
		{"another name", "In tests at Google " + long + "spring", "In tests at Oracle " + long + "spring", false},
		{"another month", long + "May", long + "June", false},
		{"another quantity", long + "1.5 seconds", long + "15 seconds", false},
	} {
		for _, host := range []string{"a.test/1", "b.test/2"} {
			r := claim.Merge(claim.Registry{Entries: []claim.Entry{quoteOrNone(1, c.a, "x", "a.test/1"), quoteOrNone(2, c.b, "y", host)}})
			if !c.together {
				require.Empty(t, r.Groups, c.name)
				continue
			}
			sources := map[string]int{"a.test/1": 1, "b.test/2": 2}[host]
			require.Equal(t, []claim.Group{{
				ID: "C1", Members: []string{"C1", "C2"}, Seats: []string{"x", "y"}, Families: []string{"of x", "of y"}, Sources: sources, Agreed: true, Backed: sources,
			}}, r.Groups, c.name)
			require.Empty(t, r.Conflicts, c.name)
		}
	}
}

func TestMergeCountsIndependentSources(t *testing.T) {
	at := func(id int, key, text, passage string) claim.Entry {
		e := quoteOrNone(id, "It grew.", "x", key)
		e.Location.Text, e.Location.Passage = text, passage
		return e
	}
	lost := at(9, "z.test/", "", "")
	lost.Location.State = claim.NotFound
	for _, c := range []struct {
		name    string
		entries []claim.Entry
		copies  map[string]string
		want    int
	}{
		{"two hosts", []claim.Entry{at(1, "a.test/1", "t", "p"), at(2, "b.test/1", "u", "p")}, nil, 2},
		{"one source twice", []claim.Entry{at(1, "a.test/1", "t", "p"), at(2, "a.test/1", "t", "q")}, nil, 1},
		{"two pages of a host", []claim.Entry{at(1, "a.test/1", "t", "p"), at(2, "a.test/2", "u", "q")}, nil, 2},
		{"one text at two addresses of a host", []claim.Entry{at(1, "a.test/1", "t", "p"), at(2, "a.test/2", "t", "q")}, nil, 1},
		{"one passage on two pages of a host", []claim.Entry{at(1, "a.test/1", "t", "p p"), at(2, "a.test/2", "u", "p\np")}, nil, 1},
		{"a copy", []claim.Entry{at(1, "a.test/1", "t", "p"), at(2, "b.test/1", "u", "p")}, map[string]string{"url:b.test/1": "url:a.test/1"}, 1},
		{"two copies of what nobody cites", []claim.Entry{at(1, "a.test/1", "t", "p"), at(2, "b.test/1", "u", "p")}, map[string]string{"url:a.test/1": "url:c.test/", "url:b.test/1": "url:c.test/"}, 1},
		{"copies in a ring", []claim.Entry{at(1, "a.test/1", "t", "p"), at(2, "b.test/1", "u", "p")}, map[string]string{"url:a.test/1": "url:b.test/1", "url:b.test/1": "url:a.test/1"}, 2},
		{"one that was not found", []claim.Entry{at(1, "a.test/1", "t", "p"), lost}, nil, 1},
	} {
		r := claim.Merge(claim.Registry{Entries: c.entries, Copies: c.copies})
		require.Equal(t, c.want, r.Groups[0].Sources, c.name)
		require.False(t, r.Groups[0].Agreed, c.name)
	}
}

func TestMergeFindsConflicts(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		kind       claim.ConflictKind
	}{
		{"a number", long + "12 seconds", long + "21 seconds", claim.ByFact},
		{"a unit", long + "12 seconds", long + "12 minutes", claim.ByFact},
		{"a month", "The compiler was released in May.", "The compiler was released in June.", claim.ByDate},
		{"a year", long + "less time since 2019", long + "less time since 2020", claim.ByDate},
		{"a negation", long + "spring", strings.Replace(long, "builds", "never builds", 1) + "spring", claim.ByFact},
		{"a direction", "With it, memory use increases when " + long + "spring", "With it, memory use decreases when " + long + "spring", claim.ByFact},
		{"a short sentence", "Retries 3 times.", "Retries five times.", claim.ByFact},
		{"a default", "It persists by default.", "It does not persist by default.", claim.ByFact},
		{
			"what a thing is", "A closure is a function that keeps the variables around it alive for as long as it can be called at all by any other part",
			"A closure is a block that keeps the variables around it alive for as long as it can be called at all by any other part", claim.ByDefinition,
		},
	} {
		for _, host := range []string{"a.test/1", "b.test/2"} {
			r := claim.Merge(claim.Registry{Entries: []claim.Entry{quoteOrNone(1, c.a, "x", "a.test/1"), quoteOrNone(2, c.b, "y", host)}})
			require.Len(t, r.Conflicts, 1, c.name)
			got := r.Conflicts[0]
			require.NotEmpty(t, got.Detail, c.name)
			got.Detail = ""
			require.Equal(t, claim.Conflict{ID: "D1", A: "C1", B: "C2", Kind: c.kind, Severity: claim.Minor, Possible: true, Status: claim.Open}, got, c.name)
		}
	}
}

func TestOtherThingsAreNoConflict(t *testing.T) {
	r := claim.Merge(claim.Registry{Entries: []claim.Entry{
		quoteOrNone(1, "In the tests at Google "+long+"12 seconds", "x", "a.test/"), quoteOrNone(2, "In the tests at Oracle "+long+"21 seconds", "y", "b.test/"),
		quoteOrNone(3, "It may be that "+long+"spring", "x", "a.test/"), quoteOrNone(4, "It is so that "+long+"spring", "y", "b.test/"),
		quoteOrNone(5, "In all tests "+long+"June", "x", "a.test/"), quoteOrNone(6, "In some tests "+long+"June", "y", "b.test/"),
		quoteOrNone(7, "In tests at Google "+long+"winter", "x", "a.test/"), quoteOrNone(8, "In tests at Oracle "+long+"winter", "y", "b.test/"),
		quoteOrNone(9, long+"May", "x", "a.test/"), quoteOrNone(10, long+"December", "y", "b.test/"),
	}})
	require.Empty(t, r.Groups)
	require.Empty(t, r.Conflicts)
}

func disputed() claim.Registry {
	return claim.Registry{Entries: []claim.Entry{
		quoteOrNone(1, long+"12 seconds", "x", "a.test/"), quoteOrNone(2, long+"21 seconds", "y", "b.test/"), quoteOrNone(3, reworded+"21 seconds", "z", "c.test/"),
	}}
}

func TestOneConflictStandsForAllBetweenTwoGroups(t *testing.T) {
	r := claim.Merge(disputed())
	require.Len(t, r.Groups, 1)
	require.Len(t, r.Conflicts, 1)
	require.Equal(t, []string{"C1", "C2"}, []string{r.Conflicts[0].A, r.Conflicts[0].B})
}

func TestSeverity(t *testing.T) {
	for _, c := range []struct {
		name      string
		of        int
		critical  bool
		questions []string
		want      claim.Severity
	}{
		{"neither", 0, false, nil, claim.Minor},
		{"critical", 0, true, nil, claim.P1},
		{"answers a question", 1, false, []string{"Q1"}, claim.P1},
		{"critical to a question", 1, true, []string{"Q1"}, claim.P0},
		{"critical to a question in its group", 2, true, []string{"Q1"}, claim.P0},
	} {
		r := disputed()
		r.Entries[c.of].Critical, r.Entries[c.of].Questions = c.critical, c.questions
		require.Equal(t, c.want, claim.Merge(r).Conflicts[0].Severity, c.name)
	}
}

func TestConfidenceDecides(t *testing.T) {
	for _, c := range []struct {
		a, b, sameAsB claim.Confidence
		want          string
	}{
		{claim.High, claim.Medium, claim.Medium, claim.ResolvedA},
		{claim.Low, claim.Medium, claim.Low, claim.ResolvedB},
		{claim.Medium, claim.Low, claim.High, claim.ResolvedB},
		{claim.Medium, claim.Medium, claim.Low, claim.Open},
		{"", "", "", claim.Open},
	} {
		r := disputed()
		r.Entries[0].Confidence, r.Entries[1].Confidence, r.Entries[2].Confidence = c.a, c.b, c.sameAsB
		got := claim.Merge(r).Conflicts[0]
		require.Equal(t, c.want, got.Status, c)
		require.Equal(t, c.want != claim.Open, got.Resolution != "", c)
	}
}

func TestWhatWasJudgedStands(t *testing.T) {
	for _, judged := range []string{claim.ResolvedA, claim.ResolvedB, claim.StillDivergent} {
		r := claim.Merge(disputed())
		r.Conflicts[0].Status, r.Conflicts[0].Resolution = judged, "debated"
		r.Entries[0].Confidence = claim.High
		again := claim.Merge(r)
		require.Equal(t, r.Conflicts, again.Conflicts)
	}
	r := claim.Merge(disputed())
	r.Entries[0].Confidence = claim.High
	r = claim.Merge(r)
	require.Equal(t, claim.ResolvedA, r.Conflicts[0].Status)
	r.Entries[1].Confidence = claim.High
	require.Equal(t, claim.Open, claim.Merge(r).Conflicts[0].Status, "what Merge decided it decides anew")
}

func TestConflictsKeepTheirIDs(t *testing.T) {
	r := disputed()
	r.Entries = r.Entries[:2]
	r = claim.Merge(r)
	r.Conflicts[0].ID = "D7"
	r.Entries = append(r.Entries, quoteOrNone(3, long+"33 seconds", "z", "c.test/"), quoteOrNone(4, reworded+"21 seconds", "z", "c.test/"))
	var got []string
	for _, c := range claim.Merge(r).Conflicts {
		got = append(got, c.ID+" "+c.A+" "+c.B)
	}
	require.Equal(t, []string{"D7 C1 C2", "D8 C1 C3", "D9 C2 C3"}, got)
}

func TestMergeOfNothing(t *testing.T) {
	require.Equal(t, claim.Registry{}, claim.Merge(claim.Registry{}))
	one := claim.Registry{Entries: []claim.Entry{quoteOrNone(1, "", "x", "")}}
	require.Equal(t, one, claim.Merge(one))
}

// A thousand rows of a table, each against each, are no half a million
// conflicts.
func TestRivalsAreBounded(t *testing.T) {
	var r claim.Registry
	for i := range 1200 {
		r.Entries = append(r.Entries, quoteOrNone(i+1, fmt.Sprint(long, 1000+i, " seconds"), "x", "a.test/"))
	}
	got := claim.Merge(r)
	require.Empty(t, got.Groups)
	require.Less(t, len(got.Conflicts), 1200*17)
	seen := map[string]int{}
	for _, c := range got.Conflicts {
		seen[c.A]++
		seen[c.B]++
	}
	for _, e := range got.Entries {
		require.GreaterOrEqual(t, seen[e.ID], 16)
	}
}

func entries() *rapid.Generator[[]claim.Entry] {
	word := rapid.SampledFrom([]string{"alpha", "beta", "gamma", "delta", "not", "12", "21", "kg", "Paris", "Rome", "2020", "all"})
	return rapid.Custom(func(t *rapid.T) []claim.Entry {
		var list []claim.Entry
		base := "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
		for i := range rapid.IntRange(0, 14).Draw(t, "n") {
			text := base + strings.Join(rapid.SliceOfN(word, 0, 3).Draw(t, "words"), " ")
			e := quoteOrNone(i+1, text, rapid.SampledFrom([]string{"x", "y"}).Draw(t, "seat"), rapid.SampledFrom([]string{"a.test/", "b.test/"}).Draw(t, "source"))
			e.Critical = rapid.Bool().Draw(t, "critical")
			e.Confidence = rapid.SampledFrom([]claim.Confidence{claim.High, claim.Medium, claim.Low}).Draw(t, "confidence")
			list = append(list, e)
		}
		return list
	})
}

func TestMergeIsIndependentOfOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := entries().Draw(t, "entries")
		want := claim.Merge(claim.Registry{Entries: list})
		got := claim.Merge(claim.Registry{Entries: rapid.Permutation(list).Draw(t, "in another order")})
		require.Equal(t, want.Groups, got.Groups)
		require.Equal(t, want.Conflicts, got.Conflicts)
	})
}

// Whatever is merged again stays as it is, and in whatever portions entries
// come, a conflict's id means the same two sides for ever.
func TestMergeAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := entries().Draw(t, "entries")
		cut := rapid.IntRange(0, len(list)).Draw(t, "cut")
		first := claim.Merge(claim.Registry{Entries: list[:cut]})
		for i := range first.Conflicts {
			if rapid.Bool().Draw(t, "judged") {
				first.Conflicts[i].Status, first.Conflicts[i].Resolution = claim.StillDivergent, "debated"
			}
		}
		require.Equal(t, first, claim.Merge(first))
		both := first
		both.Entries = list
		both = claim.Merge(both)
		require.Equal(t, both, claim.Merge(both))
		for i, c := range first.Conflicts {
			now := both.Conflicts[i]
			require.Equal(t, []string{c.ID, c.A, c.B}, []string{now.ID, now.A, now.B})
			if c.Resolution == "debated" {
				require.Equal(t, c.Status, now.Status)
			}
		}
		seen := map[string]bool{}
		for _, g := range both.Groups {
			require.Greater(t, len(g.Members), 1)
			require.Equal(t, g.ID, g.Members[0])
			for _, id := range g.Members {
				require.False(t, seen[id], "in two groups")
				seen[id] = true
			}
			require.True(t, slices.IsSortedFunc(g.Members, func(a, b string) int { return len(a) - len(b) }))
		}
	})
}
