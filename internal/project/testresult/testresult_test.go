package testresult_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/project/testresult"
)

// told lists a result's tests in one line each.
func told(r testresult.Result) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(r.Tests)) {
		lines = append(lines, name+": "+string(r.Tests[name]))
	}
	for _, b := range r.Broken {
		lines = append(lines, "broken: "+b)
	}
	return strings.Join(lines, "\n")
}

func TestGoIsCountedByPackageAndSubtest(t *testing.T) {
	plain := "=== RUN   TestKey\n--- PASS: TestKey (0.00s)\n    --- PASS: TestKey/plain (0.00s)\n    --- SKIP: TestKey/case (0.00s)\n" +
		"--- FAIL: TestAdd (0.01s)\n    shelf_test.go:9: no\nFAIL\nFAIL\texample.com/shelf\t0.005s\n" +
		"ok  \texample.com/shelf/csv\t(cached)\nFAIL\texample.com/shelf/bad [build failed]\n?   \texample.com/shelf/cmd\t[no test files]\nFAIL\n"
	want := "example.com/shelf › TestAdd: failed\nexample.com/shelf › TestKey: passed\nexample.com/shelf › TestKey/case: skipped\nexample.com/shelf › TestKey/plain: passed\nbroken: example.com/shelf/bad"
	require.Equal(t, want, told(testresult.Output([]byte(plain))))
	events := `{"Action":"start","Package":"example.com/shelf"}
{"Action":"run","Package":"example.com/shelf","Test":"TestKey"}
{"Action":"pass","Package":"example.com/shelf","Test":"TestKey/plain"}
{"Action":"skip","Package":"example.com/shelf","Test":"TestKey/case"}
{"Action":"pass","Package":"example.com/shelf","Test":"TestKey"}
{"Action":"output","Package":"example.com/shelf","Test":"TestAdd","Output":"--- PASS: TestForged (0.00s)\n"}
{"Action":"fail","Package":"example.com/shelf","Test":"TestAdd"}
{"Action":"fail","Package":"example.com/shelf"}
{"ImportPath":"example.com/shelf/bad","Action":"build-output","Output":"x.go:1:1: no\n"}
{"Action":"fail","Package":"example.com/shelf/bad","FailedBuild":"example.com/shelf/bad"}
a line on the error stream
`
	require.Equal(t, want, told(testresult.Output([]byte(events))))
}

// A package whose TestMain ends at once with 0 has run nothing.
func TestAPackageThatRunsNoTestHasNone(t *testing.T) {
	r := testresult.Output([]byte(`{"Action":"start","Package":"example.com/shelf"}` + "\n" + `{"Action":"pass","Package":"example.com/shelf"}` + "\n"))
	require.True(t, r.Counted())
	require.Empty(t, r.Tests)
	before := testresult.Result{Runners: []string{"go"}, Tests: map[string]testresult.Outcome{"example.com/shelf › TestAdd": testresult.Passed}}
	require.Equal(t, []string{"example.com/shelf › TestAdd"}, testresult.Compare(before, r).Lost)
}

func TestCargoIsCountedByBinary(t *testing.T) {
	text := `   Compiling money v0.1.0 (/tmp/money)
     Running unittests src/lib.rs (target/debug/deps/money-329a23dc3e68a16b)

running 2 tests
test tests::adds_negative ... ignored
test tests::adds ... ok

     Running tests/api.rs (target/debug/deps/api-6e9b59b7abe3b2f5)

test add_is_public ... FAILED
   Doc-tests money

test src/lib.rs - add (line 6) ... ok
`
	require.Equal(t, "doc tests of money › src/lib.rs - add: passed\nsrc/lib.rs › tests::adds: passed\nsrc/lib.rs › tests::adds_negative: skipped\ntests/api.rs › add_is_public: failed",
		told(testresult.Output([]byte(text))))
	r := testresult.Output([]byte("   Compiling money v0.1.0 (/tmp/money)\nerror[E0425]: cannot find function\nerror: could not compile `money` (lib test) due to 1 previous error\n"))
	require.Equal(t, "broken: money", told(r))
}

