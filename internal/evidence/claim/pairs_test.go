package claim_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
)

func TestPairsToCompare(t *testing.T) {
	texts := []string{
		"The client retries 3 times.", "The client retries 5 times.", "A failed snapshot has to be reported by the application.",
		"The application must report a failed snapshot, or the follower may be stuck.", "A failed snapshot has to be reported by the application.", "Bread rises.",
	}
	r := claim.Merge(said(texts))
	r.Entries[5].Location.State = claim.NotFound
	pairs := func(most int) (ids []string) {
		for _, p := range claim.PairsToCompare(r, most) {
			ids = append(ids, relation.PairID(p[0].ID, p[1].ID))
		}
		return ids
	}
	all := pairs(40)
	require.Equal(t, "C1/C2", all[0], "what the rules see in conflict comes first")
	require.Contains(t, all, "C3/C4")
	for _, id := range all {
		require.NotContains(t, id, "C5", "one of a group stands for all")
		require.NotContains(t, id, "C6", "what was not found is worth no question")
	}
	require.Len(t, pairs(2), 2)
	require.Empty(t, pairs(0))
	r.Relations = said(texts, judged(1, 2, relation.Condition, "alpha", "beta")...).Relations
	require.NotContains(t, pairs(40), "C1/C2", "judged already")
}

// What a debate brings is held against what was there, and nothing else is.
func TestPairsWithNewClaims(t *testing.T) {
	r := claim.Merge(said([]string{"The client retries 3 times.", "The client retries 5 times.", "The pool holds 3 connections.", "The client retries 7 times."}))
	brought := func() []claim.Entry { return claim.NotJudged(r.Entries, "debate") }
	require.Empty(t, brought())
	require.Empty(t, claim.PairsWith(r, brought(), 40))
	r.Entries[3].Rounds = []string{"debate"}
	require.Len(t, brought(), 1)
	pairs := claim.PairsWith(r, brought(), 40)
	require.NotEmpty(t, pairs)
	for _, p := range pairs {
		require.Equal(t, "C4", p[1].ID)
	}
	require.Len(t, claim.PairsWith(r, brought(), 1), 1)
	for name, spoil := range map[string]func(*claim.Entry){
		"judged":    func(e *claim.Entry) { e.Support = &claim.Support{Verdict: claim.Supports} },
		"not found": func(e *claim.Entry) { e.Location.State = claim.NotFound },
		"withdrawn": func(e *claim.Entry) { e.Location.State = claim.Withdrawn },
	} {
		spoilt := r.Entries[3]
		spoil(&spoilt)
		require.Empty(t, claim.NotJudged([]claim.Entry{spoilt}, "debate"), name)
	}
	r.Entries[3].Rounds, r.Entries[3].Support = nil, &claim.Support{Verdict: claim.Qualifies, Former: true}
	require.Len(t, brought(), 1, "judges saw it resting on something else")
}

// Votes were given before a debate brought what speaks against a ground: whatever rests on
// it is voted on again, and nothing else.
func TestWhatRestsOnAContradictedClaimIsJudgedAgain(t *testing.T) {
	voted := &claim.Support{Verdict: claim.Supports}
	rests := func(id, on string) claim.Entry {
		return claim.Entry{ID: id, Kind: claim.Inference, Seats: []string{"ada"}, RestsOn: []string{on}, Location: claim.Location{State: claim.Reasoned}, Support: voted}
	}
	located := func(id, round string) claim.Entry {
		return claim.Entry{ID: id, Seats: []string{"ada"}, Rounds: []string{round}, Location: claim.Location{State: claim.Located}, Support: voted}
	}
	r := claim.Registry{
		Entries:   []claim.Entry{located("C1", "research"), located("C2", "debate"), rests("C3", "C6"), rests("C4", "C3"), rests("C5", "C2"), located("C6", "research")},
		Groups:    []claim.Group{{ID: "C1", Members: []string{"C1", "C6"}}},
		Conflicts: []claim.Conflict{{A: "C2", B: "C1"}},
	}
	shaken := func() (ids []string) {
		for _, e := range claim.Shaken(r, "debate") {
			ids = append(ids, e.ID)
		}
		return ids
	}
	require.Equal(t, []string{"C3", "C4"}, shaken(), "its group is contradicted")
	r.Entries[1].Rounds = []string{"research"}
	require.Empty(t, shaken(), "judges could have seen that")
	r.Entries[1].Rounds, r.Conflicts[0].Status = []string{"debate"}, claim.Dismissed
	require.Empty(t, shaken())
}

