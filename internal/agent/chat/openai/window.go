package openai

import (
	"context"
	"errors"
	"fmt"
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
	list, _ := Models(ctx, a.Server.BaseURL, key) // where it does not answer, the usual is assumed
	for _, m := range list {
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

// Models are the models that a server lists, each with its id and what else it tells. An
// error is one line that says what it has answered; nothing of the key stands in it.
func Models(ctx context.Context, base, key string) ([]gjson.Result, error) {
	address, err := url.JoinPath(base, "models")
	if err != nil {
		return nil, errors.New("its address cannot be read")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("its address cannot be read")
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", userAgent)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := client().Do(r)
	if err != nil {
		return nil, fmt.Errorf("nothing answers at %s; is it running?", base)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, maxModels))
	list := gjson.GetBytes(data, "data")
	switch {
	case response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden:
		return nil, fmt.Errorf("%s does not take the key (status %d)", base, response.StatusCode)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answers with status %d; most addresses end in /v1", address, response.StatusCode)
	case err != nil || !gjson.ValidBytes(data) || !list.IsArray():
		return nil, fmt.Errorf("%s is no list of models", address)
	}
	return list.Array(), nil
}
