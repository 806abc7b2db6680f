package install_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What `go install` puts into an empty folder is a council that works: every
// line that the pages mark to be run is run with it, in an empty project.
func TestGoInstallGivesAWorkingCouncil(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "a bin")
	install := exec.Command("go", "install", "-buildvcs=false", "./cmd/...")
	install.Dir, install.Env = "../..", append(os.Environ(), "GOBIN="+bin, "CGO_ENABLED=0")
	out, err := install.CombinedOutput()
	require.NoError(t, err, string(out))
	researches(t, filepath.Join(bin, "council"))
	marked := 0
	require.NoError(t, filepath.WalkDir("../../docs", func(page string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(page) != ".md" {
			return err
		}
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		var lines strings.Builder
		for _, m := range regexp.MustCompile("(?ms)^```sh run\n(.*?)^```$").FindAllSubmatch(text, -1) {
			lines.Write(m[1])
		}
		if lines.Len() == 0 {
			return nil
		}
		marked++
		home := t.TempDir()
		cmd := exec.Command("sh", "-e", "-c", lines.String())
		cmd.Dir, cmd.Env = filepath.Join(home, "project"), []string{"HOME=" + home, "PATH=" + bin + ":/usr/bin:/bin", "NO_COLOR=1"}
		if err := os.Mkdir(cmd.Dir, 0o755); err != nil {
			return err
		}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", page, out)
		return nil
	}))
	require.GreaterOrEqual(t, marked, 2)
}
