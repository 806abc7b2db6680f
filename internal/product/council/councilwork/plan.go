package councilwork

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/product/council"
)

// planTime is how long a planner may take: after that the rules plan.
const planTime = 10 * time.Minute

// planFaults finds in planned questions what no schema can.
func planFaults(topic string, object []byte) []string {
	var p scope.PlannedQuestions
	if err := json.Unmarshal(object, &p); err != nil {
		return []string{err.Error()}
	}
	return scope.CheckPlanned(topic, p.Questions)
}

// plannedQuestions are those of an answer, as the journal has them.
func (s *Work) plannedQuestions(object []byte) *flow.Assessment {
	var p scope.PlannedQuestions
	if json.Unmarshal(object, &p) != nil || len(scope.CheckPlanned(s.Setup.Topic, p.Questions)) > 0 {
		return nil
	}
	by := flow.Planner
	if s.Setup.Planner != nil && s.Setup.Planner.Model != "" {
		by = s.Setup.Planner.Model
	}
	return &flow.Assessment{Own: council.OwnQuestions(scope.Title(p.Title, ""), scope.Planned(s.Setup.Topic, p.Questions), by)}
}

// TakeUp has the plan on disk be the one there is.
func (s *Work) TakeUp([]flow.Event) error { return s.writePlan() }

// Entered does so with each stage: the first one after the planning changes it.
func (s *Work) Entered() error { return s.writePlan() }

// writePlan writes the plan anew, for the desks to read, where somebody has planned.
func (s *Work) writePlan() error {
	if s.Setup.Planner == nil && !s.Setup.EditPlan {
		return nil
	}
	return s.WriteJSON(map[string]any{supervisor.PlanFile: council.PlanOf(s.Now)})
}

// questionLines are a plan's questions with what is planned of their answers, a line
// each. The first is the topic, which stands in the prompt anyway: beside others it is
// for what answers none of them.
func questionLines(p scope.Plan) []string {
	var list []string
	for i, q := range p.Questions {
		line := q.Text
		if i == 0 && len(p.Questions) > 1 {
			line = "The question at the end as a whole: name it only for what answers none of the others."
		}
		for _, more := range []struct{ what, said string }{
			{"Answered by: ", q.AnsweredBy}, {"Tell apart: ", strings.Join(q.Dimensions, "; ")}, {"Must not be missed: ", strings.Join(q.MustNotMiss, "; ")},
		} {
			if more.said != "" {
				line += " " + more.what + strings.TrimRight(more.said, ".") + "."
			}
		}
		if q.Critical {
			line += " The whole answer hangs on this."
		}
		list = append(list, line)
	}
	return list
}

// briefQuestions are the planned questions alone, a line each, for whoever words the
// report: the topic is not said twice where it has parts.
func briefQuestions(p scope.Plan) []string {
	var list []string
	for i, q := range p.Questions {
		if i == 0 && len(p.Questions) > 1 {
			q.Text = "The question at the end as a whole."
		}
		list = append(list, q.Text)
	}
	return list
}

// unansweredLines repeats the questions that a gap names by their ids, the topic left
// out.
func unansweredLines(p scope.Plan, gap string) string {
	named := strings.FieldsFunc(gap, func(r rune) bool { return strings.ContainsRune(" ,.;:", r) })
	lines := questionLines(p)
	var b strings.Builder
	for i, q := range p.Questions {
		if i > 0 && slices.Contains(named, q.ID) {
			fmt.Fprintf(&b, "  - %s: %s\n", q.ID, plain.Line(lines[i], supervisor.MaxForeignRunes))
		}
	}
	return b.String()
}

// GivePlan tells a run that waits for a person to edit its questions that they have:
// the questions as they are then, or nil where nothing is changed. A run that does not
// wait any more as it was when they saw it is [supervisor.ErrNotAsked]. Nobody works on
// it afterwards.
func GivePlan(o supervisor.Options, seen flow.Run, edited []scope.Question) error {
	return supervisor.Amend(o, func(a supervisor.Amendment) error {
		if r := a.Now(); !r.IsWaiting() || !council.AsksToEdit(r) || !r.Asked.Equal(seen.Asked) {
			return supervisor.ErrNotAsked
		}
		var facts []flow.Event
		if edited != nil {
			facts = append(facts, flow.Event{Kind: flow.Edited, Own: council.OwnQuestions(council.PlanOf(seen).Title, edited, council.ByPerson), Reason: council.ByPerson})
		}
		return a.Record(append(facts, flow.Event{Kind: flow.InputGiven, Input: &flow.Input{Confirmed: true}})...)
	})
}
