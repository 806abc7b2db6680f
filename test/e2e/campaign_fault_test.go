package e2e_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/test/cli"
	"github.com/research-council/research-council/test/loopback"
)

// once is a step that is taken by the first to come to a visit of research.
func once(visit int, step loopback.Step, times int32) script {
	s, taken := scarce(), new(atomic.Int32)
	s.before = func(_ loopback.Request, b brief, n int) (loopback.Step, bool) {
		return step, b.role == agent.Explore && b.visit == visit && n == 1 && taken.Add(1) <= times
	}
	return s
}

// caughtIn begins a campaign in the background and waits until its worker hangs
// in the second iteration, after its researchers have come back.
func caughtIn(t *testing.T) field {
	f := newField(t, once(2, loopback.Step{Hang: true}, 1))
	r := f.campaign("run", "research", topic, "How does the switch work?", "--max-iterations", "6", "--detach")
	require.Zero(t, r.code, r.errs)
	until(t, "the worker hangs in the second iteration", patience, func() bool {
		for _, q := range f.model.Turns() {
			if q.Status == 0 {
				return true
			}
		}
		return false
	})
	return f
}

// cameThrough checks that the campaign has ended as if nothing had happened.
func (f field) cameThrough() {
	f.Helper()
	until(f.T, "the campaign ends", 2*patience, func() bool { return f.standing().Status != "in_progress" })
	st := f.standing()
	require.Equal(f, "complete", st.Status, st.Reason)
	require.Equal(f, 4, f.recorded(agent.Explore))
	require.Equal(f, 6, st.Findings)
	require.Equal(f, 5, st.Iteration)
	require.Len(f, f.runs(), 1)
	f.nothingRuns()
}

func TestAKilledWorkerOfACampaignGoesOn(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	f := caughtIn(t)
	_, child := f.pids(f.run(), "claude")
	proctest.Kill(t, child)
	f.cameThrough()
}

func TestAKilledCampaignIsResumed(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	f := caughtIn(t)
	supervisor, _ := f.pids(f.run(), "claude")
	proctest.Kill(t, supervisor)
	until(t, "its worker has ended with it", 10*time.Second, func() bool { return len(processes(t, "HOME="+f.home)) == 0 })
	require.Equal(t, "in_progress", f.standing().Status)
	r := f.campaign("resume", topic)
	require.Zero(t, r.code, r.errs)
	f.cameThrough()
}

func TestALimitedCampaignWaits(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	f := newField(t, once(2, loopback.Step{Status: 429, Headers: map[string]string{"Retry-After": "1"}}, 5))
	r := f.campaign("run", "research", topic, "How does the switch work?", "--max-iterations", "6")
	require.Zero(t, r.code, r.errs)
	limited := 0
	for _, q := range f.model.Turns() {
		if q.Status == 429 {
			limited++
		}
	}
	require.Equal(t, 5, limited, "more than one process gives up for")
	f.cameThrough()
}

// TestACompactedSessionGoesOn lets the host summarise a session's context in
// the middle of an iteration: what it is told then leads it back to its brief.
func TestACompactedSessionGoesOn(t *testing.T) {
	cli.InMatrix(t)
	t.Parallel()
	s, full := scarce(), new(atomic.Int32)
	s.before = func(q loopback.Request, b brief, n int) (loopback.Step, bool) {
		if b.role != agent.Explore || b.visit != 2 || n != 2 || strings.Contains(q.FirstUser, "This session is being continued") || full.Load() > 6 {
			return loopback.Step{}, false
		}
		used := []int{20000, 40000, 60000, 150000, 150000, 150000, 150000}[min(full.Add(1)-1, 6)]
		return loopback.Step{Shell: "ls notes.md", Usage: &loopback.Usage{Input: used, Output: 10}}, true
	}
	f := newField(t, s)
	f.environ = append(f.environ, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1")
	r := f.done(f.session(asked+" --max-iterations 6 --loop", "--allowedTools", rules, "--autocompact", "100000"))
	require.Zero(t, r.code, r.errs)
	compacted := 0
	for _, q := range f.model.Requests() {
		if q.Inner == "compact" {
			compacted++
		}
	}
	require.NotZero(t, compacted)
	st := f.standing()
	require.Equal(t, "complete", st.Status)
	require.Equal(t, 4, f.recorded(agent.Explore))
	require.Equal(t, 6, st.Findings)
	require.Len(t, f.owners(), 1)
}
