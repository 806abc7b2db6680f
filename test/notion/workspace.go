package notiontest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// node is a page, a database or a block.
type node struct {
	id       string
	kind     string // page, database, or the type of a block
	title    string // of a page or database
	body     map[string]any
	archived bool
	hidden   bool // not shared with the integration
	parent   *node
	children []*node
}

// Page is a page as people see it.
type Page struct {
	ID, Title, URL string
	Archived       bool
	Blocks         []Block
}

// Block is a block as people see it.
type Block struct {
	Type     string
	Text     string // cells of a row stand apart with " | "
	Links    []string
	Body     map[string]any // as it was sent, without children
	Children []Block
}

// Text is a page's content: a line for each block, indented by its depth,
// behind its type.
func (p Page) Text() string {
	var b strings.Builder
	outline(&b, p.Blocks, "")
	return b.String()
}

func outline(b *strings.Builder, blocks []Block, indent string) {
	for _, block := range blocks {
		fmt.Fprintf(b, "%s%s: %s\n", indent, block.Type, block.Text)
		outline(b, block.Children, indent+"  ")
	}
}

// Count is the number of blocks of a page, nested ones included; pages below
// it are none.
func (p Page) Count() int { return count(p.Blocks) }

func count(blocks []Block) int {
	n := 0
	for _, b := range blocks {
		if b.Type != "child_page" && b.Type != "child_database" {
			n += 1 + count(b.Children)
		}
	}
	return n
}

// uuid is the n-th id.
func uuid(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n) }

func (s *Server) add(n *node) *node {
	s.made++
	n.id = uuid(s.made)
	s.nodes[n.id] = n
	return n
}

func (s *Server) hang(parent, n *node) *node {
	n.parent = parent
	parent.children = append(parent.children, s.add(n))
	return n
}

// gone reports whether a node, or what it stands in, is in the trash.
func (n *node) gone() bool { return n != nil && (n.archived || n.parent.gone()) }

// private reports whether a node is not shared with the integration: it is
// with what it stands in.
func (n *node) private() bool { return n != nil && (n.hidden || n.parent.private()) }

func (n *node) url() string {
	return "https://notion.invalid/" + strings.ReplaceAll(n.id, "-", "")
}

func (n *node) page() Page {
	return Page{ID: n.id, Title: n.title, URL: n.url(), Archived: n.gone(), Blocks: blocks(n.children)}
}

func blocks(nodes []*node) []Block {
	var list []Block
	for _, n := range nodes {
		if n.archived {
			continue
		}
		b := Block{Type: n.kind, Body: n.body, Text: n.title, Children: blocks(n.children)}
		switch n.kind {
		case "page":
			b.Type, b.Children = "child_page", nil
		case "database":
			b.Type, b.Children = "child_database", nil
		default:
			b.Text, b.Links = read(n.body)
		}
		list = append(list, b)
	}
	return list
}

// read gives the text and the links of a block's body.
func read(body map[string]any) (string, []string) {
	runs, _ := body["rich_text"].([]any)
	cells, table := body["cells"].([]any)
	if !table {
		return words(runs)
	}
	var texts, links []string
	for _, c := range cells {
		cell, _ := c.([]any)
		text, more := words(cell)
		texts, links = append(texts, text), append(links, more...)
	}
	return strings.Join(texts, " | "), links
}

func words(runs []any) (string, []string) {
	var b strings.Builder
	var links []string
	for _, r := range runs {
		run, _ := r.(map[string]any)
		text, _ := run["text"].(map[string]any)
		content, _ := text["content"].(string)
		b.WriteString(content)
		if link, ok := text["link"].(map[string]any); ok {
			links = append(links, fmt.Sprint(link["url"]))
		}
	}
	return b.String(), links
}

// find looks a node up as the integration sees it.
func (s *Server) find(id, what, where string) (*node, *problem) {
	digits := strings.ReplaceAll(strings.ToLower(id), "-", "")
	if len(digits) != 32 || strings.Trim(digits, "0123456789abcdef") != "" {
		return nil, invalid("path failed validation: path.%s should be a valid uuid, instead was `%q`.", where, id)
	}
	full := strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-")
	n := s.nodes[full]
	if n == nil || n.private() {
		return nil, &problem{
			http.StatusNotFound, "object_not_found",
			fmt.Sprintf("Could not find %s with ID: %s. Make sure the relevant pages and databases are shared with your integration.", what, full),
		}
	}
	return n, nil
}

const moment = "2024-02-03T04:05:00.000Z"

// record is what every object of the API has.
func (n *node) record(object string) map[string]any {
	who := map[string]any{"object": "user", "id": uuid(0)}
	parent := map[string]any{"type": "workspace", "workspace": true}
	if n.parent != nil {
		key := map[string]string{"page": "page_id", "database": "database_id"}[n.parent.kind]
		if key == "" {
			key = "block_id"
		}
		parent = map[string]any{"type": key, key: n.parent.id}
	}
	return map[string]any{
		"object": object, "id": n.id, "created_time": moment, "last_edited_time": moment, "created_by": who, "last_edited_by": who,
		"parent": parent, "archived": n.gone(), "in_trash": n.gone(),
	}
}

