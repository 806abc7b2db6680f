package supervisor_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent/corpus"
	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/output/telemetry"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/project/confine"
)

// The test binary is the keeper too, a supervisor that can be killed, and the
// seat that needs no model. Started as anything else it ends at once: it must
// never run the tests within a test.
// withStateFolder keeps what is noted of the person apart from whoever runs the tests.
func withStateFolder(run func() int) int {
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv("XDG_STATE_HOME", dir); err != nil {
		panic(err)
	}
	return run()
}

func TestMain(m *testing.M) {
	supervisor.TestProducts = product.All(product.Settings{})
	if code, mine := proc.Main(os.Args); mine {
		os.Exit(code)
	}
	if code, mine := confine.RunInside(os.Args); mine {
		os.Exit(code)
	}
	if len(os.Args) == 1 || strings.HasPrefix(os.Args[1], "-") {
		os.Exit(withFewTools(func() int { return withStateFolder(m.Run) }))
	}
	if err := program(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// machine is the PATH of this machine.
var machine = os.Getenv("PATH")

// tools are what fakes call.
const tools = "awk basename cat chmod cp cut date dd dirname echo env find git grep head ln ls make mkdir mv rm sed seq setsid sh sleep sort tail tee touch tr true uniq wc yes"

// keeper names the small program, built once, that is started with every child.
const keeper = "TEST_KEEPER"

// withFewTools leaves the tools in the PATH and nothing else while it runs: no
// TeX, for papers are built elsewhere, and no box.
func withFewTools(run func() int) int {
	dir, err := os.MkdirTemp("", "tools-")
	if err == nil {
		defer os.RemoveAll(dir)
		hook := filepath.Join(dir, "council-hook")
		build := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-s -w", "-o", hook, "github.com/research-council/research-council/cmd/council-hook")
		build.Stderr = os.Stderr
		err = errors.Join(build.Run(), os.Setenv(keeper, hook), link(dir, strings.Fields(tools)), os.Setenv("PATH", dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}

// link puts programs of this machine into a folder.
func link(dir string, names []string) error {
	for _, name := range names {
		program, err := find(name)
		if err != nil {
			return err
		}
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// boxed gives the test the PATH of this machine, with bubblewrap, and skips it
// where that cannot confine. Each supervisor asks the package managers where they
// fetch from: here fakes that do not say, which takes no time.
func boxed(t *testing.T) {
	t.Helper()
	fakes := t.TempDir()
	for _, manager := range []string{"go", "npm", "python3", "gem"} {
		require.NoError(t, os.WriteFile(filepath.Join(fakes, manager), []byte("#!/bin/sh\nexit 1\n"), 0o700))
	}
	t.Setenv("PATH", fakes+string(filepath.ListSeparator)+machine)
	if _, err := confine.Find(t.Context()); err != nil {
		t.Skip(err)
	}
}

// find looks for a program on this machine.
func find(name string) (string, error) {
	for _, dir := range filepath.SplitList(machine) {
		program := filepath.Join(dir, name)
		if info, err := os.Stat(program); err != nil || info.IsDir() || info.Mode().Perm()&0o111 == 0 {
			continue
		}
		if name != "python3" {
			return program, nil
		}
		out, err := exec.Command(program, "-c", "import sys; print(sys.executable)").Output() // it may be a script that looks for it
		return strings.TrimSpace(string(out)), err
	}
	return "", fmt.Errorf("find %s: %w", name, exec.ErrNotFound)
}

func program(args []string) error {
	ctx := context.Background()
	switch {
	case len(args) == 4 && args[0] == "supervise":
		fill(os.Getenv(fullDisk))
		_, err := supervisor.Supervise(ctx, supervisor.Options{Project: args[2], ID: args[3], Council: self(), Hook: os.Getenv(keeper), Environ: os.Environ(), Products: product.All(product.Settings{Notion: delivers()}), Record: records, Traceparent: telemetry.Traceparent})
		return err
	case len(args) == 2 && args[0] == "begin":
		var s flow.Setup
		data, err := os.ReadFile(args[1])
		if err == nil {
			err = json.Unmarshal(data, &s)
		}
		if err != nil {
			return err
		}
		fill(os.Getenv(fullDisk))
		_, err = product.Begin(s, time.Now())
		return err
	case len(args) > 1 && args[0] == "desk" && slices.Contains(args, "--experiments"):
		return serveExperiments(ctx, args[1:])
	case len(args) == 11 && args[0] == "desk":
		return serveTrials(ctx, args[1:])
	case len(args) > 1 && args[0] == "at-desk":
		return atDesk(ctx, args[1:])
	case len(args) > 2 && args[0] == "fake-claude":
		return fakeClaude(ctx, args[1], args[2:])
	case len(args) == 2 && args[0] == "librarian":
		write := func(name string, data []byte) error { return os.WriteFile(name, data, 0o600) }
		return librarian.Main(ctx, args[1], librarian.TurnIO{Read: os.ReadFile, Write: write, Open: shelves, Out: os.Stdout, Roles: product.LibrarianRoles()})
	}
	return fmt.Errorf("nothing is done for %q", args)
}

// shelves opens a scope for the librarian.
func shelves(ctx context.Context, index, scope string) (librarian.Library, error) {
	return corpus.Open(ctx, index, scope)
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// words is prose enough for a report to count as one.
var words = strings.Repeat("The collector paces itself by the heap goal and by what the mutators allocate. ", 6)

const supports = `case "$RESEARCH_REPORT_PATH" in *-comparison-*.json)
awk 'BEGIN{printf "{\"pairs\":["} /^- C/{printf "%s{\"pair\":\"%s\",\"relation\":\"unrelated\",\"words\":\"as they say\"}", sep, $2; sep=","} END{print "]}"}' "$(dirname "$RESEARCH_REPORT_PATH")"/inputs/pairs-*.md > "$RESEARCH_REPORT_PATH"; exit ;;
esac
if [ $ROLE = support ]; then
sed -n 's/^## \(C[0-9]*\)$/{"id":"\1","answer":"supports","reason":"it says so"}/p' "$(dirname "$RESEARCH_REPORT_PATH")"/inputs/ballot-*.md > "$RESEARCH_REPORT_PATH"
printf '\n<!-- RESEARCH_COMPLETE -->\n' >> "$RESEARCH_REPORT_PATH"; exit
fi
`

// good is a fake agent that records a claim which holds, writes a report, says
// which turn it was in a file of its own, and marks the report complete. It
// supports whatever it is asked to vote on, and finds no two claims alike.
const good = supports + `echo turn >> "$CALLS/$SEAT-$ROLE"
[ $ROLE = research ] && printf '{"text":"The collector paces itself by the heap goal.","quote":"The collector paces itself by the heap goal and by what the mutators allocate.","source":"notes.md"}\n' > "$(dirname "$RESEARCH_REPORT_PATH")/claims.jsonl"
printf '# Report of %s\n\n## Key Findings\n\n%s\n\n<!-- RESEARCH_COMPLETE -->\n' "$SEAT" "$WORDS" > "$RESEARCH_REPORT_PATH"
`

// councilRun is a run of fake agents, each a real executable.
type councilRun struct {
	*testing.T
	project, calls string
	env            []string // of what it starts, in place of the test's own
	setup          flow.Setup
}

func newCouncil(t *testing.T, scripts map[string]string) *councilRun {
	id, err := workspace.NewID(time.Now(), rand.Reader) // its own: a sweep for one run's processes spares those of others
	require.NoError(t, err)
	c := &councilRun{T: t, project: t.TempDir(), calls: t.TempDir()}
	c.setup = flow.Setup{
		ID: id, Workflow: "council", Topic: "How does it work?", Root: c.project, Tier: "cheap",
		Loop: loop.Rule{Iterations: 2, Retries: 1, Stuck: 2}, Limits: budget.Limits{Turns: 50, Time: time.Hour}, Turn: time.Minute,
		Plan: scope.Plan{Mode: scope.Exploratory, Debate: scope.Off, Budget: scope.Low}, // those who judge have tests of their own
	}
	c.setup.Scope = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(c.setup.Scope, "notes.md"), []byte(words+"\n"), 0o600))
	for _, name := range []string{"ada", "bea", "cid"} {
		script, ok := scripts[name]
		if !ok {
			continue
		}
		path := filepath.Join(c.calls, name+".sh")
		env := fmt.Sprintf("#!/bin/sh\nCALLS='%s'; SEAT=%s; WORDS='%s'\ncase \"$RESEARCH_REPORT_PATH\" in *-refined.md) ROLE=refinement;; *synthesis.md) ROLE=synthesis;; *-votes.md) ROLE=support;; *) ROLE=research;; esac\n", c.calls, name, words)
		require.NoError(t, os.WriteFile(path, []byte(env+script), 0o700))
		c.setup.Seats = append(c.setup.Seats, flow.Seat{Name: name, Kind: "command", Brand: name, Program: path})
	}
	t.Cleanup(func() { _, _ = proc.EndMarked(supervisor.ProcessMark(id)) })
	return c
}

func (c *councilRun) options() supervisor.Options {
	return supervisor.Options{Project: c.project, ID: c.setup.ID, Council: self(), Hook: os.Getenv(keeper), Environ: c.environ(), Products: product.All(product.Settings{}), Traceparent: telemetry.Traceparent}
}

func (c *councilRun) environ() []string {
	replaced := func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.ContainsFunc(c.env, func(own string) bool { return strings.HasPrefix(own, name+"=") })
	}
	return append(slices.DeleteFunc(os.Environ(), replaced), c.env...)
}

func (c *councilRun) begin() {
	f, err := product.Begin(c.setup, time.Now())
	require.NoError(c, err)
	require.NoError(c, f.Close())
}

func (c *councilRun) run() flow.Run {
	c.begin()
	ctx, cancel := context.WithTimeout(c.Context(), 5*time.Minute)
	defer cancel()
	r, err := supervisor.Supervise(ctx, c.options())
	require.NoError(c, err)
	return r
}

func (c *councilRun) folder() string { return filepath.Join(c.project, "research", c.setup.ID) }

func (c *councilRun) file(name string) string {
	data, err := os.ReadFile(filepath.Join(c.folder(), name))
	require.NoError(c, err)
	return string(data)
}

func (c *councilRun) has(name string) bool {
	_, err := os.Stat(filepath.Join(c.folder(), name))
	return err == nil
}

// turns counts how often a fake agent was called in a role.
func (c *councilRun) turns(seat, role string) int {
	data, err := os.ReadFile(filepath.Join(c.calls, seat+"-"+role))
	if err != nil {
		return 0
	}
	return strings.Count(string(data), "\n")
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	bound := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-bound:
			require.FailNow(t, "it never happened: "+what)
		}
	}
}

// A synthesis records no claims: one that is sent back is told what is wrong
// with it, and not how to go on with research.
func TestASynthesisIsSentBackAsOne(t *testing.T) {
	t.Parallel()
	asked := `[ $ROLE = synthesis ] && cat > "$CALLS/asked.$(cat "$CALLS/$SEAT-synthesis" 2>/dev/null | wc -l)"` + "\n"
	c := newCouncil(t, map[string]string{"ada": asked + good, "bea": good})
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	again, err := os.ReadFile(filepath.Join(c.calls, "asked.1"))
	require.NoError(t, err, "what it wrote cites nothing, so it is asked twice")
	require.Contains(t, string(again), "is not accepted as it stands")
	require.NotContains(t, string(again), "record each new claim")
}

func TestACouncilEndsInAReport(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good, "bea": good, "cid": good})
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	for _, name := range []string{"ada-report.md", "bea-report.md", "cid-report.md", "ada-refined.md", "bea-refined.md", "cid-refined.md", "registry.json", "final-report.md"} {
		require.True(t, c.has(name), name)
	}
	log := c.file("progress.log")
	for _, line := range []string{"Phase 1: Ada research starting (iteration 1/2)", "Phase 1: All agents complete", "Phase 2: Starting refinement...", "Phase 2: All agents complete", "Run completed"} {
		require.Contains(t, log, line)
	}
	var st status.Status
	require.NoError(t, json.Unmarshal([]byte(c.file("status.json")), &st))
	require.Equal(t, "completed", st.Status)
	require.FileExists(t, st.Report)
	again, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, r.Seq, again.Seq)
}

