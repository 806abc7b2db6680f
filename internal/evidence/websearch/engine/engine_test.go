package engine_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/websearch/engine"
)

func read(t testing.TB, name, body string) ([]engine.Lead, time.Duration, error) {
	t.Helper()
	e, ok := engine.Named(name)
	require.True(t, ok)
	return e.Read([]byte(body))
}

func TestEveryEngineSaysWhereItsFactsAreFrom(t *testing.T) {
	for _, name := range engine.Names() {
		e, _ := engine.Named(name)
		require.Contains(t, e.About, "https://", name)
		require.Contains(t, engine.Kinds(), e.Kind, name)
		if e.Base != "" {
			require.True(t, strings.HasPrefix(e.Base, "https://"), name)
			require.False(t, strings.HasSuffix(e.Base, "/"), name)
		}
		require.Equal(t, e.Login == engine.NeedsKey, e.KeyEnv != "", name)
	}
	require.NotContains(t, engine.Keyless(), "brave")
	require.NotContains(t, engine.Keyless(), "searxng")
	require.Contains(t, engine.Keyless(), "wikipedia")
}

func TestAKeyStandsInNoAddressButWhereTheEngineWantsIt(t *testing.T) {
	inAddress := []string{"openalex", "stackexchange"}
	for _, name := range engine.Names() {
		e, _ := engine.Named(name)
		r, ok := e.Request(engine.Question{Base: "https://engine.example/", Words: "tea kettles", Limit: 5, Key: "s3cret"})
		if !ok {
			require.Equal(t, "wayback", name)
			continue
		}
		require.True(t, strings.HasPrefix(r.URL, "https://engine.example/"), name)
		if !strings.Contains(strings.Join(inAddress, " "), name) {
			require.NotContains(t, r.URL, "s3cret", name)
		}
		require.NotContains(t, string(r.Body), "s3cret", name)
	}
}

func TestTagsAndEntitiesAreNotWords(t *testing.T) {
	for said, is := range map[string]string{
		`The <span class="searchmatch">kettle</span>s`: "The kettles",
		`<jats:p>Water &amp; fire</jats:p>`:            "Water & fire",
		`if a < b and b > c`:                           "if a < b and b > c",
		`1 <2> 3`:                                      "1 <2> 3",
		`&quot;Tea&#39;s time&quot;`:                   `"Tea's time"`,
		"line\none\x1b[31m red\x00":                    "line one red",
		`CO<sub>2</sub> in<br/>air`:                    "CO2 in air",
		`unclosed <b`:                                  "unclosed <b",
		`<p>One.</p><p>Two.</p>`:                       "One. Two.",
		`<script>alert(1)</script>`:                    "alert(1)",
		`a <!-- comment --> b`:                         "a b",
	} {
		leads, _, err := read(t, "searxng", `{"results":[{"url":"https://a.example/","title":`+quoted(said)+`}]}`)
		require.NoError(t, err)
		require.Equal(t, is, leads[0].Title, said)
	}
}

func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20:
			b.WriteString(`\u00` + string("0123456789abcdef"[r>>4]) + string("0123456789abcdef"[r&15]))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func TestWhatIsNoPageIsNoLead(t *testing.T) {
	for _, address := range []string{
		"javascript:alert(1)", "file:///etc/passwd", "ftp://a.example/", "https://", "/relative", "",
		"https://user:word@a.example/", "https://a.example/" + strings.Repeat("a", 3000), "data:text/html,x", "//a.example/x", "http://[::1",
	} {
		leads, _, err := read(t, "searxng", `{"results":[{"title":"x","url":`+quoted(address)+`}]}`)
		require.NoError(t, err)
		require.Empty(t, leads, address)
	}
}

func TestDates(t *testing.T) {
	for said, is := range map[string]string{
		"2024-03-05": "2024-03-05", "2024-03-05T10:00:00Z": "2024-03-05", "2024-03": "2024-03", "2024": "2024", "3 days ago": "", "": "", "20240305": "", "2024-3-5": "2024", "March 5, 2024": "", "yyyy-mm-dd": "",
	} {
		leads, _, err := read(t, "exa", `{"results":[{"title":"x","url":"https://a.example/","publishedDate":"`+said+`"}]}`)
		require.NoError(t, err)
		require.Equal(t, is, leads[0].Published, said)
	}
}

func TestTheAbstractOfOpenAlexIsPutInOrder(t *testing.T) {
	leads, _, err := read(t, "openalex", `{"results":[{"id":"https://openalex.org/W1","display_name":"Tea","doi":"https://doi.org/10.1/Tea","publication_date":"2020-01-02",
		"abstract_inverted_index":{"boils":[1],"Water":[0],"and":[2],"boils again":[3],"far":[99999999]},"primary_location":null},
		{"id":"https://openalex.org/W2","display_name":null,"doi":null,"abstract_inverted_index":null,"primary_location":{"landing_page_url":"https://b.example/p"}}]}`)
	require.NoError(t, err)
	require.Equal(t, engine.Lead{Title: "Tea", URL: "https://doi.org/10.1/Tea", Snippet: "Water boils and boils again", Published: "2020-01-02", DOI: "10.1/tea"}, leads[0])
	require.Equal(t, "https://b.example/p", leads[1].URL)
}

func TestStackExchangeSaysHowLongToWait(t *testing.T) {
	_, pause, err := read(t, "stackexchange", `{"items":[],"backoff":10}`)
	require.NoError(t, err)
	require.Equal(t, 10*time.Second, pause)
	_, pause, err = read(t, "stackexchange", `{"items":[],"backoff":99999999}`)
	require.NoError(t, err)
	require.LessOrEqual(t, pause, time.Hour)
}

// FuzzRead: whatever an engine says, it is leads to pages or an error.
func FuzzRead(f *testing.F) {
	for _, body := range []string{
		`{"results":[{"title":"x","url":"https://a.example/","content":"y"}]}`, `{"message":{"items":[{"title":["a"],"DOI":"10.1/x","issued":{"date-parts":[[2020,13,null]]}}]}}`,
		`[["timestamp","original"],["20200101000000","http://a.example/"]]`, `[["a"],["1"]]`, `{"query":{"search":[{"title":"A/B ?#","snippet":"<span"}]}}`,
		`<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/1</id></entry></feed>`, `null`, `[]`, `{"results":null}`, "", "<html>", `{"data":{"search":[{}]},"hits":[{}],"items":[{"creation_date":-99999999999999}]}`,
	} {
		for i := range engine.Names() {
			f.Add(byte(i), body)
		}
	}
	f.Fuzz(func(t *testing.T, which byte, body string) {
		name := engine.Names()[int(which)%len(engine.Names())]
		leads, pause, err := read(t, name, body)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.GreaterOrEqual(t, pause, time.Duration(0))
		require.LessOrEqual(t, len(leads), 50)
		for _, l := range leads {
			require.Regexp(t, `^https?://[^/]`, l.URL)
			for _, s := range []string{l.Title, l.Snippet, l.Published, l.DOI} {
				require.True(t, utf8.ValidString(s))
				require.NotContains(t, s, "\n")
				require.LessOrEqual(t, utf8.RuneCountInString(s), 500)
			}
		}
	})
}
