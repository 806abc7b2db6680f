package supervisor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/host/verify"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/council/councilwork"
)

// splits is a fake planner that answers with what lies in a file, one a turn: the
// second time the second, and so on.
const splits = `n=$(($(cat "$CALLS/planner-plan" 2>/dev/null | wc -l) + 1))
echo turn >> "$CALLS/planner-plan"
cat > "$CALLS/asked.$n"
[ -e "$CALLS/plan.$n" ] || exit 70
cat "$CALLS/plan.$n" > "$RESEARCH_REPORT_PATH"
`

// heapPlan splits the question of these runs.
const heapPlan = `{"title": "How a heap paces itself", "questions": [
	{"text": "How does the collector pace itself?", "answered_by": "the code that sets the goal", "dimensions": ["heap", "time"], "must_not_miss": ["the heap goal"], "critical": true},
	{"text": "What do mutators allocate meanwhile?", "answered_by": "a measurement"},
	{"text": "What is known to go wrong?", "answered_by": "an account of a failure"}
]}`

// planned is a council of two whose question a model splits, with the model's answers.
func planned(t *testing.T, answers ...string) *councilRun {
	asks := `[ $ROLE = research ] && cat > "$CALLS/$SEAT-asked"` + "\n"
	c := newCouncil(t, map[string]string{"ada": asks + diligent, "bea": diligent})
	path := filepath.Join(c.calls, "planner.sh")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\nCALLS='"+c.calls+"'\n"+splits), 0o700))
	for i, text := range answers {
		require.NoError(t, os.WriteFile(filepath.Join(c.calls, fmt.Sprintf("plan.%d", i+1)), []byte(text), 0o600))
	}
	c.setup.Plan.Questions = scope.QuestionsOf(c.setup.Topic)
	c.setup.Planner = &flow.Seat{Name: flow.Planner, Kind: "command", Brand: "ada", Program: path, Model: "small"}
	return c
}

// plan is the plan in the run's folder, as the desks read it.
func (c *councilRun) plan() scope.Plan {
	var p scope.Plan
	require.NoError(c, json.Unmarshal([]byte(c.file(supervisor.PlanFile)), &p))
	return p
}

func texts(list []scope.Question) []string {
	var all []string
	for _, q := range list {
		all = append(all, q.Text)
	}
	return all
}

func TestAModelSplitsTheQuestionBeforeAnybodyResearches(t *testing.T) {
	t.Parallel()
	c := planned(t, heapPlan)
	c.setup.Topic = "How does it work? " + strings.Repeat("The heap grows while mutators allocate. ", 20)
	c.setup.Plan.Questions = scope.QuestionsOf(c.setup.Topic)
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, []string{"plan", "research"}, visited(r)[:2])
	require.Equal(t, 1, c.turns("planner", "plan"))

	p := c.plan()
	require.Equal(t, council.PlanOf(r), p)
	require.Equal(t, "small", p.PlannedBy)
	require.Equal(t, []string{p.Questions[0].Text, "How does the collector pace itself?", "What do mutators allocate meanwhile?", "What is known to go wrong?"}, texts(p.Questions))
	require.Contains(t, c.file("progress.log"), "The question in 3 parts, planned by small | Q2 How does the collector pace itself? | Q3")

	asked, err := os.ReadFile(filepath.Join(c.calls, "asked.1"))
	require.NoError(t, err)
	require.Contains(t, string(asked), "# The question, planned")
	require.Contains(t, string(asked), strings.TrimSpace(c.setup.Topic))
	asked, err = os.ReadFile(filepath.Join(c.calls, "ada-asked"))
	require.NoError(t, err)
	require.Contains(t, string(asked), "Q2: How does the collector pace itself? Answered by: the code that sets the goal. Tell apart: heap; time. Must not be missed: the heap goal. The whole answer hangs on this.")

	var measured score.Result
	require.NoError(t, json.Unmarshal([]byte(c.file(council.ScoreFile)), &measured))
	require.Equal(t, []string{"Q1", "Q2", "Q3", "Q4"}, measured.Input.Questions)
	require.Equal(t, []string{"Q2"}, measured.Input.Critical)
	st, err := status.Parse([]byte(c.file("status.json")))
	require.NoError(t, err)
	require.False(t, st.Own.IsZero())
	require.Contains(t, c.file(flow.FinalReport), "planned by small")
	require.Contains(t, c.file(flow.FinalReport), "# How a heap paces itself\n", "a long question is called by its title")
	v, err := verify.Run(c.folder())
	require.NoError(t, err)
	require.Empty(t, v.Problems)
}

