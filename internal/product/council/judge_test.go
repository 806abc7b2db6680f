package council_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/product/council"
)

// finds says what the program measures in each visit of a stage, the last one
// again and again.
type finds map[string][]flow.Assessment

// judge plays a run in which every task is complete.
func judge(t *testing.T, setup flow.Setup, measured finds) flow.Run {
	t.Helper()
	var r flow.Run
	tell := func(e flow.Event) {
		e.Seq, e.At = r.Seq+1, time.Date(2026, 2, 22, 14, 30, r.Seq, 0, time.UTC)
		r = flow.Evolve(r, e)
	}
	tell(flow.Event{Kind: flow.RunBegun, Setup: &setup})
	for r.Status == "" {
		require.Less(t, r.Seq, 500, "the run does not get on")
		if e, more := flow.Decide(council.Workflow(), r); more {
			tell(e)
			continue
		}
		for _, task := range r.Tasks {
			var found *flow.Assessment
			if list := measured[r.Stage]; task.Seat == flow.Program && len(list) > 0 {
				found = &list[min(r.Visit, len(list))-1]
			}
			tell(flow.Event{Kind: flow.TurnStarted, Task: task.ID})
			tell(flow.Event{Kind: flow.TurnEnded, Task: task.ID, Result: &flow.Result{Found: found, Artefact: loop.Artefact{Usable: true, Complete: true}}})
			tell(flow.Event{Kind: flow.TaskEnded, Task: task.ID, Outcome: loop.Complete})
		}
	}
	return r
}

func TestTheEvidenceDecidesWhatFollowsIt(t *testing.T) {
	before := []string{"research", "registry", "refinement", "judgement", "comparison", "grouping", "support", "assessment"}
	after := []string{"synthesis", "report"}
	for name, row := range map[string]struct {
		measured finds
		between  []string
	}{
		"good enough":                    {finds{"assessment": {{Gate: "report"}}}, nil},
		"bad, and nothing to argue over": {finds{"assessment": {{Gate: "debate"}}}, nil},
		"small conflicts go to the validators": {
			finds{"assessment": {{Gate: "validate", Points: 1}, {Gate: "report"}}},
			[]string{"validation", "assessment"},
		},
		"what validators leave open is debated": {
			finds{"assessment": {{Gate: "validate", Points: 1}}, "tally": {{Settled: true}}},
			[]string{"validation", "assessment", "debate", "tally"},
		},
		"a debate ends when nobody moves": {
			finds{"assessment": {{Gate: "debate", Points: 1}}, "tally": {{}, {Settled: true}}},
			[]string{"debate", "tally", "debate", "tally"},
		},
		"a debate ends when its rounds are spent": {
			finds{"assessment": {{Gate: "debate", Points: 1}}, "tally": {{}}},
			[]string{"debate", "tally", "debate", "tally", "debate", "tally"},
		},
		"what a debate has brought is judged as all else": {
			finds{"assessment": {{Gate: "debate", Points: 1}}, "tally": {{Settled: true, New: 3, Batches: 1}}},
			[]string{"debate", "tally", "comparison", "grouping", "support", "assessment"},
		},
		"and argued over no more": {
			finds{"assessment": {{Gate: "validate", Points: 1}}, "tally": {{Settled: true, New: 3}}},
			[]string{"validation", "assessment", "debate", "tally", "comparison", "grouping", "support", "assessment"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := judge(t, setupOf(""), row.measured)
			require.Equal(t, flow.Completed, r.Status)
			require.Equal(t, append(append(before[:len(before):len(before)], row.between...), after...), stages(r))
		})
	}
}

func TestNoFamilyVotesOnNothing(t *testing.T) {
	r := judge(t, setupOf(""), finds{"grouping": {{Ballots: map[string]int{"openai": 3, "librarian": 2}}}, "assessment": {{Gate: "report"}}})
	var judges []string
	for _, v := range r.History {
		if v.Stage == council.Support {
			for _, task := range v.Tasks {
				judges = append(judges, task.Seat)
				require.Equal(t, []string{"ballot-openai.md"}, task.Reads)
			}
		}
	}
	require.Equal(t, []string{"codex"}, judges, "anthropic has nothing to judge, the librarian has no judgement")
}

