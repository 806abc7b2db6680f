package serve

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/host/runs"
)

// showClaim is one claim: who says it, what was voted, and each of its passages in the
// archived text, which is shown as text whatever it was.
func showClaim(v *visit) error {
	if id := v.r.PathValue("claim"); strings.HasPrefix(id, refusedPrefix) {
		return showRefused(v, id)
	}
	g, err := v.kept.of(v.project, v.id)
	if err != nil {
		return err
	}
	e, err := g.entry(v.r.PathValue("claim"))
	if err != nil {
		return err
	}
	v.title, v.place = "Claim "+e.ID, "claims"
	m := &v.body
	m.put("<article class=\"claim\" aria-labelledby=\"claim\">\n<p class=\"crumbs\"><a href=\"%s\">Claims</a> <span aria-hidden=\"true\">/</span> %s</p>\n<h2 id=\"claim\">%s</h2>\n<p>", v.at("claims"), e.ID, e.Text)
	m.state(string(e.Location.State))
	if e.Location.State == claim.Located && len(e.Location.Findings) > 0 {
		m.put("%s", reservation)
	}
	if e.Verdict() != "" {
		m.put(" · votes: ")
		m.state(e.Verdict())
	}
	if e.Confidence != "" {
		m.put(" · confidence: %s", string(e.Confidence))
	}
	m.put("</p>\n<dl class=\"facts\">")
	m.fact("Kind", e.Kind.String())
	m.fact("Claimed by", strings.Join(e.Seats, ", "))
	m.fact("Families", strings.Join(e.Families, ", "))
	m.fact("Questions", strings.Join(e.Questions, ", "))
	m.fact("Rounds", strings.Join(e.Rounds, ", "))
	m.put("</dl>\n")
	m.grounds(v, e)
	list := e.Evidence()
	a, err := runs.Archive(v.folder)
	if err != nil {
		return err
	}
	if a != nil {
		defer a.Close()
	}
	for i, p := range list {
		m.passage(v, a, p, passagePlace{i + 1, len(list)})
	}
	m.voices(e)
	m.disputesOf(v, g, e.ID)
	if err := m.relationsOf(v, g, e.ID); err != nil {
		return err
	}
	m.put("</article>\n")
	return nil
}

// grounds are the claims that one which is no fact rests on.
func (m *markup) grounds(v *visit, e claim.Entry) {
	if len(e.RestsOn) == 0 {
		return
	}
	m.put("<p>It rests on ")
	for i, id := range e.RestsOn {
		if i > 0 {
			m.put(", ")
		}
		m.put(`<a href="%s">%s</a>`, v.at("claims/"+url.PathEscape(id)), id)
	}
	m.put(". %s</p>\n", e.Location.Reason)
}

// passagePlace is which of how many passages one is.
type passagePlace struct{ number, of int }

// passage is what a claim quotes, and where that stands.
func (m *markup) passage(v *visit, a *archive.Archive, p claim.Passage, place passagePlace) {
	title := "Passage"
	if place.of > 1 {
		title = fmt.Sprintf("Passage %d of %d", place.number, place.of)
	}
	m.put("<section class=\"evidence\" aria-labelledby=\"p%d\">\n<h3 id=\"p%d\">%s</h3>\n<p class=\"origin\">", place.number, place.number, title)
	m.outside(source.Identify(p.Source).URL, p.Source)
	if p.Type != "" {
		m.put(" <span class=\"tag\">%s</span>", strings.ReplaceAll(string(p.Type), "_", " "))
	}
	m.put("</p>\n")
	if p.Quote == "" {
		m.put("<p>No quotation was given.</p>\n")
	} else {
		m.put("<p>Quoted as:</p>\n<blockquote>%s</blockquote>\n", p.Quote)
	}
	l := p.Location
	m.put("<dl class=\"facts\">")
	state := strings.ReplaceAll(string(l.State), "-", " ")
	if l.Tier != "" {
		state += ", " + l.Tier
	}
	m.fact("Looked for", state)
	m.fact("Note", l.Reason)
	m.fact("Weighs little", l.Doubt)
	m.fact("Made by", l.Made)
	if l.First > 0 {
		m.fact("Lines", claim.Lines(l.First, l.Last))
	}
	for _, gap := range l.LeftOut {
		m.fact("Left out", "“"+gap+"”")
	}
	for _, f := range l.Findings {
		m.fact("Reservation", f.String())
	}
	m.fact("Nearest", l.Nearest)
	m.put("</dl>\n")
	m.governs(l)
	m.archived(v, a, p)
	m.put("</section>\n")
}

