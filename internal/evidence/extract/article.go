package extract

import (
	"net/url"
	"strings"

	readability "codeberg.org/readeck/go-readability"
	"golang.org/x/net/html"
)

const (
	minArticle             = 200     // bytes below which what was made out is no article
	maxNodesForReadability = 100_000 // nodes of a page above which its landmarks alone say what its article is
)

func fromHTML(body []byte, mime, address, kind string) (Document, error) {
	text, name, warnings := toUTF8(body, mime)
	d := Document{MIME: kind, Charset: name, Warnings: warnings}
	doc, ok := parse(text)
	if !ok {
		return d.withStreamedText(text, address), nil
	}
	meta := metadata(doc)
	d.Title, d.Authors, d.Published, d.DOI = meta.title, meta.authors, meta.published, meta.doi
	visible := lines(doc)
	chosen, found := article(doc, visible, address)
	d.Extractor = "readability/" + Version
	if !found {
		d.Extractor = "landmarks/" + Version
	}
	main, rest := splitArticle(visible, chosen)
	if totalBytes(main) < minArticle && totalBytes(rest) > totalBytes(main) {
		main, rest = lineTexts(visible), nil
		d.addWarning(NoArticle, "all of the text is taken for it")
	}
	d.setText(main, rest)
	if totalBytes(main)+totalBytes(rest) < 5*minArticle {
		d.Next = meta.refresh
	}
	d.addWarnings(clues{meta: meta, doc: doc, address: address, main: totalBytes(main), whole: totalBytes(main) + totalBytes(rest)})
	return d, nil
}

// StreamText reads a page as [Text] does, without making a document of it: what is
// article and what stands around it is not told apart.
func StreamText(body []byte, mime, address string) Document {
	body, cut := limitRead(body)
	text, name, warnings := toUTF8(body, mime)
	d := Document{MIME: "text/html", Charset: name, Warnings: warnings}
	d = d.withStreamedText(text, address)
	d.Warnings = append(d.Warnings, cut...)
	return d
}

func (d Document) withStreamedText(text, address string) Document {
	visible, title := streamText(text)
	d.Title, d.Extractor = title, "flat/"+Version
	d.setText([]string{visible}, nil)
	d.addWarning(NoArticle, "the page is too large or too deep to be taken apart: all of the text is taken for it")
	d.addWarnings(clues{meta: meta{title: title, free: true}, doc: &html.Node{Type: html.DocumentNode}, address: address, main: len(visible), whole: len(visible)})
	return d
}

// article says which lines are the page's article, by their text, and whether
// readability made it out. Where it did not, or left out most of the long
// lines, everything is the article that stands in no navigation, footer or
// comment.
func article(doc *html.Node, visible []line, address string) (chosen map[string]bool, found bool) {
	if nodes(doc) <= maxNodesForReadability {
		chosen = readabilityLines(doc, address)
	}
	clearSideMarks(visible, chosen)
	var long, kept, length int
	for _, l := range visible {
		in := chosen[l.text]
		if in {
			length += len(l.text)
		}
		if len(l.text) < 80 || l.side {
			continue
		}
		if long += len(l.text); in {
			kept += len(l.text)
		}
	}
	if length >= minArticle && kept*2 >= long {
		return chosen, true
	}
	return nil, false
}

// clearSideMarks takes a page's landmarks as nothing where most of what readability
// chose stands in what they call navigation or comments: whole pages are put
// into a form.
func clearSideMarks(visible []line, chosen map[string]bool) {
	main, side := 0, 0
	for _, l := range visible {
		switch {
		case !chosen[l.text]:
		case l.side:
			side += len(l.text)
		default:
			main += len(l.text)
		}
	}
	if side <= max(2*main, 5*minArticle) {
		return
	}
	for i := range visible {
		visible[i].side = false
	}
}

// readabilityLines are the lines of what readability takes for the article.
func readabilityLines(doc *html.Node, address string) (chosen map[string]bool) {
	defer func() {
		if recover() != nil { // the library met a page it does not foresee
			chosen = nil
		}
	}()
	base, err := url.Parse(address)
	if err != nil || base.Host == "" {
		base = &url.URL{Scheme: "https", Host: "page.invalid"}
	}
	parser := readability.NewParser()
	parser.DisableJSONLD = true
	found, err := parser.ParseDocument(doc, base)
	if err != nil || found.Node == nil {
		return nil
	}
	chosen = map[string]bool{}
	for _, l := range lines(found.Node) {
		chosen[l.text] = true
	}
	return chosen
}

// splitArticle separates the article's lines from the others, both in the order of
// the page. With nothing chosen the landmarks decide. What stands among
// comments is aside, whatever was chosen.
func splitArticle(visible []line, chosen map[string]bool) (main, rest []string) {
	for _, l := range visible {
		if !l.side && (chosen == nil || chosen[l.text]) {
			main = append(main, l.text)
		} else {
			rest = append(rest, l.text)
		}
	}
	return main, rest
}

func lineTexts(visible []line) []string {
	var list []string
	for _, l := range visible {
		list = append(list, l.text)
	}
	return list
}

func totalBytes(lines []string) int {
	n := 0
	for _, l := range lines {
		n += len(l) + 1
	}
	return n
}

func nodes(doc *html.Node) int {
	n := 0
	for range doc.Descendants() {
		n++
	}
	return n
}

// findPhrase reports whether a text of some length holds one of the phrases.
func findPhrase(text string, phrases ...string) (string, bool) {
	for _, p := range phrases {
		if strings.Contains(text, p) {
			return p, true
		}
	}
	return "", false
}
