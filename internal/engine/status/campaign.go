package status

import (
	"fmt"
	"slices"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/engine/budget"
	"research-council/internal/engine/flow"
	"research-council/internal/product/campaign"
	"research-council/internal/product/recipe"

	"research-council/internal/base/plain"
	"research-council/internal/base/plural"
)

// CampaignStatus is how far a campaign is. Its counts are what the program
// measured after the iteration Measured; a later one may be under way.
type CampaignStatus struct {
	Name       string          `json:"name"`
	Mode       string          `json:"mode"`
	Phase      string          `json:"phase"`
	Iteration  int             `json:"iteration"`
	Iterations int             `json:"iterations"` // of all phases, at most
	Measured   int             `json:"measured"`   // the last iteration that was measured; 0 for none
	Findings   int             `json:"findings"`
	New        int             `json:"new"`       // findings of the last iteration
	Low        int             `json:"low"`       // iterations in a row that found little
	Threshold  int             `json:"threshold"` // as many of them end the research
	Sources    int             `json:"sources"`
	Questions  int             `json:"questions"` // open
	Blockers   []string        `json:"blockers,omitempty"`
	Features   Features        `json:"features,omitzero"`
	Folder     string          `json:"folder"` // relative to the project
	Phases     []PhaseCost     `json:"phases,omitempty"`
	Recent     []IterationCost `json:"recent,omitempty"`   // the last iterations, the newest first
	Progress   string          `json:"progress,omitempty"` // a line about the iteration Measured
	Ended      string          `json:"ended,omitempty"`    // why the campaign has ended
}

// Features is how far an implementation is.
type Features struct {
	Total    int    `json:"total"`
	Complete int    `json:"complete"`
	Failed   int    `json:"failed,omitempty"`  // for good
	Blocked  int    `json:"blocked,omitempty"` // they wait for a failed one
	Next     string `json:"next,omitempty"`
}

// PhaseCost is what a phase has taken.
type PhaseCost struct {
	Phase      string `json:"phase"`
	Iterations int    `json:"iterations"`
	Price
}

// IterationCost is what one iteration has taken.
type IterationCost struct {
	Iteration int    `json:"iteration"`
	Phase     string `json:"phase"`
	Role      string `json:"role"`
	Price
}

// Price is what work has cost, as far as it is known.
type Price struct {
	USD       float64 `json:"usd"`
	Estimated bool    `json:"estimated,omitempty"`
	Reported  bool    `json:"reported,omitempty"`
	Tokens    int64   `json:"tokens"`
	Unpriced  int64   `json:"unpriced,omitempty"` // of the tokens those without a price: usd is without them
}

func newPrice(c flow.Cost) Price {
	return Price{USD: c.USD, Estimated: c.Estimated, Reported: c.Reported, Tokens: c.Tokens, Unpriced: c.Unpriced}
}

func (p Price) plus(q Price) Price {
	return Price{p.USD + q.USD, p.Estimated || q.Estimated, p.Reported || q.Reported, p.Tokens + q.Tokens, p.Unpriced + q.Unpriced}
}

// Brief is what work has cost in a word.
func (p Price) Brief() string {
	return budget.Spent{USD: p.USD, Estimated: p.Estimated, Reported: p.Reported, Tokens: p.Tokens, Unpriced: p.Unpriced}.Brief()
}

// maxRecent is how many iterations a status tells of one by one.
const maxRecent = 5

