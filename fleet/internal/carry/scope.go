package carry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// scopeName is the folder below the project that holds the repository of a request.
const scopeName = "scope"

// layScope checks out the repository a request names, at its commit. One that lies
// there already is left: nobody but the run's own seats has been at it.
func (c *carrying) layScope(ctx context.Context) error {
	if c.req.Scope == nil {
		return nil
	}
	dir := filepath.Join(c.project, scopeName)
	if at, err := git(ctx, dir, "rev-parse", "HEAD"); err == nil && strings.TrimSpace(at) == c.req.Scope.Commit {
		return nil
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return fmt.Errorf("lay down the scope: %w", err)
	}
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", c.req.Scope.Git, c.req.Scope.Commit},
		{"checkout", "--quiet", "--detach", c.req.Scope.Commit},
	} {
		if out, err := git(ctx, dir, args...); err != nil {
			return fmt.Errorf("lay down the scope: git %s: %w: %s", args[0], err, strings.TrimSpace(out))
		}
	}
	return nil
}

// git runs git so that a repository chooses no program and asks nobody.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	own := []string{"-C", dir, "-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.symlinks=false", "-c", "protocol.allow=never", "-c", "protocol.https.allow=always", "-c", "protocol.ssh.allow=always", "-c", "protocol.file.allow=always"}
	c := exec.CommandContext(ctx, "git", append(own, args...)...)
	c.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_LFS_SKIP_SMUDGE=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := c.CombinedOutput()
	return string(out), err
}
