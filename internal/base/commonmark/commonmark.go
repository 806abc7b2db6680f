// Package commonmark reads Markdown as a tree: CommonMark, with tables and what
// else a reader asks for. It gives the text that stands in the nodes, with
// escapes and entities undone. What a text may be before it is read, and what
// becomes of the tree, is left to those who write reports, papers and pages of
// it; package markdown writes Markdown.
package commonmark

import (
	"bytes"
	"iter"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Syntax is what is read beyond CommonMark without link reference definitions.
type Syntax int

const (
	// Tables are those of GitHub.
	Tables Syntax = 1 << iota
	// References are link reference definitions. Without them these are text, so
	// that none can turn a citation into a link.
	References
	// GitHub has tables, references, addresses as links, struck words and tasks.
	GitHub Syntax = 1<<iota | Tables | References
	// Footnotes are [^1] and what stands for it.
	Footnotes Syntax = 1 << iota
)

// Document is a text as it was read.
type Document struct {
	Root   ast.Node
	Source []byte // what the places in the tree are of
}

// Parse reads a text, in time that grows with its length alone, whatever it is: where
// marks are so many that they would cost more, and where blocks stand deeper in one
// another than anybody reads, they are text.
//
// Its parsers are made anew, which costs less than to keep them: the program does not
// pay for them where it reads no Markdown.
func Parse(source []byte, s Syntax) Document {
	inline := parser.DefaultInlineParsers()
	blocks := parser.DefaultBlockParsers()
	var paragraphs, trees []util.PrioritizedValue
	if s&References != 0 {
		for _, v := range parser.DefaultParagraphTransformers() {
			if t, ok := v.Value.(parser.ParagraphTransformer); ok {
				paragraphs = append(paragraphs, util.Prioritized(boundedDefinitions{t}, v.Priority))
			}
		}
	}
	if s&Tables != 0 {
		paragraphs = append(paragraphs, util.Prioritized(&boundedTables{extension.NewTableParagraphTransformer(), mostCells}, 200))
		trees = append(trees, util.Prioritized(extension.NewTableASTTransformer(), 0))
	}
	if s&GitHub == GitHub {
		inline = append(inline, util.Prioritized(extension.NewLinkifyParser(), 999), util.Prioritized(extension.NewStrikethroughParser(), 500), util.Prioritized(extension.NewTaskCheckBoxParser(), 0))
	}
	if s&Footnotes != 0 {
		blocks = append(blocks, util.Prioritized(extension.NewFootnoteBlockParser(), 999))
		inline = append(inline, util.Prioritized(extension.NewFootnoteParser(), 101))
		trees = append(trees, util.Prioritized(extension.NewFootnoteASTTransformer(), 999))
	}
	bound(blocks, inline)
	p := parser.NewParser(
		parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inline...),
		parser.WithParagraphTransformers(paragraphs...), parser.WithASTTransformers(trees...),
	)
	return Document{Root: p.Parse(text.NewReader(source)), Source: source}
}

// mostCells bounds the cells of all tables of a text. A row is filled up to the width
// of its head, so that a few kilobytes can stand for millions of cells.
const mostCells = 1 << 19

// boundedTables reads tables for which there are cells left; others stay text.
type boundedTables struct {
	tables parser.ParagraphTransformer
	left   int
}

// Transform makes a table of a paragraph that is one.
func (t *boundedTables) Transform(p *ast.Paragraph, r text.Reader, c parser.Context) {
	widest, lines := 0, p.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		widest = max(widest, bytes.Count(line.Value(r.Source()), []byte("|")))
	}
	if cells := (widest + 1) * lines.Len(); cells <= t.left {
		t.left -= cells
		t.tables.Transform(p, r, c)
	}
}

// Children are the nodes right below one, in order.
func Children(parent ast.Node) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
			if !yield(n) {
				return
			}
		}
	}
}

// Rows are what the cells of a table come to, row by row, the head first.
func Rows[T any](table ast.Node, cell func(ast.Node) T) [][]T {
	var rows [][]T
	for row := range Children(table) {
		var cells []T
		for c := range Children(row) {
			cells = append(cells, cell(c))
		}
		rows = append(rows, cells)
	}
	return rows
}

// Text is a piece of running text with its escapes and entities undone, and
// U+FFFD for a NUL. The end of its line is left to the caller.
func (d Document) Text(n *ast.Text) string {
	value := n.Segment.Value(d.Source)
	if !n.IsRaw() {
		value = Unescape(value)
	}
	return strings.ReplaceAll(string(value), "\x00", "\uFFFD")
}

// Code is the text of a code span, in one line.
func (d Document) Code(span ast.Node) string {
	var b strings.Builder
	for c := range Children(span) {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(d.Source))
		}
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// Lines is what stands in a block of code or HTML.
func (d Document) Lines(block ast.Node) string {
	text := string(block.Lines().Value(d.Source))
	if h, ok := block.(*ast.HTMLBlock); ok && h.HasClosure() {
		text += string(h.ClosureLine.Value(d.Source))
	}
	return text
}

// Unescape undoes backslash escapes and entities, each once: \&lt; is &lt;.
func Unescape(value []byte) []byte {
	if !bytes.ContainsAny(value, `\&`) {
		return value
	}
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
	return out
}
