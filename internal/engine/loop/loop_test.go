package loop_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/loop"
)

func TestJudge(t *testing.T) {
	usable := loop.Artefact{Bytes: 9, SHA256: "a", Usable: true}
	complete := loop.Artefact{Bytes: 9, SHA256: "a", Usable: true, Complete: true}
	hollow := loop.Artefact{Complete: true, Problems: []string{"headings only"}}
	dry := loop.Artefact{Bytes: 9, SHA256: "a", Usable: true, Standing: 7, Dry: 4}
	rule := loop.Default()
	rule.New, rule.Patience = 1, 4
	fault := func(c agent.Class) *agent.Fault { return &agent.Fault{Class: c, Message: "m"} }
	cases := map[string]struct {
		state loop.State
		want  loop.Verdict
	}{
		"a marked report ends the loop":              {loop.State{Turns: 1, Iterations: 1, Artefact: complete}, loop.Verdict{Done: loop.Complete, Reason: "marked complete"}},
		"a marker on an empty report ends nothing":   {loop.State{Turns: 1, Iterations: 1, Artefact: hollow}, loop.Verdict{More: true}},
		"an unmarked report goes on":                 {loop.State{Turns: 1, Iterations: 1, Artefact: usable}, loop.Verdict{More: true}},
		"spent iterations end it with what is there": {loop.State{Turns: 3, Iterations: 10, Artefact: usable}, loop.Verdict{Done: loop.Exhausted, Reason: "iterations spent"}},
		"spent iterations without a report fail":     {loop.State{Turns: 3, Iterations: 10, Artefact: hollow}, loop.Verdict{Done: loop.Failed, Reason: "iterations spent, and what it left cannot be used: headings only"}},
		"three turns without a change end it":        {loop.State{Turns: 4, Iterations: 4, Unchanged: 3, Artefact: usable}, loop.Verdict{Done: loop.Stuck, Reason: "nothing changed any more"}},
		"a rate limit waits and goes on":             {loop.State{Turns: 1, Faults: 1, Fault: fault(agent.Retryable)}, loop.Verdict{More: true, Wait: 2 * time.Second}},
		"the provider's wish is honoured":            {loop.State{Turns: 1, Faults: 1, Fault: &agent.Fault{Class: agent.Retryable, RetryAfter: time.Hour}}, loop.Verdict{More: true, Wait: time.Hour}},
		"the sixth rate limit in a row ends it":      {loop.State{Turns: 6, Faults: 6, Fault: fault(agent.Retryable)}, loop.Verdict{Done: loop.Failed, Reason: "m; no usable report"}},
		"a refused login ends it at once":            {loop.State{Turns: 1, Faults: 1, Fault: fault(agent.Terminal)}, loop.Verdict{Done: loop.Failed, Reason: "m; no usable report"}},
		"timed out but complete is a success":        {loop.State{Turns: 1, Faults: 1, Fault: fault(agent.TimedOut), Artefact: complete}, loop.Verdict{Done: loop.Complete, Reason: "m"}},
		"timed out but usable is kept":               {loop.State{Turns: 1, Faults: 1, Fault: fault(agent.TimedOut), Artefact: usable}, loop.Verdict{Done: loop.CutShort, Reason: "m"}},
		"a vanished session starts afresh":           {loop.State{Turns: 1, Faults: 1, Fault: fault(agent.NoSession)}, loop.Verdict{More: true, Fresh: true}},
		"four dry iterations end it":                 {loop.State{Turns: 4, Iterations: 4, Artefact: dry}, loop.Verdict{Done: loop.RanDry, Reason: "4 iterations in a row found nothing new that holds"}},
		"a killed turn is resumed":                   {loop.State{Turns: 1, Faults: 1, Fault: fault(agent.Lost)}, loop.Verdict{More: true}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, loop.Judge(rule, c.state)) })
	}
}

