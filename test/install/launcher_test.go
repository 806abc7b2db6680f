// Package install_test installs the plugin as its users do, and starts what was
// installed.
package install_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/internal/base/proc/proctest"
)

// table is testdata/launcher.yaml, whose legend says what its words mean.
type table struct {
	Prelude string
	Events  map[string]string
	Cases   []launcherCase
}

type launcherCase struct {
	Name      string
	Needs     []string
	Setup     string
	Env       map[string]*string
	Plugin    string               `yaml:"plugin_name"`
	Plugin64  string               `yaml:"plugin_name_b64"`
	EachEvent []string             `yaml:"each_event"`
	EachEnv   []map[string]*string `yaml:"each_env"`
	EachArgs  [][]string           `yaml:"each_args"`
	EachCall  []launcherCall       `yaml:"each_call"`
	EachStdin []string             `yaml:"each_stdin"`
	EachName  []string             `yaml:"each_plugin_name"`
	EachData  []string             `yaml:"each_data_name"`
	Call      launcherCall
	Expect    expectation
}

type launcherCall struct {
	Launcher, Program, Event, Cwd, Stdout, As, Then string
	Stdin                                           *string
	Generated                                       string `yaml:"stdin_gen"`
	Hooks                                           string `yaml:"from_hooks_json"`
	Args, Argv                                      []string
	Env                                             map[string]*string
	Parallel                                        int
}

type expectation struct {
	Exit, Stdout, Stderr, Ran string
	Path                      string        `yaml:"ran_path"`
	OneOf                     []expectation `yaml:"one_of"`
}

// notHeld are cases that are not made tests of, and why.
var notHeld = map[string]string{
	"release-archive-hook-named-directly": "release_test.go unpacks the real archive",
	"launcher-itself-without-x-bit":       "hooks.json names the launcher, not sh: who reads the file without its args would have sh read the event as a script (ADR 35)",
	"windows-line-ends-checkout":          "checkout_test.go clones the repository",
	"checkout-keeps-launcher-modes":       "checkout_test.go clones the repository",
}

// triple is the platform of this machine in the names of binaries.
var triple, other = func() (string, string) {
	list := []string{"x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"}
	if runtime.GOARCH == "arm64" {
		slices.Reverse(list)
	}
	return list[0], list[1]
}()

// ran builds the program that the launchers start, once.
var ran = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ran")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "ran")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", bin, "./testdata/ran")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return bin, os.Chmod(dir, 0o755)
})

func TestMain(m *testing.M) {
	code := m.Run()
	if bin, err := ran(); err == nil {
		_ = os.RemoveAll(filepath.Dir(bin))
	}
	os.Exit(code)
}

func TestTheLaunchersAreOneText(t *testing.T) {
	one, err := os.ReadFile("../../bin/council")
	require.NoError(t, err)
	two, err := os.ReadFile("../../bin/council-hook")
	require.NoError(t, err)
	require.Equal(t, string(one), string(two))
	for _, shell := range []string{"dash", "bash", "busybox", "zsh", "ksh"} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Log("without", shell)
		}
	}
}

// TestLaunchers goes through the table with the system's sh, and with busybox's
// where that is installed.
func TestLaunchers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the program of the cases is looked up in /proc")
	}
	data, err := os.ReadFile("testdata/launcher.yaml")
	require.NoError(t, err)
	var file table
	require.NoError(t, yaml.Unmarshal(data, &file))
	require.Greater(t, len(file.Cases), 90)
	shells := [][]string{nil}
	if path, err := exec.LookPath("busybox"); err == nil {
		if exec.Command(path, "sh", "-c", "PATH=/nowhere; uname").Run() == nil {
			t.Log("this busybox runs programs of its own before those that stand in for them on the PATH: not tried with it")
		} else {
			shells = append(shells, []string{path, "sh"})
		}
	}
	for _, shell := range shells {
		for _, c := range file.Cases {
			t.Run(strings.Join(append([]string{c.Name}, shell...), " "), func(t *testing.T) {
				t.Parallel()
				if why, is := notHeld[c.Name]; is {
					t.Skip(why)
				}
				for n, one := range c.each() {
					x := newTry(t, file, one)
					x.shell = shell
					if !x.run() {
						t.Errorf("case %d of %d: event %q, env %v, args %q, plugin %q", n+1, len(c.each()), one.Call.Event, one.Env, one.Call.Argv, filepath.Base(x.plugin))
					}
				}
			})
		}
	}
}

