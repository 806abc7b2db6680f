package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/project/top"
)

// projectForNewRun is the folder a new run is laid down in: the one named, or the
// top of the repository, or the working directory.
func projectForNewRun(c *cobra.Command, e program.Env) (string, error) {
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
func projectWithRuns(c *cobra.Command, e program.Env) (string, error) {
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

// resolveOutput is the folder and the name of a file that a person has named to be
// written. From where the person stands it leads no further than to the project;
// any other place is named by its whole path.
func resolveOutput(c *cobra.Command, e program.Env, path string) (folder, name string, err error) {
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
	if _, is := top.Inside(real, filepath.Join(folder, name)); !is {
		return "", "", fmt.Errorf("it lies outside of the project %s; name a file inside it, or its whole path", project)
	}
	return folder, name, nil
}
