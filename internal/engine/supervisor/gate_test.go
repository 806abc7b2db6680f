package supervisor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/test/cli"
)

// turn is what a worker does to a small project in testdata/gate, and what has
// to come of it.
type turn struct {
	name   string
	stands bool // for the others, where not every one is run
	passes bool
	// told is what people are told of it.
	told []string
	// judged is what whoever judges the change has to be shown: seeing all of it,
	// the judge refuses a change that is not to pass, and would else accept.
	judged []string
	// gone are tests whose loss the judge finds right.
	gone    []string
	command string // of the tests, where it is another
	red     bool   // a person accepts that tests are red before it
}

// gate is how a runner's tests are run. One without tools costs little: all its
// turns are taken at each test. Of the others a few stand for all, unless the
// whole matrix is asked for: each turn is a campaign that compiles and starts its
// project some five times.
type gate struct {
	runner, command string
	tools           []string
}

func TestChangesToAGoProjectAtTheGate(t *testing.T) {
	gate{"go", "go test ./...", []string{"go"}}.try(t, []turn{
		{name: "a feature and its test", stands: true, passes: true, told: []string{"before: 8 tests (go); after: 9 tests (go); shown by example.com/shelf › TestRemove (cannot run on the code before)"}},
		{name: "nothing is changed", told: []string{"no change was made"}},
		{name: "a test file is deleted", judged: []string{"LOST: ran before and are not there now: example.com/shelf › TestAdd; example.com/shelf › TestTotal"}, told: []string{"lost: example.com/shelf › TestAdd, example.com/shelf › TestTotal"}},
		{name: "a test is skipped", stands: true, judged: []string{"SKIPPED: ran before and do not now: example.com/shelf › TestTotal", `+	t.Skip("flaky")`}, told: []string{"skipped: example.com/shelf › TestTotal"}},
		{name: "a test is renamed", passes: true, gone: []string{"example.com/shelf › TestAdd"}, judged: []string{"not there now: example.com/shelf › TestAdd", "new: example.com/shelf › TestAddTwiceCountsTwo"}},
		{name: "rows of subtests are gone", stands: true, judged: []string{"not there now: example.com/shelf › TestKey/empty; example.com/shelf › TestKey/space"}},
		{name: "rows of a loop are gone", judged: []string{`-		" X ":           "x",`, `-		{"space", "  Emma ", "emma"},`}},
		{name: "a test is emptied", judged: []string{"+func TestTotal(t *testing.T) {}"}},
		{name: "a test is commented out", judged: []string{"not there now: example.com/shelf › TestTotal"}},
		{name: "tests are behind a build tag", judged: []string{"not there now: example.com/shelf › TestAdd; example.com/shelf › TestTotal"}},
		{name: "an assertion is weaker", judged: []string{"+	if got := s.Total(); got == 0 {"}},
		{name: "the new test passes before", told: []string{"no test fails on the code before and passes now: without the change these pass too: example.com/shelf › TestRemoveFeature"}},
		{name: "tests are moved", passes: true},
		{name: "TestMain runs no test", stands: true, told: []string{"runs no test any more; lost: example.com/shelf › TestAdd"}},
		{name: "a stub that compiles", judged: []string{"TestRemove (cannot run on the code before)", `+func TestRemove(t *testing.T) { New().Remove("Emma") }`}},
		{name: "a test file is out of sight", judged: []string{"not there now: example.com/shelf › TestAdd; example.com/shelf › TestTotal"}},
		{name: "a test is skipped in short runs", passes: true, judged: []string{"+	if testing.Short() {"}},
		{name: "a helper checks nothing", judged: []string{"+func eq(t *testing.T, got, want int) {}"}},
		{name: "a golden file is rewritten", judged: []string{"## The change in tests, and in what they are held against", "testdata/total.golden", "+total 1"}},
		{name: "a test looks for a file", judged: []string{"remove.done", `os.Stat("remove.done")`}},
		{name: "the worker commits", judged: []string{"not there now: example.com/shelf › TestAdd; example.com/shelf › TestTotal"}},
		{name: "the worker writes that it passes", told: []string{"no change was made"}},
		{name: "another package is deleted", judged: []string{"not there now: example.com/shelf/internal/csv › TestSplit"}},
		{name: "another package does not build", stands: true, told: []string{"cannot be run any more: example.com/shelf/internal/csv"}},
		{name: "code is to go with its test", passes: true, gone: []string{"example.com/shelf › TestTotal"}, judged: []string{"to be shown by a check, since the breakdown says that no test can: no method Total in the package"}},
	})
}

