package claim

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/research-council/research-council/internal/evidence/source"
)

// Readable is a piece of a source's text as its reader sees it: of a file in HTML
// without tags, and with the characters that its entities stand for. Of a tag that the
// piece cuts nothing is left.
func Readable(ref, text string) string {
	if !isHTML(ref) || !strings.ContainsAny(text, "<>&") {
		return text
	}
	if begin := strings.IndexByte(text, '>'); begin >= 0 && !strings.Contains(text[:begin], "<") && strings.ContainsAny(text[:begin], `="`) {
		text = text[begin+1:]
	}
	var b strings.Builder
	listing := false // lines stay lines
	for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken:
			lines := slices.DeleteFunc(strings.Split(b.String(), "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
			for i, line := range lines {
				lines[i] = strings.Join(strings.Fields(line), " ")
			}
			return strings.Join(lines, "\n")
		case html.TextToken:
			said := string(tokens.Text())
			if !listing {
				said = strings.ReplaceAll(said, "\n", " ")
			}
			b.WriteString(said)
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			if string(name) == "pre" {
				listing = kind == html.StartTagToken
			}
			switch string(name) {
			case "p", "div", "li", "ul", "ol", "dl", "dt", "dd", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "br", "pre", "blockquote", "section":
				b.WriteByte('\n')
			case "td", "th":
				b.WriteByte(' ')
			}
		}
	}
}

// isHTML reports whether a source is a file in HTML, which is read with its tags, as
// it is cited by lines. Of a web page the text alone is kept.
func isHTML(ref string) bool {
	src := source.Identify(ref)
	switch strings.ToLower(path.Ext(src.Path)) {
	case ".html", ".htm", ".xhtml":
		return src.Kind == source.File
	}
	return false
}
