package settings

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const council = "/opt/research council/bin/council"

func TestTheLineIsPutInAndTakenOut(t *testing.T) {
	line := `"statusLine": {"type": "command", "command": "/bin/council statusline", "refreshInterval": 5}`
	for name, c := range map[string]struct{ before, after string }{
		"an empty object":           {"{}", "{" + line + "}"},
		"an object of blanks":       {"{ \n}\n", "{" + line + " \n}\n"},
		"one line":                  {`{"a":1}`, `{"a":1,` + line + `}`},
		"lines":                     {"{\n  \"a\": 1,\n  \"b\": [ 2 ]\n}\n", "{\n  \"a\": 1,\n  \"b\": [ 2 ],\n  " + line + "\n}\n"},
		"CR LF and tabs":            {"{\r\n\t\"a\":1\r\n}\r\n", "{\r\n\t\"a\":1,\r\n\t" + line + "\r\n}\r\n"},
		"a mark of order":           {byteOrder + `{"a":1}`, byteOrder + `{"a":1,` + line + `}`},
		"nothing in it":             {"", "{\n  " + line + "\n}"},
		"blanks alone":              {" \n", " \n{\n  " + line + "\n}"},
		"the name in another place": {`{"a":{"statusLine":{"command":"x"}}}`, `{"a":{"statusLine":{"command":"x"}},` + line + `}`},
		"an old line":               {`{"statusLine":{"type":"command","command":"~/line.sh"},"a":1}`, `{"statusLine":{"type":"command","command":"/bin/council statusline --added-interval --wrap '~/line.sh'", "refreshInterval": 5},"a":1}`},
		"one with an interval":      {`{"statusLine":{"refreshInterval":2,"command":"x", "padding":0 }}`, `{"statusLine":{"refreshInterval":2,"command":"/bin/council statusline --wrap 'x'", "padding":0 }}`},
		"quotation marks":           {`{"statusLine":{"command":"echo 'a' \u0027b\u0027 \"c\" \\ \u00e9 \/"}}`, `{"statusLine":{"command":"/bin/council statusline --added-interval --wrap 'echo '\\''a'\\'' '\\\u0027'b'\\\u0027' \"c\" \\ \u00e9 \/'", "refreshInterval": 5}}`},
		"an empty command":          {`{"statusLine":{"command":""}}`, `{"statusLine":{"command":"/bin/council statusline --added-interval --wrap ''", "refreshInterval": 5}}`},
	} {
		t.Run(name, func(t *testing.T) {
			after, err := Install([]byte(c.before), "/bin/council")
			require.NoError(t, err)
			require.Equal(t, c.after, string(after))
			again, err := Install(after, "/bin/council")
			require.NoError(t, err)
			require.Equal(t, c.after, string(again))
			moved, err := Install(after, council)
			require.NoError(t, err)
			for _, installed := range [][]byte{after, moved} {
				before, err := Remove(installed)
				require.NoError(t, err)
				require.Equal(t, c.before, string(before))
			}
		})
	}
	after, err := Install(nil, "/bin/council")
	require.NoError(t, err)
	require.Equal(t, "{\n  "+line+"\n}\n", string(after))
	before, err := Remove(after)
	require.NoError(t, err)
	require.Nil(t, before)
}

// What Claude Code has written anew since gives back the old command all the same.
func TestTheOldLineComesBackFromSettingsWrittenAnew(t *testing.T) {
	for before, want := range map[string]string{
		`{"a":1}`: `{"a":1,"z":2}`,
		`{"statusLine":{"type":"command","command":"echo 'it''s'","padding":1}}`: `{"statusLine":{"type":"command","command":"echo 'it''s'","padding":1},"z":2}`,
	} {
		after, err := Install([]byte(before), council)
		require.NoError(t, err)
		var all map[string]any
		require.NoError(t, json.Unmarshal(after, &all))
		all["z"] = 2
		after, err = json.MarshalIndent(all, "", "    ")
		require.NoError(t, err)
		removed, err := Remove(after)
		require.NoError(t, err)
		require.JSONEq(t, want, string(removed))
	}
}

func TestWhatCannotBeToldIsRefused(t *testing.T) {
	for text, why := range map[string]string{
		`{"a":1,}`:                          "it is no JSON: invalid character '}'",
		"{// a remark\n}":                   "it is no JSON: ",
		`{"a":1}{}`:                         "it is no JSON: ",
		`[1]`:                               "it is no JSON object",
		`"statusLine"`:                      "it is no JSON object",
		`{"statusLine":null}`:               "its statusLine is no command",
		`{"statusLine":"x"}`:                "its statusLine is no command",
		`{"statusLine":{"type":"command"}}`: "its statusLine is no command",
		`{"statusLine":{"command":["x"]}}`:  "its statusLine is no command",
		`{"statusLine":{"command":"x"},"status\u004cine":{}}`:       "statusLine stands in it twice",
		`{"statusLine":{"command":"x","command":"y"}}`:              "its statusLine has two commands",
		strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000): "it is no JSON: ",
	} {
		_, _, err := Command([]byte(text))
		require.ErrorContains(t, err, why, text)
		_, err = Install([]byte(text), council)
		require.ErrorContains(t, err, why, text)
		require.NotContains(t, err.Error(), "\n")
	}
}

