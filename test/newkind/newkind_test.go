// Package newkind_test adds a command line to the program: a room of its own
// and a line in the list of kinds, and nothing else.
package newkind_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// build builds the program with the room in testdata and one line more.
func build(t *testing.T) string {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	list := filepath.Join(root, "internal", "agent", "kinds", "kinds.go")
	text, err := os.ReadFile(list)
	require.NoError(t, err)
	const last = "\n\t\tgemini.Kind(),"
	require.Contains(t, string(text), last)
	text = bytes.Replace(text, []byte(last), []byte(last+"\n\t\tparrot.Kind(),"), 1)
	text = bytes.Replace(text, []byte("import ("), []byte("import (\n\t\"github.com/research-council/research-council/internal/agent/parrot\""), 1)
	dir := t.TempDir()
	changed := filepath.Join(dir, "kinds.go")
	require.NoError(t, os.WriteFile(changed, text, 0o600))

	replace := map[string]string{list: changed}
	for _, name := range []string{"kind.go", "defaults.yaml"} {
		replace[filepath.Join(root, "internal", "agent", "parrot", name)] = filepath.Join(root, "test", "newkind", "testdata", "parrot", name)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, overlay, 0o600))
	cmd := exec.Command("go", "build", "-overlay", file, "-o", dir+"/", "./cmd/council", "./cmd/council-hook")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return filepath.Join(dir, "council")
}

func TestACommandLineIsAddedByItsRoomAndOneLine(t *testing.T) {
	council := build(t)
	bin, err := filepath.Abs(filepath.Join("testdata", "bin"))
	require.NoError(t, err)
	project, home := t.TempDir(), t.TempDir()
	run := func(path string, args ...string) (string, string, error) {
		cmd := exec.Command(council, args...)
		var out, errs bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = project, &out, &errs
		cmd.Env = []string{"PATH=" + path + "/usr/bin:/bin", "HOME=" + home, "PARROT_SEEDS=sunflower", "OPENAI_API_KEY=another's"}
		err := cmd.Run()
		return out.String(), errs.String(), err
	}

	out, errs, err := run(bin+":", "config", "show")
	require.NoError(t, err, errs)
	require.Contains(t, out, "seats:\n    - claude\n    - codex\n    - gemini\n    - parrot\n", "it takes part unless others are named")
	require.Contains(t, out, "brand: aviary")
	require.Regexp(t, `prices:\n +macaw:\n +input: 2\n`, out)

	out, errs, _ = run(bin+":", "doctor") // the others are missing here
	require.Contains(t, out, "ok       parrot    "+filepath.Join(bin, "parrot")+" 1.2.3\n", errs)
	require.Contains(t, out, "ok       parrot    all 2 flags are there\n")
	require.Contains(t, out, "ok       parrot    login: PARROT_SEEDS; the owner of that key pays by use\n")
	require.NotContains(t, out, "sunflower")
	require.Regexp(t, `Seats that can take part: .*\bparrot\b`, out)
	out, _, _ = run("", "doctor")
	require.Contains(t, out, "MISSING: parrot: not found in PATH; install it with: adopt one")

	_, errs, err = run(bin+":", "seat", "parrot", "What is a parrot?", "report.md", "1", "--test")
	require.NoError(t, err, errs)
	report, err := os.ReadFile(filepath.Join(project, "report.md"))
	require.NoError(t, err)
	require.Contains(t, string(report), "# What the parrot found")
	runs, err := filepath.Glob(filepath.Join(project, "research", "2*"))
	require.NoError(t, err)
	require.Len(t, runs, 1)
	heard, err := os.ReadFile(filepath.Join(runs[0], "seats", "parrot", "heard.txt"))
	require.NoError(t, err)
	require.Contains(t, string(heard), "What is a parrot?")
	out, errs, err = run(bin+":", "logs", "--seat", "parrot")
	require.NoError(t, err, errs)
	require.Contains(t, out, "done as macaw", "its own reader puts its stream into words")
	out, errs, err = run(bin+":", "status", "--json")
	require.NoError(t, err, errs)
	require.Contains(t, strings.ReplaceAll(out, " ", ""), `"usd":0.25`, "a hundred thousand tokens in and five thousand out, at its own prices")
}
