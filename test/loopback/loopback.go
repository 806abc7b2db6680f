// Package loopback has scripted model servers: fakes that speak the true wire
// formats of Anthropic's Messages API, OpenAI's Responses and Chat Completions
// APIs and the Gemini API on loopback, so that the real command lines can be
// driven off line.
//
// One language of [Scenario] serves them all. A step says what a model does
// ("write this file") and the server says it with whatever tool the request
// offers. In a file:
//
//	find: {report: "Write Markdown to `([^`]+)`"}
//	rules:
//	- when: {first_user: "seat (?P<seat>\\w+)"}
//	  steps:
//	  - status: 429
//	    headers: {Retry-After: "1"}
//	  - search: ${seat} history
//	  - write: {path: "${report}", content: "# Report of ${seat}\n"}
//	  - text: Written.
//	- when: {inner: search}
//	  steps: [{results: [{url: "https://example.org/", title: Example, text: On ${query}}]}]
//
// It promises that no request leaves without an answer the scenario gave or
// the vendor would give, and that each is in the log; starting command lines
// is left to others.
package loopback

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// Request is one request as it was understood, whatever the vendor.
type Request struct {
	N       int         `json:"n"` // from 1
	Time    time.Time   `json:"time"`
	Method  string      `json:"method"`
	Path    string      `json:"path"`
	Header  http.Header `json:"header"`
	Session string      `json:"session"` // session or thread; a subagent of Claude is SESSION/AGENT
	Model   string      `json:"model"`
	System  string      `json:"system"` // also what developer and system say in the middle
	// FirstUser and LastUser are the first and last text of the user, without
	// answers of tools and without what the command line puts before the
	// user's words.
	FirstUser string   `json:"first_user"`
	LastUser  string   `json:"last_user"`
	Tools     []string `json:"tools"` // names of the tools that are offered
	// Inner is empty for a turn of the model. Else it says what the command
	// line wants for itself: search, fetch, compact, title, count, models,
	// websocket, hello, quota, router, next_speaker, loop_check, other.
	Inner   string          `json:"inner"`
	Rule    string          `json:"rule"` // which rule answered; empty for the usual answer to an inner request
	Hit     int             `json:"hit"`  // of the rule, in the session, from 1
	Status  int             `json:"status"`
	Problem string          `json:"problem,omitempty"` // why the scenario had no answer
	Body    json.RawMessage `json:"body"`              // a JSON string if the body is no JSON

	said   string // by user, model and tools
	query  string
	stream bool
	code   bool // tools are called by code

	counted bool // a stream is to tell its tokens
}

// Said is all that user, model and tools have said so far.
func (q Request) Said() string { return q.said }

// wire is one vendor's format. Its methods are pure.
type wire interface {
	read(r *http.Request, body []byte) Request
	usual(q Request) Step                     // the answer to an inner request
	answer(q Request, s Step) (string, error) // the body of a good answer
	failure(s Step) string                    // the body of an error
	env(url string) (env, args []string)      // how a command line finds the server
}

func speak(api string) (wire, error) {
	switch api {
	case "anthropic":
		return anthropic{}, nil
	case "openai":
		return openai{}, nil
	case "gemini":
		return gemini{}, nil
	case "chat":
		return chat{}, nil
	}
	return nil, fmt.Errorf("%q is not one of the wire formats anthropic, openai, gemini and chat", api)
}

// Server is a scripted model server. It is closed by Close, or at the end of
// the test it was made for.
type Server struct {
	URL string // http://127.0.0.1:PORT

	wire   wire
	script script
	server *http.Server
	closed chan struct{}

	mu       sync.Mutex
	log      io.Writer
	hits     map[string]int
	requests []Request
}

// Anthropic serves the Messages API, which claude speaks.
func Anthropic(t testing.TB, s Scenario) *Server { return start(t, "anthropic", s) }

// OpenAI serves the Responses API, which codex speaks.
func OpenAI(t testing.TB, s Scenario) *Server { return start(t, "openai", s) }

// Gemini serves the Gemini API, which gemini speaks.
func Gemini(t testing.TB, s Scenario) *Server { return start(t, "gemini", s) }

// start makes what the scenario did not foresee fail the test.
func start(t testing.TB, api string, s Scenario) *Server {
	t.Helper()
	server, err := Listen(api, "127.0.0.1:0", s, io.Discard)
	if err != nil {
		t.Fatalf("start a scripted model: %v", err)
	}
	t.Cleanup(func() {
		server.Close()
		for _, q := range server.Requests() {
			if q.Problem != "" {
				t.Errorf("request %d to the scripted model: %s", q.N, q.Problem)
			}
		}
	})
	return server
}

