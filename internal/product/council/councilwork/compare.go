package councilwork

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/schema"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/vote"
	"github.com/research-council/research-council/internal/product/council"
)

// layOutPairs writes the pairs of claims that judges are to compare, in batches;
// none where nobody judges.
func (s *tellers) layOutPairs(r flow.Run, found *flow.Assessment) (*flow.Assessment, error) {
	judges := s.judges(r)
	most := council.MostBatches
	if council.IsMerging(r.Setup) {
		most = council.MostMergeBatches
	}
	if len(judges) < 2 {
		most = min(len(judges), 1) // one family alone agrees with nobody
	}
	reg := s.Registry()
	return found, s.writePairs(r, reg, claim.PairsToCompare(reg, most*council.PairsInBatch), found)
}

// writePairs writes pairs of claims in batches, behind those that were asked about before.
func (s *tellers) writePairs(r flow.Run, reg claim.Registry, pairs [][2]claim.Entry, found *flow.Assessment) error {
	found.Earlier = r.Visits(council.Comparison)
	for batch := range council.Batches(pairs, council.PairsInBatch) {
		found.Batches++
		if err := s.Folder.Write(council.PairsFile(found.Earlier+found.Batches), []byte(sinceDebate(r)+vote.PairsPaper(batch, reg.Entries))); err != nil {
			return err
		}
	}
	return nil
}

// layOutNewPairs writes the pairs that claims of a debate make with others, and counts
// those claims; none where one family alone judges.
func (s *tellers) layOutNewPairs(r flow.Run, found *flow.Assessment) error {
	reg := s.Registry()
	brought := claim.NotJudged(reg.Entries, council.Validation, council.Debate)
	if found.New = len(brought); found.New == 0 || len(s.judges(r)) < 2 {
		found.New = 0
		return nil
	}
	return s.writePairs(r, reg, claim.PairsWith(reg, brought, council.PairsInBatch), found)
}

// assessComparison takes in what judges say of pairs of claims, makes groups and
// conflicts of it, and lays out the ballots.
func (s *tellers) assessComparison(r flow.Run) (*flow.Assessment, error) {
	reg := s.Registry()
	reg.Relations = relation.Update(reg.Relations, s.relations(r, reg))
	found, err := s.Assess(r, reg)
	if err != nil {
		return found, err
	}
	return s.Ballots(r, found)
}

// mergeJudged makes groups and conflicts of claims that nobody here has made. No
// source is opened.
func (s *tellers) mergeJudged(r flow.Run) error {
	reg := s.Registry()
	reg.Relations = s.relations(r, reg)
	return s.WriteJSON(map[string]any{claim.RegistryFile: claim.Merge(reg)})
}

// relations are what was agreed of the pairs that judges have compared.
func (s *tellers) relations(r flow.Run, reg claim.Registry) []relation.Relation {
	var said []relation.Judgement
	for _, t := range r.TasksInRow(council.Comparison) {
		if !t.Outcome.Good() {
			continue
		}
		object, problems := schema.Check(t.Role, s.Published(t))
		list, refused, err := relation.Decode(object, t.Seat, t.Brand)
		if err != nil || len(problems) > 0 {
			s.Log(fmt.Sprintf("%s: %s: %s", t.Seat, t.Writes, plain.Line(fmt.Sprint(problems, err), supervisor.MaxForeignRunes)))
			continue
		}
		for _, why := range refused {
			s.Log(fmt.Sprintf("%s: %s: %s", t.Seat, t.Writes, why))
		}
		said = append(said, s.asked(t, list)...)
	}
	return relation.Decide(said, func(id string) (string, bool) {
		e, known := reg.Entry(id)
		return e.Text, known
	})
}

// asked are the judgements on pairs that the judge was asked about.
func (s *tellers) asked(t flow.TaskState, list []relation.Judgement) []relation.Judgement {
	ids := s.askedBy(t.Task)
	return slices.DeleteFunc(list, func(j relation.Judgement) bool { return !slices.Contains(ids, relation.PairID(j.A, j.B)) })
}

// askedBy are the names of the pairs or claims that a judge's task asks about.
func (s *tellers) askedBy(t flow.Task) []string {
	paper, err := s.Folder.Read(path.Base(t.Reads[0]))
	if err != nil {
		return nil
	}
	if t.Role == agent.Comparison {
		return vote.PairIDs(s.foreignPairs(t, paper))
	}
	return vote.BallotIDs(paper)
}

// foreignPairs are the pairs of a paper without those of which the judge's family has
// made both claims alone, where two other families are there to judge these.
func (s *tellers) foreignPairs(t flow.Task, paper []byte) []byte {
	others := map[string]bool{}
	for _, brand := range s.families(s.Now) {
		others[brand] = brand != t.Brand
	}
	delete(others, t.Brand)
	if len(others) < 2 {
		return paper
	}
	reg := s.Registry()
	alone := func(id string) bool {
		e, known := reg.Entry(id)
		return known && len(e.Families) == 1 && e.Families[0] == t.Brand
	}
	return vote.KeepPairs(paper, func(a, b string) bool { return !alone(a) || !alone(b) })
}

// measureComparison judges an answer on pairs: what it leaves out is asked for
// again, and what it says counts all the same.
func (s *Work) measureComparison(t flow.Task, a loop.Artefact, object []byte) loop.Artefact {
	said, refused, err := relation.Decode(object, t.Seat, t.Brand)
	a.Problems = refused
	if err != nil {
		a.Problems = []string{err.Error()}
	}
	var missing []string
	for _, id := range s.askedBy(t) {
		if !slices.ContainsFunc(said, func(j relation.Judgement) bool { return relation.PairID(j.A, j.B) == id }) {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		const named = 12
		a.Problems = append(a.Problems, "there is no answer on "+strconv.Itoa(len(missing))+" pairs: "+strings.Join(missing[:min(len(missing), named)], ", "))
	}
	a.Usable, a.Complete = len(said) > 0, len(a.Problems) == 0
	if kept, err := s.normaliseAnswer(t.Role, object); err == nil {
		a.SHA256 = workspace.Sum(kept) // of what the run's folder will hold
	}
	return a
}
