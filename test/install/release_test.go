package install_test

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// releaseFolder is where a release lies that `make release` has built.
func releaseFolder(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("COUNCIL_RELEASE")
	if dir == "" {
		t.Skip("make test-release builds one")
	}
	return dir
}

// TestReleaseIsTheSameTwice builds the release again, from another clone in
// another zone and tongue, and compares all its bytes.
func TestReleaseIsTheSameTwice(t *testing.T) {
	first := releaseFolder(t)
	dir := t.TempDir()
	elsewhere, second := filepath.Join(dir, "another clone"), filepath.Join(dir, "dist")
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	out, err := exec.Command("git", "clone", "-q", root, elsewhere).CombinedOutput()
	require.NoError(t, err, string(out))
	cmd := exec.Command("sh", "-c", `umask 077; exec go run ./release -out "$0" -platforms "$1"`, second, strings.Join(platformsOf(t, first), ","))
	cmd.Dir, cmd.Env = elsewhere, append(os.Environ(), "TZ=Asia/Tokyo", "LC_ALL=C", "LANG=de_DE", "GOFLAGS=")
	out, err = cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, listing(t, first), listing(t, second))
	for _, name := range listing(t, first) {
		one, err := os.ReadFile(filepath.Join(first, name))
		require.NoError(t, err)
		two, err := os.ReadFile(filepath.Join(second, name))
		require.NoError(t, err)
		require.True(t, bytes.Equal(one, two), name)
	}
}

func listing(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path) // it was found there
			names = append(names, name)
		}
		return err
	}))
	require.NotEmpty(t, names)
	return names
}

// platformsOf are those a release was built for, as its command takes them.
func platformsOf(t *testing.T, dir string) (list []string) {
	t.Helper()
	version := pluginVersion(t)
	for _, name := range listing(t, dir) {
		if platform, is := strings.CutPrefix(name, "research-council-plugin_"+version+"_"); is {
			list = append(list, strings.Replace(strings.TrimSuffix(platform, ".zip"), "_", "/", 1))
		}
	}
	require.Contains(t, list, runtime.GOOS+"/"+runtime.GOARCH)
	return list
}

func pluginVersion(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../.claude-plugin/plugin.json")
	require.NoError(t, err)
	return gjson.GetBytes(data, "version").Str
}

// TestReleaseNamesTheHooksProgramDirectly looks at what the hooks of one
// platform's archive start: a program, and no shell.
func TestReleaseNamesTheHooksProgramDirectly(t *testing.T) {
	dir := releaseFolder(t)
	for _, platform := range platformsOf(t, dir) {
		archive, err := zip.OpenReader(filepath.Join(dir, "research-council-plugin_"+pluginVersion(t)+"_"+strings.Replace(platform, "/", "_", 1)+".zip"))
		require.NoError(t, err)
		defer archive.Close()
		read := func(name string) []byte {
			f, err := archive.Open(name)
			require.NoError(t, err, "%s: %s", platform, name)
			data, err := io.ReadAll(f)
			require.NoError(t, err)
			return data
		}
		hooks := gjson.ParseBytes(read("hooks/hooks.json")).Get("hooks.@values.#.#.hooks.@flatten.#.command|@flatten|@flatten").Array()
		require.Greater(t, len(hooks), 10)
		named := map[string]bool{gjson.ParseBytes(read(".claude-plugin/plugin.json")).Get("mcpServers.desk.command").Str: true}
		for _, h := range hooks {
			named[h.Str] = true
		}
		for command := range named {
			name, below := strings.CutPrefix(command, "${CLAUDE_PLUGIN_ROOT}/")
			require.True(t, below, command)
			magic := map[string]string{"linux": "\x7fELF", "darwin": "\xcf\xfa\xed\xfe", "windows": "MZ"}[strings.Split(platform, "/")[0]]
			if strings.HasPrefix(platform, "windows") {
				name += ".exe"
			}
			require.True(t, bytes.HasPrefix(read(name), []byte(magic)), "%s: %s is no program", platform, name)
			f, err := archive.Open(name)
			require.NoError(t, err)
			info, err := f.Stat()
			require.NoError(t, err)
			require.Equal(t, fs.FileMode(0o755), info.Mode().Perm())
		}
	}
}
