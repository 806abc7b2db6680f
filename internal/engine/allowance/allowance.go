// Package allowance is what several runs may do together: whoever carries them says
// when a turn of a vendor may begin, and hears what it has cost.
//
// A run asks over HTTP on a Unix socket, whose path [Variable] holds:
//
//	POST /turn?vendor=NAME           lines of JSON: {"waits":"why"} while it waits, then {"begin":true}
//	POST /spent?vendor=NAME&usd=N    no content
//
// An answer that ends without "begin" is no leave: the turn asks again.
package allowance

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Variable of the environment holds the socket's path, where somebody bounds what runs
// do together.
const Variable = "RESEARCH_COUNCIL_ALLOWANCE"

// Allowance is what several runs share. A vendor is a seat's brand.
type Allowance interface {
	Await(ctx context.Context, vendor string, told func(why string)) error // until a turn may begin; told hears why it waits
	Spent(ctx context.Context, vendor string, usd float64) error           // what a turn has cost
}

// line of an answer to /turn.
type line struct {
	Waits string `json:"waits,omitempty"` // why the turn does not begin yet
	Begin bool   `json:"begin,omitempty"`
}

// Handler answers runs out of what they share.
func Handler(shared Allowance) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /turn", func(w http.ResponseWriter, r *http.Request) {
		answer := json.NewEncoder(w)
		say := func(l line) {
			_ = answer.Encode(l) // who has gone asks no more
			_ = http.NewResponseController(w).Flush()
		}
		if err := shared.Await(r.Context(), r.FormValue("vendor"), func(why string) { say(line{Waits: why}) }); err == nil {
			say(line{Begin: true})
		}
	})
	mux.HandleFunc("POST /spent", func(w http.ResponseWriter, r *http.Request) {
		usd, err := strconv.ParseFloat(r.FormValue("usd"), 64)
		if err != nil || !(usd >= 0) || math.IsInf(usd, 0) {
			http.Error(w, "usd: a number that is not negative", http.StatusBadRequest)
			return
		}
		if err := shared.Spent(r.Context(), r.FormValue("vendor"), usd); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

// Client asks at a socket.
type Client struct{ http http.Client }

// At is a client of the socket at a path; nil of none.
func At(path string) Allowance {
	if path == "" {
		return nil
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	return &Client{http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}}
}

const askAgain = time.Second

var errNoLeave = errors.New("the answer ended before the turn may begin")

// Await waits until a turn may begin, however often nobody answers: an error is that of
// ctx. told hears why it waits.
func (c *Client) Await(ctx context.Context, vendor string, told func(why string)) error {
	for {
		err := c.ask(ctx, vendor, told)
		if err == nil || ctx.Err() != nil {
			return err
		}
		told("waits for who shares out turns: " + err.Error())
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(askAgain):
		}
	}
}

func (c *Client) ask(ctx context.Context, vendor string, told func(why string)) error {
	answer, err := c.post(ctx, "/turn", url.Values{"vendor": {vendor}})
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		if l.Begin {
			return nil
		}
		told(l.Waits)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return errNoLeave
}

const (
	spentTries = 3
	spentTime  = 10 * time.Second
)

// Spent says what a turn has cost, in USD.
func (c *Client) Spent(ctx context.Context, vendor string, usd float64) error {
	ctx, cancel := context.WithTimeout(ctx, spentTime)
	defer cancel()
	var err error
	for range spentTries {
		var answer *http.Response
		answer, err = c.post(ctx, "/spent", url.Values{"vendor": {vendor}, "usd": {strconv.FormatFloat(usd, 'f', -1, 64)}})
		if err == nil {
			return answer.Body.Close()
		}
	}
	return fmt.Errorf("say what a turn has cost: %w", err)
}

func (c *Client) post(ctx context.Context, path string, values url.Values) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://allowance"+path+"?"+values.Encode(), http.NoBody)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= http.StatusBadRequest {
		_ = answer.Body.Close()
		return nil, errors.New(answer.Status)
	}
	return answer, nil
}
