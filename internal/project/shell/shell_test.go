package shell_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proc"
	"github.com/research-council/research-council/internal/project/confine"
	"github.com/research-council/research-council/internal/project/shell"
)

func TestMain(m *testing.M) {
	if code, mine := proc.Main(os.Args); mine {
		os.Exit(code)
	}
	if code, mine := confine.RunInside(os.Args); mine {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// place is a user's home with a project and secrets in it.
type place struct {
	t       *testing.T
	home    string
	project string
	options shell.Options
	*shell.Shell
}

// settle makes a place and opens a shell in it. It skips where this machine has
// no box; that one says so is tested elsewhere.
func settle(t *testing.T, change ...func(*place)) *place {
	t.Helper()
	if _, err := confine.Find(t.Context()); err != nil {
		t.Skip(err)
	}
	home := t.TempDir()
	p := &place{t: t, home: home, project: filepath.Join(home, "code", "app")}
	self, err := os.Executable()
	require.NoError(t, err)
	p.options = shell.Options{Project: p.project, Environ: []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "GONOSUMDB=*",
		"ANTHROPIC_API_KEY=canary-key", "MY_COMPANY_PASSWORD=canary-password", "SSH_AUTH_SOCK=/run/canary", "NPM_TOKEN=canary-npm",
	}, Council: self}
	p.file("code/app/main.go", "package main\n\nfunc main() {}\n")
	p.file("code/app/go.mod", "module app\n\ngo 1.24\n")
	p.file("code/app/CLAUDE.md", "Be kind.\n")
	out, err := exec.Command("git", "-C", p.project, "init", "-q", "--template=").CombinedOutput()
	require.NoError(t, err, string(out))
	p.file("code/app/pkg/.github/workflows/ci.yml", "on: push\n")
	p.file("code/other/secret.txt", "canary-other\n")
	p.file(".ssh/id_ed25519", "canary-ssh\n")
	p.file(".aws/credentials", "canary-aws\n")
	p.file(".config/gh/hosts.yml", "canary-gh\n")
	p.file(".netrc", "canary-netrc\n")
	p.file(".claude/.credentials.json", "canary-claude\n")
	p.file(".npmrc", "registry=http://localhost:1/\n//localhost:1/:_authToken=canary-token\nfund=false\n")
	p.file(".gitconfig", "[user]\n\tname = Ann\n\temail = ann@example.com\n[credential]\n\thelper = store\n")
	for _, c := range change {
		c(p)
	}
	p.Shell, err = shell.Open(t.Context(), p.options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	require.NoError(t, p.CheckConfined())
	return p
}

func (p *place) file(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.home, name)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(p.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// run runs a command and gives its exit code and what it said.
func (p *place) run(line string) (int, string) {
	p.t.Helper()
	log := filepath.Join(p.t.TempDir(), "log")
	r, err := p.Run(p.t.Context(), shell.Command{Line: line, Log: log, Timeout: 5 * time.Minute})
	require.NoError(p.t, err)
	require.NoError(p.t, r.Err)
	text, err := os.ReadFile(log)
	require.NoError(p.t, err)
	return r.Code, string(text)
}

func (p *place) works(line string) string {
	p.t.Helper()
	code, said := p.run(line)
	require.Zero(p.t, code, "%s: %s", line, said)
	return said
}

// warm lends a box the go build cache of whoever runs the tests: what a box
// compiles first is the standard library.
func warm(p *place) {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	require.NoError(p.t, err)
	cache := strings.TrimSpace(string(out))
	p.options.Environ = append(p.options.Environ, "GOCACHE="+cache)
	p.options.Pass, p.options.Writable = []string{"GOCACHE"}, []string{cache}
}

func TestTheOrdinaryWorkOfAProjectIsDone(t *testing.T) {
	p := settle(t, warm)
	p.file("code/app/init.sh", "mkdir -p data && echo ready > data/state\n")
	p.works("sh init.sh")
	require.FileExists(t, filepath.Join(p.project, "data", "state"))
	p.works("rm -r data")
	require.NoDirExists(t, filepath.Join(p.project, "data"))
	p.works("go vet ./... && go build -o app . && ./app")
	require.FileExists(t, filepath.Join(p.project, "app"))
	require.NoDirExists(t, filepath.Join(p.home, "go"), "caches are the box's own")
	require.Equal(t, "Ann\n", p.works("git config user.name"), "who the user is stands in the box too")
	require.Contains(t, p.works("cat .npmrc ~/.npmrc 2>/dev/null || cat ~/.npmrc"), "fund=false")
}

// A program of the PATH may be a few lines that start a version manager beside it, in the
// home of somebody else.
func TestAVersionManagersProgramsRunInWhoeversHome(t *testing.T) {
	other := filepath.Join(t.TempDir(), ".pyenv")
	p := settle(t, func(p *place) {
		for name, text := range map[string]string{
			"shims/snake": "#!/bin/sh\nexec " + other + "/libexec/pyenv exec snake\n", "libexec/pyenv": "#!/bin/sh\necho found\n", "../.ssh/id_ed25519": "canary-other-home\n",
		} {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(other, name)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(other, name), []byte(text), 0o755))
		}
		for i, entry := range p.options.Environ {
			if path, ok := strings.CutPrefix(entry, "PATH="); ok {
				p.options.Environ[i] = "PATH=" + filepath.Join(other, "shims") + ":" + path
			}
		}
	})
	require.Contains(t, p.works("snake"), "found")
	_, out := p.run("cat " + filepath.Dir(other) + "/.ssh/id_ed25519")
	require.NotContains(t, out, "canary")
}

func TestAGoModuleIsFetched(t *testing.T) {
	p := settle(t, warm, func(p *place) {
		at := "go/pkg/mod/cache/download/example.com/greet/@v/"
		p.file(at+"list", "v1.0.0\n")
		p.file(at+"v1.0.0.info", `{"Version":"v1.0.0","Time":"2026-01-01T00:00:00Z"}`)
		p.file(at+"v1.0.0.mod", "module example.com/greet\n")
		zip := exec.Command("python3", "-c", `import zipfile,sys
z=zipfile.ZipFile(sys.argv[1],"w"); z.writestr("example.com/greet@v1.0.0/go.mod","module example.com/greet\n"); z.writestr("example.com/greet@v1.0.0/greet.go","package greet\n\nconst Hello = \"hello\"\n"); z.close()`,
			filepath.Join(p.home, at, "v1.0.0.zip"))
		out, err := zip.CombinedOutput()
		require.NoError(t, err, string(out))
		p.options.Environ = append(p.options.Environ, "GOPROXY=off")
	})
	p.works("go get example.com/greet@v1.0.0")
	p.file("code/app/main.go", "package main\n\nimport \"example.com/greet\"\n\nfunc main() { println(greet.Hello) }\n")
	require.Contains(t, p.works("go run ."), "hello")
}

func TestANodePackageIsInstalled(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip(err)
	}
	p := settle(t)
	p.file("code/app/left/package.json", `{"name":"left","version":"1.0.0","main":"index.js"}`)
	p.file("code/app/left/index.js", "module.exports = () => 'padded'\n")
	p.file("code/app/package.json", `{"name":"app","version":"1.0.0","dependencies":{"left":"file:./left"}}`)
	p.works("npm install")
	require.Contains(t, p.works("node -e \"console.log(require('left')())\""), "padded")
}

