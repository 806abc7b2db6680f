package serve

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// claimsQuery is which claims are listed, and in which order.
type claimsQuery struct {
	words, state, seat, family, source, question, kind, support string

	onlyDisputed, onlyCritical bool

	sort    string
	reverse bool
	page    int // from 1
}

// perPage is how many claims one page lists.
const perPage = 100

func readClaimsQuery(q url.Values) claimsQuery {
	return claimsQuery{
		words: strings.TrimSpace(q.Get("q")), state: q.Get("state"), seat: q.Get("seat"), family: q.Get("family"), source: strings.TrimSpace(q.Get("source")),
		question: q.Get("question"), kind: q.Get("kind"), support: q.Get("support"), onlyDisputed: q.Get("disputed") != "", onlyCritical: q.Get("critical") != "",
		sort: q.Get("sort"), reverse: q.Get("dir") == "down", page: pageOf(q),
	}
}

// values are the query as an address has it, without the page.
func (q claimsQuery) values() url.Values {
	out := url.Values{}
	for name, value := range map[string]string{
		"q": q.words, "state": q.state, "seat": q.seat, "family": q.family, "source": q.source, "question": q.question, "kind": q.kind, "support": q.support, "sort": q.sort,
	} {
		if value != "" {
			out.Set(name, value)
		}
	}
	for name, set := range map[string]bool{"disputed": q.onlyDisputed, "critical": q.onlyCritical} {
		if set {
			out.Set(name, "1")
		}
	}
	if q.reverse {
		out.Set("dir", "down")
	}
	return out
}

func (q claimsQuery) address(page int) string {
	v := q.values()
	if page > 1 {
		v.Set("page", strconv.Itoa(page))
	}
	return "?" + v.Encode()
}

func (q claimsQuery) fits(r *row) bool {
	has := func(list []string, word string) bool { return word == "" || slices.Contains(list, word) }
	return (q.state == "" || r.state == q.state) && (q.support == "" || r.verdict == q.support) && (q.kind == "" || r.kind == q.kind) &&
		(!q.onlyDisputed || r.isDisputed) && (!q.onlyCritical || r.isCritical) &&
		has(r.seats, q.seat) && has(r.families, q.family) && has(r.questions, q.question) &&
		(q.source == "" || strings.Contains(r.source, q.source) || strings.Contains(r.key, q.source) || strings.Contains(r.passages, q.source))
}

// find gives the claims that fit, in the order that is asked for.
func (g *registry) find(q claimsQuery) []*row {
	words := strings.Fields(strings.ToLower(q.words))
	if len(words) > 0 {
		g.fold()
	}
	var list []*row
	for i := range g.rows {
		r := &g.rows[i]
		if q.fits(r) && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(r.folded, w) }) {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, q.compare())
	if q.reverse {
		slices.Reverse(list)
	}
	return list
}

// columns are what claims can be sorted by, as addresses and people name them.
func columns() [][2]string {
	return [][2]string{{"id", "Claim"}, {"state", "Quotation"}, {"support", "Votes"}, {"confidence", "Confidence"}, {"seats", "Seats"}, {"source", "Source"}}
}

func (q claimsQuery) compare() func(a, b *row) int {
	switch q.sort {
	case "state":
		return func(a, b *row) int { return strings.Compare(a.state, b.state) }
	case "support":
		return func(a, b *row) int { return emptyLast(a.verdict, b.verdict) }
	case "confidence":
		return func(a, b *row) int { return cmp.Compare(confidenceRank(a.confidence), confidenceRank(b.confidence)) }
	case "seats":
		return func(a, b *row) int {
			return cmp.Or(cmp.Compare(len(b.seats), len(a.seats)), slices.Compare(a.seats, b.seats))
		}
	case "source":
		return func(a, b *row) int { return emptyLast(a.key, b.key) }
	}
	return func(a, b *row) int { return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.id, b.id)) }
}

func confidenceRank(c string) int {
	return slices.Index([]string{string(claim.High), string(claim.Medium), string(claim.Low), ""}, c)
}

// emptyLast compares words, none behind them all.
func emptyLast(a, b string) int {
	if (a == "") != (b == "") {
		return cmp.Compare(len(b), len(a))
	}
	return strings.Compare(a, b)
}

