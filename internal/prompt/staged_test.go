package prompt

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/agent"
)

// full is a turn of staged research with all that a turn may have.
func full() Stage {
	const run, own = "/run/", "/run/seats/claude/task/"
	return Stage{
		Report: own + "answer.json", Open: own + "open.md",
		Agent: "A2", Focus: "Contracts of shared depots", Subtopics: []string{"T2: Depots", "T3: Trials that were given up"},
		Queries: []string{"micro depot operator contract", "urban consolidation centre closed"}, Scope: "/usr/src/app", Desk: true,
		Agents: 5, Panel: 3, Revised: 2,
		Questions: run + "questions.json", Answers: run + "answers.md", Brief: run + "brief.json", Plan: run + "plan.json",
		Facts: run + "factcheck.json", Registry: run + "registry.json", Findings: run + "findings.json", Advocate: run + "advocate.json",
		FinalReport: run + "final-report.md", OwnReview: run + "review-1.json", Others: run + "others.json", Revision: run + "revision.md",
	}
}

// least is a turn with what its role cannot do without, and nothing else.
func least(role string) Stage {
	all, v := full(), Stage{Report: full().Report, Agent: "A1", Focus: "Everything"}
	switch role {
	case agent.Brief:
		v.Answers = all.Answers
	case agent.Planning:
		v.Brief = all.Brief
	case agent.Findings:
		v.Facts = all.Facts
	case agent.Advocate, agent.Prose:
		v.Findings, v.Facts = all.Findings, all.Facts
	case agent.Review:
		v.FinalReport = all.FinalReport
	case agent.Reconsider:
		v.OwnReview, v.FinalReport = all.OwnReview, all.FinalReport
	}
	return v
}

func TestGoldenStages(t *testing.T) {
	for _, role := range stagedRoles() {
		text, err := Staged(role, full())
		require.NoError(t, err, role)
		golden(t, role+"-full", text)
		text, err = Staged(role, least(role))
		require.NoError(t, err, role)
		golden(t, role+"-least", text)
	}
}
