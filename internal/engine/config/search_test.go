package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatSearchesTheWebIsSettled(t *testing.T) {
	c, err := Parse([]byte(`search: {engines: [searxng, keyless, brave, wikipedia], contact: me@example.org, services: {searxng: {url: "http://127.0.0.1:8888/"}, brave: {usd: 0.003}, github: {key_env: GITHUB_TOKEN}}}`))
	require.NoError(t, err)
	list := c.Network.Search
	require.Equal(t, "searxng", list[0].Engine)
	require.Equal(t, "http://127.0.0.1:8888", list[0].URL)
	seen := map[string]int{}
	for _, s := range list {
		seen[s.Engine]++
		require.Equal(t, 1, seen[s.Engine], s.Engine)
		require.NotEmpty(t, s.URL)
		switch s.Engine {
		case "brave":
			require.InDelta(t, 0.003, s.USD, 1e-9)
			require.Equal(t, "BRAVE_API_KEY", s.KeyEnv)
		case "github":
			require.Equal(t, "GITHUB_TOKEN", s.KeyEnv)
		case "wikipedia":
			require.Equal(t, "me@example.org", s.Contact)
		}
	}
	require.Equal(t, []string{"GITHUB_TOKEN", "BRAVE_API_KEY"}, c.Network.SearchVariables())
	require.Subset(t, c.Secrets(), c.Network.SearchVariables())
	none, err := Parse(nil)
	require.NoError(t, err)
	require.Empty(t, none.Network.Search, "no engine is asked that nobody has named")
}

func TestWhatCannotSearchIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		`{engines: [google]}`:  `"google" is no engine; there are searxng`,
		`{engines: [searxng]}`: "searxng: url has to be the address of yours",
		`{engines: [searxng], services: {searxng: {url: "not one"}}}`:              "url has to be an http or https address",
		`{engines: [searxng], services: {searxng: {url: "http://a:b@c.example"}}}`: "cannot hold a user",
		`{services: {brave: {key_env: "BSA-0123 a key"}}}`:                         "not what it holds",
		`{services: {brave: {key_env: BRAVE}}}`:                                    "KEY, TOKEN or SECRET",
		`{services: {brave: {key_file: brave.key}}}`:                               "absolute path",
		`{services: {brave: {usd: -1}}}`:                                           "number from 0",
		`{services: {brave: {usd: .nan}}}`:                                         "number from 0",
		`{services: {nobody: {usd: 1}}}`:                                           `"nobody" is no engine`,
		`{contact: "not an address"}`:                                              "address of mail",
		`{contact: "a@b\nX-Header: 1"}`:                                            "address of mail",
		`{engine: [brave]}`:                                                        "engine",
	} {
		_, err := Parse([]byte("search: " + text))
		require.ErrorContains(t, err, says, text)
		require.NotContains(t, err.Error(), "BSA-0123")
	}
}
