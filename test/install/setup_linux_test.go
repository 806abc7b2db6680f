package install_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/internal/base/proc/proctest"
)

// setupCase is one of testdata/setup.yaml, whose legend says what its words mean.
type setupCase struct {
	Name    string
	Needs   []string
	Before  setupBefore
	Line    string `yaml:"run"`
	Answers []string
	EachEnv []map[string]*string `yaml:"each_env"`
	EachArg []string             `yaml:"each_args"`
	After   yaml.Node            `yaml:"config_after"`
	Files   map[string]string    `yaml:"files_after"`
	Calls   map[string]string
	Screen  []string
	Exit    string
	Held    string
}

type setupBefore struct {
	Config   string
	Config64 string `yaml:"config_b64"`
	Env      map[string]*string
	CLIs     map[string]map[string]string `yaml:"clis"`
	Settings string                       `yaml:"settings.json"`
	FS       []string                     `yaml:"fs"`
	Cwd      []string                     `yaml:"cwd_has"`
}

// setUp is one session in a home of its own.
type setUp struct {
	*testing.T
	setupCase
	root, home, bin, cwd string
	config               string // where it is to be
	env                  []string
	before               string // of the configuration
	shown                string
}

func TestSetup(t *testing.T) {
	data, err := os.ReadFile("testdata/setup.yaml")
	require.NoError(t, err)
	var file struct{ Cases []setupCase }
	require.NoError(t, yaml.Unmarshal(data, &file))
	require.Greater(t, len(file.Cases), 60)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if c.Held != "" {
				t.Skip(c.Held)
			}
			for n, each := range c.each() {
				x := newSetUp(t, each)
				x.run(n)
			}
		})
	}
}

func (c setupCase) each() []setupCase {
	list := []setupCase{c}
	if c.EachEnv != nil {
		list = nil
		for _, env := range c.EachEnv {
			one := c
			one.Before.Env = joined(c.Before.Env, env)
			list = append(list, one)
		}
	}
	if c.EachArg != nil {
		list = nil
		for _, args := range c.EachArg {
			one := c
			one.Line = strings.Replace(c.Line, "ARGS", strings.TrimSuffix(strings.TrimSuffix(args, " (quoted)"), ""), 1)
			if strings.Contains(args, "$5") {
				one.Line = strings.Replace(one.Line, "$5", "'$5'", 1)
			}
			list = append(list, one)
		}
	}
	return list
}

func newSetUp(t *testing.T, c setupCase) *setUp {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	x := &setUp{T: t, setupCase: c, root: root, home: filepath.Join(root, "home"), bin: filepath.Join(root, "clis"), cwd: filepath.Join(root, "cwd")}
	if own := c.Before.Env["HOME"]; own != nil {
		x.home = strings.Replace(*own, "T/", root+"/", 1)
	}
	for _, dir := range []string{x.home, x.bin, x.cwd} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	built, err := programs()
	require.NoError(t, err)
	env := map[string]string{"HOME": x.home, "PATH": x.bin + ":/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8", "BUILT": built}
	for name, value := range c.Before.Env {
		if delete(env, name); value != nil {
			env[name] = strings.Replace(*value, "T/", root+"/", 1)
		}
	}
	if own := c.Before.Env["PATH"]; own != nil {
		env["PATH"] = *own
	}
	x.config = filepath.Join(x.home, ".config", "research-council", "config.yaml")
	if env["XDG_CONFIG_HOME"] != "" {
		x.config = filepath.Join(env["XDG_CONFIG_HOME"], "research-council", "config.yaml")
	}
	if env["COUNCIL_CONFIG"] != "" {
		x.config = env["COUNCIL_CONFIG"]
	}
	for name, value := range env {
		x.env = append(x.env, name+"="+value)
	}
	x.lay(env)
	if x.needs("nonroot") && os.Getuid() == 0 {
		require.NoError(t, exec.Command("chown", "-R", "-h", "65534:65534", root).Run())
		for dir := root; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
			require.NoError(t, os.Chmod(dir, 0o755))
		}
	}
	return x
}

func (x *setUp) needs(what string) bool { return slices.Contains(x.Needs, what) }

