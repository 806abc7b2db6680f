// Package readers asks the validator of SARIF by the format's authors, and
// their schema, what they make of our logs. package-lock.json beside it pins
// them; "npm ci" in this folder installs them.
package readers

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Required is the environment variable that, when it is "1", makes missing
// readers fail a test that would otherwise be skipped.
const Required = "COUNCIL_REQUIRE_CLIS"

// Problem is what the validator finds wrong with a log.
type Problem struct{ Rule, Level, Message string }

// Validate gives what is wrong with a log by the rules of the format and of
// code hosts. It does not look at the schema.
func Validate(t testing.TB, log []byte) []Problem {
	t.Helper()
	out, err := run(t, installed(t), log, "node", "validate.mjs")
	if err != nil {
		t.Fatalf("validate SARIF: %v\n%s", err, out)
	}
	var list []Problem
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatalf("read the validator's answer: %v\n%s", err, out)
	}
	return list
}

// Schema is the format's JSON schema.
func Schema(t testing.TB) []byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(installed(t), "node_modules", "@microsoft", "sarif-multitool-*", "sarif-2.1.0.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("find the schema of SARIF: %v", err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatalf("read the schema of SARIF: %v", err)
	}
	return data
}

// installed is this folder, with the readers in it; they are installed where
// they are missing.
func installed(t testing.TB) string {
	t.Helper()
	dir := folder(t)
	_, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json"))
	if err != nil {
		_, err = run(t, dir, nil, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0")
	}
	if err != nil && os.Getenv(Required) == "1" {
		t.Fatalf("the readers are not installed and %s=1: %v", Required, err)
	}
	if err != nil {
		t.Skipf("the readers are not installed: npm ci --prefix test/readers/sarif: %v", err)
	}
	return dir
}

// run runs a program in a folder, with a home of its own. Where it fails, what
// it said on standard error is given.
func run(t testing.TB, dir string, input []byte, command ...string) ([]byte, error) {
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
			return filepath.Join(dir, "test", "readers", "sarif")
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("find the module: no go.mod above the test")
		}
	}
}
