package councilwork

import (
	"bytes"
	"fmt"
	"slices"

	"research-council/internal/agent"
	"research-council/internal/engine/flow"
	"research-council/internal/evidence/claim"
	"research-council/internal/evidence/score"
	"research-council/internal/evidence/vote"
	"research-council/internal/product/council"
)

// Bounds on what judges are asked, so that a ballot is read with care.
const (
	maxBallotClaims = 40 // claims on one ballot
	maxDisputes     = 12 // conflicts before validators and debaters
	maxDoubted      = 6  // single claims in doubt, beside them
)

// assessRefinement takes in the claims of the refinement and lays out the pairs of
// claims to be compared.
func (s *tellers) assessRefinement(r flow.Run) (*flow.Assessment, error) {
	found, err := s.assessStage(r, council.Refinement)
	if err != nil {
		return found, err
	}
	return s.layOutPairs(r, found)
}

// judges are the seats that may judge.
func (s *tellers) judges(r flow.Run) []flow.Seat {
	if s.Judges == nil {
		return council.Judges(r)
	}
	return s.Judges(r)
}

// families are those of the judges.
func (s *tellers) families(r flow.Run) []string {
	var list []string
	for _, judge := range s.judges(r) {
		list = append(list, judge.Brand)
	}
	return list
}

// atIssue are the claims that are voted on.
func (s *tellers) atIssue(r flow.Run, entries []claim.Entry) []claim.Entry {
	if s.VotedOn == nil {
		return entries
	}
	return s.VotedOn(r, entries)
}

