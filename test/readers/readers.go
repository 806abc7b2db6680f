// Package readers asks independent programs what they make of our files:
// citation-js of lists of references and axe-core of pages (citation), the
// authors' validator of SARIF (sarif), warcio and robots-parser of WARC files
// and robots.txt (warc). Each folder holds scripts and, in package-lock.json,
// pins what they need; it is installed where it is missing.
package readers

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/research-council/research-council/test/cli"
)

// Ask gives a script of a folder below this one an input and returns what it
// writes.
func Ask(t testing.TB, folder string, input []byte, script string, args ...string) []byte {
	t.Helper()
	out, err := run(t, Installed(t, folder), input, append([]string{"node", script}, args...)...)
	if err != nil {
		t.Fatalf("ask %s: %v\n%s", script, err, out)
	}
	return out
}

// Installed is the path of a folder below this one, with what its scripts need.
// Where that cannot be had the test is skipped, or fails if [cli.Required] says
// so.
func Installed(t testing.TB, folder string) string {
	t.Helper()
	dir := filepath.Join(cli.Root(t), "test", "readers", folder)
	err := install(t, dir)
	if err != nil && os.Getenv(cli.Required) == "1" {
		t.Fatalf("the readers are not installed and %s=1: %v", cli.Required, err)
	}
	if err != nil {
		t.Skipf("the readers are not installed: npm ci --prefix test/readers/%s: %v", folder, err)
	}
	return dir
}

// install fetches what is pinned. Tests of several packages may do so at once:
// each does it aside, and the first one is kept.
func install(t testing.TB, dir string) error {
	if _, err := exec.LookPath("node"); err != nil || there(dir) {
		return err
	}
	aside, err := os.MkdirTemp(dir, "node_modules.")
	if err != nil {
		return err
	}
	defer os.RemoveAll(aside)
	for _, name := range []string{"package.json", "package-lock.json"} {
		if err := os.Link(filepath.Join(dir, name), filepath.Join(aside, name)); err != nil {
			return err
		}
	}
	if _, err := run(t, aside, nil, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0"); err != nil {
		return err
	}
	return keep(aside, dir)
}

// keep moves what was fetched aside into its place, unless another was there
// first. What an installation has left that was cut off gives way to it.
func keep(aside, dir string) error {
	fetched, place := filepath.Join(aside, "node_modules"), filepath.Join(dir, "node_modules")
	err := os.Rename(fetched, place)
	if err == nil || there(dir) {
		return nil
	}
	if err := os.Rename(place, filepath.Join(aside, "unfinished")); err != nil {
		return err
	}
	err = os.Rename(fetched, place)
	if there(dir) {
		return nil
	}
	return err
}

// there reports whether all is installed: npm writes that file last.
func there(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json"))
	return err == nil
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
