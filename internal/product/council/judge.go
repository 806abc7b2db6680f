package council

import (
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/scope"
)

// Judges are the seats of a council that may vote, validate and debate: of those
// that have left a report, one voice of each family.
func Judges(r flow.Run) []flow.Seat {
	var able []flow.Seat
	for _, t := range flow.GoodTasks(r, Research) {
		if s, ok := r.Seat(t.Seat); ok {
			able = append(able, s)
		}
	}
	return voices(able)
}

// AllJudges are the judges where every seat and every reviewer may judge.
func AllJudges(r flow.Run) []flow.Seat { return voices(slices.Concat(r.Setup.Seats, r.Setup.Panel)) }

// voices are the first seat of each brand that thinks with a model, whatever it
// costs: seats of one family are one voice.
func voices(able []flow.Seat) []flow.Seat {
	return flow.Families(slices.DeleteFunc(able, func(s flow.Seat) bool { return !s.HasModel() }))
}

// PlanSupport asks each family of judges whether the passages found support the
// claims of the others, in a turn that knows nothing of how any was made. No
// family judges its own claims, unless there is no other to judge them.
func PlanSupport(judges func(flow.Run) []flow.Seat) func(flow.Run) []flow.Task {
	return func(r flow.Run) []flow.Task {
		var tasks []flow.Task
		found := flow.LastAssessment(r)
		visits := r.VisitsInRow(Support)
		batch := found.Earlier + visits + 1
		for _, s := range judges(r) {
			if found.Ballots[s.Brand] > visits*ClaimsInBatch {
				tasks = append(tasks, judgeTask(s, Support, VotesFile(s.Name, batch), BallotFile(s.Brand, batch)))
			}
		}
		return tasks
	}
}

// GateSupport goes on to the next batch of claims while there is one for anybody
// and judges answer.
func GateSupport(r flow.Run) flow.Verdict {
	most := 0
	for _, claims := range flow.LastAssessment(r).Ballots {
		most = max(most, claims)
	}
	return nextBatch(r, (most+ClaimsInBatch-1)/ClaimsInBatch)
}

// judgeTask is one judge's task: short, because what is asked is bounded.
func judgeTask(s flow.Seat, role, writes string, reads ...string) flow.Task {
	return flow.Task{
		Seat: s.Name, Brand: s.Brand, Role: role, Free: s.Free, Reads: reads, Writes: writes,
		Rule: loop.Rule{Iterations: flow.MaxAnswerTurns, Retries: 5, Stuck: 2},
	}
}

// gateAssessment goes where the score and what is open lead: to the report, to
// the validators, or to a debate. What validators could not settle is debated. There is
// one debate.
func gateAssessment(r flow.Run) flow.Verdict {
	found := flow.LastAssessment(r)
	why := strings.Join(found.Reasons, "; ")
	switch {
	case r.Visits(Debate) > 0:
		return flow.Verdict{Move: flow.Jump, To: Synthesis, Reason: why}
	case r.Setup.Plan.Debate == scope.Off, found.Gate == "", found.Gate == "report":
		return flow.Verdict{Move: flow.Jump, To: Synthesis, Reason: why}
	case found.Points == 0:
		return flow.Verdict{Move: flow.Jump, To: Synthesis, Reason: why + "; there is nothing to argue over"}
	case found.Gate == "debate" || r.Visits(Validation) > 0:
		return flow.Verdict{Move: flow.Jump, To: Debate, Reason: why}
	}
	return flow.Verdict{Move: flow.Next, Reason: why}
}

// planValidation asks at most two families to settle what is disputed.
func planValidation(r flow.Run) []flow.Task {
	const most = 2
	var tasks []flow.Task
	for _, s := range Judges(r) {
		if len(tasks) < most {
			tasks = append(tasks, judgeTask(s, Validation, VerdictsFile(s.Name), DisputesFile, claim.RegistryFile))
		}
	}
	return tasks
}

// gateValidation has the evidence measured again.
func gateValidation(r flow.Run) flow.Verdict {
	if len(r.Tasks) == 0 {
		return flow.Verdict{Move: flow.Jump, To: Assessment, Reason: "no seat with a model can validate what is disputed"}
	}
	return flow.Verdict{Move: flow.Jump, To: Assessment}
}

// planDebate plans a round between families. Each reads what is open, the
// registry, and from the second round on what the others said in the round before,
// in a folder that holds nothing of its own.
func planDebate(r flow.Run) []flow.Task {
	seats := Judges(r)
	if len(seats) < 2 {
		return nil
	}
	round := debateRound(r)
	var tasks []flow.Task
	for _, s := range seats {
		reads := []string{DisputesFile, claim.RegistryFile}
		if round > 1 {
			reads = append(reads, previousPositions(r, s.Name)...)
		}
		t := judgeTask(s, agent.Debate, PositionsFile(s.Name, round), reads...)
		t.Clean = true
		tasks = append(tasks, t)
	}
	return tasks
}

// debateRound is the number of the round that is about to begin.
func debateRound(r flow.Run) int {
	round := 1
	for _, v := range append(r.History[:len(r.History):len(r.History)], flow.Visit{Stage: r.Stage}) {
		if v.Stage == Debate {
			round++
		}
	}
	return round
}

// previousPositions lists what the others have said in the round before. Its own
// words a seat answers to nobody.
func previousPositions(r flow.Run, seat string) []string {
	var others []string
	for _, t := range flow.GoodTasks(r, Debate) {
		if t.Seat != seat {
			others = append(others, t.Writes)
		}
	}
	return others
}

// broughtText says how many claims a debate has brought, and where not all of them can be
// voted on.
func broughtText(claims int) string {
	text := plural.Of(claims, "claim")
	if claims > ClaimsInBatch {
		text += fmt.Sprintf(", of which each family votes on %d at most", ClaimsInBatch)
	}
	return text
}

// gateTally ends a debate that no longer moves. What it has brought is compared and voted
// on as all else was.
func gateTally(r flow.Run) flow.Verdict {
	found := flow.LastAssessment(r)
	why := strings.Join(found.Reasons, "; ")
	switch {
	case !found.Settled:
		return flow.Verdict{Move: flow.Jump, To: Debate}
	case found.New > 0:
		return flow.Verdict{Move: flow.Jump, To: Comparison, Reason: why + "; what it brought is judged: " + broughtText(found.New)}
	}
	return flow.Verdict{Move: flow.Next, Reason: why}
}