// WithCampaign adds how far the campaign of a run is. Nothing is added to the
// status of a run that is none.
func (s Status) WithCampaign(st campaign.State, r flow.Run) Status {
	setup := campaign.Of(r.Setup.Own)
	if setup == nil {
		return s
	}
	all, measured := iterations(r)
	c := CampaignStatus{
		Name: setup.Name, Mode: string(setup.Mode), Phase: string(st.Phase), Iteration: st.Iteration, Iterations: setup.Iterations, Measured: measured,
		Findings: st.Findings, New: st.New, Low: st.Low, Threshold: setup.Threshold, Sources: st.Sources, Questions: st.Questions,
		Blockers: st.Blockers, Features: Features{st.Total, st.Complete, st.Lost, st.Blocked, st.Next}, Folder: setup.Folder(),
		Phases: phaseCosts(all), Recent: newestFirst(all),
	}
	if r.Status != "" {
		c.Ended = r.Reason
	}
	if measured > 0 {
		c.Progress = progress(all[measured-1], setup.Iterations, st.Tally, r)
	}
	s.Campaign = &c
	if setup.Mode == campaign.Implement {
		s.Score = nil // there is no evidence to score
	}
	return s
}

// phaseOf is the phase a worker's role belongs to; "" for what is no worker's.
func phaseOf(r flow.Run, role string) campaign.Phase {
	if !recipe.IsIteration(role) {
		return ""
	}
	return recipe.PhaseOf(campaign.Of(r.Setup.Own).Mode, role)
}

// iterations lists what every iteration has cost, in order, and tells which
// one the program has measured last. What rivals say of a plan belongs to the
// iteration after it.
func iterations(r flow.Run) (all []IterationCost, measured int) {
	var rivals Price
	visits := append(r.History[:len(r.History):len(r.History)], flow.Visit{Stage: r.Stage, Tasks: r.Tasks})
	for _, v := range visits {
		var cost Price
		for _, t := range v.Tasks {
			cost = cost.plus(newPrice(t.Cost))
			if t.Found != nil && campaign.TallyOf(t.Found.Own) != nil {
				measured = len(all)
			}
		}
		switch phase := phaseOf(r, v.Stage); {
		case v.Stage == agent.Critique:
			rivals = cost
		case phase != "":
			cost = cost.plus(rivals)
			all = append(all, IterationCost{len(all) + 1, string(phase), v.Stage, cost})
			rivals = Price{}
		}
	}
	return all, measured
}

func phaseCosts(all []IterationCost) []PhaseCost {
	var phases []PhaseCost
	for _, it := range all {
		at := slices.IndexFunc(phases, func(p PhaseCost) bool { return p.Phase == it.Phase })
		if at < 0 {
			at = len(phases)
			phases = append(phases, PhaseCost{Phase: it.Phase})
		}
		p := &phases[at]
		p.Iterations++
		p.Price = p.plus(it.Price)
	}
	return phases
}

func newestFirst(all []IterationCost) []IterationCost {
	last := slices.Clone(all[max(0, len(all)-maxRecent):])
	slices.Reverse(last)
	return last
}

// progress is one line about an iteration that has been measured.
func progress(it IterationCost, of int, now campaign.Tally, r flow.Run) string {
	parts := outcomeParts(it, now)
	if r.Spent.USD > 0 {
		parts = append(parts, r.Spent.Brief())
	}
	return fmt.Sprintf("%s, iteration %d/%d: %s", it.Phase, it.Iteration, of, strings.Join(parts, ", "))
}

// mostProblem bounds what is repeated of what was wrong, in runes.
const mostProblem = 200

// outcomeParts is what an iteration has come to.
func outcomeParts(it IterationCost, now campaign.Tally) []string {
	switch {
	case now.Failed:
		return []string{"it has left nothing"}
	case now.Problem != "":
		why := plain.Line(now.Problem, mostProblem)
		if now.Feature != "" {
			return []string{now.Feature + " does not pass: " + why}
		}
		return []string{"not taken: " + why}
	case it.Phase == string(campaign.PhaseB):
		return []string{plural.Of(len(now.Blockers), "open blocker"), fmt.Sprintf("%d resolved", now.Resolved), plural.Of(now.Components, "component")}
	case it.Phase == string(campaign.PhaseC):
		return featureParts(now)
	case it.Role == agent.Conclude:
		return []string{plural.Of(now.Sections, "section"), plural.Of(now.Findings, "finding"), plural.Of(now.Sources, "source")}
	}
	return []string{fmt.Sprintf("%s (%d)", plural.Of(now.New, "new finding"), now.Findings), plural.Of(now.Sources, "source")}
}

