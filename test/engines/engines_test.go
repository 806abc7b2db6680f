package engines_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/test/engines"
)

// lake is found by the word lake, moths by every query.
func lake() engines.Result {
	return engines.Result{
		Title: "The depth of the lake & its fish", URL: "https://news.example/lake", Snippet: "The lake is 187 metres deep, and its water is cold.", DOI: "10.5555/lake", Published: "2024-02-03", Words: []string{"lake"},
	}
}

func moths() engines.Result { return engines.Result{Title: "Moths", URL: "https://moths.example/"} }

// asked is a request as a client of the engine would send it.
type asked struct {
	method, path, body string
	header             map[string]string
}

const agent = "research-council/test (+https://council.example/)"

// searches are a search for lake at each engine.
func searches(key func(engine string) string) map[string]asked {
	get := func(path string) asked { return asked{path: path} }
	return map[string]asked{
		"searxng":         get("/search?q=the+lake&format=json"),
		"brave":           {path: "/res/v1/web/search?q=the+lake&count=5", header: map[string]string{"X-Subscription-Token": key("brave")}},
		"tavily":          {method: "POST", path: "/search", body: `{"query":"the lake","max_results":5}`, header: map[string]string{"Authorization": "Bearer " + key("tavily")}},
		"exa":             {method: "POST", path: "/search", body: `{"query":"the lake","numResults":5,"contents":{"highlights":true}}`, header: map[string]string{"x-api-key": key("exa")}},
		"kagi":            {method: "POST", path: "/api/v1/search", body: `{"query":"the lake","workflow":"search","limit":5}`, header: map[string]string{"Authorization": "Bearer " + key("kagi")}},
		"serper":          {method: "POST", path: "/search", body: `{"q":"the lake","num":5}`, header: map[string]string{"X-API-KEY": key("serper")}},
		"openalex":        get("/works?search=the+lake&per_page=5"),
		"crossref":        get("/works?query=the+lake&rows=5"),
		"arxiv":           get("/api/query?search_query=all:the+AND+all:lake&max_results=5"),
		"europepmc":       get("/europepmc/webservices/rest/search?query=the+lake&format=json&resultType=core&pageSize=5"),
		"pubmed":          get("/entrez/eutils/esearch.fcgi?db=pubmed&term=the+lake&retmode=json&retmax=5"),
		"semanticscholar": get("/graph/v1/paper/search?query=the+lake&fields=title,url,abstract,externalIds&limit=5"),
		"wikipedia":       get("/w/api.php?action=query&list=search&srsearch=the+lake&format=json&srlimit=5"),
		"wikidata":        get("/w/api.php?action=wbsearchentities&search=the+lake&language=en&format=json&limit=5"),
		"github":          get("/search/repositories?q=the+lake&per_page=5"),
		"stackexchange":   get("/2.3/search/advanced?q=the+lake&site=stackoverflow&pagesize=5"),
		"hackernews":      get("/api/v1/search?query=the+lake&tags=story&hitsPerPage=5"),
		"npm":             get("/-/v1/search?text=the+lake&size=5"),
		"crates":          get("/api/v1/crates?q=the+lake&per_page=5"),
		"wayback":         get("/cdx/search/cdx?url=news.example/*&output=json&limit=5"),
	}
}

// request is a request to an engine; an agent of "" is none.
func request(t *testing.T, base, agent string, q asked) *http.Request {
	t.Helper()
	in, err := http.NewRequestWithContext(t.Context(), q.method, base+q.path, strings.NewReader(q.body))
	require.NoError(t, err)
	in.Header.Set("User-Agent", agent)
	if q.body != "" {
		in.Header.Set("Content-Type", "application/json")
	}
	for name, value := range q.header {
		in.Header.Set(name, value)
	}
	return in
}

// do sends a request and reads the whole answer.
func do(t *testing.T, base, agent string, q asked) (status int, header http.Header, body string) {
	t.Helper()
	out, err := http.DefaultClient.Do(request(t, base, agent, q))
	require.NoError(t, err)
	defer out.Body.Close()
	read, err := io.ReadAll(out.Body)
	require.NoError(t, err)
	return out.StatusCode, out.Header, string(read)
}

