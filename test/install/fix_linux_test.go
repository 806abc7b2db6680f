package install_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"gopkg.in/yaml.v3"

	"github.com/research-council/research-council/internal/base/proc/proctest"
)

// repair is a case of testdata/doctor-fix.yaml; its state is made here.
type repair struct {
	Name       string
	Needs      []string
	Doctor     []string
	DoctorExit string `yaml:"doctor_exit"`
	Fix        string
	FixExit    string `yaml:"fix_exit"`
	Run, Held  string
	Screen     []string
}

// fault is what is broken in a home, and what is looked at after it was mended.
type fault struct {
	make  func(m *machine)
	mends func(m *machine)
	yes   bool // --fix is told so
	warns bool // it is a warning: doctor alone ends with 0
	stays bool // the program has to lie where it stays
}

func (m *machine) built(name string) string { return filepath.Join(m.plugin, "bin", name+"-"+triple) }

func (m *machine) mode(path string) string {
	info, err := os.Lstat(path)
	require.NoError(m, err)
	return fmt.Sprintf("%04o", info.Mode().Perm())
}

// sums writes the plugin's manifest.
func (m *machine) sums() {
	var text strings.Builder
	for _, name := range []string{"council", "council-hook"} {
		data, err := os.ReadFile(m.built(name))
		require.NoError(m, err)
		sum := sha256.Sum256(data)
		fmt.Fprintf(&text, "%s  %s\n", hex.EncodeToString(sum[:]), filepath.Base(m.built(name)))
	}
	m.put(filepath.Join(m.plugin, "bin", "SHA256SUMS"), text.String())
}

func enabled(text string) func(*machine) {
	return func(m *machine) { m.put(m.settings, `{"enabledPlugins": {`+text+`}, "model": "opus"}`) }
}

func line(command string) func(*machine) {
	return func(m *machine) {
		m.put(m.settings, `{"statusLine":{"type":"command","command":"`+command+`"}}`)
	}
}

// stale makes copies that nobody has run from for a day.
func (m *machine) stale(n int) {
	built, err := programs()
	require.NoError(m, err)
	m.copies = append(m.copies, m.makeCopy(built, ""), m.makeCopy(built, "\x01"))
	for i := range n {
		dir := m.makeCopy(built, strings.Repeat("\x00", i+1))
		m.copies = append(m.copies, dir)
		old := time.Now().Add(-24 * time.Hour)
		require.NoError(m, os.Chtimes(dir, old, old))
	}
}

func (m *machine) copied() []string {
	list, err := filepath.Glob(filepath.Join(m.data, "bin", "????????????????"))
	require.NoError(m, err)
	return list
}

