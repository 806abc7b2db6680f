package notify_test

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// mail is what a fake service has taken.
type mail struct {
	mu    sync.Mutex
	list  []map[string]any
	tries int
}

func (m *mail) keep(letter map[string]any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, letter)
}

func (m *mail) try() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tries++
	return m.tries
}

func (m *mail) tried() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tries
}

func (m *mail) taken() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.list)
}

func (m *mail) only(t *testing.T) map[string]any {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	require.Len(t, m.list, 1)
	return m.list[0]
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func decode(r *http.Request) (map[string]any, bool) {
	var v map[string]any
	err := json.NewDecoder(r.Body).Decode(&v)
	return v, err == nil && r.Method == http.MethodPost && r.Header.Get("Content-Type") == "application/json"
}

// fakeWebhook stands for a person's own service.
func fakeWebhook(m *mail, authorization string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		letter, ok := decode(r)
		switch {
		case !ok:
			w.WriteHeader(http.StatusBadRequest)
		case r.Header.Get("Authorization") != authorization:
			w.WriteHeader(http.StatusUnauthorized)
		default:
			m.keep(letter)
			w.WriteHeader(http.StatusNoContent)
		}
	}
}

// fakeSlack stands for Slack's incoming webhooks: plain words for answers.
func fakeSlack(m *mail, path string) http.HandlerFunc {
	answer := func(w http.ResponseWriter, status int, word string) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, word)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		letter, ok := decode(r)
		text, _ := letter["text"].(string)
		switch {
		case r.URL.Path != path:
			answer(w, http.StatusNotFound, "no_service")
		case !ok:
			answer(w, http.StatusBadRequest, "invalid_payload")
		case text == "":
			answer(w, http.StatusBadRequest, "no_text")
		default:
			m.keep(letter)
			answer(w, http.StatusOK, "ok")
		}
	}
}

// fakeTelegram stands for the Bot API: JSON with ok, and a description of what
// was wrong.
func fakeTelegram(m *mail, token, chat string) http.HandlerFunc {
	answer := func(w http.ResponseWriter, status int, description string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": false, "error_code": status, "description": description})
	}
	return func(w http.ResponseWriter, r *http.Request) {
		letter, ok := decode(r)
		text, _ := letter["text"].(string)
		switch {
		case r.URL.Path != "/bot"+token+"/sendMessage":
			answer(w, http.StatusUnauthorized, "Unauthorized")
		case !ok || text == "":
			answer(w, http.StatusBadRequest, "Bad Request: message text is empty")
		case letter["chat_id"] != chat:
			answer(w, http.StatusBadRequest, "Bad Request: chat not found")
		case len(utf16.Encode([]rune(text))) > 4096:
			answer(w, http.StatusBadRequest, "Bad Request: message is too long")
		default:
			m.keep(letter)
			_, _ = io.WriteString(w, `{"ok":true,"result":{"message_id":1}}`)
		}
	}
}

// fakeNtfy stands for an ntfy server: the text is the body, all else is in
// headers, encoded as those of a mail.
func fakeNtfy(m *mail, topic, token string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		title, bad := new(mime.WordDecoder).DecodeHeader(r.Header.Get("Title"))
		w.Header().Set("Content-Type", "application/json")
		switch {
		case token != "" && r.Header.Get("Authorization") != "Bearer "+token:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"code":40101,"http":401,"error":"unauthorized"}`)
		case r.URL.Path != "/"+topic || r.Method != http.MethodPost || err != nil || bad != nil || len(body) > 4096:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"code":40009,"http":400,"error":"invalid request"}`)
		default:
			m.keep(map[string]any{"title": title, "message": string(body), "priority": r.Header.Get("Priority"), "tags": r.Header.Get("Tags")})
			_, _ = io.WriteString(w, `{"id":"sPs71M8A2T","time":1643935928,"event":"message","topic":"`+topic+`"}`)
		}
	}
}

// environment is a getenv of the variables named.
func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if value, ok := strings.CutPrefix(p, name+"="); ok {
				return value
			}
		}
		return ""
	}
}
