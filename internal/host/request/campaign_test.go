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
