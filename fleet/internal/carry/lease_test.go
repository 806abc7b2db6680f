package carry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/fleet/internal/carry"
)

// Whatever signs of life are sent, lost, answered late or out of order: a carrier that
// stops when its lease is over has stopped before the server gives its run away.
func TestACarrierStopsBeforeItsRunIsSomebodyElses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		began := time.Unix(0, 0)
		timeout := time.Duration(rapid.IntRange(1, 60).Draw(t, "timeout")) * time.Second
		margin := time.Duration(rapid.IntRange(0, 90).Draw(t, "margin")) * time.Second
		l := carry.NewLease(timeout, margin, began)
		heard := began // by the server, last
		for now := began; l.Left(now) > 0; {
			sent := now
			arrives := sent.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "out")) * time.Millisecond)
			answered := arrives.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "back")) * time.Millisecond)
			if rapid.Bool().Draw(t, "arrives") && arrives.Before(heard.Add(timeout)) {
				heard = arrives
				if rapid.Bool().Draw(t, "is answered") {
					l.Answered(sent)
				}
			}
			now = answered.Add(l.Every())
			if rapid.IntRange(0, 20).Draw(t, "long enough") == 0 {
				break
			}
		}
		over := began
		for l.Left(over) > 0 {
			over = over.Add(time.Millisecond * 100)
		}
		require.LessOrEqual(t, over.Sub(heard), timeout-l.Margin+100*time.Millisecond)
	})
}

func TestASignOfLifeThatIsAnsweredLateTellsNothingNew(t *testing.T) {
	began := time.Unix(0, 0)
	l := carry.NewLease(30*time.Second, 5*time.Second, began)
	l.Answered(began.Add(20 * time.Second))
	l.Answered(began.Add(10 * time.Second))
	require.Equal(t, 25*time.Second, l.Left(began.Add(20*time.Second)))
	require.LessOrEqual(t, l.Left(began.Add(45*time.Second)), time.Duration(0))
}