// pageJSON is a page's record. Its title is among its properties; in a
// database that property has a name of its own.
func (n *node) pageJSON() map[string]any {
	r := n.record("page")
	name := "title"
	if n.parent != nil && n.parent.kind == "database" {
		name = "Report"
	}
	r["url"], r["public_url"], r["icon"], r["cover"] = n.url(), nil, nil, nil
	r["properties"] = map[string]any{name: map[string]any{"id": "title", "type": "title", "title": rich([]any{
		map[string]any{"type": "text", "text": map[string]any{"content": n.title}},
	})}}
	if name != "title" {
		r["properties"].(map[string]any)["Done"] = map[string]any{"id": "%3AUPp", "type": "checkbox", "checkbox": false}
	}
	return r
}

func (n *node) blockJSON() map[string]any {
	r := n.record("block")
	r["type"], r["has_children"] = n.kind, slices.ContainsFunc(n.children, func(c *node) bool { return !c.archived })
	switch n.kind {
	case "page":
		r["type"], r["child_page"] = "child_page", map[string]any{"title": n.title}
		return r
	case "database":
		r["type"], r["child_database"] = "child_database", map[string]any{"title": n.title}
		return r
	}
	body := map[string]any{}
	for key, value := range n.body {
		body[key] = value
	}
	if runs, ok := body["rich_text"].([]any); ok {
		body["rich_text"], body["color"] = rich(runs), "default"
	}
	if cells, ok := body["cells"].([]any); ok {
		full := make([]any, len(cells))
		for i, c := range cells {
			cell, _ := c.([]any)
			full[i] = rich(cell)
		}
		body["cells"] = full
	}
	r[n.kind] = body
	return r
}

// rich writes stretches of text with all that Notion says of them.
func rich(runs []any) []any {
	list := make([]any, len(runs))
	for i, r := range runs {
		run, _ := r.(map[string]any)
		text, _ := run["text"].(map[string]any)
		styles := map[string]any{"bold": false, "italic": false, "strikethrough": false, "underline": false, "code": false, "color": "default"}
		if set, ok := run["annotations"].(map[string]any); ok {
			for key, value := range set {
				styles[key] = value
			}
		}
		var href any
		link, linked := text["link"].(map[string]any)
		if linked {
			href = link["url"]
		}
		list[i] = map[string]any{
			"type": "text", "text": map[string]any{"content": text["content"], "link": text["link"]},
			"annotations": styles, "plain_text": text["content"], "href": href,
		}
	}
	return list
}

// create makes a page.
func (s *Server) create(sent map[string]any) (any, *problem) {
	parent, _ := sent["parent"].(map[string]any)
	kind := "page"
	if _, ok := parent["database_id"]; ok {
		kind = "database"
	}
	id, ok := parent[kind+"_id"].(string)
	if !ok {
		return nil, invalid("body failed validation. Fix one:\nbody.parent.page_id should be defined, instead was `undefined`.\nbody.parent.database_id should be defined, instead was `undefined`.")
	}
	n, p := s.find(id, kind, "parent")
	switch {
	case p != nil:
		return nil, p
	case n.kind != kind:
		return nil, invalid("Provided ID %s is a %s, not a %s.", id, n.kind, kind)
	case n.gone():
		return nil, invalid("Can't edit page on block with an archived ancestor. You must unarchive the ancestor before editing page.")
	}
	title, p := titleOf(sent)
	if p != nil {
		return nil, p
	}
	return s.hang(n, &node{kind: "page", title: title}).pageJSON(), nil
}

// titleOf reads the one property that is given a page here, by its id.
func titleOf(sent map[string]any) (string, *problem) {
	properties, ok := sent["properties"].(map[string]any)
	if !ok {
		return "", invalid("body failed validation: body.properties should be defined, instead was `undefined`.")
	}
	for key := range sent {
		if key != "parent" && key != "properties" {
			return "", invalid("body failed validation: body.%s should be not present.", key)
		}
	}
	property, _ := properties["title"].(map[string]any)
	runs, ok := property["title"].([]any)
	if !ok || len(properties) != 1 {
		return "", invalid("Title is not a property that exists.")
	}
	if p := (&checker{}).runs(runs, "body.properties.title.title"); p != nil {
		return "", p
	}
	title, _ := words(runs)
	return title, nil
}

func (s *Server) pageRecord(id string) (any, *problem) {
	n, p := s.find(id, "page", "page_id")
	switch {
	case p != nil:
		return nil, p
	case n.kind == "database":
		return nil, invalid("Provided page_id %s is a database, not a page. Use the retrieve database API instead.", n.id)
	case n.kind != "page":
		return nil, invalid("Provided page_id %s is a block, not a page. Use the retrieve block API instead.", n.id)
	}
	return n.pageJSON(), nil
}

