package setup

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/config"
)

// What is typed at a session is read as what is typed at a shell; whole runs of the
// program stand in test/install.

func TestALineOfASessionIsRead(t *testing.T) {
	o, err := Parse("--seats claude,codex --max-usd $7.50 --notify off --statusline no --yes")
	require.NoError(t, err)
	require.Equal(t, []string{"claude,codex", "$7.50", "off", "no"}, []string{o.Seats, o.USD, o.Notify, o.StatusLine})
	require.True(t, o.Yes)
	for line, why := range map[string]string{
		"--seats ,":           "name at least one seat",
		"--max-usd 5,00":      "use an amount in dollars",
		"--max-usd 0":         "none is no limit",
		"--notify maybe":      "use on or off",
		"--statusline on":     "use yes or no",
		"--seat claude":       "unknown flag: --seat",
		"claude":              `it takes no "claude", only flags`,
		"--max-usd":           "needs an argument",
		"--seats a -- rm -rf": `it takes no "rm"`,
	} {
		_, err := Parse(line)
		require.ErrorContains(t, err, why, line)
		var mistake usage.Mistake
		require.ErrorAs(t, err, &mistake, line)
	}
}

func TestAnAmountIsDollarsWithAPoint(t *testing.T) {
	for text, want := range map[string]float64{"5": 5, "5.00": 5, "$7.5": 7.5, "0.000001": 0.000001, "999999999": 999999999, "none": 0, "NONE": 0} {
		usd, err := amount(text)
		require.NoError(t, err, text)
		require.InDelta(t, want, usd, 1e-12, text)
	}
	for _, text := range []string{"", " 5", "5,00", "5 ", "5usd", "5€", "-1", "+1", "0", "0.0", "$0", "NaN", "Inf", "1e3", "0x10", "1_000", "٥", ".5", "5.", "$$5", "1234567890", "0.0000001", "5\n"} {
		_, err := amount(text)
		require.Error(t, err, "%q", text)
	}
}

func TestSeatsAreNamedOnceEach(t *testing.T) {
	names, err := listed(" codex, claude,,codex ,\tgemini")
	require.NoError(t, err)
	require.Equal(t, []string{"codex", "claude", "gemini"}, names)
	for _, text := range []string{"", " ", ",", " , ,"} {
		_, err := listed(text)
		require.Error(t, err, "%q", text)
	}
}

