package council_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/product/council"
)

// ends says how a seat's task ends in a stage: stage/seat. A task that is not
// named is complete.
type ends map[string]loop.Outcome

// end is no stage: play goes on to the run's end.
const end = "end"

// play drives a run by facts alone, each task ending as told, up to its end or
// the moment a stage has been entered for the visit.
func play(t *testing.T, setup flow.Setup, how ends, stop string, visit int) flow.Run {
	t.Helper()
	w, ok := council.WorkflowOf(setup)
	require.True(t, ok)
	seq := 0
	var r flow.Run
	tell := func(e flow.Event) {
		seq++
		e.Seq, e.At = seq, time.Date(2026, 2, 22, 14, 30, seq, 0, time.UTC)
		r = flow.Evolve(r, e)
	}
	tell(flow.Event{Kind: flow.RunBegun, Setup: &setup})
	for range 200 {
		if r.Status != "" || r.Stage == stop && r.Visit == visit {
			return r
		}
		if e, more := flow.Decide(w, r); more {
			tell(e)
			continue
		}
		for _, task := range r.Tasks {
			outcome, told := how[r.Stage+"/"+task.Seat]
			if !told {
				outcome = loop.Complete
			}
			tell(flow.Event{Kind: flow.TaskEnded, Task: task.ID, Outcome: outcome, Reason: "as told"})
		}
	}
	require.FailNow(t, "the run does not get on")
	return r
}

func setupOf(session string) flow.Setup {
	return flow.Setup{
		ID: "20260222-143000-a1b2c3", Workflow: "council", Session: session, Loop: loop.Default(),
		Seats: []flow.Seat{
			{Name: "claude", Kind: "claude", Brand: "anthropic"},
			{Name: "codex", Kind: "codex", Brand: "openai"},
			{Name: "librarian-code", Kind: "librarian", Brand: "librarian", Free: true},
		},
	}
}

func tasks(r flow.Run) map[string]flow.Task {
	found := map[string]flow.Task{}
	for _, t := range r.Tasks {
		found[t.Seat] = t.Task
	}
	return found
}

func TestResearchAsksEverySeatAlone(t *testing.T) {
	r := play(t, setupOf("s1"), nil, council.Research, 1)
	require.Len(t, r.Tasks, 3)
	for _, task := range r.Tasks {
		require.Empty(t, task.Reads, "nobody sees anything of the others")
		require.Equal(t, task.Seat+"-report.md", task.Writes)
		require.Equal(t, r.Setup.Loop, task.Rule)
		require.False(t, task.Reserved)
	}
	require.True(t, tasks(r)["librarian-code"].Free)
	require.False(t, tasks(r)["claude"].Free)
	require.Equal(t, "openai", tasks(r)["codex"].Brand)
}

func TestRefinementReadsOnesOwnReportFirst(t *testing.T) {
	r := play(t, setupOf("s1"), nil, council.Refinement, 1)
	require.Equal(t, []string{"codex-report.md", "claude-report.md", "librarian-code-report.md", "registry.json"}, tasks(r)["codex"].Reads)
	require.Equal(t, []string{"claude-report.md", "codex-report.md", "librarian-code-report.md", "registry.json"}, tasks(r)["claude"].Reads)
	require.Equal(t, "codex-refined.md", tasks(r)["codex"].Writes)
	require.True(t, tasks(r)["librarian-code"].Free)
	require.NotEqual(t, tasks(r)["codex"].ID, "research.1/codex")
}

func TestASeatWithoutAReportIsNotAskedToRefine(t *testing.T) {
	for _, bad := range []loop.Outcome{loop.Failed, loop.Refused} {
		r := play(t, setupOf(""), ends{"research/claude": bad}, council.Refinement, 1)
		require.Len(t, r.Tasks, 2)
		require.Equal(t, []string{"codex-report.md", "librarian-code-report.md", "registry.json"}, tasks(r)["codex"].Reads)
	}
	for _, good := range []loop.Outcome{loop.Complete, loop.Exhausted, loop.Stuck, loop.CutShort} {
		r := play(t, setupOf(""), ends{"research/claude": good}, council.Refinement, 1)
		require.Len(t, r.Tasks, 3, string(good))
	}
}

