package program

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Find gives the absolute path of a seat's executable, or says how to
// come by it.
func Find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", missing(name, err)
	}
	if filepath.Base(name) == "codex" {
		return nativeCodex(path), nil
	}
	return path, nil
}

func missing(name string, err error) error {
	why := "not found in PATH"
	if !errors.Is(err, exec.ErrNotFound) && !errors.Is(err, fs.ErrNotExist) {
		why = err.Error()
	}
	hints := map[string]string{
		"claude": "install it with: npm install -g @anthropic-ai/claude-code",
		"codex":  "install it with: npm install -g @openai/codex",
		"gemini": "install it with: npm install -g @google/gemini-cli",
	}
	if hint := hints[name]; hint != "" {
		return fmt.Errorf("%s; %s", why, hint)
	}
	return errors.New(why)
}

// nativeCodex is the executable that codex's npm package wraps, where it is found
// beside the wrapper: a wrapper that is killed leaves it running. The packages
// are named @openai/codex-OS-ARCH and hold vendor/TARGET/bin/codex.
func nativeCodex(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || filepath.Ext(real) != ".js" {
		return path
	}
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	pkg := filepath.Dir(filepath.Dir(real)) // …/@openai/codex
	inner := filepath.Join("vendor", "*", "bin", "codex")
	platform := "codex-" + runtime.GOOS + "-" + arch
	for _, pattern := range []string{
		filepath.Join(pkg, "node_modules", "@openai", platform, inner),
		filepath.Join(filepath.Dir(pkg), platform, inner),
		filepath.Join(pkg, inner),
	} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) == 1 {
			return found[0]
		}
	}
	return path
}
