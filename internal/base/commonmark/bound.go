package commonmark

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Bounds of what a text may cost. A mark may make its parser look at all of the block it
// stands in, so that it costs the block's length; a report of 100 kB costs a hundredth
// of what there is.
const (
	mostLooks = 64 << 20 // bytes
	mostDepth = 48       // blocks in one another
	mostLines = 512      // of a paragraph that is searched for link reference definitions
)

// bound bounds what parsers cost together.
func bound(blocks, inline []util.PrioritizedValue) {
	left := &looks{left: mostLooks}
	for i, v := range inline {
		if p, ok := v.Value.(parser.InlineParser); ok {
			inline[i] = util.Prioritized(boundedInline{p, left}, v.Priority)
		}
	}
	for i, v := range blocks {
		if p, ok := v.Value.(parser.BlockParser); ok {
			blocks[i] = util.Prioritized(boundedBlock{p}, v.Priority)
		}
	}
}

// looks is what of a text may still be looked at.
type looks struct {
	left  int
	block ast.Node // the last one that was asked for
	size  int      // and its length
}

// take reports whether a mark in a block may be read, and takes what that costs.
func (l *looks) take(block ast.Node) bool {
	if block != l.block {
		l.block, l.size = block, 0
		lines := block.Lines()
		for i := range lines.Len() {
			segment := lines.At(i)
			l.size += segment.Len()
		}
	}
	l.left -= min(l.left, l.size)
	return l.left > 0
}

// boundedInline reads marks for which there is something left; others stay text.
type boundedInline struct {
	parser.InlineParser
	looks *looks
}

// Parse reads a mark.
func (b boundedInline) Parse(parent ast.Node, r text.Reader, c parser.Context) ast.Node {
	if !b.looks.take(parent) {
		return nil
	}
	return b.InlineParser.Parse(parent, r, c)
}

// CloseBlock ends what is open at the end of a block.
func (b boundedInline) CloseBlock(parent ast.Node, r text.Reader, c parser.Context) {
	if p, ok := b.InlineParser.(parser.CloseBlocker); ok {
		p.CloseBlock(parent, r, c)
	}
}

// boundedBlock opens blocks down to a depth; what would be deeper is text.
type boundedBlock struct{ parser.BlockParser }

// Open opens a block.
func (b boundedBlock) Open(parent ast.Node, r text.Reader, c parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil && depth < mostDepth; n = n.Parent() {
		depth++
	}
	if depth == mostDepth && parent.Kind() != ast.KindList && !b.isParagraph() {
		return nil, parser.NoChildren
	}
	return b.BlockParser.Open(parent, r, c)
}

// isParagraph reports whether what is opened is text in any case.
func (b boundedBlock) isParagraph() bool {
	return b.Trigger() == nil && !b.CanInterruptParagraph() && !b.CanAcceptIndentedLine()
}

// boundedDefinitions reads link reference definitions in paragraphs that are no longer
// than any people write: a longer one is copied for each definition.
type boundedDefinitions struct{ parser.ParagraphTransformer }

// Transform takes the definitions out of a paragraph.
func (b boundedDefinitions) Transform(p *ast.Paragraph, r text.Reader, c parser.Context) {
	if p.Lines().Len() <= mostLines {
		b.ParagraphTransformer.Transform(p, r, c)
	}
}
