package councilwork

import (
	"cmp"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/vote"
	"github.com/research-council/research-council/internal/product/council"
)

// Bounds of a docket, so that what is on it is argued with care.
const (
	maxPoints  = 12 // points that are disputed
	maxDoubted = 6  // claims in doubt among them, where a debate is held whatever there is
)

// docket is what is argued over: the points that are disputed, the gravest first,
// and the critical questions that nobody has answered.
type docket struct {
	points    []claim.Point
	questions []scope.Question
}

// docket lists what there is to argue over. Where a debate is held whatever there
// is, what is possibly disputed and what is in doubt are points too.
func (s *tellers) docket(reg claim.Registry) docket {
	d := docket{points: claim.Docket(reg)}
	result := s.score()
	if result.Input.Debate == scope.Force || result.Input.Mode == scope.Compliance {
		d.points = claim.WideDocket(reg, s.doubtedClaims(reg))
	}
	d.points = claim.Grouped(betweenSeats(reg, adviceFirst(reg, d.points)))
	d.points = d.points[:min(len(d.points), maxPoints)]
	for _, q := range council.PlanOf(s.Now).Questions {
		if slices.Contains(result.Unanswered, q.ID) {
			d.questions = append(d.questions, q)
		}
	}
	return d
}

// laidOut is what was laid before those who have ruled or argued: what they withdraw and
// settle changes nothing of that. Where it was not noted it is what there is now.
func (s *tellers) laidOut(r flow.Run, reg claim.Registry) docket {
	if d := council.LaidOut(r); d != nil {
		return docket{points: d.Points, questions: d.Questions}
	}
	return s.docket(reg)
}

// betweenSeats leaves out recommendations in which a seat disagrees with itself.
func betweenSeats(reg claim.Registry, points []claim.Point) []claim.Point {
	return slices.DeleteFunc(slices.Clone(points), func(p claim.Point) bool {
		if !p.Conflict.Answers || len(p.A) == 0 || len(p.B) == 0 {
			return false
		}
		a, _ := reg.Entry(p.A[0])
		b, _ := reg.Entry(p.B[0])
		return len(a.Seats) == 1 && slices.Equal(a.Seats, b.Seats)
	})
}

// adviceFirst has points on what to do come before all others.
func adviceFirst(reg claim.Registry, points []claim.Point) []claim.Point {
	var advice, rest []claim.Point
	for _, p := range points {
		if e, known := reg.Entry(p.A[0]); p.Conflict.Answers || known && e.Kind == claim.Recommendation {
			advice = append(advice, p)
			continue
		}
		rest = append(rest, p)
	}
	return append(advice, rest...)
}

// ids are those of the points and the questions.
func (d docket) ids() []string {
	var list []string
	for _, p := range d.points {
		list = append(list, p.ID)
	}
	for _, q := range d.questions {
		list = append(list, q.ID)
	}
	return list
}

// only is the docket with these points and questions alone.
func (d docket) only(ids []string) docket {
	return docket{
		points:    slices.DeleteFunc(slices.Clone(d.points), func(p claim.Point) bool { return !slices.Contains(ids, p.ID) }),
		questions: slices.DeleteFunc(slices.Clone(d.questions), func(q scope.Question) bool { return !slices.Contains(ids, q.ID) }),
	}
}

// stillOpen are those of the points that nothing has ended but the debate: claims that
// somebody still makes, and conflicts that are open.
func (d docket) stillOpen(reg claim.Registry, ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		at := slices.IndexFunc(d.points, func(p claim.Point) bool { return p.ID == id })
		if at < 0 {
			return false // a question
		}
		p := d.points[at]
		if len(p.B) == 0 {
			return !slices.ContainsFunc(p.A, func(id string) bool {
				e, known := reg.Entry(id)
				return known && !e.IsWithdrawn()
			})
		}
		return !slices.ContainsFunc(reg.Conflicts, func(c claim.Conflict) bool { return slices.Contains(p.Conflicts(), c.ID) && c.IsOpen() })
	})
}

// writeDocket writes what validators and debaters read, where there is anything.
func (s *tellers) writeDocket(reg claim.Registry, d docket) error {
	if len(d.points)+len(d.questions) == 0 && !s.Folder.Has(council.DisputesFile) {
		return nil
	}
	return s.Folder.Write(council.DisputesFile, []byte(vote.DocketPaper(reg, d.points, d.questions)))
}

// writeDisputes writes all that was disputed, with how it ended, where anything was.
func (s *tellers) writeDisputes(reg claim.Registry) error {
	open := s.docket(reg)
	text := vote.DisputesPaper(reg, open.points, open.questions)
	if text == "" {
		return nil
	}
	return s.Folder.Write(council.DisputesFile, []byte(text))
}

// doubtedClaims are the critical claims that are not confirmed and that no rival's
// vote supports: what a recommendation rests on first, then what judges found
// wanting, then what nobody has judged; of either the seats' claims in turns.
func (s *tellers) doubtedClaims(reg claim.Registry) []string {
	var list []claim.Entry
	for _, id := range s.score().Unconfirmed {
		if e, ok := reg.Entry(id); ok && (!e.Verified() || e.Support.Own) {
			list = append(list, e)
		}
	}
	return idsInTurns(list)[:min(len(list), maxDoubted)]
}

// idsInTurns are the ids of claims in doubt, the gravest first; where several are as
// grave, one of each seat and then the next of each, so that the seat that has recorded
// first does not fill the docket.
func idsInTurns(list []claim.Entry) []string {
	type place struct{ rank, turn int }
	type queue struct {
		seat string
		rank int
	}
	waiting, places := map[queue]int{}, map[string]place{}
	var ids []string
	for _, e := range list {
		q := queue{strings.Join(e.Seats, ","), doubtRank(e)}
		places[e.ID] = place{q.rank, waiting[q]}
		waiting[q]++
		ids = append(ids, e.ID)
	}
	slices.SortStableFunc(ids, func(a, b string) int {
		return cmp.Or(places[a].rank-places[b].rank, places[a].turn-places[b].turn)
	})
	return ids
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
