package install_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/internal/base/proc/proctest"
)

// takenOut is a case of testdata/uninstall.yaml. What stood there before is told in
// words, so that its state is made here.
type takenOut struct {
	Name, Run, Exit, Held string
	Needs, Answers        []string
	Screen                []string
}

// machine is a home with everything the program may leave there.
type machine struct {
	*home
	settings, data, config string
	original               string            // of the settings
	clean                  map[string]string // what the home is without us
	copies                 []string
}

const ownSettings = `{"statusLine":{"type":"command","command":"sl.sh"},"model":"opus"}` + "\n"

// newMachine is a home as a person has it, with runs of theirs.
func newMachine(t *testing.T) *machine {
	m := &machine{home: newHome(t), original: ownSettings}
	m.settings = filepath.Join(m.root, ".claude", "settings.json")
	m.data = filepath.Join(m.root, ".claude", "plugins", "data", "research-council-market")
	m.config = filepath.Join(m.root, ".config", "research-council", "config.yaml")
	m.env = slices.DeleteFunc(m.env, func(e string) bool { return strings.HasPrefix(e, "CLAUDE_PLUGIN_DATA=") })
	m.env = append(m.env, "CLAUDE_PLUGIN_DATA="+m.data)
	require.NoError(t, os.Remove(m.config))
	for _, id := range []string{"20260222-143000-a1b2c3", "20260223-143000-a1b2c3"} {
		m.put(filepath.Join(m.project, "research", id, "final-report.md"), "# A report\n")
	}
	m.put(filepath.Join(m.root, "Documents", "letter.txt"), "Dear\n")
	return m
}

