package request

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/project/protected"
)

// Campaign is what only campaigns are asked for.
type Campaign struct {
	Name      string   // what it is called
	Loop      bool     // the session's Stop hook asks for the next iteration
	Hours     float64  // wall clock of the whole campaign
	Research  int      // iterations of research exactly
	Planning  int      // iterations of planning exactly
	Command   string   // the tests that decide whether a feature passes
	AcceptRed bool     // build although the tests are red or missing before
	NoHooks   bool     // commits are made without the repository's hooks
	Plan      string   // the plan to implement, relative to the project
	Allow     []string // further permission rules of the worker

	Paths     []string // protected paths that code may be written to
	Hosts     []string // that commands in the project may ask
	Variables []string // of the environment that they may see
}

// Unlimited is the number of iterations that the word of that name stands for.
const Unlimited = campaign.Unlimited

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
		{"test-command", "COMMAND", "the tests that decide whether a feature passes", wordSetter(func(r *Request) *string { return &r.Command })},
		{"no-hooks", "", "commit features without the repository's own commit hooks", func(r *Request, _ string) error {
			r.NoHooks = true
			return nil
		}},
		{"accept-red-baseline", "", "build although the project's tests are red or missing before the first feature", func(r *Request, _ string) error {
			r.AcceptRed = true
			return nil
		}},
		{"plan", "FILE", "the plan to implement, inside the project", wordSetter(func(r *Request) *string { return &r.Campaign.Plan })},
		{"allow", "RULE", "one more permission of the worker, such as Bash(make:*); rules are separated by ;", func(r *Request, v string) error {
			for rule := range strings.SplitSeq(v, ";") {
				if rule = strings.TrimSpace(rule); rule != "" {
					r.Allow = append(r.Allow, rule)
				}
			}
			return nil
		}},
		{"allow-path", "PATH", "a path that agents, shells or git obey (CLAUDE.md, .github/…) and that code may be written to all the same; several are separated by ;", listSetter(func(r *Request) *[]string { return &r.Paths }, protectedPath)},
		{"allow-host", "HOST", "one more host that commands in the project may ask: a name, *.example.com, localhost:5432, or * for all; several are separated by ;", listSetter(func(r *Request) *[]string { return &r.Hosts }, host)},
		{"allow-env", "NAME", "one more variable of the environment that commands in the project may see; several are separated by ;", listSetter(func(r *Request) *[]string { return &r.Variables }, variable)},
	}
	shared := []string{"seats", "tier", "max-usd", "scope", "library", "web", "review", "reviewers", "dry-run", "skip-permissions"}
	for _, f := range Flags() {
		if slices.Contains(shared, f.Name) {
			list = append(list, f)
		}
	}
	return list
}

// listSetter adds the items of a list, each checked, to a field.
func listSetter(field func(*Request) *[]string, check func(string) error) func(*Request, string) error {
	return func(r *Request, v string) error {
		for item := range strings.SplitSeq(v, ";") {
			if item = strings.TrimSpace(item); item == "" {
				continue
			}
			if err := check(item); err != nil {
				return err
			}
			*field(r) = append(*field(r), item)
		}
		return nil
	}
}

func protectedPath(p string) error {
	if strings.HasPrefix(p, "/") || slices.Contains(strings.Split(p, "/"), "..") || strings.ContainsRune(p, 0) {
		return fmt.Errorf("%q: write the path as it is seen from the project", p)
	}
	if _, err := path.Match(p, ""); err != nil {
		return fmt.Errorf("%q: %w", p, err)
	}
	if !protected.IsProtected(p) {
		return fmt.Errorf("%q is not protected: code may be written there as it is", p)
	}
	return nil
}

// host accepts what a shell can be given: a name, one with *. before it, * for
// all, or a port of this machine that needs no rights.
func host(h string) error {
	if name, port, ok := strings.Cut(h, ":"); ok {
		if n, err := strconv.Atoi(port); err != nil || n < 1024 || n > 65535 || name != "localhost" {
			return fmt.Errorf("%q: a port is named only with localhost, and is one from 1024 to 65535, as in localhost:5432", h)
		}
		return nil
	}
	name := strings.TrimPrefix(h, "*.")
	switch {
	case h == "*":
		return nil
	case name == "localhost":
		return fmt.Errorf("%q: name the port too, as in localhost:5432", h)
	case name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789.-_") != "":
		return fmt.Errorf("%q is no host: write as in registry.example.com, *.example.com, localhost:5432, or * for all", h)
	}
	return nil
}

func variable(name string) error {
	if strings.Trim(strings.ToUpper(name), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || strings.HasPrefix(strings.ToUpper(name), "LD_") {
		return fmt.Errorf("%q is no variable that can be passed on", name)
	}
	return nil
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
	if err := p.takeLeadingFlags(); err != nil {
		return Request{}, err
	}
	if !p.flagsEnded {
		if err := p.takeTrailingFlags(); err != nil {
			return Request{}, err
		}
	}
	var err error
	if p.req.Name, p.rest, err = cutName(strings.TrimSpace(p.rest)); err != nil {
		return Request{}, err
	}
	if !p.flagsEnded {
		if err := p.takeLeadingFlags(); err != nil {
			return Request{}, err
		}
	}
	p.req.Topic = unquote(strings.TrimSpace(p.rest))
	if p.req.Topic == "" {
		return p.req, nil
	}
	if err := CheckTopic(p.req.Topic); err != nil {
		return p.req, fmt.Errorf("the prompt: %w", err)
	}
	return p.req, nil
}

// Word is what a person says of a change: the campaign's name, the feature, and
// why.
type Word struct{ Name, Feature, Reason string }

// ParseWord reads a word on a change as it was typed: NAME FEATURE REASON.
func ParseWord(args string) (Word, error) {
	name, rest, err := cutName(strings.TrimSpace(args))
	if err != nil {
		return Word{}, err
	}
	id, rest := cutSpace(strings.TrimSpace(rest))
	w := Word{name, id, unquote(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), "--reason ")))}
	if w.Name == "" || w.Feature == "" || w.Reason == "" {
		return Word{}, errors.New("say which campaign, which feature and why, as in: 'parser' F003 the table covers both cases")
	}
	return w, nil
}

// cutName cuts a text after the name it begins with. One in quotes ends at
// the first of them that white space follows, so that it may hold others.
func cutName(s string) (name, rest string, err error) {
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

// unquote takes one pair of quotes off a text, whatever stands within.
func unquote(s string) string {
	if n := len(s); n > 1 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return strings.TrimFunc(s[1:n-1], unicode.IsSpace)
	}
	return s
}