// lay lays down what stood there before.
func (x *setUp) lay(env map[string]string) {
	stub, err := os.ReadFile("testdata/cli/stub")
	require.NoError(x, err)
	for name, is := range x.Before.CLIs {
		require.NoError(x, os.WriteFile(filepath.Join(x.bin, name), stub, 0o755))
		for what, value := range is {
			require.NoError(x, os.WriteFile(filepath.Join(x.bin, name+"."+what), []byte(value), 0o644))
		}
		login := is["login"]
		switch {
		case name == "claude" && (strings.HasPrefix(login, "plan") || login == "expired" || login == "unknown"):
			x.write(filepath.Join(x.home, ".claude", ".credentials.json"), "{}")
		case name == "claude" && login == "api-key":
			x.env = append(x.env, "ANTHROPIC_API_KEY=sk-ant-test-0000")
		case name == "gemini" && login == "plan":
			x.env = append(x.env, "GEMINI_API_KEY=gm-test-2222")
		}
	}
	switch text := x.Before.Config; {
	case x.Before.Config64 != "":
		raw, err := base64.StdEncoding.DecodeString(x.Before.Config64)
		require.NoError(x, err)
		x.write(x.config, string(raw))
	case text == "a folder":
		require.NoError(x, os.MkdirAll(x.config, 0o700))
	case strings.HasPrefix(text, "link to "):
		require.NoError(x, os.MkdirAll(filepath.Dir(x.config), 0o700))
		require.NoError(x, os.Symlink(filepath.Join(x.home, "dotfiles", "none.yaml"), x.config))
	case strings.HasPrefix(text, "as "):
		x.write(x.config, "seats: [claude, codex]\nlimits:\n  usd: 5\n")
	case text != "none":
		x.write(x.config, text)
	}
	if x.Answers != nil && x.Before.Settings == "" {
		x.Before.Settings = "{}"
	}
	if x.Before.Settings != "" {
		x.write(filepath.Join(x.home, ".claude", "settings.json"), x.Before.Settings)
	}
	for _, line := range x.Before.FS {
		line = strings.NewReplacer("CONFIG", "'"+x.config+"'", "HOME", x.home).Replace(line)
		if strings.Contains(line, "/.claude/local/claude") || strings.Contains(line, "tmpfs") {
			continue // the first is laid below, the second needs a mount
		}
		out, err := exec.Command("sh", "-c", line).CombinedOutput()
		require.NoError(x, err, string(out))
	}
	if x.Name == "alias-only-cli" {
		x.write(filepath.Join(x.home, ".claude", "local", "claude"), string(stub))
	}
	for _, name := range x.Before.Cwd {
		name, _, _ = strings.Cut(name, " ")
		require.NoError(x, os.WriteFile(filepath.Join(x.cwd, name), []byte("#!/bin/sh\ntouch '"+x.root+"/pwned'\n"), 0o755))
	}
	x.before = x.state()
}

