package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/session"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// shelfProject is a project with a campaign of which F001 passes, F002 failed for
// good, F003 waits for it and F004 is open; nobody works on it.
type shelfProject struct {
	*testing.T
	root string
	vars map[string]string
}

const shelfList = `{"features": [
 {"id": "F001", "name": "Parse", "description": "Parse", "component": "core", "dependencies": [], "passes": true},
 {"id": "F002", "name": "Store", "description": "Store", "component": "core", "dependencies": ["F001"], "passes": false, "attempts": 3},
 {"id": "F003", "name": "Search", "description": "Search", "component": "core", "dependencies": ["F002"], "passes": false},
 {"id": "F004", "name": "Export", "description": "Export", "component": "core", "dependencies": [], "passes": false}]}`

func newShelf(t *testing.T, more ...flow.Event) *shelfProject {
	s := &shelfProject{T: t, root: t.TempDir(), vars: map[string]string{}}
	f, err := product.Begin(flow.Setup{
		ID: campID, Workflow: string(campaign.Implement), Topic: "Build it.", Root: s.root,
		Seats: []flow.Seat{{Name: "claude", Brand: "claude", Kind: "claude"}},
		Own:   campaign.Own(&campaign.Setup{Name: "shelf", Slug: "shelf", Mode: campaign.Implement, Iterations: 20, Test: "true"}),
	}, time.Now())
	require.NoError(t, err)
	defer f.Close()
	list, err := feature.Parse([]byte(shelfList))
	require.NoError(t, err)
	require.NoError(t, f.Write(campaign.FeatureFile, list.Encode()))
	require.NoError(t, f.Mkdir(campaignwork.PublishedDir))
	require.NoError(t, f.Write(campaignwork.PublishedDir+"/"+campaign.Features, list.Encode()))
	s.write(string(list.Encode()))
	tally := campaign.Tally{Total: 4, Complete: 1, Lost: 1, Blocked: 1, Next: "F004"}
	task := flow.Task{ID: "adopt.1/program", Seat: flow.Program, Brand: flow.Program, Role: campaign.Adopt, Writes: campaign.FeatureFile}
	facts := []flow.Event{
		{Kind: flow.StageEntered, Stage: campaign.Adopt, Visit: 1, Tasks: []flow.Task{task}},
		{Kind: flow.TurnStarted, Task: task.ID, Turn: 1},
		{Kind: flow.TurnEnded, Task: task.ID, Turn: 1, Result: &flow.Result{Iterations: 1, Found: &flow.Assessment{Own: campaign.OwnTally(&tally)}}},
	}
	s.append(append(facts, more...)...)
	return s
}

// append adds facts to the journal.
func (s *shelfProject) append(facts ...flow.Event) {
	j, lines, err := journal.Open(filepath.Join(s.root, "research", campID))
	require.NoError(s, err)
	for i, e := range facts {
		e.Seq, e.At = len(lines)+i+1, time.Now().UTC()
		line, err := json.Marshal(e)
		require.NoError(s, err)
		require.NoError(s, j.Append(line))
	}
	require.NoError(s, j.Close())
}

// tellHost tells the process of the session that owns the campaign.
func (s *shelfProject) tellHost(host flow.Process) {
	data, err := json.Marshal(host)
	require.NoError(s, err)
	require.NoError(s, os.WriteFile(filepath.Join(s.root, "research", campID, supervisor.HostFile), data, 0o600))
}

func (s *shelfProject) path() string {
	return filepath.Join(s.root, "docs/research-shelf/feature-list.json")
}

func (s *shelfProject) write(text string) {
	require.NoError(s, os.WriteFile(s.path(), []byte(text), 0o600))
}

// run is the whole program, called in the project.
func (s *shelfProject) run(args ...string) (code int, out, problem string) {
	var stdout, stderr bytes.Buffer
	e := program.Env{Stdin: strings.NewReader("from a pipe\n"), Stdout: &stdout, Stderr: &stderr, Dir: s.root, Self: "council", Getenv: func(name string) string { return s.vars[name] }}
	code = run(context.Background(), args, e)
	return code, stdout.String(), stderr.String()
}

func (s *shelfProject) list() feature.List {
	data, err := os.ReadFile(filepath.Join(s.root, "research", campID, campaign.FeatureFile))
	require.NoError(s, err)
	list, err := feature.Parse(data)
	require.NoError(s, err)
	return list
}

