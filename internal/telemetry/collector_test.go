package telemetry

import (
	"compress/gzip"
	"context"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracespb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricpb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"research-council/internal/flow"
)

// fakeCollector takes OTLP/HTTP in, as protobuf.
type fakeCollector struct {
	*httptest.Server
	mu       sync.Mutex
	answers  []http.HandlerFunc // of the next requests; those after them are taken in
	requests []*http.Request
	traces   []*tracespb.ExportTraceServiceRequest
	metrics  []*metricspb.ExportMetricsServiceRequest
	broken   []string
}

func newFakeCollector(t *testing.T, answers ...http.HandlerFunc) *fakeCollector {
	c := &fakeCollector{answers: answers}
	c.Server = httptest.NewServer(c)
	t.Cleanup(func() {
		c.Close()
		require.Empty(t, c.broken, "requests that are none of OTLP's")
	})
	return c
}

// ServeHTTP takes one export request in.
func (c *fakeCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			c.broken = append(c.broken, err.Error())
			return
		}
		body = z
	}
	data, err := io.ReadAll(body)
	if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.broken = append(c.broken, r.Method+" "+r.Header.Get("Content-Type"))
		return
	}
	c.requests = append(c.requests, r)
	if len(c.answers) > 0 {
		answer := c.answers[0]
		c.answers = c.answers[1:]
		answer(w, r)
		return
	}
	if err := c.take(r.URL.Path, data); err != nil {
		c.broken = append(c.broken, r.URL.Path+": "+err.Error())
	}
	w.Header().Set("Content-Type", "application/x-protobuf") // an empty message: all was taken in
}

func (c *fakeCollector) take(path string, data []byte) error {
	switch path {
	case "/v1/traces":
		var m tracespb.ExportTraceServiceRequest
		c.traces = append(c.traces, &m)
		return proto.Unmarshal(data, &m)
	case "/v1/metrics":
		var m metricspb.ExportMetricsServiceRequest
		c.metrics = append(c.metrics, &m)
		return proto.Unmarshal(data, &m)
	}
	return os.ErrNotExist
}

// spans are all that were taken in.
func (c *fakeCollector) spans() []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []*tracepb.Span
	for _, m := range c.traces {
		for _, r := range m.ResourceSpans {
			for _, s := range r.ScopeSpans {
				list = append(list, s.Spans...)
			}
		}
	}
	return list
}

func (c *fakeCollector) asked(i int) *http.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests[i]
}

// answer is an answer that takes nothing in.
func answer(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// environment is one with these variables.
func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// export lets a recorder tell a whole run and returns its troubles.
func export(t *testing.T, c Config, dir string, getenv func(string) string) ([]string, error) {
	t.Helper()
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	r, err := New(c, dir, getenv)
	require.NoError(t, err)
	r.Replay(wholeRun())
	err = r.Close(context.Background())
	return r.Troubles(), err
}

func attribute(list []*commonpb.KeyValue, name string) *commonpb.AnyValue {
	for _, kv := range list {
		if kv.Key == name {
			return kv.Value
		}
	}
	return nil
}

func TestSpansArriveAsATree(t *testing.T) {
	c := newFakeCollector(t)
	troubles, err := export(t, Config{Endpoint: c.URL}, t.TempDir(), none)
	require.NoError(t, err)
	require.Empty(t, troubles)
	want := Spans(wholeRun())
	got := c.spans()
	require.Len(t, got, len(want))
	for i, s := range got {
		require.Equal(t, want[i].Trace, hex.EncodeToString(s.TraceId))
		require.Equal(t, want[i].ID, hex.EncodeToString(s.SpanId))
		require.Equal(t, want[i].Parent, hex.EncodeToString(s.ParentSpanId))
		require.Equal(t, want[i].Name, s.Name)
		require.Equal(t, uint64(want[i].Start.UnixNano()), s.StartTimeUnixNano)
		require.Equal(t, uint64(want[i].End.UnixNano()), s.EndTimeUnixNano)
		require.Len(t, s.Events, len(want[i].Events))
		require.Len(t, s.Attributes, len(want[i].Attributes))
	}
	turn := got[1]
	require.Equal(t, tracepb.Span_SPAN_KIND_CLIENT, turn.Kind)
	require.Equal(t, tracepb.Status_STATUS_CODE_OK, turn.Status.Code)
	require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, got[0].Status.Code)
	require.Equal(t, int64(900), attribute(turn.Attributes, "gen_ai.usage.input_tokens").GetIntValue())
	require.Equal(t, 0.5, attribute(turn.Attributes, "research_council.cost.usd").GetDoubleValue())
	require.Equal(t, "model-b", attribute(turn.Attributes, "research_council.models").GetArrayValue().Values[1].GetStringValue())
	about := c.traces[0].ResourceSpans[0].Resource.Attributes
	require.Equal(t, "research-council", attribute(about, "service.name").GetStringValue())
	require.Equal(t, runID, attribute(about, "service.instance.id").GetStringValue())
}