func TestChangesToANodeProjectAtTheGate(t *testing.T) {
	t.Parallel()
	gate{"node", "node --test", []string{"node", "npm"}}.try(t, []turn{
		{name: "a feature and its tests", stands: true, passes: true, told: []string{"before: 3 tests (JUnit XML); after: 5 tests (JUnit XML); shown by"}},
		{name: "a test is skipped", judged: []string{"SKIPPED: ran before and do not now: cart › sums price times number"}},
		{name: "a test is still to do", judged: []string{"SKIPPED: ran before and do not now: cart › sums price times number"}},
		{name: "the script echoes", command: "npm test", told: []string{"runs no test any more; lost: cart › adds an item, cart › is 0 when empty, cart › sums price times number"}},
		{name: "a test file ends the process", judged: []string{"not there now: cart › adds an item; cart › is 0 when empty; cart › sums price times number"}},
		{name: "an assertion is weaker", judged: []string{`assert.ok(total(add([], "tea", 300, 2)))`}},
		{name: "a test awaits nothing", told: []string{"without the change these pass too: removes by name"}},
		{name: "the script runs one file", command: "npm test", judged: []string{"not there now: cart › adds an item; cart › is 0 when empty; cart › sums price times number"}},
		{name: "one test only", command: "npm test", judged: []string{"not there now: cart › adds an item; cart › is 0 when empty; cart › sums price times number"}},
		{name: "a test is emptied", judged: []string{"-    assert.equal(total(add([], 'tea', 300, 2)), 600);"}},
		{name: "an ignored file is needed", stands: true, told: []string{"the commit would lack what its tests need: git ignores data/rates.json, or did when the attempt began, and without that these fail: rates"}},
		{name: "an ignored file is a log", passes: true},
		{name: "packages are installed", passes: true},
		{name: "packages are installed by the worker", stands: true, passes: true},
		{name: "an ignored file was needed before", passes: true},
	})
}

func TestChangesToAPytestProjectAtTheGate(t *testing.T) {
	t.Parallel()
	gate{"pytest", "python3 -m pytest", []string{"python3"}}.try(t, []turn{
		{name: "a feature and its tests", stands: true, passes: true, told: []string{"before: 7 tests (JUnit XML); after: 9 tests (JUnit XML); shown by"}},
		{name: "a test is skipped", judged: []string{"SKIPPED: ran before and do not now: tests.test_tariff › test_total"}},
		{name: "a test is expected to fail", stands: true, judged: []string{"SKIPPED: ran before and do not now: tests.test_tariff › test_total"}},
		{name: "an assertion is weaker", judged: []string{"-    assert x == 205", "+    assert x"}},
		{name: "a test is deselected", judged: []string{"not there now: tests.test_tariff › test_total"}},
		{name: "a file is not collected", judged: []string{"tests.test_tariff › test_zero_is_refused"}},
		{name: "failures are made passes", judged: []string{"tests/conftest.py", `+        rep.outcome = "passed"`}},
		{name: "a row is gone", judged: []string{"not there now: tests.test_tariff › test_price[51-180]"}},
		{name: "a test is not collected", judged: []string{"not there now: tests.test_tariff › test_total"}},
		{name: "a test is shadowed", judged: []string{"+def test_total():"}},
		{name: "an assertion is swallowed", judged: []string{"+    except AssertionError:"}},
		{name: "tests are merged", passes: true, gone: []string{"tests.test_tariff › test_zero_is_refused"}, judged: []string{"not there now: tests.test_tariff › test_zero_is_refused"}},
		{name: "a test that cannot fail", judged: []string{"+    assert True or discounted([10], 10) == 85"}},
		{name: "a document to be checked", passes: true, judged: []string{"to be shown by a check", "README exists and its example gives the stated value"}},
		{name: "a document in place of a test", told: []string{"no test fails on the code before and passes now: none was added or changed"}},
		{name: "a document that is wrong", stands: true, judged: []string{"+    price(21)  # 95"}},
	})
}

