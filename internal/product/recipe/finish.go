package recipe

import (
	"slices"
	"strings"

	"research-council/internal/agent"
	"research-council/internal/engine/flow"
	"research-council/internal/product/campaign"
	"research-council/internal/product/staged"
)

// A run that is to finish early begins no more research and ends what is under
// way; what was found is written down as at any end. These say what the gates'
// words become then.

// proceed lets a run go on that its gate would have held back or sent round.
func proceed(r flow.Run, own flow.Verdict) flow.Verdict {
	if own.Move == flow.Next || own.Move == flow.Done {
		return own
	}
	return flow.Verdict{Move: flow.Next, Reason: r.Finish, Over: &own}
}

// finishCouncil writes up what reports and claims there are.
func finishCouncil(r flow.Run, own flow.Verdict) flow.Verdict {
	if r.Stage == Research {
		return proceed(r, own)
	}
	return finishPanel(r, own)
}

// finishPanel ends at the reviewers' word: nothing is revised any more.
func finishPanel(r flow.Run, own flow.Verdict) flow.Verdict {
	if r.Stage == Verdict && own.Move == flow.Jump {
		return flow.Verdict{Move: flow.Done, Reason: "not revised any more, though " + own.Reason, Over: &own}
	}
	return own
}

// finishStaged goes on with the facts that were brought, however few.
func finishStaged(r flow.Run, own flow.Verdict) flow.Verdict {
	if r.Stage == agent.Collection || r.Stage == Factcheck {
		return proceed(r, own)
	}
	return finishPanel(r, own)
}

// finishCodeReview reads no further batch.
func finishCodeReview(r flow.Run, own flow.Verdict) flow.Verdict {
	switch {
	case r.Stage == Collate && own.Move == flow.Jump:
		return proceed(r, own)
	case r.Stage == PublishReview && own.Move == flow.Done && surveyTally(r).Files > 0 && !Left(r):
		return flow.Verdict{Move: flow.Fail, Reason: r.Finish + ", before any reviewer had answered"}
	}
	return own
}

// finishCampaign puts on paper what there is and ends: the report of the
// research, the plan as it stands, the feature that is being built. No further
// phase is begun.
func finishCampaign(r flow.Run, own flow.Verdict) flow.Verdict {
	switch r.Stage {
	case agent.Explore, agent.Design, agent.Breakdown, agent.Code:
		return proceed(r, own)
	}
	if len(r.Tasks) != 1 || !r.Tasks[0].Outcome.Good() {
		return own // the program's own work has failed
	}
	switch {
	case r.Stage == Gather && own.To == Publish:
		return own // the prose is no longer to be had
	case r.Stage == Gather, r.Stage == Settle, r.Stage == Test:
		return proceed(r, own)
	case r.Stage == Close:
		return flow.Verdict{Move: flow.Next, Reason: unfinishedReason(r)}
	case PhaseOf(campaign.Of(r.Setup.Own).Mode, r.Stage) != "" && r.Stage != agent.Conclude:
		return flow.Verdict{Move: flow.Jump, To: Close}
	}
	return own
}

// WhyUnfinishable says why a run cannot finish early; "" when it can. What is only
// asked about has nothing to be written down.
func WhyUnfinishable(r flow.Run) string {
	if staged.Of(r.Setup.Own) != nil && r.Visits(agent.Collection) == 0 {
		return "nothing has been researched yet"
	}
	return ""
}

// FinishMessage says, for people, what becomes of a run that is to finish early.
func FinishMessage(r flow.Run) string {
	c := campaign.Of(r.Setup.Own)
	if c == nil {
		return "No more research begins; the report is written from what there is."
	}
	phase := CampaignState(r).Phase
	text := map[campaign.Phase]string{
		campaign.PhaseA: "The research ends; its report is written from what there is.",
		campaign.PhaseB: "The planning ends; the plan is put on paper as it stands.",
		campaign.PhaseC: "The feature that is being built is built to its end, and no other is begun.",
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
	if phase == campaign.PhaseC || len(left) > 0 {
		text += " `council campaign resume " + c.Slug + "` goes on from there later."
	}
	return text
}

// HasWorkLeft reports whether a campaign that was completed has something left to do
// within its limits: features that were opened again, or what was left when it
// was finished early.
func HasWorkLeft(r flow.Run) bool {
	st := CampaignState(r)
	return r.Status == flow.Completed && (r.Finish != "" || st.Total > 0 && st.Next != "") && st.Iteration < campaign.Of(r.Setup.Own).Iterations
}
