package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAChoiceIsPutIntoWhatAPersonHasWritten(t *testing.T) {
	five := 5.0
	ollama := map[string]Chat{"ollama": {Brand: "local", BaseURL: "http://127.0.0.1:11434/v1", Max: Model{Model: "qwen3:8b"}, Standard: Model{Model: "qwen3:8b"}, Cheap: Model{Model: "qwen3:8b"}, InputKiB: 24, Free: true}}
	for name, c := range map[string]struct {
		before, after string
		choice        Choice
	}{
		"no file":                {"", "seats: [claude]\nlimits:\n  usd: 5\n", Choice{Seats: []string{"claude"}, USD: &five}},
		"a comment alone":        {"# put your seats here\n", "# put your seats here\nseats: [claude]\nlimits:\n  usd: 5\n", Choice{Seats: []string{"claude"}, USD: &five}},
		"a beginning":            {"---\n", "---\nseats: [claude]\n", Choice{Seats: []string{"claude"}}},
		"braces":                 {"{}\n", "seats: [claude]\n", Choice{Seats: []string{"claude"}}},
		"null":                   {"null\n", "seats: [claude]\n", Choice{Seats: []string{"claude"}}},
		"no end of the line":     {"seats: [claude]", "seats: [claude]\nlimits:\n  usd: 5\n", Choice{USD: &five}},
		"comments and columns":   {"# ask Petra\nseats:          # two\n  - claude      # plan\n  - codex\n\nlimits:\n  usd:   3       # for a run, NOT more\n  # usd: 50\neditor: vim     # of another program\n", "# ask Petra\nseats:          # two\n  - claude      # plan\n  - codex\n\nlimits:\n  usd:   5       # for a run, NOT more\n  # usd: 50\neditor: vim     # of another program\n", Choice{Seats: []string{"claude", "codex"}, USD: &five}},
		"a line more":            {"seats:\n- claude # plan\n# the end\n", "seats:\n- claude # plan\n- codex\n# the end\n", Choice{Seats: []string{"claude", "codex"}}},
		"a line less":            {"seats:\n  - claude\n  - codex # mine\n  - gemini\ntier: max\n", "seats:\n  - claude\n  - gemini\ntier: max\n", Choice{Seats: []string{"claude", "gemini"}}},
		"other styles":           {"%YAML 1.1\n---\nseats: [claude, 'codex']   # flow\nlimits: {usd: \"3\"}\n...\n", "%YAML 1.1\n---\nseats: [claude, codex, gemini]   # flow\nlimits: {usd: 5}\n...\n", Choice{Seats: []string{"claude", "codex", "gemini"}, USD: &five}},
		"behind the last key":    {"tier: max\n...\n", "tier: max\nlimits:\n  usd: 5\n...\n", Choice{USD: &five}},
		"of Windows":             {"\xef\xbb\xbf# council\r\nseats:\r\n  - claude\r\n", "\xef\xbb\xbf# council\r\nseats:\r\n  - claude\r\n  - codex\r\nlimits:\r\n  usd: 5\r\n", Choice{Seats: []string{"claude", "codex"}, USD: &five}},
		"a limit among others":   {"limits:\n    # mine\n    minutes: 60\n", "limits:\n    # mine\n    usd: 5\n    minutes: 60\n", Choice{USD: &five}},
		"limits that are empty":  {"limits: # none yet\ntier: max\n", "limits: # none yet\n  usd: 5\ntier: max\n", Choice{USD: &five}},
		"in braces":              {"limits: {minutes: 60}\n", "limits: {usd: 5, minutes: 60}\n", Choice{USD: &five}},
		"beyond ASCII":           {"limits: {patience: 2, usd: 3} # für Zoë\n", "limits: {patience: 2, usd: 5} # für Zoë\n", Choice{USD: &five}},
		"a switch":               {"notify: {desktop: auto}\n", "notify: {desktop: \"off\"}\n", Choice{Desktop: "off"}},
		"a server":               {"chat:\n  vllm:\n    base_url: http://10.0.0.7/v1\n    max: {model: m}\n", "chat:\n  ollama:\n    brand: local\n    base_url: http://127.0.0.1:11434/v1\n    max: {model: qwen3:8b}\n    standard: {model: qwen3:8b}\n    cheap: {model: qwen3:8b}\n    input_kib: 24\n    free: true\n  vllm:\n    base_url: http://10.0.0.7/v1\n    max: {model: m}\n", Choice{Servers: ollama}},
		"nothing is different":   {"limits: {usd: 5}\n", "limits: {usd: 5}\n", Choice{USD: &five}},
		"a list over two lines":  {"seats: [claude,\n  codex]\n", "seats: [claude]\n", Choice{Seats: []string{"claude"}}},
		"keys of a nested depth": {"  tier: max\n", "  tier: max\n  seats: [claude]\n", Choice{Seats: []string{"claude"}}},
	} {
		text, _, err := Edit([]byte(c.before), c.choice)
		require.NoError(t, err, name)
		require.Equal(t, c.after, string(text), name)
		again, _, err := Edit(text, c.choice)
		require.NoError(t, err, name)
		require.Equal(t, c.after, string(again), "%s: once more", name)
	}
}

