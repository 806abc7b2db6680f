package engine

import (
	"encoding/json"
	"errors"
	"strconv"
)

// The engines of the whole web.

// post makes a request that carries JSON.
func post(address string, body map[string]any) Request {
	data, _ := json.Marshal(body) // strings and numbers
	return Request{Method: "POST", URL: address, Body: data}.with("Content-Type", "application/json")
}

// decode reads JSON that has to hold the list an engine answers with.
func decode[T any](body []byte, list func(T) bool) (T, error) {
	var v T
	if err := json.Unmarshal(body, &v); err != nil {
		return v, errors.New("it is not the JSON it promises")
	}
	if !list(v) {
		return v, errors.New("it holds no list of results")
	}
	return v, nil
}

// hit is a result in the words that most engines use.
type hit struct {
	Title         string `json:"title"`
	URL           string `json:"url"`
	Link          string `json:"link"`
	Content       string `json:"content"`
	Description   string `json:"description"`
	Snippet       string `json:"snippet"`
	Text          string `json:"text"`
	PublishedDate string `json:"publishedDate"`
	Published     string `json:"published"`
	PublishedOn   string `json:"published_date"`
	PageAge       string `json:"page_age"`
	Time          string `json:"time"`
}

func (h hit) lead() Lead {
	return Lead{
		Title: h.Title, URL: first(h.URL, h.Link), Snippet: first(h.Content, h.Description, h.Snippet, h.Text),
		Published: first(h.PublishedDate, h.Published, h.PublishedOn, h.PageAge, h.Time),
	}
}

func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

func leadsOf(hits []hit) found {
	var f found
	for _, h := range hits {
		f.leads = append(f.leads, h.lead())
	}
	return f
}

// results is an answer whose list is called results.
type results struct {
	Results []hit `json:"results"`
}

func readResults(body []byte) (found, error) {
	r, err := decode(body, func(r results) bool { return r.Results != nil })
	return leadsOf(r.Results), err
}

func askSearXNG(q Question) Request {
	return get(q.Base+"/search", "q", q.Words, "format", "json")
}

func readSearXNG(body []byte) (found, error) { return readResults(body) }

func askBrave(q Question) Request {
	return get(q.Base+"/res/v1/web/search", "q", q.Words, "count", strconv.Itoa(min(q.Limit, 20))).with("X-Subscription-Token", q.Key)
}

func readBrave(body []byte) (found, error) {
	type answer struct {
		Type string  `json:"type"`
		Web  results `json:"web"` // left out where nothing is found
	}
	r, err := decode(body, func(a answer) bool { return a.Type == "search" || a.Web.Results != nil })
	return leadsOf(r.Web.Results), err
}

func askTavily(q Question) Request {
	return post(q.Base+"/search", map[string]any{"query": q.Words, "max_results": min(q.Limit, 20), "search_depth": "basic"}).with("Authorization", bearer(q.Key))
}

func readTavily(body []byte) (found, error) { return readResults(body) }

func askExa(q Question) Request {
	return post(q.Base+"/search", map[string]any{"query": q.Words, "numResults": q.Limit, "type": "auto"}).with("x-api-key", q.Key)
}

func readExa(body []byte) (found, error) { return readResults(body) }

func askKagi(q Question) Request {
	return post(q.Base+"/api/v1/search", map[string]any{"query": q.Words, "limit": q.Limit}).with("Authorization", bearer(q.Key))
}

func readKagi(body []byte) (found, error) {
	type answer struct {
		Data struct {
			Search []hit `json:"search"`
		} `json:"data"`
	}
	r, err := decode(body, func(a answer) bool { return a.Data.Search != nil })
	return leadsOf(r.Data.Search), err
}

func askSerper(q Question) Request {
	return post(q.Base+"/search", map[string]any{"q": q.Words, "num": q.Limit}).with("X-API-KEY", q.Key)
}

func readSerper(body []byte) (found, error) {
	type answer struct {
		Organic []hit `json:"organic"`
	}
	r, err := decode(body, func(a answer) bool { return a.Organic != nil })
	return leadsOf(r.Organic), err
}

func bearer(key string) string {
	if key == "" {
		return ""
	}
	return "Bearer " + key
}