func TestChangesToACargoProjectAtTheGate(t *testing.T) {
	t.Parallel()
	gate{"cargo", "cargo test", []string{"cargo", "rustc", "rustdoc", "cc", "ld"}}.try(t, []turn{
		{name: "a feature and its test", stands: true, passes: true, told: []string{"before: 4 tests (cargo); after: 5 tests (cargo); shown by"}},
		{name: "a test is ignored", stands: true, judged: []string{"SKIPPED: ran before and do not now: src/lib.rs › tests::adds_negative"}},
		{name: "tests are behind a feature", judged: []string{"not there now: src/lib.rs › tests::adds; src/lib.rs › tests::adds_negative"}},
		{name: "tests are not found", told: []string{"no test fails on the code before and passes now"}},
		{name: "a test should panic", judged: []string{"+    #[should_panic]"}},
	})
}

func TestChangesAtTheGateWithReportsInXML(t *testing.T) {
	t.Parallel()
	gate{"junit", "sh run-tests.sh", nil}.try(t, []turn{
		{name: "a feature and its test", passes: true, told: []string{"before: 2 tests (JUnit XML); after: 3 tests (JUnit XML); shown by wc › lines"}},
		{name: "a report is stale", told: []string{"runs no test any more; lost: wc › none, wc › two"}},
		{name: "a test is skipped", judged: []string{"SKIPPED: ran before and do not now: wc › none"}},
		{name: "attributes lie", told: []string{"failing: wc › two"}},
		{name: "tests that cannot be counted", command: "make test", passes: true, told: []string{"`make test` names no test in a form that is known here", "with the new tests the code before is red"}, judged: []string{"Whether one was lost has to be seen from the change"}},
		{name: "a red test stays red", red: true, passes: true, told: []string{
			"Accepted by a person: 1 of 2 tests are red before anything is built: wc › none", "after: 3 tests, 1 failed (JUnit XML); still red: wc › none; shown by wc › lines",
		}, judged: []string{"red before and now: wc › none"}},
		{name: "a red test is mended", red: true, passes: true, told: []string{"green now: wc › none"}, judged: []string{"red before, green now: wc › none"}},
		{name: "a red test is deleted", red: true, judged: []string{"not there now: wc › none"}},
		{name: "a test turns red beside a red one", red: true, told: []string{"failing: wc › two"}},
	})
}

// try lets a worker take each of the turns, once, and a judge look at it.
func (g gate) try(t *testing.T, turns []turn) {
	if why := g.lacking(); why != "" {
		t.Skip(why)
	}
	ar, err := txtar.ParseFile(filepath.Join("testdata", "gate", g.runner+".txtar"))
	require.NoError(t, err)
	path := t.TempDir()
	require.NoError(t, link(path, append(strings.Fields(tools), g.tools...)))
	tried := map[string]bool{}
	var others []turn
	take := func(t *testing.T, x turn) {
		if x.command == "" {
			x.command = g.command
		}
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			g.take(t, ar, path, x)
		})
	}
	for _, x := range turns {
		tried[x.name] = true
		if x.stands || len(g.tools) == 0 {
			take(t, x)
		} else {
			others = append(others, x)
		}
	}
	if len(others) > 0 {
		t.Run("of the matrix", func(t *testing.T) {
			cli.InMatrix(t)
			t.Parallel()
			for _, x := range others {
				take(t, x)
			}
		})
	}
	for _, f := range ar.Files {
		name, script := strings.CutSuffix(f.Name, ".sh")
		require.False(t, script && !strings.Contains(name, "/") && name != "honest" && name != "broken" && !tried[name], "%s is never tried", name)
	}
}

// lacking says which program is not there.
func (g gate) lacking() string {
	for _, tool := range g.tools {
		if _, err := find(tool); err != nil {
			return err.Error()
		}
	}
	answers := map[string][]string{"cargo": {"cargo", "--version"}, "pytest": {"python3", "-m", "pytest", "--version"}}
	if command := answers[g.runner]; command != nil {
		program, err := find(command[0])
		if err != nil {
			return err.Error()
		}
		if out, err := exec.Command(program, command[1:]...).CombinedOutput(); err != nil {
			return string(out)
		}
	}
	return ""
}

// coder builds the feature that it is asked for by a script.
const coder = `ROOT=$(cd "$DESK/../../../.." && pwd); CASE=$CALLS
if [ $ROLE = code ]; then
  cd "$ROOT"; set -e; . "$CALLS/turn.sh"; set +e
  printf '{"id":"F001","claims":"pass","summary":"It is done."}' > "$DESK/feature.json"
fi
`

