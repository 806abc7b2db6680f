package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/plain"
)

// Bounds of what a seat is told.
const (
	MaxProblems  = 12  // lines
	ProblemLimit = 300 // runes of a line
)

// plainText is one line of foreign text.
func plainText(text string, limit int) string { return plain.Line(text, limit) }

// line is one problem: what it shows of an answer is foreign.
func line(format string, values ...any) string {
	return plainText(fmt.Sprintf(format, values...), ProblemLimit)
}

// limitProblems keeps the first problems and counts the others.
func limitProblems(problems []string) []string {
	problems = slices.Compact(problems)
	if len(problems) <= MaxProblems {
		return problems
	}
	left := len(problems) - MaxProblems + 1
	return append(problems[:MaxProblems-1:MaxProblems-1], fmt.Sprintf("and %d more problems", left))
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

func itemCount(n int) string {
	if n == 1 {
		return "1 item"
	}
	return strconv.Itoa(n) + " items"
}

func itemCountAre(n int) string {
	if n == 1 {
		return itemCount(n) + " is"
	}
	return itemCount(n) + " are"
}

func formatNumber(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }

func quoteNames(names []string) string {
	shownNames := make([]string, len(names))
	for i, name := range names {
		shownNames[i] = quoteStart([]byte(name))
	}
	return strings.Join(shownNames, ", ")
}

// shownValue is the beginning of a foreign value.
func shownValue(v any) string {
	if s, ok := v.(string); ok {
		return quoteStart([]byte(s))
	}
	return plainText(fmt.Sprint(v), 40)
}

func values(list []any) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = shownValue(v)
	}
	return strings.Join(words, ", ")
}
