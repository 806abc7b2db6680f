package main

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"research-council/internal/agent"
	"research-council/internal/agent/kinds"
	"research-council/internal/base/proxy"
	"research-council/internal/base/usage"
	"research-council/internal/engine/budget"
	"research-council/internal/engine/config"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/loop"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/evidence/scope"
	"research-council/internal/host/request"
	"research-council/internal/host/view"
	"research-council/internal/product/recipe"
	"research-council/internal/product/staged"
)

// prepareCouncil makes of a wish what a run is set up with. Nothing is created, and
// every mistake is one line with its remedy.
func prepareCouncil(e env, project string, req request.Request) (flow.Setup, error) {
	if err := request.CheckTopic(req.Topic); err != nil {
		return flow.Setup{}, usage.Of(err)
	}
	c, err := e.Config()
	if err != nil {
		return flow.Setup{}, err
	}
	s := flow.Setup{Workflow: recipe.Council().Name, Topic: req.Topic, Parallel: c.Parallel, PerBrand: c.PerBrand, Bypass: req.Bypass}
	if s.Root, err = filepath.Abs(project); err != nil {
		return flow.Setup{}, fmt.Errorf("find the project: %w", err)
	}
	if s.Tier, err = tierOf(c, req); err != nil {
		return flow.Setup{}, err
	}
	if err := settleScope(&s, req); err != nil {
		return flow.Setup{}, err
	}
	if s.Seats, s.Missing, err = seatsOf(e, c, req.Seats, s.Tier); err != nil {
		return flow.Setup{}, err
	}
	for i := range s.Missing {
		s.Missing[i].Named = len(req.Seats) > 0
	}
	if err := reviewPanel(e, c, req, &s); err != nil {
		return flow.Setup{}, err
	}
	if err := plan(&s, req); err != nil {
		return flow.Setup{}, usage.Of(err)
	}
	connect(e, c, &s)
	if err := setOutputs(&s, req); err != nil {
		return flow.Setup{}, err
	}
	if s.Scope == "" && slices.ContainsFunc(s.Seats, func(x flow.Seat) bool { return x.Kind == recipe.LibrarianSeat().Kind }) {
		if s.Scope, err = filepath.EvalSymlinks(s.Root); err != nil { // it has nothing else to research
			return flow.Setup{}, fmt.Errorf("find the project: %w", err)
		}
	}
	limit(&s, c, req)
	if err := price(&s, c); err != nil {
		return flow.Setup{}, err
	}
	s.Release = e.Release
	s.ID, err = workspace.NewID(time.Now(), rand.Reader)
	return s, err
}

// settleScope settles which local files belong to the sources: those that were named,
// or the whole project where the question speaks of it.
func settleScope(s *flow.Setup, req request.Request) (err error) {
	if req.Scope != "" {
		s.Scope, err = resolveScope(s.Root, req)
		return err
	}
	said, local := scope.SpeaksOfProject(s.Topic, func(name string) bool {
		root, err := os.OpenRoot(s.Root)
		if err != nil {
			return false
		}
		defer root.Close()
		_, err = root.Stat(filepath.FromSlash(name))
		return err == nil
	})
	if !local {
		return nil
	}
	if s.Scope, err = filepath.EvalSymlinks(s.Root); err != nil {
		return fmt.Errorf("find the project: %w", err)
	}
	s.Warnings = append(s.Warnings, fmt.Sprintf("the scope is the project, for the question speaks of it (%q); --scope names another folder", said))
	return nil
}

// plan settles what the research is to be, and which of the seats take part in
// it: as many of those that cost as the plan has researchers, and all that are
// free.
func plan(s *flow.Setup, req request.Request) error {
	paid, free := split(s.Seats)
	researchers := paid
	if len(paid) == 0 {
		researchers = free
	}
	p, warnings, err := scope.NewPlan(scope.PlanRequest{
		Topic: s.Topic, Mode: req.Mode, Debate: req.Debate, Budget: req.Budget, Agents: req.Agents,
		Seats: namesOf(researchers), Named: len(req.Seats) > 0 || len(paid) == 0,
	})
	if err != nil {
		return err
	}
	s.Plan, s.Warnings = p, append(warnings, s.Warnings...)
	s.Seats = append(paid[:min(p.Agents, len(paid)):len(paid)], free...)
	return nil
}

func split(seats []flow.Seat) (paid, free []flow.Seat) {
	for _, s := range seats {
		if s.Free {
			free = append(free, s)
			continue
		}
		paid = append(paid, s)
	}
	return paid, free
}

func namesOf(seats []flow.Seat) []string {
	names := make([]string, len(seats))
	for i, s := range seats {
		names[i] = s.Name
	}
	return names
}

