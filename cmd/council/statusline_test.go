package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/host/program"
	"github.com/research-council/research-council/internal/host/settings"
)

// settingsCase is a file of settings and what is to become of it, written by somebody
// who has not seen the program.
type settingsCase struct {
	ID     string `json:"id"`
	Before *struct {
		Text *string `json:"text"`
		B64  *string `json:"b64"`
		Gen  struct {
			Python string `json:"python"`
		} `json:"gen"`
	} `json:"before"`
	FS      []string           `json:"fs"`
	Env     map[string]*string `json:"env"`
	Install *settingsStep      `json:"install"`
	Remove  settingsStep       `json:"remove"`
	Steps   []settingsStep     `json:"steps"`
}

// settingsStep is what one command is to do.
type settingsStep struct {
	Do      string   `json:"do"`
	Sh      string   `json:"sh"`
	Write   *string  `json:"write"`
	Repeat  int      `json:"repeat"`
	Of      any      `json:"of"`
	Exit    any      `json:"exit"`
	Edit    string   `json:"edit"`
	Wraps   *string  `json:"wraps"`
	ValueAt []int    `json:"value_at"`
	Says    []string `json:"says"`
	Bytes   string   `json:"bytes"`
	Text    *string  `json:"text"`
	JSON    any      `json:"json"`
	Mode    string   `json:"mode"`
}

// settingsHome is the home of a person for one case.
type settingsHome struct {
	*testing.T
	home, cwd, path, self string
	vars                  map[string]string
	before                []byte // nil: no file
}

func newSettingsHome(t *testing.T, c settingsCase) *settingsHome {
	h := &settingsHome{T: t, home: filepath.Join(t.TempDir(), "home"), cwd: t.TempDir(), self: "/opt/research council/bin/council", vars: map[string]string{}}
	if home := c.Env["HOME"]; home != nil {
		h.home = filepath.Join(t.TempDir(), strings.TrimPrefix(*home, "T/"))
	}
	h.vars["HOME"], h.path = h.home, filepath.Join(h.home, ".claude", "settings.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(h.path), 0o700))
	h.lay(c)
	for _, line := range c.FS {
		h.shell(line)
	}
	for name, value := range c.Env {
		switch {
		case value == nil:
			delete(h.vars, name)
		case name != "HOME":
			h.vars[name] = strings.ReplaceAll(*value, "$HOME", h.home)
		}
	}
	if dir := h.vars["CLAUDE_CONFIG_DIR"]; dir != "" {
		h.path = filepath.Join(dir, "settings.json")
	}
	h.before = h.now()
	return h
}

// lay writes the file the case begins with.
func (h *settingsHome) lay(c settingsCase) {
	if c.Before == nil {
		return
	}
	var data []byte
	switch {
	case c.Before.Text != nil:
		word := "'" + h.self + "'"
		data = []byte(strings.ReplaceAll(*c.Before.Text, "@COUNCIL@", word))
	case c.Before.B64 != nil:
		var err error
		data, err = base64.StdEncoding.DecodeString(*c.Before.B64)
		require.NoError(h, err)
	default:
		python, err := exec.LookPath("python3")
		if err != nil {
			h.Skip("python3 is not installed")
		}
		data, err = exec.Command(python, "-c", "import sys; sys.stdout.buffer.write("+c.Before.Gen.Python+")").Output()
		require.NoError(h, err)
	}
	require.NoError(h, os.WriteFile(h.path, data, 0o644))
}

func (h *settingsHome) shell(line string) {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = h.cwd, append(os.Environ(), "HOME="+h.home, "S="+h.path, "DATA="+filepath.Join(h.home, "data"))
	out, err := cmd.CombinedOutput()
	require.NoError(h, err, "%s: %s", line, out)
}

// council runs the program, and gives its exit code and what it said.
func (h *settingsHome) council(args ...string) (int, string) {
	var out bytes.Buffer
	e := program.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: h.cwd, Self: h.self, Getenv: func(name string) string { return h.vars[name] }}
	code := run(context.Background(), args, e)
	return code, out.String()
}

