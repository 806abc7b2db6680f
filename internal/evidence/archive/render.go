package archive

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/evidence/extract"
)

// Renderer runs the scripts of the page at an address and gives the document they make
// of it. It reaches nothing by itself: ask answers whatever the page asks for, the page
// itself among it. An error is one line that says why there is no document.
type Renderer func(ctx context.Context, address string, ask Ask) (Rendering, error)

// Ask answers a request of a page. An error is why it has no answer.
type Ask func(ctx context.Context, r PageRequest) (PageAnswer, error)

// PageRequest is what a page asks for.
type PageRequest struct {
	Method string
	URL    string
	Header map[string]string // as the page would send it
	Main   bool              // it is for a page in the place of this one, not for a part of it
}

// PageAnswer is what it is answered, as the server has said it: redirects are left to the
// page.
type PageAnswer struct {
	Status int
	Header http.Header
	Body   []byte // decoded
}

// Rendering is a page once its scripts have run.
type Rendering struct {
	Document []byte // HTML, in UTF-8
	By       string // the browser and its version
}

// Rendered says of a snapshot that its text was read from what scripts made of the page.
type Rendered struct {
	By       string `json:"by"`       // the browser and its version
	Document string `json:"document"` // SHA-256 of the page's HTML once they had run
	Bytes    int64  `json:"bytes"`
}

// ByScripts begins the warning of a snapshot that was rendered.
const ByScripts = "by scripts"

// Bounds of one rendering. A page may ask for much less than people's browsers take.
const (
	renderTime   = 90 * time.Second // the start of the browser included
	maxParts     = 150              // requests
	maxPartBytes = 24 << 20         // of all answers
	maxPartHosts = 20
	maxMains     = 6 // pages one after another, redirects included
	maxRendered  = 8 << 20
)

// rendered gives a page as its scripts make it, where it has no text without them, or says
// why it does not.
func (a *Archive) rendered(ctx context.Context, ans response, doc extract.Document) (response, extract.Document, error) {
	if !needsScripts(ans, doc) {
		return ans, doc, nil
	}
	if a.o.Render == nil {
		ans.unrendered = a.o.NotRendered
		return ans, doc, nil
	}
	v, made, err := a.render(ctx, ans)
	switch {
	case ctx.Err() != nil:
		return ans, doc, ctx.Err()
	case v != nil && v.other != nil:
		doc, err = a.extractWithin(ctx, *v.other)
		return *v.other, doc, err
	case err != nil:
		ans.unrendered = shortLine(err.Error())
		return ans, doc, nil
	}
	then := v.page
	then.body, then.truncated = made.Document, false
	then.header = http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	better, err := a.extractWithin(ctx, then)
	if err != nil {
		return ans, doc, err
	}
	if needsScripts(then, better) || better.Text == "" {
		ans.unrendered = "they were run, and brought no text"
		return ans, doc, nil
	}
	better.Warnings = append(better.Warnings, ByScripts+": "+made.By+" has made the text of the page")
	v.page.rendering = &made
	return v.page, better, nil
}

// needsScripts reports whether a page has come whose text scripts would bring.
func needsScripts(ans response, doc extract.Document) bool {
	return ans.status >= 200 && ans.status < 300 && !ans.truncated &&
		extract.HasWarning(doc.Warnings, extract.ScriptOnly) && !extract.HasWarning(doc.Warnings, extract.BlockPage)
}

// render has a page rendered, one at a time by all processes of the archive: a browser
// takes much memory.
func (a *Archive) render(ctx context.Context, ans response) (*visit, Rendering, error) {
	unlock, err := a.store.lock(ctx, "render")
	if err != nil {
		return nil, Rendering{}, err
	}
	defer unlock()
	v, err := a.newVisit(ans)
	if err != nil {
		return nil, Rendering{}, err
	}
	defer v.web.transports.direct.CloseIdleConnections()
	defer v.web.transports.proxied.CloseIdleConnections()
	timed, cancel := context.WithTimeout(ctx, renderTime)
	defer cancel()
	made, err := a.o.Render(timed, ans.final, v.ask)
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.failed != nil:
		err = v.failed
	case err == nil && len(made.Document) > maxRendered:
		err = errors.New("they make a page that is too large")
	}
	return v, made, err
}

// visit is what one page that is rendered asks for.
type visit struct {
	web  *client
	held response // the page as it came

	mu     sync.Mutex
	page   response  // the page that was last asked for
	other  *response // what stood in the place of a page and is none, such as a PDF
	failed error     // why the page that was last asked for did not come
	hops   []string  // redirects on the way to the next one
	mains  int
	parts  int
	bytes  int
	hosts  []string
}

