package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/flow"
)

func defaults(t *testing.T) config.Config {
	t.Helper()
	c, err := config.Parse(nil)
	require.NoError(t, err)
	return c
}

func TestTheDefaultsAreWhole(t *testing.T) {
	c := defaults(t)
	require.Equal(t, []string{"claude", "codex", "gemini"}, c.Seats)
	require.Equal(t, "max", c.Tier)
	require.Equal(t, 10, c.Limits.Iterations)
	for name, k := range c.Kinds {
		require.NotEmpty(t, k.Brand, name)
		require.NotEmpty(t, k.Program, name)
		for tier, m := range map[string]config.Model{"max": k.Max, "standard": k.Standard, "cheap": k.Cheap} {
			require.NotEmpty(t, m.Model, "%s %s", name, tier)
		}
	}
	for _, seat := range c.Seats {
		require.Contains(t, c.Names(), seat)
	}
	again, err := config.Parse(config.Defaults())
	require.NoError(t, err)
	require.Equal(t, c, again, "the file that ships says what is so without one")
}

func TestServersStandInForSeats(t *testing.T) {
	const office = "chat: {office: {brand: o, base_url: 'http://127.0.0.1:1/v1', max: {model: m}, free: true}, openai: {max: {model: other}}}\n"
	for text, want := range map[string][]string{
		"":                                nil,
		office:                            {"office", "openai"},
		office + "seats: []\n":            {"office", "openai"},
		office + "seats: [claude]\n":      nil,
		string(config.Defaults()):         nil,
		"chat: {openai: {brand: openai}}": nil,
	} {
		c, err := config.Parse([]byte(text))
		require.NoError(t, err)
		require.Equal(t, want, c.Spare, text)
	}
}

func TestPricesMayStandWithAKind(t *testing.T) {
	c, err := config.Parse([]byte("kinds: {codex: {cheap: {model: small}, prices: {small: {input: 1, output: 2}, big: {input: 3}}}}\nprices: {big: {input: 4}}\n"))
	require.NoError(t, err)
	require.Equal(t, flow.Price{Input: 1, Output: 2}, c.Prices["small"])
	require.Equal(t, flow.Price{Input: 4}, c.Prices["big"], "what stands under prices goes first")
	seats, missing := c.Roster([]string{"codex"}, "cheap", config.Resolver{Find: func(string) (string, error) { return "/bin/codex", nil }})
	require.Empty(t, missing)
	require.Equal(t, c.Prices["small"], seats[0].Price)
	_, err = config.Parse([]byte("kinds: {codex: {prices: {small: {input: -1}}}}"))
	require.ErrorContains(t, err, "cannot be negative")
}

func TestTheDefaultsCannotBeChangedThroughACopy(t *testing.T) {
	clear(config.Defaults())
	require.NotEmpty(t, defaults(t).Seats)
}

