package archive

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Services asks services that a person has set up, such as engines of search, with the
// manners of an archive: in turn with all processes that use it, at each service's own
// pace, no longer than it wants to be asked. What it answers is not archived: it is no
// source.
//
// Services that the person runs may be private, as no page may: they are named when
// this is opened, and nothing else is reached by it, for no redirect is followed.
type Services struct{ web *client }

// Services gives what asks services on these hosts, which may be private.
func (a *Archive) Services(hosts ...string) (*Services, error) {
	o := a.o
	o.AllowPrivate = append(o.AllowPrivate[:len(o.AllowPrivate):len(o.AllowPrivate)], hosts...)
	g, err := newGuard(o.AllowPrivate)
	if err != nil {
		return nil, err
	}
	return &Services{newClient(o, a.store, g)}, nil
}

// Call is a request to a service.
type Call struct {
	Method  string
	URL     string
	Header  map[string]string
	Body    []byte
	Pace    time.Duration // between two calls to its host, where that is longer than usual
	Contact string        // an address of mail to name as ours; "" for none
}

// Reply is what a service has said.
type Reply struct {
	Status int
	Body   []byte // decoded
}

// maxReply bounds what a service may answer, in bytes.
const maxReply = 8 << 20

// Ask makes a call, more than once where it was told to come again soon. An error is
// one line that says what is the matter; nothing of a key stands in it.
func (s *Services) Ask(ctx context.Context, c Call) (Reply, error) {
	ans, err := s.web.fetchWithRetries(ctx, c.URL, redirectPolicy{call: &c, accept: "application/json, application/atom+xml;q=0.9, */*;q=0.5"})
	switch {
	case err != nil:
		return Reply{}, err
	case redirects(ans.status):
		return Reply{}, &fetchFault{reason: fmt.Sprintf("it sends elsewhere (status %d), where it is not followed; set its new address", ans.status)}
	case ans.truncated:
		return Reply{}, &fetchFault{reason: "its answer is cut"}
	case len(ans.body) > maxReply:
		return Reply{}, &fetchFault{reason: fmt.Sprintf("its answer is larger than %d MiB", maxReply>>20)}
	}
	return Reply{ans.status, ans.body}, nil
}

// Postpone keeps everybody from asking a service for a while.
func (s *Services) Postpone(ctx context.Context, address string, pause time.Duration) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	return s.web.hosts.postpone(ctx, u.Host, pause)
}

// dress makes a request one of a call.
func (c *Call) dress(req *http.Request) {
	if c == nil {
		return
	}
	req.Method = c.Method
	if c.Body != nil {
		req.ContentLength = int64(len(c.Body))
		req.Body = io.NopCloser(bytes.NewReader(c.Body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.Body)), nil }
	}
	if c.Contact != "" {
		req.Header.Set("User-Agent", req.Header.Get("User-Agent")+" (mailto:"+c.Contact+")")
	}
	for name, value := range c.Header {
		req.Header.Set(name, value)
	}
}
