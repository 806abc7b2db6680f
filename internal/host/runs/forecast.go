package runs

import (
	"encoding/json"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/product"
)

// Forecast says what a run may take, by what finished runs of the project have
// used.
func Forecast(s flow.Setup) forecast.Forecast {
	return forecast.Of(product.Demand(s), Finished(s.Root))
}

// Finished are the runs of a project that have come to their end. Of each
// the projection is read that its supervisor has left, never the journal; one
// that cannot be read teaches nothing.
func Finished(project string) []forecast.FinishedRun {
	ids, err := workspace.List(project)
	if err != nil {
		return nil
	}
	var list []forecast.FinishedRun
	for _, id := range ids {
		if past, ok := finishedRun(project, id); ok {
			list = append(list, past)
		}
	}
	return list
}

func finishedRun(project, id string) (forecast.FinishedRun, bool) {
	f, err := workspace.Open(project, id)
	if err != nil {
		return forecast.FinishedRun{}, false
	}
	defer f.Close()
	data, err := f.Read(workspace.Status)
	if err != nil {
		return forecast.FinishedRun{}, false
	}
	var s status.Status
	if err := json.Unmarshal(data, &s); err != nil {
		return forecast.FinishedRun{}, false
	}
	return s.Past()
}