func TestAServerToAddIsAPresetOrAnAddress(t *testing.T) {
	w := &work{}
	for name, c := range map[string]struct {
		asked AddOptions
		want  config.Chat
		local bool
	}{
		"a preset":                {AddOptions{Preset: "ollama"}, config.Chat{BaseURL: "http://127.0.0.1:11434/v1", Brand: "ollama"}, true},
		"its address said anew":   {AddOptions{Preset: "ollama", URL: "http://10.0.0.7:11434/v1/"}, config.Chat{BaseURL: "http://10.0.0.7:11434/v1", Brand: "ollama"}, true},
		"one that wants a key":    {AddOptions{Preset: "groq", KeyEnv: "MY_KEY"}, config.Chat{BaseURL: "https://api.groq.com/openai/v1", KeyEnv: "MY_KEY"}, false},
		"any other, by its name":  {AddOptions{Preset: "mine", URL: "https://models.example/v1"}, config.Chat{BaseURL: "https://models.example/v1", Brand: "mine"}, true},
		"and a family of its own": {AddOptions{Preset: "mine", Name: "big", Brand: "qwen", URL: "https://models.example/v1"}, config.Chat{BaseURL: "https://models.example/v1", Brand: "qwen"}, true},
	} {
		s, local, err := w.serverOf(c.asked)
		require.NoError(t, err, name)
		require.Equal(t, c.want.BaseURL, s.BaseURL, name)
		require.Equal(t, c.want.KeyEnv, s.KeyEnv, name)
		require.Equal(t, c.local, local, name)
		if c.want.Brand != "" {
			require.Equal(t, c.want.Brand, s.Brand, name)
		}
	}
	for _, asked := range []AddOptions{{Preset: "mine"}, {Preset: "mine", URL: "models.example/v1"}, {Preset: "mine", URL: "file:///etc/passwd"}, {Preset: "ollama", URL: "http://u:secret@127.0.0.1/v1"}} {
		_, _, err := w.serverOf(asked)
		require.Error(t, err, "%+v", asked)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestAModelIsTakenWhereThereIsNoDoubt(t *testing.T) {
	many := strings.Fields(strings.Repeat("m ", 40))
	for name, c := range map[string]struct {
		models []string
		want   string
		taken  string
		why    string
	}{
		"the only one":             {[]string{"a"}, "", "a", ""},
		"the one that is named":    {[]string{"a", "b"}, "b", "b", ""},
		"named where none is told": {nil, "b", "b", ""},
		"one it has not":           {[]string{"a"}, "b", "", `it has no model "b"; it has a`},
		"several":                  {[]string{"a", "b"}, "", "", "choose one with --model: a, b"},
		"very many":                {many, "", "", "m and 10 more"},
		"none":                     {nil, "", "", "name one with --model"},
	} {
		got, err := chosen(c.models, c.want)
		require.Equal(t, c.taken, got, name)
		if c.why != "" {
			require.ErrorContains(t, err, c.why, name)
		}
	}
}

// speaker is a person who types these lines and then is gone.
type speaker struct {
	lines []string
	told  []string
}

func (s *speaker) Line(context.Context, string) (string, error) {
	if len(s.lines) == 0 {
		return "", io.EOF
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	return line, nil
}

func (s *speaker) Say(lines ...string) { s.told = append(s.told, lines...) }

func TestAnAnswerIsUnderstoodOrAskedForAgain(t *testing.T) {
	for name, c := range map[string]struct {
		typed string // lines, parted by |
		want  string
		told  int
		err   error
	}{
		"at once":             {"yes", "true", 0, nil},
		"capitals":            {"N", "false", 0, nil},
		"after nonsense":      {"maybe|\x1b[A|y", "true", 2, nil},
		"silence is as usual": {"", "usual", 0, nil},
		"never":               {"a|b|c|d|e|y", "usual", 5, errors.New("no answer that is understood")},
		"the end of input":    {"a", "usual", 1, io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			s := &speaker{lines: strings.Split(c.typed, "|")}
			answer := "usual"
			err := (&work{person: s}).ask(t.Context(), "So?", func(text string) error {
				yes, err := yesOrNo(text)
				if err == nil {
					answer = map[bool]string{true: "true", false: "false"}[yes]
				}
				return err
			})
			require.Equal(t, c.err, err)
			require.Equal(t, c.want, answer)
			require.Len(t, s.told, c.told)
		})
	}
}

func TestATrialSaysHowItWent(t *testing.T) {
	for want, trial := range map[string]Trial{
		"claude    ok: it answered in 1.5 s (small, $0.0021)":           {Seat: "claude", Model: "small", OK: true, USD: 0.0021, Seconds: 1.5},
		"codex     ok: it answered in 2.0 s (small, $0.1000 estimated)": {Seat: "codex", Model: "small", OK: true, USD: 0.1, Estimated: true, Seconds: 2},
		"gemini    ok: it answered in 0.1 s (small, 900 tokens)":        {Seat: "gemini", Model: "small", OK: true, Tokens: 900, Seconds: 0.1},
		"mine      ok: it answered in 0.1 s (small, no cost told)":      {Seat: "mine", Model: "small", OK: true, Seconds: 0.1},
		"mine      no answer within 1m0s":                               {Seat: "mine", Problem: "no answer within 1m0s"},
	} {
		require.Equal(t, want, trial.Line())
	}
}
