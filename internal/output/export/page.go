package export

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// writer writes a page. What comes from anywhere goes through its arguments or
// through text; where links lead, through address. It is Go and no template:
// the packages for templates call methods by their names, so that no method of
// any package can be left out of the program, which was a tenth of it.
type writer struct {
	bytes.Buffer
	page  *Page
	brief bool // citations are numbers alone
	room

	shortened bool            // it is said that less is shown
	places    map[string]bool // of the page where claims are cited; nil while it has all
	made      map[int]bool    // sources of which it is said how they were made, by number
}

// put writes markup of ours, with verbs as of [fmt.Sprintf]: of the arguments
// all but numbers are text.
func (w *writer) put(markup string, args ...any) {
	safe := make([]any, len(args))
	for i, a := range args {
		switch a.(type) {
		case int, float64:
			safe[i] = a
		default:
			safe[i] = escape(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(w, markup, safe...)
}

func (w *writer) text(s string) { w.WriteString(escape(s)) }

// escape makes any text fit for an element and for an attribute in quotes.
func escape(s string) string { return html.EscapeString(strings.ReplaceAll(s, "\x00", "\uFFFD")) }

// address is where a link may lead: to the web alone.
func address(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "#"
	}
	return u.String()
}

// head is the title, the question as it was asked, and how citations are read.
func (w *writer) head(p *Page) {
	w.put("<header>\n<h1>%s</h1>\n", p.title)
	if asked := line(p.Topic); asked != "" && asked != p.title {
		w.put("<details class=\"question\"><summary>The question in full</summary><p>%s</p></details>\n", asked)
	}
	if len(p.places) > 0 {
		w.put("<p class=\"question\">A small number leads to a source, a C-number to a conclusion drawn from sources.</p>\n")
	}
	w.put("</header>\n")
}

// writeReport writes the report itself, and at the foot of its first section what it rests on.
func writeReport(w *writer, p *Page) {
	foot, heads := len(p.main), 0
	for i, b := range p.main {
		if b.Kind != "heading" || b.Level != 2 {
			continue
		}
		if heads++; heads == 2 {
			foot = i
			break
		}
	}
	w.blocks(p.main[:foot])
	writeRestsOn(w, p)
	w.blocks(p.main[foot:])
}

// writeRestsOn says in three lines what the report rests on, and of which run it is.
func writeRestsOn(w *writer, p *Page) {
	w.put("<ul class=\"rests\">")
	for _, said := range p.restsOn() {
		w.put("<li>%s</li>", said)
	}
	if id := line(p.ID); id != "" {
		w.put("<li>Run <code>%s</code>", id)
		if at := date(p.Written); at != "" {
			w.put(", %s", at)
		}
		w.put("</li>")
	}
	w.put("</ul>\n")
}

// contents are the table of contents, which stays beside the text.
func (w *writer) contents(p *Page) {
	w.put("<nav aria-label=\"contents\">\n<details class=\"contents\" open><summary>Contents</summary><ol>")
	folded := false
	for _, c := range p.contents {
		if c.Appendix && !folded {
			folded = true
			w.put(`<li><details class="below"><summary>Appendix</summary><ol>`)
		}
		w.put(`<li><a href="#%s">%s</a></li>`, c.Anchor, c.Title)
	}
	if folded {
		w.put("</ol>\n<label class=\"print\"><input type=\"checkbox\" id=\"print-appendix\"> print the appendix too</label>\n</details></li>")
	}
	w.put("</ol>\n</details>\n</nav>\n")
}

// filter chooses which claims are shown and stand out. It needs no script.
func (w *writer) filter(p *Page) {
	count := p.standingCounts()
	w.put(`<fieldset class="filter"><legend>Show claims</legend><label><input type="radio" name="show" id="show-all" checked> all <span>%d</span></label>`, len(p.standing))
	for _, word := range []string{isLocated, isDisputed, isRejected} {
		said := word
		if word == isDisputed {
			said = "in a dispute that is open"
		}
		w.put(`<label><input type="radio" name="show" id="show-%s"> <span class="sign">%s</span> %s <span>%d</span></label>`, word, shapeOf(word), said, count[word])
	}
	w.put("<p class=\"hits\" role=\"status\"></p></fieldset>\n")
}

// shapeOf is a shape that stands beside a word for a state, so that its colour says
// nothing of its own.
func shapeOf(state string) string {
	switch state {
	case isLocated:
		return "✓"
	case isDisputed:
		return "≠"
	case isReasoned:
		return "∴"
	case isRejected, "not found", "withdrawn", "rests on nothing":
		return "✕"
	}
	return "?"
}

// class is a state as a class of the style sheet.
func class(state string) string { return strings.ReplaceAll(state, " ", "-") }

// classes are those of a claim by which the filter knows it.
func (p *Page) classes(id string) string {
	out := "claim"
	for _, word := range p.standing[id] {
		out += " is-" + word
	}
	return out
}

func (w *writer) inlines(list []inline) {
	for at, i := range list {
		switch i.Kind {
		case "text":
			if at+1 < len(list) && list[at+1].Kind == "cite" {
				i.Text = strings.TrimRight(i.Text, " ") // no line ends before a number that is raised
			}
			w.text(i.Text)
		case "code":
			w.put("<code>%s</code>", i.Text)
		case "break":
			w.put("<br>")
		case "em":
			w.put("<em>")
			w.inlines(i.Inner)
			w.put("</em>")
		case "strong":
			w.put("<strong>")
			w.inlines(i.Inner)
			w.put("</strong>")
		case "link":
			w.put(`<a href="%s" rel="noopener nofollow noreferrer">`, address(i.URL))
			w.inlines(i.Inner)
			w.put("</a>")
		case "cite":
			writeCitations(w, i.Cited, at > 0 && endsInDigit(list[at-1]))
		}
	}
}

// writeCitations writes citations in one place; behind a figure in brackets, or they would be read as
// its power.
func writeCitations(w *writer, list []citation, behindFigure bool) {
	before, after := `<sup class="cite">`, "</sup>"
	if behindFigure {
		before, after = "\u202f"+before+"[", "]"+after
	}
	w.WriteString(before)
	for at, c := range list {
		if at > 0 {
			w.put(", ")
		}
		w.cite(c)
	}
	w.WriteString(after)
}

// endsInDigit reports whether what is read last of a piece of text is a digit.
func endsInDigit(i inline) bool {
	if n := len(i.Inner); n > 0 {
		return endsInDigit(i.Inner[n-1])
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(i.Text, " "))
	return unicode.IsDigit(last)
}

// cite is a citation, small and raised: the number of the source; of further claims of
// the same source a letter behind it.
func (w *writer) cite(c citation) {
	r := c.Reference
	if r == nil {
		w.citeConclusions(c.Claims)
		return
	}
	for i, one := range c.Claims {
		w.put("<a")
		if !one.Again {
			w.put(` id="r-%s-%d"`, one.Anchor(), one.Place)
		}
		state := stateOf(one.Entry)
		w.put(` class="%s %s" href="#%s"`, w.page.classes(one.ID), class(state), one.Anchor())
		site := strings.TrimSuffix(r.site()+", "+r.Source.day(), ", ")
		if !w.brief && one.Place == 1 && !one.Again { // the card says it, and without a script once is enough
			w.put(` title="%s"`, r.told(one.Entry))
		}
		if i > 0 {
			w.put(` aria-label="source %d, claim %s, %s">%s</a>`, r.Number, one.ID, state, furtherMark(i))
		} else {
			w.put(` aria-label="source %d %s, claim %s, %s">%d</a>`, r.Number, site, one.ID, state, r.Number)
		}
		warn(w, state)
	}
}

// furtherMark stands for the i-th further claim that a citation has of a source.
func furtherMark(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return "+"
}

// warn warns behind a citation of what does not stand as it should.
func warn(w *writer, state string) {
	if state != "located" && state != isReasoned {
		w.put(`<span class="sign %s" aria-hidden="true">%s</span>`, class(state), shapeOf(state))
	}
}

// citeConclusions cites claims that rest on others: the sources of these are cited
// behind.
func (w *writer) citeConclusions(list []placedClaim) {
	for i, one := range list {
		if i > 0 {
			w.put(", ")
		}
		state := stateOf(one.Entry)
		w.put(`<a id="r-%s-%d" class="%s %s" href="#%s"`, one.Anchor(), one.Place, w.page.classes(one.ID), class(state), one.Anchor())
		if !w.brief && one.Place == 1 {
			w.put(` title="%s"`, one.ID+": "+plain.Line(one.Text, 160)+" — "+restsOn(one.Entry))
		}
		w.put(` aria-label="%s %s, %s">%s</a>`, one.ID, string(one.Kind), state, one.ID)
		warn(w, state)
	}
}

// told is what a citation says of itself: quotation, source, date and state.
func (r *reference) told(c claim.Entry) string {
	out := stateOf(c)
	if c.Quote != "" {
		out = "“" + plain.Line(c.Quote, 100) + "” — " + out
	}
	out = c.ID + ": " + out + " — " + plain.Line(r.Name, 80)
	if day := r.Source.day(); day != "" {
		out += ", " + day
	}
	return out
}

func (w *writer) blocks(list []block) {
	for _, b := range list {
		w.block(b)
	}
}

func (w *writer) block(b block) {
	switch b.Kind {
	case "text":
		w.put("<p>")
		w.inlines(b.Text)
		w.put("</p>\n")
	case "heading":
		w.heading(b)
	case "quote":
		w.put("<blockquote>")
		w.blocks(b.Inner)
		w.put("</blockquote>\n")
	case "code":
		w.put("<pre tabindex=\"0\"><code>%s</code></pre>\n", b.Code)
	case "rule":
		w.put("<hr>\n")
	case "list":
		w.list(b)
	case "table":
		short := w.brief
		w.brief = true // many stand close together there
		if b.Chart != nil {
			w.chart(b)
		} else {
			w.table(b)
		}
		w.brief = short
	}
}

// sections writes the sections of the appendix, each folded below its heading.
func (w *writer) sections(list []block) {
	open, cut := false, false
	for _, b := range list {
		if b.Kind == "heading" && b.Level == 2 {
			if open {
				w.put("</details>\n")
			}
			open, cut = true, false
			w.put("<details class=\"part\"><summary>")
			w.heading(b)
			w.put("</summary>\n")
			continue
		}
		if w.cut && !fits(w, b) {
			if !cut {
				w.put("<p class=\"note\">What is not shown of this section is in final-report.md.</p>\n")
			}
			cut = true
			continue
		}
		w.block(b)
	}
	if open {
		w.put("</details>\n")
	}
}

// fits reports whether there is room for a block of the appendix: a large one is tried.
func fits(w *writer, b block) bool {
	if b.Kind == "heading" || b.Kind == "text" {
		return w.Len() <= maxBody
	}
	trial := writer{page: w.page, brief: w.brief, room: w.room, made: map[int]bool{}}
	trial.block(b)
	return w.Len()+trial.Len() <= maxBody-footerRoom
}

func (w *writer) heading(b block) {
	level := b.Level
	if level < 2 || level > 5 {
		level = 6
	}
	w.put("<h%d", level)
	if level == 2 && b.Anchor != "" {
		w.put(` id="%s"`, b.Anchor)
	}
	w.put(">")
	w.inlines(b.Text)
	w.put("</h%d>\n", level)
}

func (w *writer) list(b block) {
	end := "</ul>\n"
	if b.Ordered {
		w.put(`<ol start="%d">`, b.Start)
		end = "</ol>\n"
	} else {
		w.put("<ul>")
	}
	for _, item := range b.Items {
		w.put("<li>")
		w.blocks(item)
		w.put("</li>")
	}
	w.put(end)
}

func (w *writer) table(b block) {
	w.put(`<div class="wide" tabindex="0" role="region" aria-label="table %d"><table>`, b.Number)
	for i, row := range b.Rows {
		if i == 0 {
			w.put("<thead>")
		}
		w.put("<tr>")
		for _, cell := range row {
			open, shut := "<td>", "</td>"
			if i == 0 && len(cell) > 0 { // the corner above the names of rows names nothing
				open, shut = `<th scope="col">`, "</th>"
			}
			w.put(open)
			w.inlines(cell)
			w.put(shut)
		}
		w.put("</tr>")
		if i == 0 {
			w.put("</thead><tbody>")
		}
	}
	w.put("</tbody></table></div>\n")
}

// sources lists what is cited. Those that the appendix alone cites are printed with it.
func (w *writer) sources(p *Page) {
	w.put("<section class=\"sources\" aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", sourcesAnchor, sourcesAnchor, p.listTitle)
	if len(p.references) == 0 {
		w.put("<p>No source is cited.</p>\n</section>\n")
		return
	}
	w.put("<ol>")
	for _, r := range p.references {
		w.put(`<li id="source-%d" value="%d"`, r.Number, r.Number)
		if r.Number > p.own {
			w.put(` class="further"`)
		}
		w.put(">")
		w.reference(r)
		w.put("</li>\n")
	}
	w.put("</ol>\n</section>\n")
}

// reference is a source in the list of them.
func (w *writer) reference(r *reference) {
	w.put("<bdi>")
	w.link(r.ID.URL, r.Name)
	w.put("</bdi>")
	if r.Source.Retracted {
		w.put(` <strong class="badge rejected">✕ retracted</strong>`)
	}
	for _, said := range []string{r.Source.Notice, strings.Join(r.Source.Authors, ", "), r.Source.Published, r.kept(), withPrefix("read in the form of ", r.Source.Version), withPrefix("fetched ", date(r.Source.Fetched))} {
		if said != "" {
			w.put(" · %s", said)
		}
	}
	w.put(` <span class="claims">`)
	for i, c := range r.Claims {
		if i > 0 {
			w.put(", ")
		}
		w.put(`<a class="%s" href="#%s">%s</a>`, w.page.classes(c.ID), anchor(c.ID), c.ID)
	}
	w.put("</span>")
}

func withPrefix(before, words string) string {
	if words == "" {
		return ""
	}
	return before + words
}

// link leads to the web where there is an address.
func (w *writer) link(to, words string) {
	if to == "" {
		w.text(words)
		return
	}
	w.put(`<a href="%s" rel="noopener nofollow noreferrer">%s</a>`, address(to), words)
}
