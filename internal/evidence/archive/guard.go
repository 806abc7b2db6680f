package archive

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// A refusal is why we do not ask, or do not take what came. Trying again would
// end the same.
type refusal struct{ reason string }

func (r *refusal) Error() string { return "refused: " + r.reason }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// guard says which addresses may be spoken to. It decides when a connection
// is made, on the address that is dialled: a name that is looked up twice may
// lead to two places.
type guard struct {
	hosts    map[string]bool
	suffixes []string // ".example" for "*.example"
	nets     []netip.Prefix
	public   *ssrf.Guardian
}

func newGuard(allow []string) (*guard, error) {
	g := &guard{hosts: map[string]bool{}, public: ssrf.New()}
	for _, a := range allow {
		a = strings.ToLower(strings.TrimSpace(a))
		if prefix, err := netip.ParsePrefix(a); err == nil {
			g.nets = append(g.nets, prefix.Masked())
			continue
		}
		if ip, err := netip.ParseAddr(strings.Trim(a, "[]")); err == nil {
			g.nets = append(g.nets, netip.PrefixFrom(ip, ip.BitLen()))
			continue
		}
		if suffix, ok := strings.CutPrefix(a, "*"); ok && strings.HasPrefix(suffix, ".") {
			g.suffixes = append(g.suffixes, suffix)
			continue
		}
		if a == "" || strings.ContainsAny(a, "/:*@ ") {
			return nil, fmt.Errorf("allow private hosts: %q is no host, address or network", a)
		}
		g.hosts[a] = true
	}
	return g, nil
}

// allowsHost reports whether the user allowed a host by its name.
func (g *guard) allowsHost(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, s := range g.suffixes {
		if strings.HasSuffix(host, s) {
			return true
		}
	}
	return g.hosts[host]
}

func (g *guard) allowsIP(ip netip.Addr) bool {
	for _, n := range g.nets {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}

// checkURL looks at an address before anything is asked of it.
func (g *guard) checkURL(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return refuse("%q is neither http nor https", shortLine(u.Scheme))
	}
	host := normaliseHost(u.Hostname())
	if host == "" {
		return refuse("an address without a host")
	}
	if ip, ok := numeric(host); metadataName(host) || ok && metadataAddress(ip) {
		return refuse("%s is private: clouds tell secrets there", shortLine(host))
	}
	if (host == "localhost" || strings.HasSuffix(host, ".localhost")) && !g.allowsHost(host) && len(g.nets) == 0 {
		return refuse("%s is this machine", shortLine(host))
	}
	if p := u.Port(); p != "" && p != "80" && p != "443" && !g.allowsHost(host) && len(g.nets) == 0 {
		return refuse("port %s is not one of 80 and 443", shortLine(p))
	}
	return nil
}

// checkDial judges the address that a connection is about to be made to.
func (g *guard) checkDial(host, address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return refuse("%q is no address", shortLine(address))
	}
	return g.checkAddress(host, at)
}

// checkAddress says whether an address may be spoken to for a host.
func (g *guard) checkAddress(host string, at netip.AddrPort) error {
	ip := at.Addr().Unmap()
	if metadataAddress(ip) {
		return refuse("%s is private: clouds tell secrets there", ip)
	}
	if g.allowsHost(host) || g.allowsIP(ip) {
		return nil
	}
	if p := at.Port(); p != 80 && p != 443 {
		return refuse("port %d is not one of 80 and 443", p)
	}
	open := ip
	if nat64.Contains(ip) {
		open = embeddedIPv4(ip)[0]
	}
	if g.public.SafeAddr(open) != nil {
		return refuse("%s is a private or special address", ip)
	}
	return nil
}

// localSuffixes are the ends of names that mean something on this machine or its own
// networks alone.
var localSuffixes = []string{"localhost", "local", "internal", "intranet", "lan", "home.arpa", "svc"}

// checkProxied judges an address that a proxy is about to be asked for. The proxy
// looks up the name: what it leads to there is seen here only where it leads to
// the same, so names that are nobody's in the world are refused as well.
func (g *guard) checkProxied(u *url.URL, found []netip.AddrPort) error {
	host := normaliseHost(u.Hostname())
	port := uint16(443)
	if u.Scheme == "http" {
		port = 80
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		port = uint16(n)
	}
	if ip, ok := numeric(host); ok {
		return g.checkAddress(host, netip.AddrPortFrom(ip, port))
	}
	for _, at := range found {
		if err := g.checkAddress(host, netip.AddrPortFrom(at.Addr(), port)); err != nil {
			return err
		}
	}
	switch {
	case g.allowsHost(host) || len(found) > 0:
		return nil
	case port != 80 && port != 443:
		return refuse("port %d is not one of 80 and 443", port)
	case !strings.Contains(host, ".") || slices.ContainsFunc(localSuffixes, func(end string) bool { return strings.HasSuffix("."+host, "."+end) }):
		return refuse("%s is a name of a private network", shortLine(host))
	}
	return nil
}

// resolver is where a host's name leads.
type resolver = func(ctx context.Context, host, port string) ([]netip.AddrPort, error)

// dialer connects to what the guard lets pass.
type dialer struct {
	guard   *guard
	resolve resolver // nil for the system's
	timeout time.Duration
}

func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, refuse("%q is no address", shortLine(address))
	}
	plain := net.Dialer{Timeout: d.timeout, Control: func(_, at string, _ syscall.RawConn) error { return d.guard.checkDial(host, at) }}
	if d.resolve == nil {
		return plain.DialContext(ctx, network, address)
	}
	found, err := d.resolve(ctx, host, port)
	if err != nil {
		return nil, err
	}
	err = errors.New("the name leads nowhere")
	for _, at := range found {
		var conn net.Conn
		if conn, err = plain.DialContext(ctx, network, at.String()); err == nil {
			return conn, nil
		}
	}
	return nil, err
}
