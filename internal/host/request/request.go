// Package request is what a person asks of the council: the question, and the
// flags around it.
//
// The slash command and the command line share the flags and their words. The
// slash command gives one string, in which flags count only at the edges and
// as whole tokens; what stands between them is the question, byte for byte.
// Who takes part and what the limits come to is left to others.
package request

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxTopicBytes is the longest question there may be, in bytes. It bounds what
// every seat is asked to read.
const MaxTopicBytes = 1 << 20

// Request is a person's wish. A field of value zero was not asked for.
type Request struct {
	Topic        string
	Seats        []string
	Test         bool
	Tier         string
	Iterations   int
	Minutes      int
	USD          float64
	Scope        string   // a folder of local sources, as the person wrote it
	ScopeFrom    string   // the folder a relative scope starts from; "" is the project
	Library      string   // the name of the person's library that is read
	Web          bool     // the web is searched by engines
	ScopeOutside bool     // the scope may lie outside the project; only the command line can say so
	Bypass       bool     // permission checks of the seats may be skipped
	Mode         string   // exploratory, compliance or decision; another word falls to the default, with a warning
	Debate       string   // auto, force or off; likewise
	Budget       string   // low, medium or high; likewise
	Agents       *int     // researchers with a model; nil when not asked for
	Output       string   // a file inside the project the report is copied to
	Force        bool     // copies may replace a file that stands in their place
	Previous     string   // id of an earlier run to compare with
	NoPlan       bool     // rules split the question, no model
	EditPlan     bool     // the run waits for the person to edit its planned questions
	NoRun        bool     // the seats have nothing run: no experiments, no tests of a second look
	DryRun       bool     // show the plan and start nothing
	Review       bool     // reviewers read the report at the end
	Reviewers    []string // who; nil for those that are configured

	Campaign    // what only campaigns are asked for
	Staged      // what only staged research is asked for
	CodeReview  // what only a review of code is asked for
	SessionLoop // what only the loop of a session is asked for
}

// Flag is one thing that can be asked for.
type Flag struct {
	Name  string // without dashes
	Value string // what its value is called; "" when it takes none
	Usage string
	Set   func(r *Request, value string) error
}

// Flags are those of the slash command and of the command line, in the order
// they are shown.
func Flags() []Flag {
	return []Flag{
		{"test", "", "cheap models, few iterations, a hard cap on money", func(r *Request, _ string) error {
			r.Test = true
			return nil
		}},
		{"seats", "LIST", "who takes part: claude,codex,gemini,librarian,…", setSeats},
		{"tier", "TIER", "models and efforts: max, standard or cheap", func(r *Request, v string) error {
			r.Tier = v
			return nil
		}},
		{"mode", "MODE", "what kind of question it is: exploratory, compliance or decision", wordSetter(func(r *Request) *string { return &r.Mode })},
		{"debate", "WHEN", "let the seats argue over what is open: auto, force or off", wordSetter(func(r *Request) *string { return &r.Debate })},
		{"agents", "N", "researchers with a model, 1 to 3", setAgents},
		{"budget", "LEVEL", "low (one researcher), medium or high (three, and a debate)", wordSetter(func(r *Request) *string { return &r.Budget })},
		{"max-iterations", "N", "iterations of each seat in each phase", func(r *Request, v string) (err error) {
			r.Iterations, err = whole(v)
			return err
		}},
		{"max-minutes", "N", "wall clock of the whole run", func(r *Request, v string) (err error) {
			r.Minutes, err = whole(v)
			return err
		}},
		{"max-usd", "X", "money of the whole run", func(r *Request, v string) (err error) {
			r.USD, err = money(v)
			return err
		}},
		{"scope", "DIR", "a folder of local sources, inside the project", func(r *Request, v string) error {
			if v == "" || strings.ContainsRune(v, 0) {
				return errors.New("name a folder")
			}
			r.Scope = v
			return nil
		}},
		{"library", "NAME", "read your library of that name too (council library): passages of it go to the models of this run", func(r *Request, v string) error {
			if v == "" {
				return errors.New("name a library")
			}
			r.Library = v
			return nil
		}},
		{"web", "", "search the web by the engines that are set, else by those that want no key; the librarian too, where no scope is named", func(r *Request, _ string) error {
			r.Web = true
			return nil
		}},
		{"output", "FILE", "copy the report to a file inside the project", wordSetter(func(r *Request) *string { return &r.Output })},
		{"force", "", "let a copy replace the file that stands in its place", func(r *Request, _ string) error {
			r.Force = true
			return nil
		}},
		{"previous", "RUN", "compare with an earlier run", wordSetter(func(r *Request) *string { return &r.Previous })},
		{"review", "", "let three reviewers read the report, vote on it, and send it back twice at most", func(r *Request, _ string) error {
			r.Review = true
			return nil
		}},
		{"reviewers", "LIST", "who reviews, as in claude,openai,groq; stands for --review too", setReviewers},
		{"no-plan", "", "let rules split the question into parts, not a model", func(r *Request, _ string) error {
			r.NoPlan = true
			return nil
		}},
		{"edit-plan", "", "wait until you have edited the planned questions; nothing is researched before", func(r *Request, _ string) error {
			r.EditPlan = true
			return nil
		}},
		{"no-experiments", "", "let the seats have no experiments run; else they may, confined, without network", func(r *Request, _ string) error {
			r.NoRun = true
			return nil
		}},
		{"dry-run", "", "show what would run and what it may cost, and start nothing", func(r *Request, _ string) error {
			r.DryRun = true
			return nil
		}},
		{"skip-permissions", "", "let the seats act without asking (shell included)", func(r *Request, _ string) error {
			r.Bypass = true
			return nil
		}},
	}
}

