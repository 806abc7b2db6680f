package relation_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/relation"
)

func TestAJudgesAnswerIsRead(t *testing.T) {
	said, refused, err := relation.Decode([]byte(`{"pairs": [
		{"pair": "C17/C3", "relation": "Narrower", "narrower": "C17", "words": "by bytes too", "more": 1},
		{"pair": "C1/C2", "relation": "same", "words": "retries"},
		{"pair": "C1/C4", "relation": "contradicts", "dispute": "date", "words": "2019, 2021", "settle": "the register"},
		{"pair": "C1/C5", "relation": "contradicts", "words": "x"},
		{"pair": "C1/C6", "relation": "condition", "condition": "with a warm cache", "words": "cold"},
		{"pair": "C1/C2", "relation": "unrelated"}
	]}`), "ada", "alpha")
	require.NoError(t, err)
	require.Empty(t, refused)
	by := func(j relation.Judgement) relation.Judgement { j.Seat, j.Family = "ada", "alpha"; return j }
	require.Equal(t, []relation.Judgement{
		by(relation.Judgement{A: "C3", B: "C17", Kind: relation.Wider, Words: "by bytes too"}),
		by(relation.Judgement{A: "C1", B: "C2", Kind: relation.Unrelated}),
		by(relation.Judgement{A: "C1", B: "C4", Kind: relation.Contradicts, Dispute: relation.Date, Words: "2019, 2021", Settle: "the register"}),
		by(relation.Judgement{A: "C1", B: "C5", Kind: relation.Contradicts, Dispute: relation.Fact, Words: "x"}),
		by(relation.Judgement{A: "C1", B: "C6", Kind: relation.Condition, Condition: "with a warm cache", Words: "cold"}),
	}, said)
}

