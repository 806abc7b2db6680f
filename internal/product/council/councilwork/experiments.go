package councilwork

import (
	"fmt"
	"path"
	"slices"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/evidence/experiment"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/project/confine"
	"github.com/research-council/research-council/internal/project/lab"
)

// Seats may have experiments made at their desks, where there is a box for them;
// where there is none nothing is run.

// experimentPlaces is what the places of experiments are for.
const experimentPlaces = "experiments"

// experimentsFile says, in the run's folder, how a seat's experiments are made.
func experimentsFile(seat string) string { return "experiments-" + seat + ".json" }

// mayExperiment reports whether a task is one in which a seat looks for evidence,
// with a desk at which experiments are made.
func (s *experimenter) mayExperiment(t flow.Task) bool {
	looks := slices.Contains([]string{agent.Research, agent.Refinement, agent.Validation, agent.Debate}, t.Role)
	return looks && s.Setup.Experiments != nil && (s.MayRun(t.Seat) || s.knowsDesk(t.Seat)) && s.noBox() == ""
}

// noBox says why no experiments can be made here; "" where they can. The log has
// it once.
func (s *experimenter) noBox() string {
	s.lookForBox.Do(func() {
		if _, err := confine.Find(s.Life); err != nil {
			s.withoutBox = err.Error()
			s.Log("No experiments can be made, and no seat is offered any: " + s.withoutBox)
		}
	})
	return s.withoutBox
}

// Lend gives a seat that may make experiments a place for them: the one it had in an
// earlier turn, with what compilers have kept there.
func (s *experimenter) Lend(ask agent.Turn, t flow.Task) error {
	if !ask.Trials {
		return nil
	}
	name := experimentsFile(t.Seat)
	place := s.BoxPlace(experimentPlaces, name)
	if place != "" && lab.CacheIsFull(place) {
		s.DropBoxPlace(experimentPlaces, name)
		place = ""
	}
	if place == "" {
		var err error
		if place, err = s.NewBoxPlace(experimentPlaces); err != nil {
			return err
		}
	}
	o := lab.Place(place, s.Environ)
	o.Council, o.Hook, o.Mark = s.Council, s.Hook, s.BoxMark()
	return lab.Lent{Options: o, Budget: *s.Setup.Experiments}.Save(func(data []byte) error { return s.Folder.Write(name, data) })
}

// settleExperiments enters into a turn's result what its seat has had run: the
// journal has the hash of each record from then on.
func (s *experimenter) settleExperiments(seat string, res *flow.Result) {
	if s.Setup.Experiments == nil {
		return
	}
	all, err := s.Archive.Experiments()
	if err != nil {
		s.Log(fmt.Sprintf("The experiments of %s cannot be read: %v", seat, err))
		return
	}
	used := experiment.Of(seat, all)
	if used.Number == 0 {
		return
	}
	res.Experiments = &used
	if res.Files == nil {
		res.Files = map[string]string{}
	}
	for _, r := range all {
		if r.Seat != seat {
			continue
		}
		if kept, ok := s.Archive.Lookup(experiment.Reference(r.ID)); ok {
			res.Files[path.Join(council.SourcesDir, s.Archive.DataFile(kept.Body))] = kept.Body
		}
	}
}