func (s *shelfProject) load() flow.Run {
	r, err := supervisor.Read(s.root, campID)
	require.NoError(s, err)
	return r
}

func (s *shelfProject) notes() []workspace.Note {
	f, err := workspace.Open(s.root, campID)
	require.NoError(s, err)
	defer f.Close()
	notes, err := f.Notes()
	require.NoError(s, err)
	return notes
}

var finished = flow.Event{Kind: flow.RunEnded, Status: flow.Completed, Reason: "Implementation complete"}

func TestRetryOpensWhatFailed(t *testing.T) {
	for _, args := range [][]string{{"campaign", "retry", "shelf", "F002"}, {"campaign", "retry", "shelf"}} {
		s := newShelf(t)
		code, out, problem := s.run(args...)
		require.Zero(t, code, problem)
		require.Contains(t, out, "F002 is tried again")
		require.Contains(t, out, "`council campaign resume shelf` goes on")
		f, _ := s.list().Find("F002")
		require.Equal(t, []any{feature.Pending, 0}, []any{f.State, f.Attempts})
		waits, _ := s.list().Find("F003")
		require.Equal(t, feature.Pending, waits.State)
		require.Len(t, s.load().Edits, 1)
	}
}

func TestRetryOfWhatCannotBeIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		vars map[string]string
		more []flow.Event
		want string
		code int
	}{
		"no such feature":  {args: []string{"shelf", "F099"}, want: `there is no feature "F099"`, code: 1},
		"one that passes":  {args: []string{"shelf", "F001"}, want: "F001 passes", code: 1},
		"no such campaign": {args: []string{"shelves"}, want: `no campaign is called "shelves"`, code: 1},
		"nothing named":    {want: "requires at least 1 arg", code: 2},
		"a session":        {args: []string{"shelf"}, vars: map[string]string{"CLAUDECODE": "1"}, want: "only a person", code: 2},
		"cancelled": {
			args: []string{"shelf"}, more: []flow.Event{{Kind: flow.RunEnded, Status: flow.Cancelled}},
			want: "was cancelled for good; `council campaign run implement shelf` begins another", code: 1,
		},
	} {
		s := newShelf(t, c.more...)
		s.vars = c.vars
		before := s.list()
		code, _, problem := s.run(append([]string{"campaign", "retry"}, c.args...)...)
		require.Equal(t, c.code, code, "%s: %s", name, problem)
		require.Contains(t, problem, c.want, name)
		require.Equal(t, before, s.list(), name)
	}
}

func TestRetryKnowsWhatCanBeCompleted(t *testing.T) {
	s := newShelf(t)
	_, out, _ := s.run("__complete", "campaign", "retry", "")
	require.Contains(t, out, "shelf\n")
	_, out, _ = s.run("__complete", "campaign", "retry", "shelf", "")
	require.Contains(t, out, "F002\n")
	require.NotContains(t, out, "F001")
	_, out, _ = s.run("__complete", "campaign", "note", "")
	require.Contains(t, out, "shelf\n")
	_, out, _ = s.run("__complete", "finish", "")
	require.Contains(t, out, "shelf\n")
	require.Contains(t, out, campID+"\n")
}

func TestResumeTakesAPersonsListOver(t *testing.T) {
	s := newShelf(t)
	s.write(strings.Replace(shelfList, `"description": "Store"`, `"description": "Store in SQLite, one table"`, 1))
	var stderr bytes.Buffer
	r, err := prepare.UpdateFeatureList(program.Env{Stderr: &stderr, Getenv: func(string) string { return "" }}, s.root, s.load())
	require.NoError(t, err)
	require.Contains(t, stderr.String(), "F002 is reworded")
	require.Equal(t, "F002", campaign.StateOf(r).Next)
	f, _ := s.list().Find("F002")
	require.Equal(t, "Store in SQLite, one table", f.Description)
}

func TestAModelsResumeTakesNothingOver(t *testing.T) {
	s := newShelf(t)
	s.write(strings.Replace(shelfList, `"description": "Store"`, `"description": "Nothing"`, 1))
	var stderr bytes.Buffer
	_, err := prepare.UpdateFeatureList(program.Env{Stderr: &stderr, Getenv: func(name string) string { return map[string]string{"CLAUDECODE": "1"}[name] }}, s.root, s.load())
	require.NoError(t, err)
	require.Empty(t, stderr.String())
	require.Empty(t, s.load().Edits)
}

