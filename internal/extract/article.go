package extract

import (
	"net/url"
	"strings"

	readability "codeberg.org/readeck/go-readability"
	"golang.org/x/net/html"
)

const (
	enough   = 200     // bytes below which what was made out is no article
	tooLarge = 100_000 // nodes of a page above which its landmarks alone say what its article is
)

func fromHTML(body []byte, mime, address, kind string) (Document, error) {
	text, name, warnings := decode(body, mime)
	d := Document{MIME: kind, Charset: name, Warnings: warnings}
	doc, ok := parse(text)
	if !ok {
		return d.flat(text, address), nil
	}
	meta := metadata(doc)
	d.Title, d.Authors, d.Published, d.DOI = meta.title, meta.authors, meta.published, meta.doi
	visible := lines(doc)
	chosen, found := article(doc, visible, address)
	d.Extractor = "readability/" + Version
	if !found {
		d.Extractor = "landmarks/" + Version
	}
	main, rest := divide(visible, chosen)
	if size(main) < enough && size(rest) > size(main) {
		main, rest = all(visible), nil
		d.warn(NoArticle, "all of the text is taken for it")
	}
	d.set(main, rest)
	if size(main)+size(rest) < 5*enough {
		d.Next = meta.refresh
	}
	d.judge(clues{meta: meta, doc: doc, address: address, main: size(main), whole: size(main) + size(rest)})
	return d, nil
}

// Flat reads a page as [Text] does, without making a document of it: what is
// article and what stands around it is not told apart.
func Flat(body []byte, mime, address string) Document {
	body, cut := whole(body)
	text, name, warnings := decode(body, mime)
	d := Document{MIME: "text/html", Charset: name, Warnings: warnings}
	d = d.flat(text, address)
	d.Warnings = append(d.Warnings, cut...)
	return d
}

func (d Document) flat(text, address string) Document {
	visible, title := flat(text)
	d.Title, d.Extractor = title, "flat/"+Version
	d.set([]string{visible}, nil)
	d.warn(NoArticle, "the page is too large or too deep to be taken apart: all of the text is taken for it")
	d.judge(clues{meta: meta{title: title, free: true}, doc: &html.Node{Type: html.DocumentNode}, address: address, main: len(visible), whole: len(visible)})
	return d
}

// article says which lines are the page's article, by their text, and whether
// readability made it out. Where it did not, or left out most of the long
// lines, everything is the article that stands in no navigation, footer or
// comment.
func article(doc *html.Node, visible []line, address string) (chosen map[string]bool, found bool) {
	if nodes(doc) <= tooLarge {
		chosen = readable(doc, address)
	}
	unsided(visible, chosen)
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
	if length >= enough && kept*2 >= long {
		return chosen, true
	}
	return nil, false
}

// unsided takes a page's landmarks as nothing where most of what readability
// chose stands in what they call navigation or comments: whole pages are put
// into a form.
func unsided(visible []line, chosen map[string]bool) {
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
	if side <= max(2*main, 5*enough) {
		return
	}
	for i := range visible {
		visible[i].side = false
	}
}

// readable are the lines of what readability takes for the article.
func readable(doc *html.Node, address string) (chosen map[string]bool) {
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

// divide separates the article's lines from the others, both in the order of
// the page. With nothing chosen the landmarks decide. What stands among
// comments is aside, whatever was chosen.
func divide(visible []line, chosen map[string]bool) (main, rest []string) {
	for _, l := range visible {
		if !l.side && (chosen == nil || chosen[l.text]) {
			main = append(main, l.text)
		} else {
			rest = append(rest, l.text)
		}
	}
	return main, rest
}

func all(visible []line) []string {
	var list []string
	for _, l := range visible {
		list = append(list, l.text)
	}
	return list
}

func size(lines []string) int {
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

// within reports whether a text of some length holds one of the phrases.
func within(text string, phrases ...string) (string, bool) {
	for _, p := range phrases {
		if strings.Contains(text, p) {
			return p, true
		}
	}
	return "", false
}