// showClaims is the table of claims.
func showClaims(v *visit) error {
	v.title, v.place = "Claims", "claims"
	g, err := v.kept.of(v.project, v.id)
	if err != nil {
		return v.withoutRegistry(err, "claims")
	}
	q := readClaimsQuery(v.r.URL.Query())
	if q.words != "" {
		g.fold() // before its rows are copied
	}
	g = g.withRefused(refusalsOf(v.folder))
	b := &v.body
	b.claimsForm(g, q)
	list := g.find(q)
	pages := max(1, (len(list)+perPage-1)/perPage)
	q.page = min(q.page, pages)
	shown := list[(q.page-1)*perPage : min(q.page*perPage, len(list))]
	b.put("<p class=\"count\" role=\"status\">%d of %s", len(list), plural.Of(len(g.rows), "claim"))
	if pages > 1 {
		b.put(", page %d of %d", q.page, pages)
	}
	b.put("</p>\n")
	if len(list) == 0 {
		b.put("<p>No claim fits; leave out a word or a choice. <a href=\"%s\">All claims</a></p>\n", v.at("claims"))
		return nil
	}
	b.put("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"claims\"><table class=\"claims cards\"><thead><tr>")
	for _, c := range columns() {
		b.sortable(q, c[0], c[1])
	}
	b.put("</tr></thead>\n<tbody>\n")
	for _, r := range shown {
		b.claimRow(v, r)
	}
	b.put("</tbody></table></div>\n")
	b.pager(q.address, q.page, pages)
	return nil
}

func (m *markup) claimsForm(g *registry, q claimsQuery) {
	m.put("<form class=\"filter\" method=\"get\" role=\"search\">\n<label>Search <input type=\"search\" name=\"q\" value=\"%s\"></label>\n", q.words)
	m.chosen("state", "Quotation", q.state, g.sorts.states)
	m.chosen("support", "Votes", q.support, g.sorts.verdicts)
	m.chosen("seat", "Seat", q.seat, g.sorts.seats)
	m.chosen("family", "Family", q.family, g.sorts.families)
	m.chosen("question", "Question", q.question, g.sorts.questions)
	if len(g.sorts.kinds) > 1 {
		m.chosen("kind", "Kind", q.kind, g.sorts.kinds)
	}
	m.put("<label>Source <input name=\"source\" value=\"%s\"></label>\n", q.source)
	m.ticked("disputed", "disputed", q.onlyDisputed)
	m.ticked("critical", "critical", q.onlyCritical)
	m.put("<input type=\"hidden\" name=\"sort\" value=\"%s\">", q.sort)
	if q.reverse {
		m.put(`<input type="hidden" name="dir" value="down">`)
	}
	m.put("<button>Show</button>\n</form>\n")
}

func (m *markup) ticked(name, label string, on bool) {
	mark := raw("")
	if on {
		mark = " checked"
	}
	m.put(`<label class="tick"><input type="checkbox" name="%s" value="1"%s> %s</label>`, name, mark, label)
}

func (m *markup) sortable(q claimsQuery, name, label string) {
	now := cmp.Or(q.sort, "id") == name
	next := q
	next.sort, next.reverse = name, now && !q.reverse
	mark, arrow := raw(""), ""
	if now {
		mark, arrow = ` aria-sort="ascending"`, " ↑"
		if q.reverse {
			mark, arrow = ` aria-sort="descending"`, " ↓"
		}
	}
	m.put(`<th scope="col"%s><a href="%s">%s<span aria-hidden="true">%s</span></a></th>`, mark, next.address(1), label, arrow)
}

// reservation marks a claim of which something stands around its passage.
const reservation = raw(` <span class="tag" title="see around its passage">with a reservation</span>`)

func (m *markup) claimRow(v *visit, r *row) {
	m.put(`<tr><th scope="row"><a href="%s">%s</a> <span class="text">%s</span>`, v.at("claims/"+url.PathEscape(r.id)), strings.ReplaceAll(r.id, "-", " "), prose(line(r.text, 400)))
	if r.isCritical {
		m.put(` <span class="tag">critical</span>`)
	}
	if r.isDisputed {
		m.put(` <span class="tag">disputed</span>`)
	}
	if r.isReserved && r.state == string(claim.Located) {
		m.put("%s", reservation)
	}
	m.put("</th><td>")
	m.state(r.state)
	m.put("</td><td data-label=\"votes\">")
	if r.verdict != "" {
		m.state(r.verdict)
	}
	m.put("</td><td data-label=\"confidence\">%s</td><td data-label=\"by\">%s</td><td class=\"source\" data-label=\"source\"><a href=\"%s\">%s</a></td></tr>\n", r.confidence, strings.Join(r.seats, ", "), claimsQuery{source: cmp.Or(r.key, r.source)}.address(1), line(cmp.Or(r.source, r.kind), 80))
}

// pager leads to the other pages of a long list.
func (m *markup) pager(address func(page int) string, now, pages int) {
	if pages < 2 {
		return
	}
	m.put("<nav class=\"pager\" aria-label=\"pages\"><ul>")
	link := func(page int, label string) { m.put(`<li><a href="%s">%s</a></li>`, address(page), label) }
	if now > 1 {
		link(1, "First")
		link(now-1, "Back")
	}
	m.put(`<li aria-current="page">Page %d of %d</li>`, now, pages)
	if now < pages {
		link(now+1, "On")
		link(pages, "Last")
	}
	m.put("</ul></nav>\n")
}
