package notion

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/retryafter"
)

// apiVersion is the version of the API whose formats these are.
const apiVersion = "2022-06-28"

const (
	maxTries   = 6                // of one request
	maxWait    = 5 * time.Minute  // a server that asks for more is asked again another day
	maxTryTime = 15 * time.Minute // of all tries of one request
	maxAnswer  = 32 << 20         // bytes of an answer: a hundred full blocks with all that is said about them
	maxFault   = 64 << 10         // bytes of an answer that says what went wrong
	maxMessage = 300              // runes of its words
)

// statusOverloaded is the status Notion answers with when all its users ask too
// much: as Too Many Requests.
const statusOverloaded = 529

// request is one request to the API.
type request struct {
	method, path string
	query        url.Values
	body         any  // nil for none
	repeatable   bool // doing it twice is doing it once
}

// call sends a request, again where that may help, and reads the answer. A
// request that is not repeatable is sent again only when it is sure that
// nothing was done.
func (c *Client) call(ctx context.Context, r request, into any) error {
	body, err := encode(r.body)
	if err != nil {
		return fmt.Errorf("write a request: %w", err)
	}
	var last error
	_, err = backoff.Retry(ctx, func() (struct{}, error) {
		if last = c.waitForPace(ctx); last == nil {
			last = c.sendOnce(ctx, r, body, into)
		}
		return struct{}{}, retryError(ctx, last, r.repeatable)
	}, backoff.WithBackOff(c.newBackOff()), backoff.WithMaxTries(maxTries), backoff.WithMaxElapsedTime(maxTryTime))
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return context.Cause(ctx)
	}
	return last
}

// newBackOff are the times between tries: as long as the pace is slow.
func (c *Client) newBackOff() backoff.BackOff {
	if c.pace == 0 {
		return &backoff.ZeroBackOff{}
	}
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = 3 * c.pace
	return b
}

// retryError tells the loop of tries what to make of how one went.
func retryError(ctx context.Context, err error, repeatable bool) error {
	var e *Error
	if err == nil || !errors.As(err, &e) || e.Terminal || !e.void && !repeatable {
		return permanent(err)
	}
	if e.wait == 0 {
		return err
	}
	end, bounded := ctx.Deadline()
	if e.wait > maxWait || bounded && time.Until(end) <= e.wait {
		return permanent(err)
	}
	return &backoff.RetryAfterError{Duration: e.wait}
}

func permanent(err error) error {
	if err == nil {
		return nil
	}
	return backoff.Permanent(err)
}

// waitForPace waits until the pace allows a request.
func (c *Client) waitForPace(ctx context.Context) error {
	c.mu.Lock()
	now := time.Now()
	at := now
	if c.next.After(now) {
		at = c.next
	}
	c.next = at.Add(c.pace)
	c.mu.Unlock()
	return sleep(ctx, at.Sub(now))
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// sendOnce sends a request once.
func (c *Client) sendOnce(ctx context.Context, r request, body []byte, into any) error {
	req, err := c.request(ctx, r, body)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.connectionError(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return c.statusError(resp)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return c.connectionError(ctx, err)
	}
	if len(data) > maxAnswer {
		return &Error{Status: resp.StatusCode, Message: "the answer is too large", Terminal: true}
	}
	if json.Unmarshal(data, into) != nil {
		return errUnexpected
	}
	return nil
}

var errUnexpected = &Error{Status: http.StatusOK, Message: "the answer is not one of Notion's"}

func (c *Client) request(ctx context.Context, r request, body []byte) (*http.Request, error) {
	address := c.server + "/v1/" + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("write a request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Notion-Version", apiVersion)
	req.Header.Set("User-Agent", "research-council")
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// connectionError is what no answer, or half of one, comes to.
func (c *Client) connectionError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var op *net.OpError
	e := &Error{Message: c.withoutToken(err.Error()), void: errors.As(err, &op) && op.Op == "dial"}
	if outer != nil && outer.Timeout() {
		e.Message = "none in " + c.http.Timeout.String()
	}
	return e
}

// statusError is what an answer other than success comes to.
func (c *Client) statusError(resp *http.Response) error {
	var said struct{ Code, Message string }
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxFault))
	if err == nil {
		_ = json.Unmarshal(data, &said) // what is no JSON says nothing
	}
	e := &Error{Status: resp.StatusCode, Code: errorCode(c.withoutToken(said.Code)), Message: c.withoutToken(said.Message)}
	switch e.Status {
	case http.StatusTooManyRequests, statusOverloaded, http.StatusConflict:
		e.void = true
	case http.StatusRequestTimeout:
	default:
		e.Terminal = e.Status/100 != 5
	}
	if !e.Terminal {
		e.wait, _ = retryafter.FromHeaders(resp.Header.Get, time.Now())
	}
	if e.Status/100 == 3 {
		e.Message = "it has moved: set its new address as server"
	}
	return e
}

// errorCode is a code of Notion's; anything else is none.
func errorCode(code string) string {
	if len(code) > 60 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return ""
	}
	return code
}

// withoutToken makes foreign words one line that does not hold the token.
func (c *Client) withoutToken(s string) string {
	s = plain.Line(s, maxFault)
	return plain.Line(strings.ReplaceAll(s, c.token, "…"), maxMessage)
}

// encode writes JSON with <, > and & as they are: they would be six bytes each.
func encode(v any) ([]byte, error) {
	if v == nil {
		return nil, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
