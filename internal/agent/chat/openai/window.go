package openai

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/agent/chat"
)

// Bounds of asking a server for its models.
const (
	windowTimeout = 10 * time.Second
	maxModels     = 8 << 20
)

// windowFields are the names under which servers tell what a model reads at once:
// vLLM, OpenRouter, Groq, LM Studio.
var windowFields = []string{"max_model_len", "context_length", "context_window", "max_context_length", "loaded_context_length"}

// findWindow is how many tokens the model reads at once: as configured, as the server
// tells, else [chat.DefaultWindow].
func (d TurnIO) findWindow(ctx context.Context, a chat.Assignment, key string) int64 {
	if a.Server.Window > 0 {
		return int64(a.Server.Window)
	}
	ctx, cancel := context.WithTimeout(ctx, windowTimeout)
	defer cancel()
	for _, m := range models(ctx, a.Server.BaseURL, key) {
		if m.Get("id").Str != a.Model {
			continue
		}
		for _, name := range windowFields {
			if n := m.Get(name).Int(); n > 0 {
				return n
			}
		}
	}
	return chat.DefaultWindow
}

// models are the models that a server lists; none where it does not answer.
func models(ctx context.Context, base, key string) []gjson.Result {
	address, err := url.JoinPath(base, "models")
	if err != nil {
		return nil
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", userAgent)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := client().Do(r)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, maxModels))
	if err != nil || response.StatusCode != http.StatusOK || !gjson.ValidBytes(data) {
		return nil
	}
	return gjson.GetBytes(data, "data").Array()
}
