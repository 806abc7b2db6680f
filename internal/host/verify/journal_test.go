package verify_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc/proctest"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/verify"
	"github.com/research-council/research-council/internal/product/council"
)

const id = "20260222-143000-a1b2c3"

// history is a run that has ended, of one seat.
func history() []flow.Event {
	task := flow.Task{ID: "research.1/ada", Seat: "ada", Role: "research", Writes: "ada-report.md"}
	report := flow.Task{ID: "report.1/program", Seat: flow.Program, Role: council.Report, Writes: flow.FinalReport}
	events := []flow.Event{
		{Kind: flow.RunBegun, Setup: &flow.Setup{ID: id, Workflow: council.Workflow().Name, Release: "0.4.0"}},
		{Kind: flow.SupervisorStarted, Release: "0.4.0"},
		{Kind: flow.StageEntered, Stage: council.Research, Visit: 1, Tasks: []flow.Task{task}},
		{Kind: flow.TurnStarted, Task: task.ID, Turn: 1},
		{Kind: flow.TurnEnded, Task: task.ID, Turn: 1, Result: &flow.Result{Iterations: 1}},
		{Kind: flow.TurnStarted, Task: task.ID, Turn: 2},
		{Kind: flow.TurnEnded, Task: task.ID, Turn: 2, Result: &flow.Result{Iterations: 1}},
		{Kind: flow.StageEntered, Stage: council.Report, Visit: 1, Tasks: []flow.Task{report}},
		{Kind: flow.TurnStarted, Task: report.ID, Turn: 1},
		{Kind: flow.RunEnded, Status: flow.Completed},
	}
	for i := range events {
		events[i].Seq, events[i].At = i+1, time.Date(2026, 2, 22, 14, 30, i, 0, time.UTC)
	}
	return events
}

// chained are events as a journal.
func chained(t *testing.T, events []flow.Event) []byte {
	dir := t.TempDir()
	j, _, err := journal.Open(dir)
	require.NoError(t, err)
	for _, e := range events {
		line, err := json.Marshal(e)
		require.NoError(t, err)
		require.NoError(t, j.Append(line))
	}
	require.NoError(t, j.Close())
	data, err := os.ReadFile(filepath.Join(dir, journal.Name))
	require.NoError(t, err)
	return data
}

// folder is what a run has left: its journal, and what else tells how far it
// has come.
func folder(t *testing.T, name string, text []byte) string {
	dir := filepath.Join(t.TempDir(), name)
	for _, turn := range []int{1, 2} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, workspace.StreamsFolder("research.1/ada", turn)), 0o700))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, workspace.Turns, "suite-F001-1"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, journal.Name), text, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, flow.FinalReport), []byte("# Report\n"), 0o600))
	data, err := json.Marshal(status.Of(council.Workflow(), flow.Replay(history()), dir))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, workspace.Status), data, 0o600))
	return dir
}

