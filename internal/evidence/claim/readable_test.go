package claim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/claim"
)

func TestAFileInHTMLIsShownAsItIsRead(t *testing.T) {
	for _, c := range []struct{ name, ref, text, want string }{
		{"tags", "docs/lock.html:3-9", `With <code class="literal">SKIP LOCKED</code>, rows that cannot be locked are&nbsp;skipped.`, "With SKIP LOCKED, rows that cannot be locked are skipped."},
		{"a link", "wal.html", `might fail with <a href="rescode.html#busy">SQLITE_BUSY</a> if another`, "might fail with SQLITE_BUSY if another"},
		{"paragraphs and items", "a.HTM", "<ul><li>One &lt; two.</li>\n<li>Three.</li></ul><p>End", "One < two.\nThree.\nEnd"},
		{"a tag cut at its end", "a.html", `in some ways. </p><div`, "in some ways."},
		{"a tag cut within", "a.html", `read (see <a class="xref" href="mvcc.html" title="Chapter 13.`, "read (see"},
		{"a tag cut at its beginning", "a.html", `class="xref" href="x.html">the chapter</a> says`, "the chapter says"},
		{"a comparison", "a.html", "where a > b holds", "where a > b holds"},
		{"another file", "a.go:7", "if a < b && c > d {", "if a < b && c > d {"},
		{"Markdown", "README.md", "use <kbd>q</kbd> to quit", "use <kbd>q</kbd> to quit"},
		{"a web page, of which the text is kept", "https://a.example/x.html", "x <b>y</b>", "x <b>y</b>"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, claim.Readable(c.ref, c.text)) })
	}
}
