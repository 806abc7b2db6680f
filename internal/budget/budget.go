// Package budget says whether a next turn may start.
//
// Limits are checked before a turn starts, never after: a run overshoots by
// the turns that are under way and by nothing else. A share of every limit is
// kept back for the synthesis, so that what was found is also written down.
package budget

import (
	"fmt"
	"time"
)

// Limits of a whole run. Zero means no limit of that kind; a run always has
// a limit in turns.
type Limits struct {
	USD    float64       `json:"usd,omitempty"`
	Tokens int64         `json:"tokens,omitempty"`
	Time   time.Duration `json:"time,omitempty"`
	Turns  int           `json:"turns"`
}

// Spent is what a run has used up to now.
type Spent struct {
	USD       float64       `json:"usd"`
	Estimated bool          `json:"estimated,omitempty"` // some of USD is tokens times listed price
	Tokens    int64         `json:"tokens"`
	Time      time.Duration `json:"time"`
	Turns     int           `json:"turns"`
}

// Reserve is the share of each limit that only the synthesis may use.
const Reserve = 0.10

// Refusal says why no further turn may start; "" when one may. Reserved turns
// may use the whole of each limit, others leave the reserve alone.
func (l Limits) Refusal(s Spent, reserved bool) string {
	share := 1 - Reserve
	if reserved {
		share = 1
	}
	switch {
	case l.USD > 0 && s.USD >= l.USD*share:
		return fmt.Sprintf("$%.2f of $%.2f spent", s.USD, l.USD)
	case l.Tokens > 0 && float64(s.Tokens) >= float64(l.Tokens)*share:
		return fmt.Sprintf("%d of %d tokens used", s.Tokens, l.Tokens)
	case l.Time > 0 && float64(s.Time) >= float64(l.Time)*share:
		return fmt.Sprintf("%s of %s passed", s.Time.Round(time.Second), l.Time)
	case l.Turns > 0 && float64(s.Turns) >= float64(l.Turns)*share:
		return fmt.Sprintf("%d of %d turns taken", s.Turns, l.Turns)
	}
	return ""
}

// Left is the money one more turn may use, 0 when there is no such limit.
func (l Limits) Left(s Spent, reserved bool) float64 {
	if l.USD == 0 {
		return 0
	}
	share := 1 - Reserve
	if reserved {
		share = 1
	}
	return max(0, l.USD*share-s.USD)
}

// TimeFor is when turns that may not touch the reserve have to end, counted
// from the start of the run; 0 when there is no such limit.
func (l Limits) TimeFor(reserved bool) time.Duration {
	if reserved {
		return l.Time
	}
	return time.Duration(float64(l.Time) * (1 - Reserve))
}