// each is the product of a case's lists: a case for each of their items.
func (c launcherCase) each() []launcherCase {
	list := []launcherCase{c}
	list = product(list, c.EachEvent, func(c *launcherCase, event string) { c.Call.Event = event })
	list = product(list, c.EachEnv, func(c *launcherCase, env map[string]*string) { c.Env = joined(c.Env, env) })
	list = product(list, c.EachArgs, func(c *launcherCase, args []string) { c.Call.Args = args })
	list = product(list, c.EachCall, func(c *launcherCase, call launcherCall) { c.Call, c.Env = call, joined(c.Env, call.Env) })
	list = product(list, c.EachStdin, func(c *launcherCase, stdin string) { c.Call.Stdin = &stdin })
	list = product(list, c.EachName, func(c *launcherCase, name string) { c.Plugin = name })
	list = product(list, c.EachData, func(c *launcherCase, name string) { c.Env = joined(c.Env, map[string]*string{"DATA_NAME": &name}) })
	return list
}

func product[T any](cases []launcherCase, list []T, set func(*launcherCase, T)) []launcherCase {
	if list == nil {
		return cases
	}
	var all []launcherCase
	for _, c := range cases {
		for _, item := range list {
			one := c
			set(&one, item)
			all = append(all, one)
		}
	}
	return all
}

func joined(a, b map[string]*string) map[string]*string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]*string{}
	}
	maps.Copy(all, b)
	return all
}

// try is one call in folders of its own.
type try struct {
	*testing.T
	launcherCase
	file                    table
	shell                   []string
	root, plugin, data, bin string
}

func newTry(t *testing.T, file table, c launcherCase) *try {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	bin, err := ran()
	require.NoError(t, err)
	name := c.Plugin
	if c.Plugin64 != "" {
		raw, err := base64.StdEncoding.DecodeString(c.Plugin64)
		require.NoError(t, err)
		name = string(raw)
	}
	if name == "" {
		name = "plugin"
	}
	data := "data"
	if own, is := c.Env["DATA_NAME"]; is {
		data = *own
	}
	for dir := root; dir != filepath.Dir(dir) && strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		require.NoError(t, os.Chmod(dir, 0o755)) // another user is to come by
	}
	return &try{T: t, launcherCase: c, file: file, root: root, plugin: filepath.Join(root, name), data: filepath.Join(root, data), bin: bin}
}

func (x *try) needs(what string) bool { return slices.Contains(x.Needs, what) }

// placed puts the folders into a word of the table.
func (x *try) placed(word string) string {
	word = strings.ReplaceAll(strings.ReplaceAll(word, "TRIPLE", triple), "$HOME/", x.root+"/home/")
	for name, dir := range map[string]string{"PLUGIN": x.plugin, "DATA": x.data, "T": x.root} {
		at := regexp.MustCompile(`(^|:)` + name + `(/|:|$)`)
		word = at.ReplaceAllString(word, "${1}"+strings.ReplaceAll(dir, "$", "$$")+"${2}")
	}
	return word
}

// environ is what the case's setup or call is given.
func (x *try) environ(call bool) []string {
	stubs := filepath.Join(x.root, "stubs")
	env := map[string]string{
		"HOME": filepath.Join(x.root, "home"), "CLAUDE_PLUGIN_ROOT": x.plugin, "CLAUDE_PLUGIN_DATA": x.data, "LC_ALL": "C.UTF-8",
		"PATH": "/usr/local/bin:/usr/bin:/bin", "RANLOG": filepath.Join(x.root, "ranlog"),
	}
	if call {
		env["PATH"] = stubs + ":" + env["PATH"]
	} else {
		launchers, err := filepath.Abs("../../bin")
		require.NoError(x, err)
		maps.Copy(env, map[string]string{
			"PLUGIN": x.plugin, "DATA": x.data, "BINARY": x.bin, "TRIPLE": triple, "OTHER": other, "LAUNCHERS": launchers, "STUBS": stubs, "T": x.root,
		})
	}
	for name, value := range x.Env {
		switch {
		case !call && name != "US" && name != "UM":
		case value == nil:
			delete(env, name)
		default:
			env[name] = x.placed(*value)
		}
	}
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	return list
}

