// Package readers asks independent programs what they make of our files:
// warcio of WARC files, robots-parser of robots.txt. package-lock.json beside
// it pins them; "npm ci" in this folder installs them.
package readers

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Required is the environment variable that, when it is "1", makes missing
// readers fail a test that would otherwise be skipped.
const Required = "COUNCIL_REQUIRE_CLIS"

// Ask gives a script of this folder an input and returns what it writes.
func Ask(t testing.TB, script string, input []byte) []byte {
	t.Helper()
	dir := folder(t)
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "node_modules"))
	}
	if err != nil {
		if os.Getenv(Required) == "1" {
			t.Fatalf("the readers are not installed and %s=1: %v", Required, err)
		}
		t.Skipf("the readers are not installed: npm ci --prefix test/readers/warc: %v", err)
	}
	cmd := exec.Command(node, filepath.Join(dir, script))
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	cmd.Stdin = bytes.NewReader(input)
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ask %s: %v\n%s", script, err, failed.String())
	}
	return out
}

// folder is this folder: tests run in the folder of their package.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatalf("find the module: %v", err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "test", "readers", "warc")
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("find the module: no go.mod above the test")
		}
	}
}