// governs is what decides how a passage is to be read: the blocks it stands in.
func (m *markup) governs(l claim.Location) {
	if len(l.Within) == 0 {
		return
	}
	m.put("<p>It stands within:</p>\n<pre class=\"within\" tabindex=\"0\" aria-label=\"what it stands within\">")
	for _, w := range l.Within {
		m.put("%s\n", w)
	}
	m.put("</pre>\n")
}

// Bounds of what of an archived text is shown.
const (
	linesAround = 25       // before and behind a passage
	bytesAround = 32 << 10 // likewise, where lines are long
	mostShown   = 1 << 20  // bytes of a whole text, half of them before the passage at most
)

// archived shows the archived text around a passage. Where it is not to be had, what
// the registry kept of it stands for it.
func (m *markup) archived(v *visit, a *archive.Archive, p claim.Passage) {
	l := p.Location
	if l.State != claim.Located {
		return
	}
	text, why := "", "nothing is archived"
	if a != nil && l.Text != "" {
		var err error
		text, err = a.Text(archive.Snapshot{Text: l.Text})
		switch {
		case errors.Is(err, fs.ErrNotExist):
			why = "the archive has lost it"
		case err != nil:
			text, why = "", "what is archived is not what was archived: "+v.withoutPaths(err)
		default:
			why = "the archived text has other words there"
		}
	}
	if !holds(text, l) {
		m.put("<p class=\"problem\">The passage cannot be shown in its archived text: %s. When it was located this was kept of it:</p>\n<blockquote>%s</blockquote>\n", why, cmp.Or(l.Context, l.Passage))
		return
	}
	m.put("<h4>In the archived text</h4>\n")
	m.lines(text, excerpt{first: l.First, start: l.Start, end: l.End, around: linesAround})
	m.put("<p><a href=\"%s\">The whole text</a></p>\n", v.at("text")+"?"+url.Values{"hash": {l.Text}, "from": {fmt.Sprint(l.Start)}, "to": {fmt.Sprint(l.End)}, "first": {fmt.Sprint(l.First)}}.Encode()+"#passage")
}

// holds reports whether a text has a place that can be marked.
func holds(text string, l claim.Location) bool {
	return l.Start >= 0 && l.Start < l.End && l.End <= len(text) && (l.Passage == "" || text[l.Start:l.End] == l.Passage)
}

// excerpt is what of a text is shown.
type excerpt struct {
	first      int // number of the line the passage begins in; 0 where there is none
	start, end int // bytes of the passage
	around     int // lines before and behind it; 0 for all
}

