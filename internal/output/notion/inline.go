package notion

import (
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
	tokens "golang.org/x/net/html"
	"golang.org/x/net/idna"

	"github.com/research-council/research-council/internal/base/commonmark"
	"github.com/research-council/research-council/internal/base/plain"
)

// textRuns makes stretches of the running text of a block.
func (w writer) textRuns(n ast.Node) []Text {
	var list []Text
	w.writeChildren(n, Text{}, &list)
	return joinRuns(list)
}

// writeChildren writes what is in a node, in the style that is given by its Text.
func (w writer) writeChildren(parent ast.Node, style Text, list *[]Text) {
	for n := range commonmark.Children(parent) {
		w.writeInline(n, style, list)
	}
}

func (w writer) writeInline(n ast.Node, style Text, list *[]Text) {
	say := func(s string) {
		style.Content = s
		*list = append(*list, style)
	}
	switch n := n.(type) {
	case *ast.Text:
		say(w.text(n))
	case *ast.String:
		say(string(n.Value))
	case *ast.RawHTML:
		say(htmlText(string(n.Segments.Value(w.Source))))
	case *extast.FootnoteLink:
		say("[" + strconv.Itoa(n.Index) + "]")
	case *extast.FootnoteBacklink, *extast.TaskCheckBox:
	case *ast.AutoLink:
		style.Link = style.linkOr(n.URL(w.Source))
		say(string(n.Label(w.Source)))
	default:
		w.writeStyled(n, style, list)
	}
}

// writeStyled writes what stands in emphasis, code or a link.
func (w writer) writeStyled(n ast.Node, style Text, list *[]Text) {
	var after string
	switch n := n.(type) {
	case *ast.CodeSpan:
		style.Code = true
	case *ast.Emphasis:
		style.Bold, style.Italic = style.Bold || n.Level > 1, style.Italic || n.Level == 1
	case *extast.Strikethrough:
		style.Strike = true
	case *ast.Link:
		style.Link = style.linkOr(n.Destination)
		after = linkNote(style.Link, n.Destination)
	case *ast.Image:
		style.Link = style.linkOr(n.Destination)
		after = linkNote(style.Link, n.Destination)
	}
	was := len(*list)
	w.writeChildren(n, style, list)
	if n.Kind() == ast.KindImage && len(*list) == was {
		after = "image" + after
	}
	if style.Content = after; after != "" {
		*list = append(*list, style)
	}
}

// text is a piece of text with its escapes and entities undone, and the end of
// its line.
func (w writer) text(n *ast.Text) string {
	s := w.Text(n)
	switch {
	case n.HardLineBreak():
		return s + "\n"
	case n.SoftLineBreak():
		return s + " "
	}
	return strings.ReplaceAll(s, "\n", " ")
}

// linkOr is the link a stretch has already, or a destination where it is an
// address of the web.
func (r Text) linkOr(destination []byte) string {
	if r.Link != "" {
		return r.Link
	}
	return address(destination)
}

// address is a destination as Notion takes it for a link, "" for any other: an
// http or https address of plain characters with a host and no password.
func address(destination []byte) string {
	u, err := url.Parse(string(util.URLEscape(destination, true)))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Opaque != "" {
		return ""
	}
	host, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil || host == "" {
		return ""
	}
	u.Host = strings.TrimSuffix(host+":"+u.Port(), ":")
	s := u.String()
	if len(s) > maxLink || strings.ContainsFunc(s, unfit) {
		return ""
	}
	return s
}

// unfit reports whether a character stands in no address.
func unfit(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r) }

// linkNote is what is said of a destination that is no link: where a file
// beside the text is, or an address Notion would not take. What stands in the
// text itself, and other schemes, are left out.
func linkNote(link string, destination []byte) string {
	said := string(commonmark.Unescape(destination))
	u, err := url.Parse(said)
	web := err == nil && (u.Scheme == "http" || u.Scheme == "https")
	file := err == nil && u.Scheme == "" && u.Path != ""
	if link != "" || !web && !file {
		return ""
	}
	return " (" + said + ")"
}

// joinRuns joins stretches of one style, makes them printable and takes off blanks
// at the ends.
func joinRuns(list []Text) []Text {
	var out []Text
	for _, r := range list {
		r.Content = plain.Text(r.Content)
		last := len(out) - 1
		switch {
		case r.Content == "":
		case last >= 0 && out[last].hasSameStyle(r):
			out[last].Content += r.Content
		default:
			out = append(out, r)
		}
	}
	if len(out) > 0 {
		out[0].Content = strings.TrimLeft(out[0].Content, " \t\n")
		last := len(out) - 1
		out[last].Content = strings.TrimRight(out[last].Content, " \t\n")
	}
	return slices.DeleteFunc(out, func(r Text) bool { return r.Content == "" })
}

// htmlElements are those of HTML that Markdown is written with. Other words in
// angle brackets are words.
const htmlElements = " a abbr b blockquote br caption center cite code col dd del details div dl dt em figcaption figure font " +
	"h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q s samp script small source span strike strong style " +
	"sub summary sup table tbody td tfoot th thead tr tt u ul var video audio iframe "

// lineElements are the elements that begin a new line.
const lineElements = " br p div li tr h1 h2 h3 h4 h5 h6 table ul ol dt dd summary blockquote pre hr "

// htmlText is the text of a piece of HTML: no tags and no comments.
func htmlText(s string) string {
	var b strings.Builder
	for t := tokens.NewTokenizer(strings.NewReader(s)); ; {
		switch kind := t.Next(); kind {
		case tokens.ErrorToken:
			b.Write(t.Raw()) // a tag without an end
			return b.String()
		case tokens.TextToken:
			b.WriteString(html.UnescapeString(string(t.Raw())))
		case tokens.StartTagToken, tokens.EndTagToken, tokens.SelfClosingTagToken:
			raw := string(t.Raw())
			name, _ := t.TagName()
			word := " " + string(name) + " "
			switch {
			case !strings.Contains(htmlElements, word):
				b.WriteString(raw)
			case kind != tokens.EndTagToken && strings.Contains(lineElements, word) && (b.Len() > 0 || word == " br "):
				b.WriteByte('\n')
			}
		}
	}
}