// Ballots lays out for each family what it may vote on.
func (s *tellers) Ballots(r flow.Run, found *flow.Assessment) (*flow.Assessment, error) {
	entries := s.atIssue(r, s.Registry().Entries)
	found.Ballots = map[string]int{}
	for _, judge := range s.judges(r) {
		asked := vote.ClaimsToJudge(entries, s.Registry().Groups, judge.Brand, s.families(r), maxBallotClaims)
		found.Ballots[judge.Brand] = len(asked)
		if err := s.Folder.Write(council.BallotFile(judge.Brand), []byte(vote.BallotPaper(asked))); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// assessVotes takes in votes and, once there are any, rulings, and measures the
// evidence again.
func (s *tellers) assessVotes(r flow.Run) (*flow.Assessment, error) {
	reg := s.Registry()
	if r.Visit > 1 {
		reg = s.applyRulings(r, reg)
	} else {
		reg.Entries = s.CountVotes(r, reg.Entries)
	}
	found, err := s.Assess(r, reg)
	if err != nil {
		return nil, err
	}
	reg = s.Registry()
	disputed, doubted := vote.Disputed(reg.Conflicts, maxDisputes), s.doubtedClaims(reg)
	found.Points = len(disputed) + len(doubted)
	docket := vote.DisputeList(reg, disputed, doubted)
	return found, s.Folder.Write(council.DisputesFile, []byte(docket))
}

// CountVotes is the registry's claims with the votes on them.
func (s *tellers) CountVotes(r flow.Run, entries []claim.Entry) []claim.Entry {
	poll := vote.Poll{Families: s.families(r), Rule: vote.DefaultRule()}
	for _, t := range r.LastTasks(council.Support) {
		for _, e := range vote.ClaimsToJudge(s.atIssue(r, entries), s.Registry().Groups, t.Brand, poll.Families, maxBallotClaims) {
			poll.Asked = append(poll.Asked, e.ID)
		}
		if !t.Outcome.Good() {
			poll.Absent = append(poll.Absent, vote.Absence{Seat: t.Seat, Family: t.Brand, Reason: t.Reason})
			continue
		}
		ballots, refused := vote.Decode(bytes.NewReader(s.Published(t)), t.Seat, t.Brand)
		s.logRefused(t, refused)
		poll.Ballots = append(poll.Ballots, ballots...)
	}
	if len(poll.Asked) == 0 {
		return entries
	}
	return vote.CountVotes(entries, poll)
}

// applyRulings is the registry with what the validators found: their evidence, and
// the conflicts it decides.
func (s *tellers) applyRulings(r flow.Run, reg claim.Registry) claim.Registry {
	var rulings []vote.Ruling
	for _, t := range r.LastTasks(council.Validation) {
		if !t.Outcome.Good() {
			continue
		}
		reg.Entries = claim.Register(reg.Entries, s.Recorded(t))
		list, refused := vote.DecodeRulings(bytes.NewReader(s.Published(t)), t.Seat, t.Brand)
		s.logRefused(t, refused)
		for _, ruling := range list {
			if draft, ok := ruling.Draft(); ok {
				draft.Round = council.Validation
				reg.Entries = claim.Register(reg.Entries, []claim.Draft{draft})
			}
			rulings = append(rulings, ruling)
		}
	}
	s.fetch(reg.Entries)
	reg.Conflicts = vote.ApplyRulings(reg, rulings, s.isRulingLocated)
	return reg
}

// isRulingLocated reports whether the words a ruling rests on are where it says.
func (s *tellers) isRulingLocated(ruling vote.Ruling) bool {
	draft, ok := ruling.Draft()
	if !ok {
		return false
	}
	entries := claim.Locate(claim.Register(nil, []claim.Draft{draft}), s.texts.ArchivedOnly())
	return entries[0].Location.State == claim.Located
}

// doubtedClaims are the critical claims that are not confirmed and that no rival's
// vote supports, those apart that an open conflict is about in any case: what a
// recommendation rests on first, then what judges found wanting, then what nobody
// has judged.
func (s *tellers) doubtedClaims(reg claim.Registry) []claim.Entry {
	var list []claim.Entry
	disputed := map[string]bool{}
	for _, c := range reg.Conflicts {
		if score.IsOpen(c) {
			disputed[c.A], disputed[c.B] = true, true
		}
	}
	for _, id := range s.score().Unconfirmed {
		if e, ok := reg.Entry(id); ok && !disputed[id] && (!e.Verified() || e.Support.Own) {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b claim.Entry) int { return doubtRank(a) - doubtRank(b) })
	return list[:min(len(list), maxDoubted)]
}

func doubtRank(e claim.Entry) int {
	rank := map[string]int{claim.Contradicts: 0, claim.Undecided: 1, claim.Qualifies: 2, claim.Unjudged: 3}[e.Verdict()]
	if e.Location.State != claim.Located {
		rank = 4
	}
	if !e.Blast {
		rank += 5
	}
	return rank
}

// updateDebate takes in the rounds of a debate, and concludes it when it is over.
func (s *tellers) updateDebate(r flow.Run) (*flow.Assessment, error) {
	reg := s.Registry()
	rounds := s.rounds(r, reg)
	if len(rounds) == 0 {
		return &flow.Assessment{Settled: true, Reasons: []string{"no debate was held: it needs two families with a model that have left a report"}}, nil
	}
	points := s.points(reg)
	over, why := vote.IsOver(points, rounds, council.DebateRounds)
	if !over {
		return &flow.Assessment{}, nil
	}
	result := vote.Conclude(s.ID+"/debate", points, rounds)
	reg.Conflicts = vote.ApplyDebate(reg.Conflicts, result)
	if err := s.WriteJSON(map[string]any{council.DebateFile: result}); err != nil {
		return nil, err
	}
	if err := s.Folder.Write(council.Transcript, []byte(vote.Transcript(result))); err != nil {
		return nil, err
	}
	found, err := s.Assess(r, reg)
	if err != nil {
		return nil, err
	}
	found.Settled = true
	found.Reasons = []string{fmt.Sprintf("the debate ended after %d rounds with %s: %s", result.Rounds, result.Equilibrium, why)}
	return found, nil
}

// points are the ids of what there is to debate.
func (s *tellers) points(reg claim.Registry) []string {
	var ids []string
	for _, c := range vote.Disputed(reg.Conflicts, maxDisputes) {
		ids = append(ids, c.ID)
	}
	for _, e := range s.doubtedClaims(reg) {
		ids = append(ids, e.ID)
	}
	return ids
}

// rounds are the rounds of debate up to now, as far as evidence carries them.
func (s *tellers) rounds(r flow.Run, reg claim.Registry) []vote.Round {
	var rounds []vote.Round
	for _, v := range r.History {
		if v.Stage != council.Debate || len(v.Tasks) == 0 {
			continue
		}
		var positions []vote.Position
		for _, t := range v.Tasks {
			if t.Outcome.Good() {
				list, refused := vote.DecodePositions(bytes.NewReader(s.Published(t)), t.Seat, t.Brand)
				s.logRefused(t, refused)
				positions = append(positions, list...)
			}
		}
		rounds = append(rounds, vote.AdmitPositions(len(rounds)+1, positions, reg))
	}
	return rounds
}

// checkVotes measures what a judge has written: how many answers, and what is
// missing.
func (s *tellers) checkVotes(t flow.Task, data []byte) (given int, problems []string) {
	switch t.Role {
	case agent.Support:
		ballots, refused := vote.Decode(bytes.NewReader(data), t.Seat, t.Brand)
		problems = claimRefusalLines(refused)
		paper, err := s.Folder.Read(council.BallotFile(t.Brand))
		if err != nil {
			problems = append(problems, "the ballot cannot be read: "+err.Error())
		}
		for _, id := range vote.Unanswered(vote.BallotIDs(paper), ballots) {
			problems = append(problems, "there is no answer on "+id)
		}
		return len(ballots), problems
	case agent.Validation:
		rulings, refused := vote.DecodeRulings(bytes.NewReader(data), t.Seat, t.Brand)
		return len(rulings), claimRefusalLines(refused)
	}
	positions, refused := vote.DecodePositions(bytes.NewReader(data), t.Seat, t.Brand)
	return len(positions), claimRefusalLines(refused)
}

func claimRefusalLines(refused []claim.Refusal) []string {
	var list []string
	for _, r := range refused {
		list = append(list, fmt.Sprintf("line %d: %s", r.Line, r.Reason))
	}
	return list
}

// logRefused tells of lines that are no votes, rulings or positions.
func (s *tellers) logRefused(t flow.TaskState, refused []claim.Refusal) {
	for _, r := range refused {
		s.Log(fmt.Sprintf("%s: %s line %d: %s", t.Seat, t.Writes, r.Line, r.Reason))
	}
}