func TestAFaultyListStopsTheResume(t *testing.T) {
	for name, c := range map[string][2]string{
		"a trailing comma":    {`"dependencies": [], "passes": false}]`, "no JSON at line 5"},
		"a lost dependency":   {`"F004", "name": "Export", "description": "Export", "component": "core", "dependencies": []`, "F009"},
		"passes, by a person": {`"attempts": 3`, "only tests make it so"},
	} {
		s := newShelf(t)
		text := map[string]string{
			"a trailing comma":    strings.Replace(shelfList, `"passes": false}]}`, `"passes": false},]}`, 1),
			"a lost dependency":   strings.Replace(shelfList, `"dependencies": ["F002"]`, `"dependencies": ["F009"]`, 1),
			"passes, by a person": strings.Replace(shelfList, `"passes": false, "attempts": 3`, `"passes": true`, 1),
		}[name]
		s.write(text)
		before := s.list()
		code, _, problem := s.run("campaign", "resume", "shelf")
		require.Equal(t, 1, code, name)
		require.Contains(t, problem, c[1], name)
		require.Equal(t, 1, strings.Count(problem, "\n"), "%s: one line", name)
		left, err := os.ReadFile(s.path())
		require.NoError(t, err)
		require.Equal(t, text, string(left), name)
		require.Equal(t, before, s.list(), name)
	}
}

func TestANoteIsLeftForTheNextIteration(t *testing.T) {
	s := newShelf(t)
	code, out, problem := s.run("campaign", "note", "shelf", "Use SQLite, not JSON; don't touch api/")
	require.Zero(t, code, problem)
	require.Contains(t, out, "The next iteration of shelf")
	code, out, _ = s.run("campaign", "note", "shelf", "-", "--json")
	require.Zero(t, code)
	require.Contains(t, out, `"note": "from a pipe"`)
	require.Len(t, s.notes(), 2)
	require.Equal(t, "Use SQLite, not JSON; don't touch api/", s.notes()[0].Detail)

	code, _, problem = s.run("campaign", "note", "shelf", " ")
	require.Equal(t, 2, code)
	require.Contains(t, problem, "nothing in the note")
	code, _, problem = s.run("campaign", "note", "shelf", strings.Repeat("long ", 40_000))
	require.Equal(t, 2, code)
	require.Contains(t, problem, "it may have 8")
	s.vars = map[string]string{"CLAUDECODE": "1"}
	code, _, problem = s.run("campaign", "note", "shelf", "from a model")
	require.Equal(t, 2, code)
	require.Contains(t, problem, "only a person")
	require.Len(t, s.notes(), 2)

	s = newShelf(t, finished)
	code, _, problem = s.run("campaign", "note", "shelf", "too late")
	require.Equal(t, 1, code)
	require.Contains(t, problem, "has ended (completed), and no iteration would hear it")
	require.Empty(t, s.notes())
}

func TestWhatHasEndedIsNotFinished(t *testing.T) {
	s := newShelf(t, finished)
	code, _, problem := s.run("finish", "shelf")
	require.Equal(t, 1, code)
	require.Contains(t, problem, "has ended already (completed); there is nothing to finish")
	require.Empty(t, s.notes())
	code, _, problem = s.run("finish", "20260222-143000-ffffff")
	require.Equal(t, 1, code)
	require.Contains(t, problem, "there is no run")
	s = newShelf(t)
	s.vars = map[string]string{"RESEARCH_COUNCIL_CHILD": campID}
	code, _, _ = s.run("finish", "shelf")
	require.Equal(t, 2, code)
	require.Empty(t, s.notes())
}

