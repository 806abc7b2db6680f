package campaign

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/internal/product/panel"
)

// maxRecent is how many iterations a status tells of one by one.
const maxRecent = 5

// currentStatus is how far a campaign is.
func currentStatus(r flow.Run) flow.Own {
	setup := Of(r.Setup.Own)
	if setup == nil {
		return flow.Own{}
	}
	st := StateOf(r)
	all, measured := iterations(r)
	c := Status{
		Name: setup.Name, Mode: string(setup.Mode), Phase: string(st.Phase), Iteration: st.Iteration, Iterations: setup.Iterations, Measured: measured,
		Findings: st.Findings, New: st.New, Low: st.Low, Threshold: setup.Threshold, Sources: st.Sources, Questions: st.Questions,
		Blockers: st.Blockers, Features: FeatureCounts{Total: st.Total, Complete: st.Complete, Failed: st.Lost, Blocked: st.Blocked, Next: st.Next}, Folder: setup.Folder(),
		Phases: phaseCosts(all), Recent: newestFirst(all),
	}
	if r.Status != "" {
		c.Ended = r.Reason
	}
	if measured > 0 {
		c.Progress = progress(all[measured-1], setup.Iterations, st.Tally, r)
	}
	return OwnStatus(&c)
}

// phaseOf is the phase a worker's role belongs to; "" for what is no worker's.
func phaseOf(r flow.Run, role string) Phase {
	if !IsIteration(role) {
		return ""
	}
	return PhaseOf(Of(r.Setup.Own).Mode, role)
}

// iterations lists what every iteration has cost, in order, and tells which
// one the program has measured last. What rivals say of a plan belongs to the
// iteration after it.
func iterations(r flow.Run) (all []IterationCost, measured int) {
	var rivals status.Price
	visits := append(r.History[:len(r.History):len(r.History)], flow.Visit{Stage: r.Stage, Tasks: r.Tasks})
	for _, v := range visits {
		var cost status.Price
		for _, t := range v.Tasks {
			cost = cost.Plus(status.NewPrice(t.Cost))
			if t.Found != nil && TallyOf(t.Found.Own) != nil {
				measured = len(all)
			}
		}
		switch phase := phaseOf(r, v.Stage); {
		case v.Stage == agent.Critique:
			rivals = cost
		case phase != "":
			cost = cost.Plus(rivals)
			all = append(all, IterationCost{Iteration: len(all) + 1, Phase: string(phase), Role: v.Stage, Price: cost})
			rivals = status.Price{}
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
		p.Price = p.Plus(it.Price)
	}
	return phases
}

func newestFirst(all []IterationCost) []IterationCost {
	last := slices.Clone(all[max(0, len(all)-maxRecent):])
	slices.Reverse(last)
	return last
}

// progress is one line about an iteration that has been measured.
func progress(it IterationCost, of int, now Tally, r flow.Run) string {
	parts := outcomeParts(it, now)
	if r.Spent.USD > 0 {
		parts = append(parts, r.Spent.Brief())
	}
	return fmt.Sprintf("%s, iteration %d/%d: %s", it.Phase, it.Iteration, of, strings.Join(parts, ", "))
}

// mostProblem bounds what is repeated of what was wrong, in runes.
const mostProblem = 200

// outcomeParts is what an iteration has come to.
func outcomeParts(it IterationCost, now Tally) []string {
	switch {
	case now.Failed:
		return []string{"it has left nothing"}
	case now.Problem != "":
		why := plain.Line(now.Problem, mostProblem)
		if now.Feature != "" {
			return []string{now.Feature + " does not pass: " + why}
		}
		return []string{"not taken: " + why}
	case it.Phase == string(PhaseB):
		return []string{plural.Of(len(now.Blockers), "open blocker"), fmt.Sprintf("%d resolved", now.Resolved), plural.Of(now.Components, "component")}
	case it.Phase == string(PhaseC):
		return featureParts(now)
	case it.Role == agent.Conclude:
		return []string{plural.Of(now.Sections, "section"), plural.Of(now.Findings, "finding"), plural.Of(now.Sources, "source")}
	}
	return []string{fmt.Sprintf("%s (%d)", plural.Of(now.New, "new finding"), now.Findings), plural.Of(now.Sources, "source")}
}

func featureParts(now Tally) []string {
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

// logLine is what the progress log says about a fact of a campaign; the
// rest of what it says is as in every run.
func logLine(r flow.Run, e flow.Event) (line string, said bool) {
	if e.Kind == flow.Edited {
		return listEditedLine(e), true
	}
	if e.Kind != flow.RunBegun && slices.Contains([]string{agent.Review, agent.Reconsider, panel.Verdict}, r.Stage) {
		return "", false // that is no iteration
	}
	switch e.Kind {
	case flow.RunBegun:
		return fmt.Sprintf("Campaign %s (%s): %s", Of(r.Setup.Own).Name, Of(r.Setup.Own).Mode, status.SeatList(r)), true
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
	line := fmt.Sprintf("%s, iteration %d/%d: %s %s starting", PhaseOf(Of(r.Setup.Own).Mode, r.Stage), n, Of(r.Setup.Own).Iterations, status.Title(t.Seat), t.Role)
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
	if r.Stage == Hear {
		return criticism(r)
	}
	all, _ := iterations(r)
	if len(all) == 0 || len(r.Tasks) != 1 || r.Tasks[0].Found == nil || TallyOf(r.Tasks[0].Found.Own) == nil || published(r) {
		return why
	}
	now := *TallyOf(r.Tasks[0].Found.Own)
	line := progress(all[len(all)-1], Of(r.Setup.Own).Iterations, now, r)
	if why != "" && why != now.Problem {
		line += "; " + why
	}
	return line
}

// criticism is what critics have newly said of the plan.
func criticism(r flow.Run) string {
	if len(r.Tasks) != 1 || r.Tasks[0].Found == nil || TallyOf(r.Tasks[0].Found.Own) == nil {
		return ""
	}
	return strings.Join(TallyOf(r.Tasks[0].Found.Own).Heard, "; ")
}

// published reports whether the program has measured something since the last
// iteration already: then it only publishes.
func published(r flow.Run) bool {
	return len(r.History) > 0 && phaseOf(r, r.History[len(r.History)-1].Stage) == ""
}

func listEditedLine(e flow.Event) string {
	edit := EditOf(e.Own)
	if edit == nil {
		return ""
	}
	who := "taken over from a person"
	if edit.By != feature.Person {
		who = "changed as the campaign goes on"
	}
	return "The feature list is " + who + ": " + strings.Join(edit.Says, "; ")
}