func TestWhatCannotBeChangedSafelyStays(t *testing.T) {
	five := 5.0
	for before, says := range map[string]string{
		"seats:\n  - claude\n - codex\n":                         "line 3",
		"seats:\n\t- claude\n":                                   "line 2 begins with a tab",
		"limits: {usd: 3}\nseats: [claude]\nlimits: {usd: 30}\n": "already defined at line 1",
		"a: 1\n---\nb: 2\n":                                      "one document",
		"- a list\n":                                             "cannot unmarshal",
		"base: &b {usd: 3}\nlimits: *b\n":                        "cannot be changed safely",
		"limits: {<<: {usd: 3}, minutes: 5}\n":                   "",
		"limits: {usd: !!float 3}\n":                             "cannot be changed safely",
		"limits:\n  usd: |\n    3\n":                             "cannot be changed safely",
		"{tier: max}\n":                                          "cannot be changed safely",
	} {
		text, _, err := Edit([]byte(before), Choice{USD: &five})
		if says == "" {
			require.NoError(t, err, before)
			continue
		}
		require.ErrorContains(t, err, says, before)
		require.Equal(t, before, string(text))
	}
}

func TestAKeyThatIsUnknownIsKeptAndTold(t *testing.T) {
	five := 5.0
	text, refused, err := Edit([]byte("seats: [claude]\nbugdet: 3\n"), Choice{USD: &five})
	require.NoError(t, err)
	require.Equal(t, "seats: [claude]\nbugdet: 3\nlimits:\n  usd: 5\n", string(text))
	require.ErrorContains(t, refused, "line 2: field bugdet not found")
	c, unknown, err := Suits([]byte("seats: [claude]\nbugdet: 3\n"))
	require.NoError(t, err)
	require.ErrorContains(t, unknown, "bugdet")
	require.Equal(t, []string{"claude"}, c.Seats)
}

// Whatever a person has written, an edit changes what was chosen and nothing else,
// or leaves it all.
func TestAnEditChangesWhatWasChosenAlone(t *testing.T) {
	parts := []string{
		"# a comment\n", "\n", "seats: [claude, codex]\n", "seats:\n  - claude # one\n  - gemini\n", "limits: {minutes: 5}\n", "limits:\n  # usd: 9\n  usd: 3 # mine\n",
		"tier: cheap\n", "notify:\n  desktop: auto\n", "editor: \"vim: # not a comment\"\n", "long: |\n  seats: [none]\n  limits: none\n", "chat: {}\n",
	}
	rapid.Check(t, func(t *rapid.T) {
		before := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 8).Draw(t, "parts"), "")
		if rapid.Bool().Draw(t, "of Windows") {
			before = strings.ReplaceAll(before, "\n", "\r\n")
		}
		usd := float64(rapid.IntRange(1, 500).Draw(t, "usd")) / 4
		seats := Ordered([]byte(before), []string{"codex", "claude"})
		text, _, err := Edit([]byte(before), Choice{Seats: seats, USD: &usd, Desktop: "off"})
		if err != nil {
			if string(text) != before {
				t.Fatalf("%v, and it was changed: %q", err, text)
			}
			return
		}
		for line := range strings.Lines(before) {
			if strings.HasPrefix(line, "#") && strings.Count(string(text), line) != strings.Count(before, line) {
				t.Fatalf("a comment is gone: %q", text)
			}
		}
		now, err := readLoosely(text)
		if err != nil || now["limits"].(map[string]any)["usd"] != number(usd) || now["notify"].(map[string]any)["desktop"] != "off" {
			t.Fatalf("%v: %q", err, text)
		}
	})
}
