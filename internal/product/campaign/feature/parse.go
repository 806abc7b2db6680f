package feature

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
)

// Bounds on the words of a feature, far above what an honest one needs.
const (
	maxNameRunes        = 200      // runes of a name or a component
	maxReasonRunes      = 500      // runes of a reason
	maxDescriptionBytes = 16 << 10 // bytes of a description
	maxNamed            = 5        // ids or mistakes named in one line
	maxFiles            = 20       // files of an attempt
	maxTried            = 20       // attempts that are remembered
)

func plainLine(s string, limit int) string { return plain.Line(s, limit) }

// Parse reads the program's own list. One without states, as people write it,
// has those that follow from passes and attempts. Which features are blocked is
// never believed but worked out.
func Parse(data []byte) (List, error) {
	var file struct {
		Stack    string
		Test     string `json:"test_command"`
		Edits    int
		Features *[]Feature `json:"features"`
	}
	if err := decode(data, &file); err != nil {
		return List{}, err
	}
	if file.Features == nil {
		return List{}, errors.New(`no feature list: there is no "features"`)
	}
	l := List{Stack: plainLine(file.Stack, maxNameRunes), Test: strings.TrimSpace(file.Test), Edits: max(file.Edits, 0), Features: *file.Features}
	for i := range l.Features {
		if err := l.Features[i].normalise(); err != nil {
			return List{}, err
		}
	}
	if err := l.check(); err != nil {
		return List{}, err
	}
	return l.updateBlocked(), nil
}

// proposed is a feature as a model proposes it.
type proposed struct {
	ID, Name, Description, Component string
	Dependencies                     []string
	Acceptance                       Acceptance
}

// Propose reads a model's list: an object with "features" or a bare array, in a
// fence or not. What it says of passes, attempts and states is dropped, since
// only the program sets these.
func Propose(data []byte) (List, error) {
	data = unfenced(data)
	var file struct {
		Stack    string
		Test     string `json:"test_command"`
		Features []proposed
	}
	var into any = &file
	if bytes.HasPrefix(data, []byte("[")) {
		into = &file.Features
	}
	if err := decode(data, into); err != nil {
		return List{}, err
	}
	if len(file.Features) == 0 {
		return List{}, errors.New(`no feature list: "features" is empty or not there`)
	}
	l := List{Stack: plainLine(file.Stack, maxNameRunes), Test: strings.TrimSpace(file.Test)}
	for _, p := range file.Features {
		l.Features = append(l.Features, Feature{
			ID: p.ID, Name: plainLine(p.Name, maxNameRunes), Description: plain.Trimmed(p.Description),
			Component: plainLine(p.Component, maxNameRunes), Dependencies: unique(p.Dependencies), State: Pending,
			Acceptance: Acceptance{Check: plainLine(p.Acceptance.Check, maxReasonRunes)},
		})
	}
	return l, l.check()
}

