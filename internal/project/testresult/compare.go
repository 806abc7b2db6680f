package testresult

import (
	"slices"
	"strings"
)

// Change is what happened to tests between two runs, each list sorted.
type Change struct {
	Lost    []string          `json:"lost,omitempty"`    // were there, and are not any more
	Moved   map[string]string `json:"moved,omitempty"`   // the same test under another roof: from its name before
	Skipped []string          `json:"skipped,omitempty"` // ran before, and do not now
	Failing []string          `json:"failing,omitempty"` // fail now, and did not before
	Added   []string          `json:"added,omitempty"`   // are new
	Red     []string          `json:"red,omitempty"`     // failed before and fail now
	Fixed   []string          `json:"mended,omitempty"`  // failed before and pass now
	Broken  []string          `json:"broken,omitempty"`  // packages and files whose tests cannot be run now, and could before
}

// HasNewFailures reports whether something fails that did not.
func (c Change) HasNewFailures() bool { return len(c.Failing)+len(c.Broken) > 0 }

// Compare tells what became of the tests of before. A test that is called the
// same and only stands in another file or package is moved, not lost.
func Compare(before, after Result) Change {
	c := Change{
		Lost:  before.testsWhere(func(name string, _ Outcome) bool { return after.Tests[name] == "" }),
		Added: after.testsWhere(func(name string, _ Outcome) bool { return before.Tests[name] == "" }),
		Skipped: before.testsWhere(func(name string, was Outcome) bool {
			return was != Skipped && after.Tests[name] == Skipped
		}),
		Red:     before.testsWhere(func(name string, was Outcome) bool { return was == Failed && after.Tests[name] == Failed }),
		Fixed:   before.testsWhere(func(name string, was Outcome) bool { return was == Failed && after.Tests[name] == Passed }),
		Failing: after.testsWhere(func(name string, is Outcome) bool { return is == Failed && before.Tests[name] != Failed }),
	}
	for _, b := range after.Broken {
		if !slices.Contains(before.Broken, b) {
			c.Broken = append(c.Broken, b)
		}
	}
	c.pairMoved()
	c.Lost = outermost(c.Lost)
	return c
}

// pairMoved pairs what is lost with what is new by the name that its author gave
// it, where that is plain: one of each.
func (c *Change) pairMoved() {
	lost, added := groupByOwnName(c.Lost), groupByOwnName(c.Added)
	for own, from := range lost {
		to := added[own]
		if len(from) != 1 || len(to) != 1 {
			continue
		}
		if c.Moved == nil {
			c.Moved = map[string]string{}
		}
		c.Moved[from[0]] = to[0]
	}
	c.Lost = slices.DeleteFunc(c.Lost, func(name string) bool { return c.Moved[name] != "" })
}

// groupByOwnName groups tests by their names without the roof they stand under.
func groupByOwnName(list []string) map[string][]string {
	groups := map[string][]string{}
	for _, name := range list {
		own := name
		if _, after, roofed := strings.Cut(name, NameSeparator); roofed {
			own = after
		}
		groups[own] = append(groups[own], name)
	}
	return groups
}

// outermost leaves out the parts of a test that is in the list itself.
func outermost(list []string) []string {
	var outer []string
	for _, name := range list {
		within := false
		for i := range name {
			within = within || name[i] == '/' && slices.Contains(list, name[:i])
		}
		if !within {
			outer = append(outer, name)
		}
	}
	return outer
}

// How a test fails on the code before a change.
const (
	FailsBefore     = "fails"      // it ran, and failed
	CannotRunBefore = "cannot run" // nothing of that name could be run: it does not build or load without the change
	WasRed          = "was red"    // it was there before, and failed
)

// ProvingTests are the tests that show what a change is for, with how they fail
// without it: before is the code as it was with its own tests, onBefore the
// same code with the tests of after. A test that passes there shows nothing.
func ProvingTests(before, onBefore, after Result) map[string]string {
	shown := map[string]string{}
	for name, is := range after.Tests {
		switch was, then := before.Tests[name], onBefore.Tests[name]; {
		case is != Passed:
		case then == Failed && was == Failed:
			shown[name] = WasRed
		case then == Failed:
			shown[name] = FailsBefore
		case then == "" && was == "":
			shown[name] = CannotRunBefore
		}
	}
	return shown
}

// NoLongerPassing are the tests of one result that another of the same code does not
// bear out: they passed in the first and do not in the second.
func NoLongerPassing(first, second Result) []string {
	return first.testsWhere(func(name string, o Outcome) bool { return o == Passed && second.Tests[name] != Passed })
}
