package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/retryafter"
)

const (
	firstPause = 500 * time.Millisecond // before the second try
	maxTries   = 3
	maxAnswer  = 64 << 10 // bytes of an answer that are read
	maxDetail  = 200      // runes of what a server says
)

// messageRequest is one request that carries a message.
type messageRequest struct {
	address string
	header  http.Header
	body    []byte
	secrets []string // that no error may hold
	answer  errorReader
}

// errorReader reads what a server says of a message it did not take, and how long
// it wants to be left alone.
type errorReader func(body []byte) (detail string, wait time.Duration)

// readNothing is the answer of a server whose words have no agreed form.
func readNothing([]byte) (string, time.Duration) { return "", 0 }

// send sends a letter, more than once where the server is busy or broken and
// there is time.
func (s services) send(ctx context.Context, l messageRequest) error {
	intervals := backoff.NewExponentialBackOff()
	intervals.InitialInterval = s.pause
	var last error
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		again, err := s.sendOnce(ctx, l)
		last = err
		if !again {
			err = backoff.Permanent(err)
		}
		if wait := (*busyError)(nil); errors.As(err, &wait) {
			if end, ok := ctx.Deadline(); ok && time.Until(end) <= wait.wait {
				return struct{}{}, backoff.Permanent(err)
			}
			err = &backoff.RetryAfterError{Duration: wait.wait}
		}
		return struct{}{}, err
	}, backoff.WithBackOff(intervals), backoff.WithMaxTries(maxTries))
	if err != nil {
		return last // it says more than that time was up
	}
	return nil
}

// busyError is a server's wish to be left alone for a while.
type busyError struct {
	error
	wait time.Duration
}

// sendOnce sends a letter once and says whether a further try may help.
func (s services) sendOnce(ctx context.Context, l messageRequest) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.address, bytes.NewReader(l.body))
	if err != nil {
		return false, errAddress // the error would tell the address
	}
	req.Header = l.header.Clone()
	req.Header.Set("User-Agent", "research-council")
	resp, err := s.client.Do(req)
	if err != nil {
		return ctx.Err() == nil, reason(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 {
		return false, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		body = nil // half an answer says nothing
	}
	return statusError(resp, l, body)
}

var errAddress = errors.New("its address is no http or https address")

// statusError is what a status other than success comes to.
func statusError(resp *http.Response, l messageRequest, body []byte) (again bool, err error) {
	status := strings.TrimSpace(strconv.Itoa(resp.StatusCode) + " " + http.StatusText(resp.StatusCode))
	if resp.StatusCode/100 == 3 {
		return false, fmt.Errorf("%s: it has moved; set the new address", status)
	}
	detail, wait := l.answer(body)
	err = errors.New(strings.TrimSuffix(status+": "+redact(detail, l.secrets), ": "))
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode/100 != 5 {
		return false, err
	}
	asked, _ := retryafter.FromHeaders(resp.Header.Get, time.Now())
	if wait = max(wait, asked); wait > 0 {
		return true, &busyError{fmt.Errorf("%w (it asks to wait %s)", err, wait.Round(time.Second)), wait}
	}
	return true, err
}

// maxWait is more than anybody waits, in seconds: a bound for reckoning.
const maxWait = 1 << 20

func seconds(n int) time.Duration { return time.Duration(min(max(n, 0), maxWait)) * time.Second }

// reason is why no answer came, in words that hold nothing of the address or
// of what was sent.
func reason(err error) error {
	var op *net.OpError
	var name *net.DNSError
	var cert *tls.CertificateVerificationError
	var wrapped *url.Error
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &wrapped) && wrapped.Timeout():
		return errors.New("no answer in time")
	case errors.As(err, &name):
		return errors.New("its host's name cannot be resolved")
	case errors.As(err, &cert):
		return errors.New("its certificate is not trusted")
	case errors.As(err, &op):
		return errors.New(plain.Line(op.Err.Error(), maxDetail))
	}
	return errors.New("no proper answer")
}

// redact takes secrets out of what a server says, plain or escaped, and
// bounds it. It is made plain first: a secret is not to come together again
// when control characters are taken out.
func redact(text string, secrets []string) string {
	text = plain.Line(text, maxAnswer)
	var forms []string
	for _, secret := range secrets {
		forms = append(forms, secret, url.QueryEscape(secret), url.PathEscape(secret), plain.Line(secret, maxAnswer))
	}
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) }) // one may be a part of another
	for _, form := range forms {
		if form != "" {
			text = strings.ReplaceAll(text, form, "…")
		}
	}
	return plain.Line(text, maxDetail)
}