func TestAUsersFileChangesOnlyWhatItNames(t *testing.T) {
	before := defaults(t)
	c, err := config.Parse([]byte("kinds:\n  claude:\n    cheap: {model: mine}\n"))
	require.NoError(t, err)
	require.Equal(t, "mine", c.Kinds["claude"].Cheap.Model)
	want := before.Kinds["claude"]
	want.Cheap.Model = "mine"
	require.Equal(t, want, c.Kinds["claude"], "its program, brand, effort and other models are as before")
	require.Equal(t, before.Kinds["codex"], c.Kinds["codex"])
	require.Equal(t, before.Limits, c.Limits)

	for _, own := range []string{"kinds:\n", "kinds:\n  claude:\n", "# a comment alone\n", "kinds: {}\n", "limits:\n", "test:\n", "\n"} {
		c, err = config.Parse([]byte(own))
		require.NoError(t, err, own)
		require.Equal(t, before, c, own)
	}

	c, err = config.Parse([]byte("limits:\n  usd: 2.5\ntest:\n  iterations: 1\n"))
	require.NoError(t, err)
	require.Equal(t, 2.5, c.Limits.USD)
	require.Equal(t, before.Limits.Iterations, c.Limits.Iterations)
	require.Equal(t, 1, c.Test.Iterations)
	require.Equal(t, before.Test.Tier, c.Test.Tier)

	c, err = config.Parse([]byte("seats: [codex]\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"codex"}, c.Seats, "a list is replaced, not added to")
}

func TestAConfigurationThatWouldNotHoldIsRefused(t *testing.T) {
	for name, row := range map[string]struct{ own, says string }{
		"a misspelt limit":             {"limits: {usdd: 1}", "usdd"},
		"a misspelt key":               {"seat: [claude]", "seat"},
		"a misspelt key of a kind":     {"kinds: {claude: {maxx: {model: m}}}", "maxx"},
		"no YAML":                      {"limits: [", "read configuration"},
		"a list for a mapping":         {"limits: [1]", "read configuration"},
		"a word for a number":          {"limits: {usd: much}", "read configuration"},
		"a tier nobody knows":          {"tier: best", "tier has to be one of max, standard, cheap"},
		"a test tier nobody knows":     {"test: {tier: free}", "tier has to be one of"},
		"no iterations":                {"limits: {iterations: 0}", "at least 1"},
		"negative iterations":          {"limits: {iterations: -1}", "at least 1"},
		"no test iterations":           {"test: {iterations: 0}", "at least 1"},
		"turns without time":           {"limits: {turn_minutes: 0}", "at least 1"},
		"negative minutes":             {"limits: {minutes: -1}", "cannot be negative"},
		"negative money":               {"limits: {usd: -0.01}", "cannot be negative"},
		"negative tokens":              {"limits: {tokens: -1}", "cannot be negative"},
		"negative turns":               {"limits: {turns: -1}", "cannot be negative"},
		"negative test money":          {"test: {usd: -1}", "cannot be negative"},
		"negative test minutes":        {"test: {minutes: -1}", "cannot be negative"},
		"money that is no number":      {"limits: {usd: .nan}", "cannot be negative"},
		"negative turns at once":       {"parallel: -1", "cannot be negative"},
		"negative turns of a brand":    {"per_brand: {openai: -1}", "cannot be negative"},
		"a negative price":             {"prices: {m: {input: -1}}", "cannot be negative"},
		"a command without a program":  {"commands: {mine: {brand: b}}", "mine has no program"},
		"a command called like a CLI":  {"commands: {claude: {program: p}}", `"claude" cannot be a seat's name`},
		"a command called librarian":   {"commands: {librarian: {program: p}}", "cannot be a seat's name"},
		"a command called like ours":   {"commands: {librarian-code: {program: p}}", "cannot be a seat's name"},
		"a command called session":     {"commands: {session: {program: p}}", "cannot be a seat's name"},
		"a command called program":     {"commands: {program: {program: p}}", "cannot be a seat's name"},
		"a command with a path's name": {`commands: {"../x": {program: p}}`, "cannot be a seat's name"},
		"a command in capitals":        {"commands: {Mine: {program: p}}", "cannot be a seat's name"},
		"a command with a dash first":  {"commands: {-mine: {program: p}}", "cannot be a seat's name"},
		"a command without a name":     {`commands: {"": {program: p}}`, "cannot be a seat's name"},
		"a command with a long name":   {"commands: {" + strings.Repeat("x", 41) + ": {program: p}}", "cannot be a seat's name"},
		"money without end":            {"limits: {usd: .inf}", "have to be numbers"},
		"time without end":             {"limits: {minutes: 9223372036854775807}", "cannot be longer"},
		"a turn without end":           {"limits: {turn_minutes: 525601}", "cannot be longer"},
		"a kind of one's own":          {"kinds: {mine: {program: p, brand: b}}", "goes under commands"},
		"a kind without a program":     {"kinds: {claude: {program: \"\"}}", "no program"},
		"a kind that is a list":        {"kinds: {claude: [1]}", "read configuration"},
		"a second document":            {"tier: max\n---\ntier: cheap\n", "one document"},
		"a seat nobody knows":          {"seats: [claud]", `no seat is called "claud"`},
		"a desktop that is half on":    {"notify: {desktop: maybe}", "desktop has to be auto, on or off"},
		"messages without time":        {"notify: {timeout: 0s}", "timeout has to be"},
		"messages with too much time":  {"notify: {timeout: 1h}", "timeout has to be"},
		"a channel nobody knows":       {"notify: {pager: {url: x}}", "pager"},
		"two addresses":                {"notify: {webhook: {url: 'https://a.invalid', url_env: HOOK}}", "url or url_env"},
		"two topics":                   {"notify: {ntfy: {topic: a, topic_env: B}}", "topic or topic_env"},
		"a topic that is a path":       {"notify: {ntfy: {topic: ../x}}", "letters, digits"},
		"a webhook that is a file":     {"notify: {webhook: {url: 'file:///etc/passwd'}}", "webhook: url has to be an http or https address"},
		"an ntfy server without host":  {"notify: {ntfy: {server: ntfy}}", "ntfy: server has to be"},
		"no server of Telegram's":      {"notify: {telegram: {server: ''}}", "telegram: server has to be"},
		"a bot without a token":        {"notify: {telegram: {chat: '7', token_env: ''}}", "telegram needs token_env"},
		"a header without a variable":  {"notify: {webhook: {headers_env: {Authorization: ''}}}", "headers_env has to give"},
		"a rendering nobody knows":     {"network: {render: always}", "network: render"},
		"a proxy nobody speaks":        {"network: {proxy: 'ftp://p.invalid'}", "network: proxy"},
		"a proxy that is no address":   {"network: {proxy: '::not a url'}", "network: proxy"},
		"a proxy with a password":      {"network: {proxy: 'http://u:p@p.invalid:1'}", "set HTTPS_PROXY"},
		"a header that is two":         {`notify: {webhook: {headers_env: {"A: b\nC": D}}}`, "headers_env has to give"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Parse([]byte(row.own))
			require.ErrorContains(t, err, row.says)
		})
	}
}

// A person who writes a secret where its variable's name belongs is told so,
// and not by repeating it.
func TestASecretInTheConfigurationIsRefusedAndNotRepeated(t *testing.T) {
	for _, own := range []string{
		"slack: {url_env: 'https://hooks.invalid/services/s3cret'}",
		"telegram: {chat: '7', token_env: '110201543:s3cret'}",
		"ntfy: {topic: t, token_env: 'tk-s3cret'}",
		"ntfy: {topic_env: 's3cret topic'}",
		"webhook: {url_env: '1s3cret'}",
		"webhook: {url: 'https://ada:s3cret@hooks.invalid/'}",
		"webhook: {headers_env: {Authorization: 'Bearer s3cret'}}",
	} {
		_, err := config.Parse([]byte("notify:\n  " + own + "\n"))
		require.ErrorContains(t, err, "notify: ", own)
		require.NotContains(t, err.Error(), "s3cret")
	}
}

func TestChannelsAreSetOneByOne(t *testing.T) {
	before := defaults(t).Notify
	require.Equal(t, config.DesktopAuto, before.Desktop)
	require.Equal(t, 10*time.Second, before.Timeout)
	c, err := config.Parse([]byte("notify:\n  desktop: off\n  telegram: {chat: -100123}\n  webhook:\n    url: http://10.0.0.7:8080/hook\n    headers_env: {X-Key: KEY}\n"))
	require.NoError(t, err)
	want := before
	want.Desktop, want.Telegram.Chat = config.DesktopOff, "-100123"
	want.Webhook.URL, want.Webhook.Headers = "http://10.0.0.7:8080/hook", map[string]string{"X-Key": "KEY"}
	require.Equal(t, want, c.Notify, "servers and the token's variable are as before")
	require.Equal(t, []string{"KEY", "TELEGRAM_BOT_TOKEN"}, c.Notify.Variables())
}

func TestAFileThatIsNotThereIsNoError(t *testing.T) {
	c, err := config.Load(filepath.Join(t.TempDir(), "none.yaml"))
	require.NoError(t, err)
	require.Equal(t, defaults(t), c)
}

func TestAnErrorNamesTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(name, []byte("tier: best\n"), 0o600))
	_, err := config.Load(name)
	require.ErrorContains(t, err, name)
	_, err = config.Load(filepath.Dir(name))
	require.ErrorContains(t, err, filepath.Dir(name))
}

