package desk_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hostile is an experiment that means harm: refused before it runs, run without
// harm, or ended at its limit.
type hostile struct {
	Name    string            `json:"name"`
	Command []string          `json:"command"`
	Files   map[string]string `json:"files"`
	Expect  string            `json:"expect"`
	Why     string            `json:"why"` // what must not happen
}

// Whatever an experiment tries, what a person has is as it was, nothing secret is in
// what it prints, nothing of it lives on, and the desk answers.
func TestHostileExperimentsDoNoHarm(t *testing.T) {
	boxed(t)
	file, err := os.Open("testdata/hostile_experiments.jsonl")
	require.NoError(t, err)
	defer file.Close()
	outside := fmt.Sprintf("/tmp/council-%d-", time.Now().UnixNano()) // nobody else's files begin so
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var c hostile
		require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(lines.Text(), "/tmp/council-", outside)), &c))
		t.Run(c.Name, func(t *testing.T) { c.try(t, outside) })
	}
	require.NoError(t, lines.Err())
}

func (c hostile) try(t *testing.T, outside string) {
	b := standAtBank(t, map[string]string{"lib/raft.go": "package lib\n", ".git/HEAD": "ref: refs/heads/main\n"})
	for i, w := range c.Command {
		c.Command[i] = strings.NewReplacer("${SCOPE}", b.scope, "${PERSON}", b.home).Replace(w)
	}
	before := contentsOf(t, b)
	ask := object{"command": c.Command, "files": filesOf(c.Files), "timeout_seconds": 20}
	if c.Expect == "ends" {
		ask["timeout_seconds"] = 2
	}
	began := time.Now()
	a := b.call(t, "run_experiment", ask)
	require.Less(t, time.Since(began), 2*time.Minute, c.Why)

	all, err := b.archive.Experiments()
	require.NoError(t, err)
	if c.Expect == "refused" {
		require.True(t, a.failed, c.Why)
		require.Contains(t, a.text, "nothing was run")
		require.Empty(t, all)
	}
	if c.Expect == "ends" {
		require.False(t, a.failed, a.text)
		require.Len(t, all, 1)
		require.True(t, all[0].Cut != "" || all[0].Exit != 0, "what was ended is no result: %+v", all[0].End())
	}
	require.NotContains(t, a.text, "canary-", c.Why)
	require.Equal(t, before, contentsOf(t, b), c.Why)
	left, err := filepath.Glob(outside + "*")
	require.NoError(t, err)
	require.Empty(t, left, c.Why)
	out, err := exec.Command("ps", "-eo", "args").Output()
	require.NoError(t, err)
	require.NotContains(t, string(out), "sleep 86397", "nothing of it lives on")
}

// contentsOf are the files of the person at a bank, but for what the run writes.
func contentsOf(t *testing.T, b bank) map[string]string {
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(b.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(b.home, path)
		switch {
		case d.IsDir() && (name == ".cache" || name == filepath.Join("code", "app", "research")):
			return filepath.SkipDir
		case d.IsDir():
			found[name] = "folder"
			return nil
		}
		data, err := os.ReadFile(path)
		found[name] = string(data)
		return err
	}))
	return found
}
