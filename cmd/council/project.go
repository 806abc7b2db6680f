package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"research-council/internal/workspace"
)

// newProject is the folder a new run is laid down in: the one named, or the
// top of the repository, or the working directory.
func newProject(c *cobra.Command, e env) (string, error) {
	dir, err := c.Flags().GetString("project")
	if err != nil {
		return "", err
	}
	if dir == "" {
		if top, ok := upwards(e.dir, hasGit); ok {
			return top, nil
		}
		return e.dir, nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(e.dir, dir)
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return "", misuse("--project %q: %w; name a folder that exists", dir, unwrapped(err))
	case !info.IsDir():
		return "", misuse("--project %q is no folder; name one that exists", dir)
	}
	return filepath.Clean(dir), nil
}

// oldProject is the folder whose runs are meant: the one named, or the nearest
// one upwards that has runs, or where a new one would be.
func oldProject(c *cobra.Command, e env) (string, error) {
	if up, ok := upwards(e.dir, hasRuns); ok && !c.Flags().Changed("project") {
		return up, nil
	}
	return newProject(c, e)
}

func hasGit(dir string) bool { return exists(filepath.Join(dir, ".git")) }

func hasRuns(dir string) bool {
	ids, err := workspace.List(dir)
	return err == nil && len(ids) > 0
}

// upwards is the nearest folder from dir up of which something holds.
func upwards(dir string, is func(string) bool) (string, bool) {
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

// unwrapped is what the system says, without the path and the call.
func unwrapped(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// scopeOf checks a folder of local sources and resolves every link in it. It
// has to lie in the project, unless the person has said otherwise.
func scopeOf(project, scope string, outside bool) (string, error) {
	if !filepath.IsAbs(scope) {
		scope = filepath.Join(project, scope)
	}
	real, err := filepath.EvalSymlinks(scope)
	if err != nil {
		return "", misuse("--scope %q: %w; name a folder that exists", scope, unwrapped(err))
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", misuse("--scope %q is no folder; name one that exists", scope)
	}
	root, err := filepath.EvalSymlinks(project)
	if err != nil {
		return "", fmt.Errorf("find the project: %w", err)
	}
	inside, err := filepath.Rel(root, real)
	if outside || err == nil && filepath.IsLocal(inside) {
		return real, nil
	}
	if named, err := filepath.Rel(project, scope); err == nil && filepath.IsLocal(named) {
		return "", misuse("--scope %q leads out of the project through a symlink to %s; name a folder inside %s, or add --scope-outside to `council run`", scope, real, project)
	}
	return "", misuse("--scope %q lies outside the project %s; name a folder inside it, or add --scope-outside to `council run`", scope, project)
}
