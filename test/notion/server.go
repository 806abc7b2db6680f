// Package notiontest is a fake Notion: a server on this machine that speaks the
// wire format of Notion's API, version 2022-06-28, and holds to its limits.
//
// It keeps a workspace of pages, databases and blocks in memory, refuses what
// the real one refuses, with the same words, and shows a token only what was
// shared with its integration. A test tells it at which requests to fail and
// how: before or after the request was carried out, with an answer or without.
package notiontest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Server is a fake Notion.
type Server struct {
	URL    string // to be set as the server
	Token  string // of the integration
	Parent string // id of a page shared with it, "Reports"

	mu       sync.Mutex
	made     int // ids given out
	nodes    map[string]*node
	faults   map[int]Fault
	requests []Request
	size     int // most entries of one answer to a listing
	unliked  string
}

// Fault is what goes wrong with one request.
type Fault struct {
	Status     int             // of the answer; with 0 and no Drop nothing is wrong with it
	Code       string          // Notion's word for it
	RetryAfter string          // the header; "" for none
	Performed  bool            // the request is carried out all the same
	Drop       bool            // the connection ends without an answer
	Body       string          // instead of an answer of Notion's own
	Hold       <-chan struct{} // nothing happens until it is closed, or the client is gone
	Before     func()          // is called when the request has come
}

// Request is a request that has come.
type Request struct {
	Method, Path, Query string
	Body                []byte
	Status              int // of the answer; 0 for none
}

// Start starts a server that ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := New()
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	s.URL = web.URL
	return s
}

// New makes a server that listens nowhere: it is an http.Handler.
func New() *Server {
	s := &Server{Token: "ntn_fake0123456789", nodes: map[string]*node{}, faults: map[int]Fault{}, size: mostChildren}
	s.Parent = s.NewPage("Reports")
	return s
}

// NewPage adds a page that is shared with the integration and gives its id.
func (s *Server) NewPage(title string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(&node{kind: "page", title: title}).id
}

// NewDatabase adds a database that is shared with the integration.
func (s *Server) NewDatabase(title string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(&node{kind: "database", title: title}).id
}

// Write lets a person write a paragraph at the end of a page.
func (s *Server) Write(page, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body := map[string]any{"rich_text": []any{map[string]any{"type": "text", "text": map[string]any{"content": text}}}}
	s.hang(s.nodes[page], &node{kind: "paragraph", body: body})
}

// NewPageBelow lets a person put a page below another, or into a database.
func (s *Server) NewPageBelow(parent, title string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hang(s.nodes[parent], &node{kind: "page", title: title}).id
}

// Trash lets a person put a page or a block into the trash.
func (s *Server) Trash(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes[id].archived = true
}

// Unshare takes a page away from the integration.
func (s *Server) Unshare(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes[id].hidden = true
}

// Short makes listings give at most so many entries in one answer, as Notion
// may whatever it was asked for.
func (s *Server) Short(most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = most
}

// Dislike makes the server refuse links whose address has a part.
func (s *Server) Dislike(part string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unliked = part
}

// Fail makes the n-th request from now on, counted from 1, fail without being
// carried out. A 429 asks to be tried again at once.
func (s *Server) Fail(n, status int, code string) {
	f := Fault{Status: status, Code: code}
	if status == http.StatusTooManyRequests {
		f.RetryAfter = "0"
	}
	s.Plan(n, f)
}

// Plan says what goes wrong with the n-th request from now on, counted from 1.
func (s *Server) Plan(n int, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[len(s.requests)+n] = f
}

// Requests are all requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Pages are the pages below a page or in a database, in order, those in the
// trash left out.
func (s *Server) Pages(parent string) []Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Page
	for _, n := range s.nodes[parent].children {
		if n.kind == "page" && !n.archived {
			list = append(list, n.page())
		}
	}
	return list
}

// Page is a page as people see it.
func (s *Server) Page(id string) Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.nodes[id]
	if n == nil || n.kind != "page" {
		return Page{}
	}
	return n.page()
}

