package testresult

import (
	"regexp"
	"strings"
	"sync"
)

// Names in the folder that [CountableCommand] is given, of the reports runners leave.
const (
	pytestReport = "pytest.xml"
	nodeReport   = "node.xml"
)

// goTestCommand is where a shell line calls `go test`.
var goTestCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[\s;&|(])go test(\s|$)`) })

// CountableCommand is a test command made ready to be counted: lines for the shell that
// come to the same end as the command, and tell of every test on the way. What
// pytest and node find goes to reports in folder, which is absolute; Go names
// its tests on the output.
//
// The settings reach a runner however it is started, by make or a script too.
// One that does not know them is not given them, and a folder whose name holds
// quotes gets no reports.
func CountableCommand(command, folder string) string {
	var lines []string
	if !strings.ContainsAny(folder, "'\"\\") {
		lines = append(lines,
			`council_reports='`+folder+`'`,
			`export PYTEST_ADDOPTS="${PYTEST_ADDOPTS:+$PYTEST_ADDOPTS }'--junitxml=$council_reports/`+pytestReport+`'"`,
			`council_node="${NODE_OPTIONS:+$NODE_OPTIONS }--test-reporter=junit \"--test-reporter-destination=$council_reports/`+nodeReport+`\" --test-reporter=spec --test-reporter-destination=stdout"`,
			`if command -v node >/dev/null 2>&1 && NODE_OPTIONS="$council_node" node -e 0 >/dev/null 2>&1; then export NODE_OPTIONS="$council_node"; fi`,
		)
	}
	if goTestCommand().MatchString(command) {
		command = goTestCommand().ReplaceAllString(command, "${1}go test -json${2}")
	} else {
		lines = append(lines, `if command -v go >/dev/null 2>&1; then GOFLAGS="$(go env GOFLAGS) -v"; export GOFLAGS; fi`)
	}
	return strings.Join(append(lines, command), "\n")
}
