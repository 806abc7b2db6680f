package archive

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
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

// named reports whether the user allowed a host by its name.
func (g *guard) named(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, s := range g.suffixes {
		if strings.HasSuffix(host, s) {
			return true
		}
	}
	return g.hosts[host]
}

func (g *guard) within(ip netip.Addr) bool {
	for _, n := range g.nets {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}

// permit looks at an address before anything is asked of it.
func (g *guard) permit(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return refuse("%q is neither http nor https", clip(u.Scheme))
	}
	host := u.Hostname()
	if host == "" {
		return refuse("an address without a host")
	}
	if p := u.Port(); p != "" && p != "80" && p != "443" && !g.named(host) && len(g.nets) == 0 {
		return refuse("port %s is not one of 80 and 443", clip(p))
	}
	return nil
}

// dial judges the address that a connection is about to be made to.
func (g *guard) dial(host, address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return refuse("%q is no address", clip(address))
	}
	ip := at.Addr().Unmap()
	if g.named(host) || g.within(ip) {
		return nil
	}
	if p := at.Port(); p != 80 && p != 443 {
		return refuse("port %d is not one of 80 and 443", p)
	}
	if g.public.SafeAddr(ip) != nil {
		return refuse("%s is a private or special address", ip)
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
		return nil, refuse("%q is no address", clip(address))
	}
	plain := net.Dialer{Timeout: d.timeout, Control: func(_, at string, _ syscall.RawConn) error { return d.guard.dial(host, at) }}
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
