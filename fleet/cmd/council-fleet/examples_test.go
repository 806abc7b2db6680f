package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/fleet/internal/batch"
)

const examples = "../../../examples/fleet"

// understood checks that the program has the command and the flags of some words.
func understood(t *testing.T, words []string) {
	t.Helper()
	c, rest, err := command(t.Context()).Find(words)
	require.NoError(t, err, words)
	require.True(t, c.HasParent(), "%v names no command", words)
	require.NoError(t, c.ParseFlags(rest), words)
}

// The examples' commands are those of the program, as it is now.
func TestExamplesAreUnderstood(t *testing.T) {
	var compose struct {
		Services map[string]struct {
			Entrypoint  []string
			Environment map[string]string
		}
	}
	read := func(name string) *os.File {
		f, err := os.Open(filepath.Join(examples, name))
		require.NoError(t, err)
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	require.NoError(t, yaml.NewDecoder(read("compose.yaml")).Decode(&compose))
	calls, shared := regexp.MustCompile(`council-fleet ([a-z][^|&>]*)`), ""
	found := 0
	for _, s := range compose.Services {
		if shared = s.Environment["FLEET"]; shared == "" {
			continue
		}
		for _, call := range calls.FindAllStringSubmatch(strings.Join(s.Entrypoint, "\n"), -1) {
			line := strings.ReplaceAll(strings.Split(call[1], "\n")[0], "$$FLEET", shared)
			understood(t, strings.Fields(line))
			found++
		}
	}
	require.Equal(t, 5, found, "key, worker, submit, status, collect")

	d := yaml.NewDecoder(read("kubernetes.yaml"))
	workers := 0
	for {
		var object struct {
			Kind string
			Spec struct {
				Template struct {
					Spec struct {
						Containers []struct{ Command, Args []string }
					}
				}
			}
		}
		err := d.Decode(&object)
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		for _, c := range object.Spec.Template.Spec.Containers {
			require.Contains(t, c.Command[2], "council-fleet worker")
			understood(t, append([]string{"worker"}, c.Args...))
			workers++
		}
	}
	require.Equal(t, 1, workers)
}

// The example's questions name the commit that its image makes of the notes.
func TestTheExamplesCommitIsThatOfItsNotes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(examples, "Dockerfile"))
	require.NoError(t, err)
	_, made, found := strings.Cut(string(text), "RUN cd /srv/notes && ")
	require.True(t, found)
	made, _, found = strings.Cut(made, " && \\\n    git config --system")
	require.True(t, found)
	dir := t.TempDir()
	notes, err := os.ReadFile(filepath.Join(examples, "notes", "heater.md"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "heater.md"), notes, 0o644))
	c := exec.Command("/bin/sh", "-c", made)
	c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	head, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD").Output()
	require.NoError(t, err)

	f, err := os.Open(filepath.Join(examples, "batch.jsonl"))
	require.NoError(t, err)
	defer f.Close()
	list, err := batch.Read(f)
	require.NoError(t, err)
	require.Len(t, list, 2)
	for _, r := range list {
		require.Equal(t, strings.TrimSpace(string(head)), r.Scope.Commit)
	}
}