func TestTheEnvironmentSaysWhereTheFileIs(t *testing.T) {
	path, err := config.Path(func(name string) string { return map[string]string{"COUNCIL_CONFIG": "/x/y.yaml"}[name] })
	require.NoError(t, err)
	require.Equal(t, "/x/y.yaml", path)
	t.Setenv("HOME", "/home/ada")
	t.Setenv("XDG_CONFIG_HOME", "/home/ada/.config")
	path, err = config.Path(func(string) string { return "" })
	require.NoError(t, err)
	require.Equal(t, filepath.Join("research-council", "config.yaml"), filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)))
}

const own = `
commands:
  local:
    program: agent
    args: ["--out", "{report}"]
    model: small
    inherit: [TOKEN]
    free: true
  other: {program: other, brand: meta}
prices:
  small: {input: 1, output: 2, cached: 0.5}
`

func TestNamesBecomeSeatsEachOnce(t *testing.T) {
	c, err := config.Parse([]byte(own))
	require.NoError(t, err)
	for name, row := range map[string]struct{ given, want []string }{
		"none":                      {nil, nil},
		"in the order given":        {[]string{"codex", "claude"}, []string{"codex", "claude"}},
		"named twice":               {[]string{"codex", "claude", "codex"}, []string{"codex", "claude"}},
		"commands":                  {[]string{"local", "other"}, []string{"local", "other"}},
		"the librarian is three":    {[]string{"librarian"}, config.Librarians()},
		"one librarian and the set": {[]string{"librarian-code", "librarian"}, []string{"librarian-code", "librarian-official", "librarian-community"}},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := c.Expand(row.given)
			require.NoError(t, err)
			require.Equal(t, row.want, list)
		})
	}
	for _, name := range []string{"", "Claude", "gpt", "claude ", "../claude", "session", "program"} {
		_, err := c.Expand([]string{"claude", name})
		require.ErrorContains(t, err, "use some of claude, codex, gemini, local, other, groq, openai, librarian", "%q", name)
	}
}

