package request

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestACampaignsArgumentsAreTakenAsTyped(t *testing.T) {
	for args, want := range map[string][2]string{
		`'topic' 'A prompt'`:                               {"topic", "A prompt"},
		`topic A prompt without quotes`:                    {"topic", "A prompt without quotes"},
		`'topic' 'It's an apostrophe'`:                     {"topic", "It's an apostrophe"},
		`"two words" "say \"it\" 'so'"`:                    {"two words", `say \"it\" 'so'`},
		"'topic' 'line one\nline two\n--- not a flag'":     {"topic", "line one\nline two\n--- not a flag"},
		`--loop 'topic' 'A prompt'`:                        {"topic", "A prompt"},
		`'topic' --max-iterations 3 'A prompt'`:            {"topic", "A prompt"},
		`'topic' 'A prompt' --max-usd=5 --loop`:            {"topic", "A prompt"},
		`'topic' "Use --max-usd wisely, she said"`:         {"topic", "Use --max-usd wisely, she said"},
		`'тема' '日本語 «вопрос»'`:                            {"тема", "日本語 «вопрос»"},
		`'../../etc' '$(touch x) ` + "`id`" + ` ; rm -rf'`: {"../../etc", "$(touch x) `id` ; rm -rf"},
		`'it's here' 'How?'`:                               {"it's here", "How?"},
		`'only-a-name'`:                                    {"only-a-name", ""},
	} {
		req, err := ParseCampaign(args)
		require.NoError(t, err, args)
		require.Equal(t, want, [2]string{req.Name, req.Topic}, args)
	}
}

func TestACampaignsFlags(t *testing.T) {
	req, err := ParseCampaign(`'n' 'p' --loop --max-iterations unlimited --max-hours 1.5 --research 4 --planning 2 --test-command "go test ./..." --plan docs/p.md --allow "Bash(make:*); Bash(npm test)" --seats claude,codex`)
	require.NoError(t, err)
	require.Equal(t, Campaign{
		Name: "n", Loop: true, Hours: 1.5, Research: 4, Planning: 2, Command: "go test ./...", Plan: "docs/p.md", Allow: []string{"Bash(make:*)", "Bash(npm test)"},
	}, req.Campaign)
	require.Equal(t, Unlimited, req.Iterations)
	require.Equal(t, []string{"claude", "codex"}, req.Seats)
}

func TestWhatCannotBeACampaignIsOneLine(t *testing.T) {
	for args, want := range map[string]string{
		"":                                  "there is no name",
		"  --loop ":                         "there is no name",
		"'n' 'p' --max-iterations none":     "whole number",
		"'n' 'p' --max-iteration 3":         "did you mean --max-iterations?",
		"'n' 'p' --max-hours -2":            "hours",
		"'n' 'p' --max-hours 1e9":           "hours",
		"'n' 'p' --max-usd 3 --max-usd 4":   "twice",
		"'n' 'p' --test-command":            "needs a value",
		"'unclosed prompt":                  "is not closed",
		"'n' '   '":                         "",
		"'n' 'p' --max-iterations=0":        "whole number",
		"'n' 'p' --research 0 --loop":       "whole number",
		"'n' 'p' --allow":                   "needs a value",
		"'n' 'p' --max-iterations 3 --nope": "--nope",
	} {
		req, err := ParseCampaign(args)
		if want == "" {
			require.NoError(t, err)
			require.Empty(t, req.Topic)
			continue
		}
		require.ErrorContains(t, err, want, args)
		require.NotContains(t, err.Error(), "\n")
	}
	req, err := ParseResume("--max-iterations 9")
	require.NoError(t, err)
	require.Equal(t, 9, req.Iterations)
}

