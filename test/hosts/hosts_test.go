// Package hosts drives the plugin in Claude Code and Codex and the extension in
// Gemini CLI as a person does: installed by the real command line from a folder,
// with a scripted model behind it.
package hosts

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/test/cli"
	"github.com/research-council/research-council/test/loopback"
)

func TestMain(m *testing.M) {
	cli.OnDisk()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "council-bin-")
	if err != nil {
		return 1
	}
	defer os.RemoveAll(dir)
	built = sync.OnceValues(func() (string, error) { return build(dir) })
	return m.Run()
}

// built is the folder that both programs are built into, once.
var built func() (string, error)

func build(dir string) (string, error) {
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-s -w", "-o", dir+"/", "./cmd/council", "./cmd/council-hook")
	build.Dir, build.Stderr = filepath.Join("..", ".."), os.Stderr
	return dir, build.Run()
}

// person is somebody with a home and a project of their own, whose host is one
// command line.
type person struct {
	*testing.T
	host, program, checkout, home, project string
	server                                 *loopback.Server
	path                                   string
	thread                                 string      // of Codex, to come back to
	holds                                  atomic.Bool // the model says nothing
	waits                                  atomic.Bool // the model answers when the run has ended
	within, environ                        []string    // what each program is started by, and has besides
}

// answers are what the model says, one after the other, in every session.
const answers = `rules: [{steps: [{text: First answer.}, {text: Second answer.}, {text: "Third.\n\nALL GREEN"}, {text: Fourth answer.}, {text: Fifth answer.}, {text: Sixth answer.}, {text: Seventh answer.}]}]`

// newPerson is somebody with a checkout that was built.
func newPerson(t *testing.T, host string) *person {
	cli.InMatrix(t)
	p := somebody(t, host)
	p.checkout = filepath.Join(filepath.Dir(p.home), "check out")
	for _, name := range []string{".claude-plugin", ".codex-plugin", "commands", "hooks", "skills", "hosts"} {
		require.NoError(t, os.CopyFS(filepath.Join(p.checkout, name), os.DirFS(filepath.Join(cli.Root(t), name))))
	}
	bin, err := built()
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(filepath.Join(p.checkout, "bin"), os.DirFS(bin)))
	return p
}

// somebody has a host, a project with notes, and nothing of ours.
func somebody(t *testing.T, host string) *person {
	program := cli.Path(t, host)
	dir, err := os.MkdirTemp("", "a person's host ")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &person{
		T: t, host: host, program: program, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "my proj (1)"),
		path: os.Getenv("PATH"),
	}
	require.NoError(t, os.MkdirAll(filepath.Join(p.home, "."+host), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(p.project, ".git"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(p.project, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(p.project, "notes.md"), []byte("# Raft\n\nA node that was cut off begins elections when it comes back. Pre-vote keeps such a node from disturbing the leader of the cluster.\n"), 0o644))
	scenario, err := loopback.Parse([]byte(answers))
	require.NoError(t, err)
	scenario.Play = p.plays
	p.server = map[string]func(testing.TB, loopback.Scenario) *loopback.Server{"claude": loopback.Anthropic, "codex": loopback.OpenAI, "gemini": loopback.Gemini}[host](t, scenario)
	if host == "gemini" {
		settings := `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}`
		require.NoError(t, os.WriteFile(filepath.Join(p.home, ".gemini", "settings.json"), []byte(settings), 0o600))
	}
	return p
}

// plays has the model wait for the end of the run, where the test says so, and
// then say what it says otherwise.
func (p *person) plays(q loopback.Request) (loopback.Step, bool) {
	if q.Inner == "" && p.holds.Load() {
		return loopback.Step{Hang: true}, true
	}
	if q.Inner == "" && p.waits.Load() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for over := time.After(2 * time.Minute); p.status() != "completed"; {
			select {
			case <-tick.C:
			case <-over:
				return loopback.Step{}, false // the test finds that it has not ended
			}
		}
	}
	return loopback.Step{}, false
}

// status is how the project's only run stands.
func (p *person) status() string {
	found, _ := filepath.Glob(filepath.Join(p.project, "research", "*-*", "status.json")) // the pattern is well formed
	if len(found) != 1 {
		return ""
	}
	data, _ := os.ReadFile(found[0]) // it may not be there yet
	return gjson.GetBytes(data, "status").Str
}

func (p *person) run(args ...string) string {
	p.Helper()
	argv := append([]string{p.program}, args...)
	if p.host == "gemini" {
		argv = append([]string{"node"}, argv...)
	}
	return p.must(argv...)
}

