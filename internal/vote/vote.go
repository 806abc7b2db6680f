// Package vote counts what judges say: whether a passage supports its claim,
// which side of a conflict new evidence decides, and how a debate ends.
//
// [Tally] makes votes a verdict, [Settle] makes validators' rulings the end of
// a conflict, [Conclude] makes rounds of positions an equilibrium. Three rules
// hold throughout. Nobody judges his own: only families other than the
// author's count, and each family is one voice. A judge that failed has not
// voted, whatever was the matter. And nothing but located evidence moves a
// verdict.
//
// Asking the judges, repeating what failed, and looking for the quotations
// they bring is left to others.
package vote

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"research-council/internal/claim"
)

// What a judge may answer: three answers about the passage, and that it does
// not speak to the claim.
const (
	Supports     = "supports"
	Qualifies    = "qualifies"
	Contradicts  = "contradicts"
	Unverifiable = "unverifiable"
)

func answers() []string { return []string{Supports, Qualifies, Contradicts, Unverifiable} }

// Ballot is one judge's answer on one claim. One whose answer is none of the
// four is no vote; its reason says what happened instead.
type Ballot struct {
	ID     string // of the claim
	Seat   string
	Family string
	Answer string
	Reason string
}

// valid reports whether a ballot is a vote. A judge of unknown family may be
// the author's own.
func (b Ballot) valid() bool { return b.Family != "" && slices.Contains(answers(), b.Answer) }

// Decode reads a judge's ballots, JSON Lines of the form
//
//	{"id": "C3", "answer": "supports", "reason": "…"}
//
// A line that is none is refused and the next one read.
func Decode(r io.Reader, seat, family string) ([]Ballot, []claim.Refusal) {
	return lines(r, func(line []byte) (Ballot, string) {
		var w struct{ ID, Answer, Reason string }
		if json.Unmarshal(line, &w) != nil {
			return Ballot{}, "no JSON object with the strings id, answer and reason"
		}
		b := Ballot{ID: strings.TrimSpace(w.ID), Seat: seat, Family: family, Answer: word(w.Answer), Reason: short(w.Reason)}
		switch {
		case !isID(b.ID, "C"):
			return Ballot{}, "its id is none of a claim"
		case !slices.Contains(answers(), b.Answer):
			return Ballot{}, "its answer is none of " + strings.Join(answers(), ", ")
		}
		return b, ""
	})
}

// Missing lists the claims asked about that have no valid ballot among these,
// for the judge to be asked again.
func Missing(asked []claim.Entry, ballots []Ballot) []claim.Entry {
	return slices.DeleteFunc(slices.Clone(asked), func(e claim.Entry) bool {
		return slices.ContainsFunc(ballots, func(b Ballot) bool { return b.ID == e.ID && b.valid() })
	})
}

// Rule is how votes are counted.
type Rule struct {
	Wanted int // families whose votes make a verdict firm; with fewer, but one, it says so
}

// Usual wants two families: one judge's slip is then seen.
func Usual() Rule { return Rule{Wanted: 2} }

// Tally makes a verdict of ballots on one claim, by the usual rule.
func Tally(authors []string, ballots []Ballot) claim.Support { return Usual().Tally(authors, ballots) }

// Tally makes a verdict of ballots on one claim:
//
//   - an answer that more than half of the votes give is the verdict;
//   - else, if more than half bear the claim out at least in part (supports or
//     qualifies), it is qualifies;
//   - else, and without any vote, it is unverifiable, with the reason.
//
// Votes of families among the authors are left out, and so are ballots that
// are none; of several of one family the last one is its vote.
func (r Rule) Tally(authors []string, ballots []Ballot) claim.Support {
	votes := voices(authors, ballots)
	if len(votes) == 0 {
		return claim.Support{Verdict: Unverifiable, Reason: noVote(authors, ballots)}
	}
	s := claim.Support{Verdict: verdict(votes), Votes: votes}
	switch {
	case s.Verdict == Unverifiable:
		s.Reason = unclear(votes)
	case len(votes) < r.Wanted:
		s.Reason = fmt.Sprintf("%d of the %d families wanted have voted", len(votes), r.Wanted)
	}
	return s
}

