package openai_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/chat/openai"
)

// FuzzReply has a server answer anything, as a stream and in one piece: there
// is a failure, or an answer that came to its end.
func FuzzReply(f *testing.F) {
	const good = `{"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":-9}}`
	for _, body := range []string{
		"data: " + good + "\n\ndata: [DONE]\n\n", "data: {oops\n\n", "", "<html>502 Bad Gateway</html>", "data: [DONE]\n\n", `{"choices":[{"message":{"content":"x"}}]}`,
		"event: error\ndata: {\"error\":{\"message\":\"\",\"type\":\"overloaded\"}}\n\n", `{"error":{}}`, "data: {\"choices\":null}\n\n",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":99999999}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
	} {
		f.Add([]byte(body), false, 200)
		f.Add([]byte(body), true, 200)
		f.Add([]byte(body), true, 500)
	}
	f.Fuzz(func(t *testing.T, body []byte, whole bool, status int) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			kind := "text/event-stream"
			if whole {
				kind = "application/json"
			}
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(200 + (status%400+400)%400)
			_, _ = w.Write(body) // whoever asked may have gone
		}))
		defer server.Close()
		said, err := openai.Ask(t.Context(), openai.Question{Server: agent.Server{BaseURL: server.URL + "/v1"}, Model: "m", Heard: func(int) {}})
		if err != nil {
			require.NotEmpty(t, strings.TrimSpace(err.Error()))
			return
		}
		require.NotEmpty(t, said.Finish)
		require.GreaterOrEqual(t, min(said.Usage.Input, said.Usage.Output, said.Usage.Cached), int64(0))
	})
}
