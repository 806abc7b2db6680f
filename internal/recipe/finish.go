package recipe

import (
	"research-council/internal/agent"
	"research-council/internal/flow"
)

// A run that is to finish early begins no more research and ends what is under
// way; what was found is written down as at any end. These say what the gates'
// words become then.

// let lets a run go on that its gate would have held back or sent round.
func let(r flow.Run, own flow.Verdict) flow.Verdict {
	if own.Move == flow.Next || own.Move == flow.Done {
		return own
	}
	return flow.Verdict{Move: flow.Next, Reason: r.Finish, Over: &own}
}

// finishCouncil writes up what reports and claims there are.
func finishCouncil(r flow.Run, own flow.Verdict) flow.Verdict {
	if r.Stage == Research {
		return let(r, own)
	}
	return finishReview(r, own)
}

// finishReview ends at the reviewers' word: nothing is revised any more.
func finishReview(r flow.Run, own flow.Verdict) flow.Verdict {
	if r.Stage == Verdict && own.Move == flow.Jump {
		return flow.Verdict{Move: flow.Done, Reason: "not revised any more, though " + own.Reason, Over: &own}
	}
	return own
}

// finishStaged goes on with the facts that were brought, however few.
func finishStaged(r flow.Run, own flow.Verdict) flow.Verdict {
	if r.Stage == agent.Collection || r.Stage == Factcheck {
		return let(r, own)
	}
	return finishReview(r, own)
}

// finishDeep reads no further batch.
func finishDeep(r flow.Run, own flow.Verdict) flow.Verdict {
	switch {
	case r.Stage == Collate && own.Move == flow.Jump:
		return let(r, own)
	case r.Stage == Issue && own.Move == flow.Done && surveyed(r).Files > 0 && !Left(r):
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
		return let(r, own)
	}
	if len(r.Tasks) != 1 || !r.Tasks[0].Outcome.Good() {
		return own // the program's own work has failed
	}
	switch {
	case r.Stage == Gather && own.To == Publish:
		return own // the prose is no longer to be had
	case r.Stage == Gather, r.Stage == Settle, r.Stage == Test:
		return let(r, own)
	case r.Stage == Close:
		return flow.Verdict{Move: flow.Next, Reason: unfinished(r)}
	case phaseOf(r.Stage) != "" && r.Stage != agent.Conclude:
		return flow.Verdict{Move: flow.Jump, To: Close}
	}
	return own
}