// connect settles how a run's sources are fetched, and says what of it the
// person ought to know before.
func connect(e env, c config.Config, s *flow.Setup) {
	s.Network = e.AllowedNetwork(c.Network)
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

// setCopies settles which files of the project get a copy at the end.
func setCopies(s *flow.Setup, req request.Request) error {
	s.Force = req.Force
	for flag, name := range map[string]string{"--output": req.Output, "--sarif": req.SARIF} {
		if name == "" {
			continue
		}
		if err := workspace.CheckWritable(s.Root, name, workspace.Replaceable{Any: req.Force}); err != nil {
			return usage.Errorf("%s %q: %w", flag, name, err)
		}
	}
	if req.Output == "" {
		return nil
	}
	s.Output = filepath.Clean(req.Output)
	if req.SARIF != "" && s.Output == filepath.Clean(req.SARIF) {
		return usage.Errorf("--output and --sarif both name %q", req.Output)
	}
	return nil
}

// setOutputs settles where the report is copied to and what it is compared with.
func setOutputs(s *flow.Setup, req request.Request) error {
	if err := setCopies(s, req); err != nil {
		return err
	}
	if req.Previous == "" {
		return nil
	}
	if !workspace.ValidID(req.Previous) {
		return usage.Errorf("--previous %q is no run id (`council list` shows them)", req.Previous)
	}
	if _, _, err := supervisor.Load(s.Root, req.Previous); err != nil {
		return usage.Errorf("--previous %s: %w (`council list` shows the runs of this project)", req.Previous, err)
	}
	s.Previous = req.Previous
	return nil
}

func tierOf(c config.Config, req request.Request) (string, error) {
	switch {
	case req.Tier != "" && !slices.Contains(config.Tiers(), req.Tier):
		return "", usage.Errorf("--tier %q: use one of %s", req.Tier, strings.Join(config.Tiers(), ", "))
	case req.Tier != "":
		return req.Tier, nil
	case req.Test:
		return c.Test.Tier, nil
	}
	return c.Tier, nil
}

// seatsOf resolves who takes part. Where nobody was named and nobody can take
// part, the librarian does: it needs nothing.
func seatsOf(e env, c config.Config, asked []string, tier string) ([]flow.Seat, []flow.Missing, error) {
	names := asked
	if len(names) == 0 {
		names = c.Seats
	}
	names, err := c.Expand(names)
	if err != nil {
		return nil, nil, usage.Of(err)
	}
	place := e.Resolver()
	seats, missing := c.Roster(names, tier, place)
	if len(seats) == 0 && len(asked) == 0 {
		seats, _ = c.Roster(config.Librarians(), tier, place)
	}
	if len(seats) == 0 {
		return nil, nil, fmt.Errorf("none of the seats asked for can take part (%s); `council doctor` tells more, and --seats librarian needs nothing", missingReasons(missing))
	}
	if _, err := e.HookProgram(); err != nil && slices.ContainsFunc(seats, func(s flow.Seat) bool { return !s.Free }) {
		return nil, nil, err
	}
	return seats, missing, nil
}

func missingReasons(missing []flow.Missing) string {
	var list []string
	for _, m := range missing {
		list = append(list, "MISSING: "+m.Seat+": "+m.Reason)
	}
	return strings.Join(list, "; ")
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

// unpriced are the seats whose models have no price, reviewers too, each once.
func unpriced(s flow.Setup) []flow.Seat {
	var list []flow.Seat
	for _, seat := range append(slices.Clone(s.Seats), s.Panel...) {
		_, known := s.PriceOf(seat, "")
		named := slices.ContainsFunc(list, func(l flow.Seat) bool { return l.Name == seat.Name })
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

// limitNote says how a limit in money is held for seats it cannot see in money, and
// what is known of a seat only when its turn has ended; "" where there is
// nothing to say.
func limitNote(s flow.Setup) string {
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
		text += " What " + strings.Join(silent, ", ") + " does not tell of its use is reckoned from its text; the limits of turns and time hold it too."
	}
	return text
}

// mostTurns is what research and refinement of every seat can come to at the
// very most, with room for votes, validation, a debate and the synthesis.
func mostTurns(rule loop.Rule, seats int) int {
	const phases, synthesis = 2, 6
	const judging = 2 + recipe.DebateRounds
	return (rule.Iterations+rule.Retries)*seats*phases + (judgeTurns+rule.Retries)*seats*judging + synthesis
}

// reviewTurns is what reviewers, who are asked twice in a review, and the
// synthesis they send back can come to at the very most.
func reviewTurns(reviewers int) int {
	const turns, synthesis = 5, 6 // of one answer
	if reviewers == 0 {
		return 0
	}
	return (staged.Revisions+1)*2*turns*reviewers + staged.Revisions*synthesis
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
