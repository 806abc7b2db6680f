package temporal

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/research-council/research-council/fleet/internal/carry"
	"github.com/research-council/research-council/fleet/internal/ledger"
	"github.com/research-council/research-council/fleet/internal/store"
	"github.com/research-council/research-council/fleet/internal/store/storetest"
)

// world is a workflow in Temporal's own test environment, with a carrier that does what
// a test says.
type world struct {
	*testsuite.TestWorkflowEnvironment
	carried   []carryIn
	delivered []carry.Said
	heard     chan struct{} // closed once something was delivered
}

func newWorld(t *testing.T, carrier func(w *world, in carryIn) (ledger.End, error)) *world {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	w := &world{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), heard: make(chan struct{})}
	w.SetTestTimeout(time.Minute)
	w.RegisterWorkflowWithOptions(Run, workflow.RegisterOptions{Name: RunWorkflow})
	w.RegisterActivityWithOptions(func(_ context.Context, in carryIn) (ledger.End, error) {
		w.carried = append(w.carried, in)
		return carrier(w, in)
	}, activity.RegisterOptions{Name: carryActivity})
	w.RegisterActivityWithOptions(func(_ context.Context, _ string, said carry.Said) error {
		w.delivered = append(w.delivered, said)
		close(w.heard)
		return nil
	}, activity.RegisterOptions{Name: deliverActivity})
	return w
}

var in = In{Run: "council-1", Request: "r", Queue: "seats:one", Beat: time.Minute}

func (w *world) run(t *testing.T) (end ledger.End, err error) {
	w.ExecuteWorkflow(RunWorkflow, in)
	require.True(t, w.IsWorkflowCompleted())
	if err := w.GetWorkflowError(); err != nil {
		return end, err
	}
	return end, w.GetWorkflowResult(&end)
}

func TestARunIsCarriedAgainUntilItIsOver(t *testing.T) {
	w := newWorld(t, func(w *world, _ carryIn) (ledger.End, error) {
		if len(w.carried) < 4 {
			return ledger.End{}, errors.New("this worker was lost")
		}
		return ledger.End{Status: "completed", Final: true, Score: 71}, nil
	})
	end, err := w.run(t)
	require.NoError(t, err)
	require.Equal(t, ledger.End{Status: "completed", Final: true, Score: 71}, end)
	require.Len(t, w.carried, 4)
}

// What has changed is told once: it is tried again until a channel has taken it, and the
// run does not wait for that. A run without a notice tells nobody.
func TestANoticeIsTriedUntilItIsTaken(t *testing.T) {
	for _, row := range []struct {
		notice string
		fails  int
		tried  int
	}{{"h", 3, 4}, {"h", 0, 1}, {"", 0, 0}} {
		w := newWorld(t, func(*world, carryIn) (ledger.End, error) {
			return ledger.End{Status: "completed", Final: true, Notice: row.notice}, nil
		})
		tried := 0
		w.RegisterWorkflowWithOptions(tell, workflow.RegisterOptions{Name: noticeWorkflow})
		w.RegisterActivityWithOptions(func(_ context.Context, run, hash string) error {
			require.Equal(t, in.Run, run)
			require.Equal(t, row.notice, hash)
			if tried++; tried <= row.fails {
				return errors.New("the webhook does not answer")
			}
			return nil
		}, activity.RegisterOptions{Name: noticeActivity})
		end, err := w.run(t)
		require.NoError(t, err)
		require.Equal(t, "completed", end.Status)
		require.Equal(t, row.tried, tried)
	}
}

// A notice that no channel takes is given up after a day.
func TestANoticeThatNobodyTakesIsGivenUp(t *testing.T) {
	w := newWorld(t, nil)
	tried := 0
	w.RegisterWorkflowWithOptions(tell, workflow.RegisterOptions{Name: noticeWorkflow})
	w.RegisterActivityWithOptions(func(context.Context, string, string) error {
		tried++
		return errors.New("the webhook does not answer")
	}, activity.RegisterOptions{Name: noticeActivity})
	w.ExecuteWorkflow(noticeWorkflow, in, "h")
	require.True(t, w.IsWorkflowCompleted())
	require.ErrorContains(t, w.GetWorkflowError(), "the webhook does not answer")
	require.Equal(t, noticeTries, tried)
}

func TestARunThatWaitsGoesOnWithTheAnswer(t *testing.T) {
	w := newWorld(t, func(_ *world, in carryIn) (ledger.End, error) {
		if len(in.Job.Said) == 0 {
			return ledger.End{Status: carry.Waiting}, nil
		}
		return ledger.End{Status: "completed", Final: true}, nil
	})
	answer := carry.Said{Kind: carry.Answer, Hash: "h"}
	w.RegisterDelayedCallback(func() { w.SignalWorkflow(SaidSignal, carry.Said{Kind: carry.Finish}) }, time.Minute)
	w.RegisterDelayedCallback(func() {
		value, err := w.QueryWorkflow(StateQuery)
		require.NoError(t, err)
		var now State
		require.NoError(t, value.Get(&now))
		require.True(t, now.Waits)
		w.SignalWorkflow(SaidSignal, answer)
	}, time.Hour)
	end, err := w.run(t)
	require.NoError(t, err)
	require.Equal(t, "completed", end.Status)
	require.Len(t, w.carried, 2)
	require.Equal(t, []carry.Said{answer}, w.carried[1].Job.Said)
}

