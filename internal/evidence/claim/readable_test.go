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
		{"a power", "a.html", "281 terabytes (2<sup><small>48</small></sup> bytes), 2<sup>n</sup>, 10<sup>-3</sup> m", "281 terabytes (2^48 bytes), 2^n, 10^-3 m"},
		{"a note", "a.html", "as it was shown.<sup>3</sup> It <sup>th</sup>", "as it was shown.3 It th"},
		{"a listing", "a.html", "<p>Say\nthis:</p><pre>BEGIN;\nCOMMIT;</pre> and\nwait", "Say this:\nBEGIN;\nCOMMIT;\nand wait"},
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

func TestWhatAFileInHTMLLeavesOutIsShownWithoutTags(t *testing.T) {
	lib := library{"wait.html": "<p>A worker waits\n  for <code class=\"command\">NOTIFY</code>. It then looks <em>once</em> into the table. After that it sleeps for a second.</p>\n"}
	got := claim.Locate([]claim.Entry{{ID: "C1", Quote: "A worker waits for NOTIFY. … After that it sleeps for a second.", Source: "wait.html:1-2"}}, lib)[0].Location
	require.Equal(t, claim.Located, got.State, got.Reason)
	require.Equal(t, []string{"It then looks once into the table."}, got.LeftOut)
	require.Contains(t, got.Passage, "<code", "the passage itself stays as it is in the file")
	require.Equal(t, "A worker waits for NOTIFY. It then looks once into the table. After that it sleeps for a second.", claim.Readable("wait.html", got.Passage))
	lost := claim.Locate([]claim.Entry{{ID: "C2", Quote: "A worker waits for SIGNAL, then it looks twice into the table.", Source: "wait.html"}}, lib)[0].Location
	require.Equal(t, claim.NotFound, lost.State)
	require.NotContains(t, lost.Nearest, "<")
}
