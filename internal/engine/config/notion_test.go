package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/config"
)

func TestNotionIsOffAndReady(t *testing.T) {
	c, err := config.Parse(nil)
	require.NoError(t, err)
	require.Equal(t, config.Notion{
		Server: "https://api.notion.com", ParentKind: config.ParentPage, TokenEnv: "NOTION_TOKEN",
		Timeout: time.Minute, Pace: 350 * time.Millisecond,
	}, c.Notion)
	require.Equal(t, []string{"NOTION_TOKEN"}, c.Notion.Variables())
}

func TestNotionIsSetFieldByField(t *testing.T) {
	c, err := config.Parse([]byte("notion:\n  parent: 0123\n  parent_kind: database\n  token_env: ''\n  token_file: /keys/notion\n  pace: 0s\n"))
	require.NoError(t, err)
	require.Equal(t, config.Notion{
		Server: "https://api.notion.com", Parent: "0123", ParentKind: config.ParentDatabase, TokenFile: "/keys/notion", Timeout: time.Minute,
	}, c.Notion)
	require.Empty(t, c.Notion.Variables())
}

func TestNotionThatCannotWorkIsRefusedWithoutRepeatingIt(t *testing.T) {
	for own, says := range map[string]string{
		"server: ftp://s3cret.invalid":        "server has to be an http or https address",
		"server: 's3cret'":                    "server has to be an http or https address",
		"server: https://a:s3cret@x.invalid":  "without a password",
		"server: https://x.invalid/?k=s3cret": "without a password",
		"parent_kind: s3cret":                 "page or database",
		"token_env: 'ntn_s3cret!'":            "the name of a variable",
		"token_env: '5ntn_s3cret'":            "the name of a variable",
		"token_env: ''":                       "token_env or token_file",
		"token_file: keys/s3cret":             "an absolute path",
		"timeout: 0s":                         "timeout",
		"timeout: 6m":                         "timeout",
		"pace: -1s":                           "pace",
		"pace: 11s":                           "pace",
		"token: ntn_s3cret":                   "field token not found",
	} {
		_, err := config.Parse([]byte("notion:\n  " + own + "\n"))
		require.ErrorContains(t, err, says, own)
		require.NotContains(t, err.Error(), "s3cret")
	}
}
