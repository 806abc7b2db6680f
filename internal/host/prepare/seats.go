package prepare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent/kinds"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/request"
)

// seatsOf resolves who takes part. Where nobody was named and nobody can take
// part, the servers do that the person has set up, else the librarian: it needs
// nothing, but judges nothing either.
func seatsOf(e program.Env, c config.Config, asked []string, tier string, judging bool) ([]flow.Seat, []flow.Missing, error) {
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
	for _, others := range [][]string{c.Spare, config.Librarians()} {
		if len(seats) == 0 && len(asked) == 0 {
			seats, _ = c.Roster(others, tier, place)
		}
	}
	if len(seats) == 0 {
		hint := ", and --seats librarian needs nothing"
		if judging {
			hint = ""
		}
		return nil, nil, fmt.Errorf("none of the seats asked for can take part (%s); `council doctor` tells more%s", missingReasons(missing), hint)
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

// inParentheses is a remark behind a sentence's words; nothing where there is none.
func inParentheses(remark string) string {
	if remark == "" {
		return ""
	}
	return " (" + remark + ")"
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

// reviewPanel settles who reviews: those named, else of those configured the ones
// that can take part and then the run's own seats, families that are not there
// yet before others. A seat may sit more than once, each time with a turn of
// its own: it is said then that the review is of one family.
func reviewPanel(e program.Env, c config.Config, req request.Request, s *flow.Setup) error {
	if !req.Review {
		return nil
	}
	names := req.Reviewers
	if len(names) == 0 {
		names = c.Staged.Reviewers
	}
	names, err := c.Expand(names)
	if err != nil {
		return usage.Of(err)
	}
	able, missing := c.Roster(names, s.Tier, e.Resolver())
	able = slices.DeleteFunc(able, withoutModel)
	if len(req.Reviewers) > 0 && len(missing) > 0 {
		return fmt.Errorf("not all reviewers asked for can take part (%s); `council doctor` tells more", missingReasons(missing))
	}
	s.Panel = fillPanel(able, slices.DeleteFunc(slices.Clone(s.Seats), withoutModel), len(req.Reviewers) > 0)
	for _, m := range missing {
		s.Warnings = append(s.Warnings, "reviewer "+m.Seat+" cannot take part: "+m.Reason)
	}
	if s.Unreviewed = len(s.Panel) == 0; s.Unreviewed {
		s.Warnings = append(s.Warnings, "no reviewer with a model can take part: the report will stay unapproved")
	}
	return nil
}

func withoutModel(s flow.Seat) bool { return !s.HasModel() }

// wantedReviewers is how many read a report.
const wantedReviewers = 3

// fillPanel fills a panel.
func fillPanel(able, own []flow.Seat, named bool) []flow.Seat {
	list := able
	families := map[string]bool{}
	for _, s := range able {
		families[s.Brand] = true
	}
	for _, s := range own {
		if !named && len(list) < wantedReviewers && !families[s.Brand] {
			families[s.Brand] = true
			list = append(list, s)
		}
	}
	for i, n := 0, len(list); n > 0 && len(list) < wantedReviewers; i++ {
		list = append(list, list[i%n])
	}
	return list
}

// chooseReviewers settles who reviews: those named, else the host's own, else the first of
// those configured that has a model. What only looks words up reviews nothing.
func chooseReviewers(e program.Env, c config.Config, req request.Request, tier string) ([]flow.Seat, []flow.Missing, error) {
	usual := kinds.Host().Name
	names := req.Seats
	if len(names) == 0 {
		names = slices.Concat([]string{usual}, c.Seats, c.Spare)
	}
	names, err := c.Expand(names)
	if err != nil {
		return nil, nil, usage.Of(err)
	}
	if len(req.Seats) == 0 { // each once
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a, usual), rank(b, usual)) })
		names = slices.Compact(names)
	}
	able, missing := c.Roster(names, tier, e.Resolver())
	seats := slices.DeleteFunc(slices.Clone(able), withoutModel)
	switch {
	case len(seats) == 0:
		why := "no seat with a model can take part"
		if len(missing) > 0 {
			why += " (" + missingReasons(missing) + ")"
		}
		return nil, nil, fmt.Errorf("%s: code is reviewed by models alone; `council doctor` tells more, and --survey-only needs none", why)
	case len(req.Seats) == 0:
		seats, missing = seats[:1], nil
	}
	if _, err := e.HookProgram(); err != nil && slices.ContainsFunc(seats, func(s flow.Seat) bool { return !s.Free }) {
		return nil, nil, err
	}
	return seats, missing, nil
}

func rank(name, usual string) int {
	if name == usual {
		return 0
	}
	return 1
}