func TestEveryEngineFindsByWords(t *testing.T) {
	s := engines.Start(t, []engines.Result{lake(), moths()})
	all := searches(s.Key)
	require.Len(t, engines.Names(), 20)
	for _, name := range engines.Names() {
		q := all[name]
		status, _, body := do(t, s.Base(name), agent, q)
		require.Equal(t, http.StatusOK, status, "%s: %s", name, body)
		if name == "arxiv" {
			require.NoError(t, xml.Unmarshal([]byte(body), new(struct{})))
		} else {
			require.True(t, json.Valid([]byte(body)), "%s: %s", name, body)
		}
		if name != "pubmed" && name != "wayback" {
			require.Contains(t, strings.ToLower(body), "fish", name)
			require.Contains(t, strings.ToLower(body), "moths", name)
			q.path, q.body = strings.ReplaceAll(q.path, "lake", "sea"), strings.ReplaceAll(q.body, "lake", "sea")
			_, _, body = do(t, s.Base(name), agent, q)
			require.NotContains(t, strings.ToLower(body), "fish", name)
			require.Contains(t, strings.ToLower(body), "moths", name)
		}
		require.NotEmpty(t, s.Page(name, lake()))
		seen := s.Requests(name)
		require.Equal(t, http.StatusOK, seen[0].Status, name)
		require.Equal(t, agent, seen[0].Header.Get("User-Agent"))
		require.WithinDuration(t, time.Now(), seen[0].Time, time.Minute)
	}
}

// What stands in answers is what the documentation shows.
func TestAnswersAreOfTheDocumentedForm(t *testing.T) {
	s := engines.Start(t, []engines.Result{lake()})
	for name, parts := range map[string][]string{
		"searxng":         {`"number_of_results":0`, `"unresponsive_engines":[["brave"`, `"publishedDate":"2024-02-03T00:00:00"`, `"img_src":""`},
		"brave":           {`"description":"<strong>The</strong> <strong>lake</strong> is 187`, `"page_age":"2024-02-03T00:00:00"`, `"thumbnail"`, `"more_results_available":false`, `lake &amp; its`},
		"tavily":          {`"answer":null`, `"raw_content":null`, `"response_time"`, `"content":"The lake is`},
		"exa":             {`"highlights":["The lake`, `"costDollars"`, `"author":null`, `"publishedDate":"2024-02-03T00:00:00.000Z"`},
		"kagi":            {`"data":{`, `"search":[`, `"time":"2024-02-03T00:00:00Z"`, `lake &amp; its`, `"trace"`},
		"serper":          {`"organic":[`, `"link":"https://news.example/lake"`, `"date":"Feb 3, 2024"`, `"peopleAlsoAsk"`, `"knowledgeGraph"`},
		"openalex":        {`"abstract_inverted_index":{`, `"is":[2,9]`, `"doi":"https://doi.org/10.5555/lake"`, `"landing_page_url":"https://news.example/lake"`, `"pdf_url":null`},
		"crossref":        {`<jats:p>The lake`, `"DOI":"10.5555/lake"`, `"resource":{"primary":{"URL":"https://news.example/lake"}}`, `"facets":{}`, `"date-parts":[[2024,2,3]]`},
		"arxiv":           {"<opensearch:totalResults>1<", "<id>http://arxiv.org/abs/2402.", "lake &amp;\n  its fish", "<arxiv:doi>10.5555/lake<", "<published>2024-02-03T00:00:00Z<"},
		"europepmc":       {`"hitCount":1`, `"abstractText":"<h4>Background</h4>The lake`, `"doi":"10.5555/lake"`, `"firstPublicationDate":"2024-02-03"`},
		"semanticscholar": {`"total":1`, `"abstract":"The lake`, `"DOI":"10.5555/lake"`, `"url":"https://www.semanticscholar.org/paper/`},
		"wikipedia":       {`<span class=\"searchmatch\">lake</span>`, `"totalhits":1`, `"pageid"`},
		"wikidata":        {`"url":"//www.wikidata.org/wiki/Q`, `"success":1`, `"match":{`},
		"github":          {`"html_url":"https://github.com/example/the-depth-of-the-lake-its-fish"`, `"incomplete_results":false`, `"license":null`},
		"stackexchange":   {`"title":"The depth of the lake &amp; its fish"`, `"quota_remaining":287`, `"link":"https://stackoverflow.com/questions/`},
		"hackernews":      {`"_highlightResult"`, `<em>lake</em>`, `"url":"https://news.example/lake"`, `"created_at":"2024-02-03T00:00:00Z"`},
		"npm":             {`"npm":"https://www.npmjs.com/package/the-depth`, `"searchScore"`, `"maintainers"`},
		"crates":          {`"name":"the-depth-of-the-lake-its-fish"`, `"next_page":null`, `"max_stable_version"`},
		"wayback":         {`["urlkey","timestamp","original","mimetype","statuscode","digest","length"]`, `["example,news)/lake","20240203000000","https://news.example/lake"`},
	} {
		_, _, body := do(t, s.Base(name), agent, searches(s.Key)[name])
		for _, part := range parts {
			require.Contains(t, body, part, name)
		}
	}
}

