package schema

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// fault is what is wrong at a place of an answer, and what is expected there.
type fault struct {
	at   []string
	says string
}

// faults tells what is wrong with a value, in the order of the document; nil
// where nothing is. The library ends at the first fault it meets, while a seat
// is to mend all of them at once: so the faults are looked for here, and the
// library has the last word for a rule that is not known here.
func (s *schema) faults(value any) []string {
	l := validation{schema: s}
	l.validate(value, s.root())
	if len(l.found) == 0 {
		if err := s.rules.Validate(value); err != nil {
			return []string{line("%v", err)}
		}
		return nil
	}
	slices.SortStableFunc(l.found, func(a, b fault) int {
		return cmp.Or(compare(a.at, b.at), cmp.Compare(a.says, b.says))
	})
	lines := make([]string, len(l.found))
	for i, f := range l.found {
		lines[i] = line("%s: %s", pointer(f.at), f.says)
	}
	return limitProblems(lines)
}

// validation is one look through a value.
type validation struct {
	*schema
	at    []string // where it is now
	found []fault
}

func (l *validation) addFault(format string, values ...any) {
	l.found = append(l.found, fault{slices.Clone(l.at), fmt.Sprintf(format, values...)})
}

// validateChild looks at what a value holds under a name.
func (l *validation) validateChild(name string, v any, n rule) {
	l.at = append(l.at, name)
	l.validate(v, n)
	l.at = l.at[:len(l.at)-1]
}

func (l *validation) validate(v any, n rule) {
	if n.Ref != "" {
		l.validate(v, l.resolveRef(n))
	}
	if got := jsonType(v); n.Type != "" && n.Type != got && (n.Type != "integer" || !isInteger(v)) {
		l.addFault("%s, expected %s", got, n.Type)
		return // of what it would have to be besides, nothing can be mended yet
	}
	if n.Enum != nil && !slices.ContainsFunc(n.Enum, func(e any) bool { return reflect.DeepEqual(e, v) }) {
		l.addFault("%s, expected one of %s", shownValue(v), values(n.Enum))
	}
	switch v := v.(type) {
	case string:
		l.validateText(v, n)
	case float64:
		l.validateNumber(v, n)
	case []any:
		l.validateList(v, n)
	case map[string]any:
		l.validateObject(v, n)
	}
	l.validateCondition(v, n)
}

// validateCondition is what a value that is of one form has to be besides.
func (l *validation) validateCondition(v any, n rule) {
	if n.If == nil {
		return
	}
	test := validation{schema: l.schema}
	test.validate(v, n.childRule(n.If))
	then := n.Then
	if len(test.found) > 0 {
		then = n.Else
	}
	if then != nil {
		l.validate(v, n.childRule(then))
	}
}

func (l *validation) validateText(v string, n rule) {
	long := utf8.RuneCountInString(v)
	if n.MinLength != nil && long < *n.MinLength {
		l.addFault("%d characters, at least %d are needed", long, *n.MinLength)
	}
	if n.MaxLength != nil && long > *n.MaxLength {
		l.addFault("%d characters, at most %d are taken", long, *n.MaxLength)
	}
	if n.Pattern != "" && !l.patterns[n.Pattern].MatchString(v) {
		l.validatePattern(v, n.Pattern)
	}
	if n.Format == "date-time" && !dateTime(v) {
		l.addFault("%s, expected a date-time", shownValue(v))
	}
}

// validatePattern is for strings: the one pattern that is no form asks for a word.
func (l *validation) validatePattern(v, pattern string) {
	if pattern == `\S` {
		l.addFault("empty, some text is needed")
		return
	}
	l.addFault("%s, expected the form %s", shownValue(v), pattern)
}

func (l *validation) validateNumber(v float64, n rule) {
	if n.Minimum != nil && v < *n.Minimum {
		l.addFault("%s, at least %s is expected", formatNumber(v), formatNumber(*n.Minimum))
	}
	if n.Maximum != nil && v > *n.Maximum {
		l.addFault("%s, at most %s is expected", formatNumber(v), formatNumber(*n.Maximum))
	}
}

func (l *validation) validateList(v []any, n rule) {
	if n.MinItems != nil && len(v) < *n.MinItems {
		l.addFault("%s, at least %s needed", itemCount(len(v)), itemCountAre(*n.MinItems))
	}
	if n.MaxItems != nil && len(v) > *n.MaxItems {
		l.addFault("%s, at most %s taken", itemCount(len(v)), itemCountAre(*n.MaxItems))
	}
	for i := 0; n.Items != nil && i < len(v); i++ {
		l.validateChild(strconv.Itoa(i), v[i], n.childRule(n.Items))
	}
}

func (l *validation) validateObject(v map[string]any, n rule) {
	var missing, unknown []string
	for _, name := range n.Required {
		if _, there := v[name]; !there {
			missing = append(missing, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		switch of, known := n.Properties[name]; {
		case known:
			l.validateChild(name, v[name], n.childRule(of))
		case n.AdditionalProperties != nil && n.AdditionalProperties.Not != nil: // as the library reads false
			unknown = append(unknown, name)
		case n.AdditionalProperties != nil:
			l.validateChild(name, v[name], n.childRule(n.AdditionalProperties))
		}
		if n.PropertyNames != nil {
			l.validate(name, n.childRule(n.PropertyNames))
		}
	}
	if missing != nil {
		l.addFault("missing %s", quoteNames(missing))
	}
	if unknown != nil {
		l.addFault("unknown %s", quoteNames(unknown))
	}
	if n.MaxProperties != nil && len(v) > *n.MaxProperties {
		l.addFault("%d members, at most %d are taken", len(v), *n.MaxProperties)
	}
}

// jsonType is JSON's name for what a value is.
func jsonType(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func isInteger(v any) bool {
	f, ok := v.(float64)
	return ok && f == math.Trunc(f)
}

// dateTime tells a time of RFC 3339.
func dateTime(text string) bool {
	var t time.Time
	return t.UnmarshalText([]byte(strings.ToUpper(text))) == nil
}