// newVisit gives what answers a page. A page of the world, whatever it asks for, reaches
// nothing private: what the user allows to be private is for pages of hosts that are
// allowed by name.
func (a *Archive) newVisit(ans response) (*visit, error) {
	u, err := url.Parse(ans.final)
	if err != nil {
		return nil, err
	}
	g := a.web.guard
	host := normaliseHost(u.Hostname())
	ip, literal := numeric(host)
	if !g.allowsHost(host) && !(literal && g.allowsIP(ip)) {
		if g, err = newGuard(nil); err != nil {
			return nil, err
		}
	}
	return &visit{web: newClient(a.o, a.store, g), held: ans, page: ans}, nil
}

// ask answers a request of the page, as [Ask].
func (v *visit) ask(ctx context.Context, r PageRequest) (PageAnswer, error) {
	first, err := v.enter(r)
	if first {
		return PageAnswer{v.held.status, v.held.header, v.held.body}, nil
	}
	var ans response
	if err == nil {
		ans, err = v.send(ctx, r)
	}
	err = v.note(r, ans, err)
	return PageAnswer{ans.status, ans.header, ans.body}, err
}

// enter counts a request, and reports whether it is for the page that came already.
func (v *visit) enter(r PageRequest) (first bool, err error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions {
		return false, refuse("a page may ask, and tell nobody anything (%s)", shortLine(r.Method))
	}
	u, err := url.Parse(r.URL)
	if err != nil {
		return false, refuse("it is no address")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if r.Main {
		v.mains++
	}
	if v.parts++; r.Main && v.mains == 1 {
		return true, nil
	}
	if !slices.Contains(v.hosts, u.Host) {
		v.hosts = append(v.hosts, u.Host)
	}
	switch {
	case v.mains > maxMains:
		return false, refuse("one page sends on to another without an end")
	case v.parts > maxParts:
		return false, refuse("a page asks for more than %d parts", maxParts)
	case len(v.hosts) > maxPartHosts:
		return false, refuse("a page asks more than %d hosts", maxPartHosts)
	case v.bytes > maxPartBytes:
		return false, refuse("the parts of a page are larger than %d MiB", maxPartBytes>>20)
	}
	return false, nil
}

// send makes a request of a page: where its site wants it, without anything of ours.
func (v *visit) send(ctx context.Context, r PageRequest) (response, error) {
	u, err := v.web.parseAddress(r.URL)
	if err != nil {
		return response{}, err
	}
	if err := v.web.checkRobots(ctx, u); err != nil {
		return response{}, err
	}
	call := Call{Method: r.Method, Header: map[string]string{}}
	for name, value := range r.Header {
		if name = textproto.CanonicalMIMEHeaderKey(name); ofThePage(name) {
			call.Header[name] = value
		}
	}
	return v.web.sendRequest(ctx, u, redirectPolicy{accept: "*/*", call: &call})
}

// ofThePage reports whether a field of a request says what its page wants, and nothing of
// who reads it.
func ofThePage(name string) bool {
	switch name {
	case "Accept", "Authorization", "Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers":
		return true
	}
	return strings.HasPrefix(name, "X-") && !strings.HasPrefix(name, "X-Forwarded")
}

// note takes down what came of a request, and says what the page is told of it.
func (v *visit) note(r PageRequest, ans response, err error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.bytes += len(ans.body)
	if !r.Main {
		return err
	}
	if v.failed = err; err != nil {
		return err
	}
	if redirects(ans.status) && ans.header.Get("Location") != "" {
		v.hops = append(v.hops, ans.final)
		return nil
	}
	ans.redirects = append(append(slices.Clip(v.page.redirects), v.page.final), v.hops...)
	v.hops = nil
	ans.permanent = v.page.permanent
	if kind, _, _ := mime.ParseMediaType(ans.header.Get("Content-Type")); kind != "text/html" && kind != "application/xhtml+xml" {
		v.other = &ans
		return refuse("it is no page")
	}
	v.page = ans
	return nil
}

// keepRendering keeps the document that scripts have made, beside the bytes that came.
func (a *Archive) keepRendering(snap *Snapshot, made *Rendering) error {
	if made == nil {
		return nil
	}
	hash, err := a.store.put(made.Document)
	snap.Rendered = &Rendered{By: shortLine(made.By), Document: hash, Bytes: int64(len(made.Document))}
	return err
}
