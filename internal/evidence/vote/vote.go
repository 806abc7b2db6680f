// Package vote counts what judges say: whether a passage supports its claim,
// which side of a conflict new evidence decides, and how a debate ends.
//
// [Tally] makes votes a verdict, [ApplyRulings] makes validators' rulings the end of
// a conflict, [Conclude] makes rounds of positions an equilibrium. Three rules
// hold throughout. Nobody judges his own where a rival can: only families other
// than the author's count, and each family is one voice; a family that sits
// alone is asked again in a fresh turn, which the verdict says. A judge that
// failed has not voted, whatever was the matter. And nothing but located
// evidence moves a verdict.
//
// Asking the judges, repeating what failed, and looking for the quotations
// they bring is left to others.
package vote

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/claim"
)

// What a judge may answer: three answers about the passage, and that it does
// not speak to the claim, which is no vote.
const (
	Supports     = claim.Supports
	Qualifies    = claim.Qualifies
	Contradicts  = claim.Contradicts
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
	Fresh  bool   // it judges a claim of its own family, in a turn that knows nothing of how the claim was made
	on     string // another claim, of the same group and the same words, that it was given on
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
		b := Ballot{ID: strings.TrimSpace(w.ID), Seat: seat, Family: family, Answer: word(w.Answer), Reason: shortLine(w.Reason)}
		switch {
		case !isID(b.ID, "C"):
			return Ballot{}, "its id is none of a claim"
		case !slices.Contains(answers(), b.Answer):
			return Ballot{}, "its answer is none of " + strings.Join(answers(), ", ")
		}
		return b, ""
	})
}

// Unanswered lists the claims asked about that have no valid ballot among these,
// for the judge to be asked again.
func Unanswered(asked []string, ballots []Ballot) []string {
	return slices.DeleteFunc(slices.Clone(asked), func(id string) bool {
		return slices.ContainsFunc(ballots, func(b Ballot) bool { return b.ID == id && b.valid() })
	})
}

// Rule is how votes are counted.
type Rule struct {
	Wanted int // families whose votes make a verdict firm; with fewer, but one, it says so
}

// DefaultRule wants two families: one judge's slip is then seen.
func DefaultRule() Rule { return Rule{Wanted: 2} }

// Tally makes a verdict of ballots on one claim:
//
//   - an answer that more than half of the votes give is the verdict;
//   - else, if more than half bear the claim out at least in part (supports or
//     qualifies), it is qualifies;
//   - else it is undecided: the judges disagree;
//   - without any vote it is unjudged, with the reason.
//
// Each family has one vote, the answer on which its seats agree; of several
// ballots of one seat the last one is its own. Who answers unverifiable
// abstains, and who failed or answered nothing that can be read has not voted:
// neither counts for or against. Families among the authors have no vote, with
// one exception: where no other family voted and theirs was asked in a fresh
// turn, which the verdict then says.
func (r Rule) Tally(authors []string, ballots []Ballot) claim.Support {
	votes := familyVotes(ballots, func(b Ballot) bool { return !slices.Contains(authors, b.Family) })
	own := false
	if len(votes) == 0 {
		votes = familyVotes(ballots, func(b Ballot) bool { return b.Fresh && slices.Contains(authors, b.Family) })
		own = len(votes) > 0
	}
	if len(votes) == 0 {
		return claim.Support{Verdict: claim.Unjudged, Reason: noVote(authors, ballots)}
	}
	s := claim.Support{Verdict: verdictFromVotes(votes), Votes: votes, Own: own}
	var said []string
	if s.Verdict == claim.Undecided {
		said = append(said, "the judges disagree: "+answersOf(votes))
	}
	switch {
	case own:
		said = append(said, "single family: judged by the family that made the claim, in a fresh turn")
	case len(votes) < r.Wanted:
		said = append(said, fmt.Sprintf("%d of the %d families wanted have voted", len(votes), r.Wanted))
	}
	s.Reason = strings.Join(append(said, silentJudges(ballots, votes)...), "; ")
	return s
}

// familyVotes are the votes of those who may vote, one for each family that agrees
// with itself, in the order of their first ballots.
func familyVotes(ballots []Ballot, may func(Ballot) bool) []claim.Vote {
	var seats []claim.Vote // the last word of each seat
	for _, b := range ballots {
		if !b.valid() || !may(b) {
			continue
		}
		v := claim.Vote{Seat: b.Seat, Family: b.Family, Answer: b.Answer, Reason: b.Reason, On: b.on}
		if i := slices.IndexFunc(seats, func(o claim.Vote) bool { return o.Seat == v.Seat && o.Family == v.Family }); i >= 0 {
			seats[i] = v
			continue
		}
		seats = append(seats, v)
	}
	seats = slices.DeleteFunc(seats, func(v claim.Vote) bool { return v.Answer == Unverifiable })
	var votes []claim.Vote
	for _, v := range seats {
		counted := func(o claim.Vote) bool { return o.Family == v.Family }
		torn := func(o claim.Vote) bool { return o.Family == v.Family && o.Answer != v.Answer }
		if !slices.ContainsFunc(votes, counted) && !slices.ContainsFunc(seats, torn) {
			votes = append(votes, v)
		}
	}
	return votes
}

