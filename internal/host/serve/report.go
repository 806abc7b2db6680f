package serve

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/research-council/research-council/internal/base/commonmark"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/issues"
	"github.com/research-council/research-council/internal/output/export"
	"github.com/research-council/research-council/internal/product"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/codereview/reviewwork"
)

// Files of a finished report.
const (
	reportPage  = "final-report.html"
	mostReport  = 8 << 20 // bytes
	maxDepth    = 24      // blocks in one another
	progressEnd = 64 << 10
)

// showReport is the report beside its sources. Each citation leads to its claim, whose
// page has the passage.
func showReport(v *visit) error {
	v.title, v.place = "Report", "report"
	name := flow.FinalReport
	data, err := v.folder.Read(name)
	if codereview.StatusOf(v.status) != nil && err != nil {
		data, err = readReview(v)
	}
	if err != nil {
		return v.without(err, "reports")
	}
	if len(data) > mostReport {
		return fmt.Errorf("the report has %d bytes, and no report has more than %d", len(data), mostReport)
	}
	b := &v.body
	if v.folder.Filled(reportPage) {
		b.put("<p class=\"soft\"><a href=\"%s\">The report as one page to keep</a>, shown without its script</p>\n", v.at(reportPage))
	}
	b.put("<div class=\"beside\">\n<article class=\"report\" aria-label=\"report\">\n")
	text := plain.Trimmed(string(data))
	w := reportWriter{markup: b, doc: commonmark.Parse([]byte(text), commonmark.Tables), at: v.at("claims/"), level: 1}
	if g, err := v.kept.of(v.project, v.id); err == nil { // a report without a registry has no charts
		w.entry = func(id string) (claim.Entry, bool) { e, err := g.entry(id); return e, err == nil }
	}
	w.blocks(w.doc.Root, 0)
	b.put("</article>\n<aside id=\"beside\" aria-label=\"contents and passages\" aria-live=\"polite\" tabindex=\"-1\">\n<p class=\"hint\">A citation opens its claim here, with the passage in the archived text.</p>\n")
	w.contents()
	b.put("</aside>\n</div>\n")
	return nil
}

// contents lead to the sections that were written.
func (w *reportWriter) contents() {
	if len(w.sections) == 0 {
		return
	}
	w.put("<nav class=\"contents\" aria-label=\"contents\"><ol>\n")
	for i, title := range w.sections {
		w.put("<li><a href=\"#s%d\">%s</a></li>\n", i+1, line(title, 120))
	}
	w.put("</ol></nav>\n")
}

// readReview is the report of a review of code, which lies with the code.
func readReview(v *visit) ([]byte, error) {
	name, err := filepath.Rel(v.project.Path, reviewwork.ReviewReportPath(v.project.Path, v.id))
	if err != nil {
		return nil, err
	}
	return readInside(v.project.Path, name)
}

// readInside reads a file below a folder; no link leads out of it.
func readInside(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.ReadFile(name)
}

// serveReportFile serves the report as a page of its own. Whatever it holds is shut in:
// it runs no script, loads nothing and is of no origin, so that it could not read
// these pages either.
func serveReportFile(v *visit) error {
	data, err := v.folder.Read(reportPage)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Security-Policy", "sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = v.w.Write(data) // a reader that is gone is told nothing
	return nil
}

// reportWriter writes Markdown as a part of a page.
type reportWriter struct {
	*markup
	doc   commonmark.Document
	at    string // where claims are
	level int    // of the last heading
	count int    // of the tables

	entry func(id string) (claim.Entry, bool) // claims whose numbers are drawn; nil where there are none
	drawn *extast.Table                       // with its chart

	begun    bool     // something was written: a heading above it all is the page's own
	sections []string // their headings
}

func (w *reportWriter) blocks(parent ast.Node, depth int) {
	for n := range commonmark.Children(parent) {
		if depth > maxDepth {
			w.put("<p>%s</p>\n", w.doc.Lines(n))
			continue
		}
		w.block(n, depth)
		w.begun = true
	}
}

// in writes what stands in an element.
func (w *reportWriter) in(name string, write func()) {
	w.put("<%s>", raw(name))
	write()
	w.put("</%s>\n", raw(name))
}

func (w *reportWriter) block(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Heading:
		w.heading(n)
	case *ast.Paragraph:
		if !w.chart(n) {
			w.in("p", func() { w.inlines(n) })
		}
	case *ast.TextBlock:
		w.inlines(n)
	case *ast.ThematicBreak:
		w.put("<hr>\n")
	case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock:
		if only := strings.TrimSpace(w.doc.Lines(n)); ownAnchor().MatchString(only) || n.Kind() == ast.KindHTMLBlock && isComment(only) {
			return
		}
		w.put("<pre tabindex=\"0\" aria-label=\"code\"><code>%s</code></pre>\n", w.doc.Lines(n))
	case *ast.Blockquote:
		w.in("blockquote", func() { w.blocks(n, depth+1) })
	case *ast.List:
		open, shut := raw("<ul>"), raw("</ul>\n")
		if n.IsOrdered() {
			open, shut = raw(fmt.Sprintf(`<ol start="%d">`, min(max(n.Start, 0), 1_000_000))), "</ol>\n"
		}
		w.put("%s", open)
		for item := range commonmark.Children(n) {
			w.in("li", func() { w.blocks(item, depth+1) })
		}
		w.put("%s", shut)
	case *extast.Table:
		if n != w.drawn {
			w.table(n)
		}
	default:
		w.blocks(n, depth+1)
	}
}

