package install_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// artefact is a file of the release; VERSION, OS and ARCH in its name are put in.
func artefact(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(releaseFolder(t), strings.NewReplacer("VERSION", pluginVersion(t), "OS", runtime.GOOS, "ARCH", runtime.GOARCH).Replace(name))
	require.FileExists(t, file)
	return file
}

// researches asks a council the librarian's question, in an empty home, with
// nothing but what a plain system has in the PATH.
func researches(t *testing.T, argv ...string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a project", "notes"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a project", "notes", "boiler.md"), []byte("The heater starts when the water is below 58 degrees.\n"), 0o644))
	cmd := exec.Command(argv[0], append(argv[1:], "run", "--quiet", "--seats", "librarian", "--scope", "notes", "When does the heater start?")...)
	cmd.Dir, cmd.Env = filepath.Join(dir, "a project"), []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	reports, err := filepath.Glob(filepath.Join(dir, "a project", "research", "*", "final-report.md"))
	require.NoError(t, err)
	require.Len(t, reports, 1, string(out))
	report, err := os.ReadFile(reports[0])
	require.NoError(t, err)
	require.Contains(t, string(report), "below 58 degrees")
}

// needs is a program that the test does without where the system has none.
func needs(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
}

func must(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	require.NoError(t, err, "%s\n%s", argv, out)
	return string(out)
}

// files are those below a folder, links among them.
func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	for name := range strings.Lines(must(t, "find", dir, "!", "-type", "d", "-path", "*usr*")) {
		list = append(list, strings.TrimSuffix(name, "\n"))
	}
	return list
}

// A package of a system is put into a root of its own by the system's own tool,
// its program researches, and it leaves no file when it is taken out.
func TestReleaseOfASystemsPackages(t *testing.T) {
	for name, tool := range map[string]struct{ file, program, install, remove string }{
		"deb": {
			"research-council_VERSION_ARCH.deb", "dpkg",
			`mkdir -p "$0/var/lib/dpkg/info" "$0/var/lib/dpkg/updates" && : >"$0/var/lib/dpkg/status" && dpkg --root="$0" --force-not-root --force-bad-path -i "$1"`,
			`dpkg --root="$0" --force-not-root --force-bad-path --purge research-council`,
		},
		"rpm": {
			"research-council_VERSION_ARCH.rpm", "rpm",
			`rpm --root "$0" --initdb && rpm --root "$0" --nosignature --ignorearch -i "$1"`,
			`rpm --root "$0" -e research-council`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := artefact(t, tool.file)
			needs(t, tool.program)
			root := filepath.Join(t.TempDir(), "a system")
			require.NoError(t, os.Mkdir(root, 0o755))
			must(t, "sh", "-c", tool.install, root, file)
			for _, name := range []string{"bin/council", "bin/council-hook", "share/man/man1/council-run.1", "share/bash-completion/completions/council", "share/research-council/plugin/hosts/codex/hooks.json"} {
				require.FileExists(t, filepath.Join(root, "usr", name))
			}
			linked, err := filepath.EvalSymlinks(filepath.Join(root, "usr/share/research-council/plugin/bin/council"))
			require.NoError(t, err)
			require.Equal(t, filepath.Join(root, "usr/bin/council"), linked)
			researches(t, filepath.Join(root, "usr", "bin", "council"))
			must(t, "sh", "-c", tool.remove, root)
			require.Empty(t, files(t, root))
		})
	}
}

// The formula is read by ruby with a stand-in for Homebrew, which is not here:
// it takes the archive the formula names for this machine, holds it to the
// digest, and does what the formula's install says.
func TestReleaseOfHomebrewsFormula(t *testing.T) {
	formula := artefact(t, "research-council.rb")
	needs(t, "ruby", "tar")
	require.Contains(t, must(t, "ruby", "-wc", formula), "Syntax OK")
	for _, system := range []string{"linux", "macos"} {
		for _, chip := range []string{"intel", "arm"} {
			archive := map[string]string{"linux": "linux", "macos": "darwin"}[system] + "_" + map[string]string{"intel": "amd64", "arm": "arm64"}[chip]
			if _, err := os.Stat(filepath.Join(releaseFolder(t), "council_"+pluginVersion(t)+"_"+archive+".tar.gz")); err != nil {
				continue // it was not built
			}
			prefix := filepath.Join(t.TempDir(), "a prefix")
			must(t, "ruby", "testdata/brew.rb", formula, releaseFolder(t), system, chip, prefix)
			require.FileExists(t, filepath.Join(prefix, "share/man/man1/council-run.1"))
			require.FileExists(t, filepath.Join(prefix, "libexec/.claude-plugin/plugin.json"))
			if archive == runtime.GOOS+"_"+runtime.GOARCH {
				researches(t, filepath.Join(prefix, "bin", "council"))
			}
		}
	}
}

