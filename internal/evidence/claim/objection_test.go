package claim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
)

// drafts are claims of a seat as lines of its file.
func drafts(t *testing.T, seat string, lines ...string) []claim.Draft {
	t.Helper()
	list, refused := claim.Decode(strings.NewReader(strings.Join(lines, "\n")), seat, "research")
	require.Empty(t, refused)
	for i := range list {
		list[i].Family = "of " + seat
	}
	return list
}

func line(id, text, more string) string {
	return `{"id":"` + id + `","text":"` + text + `","quote":"some words of the source","source":"a.md:1"` + more + `}`
}

func withdrawal(id string) string {
	return `{"withdraws":"` + id + `","reason":"The source speaks of an older version."}`
}

func replaced(id, by string) string {
	return `{"withdraws":"` + id + `","reason":"It was worded too widely.","replaced_by":"` + by + `"}`
}

func TestLinesThatContradictOrWithdraw(t *testing.T) {
	for given, problem := range map[string]string{
		line("a1", "It is 3.", `,"contradicts":["c74","a2"]`):                          "",
		line("a1", "It is 3.", `,"contradicts":"C74"`):                                 "",
		line("a1", "It is 3.", `,"contradicts":null`):                                  "",
		line("a1", "It is 3.", `,"contradicts":[74]`):                                  "no list of ids",
		line("a1", "It is 3.", `,"contradicts":{"id":"C74"}`):                          "no list of ids",
		line("a1", "It is 3.", `,"contradicts":[" "]`):                                 "without its id",
		line("a1", "It is 3.", `,"contradicts":["1","2","3","4","5","6","7","8","9"]`): "more than 8",
		withdrawal("C12"): "",
		`{"withdraws":"C12","reason":"x","replaced_by":"a4"}`:   "",
		`{"withdraws":"C12","reason":"x","replaced_by":["a4"]}`: "no string",
		`{"withdraws":"C12","reason":"x","replaced_by":"c12"}`:  "cannot replace itself",
		`{"withdraws":"C12"}`:                                       "no reason",
		`{"withdraws":"C12","reason":5}`:                            "no string",
		`{"withdraws":["C12"],"reason":"x"}`:                        "no string",
		`{"withdraws":"","reason":"x"}`:                             "without its id",
		`{"withdraws":"C12","reason":"x","text":"And so it goes."}`: "not both",
	} {
		list, refused := claim.Decode(strings.NewReader(given), "ada", "research")
		if problem == "" {
			require.Empty(t, refused, given)
			again, _ := claim.Decode(strings.NewReader(string(list[0].Line())), "ada", "research")
			require.Equal(t, list, again, "a draft reads back as it was")
			continue
		}
		require.Len(t, refused, 1, given)
		require.Contains(t, refused[0].Reason, problem)
	}
}

func TestWhatMayBeContradictedOrWithdrawn(t *testing.T) {
	known := claim.Register(nil, append(drafts(t, "ada", line("a1", "It is 3.", ""), line("a2", "It is 4.", ""), withdrawal("a2")), drafts(t, "bob", line("b1", "It is 5.", ""))...))
	own := drafts(t, "ada", line("a1", "It is 3.", ""), line("a2", "It is 4.", ""), withdrawal("a2"), line("a3", "It is 6.", ""), `{"id":"a4","kind":"inference","text":"So it is even.","rests_on":["a3"]}`)
	for given, problem := range map[string]string{
		line("x", "It is 7.", `,"contradicts":["C3"]`):      "",
		line("x", "It is 7.", `,"contradicts":["a3","C1"]`): "",
		line("x", "It is 7.", `,"contradicts":["C99"]`):     "there is no claim C99",
		line("x", "It is 7.", `,"contradicts":["b1"]`):      "there is no claim b1",
		line("x", "It is 7.", `,"contradicts":["C2"]`):      "C2 is withdrawn",
		line("x", "It is 7.", `,"contradicts":["a2"]`):      "a2 is withdrawn",
		line("x", "It is 6.", `,"contradicts":["a3"]`):      "itself",
		line("x", "It is 4.", ""):                           "you have withdrawn this claim",
		withdrawal("C1"):                                    "",
		withdrawal("a3"):                                    "",
		withdrawal("C2"):                                    "withdrawn already",
		withdrawal("a2"):                                    "withdrawn already",
		withdrawal("C3"):                                    "not yours to withdraw, it is claimed by bob",
		withdrawal("C99"):                                   "there is no claim C99",
		replaced("C1", "a3"):                                "",
		replaced("a3", "C1"):                                "",
		replaced("C1", "C99"):                               "there is no claim C99",
		replaced("C1", "a1"):                                "is the claim that is withdrawn",
		replaced("C1", "a2"):                                "a2 is withdrawn itself",
		replaced("C1", "C3"):                                "C3 is no claim of yours",
		replaced("C1", "a4"):                                "",
		replaced("a3", "a4"):                                "a4 rests on a3, directly or over others, and would rest on itself in its place",
	} {
		got := claim.DraftProblem(known, own, drafts(t, "ada", given)[0])
		if problem == "" {
			require.Empty(t, got, given)
			continue
		}
		require.Contains(t, got, problem, given)
	}
}

