package extract

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	readability "codeberg.org/readeck/go-readability"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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

// article says which lines are the page's article, and whether readability made
// it out. Where it did not, or left out most of the prose, the article is what
// stands where most of the prose does; nil is all lines.
func article(doc *html.Node, visible []line, address string) (chosen []bool, found bool) {
	chosen = make([]bool, len(visible))
	if nodes(doc) <= maxNodesForReadability {
		chosen = alignLines(visible, readabilityLines(doc, address))
	}
	clearSideMarks(visible, chosen)
	markLinkLists(visible)
	var long, kept, length int
	for i, l := range visible {
		if chosen[i] {
			length += len(l.text)
		}
		if !l.isProse() {
			continue
		}
		if long += len(l.text); chosen[i] {
			kept += len(l.text)
		}
	}
	switch {
	case length >= minArticle && kept*leastKept >= long:
		addLead(visible, chosen)
		return chosen, true
	case long == 0:
		return nil, false
	}
	return proseLines(doc, visible, long), false
}

// leastKept is the part of a page's prose, one in so many bytes, below which what
// readability chose is not the article.
const leastKept = 3

// alignLines finds the lines of a text again among those of the page that it was
// taken from: those that stand once in either show where, and the others are
// looked for between them, in their order.
func alignLines(visible []line, text []string) []bool {
	at, count := map[string][]int{}, map[string]int{}
	for i, l := range visible {
		at[l.text] = append(at[l.text], i)
	}
	for _, t := range text {
		count[t]++
	}
	var once []anchor
	for i, t := range text {
		if count[t] == 1 && len(at[t]) == 1 {
			once = append(once, anchor{at[t][0], i})
		}
	}
	chosen := make([]bool, len(visible))
	begin, done := 0, 0 // of the page and of the text
	for _, a := range append(longestRise(once), anchor{len(visible), len(text)}) {
		for _, t := range text[done:a.text] {
			places := at[t]
			n, _ := slices.BinarySearch(places, begin)
			if n < len(places) && places[n] < a.page {
				chosen[places[n]] = true
				begin = places[n] + 1
			}
		}
		if a.page < len(visible) {
			chosen[a.page] = true
		}
		begin, done = a.page+1, min(a.text+1, len(text))
	}
	return chosen
}

// anchor is a line that stands once in a page and once in a text.
type anchor struct{ page, text int }

// longestRise is the most of the anchors, in the order of the text, that stand in
// the order of the page too (patience sorting).
func longestRise(list []anchor) []anchor {
	before := make([]int, len(list))
	var ends []int // the anchor that ends a rise of each length
	for i, a := range list {
		n, _ := slices.BinarySearchFunc(ends, a.page, func(end, page int) int { return cmp.Compare(list[end].page, page) })
		if before[i] = -1; n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		}
		ends[n] = i
	}
	rise := make([]anchor, len(ends))
	if len(ends) == 0 {
		return rise
	}
	for n, i := len(ends)-1, ends[len(ends)-1]; n >= 0; n, i = n-1, before[i] {
		rise[n] = list[i]
	}
	return rise
}

// clearSideMarks takes a word for what stands around articles as nothing where
// most of what readability chose stands under it: whole pages are put into a
// form.
func clearSideMarks(visible []line, chosen []bool) {
	all, under := 0, map[string]int{}
	for i, l := range visible {
		if !chosen[i] {
			continue
		}
		all += len(l.text)
		said := map[string]bool{}
		for a := l.around; a != nil; a = a.outer {
			if !said[a.says] {
				under[a.says] += len(l.text)
			}
			said[a.says] = true
		}
	}
	for i, l := range visible {
		side := false
		for a := l.around; a != nil && !side; a = a.outer {
			side = under[a.says]*2 <= all
		}
		visible[i].side = side
	}
}

// markLinkLists marks what is nothing but links, and the few words that introduce
// it.
func markLinkLists(visible []line) {
	below := false // the line below is nothing but links
	for i := len(visible) - 1; i >= 0; i-- {
		l := visible[i]
		intro := below && len(l.text) < proseLength && !strings.HasSuffix(l.text, ".") && headingLevel(l.within) != 1
		below = l.linked*10 >= len(l.text)*9 && headingLevel(l.within) == 0
		visible[i].side = l.side || below || intro
	}
}

// proseLength is the length in bytes from which on a line may be prose.
const proseLength = 80

// isProse reports whether a line is of the kind that articles are made of.
func (l line) isProse() bool {
	return len(l.text) >= proseLength && !l.side && l.linked*2 < len(l.text)
}

// headingLevel is 1 to 6 for a heading, 0 for any other element.
func headingLevel(n *html.Node) int {
	if n != nil && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' {
		return int(n.Data[1] - '0')
	}
	return 0
}

// addLead takes the prose between the page's heading and the first line that
// readability chose: the lead often stands apart from the article.
func addLead(visible []line, chosen []bool) {
	first := slices.Index(chosen, true)
	for i := first - 1; i >= 0; i-- {
		if headingLevel(visible[i].within) != 1 {
			continue
		}
		for j := i; j < first; j++ {
			chosen[j] = visible[j].isProse()
		}
		return
	}
}

// proseLines says which lines stand in the smallest element that holds three
// quarters of so many bytes of prose.
func proseLines(doc *html.Node, visible []line, long int) []bool {
	own := map[*html.Node]int{}
	for _, l := range visible {
		if l.isProse() {
			own[paragraphHolder(l.within)] += len(l.text)
		}
	}
	var smallest *html.Node
	var sum func(n *html.Node, depth int) int
	sum = func(n *html.Node, depth int) int {
		size := own[n]
		for c := n.FirstChild; c != nil && depth < maxDepth; c = c.NextSibling {
			size += sum(c, depth+1)
		}
		if smallest == nil && size*4 >= long*3 {
			smallest = n
		}
		return size
	}
	sum(doc, 0)
	inside := map[*html.Node]bool{smallest: true}
	if smallest != nil {
		for n := range smallest.Descendants() {
			inside[n] = true
		}
	}
	chosen := make([]bool, len(visible))
	for i, l := range visible {
		chosen[i] = inside[l.within]
	}
	return chosen
}

// readabilityLines are the lines of what readability takes for the article.
func readabilityLines(doc *html.Node, address string) (chosen []string) {
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
	for _, l := range lines(found.Node) {
		chosen = append(chosen, l.text)
	}
	return chosen
}

// paragraphHolder is what a paragraph stands in, and any other block itself.
func paragraphHolder(n *html.Node) *html.Node {
	if n != nil && n.Parent != nil && (n.DataAtom == atom.P || n.DataAtom == atom.Li || n.DataAtom == atom.Blockquote) {
		return n.Parent
	}
	return n
}

// splitArticle separates the article's lines from the others, both in the order of
// the page. What stands among comments, menus or links is aside, whatever was
// chosen.
func splitArticle(visible []line, chosen []bool) (main, rest []string) {
	for i, l := range visible {
		if !l.side && (chosen == nil || chosen[i]) {
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
