package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/base/retryafter"
)

// exportError is a collector's answer that took nothing in, or no answer.
type exportError struct {
	status int           // 0 for no answer
	again  bool          // the same request may be taken in later
	after  time.Duration // its wish; 0 for none
	cause  error
}

func (r *exportError) Error() string {
	if r.status != 0 {
		return fmt.Sprintf("it answers with status %d", r.status)
	}
	return r.cause.Error()
}

// isMisconfigured reports whether no request of this kind will be taken in: the
// address or the authorization is wrong.
func (r *exportError) isMisconfigured() bool {
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return r.status >= 300 && r.status < 400
}

// post sends one message. rejected says how many items of it the collector has
// not taken in for good; an error is a [*exportError].
func (t *endpoint) post(ctx context.Context, m otlpObject) (rejected int64, err error) {
	body, err := t.body(m)
	if err != nil {
		return 0, &exportError{cause: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return 0, &exportError{cause: errors.New("its address is none")}
	}
	req.Header = t.headers.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "research-council")
	if t.gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return 0, &exportError{again: true, cause: withoutURL(err)}
	}
	defer resp.Body.Close()
	const most = 64 << 10
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, most)) // the status says what counts
	if resp.StatusCode/100 == 2 {
		return rejectedCount(answer), nil
	}
	return 0, readRefusal(resp)
}

func (t *endpoint) body(m otlpObject) ([]byte, error) {
	data, err := json.Marshal(m)
	if err != nil || !t.gzip {
		return data, err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(data)
	err = errors.Join(err, w.Close())
	return packed.Bytes(), err
}

// withoutURL is what went wrong without the address, which may hold a secret.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// readRefusal reads an answer that took nothing in, as OTLP/HTTP says.
func readRefusal(resp *http.Response) *exportError {
	r := &exportError{status: resp.StatusCode}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		r.again = true
	}
	asked, _ := retryafter.FromHeaders(resp.Header.Get, time.Now())
	r.after = min(asked, 10*time.Minute)
	return r
}

// rejectedCount is how many items a collector that took a request in did reject.
func rejectedCount(answer []byte) int64 {
	for _, items := range []string{"rejectedSpans", "rejectedDataPoints"} {
		if n := gjson.GetBytes(answer, "partialSuccess."+items).Int(); n > 0 {
			return n
		}
	}
	return 0
}