// Of many claims each is in a few pairs at most.
func TestPairsToCompareAreFew(t *testing.T) {
	var r claim.Registry
	for i := range 300 {
		r.Entries = append(r.Entries, quoteOrNone(i+1, fmt.Sprintf("The service %d keeps its backups for days on the disk number %d.", i%40, i), "x", "a.test/"))
	}
	seen := map[string]int{}
	for _, p := range claim.PairsToCompare(r, 1<<20) {
		seen[p[0].ID]++
		seen[p[1].ID]++
	}
	for id, n := range seen {
		require.LessOrEqual(t, n, relation.MostPairs+2, id)
	}
}

// One dispute beside many copies of one sentence is judged; the copies make a star.
func TestADisputeIsComparedBeforeCopies(t *testing.T) {
	var r claim.Registry
	add := func(seat, text string) string {
		n := len(r.Entries) + 1
		e := quoteOrNone(n, text, seat, "a.md")
		e.Location.First, e.Location.Last = 7, 7
		r.Entries = append(r.Entries, e)
		return e.ID
	}
	for i := range 8 {
		add([]string{"ada", "bob", "cleo"}[i%3], fmt.Sprintf("The application has to report each failed snapshot transfer to its leader%s.", []string{"", " soon", " itself", " again", " directly", " explicitly", " anew", " quickly"}[i]))
	}
	first := add("ada", "A small team should build on the first library, unless followers must serve reads.")
	second := add("bob", "Use of the second one is recommended for stores with five voters.")
	two := add("ada", "The election timeout of a follower is 200 ms in its default configuration.")
	three := add("cleo", "By default configuration, 1000 ms is the election timeout that a follower has.")
	pairs := claim.PairsToCompare(claim.Merge(r), 12)
	var ids []string
	copies := 0
	for _, p := range pairs {
		ids = append(ids, relation.PairID(p[0].ID, p[1].ID))
		if p[0].ID < "C9" && len(p[1].ID) == 2 && p[1].ID < "C9" {
			copies++
		}
	}
	require.Equal(t, relation.PairID(first, second), ids[0])
	require.Contains(t, ids[:3], relation.PairID(two, three))
	require.LessOrEqual(t, copies, 7, "%v", ids)
}

// A recommendation stands with a fact of another family that advises the same or the
// opposite, and with no other that has nothing but "advises" in common with it.
func TestAdviceStandsWithFactsThatSpeakOfTheSame(t *testing.T) {
	r := claim.Registry{Entries: []claim.Entry{{
		ID: "C1", Kind: claim.Recommendation, Text: "Set the busy timeout on every connection to five seconds.", RestsOn: []string{"C9"}, Seats: []string{"ada"}, Families: []string{"alpha"}, Location: claim.Location{State: claim.Reasoned},
	}}}
	for i, text := range []string{
		"The manual advises against a busy timeout of more than one second.", "The manual recommends to disable the cache of such drives.", "The guide recommends test restores of each backup.",
		"The guide advises to keep the file on a local disk.", "The makers advise a server for many writers.", "The makers recommend to build with threads.",
	} {
		r.Entries = append(r.Entries, quoteOrNone(2+i, text, "bob", fmt.Sprintf("%d.md", i)))
	}
	var ids []string
	for _, p := range claim.PairsToCompare(r, 40) {
		if p[0].ID == "C1" {
			ids = append(ids, p[1].ID)
		}
	}
	require.Equal(t, []string{"C2"}, ids)
}

// However much advice there is, facts that clash have their places.
// Advice on one part of the question, given on another beside it, is compared only with what
// speaks of the same.
func TestAdviceOnOtherPartsIsNotCompared(t *testing.T) {
	advises := func(id, family, text string, questions ...string) claim.Entry {
		return claim.Entry{ID: id, Kind: claim.Recommendation, Text: text, RestsOn: []string{"C9"}, Questions: questions, Families: []string{family}, Location: claim.Location{State: claim.Reasoned}}
	}
	r := claim.Registry{Entries: []claim.Entry{
		advises("C1", "a", "Give each laptop a repository of its own.", "Q2"),
		advises("C2", "b", "Send the first backup of every machine over the wire of the office.", "Q7", "Q2"),
		advises("C3", "b", "Keep all in one repository that every laptop shares.", "Q2", "Q1"),
		advises("C4", "c", "Keep one repository and let every laptop share it.", "Q5", "Q2"),
		advises("C5", "c", "Prune nothing at all.", "Q1"),
	}}
	var ids []string
	for _, p := range claim.PairsToCompare(r, 40) {
		ids = append(ids, relation.PairID(p[0].ID, p[1].ID))
	}
	require.Contains(t, ids, "C1/C3")
	require.Contains(t, ids, "C3/C4", "of other parts, and of the same")
	require.Contains(t, ids, "C3/C5", "what answers the whole is held against all that does")
	require.NotContains(t, ids, "C1/C2")
}

