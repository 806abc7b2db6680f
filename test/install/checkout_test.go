package install_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// clone is a checkout of this repository's last commit, as git makes it with some
// settings.
func clone(t *testing.T, settings ...string) string {
	t.Helper()
	if _, err := os.Stat("../../.git"); err != nil {
		t.Skip("this is no checkout")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "a checkout")
	out, err := exec.Command("git", append(settings, "clone", "-q", "--depth", "1", "file://"+root, dir)...).CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
}

// TestACheckoutThatWasNeverBuiltHarmsNobody calls every hook that hooks.json
// registers, as the host does.
func TestACheckoutThatWasNeverBuiltHarmsNobody(t *testing.T) {
	for name, settings := range map[string][]string{"as it is": nil, "with the line ends of Windows": {"-c", "core.autocrlf=true"}} {
		dir := clone(t, settings...)
		data, err := os.ReadFile(filepath.Join(dir, "hooks", "hooks.json"))
		require.NoError(t, err, name)
		called := 0
		for event, groups := range gjson.GetBytes(data, "hooks").Map() {
			for _, h := range groups.Get("#.hooks").Array() {
				for _, h := range h.Array() {
					called++
					var out, errs strings.Builder
					cmd := exec.Command(strings.ReplaceAll(h.Get("command").Str, "${CLAUDE_PLUGIN_ROOT}", dir), h.Get("args.0").Str)
					cmd.Env = []string{"PATH=/usr/bin:/bin", "CLAUDE_PLUGIN_ROOT=" + dir}
					cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(`{"hook_event_name":"`+event+`"}`), &out, &errs
					require.NoError(t, cmd.Run(), "%s: %s", name, event)
					require.Empty(t, errs.String(), event)
					switch event {
					case "SessionStart":
						require.NoError(t, systemMessage(out.String()))
						require.Contains(t, out.String(), "make build")
					case "UserPromptExpansion": // of our own commands, which a person has typed
						require.Contains(t, gjson.Get(out.String(), "stopReason").Str, "make build")
						require.True(t, gjson.Get(out.String(), "continue").Exists())
					default:
						require.Empty(t, out.String(), event)
					}
				}
			}
		}
		require.Greater(t, called, 10)
	}
}