func TestTheBestReportOfASeatIsTheRefinedOne(t *testing.T) {
	for name, row := range map[string]struct {
		how  ends
		want []string
	}{
		"all refined":                 {nil, []string{"claude-refined.md", "codex-refined.md", "librarian-code-refined.md"}},
		"one failed to refine":        {ends{"refinement/codex": loop.Failed}, []string{"claude-refined.md", "codex-report.md", "librarian-code-refined.md"}},
		"one was refused":             {ends{"refinement/claude": loop.Refused}, []string{"claude-report.md", "codex-refined.md", "librarian-code-refined.md"}},
		"one was cut short":           {ends{"refinement/codex": loop.CutShort}, []string{"claude-refined.md", "codex-refined.md", "librarian-code-refined.md"}},
		"one had no report":           {ends{"research/codex": loop.Failed}, []string{"claude-refined.md", "librarian-code-refined.md"}},
		"none refined":                {ends{"refinement/claude": loop.Failed, "refinement/codex": loop.Failed, "refinement/librarian-code": loop.Failed}, []string{"claude-report.md", "codex-report.md", "librarian-code-report.md"}},
		"one report, and not refined": {ends{"research/claude": loop.Failed, "research/codex": loop.Refused, "refinement/librarian-code": loop.Failed}, []string{"librarian-code-report.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := play(t, setupOf("s1"), row.how, council.Synthesis, 1)
			require.Equal(t, row.want, council.Best(r))
			require.Equal(t, append(row.want, "registry.json"), r.Tasks[0].Reads)
		})
	}
	require.Empty(t, council.Best(flow.Run{}))
}

// Who is asked for the synthesis, one after the other while each fails.
func TestTheSynthesisIsAskedOfOneAfterTheOther(t *testing.T) {
	none := ends{"synthesis/session": loop.Failed, "synthesis/claude": loop.Failed, "synthesis/codex": loop.Failed, "synthesis/librarian": loop.Failed}
	for name, row := range map[string]struct {
		session string
		how     ends
		want    []string
	}{
		"a session, a seat that costs, the librarian": {"s1", nil, []string{"session", "claude", "librarian"}},
		"no session":                              {"", nil, []string{"claude", "librarian", "librarian"}},
		"the first seat failed to refine":         {"s1", ends{"refinement/claude": loop.Failed}, []string{"session", "codex", "librarian"}},
		"nobody refined":                          {"s1", ends{"refinement/claude": loop.Failed, "refinement/codex": loop.Failed, "refinement/librarian-code": loop.Failed}, []string{"session", "claude", "librarian"}},
		"only what is free has refined":           {"", ends{"refinement/claude": loop.Failed, "refinement/codex": loop.Failed}, []string{"claude", "librarian", "librarian"}},
		"only what is free has found anything":    {"", ends{"research/claude": loop.Failed, "research/codex": loop.Failed}, []string{"librarian", "librarian", "librarian"}},
		"a session, and nothing found that costs": {"s1", ends{"research/claude": loop.Failed, "research/codex": loop.Failed}, []string{"session", "librarian", "librarian"}},
	} {
		t.Run(name, func(t *testing.T) {
			how := ends{}
			for _, more := range []ends{none, row.how} {
				for k, v := range more {
					how[k] = v
				}
			}
			for visit, want := range row.want {
				r := play(t, setupOf(row.session), how, council.Synthesis, visit+1)
				require.Len(t, r.Tasks, 1)
				require.Equal(t, want, r.Tasks[0].Seat, "visit %d", visit+1)
				require.Equal(t, "synthesis.md", r.Tasks[0].Writes)
				require.True(t, r.Tasks[0].Reserved, "it may use what was kept back")
			}
		})
	}
}

