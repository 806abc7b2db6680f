package staged

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
)

func TestOnlyWhatSaysSomethingCountsAndOnlyOnce(t *testing.T) {
	for _, c := range []struct {
		name, role, in string
		want           Output
	}{
		{"questions", agent.Questions, `{"questions":[{"id":"Q1","question":"Who?"},{"id":"Q2","question":" who? "},{"id":"Q3","question":"\n"},{"id":"Q4","question":"When?"}]}`, Output{Questions: 2}},
		{"no questions", agent.Questions, `{}`, Output{}},
		{"a brief", agent.Brief, `{"topic":"t","goal":"g","success_criteria":["", "c"]}`, Output{Brief: true}},
		{"a brief without a topic", agent.Brief, `{"topic":" ","goal":"g","success_criteria":["c"]}`, Output{}},
		{"a brief without a goal", agent.Brief, `{"topic":"t","success_criteria":["c"]}`, Output{}},
		{"a brief without criteria", agent.Brief, `{"topic":"t","goal":"g","success_criteria":["\u200b"," "]}`, Output{}},
		{"a brief that calls itself confirmed", agent.Brief, `{"confirmed_by_user":true}`, Output{}},
		{
			"a plan", agent.Planning, `{"subtopics":[{"id":"T1","title":"cost"},{"id":"T2","title":"COST"},{"id":"T3","title":"law"}],"agents":[{"id":"x/y","focus":"f","subtopics":["T1"]}]}`,
			Output{Subtopics: 2, Agents: []Assignment{{ID: "A1", Focus: "f", Subtopics: []string{"T1", "T2"}, Queries: []string{}}}},
		},
		{"no plan", agent.Planning, `{"subtopics":[],"agents":[]}`, Output{Agents: []Assignment{}}},
		{
			"facts and insights", agent.Collection,
			`{"facts":[{"statement":"a","quote":"q","source":"s"},{"statement":"A.","quote":"q","source":"s"},{"statement":"a","quote":"q","source":"s2"},{"statement":"b","source":""},{"statement":" ","source":"s"}],"insights":["i","I","",  "j"]}`,
			Output{Facts: 2, Insights: 2},
		},
		{"recommendations", agent.Findings, `{"executive_summary":"x","key_findings":[],"recommendations":[{"recommendation":"a"},{"recommendation":"A "},{"recommendation":""},{"rationale":"r"},{"recommendation":"b"}]}`, Output{Recommendations: 2}},
		{"risks", agent.Advocate, `{"risks":[{"risk":"a"},{"risk":"a."},{"risk":" "}],"counterarguments":[],"blind_spots":[]}`, Output{Risks: 1}},
	} {
		got, err := Count(c.role, []byte(c.in))
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got, c.name)
	}
}

func TestWhatCannotBeCountedIsRefused(t *testing.T) {
	for _, c := range []struct{ name, role, in, problem string }{
		{"no role", "", `{}`, "nothing is counted in this role"},
		{"prose", agent.Prose, `# x`, "nothing is counted in this role"},
		{"a review", agent.Review, `{}`, "nothing is counted in this role"},
		{"nothing", agent.Brief, ``, "it is empty"},
		{"a list", agent.Brief, `[]`, "it cannot be a JSON array"},
		{"another type", agent.Advocate, `{"risks":"many"}`, "risks cannot be a JSON string"},
		{"something behind", agent.Planning, `{} <!-- RESEARCH_COMPLETE -->`, "something stands behind the JSON value"},
		{"a code fence", agent.Planning, "```json\n{}\n```", "it is no JSON"},
		{"too much", agent.Planning, `{"x":"` + strings.Repeat("x", maxAnswerBytes) + `"}`, "it is longer than 4 MiB"},
	} {
		o, err := Count(c.role, []byte(c.in))
		require.ErrorContains(t, err, c.problem, c.name)
		require.Zero(t, o, c.name)
		require.NotContains(t, err.Error(), "\n", c.name)
	}
}

func TestAReviewSeesNoMoreThanWasCounted(t *testing.T) {
	list := make([]map[string]string, 50)
	for i := range list {
		list[i] = map[string]string{"recommendation": "Do it."}
	}
	data, err := json.Marshal(map[string]any{"recommendations": list})
	require.NoError(t, err)
	o, err := Count(agent.Findings, data)
	require.NoError(t, err)
	require.Equal(t, fails, moveOf(Judge(Synthesis, o, GateInput{})), "one recommendation fifty times is one")
}

func roles() []string {
	return []string{agent.Questions, agent.Brief, agent.Planning, agent.Collection, agent.Findings, agent.Advocate, agent.Prose}
}

func FuzzCount(f *testing.F) {
	for _, seed := range []string{
		`{"questions":[{"id":"Q1","question":"Who?"}]}`, `{"topic":"t","goal":"g","success_criteria":["c"]}`, `{"subtopics":[{"id":"T1","title":"x"}],"agents":[{"id":"A1","subtopics":["T1"]}]}`,
		`{"facts":[{"statement":"a","quote":"q","source":"s"}],"insights":["i"]}`, `{"key_findings":[{"finding":"f","claims":["C1"]}],"recommendations":[{"recommendation":"a"}]}`, `{"risks":[{"risk":"a","claims":["C9"]}]}`, `[`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, role := range roles() {
			o, err := Count(role, data)
			if err != nil {
				require.Zero(t, o)
				require.NotContains(t, err.Error(), "\n")
				continue
			}
			require.Empty(t, o.invalidCount())
			require.LessOrEqual(t, len(o.Agents), Agents)
			for _, l := range Lint(role, data, func(id string) bool { return id == "C1" }) {
				require.NotContains(t, l, "\n")
				require.NotContains(t, l, "\x1b")
			}
		}
	})
}