// A turn that comes further each time it is halted is not given up as one that never does.
func TestAHaltedTurnThatComesFurtherGoesOn(t *testing.T) {
	rule := loop.Rule{Iterations: 10, Retries: 3, Stuck: 3}
	busy := &agent.Fault{Class: agent.Retryable, RetryAfter: 20 * time.Second}
	halts := func(answered bool) (n int) {
		for s := (loop.State{}); ; n++ {
			s = s.After(0, busy, loop.Artefact{}, answered)
			v := loop.Judge(rule, s)
			if !v.More {
				return n
			}
			if answered {
				require.Equal(t, 20*time.Second, v.Wait, "as long as the provider asks for, however often")
			}
		}
	}
	require.Equal(t, 3, halts(false))
	require.Equal(t, 30, halts(true), "but not for ever")
	s := loop.State{}.After(0, busy, loop.Artefact{}, false).After(0, busy, loop.Artefact{}, false).After(0, busy, loop.Artefact{}, true)
	require.Equal(t, 1, s.Faults)
	lost := loop.State{}.After(0, &agent.Fault{Class: agent.Lost}, loop.Artefact{}, true)
	require.Equal(t, 1, lost.After(0, &agent.Fault{Class: agent.Lost}, loop.Artefact{}, true).Faults-lost.Faults, "other faults are counted as ever")
}

// Whatever the turns come to, the loop ends within its bounds.
func TestEveryLoopEnds(t *testing.T) {
	classes := []agent.Class{"", agent.Retryable, agent.Terminal, agent.Degenerate, agent.TimedOut, agent.NoSession, agent.Lost}
	rapid.Check(t, func(t *rapid.T) {
		rule := loop.Rule{Iterations: rapid.IntRange(1, 12).Draw(t, "iterations"), Retries: rapid.IntRange(1, 5).Draw(t, "retries"), Stuck: rapid.IntRange(1, 3).Draw(t, "stuck")}
		var s loop.State
		for turn := 1; ; turn++ {
			require.LessOrEqual(t, turn, (rule.Iterations+1)*(10*rule.Retries+1)*(rule.Retries+1)+1)
			var fault *agent.Fault
			done := rapid.IntRange(1, 3).Draw(t, "done")
			if c := rapid.SampledFrom(classes).Draw(t, "class"); c != "" {
				fault, done = &agent.Fault{Class: c}, 0
			}
			a := loop.Artefact{SHA256: rapid.StringMatching("[ab]").Draw(t, "hash"), Usable: rapid.Bool().Draw(t, "usable"), Complete: rapid.Bool().Draw(t, "complete")}
			s = s.After(done, fault, a, rapid.Bool().Draw(t, "answered"))
			v := loop.Judge(rule, s)
			if !v.More {
				require.Equal(t, a.Usable, v.Done.Good())
				return
			}
			require.Empty(t, v.Done)
		}
	})
}

func TestAnIterationIsDryThatBringsTooFewNewClaims(t *testing.T) {
	rule := loop.Rule{New: 2}
	a := loop.Artefact{Standing: 10, Dry: 1}
	require.Equal(t, 2, a.NextDry(rule, 11))
	require.Equal(t, 0, a.NextDry(rule, 12))
	require.Equal(t, 2, a.NextDry(rule, 4), "claims that were taken back bring nothing")
	require.Zero(t, a.NextDry(loop.Rule{}, 10), "without a threshold nothing is dry")
}

func TestWhenASearchHasRunDry(t *testing.T) {
	for _, c := range []struct {
		name                string
		gains               []int // claims that stand more, of each iteration
		threshold, patience int
		want                bool
	}{
		{"nothing yet", nil, 1, 1, false},
		{"one empty iteration, patience for two", []int{5, 0}, 1, 2, false},
		{"two empty ones", []int{5, 0, 0}, 1, 2, true},
		{"a find in between", []int{0, 3, 0}, 1, 2, false},
		{"fewer than wanted", []int{9, 2, 1}, 3, 2, true},
		{"just enough", []int{9, 2, 3}, 3, 2, false},
		{"no threshold", []int{0, 0, 0}, 0, 2, false},
		{"no patience", []int{0, 0, 0}, 1, 0, false},
	} {
		rule := loop.Rule{Iterations: 10, Retries: 1, Stuck: 10, New: c.threshold, Patience: c.patience}
		a := loop.Artefact{Usable: true}
		for _, gain := range c.gains {
			standing := a.Standing + gain
			a.Dry = a.NextDry(rule, standing)
			a.Standing = standing
		}
		v := loop.Judge(rule, loop.State{Turns: 1, Iterations: len(c.gains), Artefact: a})
		require.Equal(t, c.want, v.Done == loop.RanDry, c.name)
	}
}