func (s *Server) databaseRecord(id string) (any, *problem) {
	n, p := s.find(id, "database", "database_id")
	switch {
	case p != nil:
		return nil, p
	case n.kind != "database":
		return nil, invalid("Provided database_id %s is a page, not a database. Use the retrieve page API instead.", n.id)
	}
	r := n.record("database")
	r["url"] = n.url()
	r["title"] = rich([]any{map[string]any{"type": "text", "text": map[string]any{"content": n.title}}})
	r["properties"] = map[string]any{"Report": map[string]any{"id": "title", "name": "Report", "type": "title", "title": map[string]any{}}}
	return r, nil
}

// query lists the pages of a database whose title has a part, the oldest first.
func (s *Server) query(id string, sent map[string]any) (any, *problem) {
	n, p := s.find(id, "database", "database_id")
	if p != nil {
		return nil, p
	}
	if n.kind != "database" {
		return nil, invalid("Provided database_id %s is a page, not a database.", n.id)
	}
	filter, _ := sent["filter"].(map[string]any)
	title, _ := filter["title"].(map[string]any)
	part, ok := title["contains"].(string)
	if filter["property"] != "title" || !ok {
		return nil, invalid("body failed validation: body.filter.title.contains should be defined, instead was `undefined`.")
	}
	var entries []map[string]any
	for _, c := range n.children {
		if !c.gone() && strings.Contains(strings.ToLower(c.title), strings.ToLower(part)) {
			entries = append(entries, c.pageJSON())
		}
	}
	size, ok := sent["page_size"].(float64)
	if !ok {
		size = mostChildren
	}
	cursor, _ := sent["start_cursor"].(string)
	return s.portion(entries, "page_or_database", int(size), cursor)
}

// list lists what stands below a page or block.
func (s *Server) list(id string, query url.Values) (any, *problem) {
	n, p := s.find(id, "block", "block_id")
	if p != nil {
		return nil, p
	}
	size := mostChildren
	if said := query.Get("page_size"); said != "" {
		var err error
		if size, err = strconv.Atoi(said); err != nil {
			return nil, invalid("query failed validation: query.page_size should be a number, instead was `%q`.", said)
		}
	}
	var entries []map[string]any
	for _, c := range n.children {
		if !c.archived && !c.private() {
			entries = append(entries, c.blockJSON())
		}
	}
	return s.portion(entries, "block", size, query.Get("start_cursor"))
}

// portion is one answer to a listing.
func (s *Server) portion(entries []map[string]any, kind string, size int, cursor string) (any, *problem) {
	if size < 1 || size > mostChildren {
		return nil, invalid("query failed validation: query.page_size should be ≤ `100`, instead was `%d`.", size)
	}
	if cursor != "" {
		at := slices.IndexFunc(entries, func(e map[string]any) bool { return e["id"] == cursor })
		if at < 0 {
			return nil, invalid("The start_cursor provided is invalid: %s", cursor)
		}
		entries = entries[at:]
	}
	size = min(size, s.size)
	var next any
	more := len(entries) > size
	if more {
		next = entries[size]["id"]
		entries = entries[:size]
	}
	if entries == nil {
		entries = []map[string]any{}
	}
	return map[string]any{"object": "list", "results": entries, "next_cursor": next, "has_more": more, "type": kind, kind: map[string]any{}}, nil
}

// append puts blocks below a page or block, all or none.
func (s *Server) append(id string, sent map[string]any) (any, *problem) {
	n, p := s.find(id, "block", "block_id")
	if p != nil {
		return nil, p
	}
	if n.gone() {
		return nil, invalid("Can't edit block that is archived. You must unarchive the block before editing.")
	}
	if p := s.check(n, sent); p != nil {
		return nil, p
	}
	children, _ := sent["children"].([]any)
	made := s.graft(n, children)
	results := make([]map[string]any, len(made))
	for i, m := range made {
		results[i] = m.blockJSON()
	}
	return map[string]any{"object": "list", "results": results, "next_cursor": nil, "has_more": false, "type": "block", "block": map[string]any{}}, nil
}

func (s *Server) graft(parent *node, blocks []any) []*node {
	var made []*node
	for _, b := range blocks {
		block, _ := b.(map[string]any)
		kind := typeOf(block)
		body, _ := block[kind].(map[string]any)
		children, _ := body["children"].([]any)
		delete(body, "children")
		n := s.hang(parent, &node{kind: kind, body: body})
		s.graft(n, children)
		made = append(made, n)
	}
	return made
}

// remove puts a block into the trash.
func (s *Server) remove(id string) (any, *problem) {
	n, p := s.find(id, "block", "block_id")
	if p != nil {
		return nil, p
	}
	if n.gone() {
		return nil, invalid("Can't edit block that is archived. You must unarchive the block before editing.")
	}
	n.archived = true
	return n.blockJSON(), nil
}