func faults() map[string]fault {
	bits := func(names ...string) func(*machine) {
		return func(m *machine) {
			m.sums()
			for _, name := range names {
				require.NoError(m, os.Chmod(filepath.Join(m.plugin, "bin", strings.ReplaceAll(name, "TRIPLE", triple)), 0o644))
			}
		}
	}
	return map[string]fault{
		"all-well": {make: (*machine).sums},
		"x-bit-binaries": {make: bits("council-TRIPLE", "council-hook-TRIPLE"), mends: func(m *machine) {
			require.Equal(m, "0755", m.mode(m.built("council"))+m.mode(m.built("council-hook"))[4:])
			require.Equal(m, "0755", m.mode(m.built("council-hook")))
			require.Equal(m, "0600", m.mode(filepath.Join(m.plugin, "bin", "SHA256SUMS")))
		}},
		"x-bit-launchers": {make: bits("council", "council-hook"), mends: func(m *machine) {
			require.Equal(m, "0755", m.mode(filepath.Join(m.plugin, "bin", "council")))
			require.Equal(m, "0755", m.mode(filepath.Join(m.plugin, "bin", "council-hook")))
		}},
		"x-bit-copy-in-data": {warns: true, make: func(m *machine) {
			m.stale(0)
			require.NoError(m, os.Chmod(filepath.Join(m.copies[0], "council"), 0o600))
		}, mends: func(m *machine) { require.Equal(m, "0700", m.mode(filepath.Join(m.copies[0], "council"))) }},
		"x-bit-but-wrong-hash": {make: func(m *machine) {
			m.sums()
			m.put(m.built("council-hook"), "another")
			require.NoError(m, os.Chmod(m.built("council-hook"), 0o644))
		}},
		"x-bit-other-users-folder": {make: bits("council-TRIPLE", "council-hook-TRIPLE")},
		"never-built":              {make: func(m *machine) { require.NoError(m, os.Remove(m.built("council"))) }},
		"wrong-platform-binaries-only": {make: func(m *machine) {
			require.NoError(m, os.Rename(m.built("council"), filepath.Join(m.plugin, "bin", "council-aarch64-apple-darwin")))
		}},
		"symlink-in-place-of-binary": {make: func(m *machine) {
			m.put(filepath.Join(m.root, "x"), "x")
			require.NoError(m, os.Remove(m.built("council-hook")))
			require.NoError(m, os.Symlink(filepath.Join(m.root, "x"), m.built("council-hook")))
		}},
		"two-enabled-copies": {make: enabled(`"research-council@research-council": true, "research-council@local-dev": true`), yes: true, mends: func(m *machine) {
			data, err := os.ReadFile(m.settings)
			require.NoError(m, err)
			require.Regexp(m, `^\{"enabledPlugins": \{"research-council@research-council": (true, "research-council@local-dev": false|false, "research-council@local-dev": true)\}, "model": "opus"\}$`, string(data))
		}},
		"two-enabled-copies-two-scopes": {make: func(m *machine) {
			enabled(`"research-council@a": true`)(m)
			m.put(filepath.Join(m.project, ".claude", "settings.json"), `{"enabledPlugins": {"research-council@b": true}}`)
		}, yes: true},
		"two-copies-one-disabled": {make: enabled(`"research-council@a": true, "research-council@b": false`)},
		"similarly-named-plugin":  {make: enabled(`"research-council@m": true, "research-council-extras@m": true, "research@m": true`)},
		"stale-supervisor-copies": {warns: true, make: func(m *machine) { m.stale(3) }, mends: func(m *machine) {
			require.ElementsMatch(m, m.copies[:2], m.copied(), "the present one, and one of just now")
		}},
		"stale-copy-named-by-status-line": {warns: true, make: func(m *machine) {
			m.stale(3)
			line(m.copies[3] + "/council statusline --wrap 'sl.sh'")(m)
		}, mends: func(m *machine) { require.Contains(m, m.copied(), m.copies[3]) }},
		"copy-folder-hash-mismatch": {warns: true, make: func(m *machine) {
			m.put(filepath.Join(m.data, "bin", "0123456789abcdef", "council"), "another")
		}, mends: func(m *machine) { require.NoDirExists(m, filepath.Join(m.data, "bin", "0123456789abcdef")) }},
		"foreign-things-in-data-bin": {make: func(m *machine) {
			bin := filepath.Join(m.data, "bin")
			m.put(filepath.Join(bin, "notes.txt"), "mine")
			m.put(filepath.Join(bin, "backup", "x"), "mine")
			m.put(filepath.Join(bin, "0123456789ABCDEFx", "x"), "mine")
			require.NoError(m, os.Symlink(filepath.Join(m.root, "Documents"), filepath.Join(bin, "0123456789abcdef")))
		}},
		"config-broken-line":         {make: func(m *machine) { m.put(m.config, "# mine\ntier: max\nlimits:\n  usd: five\n") }},
		"config-syntax-error":        {make: func(m *machine) { m.put(m.config, "# mine\nseats:\n\t- claude\n") }},
		"config-typing-error-of-key": {make: func(m *machine) { m.put(m.config, "bugdet: 3\n") }},
		"missing-folder-dangling-link": {make: func(m *machine) {
			require.NoError(m, os.RemoveAll(filepath.Join(m.project, "research")))
			require.NoError(m, os.Symlink(filepath.Join(m.root, "Volumes", "Big", "runs"), filepath.Join(m.project, "research")))
		}},
		"missing-folder-a-file-in-the-way": {warns: true, make: func(m *machine) { m.put(filepath.Join(m.data, "bin"), "a file") }},
		"missing-folder-no-home":           {make: func(m *machine) { m.env = []string{"PATH=/usr/bin:/bin"} }},
		"status-line-binary-gone": {stays: true, warns: true, make: line("/gone/0.3.0/bin/council statusline --wrap 'sl.sh'"), mends: func(m *machine) {
			data, err := os.ReadFile(m.settings)
			require.NoError(m, err)
			require.Equal(m, "'"+filepath.Join(m.plugin, "bin", "council")+"' statusline --wrap 'sl.sh'", gjson.GetBytes(data, "statusLine.command").Str)
		}},
		"status-line-binary-gone-no-binary-at-all": {warns: true, make: line("/gone/0.3.0/bin/council statusline")},
		"status-line-foreign-binary-gone":          {make: line("/usr/local/bin/other-line")},
		"status-line-old-is-gone":                  {make: func(m *machine) { line("'" + m.program() + "' statusline --wrap '~/.claude/sl.sh'")(m) }},
		"status-line-settings-broken":              {make: func(m *machine) { m.put(m.settings, "{\n\n\n\n\n\n\"statusLine\" \"council statusline\"}") }, warns: true},
		"status-line-edited-by-hand":               {make: line("/gone/council statusline | lolcat"), warns: true},
		"status-line-settings-symlink-read-only": {warns: true, make: func(m *machine) {
			line("/gone/0.3.0/bin/council statusline")(m)
			m.moved(m.settings, "store/settings.json")
			require.NoError(m, os.Chmod(filepath.Join(m.root, "store", "settings.json"), 0o444))
		}},
		"many-faults-some-mendable": {stays: true, make: func(m *machine) {
			bits("council-TRIPLE")(m)
			m.put(filepath.Join(m.data, "bin", "0123456789abcdef", "council"), "another")
			line("/gone/0.3.0/bin/council statusline")(m)
			m.put(m.config, "limits: {usd: five}\n")
		}, mends: func(m *machine) {
			require.Equal(m, "0755", m.mode(m.built("council")))
			require.NoDirExists(m, filepath.Join(m.data, "bin", "0123456789abcdef"))
			data, err := os.ReadFile(m.config)
			require.NoError(m, err)
			require.Equal(m, "limits: {usd: five}\n", string(data))
		}},
		"fix-dry-run-and-json": {stays: true, make: func(m *machine) {
			bits("council-TRIPLE")(m)
			line("/gone/0.3.0/bin/council statusline")(m)
		}},
	}
}

