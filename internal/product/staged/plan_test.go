package staged

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// sketch writes a plan on one line: subtopics, then each agent with its focus
// and subtopics.
func sketch(p Plan) string {
	var parts []string
	for _, t := range p.Subtopics {
		parts = append(parts, t.ID+"="+t.Title)
	}
	for _, a := range p.Agents {
		parts = append(parts, fmt.Sprintf("%s(%s:%s)", a.ID, a.Focus, strings.Join(a.Subtopics, ",")))
	}
	return strings.Join(parts, " ")
}

func TestAPlanIsMadeOneThatCanBeCarriedOut(t *testing.T) {
	t1, t2, t3 := Subtopic{ID: "T1", Title: "cost"}, Subtopic{ID: "T2", Title: "risk"}, Subtopic{ID: "T3", Title: "law"}
	for _, c := range []struct {
		name string
		in   Plan
		most int
		want string
	}{
		{
			"as it should be",
			Plan{Subtopics: []Subtopic{t1, t2}, Agents: []Assignment{{ID: "A1", Focus: "f", Subtopics: []string{"T1"}}, {ID: "A2", Focus: "g", Subtopics: []string{"T2"}}}},
			5, "T1=cost T2=risk A1(f:T1) A2(g:T2)",
		},
		{
			"other ids",
			Plan{Subtopics: []Subtopic{{ID: "costs/../x", Title: "cost"}, {ID: "", Title: "risk"}}, Agents: []Assignment{{ID: "../../etc", Focus: "f", Subtopics: []string{"COSTS/../x "}}}},
			5, "T1=cost T2=risk A1(f:T1,T2)",
		},
		{
			"of two with one id the first is meant",
			Plan{Subtopics: []Subtopic{{ID: "T1", Title: "cost"}, {ID: "T1", Title: "risk"}}, Agents: []Assignment{{ID: "A1", Focus: "f", Subtopics: []string{"T1"}}, {ID: "A1", Focus: "g"}}},
			5, "T1=cost T2=risk A1(f:T1) A2(g:T2)",
		},
		{
			"a subtopic twice",
			Plan{Subtopics: []Subtopic{t1, {ID: "T9", Title: " Cost. "}}, Agents: []Assignment{{Focus: "f", Subtopics: []string{"T9"}}}},
			5, "T1=cost A1(f:T1)",
		},
		{
			"unknown subtopics",
			Plan{Subtopics: []Subtopic{t1}, Agents: []Assignment{{Focus: "f", Subtopics: []string{"T7", "", "T1"}}, {Focus: "", Subtopics: []string{"T8"}}}},
			5, "T1=cost A1(f:T1)",
		},
		{
			"what nobody has goes to the idlest",
			Plan{Subtopics: []Subtopic{t1, t2, t3}, Agents: []Assignment{{Focus: "f", Subtopics: []string{"T1"}}, {Focus: "g"}}},
			5, "T1=cost T2=risk T3=law A1(f:T1,T3) A2(g:T2)",
		},
		{
			"nobody at all",
			Plan{Subtopics: []Subtopic{t1, t2, t3}},
			2, "T1=cost T2=risk T3=law A1(cost; law:T1,T3) A2(risk:T2)",
		},
		{
			"too many agents",
			Plan{Subtopics: []Subtopic{t1, t2, t3}, Agents: []Assignment{{Focus: "f", Subtopics: []string{"T1", "T2"}}, {Focus: "g", Subtopics: []string{"T2"}}, {Focus: "h", Subtopics: []string{"T3"}}}},
			2, "T1=cost T2=risk T3=law A1(f:T1,T2) A2(g; h:T2,T3)",
		},
		{
			"the same agent twice",
			Plan{Subtopics: []Subtopic{t1}, Agents: []Assignment{{ID: "A1", Focus: "F", Subtopics: []string{"T1"}}, {ID: "A2", Focus: "f.", Subtopics: []string{"t1", "T1"}}}},
			5, "T1=cost A1(F:T1)",
		},
		{
			"a focus of several lines",
			Plan{Subtopics: []Subtopic{t1}, Agents: []Assignment{{Focus: "f\n\x1b[2J# g", Subtopics: []string{"T1"}}}},
			5, "T1=cost A1(f # g:T1)",
		},
		{"a bound that is none", Plan{Subtopics: []Subtopic{t1, t2}}, 0, "T1=cost T2=risk A1(cost; risk:T1,T2)"},
		{"agents without subtopics", Plan{Agents: []Assignment{{Focus: "f"}}}, 5, "A1(f:)"},
		{"nothing", Plan{}, 5, ""},
		{"nothing that says anything", Plan{Subtopics: []Subtopic{{ID: "T1", Title: " "}}, Agents: []Assignment{{ID: "A1", Subtopics: []string{"T1"}}}}, 5, ""},
	} {
		require.Equal(t, c.want, sketch(Normalise(c.in, c.most)), c.name)
	}
}

