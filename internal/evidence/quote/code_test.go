package quote_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/quote"
)

// What looks like code only by what is around it is judged as the prose it is.
func TestProseDressedAsCodeIsJudgedAsProse(t *testing.T) {
	const claim = "the vaccine causes autism in small children and in adults"
	const stored = "store passwords of the users in plain text"
	const noEvidence = "There is no evidence that " + claim + ", the board found.\n"
	const notStored = "The server does not " + stored + ".\n"
	for _, c := range []struct{ text, quoted string }{
		{"# Usage\n\nRun tool <prefix> to begin.\n\n" + noEvidence, claim},
		{"# Usage\n\nRun tool --prec <precision> to begin.\n\n" + notStored, stored},
		{"```inline``` code is fun.\n\n" + noEvidence, claim},
		{"```inline``` code is fun.\n\n" + notStored, stored},
		{"The <pre> tag is old.\n\n" + noEvidence, claim},
		{"The <pre> tag is old.\n\n" + notStored, stored},
		{"```\nOne fence only.\n\n" + noEvidence, claim},
		{"```\nOne fence only.\n\n" + notStored, stored},
		{"```\nfoo\n```\n~~~\n\n" + noEvidence + "\n~~~\n", claim},
		{"```text\nfoo\n~~~\n\n" + notStored, stored},
		{"```text\n" + notStored + "```\n", stored},
		{"<pre>\n" + noEvidence + "</pre>\n", claim},
		{"<html><body><hr><pre>Dear list,\n\nI have read it.\n" + noEvidence + notStored + "\nBob\n</pre><hr></body></html>\n", claim},
		{"<html><body><hr><pre>Dear list,\n\nI have read it.\n" + noEvidence + notStored + "\nBob\n</pre><hr></body></html>\n", stored},
		{"<pre>There is no evidence that the <b>vaccine</b> causes <a href=\"x\">autism</a> in small children.</pre>", `vaccine</b> causes <a href="x">autism</a> in small children`},
		{"You must not `" + stored + "`.", stored},
		{"You must not `" + stored + "`", stored},
		{"You must not `x = max_users + 5 && reset(y)`.", "x = max_users + 5 && reset(y)"},
		{"The docs say: `never " + stored + "`.", stored},
		{"It is false that `" + claim + "` holds.", claim},
		{"There is no evidence that `" + claim + "`.", claim},
		{"`a` It is false that `" + claim + "` and `b`.", claim},
		{"It is a myth, said A, that $ `" + claim + "`", claim},
		{"```\n没有证据表明新药剂(A)能够降低藻类的数量。\n```", "新药剂(A)能够降低藻类的数量"},
		{"```\nYou must not\nset_max(users) = 5\n```", "set_max(users) = 5"},
	} {
		m, ok := quote.Find(c.text, c.quoted)
		require.False(t, ok && len(m.Findings) == 0, "%q in %q", c.quoted, c.text)
	}
}

// A "not" or an "if" of code around what is quoted of it governs nothing.
func TestCodeIsNotJudgedAsProse(t *testing.T) {
	for _, c := range []struct{ text, quoted string }{
		{"Text.\n\n```go\nif !db.opt.SyncWrites && n > 10 {\n\treturn errNotSynced\n}\n```\n", "return errNotSynced\n}"},
		{"```python\nif not self.is_open and (path := find(self.root)):\n    return path\n```\n", "self.is_open and (path := find(self.root)):"},
		{"````md\n```\nunless x.ready {\n\tset_max(x, 10) = y;\n```\n````\n", "set_max(x, 10) = y;"},
		{"<p>It is.</p>\n<pre class=\"go\">if err != nil {\n\tlog.Fatal(err)\n}</pre>\n", "log.Fatal(err)\n}"},
		{"It is false only if `a.b == c_d && e()`.", "a.b == c_d && e()"},
	} {
		m, ok := quote.Find(c.text, c.quoted)
		require.True(t, ok, "%q in %q", c.quoted, c.text)
		require.Empty(t, m.Findings, "%q in %q", c.quoted, c.text)
	}
}

// A page may be one long line of tags, or fences without an end.
func TestMarksOfCodeTakeTimeInLine(t *testing.T) {
	for _, mark := range []string{"<pre>", "```\n", "<pre ", "~"} {
		_, _ = quote.Find(strings.Repeat(mark, 1<<18)+" The lake is deep.", "The lake is deep.")
	}
}

// An operator decides what code does, though prose has the same marks for emphasis.
func TestAnotherOperatorIsAnotherCode(t *testing.T) {
	const text = "Text.\n\n```c\nif ((n = read(f, &b)) != 0 && *p > max_len)\n\treturn -1;\n```\n\nMore.\n"
	for quoted, found := range map[string]bool{
		"if ((n = read(f, &b)) != 0 && *p > max_len)": true,
		"if ((n = read(f, &b)) == 0 && *p > max_len)": false,
		"if ((n = read(f, b)) != 0 && *p > max_len)":  false,
		"if ((n = read(f, &b)) != 0 && p > max_len)":  false,
		"if ((n = read(f, &b)) != 0 || *p > max_len)": false,
	} {
		_, ok := quote.Find(text, quoted)
		require.Equal(t, found, ok, quoted)
	}
}
