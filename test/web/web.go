// Package web is a fake web on loopback: hosts, pages and their faults as
// data, and fakes of the services that know about pages, in their true wire
// formats (robots.txt, the Wayback CDX server and its raw captures, Crossref's
// works, arXiv's Atom, OpenAlex, Unpaywall, Europe PMC, GitHub, the resolver of DOIs).
//
//	w := web.Start(t,
//		web.Page{URL: "http://news.example/a", Body: "<p>…</p>"},
//		web.Page{URL: "http://news.example/old", Redirect: "/a"})
//	a, err := archive.Open(dir, w.Options())
//	a.Fetch(ctx, "http://news.example/a")
//
// Pages are reached in two ways. [Web.Options] leads the hosts' names to
// loopback, for tests that hold an archive. [Web.Direct] gives an address with
// a number, a different one for each host where the system has more than one
// for loopback, for programs of their own; set RESEARCH_COUNCIL_ALLOW_PRIVATE=1
// for these. What a page says of other hosts of the web, in its body and its
// header, is then rewritten to such addresses.
//
// [Catalogue] has one specimen of each fault that a source can have, with what
// should come of fetching it. What a host has no page for is 404. Every
// request is kept: [Web.Requests].
package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/research-council/research-council/internal/evidence/archive"
)

// Page is what is said to a request for an address.
type Page struct {
	URL      string // http://host.example/path?query; without a query it answers any
	Status   int    // 0 is 200, or 302 with Redirect
	MIME     string // "" is text/html; charset=utf-8, "-" is none
	Header   map[string]string
	Body     string
	Redirect string // the Location

	Encoding string        // the body is sent so encoded: gzip, deflate, br or zstd
	Raw      bool          // the body is encoded already: it is sent as it is, under Encoding
	Delay    time.Duration // before the header
	Drip     time.Duration // before each byte of the body
	Cut      int           // so many bytes of the body are sent, though all are promised; 0 is all
	Repeat   int           // the body is sent so often in a row; 0 is once

	// Then are what later requests get, one each; the last one stays.
	Then []Page
}

// Request is one request that came.
type Request struct {
	URL    string // with the host's name
	Method string
	Header http.Header
	Time   time.Time
	Open   int // requests to the host under way, this one included
}

// Web is a set of hosts on loopback.
type Web struct {
	mu       sync.Mutex
	hosts    map[string]*host
	pages    map[string]*served
	works    map[string]Work
	preprint map[string]Preprint
	captures map[string][]Capture

	pmc          map[string]PMC
	repositories map[string]Repository

	requests []Request
	down     map[string]bool
	done     chan struct{}
}

type host struct {
	name     string
	listener net.Listener
	server   *http.Server
	open     int
}

type served struct {
	pages []Page
	next  int
}

// Start starts a web that ends with the test.
func Start(t testing.TB, pages ...Page) *Web {
	t.Helper()
	w, err := Serve(pages...)
	if err != nil {
		t.Fatalf("start the fake web: %v", err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("stop the fake web: %v", err)
		}
	})
	return w
}

// Serve starts a web.
func Serve(pages ...Page) (*Web, error) {
	w := &Web{
		hosts: map[string]*host{}, pages: map[string]*served{}, works: map[string]Work{}, preprint: map[string]Preprint{},
		captures: map[string][]Capture{}, down: map[string]bool{}, done: make(chan struct{}),
		pmc: map[string]PMC{}, repositories: map[string]Repository{},
	}
	for _, name := range []string{crossrefHost, arxivHost, waybackHost, openalexHost, doiHost, unpaywallHost, europePMCHost, gitHubHost} {
		if err := w.listen(name); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	return w, w.Add(pages...)
}

// Close ends all hosts.
func (w *Web) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.done:
		return nil
	default:
		close(w.done)
	}
	var err error
	for _, h := range w.hosts {
		err = errors.Join(err, h.server.Close())
	}
	return err
}

// Add adds pages, or puts them in the place of those at the same addresses.
func (w *Web) Add(pages ...Page) error {
	for _, p := range pages {
		u, err := url.Parse(p.URL)
		if err != nil || u.Host == "" {
			return fmt.Errorf("add page: %q is no address", p.URL)
		}
		if err := w.listen(u.Host); err != nil {
			return err
		}
		w.mu.Lock()
		w.pages[u.Host+u.RequestURI()] = &served{pages: append([]Page{p}, p.Then...)}
		w.mu.Unlock()
	}
	return nil
}

// Down takes hosts off the net: connections to them are closed unanswered.
func (w *Web) Down(hosts ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range hosts {
		w.down[h] = true
	}
}

// listen gives a host a place on loopback.
func (w *Web) listen(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hosts[name] != nil {
		return nil
	}
	n := len(w.hosts) + 2
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.%d.%d:0", n/250, n%250))
	if err != nil { // systems with one loopback address
		l, err = net.Listen("tcp4", "127.0.0.1:0")
	}
	if err != nil {
		return fmt.Errorf("start host %s: %w", name, err)
	}
	h := &host{name: name, listener: l}
	h.server = &http.Server{Handler: http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) { w.serve(h, out, in) }), ReadHeaderTimeout: time.Minute}
	w.hosts[name] = h
	go func() {
		if err := h.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.down[name] = true
		}
	}()
	return nil
}

