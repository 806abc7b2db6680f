package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"math"
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

	"github.com/research-council/research-council/internal/engine/flow"
)

// Messages of OTLP as a collector reads them from JSON: the fields that
// opentelemetry/proto/{common,resource,trace,metrics}/v1 define, in camelCase,
// ids in hex digits, numbers of 64 bits as text, enumerations as numbers.
type (
	tracesMessage struct {
		ResourceSpans []struct {
			Resource   resourceMessage `json:"resource"`
			ScopeSpans []struct {
				Scope scopeMessage  `json:"scope"`
				Spans []spanMessage `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	metricsMessage struct {
		ResourceMetrics []struct {
			Resource     resourceMessage `json:"resource"`
			ScopeMetrics []struct {
				Scope   scopeMessage    `json:"scope"`
				Metrics []metricMessage `json:"metrics"`
			} `json:"scopeMetrics"`
		} `json:"resourceMetrics"`
	}
	resourceMessage struct {
		Attributes attributesMessage `json:"attributes"`
	}
	scopeMessage struct {
		Name string `json:"name"`
	}
	spanMessage struct {
		TraceID    string            `json:"traceId"`
		SpanID     string            `json:"spanId"`
		Parent     string            `json:"parentSpanId"`
		Flags      uint32            `json:"flags"`
		Name       string            `json:"name"`
		Kind       int               `json:"kind"`
		Start      uint64            `json:"startTimeUnixNano,string"`
		End        uint64            `json:"endTimeUnixNano,string"`
		Attributes attributesMessage `json:"attributes"`
		Events     []struct {
			Time       uint64            `json:"timeUnixNano,string"`
			Name       string            `json:"name"`
			Attributes attributesMessage `json:"attributes"`
		} `json:"events"`
		Status struct {
			Code int `json:"code"`
		} `json:"status"`
	}
	metricMessage struct {
		Name        string         `json:"name"`
		Unit        string         `json:"unit"`
		Description string         `json:"description"`
		Sum         *seriesMessage `json:"sum"`
		Histogram   *seriesMessage `json:"histogram"`
	}
	seriesMessage struct {
		Temporality int  `json:"aggregationTemporality"`
		Monotonic   bool `json:"isMonotonic"`
		DataPoints  []struct {
			Attributes attributesMessage `json:"attributes"`
			Start      uint64            `json:"startTimeUnixNano,string"`
			Time       uint64            `json:"timeUnixNano,string"`
			AsDouble   float64           `json:"asDouble"`
			Count      uint64            `json:"count,string"`
			Sum        float64           `json:"sum"`
			Buckets    []string          `json:"bucketCounts"`
			Bounds     []float64         `json:"explicitBounds"`
		} `json:"dataPoints"`
	}
	attributesMessage []struct {
		Key   string       `json:"key"`
		Value valueMessage `json:"value"`
	}
	valueMessage struct {
		String string  `json:"stringValue"`
		Bool   bool    `json:"boolValue"`
		Int    int64   `json:"intValue,string"`
		Double float64 `json:"doubleValue"`
		Array  struct {
			Values []valueMessage `json:"values"`
		} `json:"arrayValue"`
	}
)

// read is the value of an attribute.
func (a attributesMessage) read(name string) valueMessage {
	for _, kv := range a {
		if kv.Key == name {
			return kv.Value
		}
	}
	return valueMessage{}
}

// fakeCollector takes OTLP/HTTP in, as JSON.
type fakeCollector struct {
	*httptest.Server
	mu       sync.Mutex
	answers  []http.HandlerFunc // of the next requests; those after them are taken in
	requests []*http.Request
	traces   []tracesMessage
	metrics  []metricsMessage
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
	if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
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
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"partialSuccess":{}}`)) // all was taken in
}

func (c *fakeCollector) take(path string, data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	switch path {
	case "/v1/traces":
		var m tracesMessage
		err := d.Decode(&m)
		c.traces = append(c.traces, m)
		return err
	case "/v1/metrics":
		var m metricsMessage
		err := d.Decode(&m)
		c.metrics = append(c.metrics, m)
		return err
	}
	return os.ErrNotExist
}

// spans are all that were taken in.
func (c *fakeCollector) spans() []spanMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []spanMessage
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
	return r.TakeProblems(), err
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
		require.Equal(t, want[i].Trace, s.TraceID)
		require.Equal(t, want[i].ID, s.SpanID)
		require.Equal(t, want[i].Parent, s.Parent)
		require.Equal(t, want[i].Name, s.Name)
		require.Equal(t, uint64(want[i].Start.UnixNano()), s.Start)
		require.Equal(t, uint64(want[i].End.UnixNano()), s.End)
		require.Len(t, s.Events, len(want[i].Events))
		require.Len(t, s.Attributes, len(want[i].Attributes))
	}
	turn := got[1]
	require.Equal(t, 3, turn.Kind, "client")
	require.Equal(t, 1, turn.Status.Code, "ok")
	require.Equal(t, 2, got[0].Status.Code, "error")
	require.Equal(t, int64(900), turn.Attributes.read("gen_ai.usage.input_tokens").Int)
	require.Equal(t, 0.5, turn.Attributes.read("research_council.cost.usd").Double)
	require.Equal(t, "model-b", turn.Attributes.read("research_council.models").Array.Values[1].String)
	about := c.traces[0].ResourceSpans[0].Resource.Attributes
	require.Equal(t, "research-council", about.read("service.name").String)
	require.Equal(t, runID, about.read("service.instance.id").String)
}

