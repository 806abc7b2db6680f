package vote_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"research-council/internal/evidence/claim"
	"research-council/internal/evidence/vote"
)

// heard makes a round of "seat side" words about D1, each argued from C1; the
// family is the seat's name up to a dash.
func heard(n int, words ...string) vote.Round {
	var list []vote.Position
	for _, w := range words {
		seat, side, _ := strings.Cut(w, " ")
		family, _, _ := strings.Cut(seat, "-")
		list = append(list, vote.Position{Seat: seat, Family: family, Conflict: "D1", Side: vote.Side(side), Arguments: []vote.Argument{{Claim: "C1"}}, Insight: seat + " in round " + fmt.Sprint(n)})
	}
	return vote.AdmitPositions(n, list, disputed())
}

func TestHowADebateEnds(t *testing.T) {
	for _, c := range []struct {
		name   string
		rounds [][]string
		over   string // "" while it goes on
		ends   vote.Equilibrium
		side   vote.Side
		moved  []string
	}{
		{"nothing said yet", nil, "", vote.NoneYet, "", nil},
		{"all agree at once", [][]string{{"claude A", "codex A"}}, "all agree", vote.Consensus, "A", nil},
		{"they differ", [][]string{{"claude A", "codex B"}}, "", vote.NoneYet, "", nil},
		{"one gives way", [][]string{{"claude A", "codex B"}, {"claude A", "codex A"}}, "all agree", vote.Dominance, "A", []string{"codex"}},
		{"both come to see both", [][]string{{"claude A", "codex B"}, {"claude both", "codex both"}}, "all agree", vote.Consensus, "both", []string{"claude", "codex"}},
		{"neither moves", [][]string{{"claude A", "codex B"}, {"claude A", "codex B"}}, "no position has changed", vote.Stable, "", nil},
		{"they change places until the rounds are spent", [][]string{{"claude A", "codex B"}, {"claude B", "codex A"}, {"claude A", "codex B"}}, "the rounds are spent", vote.NoneYet, "", nil},
		{"one falls silent and stands where it stood", [][]string{{"claude A", "codex B"}, {"claude A"}}, "no position has changed", vote.Stable, "", nil},
		{"one gives way to the silent", [][]string{{"claude A", "codex B"}, {"codex A"}}, "all agree", vote.Dominance, "A", []string{"codex"}},
		{"alone nobody agrees", [][]string{{"claude A"}}, "", vote.NoneYet, "", nil},
		{"seats of one family are one voice", [][]string{{"claude-1 A", "claude-2 A"}}, "", vote.NoneYet, "", nil},
		{"giving up is no dominance", [][]string{{"claude neither", "codex B"}, {"claude neither", "codex neither"}}, "all agree", vote.Consensus, "neither", []string{"codex"}},
	} {
		var rounds []vote.Round
		for i, words := range c.rounds {
			rounds = append(rounds, heard(i+1, words...))
		}
		over, why := vote.IsOver([]string{"D1"}, rounds, 3)
		require.Equal(t, c.over != "", over, c.name)
		require.Equal(t, c.over, why, c.name)
		r := vote.Conclude("run-1", []string{"D1"}, rounds)
		require.Equal(t, c.ends, r.Equilibrium, c.name)
		require.Equal(t, c.side, r.Points[0].Side, c.name)
		require.Equal(t, c.moved, r.Points[0].Moved, c.name)
		require.Equal(t, len(rounds), r.Rounds, c.name)
	}
}

func TestADebateAboutNothingIsOver(t *testing.T) {
	over, why := vote.IsOver(nil, nil, 3)
	require.True(t, over)
	require.Equal(t, "nothing is open", why)
	require.Equal(t, vote.NoneYet, vote.Conclude("x", nil, nil).Equilibrium)
}

func TestADebateIsAsFarAsItsWorstPoint(t *testing.T) {
	reg := disputed()
	reg.Conflicts = append(reg.Conflicts, claim.Conflict{ID: "D2", A: "C1", B: "C2"})
	at := func(seat, point string, side vote.Side) vote.Position {
		return vote.Position{Seat: seat, Family: seat, Conflict: point, Side: side, Arguments: []vote.Argument{{Claim: "C2"}}}
	}
	same := []vote.Position{at("claude", "D1", vote.A), at("codex", "D1", vote.A), at("claude", "D2", vote.A), at("codex", "D2", vote.B)}
	r := vote.Conclude("x", []string{"D1", "D2"}, []vote.Round{vote.AdmitPositions(1, same, reg), vote.AdmitPositions(2, same, reg)})
	require.Equal(t, vote.Stable, r.Equilibrium)
	require.Equal(t, []string{"C2"}, r.Points[0].Evidence)
	closed := vote.ApplyDebate(reg.Conflicts, r)
	require.Equal(t, claim.ResolvedA, closed[0].Status)
	require.Equal(t, "By debate, consensus after 2 rounds: all hold A (C2)", closed[0].Resolution)
	require.Equal(t, claim.StillDivergent, closed[1].Status)
	require.Equal(t, claim.Open, reg.Conflicts[0].Status, "what was given stays as it was")
}