func (p *person) must(argv ...string) string {
	p.Helper()
	argv = append(slices.Clone(p.within), argv...)
	c := exec.CommandContext(p.Context(), argv[0], argv[1:]...)
	c.Dir, c.WaitDelay = p.project, time.Minute
	c.Env = append(p.server.Env(), "HOME="+p.home, "PATH="+p.path, "TERM=xterm-256color", "NO_COLOR=1", "GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_TRUST_WORKSPACE=true")
	c.Env = append(c.Env, p.environ...)
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	require.NoError(p, err, "%s\n%s", out, errs.String())
	return string(out) + errs.String()
}

// types says something at the session, or at a new one.
func (p *person) types(prompt string) string {
	p.Helper()
	if p.host == "gemini" {
		args := []string{"-m", "gemini-2.5-pro", "-o", "stream-json"}
		if p.thread != "" {
			args = append(args, "--resume", p.thread)
		}
		out := p.run(append(args, "-p", prompt)...)
		p.thread = gjson.Get(strings.SplitN(out, "\n", 2)[0], "session_id").Str
		return out
	}
	if p.host == "claude" {
		args := []string{"-p", prompt, "--output-format", "json"}
		if p.checkout != "" { // else it is installed
			args = append(args, "--plugin-dir", p.checkout)
		}
		if p.thread != "" {
			args = append(args, "--resume", p.thread)
		}
		out := p.run(args...)
		p.thread = gjson.Get(out, "session_id").Str
		return out
	}
	args := append(p.server.Args(), "exec", "--json", "-m", "gpt-6-luna", "-c", "analytics.enabled=false", "--disable", "unbounded_connection_retries")
	if p.thread != "" {
		args = append(args, "resume", p.thread)
	}
	out := p.run(append(args, prompt)...)
	p.thread = gjson.Get(strings.SplitN(out, "\n", 2)[0], "thread_id").Str
	return out
}

// typed is one of our commands, as it is typed in the host.
func (p *person) typed(command string) string {
	return map[string]string{"claude": "/research-council:", "codex": "$research-council:", "gemini": "/"}[p.host] + command
}

// asked are the requests of the session the person is in.
func (p *person) asked() (all []loopback.Request) {
	for _, q := range p.server.Requests() {
		if q.Inner == "" && (q.Session == p.thread || p.host == "gemini") { // which tells no server of its session
			all = append(all, q)
		}
	}
	return all
}

func (p *person) last() string {
	all := p.asked()
	require.NotEmpty(p, all)
	return string(all[len(all)-1].Body)
}

// trusts reviews the plugin's hooks, as /hooks does.
func (p *person) trusts() {
	c := exec.Command(p.program, "app-server")
	c.Dir, c.Env = p.project, []string{"HOME=" + p.home, "PATH=" + p.path}
	in, err := c.StdinPipe()
	require.NoError(p, err)
	out, err := c.StdoutPipe()
	require.NoError(p, err)
	require.NoError(p, c.Start())
	cwd, _ := json.Marshal(p.project)
	_, err = fmt.Fprintf(in, `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"x","version":"1"}}}`+"\n"+`{"method":"initialized"}`+"\n"+`{"id":2,"method":"hooks/list","params":{"cwds":[%s]}}`+"\n", cwd)
	require.NoError(p, err)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	var hooks []gjson.Result
	for lines.Scan() {
		if gjson.GetBytes(lines.Bytes(), "id").Int() == 2 {
			hooks = gjson.Get(lines.Text(), "result.data.0.hooks").Array()
			break
		}
	}
	_ = c.Process.Kill()
	_ = c.Wait() // it was killed
	require.Len(p, hooks, 5)
	var text strings.Builder
	for _, h := range hooks {
		hook, _, _ := strings.Cut(h.Get("currentHash").Str, "/")
		fmt.Fprintf(&text, "\n[hooks.state.%q]\ntrusted_hash = %q\n", h.Get("key").Str, hook)
	}
	file := filepath.Join(p.home, ".codex", "config.toml")
	before, err := os.ReadFile(file)
	require.NoError(p, err)
	require.NoError(p, os.WriteFile(file, append(before, text.String()...), 0o600))
}

func (p *person) installs() {
	if p.host == "claude" {
		return // it is named at each start
	}
	if p.host == "gemini" {
		p.run("extensions", "link", filepath.Join(p.checkout, "hosts", "gemini"), "--consent")
		return
	}
	p.run("plugin", "marketplace", "add", p.checkout)
	p.run("plugin", "add", "research-council@research-council-market")
	p.trusts()
}

func each(t *testing.T, hosts []string, test func(p *person)) {
	t.Parallel()
	for _, host := range hosts {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			test(newPerson(t, host))
		})
	}
}

