package prepare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/agent/shelf"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/base/proxy"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
)

// connect settles how a run's sources are fetched, and says what of it the
// person ought to know before.
func connect(e program.Env, c config.Config, s *flow.Setup, web bool) {
	library := s.Network.Library
	s.Network, s.Web = e.AllowedNetwork(c.Network), web
	s.Network.Library = library
	if web && len(s.Network.Search) == 0 {
		s.Network.Search = c.Search.Keyless()
	}
	way := proxy.Find(s.Network.Proxy, e.Getenv)
	if text := way.String(); text != "" {
		s.Warnings = append(s.Warnings, "sources are fetched by proxy: "+text+"; a private address behind a name that only the proxy can look up is not seen from here")
	}
	if err := way.Err(); err != nil {
		s.Warnings = append(s.Warnings, err.Error()+"; what would go that way is not fetched")
	}
	if odd := way.InvalidExceptions(); len(odd) > 0 {
		s.Warnings = append(s.Warnings, "NO_PROXY names what is no host: "+strings.Join(odd, ", "))
	}
}

// settleLibrary names the library that a run reads: the one asked for, else the
// configured one. What it is told of the person goes to models, which is said.
func settleLibrary(e program.Env, c config.Config, s *flow.Setup, req request.Request) error {
	name := cmp.Or(req.Library, c.Library)
	if name == "" {
		return nil
	}
	folder, err := e.LibraryFolder(name)
	if err != nil {
		return usage.Errorf("--library %q: %w", name, err)
	}
	own, err := shelf.Open(folder, nil)
	if err != nil {
		return usage.Errorf("--library %q: %w", name, err)
	}
	documents, err := own.Documents()
	if err != nil {
		return err
	}
	s.Network.Library = folder
	note := fmt.Sprintf("it reads the library %s, %s", name, plural.Of(len(documents), "document"))
	if len(s.Seats) == 0 || s.HasModel() {
		note += ": passages of these go to the models of this run"
	}
	s.Warnings = append(s.Warnings, note)
	return nil
}

// limit sets the bounds of a run: what was asked for, or under --test what
// that stands for, or what is configured. The money of a test is a cap that
// asking for more does not lift.
func limit(s *flow.Setup, c config.Config, req request.Request) {
	l := c.Limits
	if req.USD > 0 {
		l.USD = req.USD
	}
	if req.Test {
		l.Iterations, l.Minutes, l.USD = c.Test.Iterations, c.Test.Minutes, lowerLimit(c.Test.USD, l.USD)
	}
	s.Loop = loop.Default()
	s.Loop.Iterations = first(req.Iterations, l.Iterations)
	s.Loop.New, s.Loop.Patience = l.NewClaims, l.Patience
	s.Turn = time.Duration(l.TurnMinutes) * time.Minute
	s.Limits = budget.Limits{
		USD: l.USD, Tokens: l.Tokens, Time: time.Duration(first(req.Minutes, l.Minutes)) * time.Minute,
		Turns: first(l.Turns, mostTurns(s.Loop, len(s.Seats))+reviewTurns(len(s.Panel))),
	}
}

// price hands over the configured prices, by which a limit in money is held. A
// model without one counts by its tokens, as many as the limit stands for; where
// the configuration does not say how many, the limit is refused: it would see
// nothing.
func price(s *flow.Setup, c config.Config) error {
	s.Prices = c.Prices
	if s.Limits.USD == 0 {
		return nil
	}
	s.Limits.Unpriced = int64(min(s.Limits.USD*float64(c.Limits.TokensPerUSD[s.Tier]), 1e15))
	seats := unpriced(*s)
	if len(seats) == 0 || s.Limits.Unpriced > 0 {
		return nil
	}
	return usage.Errorf("a limit of %s cannot be held: it is not known what %s costs; add to the configuration (`council config path`): %s, or %s",
		view.Dollars(s.Limits.USD), joinNames(seats), priceLine(seats), "limits: {tokens_per_usd: {"+s.Tier+": …}}")
}

