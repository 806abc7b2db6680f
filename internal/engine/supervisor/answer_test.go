package supervisor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/schema"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/staged"
)

// alone is a plan of one agent, for runs that are about something else.
func alone() map[string]string {
	return map[string]string{"planning": said(staged.Plan{
		Subtopics: []staged.Subtopic{{ID: "T1", Title: "Pacing"}}, Quality: []string{"A quotation stands in its source."},
		Agents: []staged.Assignment{{ID: "A1", Focus: "Look into it.", Subtopics: []string{"T1"}}},
	}), "prose": strings.ReplaceAll(prose("first"), "C2", "C1")}
}

// and is answers, with others in their place or beside them.
func and(answers ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, list := range answers {
		for key, text := range list {
			all[key] = text
		}
	}
	return all
}

// told is what a fake agent keeps of how it was asked.
func (c *councilRun) told(name string) string {
	data, err := os.ReadFile(filepath.Join(c.calls, name))
	require.NoError(c, err)
	return string(data)
}

// learning answers well, and keeps what it was asked and told to mend.
func learning(answer string) string {
	return "#! learning\ncat > \"$CALLS/asked\"; cat open.md > \"$CALLS/open\"; cat > \"$RESEARCH_REPORT_PATH\" <<'END'\n" + answer + "\n\n<!-- RESEARCH_COMPLETE -->\nEND\n"
}

func TestAnAnswerThatDoesNotFitIsToldWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	good := alone()["planning"]
	for name, first := range map[string]struct {
		answer, told string
		turns        int
	}{
		"prose":                   {"I shall look into all of it, and then write.", "no JSON object", 2},
		"a list that is a number": {`{"subtopics":[{"id":"T1","title":"Pacing"}],"agents":5}`, "/agents", 2},
		"words behind it":         {good + "\n\nThat is the plan.", "after the object comes", 2},
		"half of it":              {good[:len(good)/2], "breaks off inside the object", 2},
		"nothing":                 {"#! it says nothing\n", "", 2},
		"a fence around it all":   {"```json\n" + good + "\n```", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := newStaged(t, and(alone(), map[string]string{"ada.planning.1": first.answer, "ada.planning.2": learning(good), "ada.collection": "#! that is enough\nexit 70"}))
			c.setup.Panel, staged.Of(c.setup.Own).Agents = nil, 1
			c.setup.Seats = c.setup.Seats[:1]
			r := c.staged(c.options())
			require.Equal(t, "Gate failed: collection", strings.SplitN(r.Reason, " — ", 2)[0], "the plan has been taken")
			require.Equal(t, first.turns, c.turns("ada", "planning"))
			require.Equal(t, 1, len(read[staged.Plan](c, staged.PlanningFile).Agents))
			if first.turns > 1 {
				require.Contains(t, c.told("open"), first.told)
				require.Contains(t, c.told("asked"), "open.md")
			}
		})
	}
}

func TestASeatThatNeverAnswersIsFollowedByOthersUntilTheGateFails(t *testing.T) {
	t.Parallel()
	bad := map[string]string{"ada.planning": "No.", "bea.planning": `{"subtopics":[]}`, "cid.planning": "#! no login\necho 'please log in' >&2; exit 77"}
	c := newStaged(t, and(alone(), bad))
	staged.Of(c.setup.Own).Agents = 1
	r := c.staged(c.options())
	require.Equal(t, flow.Failed, r.Status)
	require.Contains(t, r.Reason, "Gate failed: planning — cid: status 77: please log in")
	require.Equal(t, []string{"questions", "brief", "planning", "planning", "planning"}, visited(r))
	require.Equal(t, 3, c.turns("ada", "planning"), "a first attempt and two that mend it")
	require.Equal(t, 3, c.turns("bea", "planning"))
	st := c.state()
	require.Equal(t, "planning", st.CurrentStage)
	require.Equal(t, "failed", st.Status)
	require.Equal(t, r.Reason, st.Error)
	require.True(t, c.has(flow.FinalReport))
	require.Contains(t, c.file(flow.FinalReport), "Gate failed: planning")

	require.NoError(t, supervisor.Reopen(c.options(), r.Setup, ""))
	c.says(map[string]string{"ada.planning": alone()["planning"]})
	r = c.supervise(c.options())
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, 1, c.turns("ada", "questions"), "what was done stays done")
	require.Equal(t, 1, c.turns("ada", "brief"))
	require.Equal(t, 4, c.turns("ada", "planning"))
	require.Equal(t, "completed", c.state().Status)
	require.Empty(t, c.state().Error)
	require.NotContains(t, c.file(flow.FinalReport), "Gate failed")
	require.Contains(t, c.file(flow.FinalReport), "The first text")
}

