package council_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every module the program or its tests import stands in ARCHITECTURE.md with
// its reason, and no other does.
func TestEveryModuleHasItsReason(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	var direct []string
	for line := range strings.Lines(string(mod)) {
		name, version, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && strings.HasPrefix(version, "v") && !strings.HasSuffix(version, "// indirect") {
			direct = append(direct, name)
		}
	}
	page, err := os.ReadFile("docs/ARCHITECTURE.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(page), "\n## Modules\n")
	require.True(t, ok)
	var named []string
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 || !strings.Contains(cells[1], "`") {
			continue
		}
		require.NotEmpty(t, strings.TrimSpace(cells[2]), line)
		for name := range strings.SplitSeq(cells[1], ",") {
			named = append(named, strings.Trim(name, " `"))
		}
	}
	require.ElementsMatch(t, direct, named)
	require.LessOrEqual(t, len(direct), 30, "a module that is not worth its weight is written here, or done without")
}

// A package that calls methods by names it does not know at compile time keeps
// the linker from leaving any exported method out: a tenth of the program.
func TestNoTemplatesAreBroughtAlong(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./cmd/council").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "github.com/research-council/research-council/internal/output/export\n")
	require.NotContains(t, string(out), "\nhtml/template\n")
}