// kebab is an event as hooks.json hands it over.
func kebab(event string) string {
	event, _, _ = strings.Cut(event, ".")
	return strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(event, "$1-$2"))
}

// argv is what the call starts.
func (x *try) argv() []string {
	c := x.Call
	hook := func() []string {
		if c.Event == "" {
			return []string{"stop"}
		}
		return []string{kebab(c.Event)}
	}
	if c.Argv != nil {
		var list []string
		for _, word := range c.Argv {
			list = append(list, x.placed(word))
		}
		if c.Event != "" {
			list = append(list, hook()...)
		}
		return list
	}
	if c.Program != "" {
		return append(slices.Concat(x.shell, []string{x.placed(c.Program)}), c.Args...)
	}
	launcher := filepath.Join(x.plugin, "bin", c.Launcher)
	if c.Hooks != "" {
		launcher = x.hookCommand()
	}
	list := append(slices.Concat(x.shell, []string{launcher}), c.Args...)
	if c.Launcher == "council-hook" || c.Hooks != "" {
		list = append(list, hook()...)
	}
	return list
}

// hookCommand is the program of hooks.json, with the plugin's folder put in.
func (x *try) hookCommand() string {
	data, err := os.ReadFile("../../hooks/hooks.json")
	require.NoError(x, err)
	h := gjson.GetBytes(data, "hooks.SessionStart.0.hooks.0")
	require.Equal(x, "session-start", h.Get("args.0").Str)
	return strings.ReplaceAll(h.Get("command").Str, "${CLAUDE_PLUGIN_ROOT}", x.plugin)
}

// outcome is what came of a call.
type outcome struct {
	out, errs string
	code      int
	took      time.Duration
	pid       int
}

// run lays the case down, makes its calls, and holds them to what is expected.
func (x *try) run() bool {
	x.Helper()
	for _, need := range x.Needs {
		switch need {
		case "name-only":
			if x.Expect.OneOf == nil {
				return x.named()
			}
		case "darwin":
			return true
		case "mount":
			if exec.Command("unshare", "-m", "true").Run() != nil {
				x.Skip("nothing can be mounted here")
			}
		case "git", "bash":
			if _, err := exec.LookPath(need); err != nil {
				x.Skip("there is no", need)
			}
		}
	}
	if x.needs("nonroot") && os.Getuid() == 0 {
		for _, at := range []string{x.root} {
			require.NoError(x, os.Chown(at, nobody, nobody))
		}
	}
	if len(x.Call.Argv) > 0 && !strings.Contains(x.Call.Argv[0], "/") && x.Call.Argv[0] != "council" {
		if _, err := exec.LookPath(x.Call.Argv[0]); err != nil {
			x.Log("without", x.Call.Argv[0])
			return true
		}
	}
	if !x.needs("mount") {
		setup := x.command("sh", "-c", x.file.Prelude+"\n"+x.Setup)
		setup.Env = x.environ(false)
		out, err := setup.CombinedOutput()
		require.NoError(x, err, string(out))
	}
	before := owners(x.root)
	calls := max(x.Call.Parallel, 1)
	results := make(chan outcome, calls)
	for range calls {
		go func() { results <- x.call() }()
	}
	ok := true
	for range calls {
		ok = x.check(<-results, calls) && ok
	}
	for _, trap := range []string{"net", "pwned", "env-ran", "wrong-council"} {
		ok = assertf(x, !exists(filepath.Join(x.root, trap)), "%s was made", trap) && ok
	}
	left, err := os.ReadDir(filepath.Join(x.root, "cwd"))
	ok = assertf(x, err != nil || len(left) == 0 || x.Name == "data-relative-with-planted-binary", "something was laid into the working directory") && ok
	if x.Call.As == "root" {
		ok = assertf(x, maps.Equal(before, owners(x.root)), "files changed hands") && ok
	}
	return x.afterwards() && ok
}

const nobody = 65534

func (x *try) command(argv ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(x.Context(), time.Minute)
	x.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.WaitDelay = x.root, time.Second
	if x.needs("nonroot") && !x.needs("mount") && os.Getuid() == 0 {
		cmd.SysProcAttr = proctest.As(nobody)
	}
	return cmd
}