// now is the file as it is; nil where there is none.
func (h *settingsHome) now() []byte {
	if info, err := os.Stat(h.path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, err := os.ReadFile(h.path)
	require.NoError(h, err)
	return append([]byte{}, data...)
}

// folder is what stands beside the settings.
func (h *settingsHome) folder() []string {
	entries, err := os.ReadDir(filepath.Dir(h.path))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name()+" "+e.Type().String())
	}
	return names
}

func TestSettingsOfOthersAreChangedAndGivenBack(t *testing.T) {
	data, err := os.ReadFile("testdata/statusline-settings.jsonl")
	require.NoError(t, err)
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	require.Len(t, lines, 123)
	for _, line := range lines {
		var c settingsCase
		require.NoError(t, json.Unmarshal(line, &c))
		t.Run(c.ID, func(t *testing.T) {
			if slices.ContainsFunc(c.FS, func(line string) bool { return strings.HasPrefix(line, "as root") || strings.HasPrefix(line, "mount") }) {
				t.Skip("needs a machine of its own")
			}
			h := newSettingsHome(t, c)
			if c.Install == nil {
				h.play(c.Steps)
				return
			}
			h.installAndRemove(c)
		})
	}
}

// installAndRemove installs twice and removes.
func (h *settingsHome) installAndRemove(c settingsCase) {
	folder := h.folder()
	code, said := h.council("statusline", "--install")
	h.clean(said)
	first := h.now()
	for _, words := range c.Install.Says {
		if code != 0 || c.Install.Edit != "refuse_or_replace" && c.Install.Edit != "refuse_or_create" {
			require.Contains(h, strings.ToLower(said), strings.ToLower(words))
		}
	}
	edit := c.Install.Edit
	if a, b, either := strings.Cut(edit, "_or_"); either {
		if edit = a; (code != 0) != (a == "refuse") {
			edit = b
		}
	}
	h.edited(edit, code, *c.Install)
	again, said := h.council("statusline", "--install")
	require.Equal(h, code, again, said)
	require.Equal(h, first, h.now(), "the second time changes nothing")
	if code == 0 {
		require.Contains(h, said, "already")
	}
	removed, said := h.council("statusline", "--remove")
	h.clean(said)
	if c.Remove.Exit == 0.0 && !(strings.HasSuffix(c.Install.Edit, "_or_refuse") && code != 0) { // else the same refusal will do
		require.Zero(h, removed, said)
	}
	for _, words := range c.Remove.Says {
		require.Contains(h, strings.ToLower(said), strings.ToLower(words))
	}
	switch c.Remove.Bytes {
	case "before":
		require.Equal(h, string(h.before), string(h.now()))
		require.Equal(h, h.before == nil, h.now() == nil)
	case "absent":
		require.Nil(h, h.now())
	default:
		require.NotEqual(h, string(first), string(h.now()))
	}
	if c.Remove.Bytes != "absent" {
		require.Equal(h, folder, h.folder(), "nothing is left behind")
	}
}

// edited holds a file after an install against what was to be done to it.
func (h *settingsHome) edited(edit string, code int, want settingsStep) {
	now := h.now()
	if edit == "refuse" {
		require.NotZero(h, code)
		require.Equal(h, h.before, now)
		return
	}
	require.Zero(h, code)
	var after map[string]any
	if json.Unmarshal(bytes.TrimPrefix(now, []byte("\xef\xbb\xbf")), &after) == nil && edit != "none" {
		line, is := after["statusLine"].(map[string]any)
		require.True(h, is)
		require.True(h, line["type"] == "command" || line["type"] == nil, "the type is as it was")
		h.wraps(line["command"].(string), want.Wraps)
	}
	switch edit {
	case "none":
		require.Equal(h, string(h.before), string(now))
	case "create":
		require.Len(h, after, 1)
	case "insert":
		require.Greater(h, len(now), len(h.before))
		same := 0
		for same < len(h.before) && h.before[same] == now[same] {
			same++
		}
		require.True(h, slices.ContainsFunc(make([]struct{}, same+1), func(struct{}) bool {
			rest := len(h.before) - same
			is := bytes.HasSuffix(now, h.before[same:]) && len(now) >= same+rest
			same--
			return is
		}), "one run of bytes was put in")
		require.Equal(h, bytes.Count(h.before, []byte("\r\n")) == 0, bytes.Count(now, []byte("\r\n")) == 0)
		if bytes.Contains(h.before, []byte("\r\n")) {
			require.Equal(h, bytes.Count(now, []byte("\r\n")), bytes.Count(now, []byte("\n")))
		}
	case "replace":
		if at := want.ValueAt; at != nil && !bytes.Contains(h.before, []byte(h.self)) {
			require.Equal(h, string(h.before[:at[0]]), string(now[:at[0]]))
			require.True(h, bytes.HasSuffix(now, h.before[at[1]:]))
		}
	default:
		h.Fatalf("what is %q?", edit)
	}
	if m := regexp.MustCompile(`^0[0-7]{3}$`).FindString(want.Mode); m != "" {
		info, err := os.Stat(h.path)
		require.NoError(h, err)
		require.Equal(h, m, fmt.Sprintf("%#o", info.Mode().Perm()))
	}
}

