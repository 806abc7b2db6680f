package export

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"maps"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/provenance"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// Page is a publication as a page of HTML, in parts: who shows it in a frame of their
// own takes [Page.Body] with [Style] and [Script], who draws the evidence otherwise
// takes [Page.Evidence].
type Page struct {
	*parsedPublication
	main, appendix []block         // the appendix without the list of sources
	needed         map[string]bool // claims without passages on the page to which something on it leads
	experiments    string          // anchor of the section that tells how they were made; "" for none
	own            int             // references that the report itself cites; those behind are the appendix's
	contents       []contentsEntry
	evidence       []Evidence
	figures        []figure
	standing       map[string][]string // of claims, by their ids: those of the filter's words that hold
	disputes       map[string][]claim.Conflict
}

// contentsEntry is an entry of the table of contents.
type contentsEntry struct {
	Title, Anchor string
	Appendix      bool
}

// NewPage reads a publication.
func NewPage(p Publication) *Page { return newPage(parsePublication(p)) }

// Style is the style sheet a page is made for. It loads nothing.
func Style() string { return pageStyle }

// Script is what opens a page's evidence beside the text. It loads nothing and makes
// no markup: without it citations lead to the appendix.
func Script() string { return pageScript }

// Anchors of what the page adds to the report.
const (
	figuresAnchor  = "figures"
	sourcesAnchor  = "sources"
	evidenceAnchor = "evidence"
	restAnchor     = "rest"
)

// experimentsTitle is that of the report's section that tells how experiments were made.
const experimentsTitle = "Experiments Made"

// registryTitle is that of the report's table of all claims.
const registryTitle = "Claim Registry"

func newPage(e *parsedPublication) *Page {
	p := &Page{parsedPublication: e, standing: map[string][]string{}, disputes: map[string][]claim.Conflict{}}
	for _, c := range e.Registry.Conflicts {
		p.disputes[c.A], p.disputes[c.B] = append(p.disputes[c.A], c), append(p.disputes[c.B], c)
	}
	for _, c := range e.Registry.Entries {
		p.standing[c.ID] = p.standingOf(c)
	}
	at := appendixStart(e.body, e.listed)
	p.main, p.appendix = e.body[:at], e.body[at:]
	p.own = highestReference(p.main)
	p.findCharts(p.main)
	p.evidence = p.gatherEvidence()
	p.needed = p.neededClaims()
	p.figures = p.drawFigures()
	p.listContents()
	return p
}

// appendixStart is where the appendix begins: behind the line below which the report
// says so, or else where the list of sources stood.
func appendixStart(body []block, listed int) int {
	for i := 1; i < len(body); i++ {
		if body[i-1].Kind == "rule" && body[i].Kind == "text" && strings.HasPrefix(plainText(body[i].Text), "Appendix") {
			body[i-1].Kind = "" // the page has a line of its own
			return i
		}
	}
	return listed
}

// highestReference is the highest number of a reference that blocks cite.
func highestReference(list []block) int {
	most := 0
	var inlines func(list []inline)
	inlines = func(list []inline) {
		for _, i := range list {
			for _, c := range i.Cited {
				if c.Reference != nil {
					most = max(most, c.Reference.Number)
				}
			}
			inlines(i.Inner)
		}
	}
	for _, b := range list {
		inlines(b.Text)
		most = max(most, highestReference(b.Inner))
		for _, item := range b.Items {
			most = max(most, highestReference(item))
		}
		for _, row := range b.Rows {
			for _, cell := range row {
				inlines(cell)
			}
		}
	}
	return most
}

// listContents names the sections in the order in which they stand, and gives them
// their anchors.
func (p *Page) listContents() {
	list := func(body []block, appendix bool) {
		for i := range body {
			if body[i].Kind == "heading" && body[i].Level == 2 {
				body[i].Anchor = "s" + strconv.Itoa(len(p.contents)+1)
				p.contents = append(p.contents, contentsEntry{plainText(body[i].Text), body[i].Anchor, appendix})
				if appendix && plainText(body[i].Text) == experimentsTitle {
					p.experiments = body[i].Anchor
				}
			}
		}
	}
	add := func(there bool, title, anchor string, appendix bool) {
		if there {
			p.contents = append(p.contents, contentsEntry{title, anchor, appendix})
		}
	}
	list(p.main, false)
	add(len(p.figures) > 0, figuresTitle, figuresAnchor, false)
	add(true, p.listTitle, sourcesAnchor, false)
	add(len(p.evidence) > 0, evidenceTitle, evidenceAnchor, true)
	add(len(p.uncited()) > 0, restTitle, restAnchor, true)
	list(p.appendix, true)
}

