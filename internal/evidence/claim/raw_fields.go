package claim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
)

// rawFields are the values of a claim's line as they are written there, nil for
// those it does not have.
type rawFields struct {
	text, claim, source, evidence, seat, agent, family, confidence, kind, questions, critical, claimKind, restsOn, id, contradicts []byte
}

// field is the column of a key; nil when there is none.
func (c *rawFields) field(key []byte) *[]byte {
	switch string(key) {
	case "text":
		return &c.text
	case "claim":
		return &c.claim
	case "source":
		return &c.source
	case "evidence":
		return &c.evidence
	case "seat":
		return &c.seat
	case "agent":
		return &c.agent
	case "family":
		return &c.family
	case "confidence":
		return &c.confidence
	case "kind":
		return &c.claimKind
	case "rests_on":
		return &c.restsOn
	case "id":
		return &c.id
	case "contradicts":
		return &c.contradicts
	case "source_type":
		return &c.kind
	case "questions":
		return &c.questions
	case "critical":
		return &c.critical
	}
	return nil
}

var (
	errNoObject = errors.New("no JSON object that can be read")
	errNoText   = errors.New("it has no text")
	errNoSource = errors.New("it has no source, and without evidence it does not count")
)

// read finds the columns of a line. It reads what nearly every line is, an
// object with plain keys, in one pass and leaves all else to encoding/json.
func (c *rawFields) read(line []byte) error {
	*c = rawFields{}
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("{"))
	if !ok {
		return errors.New("no JSON object")
	}
	for first := true; ; first = false {
		rest = trimJSONSpace(rest)
		if len(rest) == 1 && rest[0] == '}' && first {
			return nil
		}
		key, more := value(rest)
		if !plainString(key) {
			return c.readSlowly(line)
		}
		more = trimJSONSpace(more)
		if len(more) == 0 || more[0] != ':' {
			return errNoObject
		}
		val, more := value(trimJSONSpace(more[1:]))
		if val == nil {
			return c.readSlowly(line)
		}
		if into := c.field(key[1 : len(key)-1]); into != nil {
			*into = val
		}
		more = trimJSONSpace(more)
		if len(more) == 1 && more[0] == '}' {
			return nil
		}
		if len(more) == 0 || more[0] != ',' {
			return errNoObject
		}
		rest = more[1:]
	}
}

func (c *rawFields) readSlowly(line []byte) error {
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil {
		return errNoObject
	}
	for key, val := range fields {
		if into := c.field([]byte(key)); into != nil {
			*into = val
		}
	}
	return nil
}

// trimJSONSpace drops what JSON has for white space.
func trimJSONSpace(s []byte) []byte {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t' || s[0] == '\r' || s[0] == '\n') {
		s = s[1:]
	}
	return s
}

// value cuts off the value that s begins with; nil when there is none.
func value(s []byte) (val, rest []byte) {
	if len(s) == 0 {
		return nil, s
	}
	end := 0
	switch s[0] {
	case '"':
		end = stringEnd(s)
		if bytes.IndexByte(s[:end], '\\') < 0 {
			return s[:end], s[end:]
		}
	case '[', '{':
		end = nestEnd(s)
	default:
		for end < len(s) && strings.IndexByte(",}] \t\r\n", s[end]) < 0 {
			end++
		}
	}
	if !json.Valid(s[:end]) {
		return nil, s
	}
	return s[:end], s[end:]
}

// stringEnd is where the string that s begins with ends; 0 when it does not.
func stringEnd(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return i + 1
		case s[i] == '\\':
			i++
		case s[i] < ' ':
			return 0
		}
	}
	return 0
}

// nestEnd is where the array or object that s begins with ends; 0 when it does
// not.
func nestEnd(s []byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			n := stringEnd(s[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// plainString reports whether a value is a string of visible ASCII and blanks
// that stands for itself.
func plainString(val []byte) bool {
	if len(val) < 2 || val[0] != '"' {
		return false
	}
	for _, c := range val[1 : len(val)-1] {
		if c < ' ' || c >= 0x7f || c == '\\' {
			return false
		}
	}
	return true
}

// content is what a string says, cleaned; false when it is none.
func content(val []byte) ([]byte, bool) {
	if plainString(val) {
		return bytes.TrimSpace(val[1 : len(val)-1]), true
	}
	var s string
	if len(val) > 0 && json.Unmarshal(val, &s) != nil {
		return nil, false
	}
	return []byte(plain.Trimmed(s)), true
}

// reasoned is the kind of a claim that rests on others; Fact for all else.
func (c *rawFields) reasoned() (Kind, error) {
	if len(c.claimKind) == 0 {
		return Fact, nil
	}
	kind, problem := decodeKind(c.claimKind)
	if problem == "" && kind.RestsOnClaims() {
		_, problem = decodeGrounds(c.restsOn, kind)
	}
	if problem != "" {
		return Fact, errors.New(problem)
	}
	return kind, nil
}

// textAndSource are the text and the source of a claim; what rests on other claims has
// no source.
func (c *rawFields) textAndSource() (text, src []byte, err error) {
	if text, err = firstContent("text", c.text, c.claim); err != nil {
		return nil, nil, err
	}
	if src, err = firstContent("source", c.source, c.evidence); err != nil {
		return nil, nil, err
	}
	if len(text) == 0 {
		return nil, nil, errNoText
	}
	kind, err := c.reasoned()
	switch {
	case err != nil:
		return nil, nil, err
	case kind.RestsOnClaims():
		return text, nil, nil
	case len(src) == 0:
		return nil, nil, errNoSource
	}
	return text, src, nil
}

// firstContent is what the first of two values says that says anything.
func firstContent(name string, vals ...[]byte) ([]byte, error) {
	for _, val := range vals {
		s, ok := content(val)
		switch {
		case !ok:
			return nil, fmt.Errorf("its %s is no string", name)
		case len(s) > FieldLimit:
			return nil, fmt.Errorf("its %s is longer than %d KiB", name, FieldLimit>>10)
		case len(s) > 0:
			return s, nil
		}
	}
	return nil, nil
}
