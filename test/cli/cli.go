// Package cli finds the real command lines of claude, codex and gemini that
// tests drive. package-lock.json beside it pins them; "make cli" installs them
// below node_modules. It promises the program that does the work, never a
// wrapper that would outlive a signal; it leaves starting it to others.
package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Required is the environment variable that, when it is "1", makes a missing
// command line fail a test which would otherwise be skipped.
const Required = "COUNCIL_REQUIRE_CLIS"

// Matrix is the environment variable that, when it is "1", has every test run
// that drives the command lines, test runners of many languages, or engines of
// TeX. Without it a few stand for all of them.
const Matrix = "COUNCIL_CLI_MATRIX"

// InMatrix skips a test that runs with all the others of its kind alone, as
// [Matrix] says.
func InMatrix(t testing.TB) {
	t.Helper()
	if os.Getenv(Matrix) != "1" {
		t.Skipf("it is run by make test-cli (%s=1)", Matrix)
	}
}

// OnDisk has what the tests of a package write lie on a disk, where it would lie in
// memory: codex's box puts a memory of its own in the place of /dev/shm. It is
// called before the first test.
func OnDisk() {
	if strings.HasPrefix(os.TempDir(), "/dev/shm/") {
		_ = os.Unsetenv("TMPDIR") // a name that is in order
	}
}

// program is the pattern of each executable below node_modules. npm installs
// the one platform package that fits, so a pattern has one match.
func program(name string) string {
	return map[string]string{
		"claude": "@anthropic-ai/claude-code-*/claude*",
		"codex":  "@openai/codex-*/vendor/*/bin/codex*",
		"gemini": "@google/gemini-cli/bundle/gemini.js",
	}[name]
}

// Path is the absolute path of the executable of "claude", "codex" or
// "gemini". Where it is not installed the test is skipped, or fails if
// [Required] says so.
func Path(t testing.TB, name string) string {
	t.Helper()
	pattern := program(name)
	if pattern == "" {
		t.Fatalf("no command line is called %q", name)
	}
	modules := filepath.Join(Root(t), "test", "cli", "node_modules")
	path, err := find(modules, pattern)
	if err != nil {
		t.Fatalf("look for %s: %v", name, err)
	}
	if path != "" {
		return path
	}
	if os.Getenv(Required) == "1" {
		t.Fatalf("%s is not installed and %s=1: run make cli", name, Required)
	}
	t.Skipf("%s is not installed: run make cli", name)
	return ""
}

// find is the file below dir that fits the pattern, or "".
func find(dir, pattern string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return "", err
	}
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", nil
}

// Root is the module's folder: tests run in the folder of their package.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatalf("find the module: %v", err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("find the module: no go.mod above the test")
		}
	}
}