func TestHowACouncilEnds(t *testing.T) {
	nothing := ends{"research/claude": loop.Failed, "research/codex": loop.Refused, "research/librarian-code": loop.Failed}
	for name, row := range map[string]struct {
		how    ends
		want   flow.Status
		stages []string
	}{
		"all goes well":            {nil, flow.Completed, []string{"research", "registry", "refinement", "judgement", "comparison", "grouping", "support", "assessment", "synthesis", "report"}},
		"one seat found something": {ends{"research/claude": loop.Failed, "research/codex": loop.Failed}, flow.Completed, []string{"research", "registry", "refinement", "judgement", "comparison", "grouping", "support", "assessment", "synthesis", "report"}},
		"nobody found anything":    {nothing, flow.Failed, []string{"research"}},
		"nobody could refine":      {ends{"refinement/claude": loop.Failed, "refinement/codex": loop.Failed, "refinement/librarian-code": loop.Failed}, flow.Completed, []string{"research", "registry", "refinement", "judgement", "comparison", "grouping", "support", "assessment", "synthesis", "report"}},
		"no registry":              {ends{"registry/program": loop.Failed, "judgement/program": loop.Failed}, flow.Completed, []string{"research", "registry", "refinement", "judgement", "comparison", "grouping", "support", "assessment", "synthesis", "report"}},
		"no synthesis":             {ends{"synthesis/session": loop.Failed, "synthesis/claude": loop.Failed, "synthesis/librarian": loop.Failed}, flow.Completed, []string{"research", "registry", "refinement", "judgement", "comparison", "grouping", "support", "assessment", "synthesis", "synthesis", "synthesis", "report"}},
		"the session wrote none":   {ends{"synthesis/session": loop.Failed}, flow.Completed, []string{"research", "registry", "refinement", "judgement", "comparison", "grouping", "support", "assessment", "synthesis", "synthesis", "report"}},
		"no report":                {ends{"report/program": loop.Failed}, flow.Failed, []string{"research", "registry", "refinement", "judgement", "comparison", "grouping", "support", "assessment", "synthesis", "report"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := play(t, setupOf("s1"), row.how, end, 0)
			require.Equal(t, row.want, r.Status, r.Reason)
			require.Equal(t, row.stages, stages(r))
		})
	}
	r := play(t, setupOf("s1"), nothing, end, 0)
	require.Equal(t, "no seat left a report (claude: as told; codex: as told; librarian-code: as told)", r.Reason)
}

func TestTheLibrarianStandsInWhereAllHaveFailed(t *testing.T) {
	setup := setupOf("")
	setup.Seats = setup.Seats[:2]
	how := ends{"research/claude": loop.Failed, "research/codex": loop.Failed}
	require.Equal(t, flow.Failed, play(t, setup, how, end, 0).Status, "without local sources there is nothing for it to search")
	setup.Scope = "/p/docs"
	r := play(t, setup, how, end, 0)
	require.Equal(t, flow.Failed, r.Status, "what the librarian found is there, and those who were asked have failed")
	require.Equal(t, "every seat that was asked for has failed (claude: as told; codex: as told)", r.Reason)
	require.Equal(t, []string{"research", "research", "registry"}, stages(r)[:3])
	require.Equal(t, []string{"librarian-refined.md"}, council.Best(r))
	how["research/librarian"] = loop.Failed
	require.Equal(t, flow.Failed, play(t, setup, how, end, 0).Status)
}

func TestWhatAFailedSeatWasToCoverPassesOn(t *testing.T) {
	setup := setupOf("")
	setup.Plan.Work = scope.Assign(3, []string{"claude", "codex", "librarian-code"})
	r := play(t, setup, nil, council.Research, 1)
	require.Equal(t, "B", tasks(r)["codex"].Shard)
	r = play(t, setup, ends{"research/codex": loop.Failed}, council.Refinement, 1)
	require.Equal(t, "B", tasks(r)["claude"].Shard, "a seat with a model first")
	require.Empty(t, tasks(r)["librarian-code"].Shard)
	r = play(t, setup, ends{"research/codex": loop.Failed, "research/claude": loop.Failed}, council.Refinement, 1)
	require.Equal(t, "A+B", tasks(r)["librarian-code"].Shard)
}

func stages(r flow.Run) []string {
	var list []string
	for _, v := range r.History {
		list = append(list, v.Stage)
	}
	return append(list, r.Stage)
}

func TestOneAloneIsResearchAndNothingElse(t *testing.T) {
	setup := setupOf("")
	setup.Workflow = "alone"
	setup.Seats = setup.Seats[:1]
	r := play(t, setup, nil, end, 0)
	require.Equal(t, flow.Completed, r.Status)
	require.Equal(t, []string{"research"}, stages(r))
	r = play(t, setup, ends{"research/claude": loop.Failed}, end, 0)
	require.Equal(t, flow.Failed, r.Status)
}

func TestTheStateFileKnowsThreePhases(t *testing.T) {
	for _, stage := range []string{council.Research, council.Refinement, council.Synthesis} {
		require.Equal(t, stage, council.Workflow().Phase(play(t, setupOf("s1"), nil, stage, 1)))
	}
	require.Equal(t, "synthesis", council.Workflow().Phase(play(t, setupOf("s1"), nil, council.Report, 1)))
}

func TestEveryWorkflowIsFoundByItsName(t *testing.T) {
	for _, name := range []string{"council", "alone"} {
		w, ok := council.WorkflowOf(flow.Setup{Workflow: name})
		require.True(t, ok)
		require.Equal(t, name, w.Name)
	}
	_, ok := council.WorkflowOf(flow.Setup{Workflow: "debate"})
	require.False(t, ok)
}
