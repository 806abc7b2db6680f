package notion

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/plain"
)

// Page is a page of Notion.
type Page struct {
	ID  string
	URL string
}

// maxTitle and mostTopic bound titles, in runes: a sidebar shows forty.
const (
	maxTitle = 500
	maxTopic = 200
)

// Title is the title of a run's page: its topic, cut if it is long, and a mark
// that no other page has, such as the run's id. The mark is found by
// [Client.Find].
func Title(topic, mark string) string {
	return strings.TrimSpace(plain.Line(topic, maxTopic) + " (run " + plain.Line(mark, maxTopic) + ")")
}

// Create makes an empty page below the parent. Where an answer was lost it
// looks for a page of this title before it makes another, so the title should
// be one no other page has: see [Title].
func (c *Client) Create(ctx context.Context, title string) (Page, error) {
	title = plain.Line(title, maxTitle)
	if title == "" {
		return Page{}, errors.New("make a page: it has no title")
	}
	r := request{method: http.MethodPost, path: "pages", body: map[string]any{
		"parent":     map[string]string{c.kind + "_id": c.parent},
		"properties": map[string]any{"title": map[string]any{"title": textsToAPI([]Text{{Content: title}})}},
	}}
	pauses := c.newBackOff()
	for try := 1; ; try++ {
		var made item
		err := c.call(ctx, r, &made)
		if err == nil {
			return made.toPage()
		}
		if !mayHaveSucceeded(err) || try == maxTries {
			return Page{}, fmt.Errorf("make a page: %w", err)
		}
		if err := sleep(ctx, pauses.NextBackOff()); err != nil {
			return Page{}, fmt.Errorf("make a page: %w", err)
		}
		p, found, err := c.findPage(ctx, title, func(t string) bool { return t == title })
		if found || err != nil {
			return p, err
		}
	}
}

// Find looks below the parent for a page whose title holds a mark as a word of
// its own. Of several it gives the one that was made first. Pages in the trash
// are not found.
func (c *Client) Find(ctx context.Context, mark string) (Page, bool, error) {
	mark = plain.Line(mark, maxTopic)
	if mark == "" {
		return Page{}, false, errors.New("look for a page: there is no mark to find it by")
	}
	return c.findPage(ctx, mark, func(title string) bool { return hasWord(title, mark) })
}

// hasWord reports whether a text has a word that no letter, digit or dash goes
// on with.
func hasWord(text, word string) bool {
	inside := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' }
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		after, _ := utf8.DecodeRuneInString(text[at+i+len(word):])
		if !inside(before) && !inside(after) {
			return true
		}
		at += i + 1
	}
}

// findPage gives the first page below the parent whose title is right. All of them
// have the part in it.
func (c *Client) findPage(ctx context.Context, part string, right func(title string) bool) (Page, bool, error) {
	var found item
	list := c.childrenRequest(c.parent)
	if c.kind == database {
		list = c.databaseRequest(part)
	}
	err := c.eachItem(ctx, list, func(i item) bool {
		if !i.trash() && right(i.titleText()) {
			found = i
		}
		return found.ID == ""
	})
	if err != nil || found.ID == "" {
		return Page{}, false, wrapError("look for a page", err)
	}
	if found.URL == "" {
		found, err = c.readRecord(ctx, found.ID)
	}
	if err != nil {
		return Page{}, false, wrapError("look for a page", err)
	}
	p, err := found.toPage()
	return p, err == nil, err
}

// databaseRequest lists the pages of the parent, a database, whose titles have a part,
// the oldest first. Whatever a database calls the property that is the title,
// its id is "title".
func (c *Client) databaseRequest(part string) request {
	return request{method: http.MethodPost, path: "databases/" + c.parent + "/query", repeatable: true, body: map[string]any{
		"filter": map[string]any{"property": "title", "title": map[string]string{"contains": part}},
		"sorts":  []map[string]string{{"timestamp": "created_time", "direction": "ascending"}},
	}}
}

// readRecord reads a page's own record, not its content. One in the trash is an
// error.
func (c *Client) readRecord(ctx context.Context, id string) (item, error) {
	var i item
	if err := c.call(ctx, request{method: http.MethodGet, path: "pages/" + id, repeatable: true}, &i); err != nil {
		return item{}, err
	}
	if i.trash() {
		return item{}, &Error{Code: trashed, Status: http.StatusOK, Message: "the page is in the trash", Terminal: true}
	}
	return i, nil
}

// toPage is a page as its record has it.
func (i item) toPage() (Page, error) {
	id, ok := parseID(i.ID)
	u, err := url.Parse(i.URL)
	if !ok || err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || plain.Line(i.URL, maxLink) != i.URL {
		return Page{}, errors.New("read a page: Notion gave no proper id or no address")
	}
	return Page{ID: id, URL: i.URL}, nil
}

func wrapError(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
