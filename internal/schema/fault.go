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
	l := look{schema: s}
	l.value(value, s.root())
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
	return bounded(lines)
}

// look is one look through a value.
type look struct {
	*schema
	at    []string // where it is now
	found []fault
}

func (l *look) fault(format string, values ...any) {
	l.found = append(l.found, fault{slices.Clone(l.at), fmt.Sprintf(format, values...)})
}

// within looks at what a value holds under a name.
func (l *look) within(name string, v any, n rule) {
	l.at = append(l.at, name)
	l.value(v, n)
	l.at = l.at[:len(l.at)-1]
}

func (l *look) value(v any, n rule) {
	if n.Ref != "" {
		l.value(v, l.follow(n))
	}
	if got := kind(v); n.Type != "" && n.Type != got && (n.Type != "integer" || !whole(v)) {
		l.fault("%s, expected %s", got, n.Type)
		return // of what it would have to be besides, nothing can be mended yet
	}
	if n.Enum != nil && !slices.ContainsFunc(n.Enum, func(e any) bool { return reflect.DeepEqual(e, v) }) {
		l.fault("%s, expected one of %s", shownValue(v), values(n.Enum))
	}
	switch v := v.(type) {
	case string:
		l.text(v, n)
	case float64:
		l.number(v, n)
	case []any:
		l.list(v, n)
	case map[string]any:
		l.object(v, n)
	}
	l.condition(v, n)
}

// condition is what a value that is of one form has to be besides.
func (l *look) condition(v any, n rule) {
	if n.If == nil {
		return
	}
	test := look{schema: l.schema}
	test.value(v, n.below(n.If))
	then := n.Then
	if len(test.found) > 0 {
		then = n.Else
	}
	if then != nil {
		l.value(v, n.below(then))
	}
}

func (l *look) text(v string, n rule) {
	long := utf8.RuneCountInString(v)
	if n.MinLength != nil && long < *n.MinLength {
		l.fault("%d characters, at least %d are needed", long, *n.MinLength)
	}
	if n.MaxLength != nil && long > *n.MaxLength {
		l.fault("%d characters, at most %d are taken", long, *n.MaxLength)
	}
	if n.Pattern != "" && !l.patterns[n.Pattern].MatchString(v) {
		l.form(v, n.Pattern)
	}
	if n.Format == "date-time" && !dateTime(v) {
		l.fault("%s, expected a date-time", shownValue(v))
	}
}

// form is for strings: the one pattern that is no form asks for a word.
func (l *look) form(v, pattern string) {
	if pattern == `\S` {
		l.fault("empty, some text is needed")
		return
	}
	l.fault("%s, expected the form %s", shownValue(v), pattern)
}

func (l *look) number(v float64, n rule) {
	if n.Minimum != nil && v < *n.Minimum {
		l.fault("%s, at least %s is expected", decimal(v), decimal(*n.Minimum))
	}
	if n.Maximum != nil && v > *n.Maximum {
		l.fault("%s, at most %s is expected", decimal(v), decimal(*n.Maximum))
	}
}

func (l *look) list(v []any, n rule) {
	if n.MinItems != nil && len(v) < *n.MinItems {
		l.fault("%s, at least %s needed", items(len(v)), are(*n.MinItems))
	}
	if n.MaxItems != nil && len(v) > *n.MaxItems {
		l.fault("%s, at most %s taken", items(len(v)), are(*n.MaxItems))
	}
	for i := 0; n.Items != nil && i < len(v); i++ {
		l.within(strconv.Itoa(i), v[i], n.below(n.Items))
	}
}

func (l *look) object(v map[string]any, n rule) {
	var missing, unknown []string
	for _, name := range n.Required {
		if _, there := v[name]; !there {
			missing = append(missing, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		switch of, known := n.Properties[name]; {
		case known:
			l.within(name, v[name], n.below(of))
		case n.AdditionalProperties != nil && n.AdditionalProperties.Not != nil: // as the library reads false
			unknown = append(unknown, name)
		case n.AdditionalProperties != nil:
			l.within(name, v[name], n.below(n.AdditionalProperties))
		}
		if n.PropertyNames != nil {
			l.value(name, n.below(n.PropertyNames))
		}
	}
	if missing != nil {
		l.fault("missing %s", quoted(missing))
	}
	if unknown != nil {
		l.fault("unknown %s", quoted(unknown))
	}
	if n.MaxProperties != nil && len(v) > *n.MaxProperties {
		l.fault("%d members, at most %d are taken", len(v), *n.MaxProperties)
	}
}

// kind is JSON's name for what a value is.
func kind(v any) string {
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

func whole(v any) bool {
	f, ok := v.(float64)
	return ok && f == math.Trunc(f)
}

// dateTime tells a time of RFC 3339.
func dateTime(text string) bool {
	var t time.Time
	return t.UnmarshalText([]byte(strings.ToUpper(text))) == nil
}