// ServeHTTP answers one request of the API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 4*mostBytes))
	if err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Body: body})
	n := len(s.requests)
	fault := s.faults[n]
	s.mu.Unlock()
	if fault.Before != nil {
		fault.Before()
	}
	if fault.Hold != nil {
		select {
		case <-fault.Hold:
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
	s.answer(w, r, n, body, fault)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, n int, body []byte, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wrong := f.Status != 0 || f.Drop || f.Body != ""
	status, said := 0, any(nil)
	if !wrong || f.Performed {
		status, said = s.serve(r, body)
	}
	switch {
	case f.Drop:
		panic(http.ErrAbortHandler)
	case wrong:
		status, said = max(f.Status, http.StatusOK), fault(max(f.Status, http.StatusOK), f.Code, "It went wrong, as was planned.")
	}
	s.requests[n-1].Status = status
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	if f.Body != "" {
		_, _ = io.WriteString(w, f.Body)
		return
	}
	_ = json.NewEncoder(w).Encode(said)
}

// fault is an error as Notion writes it.
func fault(status int, code, message string) map[string]any {
	return map[string]any{
		"object": "error", "status": status, "code": code, "message": message,
		"request_id": "00000000-0000-4000-8000-000000000000",
	}
}

// problem is why a request is refused.
type problem struct {
	status        int
	code, message string
}

func invalid(format string, args ...any) *problem {
	return &problem{http.StatusBadRequest, "validation_error", fmt.Sprintf(format, args...)}
}

// serve carries a request out.
func (s *Server) serve(r *http.Request, body []byte) (int, any) {
	said, p := s.route(r, body)
	if p != nil {
		return p.status, fault(p.status, p.code, p.message)
	}
	return http.StatusOK, said
}

func (s *Server) route(r *http.Request, body []byte) (any, *problem) {
	if p := s.admit(r); p != nil {
		return nil, p
	}
	var sent map[string]any
	if r.Method == http.MethodPost || r.Method == http.MethodPatch {
		if len(body) > mostBytes {
			return nil, &problem{http.StatusRequestEntityTooLarge, "validation_error", "The request body is too large."}
		}
		if r.Header.Get("Content-Type") != "application/json" || json.Unmarshal(body, &sent) != nil {
			return nil, &problem{http.StatusBadRequest, "invalid_json", "Error parsing JSON body."}
		}
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	switch what := r.Method + " " + parts[0] + " " + strconv.Itoa(len(parts)); {
	case what == "GET users 2" && parts[1] == "me":
		return map[string]any{"object": "user", "id": uuid(0), "type": "bot", "name": "Council", "bot": map[string]any{"owner": map[string]any{"type": "workspace", "workspace": true}}}, nil
	case what == "POST pages 1":
		return s.create(sent)
	case what == "GET pages 2":
		return s.pageRecord(parts[1])
	case what == "GET databases 2":
		return s.databaseRecord(parts[1])
	case what == "POST databases 3" && parts[2] == "query":
		return s.query(parts[1], sent)
	case what == "GET blocks 3" && parts[2] == "children":
		return s.list(parts[1], r.URL.Query())
	case what == "PATCH blocks 3" && parts[2] == "children":
		return s.append(parts[1], sent)
	case what == "DELETE blocks 2":
		return s.remove(parts[1])
	}
	return nil, &problem{http.StatusBadRequest, "invalid_request_url", "Invalid request URL."}
}

// admit looks at what every request has to have.
func (s *Server) admit(r *http.Request) *problem {
	switch {
	case r.Header.Get("Authorization") != "Bearer "+s.Token:
		return &problem{http.StatusUnauthorized, "unauthorized", "API token is invalid."}
	case r.Header.Get("Notion-Version") == "":
		return &problem{http.StatusBadRequest, "missing_version", "Notion-Version header failed validation: Notion-Version header should be defined, instead was `undefined`."}
	case r.Header.Get("Notion-Version") != "2022-06-28":
		return invalid("Notion-Version header failed validation: Notion-Version header should be `\"2022-06-28\"`, instead was `%q`.", r.Header.Get("Notion-Version"))
	}
	return nil
}
