package archive

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/base/proxy"
)

// table reads a file of tab-separated rows under a heading.
func table(t *testing.T, name string) (rows [][]string) {
	f, err := os.Open("testdata/" + name)
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		rows = append(rows, strings.Split(lines.Text(), "\t"))
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, rows)
	return rows[1:]
}

// judged says what the guard makes of a host, straight and behind a proxy that
// sees what we see.
func judged(g *guard, host string, found []netip.AddrPort) (straight, behind error) {
	if strings.Count(host, ":") > 1 && !strings.HasPrefix(host, "[") {
		host = "[" + strings.ReplaceAll(host, "%", "%25") + "]"
	}
	u, err := url.Parse("http://" + host + "/")
	if err != nil {
		return err, err
	}
	u.User = nil
	if err := g.checkURL(u); err != nil {
		return err, err
	}
	if ip, ok := numeric(normaliseHost(u.Hostname())); ok {
		found = []netip.AddrPort{netip.AddrPortFrom(ip, 80)}
	}
	for _, at := range found {
		if straight = g.checkAddress(u.Hostname(), at); straight != nil {
			break
		}
	}
	return straight, g.checkProxied(u, found)
}

func TestNoServiceOfACloudIsAsked(t *testing.T) {
	closed, err := newGuard(nil)
	require.NoError(t, err)
	open, err := newGuard([]string{"0.0.0.0/0", "::/0"})
	require.NoError(t, err)
	private := netip.MustParseAddrPort("10.96.0.1:80")
	meta := netip.MustParseAddrPort("169.254.169.254:80")
	for _, row := range table(t, "metadata-addresses.tsv") {
		provider, host, want := row[0], row[1], row[3]
		leads := []netip.AddrPort{private} // what such a name leads to from inside
		if strings.HasSuffix(host, ".io") {
			leads = []netip.AddrPort{meta}
		}
		if want == "allow" {
			leads = []netip.AddrPort{netip.MustParseAddrPort("93.184.216.34:80")}
		}
		straight, behind := judged(closed, host, leads)
		if want == "allow" {
			require.NoError(t, straight, host)
			require.NoError(t, behind, host)
			continue
		}
		require.Error(t, straight, "%s %s", provider, host)
		require.Error(t, behind, "%s %s behind a proxy", provider, host)
		// what is only private may be allowed; what tells secrets never
		onlyPrivate := provider == "kubernetes" && host != "169.254.20.10" || provider == "docker" || provider == "podman"
		if onlyPrivate || row[2] == "loopback" || row[2] == "this host" || row[2] == "site local" || row[2] == "broadcast" || row[2] == "multicast" || row[2] == "benchmark" || row[2] == "reserved" {
			continue
		}
		straight, behind = judged(open, host, leads)
		require.Error(t, straight, "%s %s where everything private is allowed", provider, host)
		require.Error(t, behind, "%s %s where everything private is allowed, behind a proxy", provider, host)
	}
}

func TestOrdinaryAddressesStayOpen(t *testing.T) {
	g, err := newGuard(nil)
	require.NoError(t, err)
	world := []netip.AddrPort{netip.MustParseAddrPort("93.184.216.34:80")}
	for _, row := range table(t, "ordinary-addresses.tsv") {
		straight, behind := judged(g, row[0], world)
		require.NoError(t, straight, row[0])
		require.NoError(t, behind, row[0])
	}
}

// gateway is a real proxy on this machine: it speaks CONNECT and the absolute
// form, and leads every host to one of two servers.
type gateway struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // "METHOD host"
	login []string // what Proxy-Authorization said
}

func (g *gateway) note(r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, r.Method+" "+r.Host)
	if l := r.Header.Get("Proxy-Authorization"); l != "" {
		g.login = append(g.login, l)
	}
}

func (g *gateway) seen() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string{}, g.asked...)
}