// wraps splits a command as a shell does, and holds what it wraps against that.
func (h *settingsHome) wraps(command string, want *string) {
	out, err := exec.Command("sh", "-c", "set -- "+command+"\nfor a; do printf '%s\\0' \"$a\"; done").Output()
	require.NoError(h, err)
	words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	require.Equal(h, []string{h.self, "statusline"}, words[:2])
	at := slices.Index(words, "--wrap")
	switch {
	case want == nil:
		require.True(h, at < 0 || strings.TrimSpace(words[at+1]) == "", command)
	case strings.HasPrefix(*want, "either "):
	default:
		require.Equal(h, *want, words[at+1])
		require.Equal(h, at+2, len(words))
	}
}

// clean holds what was said to be a line or two for people.
func (h *settingsHome) clean(said string) {
	require.NotContains(h, said, "panic")
	require.LessOrEqual(h, strings.Count(said, "\n"), 2, said)
}

// play does what a case tells, step by step.
func (h *settingsHome) play(steps []settingsStep) {
	for _, s := range steps {
		switch {
		case s.Sh == "remove the binary that the command names":
			h.self = "/another/council"
		case s.Sh != "":
			if name, _, _ := strings.Cut(s.Sh, " "); !found(name) {
				h.Skip(name + " is not installed")
			}
			h.shell(s.Sh)
		case s.Write != nil:
			require.NoError(h, os.WriteFile(h.path, []byte(*s.Write), 0o644))
		case s.Repeat > 0:
			for range s.Repeat {
				h.council("statusline", "--install")
				h.council("statusline", "--remove")
			}
			require.Equal(h, string(h.before), string(h.now()))
		case strings.HasPrefix(s.Do, "council ") && !strings.Contains(s.Do, ","):
			line, _, _ := strings.Cut(s.Do, " (")
			h.step(s, strings.Fields(line)[1:])
		}
	}
}

func found(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// step runs the program, and holds what came of it against the step.
func (h *settingsHome) step(s settingsStep, args []string) {
	code, said := h.council(args...)
	h.Log(args, said)
	switch {
	case s.Exit == "nonzero":
		require.NotZero(h, code)
	case s.Exit != nil:
		require.Zero(h, code, said)
	}
	for _, words := range s.Says {
		require.Contains(h, said, words)
	}
	switch {
	case s.Text != nil:
		require.Equal(h, *s.Text, string(h.now()))
	case s.JSON != nil:
		var now any
		require.NoError(h, json.Unmarshal(h.now(), &now))
		require.Equal(h, s.JSON, now)
	case s.Bytes == "before":
		require.Equal(h, string(h.before), string(h.now()))
	case s.Bytes == "absent":
		require.Nil(h, h.now())
	}
}

// A file that has two names keeps one of them, and that is said.
func TestAFileOfTwoNamesIsToldOf(t *testing.T) {
	text := "{}\n"
	c := settingsCase{FS: []string{`ln "$S" "$HOME/second.json"`}}
	c.Before = &struct {
		Text *string `json:"text"`
		B64  *string `json:"b64"`
		Gen  struct {
			Python string `json:"python"`
		} `json:"gen"`
	}{Text: &text}
	h := newSettingsHome(t, c)
	code, said := h.council("statusline", "--install")
	require.Zero(t, code)
	require.Contains(t, said, "had a second name")
	command, ours, err := settings.Command(h.now())
	require.NoError(t, err)
	require.True(t, ours, command)
}