// call makes the call once. A working directory that is gone or shut is entered
// first; what is mounted is mounted for this process alone.
func (x *try) call() outcome {
	argv, dir := append([]string{"sh"}, x.argv()...), filepath.Join(x.root, "cwd")
	if cwd := x.Call.Cwd; cwd != "" && !strings.Contains(cwd, ",") {
		dir = x.placed(cwd)
	}
	enter := `cd "$1" && shift && exec "$@"`
	switch {
	case strings.HasPrefix(x.Call.Cwd, "T/gone"):
		enter, dir = `/bin/mkdir "$1" && cd "$1" && /bin/rmdir "$1" && shift && exec "$@"`, filepath.Join(x.root, "gone")
	case strings.HasPrefix(x.Call.Cwd, "T/locked"):
		enter, dir = `cd "$1" && /bin/chmod 000 "$1" && shift && exec "$@"`, filepath.Join(x.root, "locked")
	}
	if x.Call.Stdout != "" {
		enter = strings.Replace(enter, `"$@"`, `"$@" >&-`, 1)
	}
	if x.Call.Stdin != nil && strings.HasPrefix(*x.Call.Stdin, "closed") {
		enter = strings.Replace(enter, `"$@"`, `"$@" <&-`, 1)
	}
	argv[0] = dir
	cmd := x.command(append([]string{"sh", "-c", enter, "sh"}, argv...)...)
	cmd.Env = x.environ(true)
	if x.needs("mount") {
		script := exports(x.environ(false)) + "{ " + x.file.Prelude + "\n" + x.Setup + "\n} >/dev/null\n" + exports(x.environ(true)) + enter
		cmd = x.command(append([]string{"unshare", "-m", "sh", "-c", script, "sh"}, argv...)...)
	}
	stdin, err := cmd.StdinPipe()
	require.NoError(x, err)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	require.NoError(x, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(stdin, bytes.NewReader(x.stdin())) // who does not read it need not
		if strings.Contains(x.Call.Generated, "open") {
			<-ended
		}
		_ = stdin.Close()
	}()
	if x.Call.Then != "" {
		require.Eventually(x, func() bool { return exists(filepath.Join(x.root, "ranlog.stdin")) }, 10*time.Second, time.Millisecond)
		require.NoError(x, cmd.Process.Signal(syscall.SIGTERM))
	}
	process := cmd.Process
	state, err := process.Wait()
	close(ended)
	require.NoError(x, err)
	_ = cmd.Wait()                                                                                   // the copying of streams; the process has been waited for
	said := strings.TrimPrefix(errs.String(), "sh: 0: getcwd() failed: No such file or directory\n") // dash itself, before it reads a line
	return outcome{out.String(), said, state.ExitCode(), time.Since(began), process.Pid}
}

