package notion

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/research-council/research-council/internal/base/commonmark"
	"github.com/research-council/research-council/internal/base/plain"
)

const (
	maxDepth   = 8  // blocks in one another; what is deeper stands beside what it would stand in
	maxColumns = 30 // of a table: with more, a row need not fit into a request
)

// Blocks makes the blocks of a page of Markdown: headings (of three levels,
// deeper ones are of the third), paragraphs, lists and tasks, quotations,
// code, tables and dividers. Images and footnotes become text with a link or a
// number, HTML its text; an address that is not http or https is no link. A
// text that is too long for one block goes on in further ones.
func Blocks(markdown []byte) []Block {
	d := commonmark.Parse(bytes.ToValidUTF8(markdown, []byte("\uFFFD")), commonmark.GitHub|commonmark.Footnotes)
	return writer{d}.blocks(d.Root, 0)
}

// writer makes blocks of what was parsed.
type writer struct{ commonmark.Document }

func (w writer) blocks(parent ast.Node, depth int) []Block {
	var list []Block
	for n := range commonmark.Children(parent) {
		list = append(list, w.block(n, depth)...)
	}
	return list
}

func (w writer) block(n ast.Node, depth int) []Block {
	switch n := n.(type) {
	case *ast.Heading:
		return splitBlocks(Block{Type: "heading_" + strconv.Itoa(min(n.Level, 3))}, w.textRuns(n))
	case *ast.Paragraph, *ast.TextBlock:
		return splitBlocks(Block{Type: paragraph}, w.textRuns(n))
	case *ast.ThematicBreak:
		return []Block{{Type: divider}}
	case *ast.CodeBlock:
		return splitBlocks(Block{Type: code, Language: plainText}, []Text{{Content: w.rawText(n)}})
	case *ast.FencedCodeBlock:
		return splitBlocks(Block{Type: code, Language: language(n.Language(w.Source))}, []Text{{Content: w.rawText(n)}})
	case *ast.HTMLBlock:
		return splitBlocks(Block{Type: paragraph}, joinRuns([]Text{{Content: htmlText(w.rawText(n))}}))
	case *ast.Blockquote:
		return w.containerBlocks(Block{Type: quotation}, n, depth)
	case *ast.List:
		return w.list(n, depth)
	case *extast.Table:
		return w.table(n)
	case *extast.Footnote:
		return w.containerBlocks(Block{Type: paragraph, Text: []Text{{Content: "[" + strconv.Itoa(n.Index) + "] "}}}, n, depth)
	}
	return w.blocks(n, depth)
}

// rawText is the text of a block whose text means nothing.
func (w writer) rawText(n ast.Node) string {
	return plain.Text(strings.TrimSuffix(w.Lines(n), "\n"))
}

// splitBlocks makes blocks of a text: the first of the kind that is asked for, the
// others paragraphs, but for code, which stays code. No text is no block.
func splitBlocks(b Block, runs []Text) []Block {
	var list []Block
	for _, part := range splitToFit(runs, textBytes) {
		b.Text = part
		list = append(list, b)
		if b.Type != code {
			b = Block{Type: paragraph}
		}
	}
	return list
}

// containerBlocks makes a block that holds others of a node: its first paragraph is the
// block's own text, behind the text the block has already.
func (w writer) containerBlocks(b Block, n ast.Node, depth int) []Block {
	var inside []Block
	for child := range commonmark.Children(n) {
		if child == n.FirstChild() && (child.Kind() == ast.KindParagraph || child.Kind() == ast.KindTextBlock) {
			own := splitBlocks(b, joinRuns(append(b.Text, w.textRuns(child)...)))
			if len(own) > 0 {
				b, inside = own[0], own[1:]
			}
			continue
		}
		inside = append(inside, w.block(child, depth+1)...)
	}
	switch {
	case len(b.Text) == 0 && len(inside) == 0:
		return nil
	case depth >= maxDepth:
		return append([]Block{b}, inside...)
	}
	b.Children = inside
	return []Block{b}
}

// list makes blocks of a list's items. Notion counts the items of a list from
// one; those of a list that begins elsewhere keep their numbers as text.
func (w writer) list(l *ast.List, depth int) []Block {
	var list []Block
	n := l.Start
	for i := range commonmark.Children(l) {
		b := Block{Type: bullet}
		box, isTask := checkbox(i)
		switch {
		case isTask:
			b = Block{Type: task, Checked: box.IsChecked}
		case l.IsOrdered() && l.Start == 1:
			b.Type = number
		case l.IsOrdered():
			b = Block{Type: paragraph, Text: []Text{{Content: strconv.Itoa(n) + ". "}}}
		}
		list = append(list, w.containerBlocks(b, i, depth)...)
		n++
	}
	return list
}

// checkbox is the box an item of a list of tasks begins with.
func checkbox(item ast.Node) (*extast.TaskCheckBox, bool) {
	if item.FirstChild() == nil {
		return nil, false
	}
	box, ok := item.FirstChild().FirstChild().(*extast.TaskCheckBox)
	return box, ok
}

// table makes a table. What is too long for a cell goes on in the cell below,
// in a row of its own; a table too wide for Notion becomes text.
func (w writer) table(t *extast.Table) []Block {
	width := len(t.Alignments)
	b := Block{Type: table, Width: width}
	var lines []string
	for _, cells := range commonmark.Rows(t, w.textRuns) {
		b.Children = append(b.Children, tableRows(cells, width)...)
		lines = append(lines, rowText(cells))
	}
	switch {
	case width > maxColumns:
		return splitBlocks(Block{Type: code, Language: plainText}, []Text{{Content: strings.Join(lines, "\n")}})
	case width == 0 || len(b.Children) == 0:
		return nil
	}
	return []Block{b}
}

// tableRows makes rows of one row's cells: as many as the longest cell takes.
func tableRows(cells [][]Text, width int) []Block {
	parts := make([][][]Text, width)
	most := 1
	for i := range min(width, len(cells)) {
		parts[i] = splitToFit(cells[i], maxBytes/2/width)
		most = max(most, len(parts[i]))
	}
	list := make([]Block, most)
	for n := range list {
		list[n] = Block{Type: tableRow, Cells: make([][]Text, width)}
		for i := range parts {
			if n < len(parts[i]) {
				list[n].Cells[i] = parts[i][n]
			}
		}
	}
	return list
}

// rowText is a row of a table as text.
func rowText(cells [][]Text) string {
	var words []string
	for _, cell := range cells {
		var b strings.Builder
		for _, run := range cell {
			b.WriteString(run.Content)
		}
		words = append(words, b.String())
	}
	return strings.Join(words, " | ")
}
