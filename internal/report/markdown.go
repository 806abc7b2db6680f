package report

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"research-council/internal/claim"
)

// Limit bounds what is read of a foreign Markdown text, in bytes. A long report
// is a tenth of it; beyond it nothing is read.
const Limit = 1 << 20

// document is a parsed Markdown text.
type document struct {
	root ast.Node
	src  []byte
	form Form
}

// as is the document read as a report of a form.
func (d document) as(f Form) document {
	d.form = f
	return d
}

// parse reads CommonMark with tables. Link reference definitions are read only
// where references are wanted: elsewhere they are text, so that none can turn
// a citation into a link.
func parse(markdown []byte, references bool) document {
	var transformers []util.PrioritizedValue
	if references {
		transformers = append(transformers, parser.DefaultParagraphTransformers()...)
	}
	src := tame(markdown)
	if cells(src) <= mostCells {
		transformers = append(transformers, util.Prioritized(extension.NewTableParagraphTransformer(), 200))
	}
	p := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(transformers...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
	return document{root: p.Parse(text.NewReader(src)), src: src}
}

var (
	deepLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^((?:[ \t]*(?:>|[-+*]|[0-9]{1,9}[.)])){24})[ \t>*+\-0-9.)]*`)
	})
	longRuns = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("\\*{8,}|_{8,}|~{80,}|`{80,}|\\[{8,}|\\]{8,}|!{80,}|<{80,}")
	})
	deepIndent = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]{80,}`) })
)

// tame cuts a text to the limit and takes from it what only costs a parser
// time: invisible and broken characters, nesting beyond what anyone can read.
func tame(markdown []byte) []byte {
	markdown = markdown[:min(len(markdown), Limit)]
	s := strings.ReplaceAll(string(markdown), "\r\n", "\n")
	s = claim.Clean(strings.ReplaceAll(strings.TrimPrefix(s, "\ufeff"), "\r", "\n"))
	s = deepLine().ReplaceAllString(broken(s), "$1")
	s = longRuns().ReplaceAllStringFunc(s, func(run string) string { return run[:min(len(run), 7)] })
	return []byte(deepIndent().ReplaceAllString(s, strings.Repeat(" ", 80)))
}

// What a parser looks at again and again, an open bracket to the end of its
// line, an open title to the end of its paragraph, is kept short.
const (
	longestLine      = 8 << 10
	longestParagraph = 32 << 10
)

// broken ends lines and paragraphs that go on for longer than anyone writes.
func broken(s string) string {
	out := make([]byte, 0, len(s)+len(s)/longestLine+1)
	line, paragraph := 0, 0
	end := func() {
		out = append(out, '\n')
		line = 0
		if paragraph > longestParagraph {
			out = append(out, '\n')
			paragraph = 0
		}
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '\n':
			if line == 0 || i+1 < len(s) && s[i+1] == '\n' {
				paragraph = 0
			}
			end()
			continue
		case line > longestLine && (c == ' ' || c >= utf8.RuneSelf && utf8.RuneStart(c)), line > longestLine+1000 && utf8.RuneStart(c):
			end()
		}
		out = append(out, c)
		line++
		paragraph++
	}
	return string(out)
}

// mostCells bounds the cells of a document's tables: a parser fills up every
// row to the width of its head.
const mostCells = 300_000

// cells is how many cells the tables of a document could have at most.
func cells(s []byte) int {
	widest, lines := 0, 0
	for line := range bytes.Lines(s) {
		lines++
		widest = max(widest, bytes.Count(line, []byte("|")))
	}
	return widest * lines
}

// kind is what a piece of running text is.
type kind int

const (
	words    kind = iota // text, newlines for soft breaks
	code                 // a code span
	hard                 // a line break
	open                 // emphasis begins; text is * or **
	shut                 // and ends
	linked               // a link or image begins; text is where it leads
	unlinked             // and ends
	address              // an autolink
	html                 // a tag or comment
)

// piece is a part of a block's running text. Escapes and entities are undone.
type piece struct {
	kind kind
	text string
}

// running text is put together piece by piece; neighbouring words are one
// piece, however the parser cut them.
type pieces struct {
	done  []piece
	words strings.Builder
}

func (p *pieces) add(k kind, s string) {
	if k == words {
		p.words.WriteString(s)
		return
	}
	p.done = append(p.all(), piece{kind: k, text: s})
}

func (p *pieces) all() []piece {
	if p.words.Len() > 0 {
		p.done = append(p.done, piece{kind: words, text: p.words.String()})
		p.words.Reset()
	}
	return p.done
}

// pieces gives a block's running text in order.
func (d document) pieces(block ast.Node) []piece {
	var out pieces
	for n := block.FirstChild(); n != nil; n = n.NextSibling() {
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { return d.piece(n, entering, &out), nil })
	}
	return out.all()
}

func (d document) piece(n ast.Node, entering bool, out *pieces) ast.WalkStatus {
	switch n := n.(type) {
	case *ast.Emphasis:
		k := shut
		if entering {
			k = open
		}
		out.add(k, strings.Repeat("*", n.Level))
		return ast.WalkContinue
	case *ast.Link:
		out.add(linkKind(entering), string(n.Destination))
		return ast.WalkContinue
	case *ast.Image:
		out.add(linkKind(entering), string(n.Destination))
		return ast.WalkContinue
	}
	if !entering {
		return ast.WalkContinue
	}
	switch n := n.(type) {
	case *ast.Text:
		d.text(n, out)
	case *ast.String:
		out.add(words, string(n.Value))
	case *ast.CodeSpan:
		out.add(code, d.raw(n))
		return ast.WalkSkipChildren
	case *ast.AutoLink:
		out.add(address, string(n.URL(d.src)))
	case *ast.RawHTML:
		out.add(html, string(n.Segments.Value(d.src)))
	}
	return ast.WalkContinue
}

func linkKind(entering bool) kind {
	if entering {
		return linked
	}
	return unlinked
}

func (d document) text(n *ast.Text, out *pieces) {
	value := n.Segment.Value(d.src)
	if !n.IsRaw() {
		value = unescape(value)
	}
	out.add(words, string(value))
	switch {
	case n.HardLineBreak():
		out.add(hard, "")
	case n.SoftLineBreak():
		out.add(words, "\n")
	}
}

// unescape undoes backslash escapes and entities, each once: \&lt; is &lt;.
func unescape(value []byte) []byte {
	var out []byte
	for i := 0; i < len(value); {
		if value[i] == '\\' && i+1 < len(value) && util.IsPunct(value[i+1]) {
			out = append(out, value[i+1])
			i += 2
			continue
		}
		end := i + 1
		for end < len(value) && value[end] != '\\' {
			end++
		}
		out = append(out, util.ResolveEntityNames(util.ResolveNumericReferences(value[i:end]))...)
		i = end
	}
	return visible(out)
}

// visible drops what entities may have brought in: control characters, marks
// that turn the direction of writing.
func visible(s []byte) []byte {
	const fence = "|" // keeps blanks at the ends
	clean := claim.Clean(fence + string(s) + fence)
	return []byte(clean[len(fence) : len(clean)-len(fence)])
}

// raw is the text of a code span.
func (d document) raw(n ast.Node) string {
	var b bytes.Buffer
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(d.src))
		}
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// running reports whether a block holds running text.
func running(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading, extast.KindTableCell:
		return true
	}
	return false
}

// texts gives every block of running text below a node, in order, headings
// left out.
func texts(top ast.Node) []ast.Node {
	var out []ast.Node
	_ = ast.Walk(top, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || !running(n) {
			return ast.WalkContinue, nil
		}
		if n.Kind() != ast.KindHeading {
			out = append(out, n)
		}
		return ast.WalkSkipChildren, nil
	})
	return out
}

// plain is a block's running text without marks.
func (d document) plain(block ast.Node) string {
	var b strings.Builder
	for _, p := range d.pieces(block) {
		switch p.kind {
		case words, code, address:
			b.WriteString(p.text)
		case hard:
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// lines is what stands in a block of code or HTML.
func (d document) lines(n ast.Node) string {
	var b bytes.Buffer
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(d.src))
	}
	if h, ok := n.(*ast.HTMLBlock); ok && h.HasClosure() {
		b.Write(h.ClosureLine.Value(d.src))
	}
	return b.String()
}

// count counts words; in scripts without blanks two letters are taken for one.
func count(s string) int {
	n, wide := 0, 0
	for w := range strings.FieldsSeq(s) {
		letters := false
		for _, r := range w {
			if r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
				wide++
				continue
			}
			letters = letters || unicode.IsLetter(r) || unicode.IsDigit(r)
		}
		if letters {
			n++
		}
	}
	return n + (wide+1)/2
}
