package commonmark_test

import (
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark/ast"

	"github.com/research-council/research-council/internal/base/commonmark"
	"github.com/research-council/research-council/internal/base/proc/proctest"
)

// took is how long a processor reads a text, without the collection of garbage, which
// comes when it will: a small text is often read before the first, and a large one never.
func took(source string, s commonmark.Syntax) time.Duration {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	began := proctest.Spent()
	commonmark.Parse([]byte(source), s)
	return proctest.Spent() - began
}

// growth is how many times as long as a text of a size one four times as long takes to
// read: the least of several tries, as a machine that is busy with something else slows
// the one or the other; 1 where both are too short to tell.
func growth(unit string, size int, s commonmark.Syntax) float64 {
	least := math.Inf(1)
	for range 5 {
		once, again := took(strings.Repeat(unit, size/len(unit)), s), took(strings.Repeat(unit, 4*size/len(unit)), s)
		if again < 50*time.Millisecond {
			return 1
		}
		if least = min(least, float64(again)/float64(once)); least < 8 {
			break
		}
	}
	return least
}

// Four times the marks take four times as long and not sixteen times, whatever the marks.
func TestMarksCostNoMoreThanTheirLength(t *testing.T) {
	const size = 64 << 10
	for _, unit := range []string{
		"[", "![", "[[[]]]", "[a]", "[](", "![](", "[a](", "![a](", "[a](<b", "[a](b \"", "[a]((((", "]](", "*a ", "a* ", "**a", "_*_", "a**b_c* ", "~a~~b~~~c ", "` `` ", "<", "<a ", "</a ", "<!-- ", "<?", "<![CDATA[", "\\", "&amp", "&#x41;", "[^1]", "www.", "http://(((", "a@b.c ",
		">", "> ", "- ", "1. ", "# ", "|a", "*a|", "[a]: ", "[^a]: ",
		"[a\n", "![a\n", "[a](\n", "[a](x\n", "[a](b 'x\n", "<a b=\"\n", "*a\n", "[a]: b\n", "[a]: b '\n", "[^1]: a\n", "> a\n", "> ```\n", "- a\n", "- [ ] a\n", "a\n=\n", "<div>\n\n",
	} {
		for _, s := range []commonmark.Syntax{commonmark.Tables, commonmark.References, commonmark.GitHub | commonmark.Footnotes} {
			require.Less(t, growth(unit, size, s), 8.0, "%q, %b", unit, s)
		}
	}
}

// What is too much to be read as marks is text, and none of it is lost; what stood before
// is read.
func TestWhatIsTooMuchIsText(t *testing.T) {
	source := "**read** [a](http://a.example)\n\n" + strings.Repeat("[a](", 1<<16) + "\n\n**text** " + strings.Repeat("> ", 100) + "deep\n"
	d := commonmark.Parse([]byte(source), commonmark.Tables)
	strong := 0
	var said strings.Builder
	_ = ast.Walk(d.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Emphasis:
				strong++
			case *ast.Text:
				said.WriteString(d.Text(n))
			}
		}
		return ast.WalkContinue, nil
	})
	require.Equal(t, 1, strong)
	require.Contains(t, said.String(), strings.Repeat("[a](", 1<<16))
	require.Contains(t, said.String(), "**text** ")

	depth := 0
	for n := commonmark.Parse([]byte(strings.Repeat("> ", 1000)+"deep\n"), commonmark.Tables).Root; n != nil; n = n.FirstChild() {
		depth++
	}
	require.Less(t, depth, 60)
}
