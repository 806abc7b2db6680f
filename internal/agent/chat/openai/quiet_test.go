package openai

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/chat"
	"github.com/research-council/research-council/test/loopback"
)

func TestAServerThatFallsSilentIsGivenUp(t *testing.T) {
	for name, step := range map[string]loopback.Step{"at once": {Hang: true}, "in the middle": {Text: "Half of this.", Cut: true, Hang: true}} {
		t.Run(name, func(t *testing.T) {
			server := loopback.Chat(t, loopback.Scenario{Rules: []loopback.Rule{{Steps: []loopback.Step{step}}}})
			_, err := ask(t.Context(), Question{Server: agent.Server{BaseURL: server.URL}, Model: "m", Heard: func(int) {}}, 50*time.Millisecond)
			var f *failure
			require.True(t, errors.As(err, &f))
			require.Equal(t, chat.Silent, f.Cause)
		})
	}
}

func TestABodyIsReadToItsBoundAndKeepsTheWatchAwake(t *testing.T) {
	alive := 0
	b := body{io.NopCloser(strings.NewReader("0123456789")), 4, errLarge, func() { alive++ }}
	data, err := io.ReadAll(&b)
	require.ErrorIs(t, err, errLarge)
	require.Equal(t, "0123", string(data))
	require.Positive(t, alive)
}
