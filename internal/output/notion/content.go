package notion

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

const (
	maxPages      = 1000   // answers to one listing, a hundred entries each
	maxContainers = 10_000 // blocks of a page that hold others
	maxStarts     = 3      // of writing one page, each from nothing
	maxRounds     = 5      // of deleting what stands on a page
)

// item is an entry of a listing, or a page's record: what we read of either.
type item struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	URL         string `json:"url"`
	Archived    bool   `json:"archived"`
	InTrash     bool   `json:"in_trash"`
	HasChildren bool   `json:"has_children"`
	ChildPage   struct {
		Title string `json:"title"`
	} `json:"child_page"`
	Properties map[string]property `json:"properties"`
}

// property is a page's title, or some other property of which nothing is read.
type property struct {
	Title []struct {
		Plain string `json:"plain_text"`
	} `json:"title"`
}

func (i item) trash() bool { return i.Archived || i.InTrash }

// content reports whether an item is content of a page, not a page or database
// of its own below it.
func (i item) content() bool { return i.Type != "child_page" && i.Type != "child_database" }

func (i item) titleText() string {
	title := i.ChildPage.Title
	for _, p := range i.Properties {
		for _, t := range p.Title {
			title += t.Plain
		}
	}
	return title
}

// listAnswer is one answer to a request for a list.
type listAnswer struct {
	Results []item `json:"results"`
	More    bool   `json:"has_more"`
	Next    string `json:"next_cursor"`
}

// eachItem goes through a list, all answers of it, until do says no.
func (c *Client) eachItem(ctx context.Context, r request, do func(item) bool) error {
	seen := map[string]bool{"": true}
	for cursor := ""; ; {
		var l listAnswer
		if err := c.call(ctx, r.fromCursor(cursor), &l); err != nil {
			return err
		}
		for _, i := range l.Results {
			if !do(i) {
				return nil
			}
		}
		if cursor = l.Next; !l.More {
			return nil
		}
		if seen[cursor] || len(seen) > maxPages {
			return errNoEnd
		}
		seen[cursor] = true
	}
}

var errNoEnd = &Error{Status: http.StatusOK, Message: "a listing has no end", Terminal: true}

// fromCursor is the request for the answer of a list that begins at a cursor.
func (r request) fromCursor(cursor string) request {
	if r.method == http.MethodGet {
		r.query = url.Values{"page_size": {strconv.Itoa(maxChildren)}}
		if cursor != "" {
			r.query.Set("start_cursor", cursor)
		}
		return r
	}
	body, _ := r.body.(map[string]any)
	body = maps.Clone(body)
	body["page_size"] = maxChildren
	if cursor != "" {
		body["start_cursor"] = cursor
	}
	r.body = body
	return r
}

// childrenRequest lists what stands below a page or a block, one level of it.
func (c *Client) childrenRequest(id string) request {
	return request{method: http.MethodGet, path: "blocks/" + id + "/children", repeatable: true}
}

// contentBelow lists the content below a page or a block.
func (c *Client) contentBelow(ctx context.Context, id string) ([]item, error) {
	var list []item
	sound := true
	err := c.eachItem(ctx, c.childrenRequest(id), func(i item) bool {
		i.ID, sound = parseID(i.ID)
		if sound && i.content() && !i.trash() {
			list = append(list, i)
		}
		return sound
	})
	if err == nil && !sound {
		err = errUnexpected
	}
	return list, err
}

// Count is how many blocks stand on a page, read back from Notion: all answers
// of each listing, blocks in blocks and rows of tables included. Pages and
// databases below the page are no blocks of it.
func (c *Client) Count(ctx context.Context, page string) (int, error) {
	id, ok := parseID(page)
	if !ok {
		return 0, errNoID
	}
	n := 0
	seen := map[string]bool{id: true}
	for holders := []string{id}; len(holders) > 0; holders = holders[1:] {
		list, err := c.contentBelow(ctx, holders[0])
		if err == nil && len(seen) > maxContainers {
			err = errNoEnd
		}
		if err != nil {
			return 0, fmt.Errorf("count the blocks of a page: %w", err)
		}
		n += len(list)
		for _, i := range list {
			if i.HasChildren && !seen[i.ID] {
				seen[i.ID] = true
				holders = append(holders, i.ID)
			}
		}
	}
	return n, nil
}

var errNoID = errors.New("notion: a page's id has 32 hexadecimal digits")

// Replace makes the content of a page exactly these blocks, in this order.
//
// It deletes what stands there, but for pages and databases somebody has put
// below it, then appends the blocks in lots that keep Notion's limits, then
// reads back what stands on the page itself; where that is not what it wrote
// (a request of another process came in between, or one that had been given up
// for lost), it begins again. So it may be called again after an end at any
// point, and the last call counts. While it is at work the page is less than
// whole. What people have written into the page goes with the old content:
// Notion keeps it in the trash.
func (c *Client) Replace(ctx context.Context, page string, blocks []Block) error {
	id, ok := parseID(page)
	if !ok {
		return errNoID
	}
	_, err := c.readRecord(ctx, id)
	if err != nil {
		return fmt.Errorf("write a page: %w", err)
	}
	for range maxStarts {
		if err = c.rewritePage(ctx, id, blocks); !errors.Is(err, errWrongContent) {
			break
		}
	}
	return wrapError("write a page", err)
}

// errWrongContent says that a page holds something other than what was written.
var errWrongContent = errors.New("the page holds other blocks than those written: somebody else writes to it")

func (c *Client) rewritePage(ctx context.Context, page string, blocks []Block) error {
	if err := c.deleteContent(ctx, page); err != nil {
		return fmt.Errorf("delete the old content: %w", err)
	}
	wrote, err := c.appendTree(ctx, page, blocks, 0)
	if err != nil {
		return fmt.Errorf("append blocks: %w", err)
	}
	there, err := c.contentBelow(ctx, page)
	if err != nil {
		return fmt.Errorf("read the page back: %w", err)
	}
	if !slices.Equal(ids(there), wrote) {
		return errWrongContent
	}
	return nil
}

func ids(list []item) []string {
	var out []string
	for _, i := range list {
		out = append(out, i.ID)
	}
	return out
}

// deleteContent deletes the content of a page. A block that cannot be deleted may be
// gone already, by a request whose answer was lost: a further look tells.
func (c *Client) deleteContent(ctx context.Context, page string) error {
	var stuck error
	for range maxRounds {
		there, err := c.contentBelow(ctx, page)
		switch {
		case err != nil || len(there) == 0:
			return err
		case stuck != nil:
			return stuck
		}
		if stuck, err = c.deleteBlocks(ctx, there); err != nil {
			return err
		}
	}
	return errWrongContent
}

// deleteBlocks deletes blocks, with all that is in them. Where Notion would have
// none of it, stuck is why.
func (c *Client) deleteBlocks(ctx context.Context, blocks []item) (stuck, err error) {
	gone := 0
	for _, i := range blocks {
		err := c.call(ctx, request{method: http.MethodDelete, path: "blocks/" + i.ID, repeatable: true}, new(item))
		switch {
		case err == nil:
			gone++
		case IsGone(err) || isRefused(err):
			stuck = err
		default:
			return nil, err
		}
	}
	if gone > 0 {
		return nil, nil
	}
	return stuck, nil
}
