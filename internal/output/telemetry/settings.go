package telemetry

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/engine/config"
)

// Signals, as the standard variables spell them.
const (
	tracesSignal  = "TRACES"
	metricsSignal = "METRICS"
)

// endpoint is where one signal is posted to.
type endpoint struct {
	what    string // for people
	url     string
	headers http.Header
	gzip    bool
	client  *http.Client
}

// settings are what configuration and environment say of exports.
type settings struct {
	config.Telemetry
	getenv func(string) string
}

// disabled reports whether the environment turns everything off.
func (s settings) disabled() bool { return strings.EqualFold(s.getenv("OTEL_SDK_DISABLED"), "true") }

// option is a variable of the exporter's, for one signal before all.
func (s settings) option(signal, name string) string {
	return cmp.Or(s.getenv("OTEL_EXPORTER_OTLP_"+signal+"_"+name), s.getenv("OTEL_EXPORTER_OTLP_"+name))
}

// target is where a signal goes; nil for nowhere.
func (s settings) target(signal string) (*endpoint, error) {
	what := strings.ToLower(signal)
	address := s.address(signal, what)
	if address == "" || s.disabled() || strings.EqualFold(s.getenv("OTEL_"+signal+"_EXPORTER"), "none") {
		return nil, nil
	}
	t := &endpoint{what: what, url: address, gzip: s.option(signal, "COMPRESSION") == "gzip"}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s cannot be sent: their endpoint is no http or https address", what)
	}
	if p := s.option(signal, "PROTOCOL"); p != "" && !strings.HasPrefix(p, "http/") {
		return nil, fmt.Errorf("%s cannot be sent: OTEL_EXPORTER_OTLP_PROTOCOL asks for another protocol than http/json", what)
	}
	if t.headers, err = s.headers(signal); err != nil {
		return nil, fmt.Errorf("%s cannot be sent: %w", what, err)
	}
	if t.client, err = s.client(signal); err != nil {
		return nil, fmt.Errorf("%s cannot be sent: %w", what, err)
	}
	return t, nil
}

// address is a signal's own endpoint as it stands, or the one below that of
// all signals.
func (s settings) address(signal, what string) string {
	if own := s.getenv("OTEL_EXPORTER_OTLP_" + signal + "_ENDPOINT"); own != "" {
		return own
	}
	base := cmp.Or(s.getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), s.Endpoint)
	if base == "" {
		return ""
	}
	return strings.TrimSuffix(base, "/") + "/v1/" + what
}

// headers are those of the environment, over those of the configuration. An
// error never repeats what may be a secret.
func (s settings) headers(signal string) (http.Header, error) {
	h := http.Header{}
	for name, variable := range s.Headers {
		if v := s.getenv(variable); v != "" {
			h.Set(name, v)
		}
	}
	for _, variable := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_" + signal + "_HEADERS"} {
		for name, v := range pairs(s.getenv(variable)) {
			h.Set(name, v)
		}
	}
	for name, values := range h {
		if strings.ContainsAny(name+values[0], "\r\n\x00") || strings.Trim(name, tokenCharacters) != "" {
			return nil, errors.New("a header has signs that none may have")
		}
	}
	return h, nil
}

// tokenCharacters are those of a token in RFC 9110.
const tokenCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~"

// pairs reads name=value,name=value, percent-encoded, as the standard variables
// have it. What is no pair is passed over.
func pairs(text string) map[string]string {
	list := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		name, v, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		v, err := url.PathUnescape(strings.TrimSpace(v))
		if ok && name != "" && err == nil {
			list[name] = v
		}
	}
	return list
}

// client posts within the time allowed. It follows no redirection: headers may
// hold secrets.
func (s settings) client(signal string) (*http.Client, error) {
	c := &http.Client{
		Timeout:       millis(s.option(signal, "TIMEOUT"), s.exportTimeout()),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return c, nil
	}
	t = t.Clone()
	c.Transport = t
	config, err := s.tls(signal)
	if config != nil {
		t.TLSClientConfig = config
	}
	return c, err
}

// tls is what the environment says of certificates; nil for nothing.
func (s settings) tls(signal string) (*tls.Config, error) {
	roots, cert, key := s.option(signal, "CERTIFICATE"), s.option(signal, "CLIENT_CERTIFICATE"), s.option(signal, "CLIENT_KEY")
	if roots == "" && (cert == "" || key == "") {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if roots != "" {
		data, err := os.ReadFile(roots)
		if err != nil {
			return nil, fmt.Errorf("read OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(data) {
			return nil, errors.New("OTEL_EXPORTER_OTLP_CERTIFICATE names a file without a certificate")
		}
	}
	if cert != "" && key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("read OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// exportTimeout is how long one request, and the last flush, may take.
func (s settings) exportTimeout() time.Duration { return cmp.Or(max(s.Timeout, 0), 10*time.Second) }

// delay is how long spans wait for others to be sent with.
func (s settings) delay() time.Duration {
	return millis(s.getenv("OTEL_BSP_SCHEDULE_DELAY"), 5*time.Second)
}

// interval is between two exports of metrics.
func (s settings) interval() time.Duration {
	return millis(s.getenv("OTEL_METRIC_EXPORT_INTERVAL"), time.Minute)
}

// millis reads a number of milliseconds; what is none, or too many for a clock,
// counts as not said.
func millis(text string, otherwise time.Duration) time.Duration {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n <= 0 || n > int64(24*time.Hour/time.Millisecond) {
		return otherwise
	}
	return time.Duration(n) * time.Millisecond
}

// resourceAttributes describes the run as a resource.
func (s settings) resourceAttributes(run string) Attributes {
	a := Attributes{}
	for name, v := range pairs(s.getenv("OTEL_RESOURCE_ATTRIBUTES")) {
		a[name] = v
	}
	a["service.name"] = cmp.Or(s.getenv("OTEL_SERVICE_NAME"), a.stringValue("service.name"), "research-council")
	a["service.instance.id"] = run
	return a
}
