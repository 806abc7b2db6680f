package schema

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"research-council/internal/agent"
)

// Bounds of what a seat is told.
const (
	MostProblems = 12  // lines
	ProblemLimit = 300 // runes of a line
)

// plain is one line of foreign text.
func plain(text string, limit int) string { return agent.Plain(text, limit) }

// line is one problem: what it shows of an answer is foreign.
func line(format string, values ...any) string {
	return plain(fmt.Sprintf(format, values...), ProblemLimit)
}

// bounded keeps the first problems and counts the others.
func bounded(problems []string) []string {
	problems = slices.Compact(problems)
	if len(problems) <= MostProblems {
		return problems
	}
	left := len(problems) - MostProblems + 1
	return append(problems[:MostProblems-1:MostProblems-1], fmt.Sprintf("and %d more problems", left))
}

// pointer is a JSON pointer (RFC 6901); "/" alone stands for the whole object,
// which reads better at the head of a line than nothing.
func pointer(at []string) string {
	if len(at) == 0 {
		return "/"
	}
	var b strings.Builder
	for _, name := range at {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return b.String()
}

// told makes lines of a validation's error, in the order of the document.
func told(err error) []string {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return []string{line("%v", err)}
	}
	found := leaves(v, nil)
	slices.SortStableFunc(found, func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(compare(a.InstanceLocation, b.InstanceLocation), cmp.Compare(fault(a.ErrorKind), fault(b.ErrorKind)))
	})
	lines := make([]string, len(found))
	for i, leaf := range found {
		lines[i] = line("%s: %s", pointer(leaf.InstanceLocation), fault(leaf.ErrorKind))
	}
	return bounded(lines)
}

func leaves(v *jsonschema.ValidationError, found []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(v.Causes) == 0 {
		return append(found, v)
	}
	for _, cause := range v.Causes {
		found = leaves(cause, found)
	}
	return found
}

// compare orders places: list elements by number, members by name.
func compare(a, b []string) int {
	return slices.CompareFunc(a, b, func(x, y string) int {
		m, err1 := strconv.Atoi(x)
		n, err2 := strconv.Atoi(y)
		if err1 == nil && err2 == nil {
			return cmp.Compare(m, n)
		}
		return cmp.Compare(x, y)
	})
}

// fault says what is wrong and what is expected.
func fault(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Required:
		return "missing " + quoted(k.Missing)
	case *kind.AdditionalProperties:
		return "unknown " + quoted(slices.Sorted(slices.Values(k.Properties)))
	case *kind.Type:
		return fmt.Sprintf("%s, expected %s", k.Got, strings.Join(k.Want, " or "))
	case *kind.Enum:
		return fmt.Sprintf("%s, expected one of %s", value(k.Got), values(k.Want))
	case *kind.Format:
		return fmt.Sprintf("%s, expected a %s", value(k.Got), k.Want)
	case *kind.Const:
		return fmt.Sprintf("%s, expected %s", value(k.Got), value(k.Want))
	}
	return amount(k)
}

// amount is for faults of too much and too little.
func amount(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinItems:
		return fmt.Sprintf("%s, at least %s needed", items(k.Got), are(k.Want))
	case *kind.MaxItems:
		return fmt.Sprintf("%s, at most %s taken", items(k.Got), are(k.Want))
	case *kind.MaxProperties:
		return fmt.Sprintf("%d members, at most %d are taken", k.Got, k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("%d characters, at least %d are needed", k.Got, k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("%d characters, at most %d are taken", k.Got, k.Want)
	case *kind.Minimum:
		return fmt.Sprintf("%s, at least %s is expected", decimal(k.Got), decimal(k.Want))
	case *kind.Maximum:
		return fmt.Sprintf("%s, at most %s is expected", decimal(k.Got), decimal(k.Want))
	case *kind.Pattern:
		return form(k)
	}
	return fmt.Sprintf("breaks the rule %s", strings.Join(k.KeywordPath(), "/"))
}

// form is for strings: the one pattern that is no form asks for a word.
func form(k *kind.Pattern) string {
	if k.Want == `\S` {
		return "empty, some text is needed"
	}
	return fmt.Sprintf("%s, expected the form %s", value(k.Got), k.Want)
}

func items(n int) string {
	if n == 1 {
		return "1 item"
	}
	return strconv.Itoa(n) + " items"
}

func are(n int) string {
	if n == 1 {
		return items(n) + " is"
	}
	return items(n) + " are"
}

func decimal(r *big.Rat) string {
	f, _ := r.Float64() // exact enough to be read
	return strconv.FormatFloat(f, 'g', 6, 64)
}

func quoted(names []string) string {
	shownNames := make([]string, len(names))
	for i, name := range names {
		shownNames[i] = shown([]byte(name))
	}
	return strings.Join(shownNames, ", ")
}

func value(v any) string {
	if s, ok := v.(string); ok {
		return shown([]byte(s))
	}
	return plain(fmt.Sprint(v), 40)
}

func values(list []any) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = value(v)
	}
	return strings.Join(words, ", ")
}
