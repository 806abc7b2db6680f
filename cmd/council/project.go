package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"research-council/internal/engine/workspace"
	"research-council/internal/host/request"
)

// projectForNewRun is the folder a new run is laid down in: the one named, or the
// top of the repository, or the working directory.
func projectForNewRun(c *cobra.Command, e env) (string, error) {
	dir, err := c.Flags().GetString("project")
	if err != nil {
		return "", err
	}
	if dir == "" {
		return projectOf(e.dir), nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(e.dir, dir)
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return "", usageErrorf("--project %q: %w; name a folder that exists", dir, systemError(err))
	case !info.IsDir():
		return "", usageErrorf("--project %q is no folder; name one that exists", dir)
	}
	return filepath.Clean(dir), nil
}

// projectOf is the project a folder belongs to: the top of the repository it lies
// in, however it was reached, or itself outside of any. It is what council-hook
// takes it for.
func projectOf(dir string) string {
	if hasGit(dir) {
		return dir
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return dir
	}
	if top, ok := findUpwards(real, hasGit); ok {
		return top
	}
	return dir
}

// sessionProject is the project of the session around this process; "" outside of
// any.
func sessionProject(e env) string {
	if dir := e.getenv("CLAUDE_PROJECT_DIR"); dir != "" {
		return projectOf(dir)
	}
	return ""
}

// projectWithRuns is the folder whose runs are meant: the one named, or the nearest
// one upwards that has runs, or where a new one would be.
func projectWithRuns(c *cobra.Command, e env) (string, error) {
	if up, ok := findUpwards(e.dir, hasRuns); ok && !c.Flags().Changed("project") {
		return up, nil
	}
	return projectForNewRun(c, e)
}

// hasGit reports whether a folder is the top of a repository, or of a work tree of
// one. An empty .git is neither: boxes put one in the way of what runs in them.
func hasGit(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil && (info.Mode().IsRegular() && info.Size() > 0 || exists(filepath.Join(dir, ".git", "HEAD")))
}

func hasRuns(dir string) bool {
	ids, err := workspace.List(dir)
	return err == nil && len(ids) > 0
}

// findUpwards is the nearest folder from dir up of which something holds.
func findUpwards(dir string, is func(string) bool) (string, bool) {
	for {
		if is(dir) {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// systemError is what the system says, without the path and the call.
func systemError(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// resolveScope checks a folder of local sources. It has to be named from where the
// person stands, through no link, and lie in the project; unless the person has
// said that it may lie outside.
func resolveScope(project string, req request.Request) (string, error) {
	named := req.Scope
	if !req.ScopeOutside && filepath.IsAbs(named) {
		return "", usageErrorf("--scope %q: name a folder inside the project %s by a relative path, or add --scope-outside", named, project)
	}
	if !filepath.IsAbs(named) {
		named = filepath.Join(cmp.Or(req.ScopeFrom, project), named)
	}
	real, err := filepath.EvalSymlinks(named)
	if err != nil {
		return "", usageErrorf("--scope %q: %w; name a folder that exists", req.Scope, systemError(err))
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", usageErrorf("--scope %q is no folder; name one that exists", req.Scope)
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
		return usageErrorf("--scope leads to %s, outside the project %s; name a folder inside it, or add --scope-outside", real, project)
	}
	if below, err := filepath.Rel(project, named); err == nil && filepath.IsLocal(below) && filepath.Join(root, below) != real {
		return usageErrorf("--scope leads through a symlink to %s; name that folder itself, or add --scope-outside", real)
	}
	return nil
}

// resolveOutput is the folder and the name of a file that a person has named to be
// written. From where the person stands it leads no further than to the project;
// any other place is named by its whole path.
func resolveOutput(c *cobra.Command, e env, path string) (folder, name string, err error) {
	folder, name, err = workspace.ResolvePath(e.dir, path)
	if err != nil || filepath.IsAbs(path) || filepath.IsLocal(path) {
		return folder, name, err
	}
	project, err := projectWithRuns(c, e)
	if err != nil {
		return "", "", err
	}
	real, err := filepath.EvalSymlinks(project)
	if err != nil {
		return "", "", fmt.Errorf("find the project: %w", systemError(err))
	}
	if _, is := relativeInside(real, filepath.Join(folder, name)); !is {
		return "", "", fmt.Errorf("it lies outside of the project %s; name a file inside it, or its whole path", project)
	}
	return folder, name, nil
}
