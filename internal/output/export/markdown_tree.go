package export

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/research-council/research-council/internal/base/commonmark"
	"github.com/research-council/research-council/internal/base/plain"
)

// Limit bounds what is read of a report, in bytes. Reports are bounded where
// they are written; a longer one is no report.
const Limit = 8 << 20

// document is a report as it was parsed.
type document struct{ commonmark.Document }

// parse reads CommonMark with tables.
func parse(markdown []byte) document {
	src := plain.Trimmed(string(markdown[:min(len(markdown), Limit)]))
	return document{commonmark.Parse([]byte(src), commonmark.Tables)}
}

// ownAnchor is what the program puts before a claim in the list of sources.
var ownAnchor = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<a id="c[0-9]{1,9}">$`) })

// sourceList finds the section that holds the evidence of claims: the blocks
// from its heading to before the next one. Without one both are -1.
func (d document) sourceList() (from, to int) {
	from, to = -1, -1
	heading, i := -1, 0
	for n := d.Root.FirstChild(); n != nil; n, i = n.NextSibling(), i+1 {
		h, ok := n.(*ast.Heading)
		switch {
		case ok && h.Level <= 2 && from >= 0:
			return from, i
		case ok && h.Level <= 2:
			heading = i
		case from < 0 && heading >= 0 && d.hasClaimAnchor(n):
			from = heading
		}
	}
	if from >= 0 {
		to = i
	}
	return from, to
}

func (d document) hasClaimAnchor(top ast.Node) bool {
	found := false
	_ = ast.Walk(top, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.RawHTML); ok && entering && ownAnchor().Match(h.Segments.Value(d.Source)) {
			found = true
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return found
}

// plainText is a block's running text without marks, in one line.
func (d document) plainText(n ast.Node) string {
	var b strings.Builder
	for _, i := range (reader{document: d}).inlines(n) {
		i.write(&b)
	}
	return line(b.String())
}

// line makes one line of foreign text.
func line(s string) string { return plain.Line(s, len(s)+1) }

// block is a part of a report.
type block struct {
	Kind    string // heading, text, list, quote, code, table or rule
	Level   int    // of a heading, none skipped
	Raw     int    // of a heading, as it was written
	Anchor  string // of a heading
	Text    []inline
	Code    string
	Tags    bool // the code was read as HTML
	Ordered bool
	Start   int
	Items   [][]block
	Rows    [][][]inline // the first is the head
	Number  int          // of a table
	Inner   []block
	Chart   *chart // of a table whose numbers are drawn
}

// inline is a part of running text.
type inline struct {
	Kind  string // text, code, break, em, strong, link or cite
	Text  string
	URL   string
	Inner []inline
	Cited []citation
}

// write writes an inline as plain text.
func (i inline) write(b *strings.Builder) {
	b.WriteString(i.Text)
	if i.Kind == "break" {
		b.WriteByte(' ')
	}
	for _, in := range i.Inner {
		in.write(b)
	}
}

// reader makes blocks of what was parsed.
type reader struct {
	document
	*parsedPublication // nil where citations are not to be noted
}

// maxDepth is how many blocks may stand in one another; what is deeper stands
// there as if it were not.
const maxDepth = 24

func (r reader) blocks(parent ast.Node, depth int) []block {
	var out []block
	for n := range commonmark.Children(parent) {
		out = append(out, r.block(n, depth)...)
	}
	return out
}

func (r reader) block(n ast.Node, depth int) []block {
	if depth > maxDepth {
		return []block{{Kind: "text", Text: []inline{{Kind: "text", Text: r.textBelow(n)}}}}
	}
	switch n := n.(type) {
	case *ast.Heading:
		text := r.inlines(n)
		if len(text) == 0 {
			return nil
		}
		r.level = min(max(n.Level, 2), r.level+1, 6) // none is skipped: readers go by them
		return []block{{Kind: "heading", Level: r.level, Raw: n.Level, Text: text}}
	case *ast.Paragraph, *ast.TextBlock:
		if in := r.inlines(n); len(in) > 0 {
			return []block{{Kind: "text", Text: in}}
		}
		return nil
	case *ast.ThematicBreak:
		return []block{{Kind: "rule"}}
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		return []block{{Kind: "code", Code: strings.TrimRight(string(n.Lines().Value(r.Source)), "\n")}}
	case *ast.Blockquote:
		return []block{{Kind: "quote", Inner: r.blocks(n, depth+1)}}
	case *ast.List:
		b := block{Kind: "list", Ordered: n.IsOrdered(), Start: min(max(n.Start, 0), 1_000_000)}
		for item := range commonmark.Children(n) {
			b.Items = append(b.Items, r.blocks(item, depth+1))
		}
		return []block{b}
	case *extast.Table:
		r.tables++
		return []block{{Kind: "table", Number: r.tables, Rows: commonmark.Rows(n, r.inlines)}}
	case *ast.HTMLBlock: // the program writes none: it is not what it seems
		return []block{{Kind: "code", Tags: true, Code: strings.TrimRight(string(n.Lines().Value(r.Source)), "\n")}}
	}
	return r.blocks(n, depth+1)
}

// textBelow is the text of whatever stands below a node.
func (r reader) textBelow(top ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(top, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(r.Source))
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

func (r reader) inlines(parent ast.Node) []inline {
	var out []inline
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if r.parsedPublication == nil || !isCitation(n) {
			out = append(out, r.inline(n)...)
			continue
		}
		ids := citedIDs(n)
		for next := r.nextCitation(n); next != nil; next = r.nextCitation(n) {
			n, ids = next, append(ids, citedIDs(next)...)
		}
		if cited := r.citationsOf(ids); len(cited) > 0 {
			out = append(out, inline{Kind: "cite", Cited: cited})
		}
	}
	return out
}

// isCitation reports whether a node is a link to a place of the report itself.
func isCitation(n ast.Node) bool {
	l, ok := n.(*ast.Link)
	return ok && bytes.HasPrefix(l.Destination, []byte("#"))
}

// nextCitation is the one that stands right behind a citation, or behind the mark of
// its reservation: the report names the sources of one claim so. It is nil without one.
func (r reader) nextCitation(n ast.Node) ast.Node {
	next := n.NextSibling()
	if t, ok := next.(*ast.Text); ok && string(t.Segment.Value(r.Source)) == "†" {
		next = next.NextSibling()
	}
	if next == nil || !isCitation(next) {
		return nil
	}
	return next
}

// citedIDs are the claims a citation names, by the title and target of its link.
func citedIDs(n ast.Node) []string {
	l := n.(*ast.Link)
	named, _, _ := strings.Cut(string(l.Title), " — ") // site and date
	ids := strings.Split(named, ", ")
	if first := strings.ToUpper(strings.TrimPrefix(string(l.Destination), "#")); !slices.Contains(ids, first) {
		return []string{first}
	}
	return ids
}

func (r reader) inline(n ast.Node) []inline {
	switch n := n.(type) {
	case *ast.Text:
		return r.text(n)
	case *ast.String:
		return []inline{{Kind: "text", Text: string(n.Value)}}
	case *ast.CodeSpan:
		return []inline{{Kind: "code", Text: r.Code(n)}}
	case *ast.Emphasis:
		kind := "em"
		if n.Level == 2 {
			kind = "strong"
		}
		return []inline{{Kind: kind, Inner: r.inlines(n)}}
	case *ast.AutoLink:
		return r.link(string(n.URL(r.Source)), []inline{{Kind: "text", Text: string(n.Label(r.Source))}})
	case *ast.Image:
		return r.inlines(n)
	case *ast.Link:
		return r.link(string(n.Destination), r.inlines(n))
	}
	return nil // tags
}

// link keeps a link to a page. Of any other the words stay.
func (r reader) link(target string, words []inline) []inline {
	if !pageForm().MatchString(target) {
		return words
	}
	return []inline{{Kind: "link", URL: target, Inner: words}}
}

// pageForm is an address with a plain host, without a user's name.
var pageForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^https?://[\p{L}\p{N}._-]+(?::[0-9]{1,5})?(?:[/?#][^\s\\<>"{}|^` + "`" + `\x{fffd}]*)?$`)
})

func (r reader) text(n *ast.Text) []inline {
	out := []inline{{Kind: "text", Text: plain.Text(r.Text(n))}} // entities may have brought in anything
	switch {
	case n.HardLineBreak():
		out = append(out, inline{Kind: "break"})
	case n.SoftLineBreak():
		out[0].Text += " "
	}
	return out
}
