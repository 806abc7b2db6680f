package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestItPrintsItsURLServesAndLogs(t *testing.T) {
	dir := t.TempDir()
	scenario, log := filepath.Join(dir, "s.yaml"), filepath.Join(dir, "log.jsonl")
	require.NoError(t, os.WriteFile(scenario, []byte("rules: [{steps: [{text: Hello.}]}]"), 0o600))
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-api", "anthropic", "-scenario", scenario, "-log", log}, in)
		_ = in.CloseWithError(err) // who waits for the URL of a server that did not start is told why
		done <- err
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)

	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, strings.TrimSpace(url)+"/v1/messages", strings.NewReader(`{"messages":[]}`))
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Contains(t, string(text), "Hello.")

	stop()
	require.NoError(t, <-done)
	lines, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(lines), "\n"))
}

func TestItSaysWhatIsWrong(t *testing.T) {
	good := filepath.Join(t.TempDir(), "s.yaml")
	require.NoError(t, os.WriteFile(good, []byte("rules: []"), 0o600))
	for want, args := range map[string][]string{
		"read the scenario":        {"-api", "openai", "-scenario", "nowhere.yaml"},
		"is not one of the wire":   {"-api", "mistral", "-scenario", good},
		"listen for a command":     {"-api", "gemini", "-scenario", good, "-addr", "256.0.0.1:0"},
		"flag provided but not de": {"-port", "1"},
	} {
		require.ErrorContains(t, run(t.Context(), args, io.Discard), want)
	}
}