func TestAJournalIsWholeOrSaysWhereItIsNot(t *testing.T) {
	whole := chained(t, history())
	lines := bytes.SplitAfter(whole, []byte("\n"))
	lines = lines[:len(lines)-1]
	join := func(lines ...[]byte) []byte { return bytes.Join(lines, nil) }
	without := func(i int) []byte { return join(slices.Delete(slices.Clone(lines), i, i+1)...) }
	flipped := bytes.Clone(whole)
	flipped[len(lines[0])+len(lines[1])+len(lines[2])/2] ^= 1
	again := history()
	again[7].Reason = "written by another supervisor"
	other := bytes.SplitAfter(chained(t, again), []byte("\n"))
	gap := history()
	gap[5].Seq = 7
	twice := history()
	twice[5] = flow.Event{Seq: 6, Kind: flow.RunBegun, Setup: twice[0].Setup}
	foreign := history()
	foreign[0].Setup = &flow.Setup{ID: "20260223-090000-0000ff"}
	for _, c := range []struct {
		name, dir string // the folder's name, where it is another one
		text      []byte
		at        string // the first place; "" when it is whole
		says      string
	}{
		{name: "whole", text: whole},
		{name: "whole, a copy under another name", dir: "backup", text: whole},
		{name: "emptied", text: nil, at: "journal.jsonl:1", says: "it is empty"},
		{name: "emptied but for line ends", text: []byte("\n"), at: "journal.jsonl:1", says: "damaged at line 1"},
		{name: "the first line cut away", text: without(0), at: "journal.jsonl:1", says: "damaged at line 1"},
		{name: "beheaded, and chained anew", text: chained(t, history()[3:]), at: "journal.jsonl:1", says: "it does not begin with the run's first fact"},
		{name: "the first fact gone, and counted anew", text: chained(t, renumbered(history()[1:])), at: "journal.jsonl:1", says: "it does not begin with the run's first fact"},
		{name: "the last line cut away", text: join(lines[:9]...), at: "journal.jsonl", says: "it ends early: it has 9 facts, and status.json knows of 10"},
		{name: "cut to its first line", text: join(lines[:1]...), at: "journal.jsonl", says: "it ends early"},
		{name: "the last line torn", text: whole[:len(whole)-7], at: "journal.jsonl", says: "it ends early: it has 9 facts, and status.json knows of 10"},
		{name: "a line in the middle gone", text: without(4), at: "journal.jsonl:5", says: "damaged at line 5"},
		{name: "a gap, and chained anew", text: chained(t, gap), at: "journal.jsonl:6", says: "it has a gap: fact 7 stands in line 6"},
		{name: "a second beginning", text: chained(t, twice), at: "journal.jsonl:6", says: "it begins a second time, in line 6"},
		{name: "a byte changed", text: flipped, at: "journal.jsonl:3", says: "damaged at line 3"},
		{name: "a line doubled", text: join(append(slices.Clone(lines[:4]), lines[3:]...)...), at: "journal.jsonl:5", says: "damaged at line 5"},
		{name: "two lines swapped", text: join(append(append(slices.Clone(lines[:3]), lines[4], lines[3]), lines[5:]...)...), at: "journal.jsonl:4", says: "damaged at line 4"},
		{name: "two supervisors in turn", text: join(append(append(slices.Clone(lines[:8]), other[7]), lines[8:]...)...), at: "journal.jsonl:9", says: "damaged at line 9"},
		{name: "saved with other line ends", text: bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n")), at: "journal.jsonl:1", says: "its lines end in CR LF"},
		{name: "another run's", text: chained(t, foreign), at: "journal.jsonl:1", says: `it is the journal of another run, "20260223-090000-0000ff"`},
		{name: "a field nobody knows", text: widened(t), at: ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := c.dir
			if name == "" {
				name = id
			}
			dir := folder(t, name, c.text)
			j, err := verify.Journal(dir)
			require.NoError(t, err)
			r, err := verify.Run(dir)
			require.NoError(t, err)
			if c.at == "" {
				require.Empty(t, j.Problems)
				require.Len(t, j.Facts, 10)
				require.Equal(t, flow.Completed, j.Run.Status)
				require.True(t, r.OK, r.Problems)
				return
			}
			require.NotEmpty(t, j.Problems)
			require.Equal(t, c.at, j.Problems[0].Place, j.Problems)
			require.Contains(t, j.Problems[0].What, c.says)
			require.False(t, r.OK)
			left, err := os.ReadFile(filepath.Join(dir, journal.Name))
			require.NoError(t, err)
			require.True(t, bytes.Equal(c.text, left), "it is only read")
		})
	}
}

// renumbered are facts counted from 1.
func renumbered(events []flow.Event) []flow.Event {
	for i := range events {
		events[i].Seq = i + 1
	}
	return events
}

