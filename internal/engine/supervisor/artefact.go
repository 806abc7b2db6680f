package supervisor

import (
	"fmt"
	"path"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/loop"
	"github.com/research-council/research-council/internal/engine/workspace"
)

// maxArtefactBytes bounds what a report may weigh, in bytes.
const maxArtefactBytes = 8 << 20

// MeasureFile judges what a task has written, by its name in the run's folder.
func (s *Run) MeasureFile(name string, judge func(data []byte) loop.Artefact) loop.Artefact {
	data, err := s.Folder.Read(name)
	if err != nil {
		return loop.Artefact{Problems: []string{"it wrote no report"}}
	}
	if len(data) > maxArtefactBytes {
		a := NewArtefact(data)
		a.Problems = []string{fmt.Sprintf("its report is larger than %d MiB", maxArtefactBytes>>20)}
		return a
	}
	return judge(data)
}

// NewArtefact is an artefact that nobody has judged yet.
func NewArtefact(data []byte) loop.Artefact {
	return loop.Artefact{Bytes: int64(len(data)), SHA256: workspace.Sum(data)}
}

// publish copies the artefacts of this visit's good tasks from the seats'
// folders to the run's: only now, so that no seat can look at another's
// findings while its own are under way.
func (s *ledger) publish(tasks []flow.TaskState) error {
	for _, t := range tasks {
		if !t.Outcome.Good() || t.Seat == flow.Program || t.Seat == flow.Host || !s.work.Publishes(t.Task) {
			continue
		}
		data, err := s.Folder.Read(path.Join(s.TaskFolder(t.Task), t.Writes))
		if err == nil {
			data, err = s.work.Publish(t.Task, data)
		}
		if err != nil {
			return fmt.Errorf("publish the report of %s: %w", t.Seat, err)
		}
		if err := s.Folder.Write(t.Writes, data); err != nil {
			return err
		}
	}
	return nil
}

// InputsDir is where a seat finds what it reads, below its folder.
const InputsDir = "inputs"