// heading writes a heading. The first, where it is above all else, stands over the page
// already.
func (w *reportWriter) heading(n *ast.Heading) {
	if n.Level == 1 && !w.begun {
		return
	}
	w.level = min(max(n.Level, 2), w.level+1, 6) // none is skipped: readers go by them
	if w.level > 2 {
		w.in(fmt.Sprintf("h%d", w.level), func() { w.inlines(n) })
		return
	}
	w.sections = append(w.sections, w.words(n))
	w.put("<h2 id=\"s%d\">", len(w.sections))
	w.inlines(n)
	w.put("</h2>\n")
}

// words are what stands in an element, without its markup.
func (w *reportWriter) words(parent ast.Node) string {
	var b strings.Builder
	for n := range commonmark.Children(parent) {
		switch n := n.(type) {
		case *ast.Text:
			b.WriteString(w.doc.Text(n))
		case *ast.CodeSpan:
			b.WriteString(w.doc.Code(n))
		default:
			b.WriteString(w.words(n))
		}
	}
	return b.String()
}

// chart draws the table below a paragraph that calls it a chart, above that table; false
// where there is nothing to be drawn.
func (w *reportWriter) chart(n *ast.Paragraph) bool {
	title, is := export.ChartTitle(w.words(n))
	table, below := n.NextSibling().(*extast.Table)
	if !is || !below || w.entry == nil {
		return false
	}
	t := export.ChartTable{Title: title}
	for i, row := range commonmark.Rows(table, func(cell ast.Node) ast.Node { return cell }) {
		switch {
		case len(row) != 3:
			return false
		case i == 0:
			t.Unit = w.words(row[1])
		default:
			t.Rows = append(t.Rows, export.ChartRow{Label: w.words(row[0]), Number: w.words(row[1]), Claim: claimIn(row[2])})
		}
	}
	drawing, ok := t.Drawing(w.entry)
	if !ok {
		return false
	}
	w.put("<figure class=\"chart\">%s", raw(drawing))
	w.table(table)
	w.put("</figure>\n")
	w.drawn = table
	return true
}

// claimIn is the first claim that is cited in a cell; "" where none is.
func claimIn(cell ast.Node) string {
	for n := range commonmark.Children(cell) {
		link, is := n.(*ast.Link)
		if !is {
			continue
		}
		if m := claimForm().FindStringSubmatch(string(link.Destination)); m != nil {
			return "C" + m[1]
		}
	}
	return ""
}

func (w *reportWriter) table(t *extast.Table) {
	w.count++
	w.put("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"table %d\"><table>\n", w.count)
	for i, row := range commonmark.Rows(t, func(cell ast.Node) ast.Node { return cell }) {
		open, shut := raw("<td>"), raw("</td>")
		if i == 0 {
			open, shut = `<th scope="col">`, "</th>"
			w.put("<thead>")
		}
		w.put("<tr>")
		for _, cell := range row {
			w.put("%s", open)
			w.inlines(cell)
			w.put("%s", shut)
		}
		w.put("</tr>\n")
		if i == 0 {
			w.put("</thead><tbody>\n")
		}
	}
	w.put("</tbody></table></div>\n")
}

func (w *reportWriter) inlines(parent ast.Node) {
	for n := range commonmark.Children(parent) {
		w.inline(n)
	}
}

func (w *reportWriter) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		w.put("%s", w.doc.Text(n))
		switch {
		case n.HardLineBreak():
			w.put("<br>\n")
		case n.SoftLineBreak():
			w.put("\n")
		}
	case *ast.String:
		w.put("%s", string(n.Value))
	case *ast.CodeSpan:
		w.put("<code>%s</code>", w.doc.Code(n))
	case *ast.Emphasis:
		name := map[bool]string{true: "strong", false: "em"}[n.Level == 2]
		w.put("<%s>", raw(name))
		w.inlines(n)
		w.put("</%s>", raw(name))
	case *ast.AutoLink:
		w.outside(string(n.URL(w.doc.Source)), string(n.Label(w.doc.Source)))
	case *ast.Link:
		w.link(n)
	case *ast.RawHTML: // the anchors of claims, which their pages take the place of
	default:
		w.inlines(n)
	}
}

