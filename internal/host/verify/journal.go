package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// Journaled is what a run's journal proved to be.
type Journaled struct {
	Facts    []flow.Event // that can be trusted
	Run      flow.Run     // the fold of these
	Problems []Problem    // why it is not whole; the first is what the others follow from
}

// Journal follows a run's journal as far as it holds. It is whole when it begins
// with the run's first fact, each of its lines follows from the one before, and
// nothing else in the folder knows of a later fact. The error says that it cannot
// be read at all: there is none, it is no file, or another release wrote it.
func Journal(dir string) (Journaled, error) {
	seen := readProgress(dir) // first: whoever works on the run writes its journal before all else
	lines, err := journal.Read(dir)
	var damage *journal.Damaged
	if err != nil && (!errors.As(err, &damage) || errors.As(err, new(*journal.ForeignFormat))) {
		return Journaled{}, err
	}
	var j Journaled
	fault := func(line int, what string) {
		place := journal.Name
		if line > 0 {
			place = fmt.Sprintf("%s:%d", journal.Name, line)
		}
		j.Problems = append(j.Problems, Problem{Place: place, Line: line, What: what})
	}
	for i, line := range lines {
		var e flow.Event
		if err := json.Unmarshal(line, &e); err != nil {
			fault(i+1, fmt.Sprintf("it holds no fact: %v", err))
			break
		}
		j.Facts = append(j.Facts, e)
	}
	if damage != nil {
		own := *damage
		own.Path = "it"
		fault(own.Line, own.Error())
	}
	var gap *flow.JournalGap
	switch err := flow.CheckWhole(runOf(dir), j.Facts); {
	case errors.As(err, &gap) && (damage == nil || len(j.Facts) > 0):
		fault(gap.Line, "it "+gap.What)
		j.Facts = j.Facts[:min(gap.Line-1, len(j.Facts))]
	case err != nil && gap == nil:
		return Journaled{}, fmt.Errorf("%s %w", filepath.Join(dir, journal.Name), err)
	}
	j.Run = flow.Replay(j.Facts)
	if len(j.Problems) == 0 {
		for _, what := range seen.missingFrom(j) {
			fault(0, "it ends early: "+what)
		}
	}
	return j, nil
}

// runOf is the run a folder is named for; "" for a copy under another name.
func runOf(dir string) string {
	if name := filepath.Base(dir); workspace.ValidID(name) {
		return name
	}
	return ""
}

// progress is what else in a run's folder tells how far the run has come.
type progress struct {
	status status.Status // zero where there is none
	turns  []string      // folders of streams, each made for a turn whose start is a fact
	report bool          // the final report is there
}

func readProgress(dir string) progress {
	var w progress
	if data, err := os.ReadFile(filepath.Join(dir, workspace.Status)); err == nil {
		w.status, _ = status.Parse(data) // what cannot be read tells nothing
	}
	entries, _ := os.ReadDir(filepath.Join(dir, workspace.Turns)) // nor what is not there
	ofTurn := regexp.MustCompile(`^[a-z_]+\.\d+-.+-\d+$`)         // the streams of tests and hooks lie there too
	for _, e := range entries {
		if e.IsDir() && ofTurn.MatchString(e.Name()) {
			w.turns = append(w.turns, e.Name())
		}
	}
	info, err := os.Stat(filepath.Join(dir, flow.FinalReport))
	w.report = err == nil && info.Mode().IsRegular()
	return w
}

// missingFrom are the things seen that the journal does not know of.
func (w progress) missingFrom(j Journaled) []string {
	var list []string
	ended := slices.ContainsFunc(j.Facts, func(e flow.Event) bool { return e.Kind == flow.RunEnded })
	switch {
	case w.status.Facts > len(j.Facts):
		list = append(list, fmt.Sprintf("it has %d facts, and %s knows of %d", len(j.Facts), workspace.Status, w.status.Facts))
	case w.status.Status != "" && !w.status.IsOpen() && !ended:
		list = append(list, fmt.Sprintf("%s says that the run is %s", workspace.Status, w.status.Status))
	}
	begun := map[string]bool{}
	reported := false
	for _, t := range tasks(j.Run) {
		for n := 1; n <= t.Turn; n++ {
			begun[path.Base(workspace.StreamsFolder(t.ID, n))] = true
		}
		reported = reported || t.Writes == flow.FinalReport && t.Turn > 0
	}
	for _, name := range w.turns {
		if !begun[name] {
			list = append(list, "it does not know of the turn that has left "+path.Join(workspace.Turns, name))
		}
	}
	if w.report && !ended && !reported {
		list = append(list, "it does not know of the turn that has left "+flow.FinalReport)
	}
	return list
}

// tasks are all a run has had.
func tasks(r flow.Run) []flow.TaskState {
	var all []flow.TaskState
	for _, v := range r.History {
		all = append(all, v.Tasks...)
	}
	return append(all, r.Tasks...)
}