// What commands in the project may reach is widened by name alone, and kept as
// it was typed: it is a person's permission.
func TestACampaignIsAllowedMoreByName(t *testing.T) {
	for name, c := range map[string]struct {
		typed string
		want  Campaign
	}{
		"a protected file":            {`--allow-path CLAUDE.md`, Campaign{Paths: []string{"CLAUDE.md"}}},
		"several, one with wildcards": {`--allow-path ".github/workflows; docs/*/AGENTS.md;"`, Campaign{Paths: []string{".github/workflows", "docs/*/AGENTS.md"}}},
		"a host":                      {`--allow-host registry.example.com`, Campaign{Hosts: []string{"registry.example.com"}}},
		"all below a name":            {`--allow-host *.example.com`, Campaign{Hosts: []string{"*.example.com"}}},
		"every host":                  {`--allow-host *`, Campaign{Hosts: []string{"*"}}},
		"a database of this machine":  {`--allow-host "localhost:5432; 192.0.2.7"`, Campaign{Hosts: []string{"localhost:5432", "192.0.2.7"}}},
		"variables":                   {`--allow-env "DATABASE_URL;http_proxy"`, Campaign{Variables: []string{"DATABASE_URL", "http_proxy"}}},
		"no hooks of the repository":  {`--no-hooks`, Campaign{NoHooks: true}},
		"a red baseline":              {`--accept-red-baseline`, Campaign{AcceptRed: true}},
	} {
		t.Run(name, func(t *testing.T) {
			req, err := ParseCampaign("'n' 'p' " + c.typed)
			require.NoError(t, err)
			c.want.Name = "n"
			require.Equal(t, c.want, req.Campaign)
		})
	}
}

func TestWhatCannotBeAllowedIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ typed, says string }{
		"a path from the top":            {`--allow-path /etc/CLAUDE.md`, "write the path as it is seen from the project"},
		"a path that leads out":          {`--allow-path ../CLAUDE.md`, "write the path as it is seen from the project"},
		"a path with a zero byte":        {"--allow-path CLAUDE.md\x00", "write the path as it is seen from the project"},
		"a wildcard without its end":     {`--allow-path .github/[a`, "syntax error in pattern"},
		"a path that needs no leave":     {`--allow-path src/main.go`, "is not protected: code may be written there as it is"},
		"one bad path among good ones":   {`--allow-path "CLAUDE.md;src"`, `"src" is not protected`},
		"this machine as a whole":        {`--allow-host localhost`, "name the port too"},
		"a port of another machine":      {`--allow-host db.example.com:5432`, "a port is named only with localhost"},
		"a port that needs rights":       {`--allow-host localhost:80`, "one from 1024 to 65535"},
		"a port that is none":            {`--allow-host localhost:65536`, "one from 1024 to 65535"},
		"a port without a number":        {`--allow-host localhost:db`, "one from 1024 to 65535"},
		"an address with its scheme":     {`--allow-host https://example.com`, "a port is named only with localhost"},
		"a wildcard inside a name":       {`--allow-host api.*.com`, "is no host"},
		"a wildcard of nothing":          {`--allow-host *.`, "is no host"},
		"a list by blanks":               {`--allow-host "a.example b.example"`, "is no host"},
		"a variable with its value":      {`--allow-env TOKEN=1`, "is no variable that can be passed on"},
		"what changes how programs load": {`--allow-env LD_PRELOAD`, "is no variable that can be passed on"},
		"the same, written small":        {`--allow-env ld_library_path`, "is no variable that can be passed on"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseCampaign("'n' 'p' " + c.typed)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func FuzzParseCampaign(f *testing.F) {
	f.Add(`'topic' 'A prompt' --loop`)
	f.Add("--max-usd=3 x 'y' \"z")
	f.Fuzz(func(t *testing.T, args string) {
		req, err := ParseCampaign(args)
		if err == nil {
			require.NotEmpty(t, req.Name)
		}
	})
}

func TestAWordOnAChange(t *testing.T) {
	for args, want := range map[string]Word{
		`parser F003 the table covers both cases`:             {Name: "parser", Feature: "F003", Reason: "the table covers both cases"},
		` 'a parser'  F003  --reason "it's right" `:           {Name: "a parser", Feature: "F003", Reason: "it's right"},
		"\"it's a parser\" F003 I have read it,\nevery line.": {Name: "it's a parser", Feature: "F003", Reason: "I have read it,\nevery line."},
	} {
		got, err := ParseWord(args)
		require.NoError(t, err, args)
		require.Equal(t, want, got, args)
	}
	for _, args := range []string{"", "parser", "parser F003", "parser F003 ''", "'parser F003 why", "'' F003 why"} {
		_, err := ParseWord(args)
		require.Error(t, err, args)
	}
}
