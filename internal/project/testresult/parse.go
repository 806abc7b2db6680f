package testresult

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/plain"
)

// NameSeparator stands between what a test lies in (a package, a file, a class) and its
// own name.
const NameSeparator = " › "

func named(roof, own string) string {
	own = plain.Line(own, mostName)
	if roof = plain.Line(roof, mostName); roof == "" {
		return own
	}
	return roof + NameSeparator + own
}

// mostName bounds the name of a test, in runes.
const mostName = 500

// Output reads what a command has said on its streams: Go's test output, plain
// or as JSON, and cargo's. What nobody there has said counts nothing.
func Output(text []byte) Result {
	return Join(goJSON(text), goText(text), cargo(text))
}

// goJSON reads the events of `go test -json`.
func goJSON(text []byte) Result {
	r := gather()
	spoken := false
	failed := map[string]bool{}
	for line := range bytes.Lines(text) {
		var e struct{ Action, Package, Test, FailedBuild string }
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Package == "" {
			continue
		}
		outcome, ended := map[string]Outcome{"pass": Passed, "fail": Failed, "skip": Skipped}[e.Action]
		spoken = spoken || e.Action == "start" || ended
		switch {
		case !ended:
		case e.Test != "":
			r.add(named(e.Package, e.Test), outcome)
			failed[e.Package] = failed[e.Package] || outcome == Failed
		case outcome == Failed && (e.FailedBuild != "" || !failed[e.Package]):
			r.broken[plain.Line(e.Package, mostName)] = true
		}
	}
	if !spoken {
		return Result{}
	}
	return r.build("go")
}

var (
	goTest    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ *--- (PASS|FAIL|SKIP): (\S+) \(\d`) })
	goPackage = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(ok  |FAIL|---|\?   )\t(\S+)(?:\t| \[|$)`) })
)

// goText reads what `go test -v` says to people. A package is named after its
// tests.
func goText(text []byte) Result {
	r := gather()
	spoken := false
	var open [][2]string
	failed := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := goTest().FindStringSubmatch(line); m != nil {
			open = append(open, [2]string{m[2], m[1]})
			failed = failed || m[1] == "FAIL"
			continue
		}
		m := goPackage().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		spoken = true
		for _, t := range open {
			r.add(named(m[2], t[0]), map[string]Outcome{"PASS": Passed, "FAIL": Failed, "SKIP": Skipped}[t[1]])
		}
		if m[1] == "FAIL" && !failed {
			r.broken[plain.Line(m[2], mostName)] = true
		}
		open, failed = nil, false
	}
	if !spoken || len(r.Tests)+len(r.broken) == 0 { // without -v a package is named and its tests are not
		return Result{}
	}
	return r.build("go")
}

var (
	cargoGroup = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s+(?:Running (?:unittests )?(\S+) \(|Doc-tests (\S+))`)
	})
	cargoTest   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^test (.+) \.\.\. (ok|FAILED|ignored)\b`) })
	cargoLine   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` \(line \d+\)`) })
	cargoBroken = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^error: could not compile `([^`]+)`") })
)

// cargo reads what `cargo test` says.
func cargo(text []byte) Result {
	r := gather()
	group, spoken := "", false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := cargoGroup().FindStringSubmatch(line); m != nil {
			group = m[1]
			if m[2] != "" {
				group = "doc tests of " + m[2]
			}
			spoken = true
			continue
		}
		if m := cargoBroken().FindStringSubmatch(line); m != nil {
			r.broken[plain.Line(m[1], mostName)], spoken = true, true
			continue
		}
		if m := cargoTest().FindStringSubmatch(line); m != nil && spoken {
			r.add(named(group, cargoLine().ReplaceAllString(m[1], "")), map[string]Outcome{"ok": Passed, "FAILED": Failed, "ignored": Skipped}[m[2]])
		}
	}
	if !spoken {
		return Result{}
	}
	return r.build("cargo")
}

// errNoReport says that a document is no report of tests.
var errNoReport = errors.New("no JUnit XML")

// maxDepth bounds how deep suites lie within suites.
const maxDepth = 50

// JUnit reads a report in JUnit XML. The cases in it are counted, whatever its
// attributes say. root is the folder the suite ran in: a case that bears the
// name of a file in it stands for that file and not for a test.
func JUnit(data []byte, root string) (Result, error) {
	r := gather()
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = true
	d.Entity = xml.HTMLEntity
	var open []string // elements
	var suites []string
	var now *junitCase
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && len(open) == 0 && r.Runners != nil {
			return r.build("JUnit XML"), nil
		}
		if err != nil {
			return Result{}, errNoReport
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := e.Name.Local
			if len(open) == 0 {
				if name != "testsuites" && name != "testsuite" {
					return Result{}, errNoReport
				}
				r.Runners = []string{"JUnit XML"}
			}
			if open = append(open, name); len(open) > maxDepth {
				return Result{}, errNoReport
			}
			switch {
			case name == "testsuite":
				suites = append(suites, attribute(e, "name"))
			case name == "testcase":
				now = &junitCase{name: attribute(e, "name"), class: attribute(e, "classname"), outcome: Passed}
			case now != nil:
				now.addElement(name)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
			switch {
			case e.Name.Local == "testsuite" && len(suites) > 0:
				suites = suites[:len(suites)-1]
			case e.Name.Local == "testcase" && now != nil:
				now.addTo(r, suites, root)
				now = nil
			}
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// junitCase is a case that is being read.
type junitCase struct {
	name, class string
	outcome     Outcome
}

// addElement takes in an element of the case. What is skipped stays so: a failure
// that nobody minds is no failure.
func (c *junitCase) addElement(element string) {
	switch {
	case element == "skipped":
		c.outcome = Skipped
	case (element == "failure" || element == "error") && c.outcome != Skipped:
		c.outcome = Failed
	}
}

// addTo names the case by its class, else by the suites it lies in.
func (c *junitCase) addTo(r *result, suites []string, root string) {
	if rel, is := strings.CutPrefix(c.name, root+"/"); is && root != "" {
		if c.outcome == Failed {
			r.broken[plain.Line(rel, mostName)] = true
		}
		return
	}
	roof := c.class
	if roof == "" || roof == "test" { // node's own word for every case
		roof = strings.Join(suites, " > ")
	}
	r.add(named(roof, c.name), c.outcome)
}
