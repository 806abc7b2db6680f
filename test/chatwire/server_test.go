package chatwire

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// step is an answer of the server.
type step struct {
	Text      string
	Calls     []called
	Usage     map[string]int
	SSE       string `yaml:"sse"`
	Status    int
	Headers   map[string]string
	JSON      string `yaml:"json"`
	Kill      string
	Times     string
	Cycle     []step
	ThenClose bool `yaml:"then_close"`
}

type called struct {
	Name      string
	Arguments map[string]any
}

// names are the real names of parameters that the cases call otherwise.
var names = map[string]string{"record_claim.claim": "text"}

// server answers the requests for completions in order.
type server struct {
	*httptest.Server
	t     *testing.T
	steps []step
	desk  *desk
	scope string

	mu     sync.Mutex
	asked  [][]byte
	kill   func()
	killed bool
}

func newServer(t *testing.T, p play, scope string, d *desk) *server {
	s := &server{t: t, steps: p.Server, desk: d, scope: scope}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, p.Models)
			return
		}
		body, _ := io.ReadAll(r.Body)
		n := s.note(body)
		one, ok := s.step(n)
		if !ok {
			w.WriteHeader(http.StatusTeapot) // the case knows no such request
			return
		}
		s.answer(w, one, n)
		if one.Kill != "" {
			s.end()
			<-r.Context().Done()
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) note(body []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, body)
	return len(s.asked) - 1
}

// step is the answer to the nth request.
func (s *server) step(n int) (step, bool) {
	last := s.steps[len(s.steps)-1]
	if n >= len(s.steps)-1 && last.Times == "ever" {
		if last.Cycle != nil {
			return last.Cycle[(n-len(s.steps)+1)%len(last.Cycle)], true
		}
		return last, true
	}
	if n >= len(s.steps) {
		return step{}, false
	}
	return s.steps[n], true
}

func (s *server) kills(kill func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kill, s.killed = kill, false
}

func (s *server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.killed = true
	s.kill()
}

func (s *server) wasKilled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.killed
}

func (s *server) requests() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func (s *server) answer(w http.ResponseWriter, one step, n int) {
	body, kind := one.SSE, "text/event-stream"
	switch {
	case one.Kill != "" && body == "":
		return
	case one.JSON != "" || one.Status != 0:
		body, kind = one.JSON, "application/json"
	case body == "":
		body = s.events(one, n)
	}
	w.Header().Set("Content-Type", kind)
	for name, value := range one.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(statusOK(one.Status))
	fmt.Fprint(w, s.filled(body))
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

var blank = regexp.MustCompile(`%([a-z_]+)\.([a-z_]+)%`)

// filled is a text with the real names of parameters.
func (s *server) filled(text string) string {
	return blank.ReplaceAllStringFunc(text, func(found string) string {
		tool, parameter, _ := strings.Cut(strings.Trim(found, "%"), ".")
		return realName(tool, parameter)
	})
}

func realName(tool, parameter string) string {
	if name := names[tool+"."+parameter]; name != "" {
		return name
	}
	return parameter
}

var idOf = regexp.MustCompile(`^\$id_of\((.*)\)$`)

// events are an ordinary answer as a stream.
func (s *server) events(one step, n int) string {
	var calls []map[string]any
	for i, c := range one.Calls {
		given := map[string]any{}
		for name, value := range c.Arguments {
			if text, is := value.(string); is {
				if m := idOf.FindStringSubmatch(text); m != nil {
					text = s.desk.idOf(m[1])
				}
				value = strings.ReplaceAll(text, "${folder}", s.scope)
			}
			given[realName(c.Name, name)] = value
		}
		arguments, err := json.Marshal(given)
		require.NoError(s.t, err)
		calls = append(calls, map[string]any{"index": i, "id": fmt.Sprintf("call_%d_%d", n, i), "type": "function", "function": map[string]any{"name": c.Name, "arguments": string(arguments)}})
	}
	delta, finish := map[string]any{"role": "assistant", "content": s.filled(one.Text)}, "stop"
	if calls != nil {
		delta["tool_calls"], finish = calls, "tool_calls"
	}
	chunks := []map[string]any{
		{"choices": []any{map[string]any{"index": 0, "delta": delta}}},
		{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish}}},
	}
	if one.Usage != nil {
		chunks = append(chunks, map[string]any{"choices": []any{}, "usage": one.Usage})
	}
	var b strings.Builder
	for _, c := range chunks {
		c["id"], c["object"], c["model"] = "c1", "chat.completion.chunk", "test-model"
		data, err := json.Marshal(c)
		require.NoError(s.t, err)
		fmt.Fprintf(&b, "data: %s\n\n", data)
	}
	return b.String() + "data: [DONE]\n\n"
}
