package staged

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type move string

const (
	passes  move = "passes"
	waits   move = "waits"
	retries move = "retries"
	fails   move = "fails"
)

func moveOf(r Ruling) move {
	r.Reason = ""
	switch r {
	case Ruling{Pass: true}:
		return passes
	case Ruling{Wait: true}:
		return waits
	case Ruling{Retry: true}:
		return retries
	case Ruling{}:
		return fails
	}
	return "does two things at once"
}

func TestGates(t *testing.T) {
	notion := func(blocks int) *ReportResult {
		return &ReportResult{NotionURL: "https://notion.invalid/p", PageID: "p1", Blocks: blocks, File: "final-report.md"}
	}
	agents := []Assignment{{ID: "A1", Focus: "x"}}
	for _, c := range []struct {
		name  string
		stage string
		o     Output
		g     GateInput
		want  move
		why   string
	}{
		{"nothing was asked", Discovery, Output{}, GateInput{}, waits, "there is no brief with topic, goal and success criteria yet"},
		{"the questions are asked", Discovery, Output{Questions: 10}, GateInput{Asked: true}, waits, "the questions wait for a person's answers; there is no brief with topic, goal and success criteria yet"},
		{"a brief nobody has confirmed", Discovery, Output{Brief: true}, GateInput{Asked: true}, waits, "the brief waits for a person to confirm it"},
		{"a confirmation of no brief", Discovery, Output{}, GateInput{Asked: true, Confirmed: true}, waits, "there is no brief"},
		{"a brief that is confirmed", Discovery, Output{Brief: true}, GateInput{Asked: true, Confirmed: true}, passes, "a person has confirmed the brief"},

		{"one subtopic", Planning, Output{Subtopics: 1, Agents: agents}, GateInput{}, passes, "1 agent for 1 subtopic"},
		{"no subtopic", Planning, Output{Agents: agents}, GateInput{}, fails, "no subtopic, and at least 1 is needed"},
		{"no agent", Planning, Output{Subtopics: 3}, GateInput{}, fails, "no agent, and at least 1 is needed"},
		{"an agent without an id", Planning, Output{Subtopics: 3, Agents: []Assignment{{}}}, GateInput{}, fails, "it cannot be judged: an agent of the plan has no id"},
		{"an agent whose id is a path", Planning, Output{Subtopics: 3, Agents: []Assignment{{ID: "../x"}}}, GateInput{}, fails, "it cannot be judged: an agent of the plan has no id"},

		{"all of five", Collection, Output{Planned: 5, Returned: 5}, GateInput{}, passes, "5 of 5 agents returned data"},
		{"three of five", Collection, Output{Planned: 5, Returned: 3}, GateInput{}, passes, "3 of 5 agents returned data"},
		{"two of five", Collection, Output{Planned: 5, Returned: 2}, GateInput{}, fails, "2 of 5 agents returned data, and at least 3 are needed"},
		{"three of four", Collection, Output{Planned: 4, Returned: 3}, GateInput{}, passes, ""},
		{"two of four", Collection, Output{Planned: 4, Returned: 2}, GateInput{}, fails, ""},
		{"two of three", Collection, Output{Planned: 3, Returned: 2}, GateInput{}, passes, ""},
		{"one of three", Collection, Output{Planned: 3, Returned: 1}, GateInput{}, fails, ""},
		{"one of two", Collection, Output{Planned: 2, Returned: 1}, GateInput{}, fails, ""},
		{"one of one", Collection, Output{Planned: 1, Returned: 1}, GateInput{}, passes, "1 of 1 agent returned data"},
		{"none of one", Collection, Output{Planned: 1}, GateInput{}, fails, "0 of 1 agent returned data, and at least 1 is needed"},
		{"none was planned", Collection, Output{}, GateInput{}, fails, "no agent was planned"},
		{"more than were planned", Collection, Output{Planned: 2, Returned: 3}, GateInput{}, fails, "it cannot be judged: 3 of 2 agents returned data"},
		{"more than anybody plans", Collection, Output{Planned: math.MaxInt, Returned: 3}, GateInput{}, fails, ""},

		{"one fact is verified", Factcheck, Output{Stats: &Stats{Total: 9, Verified: 1, Unverified: 8}}, GateInput{}, passes, "1 of 9 facts verified"},
		{"none is", Factcheck, Output{Stats: &Stats{Total: 9, Unverified: 9}}, GateInput{}, fails, "none of 9 facts could be verified, and at least 1 is needed"},
		{"nobody is there to judge", Factcheck, Output{Stats: &Stats{Total: 9, Located: 7, Unjudged: 7, Unverified: 2}}, GateInput{}, passes, "0 of 9 facts verified: 7 located, unjudged; nobody with a model is there to judge, and the report cannot be approved"},
		{"all judges failed", Factcheck, Output{Stats: &Stats{Total: 9, Located: 7, Unjudged: 7, Unverified: 2, Judges: true}}, GateInput{}, fails, "none of 9 facts is verified, and at least 1 is needed: 7 located, unjudged, because no judge could be heard"},
		{"all are only qualified", Factcheck, Output{Stats: &Stats{Total: 9, Located: 9, Qualified: 9, Judges: true}}, GateInput{}, fails, "none of 9 facts could be verified"},
		{"there were none", Factcheck, Output{Stats: &Stats{}}, GateInput{}, fails, "there are no facts to verify"},
		{"nobody counted", Factcheck, Output{}, GateInput{}, fails, "it cannot be judged: nothing was counted"},
		{"more than there are", Factcheck, Output{Stats: &Stats{Total: 1, Verified: 2}}, GateInput{}, fails, "it cannot be judged: 2 are told of 1 fact"},

		{"three recommendations", Synthesis, Output{Recommendations: 3}, GateInput{}, passes, "3 recommendations"},
		{"two", Synthesis, Output{Recommendations: 2}, GateInput{}, fails, "2 recommendations, and at least 3 are needed"},
		{"one", Synthesis, Output{Recommendations: 1}, GateInput{}, fails, "1 recommendation, and at least 3 are needed"},
		{"none", Synthesis, Output{}, GateInput{}, fails, "no recommendation, and at least 3 are needed"},

		{"a risk", DevilsAdvocate, Output{Risks: 1}, GateInput{}, passes, "1 risk"},
		{"no risk", DevilsAdvocate, Output{}, GateInput{}, fails, "no risk, and at least 1 is needed"},

		{"a page in Notion", Report, Output{Report: notion(15)}, GateInput{}, passes, "delivered to Notion in 15 blocks"},
		{"a page that is too short", Report, Output{Report: notion(14)}, GateInput{}, retries, "the report has 14 blocks, and at least 15 are needed"},
		{"nothing was delivered", Report, Output{}, GateInput{}, retries, "the report was not delivered"},
		{"a problem, whatever else is there", Report, Output{Report: &ReportResult{NotionURL: "https://notion.invalid/p", PageID: "p", Blocks: 20, Problem: "429\n\x1b[2J"}}, GateInput{}, retries, "the report was not delivered: 429"},
		{"no address", Report, Output{Report: &ReportResult{PageID: "p", Blocks: 20, File: "f"}}, GateInput{}, retries, "the report has no address in Notion"},
		{"an address that is none", Report, Output{Report: &ReportResult{NotionURL: "javascript:x", PageID: "p", Blocks: 20}}, GateInput{}, retries, "the report has no address in Notion"},
		{"no page id", Report, Output{Report: &ReportResult{NotionURL: "https://notion.invalid/p", Blocks: 20}}, GateInput{}, retries, "the report has no page id in Notion"},
		{"a file, where Notion is not set up", Report, Output{Report: &ReportResult{Local: true, File: "final-report.md", Blocks: 15}}, GateInput{}, passes, "delivered as a file of 15 blocks; Notion is not set up"},
		{"a file that is too short", Report, Output{Report: &ReportResult{Local: true, File: "final-report.md", Blocks: 1}}, GateInput{}, retries, "the report has 1 block, and at least 15 are needed"},
		{"no file", Report, Output{Report: &ReportResult{Local: true, File: " ", Blocks: 15}}, GateInput{}, retries, "there is no file of the report"},

		{"reviewers are counted elsewhere", Review, Output{}, GateInput{}, fails, "there is no such stage"},
		{"no stage", "", Output{}, GateInput{}, fails, "there is no such stage"},
		{"after the last stage", Done, Output{Brief: true}, GateInput{Confirmed: true}, fails, "there is no such stage"},
	} {
		r := Judge(c.stage, c.o, c.g)
		require.Equal(t, c.want, moveOf(r), "%s: %s", c.stage, c.name)
		require.Contains(t, r.Reason, c.why, "%s: %s", c.stage, c.name)
		require.NotEmpty(t, r.Reason, "%s: %s", c.stage, c.name)
		require.NotContains(t, r.Reason, "\x1b", "%s: %s", c.stage, c.name)
		require.NotContains(t, r.Reason, "\n", "%s: %s", c.stage, c.name)
	}
}