func TestPubMedIsAskedTwice(t *testing.T) {
	s := engines.Start(t, []engines.Result{lake()})
	_, _, body := do(t, s.Base("pubmed"), agent, searches(s.Key)["pubmed"])
	var found struct{ Esearchresult struct{ Idlist []string } }
	require.NoError(t, json.Unmarshal([]byte(body), &found))
	require.Len(t, found.Esearchresult.Idlist, 1)
	id := found.Esearchresult.Idlist[0]
	require.Equal(t, "https://pubmed.ncbi.nlm.nih.gov/"+id+"/", s.Page("pubmed", lake()))
	_, _, body = do(t, s.Base("pubmed"), agent, asked{path: "/entrez/eutils/esummary.fcgi?db=pubmed&retmode=json&id=" + id})
	require.Contains(t, body, `"title":"The depth of the lake &amp; its fish."`)
	require.Contains(t, body, `{"idtype":"doi","idtypen":3,"value":"10.5555/lake"}`)
}

// With the wrong key, without User-Agent where one is demanded, and without a
// query, requests are refused in the service's words.
func TestRequestsAreRefused(t *testing.T) {
	s := engines.Start(t, []engines.Result{lake()})
	wrong := searches(func(string) string { return "wrong" })
	for name, want := range map[string]struct {
		status int
		words  string
	}{
		"brave": {422, `"code":"SUBSCRIPTION_TOKEN_INVALID"`}, "tavily": {401, `{"detail":{"error":"Unauthorized: missing or invalid API key."}}`},
		"exa": {401, `"tag":"INVALID_API_KEY"`}, "kagi": {401, `"error":[{`}, "serper": {403, `{"message":"Unauthorized.","statusCode":403}`},
	} {
		require.NotEmpty(t, s.Key(name))
		status, _, body := do(t, s.Base(name), agent, wrong[name])
		require.Equal(t, want.status, status, name)
		require.Contains(t, body, want.words, name)
	}
	for name, words := range map[string]string{"wikipedia": "robot policy", "wikidata": "robot policy", "github": "User-Agent header", "crates": "data access policy"} {
		require.Empty(t, s.Key(name))
		status, _, body := do(t, s.Base(name), "", wrong[name])
		require.Equal(t, http.StatusForbidden, status, name)
		require.Contains(t, body, words, name)
	}
	for _, c := range []struct {
		engine string
		q      asked
		status int
		words  string
	}{
		{"searxng", asked{path: "/search?format=json"}, 400, "No query"},
		{"searxng", asked{path: "/search?q=lake&format=rss"}, 403, "Forbidden"},
		{"brave", asked{path: "/res/v1/web/search?q=lake"}, 422, `"x-subscription-token"`},
		{"brave", asked{path: "/res/v1/web/search?q=lake&count=21", header: map[string]string{"X-Subscription-Token": s.Key("brave")}}, 422, `"count"`},
		{"openalex", asked{path: "/works?search=lake&per_page=201"}, 400, "per-page"},
		{"crossref", asked{path: "/works?query=lake&rows=many"}, 400, "integer-not-valid"},
		{"arxiv", asked{path: "/api/query?search_query=all:lake&max_results=9999"}, 400, "<title>Error</title>"},
		{"pubmed", asked{path: "/entrez/eutils/esearch.fcgi?db=pubmed&term=&retmode=json"}, 200, `"ERROR"`},
		{"semanticscholar", asked{path: "/graph/v1/paper/search?query=lake&fields=mood"}, 400, "unsupported fields"},
		{"wikipedia", asked{path: "/w/api.php?action=query&list=search&format=json"}, 200, `"missingparam"`},
		{"wikidata", asked{path: "/w/api.php?action=wbsearchentities&search=lake&format=json"}, 200, `\"language\" parameter`},
		{"github", asked{path: "/search/repositories"}, 422, "Validation Failed"},
		{"stackexchange", asked{path: "/2.3/search/advanced?q=lake"}, 400, "site is required"},
		{"npm", asked{path: "/-/v1/search?text=a"}, 400, "ERR_TEXT_LENGTH"},
		{"wayback", asked{path: "/cdx/search/cdx"}, 400, "url"},
		{"hackernews", asked{path: "/search?query=lake"}, 404, "Not Found"},
		{"exa", asked{method: "GET", path: "/search"}, 404, "Cannot GET"},
	} {
		status, _, body := do(t, s.Base(c.engine), agent, c.q)
		require.Equal(t, c.status, status, "%s %s", c.engine, c.q.path)
		require.Contains(t, body, c.words, "%s %s", c.engine, c.q.path)
	}
}

