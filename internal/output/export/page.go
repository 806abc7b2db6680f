package export

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"strings"

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

	shortened bool         // it is said that less is shown
	made      map[int]bool // sources of which it is said how they were made, by number
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

// head is the title, and in three lines what the report rests on.
func (w *writer) head(p *Page) {
	w.put("<header>\n<h1>")
	kind, question, found := strings.Cut(p.title, ": ")
	if found && strings.HasPrefix(line(p.Topic), strings.TrimRight(question, "….")) {
		w.put(`<span class="kicker">%s: </span>%s`, kind, question)
	} else {
		w.text(p.title)
	}
	w.put("</h1>\n<ul class=\"rests\">")
	for _, said := range p.restsOn() {
		w.put("<li>%s</li>", said)
	}
	w.put("</ul>\n")
	if id := line(p.ID); id != "" {
		w.put("<p class=\"run\">Run <code>%s</code>", id)
		if at := date(p.Written); at != "" {
			w.put(", %s", at)
		}
		w.put("</p>\n")
	}
	w.put("</header>\n")
}

// contents are the table of contents and the filter, which stay beside the text.
func (w *writer) contents(p *Page) {
	w.put("<nav aria-label=\"contents\">\n<details class=\"contents\" open><summary>Contents and filter</summary><ol>")
	for i, c := range p.contents {
		if c.Appendix && (i == 0 || !p.contents[i-1].Appendix) {
			w.put(`<li class="below">Appendix</li>`)
		}
		w.put(`<li><a href="#%s">%s</a></li>`, c.Anchor, c.Title)
	}
	w.put("</ol>\n")
	w.filter(p)
	w.put("<label class=\"print\"><input type=\"checkbox\" id=\"print-appendix\"> print the appendix too</label>\n</details>\n</nav>\n")
}

// filter chooses which claims are shown and stand out. It needs no script.
func (w *writer) filter(p *Page) {
	count := p.standingCounts()
	w.put(`<fieldset class="filter"><legend>Show claims</legend><label><input type="radio" name="show" id="show-all" checked> all <span>%d</span></label>`, len(p.standing))
	for _, word := range []string{isLocated, isDisputed, isRejected} {
		w.put(`<label><input type="radio" name="show" id="show-%s"> <span class="sign">%s</span> %s <span>%d</span></label>`, word, shapeOf(word), word, count[word])
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
	for _, i := range list {
		switch i.Kind {
		case "text":
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
			for _, c := range i.Cited {
				w.cite(c)
			}
		}
	}
}

// cite is a citation: number, site and date of the source; of further claims of the
// same source their ids.
func (w *writer) cite(c citation) {
	r := c.Reference
	if r == nil {
		w.citeConclusions(c.Claims)
		return
	}
	w.put(`<span class="cite">[`)
	for i, one := range c.Claims {
		if i > 0 {
			w.put(", ")
		}
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
		switch {
		case i > 0:
			w.put(` aria-label="claim %s, %s">%s</a>`, one.ID, state, one.ID)
		case w.brief:
			w.put(` aria-label="source %d, claim %s, %s">%d</a>`, r.Number, one.ID, state, r.Number)
		default:
			w.put(` aria-label="source %d %s, %s">%d <span class="site">%s</span></a>`, r.Number, site, state, r.Number, site)
		}
		if state != "located" {
			w.put(`<span class="sign %s" aria-hidden="true">%s</span>`, class(state), shapeOf(state))
		}
	}
	w.put("]</span>")
}

// citeConclusions cites claims that rest on others: the sources of these are cited
// behind.
func (w *writer) citeConclusions(list []placedClaim) {
	w.put(`<span class="cite">[`)
	for i, one := range list {
		if i > 0 {
			w.put(", ")
		}
		state := stateOf(one.Entry)
		w.put(`<a id="r-%s-%d" class="%s %s" href="#%s"`, one.Anchor(), one.Place, w.page.classes(one.ID), class(state), one.Anchor())
		if !w.brief && one.Place == 1 {
			w.put(` title="%s"`, one.ID+": "+plain.Line(one.Text, 160)+" — "+restsOn(one.Entry))
		}
		w.put(` aria-label="%s %s, %s">%s <span class="site">%s</span></a><span class="sign %s" aria-hidden="true">%s</span>`, one.ID, string(one.Kind), state, one.ID, string(one.Kind), class(state), shapeOf(state))
	}
	w.put("]</span>")
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
		open, shut := "<td>", "</td>"
		if i == 0 {
			open, shut = `<th scope="col">`, "</th>"
			w.put("<thead>")
		}
		w.put("<tr>")
		for _, cell := range row {
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
	for _, said := range []string{r.Source.Notice, strings.Join(r.Source.Authors, ", "), r.Source.Published, r.kept(), withPrefix("fetched ", date(r.Source.Fetched))} {
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