func TestMetricsArrive(t *testing.T) {
	c := newFakeCollector(t)
	_, err := export(t, Config{Endpoint: c.URL + "/"}, t.TempDir(), none)
	require.NoError(t, err)
	require.Len(t, c.metrics, 1)
	by := map[string]*metricpb.Metric{}
	for _, m := range c.metrics[0].ResourceMetrics[0].ScopeMetrics[0].Metrics {
		by[m.Name] = m
	}
	turns := by["research_council.turns"].GetSum()
	require.True(t, turns.IsMonotonic)
	require.Equal(t, metricpb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE, turns.AggregationTemporality)
	require.Len(t, turns.DataPoints, 3)
	require.Equal(t, uint64(began().UnixNano()), turns.DataPoints[0].StartTimeUnixNano, "from the beginning of the run")
	took := by["gen_ai.workflow.duration"].GetHistogram().DataPoints[0]
	require.Equal(t, 780.0, took.GetSum())
	require.Equal(t, uint64(1), took.Count)
	require.Len(t, took.BucketCounts, len(took.ExplicitBounds)+1)
}

func TestHeadersAndCompressionAreThoseThatWereAskedFor(t *testing.T) {
	c := newFakeCollector(t)
	env := environment("MY_AUTH", "Bearer abc", "OTEL_EXPORTER_OTLP_HEADERS", "x-all=a%20b, x-both=all", "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-both=traces", "OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	_, err := export(t, Config{Endpoint: c.URL, Headers: map[string]string{"Authorization": "MY_AUTH", "X-Unset": "NOT_SET"}}, t.TempDir(), env)
	require.NoError(t, err)
	traces, metrics := c.asked(0), c.asked(1)
	require.Equal(t, "Bearer abc", traces.Header.Get("Authorization"))
	require.Equal(t, "a b", traces.Header.Get("X-All"))
	require.Equal(t, "traces", traces.Header.Get("X-Both"))
	require.Equal(t, "all", metrics.Header.Get("X-Both"))
	require.Empty(t, traces.Header.Values("X-Unset"))
	require.Equal(t, "gzip", traces.Header.Get("Content-Encoding"))
	require.Len(t, c.spans(), len(Spans(wholeRun())))
}

func TestACollectorThatIsBusyIsAskedAgain(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
		c := newFakeCollector(t, answer(status), answer(status))
		troubles, err := export(t, Config{Endpoint: c.URL}, t.TempDir(), none)
		require.NoError(t, err, status)
		require.Len(t, troubles, 1, "told once")
		require.Contains(t, troubles[0], "traces cannot be sent to 127.0.0.1")
		require.Len(t, c.spans(), len(Spans(wholeRun())), "all of them, each once")
	}
}

func TestHowLongABusyCollectorIsLeftAlone(t *testing.T) {
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "999999": 10 * time.Minute, "-1": 0, "soon": 0, "": 0, "Mon, 02 Jan 2006 15:04:05 GMT": 0} {
		r := refused(&http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {header}}})
		require.Equal(t, want, r.after, header)
		require.True(t, r.again)
	}
}

func TestSpansACollectorCallsBadAreNotSentAgain(t *testing.T) {
	c := newFakeCollector(t, answer(http.StatusBadRequest))
	dir := t.TempDir()
	troubles, err := export(t, Config{Endpoint: c.URL}, dir, none)
	require.ErrorContains(t, err, "refused a part of the traces")
	require.Equal(t, []string{"traces cannot be sent to " + strings.TrimPrefix(c.URL, "http://") + ": it answers with status 400"}, troubles)
	require.Empty(t, c.spans())
	require.Len(t, c.metrics, 1, "the metrics are another matter")
	_, err = export(t, Config{Endpoint: c.URL}, dir, none)
	require.NoError(t, err)
	require.Empty(t, c.spans())
}

func TestACollectorThatRefusesUsIsNotAskedAgainByThisProcess(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusFound} {
		dir := t.TempDir()
		c := newFakeCollector(t, answer(status), answer(status))
		troubles, err := export(t, Config{Endpoint: c.URL}, dir, none)
		require.ErrorContains(t, err, "has not been sent")
		require.Len(t, troubles, 2)
		require.Len(t, c.requests, 2, "traces once, metrics once")

		_, err = export(t, Config{Endpoint: c.URL}, dir, none)
		require.NoError(t, err, "the key has been mended and the run taken up")
		require.Len(t, c.spans(), len(Spans(wholeRun())))
	}
}