// voices are the valid votes, one for each family, in the order of their first
// ballots.
func voices(authors []string, ballots []Ballot) []claim.Vote {
	var votes []claim.Vote
	for _, b := range ballots {
		if !b.valid() || slices.Contains(authors, b.Family) {
			continue
		}
		v := claim.Vote{Seat: b.Seat, Family: b.Family, Answer: b.Answer, Reason: b.Reason}
		if i := slices.IndexFunc(votes, func(v claim.Vote) bool { return v.Family == b.Family }); i >= 0 {
			votes[i] = v
			continue
		}
		votes = append(votes, v)
	}
	return votes
}

func verdict(votes []claim.Vote) string {
	n := map[string]int{}
	for _, v := range votes {
		n[v.Answer]++
	}
	for _, a := range answers() {
		if 2*n[a] > len(votes) {
			return a
		}
	}
	if 2*(n[Supports]+n[Qualifies]) > len(votes) {
		return Qualifies
	}
	return Unverifiable
}

// noVote says why there is no verdict.
func noVote(authors []string, ballots []Ballot) string {
	var faults []string
	own := false
	for _, b := range ballots {
		switch {
		case !b.valid():
			faults = append(faults, because(b.Seat, b.Reason))
		case slices.Contains(authors, b.Family):
			own = true
		}
	}
	switch {
	case len(faults) > 0:
		return "no judge could be heard: " + strings.Join(faults, "; ")
	case own:
		return "every family that was asked has made this claim itself"
	}
	return "no judge of another family was asked"
}

func because(seat, reason string) string {
	if reason == "" {
		reason = "no answer"
	}
	return seat + ": " + reason
}

// unclear says what stands against a verdict.
func unclear(votes []claim.Vote) string {
	var said []string
	agreed := true
	for _, v := range votes {
		agreed = agreed && v.Answer == Unverifiable
		said = append(said, fmt.Sprintf("%s %s", v.Family, v.Answer))
	}
	if agreed {
		return because("the passage does not speak to the claim", votes[0].Reason)
	}
	return "the judges disagree: " + strings.Join(said, ", ")
}

// Absence is a judge that could not be heard, with the reason.
type Absence struct{ Seat, Family, Reason string }

// Poll is what came of asking the judges.
type Poll struct {
	Asked   []string // ids of the claims that were on a ballot
	Ballots []Ballot
	Absent  []Absence
	Rule    Rule
}

// Count gives each claim that was asked about its support, and leaves the
// others as they are.
func Count(entries []claim.Entry, p Poll) []claim.Entry {
	on := map[string][]Ballot{}
	for _, b := range p.Ballots {
		on[b.ID] = append(on[b.ID], b)
	}
	counted := slices.Clone(entries)
	for i, e := range counted {
		if !slices.Contains(p.Asked, e.ID) {
			continue
		}
		ballots := on[e.ID]
		for _, a := range p.Absent {
			ballots = append(ballots, Ballot{ID: e.ID, Seat: a.Seat, Family: a.Family, Reason: a.Reason})
		}
		s := p.Rule.Tally(e.Families, ballots)
		counted[i].Support = &s
	}
	return counted
}

// Ask lists the claims a family may vote on, at most so many, the critical
// ones first: those whose quotation was located and that it has not made
// itself. Of claims not located there is no passage to judge.
func Ask(entries []claim.Entry, family string, most int) []claim.Entry {
	var first, then []claim.Entry
	for _, e := range entries {
		switch {
		case e.Location.State != claim.Located || slices.Contains(e.Families, family):
		case e.Critical || len(e.Questions) > 0:
			first = append(first, e)
		default:
			then = append(then, e)
		}
	}
	all := append(first, then...)
	return all[:min(len(all), max(most, 0))]
}
