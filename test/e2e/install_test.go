package e2e_test

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/base/proc/proctest"
)

// inRelease is an artefact of the release that `make release` has built; V, OS and
// ARCH in its name are put in.
func inRelease(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("COUNCIL_RELEASE")
	if dir == "" {
		t.Skip("make test-release builds one")
	}
	name = strings.NewReplacer("VERSION", pluginVersion(t), "OS", runtime.GOOS, "ARCH", runtime.GOARCH).Replace(name)
	require.FileExists(t, filepath.Join(dir, name))
	return filepath.Join(dir, name)
}

func pluginVersion(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../.claude-plugin/plugin.json")
	require.NoError(t, err)
	return gjson.GetBytes(data, "version").Str
}

// installed is the plugin's name with its marketplace, as the host calls it.
func installed(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../.claude-plugin/marketplace.json")
	require.NoError(t, err)
	return gjson.GetBytes(data, "plugins.0.name").Str + "@" + gjson.GetBytes(data, "name").Str
}

// user is a machine without Go where the plugin is installed, used and removed by
// the host's own commands, by root or by somebody else.
type user struct {
	*world
	id uint32
}

func newUser(t *testing.T) user {
	w := newWorld(t, diligent()...)
	require.Error(t, w.program(patience, "sh", "-c", "command -v go").Run(), "nobody needs Go")
	return user{world: w}
}

// somebody makes all of the world another user's.
func (u user) somebody() user {
	if os.Getuid() != 0 {
		u.Skip("only root can be somebody else")
	}
	u.id = 65534
	for dir := u.root; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		require.NoError(u, os.Chmod(dir, 0o755))
	}
	require.NoError(u, exec.Command("chown", "-R", "-h", "65534:65534", u.root).Run())
	if u.as(u.program(patience, filepath.Join(u.root, "bin", "claude"), "--version")).Run() != nil {
		u.Skip("the command lines lie where nobody else may go")
	}
	return u
}

func (u user) as(cmd *exec.Cmd) *exec.Cmd {
	if u.id != 0 {
		cmd.SysProcAttr = proctest.As(u.id)
	}
	return cmd
}

func (u user) must(argv ...string) string {
	u.Helper()
	r := u.done(u.as(u.program(patience, argv...)))
	require.Zero(u, r.code, "%s\n%s%s", argv, r.out, r.errs)
	return r.out + r.errs
}

func (u user) claude(args ...string) string {
	u.Helper()
	return u.must(append([]string{filepath.Join(u.root, "bin", "claude")}, args...)...)
}

// uses installs the plugin from a marketplace, asks it a question that the
// librarian answers, and takes it out again.
func (u user) uses(marketplace string) {
	u.Helper()
	name := installed(u.T)
	u.claude("plugin", "marketplace", "add", marketplace)
	u.claude("plugin", "install", name)
	said := u.claude("-p", command+`"Why does it start a cycle?" --seats librarian --scope . --debate off`, "--permission-mode", "acceptEdits")
	run := u.run()
	require.Empty(u, lacks(run, "final-report.md"), said)
	require.Equal(u, "completed", u.status(run).Status)
	u.nothingRuns()
	u.claude("plugin", "uninstall", name)
	require.NotContains(u, u.claude("plugin", "list"), name)
}

// unpacked is an archive in a folder whose name has a space.
func (u user) unpacked(archive string) string {
	u.Helper()
	dir := filepath.Join(u.root, "an installed plugin")
	require.NoError(u, os.Mkdir(dir, 0o755))
	argv := []string{"tar", "-xzf", archive, "-C", dir}
	if strings.HasSuffix(archive, ".zip") {
		argv = []string{"unzip", "-q", archive, "-d", dir}
	}
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	require.NoError(u, err, string(out))
	return dir
}

