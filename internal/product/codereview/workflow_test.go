package codereview_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/finding"
	"github.com/research-council/research-council/internal/project/survey"
)

// sweeper plays a review: the world answers as its functions say.
type sweeper struct {
	w       flow.Workflow
	r       flow.Run
	batches int
	leaves  func(task flow.TaskState) bool // whether a seat leaves something
	limit   func(task flow.TaskState) bool // whether a limit refuses it
	asked   []string                       // tasks in the order they were asked
}

func newSweeper(batches int, seats ...string) *sweeper {
	s := &sweeper{w: codereview.Workflow(), batches: batches, leaves: func(flow.TaskState) bool { return true }, limit: func(flow.TaskState) bool { return false }}
	setup := flow.Setup{ID: "x", Workflow: codereview.Name, Own: codereview.Own(&codereview.Setup{Docs: codereview.DocsWrite})}
	for _, name := range seats {
		setup.Seats = append(setup.Seats, flow.Seat{Name: name, Brand: name})
	}
	s.tell(flow.Event{Kind: flow.RunBegun, Setup: &setup})
	return s
}

func (s *sweeper) tell(e flow.Event) {
	e.Seq, e.At = s.r.Seq+1, time.Unix(int64(s.r.Seq), 0).UTC()
	s.r = flow.Evolve(s.r, e)
}

// play goes on until the run has ended, or until until says so.
func (s *sweeper) play(t require.TestingT, until func(flow.Run) bool) {
	for steps := 0; s.r.Status == "" && !until(s.r); steps++ {
		require.Less(t, steps, 100_000, "the review does not come to its end")
		if e, ok := flow.Decide(s.w, s.r); ok {
			s.tell(e)
			continue
		}
		for _, work := range flow.WantedTurns(s.r) {
			s.answer(work.Task)
			break
		}
	}
}

func never(flow.Run) bool { return false }

func (s *sweeper) answer(t flow.TaskState) {
	if t.Seat != flow.Program && s.limit(t) {
		s.tell(flow.Event{Kind: flow.TaskEnded, Task: t.ID, Outcome: loop.Refused, Reason: "all is spent", Limit: true})
		return
	}
	s.asked = append(s.asked, t.ID)
	s.tell(flow.Event{Kind: flow.TurnStarted, Task: t.ID, Turn: t.Turn + 1, Session: "s"})
	good := loop.Artefact{SHA256: "a", Usable: true, Complete: true}
	res := flow.Result{Iterations: 2, Artefact: loop.Artefact{}}
	switch {
	case t.Seat == flow.Program:
		res = flow.Result{Iterations: 1, Artefact: good, Found: s.count(t)}
	case s.leaves(t):
		res.Artefact = good
	}
	s.tell(flow.Event{Kind: flow.TurnEnded, Task: t.ID, Turn: t.Turn + 1, Result: &res})
}

// count is what the program counts: one finding of each reviewer.
func (s *sweeper) count(t flow.TaskState) *flow.Assessment {
	switch t.Role {
	case codereview.Survey:
		return &flow.Assessment{Own: codereview.OwnTally(&codereview.Tally{Files: s.batches, Lines: 10 * s.batches, Batches: s.batches})}
	case codereview.Merge:
		return &flow.Assessment{Own: codereview.OwnTally(&codereview.Tally{Merged: 3})}
	case codereview.Sift:
		return &flow.Assessment{Own: codereview.OwnTally(&codereview.Tally{Checks: map[string]int{s.r.Setup.Seats[0].Name: 2}})}
	case codereview.Collate:
		readings := codereview.BatchVisits(s.r)
		last := readings[len(readings)-1]
		tally := codereview.Tally{Batch: last.Batch, Findings: map[string]int{}}
		for _, reading := range readings {
			for _, task := range reading.Tasks {
				switch {
				case reading.Batch == last.Batch && task.Outcome.Good():
					tally.Works = append(tally.Works, codereview.ReviewerTally{Reviewer: task.Agent, Seat: task.Seat, Findings: 1})
					tally.Findings[finding.Serious]++
				case reading.Batch == last.Batch && reading.Try == last.Try:
					tally.Missing = append(tally.Missing, codereview.Absent{Reviewer: task.Agent, Seat: task.Seat, Reason: task.Reason})
				}
			}
		}
		return &flow.Assessment{Own: codereview.OwnTally(&tally)}
	}
	return nil
}

