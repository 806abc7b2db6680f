package serve

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

// showSources lists the sources of the claims, with what is known of each.
func showSources(v *visit) error {
	v.title, v.place = "Sources", "sources"
	g, err := v.kept.of(v.project, v.id)
	if err != nil {
		return v.withoutRegistry(err, "sources")
	}
	reg, err := g.whole()
	if err != nil {
		return err
	}
	a, err := runs.Archive(v.folder)
	if err != nil {
		return err
	}
	if a != nil {
		defer a.Close()
	}
	rows := view.SourceRows(reg, runs.Sources(a), true)
	b := &v.body
	b.put("<p class=\"count\">%s</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"sources\"><table class=\"cards\"><thead><tr><th scope=\"col\">Source</th><th scope=\"col\">Type</th><th scope=\"col\">State</th><th scope=\"col\">Fetched</th><th scope=\"col\">Claims</th><th scope=\"col\">Located</th><th scope=\"col\">Archived</th></tr></thead><tbody>\n", plural.Of(len(rows), "source"))
	for _, s := range rows {
		b.sourceRow(v, s)
	}
	b.put("</tbody></table></div>\n")
	return nil
}

func (m *markup) sourceRow(v *visit, s view.SourceRow) {
	m.put("<tr><th scope=\"row\">")
	m.outside(s.URL, line(cmp.Or(s.Title, s.As), 160))
	if s.Title != "" && s.As != "" {
		m.put(" <span class=\"soft\">%s</span>", line(s.As, 120))
	}
	if s.Retracted {
		m.put(" <strong class=\"tag\">retracted</strong>")
	}
	if s.CopyOf != "" {
		m.put(" <span class=\"tag\">repeats %s</span>", s.CopyOf)
	}
	m.put("</th><td>%s</td><td>", strings.ReplaceAll(string(s.Type), "_", " "))
	m.state(cmp.Or(s.State, "not archived"))
	fetched := ""
	if !s.Fetched.IsZero() {
		fetched = s.Fetched.Local().Format("2006-01-02 15:04")
	}
	m.put(" %s</td><td data-label=\"fetched\">%s</td><td class=\"number\" data-label=\"claims\">", s.Reason, fetched)
	if len(s.Claims) > 0 {
		m.put(`<a href="%s%s">%d</a>`, v.at("claims"), claimsQuery{source: s.Key}.address(1), len(s.Claims))
	} else {
		m.put("0")
	}
	m.put("</td><td class=\"number\" data-label=\"located\">%d</td><td>", s.Located)
	if s.Text != "" {
		m.put(`<a href="%s?hash=%s">text</a>`, v.at("text"), s.Text)
	}
	m.put("</td></tr>\n")
}

// showDisputes shows both sides of each dispute side by side.
func showDisputes(v *visit) error {
	v.title, v.place = "Disputes", "disputes"
	g, err := v.kept.of(v.project, v.id)
	if err != nil {
		return v.withoutRegistry(err, "disputes")
	}
	b := &v.body
	if len(g.conflicts) == 0 {
		b.put("<p>No two claims disagree.</p>\n")
		return nil
	}
	agreed := slices.DeleteFunc(slices.Clone(g.conflicts), func(c claim.Conflict) bool { return c.Possible })
	possible := ""
	if n := len(g.conflicts) - len(agreed); n > 0 {
		possible = fmt.Sprintf(", %d of them only possible: nobody has agreed that both cannot hold", n)
	}
	b.put("<p class=\"count\">%s%s.</p>\n", plural.Of(len(g.conflicts), "dispute"), possible)
	list := slices.Clone(g.conflicts)
	slices.SortStableFunc(list, func(x, y claim.Conflict) int { return cmp.Compare(disputeRank(x), disputeRank(y)) })
	for _, d := range list[:min(len(list), mostDisputes)] {
		b.dispute(v, g, d)
	}
	if more := len(list) - mostDisputes; more > 0 {
		b.put("<p>%d further disputes are not shown; <a href=\"%s?disputed=1\">the disputed claims</a> are.</p>\n", more, v.at("claims"))
	}
	return nil
}

// mostDisputes bounds how many disputes one page shows.
const mostDisputes = 200

// disputeRank puts what was agreed before what is possible, and the grave first.
func disputeRank(c claim.Conflict) int {
	rank := slices.Index([]claim.Severity{claim.P0, claim.P1, claim.Minor}, c.Severity)
	if c.Possible {
		rank += 10
	}
	return rank
}

