// Package budget says whether a next turn may start, and whether those under
// way may go on.
//
// A limit is checked before a turn starts and, by what its stream tells,
// while it runs: a run overshoots by the calls of a model that are under way
// and by nothing else. A share of every limit is kept back for the synthesis,
// so that what was found is also written down.
package budget

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Limits of a whole run. Zero means no limit of that kind; a run always has
// a limit in turns.
type Limits struct {
	USD    float64       `json:"usd,omitempty"`
	Tokens int64         `json:"tokens,omitempty"`
	Time   time.Duration `json:"time,omitempty"`
	Turns  int           `json:"turns"`

	// Unpriced is how many tokens without a price stand for the whole of USD, as
	// [Spent.Counted] counts them: a limit in money that sees no price is one in
	// tokens. 0: they are not counted against it.
	Unpriced int64 `json:"unpriced,omitempty"`
}

// Spent is what a run has used up to now.
type Spent struct {
	USD       float64       `json:"usd"`
	Estimated bool          `json:"estimated,omitempty"` // some of USD is tokens times configured price
	Reported  bool          `json:"reported,omitempty"`  // some of USD, though it may be nothing, is a provider's own figure
	Reckoned  bool          `json:"reckoned,omitempty"`  // some tokens follow from the text that was seen: nobody told them
	Unpriced  int64         `json:"unpriced,omitempty"`  // of Tokens those whose price nobody knows: USD is without them
	Counted   int64         `json:"counted,omitempty"`   // the same, those read again from a cache as a tenth
	Tokens    int64         `json:"tokens"`
	Time      time.Duration `json:"time"`
	Turns     int           `json:"turns"`
}

// Reserve is the share of each limit that only the synthesis may use.
const Reserve = 0.10

// RefusalReason says why no further turn may start; "" when one may. Reserved turns
// may use the whole of each limit, others leave the reserve alone.
func (l Limits) RefusalReason(s Spent, reserved bool) string {
	share := shareOf(reserved)
	switch passed := l.ExceededLimit(s, reserved); {
	case passed != "":
		return passed
	case l.Time > 0 && float64(s.Time) >= float64(l.Time)*share:
		return fmt.Sprintf("%s of %s passed", s.Time.Round(time.Second), l.Time)
	case l.Turns > 0 && float64(s.Turns) >= float64(l.Turns)*share:
		return fmt.Sprintf("%d of %d turns taken", s.Turns, l.Turns)
	}
	return ""
}

// ExceededLimit says which limit in money or tokens has been passed, so that turns
// under way have to end as well; "" for none.
func (l Limits) ExceededLimit(s Spent, reserved bool) string {
	share := shareOf(reserved)
	switch {
	case l.USD > 0 && l.countedMoney(s) >= l.USD*share:
		return l.spentText(s)
	case l.Tokens > 0 && float64(s.Tokens) >= float64(l.Tokens)*share:
		return fmt.Sprintf("%d of %d tokens used", s.Tokens, l.Tokens)
	}
	return ""
}

func shareOf(reserved bool) float64 {
	if reserved {
		return 1
	}
	return 1 - Reserve
}

// Left is the money one more turn may use, 0 when there is no such limit.
func (l Limits) Left(s Spent, reserved bool) float64 {
	if l.USD == 0 {
		return 0
	}
	return max(0, l.USD*shareOf(reserved)-l.countedMoney(s))
}

// countedMoney is what is held against the limit: money, and what tokens without a
// price stand for.
func (l Limits) countedMoney(s Spent) float64 {
	if l.Unpriced <= 0 {
		return s.USD
	}
	return s.USD + l.USD*float64(s.Counted)/float64(l.Unpriced)
}

func (l Limits) spentText(s Spent) string {
	tokens := fmt.Sprintf("%s of %s tokens without a price used", Grouped(s.Counted), Grouped(l.Unpriced))
	switch {
	case l.Unpriced <= 0 || s.Counted == 0:
		return fmt.Sprintf("$%.2f of $%.2f spent", s.USD, l.USD)
	case s.USD == 0:
		return tokens
	}
	return fmt.Sprintf("$%.2f of $%.2f spent and %s, which together are the whole", s.USD, l.USD, tokens)
}

// EndsAfter is when turns that may not touch the reserve have to end, counted
// from the start of the run; 0 when there is no such limit.
func (l Limits) EndsAfter(reserved bool) time.Duration {
	if reserved {
		return l.Time
	}
	return time.Duration(float64(l.Time) * (1 - Reserve))
}

// Plus is what both have used.
func (s Spent) Plus(t Spent) Spent {
	return Spent{
		USD: s.USD + t.USD, Estimated: s.Estimated || t.Estimated, Reported: s.Reported || t.Reported, Reckoned: s.Reckoned || t.Reckoned,
		Tokens: s.Tokens + t.Tokens, Unpriced: s.Unpriced + t.Unpriced, Counted: s.Counted + t.Counted, Time: s.Time + t.Time, Turns: s.Turns + t.Turns,
	}
}

// Cost says what was spent and where the figure comes from. Money that nobody
// has reported or priced is not called nothing.
func (s Spent) Cost() string {
	var from []string
	if s.Reported {
		from = append(from, "as the providers report")
	}
	if s.Estimated {
		from = append(from, "estimated from tokens and configured prices")
	}
	money := fmt.Sprintf("$%.2f (%s)", s.USD, strings.Join(from, ", in part "))
	missing := Grouped(s.Unpriced) + " tokens without a price"
	if s.Reckoned {
		missing += ", as far as they can be reckoned from the text"
	}
	switch {
	case len(from) == 0 && s.USD > 0:
		return fmt.Sprintf("$%.2f (nobody has said where from)", s.USD)
	case len(from) == 0 && s.Unpriced > 0:
		return "unknown: " + missing
	case len(from) == 0 && s.Tokens > 0:
		return "unknown"
	case len(from) == 0:
		return "none: no model was paid for"
	case s.Unpriced > 0:
		return money + " and " + missing
	}
	return money
}

// Brief is the same for a column: an estimate has a tilde; of what has a price in part
// it is said that it is more.
func (s Spent) Brief() string {
	money := fmt.Sprintf("$%.2f", s.USD)
	if s.Estimated {
		money = "~" + money
	}
	known := s.Reported || s.Estimated || s.USD > 0
	switch {
	case known && s.Unpriced > 0 && s.USD < 0.005:
		return "unknown"
	case known && s.Unpriced > 0:
		return "over " + money
	case known:
		return money
	case s.Tokens > 0:
		return "unknown"
	}
	return "free"
}

// Grouped writes a number with its thousands apart.
func Grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
