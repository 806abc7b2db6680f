package campaign

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
)

// finish puts on paper what there is and ends: the report of the
// research, the plan as it stands, the feature that is being built. No further
// phase is begun.
func finish(r flow.Run, own flow.Verdict) flow.Verdict {
	switch r.Stage {
	case agent.Explore, agent.Design, agent.Breakdown, agent.Code:
		return flow.Proceed(r, own)
	}
	if len(r.Tasks) != 1 || !r.Tasks[0].Outcome.Good() {
		return own // the program's own work has failed
	}
	switch {
	case r.Stage == Gather && own.To == Publish:
		return own // the prose is no longer to be had
	case r.Stage == Gather, r.Stage == Settle, r.Stage == Test:
		return flow.Proceed(r, own)
	case r.Stage == Close:
		return flow.Verdict{Move: flow.Next, Reason: unfinishedReason(r)}
	case PhaseOf(Of(r.Setup.Own).Mode, r.Stage) != "" && r.Stage != agent.Conclude:
		return flow.Verdict{Move: flow.Jump, To: Close}
	}
	return own
}

// FinishMessage says, for people, what becomes of a run that is to finish early.
func FinishMessage(r flow.Run) string {
	c, phase := Of(r.Setup.Own), StateOf(r).Phase
	text := map[Phase]string{
		PhaseA: "The research ends; its report is written from what there is.",
		PhaseB: "The planning ends; the plan is put on paper as it stands.",
		PhaseC: "The feature that is being built is built to its end, and no other is begun.",
	}[phase]
	var left []string
	for i, p := range c.Mode.Phases() {
		if slices.Contains(c.Mode.Phases()[:i], phase) {
			left = append(left, string(p))
		}
	}
	if len(left) > 0 {
		text += " Not begun: " + strings.Join(left, ", ") + "."
	}
	if phase == PhaseC || len(left) > 0 {
		text += " `council campaign resume " + c.Slug + "` goes on from there later."
	}
	return text
}

// HasWorkLeft reports whether a campaign that was completed has something left to do
// within its limits: features that were opened again, or what was left when it
// was finished early.
func HasWorkLeft(r flow.Run) bool {
	st := StateOf(r)
	return r.Status == flow.Completed && (r.Finish != "" || st.Total > 0 && st.Next != "") && st.Iteration < Of(r.Setup.Own).Iterations
}

// ReopenStage is the stage a campaign that has ended goes on with: the one
// that has most to do.
func ReopenStage(r flow.Run) string {
	c, st := *Of(r.Setup.Own), StateOf(r)
	switch {
	case slices.Contains(c.Mode.Phases(), PhaseA) && !slices.Contains(st.Done, PhaseA), c.Mode == Research:
		return agent.Explore
	case slices.Contains(c.Mode.Phases(), PhaseB) && !slices.Contains(st.Done, PhaseB), c.Mode == ResearchAndPlan:
		return agent.Design
	case c.Mode == Implement && (st.Total == 0 || len(st.Blockers) > 0):
		return Adopt // the plan may have been mended
	case st.Total == 0 || len(st.Blockers) > 0:
		return agent.Breakdown
	case r.Stage == Test && len(r.Tasks) == 1 && r.Tasks[0].Ended() && !r.Tasks[0].Outcome.Good():
		return Test // what was built has not been judged
	}
	return Baseline
}

// endedMessage is what a person is told who would go on with a campaign that has
// ended.
func endedMessage(r flow.Run) string {
	status := strings.ReplaceAll(string(r.Status), "_", " ")
	return fmt.Sprintf("the campaign %q has ended (%s)%s", Of(r.Setup.Own).Name, status, NextCommand(r))
}

// NextCommand is the command that goes on after a campaign that has ended, as the
// end of a sentence.
func NextCommand(r flow.Run) string {
	c := Of(r.Setup.Own)
	again := fmt.Sprintf("council campaign run %s NAME '…'", c.Mode)
	if c.Mode == Implement {
		again = fmt.Sprintf("council campaign run implement %s", c.Slug)
	}
	switch {
	case r.Status == flow.Cancelled && c.Mode == Implement:
		return fmt.Sprintf("; `%s` begins another that goes on with its feature list", again)
	case r.Status == flow.Cancelled:
		return fmt.Sprintf("; begin another under another name with `%s`", again)
	case r.Status == flow.Failed || HasWorkLeft(r):
		return fmt.Sprintf("; `council campaign resume %s` goes on", c.Slug)
	case Finished(r) && StateOf(r).Lost > 0:
		return fmt.Sprintf("; `council campaign retry %s` lets what failed be tried again", c.Slug)
	case Finished(r):
		return fmt.Sprintf("; `council campaign run %s NAME` begins another under another name", c.Mode)
	}
	return fmt.Sprintf("; `council campaign resume %s --max-iterations %d` goes on", c.Slug, StateOf(r).Iteration+10)
}