func TestAReviewReadsBatchAfterBatch(t *testing.T) {
	s := newSweeper(2, "ada")
	s.play(t, never)
	require.Equal(t, flow.Completed, s.r.Status, s.r.Reason)
	require.Equal(t, []string{
		"survey.1/program", "annotate.1/ada",
		"inspect.1/ada.bug-hunter", "inspect.1/ada.security-auditor", "inspect.1/ada.error-inspector", "inspect.1/ada.performance-detector", "inspect.1/ada.stack-reviewer", "collate.1/program",
		"inspect.2/ada.bug-hunter", "inspect.2/ada.security-auditor", "inspect.2/ada.error-inspector", "inspect.2/ada.performance-detector", "inspect.2/ada.stack-reviewer", "collate.2/program",
		"merge.1/program", "synthesize.1/ada", "sift.1/program", "spotcheck.1/ada", "publish.1/program",
	}, s.asked)
	st := codereview.StateOf(s.r)
	require.Equal(t, map[string]int{"high": 10}, st.Findings)
	require.Equal(t, survey.PhaseDone, st.Phase)
	require.Empty(t, codereview.UnseenGaps(s.r))
}

func TestWhoeverIsMissingIsAskedOnceMore(t *testing.T) {
	s := newSweeper(1, "ada", "bea")
	s.leaves = func(t flow.TaskState) bool { return t.Agent != "bug-hunter" }
	s.play(t, never)
	require.Equal(t, flow.Completed, s.r.Status)
	require.Equal(t, []string{"inspect.1/ada.bug-hunter", "inspect.2/bea.bug-hunter"}, slices.DeleteFunc(slices.Clone(s.asked), func(id string) bool {
		return id != "inspect.1/ada.bug-hunter" && id[:9] != "inspect.2"
	}))
	gaps := codereview.UnseenGaps(s.r)
	require.Len(t, gaps, 1)
	require.Equal(t, "bug-hunter", gaps[0].Reviewer)
	st := codereview.StateOf(s.r)
	require.Len(t, st.Reviews, 5)
	require.Equal(t, survey.Work{Batch: 1, Reviewer: "bug-hunter", Seat: "bea", State: survey.Missing, Tries: 2}, st.Reviews[0])
	require.Len(t, st.Failures, 2)
}

func TestAReviewOfNothingIsDone(t *testing.T) {
	s := newSweeper(0, "ada")
	s.play(t, never)
	require.Equal(t, flow.Completed, s.r.Status)
	require.Equal(t, "there is nothing to review: no source files", s.r.Reason)
	require.Equal(t, []string{"survey.1/program", "publish.1/program"}, s.asked)
}

func TestWhereALimitEndsTheReadingTheReportIsMade(t *testing.T) {
	s := newSweeper(3, "ada")
	s.limit = func(t flow.TaskState) bool { return t.Role == agent.Inspect && len(codereview.BatchVisits(s.r)) == 2 }
	s.play(t, never)
	require.Equal(t, flow.OutOfBudget, s.r.Status)
	require.Contains(t, s.asked, "synthesize.1/ada")
	gaps := codereview.UnseenGaps(s.r)
	require.Len(t, gaps, 10, "the second batch and the third")
	require.Equal(t, finding.Gap{Reviewer: "stack-reviewer", Batch: 3, Reason: "all is spent"}, gaps[9])
}

func TestASeatIsNotCheckedByItself(t *testing.T) {
	s := newSweeper(1, "ada", "bea")
	list := make([]finding.Merged, 6)
	for i := range list {
		list[i].ID, list[i].Families = fmt.Sprint(i), []string{"ada"}
	}
	list[4].Families, list[5].Families = []string{"bea"}, []string{"ada", "bea"}
	require.Equal(t, map[string][]string{"bea": {"0", "1", "2", "3", "5"}, "ada": {"4"}}, codereview.AssignSpotchecks(s.r, list))
	require.Empty(t, codereview.AssignSpotchecks(s.r, nil))
}

