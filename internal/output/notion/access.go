package notion

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/research-council/research-council/internal/base/plain"
)

// Check is one finding of [Client.Access], each text one line.
type Check struct {
	OK      bool
	Finding string
	Remedy  string // what to do; "" where there is nothing
}

// Access tries whether reports can be delivered: whether the token is one, and
// whether the parent is shared with its integration. Nothing is written, so
// whether the integration may insert content is not seen.
func (c *Client) Access(ctx context.Context) []Check {
	var me struct{ Name string }
	if err := c.call(ctx, request{method: http.MethodGet, path: "users/me", repeatable: true}, &me); err != nil {
		return []Check{failed("the token cannot be used", err)}
	}
	checks := []Check{{OK: true, Finding: fmt.Sprintf("the token is that of %q", plain.Line(me.Name, maxTopic))}}
	var below struct {
		Archived bool
		InTrash  bool `json:"in_trash"`
	}
	switch err := c.call(ctx, request{method: http.MethodGet, path: c.kind + "s/" + c.parent, repeatable: true}, &below); {
	case isRefused(err):
		return append(checks, Check{Finding: "the parent is no " + c.kind, Remedy: "set parent_kind to what it is, page or database"})
	case err != nil:
		return append(checks, failed("the parent cannot be reached", err))
	case below.Archived || below.InTrash:
		return append(checks, Check{Finding: "the parent is in the trash", Remedy: "restore it in Notion"})
	}
	return append(checks, Check{OK: true, Finding: "the parent can be reached"})
}

// failed tells a fault and what to do about it apart.
func failed(what string, err error) Check {
	var e *Error
	if !errors.As(err, &e) {
		return Check{Finding: what + ": " + err.Error()}
	}
	return Check{Finding: what + ": " + e.describe(), Remedy: e.Remedy()}
}
