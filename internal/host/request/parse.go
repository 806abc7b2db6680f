package request

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse reads the whole argument string of the slash command: flags, the
// question, flags. A flag's value follows it after a space or =, and may stand
// in quotes. The word -- before the question ends the flags: all that follows
// is the question. One pair of quotes around the whole question is taken off.
// Errors are one line and name the remedy.
func Parse(args string) (Request, error) { return parse(args, Flags()) }

func parse(args string, flags []Flag) (Request, error) {
	p := parser{rest: args, flags: flags}
	if err := p.takeLeadingFlags(); err != nil {
		return Request{}, err
	}
	if err := p.takeTrailingFlags(); err != nil {
		return Request{}, err
	}
	p.req.Topic = stripQuotes(p.rest)
	return p.req, CheckTopic(p.req.Topic)
}

type parser struct {
	rest       string
	flags      []Flag
	req        Request
	seen       []string
	flagsEnded bool // what is left is the question
}

// takeLeadingFlags takes flags off the beginning.
func (p *parser) takeLeadingFlags() error {
	for {
		p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
		token, after := cutSpace(p.rest)
		if token == "--" {
			p.rest, p.flagsEnded = strings.TrimSpace(after), true
			return nil
		}
		name, value, joined, ok := parseFlag(token)
		if !ok {
			return nil
		}
		f, err := p.find(name)
		if err != nil {
			return err
		}
		switch {
		case f.Value == "" && joined:
			return fmt.Errorf("--%s takes no value", name)
		case f.Value == "":
			p.rest = after
		case joined:
			value, p.rest = takeValue(strings.TrimPrefix(p.rest, "--"+name+"="))
		default:
			value, p.rest = takeValue(strings.TrimLeftFunc(after, unicode.IsSpace))
			if _, _, _, another := parseFlag(value); another || value == "" {
				return missingValueError(f)
			}
		}
		if err := p.apply(f, value); err != nil {
			return err
		}
	}
}

// takeTrailingFlags takes flags off the end.
func (p *parser) takeTrailingFlags() error {
	for !p.flagsEnded {
		p.rest = strings.TrimRightFunc(p.rest, unicode.IsSpace)
		if isQuoted(p.rest) {
			return nil
		}
		more, err := p.takeLastFlag()
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// takeLastFlag takes one flag off the end; false when none stands there.
func (p *parser) takeLastFlag() (bool, error) {
	before, value := cutLast(p.rest)
	if name, joinedValue, joined, ok := parseFlag(value); ok {
		f, err := p.find(name)
		switch {
		case err != nil:
			return false, err
		case f.Value == "" && joined:
			return false, fmt.Errorf("--%s takes no value", name)
		case f.Value != "" && !joined:
			return false, missingValueError(f)
		}
		p.rest = before
		return true, p.apply(f, stripQuotes(joinedValue))
	}
	if head, name, ok := cutJoined(before, value); ok { // --name="a b"
		return p.take(head, name, value)
	}
	spaced := strings.TrimRightFunc(before, unicode.IsSpace)
	head, token := cutSpaceLast(spaced)
	if name, _, joined, ok := parseFlag(token); ok && !joined && spaced != before {
		return p.take(head, name, value)
	}
	return false, nil
}

// take takes a flag with the value that follows it. A name that is not known
// there belongs to the question, unless it looks like a limit misspelt: one
// that is silently none would cost money.
func (p *parser) take(head, name, value string) (bool, error) {
	f, err := p.find(name)
	switch {
	case err != nil && (near(p.flags, name) != "" || number(value)):
		return false, err
	case err != nil || f.Value == "":
		return false, nil
	}
	p.rest = head
	return true, p.apply(f, stripQuotes(value))
}

func (p *parser) apply(f Flag, value string) error {
	if slices.Contains(p.seen, f.Name) {
		return fmt.Errorf("--%s stands twice; say it once, or put -- before the question if it belongs to that", f.Name)
	}
	p.seen = append(p.seen, f.Name)
	return f.set(&p.req, value)
}

func number(v string) bool {
	_, err := money(stripQuotes(v))
	return err == nil
}

func (p *parser) find(name string) (Flag, error) {
	if i := slices.IndexFunc(p.flags, func(f Flag) bool { return f.Name == name }); i >= 0 {
		return p.flags[i], nil
	}
	hint := ""
	if n := near(p.flags, name); n != "" {
		hint = ", did you mean --" + n + "?"
	}
	return Flag{}, fmt.Errorf("unknown flag --%s%s (put -- before the question if it belongs to that)", name, hint)
}

func missingValueError(f Flag) error {
	return fmt.Errorf("--%s needs a value: --%s %s (put -- before the question if it belongs to that)", f.Name, f.Name, f.Value)
}

// parseFlag reads a token of the form --name or --name=value.
func parseFlag(token string) (name, value string, joined, ok bool) {
	body, ok := strings.CutPrefix(token, "--")
	if !ok {
		return "", "", false, false
	}
	name, value, joined = strings.Cut(body, "=")
	word := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	ok = name != "" && name[0] != '-' && strings.TrimFunc(name, word) == ""
	return name, value, joined, ok
}

// cutSpace cuts a text after its first token.
func cutSpace(s string) (token, after string) {
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// cutSpaceLast cuts a text before its last token.
func cutSpaceLast(s string) (before, token string) {
	if i := strings.LastIndexFunc(s, unicode.IsSpace); i >= 0 {
		_, size := utf8.DecodeRuneInString(s[i:])
		return s[:i+size], s[i+size:]
	}
	return "", s
}

// takeValue cuts a text after the value it begins with, which may be quoted.
func takeValue(s string) (value, after string) {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		if end := strings.IndexByte(s[1:], s[0]); end >= 0 && startsSpace(s[end+2:]) {
			return s[1 : end+1], s[end+2:]
		}
	}
	return cutSpace(s)
}

func startsSpace(s string) bool {
	return s == "" || strings.TrimLeftFunc(s, unicode.IsSpace) != s
}

// cutLast cuts a text before its last token, or before the quoted value it
// ends in, quotes and all.
func cutLast(s string) (before, token string) {
	if n := len(s); n > 1 && (s[n-1] == '"' || s[n-1] == '\'') {
		if start := strings.LastIndexByte(s[:n-1], s[n-1]); start > 0 {
			return s[:start], s[start:]
		}
	}
	return cutSpaceLast(s)
}

// cutJoined cuts a text that ends in --name= before a quoted value.
func cutJoined(before, value string) (head, name string, ok bool) {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return "", "", false
	}
	head, token := cutSpaceLast(before)
	name, rest, joined, ok := parseFlag(token)
	return head, name, ok && joined && rest == ""
}

func stripQuotes(value string) string {
	if isQuoted(value) {
		return value[1 : len(value)-1]
	}
	return value
}

// isQuoted reports whether one pair of quotes stands around the whole text.
func isQuoted(s string) bool {
	n := len(s)
	return n > 1 && (s[0] == '"' || s[0] == '\'') && s[0] == s[n-1] && strings.IndexByte(s[1:n-1], s[0]) < 0
}

// near is the flag that a misspelt name was meant for; "" when none is.
func near(flags []Flag, name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	for _, f := range flags {
		begun := len(name) > 4 && strings.HasPrefix(f.Name, name)
		if begun || distance(name, f.Name) <= min(2, len(name)/3) {
			return f.Name
		}
	}
	return ""
}

// distance counts the letters to insert, remove or replace (Levenshtein); it
// does not look closer at words of very different length.
func distance(a, b string) int {
	if len(a) > 2*len(b) {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
