package suite

import (
	"regexp"
	"strings"
)

// Names in the folder that [Ready] is given, of the reports runners leave.
const (
	pytestReport = "pytest.xml"
	nodeReport   = "node.xml"
)

// goTestCommand is where a shell line calls `go test`.
var goTestCommand = regexp.MustCompile(`(^|[\s;&|(])go test(\s|$)`)

// Ready is a test command made ready to be counted: lines for the shell that
// come to the same end as the command, and tell of every test on the way. What
// pytest and node find goes to reports in folder, which is absolute; Go names
// its tests on the output.
//
// The settings reach a runner however it is started, by make or a script too.
// One that does not know them is not given them, and a folder whose name holds
// quotes gets no reports.
func Ready(command, folder string) string {
	var lines []string
	if !strings.ContainsAny(folder, "'\"\\") {
		lines = append(lines,
			`council_reports='`+folder+`'`,
			`export PYTEST_ADDOPTS="${PYTEST_ADDOPTS:+$PYTEST_ADDOPTS }'--junitxml=$council_reports/`+pytestReport+`'"`,
			`council_node="${NODE_OPTIONS:+$NODE_OPTIONS }--test-reporter=junit \"--test-reporter-destination=$council_reports/`+nodeReport+`\" --test-reporter=spec --test-reporter-destination=stdout"`,
			`if command -v node >/dev/null 2>&1 && NODE_OPTIONS="$council_node" node -e 0 >/dev/null 2>&1; then export NODE_OPTIONS="$council_node"; fi`,
		)
	}
	if goTestCommand.MatchString(command) {
		command = goTestCommand.ReplaceAllString(command, "${1}go test -json${2}")
	} else {
		lines = append(lines, `if command -v go >/dev/null 2>&1; then GOFLAGS="$(go env GOFLAGS) -v"; export GOFLAGS; fi`)
	}
	return strings.Join(append(lines, command), "\n")
}

// IsTest reports whether a file is one of tests, or of what tests are held
// against, by the customs of the languages: how it is called, or the folder it
// lies in. What is code and test in one is none.
func IsTest(path string) bool {
	folders := strings.Split(path, "/")
	name := strings.ToLower(folders[len(folders)-1])
	for _, f := range folders[:len(folders)-1] {
		switch strings.ToLower(f) {
		case "test", "tests", "testdata", "testing", "spec", "specs", "__tests__", "__snapshots__", "fixtures", "golden", "e2e":
			return true
		}
	}
	stem, _, _ := strings.Cut(name, ".")
	return strings.HasPrefix(name, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") || name == "conftest.py" ||
		strings.Contains(name, ".test.") || strings.Contains(name, ".spec.") || javaTest.MatchString(folders[len(folders)-1])
}

// javaTest is how the tests of Java, Kotlin, Scala, C# and PHP are called.
var javaTest = regexp.MustCompile(`(?:Test|Tests|Spec|IT)\.(?:java|kt|scala|groovy|cs|php|swift)$`)
