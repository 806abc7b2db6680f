package servers_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/test/loopback"
)

// listing is a server of models that lists some and wants a key.
func listing(t *testing.T, key, models string) string {
	model := loopback.Chat(t, loopback.Scenario{Play: newResearcher("", "").play})
	to, err := url.Parse(model.URL)
	require.NoError(t, err)
	behind := httputil.NewSingleHostReverseProxy(to)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case key != "" && r.Header.Get("Authorization") != "Bearer "+key:
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v1/models":
			_, _ = w.Write([]byte(models))
		default:
			behind.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

const (
	oneModel = `{"object":"list","data":[{"id":"small-8b","object":"model"}]}`
	twoModel = `{"object":"list","data":[{"id":"small-8b"},{"id":"vendor/large:70b"}]}`
)

func TestAServerIsAddedToTheConfiguration(t *testing.T) {
	h := newHouse(t, "# mine\nlimits:\n  usd: 3 # enough\n", "OFFICE_KEY=k-123", "OLLAMA_HOST=")
	path := filepath.Join(h.dir, "config.yaml")
	text := func() string {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(data)
	}
	was := text()
	address := listing(t, "k-123", twoModel)

	for _, wrong := range []struct {
		args []string
		says string
	}{
		{[]string{"nobody"}, "none that is known"},
		{[]string{"office", "--url", address}, "does not take the key"},
		{[]string{"office", "--url", address, "--key-env", "OFFICE_KEY"}, "choose one with --model: small-8b, vendor/large:70b"},
		{[]string{"office", "--url", address, "--key-env", "OFFICE_KEY", "--model", "huge"}, `no model "huge"`},
		{[]string{"office", "--url", address, "--key-env", "NO_SUCH_KEY"}, "NO_SUCH_KEY is not set"},
		{[]string{"office", "--url", address, "--key-env", "k-123 in place of a name"}, "name of a variable"},
		{[]string{"office", "--url", "http://127.0.0.1:1/v1"}, "nothing answers"},
		{[]string{"office", "--url", "not an address"}, "base_url"},
		{[]string{"claude", "--url", listing(t, "", oneModel)}, "cannot be a seat's name"},
		{[]string{"Bad Name", "--url", listing(t, "", oneModel)}, "cannot be a seat's name"},
	} {
		_, said, code := h.council(append([]string{"config", "add"}, wrong.args...)...)
		require.Contains(t, []int{1, 2}, code, "%s", wrong.args)
		require.Contains(t, said, wrong.says)
		require.NotContains(t, said, "k-123\n")
		require.Equal(t, was, text(), "nothing is changed by %s", wrong.args)
	}

	out := h.done("config", "add", "office", "--url", address, "--key-env", "OFFICE_KEY", "--model", "vendor/large:70b", "--brand", "vendor", "--dry-run")
	require.Contains(t, out, "vendor/large:70b")
	require.Equal(t, was, text())

	out = h.done("config", "add", "office", "--url", address, "--key-env", "OFFICE_KEY", "--model", "vendor/large:70b", "--brand", "vendor")
	require.Contains(t, out, "ok: it answered")
	require.Contains(t, text(), "# mine\nlimits:\n  usd: 3 # enough\n")
	require.NotContains(t, text(), "k-123")
	require.Contains(t, h.done("config", "show"), "vendor/large:70b")

	_, said, code := h.council("config", "add", "office", "--url", address, "--key-env", "OFFICE_KEY", "--model", "small-8b")
	require.Equal(t, 1, code)
	require.Contains(t, said, "already")

	require.Contains(t, h.done("config", "add", "home", "--url", listing(t, "", oneModel)), "it wants no key")
	require.Contains(t, h.done("doctor"), "home")
}
