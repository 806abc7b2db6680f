package program

import (
	"fmt"
	"maps"
	"slices"

	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/product/staged"
)

// LoadConfig reads the defaults and the user's file over them, and holds what is
// set for a product to what it takes. No file is no error.
func LoadConfig(path string) (config.Config, error) {
	c, err := config.Load(path)
	if err != nil {
		return c, err
	}
	if err := checkStaged(c.Staged); err != nil {
		return config.Config{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

func checkStaged(s config.Staged) error {
	if s.Agents > staged.Agents {
		return fmt.Errorf("staged.agents: %d is not between 1 and %d", s.Agents, staged.Agents)
	}
	for _, stage := range slices.Sorted(maps.Keys(s.SLA)) {
		if !slices.Contains(staged.Stages(), stage) {
			return fmt.Errorf("staged.sla: there is no stage %q", stage)
		}
	}
	return nil
}