func featureParts(now campaign.Tally) []string {
	var parts []string
	switch {
	case now.Judge != "":
		parts = append(parts, now.Judge+" passes its tests and is judged")
	case now.Feature != "" && now.Passed:
		parts = append(parts, now.Feature+" passes")
	case now.Feature != "":
		parts = append(parts, now.Feature+" does not pass")
	}
	parts = append(parts, fmt.Sprintf("%d/%d features passing", now.Complete, now.Total))
	if now.Lost > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", now.Lost))
	}
	if now.Blocked > 0 {
		parts = append(parts, fmt.Sprintf("%d blocked", now.Blocked))
	}
	return parts
}

// campaignLine is what the progress log says about a fact of a campaign; the
// rest of what it says is as in every run.
func campaignLine(r flow.Run, e flow.Event) (line string, said bool) {
	if e.Kind != flow.RunBegun && slices.Contains([]string{agent.Review, agent.Reconsider, recipe.Verdict}, r.Stage) {
		return "", false // that is no iteration
	}
	switch e.Kind {
	case flow.RunBegun:
		return fmt.Sprintf("Campaign %s (%s): %s", campaign.Of(r.Setup.Own).Name, campaign.Of(r.Setup.Own).Mode, seatList(r)), true
	case flow.RunReopened:
		return "Taken up again, to go on", true
	case flow.TurnStarted:
		return iterationStarting(r, e), true
	case flow.TaskEnded:
		t, ok := r.Task(e.Task)
		return "", ok && t.Outcome.Good()
	case flow.StageJudged:
		return iterationMeasured(r, e), true
	}
	return "", false
}

func iterationStarting(r flow.Run, e flow.Event) string {
	t, ok := r.Task(e.Task)
	if !ok || t.Seat == flow.Program {
		return ""
	}
	all, _ := iterations(r)
	n := len(all)
	if r.Stage == agent.Critique {
		n++ // it belongs to the next one
	}
	line := fmt.Sprintf("%s, iteration %d/%d: %s %s starting", recipe.PhaseOf(campaign.Of(r.Setup.Own).Mode, r.Stage), n, campaign.Of(r.Setup.Own).Iterations, Title(t.Seat), t.Role)
	if t.Turn > 1 {
		line += " again"
	}
	return line
}

func iterationMeasured(r flow.Run, e flow.Event) string {
	why := ""
	if e.Verdict != nil {
		why = e.Verdict.Reason
	}
	if r.Stage == recipe.Hear {
		return criticism(r)
	}
	all, _ := iterations(r)
	if len(all) == 0 || len(r.Tasks) != 1 || r.Tasks[0].Found == nil || campaign.TallyOf(r.Tasks[0].Found.Own) == nil || published(r) {
		return why
	}
	now := *campaign.TallyOf(r.Tasks[0].Found.Own)
	line := progress(all[len(all)-1], campaign.Of(r.Setup.Own).Iterations, now, r)
	if why != "" && why != now.Problem {
		line += "; " + why
	}
	return line
}

// criticism is what critics have newly said of the plan.
func criticism(r flow.Run) string {
	if len(r.Tasks) != 1 || r.Tasks[0].Found == nil || campaign.TallyOf(r.Tasks[0].Found.Own) == nil {
		return ""
	}
	return strings.Join(campaign.TallyOf(r.Tasks[0].Found.Own).Heard, "; ")
}

// published reports whether the program has measured something since the last
// iteration already: then it only publishes.
func published(r flow.Run) bool {
	return len(r.History) > 0 && phaseOf(r, r.History[len(r.History)-1].Stage) == ""
}
