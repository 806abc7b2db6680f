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
	straight, proxied *http.Transport
	seen              *seen
}

func newTransports(g *guard, o Options) transports {
	d := &dialer{guard: g, resolve: o.Resolve, timeout: o.Timeout}
	t := transports{straight: transport(o), proxied: transport(o), seen: &seen{resolve: o.Resolve, of: map[string][]netip.AddrPort{}}}
	t.straight.DialContext = d.DialContext
	// Only requests that go through a proxy are given to this one, so that it
	// dials proxies alone, which the user has named.
	t.proxied.DialContext = (&net.Dialer{Timeout: o.Timeout}).DialContext
	t.proxied.Proxy = func(r *http.Request) (*url.URL, error) { return o.Proxy.For(r.URL) }
	t.proxied.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
		switch {
		case answer.StatusCode == http.StatusProxyAuthRequired:
			return errLogin
		case answer.StatusCode/100 != 2:
			return &fault{reason: fmt.Sprintf("the proxy does not let it pass (status %d)", answer.StatusCode), retry: answer.StatusCode >= 500}
		}
		return nil
	}
	return t
}

var errLogin = &fault{reason: "the proxy asks for a login"}

func transport(o Options) *http.Transport {
	return &http.Transport{
		ForceAttemptHTTP2: true, DisableCompression: true, TLSHandshakeTimeout: o.Timeout, MaxResponseHeaderBytes: 256 << 10,
		MaxIdleConnsPerHost: o.PerHost, MaxIdleConns: 20, IdleConnTimeout: 10 * time.Second,
	}
}

// roundTrip makes a request by the way that is set for its address.
func (a *Archive) roundTrip(req *http.Request) (resp *http.Response, proxied bool, err error) {
	via, err := a.o.Proxy.For(req.URL)
	if err != nil {
		return nil, false, refuse("%v", err)
	}
	if via == nil {
		resp, err = a.ways.straight.RoundTrip(req)
		return resp, false, err
	}
	if err := a.guard.behind(req.URL, a.ways.seen.from(req.Context(), req.URL)); err != nil {
		return nil, true, err
	}
	resp, err = a.ways.proxied.RoundTrip(req)
	return resp, true, err
}

// seen is where names lead from here. Behind a proxy often none leads anywhere:
// after some that did not, no more are looked up.
type seen struct {
	resolve resolver

	mu    sync.Mutex
	of    map[string][]netip.AddrPort
	blind int
}

const (
	mostBlind = 5               // names that led nowhere, one after another
	lookup    = 2 * time.Second // for one name; a firewall may not even say no
	mostSeen  = 1000            // names kept
)

func (s *seen) from(ctx context.Context, u *url.URL) []netip.AddrPort {
	host := plainHost(u.Hostname())
	s.mu.Lock()
	found, known := s.of[host]
	known = known || s.blind >= mostBlind
	s.mu.Unlock()
	if _, ok := numeric(host); ok || known {
		return found
	}
	ctx, cancel := context.WithTimeout(ctx, lookup)
	defer cancel()
	found = s.look(ctx, host)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.blind++; len(found) > 0 {
		s.blind = 0
	}
	if len(s.of) >= mostSeen {
		clear(s.of)
	}
	s.of[host] = found
	return found
}

func (s *seen) look(ctx context.Context, host string) []netip.AddrPort {
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
