package hosts

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/test/cli"
)

// released is the folder of the release that `make release` has built.
func released(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("COUNCIL_RELEASE")
	if dir == "" {
		t.Skip("make test-release builds one")
	}
	return dir
}

// home is where the repository is published, by the module's path.
func home(t *testing.T) (owner, name string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(cli.Root(t), "go.mod"))
	require.NoError(t, err)
	m := regexp.MustCompile(`(?m)^module github\.com/([^/\s]+)/([^/\s]+)$`).FindStringSubmatch(string(data))
	require.NotNil(t, m)
	return m[1], m[2]
}

// github is the two hosts that installations ask, on one address of this
// machine: what they say of a repository's newest release, and its assets.
func github(t *testing.T) (address, authority string) {
	t.Helper()
	dist := released(t)
	owner, name := home(t)
	listener, err := net.Listen("tcp", "127.52.49.3:443") // programs have the address from a file of hosts, which has no port
	if err != nil {
		t.Skip("only root may listen there: ", err)
	}
	data, err := os.ReadFile(filepath.Join(cli.Root(t), ".claude-plugin", "plugin.json"))
	require.NoError(t, err)
	tag := "v" + gjson.GetBytes(data, "version").Str
	entries, err := os.ReadDir(dist)
	require.NoError(t, err)
	type asset struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	var assets []asset
	for i, e := range entries {
		assets = append(assets, asset{e.Name(), fmt.Sprintf("https://api.github.com/repos/%s/%s/releases/assets/%d", owner, name, i)})
	}
	mux := http.NewServeMux()
	top := "/" + owner + "/" + name + "/releases/"
	mux.HandleFunc("github.com"+top+"latest/download/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, top+"download/"+tag+"/"+path.Base(r.URL.Path), http.StatusFound)
	})
	mux.HandleFunc("github.com"+top+"download/"+tag+"/", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(dist, path.Base(r.URL.Path)))
	})
	mux.HandleFunc("api.github.com/repos"+top+"latest", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"tag_name": tag, "assets": assets})
	})
	mux.HandleFunc("api.github.com/repos"+top+"assets/", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(path.Base(r.URL.Path))
		if err != nil || n >= len(assets) {
			http.NotFound(w, r)
			return
		}
		http.ServeFile(w, r, filepath.Join(dist, assets[n].Name))
	})
	mux.Handle("github.com/"+owner+"/"+name+".git/", repository(t, owner+"/"+name, filepath.Join(dist, "marketplace.json")))
	certificate, authority := certified(t, "github.com", "api.github.com")
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}}
	go func() { _ = server.ServeTLS(listener, "", "") }() // until it is closed
	t.Cleanup(func() { _ = server.Close() })
	return "127.52.49.3", authority
}

// repository has a branch named release that is the marketplace alone, and speaks
// as git's own server does.
func repository(t *testing.T, name, marketplace string) http.Handler {
	t.Helper()
	top := t.TempDir()
	script := `git init -q -b release "$0/work" && mkdir "$0/work/.claude-plugin" && cp "$1" "$0/work/.claude-plugin/marketplace.json" && cd "$0/work" && git add . && git -c user.name=a -c user.email=a@example.org commit -q -m release && git clone -q --bare . "$0/$2.git"`
	out, err := exec.Command("sh", "-c", script, top, marketplace, name).CombinedOutput()
	require.NoError(t, err, string(out))
	path, err := exec.Command("git", "--exec-path").Output()
	require.NoError(t, err)
	return &cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"), Env: []string{"GIT_PROJECT_ROOT=" + top, "GIT_HTTP_EXPORT_ALL=1"}}
}

// certified is a certificate for some hosts, and the file of whom it is from.
func certified(t *testing.T, hosts ...string) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a test"}, DNSNames: hosts,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "authority.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// newcomer has a host, and the internet that installations ask; no Go.
func newcomer(t *testing.T, host string) *person {
	address, authority := github(t)
	if exec.Command("bwrap", "--dev-bind", "/", "/", "true").Run() != nil {
		t.Skip("bwrap cannot be run here")
	}
	p := somebody(t, host)
	hosts := filepath.Join(t.TempDir(), "hosts")
	require.NoError(t, os.WriteFile(hosts, []byte("127.0.0.1 localhost\n"+address+" github.com api.github.com\n"), 0o600))
	bin := filepath.Join(filepath.Dir(p.home), "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	require.NoError(t, os.Symlink(p.program, filepath.Join(bin, host)))
	node, err := exec.LookPath("node")
	require.NoError(t, err)
	p.path = strings.Join([]string{filepath.Join(p.home, ".local", "bin"), bin, filepath.Dir(node), "/usr/bin", "/bin"}, ":")
	p.within = []string{"bwrap", "--dev-bind", "/", "/", "--bind", hosts, "/etc/hosts", "--"}
	p.environ = []string{"NODE_EXTRA_CA_CERTS=" + authority, "CURL_CA_BUNDLE=" + authority, "GIT_SSL_CAINFO=" + authority}
	gone := exec.Command("sh", "-c", "command -v go council")
	gone.Env = []string{"PATH=" + p.path}
	require.Error(t, gone.Run(), "nobody needs Go")
	return p
}

// line is what the README has people type for a host.
func line(t *testing.T, begins string) string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(cli.Root(t), "README.md"))
	require.NoError(t, err)
	m := regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(begins)+`.*$`).FindAllString(string(readme), -1)
	require.Len(t, m, 1, begins)
	return m[0]
}