func TestALoopInAPersonsSession(t *testing.T) {
	each(t, []string{"claude", "codex", "gemini"}, func(p *person) {
		p.installs()
		p.types(p.typed(`research-loop Mend the tests --max-iterations 6 --marker "ALL GREEN"`))
		require.Len(p, p.asked(), 3, "the third answer ends with the marker")
		require.Contains(p, p.last(), "Research loop: answer 3 of 6")
		require.Contains(p, p.last(), "Mend the tests")
		p.types("thank you")
		require.Len(p, p.asked(), 4, "the session is free")

		p.types(p.typed("research-loop Mend more --max-iterations 2"))
		require.Len(p, p.asked(), 6)
	})
}

// A run is begun, looked at, ended and handed back by commands a person types in
// the session.
func TestACouncilAroundASession(t *testing.T) {
	each(t, []string{"codex", "gemini"}, func(p *person) {
		p.installs()
		said := p.types(p.typed(`deep-research Does Raft need pre-vote? --seats librarian --scope . --test --debate off`))
		found, err := filepath.Glob(filepath.Join(p.project, "research", "*-*"))
		require.NoError(p, err)
		require.Len(p, found, 1, said)
		id := filepath.Base(found[0])
		require.Contains(p, p.last(), "Research council run "+id+" has started")
		require.Eventually(p, func() bool { return p.status() == "completed" }, 2*time.Minute, 100*time.Millisecond, "the supervisor outlives the host")

		p.types("and?")
		require.Contains(p, p.last(), "run "+id+" has ended: completed")
		require.Contains(p, p.last(), "final-report.md")
		told := strings.Count(p.last(), "has ended: completed")
		p.types("thank you")
		require.Equal(p, told, strings.Count(p.last(), "has ended: completed"), "once")

		before := len(p.asked())
		said = p.types(p.typed("status"))
		if p.host == "codex" {
			said = p.last()
		} else {
			require.Len(p, p.asked(), before, "no model is asked")
		}
		require.Contains(p, said, id)
		said = p.types(p.typed("cancel-research"))
		if p.host == "codex" {
			said = p.last()
		}
		require.Contains(p, said, "no run is under way here")
	})
}

// A run that ends while the session is in the middle of an answer is handed back
// at that answer's end.
func TestAReportComesAtTheEndOfAnAnswer(t *testing.T) {
	each(t, []string{"codex", "gemini"}, func(p *person) {
		p.installs()
		p.waits.Store(true)
		p.types(p.typed(`deep-research Does Raft need pre-vote? --seats librarian --scope . --test --debate off`))
		require.Equal(p, "completed", p.status())
		require.Len(p, p.asked(), 2)
		require.Contains(p, p.last(), "has ended: completed")
		require.Contains(p, p.last(), "final-report.md")
		p.types("thank you")
		require.Equal(p, 1, strings.Count(p.last(), "has ended: completed"), "once")
	})
}

// Codex skips in silence what nobody has trusted: the session is told of no loop, and
// the skill has the model say so.
func TestWithoutTrustNothingIsPromised(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "codex")
	p.run("plugin", "marketplace", "add", p.checkout)
	p.run("plugin", "add", "research-council@research-council-market")
	p.types(p.typed("research-loop Mend the tests --max-iterations 3"))
	require.Len(t, p.asked(), 1)
	require.NotContains(t, p.last(), "Research loop is on. After")
	require.Contains(t, p.last(), "have to be trusted once with `/hooks`")
	require.NotContains(t, p.last(), "research-council:cancel-research:", "what only a person may type is not offered to the model")
	require.NoDirExists(t, filepath.Join(p.home, ".local", "state", "research-council"))
}

// An extension that was copied has no program beside it: one in the PATH serves, and
// where there is none the session is free.
func TestAnExtensionThatWasCopied(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "gemini")
	p.run("extensions", "install", filepath.Join(p.checkout, "hosts", "gemini"), "--consent")
	p.types(p.typed("research-loop Mend the tests --max-iterations 2"))
	require.Len(t, p.asked(), 1, "there is no program")
	p.thread, p.path = "", filepath.Join(p.checkout, "bin")+string(filepath.ListSeparator)+p.path
	before := len(p.asked())
	p.types(p.typed("research-loop Mend the tests --max-iterations 2"))
	require.Len(t, p.asked(), before+2)
}

// Both hosts start the plugin's MCP server, in the project; what its tools may do is
// asked by the host.
func TestTheServerOfTheCouncilIsNamed(t *testing.T) {
	each(t, []string{"codex", "gemini"}, func(p *person) {
		p.installs()
		if p.host == "codex" {
			p.types("hello")
			require.Contains(p, p.last(), "mcp__council")
			return
		}
		p.run("-m", "gemini-2.5-pro", "-o", "stream-json", "-p", "hello")
		require.NotContains(p, strings.Join(p.asked()[0].Tools, " "), "mcp_council_", "without the person's trust")
		p.run("-m", "gemini-2.5-pro", "-o", "stream-json", "--approval-mode=yolo", "-p", "hello")
		require.Contains(p, strings.Join(p.asked()[1].Tools, " "), "mcp_council_")
	})
}
