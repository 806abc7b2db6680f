package proxy_test

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proxy"
)

// row is one setting and where it leads: "direct", "unreadable", or the host
// of the proxy.
type row struct {
	Why    string            `json:"why"`
	Env    map[string]string `json:"env"`
	Config string            `json:"config"`
	URL    string            `json:"url"`
	Way    string            `json:"way"`
	Odd    []string          `json:"odd"`
}

func rows(t *testing.T) (list []row) {
	data, err := os.ReadFile("testdata/ways.jsonl")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		var r row
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		list = append(list, r)
	}
	require.NotEmpty(t, list)
	return list
}

func TestTheWayToAnAddress(t *testing.T) {
	for _, r := range rows(t) {
		s := proxy.Find(r.Config, func(name string) string { return r.Env[name] })
		u, err := url.Parse(r.URL)
		require.NoError(t, err)
		via, err := s.For(u)
		switch {
		case r.Way == "unreadable":
			require.Error(t, err, r.Why)
			require.ErrorIs(t, s.Err(), err, r.Why)
			require.Nil(t, via, r.Why)
		case r.Way == "direct":
			require.NoError(t, err, r.Why)
			require.Nil(t, via, r.Why)
		default:
			require.NoError(t, err, r.Why)
			require.NotNil(t, via, r.Why)
			require.Equal(t, r.Way, via.Scheme+"://"+via.Host, r.Why)
			require.True(t, s.IsSet(), r.Why)
		}
		require.ElementsMatch(t, r.Odd, s.InvalidExceptions(), r.Why)
	}
}

func TestNoPasswordIsTold(t *testing.T) {
	for _, value := range []string{"http://user:s3cret@proxy.test:3128", "user:s3cret@proxy.test:3128", "http://user:s3cret@pro xy", "ftp://user:s3cret@proxy.test"} {
		s := proxy.Find("", func(name string) string {
			if name == "HTTPS_PROXY" {
				return value
			}
			return ""
		})
		require.NotContains(t, s.String(), "s3cret")
		if s.Err() != nil {
			require.NotContains(t, s.Err().Error(), "s3cret")
		}
	}
}

func TestASettingInWords(t *testing.T) {
	env := map[string]string{"HTTPS_PROXY": "http://a.test:1", "NO_PROXY": "x.test, y.test"}
	get := func(name string) string { return env[name] }
	require.Equal(t, "https through http://a.test:1 (HTTPS_PROXY), except x.test, y.test", proxy.Find("", get).String())
	require.Equal(t, "http and https through http://b.test:2 (network: proxy), except x.test, y.test", proxy.Find("http://b.test:2", get).String())
	require.Empty(t, proxy.Find(proxy.None, get).String())
	require.False(t, proxy.Setting{}.IsSet())
}
