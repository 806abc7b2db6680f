package supervisor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/staged"
	"github.com/research-council/research-council/internal/product/staged/stagedwork"
)

// shift tells the journal anew as if what is in it had happened earlier.
func (c *councilRun) shift(by time.Duration) {
	c.Helper()
	c.editFacts(func(e *flow.Event) { e.At = e.At.Add(-by) })
	require.NoError(c, supervisor.Trust(c.project, c.setup.ID), "its journal is not as old as its facts now")
}

// editFacts writes the journal anew, with other facts.
func (c *councilRun) editFacts(edit func(*flow.Event)) {
	c.Helper()
	facts, err := journal.Read(c.folder())
	require.NoError(c, err)
	require.NoError(c, os.Remove(filepath.Join(c.folder(), journal.Name)))
	j, _, err := journal.Open(c.folder())
	require.NoError(c, err)
	for _, fact := range facts {
		var e flow.Event
		require.NoError(c, json.Unmarshal(fact, &e))
		edit(&e)
		edited, err := json.Marshal(e)
		require.NoError(c, err)
		require.NoError(c, j.Append(edited))
	}
	require.NoError(c, j.Close())
}

func (c *councilRun) status() status.Status {
	return read[status.Status](c, workspace.Status)
}

func TestWhileItWaitsForAPersonNothingRunsAndNothingChanges(t *testing.T) {
	t.Parallel()
	c := newReview(t, nil)
	c.setup.Limits.Time = 10 * time.Minute
	c.begin()
	require.ErrorIs(t, stagedwork.GiveInput(c.options(), c.seen(), nil, true), supervisor.ErrNotAsked, "before it has asked anything")

	paused := func(file string, confirm bool) {
		_, up := supervisor.Alive(c.project, c.setup.ID)
		require.False(t, up)
		left, err := proc.EndMarked(supervisor.ProcessMark(c.setup.ID))
		require.NoError(t, err)
		require.Empty(t, left)
		require.Equal(t, status.Paused, c.state().Status)
		st := c.status()
		require.Equal(t, status.Paused, st.Status)
		require.Equal(t, filepath.Join(c.folder(), file), st.Asking.File)
		require.Equal(t, confirm, st.Asking.Confirm)
	}
	require.True(t, c.supervise(c.options()).IsWaiting())
	paused(staged.QuestionsFile, false)
	before := c.journal()
	require.ErrorIs(t, stagedwork.GiveInput(c.options(), c.seen(), nil, true), supervisor.ErrNotAsked, "there is no brief to confirm")
	require.Equal(t, before, c.journal())
	require.False(t, c.has(staged.AnswersFile(1)))

	c.give(false)
	before = c.journal()
	require.ErrorIs(t, stagedwork.GiveInput(c.options(), c.seen(), []byte(answersFile), false), supervisor.ErrNotAsked, "twice")
	require.Equal(t, before, c.journal())
	require.False(t, c.has(staged.AnswersFile(2)))

	require.True(t, c.supervise(c.options()).IsWaiting())
	paused(staged.BriefFile, true)
	require.False(t, read[staged.Brief](c, staged.BriefFile).Confirmed, "whatever the seat has written")
	again := c.supervise(c.options())
	require.True(t, again.IsWaiting(), "who takes it up without a word finds it as it was")
	require.Equal(t, 1, c.turns("ada", "brief"))

	c.shift(3 * 24 * time.Hour)
	c.give(true)
	r := c.supervise(c.options())
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Less(t, r.Spent.Time, 5*time.Minute, "days of waiting are no time spent")
	require.Zero(t, r.TimesUp)
	require.Empty(t, r.Issues)
	require.True(t, read[staged.Brief](c, staged.BriefFile).Confirmed)
	before = c.journal()
	require.ErrorIs(t, stagedwork.GiveInput(c.options(), c.seen(), nil, true), supervisor.ErrNotAsked, "it is over")
	require.Equal(t, before, c.journal())
}