func TestDoctorMends(t *testing.T) {
	data, err := os.ReadFile("testdata/doctor-fix.yaml")
	require.NoError(t, err)
	var file struct{ Cases []repair }
	require.NoError(t, yaml.Unmarshal(data, &file))
	require.Greater(t, len(file.Cases), 40)
	known := faults()
	for _, c := range file.Cases {
		f, is := known[c.Name]
		require.True(t, is || c.Held != "", "%s has a state, or a reason", c.Name)
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if c.Held != "" {
				t.Skip(c.Held)
			}
			c.try(t, f)
		})
	}
}

// try looks without mending, which changes nothing; mends; and mends again, which
// changes nothing.
func (c repair) try(t *testing.T, f fault) {
	m := newMachine(t)
	if strings.HasPrefix(m.root, "/tmp/") && f.stays {
		t.Skip("a program below /tmp is put into no settings")
	}
	if !strings.HasPrefix(m.root, "/tmp/") && strings.HasSuffix(c.Name, "no-binary-at-all") {
		t.Skip("where nothing stays is /tmp")
	}
	m.put(filepath.Join(m.plugin, "hooks", "hooks.json"), "{}")
	f.make(m)
	nonroot := slices.Contains(c.Needs, "nonroot") && os.Getuid() == 0
	if nonroot {
		m.givenAway(false)
		require.NoError(t, exec.Command("chown", "-R", "0:0", m.plugin).Run())
	}
	before := m.everything()
	shown, code := c.command(m, nonroot, "doctor")
	require.Equal(t, before, m.everything(), "doctor alone changes nothing: %s", shown)
	if strings.HasPrefix(c.DoctorExit, "nonzero") && !f.warns {
		require.Equal(t, 1, code, shown)
	} else {
		require.Zero(t, code, shown)
	}
	for _, words := range append(slices.Clone(c.Doctor), c.Screen...) {
		words = strings.NewReplacer("TRIPLE", triple, "CONFIG", m.config, "SHA16", "", "DATA/", m.data+"/", "HOME", m.root, "/Volumes/Big", "Volumes/Big").Replace(words)
		if words == "S" {
			words = m.settings
		}
		if strings.HasPrefix(words, "<") || strings.HasPrefix(words, "sudo") || words == "" {
			continue
		}
		require.True(t, slices.ContainsFunc(strings.Split(words, "|"), func(w string) bool { return strings.Contains(strings.ToLower(shown), strings.ToLower(w)) }), "%q is not in: %s", words, shown)
	}
	if c.Run != "" {
		out, code := c.command(m, nonroot, "doctor", "--fix", "--dry-run", "--json")
		require.Equal(t, 1, code, out)
		require.EqualValues(t, 2, len(gjson.Get(out, `checks.#(fixable==true)#`).Array()), out)
		require.False(t, gjson.Get(out, `checks.#(fixed==true)`).Exists())
		require.Equal(t, before, m.everything())
		return
	}
	fix := []string{"doctor", "--fix"}
	if f.yes {
		fix = append(fix, "--yes")
	}
	out, code := c.command(m, nonroot, fix...)
	switch c.FixExit {
	case "0":
		require.Zero(t, code, out)
	case "nonzero":
		require.Equal(t, 1, code, out)
	}
	if f.mends == nil {
		require.Equal(t, before, m.everything(), out)
	} else {
		f.mends(m)
		require.Contains(t, out, "MENDED")
	}
	after := m.everything()
	again, _ := c.command(m, nonroot, fix...)
	require.NotContains(t, again, "MENDED")
	require.Equal(t, after, m.everything(), "once more changes nothing: %s", again)
}

func (c repair) command(m *machine, nonroot bool, args ...string) (string, int) {
	built, err := programs()
	require.NoError(m, err)
	program := filepath.Join(built, "council")
	if regexp.MustCompile("^(all-well|status-line|stale|copy-folder|many|fix-dry|x-bit-copy)").MatchString(c.Name) && !strings.HasSuffix(c.Name, "no-binary-at-all") {
		program = m.built("council") // as the launcher starts it
		if info, err := os.Stat(program); err != nil || info.Mode()&0o100 == 0 {
			program = filepath.Join(built, "council")
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = m.project, append(m.env, "CLAUDE_PLUGIN_ROOT="+m.plugin)
	if nonroot {
		cmd.SysProcAttr = proctest.As(nobody)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // how it ended is looked at by the case
	if slices.Contains(args, "--json") {
		require.True(m, json.Valid(out.Bytes()), out.String())
	}
	return out.String() + errs.String(), cmd.ProcessState.ExitCode()
}

// everything is the home with the plugin's folder.
func (m *machine) everything() map[string]string {
	whole := *m
	inner := *m.home
	inner.plugin = ""
	whole.home = &inner
	return whole.files()
}