func TestARosterIsResolvedForItsTier(t *testing.T) {
	c, err := config.Parse([]byte(own + "kinds:\n  gemini:\n    cheap: {model: small, thinking: 7}\n"))
	require.NoError(t, err)
	find := func(program string) (string, error) {
		if program == "codex" {
			return "", errors.New("codex is not installed")
		}
		return "/bin/" + program, nil
	}
	price := flow.Price{Input: 1, Output: 2, Cached: 0.5}
	claude := c.Kinds["claude"]
	seats, missing := c.Roster([]string{"claude", "codex", "gemini", "local", "other", "librarian-code"}, "cheap", config.Resolver{Find: find})
	require.Equal(t, []flow.Missing{{Seat: "codex", Reason: "codex is not installed"}}, missing)
	require.Equal(t, []flow.Seat{
		{Name: "claude", Kind: "claude", Brand: "anthropic", Program: "/bin/claude", Model: claude.Cheap.Model, Effort: claude.Cheap.Effort},
		{Name: "gemini", Kind: "gemini", Brand: "google", Program: "/bin/gemini", Model: "small", Thinking: 7, Price: price},
		{Name: "local", Kind: "command", Brand: "local", Program: "/bin/agent", Args: []string{"--out", "{report}"}, Model: "small", Inherit: []string{"TOKEN"}, Free: true, Price: price},
		{Name: "other", Kind: "command", Brand: "meta", Program: "/bin/other"},
		{Name: "librarian-code", Kind: "librarian", Brand: "librarian", Free: true},
	}, seats)
	for _, tier := range config.Tiers() {
		seats, _ := c.Roster([]string{"claude"}, tier, config.Resolver{Find: find})
		want := map[string]config.Model{"max": claude.Max, "standard": claude.Standard, "cheap": claude.Cheap}[tier]
		require.Equal(t, want, config.Model{Model: seats[0].Model, Effort: seats[0].Effort, Thinking: seats[0].Thinking}, tier)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(config.Defaults())
	f.Add([]byte(own))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Parse(data)
		if err != nil {
			return
		}
		require.Contains(t, config.Tiers(), c.Tier)
		require.GreaterOrEqual(t, c.Limits.Iterations, 1)
		require.GreaterOrEqual(t, c.Limits.USD, 0.0)
	})
}

func TestEverySecretIsKeptFromChildren(t *testing.T) {
	c, err := config.Parse([]byte("notify: {telegram: {chat: \"1\", token_env: BOT}}\nnotion: {parent: 0123456789abcdef0123456789abcdef, token_env: PAGES}\nchat: {mine: {brand: x, base_url: \"http://127.0.0.1:1/v1\", key_env: MINE, max: {model: m}, standard: {model: m}, cheap: {model: m}}}\n"))
	require.NoError(t, err)
	collectors := []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_METRICS_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"}
	require.Equal(t, append([]string{"BOT", "GROQ_API_KEY", "MINE", "OPENAI_API_KEY"}, append(collectors, "PAGES")...), c.Secrets())
}