func TestOnlyLocatedEvidenceArgues(t *testing.T) {
	reg := disputed()
	reg.Entries[1].Location.State = claim.NotFound
	say := func(point string, side vote.Side, claims ...string) vote.Position {
		p := vote.Position{Seat: "codex", Family: "openai", Conflict: point, Side: side}
		for _, c := range claims {
			p.Arguments = append(p.Arguments, vote.Argument{Claim: c})
		}
		return p
	}
	for _, c := range []struct {
		name    string
		said    vote.Position
		kept    int // arguments; -1 when the position is dropped
		dropped []string
	}{
		{"a located claim", say("D1", vote.A, "C1"), 1, nil},
		{"a claim that was not found", say("D1", vote.A, "C2"), -1, []string{"codex on D1: an argument from C2, which is no located claim", "codex on D1: side A, without an argument from a located claim"}},
		{"one of each", say("D1", vote.A, "C1", "C2"), 1, []string{"codex on D1: an argument from C2, which is no located claim"}},
		{"a claim nobody made", say("D1", vote.B, "C77"), -1, []string{"codex on D1: an argument from C77, which is no located claim", "codex on D1: side B, without an argument from a located claim"}},
		{"words", say("D1", vote.B, "everybody knows"), -1, []string{"codex on D1: an argument from something without a claim's id, which is no located claim", "codex on D1: side B, without an argument from a located claim"}},
		{"no argument at all", say("D1", vote.Both), -1, []string{"codex on D1: side both, without an argument from a located claim"}},
		{"to withhold judgement needs none", say("D1", vote.Neither), 0, nil},
		{"a point that is none", say("D9", vote.A, "C1"), -1, []string{"codex on D9: there is no such point"}},
		{"a single claim in doubt", say("C2", vote.A, "C1"), 1, nil},
	} {
		r := vote.AdmitPositions(1, []vote.Position{c.said}, reg)
		require.Equal(t, c.dropped, r.Dropped, c.name)
		if c.kept < 0 {
			require.Empty(t, r.Positions, c.name)
			continue
		}
		require.Len(t, r.Positions[0].Arguments, c.kept, c.name)
	}
}

func TestPositionsAreRead(t *testing.T) {
	positions, refused := vote.DecodePositions(strings.NewReader(`{"conflict": "D1", "side": "a", "arguments": [{"claim": "C4", "because": "it is\ndated"}, "C5"], "concession": true, "insight": "both, in their year", "seat": "somebody else"}
{"conflict": "D1", "side": "C"}
{"conflict": "D1", "side": "A", "arguments": "C4"}
{"side": "A"}
`), "codex", "openai")
	require.Equal(t, []vote.Position{{
		Seat: "codex", Family: "openai", Conflict: "D1", Side: vote.A, Concession: true, Insight: "both, in their year",
		Arguments: []vote.Argument{{Claim: "C4", Because: "it is dated"}, {Claim: "C5"}},
	}}, positions)
	require.Len(t, refused, 3)
}

func TestTheInsightIsThatOfWhoGaveWay(t *testing.T) {
	r := vote.Conclude("x", []string{"D1"}, []vote.Round{heard(1, "claude A", "codex B"), heard(2, "codex A", "claude A")})
	require.Equal(t, "codex in round 2", r.Insight)
}

func TestTheTranscriptTakesEveryMarkForItself(t *testing.T) {
	round := vote.AdmitPositions(1, []vote.Position{{
		Seat: "codex", Family: "openai", Conflict: "D1", Side: vote.A, Concession: true, Insight: "# a | b\n<script>x</script> [l](https://e.org)",
		Arguments: []vote.Argument{{Claim: "C1", Because: "**see**"}},
	}, {Seat: "claude", Family: "anthropic", Conflict: "D7", Side: vote.A}}, disputed())
	text := vote.Transcript(vote.Conclude("run-1", []string{"D1"}, []vote.Round{round}))
	for _, part := range []string{"# Debate run-1\n", "- Rounds: 1\n", "- Equilibrium: no equilibrium\n", "## Round 1\n", "**codex** on D1: **A**, conceding\n", "- C1: \\*\\*see\\*\\*\n", `# a \| b \<script\>x\</script\> \[l\](https\://e.org)`, "Left out:\n\n- claude on D7: there is no such point\n"} {
		require.Contains(t, text, part)
	}
}

func TestADebateIsBoundedAndCanBeReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 3
		var rounds []vote.Round
		for over := false; !over; over, _ = vote.IsOver([]string{"D1"}, rounds, most) {
			var words []string
			for _, seat := range []string{"claude", "codex", "gemini"} {
				if side := rapid.SampledFrom([]string{"A", "B", "both", "neither", "", ""}).Draw(t, seat); side != "" {
					words = append(words, seat+" "+side)
				}
			}
			rounds = append(rounds, heard(len(rounds)+1, words...))
			require.LessOrEqual(t, len(rounds), most)
		}
		r := vote.Conclude("x", []string{"D1"}, rounds)
		data, err := json.Marshal(r)
		require.NoError(t, err)
		var read vote.Result
		require.NoError(t, json.Unmarshal(data, &read))
		again, err := json.Marshal(vote.Conclude("x", []string{"D1"}, read.History))
		require.NoError(t, err)
		require.JSONEq(t, string(data), string(again), "a debate taken up from its record is the same")
		settled := r.Equilibrium == vote.Consensus || r.Equilibrium == vote.Dominance
		require.Equal(t, settled, r.Points[0].Side != "")
	})
}
