package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// The steps for CI do on a small repository here what they do there: the same
// scripts, with the same variables.
func TestActionScript(t *testing.T) {
	runActions(t, "testdata/actions")
}

// runActions runs scripts that find bash and git, and the actions' folder in ACTIONS.
func runActions(t *testing.T, dir string) {
	t.Helper()
	for _, program := range []string{"bash", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	actions, err := filepath.Abs("../../actions")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir: dir, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			if err := surround(e); err != nil {
				return err
			}
			e.Setenv("PATH", e.Getenv("PATH")+string(filepath.ListSeparator)+os.Getenv("PATH"))
			e.Setenv("ACTIONS", actions)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// What an action hands to its script, the script reads, and every input is handed.
func TestActionsHandTheirInputsOn(t *testing.T) {
	for _, name := range []string{"audit", "review"} {
		dir := filepath.Join("../../actions", name)
		data, err := os.ReadFile(filepath.Join(dir, "action.yml"))
		require.NoError(t, err)
		var action struct {
			Name, Description string
			Inputs            map[string]struct{ Description string }
			Runs              struct {
				Using string
				Steps []struct {
					Run, Shell string
					Env        map[string]string
				}
			}
		}
		require.NoError(t, yaml.Unmarshal(data, &action))
		require.Equal(t, "composite", action.Runs.Using)
		step := action.Runs.Steps[len(action.Runs.Steps)-1]
		require.Equal(t, `"$GITHUB_ACTION_PATH/run.sh"`, step.Run, "no input stands in a line for a shell")
		script, err := os.ReadFile(filepath.Join(dir, "run.sh"))
		require.NoError(t, err)
		for input, about := range action.Inputs {
			require.NotEmpty(t, about.Description, input)
			variable := ""
			for v, value := range step.Env {
				if value == "${{ inputs."+input+" }}" {
					variable = v
				}
			}
			require.NotEmpty(t, variable, "%s: the input %s is not handed on", name, input)
			require.Contains(t, string(script), "${"+variable+":", "%s: nothing reads %s", name, variable)
		}
		require.Len(t, step.Env, len(action.Inputs), name)
		c, _, err := documentedRoot().Find([]string{name})
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(string(script), -1) {
			require.NotNil(t, c.Flags().Lookup(m[1]), "%s: council %s has no --%s", name, name, m[1])
		}
	}
}

// The hooks that pre-commit is offered pass what is sound and fail what is not,
// called as pre-commit calls them.
func TestPreCommitHooks(t *testing.T) {
	data, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	require.NoError(t, err)
	var hooks []struct {
		ID, Entry, Language string
		Args                []string
	}
	require.NoError(t, yaml.Unmarshal(data, &hooks))
	require.Len(t, hooks, 2)
	dir := t.TempDir()
	for _, h := range hooks {
		require.Equal(t, "golang", h.Language)
		words := slices.Concat(strings.Fields(h.Entry), h.Args)
		script, err := os.ReadFile(filepath.Join("testdata", h.ID+".txtar"))
		require.NoError(t, err)
		line := "'" + strings.Join(words, "' '") + "'"
		require.NoError(t, os.WriteFile(filepath.Join(dir, h.ID+".txtar"), []byte(strings.ReplaceAll(string(script), "HOOK", line)), 0o600))
	}
	runActions(t, dir)
}
