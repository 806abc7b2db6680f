package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/project/confine"
)

// The programs that scripts start: ours, and fakes that say so by their names.
func TestMain(m *testing.M) {
	if code, mine := proc.Main(os.Args); mine {
		os.Exit(code)
	}
	if code, mine := confine.RunInside(os.Args); mine {
		os.Exit(code)
	}
	testscript.Main(m, map[string]func(){
		"council": func() {
			self, err := exec.LookPath("council")
			if err != nil {
				panic(err)
			}
			os.Exit(start(self, func() {}))
		},
		"council-hook":  fakeHook,
		"fake-seat":     fakeSeat,
		"fake-panelist": fakePanelist,
	})
}

// fakeHook answers the loop's question as the hook does.
func fakeHook() {
	path := os.Getenv("RESEARCH_STATE_PATH")
	data, err := os.ReadFile(path)
	n, bad := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || bad != nil {
		n = 1
	}
	most, err := strconv.Atoi(os.Getenv("RESEARCH_MAX_ITERS"))
	if err != nil || n >= most {
		return
	}
	if err := os.WriteFile(path, []byte(strconv.Itoa(n+1)), 0o600); err != nil {
		return
	}
	fmt.Println(`{"decision":"block","reason":"go on"}`)
}

// fakeSeat is an executable that takes part: it records what stands in a file
// called notes.md of its scope, and writes a report with the hash of what it was
// asked. It plans, and does not vote. With the argument wait it does so only once a file
// named go stands in the home.
func fakeSeat() {
	if strings.HasSuffix(os.Getenv("RESEARCH_REPORT_PATH"), "-votes.md") {
		os.Exit(64)
	}
	if strings.HasSuffix(os.Getenv("RESEARCH_REPORT_PATH"), council.QuestionsFile) {
		fakePlan()
		return
	}
	for len(os.Args) > 1 && os.Args[1] == "wait" {
		if _, err := os.Stat(filepath.Join(os.Getenv("HOME"), "go")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	asked, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(70)
	}
	claim := `{"text":"The kettle rests.","quote":"The kettle rests while it is empty.","source":"notes.md"}` + "\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(os.Getenv("RESEARCH_REPORT_PATH")), "claims.jsonl"), []byte(claim), 0o600); err != nil {
		os.Exit(73)
	}
	sum := sha256.Sum256(asked)
	report := "# Executive Summary\n\nThe request has the hash " + hex.EncodeToString(sum[:]) + ".\n\n" +
		"# Key Findings\n\n" + strings.Repeat("A finding that says something. ", 40) + "\n\n" + agent.Marker + "\n"
	if err := os.WriteFile(os.Getenv("RESEARCH_REPORT_PATH"), []byte(report), 0o600); err != nil {
		os.Exit(73)
	}
	fmt.Println("wrote the report \x1b[31mred")
}

// fakePlan splits any question in three.
func fakePlan() {
	asked, err := io.ReadAll(os.Stdin)
	plan := `{"questions":[{"text":"What is it?","answered_by":"a definition"},{"text":"When does it rest?","answered_by":"a sentence","critical":true},{"text":"What goes wrong?","answered_by":"an account"}]}`
	if err != nil || !strings.Contains(string(asked), "# The question, planned") || os.WriteFile(os.Getenv("RESEARCH_REPORT_PATH"), []byte(plan), 0o600) != nil {
		os.Exit(73)
	}
}

// receives is a webhook at $HOOK, which adds what it is told to a file.
func receives(ts *testscript.TestScript, _ bool, args []string) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, _ = io.Copy(f, r.Body) // the script looks into the file
			_ = f.Close()
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv("HOOK", server.URL)
}

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               surround,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"refused": refused, "exits": exits, "hand-made": handMade, "damage": damage, "await": await, "cancel-all": cancelAll, "refuses": refuses, "lines": lines, "serve": startServe, "page": page, "receives": receives,
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// surround gives a script an empty home and a PATH that has only our programs
// and its own folder fakes.
func surround(e *testscript.Env) error {
	bin, _, _ := strings.Cut(os.Getenv("PATH"), string(filepath.ListSeparator))
	e.Setenv("PATH", bin+string(filepath.ListSeparator)+filepath.Join(e.WorkDir, "fakes"))
	e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
	documents, err := filepath.Abs("../../internal/evidence/extract/testdata")
	if err != nil {
		return err
	}
	e.Setenv("DOCUMENTS", documents)
	e.Setenv("TMPDIR", filepath.Join(e.WorkDir, ".tmp"))
	e.Setenv(program.InPlace, "1") // the program is the test's own
	e.Values[openedKey{}] = &opened{fields: url.Values{}}
	return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o700)
}

// exits CODE PROGRAM ARGS… runs a program that has to end with a code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program args...")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("it ended with %d, not %s:\n%s", code, args[0], ts.ReadFile("stderr"))
	}
}

// refused ARGS… calls council, which has to refuse with one line and to leave
// nothing behind.
func refused(ts *testscript.TestScript, neg bool, args []string) {
	exits(ts, neg, append([]string{"2", "council"}, args...))
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("it wrote to standard output: %s", out)
	}
	said := ts.ReadFile("stderr")
	if !strings.HasPrefix(said, "council: ") || strings.Count(said, "\n") != 1 {
		ts.Fatalf("it did not say what is wrong in one line: %q", said)
	}
	for _, made := range []string{"research", ".claude", "home/.config"} {
		if _, err := os.Lstat(ts.MkAbs(made)); err == nil {
			ts.Fatalf("it left %s behind", made)
		}
	}
}