// html writes the page as one file. Its policy lets a browser use the one style sheet
// and the one script in it and nothing else.
func (e *parsedPublication) html() []byte {
	p := newPage(e)
	var w writer
	w.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
`, policy())
	if maker := line(p.Maker); maker != "" {
		w.put(`<meta name="generator" content="%s">`, maker)
	}
	w.put("\n<title>%s</title>\n<style>", p.title)
	w.WriteString(pageStyle)
	w.put("</style>\n</head>\n<body>\n")
	w.Write(p.Body())
	w.put("<script>")
	w.WriteString(pageScript)
	w.put("</script>\n</body>\n</html>\n")
	return w.Bytes()
}

// policy lets a browser use our style sheet and script and nothing else.
func policy() string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(pageStyle) + "; script-src " + hash(pageScript) + "; base-uri 'none'; form-action 'none'"
}

// Body is what a page shows, from its first heading to its end. Where that is more than
// can be sent, the table of all claims is left out, then the last passages stand without
// what is around them, and in the end the appendix is cut short.
func (p *Page) Body() []byte {
	body := p.body(room{contextUntil: maxBody})
	if len(body) <= maxBody {
		return body
	}
	p = NewPage(withoutClaimTable(p.Publication))
	until := maxBody
	for body = p.body(room{contextUntil: until}); len(body) > maxBody; body = p.body(room{contextUntil: until}) {
		if until == 0 {
			return p.body(room{cut: true})
		}
		until = max(0, min(until, len(body))-(len(body)-maxBody)-(10<<10))
	}
	return body
}

// room is what is left out of a page that would be too large.
type room struct {
	contextUntil int  // beyond so many bytes passages stand without what is around them
	cut          bool // what does not fit of the appendix
}

// withoutClaimTable is a publication whose report says instead of the table of all
// claims where they stand: what the rest of it cites has its passages on the page.
func withoutClaimTable(p Publication) Publication {
	before, table, found := bytes.Cut(p.Report, []byte("\n## "+registryTitle+"\n"))
	if !found {
		return p
	}
	_, behind, _ := bytes.Cut(table, []byte("\n## "))
	p.Report = bytes.Join([][]byte{before, []byte(registryTitle + "\n\nEvery claim that this report cites stands with its passages under " + evidenceTitle + ", others under " + restTitle + ". The table of them all is in final-report.md.\n"), behind}, []byte("\n## "))
	return p
}

func (p *Page) body(r room) []byte {
	w := writer{page: p, room: r, made: map[int]bool{}}
	w.put("<a class=\"skip\" href=\"#report\">To the report</a>\n<div class=\"layout\">\n")
	w.head(p)
	w.contents(p)
	w.put("<main id=\"report\">\n<div class=\"prose\">\n")
	writeReport(&w, p)
	w.put("</div>\n")
	w.figures(p.figures)
	w.sources(p)
	w.put("<div class=\"appendix\">\n")
	w.brief = true
	if len(p.standing) > 0 {
		w.filter(p)
	}
	p.rests(&w)
	w.put(`</div>
</main>
<footer><p>`)
	if maker := line(p.Maker); maker != "" {
		w.put("Made by %s. ", maker)
	}
	w.put(`Whether a quotation stands in its source was decided by a program, on the archived copy; whether it supports the claim, by votes. This page loads nothing.</p><p><code>%s</code></p></footer>
</div>
<div id="card" role="tooltip" hidden></div>
<section id="panel" class="panel" role="dialog" aria-label="Evidence" tabindex="-1" hidden><div class="bar"><strong>Evidence</strong> <a class="whole" href="#sources">in the appendix</a> <button type="button">Close</button></div><div class="shown"></div></section>
`, provenance.Line(p.ID))
	return w.Bytes()
}

// rests writes what a report rests on. Where the appendix is cut short, claims lead back
// only to places that are left.
func (p *Page) rests(w *writer) {
	before, made, shortened := w.Len(), maps.Clone(w.made), w.shortened
	w.evidenceList(p)
	w.uncited(p)
	above := w.Len()
	w.sections(p.appendix)
	if !w.cut {
		return
	}
	below := bytes.Clone(w.Bytes()[above:])
	w.places = map[string]bool{}
	for _, m := range placeForm().FindAllSubmatch(w.Bytes(), -1) {
		w.places[string(m[1])] = true
	}
	w.made, w.shortened = made, shortened
	w.Truncate(before)
	w.evidenceList(p)
	w.uncited(p)
	w.Write(below)
}

// placeForm is a place of the page where a claim is cited.
var placeForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` id="(r-[^"]+)"`) })

// plainText is running text without marks, in one line.
func plainText(text []inline) string {
	var b strings.Builder
	for _, i := range text {
		i.write(&b)
	}
	return line(b.String())
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

func percent(x float64) string { return strconv.Itoa(int(math.Round(100*x))) + " %" }