// plans draws what a model may answer.
func plans(t *rapid.T) Plan {
	id := rapid.OneOf(rapid.SampledFrom([]string{"T1", "T2", "t3", "T10", "", "../x"}), rapid.StringN(0, 3, -1))
	words := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]string{"", "cost", "Cost.", "risk\n", "law"}), rapid.StringN(0, 4, -1)), 0, 3)
	var p Plan
	for range rapid.IntRange(0, 8).Draw(t, "subtopics") {
		p.Subtopics = append(p.Subtopics, Subtopic{ID: id.Draw(t, "id"), Title: strings.Join(words.Draw(t, "title"), " "), Questions: words.Draw(t, "questions")})
	}
	for range rapid.IntRange(0, 12).Draw(t, "agents") {
		p.Agents = append(p.Agents, Assignment{
			ID: id.Draw(t, "id"), Focus: strings.Join(words.Draw(t, "focus"), " "),
			Subtopics: rapid.SliceOfN(id, 0, 4).Draw(t, "of"), Queries: words.Draw(t, "queries"),
		})
	}
	p.Quality = words.Draw(t, "quality")
	return p
}

func TestWhatHoldsOfEveryPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, most := plans(t), rapid.IntRange(-1, 6).Draw(t, "most")
		p := Normalise(in, most)
		covered, titles := map[string]bool{}, map[string]bool{}
		for i, a := range p.Agents {
			require.Equal(t, fmt.Sprint("A", i+1), a.ID)
			require.True(t, isSafeID(a.ID))
			require.NotEmpty(t, a.Focus)
			require.NotContains(t, a.Focus, "\n")
			require.True(t, slices.IsSortedFunc(a.Subtopics, func(a, b string) int { return number(a) - number(b) }))
			for _, id := range a.Subtopics {
				covered[id] = true
			}
		}
		require.LessOrEqual(t, len(p.Agents), max(most, 1))
		require.Len(t, covered, len(p.Subtopics), "every subtopic has an agent, and no other is named")
		for i, s := range p.Subtopics {
			require.Equal(t, fmt.Sprint("T", i+1), s.ID)
			require.True(t, covered[s.ID])
			titles[key(s.Title)] = true
		}
		for _, s := range in.Subtopics {
			require.True(t, plainLine(s.Title) == "" || titles[key(plainLine(s.Title))], "no subtopic is lost")
		}
		require.Equal(t, p, Normalise(p, most), "what can be carried out stays as it is")
		data, err := json.Marshal(p)
		require.NoError(t, err)
		require.NotContains(t, string(data), "null")
	})
}

func TestALongPlanIsCarriedOutByFewAgents(t *testing.T) {
	var p Plan
	for i := range 20_000 {
		p.Subtopics = append(p.Subtopics, Subtopic{ID: "T", Title: fmt.Sprint("title ", i)})
		p.Agents = append(p.Agents, Assignment{Focus: fmt.Sprint("focus ", i), Subtopics: []string{"T", fmt.Sprint("T", i)}})
	}
	got := Normalise(p, 5)
	require.Len(t, got.Agents, 5)
	require.Len(t, got.Subtopics, 20_000)
}