func TestReleaseInstalls(t *testing.T) {
	const everywhere, here = "research-council-plugin_VERSION.zip", "research-council-plugin_VERSION_OS_ARCH.zip"
	for name, lay := range map[string]func(u user) (user, string){
		"for every platform": func(u user) (user, string) { return u, u.unpacked(inRelease(t, everywhere)) },
		"for one platform":   func(u user) (user, string) { return u, u.unpacked(inRelease(t, here)) },
		"without execute bits": func(u user) (user, string) {
			dir := u.unpacked(inRelease(t, everywhere))
			require.NoError(t, exec.Command("sh", "-c", `chmod 644 "$0"/bin/*-*-*`, dir).Run())
			return u, dir
		},
		"read only, by another user": func(u user) (user, string) {
			dir := u.unpacked(inRelease(t, everywhere))
			u = u.somebody()
			require.NoError(t, exec.Command("sh", "-c", `chown -R root "$0" && chmod -R a-w "$0"`, dir).Run())
			t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+w", dir).Run() })
			return u, dir
		},
		"as a deb": func(u user) (user, string) {
			if _, err := exec.LookPath("dpkg"); err != nil {
				u.Skip("there is no dpkg")
			}
			root := filepath.Join(u.root, "a system")
			for _, dir := range []string{"info", "updates"} {
				require.NoError(t, os.MkdirAll(filepath.Join(root, "var", "lib", "dpkg", dir), 0o755))
			}
			require.NoError(t, os.WriteFile(filepath.Join(root, "var", "lib", "dpkg", "status"), nil, 0o644))
			out, err := exec.Command("dpkg", "--root="+root, "--force-not-root", "--force-bad-path", "-i", inRelease(t, "research-council_VERSION_ARCH.deb")).CombinedOutput()
			require.NoError(t, err, string(out))
			require.FileExists(t, filepath.Join(root, "usr/share/man/man1/council-run.1"))
			return u, filepath.Join(root, "usr/share/research-council/plugin")
		},
		"from git, its programs by npm": func(u user) (user, string) { return u, u.published() },
	} {
		t.Run(name, func(t *testing.T) {
			inRelease(t, everywhere)
			u, marketplace := lay(newUser(t))
			u.uses(marketplace)
		})
	}
}

// published is the variant without programs in a git repository, with a package
// registry that has them, both served on the loopback address as such servers
// speak.
func (u user) published() string {
	u.Helper()
	dir := u.unpacked(inRelease(u.T, "research-council-git_VERSION.tar.gz"))
	git := func(args ...string) {
		out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...).CombinedOutput()
		require.NoError(u, err, string(out))
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "a release")
	path, err := exec.Command("git", "--exec-path").Output()
	require.NoError(u, err)
	repositories := filepath.Join(u.root, "repositories")
	require.NoError(u, os.Mkdir(repositories, 0o755))
	git("clone", "-q", "--bare", dir, filepath.Join(repositories, "plugin.git"))
	backend := &cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"), Env: []string{"GIT_PROJECT_ROOT=" + repositories, "GIT_HTTP_EXPORT_ALL=1"}}
	pkg := "@research-council/cli-" + strings.NewReplacer("amd64", "x64").Replace(runtime.GOOS+"-"+runtime.GOARCH)
	tarball, err := os.ReadFile(inRelease(u.T, "npm/"+strings.NewReplacer("@", "", "/", "-").Replace(pkg)+"-VERSION.tgz"))
	require.NoError(u, err)
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/plugin.git"):
			backend.ServeHTTP(w, r)
		case r.URL.Path == "/"+pkg:
			sum := sha512.Sum512(tarball)
			version := map[string]any{"name": pkg, "version": pluginVersion(u.T), "dist": map[string]string{"tarball": server.URL + "/it.tgz", "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}}
			_ = json.NewEncoder(w).Encode(map[string]any{"name": pkg, "dist-tags": map[string]string{"latest": pluginVersion(u.T)}, "versions": map[string]any{pluginVersion(u.T): version}})
		case r.URL.Path == "/it.tgz":
			_, _ = w.Write(tarball)
		default:
			http.NotFound(w, r)
		}
	}))
	u.Cleanup(server.Close)
	u.environ = append(u.environ, "npm_config_registry="+server.URL+"/")
	return server.URL + "/plugin.git"
}

// TestReleaseOfTheCommandLine unpacks the tarball where there is no network at
// all, and researches.
func TestReleaseOfTheCommandLine(t *testing.T) {
	archive := inRelease(t, "council_VERSION_OS_ARCH.tar.gz")
	u := newUser(t)
	dir := u.unpacked(archive)
	council := filepath.Join(dir, "bin", "council")
	require.Regexp(t, `^council \S+ \([0-9a-f]{7}\)\n$`, u.must(council, "version"))
	argv := []string{council, "run", "--seats", "librarian", "--scope", ".", "--debate", "off", "Why does it start a cycle?"}
	if exec.Command("unshare", "-n", "true").Run() == nil {
		argv = append([]string{"unshare", "-n"}, argv...)
	}
	u.must(argv...)
	require.Empty(t, lacks(u.run(), "final-report.md"))
	for _, name := range []string{"man/council.1", "man/council-run.1", "completions/council", "completions/_council", "completions/council.fish", "LICENSE"} {
		require.Empty(t, lacks(dir, name))
	}
}
