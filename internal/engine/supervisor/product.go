package supervisor

import (
	"fmt"

	"github.com/research-council/research-council/internal/engine/flow"
)

// productOf finds the product of a run, and the run's course.
func productOf(products []Product, r flow.Run) (Product, flow.Workflow, error) {
	for _, p := range products {
		if w, ok := p.Workflow(r.Setup); ok {
			return p, w, nil
		}
	}
	return nil, flow.Workflow{}, fmt.Errorf("this version knows no workflow %q; use the version that began the run", r.Setup.Workflow)
}