func (m *machine) put(path, text string) {
	require.NoError(m, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(m, os.WriteFile(path, []byte(text), 0o600))
}

// install is all that can be there: the state full_install of the legend.
func (m *machine) install() {
	m.put(m.settings, m.original)
	m.clean = m.files()
	m.council(m.program(), "statusline", "--install")
	built, err := programs()
	require.NoError(m, err)
	for _, more := range []string{"", "\x00"} { // two releases
		m.copies = append(m.copies, m.makeCopy(built, more))
	}
	m.put(m.config, "# mine\nseats: [claude]\n")
	for shell, place := range map[string]string{"bash": ".local/share/bash-completion/completions/council", "zsh": ".zfunc/_council", "fish": ".config/fish/completions/council.fish"} {
		cmd := exec.Command(m.program(), "completion", shell)
		cmd.Env = m.env
		text, err := cmd.Output()
		require.NoError(m, err)
		m.put(filepath.Join(m.root, place), string(text))
	}
	m.put(filepath.Join(m.root, ".local/state/research-council/trusted-runs"), "x\n")
	m.put(filepath.Join(m.root, ".local/state/research-council/loops/claude-abc"), "x\n")
}

func (m *machine) program() string { return filepath.Join(m.plugin, "bin", "council") }

// makeCopy is a copy of the programs as a run makes it.
func (m *machine) makeCopy(built, more string) string {
	council, err := os.ReadFile(filepath.Join(built, "council"))
	require.NoError(m, err)
	council = append(council, more...)
	sum := sha256.Sum256(council)
	dir := filepath.Join(m.data, "bin", hex.EncodeToString(sum[:8]))
	require.NoError(m, os.MkdirAll(dir, 0o700))
	require.NoError(m, os.WriteFile(filepath.Join(dir, "council"), council, 0o755))
	hook, err := os.ReadFile(filepath.Join(built, "council-hook"))
	require.NoError(m, err)
	require.NoError(m, os.WriteFile(filepath.Join(dir, "council-hook"), hook, 0o755))
	m.put(filepath.Join(m.data, "bin", ".lock"), "")
	return dir
}

// files are those of the home, with their modes and what is in them. The plugin's own
// folder is the host's.
func (m *machine) files() map[string]string {
	all := map[string]string{}
	require.NoError(m, filepath.WalkDir(m.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == m.plugin {
			return fs.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		require.NoError(m, err)
		target, _ := os.Readlink(path)
		data := []byte(nil)
		if info.Mode().IsRegular() {
			data, err = os.ReadFile(path)
			require.NoError(m, err)
		}
		sum := sha256.Sum256(data)
		rel, err := filepath.Rel(m.root, path)
		require.NoError(m, err)
		all[rel] = fmt.Sprintf("%v %s %x", info.Mode(), target, sum[:6])
		return nil
	}))
	return all
}

// state is what a case is about.
type state struct {
	change func(m *machine)          // after everything is there
	first  func(m *machine)          // before it
	as     bool                      // all stays as it was
	stays  func(m *machine) []string // what stays of ours, from the home
	also   func(m *machine, shown string)
}

func at(paths ...string) func(*machine) []string { return func(*machine) []string { return paths } }

func changed(old, text string) func(*machine) {
	return func(m *machine) {
		data, err := os.ReadFile(m.settings)
		require.NoError(m, err)
		m.put(m.settings, strings.Replace(string(data), old, text, 1))
	}
}

// states are those of the cases by name.
func states() map[string]state {
	settingsStay := at(".claude/settings.json")
	return map[string]state{
		"full-install-yes": {}, "full-install-asked": {}, "json-yes": {}, "run-through-launcher": {}, "schedule-tool-missing": {},
		"dry-run": {as: true}, "dry-run-with-yes": {as: true}, "json-dry-run": {as: true}, "json-without-yes": {as: true}, "no-terminal-no-yes": {as: true}, "answer-no-to-all": {as: true},
		"twice":                {},
		"interrupted-half-way": {as: true},
		"settings-other-key-added": {change: changed(`"model":"opus"`, `"model":"opus","theme":"dark"`), also: func(m *machine, _ string) {
			data, err := os.ReadFile(m.settings)
			require.NoError(m, err)
			require.Equal(m, strings.Replace(ownSettings, `"model":"opus"`, `"model":"opus","theme":"dark"`, 1), string(data))
		}, stays: settingsStay},
		"settings-status-line-replaced-by-hand": {change: func(m *machine) { m.put(m.settings, `{"statusLine":{"type":"command","command":"mine.sh"}}`) }, stays: settingsStay},
		"no-status-line-of-ours":                {change: func(m *machine) { m.put(m.settings, `{"statusLine":{"type":"command","command":"other.sh"}}`) }, stays: settingsStay},
		"settings-ours-inside-a-pipe": {change: func(m *machine) {
			m.put(m.settings, `{"statusLine":{"type":"command","command":"`+m.copies[0]+`/council statusline --wrap 'sl.sh' | lolcat"}}`)
		}, stays: func(m *machine) []string {
			return append(m.copyFiles(m.copies[0]), ".claude/settings.json", ".claude/plugins/data/research-council-market/bin/.lock")
		}},
		"settings-broken-json": {change: changed(`"model"`, `model"`), stays: settingsStay},
		"settings-crlf-bom": {first: func(m *machine) {
			m.original = "\xef\xbb\xbf{\r\n  \"statusLine\": {\"type\": \"command\", \"command\": \"sl.sh\"}\r\n}\r\n"
		}},
		"settings-with-comments": {change: changed(`{`, "// mine\n{"), stays: settingsStay},
		"only-status-line": {first: func(m *machine) {
			m.original = `{"statusLine":{"type":"command","command":"npx -y ccstatusline@latest"}}` + "\n"
		}},
		"settings-in-two-config-folders": {change: func(m *machine) {
			m.put(filepath.Join(m.root, ".claude-work", "settings.json"), `{"statusLine":{"type":"command","command":"`+"/opt/bin/council statusline"+`"}}`)
		}, stays: at(".claude-work/settings.json"), also: func(m *machine, _ string) {
			data, err := os.ReadFile(filepath.Join(m.root, ".claude-work", "settings.json"))
			require.NoError(m, err)
			require.NotContains(m, string(data), "council")
		}},
		"settings-symlink-dotfiles": {change: func(m *machine) { m.moved(m.settings, "dotfiles/settings.json") }, stays: at(".claude/settings.json", "dotfiles/settings.json"), also: func(m *machine, _ string) {
			data, err := os.ReadFile(filepath.Join(m.root, "dotfiles", "settings.json"))
			require.NoError(m, err)
			require.Equal(m, ownSettings, string(data))
			_, err = os.Readlink(m.settings)
			require.NoError(m, err)
		}},
		"config-symlink-dotfiles": {change: func(m *machine) { m.moved(m.config, "dotfiles/council.yaml") }, stays: at("dotfiles/council.yaml")},
		"config-elsewhere-by-variable": {change: func(m *machine) {
			m.put(filepath.Join(m.root, "srv", "team", "council.yaml"), "tier: max\n")
			m.env = append(m.env, "COUNCIL_CONFIG="+filepath.Join(m.root, "srv", "team", "council.yaml"))
		}, stays: at("srv/team/council.yaml")},
		"data-symlink-to-other-disk": {change: func(m *machine) {
			m.moved(m.data, "big/council-data")
			m.put(filepath.Join(m.root, "big", "council-data", "keep.txt"), "mine\n")
		}, stays: at("big/council-data/keep.txt", ".claude/plugins/data/research-council-market")},
		"link-inside-data-points-out": {change: func(m *machine) {
			require.NoError(m, os.Symlink(filepath.Join(m.root, "Documents"), filepath.Join(m.data, "bin", "0123456789abcdef")))
		}},
		"foreign-files-in-our-folders": {change: func(m *machine) {
			m.put(filepath.Join(filepath.Dir(m.config), "notes.md"), "mine\n")
			m.put(filepath.Join(m.data, "bin", "README"), "mine\n")
		}, stays: at(".config/research-council/notes.md", ".claude/plugins/data/research-council-market/bin/README")},
		"runs-lie-inside-data-or-cache":    {change: func(m *machine) { m.put(filepath.Join(m.data, "runs", "a", "report.md"), "mine\n") }, stays: at(".claude/plugins/data/research-council-market/runs/a/report.md")},
		"plugin-already-removed-by-claude": {change: func(m *machine) { require.NoError(m, os.RemoveAll(m.data)) }, also: func(m *machine, _ string) { require.NoDirExists(m, m.data) }},
		"stale-pid-file-foreign-process":   {change: func(m *machine) { m.put(filepath.Join(m.copies[1], ".in-use"), "") }},
		"two-plugin-copies-share-data": {change: func(m *machine) {
			built, err := programs()
			require.NoError(m, err)
			first := m.data
			m.data = filepath.Join(filepath.Dir(m.data), "research-council-local")
			m.makeCopy(built, "\x00\x00")
			m.data = first
		}},
		"read-only-copy-folder": {change: func(m *machine) {
			require.NoError(m, exec.Command("chmod", "-R", "555", m.copies[0], m.copies[1]).Run())
		}},
		"settings-read-only": {change: func(m *machine) { require.NoError(m, os.Chmod(m.settings, 0o444)) }, stays: settingsStay},
		"one-file-not-removable": {change: func(m *machine) {
			require.NoError(m, os.Chmod(filepath.Join(m.root, ".local/share/bash-completion/completions"), 0o555))
		}, stays: at(".local/share/bash-completion/completions/council")},
		"root-owned-copy": {change: func(m *machine) {
			if os.Getuid() == 0 {
				require.NoError(m, exec.Command("chmod", "-R", "go-w", m.copies[1]).Run())
			}
		}, stays: func(m *machine) []string {
			return append(m.copyFiles(m.copies[1]), ".claude/plugins/data/research-council-market/bin/.lock")
		}},
		"completions-edited-or-foreign": {change: func(m *machine) {
			fish := filepath.Join(m.root, ".config/fish/completions/council.fish")
			text, err := os.ReadFile(fish)
			require.NoError(m, err)
			m.put(fish, string(text)+"# mine\n")
			m.put(filepath.Join(m.root, ".local/share/bash-completion/completions/council"), "complete -F _other council\n")
			m.put(filepath.Join(m.root, ".zshrc"), "autoload -U compinit\nsource <(council completion zsh)\n")
		}, stays: at(".config/fish/completions/council.fish", ".local/share/bash-completion/completions/council", ".zshrc"), also: func(m *machine, shown string) {
			require.Contains(m, shown, ".zshrc:2")
		}},
		"data-variable-dangerous": {change: func(m *machine) {
			m.put(filepath.Join(m.root, "bin", "council"), "#!/bin/sh\n")
			m.put(filepath.Join(m.root, "bin", "0123456789abcdef", "x"), "mine\n")
			m.env = append(m.env, "CLAUDE_PLUGIN_DATA="+m.root)
		}, stays: at("bin/council", "bin/0123456789abcdef/x")},
		"run-from-the-copy-that-goes": {},
		"nothing-installed":           {},
	}
}

func (m *machine) moved(from, to string) {
	to = filepath.Join(m.root, to)
	require.NoError(m, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(m, os.Rename(from, to))
	require.NoError(m, os.Symlink(to, from))
}

func (m *machine) copyFiles(dir string) []string {
	rel, err := filepath.Rel(m.root, dir)
	require.NoError(m, err)
	return []string{rel + "/council", rel + "/council-hook"}
}

func TestUninstall(t *testing.T) {
	data, err := os.ReadFile("testdata/uninstall.yaml")
	require.NoError(t, err)
	var file struct{ Cases []takenOut }
	require.NoError(t, yaml.Unmarshal(data, &file))
	require.Greater(t, len(file.Cases), 50)
	known := states()
	for _, c := range file.Cases {
		s, is := known[c.Name]
		if c.Held == "" && !is {
			require.Contains(t, tests(), c.Name, "it has a state, a test of its own, or a reason")
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if c.Held != "" {
				t.Skip(c.Held)
			}
			c.try(t, s)
		})
	}
}

// tests are cases with a test of their own.
func tests() []string {
	return []string{"run-going-asked-no", "run-going-yes-flag", "run-going-asked-stop", "killed-half-way", "no-home", "home-with-space-quote-newline"}
}

func (c takenOut) try(t *testing.T, s state) {
	m := newMachine(t)
	if s.first != nil {
		s.first(m)
	}
	if c.Name == "nothing-installed" {
		m.put(m.settings, m.original)
		m.clean = m.files()
	} else {
		m.install()
	}
	if s.change != nil {
		s.change(m)
	}
	if slices.Contains(c.Needs, "nonroot") && os.Getuid() == 0 {
		m.givenAway(c.Name == "root-owned-copy")
	}
	before := m.files()
	shown, code := c.typed(m)
	switch {
	case c.Exit == "by outcome", c.Exit == "any", strings.HasPrefix(c.Exit, "0 if undone"):
	case c.Exit == "0 both":
		require.Zero(t, code, shown)
		shown, code = c.typed(m)
		require.Zero(t, code, shown)
	case c.Exit == "nonzero":
		require.NotZero(t, code, shown)
	case c.Exit == "130":
		require.Equal(t, 130, code, shown)
	default:
		require.Equal(t, "0", c.Exit)
		require.Zero(t, code, shown)
	}
	for _, words := range c.Screen {
		if words := m.placed(words); words != "" {
			require.True(t, slices.ContainsFunc(strings.Split(words, "|"), func(w string) bool { return strings.Contains(strings.ToLower(shown), strings.ToLower(w)) }), "%q is not in: %s", words, shown)
		}
	}
	if s.as {
		require.Equal(t, before, m.files(), shown)
		return
	}
	m.left(s, shown)
	if s.also != nil {
		s.also(m, shown)
	}
}

// left holds the home to what it was without us, but for what is to stay.
func (m *machine) left(s state, shown string) {
	m.Helper()
	want := maps.Clone(m.clean)
	is := m.files()
	if s.stays != nil {
		for _, path := range s.stays(m) {
			require.Contains(m, is, path, shown)
			want[path] = is[path]
		}
	}
	require.Equal(m, want, is, shown)
}

// givenAway makes the home another user's, who is not the superuser.
func (m *machine) givenAway(but bool) {
	require.NoError(m, exec.Command("chown", "-R", "-h", "65534:65534", m.root).Run())
	if but {
		require.NoError(m, exec.Command("chown", "-R", "0:0", m.copies[1]).Run())
	}
	for dir := m.root; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		require.NoError(m, os.Chmod(dir, 0o755))
	}
}

