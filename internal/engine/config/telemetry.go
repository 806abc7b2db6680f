package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Telemetry is where the traces and metrics of runs are sent, by OTLP over
// HTTP, beyond the file every run keeps of its own. Nothing is sent without an
// endpoint; one in the variables that OpenTelemetry names (such as
// OTEL_EXPORTER_OTLP_ENDPOINT) goes before the one here.
type Telemetry struct {
	Endpoint string            `yaml:"endpoint"`    // base address of a collector: /v1/traces and /v1/metrics are below it
	Headers  map[string]string `yaml:"headers_env"` // a header's name, and the variable that holds its value
	Timeout  time.Duration     `yaml:"timeout"`     // of one request, and of the last flush with all its tries
	Content  bool              `yaml:"content"`     // topic, reasons and messages are told too
}

// maxExportTimeout bounds the time of one request.
const maxExportTimeout = time.Minute

// check never repeats an address: one may hold what is not to be seen.
func (t Telemetry) check() error {
	u := web(t.Endpoint)
	switch {
	case t.Endpoint == "":
	case u == nil:
		return errors.New("telemetry: endpoint has to be an http or https address, or empty")
	case !isPlainAddress(u):
		return errors.New("telemetry: endpoint has to be an address without a password, a query or a fragment")
	}
	if t.Timeout <= 0 || t.Timeout > maxExportTimeout {
		return fmt.Errorf("telemetry: timeout has to be more than 0s and at most %s", maxExportTimeout)
	}
	for name, of := range t.Headers {
		if !header(name, of) {
			return errors.New("telemetry: headers_env has to give a header's name the name of a variable of the environment")
		}
	}
	return nil
}

// Variables names the variables of the environment that hold secrets of
// collectors, sorted: no child of ours needs to see them.
func (t Telemetry) Variables() []string {
	names := slices.AppendSeq([]string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_METRICS_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"}, maps.Values(t.Headers))
	slices.Sort(names)
	return slices.Compact(names)
}
