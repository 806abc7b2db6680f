package request

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Campaign is what only campaigns are asked for.
type Campaign struct {
	Name     string   // what it is called
	Loop     bool     // the session's Stop hook asks for the next iteration
	Hours    float64  // wall clock of the whole campaign
	Research int      // iterations of research exactly
	Planning int      // iterations of planning exactly
	Command  string   // the tests that decide whether a feature passes
	Plan     string   // the plan to implement, relative to the project
	Allow    []string // further permission rules of the worker
}

// Unlimited is the number of iterations that the word of that name stands for.
const Unlimited = math.MaxInt32

// CampaignFlags are those of the campaigns' slash commands and of the command
// line, in the order they are shown.
func CampaignFlags() []Flag {
	list := []Flag{
		{"loop", "", "in a session: go on by itself, iteration after iteration", func(r *Request, _ string) error {
			r.Loop = true
			return nil
		}},
		{"max-iterations", "N", "iterations of all phases together, or the word unlimited", func(r *Request, v string) (err error) {
			if v == "unlimited" {
				r.Iterations = Unlimited
				return nil
			}
			if r.Iterations, err = whole(v); err != nil {
				err = errors.New("use a whole number from 1 to 2147483647, or the word unlimited")
			}
			return err
		}},
		{"max-hours", "X", "wall clock of the whole campaign", func(r *Request, v string) (err error) {
			r.Hours, err = hours(v)
			return err
		}},
		{"research", "N", "iterations of research exactly, instead of until little more is found", func(r *Request, v string) (err error) {
			r.Research, err = whole(v)
			return err
		}},
		{"planning", "N", "iterations of planning exactly, instead of until the plan stands", func(r *Request, v string) (err error) {
			r.Planning, err = whole(v)
			return err
		}},
		{"test-command", "COMMAND", "the tests that decide whether a feature passes", word(func(r *Request) *string { return &r.Command })},
		{"plan", "FILE", "the plan to implement, inside the project", word(func(r *Request) *string { return &r.Campaign.Plan })},
		{"allow", "RULE", "one more permission of the worker, such as Bash(make:*); rules are separated by ;", func(r *Request, v string) error {
			for rule := range strings.SplitSeq(v, ";") {
				if rule = strings.TrimSpace(rule); rule != "" {
					r.Allow = append(r.Allow, rule)
				}
			}
			return nil
		}},
	}
	shared := []string{"seats", "tier", "max-usd", "scope", "review", "reviewers", "dry-run", "skip-permissions"}
	for _, f := range Flags() {
		if slices.Contains(shared, f.Name) {
			list = append(list, f)
		}
	}
	return list
}

func hours(v string) (float64, error) {
	h, err := strconv.ParseFloat(v, 64)
	if err != nil || !(h > 0) || h > 24*365 {
		return 0, errors.New("use a number of hours above 0, at most a year's 8760")
	}
	return h, nil
}

// ParseCampaign reads the whole argument string of a campaign's slash command:
// the name, the prompt, and flags before, between and behind them. Name and
// prompt may stand in quotes; what stands within the prompt's is taken byte
// for byte, apostrophes and line breaks too. Without a prompt the topic is "".
func ParseCampaign(args string) (Request, error) {
	req, err := ParseResume(args)
	if err == nil && req.Name == "" {
		err = errors.New("there is no name; write it first, as in: 'topic-name' 'Detailed prompt…'")
	}
	return req, err
}

// ParseResume reads the same where a campaign is gone on with: the name may be
// left out.
func ParseResume(args string) (Request, error) {
	p := parser{rest: args, flags: CampaignFlags()}
	if err := p.front(); err != nil {
		return Request{}, err
	}
	if !p.final {
		if err := p.back(); err != nil {
			return Request{}, err
		}
	}
	var err error
	if p.req.Name, p.rest, err = takeName(strings.TrimSpace(p.rest)); err != nil {
		return Request{}, err
	}
	if !p.final {
		if err := p.front(); err != nil {
			return Request{}, err
		}
	}
	p.req.Topic = unquoted(strings.TrimSpace(p.rest))
	if p.req.Topic == "" {
		return p.req, nil
	}
	if err := CheckTopic(p.req.Topic); err != nil {
		return p.req, fmt.Errorf("the prompt: %w", err)
	}
	return p.req, nil
}

// takeName cuts a text after the name it begins with. One in quotes ends at
// the first of them that white space follows, so that it may hold others.
func takeName(s string) (name, rest string, err error) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		name, rest = cutSpace(s)
		return name, rest, nil
	}
	for i := 1; i < len(s); i++ {
		if s[i] == s[0] && startsSpace(s[i+1:]) {
			return s[1:i], s[i+1:], nil
		}
	}
	return "", "", fmt.Errorf("the quote %c before the name is not closed", s[0])
}

// unquoted takes one pair of quotes off a text, whatever stands within.
func unquoted(s string) string {
	if n := len(s); n > 1 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return strings.TrimFunc(s[1:n-1], unicode.IsSpace)
	}
	return s
}