func TestOneSeatFailingIsSaidAndGoneOnWithout(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good, "bea": "exit 70\n", "cid": good})
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.False(t, c.has("bea-report.md"))
	require.Zero(t, c.turns("bea", "refinement"))
	require.Equal(t, 1, c.turns("ada", "refinement"))
	require.Contains(t, c.file("final-report.md"), "bea")
}

func TestAllSeatsFailingSaysWhyAndKeepsEverything(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": "echo no login >&2; exit 77\n", "bea": "exit 0\n"})
	c.setup.Scope = "" // nobody can step in
	r := c.run()
	require.Equal(t, flow.Failed, r.Status)
	require.Contains(t, r.Reason, "ada")
	require.Contains(t, r.Reason, "bea")
	require.Contains(t, c.file("final-report.md"), "ada")
	require.True(t, c.has("journal.jsonl"))
}

func TestTheLibrarianSearchesWhereAllHaveFailed(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": "exit 64\n", "bea": "exit 64\n"})
	c.setup.Scope = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(c.setup.Scope, "work.md"), []byte("How it works: the work begins when the heap reaches its goal and ends when all is marked.\n"), 0o600))
	r := c.run()
	require.Equal(t, flow.Failed, r.Status, r.Reason)
	require.Contains(t, r.Reason, "ada: ")
	require.Contains(t, c.file("final-report.md"), "ada and bea, research: failed before an iteration had ended")
	require.Contains(t, c.file("registry.json"), "work.md")
	var measured score.Result
	require.NoError(t, json.Unmarshal([]byte(c.file("score.json")), &measured))
	require.Equal(t, 2, measured.Input.Failed, "who failed is not forgotten")
}