func TestAnswersInsteadOfAConfirmationMakeTheBriefAnew(t *testing.T) {
	t.Parallel()
	c := newReview(t, map[string]string{"brief": remembering(wellSaid()["brief"])})
	c.begin()
	c.supervise(c.options())
	c.give(false)
	c.supervise(c.options())
	require.NoError(t, stagedwork.GiveInput(c.options(), c.seen(), []byte(`{"answers":{"Q2":"Only half of it."}}`), false))
	r := c.supervise(c.options())
	require.True(t, r.IsWaiting())
	require.True(t, staged.AsksToConfirm(r))
	require.Equal(t, 2, c.turns("ada", "brief"))
	require.Contains(t, c.told(filepath.Join("read-brief-2", staged.AnswersFile(2))), "Only half of it.")
	require.False(t, read[staged.Brief](c, staged.BriefFile).Confirmed)
}

func TestARunThatWaitsCanBeCancelled(t *testing.T) {
	t.Parallel()
	c := newReview(t, nil)
	c.begin()
	c.supervise(c.options())
	require.NoError(t, supervisor.Cancel(t.Context(), c.options(), "no longer needed"))
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, flow.Cancelled, r.Status)
	require.False(t, r.IsWaiting())
	require.Equal(t, "cancelled", c.state().Status)
	require.Equal(t, "cancelled", c.status().Status)
	require.Contains(t, c.file(flow.FinalReport), "This run did not complete: cancelled.** no longer needed")
	require.ErrorIs(t, stagedwork.GiveInput(c.options(), c.seen(), []byte(answersFile), false), supervisor.ErrNotAsked)
	require.Equal(t, flow.Cancelled, c.supervise(c.options()).Status, "it stays so")
	require.Zero(t, c.turns("ada", "brief"))
}

// A report that was made anew is not said to have been reviewed by those who
// have read the one before it.
func TestACancelInTheSecondReviewLeavesAReportThatNobodyHasReviewed(t *testing.T) {
	t.Parallel()
	again := opinion("needs_revision", "The pace is not measured.")
	waits := "#! it waits\ntouch \"$CALLS/waits\"; sleep 3600\n"
	c := newReview(t, map[string]string{"review": again, "reconsider": again, "review-2-R1": waits, "review-2-R2": waits, "review-2-R3": waits, "prose.2": alone()["prose"] + "\nThe second text.\n"})
	staged.Of(c.setup.Own).Revisions = 2
	c.begin()
	c.supervise(c.options())
	c.give(false)
	c.supervise(c.options())
	c.give(true)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := supervisor.Supervise(ctx, c.options())
		done <- err
	}()
	until(t, "the second review is under way", func() bool { _, err := os.Stat(filepath.Join(c.calls, "waits")); return err == nil })
	cancel()
	require.NoError(t, <-done)
	require.NoError(t, supervisor.Cancel(t.Context(), c.options(), "enough"))
	report := c.file(flow.FinalReport)
	require.Contains(t, report, "The second text.")
	require.Contains(t, report, "This run did not complete: cancelled.**")
	require.Contains(t, report, "No reviewer has read this report yet.")
	require.NotContains(t, report, "## Review\n")
	require.False(t, bytes.Contains([]byte(report), []byte("want this report revised")))
}

// seen is the run as somebody sees it now.
func (c *councilRun) seen() flow.Run {
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(c, err)
	return r
}

// A word that was meant for one question is none on the next.
func TestAWordForAnEarlierQuestionIsNotHeard(t *testing.T) {
	t.Parallel()
	c := newReview(t, nil)
	c.begin()
	require.True(t, c.supervise(c.options()).IsWaiting())
	asked := c.seen()
	require.NoError(t, stagedwork.GiveInput(c.options(), asked, []byte(answersFile), false))
	require.True(t, c.supervise(c.options()).IsWaiting(), "it shows its brief")
	require.ErrorIs(t, stagedwork.GiveInput(c.options(), asked, []byte(answersFile), false), supervisor.ErrNotAsked)
	require.Len(t, c.seen().Given, 1)
}