func TestNothingOutsideTheProjectIsWritten(t *testing.T) {
	p := settle(t)
	for _, target := range []string{
		filepath.Join(p.home, ".bashrc"), filepath.Join(p.home, ".ssh/authorized_keys"), filepath.Join(p.home, "code/other/x"),
		filepath.Join(p.home, ".claude/settings.json"), "/etc/canary", "/usr/local/bin/canary", "/var/lib/canary",
	} {
		p.run("mkdir -p $(dirname " + target + "); echo x > " + target)
		require.NoFileExists(t, target)
	}
	outside := filepath.Join(p.home, "code/other/secret.txt")
	p.run("ln -s " + outside + " link; echo mine > link; rm -rf " + filepath.Dir(outside))
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "canary-other\n", string(text))
}

func TestNoSecretIsRead(t *testing.T) {
	p := settle(t)
	for _, line := range []string{
		"cat ~/.ssh/id_ed25519", "cat ~/.aws/credentials", "cat ~/.config/gh/hosts.yml", "cat ~/.netrc", "cat ~/.claude/.credentials.json", "cat ~/.npmrc", "env",
		"cat ../other/secret.txt", "cat /proc/*/environ | tr '\\0' '\\n'", "grep -rs canary- ~ /run /tmp --exclude-dir=go --exclude-dir=.pyenv", "git config -l",
	} {
		_, said := p.run(line)
		require.NotContains(t, said, "canary-", line)
	}
	code, said := p.run("cat /etc/shadow /etc/gshadow")
	require.NotZero(t, code, said)
	require.NotContains(t, p.works("git config -l"), "store", "a helper that knows logins is none of the box's")
}

func TestWhatLaterSessionsObeyIsKept(t *testing.T) {
	p := settle(t)
	before := p.works("find .git -type f | sort | xargs sha1sum")
	for _, line := range []string{
		"echo obey >> CLAUDE.md", "rm CLAUDE.md", "mv CLAUDE.md x", "echo evil > n && mv n CLAUDE.md", "sed -i s/kind/evil/ CLAUDE.md",
		"echo evil > pkg/.github/workflows/new.yml", "rm -rf pkg/.github", "git config core.pager evil", "echo evil > .git/hooks/pre-commit",
		"mkdir -p .git/hooks && echo evil > .git/hooks/post-checkout", "mv .git git", "ln -sf /bin/sh .git/x",
	} {
		code, said := p.run(line)
		require.NotZero(t, code, "%s: %s", line, said)
	}
	text, err := os.ReadFile(filepath.Join(p.project, "CLAUDE.md"))
	require.NoError(t, err)
	require.Equal(t, "Be kind.\n", string(text))
	require.Equal(t, before, p.works("find .git -type f | sort | xargs sha1sum"))
}

