package report

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/research-council/research-council/internal/base/commonmark"
	"github.com/research-council/research-council/internal/base/plain"
)

// Limit bounds what is read of a foreign Markdown text, in bytes. A long report
// is a tenth of it; beyond it nothing is read.
const Limit = 1 << 20

// document is a parsed Markdown text.
type document struct {
	commonmark.Document
	form Form
}

// withForm is the document read as a report of a form.
func (d document) withForm(f Form) document {
	d.form = f
	return d
}

// parse reads CommonMark with tables, and link reference definitions where
// references are wanted.
func parse(markdown []byte, references bool) document {
	src := boundInput(markdown)
	var syntax commonmark.Syntax
	if references {
		syntax |= commonmark.References
	}
	if countCells(src) <= maxCells {
		syntax |= commonmark.Tables
	}
	return document{Document: commonmark.Parse(src, syntax)}
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

// boundInput cuts a text to the limit and takes from it what only costs a parser
// time: invisible and broken characters, nesting beyond what anyone can read.
func boundInput(markdown []byte) []byte {
	markdown = markdown[:min(len(markdown), Limit)]
	s := plain.Trimmed(string(markdown))
	s = deepLine().ReplaceAllString(breakLong(s), "$1")
	s = longRuns().ReplaceAllStringFunc(s, func(run string) string { return run[:min(len(run), 7)] })
	return []byte(deepIndent().ReplaceAllString(s, strings.Repeat(" ", 80)))
}

// What a parser looks at again and again, an open bracket to the end of its
// line, an open title to the end of its paragraph, is kept short.
const (
	maxLine      = 8 << 10
	maxParagraph = 32 << 10
)

// breakLong ends lines and paragraphs that go on for longer than anyone writes.
func breakLong(s string) string {
	out := make([]byte, 0, len(s)+len(s)/maxLine+1)
	line, paragraph := 0, 0
	end := func() {
		out = append(out, '\n')
		line = 0
		if paragraph > maxParagraph {
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
		case line > maxLine && (c == ' ' || c >= utf8.RuneSelf && utf8.RuneStart(c)), line > maxLine+1000 && utf8.RuneStart(c):
			end()
		}
		out = append(out, c)
		line++
		paragraph++
	}
	return string(out)
}

// maxCells bounds the cells of a document's tables: a parser fills up every
// row to the width of its head.
const maxCells = 300_000

// countCells is how many cells the tables of a document could have at most.
func countCells(s []byte) int {
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
	runOfText     kind = iota // text, newlines for soft breaks
	code                      // a code span
	hardBreak                 // a line break
	emphasisStart             // emphasis begins; text is * or **
	emphasisEnd               // and ends
	linkStart                 // a link or image begins; text is where it leads
	linkEnd                   // and ends
	address                   // an autolink
	html                      // a tag or comment
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
	if k == runOfText {
		p.words.WriteString(s)
		return
	}
	p.done = append(p.finish(), piece{kind: k, text: s})
}

func (p *pieces) finish() []piece {
	if p.words.Len() > 0 {
		p.done = append(p.done, piece{kind: runOfText, text: p.words.String()})
		p.words.Reset()
	}
	return p.done
}

// pieces gives a block's running text in order.
func (d document) pieces(block ast.Node) []piece {
	var out pieces
	for n := range commonmark.Children(block) {
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { return d.piece(n, entering, &out), nil })
	}
	return out.finish()
}

func (d document) piece(n ast.Node, entering bool, out *pieces) ast.WalkStatus {
	switch n := n.(type) {
	case *ast.Emphasis:
		k := emphasisEnd
		if entering {
			k = emphasisStart
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
		out.add(runOfText, string(n.Value))
	case *ast.CodeSpan:
		out.add(code, d.Code(n))
		return ast.WalkSkipChildren
	case *ast.AutoLink:
		out.add(address, string(n.URL(d.Source)))
	case *ast.RawHTML:
		out.add(html, string(n.Segments.Value(d.Source)))
	}
	return ast.WalkContinue
}

func linkKind(entering bool) kind {
	if entering {
		return linkStart
	}
	return linkEnd
}

func (d document) text(n *ast.Text, out *pieces) {
	out.add(runOfText, plain.Text(d.Text(n)))
	switch {
	case n.HardLineBreak():
		out.add(hardBreak, "")
	case n.SoftLineBreak():
		out.add(runOfText, "\n")
	}
}

// running reports whether a block holds running text.
func running(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading, extast.KindTableCell:
		return true
	}
	return false
}

// textBlocks gives every block of running text below a node, in order, headings
// left out.
func textBlocks(top ast.Node) []ast.Node {
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

// plainText is a block's running text without marks.
func (d document) plainText(block ast.Node) string {
	var b strings.Builder
	for _, p := range d.pieces(block) {
		switch p.kind {
		case runOfText, code, address:
			b.WriteString(p.text)
		case hardBreak:
			b.WriteByte('\n')
		}
	}
	return b.String()
}
