package scope

import (
	"errors"
	"fmt"
	"strings"
)

// PlanRequest is what a person asked for, as typed. "" and nil mean that a flag was
// not given.
type PlanRequest struct {
	Topic  string
	Mode   string
	Debate string
	Budget string
	Agents *int
	Seats  []string // seats that can do research, in order
	Named  bool     // the person named them; then all of them take part
}

// Plan is what the research will be.
type Plan struct {
	Mode       Mode         `json:"mode"`
	ModeFrom   string       `json:"mode_from"` // flag or wording
	Debate     Debate       `json:"debate"`
	Budget     Budget       `json:"budget"`
	Agents     int          `json:"agents"`          // researchers
	Work       []Assignment `json:"work"`            // one for each researcher
	Title      string       `json:"title,omitempty"` // of the topic, where who planned has given one
	Questions  []Question   `json:"questions"`
	PlannedBy  string       `json:"planned_by,omitempty"` // who has made the questions: a seat, or a person; "" for the rules
	Unplanned  string       `json:"unplanned,omitempty"`  // why they are the rules', where a model was to plan them
	Dimensions []Dimension  `json:"dimensions"`           // expected to be covered
	Advice     []Advice     `json:"advice,omitempty"`
	Lowered    []string     `json:"lowered,omitempty"` // what is less or more than asked or usual, and why
}

// Dimension is something the evidence is expected to cover.
type Dimension string

const (
	Diversity    Dimension = "source diversity"      // official, code, community
	CrossChecked Dimension = "cross-verification"    // critical claims by two independent sources
	Questions    Dimension = "question coverage"     // the plan's questions answered
	Pitfalls     Dimension = "anti-pattern coverage" // known mistakes told of
)

// Dimensions are those every research is expected to cover.
func Dimensions() []Dimension { return []Dimension{Diversity, CrossChecked, Questions, Pitfalls} }

// ErrNoTopic says that there is nothing to research: a person has to say what.
var ErrNoTopic = errors.New("the topic is missing")

// ErrNoDebate says that a mode does not go without a debate.
var ErrNoDebate = errors.New("--mode compliance always debates; leave --debate off out, or choose another mode")

// NewPlan settles a wish. What the mode demands comes before the flags, and
// those before what the wording suggests: compliance debates whatever is said,
// a budget that was asked for is kept, and only where none was asked for does
// a narrow topic lower it. Warnings are for the screen and for the report. The
// error is ErrNoTopic or ErrNoDebate; nothing may be started then.
func NewPlan(w PlanRequest) (Plan, []string, error) {
	if strings.TrimSpace(w.Topic) == "" {
		return Plan{}, nil, ErrNoTopic
	}
	r := planBuilder{request: w, plan: Plan{Dimensions: Dimensions(), Questions: QuestionsOf(w.Topic), Advice: Advise(w.Topic)}}
	r.mode()
	r.budget()
	if err := r.debate(); err != nil {
		return Plan{}, r.warnings, err
	}
	r.agents()
	r.plan.Work = Assign(r.plan.Agents, r.seats())
	return r.plan, r.warnings, nil
}

type planBuilder struct {
	request  PlanRequest
	plan     Plan
	lowered  bool // the budget, by the wording alone
	warnings []string
}

func (r *planBuilder) warn(warning string) {
	if warning != "" {
		r.warnings = append(r.warnings, warning)
	}
}

func (r *planBuilder) note(format string, args ...any) {
	r.plan.Lowered = append(r.plan.Lowered, fmt.Sprintf(format, args...))
}

func (r *planBuilder) mode() {
	if given(r.request.Mode) {
		mode, warning := ParseMode(r.request.Mode)
		r.warn(warning)
		r.plan.Mode, r.plan.ModeFrom = mode, "flag"
		return
	}
	r.plan.Mode, r.plan.ModeFrom = Classify(r.request.Topic), "wording"
}

func given(flag string) bool { return strings.TrimSpace(flag) != "" }

func (r *planBuilder) budget() {
	budget, warning := ParseBudget(r.request.Budget)
	r.warn(warning)
	r.plan.Budget = budget
	if n, ok := narrowness(r.request.Topic); ok && n.needsOneResearcher() && !given(r.request.Budget) {
		r.plan.Budget, r.lowered = Low, true
		r.note("budget low instead of medium: the topic is narrow (%s) and no --budget was given", n)
	}
}

func (r *planBuilder) debate() error {
	debate, warning := ParseDebate(r.request.Debate)
	r.warn(warning)
	r.plan.Debate = debate
	switch {
	case r.plan.Mode == Compliance && debate == Off:
		return ErrNoDebate
	case r.plan.Mode == Compliance:
		r.plan.Debate = Force
		if debate == Auto {
			r.note("debate force: the mode is compliance")
		}
	case debate != Auto:
	case r.plan.Budget == High:
		r.plan.Debate = Force
		r.note("debate force: the budget is high")
	case r.plan.Budget == Low:
		r.plan.Debate = Off
		r.note("debate off: the budget is low")
	}
	return nil
}

// agents says how many research. A budget that was asked for bounds the seats
// too; one that the wording lowered gives way to seats that were asked for.
func (r *planBuilder) agents() {
	n, asked := MaxAgents, r.request.Agents != nil || r.request.Named
	if r.request.Named && len(r.request.Seats) > 0 {
		n = len(r.request.Seats)
	}
	if r.request.Agents != nil {
		wanted := r.clampAgents(*r.request.Agents)
		if r.request.Named && wanted > n {
			wanted = n
		}
		n = wanted
	}
	if r.plan.Budget == Low && n > 1 && !(asked && r.lowered) {
		if asked {
			r.note("one researcher instead of %d: the budget is low", n)
		}
		n = 1
	}
	if have := len(r.request.Seats); have > 0 && n > have {
		n = have
		r.note("%d of %d researchers: no more seats can take part", n, MaxAgents)
	}
	r.plan.Agents = n
}

func (r *planBuilder) clampAgents(n int) int {
	in := min(max(n, 1), MaxAgents)
	if in != n {
		r.warn(fmt.Sprintf("--agents %d is outside 1 to %d; %d is used", n, MaxAgents, in))
	}
	return in
}

func (r *planBuilder) seats() []string {
	if len(r.request.Seats) <= r.plan.Agents {
		return r.request.Seats
	}
	return r.request.Seats[:r.plan.Agents]
}
