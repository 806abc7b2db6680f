package confine

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/research-council/research-council/internal/base/proxy"
)

// hostOf is a host as a box names it: with its port where it is this machine.
func hostOf(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if !loopback(host) {
		return host
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(host, port)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Proxy is the only way out of a box: it speaks HTTP on a socket, and CONNECT,
// with the hosts of a list.
type Proxy struct {
	hosts    []string
	dialer   net.Dialer
	upstream func(*url.URL) (*url.URL, error) // the user's own proxy
	listener net.Listener
	server   *http.Server
	mu       sync.Mutex
	refused  []string
	begun    map[string]bool // words of the boxes whose command has begun
}

// Listen serves a proxy on a new socket at path until it is closed. The user's
// own proxies, by the environment, are asked in its place.
func Listen(path string, hosts, environ []string) (*Proxy, error) {
	l, err := listenAt(path)
	if err != nil {
		return nil, fmt.Errorf("open the proxy of the box: %w", err)
	}
	p := &Proxy{hosts: hosts, begun: map[string]bool{}, listener: l, upstream: proxy.Find("", Box{Environ: environ}.variable).For}
	p.dialer = net.Dialer{Timeout: 30 * time.Second, Control: refuseMetadata}
	transport := &http.Transport{
		DialContext: p.dialer.DialContext, ResponseHeaderTimeout: 5 * time.Minute,
		Proxy: func(r *http.Request) (*url.URL, error) { return p.upstream(r.URL) },
	}
	plain := &httputil.ReverseProxy{Transport: transport, Rewrite: func(*httputil.ProxyRequest) {}}
	p.server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, port := r.URL.Hostname(), r.URL.Port()
		if r.Method == http.MethodConnect {
			host, port, _ = net.SplitHostPort(r.Host)
		}
		switch {
		case r.Method == beginMethod:
			p.markBegun(r.URL.Path)
		case !p.allows(host, port):
			p.noteRefused(host)
			http.Error(w, host+" is not on the list of hosts this shell may ask", http.StatusForbidden)
		case r.Method == http.MethodConnect:
			p.tunnel(w, r)
		case r.URL.Scheme != "http":
			http.Error(w, "only http and CONNECT are served", http.StatusBadRequest)
		default:
			plain.ServeHTTP(w, r)
		}
	})}
	go func() { _ = p.server.Serve(l) }() // it ends with Close
	return p, nil
}

// refuseMetadata refuses the addresses at which clouds tell machines their secrets.
func refuseMetadata(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsLinkLocalUnicast() || ip.Equal(net.ParseIP("fd00:ec2::254")) || ip.Equal(net.IPv4(100, 100, 100, 200)) || ip.Equal(net.IPv4(168, 63, 129, 16)) {
		return errors.New("the address is one of the machine's own services")
	}
	return nil
}

// allows reports whether a host may be asked. This machine may only at ports
// that are named.
func (p *Proxy) allows(host, port string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "" {
		return false
	}
	here := loopback(host)
	return slices.ContainsFunc(p.hosts, func(h string) bool {
		h = strings.ToLower(h)
		if name, named, err := net.SplitHostPort(h); err == nil {
			return here && loopback(name) && named == port
		}
		suffix, wild := strings.CutPrefix(h, "*")
		return !here && (h == host || wild && strings.HasSuffix(host, suffix) && (suffix != "" || net.ParseIP(host) == nil))
	})
}

// beginMethod is how a box's first process tells, with a word it was given, that
// the command is about to begin.
const beginMethod = "BEGIN"

func (p *Proxy) markBegun(word string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun[strings.TrimPrefix(word, "/")] = true
}

// HasBegun reports whether the command whose box was given a word has begun: else
// the box could not be made, and how it ended says nothing of the command.
func (p *Proxy) HasBegun(word string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	begun := p.begun[word]
	delete(p.begun, word)
	return begun
}

func (p *Proxy) noteRefused(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	const most = 100
	if len(p.refused) < most && !slices.Contains(p.refused, host) {
		p.refused = append(p.refused, host)
	}
}

// RefusedHosts are the hosts that were asked for in vain since it was asked last.
func (p *Proxy) RefusedHosts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.refused
	p.refused = nil
	return list
}

// tunnel joins the box with a host.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	there, err := p.dial(r.Context(), r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer there.Close()
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	if _, err := io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	copyBoth(here, buffered, there)
}

// copyBoth copies both ways until both ends are silent.
func copyBoth(here net.Conn, from io.Reader, there net.Conn) {
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(there, from) // an end that is closed is how it ends
		closeWrite(there)
	})
	both.Go(func() {
		_, _ = io.Copy(here, there)
		closeWrite(here)
	})
	both.Wait()
}

// closeWrite tells the other side that no more comes.
func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = c.Close()
}

// dial reaches a host, by way of the user's own proxy where there is one.
func (p *Proxy) dial(ctx context.Context, address string) (net.Conn, error) {
	by, err := p.upstream(&url.URL{Scheme: "https", Host: address})
	if err != nil || by == nil {
		return p.dialer.DialContext(ctx, "tcp", address)
	}
	if by.Scheme != "http" {
		return nil, fmt.Errorf("the proxy %s is asked in no way known here", by.Redacted())
	}
	at := by.Host
	if by.Port() == "" {
		at = net.JoinHostPort(by.Hostname(), "80")
	}
	c, err := (&net.Dialer{Timeout: p.dialer.Timeout}).DialContext(ctx, "tcp", at)
	if err != nil {
		return nil, err
	}
	ask := "CONNECT " + address + " HTTP/1.1\r\nHost: " + address + "\r\n"
	if by.User != nil {
		word, _ := by.User.Password()
		ask += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(by.User.Username()+":"+word)) + "\r\n"
	}
	if _, err := io.WriteString(c, ask+"\r\n"); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	r := bufio.NewReader(c)
	answer, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if answer.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("the proxy %s answers %s", by.Redacted(), answer.Status), c.Close())
	}
	return &readAhead{c, r}, nil
}

// readAhead is a connection of which some has been read ahead.
type readAhead struct {
	net.Conn
	from *bufio.Reader
}

func (r *readAhead) Read(p []byte) (int, error) { return r.from.Read(p) }

// CloseWrite tells the other side that no more comes.
func (r *readAhead) CloseWrite() error {
	closeWrite(r.Conn)
	return nil
}

// listenAt listens on a socket at a path of any length. The kernel takes about a
// hundred bytes: a longer one is reached by way of its open folder.
func listenAt(path string) (net.Listener, error) {
	const longest = 100
	if len(path) <= longest {
		return net.Listen("unix", path)
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer folder.Close() // the socket stays where it is
	l, err := net.Listen("unix", fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), filepath.Base(path)))
	if socket, ok := l.(*net.UnixListener); ok {
		socket.SetUnlinkOnClose(false) // that path leads nowhere by then; who made the folder removes it
	}
	return l, err
}

// Close ends the proxy and takes its socket away.
func (p *Proxy) Close() error { return p.server.Close() }
