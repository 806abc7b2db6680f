package notion_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/output/notion"
	notiontest "github.com/research-council/research-council/test/notion"
)

func TestMarkdownBecomesBlocks(t *testing.T) {
	for _, c := range []struct{ what, markdown, want string }{
		{"headings of three levels", "# a\n\n## b\n\n### c\n\n#### d\n\nSet\n===\n", "heading_1: a\nheading_2: b\nheading_3: c\nheading_3: d\nheading_1: Set\n"},
		{"lines of a paragraph are one, but for breaks", "a\nb  \nc\\\nd\n", "paragraph: a b\nc\nd\n"},
		{"lists in lists, and what else stands in items", "- a\n  1. b\n\n     more\n\n  ```go\n  x\n  ```\n- c\n", "bulleted_list_item: a\n  numbered_list_item: b\n    paragraph: more\n  code: x\nbulleted_list_item: c\n"},
		{"a list that does not begin at one keeps its numbers", "7. a\n8. b\n", "paragraph: 7. a\nparagraph: 8. b\n"},
		{"tasks", "- [ ] a\n- [x] b\n- [y] c\n", "to_do: a\nto_do: b\nbulleted_list_item: [y] c\n"},
		{"quotations", "> a\n>\n> - b\n>\n> > c\n", "quote: a\n  bulleted_list_item: b\n  quote: c\n"},
		{"code keeps its signs", "```\n**a** &amp; <b>\n\n\\*\n```\n\n    indented\n", "code: **a** &amp; <b>\n\n\\*\ncode: indented\n"},
		{"dividers", "a\n\n---\n\n***\n", "paragraph: a\ndivider: \ndivider: \n"},
		{"tables, with what stands in their cells", "| a | b |\n|:-:|---|\n| `x\\|y` | **z** [l](https://x.invalid) |\n| 1 |\n", "table: \n  table_row: a | b\n  table_row: x|y | z l\n  table_row: 1 | \n"},
		{"footnotes are numbers, and stand at the end", "a[^x] b[^y]\n\n[^y]: second\n\n[^x]: first\n\n    more\n", "paragraph: a[1] b[2]\nparagraph: [1] first\n  paragraph: more\nparagraph: [2] second\n"},
		{"images are their words", "![the lake](lake.png) ![](https://x.invalid/a.png)\n", "paragraph: the lake (lake.png) image\n"},
		{"a file beside the report is named", "[main](src/main.go#L3) [top](#top) [mail](mailto:a@b.invalid)\n", "paragraph: main (src/main.go#L3) top mail\n"},
		{"HTML is its text", "<div>\n<b>bold</b><br>\nnext <!-- not this --> &lt;\n</div>\n\na <em>b</em><br>c <T> <!-- x -->d\n", "paragraph: bold\n\nnext  <\nparagraph: a b\nc <T> d\n"},
		{"HTML that keeps its lines", "<pre>\na\n\nb\n</pre> c\n", "paragraph: a\n\nb\n c\n"},
		{"a comment alone is nothing", "<!-- DONE -->\n\n<!-- a\n\nb -->\n", ""},
		{"a tag without an end is text", "<div class=\n", "paragraph: <div class=\n"},
		{"escapes and entities are undone once", "\\*a\\* &amp;amp; &#65; \\&lt; `&amp; \\*`\n", "paragraph: *a* &amp; A &lt; &amp; \\*\n"},
		{"control characters are gone", "a\x00b\x1b[31mc\u202ed\u2028e\r\nf\n", "paragraph: a\uFFFDb[31mcd\ne f\n"},
		{"what is no UTF-8 is marked", "a\xffb\n", "paragraph: a\uFFFDb\n"},
		{"nothing is nothing", " \n\n", ""},
		{"an empty item, an empty quotation, empty code", "-\n- a\n\n>\n\n```\n```\n", "bulleted_list_item: a\n"},
	} {
		require.Equal(t, c.want, outline(notion.Blocks([]byte(c.markdown)), ""), c.what)
	}
}