func TestWhatFailedSeatsHaveRecordedStands(t *testing.T) {
	t.Parallel()
	const recorded = `printf '{"text":"Work begins at the goal.","quote":"the work begins when the heap reaches its goal","source":"work.md"}\n' > claims.jsonl; exit 64` + "\n"
	c := newCouncil(t, map[string]string{"ada": recorded, "bea": "exit 64\n"})
	c.setup.Scope = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(c.setup.Scope, "work.md"), []byte("How it works: the work begins when the heap reaches its goal and ends when all is marked.\n"), 0o600))
	r := c.run()
	require.Equal(t, flow.Failed, r.Status, r.Reason)
	require.Contains(t, c.file("registry.json"), "Work begins at the goal.")
}

func TestARefinementThatFailsLetsTheFirstReportStandIn(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good, "bea": `[ $ROLE = refinement ] && exit 70` + "\n" + good})
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.False(t, c.has("bea-refined.md"))
}

func TestNoSeatSeesAnothersFindingsInResearch(t *testing.T) {
	t.Parallel()
	spy := `[ $ROLE = research ] && ls "$(dirname "$RESEARCH_REPORT_PATH")/../.." > "$CALLS/$SEAT-sees"` + "\n" + good
	c := newCouncil(t, map[string]string{"ada": good, "bea": "sleep 0.3\n" + spy})
	r := c.run()
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	sees, err := os.ReadFile(filepath.Join(c.calls, "bea-sees"))
	require.NoError(t, err)
	require.NotContains(t, string(sees), "ada-report.md")
}

