package score_test

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/vote"
)

// council is what a council has come to, and what is to be argued over.
type council struct {
	Claims []struct {
		ID, Text, Seat, Family, Kind, Question, State string
		Critical                                      bool
		RestsOn                                       []string `json:"rests_on"`
	}
	Relations []struct {
		A, B, Relation, Condition string
		Families                  []string
		Possible                  bool
	}
	Votes     []struct{ Claim, Family, Verdict string }
	Questions []struct {
		ID       string
		Critical bool
		Gap      string
	}
	Round  int
	Expect struct {
		Debate   bool
		Docket   [][]string
		DocketOr [][]string `json:"docket_or"`
		Leave    [][]string `json:"docket_may_leave_out"`
		Last     [][]string `json:"last_or_absent"`
		First    string
		FirstOr  string `json:"first_or"`
	}
	Why string
}

// registry is what the claims, the judgements and the votes come to.
func (c council) registry(t *testing.T) claim.Registry {
	var r claim.Registry
	text := map[string]string{}
	for _, d := range c.Claims {
		if d.State == "withdrawn" {
			continue
		}
		text[d.ID] = d.Text
		r.Entries = append(r.Entries, claim.Entry{
			ID: d.ID, Text: d.Text, Source: d.ID + ".md", Key: d.ID, Seats: []string{d.Seat}, Families: []string{d.Family}, Critical: d.Critical || d.Kind == "recommendation", Confidence: claim.Medium,
			Questions: []string{strings.ToUpper(d.Question)}, Location: claim.Location{State: c.state(d.RestsOn)},
		})
	}
	var said []relation.Judgement
	for _, rel := range c.Relations {
		for _, family := range rel.Families {
			kind, dispute := relation.Kind(cmp.Or(map[string]string{"differs by condition": "condition"}[rel.Relation], rel.Relation)), relation.Dispute("")
			a, b := rel.A, rel.B
			if n, m := number(a), number(b); n > m {
				if a, b = b, a; kind == relation.Narrower {
					kind = relation.Wider
				}
			}
			if kind == relation.Contradicts {
				dispute = relation.Fact
			}
			said = append(said, relation.Judgement{A: a, B: b, Kind: kind, Condition: rel.Condition, Dispute: dispute, Seat: family, Family: family})
		}
		if rel.Possible {
			r.Conflicts = append(r.Conflicts, claim.Conflict{ID: "D" + rel.A[1:] + rel.B[1:], A: rel.A, B: rel.B, Kind: claim.ByFact, Possible: true, Status: claim.Open})
		}
	}
	r.Relations = relation.Decide(said, func(id string) (string, bool) { s, known := text[id]; return s, known })
	var ballots []vote.Ballot
	var asked []string
	for _, v := range c.Votes {
		answer := map[string]string{"supported": vote.Supports, "refuted": vote.Contradicts}[v.Verdict]
		require.NotEmpty(t, answer)
		ballots = append(ballots, vote.Ballot{ID: v.Claim, Seat: v.Family, Family: v.Family, Answer: answer})
		asked = append(asked, v.Claim)
	}
	r.Entries = vote.CountVotes(r.Entries, vote.Poll{Families: []string{"x", "y", "z"}, Asked: asked, Ballots: ballots, Rule: vote.DefaultRule()})
	return claim.Merge(r)
}

// state is located, unless all that a claim rests on is refuted.
func (c council) state(grounds []string) claim.State {
	for _, d := range c.Claims {
		if slices.Contains(grounds, d.ID) && d.State != "refuted" {
			return claim.Located
		}
	}
	if len(grounds) > 0 {
		return claim.Unchecked
	}
	return claim.Located
}

func number(id string) int { return len(id)*10 + int(id[len(id)-1]) }

// TestWhatIsArguedOver holds what comes onto the docket, in which order, and that
// nothing is argued where nothing is on it.
func TestWhatIsArguedOver(t *testing.T) {
	data, err := os.ReadFile("testdata/docket.jsonl")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		var c council
		require.NoError(t, json.Unmarshal([]byte(line), &c))
		if c.Round > 1 && !c.Expect.Debate {
			continue // what ends a debate, package vote knows
		}
		reg := c.registry(t)
		in := score.Input{}
		for _, q := range c.Questions {
			if id := strings.ToUpper(q.ID); q.Critical && q.Gap == "" {
				in.Critical = append(in.Critical, id)
			}
		}
		result := score.Measure(reg, in)
		var got []string
		for _, p := range claim.Docket(reg) {
			got = append(got, c.expected(p))
		}
		for _, q := range result.Unanswered {
			got = append(got, strings.ToLower(q))
		}
		want := names(c.Expect.Docket)
		optional := append(names(c.Expect.Leave), append(names(c.Expect.Last), names(c.Expect.DocketOr)...)...)
		required := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return slices.Contains(names(c.Expect.Leave), s) })
		for _, name := range required {
			require.Contains(t, got, name, "%s: %v", c.Why, reg.Conflicts)
		}
		for _, name := range got {
			require.Contains(t, append(want, optional...), name, "%s: %v", c.Why, reg.Conflicts)
		}
		if len(want) > 0 {
			require.Contains(t, append(want, c.Expect.First, c.Expect.FirstOr), got[0], c.Why)
			require.NotEqual(t, score.Report, result.Gate, c.Why)
		}
		if len(got) == 0 {
			require.Equal(t, score.Report, result.Gate, c.Why)
		}
	}
}

func names(pairs [][]string) []string {
	var list []string
	for _, p := range pairs {
		list = append(list, strings.Join(p, "/"))
	}
	return list
}

// expected is what a point is called in the list of what is expected: by those of
// its sides that are named there.
func (c council) expected(p claim.Point) string {
	for _, pair := range append(slices.Concat(c.Expect.Docket, c.Expect.Leave, c.Expect.Last), c.Expect.DocketOr...) {
		if len(pair) == 2 && (slices.Contains(p.A, pair[0]) && slices.Contains(p.B, pair[1]) || slices.Contains(p.A, pair[1]) && slices.Contains(p.B, pair[0])) {
			return strings.Join(pair, "/")
		}
	}
	return strings.Join(p.A, "+") + "/" + strings.Join(p.B, "+")
}