// Listen serves a scenario in the wire format "anthropic", "openai", "gemini" or
// "chat" at an address such as 127.0.0.1:0, and writes each [Request] to log as a
// line of JSON.
func Listen(api, addr string, scenario Scenario, log io.Writer) (*Server, error) {
	w, err := speak(api)
	if err != nil {
		return nil, err
	}
	played, err := compile(scenario)
	if err != nil {
		return nil, err
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for a command line: %w", err)
	}
	s := &Server{
		URL: "http://" + l.Addr().String(), wire: w, script: played, closed: make(chan struct{}),
		log: log, hits: map[string]int{},
	}
	s.server = &http.Server{Handler: http.HandlerFunc(s.handle), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.server.Serve(l) }() // it ends when it is closed
	return s, nil
}

// Close ends the server and every answer that is under way. It must be called
// once.
func (s *Server) Close() {
	close(s.closed)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.server.Shutdown(ctx) // lets answers end; what does not end is cut
	_ = s.server.Close()
}

// Requests is everything that was asked so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Turns are the requests that are turns of the model: those that are not inner.
func (s *Server) Turns() []Request {
	return slices.DeleteFunc(s.Requests(), func(q Request) bool { return q.Inner != "" })
}

// Env is the environment that leads the vendor's command line to the server,
// with a key that opens nothing.
func (s *Server) Env() []string {
	env, _ := s.wire.env(s.URL)
	return env
}

// Args are arguments the command line needs besides [Server.Env]: codex takes
// its address from nowhere else.
func (s *Server) Args() []string {
	_, args := s.wire.env(s.URL)
	return args
}

func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // nobody is left to answer
	}
	q := s.wire.read(r, body)
	q.Method, q.Path, q.Header, q.Time, q.Body = r.Method, r.URL.Path, r.Header, time.Now(), raw(body)
	step, answer := s.plan(&q)
	if !s.pause(r, step.Delay) {
		return
	}
	switch {
	case step.Drop:
		panic(http.ErrAbortHandler) // the way to close a connection
	case step.Hang && !step.Cut:
		s.hang(r)
		return
	}
	header(w.Header(), q, step)
	w.WriteHeader(q.Status)
	if !step.Cut {
		_, _ = io.WriteString(w, answer) // a client that left is no fault
		return
	}
	_, _ = io.WriteString(w, answer[:len(answer)/2])
	_ = http.NewResponseController(w).Flush()
	if step.Hang {
		s.hang(r)
	}
	panic(http.ErrAbortHandler)
}

func header(h http.Header, q Request, step Step) {
	h.Set("Content-Type", "application/json")
	if q.stream && q.Status == http.StatusOK {
		h.Set("Content-Type", "text/event-stream")
	}
	for name, value := range step.Headers {
		h.Set(name, value)
	}
}

// raw keeps a body that is not JSON as a JSON string.
func raw(body []byte) json.RawMessage {
	if json.Valid(body) {
		return body
	}
	return json.RawMessage(encode(string(body)))
}

// plan numbers a request, chooses its answer and notes both.
func (s *Server) plan(q *Request) (Step, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q.N = len(s.requests) + 1
	step, err := s.choose(q)
	answer := ""
	if err == nil && step.Status < http.StatusBadRequest {
		answer, err = s.wire.answer(*q, step)
	}
	if err != nil {
		q.Problem = err.Error()
		step = Step{Status: http.StatusBadRequest, Message: "the scenario has no answer: " + q.Problem}
	}
	if q.Status = step.Status; q.Status == 0 && !step.Drop && (!step.Hang || step.Cut) {
		q.Status = http.StatusOK
	}
	if step.Status >= http.StatusBadRequest {
		answer = s.wire.failure(step)
	}
	s.requests = append(s.requests, *q)
	_, _ = io.WriteString(s.log, encode(q)+"\n") // a log that is full is no matter of the command line's
	return step, answer
}

// choose is the step for a request, its placeholders filled.
func (s *Server) choose(q *Request) (Step, error) {
	if q.N > s.script.most {
		return Step{}, fmt.Errorf("more than %d requests", s.script.most)
	}
	if s.script.play != nil {
		if step, ok := s.script.play(*q); ok {
			return step, nil
		}
	}
	for i, r := range s.script.rules {
		groups, ok := r.match(q)
		if !ok {
			continue
		}
		key := fmt.Sprint(i, " ", q.Session)
		if r.Shared {
			key = fmt.Sprint(i)
		}
		s.hits[key]++
		q.Rule, q.Hit = r.Name, s.hits[key]
		return s.script.fill(r.step(q.Hit), q, groups)
	}
	if q.Inner == "" {
		return Step{}, errors.New("no rule meets: " + brief(q.LastUser))
	}
	return s.wire.usual(*q), nil
}

// brief is the beginning of a text.
func brief(text string) string {
	if r := []rune(text); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return text
}

// pause waits and reports whether there is still somebody to answer.
func (s *Server) pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-s.closed:
	}
	return false
}

// hang waits until nobody is left.
func (s *Server) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.closed:
	}
}
