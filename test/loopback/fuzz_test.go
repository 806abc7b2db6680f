package loopback

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRead gives each wire any bytes as a request: it must understand
// something and have an answer.
func FuzzRead(f *testing.F) {
	f.Add(`{"stream":true,"messages":[{"role":"user","content":[[]]}],"tools":[{"name":"web_search"}]}`)
	f.Add(`{"input":[{"type":"additional_tools","tools":[{"type":"namespace","tools":[{"name":"exec","type":"custom"}]}]}],"tools":"x"}`)
	f.Add(`{"contents":[{"role":"user","parts":[{"text":"temporary directory is: /x"}]}],"tools":[{"googleSearch":{}}]}`)
	f.Add(`[[[[`)
	f.Fuzz(func(t *testing.T, body string) {
		for path, w := range map[string]wire{
			"/v1/messages": anthropic{}, "/v1/responses": openai{}, "/v1beta/models/m:generateContent": gemini{},
			"/v1/chat/completions": chat{},
		} {
			q := w.read(httptest.NewRequest(http.MethodPost, path, nil), []byte(body))
			step := w.usual(q)
			if q.Inner == "" {
				step = Step{Text: q.LastUser}
			}
			answer, err := w.answer(q, step)
			require.NoError(t, err)
			require.NotEmpty(t, answer)
			require.True(t, q.stream || json.Valid([]byte(answer)), answer)
			require.True(t, json.Valid(raw([]byte(body))))
		}
	})
}
