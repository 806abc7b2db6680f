package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/test/cli"
)

// pinned is what package.json asks for.
func pinned(t *testing.T, name string) string {
	data, err := os.ReadFile("package.json")
	require.NoError(t, err)
	var manifest struct{ Dependencies map[string]string }
	require.NoError(t, json.Unmarshal(data, &manifest))
	return manifest.Dependencies[name]
}

func TestThePinnedVersionsAreTheOnesThatRun(t *testing.T) {
	for name, dependency := range map[string]string{
		"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex", "gemini": "@google/gemini-cli",
	} {
		t.Run(name, func(t *testing.T) {
			program := cli.Path(t, name)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, program, "--version")
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TERM=xterm"}
			out, err := cmd.Output()
			require.NoError(t, err)
			require.Contains(t, string(out), pinned(t, dependency))
		})
	}
}

// A lock file that names hosts makes npm ask those hosts, whatever registry
// the user has.
func TestTheLockFileNamesNoHost(t *testing.T) {
	data, err := os.ReadFile("package-lock.json")
	require.NoError(t, err)
	require.NotContains(t, string(data), "://")
	require.Contains(t, string(data), `"integrity"`)
}

// fakeTB stands in for a test: it notes how the test ended.
type fakeTB struct {
	testing.TB
	ended string
}

func (f *fakeTB) Helper() {}

func (f *fakeTB) Skipf(format string, _ ...any) { f.end("skip: " + format) }

func (f *fakeTB) Fatalf(format string, _ ...any) { f.end("fail: " + format) }

func (f *fakeTB) end(how string) { f.ended = how; panic(f) }

func ending(t *testing.T, name string) string {
	f := &fakeTB{TB: t}
	func() {
		defer func() { require.Equal(t, f, recover()) }()
		cli.Path(f, name)
	}()
	return f.ended
}

func TestTheMatrixIsRunWhereItIsAskedFor(t *testing.T) {
	t.Setenv(cli.Matrix, "")
	f := &fakeTB{TB: t}
	require.PanicsWithValue(t, f, func() { cli.InMatrix(f) })
	require.Contains(t, f.ended, "skip: ")
	t.Setenv(cli.Matrix, "1")
	cli.InMatrix(t)
}

func TestACommandLineThatIsNotInstalledSkipsOrFails(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/go.mod", nil, 0o600))
	t.Chdir(dir)
	t.Setenv(cli.Required, "")
	require.True(t, strings.HasPrefix(ending(t, "claude"), "skip: "))
	t.Setenv(cli.Required, "1")
	require.True(t, strings.HasPrefix(ending(t, "claude"), "fail: "))
	require.True(t, strings.HasPrefix(ending(t, "cursor"), "fail: "))
}
