package export

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"

	"research-council/internal/evidence/claim"
)

// writer writes a page. What comes from anywhere goes through its arguments or
// through text; where links lead, through address. It is Go and no template:
// the packages for templates call methods by their names, so that no method of
// any package can be left out of the program, which was a tenth of it.
type writer struct{ bytes.Buffer }

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

func (w *writer) page(s pageData) {
	w.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
`, s.Policy)
	if s.Maker != "" {
		w.put(`<meta name="generator" content="%s">`, s.Maker)
	}
	w.put("\n<title>%s</title>\n<style>", s.Title)
	w.WriteString(style)
	w.put(`</style>
</head>
<body>
<a class="skip" href="#report">To the report</a>
<header>
<h1>%s</h1>
`, s.Title)
	if s.ID != "" {
		w.put("<p>Run <code>%s</code>", s.ID)
		if at := date(s.Written); at != "" {
			w.put(", %s", at)
		}
		w.put("</p>\n")
	}
	if s.Drawn != nil {
		w.drawing(s.Drawn)
	}
	w.put("\n</header>\n<nav aria-label=\"contents\"><ol>")
	for _, c := range s.Contents {
		w.put(`<li><a href="#%s">%s</a></li>`, c.Anchor, c.Title)
	}
	w.put("</ol></nav>\n<main id=\"report\">\n")
	w.blocks(s.Before)
	w.sources(s)
	w.uncited(s)
	w.blocks(s.After)
	w.put("\n</main>\n<footer><p>")
	if s.Maker != "" {
		w.put("Made by %s. ", s.Maker)
	}
	w.put(`Whether a quotation stands in its source was decided by a program, on the archived copy; whether it supports the claim, by votes. This page loads nothing.</p><p><code>%s</code></p></footer>
</body>
</html>
`, s.Imprint)
}

func (w *writer) drawing(d *scoreChart) {
	w.put(`<figure class="score"><figcaption>Score <strong>%s</strong> of 100; the marks stand at 60 and 80</figcaption>
<svg class="total" viewBox="0 0 400 24" role="img" aria-label="%s"><rect class="track" x="0" y="2" width="400" height="20"/><rect class="fill" x="0" y="2" width="%.1f" height="20"/><line class="mark" x1="%.0f" x2="%.0f" y1="0" y2="24"/><line class="mark" x1="%.0f" x2="%.0f" y1="0" y2="24"/></svg>
<dl class="bars">`, d.Score, d.Words, d.Width, d.Fair, d.Fair, d.Good, d.Good)
	for _, b := range d.Bars {
		w.put(`<dt>%s: %s</dt><dd><svg viewBox="0 0 400 12" role="img" aria-label="%s %s"><rect class="track" x="0" y="0" width="400" height="12"/><rect class="fill" x="0" y="0" width="%.1f" height="12"/></svg><span>%s</span></dd>`,
			b.Name, b.Value, b.Name, b.Value, b.Width, b.Detail)
	}
	w.put("</dl></figure>")
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

func (w *writer) cite(c citation) {
	w.put(`<span class="cite">[`)
	for i, one := range c.Claims {
		shown := one.ID
		if i == 0 {
			shown = strconv.Itoa(c.Reference.Number)
		} else {
			w.put(", ")
		}
		w.put(`<a id="r-%s-%d" class="%s" href="#%s" title="claim %s: quotation %s">%s</a>`, one.Anchor(), one.Place, one.Class(), one.Anchor(), one.ID, stateOf(one.Entry), shown)
	}
	w.put("]</span>")
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
		w.table(b)
	}
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

func (w *writer) sources(s pageData) {
	w.put("\n<h2 id=\"sources\">%s</h2>\n", s.ListTitle)
	if len(s.References) == 0 {
		w.put("<p>No source is cited.</p>\n")
		return
	}
	w.put(`<div class="wide" tabindex="0" role="region" aria-label="sources"><table>
<thead><tr><th scope="col">#</th><th scope="col">Source</th><th scope="col">Authors</th><th scope="col">Published</th><th scope="col">State</th><th scope="col">Fetched</th><th scope="col">Claims</th></tr></thead>
<tbody>`)
	for _, r := range s.References {
		w.row(r)
	}
	w.put("</tbody></table></div>\n<h3>Evidence</h3>\n")
	for _, r := range s.References {
		for _, e := range r.Evidence() {
			w.evidence(e)
		}
	}
}

// row is a source in the list of them.
func (w *writer) row(r *reference) {
	w.put(`<tr id="source-%d"><td>%d</td><td>`, r.Number, r.Number)
	w.source(r)
	if r.Source.Retracted {
		w.put(` <strong class="badge not-found">retracted</strong>`)
	}
	if r.Source.Notice != "" {
		w.put(" %s", r.Source.Notice)
	}
	state := r.Source.State
	if state == "" {
		state = "not archived"
	}
	if r.Source.Reason != "" {
		state += ": " + r.Source.Reason
	}
	w.put("</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>", strings.Join(r.Source.Authors, ", "), r.Source.Published, state, date(r.Source.Fetched))
	for i, e := range r.Evidence() {
		if i > 0 {
			w.put(", ")
		}
		w.put(`<a href="#%s">%s</a>`, e.Entry.Anchor(), e.Entry.ID)
	}
	w.put("</td></tr>\n")
}

func (w *writer) source(r *reference) {
	if to := r.ID.URL; to != "" {
		w.put(`<a href="%s" rel="noopener nofollow noreferrer">%s</a>`, address(to), r.Name)
		return
	}
	w.text(r.Name)
}

// evidence is a claim with its passage.
func (w *writer) evidence(e evidence) {
	c, l := e.Entry, e.Entry.Location
	w.put(`
<article class="evidence" id="%s" aria-labelledby="h-%s">
<h4 id="h-%s">%s: %s</h4>
<p><span class="badge %s">%s</span>`, c.Anchor(), c.Anchor(), c.Anchor(), c.ID, c.Text, c.Class(), stateOf(c.Entry))
	if l.Tier != "" {
		w.put(" %s", l.Tier)
	}
	if c.Support != nil {
		w.put(" · votes on the passage: <strong>%s</strong>", c.Support.Verdict)
		if c.Support.Reason != "" {
			w.put(" (%s)", c.Support.Reason)
		}
	}
	if c.Confidence != "" {
		w.put(" · confidence %s", c.Confidence)
	}
	w.put("</p>\n")
	if p := passageOf(c.Entry); p != nil {
		w.put("<figure><figcaption>The passage in the archived copy</figcaption><blockquote>%s<mark>%s</mark>%s</blockquote></figure>\n", p.Before, p.Marked, p.Behind)
	}
	if c.Quote == "" {
		w.put("<p>No quotation was given.</p>\n")
	} else {
		w.put("<p>Quoted as: “%s”", c.Quote)
		w.leftOut(l)
		w.put("</p>\n")
	}
	if l.Nearest != "" {
		w.put("<p>The nearest passage found: “%s”</p>\n", l.Nearest)
	}
	for i, f := range l.Findings {
		before := "<p>Differences: "
		if i > 0 {
			before = "; "
		}
		w.put(before+"%s “%s” against “%s”", f.Kind, f.Quote, f.Text)
	}
	if len(l.Findings) > 0 {
		w.put("</p>\n")
	}
	w.details(e)
	w.back(e)
	w.put("</article>")
}

func (w *writer) leftOut(l claim.Location) {
	if len(l.LeftOut) > 0 {
		w.put(" (left out: “%s”)", strings.Join(l.LeftOut, "”; “"))
	}
}

// details are where the passage stands, and who says so.
func (w *writer) details(e evidence) {
	c, l, r := e.Entry, e.Entry.Location, e.Reference
	w.put("<dl>\n<dt>Source</dt><dd>[%d] ", r.Number)
	w.source(r)
	w.put("</dd>\n")
	if l.First != 0 {
		w.put("<dt>Place</dt><dd>lines %d–%d, bytes %d–%d of the text</dd>\n", l.First, l.Last, l.Start, l.End)
	}
	if l.Reason != "" {
		w.put("<dt>Note</dt><dd>%s</dd>\n", l.Reason)
	}
	if l.Snapshot != "" {
		w.put("<dt>Snapshot</dt><dd><code>%s</code></dd>\n", l.Snapshot)
	}
	if l.Text != "" {
		w.put("<dt>Text</dt><dd><code>%s</code></dd>\n", l.Text)
	}
	if at := date(r.Source.Fetched); at != "" {
		w.put("<dt>Fetched</dt><dd>%s</dd>\n", at)
	}
	if len(c.Seats) > 0 {
		w.put("<dt>Claimed by</dt><dd>%s</dd>\n", strings.Join(c.Seats, ", "))
	}
	w.put("</dl>\n")
	if c.Support == nil || len(c.Support.Votes) == 0 {
		return
	}
	w.put("<details><summary>Votes</summary><ul>")
	for _, v := range c.Support.Votes {
		w.put("<li>%s (%s): %s", v.Seat, v.Family, v.Answer)
		if v.Reason != "" {
			w.put(": %s", v.Reason)
		}
		w.put("</li>")
	}
	w.put("</ul></details>\n")
}

// back leads to where a claim is cited.
func (w *writer) back(e evidence) {
	w.put(`<p class="back">Back to where it is cited:`)
	for i, place := range e.Places {
		if i > 0 {
			w.put(",")
		}
		w.put(` <a href="#r-%s-%d">place %d</a>`, e.Entry.Anchor(), place, place)
	}
	w.put("</p>\n")
}

// uncited are the claims of the registry that the report does not cite.
func (w *writer) uncited(s pageData) {
	if len(s.Uncited) == 0 {
		return
	}
	w.put(`<details class="rest"><summary>Claims of the registry that the report does not cite (%d`, len(s.Uncited))
	if s.Hidden > 0 {
		w.put("; %d more stand in the registry alone", s.Hidden)
	}
	w.put(`)</summary>
<div class="wide" tabindex="0" role="region" aria-label="further claims"><table><thead><tr><th scope="col">#</th><th scope="col">Claim</th><th scope="col">Quotation</th><th scope="col">Source as named</th><th scope="col">Verified</th></tr></thead>
<tbody>`)
	for _, c := range s.Uncited {
		w.put("<tr><td>%s</td><td>%s</td><td>%s", c.ID, c.Text, c.Quote)
		w.leftOut(c.Location)
		w.put("</td><td>%s</td><td>%s</td></tr>\n", c.Source, stateOf(c))
	}
	w.put("</tbody></table></div></details>\n")
}