// asks has the librarian research in the session, and waits for its report.
func (p *person) asks() {
	p.Helper()
	said := p.types(p.typed(`deep-research Does Raft need pre-vote? --seats librarian --scope . --debate off`))
	found, err := filepath.Glob(filepath.Join(p.project, "research", "*-*"))
	require.NoError(p, err)
	require.Len(p, found, 1, said)
	require.Eventually(p, func() bool { return p.status() == "completed" }, 2*time.Minute, 100*time.Millisecond)
	require.FileExists(p, filepath.Join(found[0], "final-report.md"))
}

// One line of the README installs, and the next thing that is typed researches:
// on a machine without Go, in each host.
func TestReleaseIsInstalledByOneLine(t *testing.T) {
	t.Run("claude", func(t *testing.T) {
		p := newcomer(t, "claude")
		p.must("sh", "-c", line(t, "claude plugin install"))
		p.asks()
		p.run("plugin", "uninstall", "research-council")
		require.NotContains(t, p.run("plugin", "list"), "research-council@")
	})
	t.Run("gemini", func(t *testing.T) {
		p := newcomer(t, "gemini")
		p.must("sh", "-c", line(t, "gemini extensions install")+" --consent")
		p.asks()
		p.run("extensions", "uninstall", "research-council")
		require.NotContains(t, p.run("extensions", "list"), "research-council")
	})
	for _, host := range []string{"codex", "claude", "gemini"} {
		t.Run("by the script, into "+host, func(t *testing.T) {
			p := newcomer(t, host)
			install := strings.Replace(line(t, "curl -fsSL"), "-s -- codex", "-s -- "+host, 1)
			require.Contains(t, p.must("sh", "-c", install), "begin with: council doctor")
			require.Regexp(t, `^council \S+ \([0-9a-f]{7}\)\n$`, p.must("council", "version"))
			if host == "codex" {
				p.trusts()
			}
			p.asks()
			p.must("sh", "-c", install) // an update, over what is there
			p.must("council", "verify")
		})
	}
}

// What is not the release's own is not put in place.
func TestReleaseScriptRefuses(t *testing.T) {
	dist := released(t)
	script, err := os.ReadFile(filepath.Join(dist, "install.sh"))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		lay  string
		args []string
		says string
	}{
		"another archive":         {`echo other >"$0/council_$1_linux_amd64.tar.gz"; cp "$0/council_$1_linux_amd64.tar.gz" "$0/council_$1_linux_arm64.tar.gz"`, nil, "is damaged, or not the one of this release"},
		"a host it does not know": {``, []string{"emacs"}, "there is no plugin for emacs"},
		"a host that is not here": {`cp "$2"/council_*.tar.gz "$0"`, []string{"codex"}, "codex is not in the PATH"},
		"a program of another's":  {`cp "$2"/council_*.tar.gz "$0"; mkdir -p "$0/home/.local/bin"; echo mine >"$0/home/.local/bin/council"`, nil, "is not ours: it stays"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "install.sh"), script, 0o644))
			require.NoError(t, os.Mkdir(filepath.Join(dir, "home"), 0o755))
			data, err := os.ReadFile(filepath.Join(cli.Root(t), ".claude-plugin", "plugin.json"))
			require.NoError(t, err)
			out, err := exec.Command("sh", "-c", c.lay, dir, gjson.GetBytes(data, "version").Str, dist).CombinedOutput()
			require.NoError(t, err, string(out))
			cmd := exec.Command("sh", append([]string{filepath.Join(dir, "install.sh")}, c.args...)...)
			cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=/usr/bin:/bin"}
			out, err = cmd.CombinedOutput()
			var failed *exec.ExitError
			require.ErrorAs(t, err, &failed, string(out))
			require.Equal(t, 1, failed.ExitCode())
			require.Contains(t, string(out), c.says)
			left, err := filepath.Glob(filepath.Join(dir, "home", ".local", "share", ".research-council.*"))
			require.NoError(t, err)
			require.Empty(t, left)
			if mine, err := os.ReadFile(filepath.Join(dir, "home", ".local", "bin", "council")); name == "a program of another's" {
				require.NoError(t, err)
				require.Equal(t, "mine\n", string(mine))
			}
		})
	}
}