func TestEachBatchIsAskedAboutOnce(t *testing.T) {
	r := judge(t, setupOf(""), finds{
		"judgement": {{Batches: 3}}, "grouping": {{Ballots: map[string]int{"openai": 90, "anthropic": 41}}}, "assessment": {{Gate: "report"}},
	})
	asked := map[string][]string{}
	for _, v := range r.History {
		if v.Stage == council.Comparison || v.Stage == council.Support {
			for _, task := range v.Tasks {
				asked[v.Stage+" "+task.Seat] = append(asked[v.Stage+" "+task.Seat], task.Reads[0])
			}
		}
	}
	require.Equal(t, map[string][]string{
		"comparison claude": {"pairs-1.md", "pairs-2.md", "pairs-3.md"},
		"comparison codex":  {"pairs-1.md", "pairs-2.md", "pairs-3.md"},
		"support claude":    {"ballot-anthropic.md", "ballot-anthropic-2.md"},
		"support codex":     {"ballot-openai.md", "ballot-openai-2.md", "ballot-openai-3.md"},
	}, asked)
	require.Len(t, r.TasksInRow(council.Comparison), 6)
	require.Len(t, r.TasksInRow(council.Support), 5)
	require.Zero(t, r.VisitsInRow(council.Support), "the run is elsewhere")
}

func TestBatchesAreAboutAsLongAsEachOther(t *testing.T) {
	for _, row := range []struct {
		list, most int
		want       []int
	}{{0, 40, nil}, {1, 40, []int{1}}, {40, 40, []int{40}}, {82, 40, []int{28, 28, 26}}, {41, 40, []int{21, 20}}, {120, 40, []int{40, 40, 40}}} {
		var got []int
		for batch := range council.Batches(make([]int, row.list), row.most) {
			got = append(got, len(batch))
		}
		require.Equal(t, row.want, got, row.list)
	}
}

func TestBatchesOfADebateAreNumberedBehindTheOthers(t *testing.T) {
	r := judge(t, setupOf(""), finds{
		"judgement":  {{Batches: 2}},
		"grouping":   {{Ballots: map[string]int{"openai": 41}}, {Ballots: map[string]int{"openai": 2, "anthropic": 1}, Earlier: 2}},
		"assessment": {{Gate: "debate", Points: 1}},
		"tally":      {{Settled: true, New: 3, Batches: 1, Earlier: 2}},
	})
	asked := map[string][]string{}
	for _, v := range r.History {
		for _, task := range v.Tasks {
			if task.Role == council.Comparison || task.Role == council.Support {
				asked[task.Role+" "+task.Seat] = append(asked[task.Role+" "+task.Seat], task.Reads[0]+" "+task.Writes)
			}
		}
	}
	require.Equal(t, map[string][]string{
		"comparison claude": {"pairs-1.md claude-comparison-1.json", "pairs-2.md claude-comparison-2.json", "pairs-3.md claude-comparison-3.json"},
		"comparison codex":  {"pairs-1.md codex-comparison-1.json", "pairs-2.md codex-comparison-2.json", "pairs-3.md codex-comparison-3.json"},
		"support claude":    {"ballot-anthropic-3.md claude-votes-3.md"},
		"support codex":     {"ballot-openai.md codex-votes.md", "ballot-openai-2.md codex-votes-2.md", "ballot-openai-3.md codex-votes-3.md"},
	}, asked)
}

func TestDebatersHearEachOther(t *testing.T) {
	r := judge(t, setupOf(""), finds{"assessment": {{Gate: "debate", Points: 1}}, "tally": {{}, {Settled: true}}})
	var second []flow.TaskState
	for _, v := range r.History {
		if v.Stage == council.Debate && v.Visit == 2 {
			second = v.Tasks
		}
	}
	require.Len(t, second, 2)
	require.Equal(t, []string{"disputes.md", "registry.json", "claude-debate-1.md"}, second[1].Reads)
	require.Equal(t, "codex-debate-2.md", second[1].Writes)
}

func TestADebateNeedsTwoFamilies(t *testing.T) {
	setup := setupOf("")
	setup.Seats = setup.Seats[1:]
	r := judge(t, setup, finds{"assessment": {{Gate: "debate", Points: 1}}, "tally": {{Settled: true}}})
	require.Equal(t, flow.Completed, r.Status)
	for _, v := range r.History {
		if v.Stage == council.Debate {
			require.Empty(t, v.Tasks)
		}
	}
}

func TestASeatThatCostsNothingJudgesWithItsModel(t *testing.T) {
	setup := setupOf("")
	setup.Seats[1] = flow.Seat{Name: "local", Kind: "chat", Brand: "qwen", Free: true}
	r := judge(t, setup, nil)
	var names []string
	for _, s := range council.Judges(r) {
		names = append(names, s.Name)
	}
	require.Equal(t, []string{"claude", "local"}, names, "the librarian has no model, and does not vote")
}
