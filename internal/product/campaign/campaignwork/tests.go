package campaignwork

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/project/shell"
	"github.com/research-council/research-council/internal/project/testresult"
)

// The project's tests are run by its own command, and counted by what its
// runner says of each.

const (
	testTime        = 10 * time.Minute // of the project's tests, unless said otherwise
	maxTailBytes    = 4000             // bytes of a failed test's output that the next attempt is shown
	maxOutputBytes  = 64 << 20         // bytes of output that are counted
	maxReportBytes  = 16 << 20         // bytes of a report that is counted
	maxScannedFiles = 200_000          // files that are looked at for reports
)

// What a shell ends with when it could not start a command (POSIX, 2.8.2).
const (
	notExecutable = 126
	notFound      = 127
)

// testRun is what one run of the tests has come to.
type testRun struct {
	testresult.Result
	Exit int    `json:"exit"`
	Cut  string `json:"cut,omitempty"` // why the command did not come to its own end
	Tail string `json:"-"`             // the end of what it said
}

// isGreen reports whether the command and every test say so.
func (t testRun) isGreen() bool {
	return t.Cut == "" && t.Exit == 0 && t.Count(testresult.Failed) == 0 && len(t.Broken) == 0
}

// idleReason says why no test can have run, told by how the same tests ran before;
// "" where they have run.
func (t testRun) idleReason(before testresult.Result) string {
	switch {
	case t.Cut != "":
		return t.Cut
	case t.Exit == notFound || t.Exit == notExecutable:
		return fmt.Sprintf("it ended with %d: a command is not there or cannot be started", t.Exit)
	case t.Exit != 0 && len(t.Tests) == 0 && (len(before.Tests) > 0 || !t.Counted() && before.Counted()):
		return fmt.Sprintf("it ended with %d and no test was run", t.Exit)
	}
	return ""
}

// runTests runs the tests in a folder: the project's, or a copy of it. An error
// is an outage: it says nothing about the code.
func (s *box) runTests(dir, name string) (testRun, error) {
	reports := path.Join(workspace.Turns, "suite-"+name)
	log := reports + ".log"
	if err := errors.Join(s.Folder.Mkdir(reports), s.Folder.Write(log, nil)); err != nil {
		return testRun{}, fmt.Errorf("the tests could not be run: %w", err)
	}
	old := s.testReports(dir, reports)
	s.Log(fmt.Sprintf("%s: running `%s`", name, s.testCommand()))
	t, err := s.runTestScript(dir, s.Folder.Join(reports), s.Folder.Join(log), testresult.CountableCommand(s.testCommand(), s.Folder.Join(reports)))
	if err != nil {
		return testRun{}, err
	}
	said, err := proc.LastBytes(s.Folder.Join(log), maxOutputBytes)
	if err != nil {
		return testRun{}, fmt.Errorf("read what the tests said: %w", err)
	}
	t.Tail = string(said[max(0, len(said)-maxTailBytes):])
	counted := []testresult.Result{testresult.Output(said)}
	for file, now := range s.testReports(dir, reports) {
		if old[file] == now { // it was there before
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if r, err := testresult.JUnit(data, dir); err == nil {
			counted = append(counted, r)
		}
	}
	t.Result = testresult.Join(counted...)
	return t, nil
}

// runTestScript runs a script in the project's box, in a folder that it may
// write, as it may the one of the reports.
func (s *box) runTestScript(dir, reports, log, script string) (testRun, error) {
	most := campaign.Of(s.Setup.Own).TestTime
	if most == 0 {
		most = testTime
	}
	writable := []string{reports}
	if dir != s.Setup.Root { // a copy's own modules go before those that are installed from the project
		writable = append(writable, dir)
		script = `export PYTHONPATH="$PWD/src:$PWD${PYTHONPATH:+:$PYTHONPATH}"` + "\n" + script
	}
	exit, err := s.runInOwnShell(shell.Command{Line: script, Dir: dir, Log: log, Timeout: most}, writable...)
	if life := s.Life.Err(); life != nil {
		return testRun{}, fmt.Errorf("the tests were cut off: %w", life)
	}
	t := testRun{Exit: exit.Code}
	switch {
	case err != nil:
		return testRun{}, fmt.Errorf("the tests could not be run: %w", err)
	case exit.Late:
		t.Cut = fmt.Sprintf("it did not end within %s", most)
	case exit.Err != nil:
		return testRun{}, fmt.Errorf("the tests could not be run: %w", exit.Err)
	case exit.Signal != "":
		t.Cut = "it was ended by " + exit.Signal
	}
	return t, nil
}

// runInOwnShell runs a command in a shell of its own, which may write some
// folders more.
func (s *box) runInOwnShell(c shell.Command, writable ...string) (shell.Result, error) {
	o := s.shellOptions()
	o.Packages, o.Writable = s.packages(), append(o.Writable, writable...)
	opened, err := shell.Open(s.Life, o)
	if err != nil {
		return shell.Result{}, err
	}
	defer func() { _ = opened.Close() }() // its way out ends with it
	return s.withProtection(func() (shell.Result, error) { return opened.Run(s.Life, c) })
}

// testReports lists the reports in XML below a folder, and those of one run's,
// each with what tells whether it was written anew.
func (s *box) testReports(dir, reports string) map[string]string {
	found := map[string]string{}
	seen := 0
	look := func(root string) {
		_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if seen++; err != nil || seen > maxScannedFiles {
				return fs.SkipDir
			}
			if d.IsDir() && name != root && holdsNoReports(root, name) {
				return fs.SkipDir
			}
			if info, err := d.Info(); err == nil && info.Mode().IsRegular() && filepath.Ext(name) == ".xml" && info.Size() <= maxReportBytes {
				found[name] = fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
			}
			return nil
		})
	}
	look(s.Folder.Join(reports))
	look(dir)
	links, _ := os.ReadDir(dir) // a folder that cannot be read holds no reports
	for _, l := range links {
		if target, err := filepath.EvalSymlinks(filepath.Join(dir, l.Name())); l.Type()&fs.ModeSymlink != 0 && err == nil && !holdsNoReports(dir, filepath.Join(dir, l.Name())) {
			look(target)
		}
	}
	return found
}

// holdsNoReports reports whether a folder holds no reports of the project's tests:
// packages of others, git's own, and what runs of ours have left.
func holdsNoReports(root, name string) bool {
	rel, err := filepath.Rel(root, name)
	return err != nil || rel == workspace.Runs || filepath.Base(name) == ".git" || testresult.Installed(path.Join(filepath.ToSlash(rel), "x"))
}

// describeRed says in words what is wrong with a run of the tests.
func (s *box) describeRed(t testRun, c testresult.Change) string {
	var parts []string
	if t.Cut != "" {
		parts = append(parts, t.Cut)
	} else if t.Exit != 0 {
		parts = append(parts, fmt.Sprintf("it ended with %d", t.Exit))
	}
	if len(c.Failing) > 0 {
		parts = append(parts, "failing: "+listNames(c.Failing))
	}
	if len(c.Broken) > 0 {
		parts = append(parts, "cannot be run any more: "+listNames(c.Broken))
	}
	return plain.Line(fmt.Sprintf("`%s`: %s", s.testCommand(), strings.Join(parts, "; ")), supervisor.MaxForeignRunes) + "\n" + t.Tail
}