func TestWhatIsNoJudgementIsRefused(t *testing.T) {
	for body, reason := range map[string]string{
		`{"pair": "C1/C1", "relation": "same"}`:                         "no pair of claims",
		`{"pair": "D1/C2", "relation": "same"}`:                         "no pair of claims",
		`{"pair": "C1", "relation": "same"}`:                            "no pair of claims",
		`{"pair": "C1/C2", "relation": "alike"}`:                        "none of same",
		`{"pair": "C1/C2", "relation": "narrower"}`:                     "which of the two",
		`{"pair": "C1/C2", "relation": "narrower", "narrower": "C3"}`:   "which of the two",
		`{"pair": "C1/C2", "relation": "condition", "condition": "  "}`: "no condition",
	} {
		said, refused, err := relation.Decode([]byte(`{"pairs":[`+body+`,{"pair":"C8/C9","relation":"same"}]}`), "ada", "alpha")
		require.NoError(t, err)
		require.Len(t, said, 1, body)
		require.Len(t, refused, 1, body)
		require.Contains(t, refused[0], reason)
	}
	for _, whole := range []string{"", "no", `[]`, `{"pairs":{}}`, `{"pairs":[]}{}`, `{"pairs":[` + strings.Repeat(`{},`, 1001) + `{}]}`, strings.Repeat(" ", 1<<20+1)} {
		_, _, err := relation.Decode([]byte(whole), "ada", "alpha")
		require.Error(t, err, "%.40s", whole)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"pairs":[{"pair":"C1/C2","relation":"narrower","narrower":"C2","words":"\u202e"}]}`))
	f.Add([]byte(`{"pairs":[{"pair":"C01/C2"},{"pair":"C+1/C2"},null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		said, _, err := relation.Decode(data, "s", "f")
		if err != nil {
			require.Empty(t, said)
		}
		seen := map[string]bool{}
		for _, j := range said {
			id := relation.PairID(j.A, j.B)
			require.Equal(t, j.A+"/"+j.B, id)
			require.False(t, seen[id])
			seen[id] = true
			require.Contains(t, []relation.Kind{relation.Same, relation.Narrower, relation.Wider, relation.Overlaps, relation.Contradicts, relation.Condition, relation.Unrelated}, j.Kind)
			require.LessOrEqual(t, len([]rune(j.Words)), 401)
			require.NotContains(t, j.Words, "\n")
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add("The client doesn't retry 3 times, v1.7.0 of May 1, 2024; at least $3.2 million/s.", "retries five times")
	f.Add("unless non-", "un don't 1e999 %")
	f.Add("%A", "0")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := relation.Read(a), relation.Read(b)
		require.Equal(t, relation.Compare(x, y).Kind, relation.Compare(y, x).Kind)
		require.NotEqual(t, relation.Contradicts, relation.Compare(x, x).Kind)
		if relation.Compare(x, y).Kind == relation.Same {
			require.Equal(t, x.Digest().Same, y.Digest().Same)
		}
		_, words := relation.Veto(x, x)
		require.Empty(t, words)
	})
}

// texts are claims C1, C2, …
func texts(list ...string) func(string) (string, bool) {
	return func(id string) (string, bool) {
		var n int
		_, err := fmt.Sscanf(id, "C%d", &n)
		if err != nil || n < 1 || n > len(list) {
			return "", false
		}
		return list[n-1], true
	}
}

// voices are judgements on C1 and C2, "family relation" each.
func voices(said ...string) []relation.Judgement {
	var list []relation.Judgement
	for i, s := range said {
		family, kind, _ := strings.Cut(s, " ")
		list = append(list, relation.Judgement{A: "C1", B: "C2", Kind: relation.Kind(kind), Seat: fmt.Sprint("seat", i), Family: family, Words: "words of " + family})
	}
	return list
}

func TestTwoFamiliesDecide(t *testing.T) {
	for _, c := range []struct {
		said   []string
		kind   relation.Kind
		single bool
	}{
		{[]string{"a same", "b same"}, relation.Same, false},
		{[]string{"a same", "b same", "c unrelated"}, relation.Same, false},
		{[]string{"a contradicts", "b contradicts", "c same"}, relation.Contradicts, false},
		{[]string{"a same"}, relation.Same, true},
		{[]string{"a contradicts"}, relation.Contradicts, true},
		{[]string{"a same", "a same"}, relation.Same, true},
		{[]string{"a same", "b unrelated"}, relation.Undecided, false},
		{[]string{"a same", "b narrower"}, relation.Undecided, false},
		{[]string{"a same", "b same", "c narrower", "d narrower"}, relation.Undecided, false},
		{[]string{"a same", "b narrower", "c wider"}, relation.Overlaps, false},
		{[]string{"a narrower", "b wider"}, relation.Overlaps, false},
		{[]string{"a narrower", "b overlaps", "c unrelated"}, relation.Overlaps, false},
		{[]string{"a narrower", "b narrower", "c overlaps"}, relation.Narrower, false},
		{[]string{"a overlaps"}, relation.Overlaps, true},
		{[]string{"a narrower", "b contradicts", "c overlaps", "d contradicts"}, relation.Undecided, false},
		{[]string{"a same", "a unrelated", "b same"}, relation.Same, true},
	} {
		got := relation.Decide(voices(c.said...), texts("The client retries.", "A client tries again."))
		require.Len(t, got, 1, c.said)
		require.Equal(t, c.kind, got[0].Kind, c.said)
		require.Equal(t, c.single, got[0].Single, c.said)
		require.NotEmpty(t, got[0].Voices, c.said)
		require.Equal(t, c.kind != relation.Undecided && !c.single, got[0].Agreed(c.kind) && c.kind != relation.Undecided, c.said)
	}
	require.Empty(t, relation.Decide(voices("a same"), texts("only one claim")), "a claim that is not there")
}

// However many say so, what a number or a verb keeps apart is not the same: it
// may be a contradiction.
func TestTheProgramForbids(t *testing.T) {
	for _, c := range [][2]string{
		{"The client retries 3 times.", "The client retries 5 times."},
		{"Packet loss is causing the timeout.", "Packet loss is delaying the timeout."},
		{"The queue persists by default.", "The queue does not persist by default."},
	} {
		r := relation.Decide(voices("a same", "b same", "c same"), texts(c[0], c[1]))[0]
		require.False(t, r.Agreed(relation.Same), c)
		require.True(t, r.Possible(), c)
		require.NotEmpty(t, r.Veto, c)
		require.True(t, r.IsSameToAll(), c)
		require.False(t, relation.Decide(voices("a same", "b same", "c contradicts"), texts(c[0], c[1]))[0].IsSameToAll(), c)
		require.False(t, relation.Decide(voices("a same"), texts(c[0], c[1]))[0].IsSameToAll(), c)
	}
	r := relation.Decide(voices("a same", "b same"), texts("The client retries 3 times.", "The client retries."))[0]
	require.True(t, r.Agreed(relation.Same))
}

func TestWhatIsDecidedDependsOnNoOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		said := rapid.SliceOf(rapid.Custom(func(t *rapid.T) relation.Judgement {
			n := rapid.IntRange(1, 3).Draw(t, "a")
			return relation.Judgement{
				A: fmt.Sprint("C", n), B: fmt.Sprint("C", n+rapid.IntRange(1, 2).Draw(t, "b")), Kind: rapid.SampledFrom([]relation.Kind{relation.Same, relation.Contradicts, relation.Unrelated}).Draw(t, "kind"),
				Family: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "family"),
			}
		})).Draw(t, "said")
		for i := range said {
			said[i].Seat = fmt.Sprint("seat", i) // one word of each
		}
		all := texts("one claim", "one claim more", "a third claim", "a fourth claim", "a fifth")
		want, err := json.Marshal(relation.Decide(said, all))
		require.NoError(t, err)
		got, err := json.Marshal(relation.Decide(rapid.Permutation(said).Draw(t, "another order"), all))
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got))
	})
}

func TestNoGroupHoldsWhatIsKeptApart(t *testing.T) {
	u := relation.NewUnion(4)
	u.Part(0, 2)
	require.True(t, u.Unite(0, 1))
	require.False(t, u.Unite(1, 2), "over another")
	require.True(t, u.Unite(2, 3))
	require.False(t, u.Unite(0, 3))
	require.Equal(t, [][]int{{0, 1}, {2, 3}}, u.Groups())
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		u := relation.NewUnion(n)
		edge := rapid.Custom(func(t *rapid.T) [2]int {
			return [2]int{rapid.IntRange(0, n-1).Draw(t, "i"), rapid.IntRange(0, n-1).Draw(t, "j")}
		})
		apart := rapid.SliceOf(edge).Draw(t, "apart")
		for _, p := range apart {
			if p[0] != p[1] {
				u.Part(p[0], p[1])
			}
		}
		for _, p := range rapid.SliceOf(edge).Draw(t, "together") {
			united := u.Unite(p[0], p[1])
			require.Equal(t, united, u.Find(p[0]) == u.Find(p[1]))
		}
		for _, p := range apart {
			require.True(t, p[0] == p[1] || u.Find(p[0]) != u.Find(p[1]))
			require.True(t, p[0] == p[1] || u.Parted(p[0], p[1]))
		}
		for _, g := range u.Groups() {
			require.True(t, slices.IsSorted(g))
		}
	})
}
