package councilwork

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/vote"
	"github.com/research-council/research-council/internal/product/council"
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
	switch {
	case s.Judges != nil:
		return s.Judges(r)
	case council.IsMerging(r.Setup):
		return council.AllJudges(r)
	}
	return council.Judges(r)
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

// Ballots lays out for each family what it may vote on, in batches: after a debate what
// nobody has judged yet, in one.
func (s *tellers) Ballots(r flow.Run, found *flow.Assessment) (*flow.Assessment, error) {
	entries, batches := s.atIssue(r, s.Registry().Entries), council.MostBatches
	if r.Visits(council.Debate) > 0 {
		batches, found.Earlier = 1, r.Visits(council.Support)
		entries = slices.Concat(claim.NotJudged(entries, council.Validation, council.Debate), claim.Shaken(s.Registry(), council.Validation, council.Debate))
	}
	found.Ballots = map[string]int{}
	for _, judge := range s.judges(r) {
		asked := vote.ClaimsToJudge(entries, s.Registry().Groups, judge.Brand, s.families(r), batches*council.ClaimsInBatch)
		found.Ballots[judge.Brand] = len(asked)
		batch := found.Earlier
		for claims := range council.Batches(asked, council.ClaimsInBatch) {
			batch++
			slices.SortStableFunc(claims, func(a, b claim.Entry) int { return kindRank(a.Kind) - kindRank(b.Kind) })
			paper := sinceDebate(r) + vote.BallotPaper(claims, s.Registry())
			if err := s.Folder.Write(council.BallotFile(judge.Brand, batch), []byte(paper)); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// sinceDebate tells judges who are asked once more why they are; "" before a debate.
func sinceDebate(r flow.Run) string {
	if r.Visits(council.Debate) == 0 {
		return ""
	}
	return "The debate has brought what is new here. A claim that was judged before is here again where another claim has taken the place of what it rested on, or contradicts that.\n\n"
}

// kindRank orders claims so that what others rest on is read first.
func kindRank(k claim.Kind) int {
	return slices.Index([]claim.Kind{claim.Inference, claim.Recommendation}, k) + 1
}

// assessVotes takes in votes and, once there are any, rulings, and measures the
// evidence again.
func (s *tellers) assessVotes(r flow.Run) (*flow.Assessment, error) {
	reg := s.Registry()
	if follows(r, council.Validation) {
		reg = s.applyRulings(r, reg)
	} else {
		reg.Entries = s.CountVotes(r, reg.Entries)
	}
	found, err := s.Assess(r, reg)
	if err != nil {
		return nil, err
	}
	if r.Visits(council.Debate) > 0 {
		return found, nil // what was open has been argued over
	}
	reg = s.Registry()
	open := s.docket(reg)
	found.Points = len(open.ids())
	found.Own = council.OwnDocket(&council.Docket{Points: open.points, Questions: open.questions})
	return found, s.writeDocket(reg, open)
}

// follows reports whether the stage before the one a run is in, however often that was
// visited, is this one.
func follows(r flow.Run, stage string) bool {
	for _, v := range slices.Backward(r.History) {
		if v.Stage != r.Stage {
			return v.Stage == stage
		}
	}
	return false
}

// CountVotes is the registry's claims with the votes on them.
func (s *tellers) CountVotes(r flow.Run, entries []claim.Entry) []claim.Entry {
	poll := vote.Poll{Families: s.families(r), Groups: s.Registry().Groups, Rule: vote.DefaultRule()}
	for _, t := range r.TasksInRow(council.Support) {
		asked := s.askedBy(t.Task)
		poll.Asked = append(poll.Asked, asked...)
		if !t.Outcome.Good() {
			poll.Absent = append(poll.Absent, vote.Absence{Seat: t.Seat, Family: t.Brand, Reason: t.Reason, Asked: asked})
			continue
		}
		ballots, refused := vote.Decode(bytes.NewReader(s.Published(t)), t.Seat, t.Brand)
		s.logRefused(t, refused)
		ballots = slices.DeleteFunc(ballots, func(b vote.Ballot) bool { return !slices.Contains(asked, b.ID) })
		poll.Ballots = append(poll.Ballots, ballots...)
		if left := vote.Unanswered(asked, ballots); len(left) > 0 {
			poll.Absent = append(poll.Absent, vote.Absence{Seat: t.Seat, Family: t.Brand, Reason: "no answer", Asked: left})
		}
	}
	if len(poll.Asked) == 0 {
		return entries
	}
	return vote.CountVotes(entries, poll)
}

// applyRulings is the registry with what the validators found: their evidence, and
// the conflicts it decides.
func (s *tellers) applyRulings(r flow.Run, reg claim.Registry) claim.Registry {
	open := s.laidOut(r, reg)
	tasks := r.LastTasks(council.Validation)
	s.takeLate(tasks, &reg)
	var rulings []vote.Ruling
	for _, t := range tasks {
		if !t.Outcome.Good() {
			continue
		}
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
	reg.Conflicts = vote.ApplyRulings(reg, vote.RulingsOnAll(rulings, open.points), s.isRulingLocated)
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

// updateDebate takes in the rounds of a debate, and concludes it when it is over.
func (s *tellers) updateDebate(r flow.Run) (*flow.Assessment, error) {
	reg := s.Registry()
	open := s.laidOut(r, reg)
	own, err := s.takeDebateClaims(r, &reg)
	if err != nil {
		return nil, err
	}
	rounds := s.rounds(r, reg, open, own)
	if vote.Spoken(rounds) == 0 {
		reg.Conflicts = claim.SettleWithdrawn(reg)
		return s.concluded(r, reg, "no debate was held: it needs two families with a model that have left a report, and one of them has to speak")
	}
	points := open.ids()
	over, why := vote.IsOver(points, rounds, council.DebateRounds)
	reg.Conflicts = claim.SettleWithdrawn(reg)
	left := open.stillOpen(reg, vote.Contested(points, rounds))
	if !over && len(left) == 0 {
		over, why = true, "what was left is withdrawn"
	}
	if !over {
		return &flow.Assessment{}, s.writeDocket(reg, open.only(left))
	}
	standing := open.stillOpen(reg, points)
	withdrawn := slices.DeleteFunc(slices.Clone(points), func(id string) bool { return slices.Contains(standing, id) })
	result := vote.Conclude(s.ID+"/debate", points, withdrawn, rounds).OnAll(open.points)
	reg.Conflicts = vote.ApplyDebate(reg.Conflicts, result)
	if err := s.WriteJSON(map[string]any{council.DebateFile: result}); err != nil {
		return nil, err
	}
	if err := s.Folder.Write(council.Transcript, []byte(vote.Transcript(result))); err != nil {
		return nil, err
	}
	return s.concluded(r, reg, fmt.Sprintf("the debate ended after %s with %s: %s", plural.Of(result.Rounds, "round"), result.Equilibrium, why))
}

// concluded measures the evidence after a debate, and lays out what is to be compared of
// what it has brought.
func (s *tellers) concluded(r flow.Run, reg claim.Registry, how string) (*flow.Assessment, error) {
	found, err := s.Assess(r, reg)
	if err != nil {
		return nil, err
	}
	found.Settled, found.Reasons = true, []string{how}
	return found, s.layOutNewPairs(r, found)
}

// clarifyInputs writes what a judge is handed so that it is for this judge: without pairs
// of its family's own claims, and with positions of others in ids that everybody knows.
func (s *tellers) clarifyInputs(t flow.Task) error {
	for _, read := range t.Reads {
		name := path.Base(read)
		data, err := s.Folder.Read(name)
		if err != nil {
			continue // it is not among the run's own files
		}
		var clear []byte
		switch t.Role {
		case agent.Comparison:
			clear = s.foreignPairs(t, data)
		case agent.Debate:
			clear = s.knownPositions(name, data)
		}
		if clear == nil {
			continue
		}
		if err := s.Folder.Write(path.Join(s.TaskFolder(t), supervisor.InputsDir, name), clear); err != nil {
			return err
		}
	}
	return nil
}

// ownNames are ids of the registry by the seat that has recorded the claim and its own
// name for it.
type ownNames map[[2]string]string

// inRegistry is a position whose claims are called by their ids in the registry.
func (own ownNames) inRegistry(p vote.Position) vote.Position {
	p.Arguments = slices.Clone(p.Arguments)
	for i, a := range p.Arguments {
		p.Arguments[i].Claim = cmp.Or(own[[2]string{p.Seat, a.Claim}], a.Claim)
		p.Arguments[i].Because = own.inWords(p.Seat, a.Because)
	}
	p.Insight = own.inWords(p.Seat, p.Insight)
	return p
}

// inWords is a seat's sentence with the ids of the registry for names of its own, as the
// desk gives them.
func (own ownNames) inWords(seat, said string) string {
	return ownName.ReplaceAllStringFunc(said, func(name string) string { return cmp.Or(own[[2]string{seat, name}], name) })
}

// ownName is a name that the desk gives to a claim of a seat.
var ownName = regexp.MustCompile(`\bown-\d+\b`)

// knownPositions are a seat's positions of the round before, as the others can read
// them: by ids of the registry, and where a claim is in no registry, in its words. nil for
// a file that holds no positions.
func (s *tellers) knownPositions(name string, data []byte) []byte {
	var by *flow.TaskState
	for _, v := range s.Now.History {
		for i, t := range v.Tasks {
			if v.Stage == council.Debate && t.Writes == name {
				by = &v.Tasks[i]
			}
		}
	}
	if by == nil {
		return nil
	}
	own := ownNames{}
	reg := s.Registry()
	drafts := s.Recorded(*by)
	for i := range drafts {
		s.nameSources(&drafts[i])
	}
	entries, places := claim.Try(reg.Entries, drafts, s.texts.ArchivedOnly())
	for i, d := range drafts {
		if d.Handle == "" || places[i] < 0 {
			continue
		}
		id := entries[places[i]].ID
		if _, known := reg.Entry(id); !known {
			id = plain.Line(strconv.Quote(d.Text), supervisor.MaxForeignRunes)
		}
		own[[2]string{by.Seat, d.Handle}] = id
	}
	positions, _ := vote.DecodePositions(bytes.NewReader(data), by.Seat, by.Brand)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, p := range positions {
		_ = enc.Encode(own.inRegistry(p)) // strings, lists and truths
	}
	return b.Bytes()
}

// takeDebateClaims takes what debaters have recorded in the last round into the
// registry, located, before anybody's position is counted. Groups and conflicts stay
// what is argued over. It gives the names that debaters may cite these claims by.
func (s *tellers) takeDebateClaims(r flow.Run, reg *claim.Registry) (ownNames, error) {
	own, isNew := s.takeLate(r.LastTasks(council.Debate), reg)
	if !isNew {
		return own, nil
	}
	s.fetch(reg.Entries)
	reg.Entries = claim.Ground(claim.Locate(claim.ClassifySources(reg.Entries, s.Setup.Topic), s.texts.ArchivedOnly()))
	return own, s.WriteJSON(map[string]any{claim.RegistryFile: *reg})
}

// takeLate takes what seats have recorded that read what was judged already, as
// validators and debaters do, into the registry. It stands although its seat came to no
// ruling or position. It gives the names that seats have for these claims, and whether
// anything is new.
func (s *tellers) takeLate(tasks []flow.TaskState, reg *claim.Registry) (own ownNames, isNew bool) {
	own = ownNames{}
	for _, t := range slices.Concat(tasks, tasks) { // twice: what one takes back another may have claimed before
		drafts := s.Recorded(t)
		for i := range drafts {
			s.nameSources(&drafts[i])
		}
		entries, places := claim.Try(reg.Entries, drafts, s.texts.ArchivedOnly())
		for i, d := range drafts {
			if d.Handle != "" {
				own[[2]string{t.Seat, d.Handle}] = entries[places[i]].ID
			}
		}
		isNew = isNew || len(entries) > len(reg.Entries)
		for i, e := range reg.Entries {
			taken, changed := takenLate(e, entries[i], t.Seat)
			entries[i], isNew = taken, isNew || changed
		}
		reg.Entries = entries
	}
	return own, isNew
}

// takenLate is a claim of the registry once a seat has recorded what it did in a
// validation or a debate: as it was, so that nobody becomes the author of what they have
// voted on, unless that mends one that was not found, withdraws it, or makes one that
// nobody made any more or that another has brought as late. It reports whether anything
// is new of it.
func takenLate(was, now claim.Entry, seat string) (claim.Entry, bool) {
	mends := now.Quote != was.Quote || was.Location.State == claim.NotFound && now.Location.State == claim.Unchecked
	joins := len(now.Seats) > len(was.Seats) && isLate(was)
	switch {
	case mends, joins, was.IsWithdrawn() && !now.IsWithdrawn():
		return now, true
	case len(now.Withdrawn) != len(was.Withdrawn):
		now.Rounds = was.Rounds // it is claimed in no further one
		return now, true
	}
	changed := slices.Contains(was.Seats, seat) && was.TakeCritical(now)
	if !slices.Equal(now.RestsOn, was.RestsOn) { // what it rested on is withdrawn, and another stands in its place
		was.RestsOn, was.Support, changed = now.RestsOn, now.Support, true
	}
	return was, changed
}

// isLate reports whether a claim was first made in a validation or a debate.
func isLate(e claim.Entry) bool {
	return len(e.Rounds) > 0 && (e.Rounds[0] == council.Validation || e.Rounds[0] == council.Debate)
}

// rounds are where the seats stood before a debate and its rounds up to now, as far
// as evidence carries them.
func (s *tellers) rounds(r flow.Run, reg claim.Registry, open docket, own ownNames) []vote.Round {
	var speakers []vote.Speaker
	for _, judge := range s.judges(r) {
		speakers = append(speakers, vote.Speaker{Seat: judge.Name, Family: judge.Brand})
	}
	rounds := []vote.Round{vote.Opening(open.points, reg, speakers)}
	for _, v := range r.History {
		if v.Stage != council.Debate || len(v.Tasks) == 0 || len(rounds) == 1 && !anyGood(v.Tasks) {
			continue // a debate begins when somebody speaks
		}
		var positions []vote.Position
		for _, t := range v.Tasks {
			if t.Outcome.Good() {
				list, refused := vote.DecodePositions(bytes.NewReader(s.Published(t)), t.Seat, t.Brand)
				s.logRefused(t, refused)
				positions = append(positions, list...)
			}
		}
		for i, p := range positions {
			positions[i] = own.inRegistry(p)
		}
		rounds = append(rounds, vote.AdmitPositions(len(rounds), positions, reg, open.ids()))
	}
	return rounds
}

func anyGood(tasks []flow.TaskState) bool {
	return slices.ContainsFunc(tasks, func(t flow.TaskState) bool { return t.Outcome.Good() })
}

// checkVotes measures what a judge has written: how many answers, and what is
// missing.
func (s *tellers) checkVotes(t flow.Task, data []byte) (given int, problems []string) {
	switch t.Role {
	case agent.Support:
		ballots, refused := vote.Decode(bytes.NewReader(data), t.Seat, t.Brand)
		problems = claimRefusalLines(refused)
		for _, id := range vote.Unanswered(s.askedBy(t), ballots) {
			problems = append(problems, "there is no answer on "+id)
		}
		return len(ballots), problems
	case agent.Validation:
		rulings, refused := vote.DecodeRulings(bytes.NewReader(data), t.Seat, t.Brand)
		return len(rulings), claimRefusalLines(refused)
	}
	positions, refused := vote.DecodePositions(bytes.NewReader(data), t.Seat, t.Brand)
	return len(positions), append(claimRefusalLines(refused), s.claimProblems(t, positions)...)
}

// claimProblems says which lines of its file of claims are refused, and which claims a
// debater argues from that neither the registry has nor it has recorded under such a name.
func (s *tellers) claimProblems(t flow.Task, positions []vote.Position) []string {
	known := map[string]bool{}
	for _, e := range s.Registry().Entries {
		known[e.ID] = true
	}
	drafts, refused := s.takeRecords(flow.TaskState{Task: t})
	for _, d := range drafts {
		known[d.Handle] = true
	}
	var list []string
	for _, r := range refused {
		list = append(list, fmt.Sprintf("%s: %s", placeOf(ClaimsFile, r), r.Reason))
	}
	for _, p := range positions {
		for _, a := range p.Arguments {
			if !known[a.Claim] {
				known[a.Claim] = true
				list = append(list, fmt.Sprintf("there is no claim %q in the registry, nor have you recorded one under that name", a.Claim))
			}
		}
	}
	return list
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