func TestAgentsOfTheCollectionThatFailAreReplacedOnceOrDoneWithout(t *testing.T) {
	t.Parallel()
	const fails = "#! it fails\nexit 77\n"
	for name, c := range map[string]struct {
		answers map[string]string
		gate    string
		again   int // agents that were given to another seat
	}{
		"two of five may fail":         {map[string]string{"collection-A2": fails, "collection-A5": fails}, "3 of 5 agents returned data", 0},
		"of three others take care":    {map[string]string{"ada.collection-A1": fails, "bea.collection-A2": fails, "cid.collection-A3": fails}, "5 of 5 agents returned data", 3},
		"three that fail twice":        {map[string]string{"collection-A1": fails, "collection-A2": fails, "collection-A3": fails}, "2 of 5 agents returned data, and at least 3 are needed; A1 (", 3},
		"insights alone are no return": {map[string]string{"collection-A1": brings(), "collection-A2": brings(), "collection-A3": brings()}, "2 of 5 agents returned data, and at least 3 are needed; A1 (", 3},
	} {
		t.Run(name, func(t *testing.T) {
			run := newStaged(t, and(c.answers, map[string]string{"findings": "#! no further\nexit 77\n"}))
			r := run.staged(run.options())
			require.Equal(t, flow.Failed, r.Status)
			again := 0
			var gate string
			for _, v := range append(r.History, flow.Visit{Stage: r.Stage, Visit: r.Visit, Tasks: r.Tasks, Verdict: *r.Judged}) {
				if v.Stage != "collection" {
					continue
				}
				if gate = v.Verdict.Reason; v.Visit == 2 {
					again = len(v.Tasks)
				}
			}
			require.Contains(t, gate, c.gate)
			require.Equal(t, c.again, again)
			if r.Stage != "collection" {
				require.Len(t, read[staged.CollectionResult](run, staged.CollectionFile).Agents, 5, "who brought nothing is named")
			}
		})
	}
}

// A plan for more agents than there may be is made one that can be carried
// out, and is published so.
func TestAPlanIsCutToTheAgentsThereMayBe(t *testing.T) {
	t.Parallel()
	plan := staged.Plan{Quality: []string{"A quotation stands in its source."}}
	for i := 1; i <= 4; i++ {
		id := fmt.Sprintf("part-%d", i)
		plan.Subtopics = append(plan.Subtopics, staged.Subtopic{ID: id, Title: "Part " + id})
		plan.Agents = append(plan.Agents, staged.Assignment{ID: "agent " + id, Focus: "Look into " + id + ".", Subtopics: []string{id}})
	}
	c := newStaged(t, map[string]string{"planning": said(plan), "collection-A1": brings(), "collection-A2": brings()})
	staged.Of(c.setup.Own).Agents = 2
	r := c.staged(c.options())
	require.Contains(t, r.Reason, "Gate failed: collection — 0 of 2 agents")
	kept := read[staged.Plan](c, staged.PlanningFile)
	require.Len(t, kept.Agents, 2)
	var parts []string
	for _, a := range kept.Agents {
		parts = append(parts, a.Subtopics...)
	}
	require.ElementsMatch(t, []string{"T1", "T2", "T3", "T4"}, parts, "somebody looks into every part")
	_, problems := schema.Check("planning", []byte(c.file(staged.PlanningFile)))
	require.Empty(t, problems)
	asked := c.in("seats/ada/collection.1.A1/prompt.md")
	require.Contains(t, asked, kept.Agents[0].Focus)
	require.Contains(t, asked, "T3 Part part-3")
}