func TestARunThatWaitsIsCancelled(t *testing.T) {
	w := newWorld(t, func(_ *world, in carryIn) (ledger.End, error) {
		if in.Cancel {
			return ledger.End{Status: "cancelled", Final: true}, nil
		}
		return ledger.End{Status: carry.Waiting}, nil
	})
	w.RegisterDelayedCallback(w.CancelWorkflow, time.Hour)
	_, err := w.run(t)
	require.True(t, temporal.IsCanceledError(errors.Unwrap(err)) || temporal.IsCanceledError(err), "%v", err)
	require.Len(t, w.carried, 2)
	require.True(t, w.carried[1].Cancel)
}

func TestANoteReachesWhoCarriesTheRun(t *testing.T) {
	note := carry.Said{Kind: carry.Note, Hash: "h"}
	w := newWorld(t, func(w *world, _ carryIn) (ledger.End, error) {
		select {
		case <-w.heard:
		case <-time.After(30 * time.Second):
			return ledger.End{}, temporal.NewNonRetryableApplicationError("nobody has said anything", "", nil)
		}
		return ledger.End{Status: "completed", Final: true}, nil
	})
	w.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		if info.ActivityType.Name == carryActivity {
			w.SignalWorkflow(SaidSignal, note)
		}
	})
	_, err := w.run(t)
	require.NoError(t, err)
	require.Equal(t, []carry.Said{note}, w.delivered)
}

func TestWhatPassesTheServerIsEncrypted(t *testing.T) {
	one, err := newCodec([]byte("one"))
	require.NoError(t, err)
	two, err := newCodec([]byte("two"))
	require.NoError(t, err)
	p, err := dataConverter(one).ToPayload(In{Run: "council-1"})
	require.NoError(t, err)
	require.NotContains(t, p.String(), "council-1")
	var again In
	require.NoError(t, dataConverter(one).FromPayload(p, &again))
	require.Equal(t, "council-1", again.Run)
	require.ErrorContains(t, dataConverter(two).FromPayload(p, &again), "not encrypted with the key")
	plain, err := converter.GetDefaultDataConverter().ToPayload(In{})
	require.NoError(t, err)
	require.ErrorContains(t, dataConverter(one).FromPayload(plain, &again), "not encrypted")
	for _, data := range []string{"", "short", strings.Repeat("x", 100)} {
		_, err := one.Decode([]*commonpb.Payload{{Metadata: map[string][]byte{"encoding": []byte(encoding)}, Data: []byte(data)}})
		require.Error(t, err)
	}
}

// A run whose first worker was lost goes on by the queue of those that are begun.
func TestARunThatIsBegunLeavesTheQueueOfNewOnes(t *testing.T) {
	var queues []string
	w := newWorld(t, func(w *world, _ carryIn) (ledger.End, error) {
		if len(w.carried) == 1 {
			return ledger.End{}, temporal.NewNonRetryableApplicationError("this worker was lost", lostType, nil)
		}
		return ledger.End{Status: "completed", Final: true}, nil
	})
	w.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		queues = append(queues, info.TaskQueue)
	})
	_, err := w.run(t)
	require.NoError(t, err)
	require.Equal(t, []string{in.Queue, begunQueue(in.Queue)}, queues)
}

func TestWhatAWorkerTakes(t *testing.T) {
	g, s := newGate(), store.New(&storetest.Memory{}, []byte("key"))
	seats := []string{"one", "two"}
	why := func(begun bool) string { return g.why(t.Context(), s, seats, begun) }
	require.Empty(t, why(false))
	require.NoError(t, s.Pause(t.Context(), "two"))
	require.False(t, g.shut(seats, false), "it has not looked yet")
	require.Equal(t, "it is paused", why(false))
	require.True(t, g.shut(seats, false))
	require.False(t, g.shut(seats, true))
	require.Empty(t, why(true), "what runs goes on")
	require.False(t, g.shut([]string{"one"}, false))
	g.close()
	g.close()
	<-g.drain
	require.NotEmpty(t, why(true))
	require.True(t, g.shut([]string{"one"}, true))
}

// A run of a standing question is called after it, and the next one is told of the last that
// was completed.
func TestAStandingQuestionNamesTheRunBefore(t *testing.T) {
	for _, c := range []struct{ status, before, next string }{
		{"completed", "", "heater-20260102T030405Z"},
		{"completed", "heater-1", "heater-20260102T030405Z"},
		{"failed", "heater-1", "heater-1"},
		{"failed", "", ""},
	} {
		w := newWorld(t, func(*world, carryIn) (ledger.End, error) { return ledger.End{Status: c.status, Final: true}, nil })
		w.RegisterWorkflowWithOptions(standing, workflow.RegisterOptions{Name: standingWorkflow})
		w.SetStartTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		if c.before != "" {
			w.SetLastCompletionResult(c.before)
		}
		w.ExecuteWorkflow(standingWorkflow, "heater", in)
		require.NoError(t, w.GetWorkflowError())
		var next string
		require.NoError(t, w.GetWorkflowResult(&next))
		require.Equal(t, c.next, next)
		require.Equal(t, "heater-20260102T030405Z", w.carried[0].Job.Run)
		require.Equal(t, c.before, w.carried[0].Job.Previous)
	}
}