func TestAWithdrawnClaimStaysAndCountsForNothing(t *testing.T) {
	ada := drafts(t, "ada", line("a1", "It is 3.", ""), `{"kind":"inference","text":"So it is odd.","rests_on":["a1"]}`, withdrawal("a1"))
	entries := claim.Register(nil, ada)
	require.Len(t, entries, 2)
	entries = claim.Locate(claim.Register(entries, ada), shelf{"a.md": "There are some words of the source here."})
	require.Len(t, entries, 2, "the same once more changes nothing, as after a stop in between")
	require.Equal(t, claim.Withdrawn, entries[0].Location.State)
	require.Equal(t, []claim.Withdrawal{{Seat: "ada", Reason: "The source speaks of an older version."}}, entries[0].Withdrawn)
	require.False(t, entries[0].Holds())
	require.Equal(t, claim.Unfounded, entries[1].Location.State)
	require.Contains(t, entries[1].Location.Reason, "C1 was withdrawn")
	require.Empty(t, claim.NotFoundClaims(entries[:1], "ada"))

	reg := claim.Registry{Entries: entries}
	require.Contains(t, string(claim.Digest(reg, claim.DigestLimit)), "Withdrawn, and not to be cited: C1.")
	again := claim.Register(entries, drafts(t, "bob", line("b1", "It is 3.", "")))
	require.Equal(t, []string{"bob"}, again[0].Seats, "another may claim it all the same")
	require.False(t, again[0].IsWithdrawn())
	require.Equal(t, again, claim.Register(again, ada), "and then it is that one's, whatever was withdrawn before")
}

// What rests on a claim that its author words anew rests on the new one, whoever says it,
// and a vote that it follows is qualified by that.
func TestAReplacedClaimKeepsWhatRestsOnIt(t *testing.T) {
	shelf := shelf{"a.md": "There are some words of the source here."}
	entries := claim.Ground(claim.Locate(claim.Register(nil, append(drafts(t, "ada", line("a1", "At full speed it is 3.", "")),
		drafts(t, "bob", line("b1", "It is 5.", ""), `{"kind":"recommendation","text":"Take it.","rests_on":["C1","b1"]}`)...)), shelf))
	require.Equal(t, claim.Reasoned, entries[2].Location.State)
	entries[2].Support = &claim.Support{Verdict: claim.Supports, Votes: []claim.Vote{{Seat: "cleo", Family: "of cleo", Answer: claim.Supports}}}

	later := drafts(t, "ada", line("a1", "At full speed it is 3.", ""), line("a2", "With pauses it is 3.", ""), replaced("a1", "a2"))
	now := claim.Ground(claim.Locate(claim.Register(entries, later), shelf))
	require.True(t, now[0].IsWithdrawn())
	require.Equal(t, "C4", now[0].Withdrawn[0].ReplacedBy)
	require.Equal(t, []string{"C4", "C2"}, now[2].RestsOn)
	require.Equal(t, claim.Location{State: claim.Reasoned}, now[2].Location)
	require.Equal(t, claim.Qualifies, now[2].Verdict())
	require.Contains(t, now[2].Support.Reason, "resting on C1, which its author has replaced by C4")
	require.Equal(t, claim.Supports, entries[2].Verdict(), "the registry of before is as it was")
	again := claim.Ground(claim.Locate(claim.Register(now, append(later, drafts(t, "bob", `{"kind":"recommendation","text":"Take it.","rests_on":["C1","C2"]}`)...)), shelf))
	require.Equal(t, now, again, "the same once more changes nothing")

	third := claim.Ground(claim.Locate(claim.Register(again, append(later, drafts(t, "ada", line("a3", "With pauses of 1 s it is 3.", ""), replaced("a2", "a3"))...)), shelf))
	require.Equal(t, []string{"C5", "C2"}, third[2].RestsOn, "and so on")
}