func verdictFromVotes(votes []claim.Vote) string {
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
	return claim.Undecided
}

// noVote says why nobody has judged.
func noVote(authors []string, ballots []Ballot) string {
	faults := silentJudges(ballots, nil)
	own := slices.ContainsFunc(ballots, func(b Ballot) bool { return b.valid() && slices.Contains(authors, b.Family) })
	switch {
	case len(faults) > 0:
		return "no judge could be heard: " + strings.Join(faults, "; ")
	case own:
		return "every family that was asked has made this claim itself"
	case len(ballots) > 0:
		return "no family agrees with itself"
	}
	return "no judge of another family was asked"
}

// silentJudges names the judges who were asked and have no vote, with what they said
// instead.
func silentJudges(ballots []Ballot, votes []claim.Vote) []string {
	var list []string
	for _, b := range ballots {
		heard := slices.ContainsFunc(votes, func(v claim.Vote) bool { return v.Seat == b.Seat && v.Family == b.Family })
		if b.valid() && b.Answer != Unverifiable || heard {
			continue
		}
		why := b.Seat + ": " + firstNonEmpty(b.Reason, "no answer")
		if b.valid() {
			why = b.Seat + " cannot tell" + withPrefix(": ", b.Reason)
		}
		if !slices.Contains(list, why) {
			list = append(list, why)
		}
	}
	return list
}

func withPrefix(mark, words string) string {
	if words == "" {
		return ""
	}
	return mark + words
}

func answersOf(votes []claim.Vote) string {
	var said []string
	for _, v := range votes {
		said = append(said, v.Family+" "+v.Answer)
	}
	return strings.Join(said, ", ")
}

// Absence is a judge that could not be heard of some claims, with the reason.
type Absence struct {
	Seat, Family, Reason string
	Asked                []string // ids
}

// Poll is what came of asking the judges.
type Poll struct {
	Families []string // of all judges, each once
	Asked    []string // ids of the claims that were on a ballot
	Ballots  []Ballot
	Absent   []Absence
	Groups   []claim.Group // of the claims: what is the same and rests on the same words is judged once
	Rule     Rule
}

// CountVotes gives each claim that was asked about its support, and leaves the
// others as they are, and those that nobody has answered on this time. An answer on one claim holds for others of its group that rest
// on the same words, where who gave it may judge them and was not asked about them.
func CountVotes(entries []claim.Entry, p Poll) []claim.Entry {
	on := map[string][]Ballot{}
	for _, b := range p.Ballots {
		on[b.ID] = append(on[b.ID], b)
	}
	for _, a := range p.Absent {
		for _, id := range a.Asked {
			on[id] = append(on[id], Ballot{ID: id, Seat: a.Seat, Family: a.Family, Reason: a.Reason})
		}
	}
	alike := matesOf(entries, p.Groups)
	counted := slices.Clone(entries)
	for i, e := range counted {
		ballots := slices.Clone(on[e.ID])
		asked := slices.Contains(p.Asked, e.ID)
		if !asked && isJudgedWithout(e, p.Asked) {
			continue // votes on another one say no more
		}
		for _, id := range alike[e.ID] {
			for _, b := range on[id] {
				if !slices.Contains(e.Families, b.Family) && !slices.ContainsFunc(on[e.ID], func(own Ballot) bool { return own.Family == b.Family }) {
					b.on, asked = id, true
					ballots = append(ballots, b)
				}
			}
		}
		heard := slices.ContainsFunc(ballots, Ballot.valid)
		if !asked || e.Support != nil && !heard {
			continue // what was said of it before stands
		}
		for n, b := range ballots {
			ballots[n].Fresh = slices.Contains(e.Families, b.Family) && MayJudge(e, b.Family, p.Families)
		}
		s := p.Rule.Tally(e.Families, ballots)
		counted[i].Support = &s
	}
	return counted
}

