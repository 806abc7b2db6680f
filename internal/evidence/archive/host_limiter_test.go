package archive_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/test/web"
)

// watch is a clock that moves only when somebody waits.
type watch struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
}

func (w *watch) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *watch) wait(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
	w.waits = append(w.waits, d)
	return ctx.Err()
}

func (w *watch) set(o *archive.Options) { o.Clock, o.Wait = w.clock, w.wait }

func started() *watch { return &watch{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func TestRetryAfterIsKeptToWithinBounds(t *testing.T) {
	for _, c := range []struct {
		name, after string
		tries       int
		wait        time.Duration
	}{
		{"seconds", "7", 2, 7 * time.Second},
		{"a date", "Fri, 02 Jan 2026 03:04:25 GMT", 2, 20 * time.Second},
		{"a date in the past", "Fri, 02 Jan 2026 03:04:00 GMT", 2, 0},
		{"longer than anybody waits", "3600", 1, 0},
		{"far too long", "99999999999999", 1, 0},
		{"nonsense", "soon", 2, 0},
		{"less than nothing", "-5", 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := "http://busy.example/page"
			w := web.Start(t, web.Page{URL: at, Status: 503, Header: map[string]string{"Retry-After": c.after}, Then: []web.Page{{Body: web.Report()}}})
			clock := started()
			s := fetch(t, open(t, w, clock.set), at)
			require.Equal(t, c.tries, w.Count(at))
			require.Equal(t, c.tries == 2, s.State == archive.Live, s.Reason)
			if c.wait > 0 {
				require.Contains(t, clock.waits, c.wait)
			}
		})
	}
}

func TestAHostIsAskedInItsPace(t *testing.T) {
	var pages []web.Page
	for i := range 5 {
		pages = append(pages, web.Page{URL: fmt.Sprintf("http://news.example/%d", i), Body: web.Report()})
	}
	w := web.Start(t, pages...)
	clock := started()
	a := open(t, w, clock.set, func(o *archive.Options) { o.Pace = 3 * time.Second })
	for _, p := range pages {
		require.Equal(t, archive.Live, fetch(t, a, p.URL).State)
	}
	require.Equal(t, 15*time.Second, clock.now.Sub(started().now), "six requests, robots.txt among them")
}

func TestAtMostTwoAtOnceAskAHost(t *testing.T) {
	var pages []web.Page
	for i := range 30 {
		pages = append(pages, web.Page{URL: fmt.Sprintf("http://news.example/%d", i), Body: web.Report(), Delay: 5 * time.Millisecond})
	}
	w := web.Start(t, pages...)
	dir := t.TempDir()
	var g errgroup.Group
	for i := range 3 { // as many processes would, each with an archive of its own on one folder
		a, err := archive.Open(dir, w.Options())
		require.NoError(t, err)
		for _, p := range pages[i*10 : i*10+10] {
			g.Go(func() error {
				s, err := a.Fetch(t.Context(), p.URL)
				if err == nil && s.State != archive.Live {
					err = fmt.Errorf("%s", s.Reason)
				}
				return err
			})
		}
	}
	require.NoError(t, g.Wait())
	for _, r := range w.Requests() {
		require.LessOrEqual(t, r.Open, 2)
	}
}

func TestRobots(t *testing.T) {
	shy := func(status int, body string) []web.Page {
		return []web.Page{
			{URL: "http://shy.example/robots.txt", Status: status, MIME: "text/plain", Body: body},
			{URL: "http://shy.example/a", Body: web.Report()},
		}
	}
	for _, c := range []struct {
		name  string
		pages []web.Page
		state archive.State
	}{
		{"none", shy(404, ""), archive.Live},
		{"all closed", shy(200, "User-agent: *\nDisallow: /"), archive.Unreachable},
		{"closed to others", shy(200, "User-agent: otherbot\nDisallow: /"), archive.Live},
		{"closed to us by name", shy(200, "User-agent: Research-Council\nDisallow: /a"), archive.Unreachable},
		{"kept from us", shy(403, ""), archive.Live},
		{"broken", shy(500, ""), archive.Unreachable},
		{"broken off", append(shy(200, "")[1:], web.Page{URL: "http://shy.example/robots.txt", Body: "User-agent: *\nDisallow: /b\nDisallow: /a\n", Cut: 28}), archive.Unreachable},
		{"broken off once", append(shy(200, "")[1:], web.Page{
			URL: "http://shy.example/robots.txt", Body: "User-agent: *\nDisallow: /b\n", Cut: 20, Then: []web.Page{{Body: "User-agent: *\nDisallow: /b\n"}},
		}), archive.Live},
		{"elsewhere", append(shy(301, "")[1:], web.Page{URL: "http://shy.example/robots.txt", Redirect: "/r"}, web.Page{URL: "http://shy.example/r", Body: "User-agent: *\nDisallow: /a"}), archive.Unreachable},
		{"in a loop", append(shy(301, "")[1:], web.Page{URL: "http://shy.example/robots.txt", Redirect: "/robots.txt"}), archive.Unreachable},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := web.Start(t, c.pages...)
			s := fetch(t, open(t, w), "http://shy.example/a")
			require.Equal(t, c.state, s.State, s.Reason)
			if c.state == archive.Unreachable {
				require.Zero(t, w.Count("http://shy.example/a"))
			}
		})
	}
}