func TestNoRedirectionIsFollowed(t *testing.T) {
	other := newFakeCollector(t)
	c := newFakeCollector(t, http.RedirectHandler(other.URL+"/v1/traces", http.StatusTemporaryRedirect).ServeHTTP)
	_, err := export(t, Config{Endpoint: c.URL}, t.TempDir(), none)
	require.Error(t, err)
	require.Empty(t, other.requests, "headers may hold secrets")
}

func TestWhatACollectorRejectsIsTold(t *testing.T) {
	part, err := proto.Marshal(&tracespb.ExportTraceServiceResponse{PartialSuccess: &tracespb.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "too old"}})
	require.NoError(t, err)
	c := newFakeCollector(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(part) })
	troubles, err := export(t, Config{Endpoint: c.URL}, t.TempDir(), none)
	require.NoError(t, err)
	require.Equal(t, []string{"the collector has rejected a part of the traces: 3"}, troubles)
}

func TestAnyAnswerCanBeRead(t *testing.T) {
	for _, answer := range []string{"", "\x0a", "\x0a\xff", "\x0a\x02\x08", "{}", "\x08\x01", "\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		require.Zero(t, partial([]byte(answer)), "%q", answer)
	}
}

// nowhere is an address nobody listens at.
func nowhere(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return "http://" + l.Addr().String()
}

func TestACollectorThatIsAwaySlowsNothingAndGetsAllLater(t *testing.T) {
	dir := t.TempDir()
	r, err := New(Config{Endpoint: nowhere(t), Timeout: time.Minute}, dir, none)
	require.NoError(t, err)
	for _, e := range wholeRun() {
		r.Tell(e)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorContains(t, r.Close(ctx), "a part of the traces has not been sent")
	data, err := os.ReadFile(filepath.Join(dir, Name))
	require.NoError(t, err)
	require.Equal(t, string(lines(t, Spans(wholeRun()))), string(data), "the file has them all the same")

	c := newFakeCollector(t)
	troubles, err := export(t, Config{Endpoint: c.URL}, dir, none)
	require.NoError(t, err)
	require.Empty(t, troubles)
	require.Len(t, c.spans(), len(Spans(wholeRun())))

	_, err = export(t, Config{Endpoint: c.URL}, dir, none)
	require.NoError(t, err)
	require.Len(t, c.spans(), len(Spans(wholeRun())), "nothing is sent twice")
}

func TestACollectorThatIsAwayIsToldOnce(t *testing.T) {
	address := nowhere(t)
	r, err := New(Config{Endpoint: address, Timeout: 400 * time.Millisecond}, t.TempDir(), none)
	require.NoError(t, err)
	r.Replay(wholeRun())
	require.Error(t, r.Close(context.Background()), "after several tries")
	troubles := r.Troubles()
	require.NotEmpty(t, troubles)
	require.Contains(t, troubles[0], "traces cannot be sent to "+strings.TrimPrefix(address, "http://")+": ")
	for _, line := range troubles[1:] {
		require.Contains(t, line, "metrics cannot be sent")
	}
}

func TestARunThatEndsDoesNotWaitForACollectorThatWasAway(t *testing.T) {
	c := newFakeCollector(t, answer(http.StatusServiceUnavailable), answer(http.StatusServiceUnavailable))
	s := settings{Config{Endpoint: c.URL}, none}
	f, err := openFile(t.TempDir())
	require.NoError(t, err)
	for _, span := range Spans(wholeRun()) {
		f.add(span)
	}
	x := newSender(s, f, &troubles{})
	require.False(t, x.sendTraces())
	close(x.last)
	x.run()
	require.Len(t, c.requests, 2, "once before, once at the end")
	require.NoError(t, f.close())
}

func TestARunWithManySpansIsSentInLots(t *testing.T) {
	c := newFakeCollector(t)
	facts := wholeRun()[:3]
	for n := 1; len(facts) < 3000; n++ {
		facts = append(facts, started(claudes, n), ended(claudes, n, flow.Result{}))
	}
	r, err := New(Config{Endpoint: c.URL, Timeout: time.Minute}, t.TempDir(), none)
	require.NoError(t, err)
	r.Replay(story(facts...))
	require.NoError(t, r.Close(context.Background()))
	require.Len(t, c.spans(), 1499)
	require.Len(t, c.traces, 3)
}
