package export

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// Bounds of a page, in bytes, that a council of three keeps to: claims that nothing on it
// leads to are listed up to the first, and where the whole is more than the second, less
// is shown of what stands around passages. The registry has all of it.
const (
	uncitedUntil = 240 << 10
	maxBody      = 371 << 10 // style sheet, script and head are less than 20 KiB
	footerRoom   = 2 << 10   // kept for what stands behind the appendix
)

const (
	evidenceTitle = "Claims and passages"
	restTitle     = "Claims that are not cited"
)

// shortGround bounds what a conclusion rests on, in letters, where room is scarce.
const shortGround = 80

// maxAgainst bounds what is shown of the claim that another is in conflict with.
const maxAgainst = 120

// A passage of more lines, where one has so many bytes, may have to be scrolled on a
// phone.
const (
	mayScrollLines = 12
	phoneLine      = 30
)

// maxPlaces bounds the places a claim leads back to.
const maxPlaces = 3

// evidenceList is every claim the report cites.
func (w *writer) evidenceList(p *Page) {
	if len(p.evidence) == 0 {
		return
	}
	w.put("<h2 id=\"%s\">%s</h2>\n", evidenceAnchor, evidenceTitle)
	for _, e := range p.evidence {
		w.claim(e)
	}
}

// claim is a claim with its passages, which a citation opens.
func (w *writer) claim(e Evidence) {
	id := anchor(e.ID)
	w.put(`<article class="evidence %s" id="%s">
<h3><span class="id">%s</span> <bdi>%s</bdi></h3>
<p class="state">`, w.page.classes(e.ID), id, e.ID, e.Text)
	w.standing(e)
	w.put("</p>\n")
	w.grounds(e)
	for i, one := range e.Passages {
		if len(e.Passages) > 1 {
			w.put("<p class=\"nth\">Passage %d of %d", i+1, len(e.Passages))
			if one.State != e.State {
				w.put(" ")
				w.badge(one.State, one.State)
			}
			w.put("</p>\n")
		}
		w.passage(one)
	}
	w.disputes(e.Disputes)
	w.votes(e.Votes)
	w.back(e)
	w.put("</article>\n")
}

// standing says of a claim where it stands, what judges say and whose it is.
func (w *writer) standing(e Evidence) {
	about, whose := "votes on the passage:", "claimed"
	if e.Kind != "" {
		about, whose = "judges:", "held"
		w.put(`<span class="kind">%s</span> `, e.Kind)
	}
	w.badge(e.State, e.State)
	if n := len(e.Passages); n > 1 {
		w.put(" %d of %d passages located;", e.located(), n)
	}
	for _, word := range e.Standing {
		if word != e.State && !(word == isRejected && shapeOf(e.State) == shapeOf(word)) {
			w.put(" ")
			w.badge(word, word)
		}
	}
	switch {
	case e.Verdict != "":
		w.put(" %s <strong>%s</strong>", about, e.verdictWords())
		if e.Reason != "" {
			w.put(" (%s)", e.Reason)
		}
		w.put(";")
	case e.Kind != "":
		w.put(" nobody has judged whether it follows;")
	}
	if e.Confidence != "" {
		w.put(" confidence %s;", e.Confidence)
	}
	if len(e.Seats) > 0 {
		w.put(" %s by %s", whose, strings.Join(e.Seats, ", "))
	}
}

// verdictWords is a verdict in the words of what was asked: of a conclusion whether it
// follows.
func (e Evidence) verdictWords() string {
	if e.Kind == "" {
		return e.Verdict
	}
	said := map[string]string{
		claim.Supports: "supported", claim.Qualifies: "supported in part", claim.Contradicts: "it does not follow",
		claim.Undecided: "they disagree", claim.Unjudged: "none could say",
	}[e.Verdict]
	return cmp.Or(said, e.Verdict)
}

// grounds are what a conclusion rests on, each a link to the claim, and what of it does
// not hold.
func (w *writer) grounds(e Evidence) {
	if e.Lost != "" {
		about := "Not all it rests on holds: "
		if e.State != isReasoned {
			about = ""
		}
		w.put("<p class=\"lost\"><span class=\"sign\">%s</span> %s%s.</p>\n", shapeOf(isRejected), about, strings.TrimRight(e.Lost, "."))
	}
	if len(e.RestsOn) == 0 {
		return
	}
	w.put("<p class=\"nth\">Rests on</p>\n<ul class=\"rests-on\">")
	for _, g := range e.RestsOn {
		if g.State == "" {
			w.put("<li>%s: there is no such claim</li>", g.ID)
			continue
		}
		w.put("<li>")
		w.claimLink(g.ID)
		w.put(" ")
		if g.Kind != "" {
			w.put(`<span class="kind">%s</span> `, g.Kind)
		}
		text := g.Text
		if w.Len() > w.contextUntil {
			text = short(text, shortGround)
		}
		w.put("<bdi>%s</bdi> ", text)
		w.badge(g.State, g.State)
		for _, word := range g.Standing {
			if word != g.State && !(word == isRejected && shapeOf(g.State) == shapeOf(word)) {
				w.put(" ")
				w.badge(word, word)
			}
		}
		if w.Len() <= w.contextUntil {
			for _, words := range g.Passages {
				w.put("<p class=\"quote\"><bdi>“%s”</bdi></p>", words)
			}
		}
		if g.Kind == "" && len(g.Passages) == 0 {
			w.put("<p class=\"quote\">No quotation was given.</p>")
		}
		w.put("</li>")
	}
	w.put("</ul>\n")
}