func TestBusyEnginesSaySo(t *testing.T) {
	s := engines.Start(t, []engines.Result{lake()})
	for name, q := range searches(s.Key) {
		s.Busy(name, 1)
		status, header, _ := do(t, s.Base(name), agent, q)
		switch name {
		case "stackexchange":
			require.Equal(t, http.StatusBadRequest, status)
		case "github":
			require.Equal(t, http.StatusForbidden, status)
			require.Equal(t, "0", header.Get("X-RateLimit-Remaining"))
			require.NotEmpty(t, header.Get("X-RateLimit-Reset"))
		default:
			require.Equal(t, http.StatusTooManyRequests, status, name)
		}
		status, _, _ = do(t, s.Base(name), agent, q)
		require.Equal(t, http.StatusOK, status, "%s answers again", name)
	}
}

func TestStackExchangePacksUnasked(t *testing.T) {
	s := engines.Start(t, []engines.Result{lake()})
	q := searches(s.Key)["stackexchange"]
	q.header = map[string]string{"Accept-Encoding": "identity"}
	_, header, body := do(t, s.Base("stackexchange"), agent, q)
	require.Equal(t, "gzip", header.Get("Content-Encoding"))
	r, err := gzip.NewReader(strings.NewReader(body))
	require.NoError(t, err)
	read, err := io.ReadAll(r)
	require.NoError(t, err)
	require.True(t, json.Valid(read))
}

func TestAnswersAreCutAndHang(t *testing.T) {
	s := engines.Start(t, []engines.Result{lake()})
	s.Fail("npm", 1, engines.Answer{Body: "half of it", Cut: 4})
	out, err := http.Get(s.Base("npm") + "/-/v1/search?text=lake")
	require.NoError(t, err)
	read, err := io.ReadAll(out.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, "half", string(read))
	require.NoError(t, out.Body.Close())

	s.Fail("npm", 1, engines.Answer{Status: http.StatusOK, Hang: true})
	client := http.Client{Timeout: 200 * time.Millisecond}
	if out, err = client.Get(s.Base("npm") + "/-/v1/search?text=lake"); err == nil {
		_, err = io.Copy(new(bytes.Buffer), out.Body)
		require.NoError(t, out.Body.Close())
	}
	require.Error(t, err)
}
