package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/config"
)

func TestTelemetryIsSentNowhereByDefault(t *testing.T) {
	c := defaults(t).Telemetry
	require.Empty(t, c.Endpoint)
	require.False(t, c.Content, "topics stay where they are")
	require.Equal(t, 10*time.Second, c.Timeout)
}

func TestTelemetryThatCanBeSent(t *testing.T) {
	c, err := config.Parse([]byte(`telemetry: {endpoint: "http://127.0.0.1:4318", headers_env: {X-Api-Key: MY_KEY, Authorization: MY_AUTH}, timeout: 3s, content: true}`))
	require.NoError(t, err)
	require.Equal(t, "http://127.0.0.1:4318", c.Telemetry.Endpoint)
	require.Equal(t, 3*time.Second, c.Telemetry.Timeout)
	require.True(t, c.Telemetry.Content)
	require.Equal(t, []string{"MY_AUTH", "MY_KEY", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_METRICS_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"}, c.Telemetry.Variables())
}

func TestTelemetryThatCannotBeSent(t *testing.T) {
	for own, why := range map[string]string{
		`{endpoint: "127.0.0.1:4318"}`:                  "http or https",
		`{endpoint: "grpc://collector.invalid"}`:        "http or https",
		`{endpoint: "https://me:pw@collector.invalid"}`: "without a password",
		`{endpoint: "https://collector.invalid?key=s"}`: "without a password",
		`{timeout: 0s}`: "timeout",
		`{timeout: 2m}`: "timeout",
		`{headers_env: {Authorization: "Bearer abc"}}`: "name of a variable",
		`{headers_env: {"A b": NAME}}`:                 "name of a variable",
		`{headers_env: {Authorization: ""}}`:           "name of a variable",
		`{header: {}}`:                                 "header",
	} {
		_, err := config.Parse([]byte("telemetry: " + own))
		require.ErrorContains(t, err, why, own)
		require.NotContains(t, err.Error(), "pw@", own)
		require.NotContains(t, err.Error(), "Bearer abc", own)
	}
}
