package e2e_test

import (
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

// step is what the scripted model does with one request. Writing a file and
// recording a claim wait for the CLI's next request; saying something ends the
// model's turn. In write, content and say, {report} stands for the file that
// the conversation asks for.
type step struct {
	write, content string // a file and what to put there, by the tool the request offers
	claim          object // recorded at the desk
	say            string
	hang           bool            // no answer ever
	hold           <-chan struct{} // no answer before it is closed
	status         int             // an HTTP error instead of an answer
	retryAfter     string
	cut            bool // the stream breaks off in the middle
}

// rule gives steps to the requests it matches: every text that is set must be
// found in the request. Each session goes through the steps by itself; the
// first rule that has a step left is taken.
type rule struct {
	vendor string // anthropic, openai, google
	said   string // in anything the user's side has said
	last   string // in the last text of the user's side
	once   bool   // the steps are there once for all sessions
	steps  []step
}

// request is one request of a CLI, as it is in the log.
type request struct {
	vendor, model, session string
	said, last             string
	report                 string // the file the conversation asks for, "" when it asks for none
	writer                 string // the tool that writes files; a request without one is no turn of an agent
}

// models is a fake of three model providers: one server that speaks the true
// wire formats of Anthropic's Messages, OpenAI's Responses and the Gemini API,
// and does what a script says. A request nobody wrote a step for is answered
// with "done".
type models struct {
	url    string
	mu     sync.Mutex
	script []rule
	taken  map[string]int // steps, by rule and session
	log    []request
	closed chan struct{}
}

func serve(t *testing.T, script ...rule) *models {
	m := &models{closed: make(chan struct{}), script: script, taken: map[string]int{}}
	server := httptest.NewServer(m)
	m.url = server.URL
	t.Cleanup(func() {
		close(m.closed) // lets hanging answers go
		server.Close()
	})
	return m
}

// key is the made-up key the CLIs are given.
const key = "sk-test-dummy"

// env points all three CLIs to the server.
func (m *models) env() []string {
	return []string{
		"ANTHROPIC_BASE_URL=" + m.url, "ANTHROPIC_API_KEY=" + key,
		"OPENAI_BASE_URL=" + m.url + "/v1", "OPENAI_API_KEY=" + key,
		"GOOGLE_GEMINI_BASE_URL=" + m.url, "GEMINI_API_KEY=" + key,
	}
}

// asked are the turns of agents so far whose conversation holds a text.
func (m *models) asked(vendor, said string) []request {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []request
	for _, r := range m.log {
		if r.writer != "" && (vendor == "" || r.vendor == vendor) && strings.Contains(r.said, said) {
			list = append(list, r)
		}
	}
	return list
}

// everything is how many requests came in all.
func (m *models) everything() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.log)
}

// ServeHTTP answers one request.
func (m *models) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v, ok := voices(r.URL.Path)
	if !ok || r.Method != http.MethodPost {
		aside(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the CLI has gone
	}
	req := v.read(r, string(body))
	req.report = wanted(req.said)
	if req.session == "" {
		req.session = req.report
	}
	s, id := m.next(req)
	switch {
	case (s.hang || s.hold != nil) && !m.released(r, s.hold):
	case s.status != 0:
		refuse(w, s)
	default:
		answer(w, v, req, s, id)
	}
}

// released waits until an answer is let go; false when it never is.
func (m *models) released(r *http.Request, hold <-chan struct{}) bool {
	select {
	case <-hold:
		return true
	case <-r.Context().Done():
	case <-m.closed:
	}
	return false
}

// aside answers what asks for no answer of a model: token counts and the
// attempt to open a WebSocket among them.
func aside(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost && strings.Contains(r.URL.Path, "ount"):
		_, _ = io.WriteString(w, `{"input_tokens":1,"totalTokens":1}`)
	case r.Header.Get("Upgrade") != "":
		w.WriteHeader(http.StatusUpgradeRequired)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// next logs a request and finds its step.
func (m *models) next(r request) (step, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log = append(m.log, r)
	id := strconv.Itoa(len(m.log))
	for i, rule := range m.script {
		name := fmt.Sprint(i, "/", r.session)
		if rule.once {
			name = strconv.Itoa(i)
		}
		if n := m.taken[name]; r.writer != "" && n < len(rule.steps) && rule.matches(r) {
			m.taken[name]++
			return rule.steps[n], id
		}
	}
	return step{say: "done"}, id
}

func (x rule) matches(r request) bool {
	return (x.vendor == "" || x.vendor == r.vendor) && strings.Contains(r.said, x.said) && strings.Contains(r.last, x.last)
}

func refuse(w http.ResponseWriter, s step) {
	w.Header().Set("Content-Type", "application/json")
	if s.retryAfter != "" {
		w.Header().Set("Retry-After", s.retryAfter)
	}
	w.WriteHeader(s.status)
	fmt.Fprintf(w, `{"type":"error","error":{"type":"t","code":%d,"message":"refused","status":"S"}}`, s.status)
}

func answer(w http.ResponseWriter, v voice, r request, s step, id string) {
	fill := strings.NewReplacer("{report}", r.report)
	s.write, s.content, s.say = fill.Replace(s.write), fill.Replace(s.content), fill.Replace(s.say)
	var out strings.Builder
	v.speak(&out, r, s, id)
	w.Header().Set("Content-Type", "text/event-stream")
	if !s.cut {
		_, _ = io.WriteString(w, out.String()) // the CLI may have gone
		return
	}
	_, _ = io.WriteString(w, out.String()[:out.Len()/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// sessions are the sessions of these requests, each once.
func sessions(requests []request) []string {
	var list []string
	for _, r := range requests {
		if !slices.Contains(list, r.session) {
			list = append(list, r.session)
		}
	}
	return list
}