func TestAPersonNamesWhatMayBeWritten(t *testing.T) {
	p := settle(t, func(p *place) { p.options.Named = []string{"pkg/.github/workflows", "CLAUDE.md"} })
	p.works("echo 'on: pull_request' > pkg/.github/workflows/ci.yml && echo more >> CLAUDE.md")
	code, _ := p.run("echo x > .git/config")
	require.NotZero(t, code)
}

func TestFoldersThatAreKeptAndAFolderInOneOfThem(t *testing.T) {
	p := settle(t, func(p *place) {
		p.file("code/app/research/1/journal.jsonl", "{}\n")
		p.file("code/app/research/1/seats/me/note", "\n")
		p.options.Kept = []string{filepath.Join(p.project, "research"), filepath.Join(p.project, "nowhere")}
		p.options.Writable = []string{filepath.Join(p.project, "research/1/seats/me")}
	})
	code, _ := p.run("echo x >> research/1/journal.jsonl")
	require.NotZero(t, code)
	p.works("echo x > research/1/seats/me/feature.json")
}

func TestTheNetworkIsAList(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		_, _ = io.WriteString(w, "from outside")
	}))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	p := settle(t)
	code, said := p.run("curl -sS --max-time 20 " + server.URL + "/direct")
	require.NotZero(t, code, said)
	code, said = p.run("curl -sS --max-time 20 --noproxy '' http://attacker.example/plain; curl -sS --max-time 20 https://attacker.example/tls")
	require.NotZero(t, code, said)
	require.Contains(t, said, "not on the list")
	require.Equal(t, []string{"attacker.example"}, p.RefusedHosts())
	code, said = p.run("curl -sS --max-time 20 --noproxy '*' http://169.254.169.254/latest/meta-data")
	require.NotZero(t, code, said)
	require.Empty(t, asked)

	p = settle(t, func(p *place) { p.options.Hosts = []string{"localhost:" + port} })
	require.Equal(t, "from outside", p.works("curl -sS --max-time 20 http://localhost:"+port+"/named"))
	require.Equal(t, []string{"/named"}, asked)
}

func TestACommandEndsInTimeAndWithAllItHasStarted(t *testing.T) {
	p := settle(t)
	log := filepath.Join(t.TempDir(), "log")
	r, err := p.Run(t.Context(), shell.Command{Line: "setsid sleep 1000 & sleep 1000", Log: log, Timeout: time.Second})
	require.NoError(t, err)
	require.NoError(t, r.Err)
	require.True(t, r.Late)
	code, _ := p.run("exit 7")
	require.Equal(t, 7, code)
	code, _ = p.run("kill -9 $$")
	require.Equal(t, 137, code)
}

func TestACommandEndsWithItsCaller(t *testing.T) {
	p := settle(t)
	ctx, cancel := context.WithCancel(t.Context())
	started := filepath.Join(p.project, "started")
	go func() {
		for exec.Command("test", "-e", started).Run() != nil {
		}
		cancel()
	}()
	r, err := p.Run(ctx, shell.Command{Line: "touch started; sleep 1000", Log: filepath.Join(t.TempDir(), "log"), Timeout: time.Hour})
	require.NoError(t, err)
	require.True(t, r.Ended)
	require.False(t, r.Late)
}

func TestABoxThatCannotBeMadeSaysNothingOfItsCommand(t *testing.T) {
	p := settle(t, func(p *place) { p.options.Council = filepath.Join(p.home, "gone") })
	_, err := p.Run(t.Context(), shell.Command{Line: "true", Log: filepath.Join(t.TempDir(), "log"), Timeout: time.Minute})
	require.ErrorContains(t, err, "make the box")
}

func TestAProjectThatHoldsTheHomeHasNoBox(t *testing.T) {
	if _, err := confine.Find(t.Context()); err != nil {
		t.Skip(err)
	}
	home := t.TempDir()
	s, err := shell.Open(t.Context(), shell.Options{Project: home, Environ: []string{"HOME=" + filepath.Join(home, "ann")}, Council: "/bin/true"})
	require.NoError(t, err)
	require.ErrorContains(t, s.CheckConfined(), "holds the home folder")
}

func TestWithoutABoxTheEnvironmentIsAListAllTheSame(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no bubblewrap is in it
	self, err := os.Executable()
	require.NoError(t, err)
	project := t.TempDir()
	s, err := shell.Open(t.Context(), shell.Options{Project: project, Council: self, Environ: []string{"PATH=/usr/bin:/bin", "HOME=/h", "UNKNOWN_NEW_SECRET=canary"}})
	require.NoError(t, err)
	require.ErrorContains(t, s.CheckConfined(), "bubblewrap is not installed")
	log := filepath.Join(t.TempDir(), "log")
	r, err := s.Run(t.Context(), shell.Command{Line: "env; pwd", Log: log, Timeout: time.Minute})
	require.NoError(t, err)
	require.Zero(t, r.Code)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	require.NotContains(t, string(text), "canary")
	require.True(t, strings.Contains(string(text), "HOME=/h") && strings.Contains(string(text), project))
}