// placed puts paths into a word of a case; "" where it is nothing to look for.
func (m *machine) placed(word string) string {
	switch {
	case strings.HasPrefix(word, "<"), word == "CACHE", word == "SCHEDULES", strings.HasPrefix(word, "HOME/Documents"), strings.HasPrefix(word, "/srv"):
		return ""
	}
	for name, path := range map[string]string{"S": m.settings, "COPIES": filepath.Join(m.data, "bin"), "COMPLETIONS": "_council", "CONFIG": m.config, "RUNS": filepath.Join(m.project, "research")} {
		if word == name {
			return path
		}
	}
	return word
}

// typed runs the case's command, or types its answers at a terminal.
func (c takenOut) typed(m *machine) (shown string, code int) {
	m.Helper()
	argv := []string{m.program(), "uninstall"}
	if c.Name == "run-from-the-copy-that-goes" {
		argv[0] = filepath.Join(m.copies[0], "council")
	}
	built, err := programs()
	require.NoError(m, err)
	if strings.Contains(c.Name, "already-removed") {
		argv[0] = filepath.Join(built, "council")
	}
	line, _, _ := strings.Cut(c.Run, ";")
	_, flags, _ := strings.Cut(line, "uninstall")
	flags, _, _ = strings.Cut(flags, "(")
	for _, flag := range strings.Fields(flags) {
		if strings.HasPrefix(flag, "--") {
			argv = append(argv, flag)
		}
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = m.project, m.env
	if slices.Contains(c.Needs, "nonroot") && os.Getuid() == 0 {
		cmd.SysProcAttr = proctest.As(nobody)
	}
	if c.Answers != nil {
		return c.answered(m, cmd)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // how it ended is looked at by the case
	if slices.Contains(argv, "--json") && cmd.ProcessState.ExitCode() == 0 {
		require.NoError(m, json.Unmarshal(out.Bytes(), new(map[string]any)), out.String())
	}
	return out.String() + errs.String(), cmd.ProcessState.ExitCode()
}

func (c takenOut) answered(m *machine, cmd *exec.Cmd) (string, int) {
	term := atTerminal(m.T, cmd)
	answer := "y\r"
	if strings.HasPrefix(c.Answers[0], "n") {
		answer = "n\r"
	}
	if c.Answers[len(c.Answers)-1] == "^C" {
		answer = "\x03"
	}
	for from, asked := 0, true; asked; {
		from, asked = term.answer(from, answer)
	}
	code := term.code()
	return term.screen(), code
}

// A run that is going is named first. A yes to removing is none to ending it: what it
// runs from stays, and goes with another uninstallation.
func TestUninstallLeavesARunThatIsGoing(t *testing.T) {
	m := newMachine(t)
	m.install()
	m.put(m.config, "commands: {slow: {program: "+filepath.Join(m.root, "slow")+", brand: other}}\n")
	require.NoError(t, os.RemoveAll(filepath.Join(m.project, "research")))
	run := m.run()
	exe := m.supervisor(run)
	before := m.files()
	term := atTerminal(t, m.at("uninstall"))
	_, asked := term.answer(0, "n\r")
	require.True(t, asked)
	require.NotZero(t, term.code())
	require.Contains(t, term.screen(), filepath.Base(run))
	require.Contains(t, m.files(), ".config/research-council/config.yaml")
	require.Equal(t, before[".claude/settings.json"], m.files()[".claude/settings.json"])

	cmd := m.at("uninstall", "--yes")
	out, err := cmd.CombinedOutput()
	require.Error(t, err, string(out))
	require.Contains(t, string(out), "still going")
	require.FileExists(t, exe, string(out))
	require.NoFileExists(t, m.config)
	m.ends(run)
	out, err = m.at("uninstall", "--yes").CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoDirExists(t, m.data)
	require.FileExists(t, filepath.Join(run, "final-report.md"))
}

func TestUninstallStopsARunWhereOneSaysSo(t *testing.T) {
	m := newMachine(t)
	m.install()
	m.put(m.config, "commands: {slow: {program: "+filepath.Join(m.root, "slow")+", brand: other}}\n")
	require.NoError(t, os.RemoveAll(filepath.Join(m.project, "research")))
	run := m.run()
	m.supervisor(run)
	term := atTerminal(t, m.at("uninstall", "--keep-config"))
	from, asked := term.answer(0, "s\r")
	require.True(t, asked)
	_, asked = term.answer(from, "y\r")
	require.True(t, asked)
	require.Zero(t, term.code(), term.screen())
	require.NoDirExists(t, m.data)
	require.NoError(t, os.WriteFile(filepath.Join(m.root, "go"), nil, 0o600))
	built, err := programs()
	require.NoError(t, err)
	m.council(filepath.Join(built, "council"), "resume", filepath.Base(run))
	require.FileExists(t, filepath.Join(run, "final-report.md"))
}

func (m *machine) at(args ...string) *exec.Cmd {
	cmd := exec.Command(m.program(), args...)
	cmd.Dir, cmd.Env = m.project, m.env
	return cmd
}

func TestUninstallInHomesOfOddNames(t *testing.T) {
	for _, name := range []string{`Jane O'Brien "x"`, "two\nlines", "日本"} {
		m := newMachine(t)
		odd := filepath.Join(m.root, name)
		require.NoError(t, os.Mkdir(odd, 0o755))
		m.root = odd
		m.settings, m.config = filepath.Join(odd, ".claude", "settings.json"), filepath.Join(odd, ".config", "research-council", "config.yaml")
		m.data = filepath.Join(odd, ".claude", "plugins", "data", "research-council-market")
		m.env = append(m.env, "HOME="+odd, "CLAUDE_PLUGIN_DATA="+m.data)
		m.install()
		out, err := m.at("uninstall", "--yes").CombinedOutput()
		require.NoError(t, err, string(out))
		m.left(state{}, string(out))
	}
}

func TestUninstallWithoutAHome(t *testing.T) {
	m := newMachine(t)
	m.install()
	m.env = []string{"PATH=/usr/bin:/bin", "CLAUDE_PLUGIN_DATA=" + m.data}
	out, err := m.at("uninstall", "--yes").CombinedOutput()
	require.Error(t, err, string(out))
	require.Contains(t, string(out), "HOME is not set")
	require.NoDirExists(t, m.data)
	require.FileExists(t, m.config)
}

// Killed at any moment, it leaves no status line whose program is gone, and is ended by
// another one.
func TestUninstallKilledHalfWay(t *testing.T) {
	m := newMachine(t)
	m.install()
	m.council(filepath.Join(m.copies[0], "council"), "statusline", "--install")
	for range 8 {
		cmd := m.at("uninstall", "--yes")
		require.NoError(t, cmd.Start())
		_ = cmd.Process.Kill() // at whatever it has come to
		_ = cmd.Wait()
		settings, err := os.ReadFile(m.settings)
		require.NoError(t, err)
		if strings.Contains(string(settings), m.copies[0]) {
			require.FileExists(t, filepath.Join(m.copies[0], "council"))
		}
	}
	out, err := m.at("uninstall", "--yes").CombinedOutput()
	require.NoError(t, err, string(out))
	m.left(state{}, string(out))
}