// lines writes the lines of a text with their numbers, the passage marked.
func (m *markup) lines(text string, x excerpt) {
	from, to := 0, len(text)
	if x.around > 0 {
		from, to = max(back(text, x.start, x.around), x.start-bytesAround), min(forth(text, x.end, x.around), x.end+bytesAround)
	} else if len(text) > mostShown {
		from = max(0, x.start-mostShown/2)
		to = min(len(text), from+mostShown)
	}
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	number := max(1, x.first-strings.Count(text[from:max(from, x.start)], "\n"))
	if x.first == 0 {
		number = 1
	}
	m.put("<ol class=\"lines\" start=\"%d\" tabindex=\"0\" aria-label=\"archived text\">\n", number)
	at, isMarked := from, false
	for one := range strings.Lines(text[from:to]) {
		end := at + len(one)
		m.put("<li><code>")
		a, b := min(max(x.start, at), end), min(max(x.end, at), end)
		switch {
		case a >= b:
			m.put("%s", strings.TrimRight(one, "\r\n"))
		default:
			m.put("%s", text[at:a])
			anchor := raw(` id="passage"`)
			if isMarked {
				anchor = ""
			}
			m.put("<mark%s>%s</mark>%s", anchor, strings.TrimRight(text[a:b], "\r\n"), strings.TrimRight(text[b:end], "\r\n"))
			isMarked = true
		}
		m.put("</code></li>\n")
		at = end
	}
	m.put("</ol>\n")
	if x.around == 0 && to-from < len(text) {
		m.put("<p>Of %s bytes, those from %s to %s are shown.</p>\n", grouped(int64(len(text))), grouped(int64(from)), grouped(int64(to)))
	}
}

// back is where the line begins that stands some lines before a place.
func back(text string, at, lines int) int {
	if at == 0 {
		return 0
	}
	for ; lines >= 0 && at > 0; lines-- {
		at = strings.LastIndexByte(text[:at], '\n')
		if at < 0 {
			return 0
		}
	}
	return min(at+1, len(text))
}

// forth is where the line ends that stands some lines behind a place.
func forth(text string, at, lines int) int {
	for ; lines >= 0 && at < len(text); lines-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}

// voices are the votes on a claim.
func (m *markup) voices(e claim.Entry) {
	if e.Support == nil {
		return
	}
	m.put("<h3>Votes</h3>\n<p>%s</p>\n<ul class=\"plain\">", e.Support.Reason)
	for _, x := range e.Support.Votes {
		m.put("<li>")
		m.state(x.Answer)
		m.put(" %s (%s): %s</li>\n", x.Seat, x.Family, x.Reason)
	}
	m.put("</ul>\n")
}

// disputesOf are those a claim is a side of.
func (m *markup) disputesOf(v *visit, g *registry, id string) {
	headed := false
	for _, d := range g.conflicts {
		if d.A != id && d.B != id {
			continue
		}
		if !headed {
			m.put("<h3>Disputes</h3>\n<ul class=\"plain\">")
			headed = true
		}
		other := d.A
		if other == id {
			other = d.B
		}
		m.put("<li><a href=\"%s#%s\">%s</a> with <a href=\"%s\">%s</a>: %s</li>", v.at("disputes"), url.PathEscape(d.ID), d.ID, v.at("claims/"+url.PathEscape(other)), other, d.Detail)
	}
	if headed {
		m.put("</ul>\n")
	}
}

// showText is the archived text of a source, named by its hash, with a passage marked
// where one is named.
func showText(v *visit) error {
	q := v.r.URL.Query()
	hash := q.Get("hash")
	a, err := runs.Archive(v.folder)
	if err != nil {
		return err
	}
	if a == nil || len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return fs.ErrNotExist
	}
	defer a.Close()
	text, err := a.Text(archive.Snapshot{Text: hash})
	if err != nil {
		return err
	}
	v.title, v.place = "Archived text", "sources"
	x := excerpt{}
	for name, into := range map[string]*int{"from": &x.start, "to": &x.end, "first": &x.first} {
		_, _ = fmt.Sscanf(q.Get(name), "%d", into) // what is no number marks nothing
	}
	if !holds(text, claim.Location{Start: x.start, End: x.end}) {
		x = excerpt{}
	}
	v.body.put("<h2>Archived text</h2>\n<p><code>%s</code>, %s bytes. It is shown as text; what it loaded or ran where it was published it does not do here.</p>\n", hash, grouped(int64(len(text))))
	v.body.lines(text, x)
	return nil
}