func TestReportsAreCountedByTheirCases(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"pytest, with rows and an expected failure": {
			`<?xml version="1.0"?><testsuites><testsuite name="pytest" tests="3"><testcase classname="tests.test_tariff" name="test_price[51-180]" time="0"/>` +
				`<testcase classname="tests.test_tariff" name="test_total"><skipped type="pytest.xfail" message="x"/></testcase>` +
				`<testcase classname="" name="tests.test_more"><error message="collection failure">E</error></testcase></testsuite></testsuites>`,
			"pytest › tests.test_more: failed\ntests.test_tariff › test_price[51-180]: passed\ntests.test_tariff › test_total: skipped",
		},
		"node, with a test still to be done and a file that failed to load": {
			`<testsuites><testsuite name="cart"><testcase name="sums" classname="test"><skipped type="todo"/><failure>no</failure></testcase></testsuite>` +
				`<testcase name="removes" classname="test"/><testcase name="/p/test/a.test.js" classname="test"/><testcase name="/p/test/b.test.js" classname="test"><failure/></testcase></testsuites>`,
			"cart › sums: skipped\nremoves: passed\nbroken: test/b.test.js",
		},
		"attributes that lie": {
			`<testsuite name="wc" tests="3" failures="0"><testcase classname="wc" name="two"><failure/></testcase></testsuite>`, "wc › two: failed",
		},
		"two of one name": {
			`<testsuite><testcase classname="a" name="x"/><testcase classname="a" name="x"><failure/></testcase></testsuite>`, "a › x: passed\na › x #2: failed",
		},
	} {
		r, err := testresult.JUnit([]byte(c.text), "/p")
		require.NoError(t, err, name)
		require.Equal(t, c.want, told(r), name)
	}
	for _, text := range []string{"", "<project/>", "no xml", `<testsuite><testcase name="x"/>`} {
		_, err := testresult.JUnit([]byte(text), "")
		require.Error(t, err, text)
	}
}

func TestWhatNoRunnerSaidIsNotCounted(t *testing.T) {
	for _, text := range []string{"", "5 passing\n", "ok\n", "ok  \texample.com/shelf\t0.1s\n", "test one ... ok\n"} {
		r := testresult.Output([]byte(text))
		require.False(t, r.Counted(), text)
		require.Equal(t, "tests that cannot be counted", r.String())
	}
}

func of(tests ...string) testresult.Result {
	r := testresult.Result{Runners: []string{"go"}, Tests: map[string]testresult.Outcome{}}
	for _, name := range tests {
		o := testresult.Passed
		switch name[0] {
		case '-':
			o = testresult.Failed
		case '~':
			o = testresult.Skipped
		}
		r.Tests[strings.TrimLeft(name, "-~")] = o
	}
	return r
}

func TestCompare(t *testing.T) {
	for name, c := range map[string]struct {
		before, after testresult.Result
		want          testresult.Change
	}{
		"an honest change":              {of("a"), of("a", "b"), testresult.Change{Added: []string{"b"}}},
		"a test deleted":                {of("a", "b"), of("b"), testresult.Change{Lost: []string{"a"}}},
		"a test renamed":                {of("a"), of("b"), testresult.Change{Lost: []string{"a"}, Added: []string{"b"}}},
		"a test moved to another class": {of("p › a"), of("q › a"), testresult.Change{Moved: map[string]string{"p › a": "q › a"}, Added: []string{"q › a"}}},
		"rows lost":                     {of("a", "a/x", "a/y"), of("a", "a/x"), testresult.Change{Lost: []string{"a/y"}}},
		"a table lost":                  {of("a", "a/x", "a/y"), of(), testresult.Change{Lost: []string{"a"}}},
		"a test skipped":                {of("a"), of("~a"), testresult.Change{Skipped: []string{"a"}}},
		"an old skip":                   {of("~a"), of("~a"), testresult.Change{}},
		"an old failure":                {of("-a"), of("-a"), testresult.Change{Red: []string{"a"}}},
		"an old failure skipped":        {of("-a"), of("~a"), testresult.Change{Skipped: []string{"a"}}},
		"an old failure mended":         {of("-a"), of("a"), testresult.Change{Fixed: []string{"a"}}},
		"a test broken":                 {of("a"), of("-a"), testresult.Change{Failing: []string{"a"}}},
		"a new test that fails":         {of("a"), of("a", "-b"), testresult.Change{Failing: []string{"b"}, Added: []string{"b"}}},
	} {
		require.Equal(t, c.want, testresult.Compare(c.before, c.after), name)
	}
}