func (x *setUp) write(path, text string) {
	require.NoError(x, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(x, os.WriteFile(path, []byte(text), 0o600))
}

// state is the configuration as it stands: its kind, mode and bytes, and where a link
// leads.
func (x *setUp) state() string {
	info, err := os.Lstat(x.config)
	if err != nil {
		return "none"
	}
	target, _ := os.Readlink(x.config)
	data, _ := os.ReadFile(x.config)
	return fmt.Sprintf("%v %q %q", info.Mode(), target, data)
}

// run makes the session, and holds it to what is expected.
func (x *setUp) run(n int) {
	x.Helper()
	var code int
	switch {
	case x.needs("mount"):
		code = x.fullDisk()
	case x.Name == "killed-during-write":
		x.killed()
		return
	case x.Name == "two-setups-at-once":
		x.twice()
		return
	case x.Answers != nil:
		code = x.typed()
	default:
		code = x.typedLine(x.line())
	}
	x.checkExit(code, n)
	x.checkScreen()
	x.checkConfig(n)
	for name, want := range x.Calls {
		calls, _ := os.ReadFile(filepath.Join(x.bin, name+".calls"))
		require.Equal(x, "0 trial calls", strings.Split(want, " -")[0])
		require.Empty(x, calls, name)
	}
	require.NoFileExists(x, filepath.Join(x.root, "pwned"))
	for _, secret := range []string{"sk-ant-test", "sk-test-1", "gm-test"} {
		require.NotContains(x, x.shown, secret)
	}
}

// line is the command as a shell takes it.
func (x *setUp) line() string {
	run := strings.ReplaceAll(x.Line, "--budget", "--max-usd")
	return strings.ReplaceAll(run, "council setup", `"$BUILT/council" setup`)
}

func (x *setUp) command(argv ...string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = x.cwd, x.env
	if x.needs("nonroot") && os.Getuid() == 0 {
		cmd.SysProcAttr = proctest.As(nobody)
	}
	return cmd
}

func (x *setUp) typedLine(line string) int {
	cmd := x.command("/bin/bash", "-c", "set -o pipefail; "+line)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // how it ended is looked at by the case
	x.shown = out.String() + errs.String()
	if strings.Contains(line, "--json") {
		d := json.NewDecoder(bytes.NewReader(out.Bytes()))
		require.NoError(x, d.Decode(new(map[string]any)), x.shown)
		require.False(x, d.More(), "one value alone: %s", out.String())
	}
	return cmd.ProcessState.ExitCode()
}

// typed types the answers at a terminal, each when a question stands there.
func (x *setUp) typed() int {
	built, err := programs()
	require.NoError(x, err)
	term := atTerminal(x.T, x.command(filepath.Join(built, "council"), "setup"))
	at := 0
	for _, answer := range x.Answers {
		switch {
		case answer == "SIGHUP":
			term.waitFor("] ", at)
			require.NoError(x, term.cmd.Process.Signal(syscall.SIGHUP))
			continue
		case strings.HasPrefix(answer, "^C after"):
			term.waitFor("Ctrl-C ends it", at)
			require.Eventually(x, func() bool { return exists(filepath.Join(x.bin, "claude.calls")) }, time.Minute, 5*time.Millisecond)
			answer = "\x03"
			_, err := term.master.WriteString(answer)
			require.NoError(x, err)
			continue
		case answer == "<enter>":
			answer = "\r"
		case answer != "\x03" && answer != "\x04":
			answer = strings.TrimSuffix(answer, "\r") + "\r"
		}
		asked := false
		if at, asked = term.answer(at, answer); !asked {
			break
		}
	}
	code := term.code()
	x.shown = term.screen()
	return code
}

func (x *terminal) waitFor(text string, from int) {
	x.Helper()
	require.Eventually(x, func() bool { return strings.Contains(x.screen()[min(from, len(x.screen())):], text) }, time.Minute, 5*time.Millisecond, "%s: %s", text, x.screen())
}

func (x *setUp) checkExit(code, n int) {
	x.Helper()
	switch want := x.Exit; {
	case want == "0" || want == "130":
		require.Equal(x, want, fmt.Sprint(code), x.shown)
	case want == "nonzero":
		require.NotZero(x, code, x.shown)
	case strings.HasPrefix(want, "0 for the first three"):
		if n < 3 {
			require.Zero(x, code, x.shown)
		}
	case strings.HasPrefix(want, "0 for the first, any"):
		require.Equal(x, n == 0 || (n == 1 || n == 3) && code == 0, code == 0, "%d: %s", n, x.shown)
	case strings.HasPrefix(want, "nonzero where refused"):
		require.Equal(x, x.state() == "none", code != 0, x.shown)
	default:
		require.Equal(x, "any", want)
	}
}

// checkScreen looks for the words of the case.
func (x *setUp) checkScreen() {
	x.Helper()
	escapes := regexp.MustCompile("\x1b\\[[0-9;?]*[a-zA-Z]")
	shown := strings.ToLower(strings.Join(strings.Fields(escapes.ReplaceAllString(x.shown, "")), " "))
	for _, words := range x.Screen {
		words = strings.ReplaceAll(words, "--budget", "--max-usd")
		words = strings.Join(strings.Fields(strings.ToLower(regexp.MustCompile("^CONFIG$").ReplaceAllLiteralString(words, x.config))), " ")
		if strings.HasPrefix(words, "<") {
			continue
		}
		if absent, is := strings.CutPrefix(words, "not: "); is {
			require.NotContains(x, shown, absent)
			continue
		}
		require.True(x, slices.ContainsFunc(strings.Split(words, "|"), func(w string) bool {
			return strings.Contains(shown, w) || strings.Contains(strings.ReplaceAll(shown, `\"`, `"`), w)
		}), "%q is not in: %s", words, x.shown)
	}
	require.NotContains(x, x.shown, "\x07")
}

// after is what config_after says in a form that can be looked at.
type after struct {
	Seats         []string
	USD           *float64 `yaml:"budget_usd"`
	Notifications string
	OneOf         []any    `yaml:"one_of"`
	ByCase        []string `yaml:"by_case"`
	Raw           string
}

func (x *setUp) checkConfig(n int) {
	x.Helper()
	text, _ := os.ReadFile(x.config)
	if x.After.Kind == yaml.ScalarNode {
		switch x.After.Value {
		case "none":
			require.NoFileExists(x, x.config, x.shown)
			require.Equal(x, x.before, x.state())
		case "unchanged":
			require.Equal(x, x.before, x.state(), x.shown)
		default:
			require.Contains(x, x.Name, "in-session")
		}
		return
	}
	var want after
	require.NoError(x, x.After.Decode(&want))
	if len(want.OneOf) > 0 || len(want.ByCase) > 0 {
		x.either(n, string(text))
		return
	}
	x.holds(string(text), want)
	if check := x.raw()[x.Name]; check != nil {
		check(string(text))
	}
}

// holds looks at what a configuration says by its meanings.
func (x *setUp) holds(text string, want after) {
	x.Helper()
	var is struct {
		Seats  []string
		Limits struct{ USD float64 }
		Notify struct{ Desktop string }
	}
	require.NoError(x, yaml.Unmarshal([]byte(text), &is), text)
	if want.Seats != nil {
		require.ElementsMatch(x, want.Seats, is.Seats, x.shown)
	}
	if want.USD != nil {
		require.InDelta(x, *want.USD, is.Limits.USD, 1e-9, x.shown)
	}
	if want.Notifications == "on" {
		require.NotEqual(x, "off", is.Notify.Desktop)
	}
}

// either are the cases that leave a choice: all is as it was, or it was done whole.
func (x *setUp) either(n int, text string) {
	x.Helper()
	switch {
	case x.Name == "config-variable-odd":
		require.NoDirExists(x, filepath.Join(x.cwd, "~"))
		require.NoDirExists(x, "/nonexistent")
		if n == 0 {
			text, err := os.ReadFile(filepath.Join(x.home, ".config", "research-council", "config.yaml"))
			require.NoError(x, err, x.shown)
			x.holds(string(text), after{Seats: []string{"claude"}})
		}
	case x.Name == "budget-spellings" && n < 3:
		five := 5.0
		x.holds(text, after{USD: &five})
	case x.before == x.state():
	default:
		require.NotContains(x, text, "500", x.shown)
		require.NotContains(x, text, "evil")
		want := []string{"claude"}
		if strings.Contains(x.Name, "anchors") {
			want = append(want, "codex")
			require.Contains(x, text, "*s")
		}
		x.holds(text, after{Seats: want})
	}
}

// raw are what cases say in words of the text.
func (x *setUp) raw() map[string]func(text string) {
	is := func(want string) func(string) {
		return func(text string) { require.Equal(x, want, text) }
	}
	return map[string]func(text string){
		"existing-with-comments":          is(strings.Replace(x.Before.Config, "usd: 3 ", "usd: 5 ", 1)),
		"existing-crlf-bom":               is("\xef\xbb\xbf# council\r\nseats:\r\n  - claude\r\n  - codex\r\nlimits:\r\n  usd: 20\r\n"),
		"existing-no-newline-at-end":      is("seats: [claude]\nlimits:\n  usd: 5\n"),
		"existing-empty-or-only-comments": func(text string) { require.True(x, strings.HasPrefix(text, x.Before.Config)) },
		"existing-unknown-key":            func(text string) { require.Contains(x, text, "\nbugdet: 3\n") },
		"existing-seat-that-is-gone":      func(text string) { require.Contains(x, text, "gemini") },
		"existing-symlink-into-dotfiles": func(text string) {
			target, err := os.Readlink(x.config)
			require.NoError(x, err)
			require.Equal(x, "../../dotfiles/council.yaml", target)
			require.True(x, strings.HasPrefix(text, "# in git\n"))
		},
		"existing-mode-kept": func(string) {
			info, err := os.Stat(x.config)
			require.NoError(x, err)
			require.Equal(x, fs.FileMode(0o640), info.Mode())
		},
		"config-variable-elsewhere": func(string) { require.NoDirExists(x, filepath.Join(x.home, ".config")) },
		"xdg-config-home":           func(string) { require.NoDirExists(x, filepath.Join(x.home, ".config")) },
		"asked-own-values":          func(string) { x.settings(is("{}")) },
		"status-line-yes": func(string) {
			x.settings(func(text string) { require.Contains(x, text, `--wrap 'sl.sh'`) })
		},
		"home-with-space-quote-non-ascii": func(string) {
			data, err := os.ReadFile(filepath.Join(x.home, ".claude", "settings.json"))
			require.NoError(x, err)
			var s struct{ StatusLine struct{ Command string } }
			require.NoError(x, json.Unmarshal(data, &s))
			cmd := x.command("sh", "-c", s.StatusLine.Command)
			cmd.Stdin = strings.NewReader(`{"session_id":"a","workspace":{"project_dir":"/"}}`)
			out, err := cmd.CombinedOutput()
			require.NoError(x, err, string(out))
		},
	}
}

func (x *setUp) settings(check func(string)) {
	text, err := os.ReadFile(filepath.Join(x.home, ".claude", "settings.json"))
	require.NoError(x, err)
	check(string(text))
}

// fullDisk has the configuration lie on a file system without room.
func (x *setUp) fullDisk() int {
	if exec.Command("unshare", "-m", "true").Run() != nil {
		x.Skip("nothing can be mounted here")
	}
	dir := filepath.Dir(x.config)
	script := `mount -t tmpfs -o size=64k tmpfs '` + dir + `' && printf '# mine\nseats: [claude]\n' >'` + x.config + `' && head -c 1000000 /dev/zero >'` + dir + `/rest' 2>/dev/null; ` + x.line() + `; rc=$?; cmp -s '` + x.config + `' '` + x.root + `/was' || rc=99; exit $rc`
	require.NoError(x, os.WriteFile(filepath.Join(x.root, "was"), []byte(x.Before.Config), 0o600))
	cmd := x.command("unshare", "-m", "sh", "-c", script)
	out, err := cmd.CombinedOutput()
	x.shown = string(out)
	require.Error(x, err)
	require.NotEqual(x, 99, cmd.ProcessState.ExitCode(), "the old text is whole: %s", out)
	return cmd.ProcessState.ExitCode()
}

// killed kills it at any moment: the text is the old one or the new one, and another
// setup ends with nothing beside it.
func (x *setUp) killed() {
	built, err := programs()
	require.NoError(x, err)
	was := x.Before.Config
	for n := range 12 {
		cmd := x.command(filepath.Join(built, "council"), "setup", "--no-try", "--yes", "--max-usd", fmt.Sprint(n+1))
		require.NoError(x, cmd.Start())
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-done:
		case <-time.After(time.Duration(n*40) * time.Millisecond):
			_ = cmd.Process.Kill()
			<-done
		}
		text, err := os.ReadFile(x.config)
		require.NoError(x, err)
		if string(text) != was {
			require.Equal(x, fmt.Sprintf("# mine\nseats: [claude]\nlimits:\n  usd: %d\n", n+1), string(text))
		}
		was = string(text)
	}
	require.Zero(x, x.typedLine(strings.TrimSpace(x.line())+" --no-try"), x.shown)
	entries, err := os.ReadDir(filepath.Dir(x.config))
	require.NoError(x, err)
	require.Len(x, entries, 1)
}

// twice runs two at the same time.
func (x *setUp) twice() {
	built, err := programs()
	require.NoError(x, err)
	ended := make(chan int, 2)
	for _, usd := range []string{"5", "6"} {
		cmd := x.command(filepath.Join(built, "council"), "setup", "--no-try", "--yes", "--max-usd", usd)
		go func() {
			_ = cmd.Run() // how it ended is looked at below
			ended <- cmd.ProcessState.ExitCode()
		}()
	}
	require.Contains(x, []int{<-ended, <-ended}, 0)
	text, err := os.ReadFile(x.config)
	require.NoError(x, err)
	require.Regexp(x, `^# mine\nseats: \[claude\]\nlimits:\n  usd: [56]\n$`, string(text))
}
