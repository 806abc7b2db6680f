// Package render runs the scripts of pages in a Chromium that has no network.
//
// Whatever a page asks for comes to us over the pipe by which the browser is driven, and
// is answered by package archive, past its guard, or is refused. What does not come that
// way leads nowhere: the browser has a proxy that does not exist, looks no name up, and
// where bubblewrap works it is in a box without a network, without the files of the person
// and with an end. Workers, frames of other sites and further windows never run.
//
// What a page is, and what its document says, is left to others.
package render

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/evidence/archive"
)

// Browser is a Chromium that renders pages, each in a process and with a profile of its own.
type Browser struct {
	Program string                                // its path
	Box     func(context.Context) (string, error) // gives the path of a bubblewrap that works, or why there is none

	flags    []string      // further ones, of tests
	folder   string        // where its folders are made; "" is that for what is passing
	patience time.Duration // 0 is the usual
	reading  time.Duration // as patience
	memory   int64         // of a process, in bytes; 0 is the usual
}

const (
	settled  = 600 * time.Millisecond // a page that asks for nothing as long may be done
	glance   = 150 * time.Millisecond // between two looks at it
	patience = 25 * time.Second       // after which a page that goes on is taken as it is
	reading  = 20 * time.Second       // that it may then take to give its document
	parallel = 6                      // requests at once
	enough   = 250                    // letters of a page that is there; one with fewer is waited for
)

// Render is an [archive.Renderer].
func (b Browser) Render(ctx context.Context, address string, ask archive.Ask) (archive.Rendering, error) {
	p, err := b.start(ctx)
	if err != nil {
		return archive.Rendering{}, err
	}
	t := &tab{pipe: p, ask: ask, free: make(chan struct{}, parallel), patience: cmp.Or(b.patience, patience), reading: cmp.Or(b.reading, reading), changed: time.Now()}
	defer t.answers.Wait()
	defer p.end()
	var version struct{ Product string }
	if err := p.call(p.within, "", "Browser.getVersion", nil, &version); err != nil {
		return archive.Rendering{}, p.reason(ctx, err)
	}
	document, err := t.show(p.within, address)
	if err != nil {
		return archive.Rendering{}, p.reason(ctx, err)
	}
	_, number, _ := strings.Cut(version.Product, "/")
	return archive.Rendering{Document: []byte(document), By: "Chromium " + number}, nil
}

// tab is the one page that is shown.
type tab struct {
	pipe    *pipe
	ask     archive.Ask
	session string
	frame   string // its main frame
	free    chan struct{}

	patience, reading time.Duration
	answers           sync.WaitGroup // being made

	mu      sync.Mutex
	asking  int       // requests under way
	changed time.Time // when a request last began or ended
	loaded  bool
}

// show opens a page, waits until it is there, and gives its document.
func (t *tab) show(ctx context.Context, address string) (string, error) {
	if err := t.open(ctx); err != nil {
		return "", err
	}
	if err := t.call(ctx, "Page.navigate", map[string]any{"url": address}, nil); err != nil {
		return "", err
	}
	if err := t.wait(ctx); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, t.reading)
	defer cancel()
	return t.document(ctx)
}

func (t *tab) call(ctx context.Context, method string, params, answer any) error {
	return t.pipe.call(ctx, t.session, method, params, answer)
}

