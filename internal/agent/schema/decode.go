package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/marker"
)

// Bounds of an answer.
const (
	MaxBytes  = 4 << 20 // of the file
	MaxDepth  = 64      // objects and arrays in one another
	MaxValues = 50_000  // objects, arrays and what is in them
)

// stripWrapping takes off what may stand around the object: a byte order mark, the
// end marker on the last line, and a code fence around all that is left. The
// number is that of the line the rest begins on, from 1.
func stripWrapping(answer []byte) (body []byte, first int) {
	body = bytes.TrimPrefix(answer, []byte("\uFEFF"))
	body = bytes.TrimRight(body, " \t\r\n")
	if marker.EndsMarked(body) {
		body = bytes.TrimRight(body[:len(body)-len(marker.CompleteMarker)], " \t\r\n")
	}
	first = 1
	rest := bytes.TrimLeft(body, " \t\r\n")
	if inside, ok := insideFence(rest); ok {
		first += bytes.Count(body[:len(body)-len(rest)], []byte("\n")) + 1
		return inside, first
	}
	return body, first
}

// insideFence is what stands between a fence that opens on the first line of a text
// and the same fence alone on its last.
func insideFence(text []byte) (inside []byte, ok bool) {
	opening, rest, found := bytes.Cut(text, []byte("\n"))
	run := fence(opening)
	at := bytes.LastIndexByte(rest, '\n')
	closing := bytes.TrimSpace(rest[at+1:])
	if !found || run == nil || fence(closing) == nil || len(closing) < len(run) || len(bytes.Trim(closing, string(run[0]))) > 0 {
		return nil, false
	}
	return rest[:max(at, 0)], true
}

// fence is the run of three or more backticks or tildes a line begins with.
func fence(line []byte) []byte {
	if len(line) == 0 || line[0] != '`' && line[0] != '~' {
		return nil
	}
	run := line[:len(line)-len(bytes.TrimLeft(line, string(line[0])))]
	if len(run) < 3 {
		return nil
	}
	return run
}

// decode reads the one object of a body that begins on a line of the file.
func decode(body []byte, first int) (value any, problems []string) {
	object, problem := cutObject(body, first)
	if problem != "" {
		return nil, []string{problem}
	}
	r := reader{Decoder: json.NewDecoder(bytes.NewReader(object))}
	r.UseNumber()
	value, err := r.value(nil)
	if err != nil {
		return nil, []string{line("%v", err)}
	}
	if len(r.problems) > 0 {
		return nil, limitProblems(r.problems)
	}
	return value, nil
}

// cutObject cuts the one object out of a body, or says why there is none.
func cutObject(body []byte, first int) (object []byte, problem string) {
	if len(body) > MaxBytes {
		return nil, fmt.Sprintf("the answer has %d bytes; at most %d are taken", len(body), MaxBytes)
	}
	if at := invalid(body); at >= 0 {
		return nil, line("%s: the bytes are no UTF-8", lineAndColumn(body, at, first))
	}
	start := len(body) - len(bytes.TrimLeft(body, " \t\r\n"))
	if start == len(body) {
		return nil, "the answer is empty; one JSON object is expected"
	}
	if body[start] != '{' {
		return nil, noObject(body[start:], lineAndColumn(body, start, first))
	}
	d := json.NewDecoder(bytes.NewReader(body))
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return nil, syntax(body, err, first)
	}
	if rest := bytes.TrimSpace(body[d.InputOffset():]); len(rest) > 0 {
		at := len(body) - len(bytes.TrimLeft(body[d.InputOffset():], " \t\r\n"))
		return nil, line("%s: after the object comes %s; nothing may follow it but the end marker, alone on the last line", lineAndColumn(body, at, first), quoteStart(rest))
	}
	return raw, ""
}