func TestAKilledSupervisorIsTakenUpWithoutPayingTwice(t *testing.T) {
	t.Parallel()
	slow := `if [ $ROLE = refinement ] && [ ! -e "$CALLS/go" ]; then echo $$ >> "$CALLS/waits"; sleep 3600; fi` + "\n" + good
	c := newCouncil(t, map[string]string{"ada": good, "bea": slow})
	c.begin()
	cmd := exec.Command(self(), "supervise", "--project", c.project, c.setup.ID)
	cmd.Env = os.Environ()
	require.NoError(t, cmd.Start())
	until(t, "the second phase is under way", func() bool {
		_, err := os.Stat(filepath.Join(c.calls, "waits"))
		return err == nil && c.turns("ada", "refinement") == 1
	})
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	_ = cmd.Wait() // it was killed
	until(t, "its keepers have ended their trees", func() bool { return !alive(t, filepath.Join(c.calls, "waits")) })
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "go"), nil, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := supervisor.Supervise(ctx, c.options())
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	require.Equal(t, 2, r.Epoch)
	require.Equal(t, 1, c.turns("ada", "research"))
	require.Equal(t, 1, c.turns("bea", "research"))
	require.Equal(t, 1, c.turns("ada", "refinement"), "a finished turn is not taken again")
	require.Equal(t, 1, c.turns("bea", "refinement"))
	require.Contains(t, c.file("progress.log"), "Taken up again")
}