func setSeats(r *Request, v string) (err error) {
	r.Seats, err = names(v)
	return err
}

func setReviewers(r *Request, v string) (err error) {
	r.Reviewers, err = names(v)
	r.Review = true
	return err
}

func names(v string) ([]string, error) {
	seats, err := listed(v)
	if err != nil {
		return nil, errors.New("name at least one seat")
	}
	return seats, nil
}

// listed are the words between commas.
func listed(v string) ([]string, error) {
	var list []string
	for name := range strings.SplitSeq(v, ",") {
		if name = strings.TrimSpace(name); name != "" {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("name at least one")
	}
	return list, nil
}

// wordSetter sets a field to one word.
func wordSetter(field func(*Request) *string) func(*Request, string) error {
	return func(r *Request, v string) error {
		if strings.TrimSpace(v) == "" || strings.ContainsRune(v, 0) {
			return errors.New("it has to be a word")
		}
		*field(r) = v
		return nil
	}
}

func setAgents(r *Request, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil {
		return errors.New("use a whole number from 1 to 3")
	}
	r.Agents = &n
	return nil
}

func whole(v string) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > math.MaxInt32 {
		return 0, errors.New("use a whole number from 1 up")
	}
	return n, nil
}

func money(v string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimPrefix(v, "$"), 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		return 0, errors.New("use an amount above 0, such as 2.50")
	}
	return x, nil
}

// set applies a flag and names it where its value will not do.
func (f Flag) set(r *Request, value string) error {
	if err := f.Set(r, value); err != nil {
		return fmt.Errorf("--%s %s: %w", f.Name, strconv.Quote(value), err)
	}
	return nil
}

// NeedHuman begins what is said where nothing can go on without a person.
const NeedHuman = "Gate: Need Human"

// CheckTopic says what is wrong with a question, or nil.
func CheckTopic(topic string) error {
	blank := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
	switch {
	case !utf8.ValidString(topic):
		return errors.New("the question is not valid UTF-8; convert it first")
	case len(topic) > MaxTopicBytes:
		return fmt.Errorf("the question has %d bytes, at most %d are taken; put the material into a folder and name it with --scope", len(topic), MaxTopicBytes)
	case strings.TrimFunc(topic, blank) == "":
		return fmt.Errorf(`%s: the question is empty; write what to find out, as in "How does … work?"`, NeedHuman)
	}
	return nil
}
