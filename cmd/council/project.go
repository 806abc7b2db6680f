package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"research-council/internal/base/usage"
	"research-council/internal/engine/workspace"
	"research-council/internal/host/request"
	"research-council/internal/project/top"
)

// projectForNewRun is the folder a new run is laid down in: the one named, or the
// top of the repository, or the working directory.
func projectForNewRun(c *cobra.Command, e env) (string, error) {
	dir, err := c.Flags().GetString("project")
	if err != nil {
		return "", err
	}
	if dir == "" {
		return top.Of(e.Dir), nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(e.Dir, dir)
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return "", usage.Errorf("--project %q: %w; name a folder that exists", dir, usage.Cause(err))
	case !info.IsDir():
		return "", usage.Errorf("--project %q is no folder; name one that exists", dir)
	}
	return filepath.Clean(dir), nil
}

// projectWithRuns is the folder whose runs are meant: the one named, or the nearest
// one upwards that has runs, or where a new one would be.
func projectWithRuns(c *cobra.Command, e env) (string, error) {
	if up, ok := top.Upwards(e.Dir, hasRuns); ok && !c.Flags().Changed("project") {
		return up, nil
	}
	return projectForNewRun(c, e)
}

func hasRuns(dir string) bool {
	ids, err := workspace.List(dir)
	return err == nil && len(ids) > 0
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// resolveScope checks a folder of local sources. It has to be named from where the
// person stands, through no link, and lie in the project; unless the person has
// said that it may lie outside.
func resolveScope(project string, req request.Request) (string, error) {
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

// resolveOutput is the folder and the name of a file that a person has named to be
// written. From where the person stands it leads no further than to the project;
// any other place is named by its whole path.
func resolveOutput(c *cobra.Command, e env, path string) (folder, name string, err error) {
	folder, name, err = workspace.ResolvePath(e.Dir, path)
	if err != nil || filepath.IsAbs(path) || filepath.IsLocal(path) {
		return folder, name, err
	}
	project, err := projectWithRuns(c, e)
	if err != nil {
		return "", "", err
	}
	real, err := filepath.EvalSymlinks(project)
	if err != nil {
		return "", "", fmt.Errorf("find the project: %w", usage.Cause(err))
	}
	if _, is := relativeInside(real, filepath.Join(folder, name)); !is {
		return "", "", fmt.Errorf("it lies outside of the project %s; name a file inside it, or its whole path", project)
	}
	return folder, name, nil
}