// Encode writes the list as JSON that people can read.
func (l List) Encode() []byte {
	l = l.copy()
	for i := range l.Features {
		if l.Features[i].Dependencies == nil {
			l.Features[i].Dependencies = []string{}
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(l) // strings, numbers and truths
	return b.Bytes()
}

// normalise makes a feature of the program's file whole, or says what is wrong.
func (f *Feature) normalise() error {
	f.Name, f.Component, f.Reason = plainLine(f.Name, maxNameRunes), plainLine(f.Component, maxNameRunes), plainLine(f.Reason, maxReasonRunes)
	f.Commit, f.Judged = plainLine(f.Commit, maxNameRunes), plainLine(f.Judged, maxNameRunes)
	f.Description, f.Dependencies = plain.Trimmed(f.Description), unique(f.Dependencies)
	if f.Cause != Environment {
		f.Cause = ""
	}
	f.Acceptance.Check, f.Faults = plainLine(f.Acceptance.Check, maxReasonRunes), plainLine(f.Faults, maxReasonRunes)
	f.Shown, f.Checked, f.Returned = plainLine(f.Shown, maxReasonRunes), plainLine(f.Checked, maxReasonRunes), max(f.Returned, 0)
	f.Tried = f.Tried[max(0, len(f.Tried)-maxTried):]
	if f.Attempts < 0 || f.Attempts > Attempts {
		return fmt.Errorf("feature %s: attempts is %d, it may be 0 to %d", quoted(f.ID), f.Attempts, Attempts)
	}
	switch f.State {
	case "":
		f.State = f.derived()
	case Pending, Passed, Failed, Blocked:
	default:
		return fmt.Errorf("feature %s: there is no state %.20q; there are pending, passed, failed and blocked", quoted(f.ID), string(f.State))
	}
	if f.Passes != (f.State == Passed) {
		return fmt.Errorf("feature %s: passes is %t, but its state is %s", quoted(f.ID), f.Passes, f.State)
	}
	f.Order = max(f.Order, 0)
	return nil
}

// derived is the state a list without states means.
func (f *Feature) derived() State {
	switch {
	case f.Passes:
		return Passed
	case f.Attempts == Attempts:
		return Failed
	}
	return Pending
}

// unique drops what is repeated; it is never nil.
func unique(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	list := []string{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	return list
}

// unfenced takes off a fence around the whole.
func unfenced(data []byte) []byte {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	rest, begins := bytes.CutPrefix(data, []byte("```"))
	rest, ends := bytes.CutSuffix(rest, []byte("```"))
	info, body, lines := bytes.Cut(rest, []byte("\n"))
	if !begins || !ends || !lines || bytes.ContainsAny(info, "{[`") {
		return data
	}
	return bytes.TrimSpace(body)
}

// decode reads one JSON value and nothing behind it, in which no key is given
// twice: the second would take the place of the first.
func decode(data []byte, into any) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := json.Unmarshal(data, into); err != nil {
		return jsonError(data, err)
	}
	if key := duplicateKey(data); key != "" {
		return fmt.Errorf("no feature list: the key %s stands twice in one object, and one of the two would be lost", quoted(key))
	}
	return nil
}

// jsonError says in one line why a list is no JSON, or none of this form.
func jsonError(data []byte, err error) error {
	var syntax *json.SyntaxError
	var form *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("no feature list: no JSON at line %d: %s", lineOf(data, syntax.Offset), syntax.Error())
	case errors.As(err, &form):
		return fmt.Errorf("no feature list: line %d: %s is %s where %s belongs", lineOf(data, form.Offset), named(form.Field), withArticle(plainLine(form.Value, 40)), withArticle(kind(form.Type.Kind().String())))
	}
	return fmt.Errorf("no feature list: %w", err)
}

func named(field string) string {
	if field == "" {
		return "the whole"
	}
	return plainLine(field, 40)
}

func withArticle(word string) string {
	if strings.IndexByte("aeiou", (word + " ")[0]) >= 0 {
		return "an " + word
	}
	return "a " + word
}

// kind is JSON's word for one of Go's.
func kind(k string) string {
	switch k {
	case "slice":
		return "array"
	case "struct":
		return "object"
	case "int":
		return "whole number"
	}
	return k
}

func lineOf(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
}

// duplicateKey is a key that one object of valid JSON has twice, "" for none. The case
// of letters makes no difference, as it makes none for the decoder.
func duplicateKey(data []byte) string {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var open []object
	for {
		token, err := d.Token()
		if err != nil {
			return "" // its end, since it is valid
		}
		if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
			open = open[:len(open)-1]
			continue
		}
		if len(open) > 0 {
			if key, again := open[len(open)-1].take(token); again {
				return key
			}
		}
		if delim, ok := token.(json.Delim); ok {
			open = append(open, newObject(delim))
		}
	}
}

// object is an object or an array that is being read.
type object struct {
	keys  map[string]bool // nil for an array
	value *bool           // whether a value comes next, not a key
}

func newObject(delim json.Delim) object {
	if delim == '[' {
		return object{}
	}
	return object{keys: map[string]bool{}, value: new(bool)}
}

// take notes the next token and reports a key that was there before.
func (o object) take(token json.Token) (string, bool) {
	if o.keys == nil {
		return "", false
	}
	isKey := !*o.value
	*o.value = isKey
	key, _ := token.(string)
	if !isKey {
		return "", false
	}
	folded := strings.ToLower(strings.ToUpper(key))
	again := o.keys[folded]
	o.keys[folded] = true
	return key, again
}
