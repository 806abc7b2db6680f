package desk

import (
	"context"
	"errors"

	"research-council/internal/claim"
)

// Archive fetches and keeps what is cited, but for local files.
type Archive interface {
	// Fetch gives what is kept of a source, and fetches it where nothing is.
	// What came of fetching is the page's state; an error means that it was
	// not tried.
	Fetch(ctx context.Context, ref string) (Page, error)
	// Lookup gives what is kept of a source.
	Lookup(ref string) (Page, bool)
	// Pages are all that are kept.
	Pages() []Page
	// Text is the extracted text of a page that has one.
	Text(Page) (string, error)
}

// Page is what an archive has of a source.
type Page struct {
	Ref      string   // as it was asked for
	Final    string   // the address it came from in the end
	State    string   // live, moved, blocked, stale, gone, likely-invented or unreachable
	Reason   string   // of any state but live
	Status   int      // of HTTP; 0 for none
	Title    string   // foreign text
	Warnings []string // what a reader should know, as that it is behind a paywall
	Bytes    string   // SHA-256 of what was fetched, hexadecimal; "" when nothing was
	Hash     string   // SHA-256 of the text, hexadecimal
	Gone     bool     // there is no such source, or none any more: no outage
	Readable bool     // it has a text
}

// pages are what an archive has, for a quotation to be looked for. Get says
// whether a page that is not kept is fetched.
func pages(a Archive, get func(ref string) (Page, error)) func(ref string) (claim.Text, error) {
	return func(ref string) (claim.Text, error) {
		p, err := get(ref)
		switch {
		case err != nil:
			return claim.Text{}, err
		case p.Gone:
			return claim.Text{}, claim.Absent{Reason: p.why()}
		case !p.Readable:
			return claim.Text{}, errors.New(p.why())
		}
		body, err := a.Text(p)
		return claim.Text{Body: body, FirstLine: 1, Snapshot: p.Bytes, Hash: p.Hash}, err
	}
}

// why says what came of fetching a page, for people.
func (p Page) why() string {
	if p.Reason == "" {
		return "the page is " + p.State
	}
	return "the page is " + p.State + ": " + p.Reason
}
