// Package robots says whether a site wants a page to be fetched by a program.
//
// It reads robots.txt as RFC 9309 has it: groups of rules for named agents,
// the longest matching rule wins, Allow wins a tie, "*" stands for any
// characters and "$" for the end. Fetching the file, and keeping it for a day
// at most, is left to others; what its absence means is in [Status].
package robots

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Limit is how much of a file is read, in bytes (RFC 9309, 2.5).
const Limit = 500 << 10

// Rules are those of one robots.txt that apply to one agent. The zero value
// allows everything.
type Rules struct {
	rules []rule
	none  bool
}

type rule struct {
	pattern string
	allow   bool
}

// Status gives the rules that follow from the status of an answer that holds
// none (RFC 9309, 2.3.1): known says that it does. A site without the file
// allows everything, one that cannot say allows nothing.
func Status(status int) (r Rules, known bool) {
	switch {
	case status >= 200 && status < 300:
		return Rules{}, false
	case status >= 400 && status < 500:
		return Rules{}, true
	}
	return Rules{none: true}, true
}

// Parse reads the rules for an agent out of a file, of which only the first
// [Limit] bytes count. The agent is the product's name alone, as in
// "research-council" for "research-council/1.0"; its case is nothing. Rules
// for "*" apply where no group names the agent.
func Parse(file []byte, agent string) Rules {
	if len(file) > Limit {
		file = file[:Limit]
		file = file[:bytes.LastIndexByte(file, '\n')+1]
	}
	var named, others Rules
	var p parser
	found := false
	for line := range lines(string(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf")))) {
		p.line(line, strings.ToLower(agent))
		found = found || p.namedAgent
		if p.rule == nil {
			continue
		}
		if p.namedAgent {
			named.rules = append(named.rules, *p.rule)
		}
		if p.anyAgent {
			others.rules = append(others.rules, *p.rule)
		}
	}
	if found {
		return named
	}
	return others
}

// lines splits at LF, CR and CRLF.
func lines(s string) func(func(string) bool) {
	return strings.FieldsFuncSeq(s, func(r rune) bool { return r == '\n' || r == '\r' })
}

// parser knows to whom the open group speaks.
type parser struct {
	namedAgent, anyAgent bool  // the group names the agent, or everybody
	hasRules             bool  // the group has a rule: the next agent begins another
	rule                 *rule // of the line just read
}

func (p *parser) line(line, agent string) {
	p.rule = nil
	line, _, _ = strings.Cut(line, "#")
	key, value, ok := strings.Cut(line, ":")
	key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
	if !ok {
		return
	}
	switch key {
	case "user-agent", "useragent", "user agent":
		if p.hasRules {
			*p = parser{}
		}
		value = strings.ToLower(value)
		p.anyAgent = p.anyAgent || strings.HasPrefix(value, "*")
		p.namedAgent = p.namedAgent || token(value) != "" && token(value) == agent
	case "allow", "disallow":
		p.hasRules = true
		if value != "" {
			p.rule = &rule{pattern: normalisePath(value), allow: key == "allow"}
		}
	}
}

// token is the product's name at the beginning of a value.
func token(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' && r != '_' })
	if end < 0 {
		return s
	}
	return s[:end]
}

// Allowed reports whether a path with its query may be fetched. robots.txt
// itself always may.
func (r Rules) Allowed(path string) bool {
	if path == "" || path[0] != '/' {
		path = "/" + path
	}
	if path == "/robots.txt" {
		return true
	}
	if r.none {
		return false
	}
	path = normalisePath(path)
	allow, longest := true, -1
	for _, rule := range r.rules {
		n := len(rule.pattern)
		if n < longest || n == longest && !rule.allow || !matches(rule.pattern, path) {
			continue
		}
		allow, longest = rule.allow, n
	}
	return allow
}

// matches says whether a pattern fits the beginning of a path, in time linear
// in the product of their lengths at worst.
func matches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(path, parts[0]) {
		return false
	}
	path = path[len(parts[0]):]
	if len(parts) == 1 {
		return !whole || path == ""
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(path, part)
		if at < 0 {
			return false
		}
		path = path[at+len(part):]
	}
	if whole {
		return strings.HasSuffix(path, last)
	}
	return strings.Contains(path, last)
}

// normalisePath brings a path into one form: bytes outside visible ASCII are
// percent-encoded, encoded letters, digits and -._~ are not, and hexadecimal
// digits are capitals.
func normalisePath(s string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		coded := c <= ' ' || c >= 0x7f
		if c == '%' && i+2 < len(s) {
			if high, low := hex(s[i+1]), hex(s[i+2]); high >= 0 && low >= 0 {
				c = byte(high<<4 | low)
				coded = !isUnreserved(c)
				i += 2
			}
		}
		if coded {
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func isUnreserved(c byte) bool {
	return c < utf8.RuneSelf && (c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("-._~", c) >= 0)
}

func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