// exports are shell lines that set an environment.
func exports(environ []string) string {
	var lines strings.Builder
	for _, each := range environ {
		name, value, _ := strings.Cut(each, "=")
		lines.WriteString("export " + name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'\n")
	}
	return lines.String()
}

func (x *try) stdin() []byte {
	switch c := x.Call; {
	case strings.Contains(c.Generated, "5 MiB"):
		content, err := json.Marshal(strings.Repeat("aé\n\"", 1<<20))
		require.NoError(x, err)
		return []byte(`{"hook_event_name":"PostToolUse","tool_response":{"content":` + string(content) + `}}`)
	case c.Generated != "":
		return []byte(x.file.Events["PreToolUse"])
	case c.Stdin != nil && (*c.Stdin == "/dev/null" || strings.HasPrefix(*c.Stdin, "closed")):
		return nil
	case c.Stdin != nil:
		return []byte(*c.Stdin)
	default:
		return []byte(x.file.Events[c.Event])
	}
}

// check holds an outcome to one of the expectations; where none fits it reports
// the first.
func (x *try) check(o outcome, calls int) bool {
	x.Helper()
	list := x.Expect.OneOf
	if list == nil {
		list = []expectation{x.Expect}
	}
	var wrong []error
	for _, e := range list {
		err := x.fits(o, e, calls)
		if err == nil {
			return true
		}
		wrong = append(wrong, err)
	}
	x.Errorf("%v\nexit %d, stdout %q, stderr %q", errors.Join(wrong...), o.code, o.out, o.errs)
	return false
}

func (x *try) fits(o outcome, e expectation, calls int) error {
	lines := 0
	var path string
	if log, err := os.ReadFile(filepath.Join(x.root, "ranlog")); err == nil {
		lines = bytes.Count(log, []byte("\n"))
		first, _, _ := strings.Cut(string(log), "\t")
		path, _ = strconv.Unquote(first)
		if fields := strings.Split(strings.TrimSpace(string(log)), "\t"); x.Name == "exec-no-shell-left-between" && fields[1] != strconv.Itoa(o.pid) {
			return errors.New("a shell stands between")
		}
	}
	switch word, _, _ := strings.Cut(e.Ran, ","); {
	case word == "yes" && calls == 1 && lines != 1:
		return fmt.Errorf("the program ran %d times", lines)
	case word == "no" && lines > 0:
		return errors.New("the program ran: " + path)
	}
	if e.Path != "" && calls == 1 {
		want := x.placed(strings.ReplaceAll(strings.ReplaceAll(e.Path, " of BINARY", ""), "SHA16", x.sha16()))
		if real, err := filepath.EvalSymlinks(want); err == nil {
			want = real
		}
		if path != want {
			return fmt.Errorf("it ran from %s, not %s", path, want)
		}
	}
	if !strings.HasPrefix(e.Ran, "yes") && o.took > 20*time.Second {
		return errors.New("it took too long")
	}
	for got, want := range map[string]string{o.out: "stdout " + e.Stdout, o.errs: "stderr " + e.Stderr} {
		if err := x.says(got, want); err != nil {
			return err
		}
	}
	switch want, _, _ := strings.Cut(e.Exit, " "); want {
	case "nonzero":
		if o.code == 0 || o.code == 2 {
			return fmt.Errorf("exit %d", o.code)
		}
	case "by":
	default:
		if strconv.Itoa(o.code) != want {
			return fmt.Errorf("exit %d", o.code)
		}
	}
	return nil
}

func (x *try) sha16() string {
	data, err := os.ReadFile(x.bin)
	require.NoError(x, err)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// says compares what a stream has with a word of the legend.
func (x *try) says(got, want string) error {
	stream, word, _ := strings.Cut(want, " ")
	if strings.HasPrefix(word, "SYSTEMMESSAGE for SessionStart") {
		word = "EMPTY"
		if x.Call.Event == "SessionStart" {
			word = "SYSTEMMESSAGE"
		}
	}
	word = strings.TrimSuffix(word, " for all 20")
	program := map[string]string{"stdout": "OUT-OF-BINARY\n", "stderr": ""}[stream]
	if own := x.Env["RAN_STDERR"]; stream == "stderr" && own != nil {
		program = *own
	}
	ok := true
	switch word {
	case "ANY", "":
	case "EMPTY":
		ok = got == ""
	case "BINARY":
		ok = got == program
	case "SYSTEMMESSAGE":
		return systemMessage(got)
	case "HINT":
		ok = got != ""
		for _, raw := range []string{"not found", "Permission denied", "syntax error", "cannot execute", "line 12:"} {
			ok = ok && !strings.Contains(got, raw)
		}
	default:
		ok = strings.TrimSpace(got) == word
	}
	if !ok {
		return fmt.Errorf("%s is not %s", stream, word)
	}
	return nil
}

func systemMessage(got string) error {
	var object map[string]any
	if err := json.Unmarshal([]byte(got), &object); err != nil {
		return fmt.Errorf("stdout is no JSON: %w", err)
	}
	line, _ := object["systemMessage"].(string)
	if len(object) != 1 || !strings.HasPrefix(line, "research-council: ") || len([]rune(line)) > 300 || strings.ContainsAny(line, "\r\n") || strings.Count(got, "\n") != 1 {
		return fmt.Errorf("stdout is not one line that is shown: %s", got)
	}
	return nil
}

// afterwards looks at what single cases say in words.
func (x *try) afterwards() bool {
	x.Helper()
	mode := func() string {
		info, err := os.Stat(filepath.Join(x.plugin, "bin", "council-hook-"+triple))
		require.NoError(x, err)
		return fmt.Sprintf("%o", info.Mode().Perm())
	}
	recorded := func(ending string) string {
		data, err := os.ReadFile(filepath.Join(x.root, "ranlog."+ending))
		require.NoError(x, err)
		return string(data)
	}
	switch x.Name {
	case "x-bit-missing-repaired":
		return assertf(x, mode() == "755", "mode %s", mode())
	case "x-bit-missing-owner-only-mode":
		return assertf(x, mode() == "700", "mode %s", mode())
	case "x-bit-missing-and-damaged":
		return assertf(x, mode() == "644", "mode %s", mode())
	case "release-binary-session-start", "stdin-large":
		return assertf(x, recorded("stdin") == string(x.stdin()), "stdin was changed on its way")
	case "cli-arguments-verbatim":
		_, rest, _ := strings.Cut(recorded("argv"), "\x00")
		return assertf(x, rest == strings.Join(x.Call.Args, "\x00")+"\x00", "arguments: %q", rest)
	case "twenty-sessions-at-once":
		log, err := os.ReadFile(filepath.Join(x.root, "ranlog"))
		require.NoError(x, err)
		return assertf(x, bytes.Count(log, []byte("\n")) == 20, "it ran %d times", bytes.Count(log, []byte("\n")))
	}
	return true
}

// named is a case of another machine, whose program cannot be run here: the line
// for a person names the file that was looked for.
func (x *try) named() bool {
	x.Setup += "\nrm -f \"$PLUGIN\"/bin/council-*-*-*\n"
	x.Needs, x.Name = nil, x.Name+" (named)"
	x.Call = launcherCall{Launcher: "council", Args: []string{"version"}}
	of := regexp.MustCompile(`uname_is (\S+) (\S+);`).FindStringSubmatch(x.Setup)
	require.Len(x, of, 3, x.Setup)
	want := map[string]string{"Linux": "unknown-linux-musl", "Darwin": "apple-darwin"}[of[1]]
	want = map[string]string{"x86_64": "x86_64-", "amd64": "x86_64-", "arm64": "aarch64-", "aarch64": "aarch64-"}[of[2]] + want
	x.Expect = expectation{Exit: "127", Stdout: "EMPTY", Stderr: "research-council: its program for " + want + " is not there"}
	setup := x.command("sh", "-c", x.file.Prelude+"\n"+x.Setup)
	setup.Env = x.environ(false)
	out, err := setup.CombinedOutput()
	require.NoError(x, err, string(out))
	o := x.call()
	return assertf(x, o.code == 127 && strings.HasPrefix(o.errs, x.Expect.Stderr), "exit %d, %q", o.code, o.errs)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// owners are those of all files below a folder.
func owners(dir string) map[string]uint32 {
	all := map[string]uint32{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil && !strings.HasPrefix(d.Name(), "ranlog") {
			all[path] = proctest.Owner(info)
		}
		return nil
	})
	return all
}

func assertf(t *try, ok bool, format string, args ...any) bool {
	t.Helper()
	if !ok {
		t.Errorf(format, args...)
	}
	return ok
}

// In a shell of Unix' on Windows the program is NAME.exe. What stands for it here is
// no program of Windows, but what a shell runs.
func TestTheLauncherFindsAProgramOfWindows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a plugin")
	bin, stubs := filepath.Join(dir, "bin"), filepath.Join(dir, "stubs")
	for _, folder := range []string{bin, stubs} {
		require.NoError(t, os.MkdirAll(folder, 0o755))
	}
	must(t, "cp", "../../bin/council-hook", bin)
	program := []byte("MZ=1\necho \"ran $*\"\n")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "council-hook.exe"), program, 0o755))
	for _, system := range []string{"MINGW64_NT-10.0-22631 x86_64", "MSYS_NT-10.0-19045 x86_64", "CYGWIN_NT-10.0 x86_64", "MINGW64_NT-10.0-26100 aarch64"} {
		require.NoError(t, os.WriteFile(filepath.Join(stubs, "uname"), []byte("#!/bin/sh\necho '"+system+"'\n"), 0o755))
		for sums, want := range map[string]string{
			"": "ran stop now\n",
			fmt.Sprintf("%x  council-hook.exe\n", sha256.Sum256(program)): "ran stop now\n",
			fmt.Sprintf("%x  council-hook.exe\n", sha256.Sum256(nil)):     "",
		} {
			manifest := filepath.Join(bin, "SHA256SUMS")
			require.NoError(t, os.RemoveAll(manifest))
			if sums != "" {
				require.NoError(t, os.WriteFile(manifest, []byte(sums), 0o644))
			}
			cmd := exec.Command(filepath.Join(bin, "council-hook"), "stop", "now")
			cmd.Env = append(os.Environ(), "PATH="+stubs+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			require.NoError(t, err)
			require.Equal(t, want, string(out), "%s, %q", system, sums)
		}
	}
}
