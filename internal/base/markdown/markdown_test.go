package markdown_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/base/markdown"
)

// read is what a reader of CommonMark with the additions of code hosts makes
// of a text: the kinds of all that is in it, and its words with code in
// backticks.
func read(source string) (kinds []string, words string) {
	var b strings.Builder
	src := []byte(source)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(src))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Kind() == ast.KindCodeSpan {
			b.WriteByte('`')
		}
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Kind() != ast.KindText {
			kinds = append(kinds, n.Kind().String())
		} else if t := n.(*ast.Text).Segment.Value(src); n.Parent().Kind() == ast.KindCodeSpan {
			b.Write(t)
		} else {
			b.Write(unescaped(t))
		}
		return ast.WalkContinue, nil
	})
	return kinds, b.String()
}

func unescaped(s []byte) []byte {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && bytes.IndexByte([]byte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"), s[i+1]) >= 0 {
			i++
		}
		out = append(out, s[i])
	}
	return out
}

// hostile are words on one line, as callers make them.
func hostile() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]string{
			"# ", " #", " ##", "[a](https://x.invalid)", "![a](b)", "!", "<b>", "<!-- x -->", "</b>", "https://x.invalid", "www.x.invalid", "ftp://x.invalid", "a@x.invalid", "mailto:a@x.invalid",
			"`", "``", "`a`", "```", "~~~", "**b**", "_", "snake_case", "- ", "+ ", "= ", "===", "---", "> ", ">", "1. ", "1) ", "12.5", "| a |", "|", "&lt;", "&#60;", "\\", "$x$", "@a", "a@b.example", "#1", "[x]: y", "[^1]", "    a", "a", "ü", "語",
		}), rapid.StringMatching(`[ -~]{0,6}`)), 0, 8).Draw(t, "parts")
		return strings.Join(strings.Fields(strings.Join(parts, "")), " ")
	})
}

func TestWordsAreTextWhereverTheyStand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostile().Draw(t, "words")
		for name, c := range map[string]struct {
			line, before string
			kinds        []string
		}{
			"a line":    {markdown.Escape(s, true), "", []string{"Document", "Paragraph"}},
			"in a line": {"Said: " + markdown.Escape(s, false), "Said: ", []string{"Document", "Paragraph"}},
			"a heading": {"## " + markdown.Escape("x "+s, false), "x ", []string{"Document", "Heading"}},
			"an item":   {"- " + markdown.Escape(s, true), "", []string{"Document", "List", "ListItem", "TextBlock"}},
		} {
			if s == "" && c.before == "" {
				continue
			}
			kinds, words := read(c.line)
			require.Equal(t, c.kinds, kinds, "%s: %q", name, c.line)
			require.Equal(t, strings.TrimSpace(c.before+s), strings.TrimSpace(words), "%s: %q", name, c.line)
		}
		kinds, _ := read("| a | b |\n|---|---|\n| " + markdown.Escape(s, true) + " | 2 |\n")
		require.Equal(t, []string{"Document", "Table", "TableHeader", "TableCell", "TableCell", "TableRow", "TableCell", "TableCell"}, kinds)
	})
}

func TestWhatMeansNothingStaysAsItIs(t *testing.T) {
	for _, s := range []string{"snake_case", "5 > 4, 7.5 and 1,204", "3.14 is pi", "a: b", "Really! Yes", "C# and # alone", "R & D", "(see below)", "a - b = c + d"} {
		require.Equal(t, s, markdown.Escape(s, true))
	}
	require.Equal(t, `\#12 \@a https\://x.invalid www\.x.invalid \$5 done\!`, markdown.Escape("#12 @a https://x.invalid www.x.invalid $5 done!", true))
}

func TestCodeInWordsStaysCode(t *testing.T) {
	for s, want := range map[string]string{
		"calls `Do()` twice": "calls `Do()` twice",
		"`- a` is *code*":    "`- a` is \\*code\\*",
		"- an `item`":        "\\- an `item`",
		"one ` alone":        "one \\` alone",
		"``two``":            "\\`\\`two\\`\\`",
		"` `":                "\\` \\`",
		"to `a@b.example`":   "to `a@b.example`",
		"to`a@b.example`":    "to\\`a\\@b.example\\`",
		"":                   "",
	} {
		require.Equal(t, want, markdown.Prose(s, true))
	}
	rapid.Check(t, func(t *rapid.T) {
		s := hostile().Draw(t, "words")
		kinds, _ := read("Said: " + markdown.Prose(s, false))
		for _, k := range kinds {
			require.Contains(t, []string{"Document", "Paragraph", "CodeSpan"}, k, "%q", s)
		}
	})
}

func TestNothingClosesItsSpanOrItsFence(t *testing.T) {
	require.Empty(t, markdown.Span(" "))
	require.Equal(t, "```", markdown.Fence("a `b` c"))
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching("[`a \\\\~]{0,12}").Draw(t, "code")
		if want := strings.TrimSpace(s); want != "" {
			kinds, words := read("x " + markdown.Span(s) + " y")
			require.Equal(t, []string{"Document", "Paragraph", "CodeSpan"}, kinds)
			require.Equal(t, "x `"+want+"` y", words)
		}
		fence := markdown.Fence(s)
		kinds, _ := read(fence + "\n" + s + "\n" + fence + "\n# after")
		require.Equal(t, []string{"Document", "FencedCodeBlock", "Heading"}, kinds)
	})
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"a", "# x", "1. x", "<b>", "\xff", "`a`b`", "x!", "www.", ">x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, first := range []bool{false, true} {
			got := markdown.Escape(s, first)
			require.Equal(t, strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\\", ""), strings.ReplaceAll(got, "\\", ""))
			require.LessOrEqual(t, strings.Count(markdown.Prose(s, first), "`"), strings.Count(s, "`"))
		}
		require.NotContains(t, s, markdown.Fence(s))
	})
}