// refuses ID PATTERN has everything that reads a run refuse it in one line.
func refuses(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: refuses id pattern")
	}
	for _, verb := range []string{
		"status", "claims", "export", "watch", "logs", "resume", "cancel", "finish", "verify", "verify-journal", "report-log", "trace",
	} {
		argv := []string{"1", "council", verb, args[0]}
		if verb == "export" {
			argv = append(argv, "--to", "json", "--output", "-")
		}
		exits(ts, false, argv)
		if said := ts.ReadFile("stderr"); strings.Count(said, "\n") != 1 || !regexp.MustCompile(args[1]).MatchString(said) || ts.ReadFile("stdout") != "" {
			ts.Fatalf("%s: %q", verb, said+ts.ReadFile("stdout"))
		}
	}
}

// fromTheFuture makes a hand-made run hold a fact that nobody knows.
const fromTheFuture = "from-the-future"

// handMade PROJECT ID [STATUS] lays down a run as the driver would have left
// it: under way in its first turn, or ended with a status.
func handMade(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: hand-made project id [status]")
	}
	project := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(project, 0o700))
	f, err := workspace.Create(project, args[1])
	ts.Check(err)
	defer f.Close()
	j, _, err := journal.Open(f.Path)
	ts.Check(err)
	events := history(args[1], project)
	switch {
	case len(args) > 2 && args[2] == fromTheFuture:
		events[1].Release = "0.9.1"
		events = append(events, flow.Event{Kind: "from.the.future"})
	case len(args) > 2:
		events = append(events, flow.Event{Kind: flow.RunEnded, Status: flow.Status(args[2]), Reason: "a hand-made end"})
		ts.Check(f.Write(flow.FinalReport, []byte("# Report\n")))
	}
	for i, e := range events {
		e.Seq, e.At = i+1, time.Date(2026, 2, 22, 14, 30, i, 0, time.UTC)
		line, err := json.Marshal(e)
		ts.Check(err)
		ts.Check(j.Append(line))
	}
	ts.Check(j.Close())
	ts.Check(f.Log(time.Date(2026, 2, 22, 14, 30, 0, 0, time.UTC), "Phase 1: Claude research starting (iteration 1/3)"))
	turn := "turns/research.1-claude-1"
	ts.Check(f.Mkdir(turn))
	ts.Check(f.Append(turn+"/stdout.jsonl", []byte("first line \x1b[2Jof the stream\n")))
	ts.Check(f.Append(turn+"/stderr.log", []byte("a complaint\n")))
}

func history(id, project string) []flow.Event {
	setup := flow.Setup{
		ID: id, Workflow: council.Workflow().Name, Topic: "How does it \x1b[31mwork?", Root: project, Tier: "cheap",
		Seats:   []flow.Seat{{Name: "claude", Kind: "command", Brand: "anthropic"}},
		Missing: []flow.Missing{{Seat: "codex", Reason: "not found in PATH"}},
		Loop:    loop.Rule{Iterations: 3, Retries: 1, Stuck: 1}, Limits: budget.Limits{Turns: 20, USD: 1},
	}
	task := flow.Task{ID: "research.1/claude", Seat: "claude", Role: "research", Rule: setup.Loop, Writes: "claude-report.md"}
	return []flow.Event{
		{Kind: flow.RunBegun, Setup: &setup},
		{Kind: flow.SupervisorStarted},
		{Kind: flow.StageEntered, Stage: council.Research, Visit: 1, Tasks: []flow.Task{task}},
		{Kind: flow.TurnStarted, Task: task.ID, Turn: 1},
	}
}

// lines FILE FIRST LAST leaves only these lines of a file, counted from 1.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: lines file first last")
	}
	first, err := strconv.Atoi(args[1])
	ts.Check(err)
	last, err := strconv.Atoi(args[2])
	ts.Check(err)
	all := strings.SplitAfter(ts.ReadFile(args[0]), "\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(all[first-1:last], "")), 0o600))
}

// damage FILE changes one letter in the middle of a file.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage file")
	}
	found, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	path := slices.MaxFunc(found, func(a, b string) int { return changedAt(ts, a).Compare(changedAt(ts, b)) })
	data, err := os.ReadFile(path)
	ts.Check(err)
	data[len(data)/2] ^= 1
	ts.Check(os.WriteFile(path, data, 0o600))
}

func changedAt(ts *testscript.TestScript, path string) time.Time {
	info, err := os.Stat(path)
	ts.Check(err)
	return info.ModTime()
}

// await FILE TEXT waits until every file that matches a pattern holds a text.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await file text")
	}
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		found, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		lacks := func(path string) bool {
			data, err := os.ReadFile(path)
			return err != nil || !strings.Contains(string(data), args[1])
		}
		if len(found) > 0 && !slices.ContainsFunc(found, lacks) {
			return
		}
	}
	ts.Fatalf("no %s came to hold %q", args[0], args[1])
}

// cancelAll cancels every run by its id; nothing of it may be left.
func cancelAll(ts *testscript.TestScript, _ bool, _ []string) {
	list, err := workspace.List(ts.Getenv("WORK"))
	ts.Check(err)
	for _, id := range list {
		if err := ts.Exec("council", "cancel", id); err != nil && !strings.Contains(ts.ReadFile("stderr"), "has ended already") {
			ts.Fatalf("cancel %s: %v", id, err)
		}
		left, err := proc.EndMarked(supervisor.ProcessMark(id))
		ts.Check(err)
		if len(left) > 0 {
			ts.Fatalf("%v of run %s were left", left, id)
		}
	}
}
