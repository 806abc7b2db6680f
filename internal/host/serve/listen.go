package serve

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/research-council/research-council/internal/base/usage"
)

// Address is where pages are served.
type Address struct {
	Listen    string // host:port; "" for any free port of this machine's loopback
	Cert, Key string // files, PEM, for TLS; "" for none
}

// open listens there. Without TLS that is loopback alone.
func (a Address) open() (net.Listener, *tls.Certificate, error) {
	if (a.Cert == "") != (a.Key == "") {
		return nil, nil, usage.Errorf("--tls-cert and --tls-key go together")
	}
	listen := a.Listen
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, nil, usage.Errorf("--listen %q is no address; write it as 127.0.0.1:8080", a.Listen)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return nil, nil, usage.Errorf("--listen %q: %q is no port; write it as 127.0.0.1:8080", a.Listen, port)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip := net.ParseIP(host)
	if a.Cert == "" && (ip == nil || !ip.IsLoopback()) {
		return nil, nil, usage.Errorf("--listen %s is seen by other machines, who would read along: give --tls-cert and --tls-key, or leave it on this machine and open a tunnel to it (ssh -L %s:127.0.0.1:%s HOST)", a.Listen, port, port)
	}
	var cert *tls.Certificate
	if a.Cert != "" {
		pair, err := tls.LoadX509KeyPair(a.Cert, a.Key)
		if err != nil {
			return nil, nil, usage.Errorf("--tls-cert %q, --tls-key %q: %w", a.Cert, a.Key, err)
		}
		cert = &pair
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err
		}
		return nil, nil, fmt.Errorf("listen on %s: %w; name another port with --listen", listen, err)
	}
	return l, cert, nil
}

// names are the hosts, as a browser names them, that are this server: those of loopback,
// or with TLS those its certificate is for.
func names(l net.Listener, cert *tls.Certificate) (port string, is func(host string) bool) {
	_, port, _ = net.SplitHostPort(l.Addr().String()) // an address of ours
	if cert == nil {
		ours := []string{l.Addr().String(), net.JoinHostPort("localhost", port)}
		if port == "80" {
			ours = append(ours, "localhost", "127.0.0.1")
		}
		return port, func(host string) bool { return slices.Contains(ours, host) }
	}
	return port, func(host string) bool {
		name, at, err := net.SplitHostPort(host)
		if err != nil {
			name, at = host, "443"
		}
		return at == port && cert.Leaf != nil && cert.Leaf.VerifyHostname(name) == nil
	}
}
