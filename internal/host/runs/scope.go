package runs

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/engine/journal"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/project/top"
)

// ScopeOfReport is the folder below which the files lie that a report cites, told by
// the folder it lies in: of a report of ours the scope of its run, looked for from
// there and from where the caller stands, or else the repository it lies in, or
// that folder; "" for none. The run is named where the scope is taken from it.
func ScopeOfReport(run, dir, from string) (scope, of string, err error) {
	if dir == "" {
		return "", "", nil
	}
	if scope, err = scopeOfRun(run, dir, from); scope != "" || err != nil {
		return scope, run, err
	}
	if top, ok := top.Upwards(dir, top.IsRepository); ok {
		return top, "", nil
	}
	return dir, "", nil
}

// scopeOfRun is the scope of a run of a project around one of some folders; ""
// where there is no such run, or it had none.
func scopeOfRun(run string, around ...string) (string, error) {
	if run == "" {
		return "", nil
	}
	for _, dir := range around {
		project, ok := top.Upwards(dir, func(dir string) bool {
			_, err := os.Lstat(filepath.Join(dir, workspace.Runs, run, journal.Name))
			return err == nil
		})
		if !ok {
			continue
		}
		r, err := supervisor.Read(project, run)
		if err != nil {
			return "", fmt.Errorf("read the scope of run %s, which wrote the report (--scope names another): %w", run, err)
		}
		return r.Setup.Scope, nil
	}
	return "", nil
}
