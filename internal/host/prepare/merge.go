package prepare

import (
	"crypto/rand"
	"time"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/product/council"
)

// Merge is the setup of a run in which seats compare claims and do nothing else.
func Merge(e program.Env, project string, req request.Request) (flow.Setup, error) {
	s, c, err := newSetup(e, project, req, council.Merging())
	if err != nil {
		return flow.Setup{}, err
	}
	if s.Seats, s.Missing, err = seatsOf(e, c, req.Seats, s.Tier, true); err != nil {
		return flow.Setup{}, err
	}
	if len(council.AllJudges(flow.Run{Setup: s})) == 0 {
		return flow.Setup{}, usage.Errorf("--judge: none of these seats has a model to compare claims with")
	}
	connect(e, c, &s, false)
	limit(&s, c, req)
	if err := price(&s, c); err != nil {
		return flow.Setup{}, err
	}
	s.Release = e.Release
	s.ID, err = workspace.NewID(time.Now(), rand.Reader)
	return s, err
}
