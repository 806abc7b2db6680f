package prepare

import (
	"slices"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/product/staged"
)

// Staged is the setup of staged research.
func Staged(e program.Env, project string, req request.Request) (flow.Setup, error) {
	req.Review, req.NoPlan = true, true // it has a stage of its own that plans
	s, err := Council(e, project, req)
	if err != nil {
		return s, err
	}
	c, err := e.Config()
	if err != nil {
		return s, err
	}
	s.Workflow, s.Seats = staged.Name, mergeLibrarians(s.Seats)
	s.Own = staged.Own(&staged.Setup{
		Agents: first(req.Collectors, c.Staged.Agents), Revisions: c.Staged.Revisions, SLA: c.Staged.SLA, Notion: c.Notion.Parent,
	})
	if req.Revisions != nil {
		staged.Of(s.Own).Revisions = *req.Revisions
	}
	s.Limits.Turns = first(c.Limits.Turns, stagedTurns(s))
	return s, nil
}

// mergeLibrarians makes one librarian for all files out of those for a kind each: they
// would divide the files, and the stages divide the question.
func mergeLibrarians(seats []flow.Seat) []flow.Seat {
	last := flow.LibrarianSeat()
	list := slices.DeleteFunc(slices.Clone(seats), func(s flow.Seat) bool { return s.Kind == last.Kind })
	if len(list) < len(seats) {
		list = append(list, last)
	}
	return list
}

// stagedTurns is what staged research can come to at the very most.
func stagedTurns(s flow.Setup) int {
	const turns, answers, seats = 5, 5, 3 // of one answer; of one pass; asked for each
	passes := staged.Of(s.Own).Revisions + 1
	return turns * (seats*answers*passes + staged.Of(s.Own).Agents*2 + 2*len(s.Panel)*passes + len(s.Seats) + len(s.Panel))
}
