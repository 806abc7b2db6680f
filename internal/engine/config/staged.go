package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Staged is how staged research is done, and who reviews. Which stages there are
// is left to who does it.
type Staged struct {
	Agents    int                      `yaml:"agents"`    // of the collection, at most
	Revisions int                      `yaml:"revisions"` // times reviewers may send the work back
	Reviewers []string                 `yaml:"reviewers"` // seats asked first for a review; three are wanted
	SLA       map[string]time.Duration `yaml:"sla"`       // by stage: longer than that is told, and stops nothing
}

func (s Staged) check() error {
	switch {
	case s.Agents < 1:
		return fmt.Errorf("staged.agents: %d is not at least 1", s.Agents)
	case s.Revisions < 0 || s.Revisions > maxRevisions:
		return fmt.Errorf("staged.revisions: %d is not between 0 and %d", s.Revisions, maxRevisions)
	case len(s.Reviewers) == 0:
		return errors.New("staged.reviewers: name at least one seat")
	}
	for _, stage := range slices.Sorted(maps.Keys(s.SLA)) {
		if s.SLA[stage] < 0 {
			return fmt.Errorf("staged.sla.%s: a time cannot be negative", stage)
		}
	}
	return nil
}

const maxRevisions = 10