// widened is the journal with a field more in one of its facts.
func widened(t *testing.T) []byte {
	dir := t.TempDir()
	j, _, err := journal.Open(dir)
	require.NoError(t, err)
	for i, e := range history() {
		line, err := json.Marshal(e)
		require.NoError(t, err)
		if i == 4 {
			line = append(line[:len(line)-1], `,"more":{"of":"it"}}`...)
		}
		require.NoError(t, j.Append(line))
	}
	require.NoError(t, j.Close())
	data, err := os.ReadFile(filepath.Join(dir, journal.Name))
	require.NoError(t, err)
	return data
}

// Each thing that tells of a later fact is enough, whatever else is gone; a
// folder without any is whole as far as anybody can know.
func TestAShortenedJournalIsSeenByEveryWitness(t *testing.T) {
	all := []string{workspace.Status, workspace.StreamsFolder("research.1/ada", 2), flow.FinalReport}
	for _, c := range []struct {
		facts int
		left  []string
		says  []string
	}{
		{facts: 5, left: nil},
		{facts: 5, left: all[:1], says: []string{"it has 5 facts, and status.json knows of 10"}},
		{facts: 5, left: all[1:2], says: []string{"it does not know of the turn that has left turns/research.1-ada-2"}},
		{facts: 5, left: all[2:], says: []string{"it does not know of the turn that has left final-report.md"}},
		{facts: 6, left: all[1:2]},
		{facts: 9, left: all[1:]},
		{facts: 5, left: all, says: []string{"status.json knows of 10", "turns/research.1-ada-2", "final-report.md"}},
	} {
		t.Run(fmt.Sprintf("%d facts, %d witnesses", c.facts, len(c.left)), func(t *testing.T) {
			dir := folder(t, id, chained(t, history()[:c.facts]))
			for _, name := range all {
				if !slices.Contains(c.left, name) {
					require.NoError(t, os.RemoveAll(filepath.Join(dir, name)))
				}
			}
			j, err := verify.Journal(dir)
			require.NoError(t, err)
			require.Len(t, j.Problems, len(c.says), j.Problems)
			for i, says := range c.says {
				require.Contains(t, j.Problems[i].What, "it ends early: ")
				require.Contains(t, j.Problems[i].What, says)
			}
		})
	}
	t.Run("a status that has ended", func(t *testing.T) {
		dir := folder(t, id, chained(t, history()[:9]))
		data := []byte(`{"id":"` + id + `","status":"completed"}`)
		require.NoError(t, os.WriteFile(filepath.Join(dir, workspace.Status), data, 0o600))
		j, err := verify.Journal(dir)
		require.NoError(t, err)
		require.Len(t, j.Problems, 1)
		require.Contains(t, j.Problems[0].What, "status.json says that the run is completed")
	})
}

// What cannot be read at all is an error of one line, and nothing waits for it.
func TestWhatIsNoJournalOfThisReleaseIsAnError(t *testing.T) {
	future := history()
	future[1].Release, future[6].Kind = "0.9.1", "from.the.future"
	for name, c := range map[string]struct {
		stands func(path string) error
		says   string
	}{
		"none":            {func(string) error { return nil }, "no such file"},
		"a folder":        {func(path string) error { return os.Mkdir(path, 0o700) }, "is a folder"},
		"a symbolic link": {func(path string) error { return os.Symlink("/dev/null", path) }, "is a symbolic link"},
		"a named pipe":    {func(path string) error { return proctest.NamedPipe(path) }, "is a named pipe"},
		"another format":  {func(path string) error { return os.WriteFile(path, []byte(`{"format":999,"seq":1}`), 0o600) }, `of format "999"`},
		"an unknown fact": {func(path string) error { return os.WriteFile(path, chained(t, future), 0o600) }, `("from.the.future" in line 7); use release 0.9.1`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, id, nil)
			path := filepath.Join(dir, journal.Name)
			require.NoError(t, errors.Join(os.Remove(path), c.stands(path)))
			_, err := verify.Journal(dir)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "\n")
			_, err = verify.Run(dir)
			require.ErrorContains(t, err, c.says)
		})
	}
}