func alive(t *testing.T, pids string) bool {
	data, err := os.ReadFile(pids)
	require.NoError(t, err)
	for _, pid := range strings.Fields(string(data)) {
		var n int
		_, err := fmt.Sscan(pid, &n)
		require.NoError(t, err)
		if id, err := proc.Identify(n); err == nil && id.Alive() {
			return true
		}
	}
	return false
}

func TestTwoSupervisorsDoNotShareARun(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": `while [ ! -e "$CALLS/go" ]; do sleep 0.05; done` + "\n" + good})
	c.begin()
	done := make(chan error, 1)
	go func() {
		_, err := supervisor.Supervise(t.Context(), c.options())
		done <- err
	}()
	until(t, "the first works", func() bool { _, up := supervisor.Alive(c.project, c.setup.ID); return up })
	_, err := supervisor.Supervise(t.Context(), c.options())
	require.ErrorContains(t, err, "already works on this run")
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "go"), nil, 0o600))
	require.NoError(t, <-done)
}

func TestCancelLeavesNothingAndKeepsWhatWasFound(t *testing.T) {
	c := newCouncil(t, map[string]string{"ada": good, "bea": "trap '' TERM\n(setsid sleep 3600 &)\necho $$ > \"$CALLS/waits\"; while :; do sleep 1; done\n"})
	c.setup.Session = "s1"
	c.begin()
	_, err := supervisor.Detach(c.options())
	require.NoError(t, err)
	until(t, "it is under way", func() bool {
		_, err := os.Stat(filepath.Join(c.calls, "waits"))
		return err == nil && c.turns("ada", "research") == 1
	})
	began := time.Now()
	require.NoError(t, supervisor.Cancel(t.Context(), c.options(), "the user cancelled it"))
	require.Less(t, time.Since(began), 4*time.Second, "a machine under load; two seconds are promised")
	_, up := supervisor.Alive(c.project, c.setup.ID)
	require.False(t, up)
	require.False(t, alive(t, filepath.Join(c.calls, "waits")))
	left, err := proc.EndMarked(supervisor.ProcessMark(c.setup.ID))
	require.NoError(t, err)
	require.Empty(t, left)
	r, err := supervisor.Read(c.project, c.setup.ID)
	require.NoError(t, err)
	require.Equal(t, flow.Cancelled, r.Status)
	require.True(t, c.has("final-report.md"))
	_, err = workspace.ReadState(c.project, c.setup.ID)
	require.True(t, errors.Is(err, workspace.ErrNoState))
}

func TestACancelThatEndsTheSupervisorBeforeItsReportWritesIt(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": good})
	c.run()
	require.NoError(t, os.Remove(filepath.Join(c.folder(), "final-report.md")), "as a kill after the last fact leaves it")
	require.NoError(t, supervisor.Cancel(t.Context(), c.options(), "the user cancelled it"))
	require.True(t, c.has("final-report.md"))
}

func TestAnInterruptedRunCanBeTakenUp(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": `[ -e "$CALLS/go" ] || { touch "$CALLS/waits-"; sleep 3600; }` + "\n" + good})
	c.begin()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan flow.Run, 1)
	go func() {
		r, err := supervisor.Supervise(ctx, c.options())
		require.NoError(t, err)
		done <- r
	}()
	until(t, "it is under way", func() bool { _, err := os.Stat(filepath.Join(c.calls, "waits-")); return err == nil })
	cancel()
	require.Empty(t, (<-done).Status)
	require.NoError(t, os.WriteFile(filepath.Join(c.calls, "go"), nil, 0o600))
	r, err := supervisor.Supervise(t.Context(), c.options())
	require.NoError(t, err)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
}

func TestMoneySpentEndsTheRunWithAReport(t *testing.T) {
	t.Parallel()
	c := newCouncil(t, map[string]string{"ada": `sed -i '/RESEARCH_COMPLETE/d' "$RESEARCH_REPORT_PATH" 2>/dev/null; printf '## F\n\n%s %s\n' "$WORDS" "$(date +%N)" > "$RESEARCH_REPORT_PATH"; echo '{"usd":0.6}'` + "\n"})
	c.setup.Loop.Iterations = 9
	c.setup.Limits.USD = 1
	r := c.run()
	require.Equal(t, flow.OutOfBudget, r.Status, r.Reason)
	require.LessOrEqual(t, r.Spent.USD, 1.2)
	require.Contains(t, c.file("final-report.md"), "budget")
	require.True(t, c.has("synthesis.md"), "the librarian writes it for nothing")
}
