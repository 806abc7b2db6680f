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
	for name, address := range map[string]string{
		"loopback":                  "http://127.0.0.1/",
		"loopback on a port":        direct + "/secret",
		"loopback's other numbers":  "http://127.8.8.8/",
		"one number":                "http://2130706433/",
		"hexadecimal":               "http://0x7f000001/",
		"octal":                     "http://0177.0.0.1/",
		"short":                     "http://127.1/",
		"a name for loopback":       "http://localhost/",
		"a name for the intranet":   "http://intranet/",
		"nobody":                    "http://0.0.0.0/",
		"ten":                       "http://10.0.0.1/",
		"carrier's":                 "http://100.64.0.1/",
		"a cloud's metadata":        "http://169.254.169.254/latest/",
		"multicast":                 "http://224.0.0.1/",
		"IPv6 loopback":             "http://[::1]/",
		"IPv6 of IPv4":              "http://[::ffff:127.0.0.1]/",
		"IPv6 of IPv4 in hex":       "http://[::ffff:7f00:1]/",
		"IPv6 translated":           "http://[64:ff9b::7f00:1]/",
		"IPv6 tunnelled":            "http://[2002:7f00:1::]/",
		"IPv6 local":                "http://[fe80::1]/",
		"IPv6 unique local":         "http://[fd00::1]/",
		"IPv6 unspecified":          "http://[::]/",
		"a user's name before it":   "http://news.example@127.0.0.1/",
		"a backslash before it":     `http://127.0.0.1\@news.example/`,
		"two at signs":              "http://news.example@a@127.0.0.1/",
		"a full width dot":          "http://127。0。0。1/",
		"another port of the world": "http://93.184.216.34:22/",
		"a trailing dot":            "http://localhost./",
	} {
		t.Run(name, func(t *testing.T) {
			for _, by := range []string{"name", "redirect"} {
				ref := address
				o := w.Options()
				o.Resolve = inet(w)
				if by == "redirect" {
					ref = "http://rogue.example/" + by
					require.NoError(t, w.Add(web.Page{URL: ref, Redirect: address}))
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