// invalid is where a text stops being UTF-8; -1 when it does not.
func invalid(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

func noObject(text []byte, where string) string {
	if text[0] == '[' {
		return where + ": a list stands there; one JSON object is expected, beginning with {"
	}
	if before, _, found := bytes.Cut(text, []byte("{")); found {
		return line("%s: before the object stands %s; the file holds the object alone, without a word around it", where, quoteStart(before))
	}
	return line("%s: %s is no JSON object; one is expected, beginning with {", where, quoteStart(text))
}

// quoteStart is the beginning of a foreign text between quotation marks.
func quoteStart(text []byte) string {
	const enough = 200
	return strconv.Quote(plainText(string(text[:min(len(text), enough)]), 40))
}

// syntax tells where a text stops being JSON, and what may have been meant.
func syntax(body []byte, err error, first int) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return line("%s: the answer breaks off inside the object; every string, list and object has to be closed", lineAndColumn(body, len(body), first))
	}
	var s *json.SyntaxError
	if !errors.As(err, &s) {
		return line("this is no JSON: %v", err)
	}
	at := min(max(int(s.Offset)-1, 0), len(body))
	return line("%s: %v%s", lineAndColumn(body, at, first), s, hint(body, at))
}

// hint is for the faults models make most often, told by the byte that was not
// expected and the last one before it.
func hint(body []byte, at int) string {
	before := bytes.TrimRight(body[:at], " \t\r\n")
	if at >= len(body) || len(before) == 0 {
		return ""
	}
	last := before[len(before)-1]
	switch c := body[at]; {
	case c < ' ':
		return `; inside a string a line break is written \n and a tab \t`
	case last == ',' && (c == '}' || c == ']'):
		return "; no comma may stand before a closing bracket"
	case c == '/' || c == '#':
		return "; JSON has no comments"
	case c == 'N' || c == 'I':
		return "; NaN and Infinity are no JSON"
	case last == '"':
		return `; a quotation mark inside a string is written \"`
	case last == '{' || last == ',' || c == '\'':
		return "; keys and strings stand in double quotes"
	}
	return ""
}

// lineAndColumn names a byte of a body by the line and column of the file.
func lineAndColumn(body []byte, at, first int) string {
	before := body[:at]
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", first+bytes.Count(before, []byte("\n")), column)
}

// reader makes a value of JSON that is known to be well formed, and notes what
// a schema cannot see: members that are there twice, numbers that no computer
// word holds, and too much of everything.
type reader struct {
	*json.Decoder
	values   int
	problems []string
}

var (
	errDeep = fmt.Errorf("the answer is nested more than %d deep", MaxDepth)
	errMany = fmt.Errorf("the answer holds more than %d values", MaxValues)
)

func (r *reader) value(at []string) (any, error) {
	token, err := r.Token()
	if err != nil {
		return nil, err
	}
	if r.values++; r.values > MaxValues {
		return nil, errMany
	}
	switch token := token.(type) {
	case json.Delim:
		if len(at) >= MaxDepth {
			return nil, errDeep
		}
		if token == '{' {
			return r.object(at)
		}
		return r.array(at)
	case json.Number:
		return r.number(token, at), nil
	}
	return token, nil
}

// object reads members up to the closing brace. Names that differ in case
// alone are one name to who decodes the object.
func (r *reader) object(at []string) (any, error) {
	object, folded := map[string]any{}, map[string]string{}
	for r.More() {
		token, err := r.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string) // in well-formed JSON a name is a string
		fold := strings.ToLower(strings.ToUpper(name))
		if before, twice := folded[fold]; twice {
			r.addProblem("%s: %s is there twice; each member stands once", at, quoteStart([]byte(before)))
		}
		folded[fold] = name
		if object[name], err = r.value(append(at, name)); err != nil {
			return nil, err
		}
	}
	_, err := r.Token()
	return object, err
}

func (r *reader) array(at []string) (any, error) {
	list := []any{}
	for r.More() {
		element, err := r.value(append(at, strconv.Itoa(len(list))))
		if err != nil {
			return nil, err
		}
		list = append(list, element)
	}
	_, err := r.Token()
	return list, err
}

// number is a number as a 64-bit float, so that each has one spelling.
func (r *reader) number(n json.Number, at []string) any {
	f, err := n.Float64()
	if err != nil || math.IsInf(f, 0) {
		r.addProblem("%s: the number %s is too large", at, quoteStart([]byte(n)))
		return 0.0
	}
	return f + 0 // -0 is 0
}

func (r *reader) addProblem(format string, at []string, text string) {
	if len(r.problems) <= MaxProblems {
		r.problems = append(r.problems, line(format, pointer(at), text))
	}
}