// unpriced are the seats whose models have no price, reviewers too, each once, and the
// planner where no seat of its family is among them.
func unpriced(s flow.Setup) []flow.Seat {
	seats := slices.Concat(s.Seats, s.Panel)
	if s.Planner != nil {
		seats = append(seats, *s.Planner)
	}
	var list []flow.Seat
	for _, seat := range seats {
		_, known := s.PriceOf(seat, "")
		named := slices.ContainsFunc(list, func(l flow.Seat) bool {
			return l.Name == seat.Name || seat.Name == flow.Planner && l.Brand == seat.Brand
		})
		if !known && !seat.Free && !named {
			list = append(list, seat)
		}
	}
	return list
}

func joinNames(seats []flow.Seat) string { return strings.Join(namesOf(seats), ", ") }

// priceLine is the line of the configuration that tells what models cost.
func priceLine(seats []flow.Seat) string {
	var list []string
	for _, s := range seats {
		list = append(list, cmp.Or(s.Model, "MODEL")+": {input: …, cached: …, output: …}")
	}
	slices.Sort(list)
	return "prices: {" + strings.Join(slices.Compact(list), ", ") + "}"
}

// LimitNote says how a limit in money is held for seats it cannot see in money, and
// what is known of a seat only when its turn has ended; "" where there is
// nothing to say.
func LimitNote(s flow.Setup) string {
	seats := unpriced(s)
	if s.Limits.USD == 0 || len(seats) == 0 {
		return ""
	}
	text := fmt.Sprintf("The limit of %s is one of %s tokens for what has no price (%s; those read again from a cache count a tenth); to hold it in money, add to the configuration (`council config path`): %s.",
		view.Dollars(s.Limits.USD), budget.Grouped(s.Limits.Unpriced), joinNames(seats), priceLine(seats))
	return text + lateUsageNote(s)
}

// lateUsageNote names the seats that tell their use with the end of a turn alone, or
// need not tell it at all.
func lateUsageNote(s flow.Setup) string {
	var ends, silent []string
	for _, seat := range append(slices.Clone(s.Seats), s.Panel...) {
		switch told := kinds.Of(seat.Kind).Usage; {
		case seat.Free || slices.Contains(ends, seat.Name) || slices.Contains(silent, seat.Name):
		case told == agent.UsageAtEnd:
			ends = append(ends, seat.Name)
		case told == agent.UsageOptional:
			silent = append(silent, seat.Name)
		}
	}
	text := ""
	if len(ends) > 0 {
		text += " Use is told at the end of a turn alone by " + strings.Join(ends, ", ") + ": until then it is reckoned from what is shown."
	}
	if len(silent) > 0 {
		text += " What is not told of the use of " + strings.Join(silent, ", ") + " is reckoned from the text; the limits of turns and time hold it too."
	}
	return text
}

// mostTurns is what research and refinement of every seat can come to at the
// very most, with room for the plan, votes, validation, a debate and the synthesis.
func mostTurns(rule loop.Rule, seats int) int {
	const phases, synthesis, planning = 2, 6, 3
	const judging = 2 + council.DebateRounds
	return (rule.Iterations+rule.Retries)*seats*phases + (judgeTurns+rule.Retries)*seats*judging + synthesis + planning
}

// reviewTurns is what reviewers, who are asked twice in a review, and the
// synthesis they send back can come to at the very most.
func reviewTurns(reviewers int) int {
	const turns, synthesis = 5, 6 // of one answer
	if reviewers == 0 {
		return 0
	}
	return (panel.DefaultRevisions+1)*2*turns*reviewers + panel.DefaultRevisions*synthesis
}

// judgeTurns is how many iterations a vote, a verdict or a round of debate has.
const judgeTurns = 3

// first is the first number that is set.
func first(numbers ...int) int {
	for _, n := range numbers {
		if n > 0 {
			return n
		}
	}
	return 0
}

// lowerLimit is the lower of two limits, of which 0 is none.
func lowerLimit(a, b float64) float64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