// One request of each kind, to the letter.
func TestTheFormOfAMessage(t *testing.T) {
	at := time.Unix(1, 5)
	span := Span{
		Trace: "5b8efff798038103d269b633813fc60c", ID: "eee19b7ec3c1b174", Parent: "eee19b7ec3c1b173", Name: "turn", Kind: Client, Status: Error, Start: at, End: at.Add(1),
		Attributes: Attributes{"a": "x", "b": true, "c": int64(math.MaxInt64), "d": 1.5, "e": []string{"y"}, "f": math.Inf(-1), "g": math.NaN()},
		Events:     []Event{{Name: "gate", At: at, Attributes: Attributes{}}},
	}
	points := meterReading{began: at, at: at.Add(1), metrics: []Metric{
		{Name: "runs", Unit: "{run}", Description: "Runs.", Points: []Point{{Attributes: Attributes{"k": "v"}, Value: 2}}},
		{Name: "took", Unit: "s", Description: "Time.", Histogram: true, Bounds: []float64{1, 2.5}, Points: []Point{{Value: 4, Count: 3, Buckets: []uint64{0, 1, 2}}}},
	}}
	about := Attributes{"service.name": "research-council"}
	for want, message := range map[string]otlpObject{
		`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"research-council"}}]},"scopeSpans":[{"scope":{"name":"research-council"},"spans":[
		  {"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","parentSpanId":"eee19b7ec3c1b173","flags":1,"name":"turn","kind":3,
		   "startTimeUnixNano":"1000000005","endTimeUnixNano":"1000000006","status":{"code":2},"events":[{"timeUnixNano":"1000000005","name":"gate","attributes":[]}],
		   "attributes":[{"key":"a","value":{"stringValue":"x"}},{"key":"b","value":{"boolValue":true}},{"key":"c","value":{"intValue":"9223372036854775807"}},{"key":"d","value":{"doubleValue":1.5}},
		    {"key":"e","value":{"arrayValue":{"values":[{"stringValue":"y"}]}}},{"key":"f","value":{"doubleValue":"-Infinity"}},{"key":"g","value":{"doubleValue":"NaN"}}]}]}]}]}`: traces(about, []Span{span}),
		`{"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"research-council"}}]},"scopeMetrics":[{"scope":{"name":"research-council"},"metrics":[
		  {"name":"runs","unit":"{run}","description":"Runs.","sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[
		   {"attributes":[{"key":"k","value":{"stringValue":"v"}}],"startTimeUnixNano":"1000000005","timeUnixNano":"1000000006","asDouble":2}]}},
		  {"name":"took","unit":"s","description":"Time.","histogram":{"aggregationTemporality":2,"dataPoints":[
		   {"attributes":[],"startTimeUnixNano":"1000000005","timeUnixNano":"1000000006","count":"3","sum":4,"bucketCounts":["0","1","2"],"explicitBounds":[1,2.5]}]}}]}]}]}`: points.toOTLP(about),
	} {
		got, err := json.Marshal(message)
		require.NoError(t, err)
		require.JSONEq(t, want, string(got))
	}
}