// isJudgedWithout reports whether a claim has votes of its own, or such as were given on
// others than those asked about now.
func isJudgedWithout(e claim.Entry, asked []string) bool {
	if e.Support == nil || len(e.Support.Votes) == 0 {
		return false
	}
	itself := func(v claim.Vote) bool { return v.On == "" }
	anew := func(v claim.Vote) bool { return slices.Contains(asked, v.On) }
	return slices.ContainsFunc(e.Support.Votes, itself) || !slices.ContainsFunc(e.Support.Votes, anew)
}

// reading is the same for facts of one group that rest on the same words: whoever has
// judged one of them has judged all. It is "" for what stands alone, or rests on claims.
func reading(e claim.Entry, group string) string {
	if group == "" || e.Location.State != claim.Located || e.Location.Passage == "" || e.Kind.RestsOnClaims() {
		return ""
	}
	key := group
	for _, p := range e.Evidence() {
		key += "\x00" + p.Key + "\x00" + strings.Join(strings.Fields(p.Location.Passage), " ")
	}
	return key
}

// matesOf are the other claims with the same reading, by the id of each.
func matesOf(entries []claim.Entry, groups []claim.Group) map[string][]string {
	group := map[string]string{}
	for _, g := range groups {
		for _, id := range g.Members {
			group[id] = g.ID
		}
	}
	same := map[string][]string{}
	for _, e := range entries {
		if key := reading(e, group[e.ID]); key != "" {
			same[key] = append(same[key], e.ID)
		}
	}
	mates := map[string][]string{}
	for _, ids := range same {
		for _, id := range ids {
			mates[id] = slices.DeleteFunc(slices.Clone(ids), func(other string) bool { return other == id })
		}
	}
	return mates
}

// MayJudge reports whether a family may judge a claim: one it has not made itself,
// or, where every family that judges has made it, its own in a fresh turn.
func MayJudge(e claim.Entry, family string, families []string) bool {
	if !slices.Contains(e.Families, family) {
		return true
	}
	return !slices.ContainsFunc(families, func(f string) bool { return !slices.Contains(e.Families, f) })
}

// ClaimsToJudge lists the claims one of the families that judge is to vote on, at most so
// many: those it may judge and whose quotation was located, or that rest on claims
// that hold. First come the recommendations and what they rest on, then
// the critical ones, then those that answer a question, the
// larger group before the smaller. Of those of a group that rest on the same words the
// surest located one alone is judged, for all; of each group one comes first, and those
// that rest on other words follow. Of claims not located there is no passage to judge.
func ClaimsToJudge(entries []claim.Entry, groups []claim.Group, family string, families []string, most int) []claim.Entry {
	size := map[string]int{} // of a claim's group
	group := map[string]string{}
	for _, g := range groups {
		for _, id := range g.Members {
			group[id], size[id] = g.ID, len(g.Members)
		}
	}
	may := slices.DeleteFunc(slices.Clone(entries), func(e claim.Entry) bool {
		return e.Location.State != claim.Located && e.Location.State != claim.Reasoned || !MayJudge(e, family, families)
	})
	critical, carries := claim.Critical(entries), claim.CarriesAnswer(entries)
	weight := func(e claim.Entry) int {
		n := 0
		if e.Kind == claim.Recommendation {
			n += 16
		}
		if carries[e.ID] {
			n += 8
		}
		if critical[e.ID] {
			n += 4
		}
		if len(e.Questions) > 0 {
			n += 2
		}
		return n
	}
	slices.SortStableFunc(may, func(a, b claim.Entry) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(size[b.ID], size[a.ID]))
	})
	may = surestOfEach(may, group)
	var first, then []claim.Entry
	stood := map[string]bool{} // groups that one claim stands for already
	for _, e := range may {
		if g, grouped := group[e.ID]; grouped && stood[g] {
			then = append(then, e)
			continue
		}
		stood[group[e.ID]] = true
		first = append(first, e)
	}
	all := append(first, then...)
	return all[:min(len(all), max(most, 0))]
}

// surestOfEach leaves of claims with the same reading the one that is located surest,
// in the place of the first of them.
func surestOfEach(list []claim.Entry, group map[string]string) []claim.Entry {
	at := map[string]int{}
	var kept []claim.Entry
	for _, e := range list {
		key := reading(e, group[e.ID])
		i, known := at[key]
		switch {
		case key == "" || !known:
			at[key] = len(kept)
			kept = append(kept, e)
		case doubts(e) < doubts(kept[i]):
			kept[i] = e
		}
	}
	return kept
}

// doubts counts what is to be said against where a claim was located.
func doubts(e claim.Entry) int {
	n := len(e.Location.Findings)
	if !claim.IsSure(e.Location) {
		n++
	}
	if e.Location.Doubt != "" {
		n++
	}
	return n
}