func TestMuchAdviceLeavesPlacesForFactsThatClash(t *testing.T) {
	var r claim.Registry
	for i, what := range []string{"a queue", "a lease", "a log", "a timer", "an index", "a backup", "a lock", "a fence"} {
		r.Entries = append(r.Entries, claim.Entry{
			ID: fmt.Sprintf("C%d", i+1), Kind: claim.Recommendation, Text: "The team should keep " + what + ".", RestsOn: []string{"C20"}, Questions: []string{"Q1"},
			Seats: []string{"ada"}, Families: []string{[]string{"alpha", "beta"}[i%2]}, Location: claim.Location{State: claim.Reasoned},
		})
	}
	for i, text := range []string{
		"Lost reads are retried 3 times by the application.", "Lost reads are retried 5 times by the application.",
		"A snapshot holds the state.", "The snapshot that is sent holds the state.", "A snapshot of it holds the state.", "Each snapshot holds all state.",
	} {
		r.Entries = append(r.Entries, quoteOrNone(20+i, text, []string{"ada", "bob"}[i%2], "a.md"))
	}
	var ids []string
	for _, p := range claim.PairsToCompare(r, 12) {
		ids = append(ids, relation.PairID(p[0].ID, p[1].ID))
	}
	require.Len(t, ids, 12)
	require.Contains(t, ids[:8], relation.PairID("C20", "C21"), "%v", ids)
}

// Inferences of rivals on one question are compared whatever their words.
func TestInferencesOnOneQuestionAreCompared(t *testing.T) {
	inference := func(id, text, family, question string) claim.Entry {
		return claim.Entry{ID: id, Kind: claim.Inference, Text: text, RestsOn: []string{"C9"}, Questions: []string{question}, Seats: []string{family}, Families: []string{family}, Location: claim.Location{State: claim.Reasoned}}
	}
	r := claim.Registry{Entries: []claim.Entry{
		inference("C1", "Latency will dominate.", "alpha", "Q2"), inference("C2", "The disk is what counts.", "beta", "Q2"),
		inference("C3", "Bread rises.", "beta", "Q3"), inference("C4", "Nothing else matters much.", "alpha", "Q2"),
	}}
	var ids []string
	for _, p := range claim.PairsToCompare(r, 40) {
		ids = append(ids, relation.PairID(p[0].ID, p[1].ID))
	}
	require.ElementsMatch(t, []string{"C1/C2", "C2/C4"}, ids)
}

// A fact is never the same as a piece of advice, and such pairs take no places.
func TestAdviceIsNotComparedWithFacts(t *testing.T) {
	texts := []struct {
		kind         claim.Kind
		text, family string
	}{
		{"", "The scheduler waits 10 seconds for running jobs unless WithStopTimeout sets another time.", "alpha"},
		{"", "The scheduler's stop timeout, by which it waits for running jobs, is 10 seconds unless set by WithStopTimeout.", "beta"},
		{claim.Recommendation, "Set the scheduler's WithStopTimeout to 60 seconds, so that it waits for running jobs.", "alpha"},
		{claim.Recommendation, "Set WithStopTimeout to 60 seconds; the scheduler then waits for running jobs.", "beta"},
	}
	var r claim.Registry
	for i, c := range texts {
		e := claim.Entry{ID: fmt.Sprint("C", i+1), Kind: c.kind, Text: c.text, Questions: []string{fmt.Sprint("Q", 2+i)}, Seats: []string{c.family}, Families: []string{c.family}, Location: claim.Location{State: claim.Located}}
		if c.kind != "" {
			e.RestsOn, e.Location.State = []string{"C1"}, claim.Reasoned
		}
		r.Entries = append(r.Entries, e)
	}
	var ids []string
	for _, p := range claim.PairsToCompare(r, 40) {
		ids = append(ids, relation.PairID(p[0].ID, p[1].ID))
	}
	require.ElementsMatch(t, []string{"C1/C2", "C3/C4"}, ids)
}

// A later claim may take the place of one that was called critical.
func TestACriticalClaimGivesItsPlace(t *testing.T) {
	drafts, refused := claim.Decode(strings.NewReader(`{"id":"a","text":"One.","quote":"one is what it says here","source":"a.md:1","critical":true}
{"id":"b","text":"Two.","quote":"two is what it says here","source":"a.md:2","critical":true,"instead_of":"a"}
`), "ada", "research")
	require.Empty(t, refused)
	entries := claim.Register(nil, drafts)
	require.Equal(t, map[string]bool{"C2": true}, claim.Critical(entries))
	again, _ := claim.Decode(bytes.NewReader(drafts[1].Line()), "ada", "research")
	require.Equal(t, "a", again[0].InsteadOf)
	foreign := claim.Register(entries, []claim.Draft{{Seat: "bea", Text: "Three.", Quote: "three", Source: "a.md:3", InsteadOf: "C2"}})
	require.True(t, claim.Critical(foreign)["C2"], "what others call critical stays")
}