// A planner that is refused is told why, once; after that the rules plan.
func TestAPlanThatIsRefusedIsMendedOnceAndThenLeftToTheRules(t *testing.T) {
	t.Parallel()
	two := `{"questions": [{"text": "One?", "answered_by": "x"}, {"text": "Two?", "answered_by": "x"}]}`
	for name, c := range map[string]struct {
		answers []string
		turns   int
		by, why string
	}{
		"mended":         {[]string{two, heapPlan}, 2, "small", ""},
		"refused twice":  {[]string{two, two, heapPlan}, 2, "", "/questions"},
		"no JSON at all": {[]string{"Here is my plan!", "I have none.", heapPlan}, 2, "", "JSON"},
		"it fails":       {nil, 1, "", "70"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := planned(t, c.answers...)
			r := run.run()
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			require.Equal(t, c.turns, run.turns("planner", "plan"))
			p := run.plan()
			require.Equal(t, c.by, p.PlannedBy)
			require.Contains(t, p.Unplanned, c.why)
			if c.by == "" {
				require.Equal(t, scope.QuestionsOf(run.setup.Topic), p.Questions)
				require.Contains(t, run.file("progress.log"), "The question as a whole by rules, for nobody has planned it: ")
				require.Contains(t, run.file(flow.FinalReport), "nobody has planned it")
			}
			require.Equal(t, 1, run.turns("ada", "research"))
		})
	}
}

// What a person edits is what is researched; until then nothing is.
func TestAPersonEditsThePlannedQuestions(t *testing.T) {
	t.Parallel()
	c := planned(t, heapPlan)
	c.setup.EditPlan = true
	r := c.run()
	require.True(t, r.IsWaiting())
	require.True(t, council.AsksToEdit(r))
	require.Zero(t, c.turns("ada", "research"))
	st, err := status.Parse([]byte(c.file("status.json")))
	require.NoError(t, err)
	require.Equal(t, status.Paused, st.Status)
	require.Equal(t, filepath.Join(c.folder(), council.EditFile), st.Asking.File)

	edited := scope.Planned(c.setup.Topic, []scope.Question{{Text: "Only this?"}})
	require.NoError(t, councilwork.GivePlan(c.options(), r, edited))
	require.ErrorIs(t, councilwork.GivePlan(c.options(), r, edited), supervisor.ErrNotAsked, "they were heard")
	r, err = supervisor.Supervise(t.Context(), c.options())
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, edited, c.plan().Questions)
	require.Equal(t, council.ByPerson, c.plan().PlannedBy)
	require.Equal(t, "How a heap paces itself", c.plan().Title, "a person edits the questions alone")
	require.Equal(t, 1, c.turns("planner", "plan"))
	asked, err := os.ReadFile(filepath.Join(c.calls, "ada-asked"))
	require.NoError(t, err)
	require.Contains(t, string(asked), "Q2: Only this?")
	require.NotContains(t, string(asked), "mutators")
}

// With nobody to plan, a person edits what the rules have split.
func TestAPersonEditsWhatTheRulesHaveSplit(t *testing.T) {
	t.Parallel()
	c := planned(t)
	c.setup.Planner, c.setup.EditPlan = nil, true
	r := c.run()
	require.True(t, council.AsksToEdit(r))
	require.NoError(t, councilwork.GivePlan(c.options(), r, nil))
	r, err := supervisor.Supervise(t.Context(), c.options())
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, scope.QuestionsOf(c.setup.Topic), c.plan().Questions)
	require.Empty(t, c.plan().PlannedBy)
}

// A supervisor that is killed between planning and research pays for no plan twice.
func TestAKillAroundThePlanningPaysForNothingTwice(t *testing.T) {
	t.Parallel()
	const turn = 5 // facts up to the planner's turn, in which a kill may come before its answer is known
	for at := turn; at < turn+9; at++ {
		t.Run(fmt.Sprintf("after fact %d", at), func(t *testing.T) {
			t.Parallel()
			c := planned(t, heapPlan, heapPlan, heapPlan)
			c.begin()
			if !c.supervised(at) {
				require.True(t, c.supervised(0))
			}
			r, err := supervisor.Read(c.project, c.setup.ID)
			require.NoError(t, err)
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			require.Equal(t, "small", c.plan().PlannedBy)
			if at == turn { // it was cut short: what it had not finished is asked again
				require.LessOrEqual(t, c.turns("planner", "plan"), 2)
			} else {
				require.Equal(t, 1, c.turns("planner", "plan"))
			}
			require.LessOrEqual(t, strings.Count(c.file("progress.log"), "planned by small"), 1)
		})
	}
}