// Who works on a campaign neither ends it nor speaks as a person does, also
// where the environment that tells it was cleared: these are real processes.
// The session that works on it goes another way for what its user types.
func TestWhoWorksOnACampaignDoesNotEndIt(t *testing.T) {
	says := [][]string{{"finish", "shelf"}, {"cancel", "shelf"}, {"campaign", "note", "shelf", "Stop."}, {"campaign", "accept", "shelf", "F004", "--reason", "fine"}}
	council, err := exec.LookPath("council")
	require.NoError(t, err)
	for _, args := range says {
		s := newShelf(t)
		c := exec.Command("sh", append([]string{"-c", `env -i PATH="$PATH" HOME="$HOME" "$0" "$@"; exit $?`, council}, args...)...)
		c.Dir, c.Env = s.root, append(os.Environ(), supervisor.ProcessMark(campID)+"code.1")
		said, err := c.CombinedOutput()
		require.Error(t, err, args)
		require.NotContains(t, string(said), "panic", args)
		require.Equal(t, 1, strings.Count(string(said), "\n"), "%s", said)
		require.Empty(t, s.notes(), args)
		require.Empty(t, s.load().Status, args)
		require.NoFileExists(t, filepath.Join(s.root, "research", campID, workspace.Tombstone))
	}
	me, err := proc.Self()
	require.NoError(t, err)
	for name, c := range map[string]struct {
		session string
		vars    map[string]string
		host    flow.Process
		refused bool
	}{
		"the session that works on it":                   {"mine", map[string]string{"CLAUDE_CODE_SESSION_ID": "mine"}, flow.Process{}, true},
		"the same, with a cleared environment":           {"mine", nil, flow.Process{PID: me.PID, Start: me.Start}, true},
		"another session":                                {"mine", map[string]string{"CLAUDE_CODE_SESSION_ID": "yours", "CLAUDECODE": "1"}, flow.Process{}, false},
		"a person in a terminal":                         {"mine", nil, flow.Process{PID: 1, Start: "another"}, false},
		"a session, where a seat works on it and not it": {"", map[string]string{"CLAUDE_CODE_SESSION_ID": "mine", "CLAUDECODE": "1"}, flow.Process{}, false},
	} {
		for _, verb := range []string{"finish", "cancel"} {
			s := newShelf(t)
			setup := s.load().Setup
			setup.Session = c.session
			s.tellHost(c.host)
			s.append(flow.Event{Kind: flow.RunReopened, Stage: campaign.Adopt, Setup: &setup})
			s.vars = c.vars
			code, _, problem := s.run(verb, "shelf")
			if !c.refused {
				require.NotEqual(t, 2, code, "%s: %s: %s", name, verb, problem)
				continue
			}
			require.Equal(t, 2, code, "%s: %s: %s", name, verb, problem)
			require.Contains(t, problem, "/research-council:cancel-research")
			require.Empty(t, s.load().Status)
			require.Empty(t, s.notes())
			if verb == "cancel" { // what the user types comes by the hook, from the very same process
				var answer bytes.Buffer
				typed := fmt.Sprintf(`{"command_name": "research-council:cancel-research", "command_args": %q, "session_id": %q, "cwd": %q}`, campID, c.session, s.root)
				e := program.Env{Stdin: strings.NewReader(typed), Stdout: &answer, Getenv: func(name string) string { return s.vars[name] }, Self: "council"}
				require.NoError(t, session.AnswerSlashCommand(t.Context(), e))
				require.Contains(t, answer.String(), "is cancelled")
				require.Equal(t, flow.Cancelled, s.load().Status)
			}
		}
	}
}

// What is told of a campaign that has ended names a command that works.
func TestAdviceOnACampaignThatHasEndedNamesTheRightCommand(t *testing.T) {
	for name, c := range map[string]struct {
		ended []flow.Event
		args  []string
		want  string
	}{
		"resume of a cancelled one":     {[]flow.Event{{Kind: flow.RunEnded, Status: flow.Cancelled}}, []string{"resume", campID}, "`council campaign run implement shelf` begins another"},
		"the same, as a campaign":       {[]flow.Event{{Kind: flow.RunEnded, Status: flow.Cancelled}}, []string{"campaign", "resume", "shelf"}, "`council campaign run implement shelf` begins another"},
		"a record of a cancelled one":   {[]flow.Event{{Kind: flow.RunEnded, Status: flow.Cancelled}}, []string{"campaign", "record", "--question", "why?", "--campaign", "shelf"}, "`council campaign run implement shelf` begins another"},
		"resume of what a limit ended":  {[]flow.Event{{Kind: flow.RunEnded, Status: flow.OutOfBudget, Reason: "$5"}}, []string{"resume", campID}, "`council campaign resume shelf --max-iterations 10` goes on"},
		"resume of a failed one by run": {[]flow.Event{{Kind: flow.RunEnded, Status: flow.Failed}}, []string{"resume", campID}, "`council campaign resume shelf` goes on"},
	} {
		s := newShelf(t, c.ended...)
		code, _, problem := s.run(c.args...)
		require.Equal(t, 1, code, name)
		require.Contains(t, problem, c.want, name)
		require.NotContains(t, problem, "`council run`", name)
	}
}
