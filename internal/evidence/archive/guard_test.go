package archive_test

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/test/web"
)

// inet reads the numbers that C libraries take for addresses, beside the names
// of the web.
func inet(w *web.Web) func(context.Context, string, string) ([]netip.AddrPort, error) {
	odd := map[string]string{"2130706433": "127.0.0.1", "0x7f000001": "127.0.0.1", "0177.0.0.1": "127.0.0.1", "127.1": "127.0.0.1", "localhost": "::1", "intranet": "10.1.2.3"}
	return func(ctx context.Context, host, port string) ([]netip.AddrPort, error) {
		if ip := odd[strings.TrimSuffix(host, ".")]; ip != "" {
			at, err := netip.ParseAddrPort(net.JoinHostPort(ip, port))
			return []netip.AddrPort{at}, err
		}
		return w.Resolve(ctx, host, port)
	}
}

func TestNothingPrivateIsAsked(t *testing.T) {
	w := web.Start(t, web.Page{URL: "http://news.example/secret", Body: "secret"})
	direct := w.Direct("http://news.example")
	for name, address := range web.Private(direct + "/secret") {
		t.Run(name, func(t *testing.T) {
			for _, by := range []string{"name", "redirect", "script", "page of the world"} {
				ref := address
				o := w.Options()
				o.Resolve = inet(w)
				switch by {
				case "redirect":
					ref = "http://rogue.example/" + by
					require.NoError(t, w.Add(web.Page{URL: ref, Redirect: address}))
				case "page of the world":
					o.AllowPrivate = []string{"127.0.0.0/8"} // for pages that are there, not for what others ask for
					fallthrough
				case "script":
					refusedToScripts(t, w, o, address)
					continue
				}
				a, err := archive.Open(t.TempDir(), o)
				require.NoError(t, err)
				s := fetch(t, a, ref)
				require.Equal(t, archive.Unreachable, s.State, "by %s: %+v", by, s)
				require.NotContains(t, s.Reason, "no such host", "it was refused, not looked for in vain")
				require.Empty(t, s.Body)
			}
		})
	}
	require.Zero(t, w.Count("http://news.example/secret"))
}

// refusedToScripts has a page ask for an address in every way that scripts have.
func refusedToScripts(t *testing.T, w *web.Web, o archive.Options, address string) {
	t.Helper()
	require.NoError(t, w.Add(web.Page{URL: "http://rogue.example/app", Body: `<div id="root"></div><script src="/app.js"></script>`}))
	o.Render = func(ctx context.Context, page string, ask archive.Ask) (archive.Rendering, error) {
		_, err := ask(ctx, archive.PageRequest{Method: "GET", URL: page, Main: true})
		require.NoError(t, err)
		for _, main := range []bool{false, true} {
			for _, method := range []string{"GET", "POST"} {
				got, err := ask(ctx, archive.PageRequest{Method: method, URL: address, Main: main})
				require.ErrorContains(t, err, "refused: ")
				require.Empty(t, got)
			}
		}
		return archive.Rendering{Document: []byte(web.Report()), By: "a browser"}, nil
	}
	a, err := archive.Open(t.TempDir(), o)
	require.NoError(t, err)
	s := fetch(t, a, "http://rogue.example/app")
	require.Equal(t, archive.Blocked, s.State, "a page that leads to what is refused is not read: %+v", s)
	require.Contains(t, s.Reason, "needs scripts: refused: ")
}

func TestANameThatChangesItsMindIsCaught(t *testing.T) {
	w := web.Start(t, web.Page{URL: "http://rebind.example/secret", Body: "secret"})
	var asked atomic.Int32
	o := w.Options()
	o.AllowPrivate, o.Crossref, o.ArXiv, o.DOI, o.Wayback = []string{"127.0.0.2"}, "", "", "", ""
	o.Resolve = func(ctx context.Context, host, port string) ([]netip.AddrPort, error) {
		if asked.Add(1) == 1 { // whoever looks first sees an address that may be asked, from which nothing answers
			return []netip.AddrPort{netip.MustParseAddrPort("127.0.0.2:1")}, nil
		}
		return w.Resolve(ctx, host, port)
	}
	a, err := archive.Open(t.TempDir(), o)
	require.NoError(t, err)
	s, err := a.Refetch(t.Context(), "http://rebind.example/secret")
	require.NoError(t, err)
	require.Equal(t, archive.Unreachable, s.State)
	require.Contains(t, s.Reason, "is not one of 80 and 443", "the second address is refused, as it is not the one that may be asked")
	require.GreaterOrEqual(t, asked.Load(), int32(2), "the first address was taken, and the name looked up again")
	require.Empty(t, w.Requests())
}

func TestWhatIsAllowed(t *testing.T) {
	w := web.Start(t, web.Page{URL: "http://news.example/lake", Body: web.Report()})
	direct := w.Direct("http://news.example/lake")
	for _, c := range []struct {
		name, ref string
		allow     []string
		state     archive.State
	}{
		{"a host by its name", "http://news.example/lake", []string{"news.example"}, archive.Live},
		{"in capitals", "http://NEWS.example/lake", []string{"News.Example"}, archive.Live},
		{"hosts by the end of their names", "http://news.example/lake", []string{"*.example"}, archive.Live},
		{"a network", direct, []string{"127.0.0.0/8"}, archive.Live},
		{"a host by the network it is in", "http://news.example/lake", []string{"127.0.0.0/8"}, archive.Live},
		{"everything", direct, []string{"0.0.0.0/0", "::/0"}, archive.Live},
		{"an address", direct, []string{netip.MustParseAddrPort(direct[len("http://") : len(direct)-len("/lake")]).Addr().String()}, archive.Live},
		{"another host", "http://news.example/lake", []string{"blog.example"}, archive.Unreachable},
		{"a host's name is not its end", "http://news.example/lake", []string{"example"}, archive.Unreachable},
		{"another network", direct, []string{"10.0.0.0/8"}, archive.Unreachable},
		{"nothing", direct, nil, archive.Unreachable},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := w.Options()
			o.AllowPrivate = c.allow
			a, err := archive.Open(t.TempDir(), o)
			require.NoError(t, err)
			s := fetch(t, a, c.ref)
			require.Equal(t, c.state, s.State, s.Reason)
		})
	}
	for _, bad := range []string{"http://x/", "", "a b", "*", "*example", "10.0.0.0/99", "a@b", "a:80"} {
		_, err := archive.Open(t.TempDir(), archive.Options{AllowPrivate: []string{bad}})
		require.Error(t, err, bad)
	}
}

func TestNothingOfOursIsTold(t *testing.T) {
	w := web.Start(t,
		web.Page{URL: "http://news.example/a", Redirect: "http://user:pass@blog.example/b#part", Header: map[string]string{"Set-Cookie": "id=1"}},
		web.Page{URL: "http://blog.example/b", Body: web.Report(), Header: map[string]string{"Set-Cookie": "id=2"}})
	a := open(t, w)
	s := fetch(t, a, "http://name:word@news.example/a?utm_source=x#top")
	require.Equal(t, archive.Live, s.State, s.Reason)
	require.Equal(t, "http://blog.example/b", s.Final)
	require.NotEmpty(t, w.Requests())
	for _, r := range w.Requests() {
		require.Equal(t, "GET", r.Method)
		require.Equal(t, []string{w.Options().UserAgent}, r.Header.Values("User-Agent"))
		for _, name := range []string{"Cookie", "Authorization", "Referer", "From"} {
			require.Empty(t, r.Header.Values(name), r.URL)
		}
	}
	for _, line := range s.Header {
		require.NotContains(t, line, "Set-Cookie")
	}
}
