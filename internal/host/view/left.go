package view

import (
	"slices"
	"time"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/status"
	productcouncil "github.com/research-council/research-council/internal/product/council"
)

// Left is how long a run may yet take, by its facts so far: the zero span where they
// tell too little. It was promised to take so long as a whole when it began.
func Left(d forecast.Demand, promised forecast.Span, r flow.Run, events []flow.Event, now time.Time) forecast.Span {
	return believable(remaining(d, r, events, now), promised, r, now)
}

// LeftText says it; "" where nobody works on the run.
func LeftText(s status.Status, left forecast.Span) string {
	switch {
	case s.Status != "running" || s.Supervisor == 0:
		return ""
	case left.High <= 0:
		return "too early to say how much longer"
	}
	return left.String() + " left"
}

// partTime is how long a part of a run's way has taken so far, or took; 0 where that is
// not known.
func partTime(s status.Status, p status.Part, now time.Time) time.Duration {
	if p.Since.IsZero() {
		return p.Took
	}
	if s.Asking != nil {
		now = s.Asking.Since // the person's time does not count
	}
	return p.Took + max(0, now.Sub(p.Since))
}

// PartText says it; "" where it is not known.
func PartText(s status.Status, p status.Part, now time.Time) string {
	took := partTime(s, p, now)
	switch {
	case took <= 0:
		return ""
	case p.State == "now":
		return FormatDuration(took) + " so far"
	}
	return FormatDuration(took)
}

// remaining is what is left of a run by its own pace: the iterations its seats are
// still likely to take, each as long as the quicker and the slower half of those
// there were. Seats work side by side, so the longest counts; one that waits for a
// provider is waited for.
func remaining(d forecast.Demand, r flow.Run, events []flow.Event, now time.Time) forecast.Span {
	if d.Endless || r.Status != "" || len(d.Parts) == 0 {
		return forecast.Span{}
	}
	all := paces(events)
	if len(all[""]) == 0 {
		return forecast.Span{}
	}
	bySeat := map[string]forecast.Span{}
	for _, p := range d.Parts {
		n := iterationsLeft(p, r)
		if n == 0 {
			continue
		}
		measured := all[p.Seat.Name]
		if len(measured) == 0 {
			measured = all[""]
		}
		bySeat[p.Seat.Name] = bySeat[p.Seat.Name].Plus(forecast.Pace(measured).Times(p.InRow(float64(n))))
	}
	var left forecast.Span
	for name, s := range bySeat {
		wait := waitOf(r, name, now)
		left = left.Beside(s.Plus(forecast.Span{Low: wait, High: wait}))
	}
	if most := r.Setup.Limits.Time; most > 0 {
		left = left.Within(max(0, most-now.Sub(r.Began)))
	}
	return left
}

// believable is what is left by a run's pace, or the zero span where that tells too
// little: before its seats have ended a phase, the plan aside, it has to lie within what
// was promised of the whole.
func believable(left, promised forecast.Span, r flow.Run, now time.Time) forecast.Span {
	for _, v := range r.History {
		if v.Stage != productcouncil.Plan && slices.ContainsFunc(v.Tasks, func(t flow.TaskState) bool { return t.Seat != flow.Program }) {
			return left
		}
	}
	gone := now.Sub(r.Began)
	if left.Low+gone < promised.Low || left.High+gone > promised.High {
		return forecast.Span{}
	}
	return left
}

// paces are how long an iteration took, by seat, and under ""
// of all seats.
func paces(events []flow.Event) map[string][]time.Duration {
	took := map[string][]time.Duration{}
	seat, began := map[string]string{}, map[string]time.Time{}
	for _, e := range events {
		switch e.Kind {
		case flow.StageEntered:
			for _, t := range e.Tasks {
				seat[t.ID] = t.Seat
			}
		case flow.TurnStarted:
			began[e.Task] = e.At
		case flow.TurnEnded:
			name := seat[e.Task]
			if name == flow.Program || e.Result == nil || e.Result.Fault != nil || began[e.Task].IsZero() {
				continue
			}
			one := e.At.Sub(began[e.Task]) / time.Duration(max(1, e.Result.Iterations))
			took[name], took[""] = append(took[name], one), append(took[""], one)
		}
	}
	return took
}

// iterationsLeft is how many iterations a part is likely to take yet: at least one
// while a role of its has not come to its end.
func iterationsLeft(p forecast.Part, r flow.Run) int {
	done, ended := 0, 0
	for _, role := range p.Roles {
		over := false
		for _, v := range append(slices.Clip(r.History), flow.Visit{Tasks: r.Tasks}) {
			for _, t := range v.Tasks {
				if t.Seat == p.Seat.Name && t.Role == role {
					done += t.Loop.Iterations
					over = t.Ended()
				}
			}
		}
		if over {
			ended++
		}
	}
	if ended == len(p.Roles) {
		return 0
	}
	return max(p.Likely-done, len(p.Roles)-ended)
}

// waitOf is how long a seat waits before its next turn.
func waitOf(r flow.Run, name string, now time.Time) time.Duration {
	var longest time.Duration
	for _, t := range r.Tasks {
		if t.Seat == name && !t.Ended() && t.Running == nil {
			longest = max(longest, t.NotBefore.Sub(now))
		}
	}
	return longest
}