func TestAnEmptyOutputPassesNoGate(t *testing.T) {
	for _, stage := range append(Stages(), Done, "", "x") {
		for _, g := range []GateInput{{}, {Asked: true, Confirmed: true}} {
			require.False(t, Judge(stage, Output{}, g).Pass, stage)
			require.False(t, Judge(stage, Output{Stats: &Stats{}, Report: &ReportResult{}}, g).Pass, stage)
		}
	}
}

// outputs draws any output that the program could measure, and worse.
func outputs(t *rapid.T) Output {
	n := func(name string) int { return rapid.SampledFrom([]int{0, 1, 2, 3, 5, 15, 100}).Draw(t, name) }
	o := Output{
		Questions: n("questions"), Brief: rapid.Bool().Draw(t, "brief"), Subtopics: n("subtopics"), Facts: n("facts"),
		Insights: n("insights"), Planned: n("planned"), Returned: n("returned"), Recommendations: n("recommendations"), Risks: n("risks"),
		Agents: make([]Assignment, rapid.IntRange(0, 3).Draw(t, "agents")),
	}
	for i := range o.Agents {
		o.Agents[i].ID = rapid.SampledFrom([]string{"A1", "A2", "", "a/b"}).Draw(t, "id")
	}
	if rapid.Bool().Draw(t, "counted") {
		o.Stats = &Stats{Total: n("total"), Verified: n("verified"), Unverified: n("unverified")}
	}
	if rapid.Bool().Draw(t, "delivered") {
		o.Report = &ReportResult{
			NotionURL: rapid.SampledFrom([]string{"", "https://notion.invalid/p", "x"}).Draw(t, "url"), PageID: rapid.SampledFrom([]string{"", "p"}).Draw(t, "page"),
			File: rapid.SampledFrom([]string{"", "f"}).Draw(t, "file"), Local: rapid.Bool().Draw(t, "local"), Blocks: n("blocks"), Problem: rapid.SampledFrom([]string{"", "p"}).Draw(t, "problem"),
		}
	}
	return o
}

func TestNoGarbledOutputPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := outputs(t)
		g := GateInput{Asked: true, Confirmed: true}
		negative := rapid.IntRange(math.MinInt, -1).Draw(t, "negative")
		o.Stats, o.Report = &Stats{Total: 3, Verified: 3}, &ReportResult{Local: true, File: "f", Blocks: 20}
		o.Brief, o.Recommendations, o.Risks = true, 3, 1
		count := rapid.SampledFrom([]*int{
			&o.Questions, &o.Subtopics, &o.Facts, &o.Insights, &o.Planned, &o.Returned, &o.Recommendations, &o.Risks,
			&o.Stats.Total, &o.Stats.Located, &o.Stats.Supported, &o.Stats.Unjudged, &o.Stats.Verified, &o.Stats.Unverified, &o.Stats.Sources, &o.Report.Blocks,
		}).Draw(t, "count")
		*count = negative
		for _, stage := range Stages() {
			require.Equal(t, fails, moveOf(Judge(stage, o, g)), stage)
		}
	})
}

func TestAGateDoesOneThingAndSaysWhy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := outputs(t)
		g := GateInput{Asked: rapid.Bool().Draw(t, "asked"), Confirmed: rapid.Bool().Draw(t, "confirmed")}
		for _, stage := range append(Stages(), rapid.String().Draw(t, "stage")) {
			r := Judge(stage, o, g)
			require.Contains(t, []move{passes, waits, retries, fails}, moveOf(r))
			require.NotEmpty(t, r.Reason)
			require.NotContains(t, r.Reason, "\n")
			require.Equal(t, r, Judge(stage, o, g))
		}
	})
}