// claimForm is where a citation leads in the report, and ownAnchor what it leads to.
var (
	claimForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^#c([0-9]{1,9})$`) })
	ownAnchor = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<a id="c[0-9]{1,9}"></a>$`) })
)

// isComment reports whether markup is one comment and nothing else, which nobody is to read.
func isComment(markup string) bool {
	inner, begins := strings.CutPrefix(markup, "<!--")
	inner, ends := strings.CutSuffix(inner, "-->")
	return begins && ends && !strings.Contains(inner, "--")
}

func (w *reportWriter) link(n *ast.Link) {
	to := string(n.Destination)
	if m := claimForm().FindStringSubmatch(to); m != nil {
		w.put(`<a class="cite" href="%s" title="%s">`, w.at+"C"+m[1], "claim C"+m[1])
		w.inlines(n)
		w.put("</a>")
		return
	}
	if to = webAddress(to); to == "" {
		w.inlines(n)
		return
	}
	w.put(`<a class="out" href="%s" rel="noopener noreferrer nofollow">`, to)
	w.inlines(n)
	w.put("</a>")
}

// showLog is what went wrong, and the last lines of the progress log.
func showLog(v *visit) error {
	v.title, v.place = "Log", "log"
	b := &v.body
	if v.Kept != nil {
		b.put("<p>%s</p>\n", WithoutJournal)
		return nil
	}
	if err := v.issues(); err != nil {
		b.put("<p>What went wrong cannot be read: %s</p>\n", line(err.Error(), 400))
	}
	data, err := v.folder.Read("progress.log")
	if err != nil {
		return v.without(err, "progress lines")
	}
	cut := len(data) > progressEnd
	if cut {
		data = data[len(data)-progressEnd:]
	}
	b.put("<h2>Progress</h2>\n")
	if cut {
		b.put("<p>The last lines; <code>council logs %s</code> has all.</p>\n", v.id)
	}
	progress(b, string(data))
	return nil
}

// progress writes lines of a progress log, each with its time of day here, the first of a
// day with its date.
func progress(m *markup, text string) {
	m.put("<ol class=\"log\" tabindex=\"0\" aria-label=\"progress\">\n")
	day := ""
	for said := range strings.Lines(strings.ToValidUTF8(text, "\uFFFD")) {
		said = strings.TrimSpace(said)
		stamp, rest, _ := strings.Cut(strings.TrimPrefix(said, "["), "] ")
		at, err := time.Parse(time.RFC3339, stamp)
		if err != nil {
			m.put("<li>%s</li>\n", said)
			continue
		}
		at = at.Local()
		if d := at.Format(time.DateOnly); d != day {
			day = d
			m.put("<li class=\"soft\">%s</li>\n", day)
		}
		m.put("<li><time datetime=\"%s\">%s</time> %s</li>\n", stamp, at.Format(time.TimeOnly), rest)
	}
	m.put("</ol>\n")
}

// issues is what went wrong, with a choice by stage and code.
func (v *visit) issues() error {
	events, err := supervisor.Facts(v.project.Path, v.id)
	if err != nil {
		return err
	}
	w, _, err := product.Load(v.project.Path, v.id)
	if err != nil {
		return err
	}
	log := issues.Of(w, events)
	q := v.r.URL.Query()
	var stages, codes []string
	for _, x := range log.Issues {
		stages, codes = append(stages, x.Stage), append(codes, x.Code)
	}
	stages, codes = distinct(stages), distinct(codes)
	b := &v.body
	b.put("<h2>What went wrong</h2>\n")
	if len(log.Issues) == 0 {
		b.put("<p>Nothing did.</p>\n")
		return nil
	}
	b.put("<form class=\"filter\" method=\"get\">")
	b.chosen("stage", "Stage", q.Get("stage"), stages)
	b.chosen("code", "Sort", q.Get("code"), codes)
	b.put("<button>Show</button></form>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"what went wrong\"><table class=\"cards\"><thead><tr><th scope=\"col\">When</th><th scope=\"col\">Stage</th><th scope=\"col\">Seat</th><th scope=\"col\">Sort</th><th scope=\"col\">What</th></tr></thead><tbody>\n")
	for _, x := range log.Issues {
		if fit := q.Get("stage"); fit != "" && x.Stage != fit {
			continue
		}
		if fit := q.Get("code"); fit != "" && x.Code != fit {
			continue
		}
		b.put("<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s", x.At.Local().Format("15:04:05"), strings.ReplaceAll(x.Stage, "_", " "), x.Seat, strings.ReplaceAll(x.Code, "_", " "), line(x.Detail, 600))
		for _, p := range x.Problems {
			b.put("<br>%s", line(p, 300))
		}
		b.put("</td></tr>\n")
	}
	b.put("</tbody></table></div>\n")
	return nil
}

// query is an address with one parameter.
func query(page, name, value string) string {
	return page + "?" + url.Values{name: {value}}.Encode()
}