func (m *markup) dispute(v *visit, g *registry, d claim.Conflict) {
	m.put("<section class=\"dispute\" id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n<p><span class=\"tag\">%s</span> <span class=\"tag\">%s</span> ", d.ID, d.ID, d.ID, cmp.Or(line(d.Detail, 200), d.ID), string(d.Kind), string(d.Severity))
	m.state(d.Status)
	if d.Possible {
		m.put(" <span class=\"tag\">possible</span>")
	}
	m.put("</p>\n<div class=\"sides\">\n")
	for _, id := range []string{d.A, d.B} {
		m.side(v, g, id)
	}
	m.put("</div>\n<dl class=\"facts\">")
	m.fact("Would settle it", d.Settle)
	m.fact("How it ended", d.Resolution)
	m.put("</dl>\n</section>\n")
}

func (m *markup) side(v *visit, g *registry, id string) {
	m.put(`<div class="side"><h3><a href="%s">%s</a></h3>`, v.at("claims/"+url.PathEscape(id)), id)
	e, err := g.entry(id)
	if err != nil {
		m.put("<p>This claim is not in the registry.</p></div>\n")
		return
	}
	m.put("<p>%s</p>\n", prose(e.Text))
	if e.Quote != "" {
		m.put("<blockquote>%s</blockquote>\n", e.Quote)
	}
	m.put("<p>")
	m.state(string(e.Location.State))
	if e.Verdict() != "" {
		m.put(" · votes: ")
		m.state(e.Verdict())
	}
	m.put("</p>\n<p class=\"soft\">%s; %s</p></div>\n", strings.Join(e.Seats, ", "), line(e.Source, 160))
}

// showAgreement shows who says the same as whom, and what is recommended on each question.
func showAgreement(v *visit) error {
	v.title, v.place = "Agreement", "agreement"
	g, err := v.kept.of(v.project, v.id)
	if err != nil {
		return v.withoutRegistry(err, "claims")
	}
	seats := g.sorts.seats
	claims, both, differ := map[string]int{}, map[[2]string]int{}, map[[2]string]int{}
	for _, r := range g.rows {
		for _, s := range r.seats {
			claims[s]++
		}
		if len(r.seats) > 1 {
			countPairs(both, r.seats)
		}
	}
	for _, group := range g.groups {
		countPairs(both, group.Seats)
	}
	for _, c := range g.conflicts {
		for _, a := range g.seatsOf(c.A) {
			for _, b := range g.seatsOf(c.B) {
				if a != b {
					differ[pairOf(a, b)]++
				}
			}
		}
	}
	b := &v.body
	b.put("<h2>Who agrees with whom</h2>\n<p>How many statements two seats share, and, behind the stroke, in how many disputes they stand on different sides.</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"agreement\"><table><thead><tr><th scope=\"col\">Seat</th>")
	for _, s := range seats {
		b.put("<th scope=\"col\">%s</th>", s)
	}
	b.put("</tr></thead><tbody>")
	for _, a := range seats {
		b.put("<tr><th scope=\"row\">%s</th>", a)
		for _, o := range seats {
			if a == o {
				b.put("<td class=\"number own\">%s</td>", plural.Of(claims[a], "claim"))
				continue
			}
			b.put("<td class=\"number\">%d / %d</td>", both[pairOf(a, o)], differ[pairOf(a, o)])
		}
		b.put("</tr>\n")
	}
	b.put("</tbody></table></div>\n")
	if err := v.related(g); err != nil {
		return err
	}
	return v.recommendations(g)
}

