package engines_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/test/engines"
)

// large are answers that are made when they are sent, and slow to make.
func large(name string) bool {
	return strings.HasPrefix(name, "30 MB") || strings.Contains(name, "bomb") || strings.Contains(name, "nested")
}

// Hostile results come in every engine's own form, beside a sound one.
func TestHostileResultsAreInTheEnginesForm(t *testing.T) {
	s := engines.Start(t, []engines.Result{lake()})
	for name, q := range searches(s.Key) {
		for what, a := range engines.Hostile() {
			if a.Results == nil {
				continue
			}
			s.Fail(name, 1, a)
			status, header, body := do(t, s.Base(name), agent, q)
			require.Equal(t, http.StatusOK, status, "%s, %s", name, what)
			if strings.Contains(header.Get("Content-Type"), "json") {
				require.True(t, json.Valid([]byte(body)), "%s, %s", name, what)
			}
			bad := a.Results[0].URL
			if u := slices.Contains([]string{"pubmed", "wikipedia"}, name); !u && strings.HasPrefix(bad, "javascript:") {
				require.Contains(t, body, bad, name)
			}
			require.Equal(t, engines.Sound(), a.Results[len(a.Results)-1])
		}
		_, _, body := do(t, s.Base(name), agent, q)
		require.NotContains(t, body, "javascript:", "%s is itself again", name)
	}
}

func TestHostileBodiesAreWhatTheySay(t *testing.T) {
	s := engines.Start(t, []engines.Result{lake()})
	all := searches(s.Key)
	hostile := engines.Hostile()
	for _, name := range []string{"tavily", "arxiv", "wayback", "stackexchange"} {
		s.Fail(name, 1, hostile["30 MB"])
		_, _, body := do(t, s.Base(name), agent, all[name])
		require.Greater(t, len(body), 30_000_000, name)
		require.Contains(t, body, "news.example/lake", name)
	}
	for what, test := range map[string]func(body string) bool{
		"cut in the middle":              func(b string) bool { return len(b) > 10 && !json.Valid([]byte(b)) },
		"numbers where strings belong":   func(b string) bool { return json.Valid([]byte(b)) && !strings.Contains(b, "lake") },
		"nested 100,000 deep":            func(b string) bool { return strings.Count(b, "[") > 100_000 },
		"an empty body":                  func(b string) bool { return b == "" },
		"nothing but null":               func(b string) bool { return b == "null" },
		"a page of HTML with status 200": func(b string) bool { return strings.HasPrefix(b, "<!doctype html>") },
		"a snippet that gives orders":    func(b string) bool { return strings.Contains(b, engines.Orders) },
		"control characters and escapes": func(b string) bool { return strings.Contains(b, `\u001b[2J`) },
	} {
		require.Contains(t, hostile, what)
		s.Fail("tavily", 1, hostile[what])
		_, _, body := do(t, s.Base("tavily"), agent, all["tavily"])
		require.True(t, test(body), "%s: %.200s", what, body)
	}
}

func TestBombsAreSmallAndUnfold(t *testing.T) {
	s := engines.Start(t, nil)
	s.Fail("npm", 1, engines.Hostile()["a bomb of gzip"])
	in, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Base("npm"), nil)
	require.NoError(t, err)
	out, err := http.DefaultClient.Do(in) // which unpacks what it did not ask for by name
	require.NoError(t, err)
	defer out.Body.Close()
	n, err := io.Copy(io.Discard, out.Body)
	require.NoError(t, err)
	require.Greater(t, n, int64(200<<20))
	require.Less(t, len(engines.Hostile()["a bomb of gzip"].Make()), 1<<20)
}

func TestRedirectsLeadElsewhere(t *testing.T) {
	s := engines.Start(t, nil)
	s.Fail("npm", 1, engines.Hostile()["a redirect to another host"])
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	out, err := client.Get(s.Base("npm"))
	require.NoError(t, err)
	require.NoError(t, out.Body.Close())
	require.Equal(t, http.StatusFound, out.StatusCode)
	require.True(t, strings.HasPrefix(out.Header.Get("Location"), "http://elsewhere.example/"))
}

// Whatever is hostile to one engine can be given to all.
func TestNoHostileAnswerIsTooMuchForTheServer(t *testing.T) {
	s := engines.Start(t, []engines.Result{lake()})
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for name, q := range searches(s.Key) {
		for what, a := range engines.Hostile() {
			if large(what) || a.Hang {
				continue
			}
			s.Fail(name, 1, a)
			out, err := client.Do(request(t, s.Base(name), agent, q))
			require.NoError(t, err, "%s, %s", name, what)
			_, _ = io.Copy(new(bytes.Buffer), out.Body) // some are cut
			require.NoError(t, out.Body.Close())
		}
	}
}

// The order that is wanted is what the sum of 1/(60+rank) gives, once a page is
// known by all its addresses.
func TestMergesAreSound(t *testing.T) {
	all := engines.Merges()
	require.GreaterOrEqual(t, len(all), 15)
	names := map[string]bool{}
	for _, m := range all {
		require.False(t, names[m.Name], m.Name)
		names[m.Name] = true
		page := func(address string) string {
			for _, line := range m.Same {
				if slices.Contains(line, address) {
					return line[0]
				}
			}
			return address
		}
		score := map[string]float64{}
		for _, list := range m.Lists {
			var seen []string
			for _, r := range list {
				if p := page(r.URL); !slices.Contains(seen, p) {
					seen = append(seen, p)
					score[p] += 1 / float64(60+len(seen))
				}
			}
		}
		require.Len(t, score, m.Pages, m.Name)
		require.GreaterOrEqual(t, len(m.Want), 2, m.Name)
		for i := 1; i < len(m.Want); i++ {
			require.Greater(t, score[page(m.Want[i-1])], score[page(m.Want[i])], "%s: %s", m.Name, m.Want[i])
		}
		for p, n := range score {
			if !slices.ContainsFunc(m.Want, func(w string) bool { return m.Is(p, w) }) {
				require.LessOrEqual(t, n, score[page(m.Want[len(m.Want)-1])], "%s: %s", m.Name, p)
			}
		}
	}
}