func TestRobotsAreAskedAgainAfterADay(t *testing.T) {
	w := web.Start(t,
		web.Page{URL: "http://shy.example/robots.txt", MIME: "text/plain", Body: "User-agent: *\nDisallow: /b"},
		web.Page{URL: "http://shy.example/a", Body: web.Report()}, web.Page{URL: "http://other.example/c", Redirect: "http://shy.example/b"})
	clock := started()
	dir := t.TempDir()
	for i, c := range []struct {
		pause time.Duration
		asked int
	}{{0, 1}, {time.Hour, 1}, {22 * time.Hour, 1}, {2 * time.Hour, 2}, {time.Minute, 2}} {
		o := w.Options()
		clock.set(&o)
		a, err := archive.Open(dir, o) // another process
		require.NoError(t, err)
		require.NoError(t, clock.wait(t.Context(), c.pause))
		_, err = a.Refetch(t.Context(), "http://shy.example/a")
		require.NoError(t, err)
		require.Equal(t, c.asked, w.Count("http://shy.example/robots.txt"), i)
	}
	s := fetch(t, open(t, w), "http://other.example/c")
	require.Contains(t, s.Reason, "robots.txt", "a redirect does not lead around it")
}

func TestOneFetchForAllWhoAsk(t *testing.T) {
	at := "http://news.example/lake"
	w := web.Start(t, web.Page{URL: at, Body: web.Report(), Delay: 10 * time.Millisecond})
	a := open(t, w)
	var g errgroup.Group
	for i := range 20 {
		g.Go(func() error {
			s, err := a.Fetch(t.Context(), at+strings.Repeat("#", i%2)+strings.Repeat("part", i%2))
			if err == nil && s.State != archive.Live {
				err = fmt.Errorf("%s", s.Reason)
			}
			return err
		})
	}
	require.NoError(t, g.Wait())
	require.Equal(t, 1, w.Count(at))
}

func TestWhoGivesUpDoesNotKeepOthersWaiting(t *testing.T) {
	at := "http://news.example/lake"
	w := web.Start(t, web.Page{URL: at, Body: web.Report(), Delay: time.Hour, Then: []web.Page{{Body: web.Report()}}})
	a := open(t, w)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := a.Fetch(ctx, at)
		done <- err
	}()
	require.Eventually(t, func() bool { return w.Count(at) == 1 }, 10*time.Second, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	_, known := a.Lookup("url:news.example/lake")
	require.False(t, known, "nothing follows from giving up")
	require.Equal(t, archive.Live, fetch(t, a, at).State)
}