// claimLink leads to where a claim stands with its passages, or else to its row among
// those that are not cited.
func (w *writer) claimLink(id string) {
	switch {
	case w.page.places[id] > 0 || w.page.drawn[id]:
		w.put(`<a class="%s" href="#%s">%s</a>`, w.page.classes(id), anchor(id), id)
	case w.page.needed[id]:
		w.put(`<a href="#%s">%s</a>`, anchor(id), id)
	default:
		w.text(id)
	}
}

// badge is a state as a word, with its shape.
func (w *writer) badge(state, word string) {
	w.put(`<span class="badge %s">%s %s</span>`, class(state), shapeOf(state), word)
}

// passage is a passage in its context, what governs it, and where it stands.
func (w *writer) passage(e evidence) {
	w.put(`<p class="from"><a href="#source-%d">[%d]</a> `, e.Number, e.Number)
	w.put("<bdi>")
	switch {
	case e.Made == "":
		w.link(e.URL, e.Source)
	case w.page.experiments != "":
		w.put(`<a href="#%s">%s</a>`, w.page.experiments, e.Site)
	default:
		w.text(e.Site)
	}
	w.put("</bdi>")
	for _, said := range []string{e.Published, e.Kept, where(e)} {
		if said != "" {
			w.put(" · %s", said)
		}
	}
	w.put("</p>\n")
	switch {
	case e.Made == "" || w.page.experiments != "":
	case w.made[e.Number]:
		w.put("<p class=\"note\">How the source was made is said at the first passage of it.</p>\n")
	default:
		w.made[e.Number] = true
		w.put("<p class=\"note\">How the source was made: %s</p>\n", e.Made)
	}
	if e.Passage != "" {
		w.quoted(e)
	}
	w.quotation(e)
	if e.Nearest != "" {
		w.put("<p>The nearest passage found: “%s”</p>\n", e.Nearest)
	}
	if len(e.Findings) > 0 {
		w.put("<p>Differences: %s</p>\n", strings.Join(e.Findings, "; "))
	}
	for _, note := range []string{e.Note, e.Doubt} {
		if note != "" {
			w.put("<p class=\"note\">%s</p>\n", note)
		}
	}
	if w.Len() <= w.contextUntil && (e.Snapshot != "" || e.TextHash != "" || !e.Fetched.IsZero()) {
		w.exactly(e)
	}
}

// where is the place of a passage in its source, and how alike it is to the quotation.
func where(e evidence) string {
	out := ""
	if e.First != 0 {
		out = "line "
		if e.First != e.Last {
			out = "lines "
		}
		out += claim.Lines(e.First, e.Last)
	}
	if e.Tier != "" {
		out = strings.TrimPrefix(out+", "+e.Tier, ", ")
	}
	return out
}

// quoted is the passage as the archived copy has it, between what stands around it.
func (w *writer) quoted(e evidence) {
	kind := "text"
	if e.Code {
		kind = "code"
	}
	w.put("<blockquote class=\"passage %s\" dir=\"auto\"", kind)
	if whole := e.Before + e.Passage + e.Behind; len(whole)/phoneLine+strings.Count(whole, "\n")+2*len(e.Within) > mayScrollLines {
		w.put(" tabindex=\"0\"") // for keyboards
	}
	w.put(">")
	for _, opens := range e.Within {
		w.put(`<span class="within">within <code>%s</code></span>`, opens)
	}
	if w.Len() > w.contextUntil {
		w.put("<mark>%s</mark></blockquote>\n", e.Passage)
		if !w.shortened {
			w.shortened = true
			w.put("<p class=\"note\">Of this and what follows, what stands around a passage, where exactly it is and how each judge voted are in registry.json.</p>\n")
		}
		return
	}
	w.put("%s<mark>%s</mark>%s</blockquote>\n", e.Before, e.Passage, e.Behind)
}

