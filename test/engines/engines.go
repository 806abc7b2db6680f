// Package engines is search engines on loopback: servers that speak the wire
// formats which Brave, Tavily, Exa, Kagi, Serper, SearXNG, OpenAlex, Crossref,
// arXiv, Europe PMC, PubMed, Semantic Scholar, Wikipedia, Wikidata, GitHub,
// Stack Exchange, Hacker News, npm, crates.io and the Wayback Machine document,
// written from their documentation and not from any client of theirs.
//
//	s := engines.Start(t, []engines.Result{{Title: "The depth of the lake", URL: "https://news.example/lake", Words: []string{"lake"}}})
//	config.Brave.Base, config.Brave.Key = s.Base("brave"), s.Key("brave")
//	s.Busy("brave", 1)
//
// A request that the service would refuse is refused in its words. What a
// client does not need is there as well: thumbnails, facets, marks around what
// matched, null fields. [Hostile] has answers that no honest service gives,
//
// An engine that names things in its own way makes a name up where a result
// has none, always the same: arXiv an identifier, Wikipedia a page of the
// title, Crossref a DOI. [Server.Page] is the address that comes of it.
package engines

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Result is what an engine has to find.
type Result struct {
	Title, URL, Snippet, DOI string
	Published                string   // 2006-01-02 or ""
	Words                    []string // a query that holds one of them finds it; nil: every query does
}

// Request is one request that came to an engine, and how it was answered.
type Request struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         string
	Time         time.Time
	Status       int // of the answer; 0 while there is none
}

// Answer is what a request gets.
type Answer struct {
	Status int // 0 is 200
	Header map[string]string
	Body   string
	Hang   bool // the header is sent, the body never comes
	Cut    int  // so many bytes of the body are sent, though all are promised; 0 is all

	// Results have the engine answer in its own format, with these in place
	// of what it would find and as they are.
	Results []Result
	// Change is applied to the body of the engine's own answer.
	Change func(body []byte) []byte
	// Make makes the body when it is sent; for large ones.
	Make func() []byte
}

// own reports whether an engine makes its answer itself.
func (a Answer) own() bool { return a.Results != nil || a.Change != nil }

// Server is all engines. They end with the test they were started for.
type Server struct {
	results []Result
	mu      sync.Mutex
	engines map[string]*running
	done    chan struct{}
}

type running struct {
	engine
	server   *httptest.Server
	requests []*Request
	queue    []Answer
}

// engine is one service.
type engine struct {
	key    string // "" for none
	page   func(r Result) string
	answer func(q ask, found finder) Answer
	busy   func() Answer
}

// catalogue is all services by name.
func catalogue() map[string]engine {
	return map[string]engine{
		"searxng": searxng(), "brave": brave(), "tavily": tavily(), "exa": exa(), "kagi": kagi(), "serper": serper(),
		"openalex": openalex(), "crossref": crossref(), "arxiv": arxiv(), "europepmc": europepmc(), "pubmed": pubmed(),
		"semanticscholar": semanticscholar(), "wikipedia": wikipedia(), "wikidata": wikidata(), "github": github(),
		"stackexchange": stackexchange(), "hackernews": hackernews(), "npm": npm(), "crates": crates(), "wayback": wayback(),
	}
}

// Names are the engines there are, in order.
func Names() []string {
	var names []string
	for name := range catalogue() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Start serves all engines, each below a base address of its own, with these
// results, until the test ends.
func Start(t testing.TB, results []Result) *Server {
	t.Helper()
	s := &Server{results: results, engines: map[string]*running{}, done: make(chan struct{})}
	for name, e := range catalogue() {
		r := &running{engine: e}
		r.server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) { s.serve(r, out, in) }))
		s.engines[name] = r
	}
	t.Cleanup(func() {
		close(s.done)
		for _, r := range s.engines {
			r.server.CloseClientConnections()
			r.server.Close()
		}
	})
	return s
}

// at is an engine by name; a name that is none is a mistake of the test.
func (s *Server) at(name string) *running {
	r := s.engines[name]
	if r == nil {
		panic(fmt.Sprintf("there is no engine %q, only %s", name, strings.Join(Names(), ", ")))
	}
	return r
}

// Base is the address a person would configure in place of the real one: what
// stands for https://api.search.brave.com, without a slash at the end.
func (s *Server) Base(engine string) string { return s.at(engine).server.URL }

// Key is the key an engine takes, "" for none.
func (s *Server) Key(engine string) string { return s.at(engine).key }

// Page is the address of a result at an engine: its own, or that of the page
// the engine itself has for it.
func (s *Server) Page(engine string, r Result) string { return s.at(engine).page(r) }

// Requests is what an engine was asked so far.
func (s *Server) Requests(engine string) []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*Request
	for _, r := range s.at(engine).requests {
		seen := *r
		list = append(list, &seen)
	}
	return list
}

