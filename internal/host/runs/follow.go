package runs

import (
	"time"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product"
)

// Follower reads a run's journal again where it has new facts. What it has read stands
// in it.
type Follower struct {
	Project, ID string
	Now         func() time.Time
	Share       int // it spends no more than one part of the time in so many on reading

	Run    flow.Run
	Flow   flow.Workflow
	Events []flow.Event
	Left   forecast.Span // what is left by the run's own pace; zero where that is not known

	facts    int       // those the journal had when it was read
	next     time.Time // when it may be read again: reading it may take long
	asked    bool
	promised forecast.Span // what the run was to take when it began
}

// Look reads it, and reports whether there was something new. The run's status is s.
func (f *Follower) Look(s status.Status) bool {
	began := f.Now()
	if s.Facts == f.facts && f.Flow.Stages != nil || began.Before(f.next) {
		return false
	}
	events, err := supervisor.Facts(f.Project, f.ID)
	if err != nil {
		return false // the status stands by itself
	}
	f.Events, f.Run = events, flow.Replay(events)
	f.Flow, f.facts = product.WorkflowOf(f.Run.Setup), s.Facts
	if m := f.forecast().Minutes; m != nil {
		f.promised = m.Span()
	}
	f.Left = view.Left(product.Demand(f.Run.Setup), f.promised, f.Run, events, began)
	f.next = f.Now().Add(time.Duration(f.Share) * f.Now().Sub(began))
	return true
}

// forecast is what the run was to take, asked for once.
func (f *Follower) forecast() (none forecast.Forecast) {
	if f.asked {
		return none
	}
	f.asked = true
	return Forecast(f.Run.Setup)
}