// Whatever fails, each batch is read by every reviewer that leaves something,
// nobody is asked more than twice, and what is not seen is told.
func TestWhateverFailsNothingIsLostOrReadTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seats := []string{"ada", "bea", "cid"}[:rapid.IntRange(1, 3).Draw(t, "seats")]
		s := newSweeper(rapid.IntRange(1, 5).Draw(t, "batches"), seats...)
		codereview.Of(s.r.Setup.Own).Rivals = rapid.Bool().Draw(t, "rivals")
		fails := rapid.IntRange(0, 9).Draw(t, "fails of ten")
		lost := map[string]bool{}
		s.leaves = func(task flow.TaskState) bool {
			if rapid.IntRange(0, 9).Draw(t, "luck") < fails {
				lost[task.ID] = true
			}
			return !lost[task.ID]
		}
		s.play(t, never)
		done := map[string]int{}
		for _, reading := range codereview.BatchVisits(s.r) {
			require.LessOrEqual(t, reading.Try, 2)
			for _, task := range reading.Tasks {
				if task.Outcome.Good() {
					done[fmt.Sprintf("%d %s", reading.Batch, task.Agent)]++
				}
			}
		}
		most := 1
		if codereview.Of(s.r.Setup.Own).Rivals {
			most = len(seats)
		}
		gaps := map[string]int{}
		for _, g := range codereview.UnseenGaps(s.r) {
			gaps[fmt.Sprintf("%d %s", g.Batch, g.Reviewer)]++
		}
		for batch := 1; batch <= s.batches; batch++ {
			for _, reviewer := range finding.Reviewers() {
				key := fmt.Sprintf("%d %s", batch, reviewer)
				require.LessOrEqual(t, done[key], most, key)
				require.True(t, done[key] == most || gaps[key] > 0, "%s is done %d times and nobody says what is missing", key, done[key])
			}
		}
		state := codereview.StateOf(s.r)
		require.LessOrEqual(t, state.Batch, state.Batches)
		for _, w := range state.Reviews {
			require.True(t, 1 <= w.Batch && w.Batch <= state.Batches, "%+v", w)
		}
	})
}

// Why there is nothing to review differs, and a person acts on it: one has to
// name another commit, the other a folder with code in it.
func TestWhyThereIsNothingToReviewIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		since string
		found codereview.Tally
		want  string
	}{
		"a folder without code":            {"", codereview.Tally{}, "there is nothing to review: no source files"},
		"nothing has changed since":        {"v1.2.0", codereview.Tally{Same: true}, "there is nothing to review: nothing has changed"},
		"only pictures have changed since": {"v1.2.0", codereview.Tally{}, "there is nothing to review: no file that has changed is one that reviewers read"},
	} {
		t.Run(name, func(t *testing.T) {
			survey := flow.TaskState{Task: flow.Task{ID: "survey.1/program"}, Outcome: loop.Complete, Found: &flow.Assessment{Own: codereview.OwnTally(&c.found)}}
			r := flow.Run{Setup: flow.Setup{Own: codereview.Own(&codereview.Setup{Since: c.since})}, Stage: codereview.Survey, Visit: 1, Tasks: []flow.TaskState{survey}}
			got := codereview.Workflow().Stages[0].Gate(r)
			require.Equal(t, flow.Verdict{Move: flow.Jump, To: codereview.Publish, Reason: c.want}, got)
		})
	}
}

// A review of what has changed shows its reviewers the changes, not the files
// alone; one of everything has none to show.
func TestReviewersOfAChangeReadTheChange(t *testing.T) {
	for since, want := range map[string]bool{"v1.2.0": true, "": false} {
		s := newSweeper(2, "ada")
		codereview.Of(s.r.Setup.Own).Since = since
		s.play(t, never)
		for _, reading := range codereview.BatchVisits(s.r) {
			for _, task := range reading.Tasks {
				require.Equal(t, want, slices.Contains(task.Reads, fmt.Sprintf("batch-%d-changes.diff", reading.Batch)), task.ID)
			}
		}
	}
}