// Fail gives the next n requests to an engine this answer, before anything
// about them is looked at. PubMed is asked twice for one search.
func (s *Server) Fail(engine string, n int, answer Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.at(engine)
	for range n {
		r.queue = append(r.queue, answer)
	}
}

// Busy gives the next n requests to an engine its answer to too many.
func (s *Server) Busy(engine string, n int) { s.Fail(engine, n, s.at(engine).busy()) }

func (s *Server) serve(r *running, out http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(in.Body)
	if err != nil {
		return
	}
	q := ask{
		method: in.Method, path: in.URL.Path, query: in.URL.Query(), header: in.Header.Clone(), body: body, base: r.server.URL,
	}
	seen, planned, fails := s.enter(r, q)
	a := planned
	if !fails || planned.own() {
		a = r.answer(q, finder{list: s.results})
	}
	if fails && planned.own() {
		a = altered(r.engine, q, planned)
	}
	s.mu.Lock()
	seen.Status = a.status()
	s.mu.Unlock()
	s.send(a, out, in)
}

// enter notes a request and takes the answer that waits for it.
func (s *Server) enter(r *running, q ask) (*Request, Answer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := &Request{Method: q.method, Path: q.path, Query: q.query, Header: q.header, Body: string(q.body), Time: time.Now()}
	r.requests = append(r.requests, seen)
	if len(r.queue) == 0 {
		return seen, Answer{}, false
	}
	a := r.queue[0]
	r.queue = r.queue[1:]
	return seen, a, true
}

// altered is an engine's own answer as planned.
func altered(e engine, q ask, planned Answer) Answer {
	list := planned.Results
	if list == nil {
		list = []Result{{Title: "The depth of the lake", URL: "https://news.example/lake", Snippet: "It is 187 metres deep.", DOI: "10.5555/lake", Published: "2024-02-03"}}
	}
	a := e.answer(q, finder{list: list, raw: true})
	encoding := a.Header["Content-Encoding"]
	if planned.Change != nil && a.status() == http.StatusOK {
		body := []byte(a.Body)
		if encoding == "gzip" {
			body = unpacked(body)
		}
		if body = planned.Change(body); encoding == "gzip" {
			body = packed(body)
		}
		a.Body = string(body)
	}
	a.Hang, a.Cut = planned.Hang, planned.Cut
	if planned.Status != 0 {
		a.Status = planned.Status
	}
	for name, value := range planned.Header {
		a.Header[name] = value
	}
	return a
}

func (a Answer) status() int {
	if a.Status == 0 {
		return http.StatusOK
	}
	return a.Status
}

func (s *Server) send(a Answer, out http.ResponseWriter, in *http.Request) {
	body := []byte(a.Body)
	if a.Make != nil {
		body = a.Make()
	}
	for name, value := range a.Header {
		out.Header().Set(name, value)
	}
	out.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if a.Hang {
		out.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
	}
	out.WriteHeader(a.status())
	if a.Cut > 0 {
		body = body[:min(a.Cut, len(body)-1)]
	}
	if a.Hang {
		out.(http.Flusher).Flush()
		select {
		case <-in.Context().Done():
		case <-s.done:
		}
		return
	}
	if _, err := out.Write(body); err != nil {
		return
	}
	if a.Cut > 0 {
		out.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// packed is a body in gzip.
func packed(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(body)
	if err == nil {
		err = w.Close()
	}
	if err != nil { // a buffer takes everything
		panic(err)
	}
	return b.Bytes()
}

// unpacked is what packed has packed.
func unpacked(body []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return out
}

// asJSON is a value as an answer. Objects are maps, so that the fields come in
// one order, and signs of HTML are as they are.
func asJSON(v any) Answer {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return text(http.StatusInternalServerError, err.Error())
	}
	return Answer{Header: map[string]string{"Content-Type": "application/json; charset=utf-8"}, Body: b.String()}
}

// refuse is a refusal in JSON.
func refuse(status int, v any) Answer {
	a := asJSON(v)
	a.Status = status
	return a
}

// text is an answer of words alone.
func text(status int, words string) Answer {
	return Answer{Status: status, Header: map[string]string{"Content-Type": "text/plain; charset=utf-8"}, Body: words}
}

// page is an answer in HTML.
func page(status int, title, words string) Answer {
	return Answer{
		Status: status, Header: map[string]string{"Content-Type": "text/html; charset=utf-8"},
		Body: "<!doctype html><html><head><title>" + title + "</title></head><body><h1>" + title + "</h1><p>" + words + "</p></body></html>",
	}
}

// with is an answer with more of a header: names and values by turns.
func (a Answer) with(header ...string) Answer {
	for i := 0; i+1 < len(header); i += 2 {
		a.Header[header[i]] = header[i+1]
	}
	return a
}

// object is an object of JSON.
type object = map[string]any