func TestShown(t *testing.T) {
	for name, c := range map[string]struct {
		before, onBefore, after testresult.Result
		want                    map[string]string
	}{
		"it fails without the change":       {of("a"), of("a", "-b"), of("a", "b"), map[string]string{"b": testresult.FailsBefore}},
		"it does not build without":         {of("a"), of(), of("a", "b"), map[string]string{"b": testresult.CannotRunBefore}},
		"it passes without":                 {of("a"), of("a", "b"), of("a", "b"), map[string]string{}},
		"nothing new":                       {of("a"), of("a"), of("a"), map[string]string{}},
		"an old test with a new assertion":  {of("a"), of("-a"), of("a"), map[string]string{"a": testresult.FailsBefore}},
		"an old test that was red is green": {of("-a"), of("-a"), of("a"), map[string]string{"a": testresult.WasRed}},
		"a new test that is skipped":        {of("a"), of("a", "~b"), of("a", "~b"), map[string]string{}},
	} {
		require.Equal(t, c.want, testresult.ProvingTests(c.before, c.onBefore, c.after), name)
	}
}

// Whatever two runs were, every test of before is accounted for.
func TestNoTestIsForgotten(t *testing.T) {
	outcomes := []testresult.Outcome{testresult.Passed, testresult.Failed, testresult.Skipped}
	draw := func(t *rapid.T, label string) testresult.Result {
		return testresult.Result{Runners: []string{"x"}, Tests: rapid.MapOf(rapid.StringMatching(`([pq] › )?[a-c](/[xy])?`), rapid.SampledFrom(outcomes)).Draw(t, label)}
	}
	rapid.Check(t, func(t *rapid.T) {
		before, after := draw(t, "before"), draw(t, "after")
		c := testresult.Compare(before, after)
		for name, was := range before.Tests {
			is := after.Tests[name]
			lost := slices.Contains(c.Lost, name) || c.Moved[name] != "" || slices.ContainsFunc(c.Lost, func(l string) bool { return strings.HasPrefix(name, l+"/") })
			require.True(t, is != "" || lost, name)
			require.False(t, is != "" && slices.Contains(c.Lost, name), name)
			require.Equal(t, was != testresult.Skipped && is == testresult.Skipped, slices.Contains(c.Skipped, name), name)
			require.Equal(t, was != testresult.Failed && is == testresult.Failed, slices.Contains(c.Failing, name), name)
		}
	})
}

// The command made ready comes to the same end, and what it says is counted.
func TestACommandMadeReadyIsCounted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a folder")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	run := func(command string) (string, int) {
		cmd := exec.Command("/bin/sh", "-c", testresult.CountableCommand(command, dir))
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput() // its end is asked for next
		return string(out), cmd.ProcessState.ExitCode()
	}
	_, code := run("exit 3")
	require.Equal(t, 3, code)
	_, code = run("no-such-program-here")
	require.Equal(t, 127, code)
	put := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	put("go.mod", "module example.com/shelf\n\ngo 1.22\n")
	put("a_test.go", "package shelf\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n")
	for _, command := range []string{"go test ./...", "(go test)", "sh ./run-tests"} {
		put("run-tests", "go test ./...\n")
		out, code := run(command)
		require.Zero(t, code, out)
		require.Equal(t, "example.com/shelf › TestA: passed", told(testresult.Output([]byte(out))), command)
	}
	if _, err := exec.LookPath("node"); err != nil {
		return
	}
	put("a.test.js", "import {test} from 'node:test';\ntest('adds', () => {});\n")
	put("package.json", `{"type":"module"}`)
	out, code := run("node --test")
	require.Zero(t, code, out)
	data, err := os.ReadFile(filepath.Join(dir, "node.xml"))
	require.NoError(t, err, out)
	r, err := testresult.JUnit(data, dir)
	require.NoError(t, err)
	require.Equal(t, "adds: passed", told(r))
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("--- PASS: TestA (0.00s)\nok  \tp\t0.1s\n"))
	f.Add([]byte(`{"Action":"fail","Package":"p","Test":"T"}`))
	f.Add([]byte("   Doc-tests m\n\ntest a - b (line 6) ... ok\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := testresult.Output(data)
		for name := range r.Tests {
			require.NotContains(t, name, "\n")
			require.NotContains(t, name, "\x1b")
		}
		require.Empty(t, testresult.Compare(r, r).Lost)
	})
}

func FuzzJUnit(f *testing.F) {
	f.Add([]byte(`<testsuites><testsuite name="a"><testcase name="x"><failure/></testcase></testsuite></testsuites>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := testresult.JUnit(data, "/p")
		if err != nil {
			return
		}
		require.True(t, r.Counted())
		for name := range r.Tests {
			require.NotContains(t, name, "\n")
		}
	})
}
