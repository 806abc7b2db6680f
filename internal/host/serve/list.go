package serve

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/campaign"
)

// stateWord is the state of a run in one word: one that nobody works on is paused.
func stateWord(s status.Status) string {
	switch {
	case s.Status == status.Paused:
		return "waits for you"
	case s.Status == "running" && (s.IsUnattended() || s.Paused != ""):
		return "paused"
	case s.Starting:
		return "starting"
	}
	return s.Status
}

// kindOf is what kind of run it is, as people call it.
func kindOf(s status.Status) string {
	if campaign.StatusOf(s) != nil {
		return "campaign"
	}
	return strings.ReplaceAll(s.Workflow, "_", " ")
}

// runsQuery is which runs are listed.
type runsQuery struct {
	words, state, kind, project, sort string

	page int // from 1
}

func readRunsQuery(q url.Values) runsQuery {
	return runsQuery{strings.ToLower(strings.TrimSpace(q.Get("q"))), q.Get("state"), q.Get("kind"), q.Get("project"), q.Get("sort"), pageOf(q)}
}

func (q runsQuery) address(page int) string {
	out := url.Values{}
	for name, value := range map[string]string{"q": q.words, "state": q.state, "kind": q.kind, "project": q.project, "sort": q.sort} {
		if value != "" {
			out.Set(name, value)
		}
	}
	if page > 1 {
		out.Set("page", strconv.Itoa(page))
	}
	return "/?" + out.Encode()
}

// pageOf is which page of a long list is asked for, from 1.
func pageOf(q url.Values) int {
	page, err := strconv.Atoi(q.Get("page"))
	if err != nil {
		return 1
	}
	return max(1, page)
}

func (q runsQuery) fits(l listed) bool {
	return (q.state == "" || q.state == stateWord(l.Status)) && (q.kind == "" || q.kind == l.Workflow) && (q.project == "" || q.project == l.Key) &&
		(q.words == "" || strings.Contains(strings.ToLower(l.ID+"\n"+l.Topic+"\n"+campaignName(l.Status)), q.words))
}

func (q runsQuery) order(a, b listed) int {
	switch q.sort {
	case "cost":
		return cmp.Or(cmp.Compare(b.Spent.USD, a.Spent.USD), cmp.Compare(b.Spent.Tokens, a.Spent.Tokens))
	case "score":
		return cmp.Compare(scoreOf(b.Status), scoreOf(a.Status))
	}
	return 0 // they come in the order of time
}

func scoreOf(s status.Status) float64 {
	if s.Score == nil {
		return -1
	}
	return *s.Score
}

func campaignName(s status.Status) string {
	if c := campaign.StatusOf(s); c != nil {
		return c.Name
	}
	return ""
}

// showRuns is the page of all runs.
func (s *Server) showRuns(w http.ResponseWriter, r *http.Request) {
	all, q := s.library.all(), readRunsQuery(r.URL.Query())
	var m markup
	start := ""
	if s.Person {
		start = "<p><a class=\"button\" href=\"/new\">Start a run</a></p>\n"
	}
	m.open(frame{title: "Runs", head: raw("<header class=\"top\">\n<h1>Runs</h1>\n" + start + "</header>\n<main id=\"main\" tabindex=\"-1\">\n"), refresh: slices.ContainsFunc(all, isLive)})
	m.runsForm(s, all, q)
	m.put(`<div id="live" data-events="/events%s">`, strings.TrimPrefix(q.address(q.page), "/"))
	m.runsTable(s, all, q)
	m.put("</div>\n")
	m.close()
	write(w, &m)
}

func isLive(l listed) bool { return l.IsOpen() }

func (m *markup) runsForm(s *Server, all []listed, q runsQuery) {
	var states, kinds []string
	for _, l := range all {
		states, kinds = append(states, stateWord(l.Status)), append(kinds, l.Workflow)
	}
	m.put("<form class=\"filter\" method=\"get\" action=\"/\" role=\"search\">\n<label>Search <input type=\"search\" name=\"q\" value=\"%s\"></label>\n", q.words)
	m.chosen("state", "State", q.state, distinct(states))
	m.chosen("kind", "Kind", q.kind, distinct(kinds))
	if len(s.library.projects) > 1 {
		m.put(`<label>Project <select name="project"><option value="">all</option>`)
		for _, p := range s.library.projects {
			mark := raw("")
			if p.Key == q.project {
				mark = " selected"
			}
			m.put(`<option value="%s"%s>%s</option>`, p.Key, mark, s.short(p))
		}
		m.put("</select></label>\n")
	}
	m.put(`<label>Order <select name="sort">`)
	for _, o := range [][2]string{{"", "newest first"}, {"cost", "dearest first"}, {"score", "best score first"}} {
		mark := raw("")
		if o[0] == q.sort {
			mark = " selected"
		}
		m.put(`<option value="%s"%s>%s</option>`, o[0], mark, o[1])
	}
	m.put("</select></label>\n<button>Show</button>\n</form>\n")
}

func distinct(list []string) []string {
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(s string) bool { return s == "" })
}

func (m *markup) runsTable(s *Server, all []listed, q runsQuery) {
	list := slices.DeleteFunc(slices.Clone(all), func(l listed) bool { return !q.fits(l) })
	slices.SortStableFunc(list, q.order)
	if len(list) == 0 {
		m.put("<p>%s</p>\n", map[bool]string{true: "There are no runs in " + s.projectNames() + " yet; `council run` begins one.", false: "No run fits; leave out a word or a choice."}[len(all) == 0])
		return
	}
	m.put("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"runs\"><table class=\"runs cards\">\n<thead><tr><th scope=\"col\">Question</th><th scope=\"col\">State</th><th scope=\"col\">Where</th><th scope=\"col\">Score</th><th scope=\"col\">Cost</th><th scope=\"col\">Time</th><th scope=\"col\">Begun</th></tr></thead>\n<tbody>\n")
	pages := (len(list) + perPage - 1) / perPage
	page := min(q.page, pages)
	for _, l := range list[(page-1)*perPage : min(page*perPage, len(list))] {
		m.runRow(s, l)
	}
	m.put("</tbody></table></div>\n<p class=\"count\">%d of %s</p>\n", len(list), plural.Of(len(all), "run"))
	m.pager(q.address, page, pages)
}

func (m *markup) runRow(s *Server, l listed) {
	name := line(strings.TrimPrefix(campaignName(l.Status)+": "+l.Topic, ": "), 200)
	m.put(`<tr><th scope="row"><a href="/run/%s/%s/">%s</a>`, l.Key, l.ID, cmp.Or(name, l.ID))
	if len(s.library.projects) > 1 {
		m.put(` <span class="soft">%s</span>`, s.short(l.project))
	}
	m.put("</th><td>")
	m.state(stateWord(l.Status))
	found, where := "–", view.Stage(l.Status)
	if l.Score != nil {
		found = score.FormatScore(*l.Score)
	}
	if l.Problem != "" {
		m.put(`</td><td colspan="5">%s</td></tr>`, l.Problem)
		return
	}
	m.put("</td><td>%s %s</td><td class=\"number\" data-label=\"score\">%s</td><td class=\"number\" data-label=\"cost\">%s</td><td class=\"number\" data-label=\"time\">%s</td><td data-label=\"begun\">%s</td></tr>\n",
		kindOf(l.Status), fmt.Sprintf("(%s)", strings.ReplaceAll(where, "_", " ")), found, view.Price(l.Status), view.FormatDuration(view.Elapsed(l.Status, s.now())), l.Began.Local().Format("2006-01-02 15:04"))
}