// newGateway leads to a plain server and to one over TLS; status is what it
// answers instead, 0 for letting everything pass.
func newGateway(t *testing.T, plain, secure *httptest.Server, status int) *gateway {
	g := &gateway{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.note(r)
		switch {
		case status != 0:
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<html><title>Proxy</title><p>The company says no.")
		case r.Method == http.MethodConnect:
			tunnel(w, secure.Listener.Addr().String())
		default:
			relay(w, r, plain.Listener.Addr().String())
		}
	}))
	t.Cleanup(g.Close)
	return g
}

func tunnel(w http.ResponseWriter, to string) {
	far, err := net.Dial("tcp", to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusOK)
	near, begun, err := w.(http.Hijacker).Hijack()
	if err != nil {
		far.Close()
		return
	}
	go func() { _, _ = io.Copy(far, begun); far.Close() }() // the server may have read the first bytes
	go func() { _, _ = io.Copy(near, far); near.Close() }()
}

func relay(w http.ResponseWriter, r *http.Request, to string) {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+to+r.URL.RequestURI(), nil)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	out.Host = r.Host
	resp, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}

const lake = "<!doctype html><title>Lake</title><article><p>The lake rose by two metres in the spring of that year, says the report of the commission.</p></article>"

// world is what lies behind a proxy.
func world(t *testing.T) (plain, secure *httptest.Server) {
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			w.WriteHeader(http.StatusNotFound)
		case "/inside":
			http.Redirect(w, r, "http://169.254.169.254/latest/", http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, lake)
		}
	})
	plain, secure = httptest.NewServer(serve), httptest.NewTLSServer(serve)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	return plain, secure
}

