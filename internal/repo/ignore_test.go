package repo

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"research-council/internal/repo/repotest"
)

func TestALineIsIgnoredOnce(t *testing.T) {
	cases := map[string]struct{ before, after string }{
		"nothing":                       {"", ".deep-review/\n"},
		"other lines":                   {"*.log\n", "*.log\n.deep-review/\n"},
		"no line break at the end":      {"*.log", "*.log\n.deep-review/\n"},
		"Windows line breaks":           {"*.log\r\n", "*.log\r\n.deep-review/\r\n"},
		"Windows, none at the end":      {"*.log\r\n/out", "*.log\r\n/out\r\n.deep-review/\r\n"},
		"the line":                      {".deep-review/\n*.log", ".deep-review/\n*.log"},
		"the line from the top":         {"/.deep-review\n", "/.deep-review\n"},
		"the line, blanks behind it":    {".deep-review/ \r\n", ".deep-review/ \r\n"},
		"the line after a mark":         {"\ufeff.deep-review/\n", "\ufeff.deep-review/\n"},
		"taken back by a person":        {"!.deep-review/\n", "!.deep-review/\n"},
		"a comment on it":               {"# .deep-review/\n", "# .deep-review/\n.deep-review/\n"},
		"a longer name":                 {".deep-review/x\n", ".deep-review/x\n.deep-review/\n"},
		"bytes that are no text at all": {"\xff\x00", "\xff\x00\n.deep-review/\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.before != "" {
				repotest.Write(t, dir, map[string]string{".gitignore": c.before})
			}
			require.NoError(t, Ignore(dir, ".deep-review/"))
			require.Equal(t, c.after, read(t, dir, ".gitignore"))
			require.NoError(t, Ignore(dir, ".deep-review/"))
			require.Equal(t, c.after, read(t, dir, ".gitignore"), "once is enough")
		})
	}
}

func TestWhatIsNoGitignoreIsRefused(t *testing.T) {
	dir := t.TempDir()
	repotest.Write(t, dir, map[string]string{"elsewhere": "*.log\n"})
	require.NoError(t, os.Symlink("elsewhere", filepath.Join(dir, ".gitignore")))
	require.ErrorContains(t, Ignore(dir, "x"), "symbolic link")
	require.Equal(t, "*.log\n", read(t, dir, "elsewhere"))

	pipe := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(pipe, ".gitignore"), 0o644))
	require.ErrorIs(t, Ignore(pipe, "x"), errNoFile)

	folder := t.TempDir()
	repotest.Write(t, folder, map[string]string{".gitignore/x": ""})
	require.Error(t, Ignore(folder, "x"))
	for _, line := range []string{"", " x", "x\ny", "#x", "!x", "x\x00"} {
		require.ErrorContains(t, Ignore(t.TempDir(), line), "no line", "%q", line)
	}
	huge := t.TempDir()
	repotest.Write(t, huge, map[string]string{".gitignore": strings.Repeat("x\n", mostIgnore)})
	require.ErrorContains(t, Ignore(huge, "y"), "longer than")
}
