// Package testresult counts the tests of a project: which ran, how each came out,
// and what a change has done to them.
//
// A [Result] is read from what a runner wrote: Go's test output, plain and as
// JSON, cargo's, and JUnit XML, which pytest, node and many others write.
// [CountableCommand] says how a command is run so that there is something to read.
// [Compare] tells two results apart test by test, [ProvingTests] which tests fail on
// the code before a change and pass after it.
//
// Nothing here runs anything, and nothing is taken from a summary: a test
// counts when the runner named it. Where no runner that is known here has
// spoken, [Result.Counted] is false, and whoever asks has to say so.
package testresult

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
)

// Outcome is how a test came out. One that is expected to fail, or that is
// noted as still to be done, is skipped: its failure changes nothing.
type Outcome string

const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
)

// MaxTests bounds the tests that are read of one run.
const MaxTests = 200_000

// Result is what one run of a suite has come to.
type Result struct {
	Runners []string           `json:"runners"`          // whose output was counted: go, cargo, JUnit XML
	Tests   map[string]Outcome `json:"tests"`            // by full name
	Broken  []string           `json:"broken,omitempty"` // packages and files whose tests could not be run, sorted
}

// Counted reports whether a runner has spoken whose tests can be counted.
func (r Result) Counted() bool { return len(r.Runners) > 0 }

// Count counts the tests of an outcome.
func (r Result) Count(o Outcome) int {
	n := 0
	for _, got := range r.Tests {
		if got == o {
			n++
		}
	}
	return n
}

// Of lists the tests of an outcome, sorted.
func (r Result) Of(o Outcome) []string {
	return r.testsWhere(func(_ string, got Outcome) bool { return got == o })
}

func (r Result) testsWhere(is func(string, Outcome) bool) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(r.Tests)) {
		if is(name, r.Tests[name]) {
			list = append(list, name)
		}
	}
	return list
}

// String tells the counts.
func (r Result) String() string {
	if !r.Counted() {
		return "tests that cannot be counted"
	}
	text := plural.Of(len(r.Tests), "test")
	for _, o := range []Outcome{Failed, Skipped} {
		if n := r.Count(o); n > 0 {
			text += fmt.Sprintf(", %d %s", n, o)
		}
	}
	if len(r.Broken) > 0 {
		text += ", not run: " + strings.Join(r.Broken, ", ")
	}
	return text + " (" + strings.Join(r.Runners, ", ") + ")"
}

// result gathers what a run names.
type result struct {
	Result
	broken map[string]bool
}

func gather() *result {
	return &result{Result: Result{Tests: map[string]Outcome{}}, broken: map[string]bool{}}
}

// add takes a test in. Names that are there twice are told apart by a number,
// so that one of two that are called alike is missed when it goes.
func (r *result) add(name string, o Outcome) {
	if len(r.Tests) >= MaxTests {
		return
	}
	key := name
	for n := 2; r.Tests[key] != ""; n++ {
		key = fmt.Sprintf("%s #%d", name, n)
	}
	r.Tests[key] = o
}

func (r *result) build(runners ...string) Result {
	r.Runners = runners
	r.Broken = slices.Sorted(maps.Keys(r.broken))
	return r.Result
}

// Join makes one result of those of several runners.
func Join(list ...Result) Result {
	all := gather()
	var runners []string
	for _, r := range list {
		if !r.Counted() {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(r.Tests)) {
			all.add(name, r.Tests[name])
		}
		for _, b := range r.Broken {
			all.broken[b] = true
		}
		for _, name := range r.Runners {
			if !slices.Contains(runners, name) {
				runners = append(runners, name)
			}
		}
	}
	return all.build(runners...)
}