// quotation is what the seat has written down, where the passage does not show it.
func (w *writer) quotation(e evidence) {
	same := strings.Join(strings.Fields(e.Quote), " ") == strings.Join(strings.Fields(e.Passage), " ") && len(e.LeftOut) == 0
	switch {
	case e.Quote == "":
		w.put("<p>No quotation was given.</p>\n")
	case !same:
		w.put("<p class=\"quote\">Quoted as: <bdi>“%s”</bdi>", e.Quote)
		w.leftOut(e.LeftOut)
		w.put("</p>\n")
	}
}

func (w *writer) leftOut(gaps []string) {
	if len(gaps) > 0 {
		w.put(" (left out: “%s”)", strings.Join(gaps, "”; “"))
	}
}

// exactly is by what others find the passage again.
func (w *writer) exactly(e evidence) {
	w.put("<details><summary>Where exactly</summary><dl>")
	for _, one := range [][2]string{
		{"Bytes of the text", fmt.Sprintf("%d–%d", e.Start, e.End)}, {"Snapshot", e.Snapshot}, {"Text", e.TextHash}, {"Fetched", date(e.Fetched)},
	} {
		if one[1] != "" && (e.First != 0 || one[0] != "Bytes of the text") && (one[0] != "Text" || e.TextHash != e.Snapshot) {
			w.put("<dt>%s</dt><dd>%s</dd>", one[0], one[1])
		}
	}
	w.put("</dl></details>\n")
}

func (w *writer) disputes(list []dispute) {
	for _, d := range list {
		w.put(`<p class="against"><span class="sign">%s</span> %s, %s, %s: against `, shapeOf(isDisputed), d.ID, d.Kind, d.Status)
		w.claimLink(d.Against)
		if d.Text != "" {
			w.put(", “%s”", short(d.Text, maxAgainst))
		}
		if d.Detail != "" {
			w.put(" (%s)", d.Detail)
		}
		w.put("</p>\n")
	}
}

func (w *writer) votes(list []vote) {
	if len(list) == 0 || w.Len() > w.contextUntil {
		return
	}
	w.put("<details><summary>%s</summary><ul>", plural.Of(len(list), "vote"))
	for _, v := range list {
		w.put("<li>%s (%s): %s", v.Seat, v.Family, v.Answer)
		if v.Reason != "" {
			w.put(": %s", v.Reason)
		}
		w.put("</li>")
	}
	w.put("</ul></details>\n")
}

// back leads to where a claim is cited.
func (w *writer) back(e Evidence) {
	said := `<p class="back">Cited at`
	for place := range min(e.Places, maxPlaces) { // none where a conclusion rests on it
		at := fmt.Sprintf("r-%s-%d", anchor(e.ID), place+1)
		if w.places != nil && !w.places[at] {
			continue
		}
		w.put(said+` <a href="#%s">%d</a>`, at, place+1)
		said = ","
	}
	if said == "," {
		w.put("</p>\n")
	}
}

// uncited are the claims of the registry that the report does not cite.
func (w *writer) uncited(p *Page) {
	list := p.uncited()
	if len(list) == 0 {
		return
	}
	w.put(`<details class="part"><summary><h2 id="%s">%s</h2></summary>
<div class="wide" tabindex="0" role="region" aria-label="claims that are not cited"><table><thead><tr><th scope="col">#</th><th scope="col">Claim</th><th scope="col">Quotation</th><th scope="col">Source as named</th><th scope="col">State</th></tr></thead>
<tbody>`, restAnchor, restTitle)
	shown := 0
	for _, c := range list {
		if w.Len() > uncitedUntil && !p.needed[c.ID] {
			continue
		}
		shown++
		w.put("<tr class=\"%s\" id=\"%s\"><td>%s</td><td>%s</td><td>%s", p.classes(c.ID), anchor(c.ID), c.ID, c.Text, short(c.Quote, maxGroundRunes))
		w.leftOut(c.Location.LeftOut)
		w.put("</td><td>%s</td><td>%s</td></tr>\n", cmp.Or(c.Source, restsOn(c)), strings.Join(p.words(c), ", "))
	}
	w.put("</tbody></table></div>\n")
	if more := len(list) - shown; more > 0 {
		w.put("<p>And %s more, in registry.json alone.</p>\n", plural.Of(more, "claim"))
	}
	w.put("</details>\n")
}

// restsOn says of a conclusion what it is and rests on, in words.
func restsOn(c claim.Entry) string {
	if !c.Kind.RestsOnClaims() {
		return ""
	}
	return string(c.Kind) + " that rests on " + cmp.Or(strings.Join(c.RestsOn, ", "), "nothing")
}

// words are where a claim stands: its quotation, and what else the filter knows.
func (p *Page) words(c claim.Entry) []string {
	out := []string{stateOf(c)}
	for _, word := range p.standing[c.ID] {
		if word != out[0] {
			out = append(out, word)
		}
	}
	return out
}
