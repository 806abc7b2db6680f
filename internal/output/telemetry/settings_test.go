package telemetry

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhereSignalsGo(t *testing.T) {
	for name, c := range map[string]struct {
		endpoint        string
		env             []string
		traces, metrics string // "" for nowhere
	}{
		"nowhere unless asked":                    {},
		"below the configured address":            {"http://c.invalid:4318", nil, "http://c.invalid:4318/v1/traces", "http://c.invalid:4318/v1/metrics"},
		"an address with a path":                  {"https://c.invalid/otlp/", nil, "https://c.invalid/otlp/v1/traces", "https://c.invalid/otlp/v1/metrics"},
		"the environment goes first":              {"http://c.invalid", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://e.invalid"}, "http://e.invalid/v1/traces", "http://e.invalid/v1/metrics"},
		"a signal's own address is taken as is":   {"http://c.invalid", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t.invalid/x"}, "http://t.invalid/x", "http://c.invalid/v1/metrics"},
		"one signal alone":                        {"", []string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://m.invalid/m"}, "", "http://m.invalid/m"},
		"off altogether":                          {"http://c.invalid", []string{"OTEL_SDK_DISABLED", "TRUE"}, "", ""},
		"a signal that is off":                    {"http://c.invalid", []string{"OTEL_METRICS_EXPORTER", "none"}, "http://c.invalid/v1/traces", ""},
		"a protocol that is ours":                 {"http://c.invalid", []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"}, "http://c.invalid/v1/traces", "http://c.invalid/v1/metrics"},
		"a protocol over the same":                {"http://c.invalid", []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"}, "http://c.invalid/v1/traces", "http://c.invalid/v1/metrics"},
		"a protocol of one signal goes before it": {"http://c.invalid", []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf"}, "http://c.invalid/v1/traces", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := settings{Config{Endpoint: c.endpoint}, environment(c.env...)}
			for signal, want := range map[string]string{tracesSignal: c.traces, metricsSignal: c.metrics} {
				got := ""
				if to, _ := s.target(signal); to != nil {
					got = to.url
				}
				require.Equal(t, want, got, signal)
			}
		})
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.pem")
	empty := filepath.Join(t.TempDir(), "empty.pem")
	require.NoError(t, os.WriteFile(empty, []byte("none"), 0o600))
	for why, env := range map[string][]string{
		"no http or https address":     {"OTEL_EXPORTER_OTLP_ENDPOINT", "secret.invalid:4317"},
		"another protocol":             {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
		"a header has signs":           {"OTEL_EXPORTER_OTLP_HEADERS", "a=secret%0d%0ab"},
		"a header has signs that none": {"OTEL_EXPORTER_OTLP_HEADERS", "a b=secret"},
		"no such file":                 {"OTEL_EXPORTER_OTLP_CERTIFICATE", missing},
		"without a certificate":        {"OTEL_EXPORTER_OTLP_CERTIFICATE", empty},
		"CLIENT_CERTIFICATE":           {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", empty, "OTEL_EXPORTER_OTLP_CLIENT_KEY", empty},
	} {
		dir := t.TempDir()
		r, err := New(Config{Endpoint: "http://c.invalid", Timeout: time.Minute}, dir, environment(env...))
		require.NoError(t, err, "a run goes on without a collector")
		r.Replay(wholeRun())
		require.NoError(t, r.Close(background()))
		troubles := r.TakeProblems()
		require.Len(t, troubles, 2, "one for each signal")
		require.Contains(t, troubles[0], "traces cannot be sent: ")
		require.Contains(t, troubles[0], why)
		require.NotContains(t, troubles[0], "secret")
		require.FileExists(t, filepath.Join(dir, Name))
	}
}

func TestPairsOfTheEnvironment(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"":                            {},
		"a=b":                         {"a": "b"},
		" a = b ,c=d%2Ce":             {"a": "b", "c": "d,e"},
		"a=b=c":                       {"a": "b=c"},
		"a,=b,c=%zz,d=":               {"d": ""},
		"authorization=Basic%20YTpi=": {"authorization": "Basic YTpi="},
	} {
		require.Equal(t, want, pairs(text), text)
	}
}

func TestTimesOfTheEnvironment(t *testing.T) {
	for text, want := range map[string]time.Duration{"250": 250 * time.Millisecond, "": time.Hour, "0": time.Hour, "-5": time.Hour, "5s": time.Hour, "9223372036854775807": time.Hour} {
		require.Equal(t, want, millis(text, time.Hour), text)
	}
	s := settings{Config{Timeout: 3 * time.Second}, environment("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "1500")}
	for signal, want := range map[string]time.Duration{tracesSignal: 3 * time.Second, metricsSignal: 1500 * time.Millisecond} {
		c, err := s.client(signal)
		require.NoError(t, err)
		require.Equal(t, want, c.Timeout)
	}
}

func TestAboutTheService(t *testing.T) {
	s := settings{Config{}, environment("OTEL_RESOURCE_ATTRIBUTES", "service.name=a,deployment.environment=lab", "OTEL_SERVICE_NAME", "b")}
	require.Equal(t, Attributes{"service.name": "b", "deployment.environment": "lab", "service.instance.id": runID}, s.resourceAttributes(runID))
	s.getenv = environment("OTEL_RESOURCE_ATTRIBUTES", "service.name=a")
	require.Equal(t, "a", s.resourceAttributes(runID)["service.name"])
}

func TestACollectorWithACertificateOfItsOwn(t *testing.T) {
	c := &fakeCollector{}
	c.Server = httptest.NewUnstartedServer(c)
	c.StartTLS()
	defer c.Close()
	roots := filepath.Join(t.TempDir(), "roots.pem")
	require.NoError(t, os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw}), 0o600))
	_, err := export(t, Config{Endpoint: c.URL}, t.TempDir(), environment("OTEL_EXPORTER_OTLP_CERTIFICATE", roots))
	require.NoError(t, err)
	require.Len(t, c.spans(), len(Spans(wholeRun())))
	require.Equal(t, http.MethodPost, c.asked(0).Method)
}
