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

	"github.com/research-council/research-council/internal/base/userfile"
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
		"an old line":               {`{"statusLine":{"type":"command","command":"~/line.sh"},"a":1}`, `{"statusLine":{"type":"command","command":"/bin/council statusline --added interval --wrap '~/line.sh'", "refreshInterval": 5},"a":1}`},
		"one with an interval":      {`{"statusLine":{"refreshInterval":2,"command":"x", "padding":0 }}`, `{"statusLine":{"refreshInterval":2,"command":"/bin/council statusline --wrap 'x'", "padding":0 }}`},
		"quotation marks":           {`{"statusLine":{"command":"echo 'a' \u0027b\u0027 \"c\" \\ \u00e9 \/"}}`, `{"statusLine":{"command":"/bin/council statusline --added interval --wrap 'echo '\\''a'\\'' '\\\u0027'b'\\\u0027' \"c\" \\ \u00e9 \/'", "refreshInterval": 5}}`},
		"null":                      {`{"statusLine":null}`, `{"statusLine":{"type": "command", "command": "/bin/council statusline --added value", "refreshInterval": 5}}`},
		"no command":                {`{"statusLine":{"padding":1 }}`, `{"statusLine":{"padding":1, "command": "/bin/council statusline --added interval,command", "refreshInterval": 5 }}`},
		"an empty line":             {`{"statusLine":{}}`, `{"statusLine":{"command": "/bin/council statusline --added interval,command", "refreshInterval": 5}}`},
		"an empty command":          {`{"statusLine":{"command":""}}`, `{"statusLine":{"command":"/bin/council statusline --added interval --wrap ''", "refreshInterval": 5}}`},
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
func TestTheLineOfAProgramOfOnePlatformIsTakenOut(t *testing.T) {
	const before = `{"theme":"dark"}`
	after, err := Install([]byte(before), "/opt/a plugin/bin/council-aarch64-apple-darwin")
	require.NoError(t, err)
	again, err := Install(after, "/opt/a plugin/bin/council-aarch64-apple-darwin")
	require.NoError(t, err)
	require.Equal(t, string(after), string(again))
	restored, err := Remove(after)
	require.NoError(t, err)
	require.Equal(t, before, string(restored))
}

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
		`{"a":1,}`:                         "it is no JSON: line 1, column 8: invalid character '}'",
		"{// a remark\n}":                  "it is no JSON: ",
		`{"a":1}{}`:                        "it is no JSON: ",
		`[1]`:                              "it is JSON, and no object",
		`"statusLine"`:                     "it is JSON, and no object",
		`{"statusLine":"x"}`:               "its statusLine is no object",
		`{"statusLine":{"command":["x"]}}`: "its status line's command is not a string",
		`{"statusLine":{"command":"x"},"status\u004cine":{}}`:       "statusLine stands in it twice, in line 1 and line 1",
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
		require.ErrorIs(t, err, ErrByHand)
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
		out, err := exec.Command("sh", "-c", strings.Replace(command, "printf statusline --added interval --wrap", `printf '%s\0'`, 1)).Output()
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

func TestAFileThatIsTooLargeIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	require.NoError(t, os.WriteFile(path, make([]byte, 8<<20+1), 0o600))
	_, err := userfile.Change(path, false, func(data []byte) ([]byte, error) { return Install(data, council) })
	require.ErrorContains(t, err, "is larger than 8 MiB; nothing was changed")
}

func TestWhatAnotherProgramHasWrittenMeanwhileStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	require.NoError(t, os.WriteFile(path, []byte("{}"), 0o600))
	_, err := userfile.Change(path, false, func(data []byte) ([]byte, error) {
		require.NoError(t, os.WriteFile(path, []byte(`{"model":"opus"}`), 0o600))
		return Install(data, council)
	})
	require.ErrorContains(t, err, "was written by another program meanwhile")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, `{"model":"opus"}`, string(text))
}
