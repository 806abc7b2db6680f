package prepare

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/host/request"
)

// Scope checks a folder of local sources. It has to be named from where the
// person stands, through no link, and lie in the project; unless the person has
// said that it may lie outside.
func Scope(project string, req request.Request) (string, error) {
	named := req.Scope
	if !req.ScopeOutside && filepath.IsAbs(named) {
		return "", usage.Errorf("--scope %q: name a folder inside the project %s by a relative path, or add --scope-outside", named, project)
	}
	if !filepath.IsAbs(named) {
		named = filepath.Join(cmp.Or(req.ScopeFrom, project), named)
	}
	real, err := filepath.EvalSymlinks(named)
	if err != nil {
		return "", usage.Errorf("--scope %q: %w; name a folder that exists", req.Scope, usage.Cause(err))
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", usage.Errorf("--scope %q is no folder; name one that exists", req.Scope)
	}
	folder, err := os.Open(real)
	if err != nil {
		return "", usage.Errorf("--scope %q: %v; name a folder that can be read", req.Scope, usage.Cause(err))
	}
	_ = folder.Close() // it is opened to see whether that can be done
	if req.ScopeOutside {
		return real, nil
	}
	return real, checkInside(project, named, real)
}

// checkInside says why a folder is none of the project's own, or nil.
func checkInside(project, named, real string) error {
	root, err := filepath.EvalSymlinks(project)
	if err != nil {
		return fmt.Errorf("find the project: %w", err)
	}
	inside, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(inside) {
		return usage.Errorf("--scope leads to %s, outside the project %s; name a folder inside it, or add --scope-outside", real, project)
	}
	if below, err := filepath.Rel(project, named); err == nil && filepath.IsLocal(below) && filepath.Join(root, below) != real {
		return usage.Errorf("--scope leads through a symlink to %s; name that folder itself, or add --scope-outside", real)
	}
	return nil
}
