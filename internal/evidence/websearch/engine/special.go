package engine

import (
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The engines of one site or one kind of thing.

func askWikipedia(q Question) Request {
	return get(q.Base+"/w/api.php", "action", "query", "list", "search", "srsearch", q.Words, "srlimit", strconv.Itoa(q.Limit), "format", "json", "formatversion", "2")
}

func readWikipedia(body []byte) (found, error) {
	type answer struct {
		Query struct {
			Search []struct {
				Title   string `json:"title"`
				Snippet string `json:"snippet"`
			} `json:"search"`
		} `json:"query"`
	}
	a, err := decode(body, func(a answer) bool { return a.Query.Search != nil })
	var f found
	for _, r := range a.Query.Search {
		address := "https://en.wikipedia.org/wiki/" + strings.ReplaceAll(url.PathEscape(strings.ReplaceAll(r.Title, " ", "_")), "%2F", "/")
		f.leads = append(f.leads, Lead{Title: r.Title, URL: address, Snippet: r.Snippet})
	}
	return f, err
}

func askWikidata(q Question) Request {
	return get(q.Base+"/w/api.php", "action", "wbsearchentities", "search", q.Words, "language", "en", "uselang", "en", "limit", strconv.Itoa(q.Limit), "format", "json")
}

func readWikidata(body []byte) (found, error) {
	type answer struct {
		Search []struct {
			ID          string `json:"id"`
			Label       string `json:"label"`
			Description string `json:"description"`
		} `json:"search"`
	}
	a, err := decode(body, func(a answer) bool { return a.Search != nil })
	var f found
	for _, r := range a.Search {
		f.leads = append(f.leads, Lead{Title: r.Label, URL: "https://www.wikidata.org/wiki/" + url.PathEscape(r.ID), Snippet: r.Description})
	}
	return f, err
}

func askGitHub(q Question) Request {
	return get(q.Base+"/search/repositories", "q", q.Words, "per_page", strconv.Itoa(q.Limit)).
		with("Accept", "application/vnd.github+json").with("X-GitHub-Api-Version", "2022-11-28").with("Authorization", bearer(q.Key))
}

func readGitHub(body []byte) (found, error) {
	type answer struct {
		Items []struct {
			Name        string `json:"full_name"`
			URL         string `json:"html_url"`
			Description string `json:"description"`
			Pushed      string `json:"pushed_at"`
		} `json:"items"`
	}
	a, err := decode(body, func(a answer) bool { return a.Items != nil })
	var f found
	for _, r := range a.Items {
		f.leads = append(f.leads, Lead{Title: r.Name, URL: r.URL, Snippet: r.Description, Published: r.Pushed})
	}
	return f, err
}

func askStackExchange(q Question) Request {
	return get(q.Base+"/2.3/search/advanced", "q", q.Words, "site", "stackoverflow", "order", "desc", "sort", "relevance", "filter", "withbody", "pagesize", strconv.Itoa(q.Limit), "key", q.Key)
}

func readStackExchange(body []byte) (found, error) {
	type answer struct {
		Items []struct {
			Title   string `json:"title"`
			Link    string `json:"link"`
			Body    string `json:"body"`
			Created int64  `json:"creation_date"`
		} `json:"items"`
		Backoff int `json:"backoff"` // seconds before the same may be asked again
	}
	a, err := decode(body, func(a answer) bool { return a.Items != nil })
	f := found{pause: time.Duration(min(max(a.Backoff, 0), 3600)) * time.Second}
	for _, r := range a.Items {
		f.leads = append(f.leads, Lead{Title: r.Title, URL: r.Link, Snippet: r.Body, Published: time.Unix(r.Created, 0).UTC().Format("2006-01-02")})
	}
	return f, err
}

func askHackerNews(q Question) Request {
	return get(q.Base+"/api/v1/search", "query", q.Words, "tags", "story", "hitsPerPage", strconv.Itoa(q.Limit))
}

func readHackerNews(body []byte) (found, error) {
	type answer struct {
		Hits []struct {
			Title   string `json:"title"`
			URL     string `json:"url"`
			Text    string `json:"story_text"`
			Created string `json:"created_at"`
			ID      string `json:"objectID"`
		} `json:"hits"`
	}
	a, err := decode(body, func(a answer) bool { return a.Hits != nil })
	var f found
	for _, h := range a.Hits {
		f.leads = append(f.leads, Lead{Title: h.Title, URL: first(h.URL, "https://news.ycombinator.com/item?id="+url.QueryEscape(h.ID)), Snippet: h.Text, Published: h.Created})
	}
	return f, err
}

func askNPM(q Question) Request {
	return get(q.Base+"/-/v1/search", "text", q.Words, "size", strconv.Itoa(q.Limit))
}

func readNPM(body []byte) (found, error) {
	type answer struct {
		Objects []struct {
			Package struct {
				Name        string `json:"name"`
				Description string `json:"description"`
				Date        string `json:"date"`
			} `json:"package"`
		} `json:"objects"`
	}
	a, err := decode(body, func(a answer) bool { return a.Objects != nil })
	var f found
	for _, o := range a.Objects {
		p := o.Package
		f.leads = append(f.leads, Lead{Title: p.Name, URL: "https://www.npmjs.com/package/" + p.Name, Snippet: p.Description, Published: p.Date})
	}
	return f, err
}

func askCrates(q Question) Request {
	return get(q.Base+"/api/v1/crates", "q", q.Words, "per_page", strconv.Itoa(q.Limit))
}

func readCrates(body []byte) (found, error) {
	type answer struct {
		Crates []struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			Updated     string `json:"updated_at"`
		} `json:"crates"`
	}
	a, err := decode(body, func(a answer) bool { return a.Crates != nil })
	var f found
	for _, c := range a.Crates {
		f.leads = append(f.leads, Lead{Title: c.Name, URL: "https://crates.io/crates/" + url.PathEscape(c.Name), Snippet: c.Description, Published: c.Updated})
	}
	return f, err
}

// askWayback asks for copies of an address, which are found by nothing else.
func askWayback(q Question) Request {
	u, err := url.Parse(q.Words)
	if err != nil || u.Host == "" || strings.Contains(q.Words, " ") {
		return Request{}
	}
	return get(q.Base+"/cdx/search/cdx", "url", q.Words, "output", "json", "fl", "timestamp,original", "filter", "statuscode:200", "collapse", "digest", "limit", "-"+strconv.Itoa(q.Limit))
}

func readWayback(body []byte) (found, error) {
	var rows [][]string
	if err := json.Unmarshal(body, &rows); err != nil {
		return found{}, errors.New("it is no list of copies")
	}
	var f found
	for i := len(rows) - 1; i > 0; i-- { // the first names the columns, the last is the newest
		if len(rows[i]) != 2 || len(rows[i][0]) < 8 {
			return found{}, errors.New("its rows are not what was asked for")
		}
		at := rows[i][0]
		f.leads = append(f.leads, Lead{Title: "Copy of " + rows[i][1], URL: "https://web.archive.org/web/" + at + "/" + rows[i][1], Published: at[:4] + "-" + at[4:6] + "-" + at[6:8]})
	}
	return f, nil
}