func pairOf(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

func countPairs(into map[[2]string]int, seats []string) {
	for i, a := range seats {
		for _, b := range seats[i+1:] {
			into[pairOf(a, b)]++
		}
	}
}

func (g *registry) seatsOf(id string) []string {
	if i, known := g.at[id]; known {
		return g.rows[i].seats
	}
	return nil
}

// recommendations are what seats recommend on each question.
func (v *visit) recommendations(g *registry) error {
	if !slices.Contains(g.sorts.kinds, string(claim.Recommendation)) {
		return nil
	}
	reg, err := g.whole()
	if err != nil {
		return err
	}
	b := &v.body
	b.put("<h2>What is recommended</h2>\n")
	for _, a := range claim.Answers(reg) {
		word := map[bool]string{true: "agreed", false: "open"}[a.Agreed]
		if a.Opposed {
			word = "opposed"
		}
		b.put("<h3>%s</h3>\n<p><span class=\"tag\">%s</span></p>\n<ul class=\"plain\">", cmp.Or(a.Question, "The question"), word)
		for _, p := range a.Positions {
			e, err := g.entry(p.IDs[0])
			if err != nil {
				return err
			}
			b.put(`<li><a href="%s">%s</a> %s <span class="soft">%s</span></li>`, v.at("claims/"+url.PathEscape(e.ID)), strings.Join(p.IDs, ", "), prose(e.Text), strings.Join(p.Seats, ", "))
		}
		b.put("</ul>\n")
	}
	return nil
}

// showChanges compares the run with one before it: the one that is named, else the last
// that asked the same.
func showChanges(v *visit) error {
	v.title, v.place = "Changes", "changes"
	earlier := v.earlier()
	with := v.r.URL.Query().Get("with")
	b := &v.body
	if len(earlier) == 0 {
		b.put("<p>No run before this one has claims to compare with.</p>\n")
		return nil
	}
	if with == "" {
		with = earlier[0].ID
		if i := slices.IndexFunc(earlier, func(l listed) bool { return l.Topic == v.status.Topic }); i >= 0 {
			with = earlier[i].ID
		}
	}
	if !slices.ContainsFunc(earlier, func(l listed) bool { return l.ID == with }) {
		b.put("<p>There is no such run before this one.</p>\n")
		return nil
	}
	b.put("<form class=\"filter\" method=\"get\"><label>Compare with <select name=\"with\">")
	for _, l := range earlier {
		mark := raw("")
		if l.ID == with {
			mark = " selected"
		}
		b.put(`<option value="%s"%s>%s, %s</option>`, l.ID, mark, l.Began.Local().Format("2006-01-02 15:04"), line(l.Topic, 60))
	}
	b.put("</select></label><button>Show</button></form>\n")
	d, err := v.difference(with)
	if err != nil {
		return err
	}
	b.difference(v, d)
	return nil
}

// earlier are the runs of the project before this one that have claims, the newest first.
func (v *visit) earlier() []listed {
	return slices.DeleteFunc(v.library.all(), func(l listed) bool {
		if l.project != v.project || !l.Began.Before(v.status.Began) {
			return true
		}
		f, err := workspace.Open(v.project.Path, l.ID)
		if err != nil {
			return true
		}
		defer f.Close()
		return !f.Filled(claim.RegistryFile)
	})
}

func (v *visit) difference(with string) (claim.Difference, error) {
	var pair [2]claim.Registry
	for i, id := range []string{with, v.id} {
		g, err := v.kept.of(v.project, id)
		if err != nil {
			return claim.Difference{}, err
		}
		if pair[i], err = g.whole(); err != nil {
			return claim.Difference{}, err
		}
	}
	return claim.Diff(pair[0], pair[1]), nil
}

// mostChanges bounds how many claims of a sort are listed.
const mostChanges = 300

func (m *markup) difference(v *visit, d claim.Difference) {
	if n := len(d.Reworded); n > 0 {
		defer m.put("<p>%s only in other words.</p>\n", plural.Forms(n, "claim stands", "claims stand"))
	}
	if d.IsEmpty() {
		m.put("<p>Nothing has changed: both have the same claims, and their sources the same texts.</p>\n")
		return
	}
	m.put("<p class=\"count\">%d gained, %d lost, %d changed, %s with another text</p>\n", len(d.Gained), len(d.Lost), len(d.Changed), plural.Of(len(d.Drifted), "source"))
	m.changed("Gained", d.Gained, v.at("claims/"))
	m.changed("Lost", d.Lost, "")
	if len(d.Changed) > 0 {
		m.put("<h2>Changed</h2>\n<ul class=\"plain\">")
		for _, c := range d.Changed[:min(len(d.Changed), mostChanges)] {
			m.put(`<li><a href="%s">%s</a> %s: another %s; `, v.at("claims/"+url.PathEscape(c.New.ID)), c.New.ID, prose(c.New.Text), strings.Join(c.What, ", "))
			m.state(string(c.Old.Location.State))
			m.put(" then, ")
			m.state(string(c.New.Location.State))
			m.put(" now</li>\n")
		}
		m.put("</ul>\n")
	}
	if len(d.Drifted) > 0 {
		m.put("<h2>Sources with another text</h2>\n<ul class=\"plain\">")
		for _, x := range d.Drifted[:min(len(d.Drifted), mostChanges)] {
			m.put("<li>%s</li>", x.Source)
		}
		m.put("</ul>\n")
	}
}

func (m *markup) changed(title string, list []claim.Entry, at string) {
	if len(list) == 0 {
		return
	}
	m.put("<h2>%s</h2>\n<ul class=\"plain\">", title)
	for _, e := range list[:min(len(list), mostChanges)] {
		if at != "" {
			m.put(`<li><a href="%s">%s</a> `, at+url.PathEscape(e.ID), e.ID)
		} else {
			m.put("<li>%s ", e.ID)
		}
		m.put("%s <span class=\"soft\">%s</span></li>\n", prose(e.Text), line(e.Source, 120))
	}
	m.put("</ul>\n")
	if more := len(list) - mostChanges; more > 0 {
		m.put("<p>and %d more</p>\n", more)
	}
}
