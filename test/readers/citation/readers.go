// Package readers asks independent programs what they make of our exports:
// citation-js of lists of references, axe-core of pages. package-lock.json
// beside it pins them; "npm ci" in this folder installs them.
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

// Ask gives a script of this folder an input and returns what it writes. The
// readers are installed where they are missing.
func Ask(t testing.TB, input []byte, script string, args ...string) []byte {
	t.Helper()
	dir := folder(t)
	if err := install(t, dir); err != nil {
		if os.Getenv(Required) == "1" {
			t.Fatalf("the readers are not installed and %s=1: %v", Required, err)
		}
		t.Skipf("the readers are not installed: npm ci --prefix test/readers/citation: %v", err)
	}
	out, err := run(t, dir, input, append([]string{"node", script}, args...))
	if err != nil {
		t.Fatalf("ask %s: %v\n%s", script, err, out)
	}
	return out
}

func install(t testing.TB, dir string) error {
	if _, err := exec.LookPath("node"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err == nil {
		return nil
	}
	_, err := run(t, dir, nil, []string{"npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0"})
	return err
}

// run runs a program in a folder, with a home of its own. Where it fails, what
// it said on standard error is given.
func run(t testing.TB, dir string, input []byte, command []string) ([]byte, error) {
	program, err := exec.LookPath(command[0])
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, command[1:]...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "npm_config_registry", "NODE_EXTRA_CA_CERTS", "npm_config_cafile"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Stdin = bytes.NewReader(input)
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		return failed.Bytes(), err
	}
	return out, nil
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
			return filepath.Join(dir, "test", "readers", "citation")
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("find the module: no go.mod above the test")
		}
	}
}
