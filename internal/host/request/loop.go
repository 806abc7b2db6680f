package request

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// SessionLoop is what only the loop of a session is asked for.
type SessionLoop struct {
	Word   string // cancel, status, continue or help, which stand alone; "" for a task
	Marker string // the line that ends it; "" for none
}

// SessionLoopFlags are those of the loop of a session, in the order they are shown.
func SessionLoopFlags() []Flag {
	return []Flag{
		{"max-iterations", "N", "answers that are given in all", func(r *Request, v string) (err error) {
			r.Iterations, err = whole(v)
			return err
		}},
		{"marker", "TEXT", "the last line of an answer that ends the loop", func(r *Request, v string) error {
			v = strings.TrimSpace(v)
			r.Marker = v
			return checkMarker(v)
		}},
	}
}

const maxMarkerBytes = 200

// checkMarker refuses what no line could be, and what could be something else.
func checkMarker(v string) error {
	switch {
	case v == "":
		return errors.New("the marker is empty; write the words of a line, or leave the option out")
	case len(v) > maxMarkerBytes:
		return fmt.Errorf("the marker has %d bytes, at most %d are taken", len(v), maxMarkerBytes)
	case strings.ContainsFunc(v, unicode.IsControl):
		return errors.New("a marker is one line of plain text")
	case strings.HasPrefix(v, "```"), strings.HasPrefix(v, "~~~"):
		return errors.New("a marker cannot begin a code block")
	}
	return nil
}

// ParseSessionLoop reads the argument string of /research-loop: flags, the task,
// flags, as [Parse] reads a question, or one word that says what becomes of the
// loop that is on.
func ParseSessionLoop(args string) (Request, error) {
	word := strings.TrimSpace(args)
	if word == "--help" {
		word = "help"
	}
	if slices.Contains([]string{"cancel", "status", "continue", "help"}, word) {
		return Request{SessionLoop: SessionLoop{Word: word}}, nil
	}
	p := parser{rest: args, flags: SessionLoopFlags()}
	if err := p.takeLeadingFlags(); err != nil {
		return Request{}, err
	}
	if err := p.takeTrailingFlags(); err != nil {
		return Request{}, err
	}
	p.req.Topic = stripQuotes(strings.TrimSpace(p.rest))
	if strings.TrimSpace(p.req.Topic) == "" {
		return Request{}, errors.New(`a task is needed, as in: Make the tests pass --max-iterations 5 --marker "ALL GREEN"`)
	}
	if err := CheckTopic(p.req.Topic); err != nil {
		return Request{}, err
	}
	if !p.flagsEnded {
		return p.req, requireNoFlag(p.req.Topic, p.flags)
	}
	return p.req, nil
}

// requireNoFlag refuses a task with a word that looks like an option: a limit that
// is silently none would cost money.
func requireNoFlag(task string, flags []Flag) error {
	for word := range strings.FieldsSeq(task) {
		bare := strings.TrimLeft(word, "-–—")
		dashes := strings.TrimSuffix(word, bare)
		name, _, _ := strings.Cut(bare, "=")
		if word != "--" && (dashes == "" || dashes == "-" || near(flags, name) == "") {
			continue
		}
		return fmt.Errorf("%q stands in the task; options stand before or behind it, and where the task itself has one, write -- and then the task, as in: --max-iterations 3 -- Explain --marker", word)
	}
	return nil
}
