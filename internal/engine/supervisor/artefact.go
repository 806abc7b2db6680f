package supervisor

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"

	"research-council/internal/agent"
	"research-council/internal/base/marker"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/loop"
	"research-council/internal/evidence/claim"
	"research-council/internal/output/report"
	"research-council/internal/product/recipe"
)

// maxArtefactBytes bounds what a report may weigh, in bytes.
const maxArtefactBytes = 8 << 20

// measure judges an artefact by what stands in it.
func (s *supervisor) measure(t flow.Task, name string) loop.Artefact {
	data, err := s.folder.Read(name)
	if err != nil {
		return loop.Artefact{Problems: []string{"it wrote no report"}}
	}
	a := loop.Artefact{Bytes: int64(len(data)), SHA256: digest(data)}
	if len(data) > maxArtefactBytes {
		a.Problems = []string{fmt.Sprintf("its report is larger than %d MiB", maxArtefactBytes>>20)}
		return a
	}
	switch t.Role {
	case agent.Support, agent.Validation, agent.Debate:
		given, missing := s.checkVotes(t, data)
		a.Usable, a.Problems = given > 0, missing
		a.Complete = marker.IsComplete(data) && len(missing) == 0
		return a
	}
	if asksForAnswer(t.Role) {
		return s.measureAnswer(t, data)
	}
	if isReviewRole(t.Role) {
		return s.measureReviewAnswer(t, data)
	}
	if t.Role == agent.Judge {
		return s.measureVerdict(data)
	}
	if isIteration(t) {
		a.Usable, a.Complete = len(bytes.TrimSpace(data)) > 0, marker.IsComplete(data)
		return a
	}
	usable, problem := report.Usable(data)
	a.Usable, a.Complete = usable, marker.IsComplete(data)
	if problem != "" {
		a.Problems = []string{problem}
	}
	if t.Role == agent.Synthesis && usable {
		a.Problems = report.Council.Lint(data, s.registry().Entries)
		a.Complete = len(a.Problems) == 0
	}
	return a
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// registry reads what has been gathered up to now; nothing is an empty
// registry.
func (s *supervisor) registry() claim.Registry {
	data, err := s.folder.Read(recipe.RegistryFile)
	if err != nil {
		return claim.Registry{}
	}
	reg, err := claim.ParseRegistry(data)
	if err != nil {
		s.log("The registry cannot be read and is made anew: " + err.Error())
	}
	return reg
}

// publish copies the artefacts of this visit's good tasks from the seats'
// folders to the run's: only now, so that no seat can look at another's
// findings while its own are under way.
func (s *supervisor) publish(tasks []flow.TaskState) error {
	for _, t := range tasks {
		if !t.Outcome.Good() || t.Seat == flow.Program || t.Seat == flow.Host || isIteration(t.Task) {
			continue
		}
		data, err := s.folder.Read(path.Join(taskFolder(t.Task), t.Writes))
		if err == nil && asksForAnswer(t.Role) {
			data, err = s.publishableAnswer(t.Task, data)
		}
		if err != nil {
			return fmt.Errorf("publish the report of %s: %w", t.Seat, err)
		}
		if err := s.folder.Write(t.Writes, data); err != nil {
			return err
		}
	}
	return nil
}

// inputsDir is where a seat finds what it reads, below its folder.
const inputsDir = "inputs"

// copyInputs copies published artefacts into a seat's folder, where every CLI lets
// it read, and returns their paths.
func (s *supervisor) copyInputs(t flow.Task) ([]string, error) {
	var paths []string
	for _, name := range t.Reads {
		data, err := s.folder.Read(name)
		if err != nil {
			return nil, fmt.Errorf("hand %s to %s: %w", name, t.Seat, err)
		}
		copied := path.Join(taskFolder(t), inputsDir, name)
		if err := s.folder.Mkdir(path.Dir(copied)); err != nil {
			return nil, fmt.Errorf("hand %s to %s: %w", name, t.Seat, err)
		}
		if err := s.folder.Write(copied, data); err != nil {
			return nil, err
		}
		paths = append(paths, s.folder.Join(copied))
	}
	return paths, nil
}