// through opens an archive behind a proxy, on a machine from which no name
// leads anywhere.
func through(t *testing.T, env map[string]string, trust *x509.Certificate) *Archive {
	o := Options{
		Pace: -1, Retries: -1, Timeout: 30 * time.Second,
		Proxy: proxy.Find("", func(name string) string { return env[name] }),
		Wait:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Resolve: func(_ context.Context, host, _ string) ([]netip.AddrPort, error) {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		},
	}
	a, err := Open(t.TempDir(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	if trust != nil {
		pool := x509.NewCertPool()
		pool.AddCert(trust)
		a.web.transports.proxied.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	return a
}

func both(address string) map[string]string {
	return map[string]string{"HTTPS_PROXY": address, "HTTP_PROXY": address}
}

func TestSourcesAreReachedThroughAProxy(t *testing.T) {
	plain, secure := world(t)
	g := newGateway(t, plain, secure, 0)
	user := strings.Replace(g.URL, "http://", "http://user:p%40ss@", 1)
	a := through(t, both(user), secure.Certificate())

	s, err := a.Fetch(t.Context(), "https://example.com/lake")
	require.NoError(t, err)
	require.Equal(t, Live, s.State, s.Reason)
	text, err := a.Text(s)
	require.NoError(t, err)
	require.Contains(t, text, "The lake rose by two metres")

	s, err = a.Fetch(t.Context(), "http://plain.example.org/lake")
	require.NoError(t, err)
	require.Equal(t, Live, s.State, s.Reason)

	require.Contains(t, g.seen(), "CONNECT example.com:443")
	require.Contains(t, g.seen(), "GET plain.example.org", "robots.txt and the page, in the absolute form")
	require.Contains(t, g.login, "Basic "+base64.StdEncoding.EncodeToString([]byte("user:p@ss")))
}

func TestTheGuardHoldsBehindAProxy(t *testing.T) {
	plain, secure := world(t)
	g := newGateway(t, plain, secure, 0)
	a := through(t, both(g.URL), secure.Certificate())
	for _, address := range []string{
		"http://169.254.169.254/latest/", "https://metadata.google.internal/", "http://168.63.129.16/", "http://10.0.0.5/",
		"http://[::ffff:169.254.169.254]/", "http://2852039166/", "http://localhost/", "http://127.0.0.1:9/", "http://intranet/",
		"http://wiki.corp.internal/", "https://example.com:8443/", strings.Replace(g.URL, "127.0.0.1", "0x7f.1", 1) + "/",
	} {
		s, err := a.Fetch(t.Context(), address)
		require.NoError(t, err)
		require.Equal(t, Unreachable, s.State, address)
		require.Contains(t, s.Reason, "refused: ", address)
	}
	require.Empty(t, g.seen(), "the proxy was not asked")

	s, err := a.Fetch(t.Context(), "https://example.com/inside")
	require.NoError(t, err)
	require.Equal(t, Unreachable, s.State)
	require.Contains(t, s.Reason, "clouds")
	for _, line := range g.seen() {
		require.NotContains(t, line, "169.254")
	}
}

func TestWhatAProxyKeepsFromUsIsAReason(t *testing.T) {
	plain, secure := world(t)
	closed, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	down := "http://" + closed.Addr().String()
	require.NoError(t, closed.Close())
	for _, c := range []struct {
		name, proxy, reason string
	}{
		{"it asks for a login", newGateway(t, plain, secure, http.StatusProxyAuthRequired).URL, "the proxy asks for a login"},
		{"it says no", newGateway(t, plain, secure, http.StatusForbidden).URL, "the proxy does not let it pass"},
		{"it is down", down, "the proxy cannot be reached"},
		{"its name leads nowhere", "http://proxy.invalid:3128", "proxy"},
		{"it cannot be read", "::not a url", "HTTPS_PROXY cannot be read"},
		{"it signs for others", newGateway(t, plain, secure, 0).URL, "SSL_CERT_FILE"},
	} {
		a := through(t, map[string]string{"HTTPS_PROXY": c.proxy}, nil)
		s, err := a.Fetch(t.Context(), "https://example.com/lake")
		require.NoError(t, err, c.name)
		require.Equal(t, Unreachable, s.State, c.name)
		require.Contains(t, s.Reason, c.reason, c.name)
		require.Empty(t, s.Text, c.name)
		require.Empty(t, s.Body, "%s: a page of the proxy is not the source", c.name)
	}
	a := through(t, map[string]string{"HTTP_PROXY": newGateway(t, plain, secure, http.StatusProxyAuthRequired).URL}, nil)
	s, err := a.Fetch(t.Context(), "http://example.com/lake")
	require.NoError(t, err)
	require.Equal(t, Unreachable, s.State)
	require.Contains(t, s.Reason, "the proxy asks for a login")
}

func TestNoProxyOpensNoClosedDoor(t *testing.T) {
	plain, secure := world(t)
	g := newGateway(t, plain, secure, 0)
	env := both(g.URL)
	env["NO_PROXY"] = "169.254.169.254,10.0.0.0/8,straight.example.com"
	a := through(t, env, secure.Certificate())
	for _, address := range []string{"http://169.254.169.254/", "http://10.0.0.5/", "http://straight.example.com/"} {
		s, err := a.Fetch(t.Context(), address)
		require.NoError(t, err)
		require.Equal(t, Unreachable, s.State, "%s: %s", address, s.Reason)
	}
	require.Empty(t, g.seen())
}

func TestAProxyThatIsKnownHereDoesNotHideWhereANameLeads(t *testing.T) {
	plain, secure := world(t)
	g := newGateway(t, plain, secure, 0)
	a := through(t, both(g.URL), secure.Certificate())
	a.web.transports.dnsCache.resolve = func(_ context.Context, host, _ string) ([]netip.AddrPort, error) {
		if host != "rebind.example.com" {
			return nil, errors.New("nowhere")
		}
		return []netip.AddrPort{netip.MustParseAddrPort("169.254.169.254:443")}, nil
	}
	s, err := a.Fetch(t.Context(), "https://rebind.example.com/")
	require.NoError(t, err)
	require.Contains(t, s.Reason, "refused: 169.254.169.254")
	require.Empty(t, g.seen())
}
