package commonmark_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/research-council/research-council/internal/base/commonmark"
)

// kinds are the kinds of nodes in a text.
func kinds(source string, s commonmark.Syntax) map[ast.NodeKind]bool {
	found := map[ast.NodeKind]bool{}
	_ = ast.Walk(commonmark.Parse([]byte(source), s).Root, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		found[n.Kind()] = true
		return ast.WalkContinue, nil
	})
	return found
}

func TestAReaderGetsTheSyntaxItAsksFor(t *testing.T) {
	table, reference, task, note := "| a | b |\n|---|---|\n| 1 | 2 |\n", "[a]\n\n[a]: http://a.example\n", "- [x] ~~done~~ https://a.example\n", "a[^1]\n\n[^1]: b\n"
	for _, c := range []struct {
		source string
		syntax commonmark.Syntax
		kind   ast.NodeKind
		found  bool
	}{
		{table, commonmark.Tables, extast.KindTable, true},
		{table, commonmark.References, extast.KindTable, false},
		{table, commonmark.GitHub, extast.KindTable, true},
		{reference, commonmark.Tables, ast.KindLink, false},
		{reference, commonmark.References, ast.KindLink, true},
		{reference, commonmark.GitHub, ast.KindLink, true},
		{task, commonmark.Tables | commonmark.References, extast.KindTaskCheckBox, false},
		{task, commonmark.GitHub, extast.KindTaskCheckBox, true},
		{task, commonmark.GitHub, extast.KindStrikethrough, true},
		{task, commonmark.GitHub, ast.KindAutoLink, true},
		{note, commonmark.GitHub, extast.KindFootnote, false},
		{note, commonmark.GitHub | commonmark.Footnotes, extast.KindFootnote, true},
	} {
		require.Equal(t, c.found, kinds(c.source, c.syntax)[c.kind], "%q, %b: %s", c.source, c.syntax, c.kind)
	}
}

// A report is a seat's: a table of it does not take all memory there is.
func TestATableThatWouldFillMemoryStaysText(t *testing.T) {
	small := "\n| a | b |\n|---|---|\n| 1 | 2 |\n"
	wide := strings.Repeat("|a", 2000) + "\n" + strings.Repeat("|-", 2000) + "\n" + strings.Repeat("|b\n", 2000)
	cells := 0
	_ = ast.Walk(commonmark.Parse([]byte(wide+strings.Repeat(small, 100)), commonmark.Tables).Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Kind() == extast.KindTableCell {
			cells++
		}
		return ast.WalkContinue, nil
	})
	require.Equal(t, 400, cells)
	many := 0
	for range commonmark.Children(commonmark.Parse([]byte(strings.Repeat("| a | b |\n|---|---|\n"+strings.Repeat("| 1 | 2 |\n", 10_000)+"\n", 10)), commonmark.Tables).Root) {
		many++
	}
	require.Equal(t, 10, many)
}

func TestEscapesAndEntitiesAreUndoneOnce(t *testing.T) {
	for in, want := range map[string]string{
		"plain":            "plain",
		`\&lt; \* \a`:      `&lt; * \a`,
		"&lt;&#65;&#x42;":  "<AB",
		"&amp;lt;":         "&lt;",
		"&nothing; a\\":    "&nothing; a\\",
		`a \[b\] &copy; c`: "a [b] © c",
	} {
		require.Equal(t, want, string(commonmark.Unescape([]byte(in))), in)
	}
}

func TestTextOfNodes(t *testing.T) {
	d := commonmark.Parse([]byte("a\\* `b\nc`\n\n    code\n    more\n\n<!-- x\n-->\n"), commonmark.Tables)
	paragraph := d.Root.FirstChild()
	var said strings.Builder
	for n := paragraph.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			said.WriteString(d.Text(n))
		case *ast.CodeSpan:
			said.WriteString(d.Code(n))
		}
	}
	require.Equal(t, "a* b c", said.String())
	code := paragraph.NextSibling()
	require.Equal(t, "code\nmore\n", d.Lines(code))
	require.Equal(t, "<!-- x\n-->\n", d.Lines(code.NextSibling()))
}
