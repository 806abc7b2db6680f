package servers_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/test/loopback"
)

// storm stands before a server: of each round it refuses the first part with 429 and
// says how long that lasts, to whole seconds.
type storm struct {
	began          time.Time
	round, closed  time.Duration
	taken, refused atomic.Int64
	dies           atomic.Int64 // so many answers more end in their middle
	largest        atomic.Int64 // of the questions, in bytes
}

func (s *storm) before(t *testing.T, address string) string {
	to, err := url.Parse(address)
	require.NoError(t, err)
	behind := httputil.NewSingleHostReverseProxy(to)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			behind.ServeHTTP(w, r)
			return
		}
		if at := time.Since(s.began) % s.round; at < s.closed {
			s.refused.Add(1)
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil((s.closed - at).Seconds()))))
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}`))
			return
		}
		s.taken.Add(1)
		for most := s.largest.Load(); r.ContentLength > most && !s.largest.CompareAndSwap(most, r.ContentLength); most = s.largest.Load() {
		}
		if s.dies.Add(-1) >= 0 {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"I beg\"}}]}\n\n"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		behind.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// TestServersThatRefuseThreeCallsOfFive has each server closed for 60 % of the time; all
// turns come to their end, and little is asked in vain.
func TestServersThatRefuseThreeCallsOfFive(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "")
	var storms []*storm
	var b strings.Builder
	for name, m := range three() {
		s := &storm{began: time.Now().Add(-time.Duration(len(storms)) * time.Second), round: 10 * time.Second, closed: 6 * time.Second}
		storms = append(storms, s)
		address := s.before(t, loopback.Chat(t, loopback.Scenario{Play: m.play, Most: 2000}).URL)
		fmt.Fprintf(&b, "  %s: {brand: %s, base_url: %q, max: {model: m}, standard: {model: m}, cheap: {model: m}, free: true}\n", name, name, address+"/v1")
	}
	h.configure("seats: [north, south, west]\nlimits: {iterations: 3, minutes: 20}\nchat:\n" + b.String() + "network: {pace: 1ms}\nsearch:\n  engines: [searxng]\n  services: {searxng: {url: \"" + h.searxng() + "\"}}\n")
	h.done("run", "What are kettles made of, and what breaks first?")
	require.Equal(t, "completed", gjson.Get(h.file("status.json"), "status").Str)
	require.Contains(t, h.done("verify"), "3 quotations found again")
	var taken, refused int64
	for _, s := range storms {
		taken, refused = taken+s.taken.Load(), refused+s.refused.Load()
	}
	t.Logf("%d calls were taken, %d refused", taken, refused)
	require.Positive(t, refused)
	require.LessOrEqual(t, float64(taken+refused), 1.5*float64(taken), "calls amplified")
	require.NotContains(t, h.log(), "failed")
	require.NotRegexp(t, `"iterations":0,[^\n]*"dry":`, h.file("journal.jsonl"), "an iteration that a refusal has halted is none that found nothing")
}

// TestServersWithASmallWindowThatDieInTheMiddleOfAnAnswer has each break off its first
// answers, and read no more than 8192 tokens at once, before pages that are longer.
func TestServersWithASmallWindowThatDieInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "")
	for _, p := range pages() {
		p.Body = strings.Replace(p.Body, "</article>", "<p>"+strings.Repeat("The house has other things, of which much could be said. ", 1500)+"</p></article>", 1)
		require.NoError(t, h.web.Add(p))
	}
	var servers []*storm
	var b strings.Builder
	for name, m := range three() {
		m.query, m.small = "kettle", true // of all three at once
		s := &storm{began: time.Now(), round: time.Hour}
		servers = append(servers, s)
		s.dies.Store(2)
		address := s.before(t, loopback.Chat(t, loopback.Scenario{Play: m.play, Most: 2000}).URL)
		fmt.Fprintf(&b, "  %s: {brand: %s, base_url: %q, max: {model: m}, standard: {model: m}, cheap: {model: m}, free: true, window: 8192}\n", name, name, address+"/v1")
	}
	h.configure("limits: {iterations: 3, minutes: 20}\nchat:\n" + b.String() + "network: {pace: 1ms}\nsearch:\n  engines: [searxng]\n  services: {searxng: {url: \"" + h.searxng() + "\"}}\n")
	h.done("run", "What are kettles made of, and what breaks first?")
	require.Contains(t, h.done("verify"), "3 quotations found again")
	require.NotContains(t, h.file("final-report.md"), "I beg")
	for _, s := range servers {
		t.Logf("the largest question had %d bytes", s.largest.Load())
		require.Less(t, s.largest.Load(), int64(8192*4), "tokens are four bytes of such a text")
	}
	require.EqualValues(t, 1, h.asked.Load(), "three processes have asked the engine the same, and it was asked once")
}
