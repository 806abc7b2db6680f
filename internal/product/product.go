// Package product lists the kinds of runs there are. A new one has a folder of
// its own below this one, and a line in [All].
package product

import (
	"maps"
	"time"

	"github.com/research-council/research-council/internal/agent/librarian"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/output/notion"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/codereview/reviewwork"
	"github.com/research-council/research-council/internal/product/council/councilwork"
	"github.com/research-council/research-council/internal/product/staged/stagedlibrarian"
	"github.com/research-council/research-council/internal/product/staged/stagedwork"
)

// Settings are what the machine gives products to work with. The zero value
// serves to look at runs.
type Settings struct {
	Reader        []string       // leads to a process that reads a source in bounds; nil has sources read in this one
	Notion        *notion.Client // delivers the report of staged research; nil where it is not set up
	NotionProblem string         // why it cannot be, where it is set up
	Templates     string         // folder of the user's own templates of papers; "" for none
}

// All are the products.
func All(s Settings) []supervisor.Product {
	council := councilwork.Product{Reader: s.Reader}
	return []supervisor.Product{
		council,
		stagedwork.Product{Product: council, Notion: s.Notion, NotionProblem: s.NotionProblem},
		campaignwork.Product{Product: council, Templates: s.Templates},
		reviewwork.Product{},
	}
}

// LibrarianRoles are the parts that the librarian plays in runs of single products,
// by name.
func LibrarianRoles() map[string]librarian.Role {
	roles := stagedlibrarian.Roles()
	maps.Copy(roles, campaignwork.LibrarianRoles())
	return roles
}

// Load folds a run's journal without taking it up.
func Load(project, id string) (flow.Workflow, flow.Run, error) {
	return supervisor.Load(All(Settings{}), project, id)
}

// WorkflowOf is the workflow of a run; the zero value where no product knows it.
func WorkflowOf(s flow.Setup) flow.Workflow {
	for _, p := range All(Settings{}) {
		if w, mine := p.Workflow(s); mine {
			return w
		}
	}
	return flow.Workflow{}
}

// Demand is what a run will ask of its seats, for a forecast of what it takes.
func Demand(s flow.Setup) forecast.Demand {
	for _, p := range All(Settings{}) {
		if _, mine := p.Workflow(s); mine {
			return p.Demand(s)
		}
	}
	return forecast.Demand{}
}

// Begin lays down a new run, as [supervisor.Begin] does.
func Begin(setup flow.Setup, now time.Time, files ...supervisor.File) (*workspace.Folder, error) {
	return supervisor.Begin(All(Settings{}), setup, now, files...)
}