func TestMetricsArrive(t *testing.T) {
	c := newFakeCollector(t)
	_, err := export(t, Config{Endpoint: c.URL + "/"}, t.TempDir(), none)
	require.NoError(t, err)
	require.Len(t, c.metrics, 1)
	by := map[string]metricMessage{}
	for _, m := range c.metrics[0].ResourceMetrics[0].ScopeMetrics[0].Metrics {
		by[m.Name] = m
	}
	turns := by["research_council.turns"].Sum
	require.True(t, turns.Monotonic)
	require.Equal(t, 2, turns.Temporality, "cumulative")
	require.Len(t, turns.DataPoints, 3)
	require.Equal(t, uint64(began().UnixNano()), turns.DataPoints[0].Start, "from the beginning of the run")
	took := by["gen_ai.workflow.duration"].Histogram.DataPoints[0]
	require.Equal(t, 780.0, took.Sum)
	require.Equal(t, uint64(1), took.Count)
	require.Len(t, took.Buckets, len(took.Bounds)+1)
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
		r := readRefusal(&http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {header}}})
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
	for _, part := range []string{`{"rejectedSpans":"3","errorMessage":"too old"}`, `{"rejectedSpans":3}`} {
		c := newFakeCollector(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"partialSuccess":` + part + `}`))
		})
		troubles, err := export(t, Config{Endpoint: c.URL}, t.TempDir(), none)
		require.NoError(t, err)
		require.Equal(t, []string{"the collector has rejected a part of the traces: 3"}, troubles)
	}
	require.Equal(t, int64(2), rejectedCount([]byte(`{"partialSuccess":{"rejectedDataPoints":"2"}}`)))
}

func TestAnyAnswerCanBeRead(t *testing.T) {
	for _, answer := range []string{"", "{}", "[]", "null", "<html>", "\x0a\x02\x08", `{"partialSuccess":null}`, `{"partialSuccess":[3]}`, `{"partialSuccess":{"rejectedSpans":"-3"}}`, `{"partialSuccess":{"rejectedSpans":"many"}}`, `{"partialSuccess":{"rejectedSpans"`} {
		require.Zero(t, rejectedCount([]byte(answer)), "%q", answer)
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
		r.Record(e)
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
	troubles := r.TakeProblems()
	require.NotEmpty(t, troubles)
	require.Contains(t, troubles[0], "traces cannot be sent to "+strings.TrimPrefix(address, "http://")+": ")
	for _, line := range troubles[1:] {
		require.Contains(t, line, "metrics cannot be sent")
	}
}

func TestARunThatEndsDoesNotWaitForACollectorThatWasAway(t *testing.T) {
	c := newFakeCollector(t, answer(http.StatusServiceUnavailable), answer(http.StatusServiceUnavailable))
	s := settings{Config{Endpoint: c.URL}, none}
	f, err := openSpanFile(t.TempDir())
	require.NoError(t, err)
	for _, span := range Spans(wholeRun()) {
		f.appendSpan(span)
	}
	x := newSender(s, f, &problems{})
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
