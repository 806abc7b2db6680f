package supervisor_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/output/telemetry"
	"github.com/research-council/research-council/internal/product/staged/stagedwork"
)

// collectorAddress is the variable by which a supervisor in a process of its
// own knows the fake collector.
const collectorAddress = "TEST_COLLECTOR"

// records is the recorder of such a supervisor.
func records(folder string) (supervisor.Tracer, error) {
	return recording(os.Getenv(collectorAddress))(folder)
}

func recording(endpoint string) func(string) (supervisor.Tracer, error) {
	return func(folder string) (supervisor.Tracer, error) {
		return telemetry.New(telemetry.Config{Endpoint: endpoint, Timeout: 2 * time.Second}, folder, func(string) string { return "" })
	}
}

// fakeCollector takes spans and metrics in, by OTLP over HTTP as JSON.
type fakeCollector struct {
	*httptest.Server
	mu      sync.Mutex
	spans   map[string]string // name by trace and span id
	metrics int
	asked   int
	broken  []string
}

func newCollector(t *testing.T) *fakeCollector {
	c := &fakeCollector{spans: map[string]string{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

// ServeHTTP takes one export in.
func (c *fakeCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = c.take(r.URL.Path, body)
	}
	if err != nil {
		c.broken = append(c.broken, r.URL.Path+": "+err.Error())
	}
	_, _ = w.Write([]byte("{}")) // all is taken in
}

func (c *fakeCollector) take(path string, body []byte) error {
	if !gjson.ValidBytes(body) {
		return errors.New("it is no JSON")
	}
	if path == "/v1/metrics" {
		c.metrics++
		return nil
	}
	for _, span := range gjson.GetBytes(body, "resourceSpans.#.scopeSpans.#.spans|@flatten|@flatten").Array() {
		c.spans[span.Get("traceId").Str+"-"+span.Get("spanId").Str] = span.Get("name").Str
	}
	return nil
}

// traced are the spans in the run's file, by trace and span id; each stands
// there once.
func (c *councilRun) traced() map[string]telemetry.Span {
	found := map[string]telemetry.Span{}
	lines := bufio.NewScanner(strings.NewReader(c.file(telemetry.Name)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s telemetry.Span
		require.NoError(c, json.Unmarshal(lines.Bytes(), &s))
		id := s.Trace + "-" + s.ID
		require.NotContains(c, found, id, "%s is there twice", s.Name)
		found[id] = s
	}
	require.NoError(c, lines.Err())
	return found
}

// whole sees that the spans are one trace, each a part of one that is there,
// and that the collector has them all.
func (f *fakeCollector) whole(c *councilRun) map[string]telemetry.Span {
	spans := c.traced()
	roots := 0
	for id, s := range spans {
		require.Equal(c, s.Name, f.spans[id])
		if s.Parent == "" {
			roots++
			continue
		}
		require.Contains(c, spans, s.Trace+"-"+s.Parent, s.Name)
	}
	require.Equal(c, 1, roots)
	require.Len(c, f.spans, len(spans))
	require.Empty(c, f.broken)
	require.Positive(c, f.metrics)
	return spans
}

// seen keeps the trace context a seat is given.
const seen = "#! it looks at its trace\necho \"$TRACEPARENT\" >> \"$CALLS/traces\"\n"

func TestARunIsATrace(t *testing.T) {
	t.Parallel()
	f := newCollector(t)
	c := newReview(t, nil)
	for _, role := range []string{"questions", "planning", "collection-A1", "findings", "prose", "review"} {
		answer := and(wellSaid(), alone())[role]
		c.says(map[string]string{role: seen + "cat > \"$RESEARCH_REPORT_PATH\" <<'END'\n" + answer + "\n<!-- RESEARCH_COMPLETE -->\nEND\n"})
	}
	o := c.options()
	o.Record = recording(f.URL)
	r := c.staged(o)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	spans := f.whole(c)
	levels := map[any]int{}
	for _, s := range spans {
		levels[s.Attributes["research_council.level"]]++
	}
	require.Equal(t, 1, levels["run"])
	require.Equal(t, len(r.History)+1, levels["stage"])
	given := strings.Fields(c.told("traces"))
	require.Len(t, given, 8, "five seats and three reviewers")
	for _, parent := range given {
		part := strings.Split(parent, "-")
		require.Len(t, part, 4)
		require.Equal(t, "turn", spans[part[1]+"-"+part[2]].Attributes["research_council.level"])
	}
}

// A person who answers does not wait for a collector.
func TestAnAnswerIsToldByWhoGoesOn(t *testing.T) {
	t.Parallel()
	f := newCollector(t)
	c := newReview(t, nil)
	c.begin()
	o := c.options()
	o.Record = recording(f.URL)
	require.True(t, c.supervise(o).IsWaiting())
	before, traced := f.asked, c.file(telemetry.Name)
	require.Positive(t, before)
	require.NoError(t, stagedwork.GiveInput(o, c.seen(), []byte(answersFile), false))
	require.Equal(t, before, f.asked)
	require.Equal(t, traced, c.file(telemetry.Name))
	require.True(t, c.supervise(o).IsWaiting())
	require.Greater(t, len(c.traced()), strings.Count(traced, "\n"))
}

// The trace goes on where the run does: nothing is told twice and nothing is
// lost, though every supervisor was killed.
func TestATraceGoesOnAfterAKill(t *testing.T) {
	f := newCollector(t)
	t.Setenv(collectorAddress, f.URL)
	c := newReview(t, nil)
	c.begin()
	r, kills := c.killed(5, 15)
	require.Positive(t, kills)
	require.Equal(t, flow.Completed, r.Status, r.Reason)
	f.whole(c)
}

// A collector that is away, or never answers, is no reason to fail or to wait:
// what it lacks is in the file.
func TestWithoutItsCollectorARunGoesItsWay(t *testing.T) {
	t.Parallel()
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	hold := make(chan struct{})
	dumb := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() {
		close(hold)
		dumb.Close()
	})
	for name, address := range map[string]string{"it is away": away.URL, "it never answers": dumb.URL} {
		t.Run(name, func(t *testing.T) {
			c := newCouncil(t, map[string]string{"ada": good})
			c.begin()
			o := c.options()
			o.Record = recording(address)
			r := c.supervise(o)
			require.Equal(t, flow.Completed, r.Status, r.Reason)
			require.NotEmpty(t, c.traced())
			f := newCollector(t)
			o.Record = recording(f.URL)
			r, err := supervisor.Supervise(t.Context(), o) // it has ended: what is left is sent
			require.NoError(t, err)
			require.Equal(t, flow.Completed, r.Status)
			f.whole(c)
		})
	}
}