// sees is a judge who says what is written down for it once the change shows
// all that it looks for, and else yes.
const sees = `cp "$CHANGE" "$CALLS/change.md"
while IFS= read -r text; do
  grep -qF -- "$text" "$CHANGE" || judged true 'nothing is wrong with it'
done < "$CALLS/evidence"
cp "$CALLS/verdict" "$RESEARCH_REPORT_PATH"; exit 0
`

func (g gate) take(t *testing.T, ar *txtar.Archive, path string, x turn) {
	c := newCampaign(t, campaign.Implement, coder)
	c.env = []string{
		"PATH=" + path, "NODE_EXTRA_CA_CERTS=", // no node here asks a server
		"GOFLAGS=-trimpath -vet=off -ldflags=-s", // what is compiled once is the same in every folder
	}
	c.setup.Seats[0].Args = []string{"{prompt_file}"}
	campaign.Of(c.setup.Own).Iterations, campaign.Of(c.setup.Own).Test, campaign.Of(c.setup.Own).AcceptRed = 1, x.command, x.red
	g.lay(c, ar, x)
	r := c.run()
	progress := c.paper(campaign.Progress)
	require.Equal(t, x.passes, c.first().Passes, "%s\n%s", r.Reason, progress)
	for _, text := range x.told {
		require.Contains(t, progress, text)
	}
	if x.judged != nil || x.passes {
		shown, err := os.ReadFile(filepath.Join(c.calls, "change.md"))
		require.NoError(t, err, "nobody has judged it:\n%s", progress)
		for _, text := range x.judged {
			require.Contains(t, string(shown), text)
		}
	}
	subjects := "start\n"
	if x.passes {
		subjects = "F001: " + c.first().Name + "\n" + subjects
	}
	log := c.git("log", "--format=%s")
	require.Equal(t, subjects, strings.ReplaceAll(log, "Take back what was set aside\nF001\n", ""))
	require.Empty(t, c.git("status", "--porcelain", "--", ".", ":!docs", ":!research", ":!NOTES.txt"), "%s", progress)
	require.FileExists(t, filepath.Join(c.project, "NOTES.txt"), "what is the person's stays")
}

// lay makes the project of a turn, under git, with the feature to be built and a
// judge.
func (g gate) lay(c *councilRun, ar *txtar.Archive, x turn) {
	files := map[string]string{}
	for _, f := range ar.Files {
		switch top, name, below := strings.Cut(f.Name, "/"); {
		case below && (top == "the project" || top == x.name):
			files[name] = string(f.Data)
		case f.Name == x.name+".sh":
			require.NoError(c, os.WriteFile(filepath.Join(c.calls, "turn.sh"), f.Data, 0o600))
		case !below && strings.HasSuffix(f.Name, ".sh"):
			require.NoError(c, os.WriteFile(filepath.Join(c.calls, f.Name), f.Data, 0o600))
		case f.Name == "the project.json" || f.Name == x.name+".json":
			c.write("docs/research-a-topic/feature-list.json", `{"features":[`+string(f.Data)+"]}\n")
		}
	}
	for name, text := range files {
		if text != "" {
			c.write(name, text)
		}
	}
	c.git("init", "-q", ".")
	c.git("config", "user.email", "person@example.invalid")
	c.git("config", "user.name", "A person")
	c.git("add", ".", ":!docs")
	c.git("commit", "-q", "-m", "start")
	c.write("NOTES.txt", "mine\n")
	if files["init.sh"] != "" {
		cmd := exec.Command("sh", "init.sh")
		cmd.Dir, cmd.Env = c.project, c.environ()
		out, err := cmd.CombinedOutput()
		require.NoError(c, err, string(out))
	}
	campaign.Of(c.setup.Own).Plan = "docs/research-a-topic/feature-list.json"
	verdict := map[string]any{"accept": x.passes, "reason": "as it is shown", "checked": "the change", "tests": []any{}}
	for _, name := range x.gone {
		verdict["tests"] = append(verdict["tests"].([]any), map[string]any{"test": name, "accept": true, "reason": "the same is held elsewhere"})
	}
	data, err := json.Marshal(verdict)
	require.NoError(c, err)
	judge := fmt.Sprintf("CHANGE='%s'\n", filepath.Join(c.project, "research", c.setup.ID, campaign.ChangeText)) + sees
	for name, text := range map[string]string{"verdict": string(data), "evidence": strings.Join(append(x.judged, ""), "\n"), "judge.sh": judge} {
		require.NoError(c, os.WriteFile(filepath.Join(c.calls, name), []byte(text), 0o600))
	}
}
