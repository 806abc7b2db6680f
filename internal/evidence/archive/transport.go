package archive

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"time"
)

// transports are the two ways to the world: straight, where the guard sees
// every address that is dialled, and through a proxy, where it sees none but
// the proxy's. Neither keeps cookies or follows anything.
type transports struct {
	direct, proxied *http.Transport
	dnsCache        *resolutionCache
}

func newTransports(g *guard, o Options) transports {
	d := &dialer{guard: g, resolve: o.Resolve, timeout: o.Timeout}
	t := transports{direct: transport(o), proxied: transport(o), dnsCache: &resolutionCache{resolve: o.Resolve, known: map[string][]netip.AddrPort{}}}
	t.direct.DialContext = d.DialContext
	// Only requests that go through a proxy are given to this one, so that it
	// dials proxies alone, which the user has named.
	t.proxied.DialContext = (&net.Dialer{Timeout: o.Timeout}).DialContext
	t.proxied.Proxy = func(r *http.Request) (*url.URL, error) { return o.Proxy.For(r.URL) }
	t.proxied.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
		switch {
		case answer.StatusCode == http.StatusProxyAuthRequired:
			return errProxyLogin
		case answer.StatusCode/100 != 2:
			return &fetchFault{reason: fmt.Sprintf("the proxy does not let it pass (status %d)", answer.StatusCode), retry: answer.StatusCode >= 500}
		}
		return nil
	}
	return t
}

var errProxyLogin = &fetchFault{reason: "the proxy asks for a login"}

func transport(o Options) *http.Transport {
	return &http.Transport{
		ForceAttemptHTTP2: true, DisableCompression: true, TLSHandshakeTimeout: o.Timeout, MaxResponseHeaderBytes: 256 << 10,
		MaxIdleConnsPerHost: o.PerHost, MaxIdleConns: 20, IdleConnTimeout: 10 * time.Second,
	}
}

// roundTrip makes a request by the way that is set for its address.
func (c *client) roundTrip(req *http.Request) (resp *http.Response, proxied bool, err error) {
	via, err := c.o.Proxy.For(req.URL)
	if err != nil {
		return nil, false, refuse("%v", err)
	}
	if via == nil {
		resp, err = c.transports.direct.RoundTrip(req)
		return resp, false, err
	}
	if err := c.guard.checkProxied(req.URL, c.transports.dnsCache.addresses(req.Context(), req.URL)); err != nil {
		return nil, true, err
	}
	resp, err = c.transports.proxied.RoundTrip(req)
	return resp, true, err
}

// resolutionCache is where names lead from here. Behind a proxy often none leads anywhere:
// after some that did not, no more are looked up.
type resolutionCache struct {
	resolve resolver

	mu       sync.Mutex
	known    map[string][]netip.AddrPort
	failures int
}

const (
	maxFailures   = 5               // names that led nowhere, one after another
	lookupTimeout = 2 * time.Second // for one name; a firewall may not even say no
	maxCached     = 1000            // names kept
)

func (s *resolutionCache) addresses(ctx context.Context, u *url.URL) []netip.AddrPort {
	host := normaliseHost(u.Hostname())
	s.mu.Lock()
	found, known := s.known[host]
	known = known || s.failures >= maxFailures
	s.mu.Unlock()
	if _, ok := numeric(host); ok || known {
		return found
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	found = s.resolveNow(ctx, host)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failures++; len(found) > 0 {
		s.failures = 0
	}
	if len(s.known) >= maxCached {
		clear(s.known)
	}
	s.known[host] = found
	return found
}

func (s *resolutionCache) resolveNow(ctx context.Context, host string) []netip.AddrPort {
	if s.resolve != nil {
		found, _ := s.resolve(ctx, host, "443") // what leads nowhere from here may lead somewhere from the proxy
		return found
	}
	ips, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	var found []netip.AddrPort
	for _, ip := range ips {
		found = append(found, netip.AddrPortFrom(ip, 443))
	}
	return found
}