// A line that somebody has put there by hand stays.
func TestALineByHandStays(t *testing.T) {
	for _, command := range []string{`FOO=1 council statusline`, `council statusline | head -1`, `~/mine.sh; /x/council statusline`, `council statusline --wrap "$HOME/x"`, `council statusline --unknown`} {
		text := jsonOf(t, map[string]any{"statusLine": map[string]string{"type": "command", "command": command}})
		installed, err := Install(text, council)
		require.NoError(t, err)
		require.Equal(t, string(text), string(installed))
		_, err = Remove(text)
		require.ErrorIs(t, err, ErrNotOurs)
	}
	for _, others := range []string{`{}`, `{"statusLine":null}`, `{"statusLine":{"command":"~/council statuslines"}}`, `{"statusLine":{"command":"x"}}`} {
		removed, err := Remove([]byte(others))
		require.NoError(t, err)
		require.Equal(t, others, string(removed))
	}
	byHand, err := Remove([]byte(`{"statusLine":{"command":"council statusline --wrap \"my line\" "}}`))
	require.NoError(t, err)
	require.Equal(t, `{"statusLine":{"command":"my line"}}`, string(byHand))
}

func jsonOf(t require.TestingT, value any) []byte {
	data, err := json.Marshal(value)
	require.NoError(t, err)
	return data
}

// The old command is one word for a shell, and comes back whatever it is.
func TestAnyCommandIsWrapped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := rapid.StringOf(rapid.SampledFrom([]rune("a '\"\\$`{}()!*~;&|<>\n\t#-é€😀<\u2028"))).Filter(func(s string) bool { return !showsRuns(s) }).Draw(t, "old")
		before := jsonOf(t, map[string]any{"b": "x", "statusLine": map[string]string{"command": old}})
		after, err := Install(before, "printf")
		require.NoError(t, err)
		command, ours, err := Command(after)
		require.NoError(t, err)
		require.False(t, ours, "no program called council is in it")
		out, err := exec.Command("sh", "-c", strings.Replace(command, "printf statusline --added-interval --wrap", `printf '%s\0'`, 1)).Output()
		require.NoError(t, err)
		require.Equal(t, old+"\x00", string(out))
		after, err = Install(before, council)
		require.NoError(t, err)
		_, ours, err = Command(after)
		require.NoError(t, err)
		require.True(t, ours)
		removed, err := Remove(after)
		require.NoError(t, err)
		require.Equal(t, string(before), string(removed))
	})
}

func FuzzInstall(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"a":1}`, `{"statusLine":{"command":"it's \ud83d"}}`, "{\"statusLine\" :\r\n{\"command\"\t:\"x\",\"refreshInterval\":1}}", `{"statusLine":{"command":"council statusline --wrap 'x'"}}`, "{\"\xff\":\"\\u0027\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		after, err := Install(before, council)
		if err != nil {
			return
		}
		if command, ours, err := Command(before); err == nil && ours {
			_, _ = Remove(before)
			require.NotEmpty(t, command)
			return
		}
		require.True(t, json.Valid([]byte(strings.TrimPrefix(string(after), byteOrder))))
		again, err := Install(after, council)
		require.NoError(t, err)
		require.Equal(t, string(after), string(again))
		removed, err := Remove(after)
		require.NoError(t, err)
		require.Equal(t, string(before), string(removed))
	})
}

func TestAFileOfSettingsIsChangedWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config", "settings.json")
	install := func(data []byte) ([]byte, error) { return Install(data, council) }

	did, err := Change(path, true, install)
	require.NoError(t, err)
	require.True(t, did)
	require.NoDirExists(t, filepath.Dir(path))
	for _, want := range []bool{true, false} {
		did, err = Change(path, false, install)
		require.NoError(t, err)
		require.Equal(t, want, did)
	}
	did, err = Change(path, false, Remove)
	require.NoError(t, err)
	require.True(t, did)
	require.NoFileExists(t, path)

	kept := filepath.Join(dir, "kept.json")
	require.NoError(t, os.WriteFile(kept, []byte("{}\n"), 0o640))
	require.NoError(t, os.Chmod(kept, 0o640))
	require.NoError(t, os.Symlink("../kept.json", path))
	did, err = Change(path, false, install)
	require.NoError(t, err)
	require.True(t, did)
	info, err := os.Lstat(kept)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
	link, err := os.Readlink(path)
	require.NoError(t, err)
	require.Equal(t, "../kept.json", link)
	_, err = Change(path, false, Remove)
	require.NoError(t, err)
	text, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, "{}\n", string(text))
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, names, 2, "nothing is left behind")
}

func TestAFileThatIsNoneIsRefused(t *testing.T) {
	for name, lay := range map[string]func(path string) error{
		"a folder":           func(path string) error { return os.Mkdir(path, 0o700) },
		"a link to nothing":  func(path string) error { return os.Symlink("none", path) },
		"a link to itself":   func(path string) error { return os.Symlink("settings.json", path) },
		"not to be written":  func(path string) error { return os.WriteFile(path, []byte("{}"), 0o400) },
		"no JSON":            func(path string) error { return os.WriteFile(path, []byte("{,"), 0o600) },
		"larger than can be": func(path string) error { return os.WriteFile(path, make([]byte, mostBytes+1), 0o600) },
	} {
		path := filepath.Join(t.TempDir(), "settings.json")
		require.NoError(t, lay(path))
		did, err := Change(path, false, func(data []byte) ([]byte, error) { return Install(data, council) })
		require.ErrorContains(t, err, "; nothing was changed", name)
		require.NotContains(t, err.Error(), "\n", name)
		require.False(t, did, name)
	}
}
