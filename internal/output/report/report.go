// Package report reads and writes reports in Markdown.
//
// Of a seat's report it says whether it says anything ([Usable]), of a
// synthesis what is wrong with it ([Lint]). [Render] makes the final report:
// the writer of a synthesis cites claims by id alone, and references, their
// numbers and the list of sources are made here, so that none can dangle, be
// doubled or stand unused.
//
// All Markdown that comes in is foreign: any bytes may come, and nothing of it
// reaches a final report but text, emphasis, lists, tables, quotations and
// code. Links and HTML a model typed do not.
package report

import (
	"bytes"
	"fmt"

	"github.com/research-council/research-council/internal/base/words"

	"github.com/yuin/goldmark/ast"
)

// MinWords is what a report has to say at least: two or three sentences
// outside headings and code. It is low, because a short answer can be an
// answer; it is there to tell one from an apology, a plan or an empty form.
const MinWords = 40

// Usable reports whether a report says something, and if not, what is wrong
// with it in a few words. Only the first [Limit] bytes are looked at.
func Usable(markdown []byte) (ok bool, problem string) {
	if len(bytes.TrimSpace(markdown)) == 0 {
		return false, "it is empty"
	}
	if bytes.IndexByte(markdown[:min(len(markdown), Limit)], 0) >= 0 {
		return false, "it is no text"
	}
	d := parse(markdown, true)
	said := 0
	for _, n := range textBlocks(d.Root) {
		said += words.Count(d.plainText(n))
	}
	switch {
	case said >= MinWords:
		return true, ""
	case said > 0:
		return false, fmt.Sprintf("it has %d words outside headings and code; a report has at least %d", said, MinWords)
	case d.hasBlock(ast.KindFencedCodeBlock) || d.hasBlock(ast.KindCodeBlock):
		return false, "it is a block of code and nothing else; write Markdown without a fence around it"
	}
	return false, "it has nothing but headings, marks or HTML"
}

// hasBlock reports whether a block of a kind stands at the top.
func (d document) hasBlock(kind ast.NodeKind) bool {
	for n := d.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == kind {
			return true
		}
	}
	return false
}