// Two that replace each other hold nothing up.
func TestReplacementsInACircle(t *testing.T) {
	ada := drafts(t, "ada", line("a1", "It is 3.", ""), line("a2", "It is 4.", ""), `{"kind":"inference","text":"So it is.","rests_on":["a1"]}`, replaced("a1", "a2"), replaced("a2", "a1"))
	entries := claim.Ground(claim.Register(nil, ada))
	require.Equal(t, claim.Unfounded, entries[2].Location.State)
	require.Contains(t, entries[2].Location.Reason, "C1 was withdrawn")
}

func TestAWithdrawalLeavesAClaimToTheOthersWhoMakeIt(t *testing.T) {
	all := append(drafts(t, "ada", line("a1", "It is 3.", ""), line("a2", "It is 4.", ""), withdrawal("a1")), drafts(t, "bob", line("b1", "It is 3.", ""))...)
	e := claim.Register(nil, all)[0]
	require.Equal(t, []string{"bob"}, e.Seats)
	require.Equal(t, []string{"of bob"}, e.Families)
	require.False(t, e.IsWithdrawn())
}

// A claim that was found the same as another is withdrawn: the other stands for both.
func TestAWithdrawalOutOfAGroup(t *testing.T) {
	texts := []string{"The client retries a failed request 3 times.", "On failure, a request is repeated by the client thrice.", "A failed request is never retried by the client."}
	reg := claim.Merge(said(texts, append(judged(1, 2, relation.Same, "alpha", "beta"), judged(1, 3, relation.Contradicts, "alpha", "beta")...)...))
	require.Len(t, reg.Groups, 1)
	require.Equal(t, "C1", reg.Conflicts[0].A)
	reg.Entries = claim.Register(reg.Entries, []claim.Draft{{Withdraws: "C1", Reason: "wrong", Seat: "ada", Family: "of ada"}})
	reg = claim.Merge(reg)
	require.Empty(t, reg.Groups)
	require.Equal(t, "C2", reg.Conflicts[0].A, "the other of its group stands for it")
	require.True(t, reg.Conflicts[0].IsOpen())
	for _, p := range claim.PairsToCompare(reg, 10) {
		require.NotContains(t, relation.PairID(p[0].ID, p[1].ID), "C1/")
	}
	reg.Entries = claim.Register(reg.Entries, []claim.Draft{{Withdraws: "C2", Reason: "wrong", Seat: "bob", Family: "of bob"}})
	reg = claim.Merge(reg)
	require.Equal(t, claim.Dismissed, reg.Conflicts[0].Status)
	require.Contains(t, reg.Conflicts[0].Resolution, "C2 was withdrawn")
}

func TestAContradictionThatASeatStates(t *testing.T) {
	texts := []string{"Rely on the first library.", "Use the second library.", "Bread rises.", "Bread rises."}
	stated := func(judged ...relation.Judgement) claim.Registry {
		reg := said(texts, judged...)
		reg.Entries[0].Contradicts = []claim.Objection{{ID: "C2", Seat: "ada"}}
		reg.Entries[1].Contradicts = []claim.Objection{{ID: "C1", Seat: "bob"}} // and the other way round
		reg.Entries[2].Contradicts = []claim.Objection{{ID: "C4", Seat: "cleo"}, {ID: "C9", Seat: "cleo"}}
		return claim.Merge(reg)
	}
	reg := stated()
	require.Len(t, reg.Conflicts, 1, "one for the two, and none within a group")
	require.True(t, reg.Conflicts[0].Possible)
	require.Equal(t, []string{"ada", "bob"}, reg.Conflicts[0].SaidBy)
	require.Len(t, reg.Groups, 1, "a seat's word keeps nothing apart")
	pairs := claim.PairsToCompare(reg, 4)
	require.Equal(t, "C1/C2", relation.PairID(pairs[0][0].ID, pairs[0][1].ID), "it is compared before all others")
	require.Equal(t, "C3/C4", relation.PairID(pairs[1][0].ID, pairs[1][1].ID), "in a group too")
	require.Contains(t, string(claim.Digest(reg, claim.DigestLimit)), "possibly, said by ada and bob, C1 against C2")

	require.False(t, stated(judged(1, 2, relation.Contradicts, "alpha", "beta")...).Conflicts[0].Possible)
	require.Empty(t, stated(judged(1, 2, relation.Unrelated, "alpha", "beta")...).Conflicts, "families deny it")
	again := reg
	again.Relations = stated(judged(1, 2, relation.Unrelated, "alpha", "beta")...).Relations
	require.Equal(t, claim.Dismissed, claim.Merge(again).Conflicts[0].Status)
	reg.Entries[0].Contradicts, reg.Entries[1].Contradicts = nil, nil
	require.Equal(t, claim.Dismissed, claim.Merge(reg).Conflicts[0].Status, "nobody says so any more")
}