func TestStylesAndLinks(t *testing.T) {
	const x = "https://x.invalid/"
	for _, c := range []struct {
		markdown string
		want     []notion.Text
	}{
		{"a **b *c*** ~~d~~ `e`", []notion.Text{{Content: "a "}, {Content: "b ", Bold: true}, {Content: "c", Bold: true, Italic: true}, {Content: " "}, {Content: "d", Strike: true}, {Content: " "}, {Content: "e", Code: true}}},
		{"[a **b**](" + x + ")", []notion.Text{{Content: "a ", Link: x}, {Content: "b", Link: x, Bold: true}}},
		{"<" + x + "?a=1&b> " + x + "c.", []notion.Text{{Content: x + "?a=1&b", Link: x + "?a=1&b"}, {Content: " "}, {Content: x + "c", Link: x + "c"}, {Content: "."}}},
		{"[a](<" + x + "ä b?q=ö&amp;r=\\*>)", []notion.Text{{Content: "a", Link: x + "%C3%A4%20b?q=%C3%B6&r=*"}}},
		{"[a](https://bücher.invalid:8080/x)", []notion.Text{{Content: "a", Link: "https://xn--bcher-kva.invalid:8080/x"}}},
		{"[![i](a.png)](" + x + ")", []notion.Text{{Content: "i", Link: x}}},
		{"[a](javascript:alert(1)) [b](//x.invalid/b) [c](https:///x)", []notion.Text{{Content: "a b (//x.invalid/b) c (https:///x)"}}},
		{"[a](https://ada:pw@x.invalid/)", []notion.Text{{Content: "a (https://ada:pw@x.invalid/)"}}},
		{"[a](" + x + strings.Repeat("y", 2000) + ")", []notion.Text{{Content: "a (" + x + strings.Repeat("y", 2000) + ")"}}},
		{"[a](http://x_y.invalid/)", []notion.Text{{Content: "a (http://x_y.invalid/)"}}},
	} {
		blocks := notion.Blocks([]byte(c.markdown))
		require.Len(t, blocks, 1, c.markdown)
		if len(c.want) == 1 && len(c.want[0].Content) > 2000 {
			require.Equal(t, c.want[0].Content, content(blocks[0].Text))
			continue
		}
		require.Equal(t, c.want, blocks[0].Text, c.markdown)
	}
}

func TestLanguagesAreNotions(t *testing.T) {
	for fence, want := range map[string]string{
		"go": "go", "Go": "go", "golang": "go", "c++": "c++", "cpp": "c++", "sh": "shell", "yml": "yaml", "python": "python", "plain": "plain text",
		"": "plain text", "brainfuck": "plain text", "visual basic": "plain text", "toml": "plain text", "js {1,2}": "javascript",
	} {
		blocks := notion.Blocks([]byte("```" + fence + "\nx\n```\n"))
		require.Len(t, blocks, 1, fence)
		require.Equal(t, want, blocks[0].Language, fence)
	}
}

func TestALongTextIsCutBetweenCharacters(t *testing.T) {
	text := "x" + strings.Repeat("🏔", 120_000)
	blocks := notion.Blocks([]byte(text))
	var all strings.Builder
	for _, b := range blocks {
		require.Equal(t, "paragraph", b.Type)
		for _, run := range b.Text {
			require.NotContains(t, run.Content, "\uFFFD")
		}
		all.WriteString(content(b.Text))
	}
	require.Equal(t, text, all.String())
}

// Whatever the Markdown is, Notion takes the blocks, and they are what it
// counts.
func FuzzBlocks(f *testing.F) {
	f.Add([]byte("# a\n\n- [x] b\n  > c\n\n| a | b |\n|---|---|\n| `c` | [d](https://x.invalid) |\n\n[^1]\n\n[^1]: note\n"))
	f.Add([]byte(strings.Repeat("> - ", 40) + "x\n"))
	f.Add([]byte(strings.Repeat("*a* b ", 300)))
	f.Add([]byte("<div><script>x</script>\n<b\n\n[a](HTTPS://X.invalid:99999/%zz) <https://x.invalid/\x7f>"))
	f.Add([]byte("|a|\n|-|\n|" + strings.Repeat("\"x ", 2000) + "|\n"))
	f.Add([]byte("0. a\n1. b\n\n1) c\n\n999999999. d\n"))
	f.Add([]byte("\u2028\u202e\x00\xff```\xff\n\xff\n"))
	f.Fuzz(func(t *testing.T, markdown []byte) {
		if len(markdown) > 20_000 {
			return
		}
		given := bytes.Clone(markdown)
		blocks := notion.Blocks(markdown)
		require.Equal(t, given, markdown)
		s := notiontest.New()
		c := near(s, 0)
		require.NoError(t, c.Replace(t.Context(), s.Parent, blocks))
		n, err := c.Count(t.Context(), s.Parent)
		require.NoError(t, err)
		require.Equal(t, notion.Count(blocks), n)
		require.Equal(t, outline(blocks, ""), s.Page(s.Parent).Text())
	})
}

func BenchmarkBlocks(b *testing.B) {
	markdown := report(2000, 500)
	b.SetBytes(int64(len(markdown)))
	for b.Loop() {
		notion.Blocks(markdown)
	}
}