// Options lead an archive to this web and its services: without a pace, with
// short times to wait, and with every host of the web allowed.
func (w *Web) Options() archive.Options {
	return archive.Options{
		UserAgent: "research-council/test (+http://council.example/)", AllowPrivate: []string{"*.example"},
		Wayback: "http://" + waybackHost, Crossref: "http://" + crossrefHost, ArXiv: "http://" + arxivHost, OpenAlex: "http://" + openalexHost, DOI: "http://" + doiHost,
		Unpaywall: "http://" + unpaywallHost, EuropePMC: "http://" + europePMCHost, GitHub: "http://" + gitHubHost, Contact: "reader@council.example",
		Timeout: 10 * time.Second, Pace: -1, Retries: 1, Resolve: w.Resolve,
		Wait: func(ctx context.Context, d time.Duration) error { return ctx.Err() },
	}
}

// Resolve leads a host of the web to loopback. Numbers are themselves, other
// names do not exist.
func (w *Web) Resolve(_ context.Context, name, port string) ([]netip.AddrPort, error) {
	if ip, err := netip.ParseAddr(name); err == nil {
		at, err := netip.ParseAddrPort(net.JoinHostPort(ip.String(), port))
		return []netip.AddrPort{at}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.hosts[name]
	if h == nil {
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	at, err := netip.ParseAddrPort(h.listener.Addr().String())
	return []netip.AddrPort{at}, err
}

// Direct is the address of a page with numbers in place of its host's name.
func (w *Web) Direct(address string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.direct(address)
}

func (w *Web) direct(text string) string {
	var pairs []string
	for name, h := range w.hosts {
		pairs = append(pairs, "http://"+name, "http://"+h.listener.Addr().String())
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Requests are those that came so far, robots.txt and the services' too.
func (w *Web) Requests() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.requests)
}

// Count is how many requests came for an address.
func (w *Web) Count(address string) int {
	n := 0
	for _, r := range w.Requests() {
		if r.URL == address {
			n++
		}
	}
	return n
}

func (w *Web) serve(h *host, out http.ResponseWriter, in *http.Request) {
	page, down := w.enter(h, in)
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		h.open--
	}()
	if down {
		panic(http.ErrAbortHandler)
	}
	if _, err := netip.ParseAddrPort(in.Host); err == nil {
		page.Body, page.Redirect = w.Direct(page.Body), w.Direct(page.Redirect)
	}
	w.send(page, out, in)
}

// enter notes a request and finds what answers it.
func (w *Web) enter(h *host, in *http.Request) (Page, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h.open++
	w.requests = append(w.requests, Request{
		"http://" + h.name + in.URL.RequestURI(), in.Method, in.Header.Clone(), time.Now(), h.open,
	})
	for _, key := range []string{h.name + in.URL.RequestURI(), h.name + in.URL.EscapedPath()} {
		if s := w.pages[key]; s != nil {
			p := s.pages[min(s.next, len(s.pages)-1)]
			s.next++
			return p, w.down[h.name]
		}
	}
	return w.service(h.name, in), w.down[h.name]
}

func (w *Web) send(p Page, out http.ResponseWriter, in *http.Request) {
	if !w.wait(in, p.Delay) {
		return
	}
	body := []byte(p.Body)
	if p.Encoding != "" {
		out.Header().Set("Content-Encoding", p.Encoding)
		if !p.Raw {
			body = Encode(p.Encoding, body)
		}
	}
	w.header(p, out, len(body)*max(p.Repeat, 1))
	for range max(p.Repeat, 1) {
		part := body
		if p.Cut > 0 {
			part = body[:min(p.Cut, len(body))]
		}
		if !w.write(p, out, in, part) {
			return
		}
	}
	if p.Cut > 0 {
		panic(http.ErrAbortHandler)
	}
}

func (w *Web) header(p Page, out http.ResponseWriter, length int) {
	status := p.Status
	if p.Redirect != "" {
		out.Header().Set("Location", p.Redirect)
		status = firstNot0(status, http.StatusFound)
	}
	switch p.MIME {
	case "":
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
	case "-":
		out.Header()["Content-Type"] = nil
	default:
		out.Header().Set("Content-Type", p.MIME)
	}
	for name, value := range p.Header {
		out.Header().Set(name, value)
	}
	out.Header().Set("Content-Length", fmt.Sprint(length))
	out.WriteHeader(firstNot0(status, http.StatusOK))
}

// write sends bytes, one by one where they drip. It reports whether the
// client still listens.
func (w *Web) write(p Page, out http.ResponseWriter, in *http.Request, part []byte) bool {
	if p.Drip == 0 {
		_, err := out.Write(part)
		if p.Cut > 0 {
			out.(http.Flusher).Flush()
		}
		return err == nil
	}
	for i := range part {
		if !w.wait(in, p.Drip) {
			return false
		}
		if _, err := out.Write(part[i : i+1]); err != nil {
			return false
		}
		out.(http.Flusher).Flush()
	}
	return true
}

func (w *Web) wait(in *http.Request, d time.Duration) bool {
	if d == 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-in.Context().Done():
	case <-w.done:
	}
	return false
}

func firstNot0(list ...int) int {
	for _, n := range list {
		if n != 0 {
			return n
		}
	}
	return 0
}

var _ io.Closer = (*Web)(nil)