// open makes the tab, in which nothing runs but the page itself.
func (t *tab) open(ctx context.Context) error {
	var within struct{ BrowserContextID string }
	var made struct{ TargetID string }
	var attached struct{ SessionID string }
	var tree struct {
		FrameTree struct{ Frame struct{ ID string } }
	}
	steps := []func() error{
		func() error { return t.call(ctx, "Target.createBrowserContext", nil, &within) },
		func() error {
			return t.call(ctx, "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": within.BrowserContextID}, &made)
		},
		func() error {
			return t.call(ctx, "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &attached)
		},
		func() error {
			return t.call(ctx, "Browser.setDownloadBehavior", map[string]any{"behavior": "deny", "browserContextId": within.BrowserContextID}, nil)
		},
		// what attaches by itself waits for a word that it never gets
		func() error {
			return t.call(ctx, "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}, nil)
		},
		func() error {
			t.session = attached.SessionID
			return t.call(ctx, "Page.getFrameTree", nil, &tree)
		},
		func() error {
			t.frame = tree.FrameTree.Frame.ID
			t.pipe.listen(t.session, t.heard)
			return t.call(ctx, "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}, nil)
		},
		func() error { return t.call(ctx, "Inspector.enable", nil, nil) },
		func() error { return t.call(ctx, "Page.enable", nil, nil) },
		func() error {
			return t.call(ctx, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": withoutOtherWays}, nil)
		},
		func() error {
			return t.call(ctx, "Fetch.enable", map[string]any{"patterns": []map[string]string{{"urlPattern": "*", "requestStage": "Request"}}}, nil)
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// withoutOtherWays takes from a page what speaks by other ways than requests.
const withoutOtherWays = `for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "WebSocket", "WebSocketStream"]) delete globalThis[name]
delete Navigator.prototype.serviceWorker`

// errCrashed says that the page's process has ended.
var errCrashed = errors.New("they took more memory than a page may")

// maxAsking is how many requests of a page may wait at once.
const maxAsking = 1000

// heard takes an event of the tab. It does not wait.
func (t *tab) heard(m message) {
	switch m.Method {
	case "Fetch.requestPaused":
		t.pause(m)
	case "Page.javascriptDialogOpening":
		_ = t.pipe.send(t.session, "Page.handleJavaScriptDialog", map[string]any{"accept": false})
	case "Page.loadEventFired":
		t.mu.Lock()
		defer t.mu.Unlock()
		t.loaded, t.changed = true, time.Now()
	case "Inspector.targetCrashed":
		t.pipe.fail(errCrashed)
	}
}

// paused is a request of the page that waits for us.
type paused struct {
	RequestID    string
	FrameID      string
	ResourceType string
	Request      struct {
		URL, Method string
		Headers     map[string]string
	}
}

// pause has a request answered, or refuses it at once.
func (t *tab) pause(m message) {
	var r paused
	if json.Unmarshal(m.Params, &r) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed = time.Now()
	switch {
	case r.ResourceType == "Document" && r.FrameID != t.frame: // it stays empty: what stands in frames is another document
		_ = t.pipe.send(t.session, "Fetch.fulfillRequest", map[string]any{"requestId": r.RequestID, "responseCode": http.StatusNoContent}) // a browser that has gone is told of by others
		return
	case t.asking >= maxAsking || !bringsText(r.ResourceType):
		t.refuse(r)
		return
	}
	t.asking++
	t.answers.Go(func() {
		t.answer(r)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.asking--
		t.changed = time.Now()
	})
}

// bringsText reports whether a kind of request may bring text, or what makes it.
func bringsText(kind string) bool {
	return slices.Contains([]string{"Document", "Stylesheet", "Script", "XHR", "Fetch", "EventSource", "Preflight"}, kind)
}

func (t *tab) refuse(r paused) {
	_ = t.pipe.send(t.session, "Fetch.failRequest", map[string]any{"requestId": r.RequestID, "errorReason": "BlockedByClient"})
}

// answer answers a request of the page.
func (t *tab) answer(r paused) {
	select {
	case t.free <- struct{}{}:
		defer func() { <-t.free }()
	case <-t.pipe.within.Done():
		return
	}
	got, err := t.ask(t.pipe.within, archive.PageRequest{
		Method: r.Request.Method, URL: r.Request.URL, Header: r.Request.Headers, Main: r.ResourceType == "Document",
	})
	if err != nil {
		t.refuse(r)
		return
	}
	_ = t.pipe.send(t.session, "Fetch.fulfillRequest", map[string]any{
		"requestId": r.RequestID, "responseCode": got.Status, "responseHeaders": fields(got), "body": base64.StdEncoding.EncodeToString(got.Body),
	})
}

// fields are those of an answer that are true of it once it is decoded and on its own.
func fields(a archive.PageAnswer) []map[string]string {
	list := []map[string]string{}
	for name, values := range a.Header {
		switch name {
		case "Set-Cookie", "Content-Encoding", "Content-Length", "Transfer-Encoding", "Strict-Transport-Security", "Alt-Svc", "Content-Disposition":
			continue
		}
		for _, value := range values {
			list = append(list, map[string]string{"name": name, "value": value})
		}
	}
	return list
}

// wait waits until the page is there: it asks for nothing more, and its text stays what it
// is. One that never comes to rest is taken as it is.
func (t *tab) wait(ctx context.Context) error {
	began, last := time.Now(), -1
	for time.Since(began) < t.patience {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(glance):
		}
		t.mu.Lock()
		quiet := t.loaded && t.asking == 0 && time.Since(t.changed) > settled
		t.mu.Unlock()
		if !quiet {
			continue
		}
		var letters int
		if err := t.evaluate(ctx, lettersOfPage, &letters); errors.Is(err, errMoved) {
			continue
		} else if err != nil {
			return err
		}
		if letters == last && letters >= enough {
			return nil
		}
		last = letters
	}
	return nil
}

// lettersOfPage counts those of open shadow trees too, which are in no innerText.
const lettersOfPage = `(() => {
	const letters = (root) => {
		let n = 0
		for (const host of root.querySelectorAll("*")) if (host.shadowRoot) {
			for (const child of host.shadowRoot.children) n += child.innerText?.length ?? 0
			n += letters(host.shadowRoot)
		}
		return n
	}
	return document.body ? document.body.innerText.length + letters(document.body) : 0
})()`

//go:embed document.js
var documentOfPage string

func (t *tab) document(ctx context.Context) (html string, err error) {
	for range 3 {
		if err = t.evaluate(ctx, documentOfPage, &html); !errors.Is(err, errMoved) {
			break
		}
	}
	if err == nil && html == "" {
		err = errors.New("they make a page that is too large")
	}
	return html, err
}

// errMoved says that the page went while it was looked at.
var errMoved = errors.New("they never let the page be")

// evaluate gives the value of an expression in a world of its own, where the page's scripts
// have changed nothing.
func (t *tab) evaluate(ctx context.Context, expression string, value any) error {
	var world struct{ ExecutionContextID int }
	var got struct {
		Result    struct{ Value json.RawMessage }
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	err := t.call(ctx, "Page.createIsolatedWorld", map[string]any{"frameId": t.frame, "worldName": "council"}, &world)
	if err == nil {
		err = t.call(ctx, "Runtime.evaluate", map[string]any{
			"expression": expression, "contextId": world.ExecutionContextID, "returnByValue": true, "timeout": patience.Milliseconds(),
		}, &got)
	}
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		return errMoved
	case err != nil:
		return err
	case got.Exception != nil:
		return fmt.Errorf("the page could not be read: %s", got.Exception[:min(len(got.Exception), 200)])
	}
	return json.Unmarshal(got.Result.Value, value)
}