// The manifest is read as Scoop reads it: the archive of a machine, its digest, and
// the programs in it. Nothing runs it here.
func TestReleaseOfScoopsManifest(t *testing.T) {
	dir := releaseFolder(t)
	data, err := os.ReadFile(filepath.Join(dir, "research-council.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("nothing was built for Windows")
	}
	require.NoError(t, err)
	manifest := gjson.ParseBytes(data)
	require.Equal(t, pluginVersion(t), manifest.Get("version").Str)
	require.Equal(t, "MIT", manifest.Get("license").Str)
	require.NotEmpty(t, manifest.Get("architecture").Map())
	for arch, of := range manifest.Get("architecture").Map() {
		url := of.Get("url").Str
		require.Regexp(t, `^https://.*/v`+regexp.QuoteMeta(pluginVersion(t))+`/council_.*_windows_`+map[string]string{"64bit": "amd64", "arm64": "arm64"}[arch]+`\.zip$`, url)
		packed, err := os.ReadFile(filepath.Join(dir, filepath.Base(url)))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("%x", sha256.Sum256(packed)), of.Get("hash").Str)
		archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
		require.NoError(t, err)
		for _, name := range append(manifest.Get("bin").Array(), gjson.Result{Str: `.claude-plugin\plugin.json`}) {
			f, err := archive.Open(strings.ReplaceAll(name.Str, `\`, "/"))
			require.NoError(t, err, name.Str)
			require.NoError(t, f.Close())
		}
	}
}

// The image is built by hand, for there is no engine here: its files are laid
// into a root that has nothing else but what the Dockerfile asks of its base for
// this, a user and folders; there is no libc and no shell in it.
func TestReleaseOfTheContainer(t *testing.T) {
	context := filepath.Join(t.TempDir(), "context")
	require.NoError(t, os.Mkdir(context, 0o755))
	must(t, "tar", "-xzf", artefact(t, "container_VERSION.tar.gz"), "-C", context)
	dockerfile, err := os.ReadFile(filepath.Join(context, "Dockerfile"))
	require.NoError(t, err)
	copied := regexp.MustCompile(`(?m)^COPY (\S+) (\S+)$`).FindStringSubmatch(string(dockerfile))
	require.NotNil(t, copied)
	from := strings.NewReplacer("${TARGETOS}", runtime.GOOS, "${TARGETARCH}", runtime.GOARCH).Replace(copied[1])
	var entry []string
	require.NoError(t, json.Unmarshal(regexp.MustCompile(`(?m)^ENTRYPOINT (.*)$`).FindSubmatch(dockerfile)[1], &entry))
	work := regexp.MustCompile(`(?m)^WORKDIR (\S+)$`).FindSubmatch(dockerfile)
	require.NotNil(t, work)
	needs(t, "bwrap")
	root := t.TempDir()
	for _, dir := range []string{"etc", "tmp", "home/council", "proc", "dev", strings.TrimPrefix(copied[2], "/"), strings.TrimPrefix(string(work[1]), "/")} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "etc", "passwd"), []byte("council:x:1000:1000::/home/council:/bin/sh\n"), 0o644))
	must(t, "cp", "-r", filepath.Join(context, from)+"/.", filepath.Join(root, copied[2]))
	box := func(more ...string) []string {
		argv := append([]string{
			"bwrap", "--unshare-all", "--clearenv", "--setenv", "PATH", copied[2] + ":/usr/bin:/bin", "--setenv", "HOME", "/home/council", "--uid", "1000", "--gid", "1000",
			"--bind", root, "/", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", string(work[1]),
		}, more...)
		return append(append(argv, "--"), entry...)
	}
	if exec.Command("bwrap", "--unshare-all", "--bind", "/", "/", "true").Run() != nil {
		t.Skip("bwrap cannot be run here")
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, string(work[1]), "boiler.md"), []byte("The heater starts when the water is below 58 degrees.\n"), 0o644))
	research := []string{"run", "--quiet", "--seats", "librarian", "--scope", ".", "When does the heater start?"}
	for _, c := range []struct {
		says  string
		order []string
	}{{"start the container with /proc", []string{"doctor"}}, {"no run can be kept here: identify process", research}} {
		argv := append(box(), c.order...)
		out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
		require.Error(t, err, "without /proc")
		require.Contains(t, string(out), c.says)
		require.Contains(t, string(out), "/proc is not mounted")
	}
	require.NoDirExists(t, filepath.Join(root, string(work[1]), "research"))
	seen := box("--proc", "/proc")
	must(t, append(seen, research...)...)
	require.Contains(t, must(t, append(seen, "verify")...), "is verified")
}
