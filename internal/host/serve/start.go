package serve

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/disk"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/host/control"
	"github.com/research-council/research-council/internal/host/prepare"
	"github.com/research-council/research-council/internal/host/request"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
)

// planned is a run that a page has planned. What is started is this, whatever the
// browser sends with its yes.
type planned struct {
	project project
	form    url.Values // it was made of
	setup   flow.Setup
	mu      sync.Mutex
	begun   bool
}

// maxPlans is how many planned runs are kept; of more the oldest is forgotten.
const maxPlans = 32

// plans are the runs that were planned, by keys nobody can guess.
type plans struct {
	mu    sync.Mutex
	byKey map[string]*planned
	keys  []string // the oldest first
}

func (p *plans) keep(one *planned) (key string) {
	key = secret()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byKey == nil {
		p.byKey = map[string]*planned{}
	}
	p.byKey[key] = one
	if p.keys = append(p.keys, key); len(p.keys) > maxPlans {
		delete(p.byKey, p.keys[0])
		p.keys = p.keys[1:]
	}
	return key
}

func (p *plans) find(key string) *planned {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byKey[key]
}

// onlyPerson lets a run be planned and started where a person has started the server.
func (s *Server) onlyPerson(do http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.Person {
			refuse(w, http.StatusForbidden, "only a person can start a run from a page, and no person at a terminal has started this server; start `council serve` in a terminal of your own")
			return
		}
		do(w, r)
	}
}

// wish is the form of a new run: what was typed, and what of it will not do.
type wish struct {
	*Server
	conf    config.Config
	typed   url.Values
	wrong   map[string]string // by the names of fields
	problem string            // of the whole
}

func (s *Server) newWish(typed url.Values) (*wish, error) {
	conf, err := s.Env.Config()
	return &wish{Server: s, conf: conf, typed: typed, wrong: map[string]string{}}, err
}

// showNew is the form, empty or as it was filled in for a plan.
func (s *Server) showNew(w http.ResponseWriter, r *http.Request) {
	typed := url.Values{}
	if p := s.plans.find(r.URL.Query().Get("from")); p != nil {
		typed = p.form
	}
	x, err := s.newWish(typed)
	if err != nil {
		x.problem = line(err.Error(), 500)
	}
	x.send(w, http.StatusOK)
}

// plan makes of the form a run that waits for a yes, or shows the form with what is wrong
// in it.
func (s *Server) plan(w http.ResponseWriter, r *http.Request) {
	typed := maps.Clone(r.PostForm)
	delete(typed, "write")
	x, err := s.newWish(typed)
	if err != nil {
		x.problem = line(err.Error(), 500)
		x.send(w, http.StatusConflict)
		return
	}
	p, req := x.read()
	if len(x.wrong) > 0 {
		x.send(w, http.StatusBadRequest)
		return
	}
	setup, err := prepare.Council(s.Env, p.Path, req)
	if err != nil {
		x.problem = x.inWords(err)
		x.send(w, http.StatusBadRequest)
		return
	}
	w.Header().Set("Location", "/planned/"+s.plans.keep(&planned{project: p, form: typed, setup: setup}))
	w.WriteHeader(http.StatusSeeOther)
}

// read makes a request of the form, by the flags of the same names.
func (x *wish) read() (project, request.Request) {
	var req request.Request
	x.choices()
	p, known := x.library.find(x.typed.Get("project"))
	if !known && x.typed.Get("project") == "" {
		p, known = x.library.projects[0], true
	}
	if !known {
		x.wrong["project"] = "choose one of the projects that are shown"
		x.problem = x.wrong["project"]
		return p, req
	}
	req.Topic = strings.TrimSpace(strings.ReplaceAll(x.typed.Get("question"), "\r\n", "\n"))
	if err := request.CheckTopic(req.Topic); err != nil {
		x.wrong["question"] = strings.TrimPrefix(x.inWords(err), request.NeedHuman+": ")
	}
	for _, f := range request.Flags() {
		if !slices.Contains(flagFields, f.Name) {
			continue
		}
		if value := strings.TrimSpace(strings.Join(x.typed[f.Name], ",")); value != "" {
			if err := f.Set(&req, value); err != nil {
				x.wrong[f.Name] = err.Error()
			}
		}
	}
	if req.Scope != "" {
		if _, err := prepare.Scope(p.Path, req); err != nil {
			x.wrong["scope"] = x.inWords(err)
		}
	}
	if _, err := x.conf.Expand(req.Seats); err != nil {
		x.wrong["seats"] = err.Error()
	}
	return p, req
}

// flagFields are the fields that are flags of a run too.
var flagFields = []string{"scope", "seats", "tier", "max-usd", "max-minutes", "debate", "review"}

// choices holds what was chosen to what there is to choose.
func (x *wish) choices() {
	for name, list := range map[string][]string{"tier": config.Tiers(), "debate": debates(), "review": {"yes"}} {
		if given := x.typed.Get(name); given != "" && !slices.Contains(list, given) {
			x.wrong[name] = "choose one of " + strings.Join(list, ", ")
		}
	}
}

func debates() []string { return []string{string(scope.Auto), string(scope.Force), string(scope.Off)} }

// inWords says what will not do as a page calls it, not the command line, and without
// where on this machine.
func (x *wish) inWords(err error) string {
	text := strings.NewReplacer(", or add --scope-outside", "", "name it with --scope", "name that below", "--scope ", "the folder ", "--seats ", "the seat ").Replace(err.Error())
	for _, p := range x.library.projects {
		text = strings.ReplaceAll(text, p.Path, p.name())
	}
	return line(text, 500)
}

// send shows the form.
func (x *wish) send(w http.ResponseWriter, code int) {
	var m markup
	m.open(frame{title: "Start a run", head: raw("<header class=\"top\">\n<p class=\"crumbs\"><a href=\"/\">All runs</a></p>\n<h1>Start a run</h1>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n")})
	switch {
	case x.problem != "":
		m.put("<p class=\"problem\" role=\"alert\"><strong>Nothing was planned:</strong> %s</p>\n", x.problem)
	case len(x.wrong) > 0:
		m.put("<p class=\"problem\" role=\"alert\"><strong>Nothing was planned:</strong> what is marked below will not do.</p>\n")
	}
	m.put("<form method=\"post\" action=\"/new\" class=\"stacked\"><input type=\"hidden\" name=\"write\" value=\"%s\">\n", x.access.write)
	if len(x.library.projects) > 1 {
		list := [][2]string{}
		for _, p := range x.library.projects {
			list = append(list, [2]string{p.Key, x.short(p)})
		}
		x.choice(&m, "project", "Project", list)
	}
	m.put("<div class=\"field\"><label for=\"f-question\">Question</label><textarea id=\"f-question\" name=\"question\" rows=\"4\" required%s>\n%s</textarea>%s</div>\n", x.marks("question"), x.typed.Get("question"), x.said("question"))
	x.text(&m, "scope", "Folder of local sources")
	x.seats(&m)
	x.choice(&m, "tier", "Models and efforts", append([][2]string{{"", "as configured: " + x.conf.Tier}}, same2(config.Tiers())...))
	m.put("<div class=\"pair\">")
	x.text(&m, "max-usd", "At most, in dollars")
	x.text(&m, "max-minutes", "At most, in minutes")
	m.put("</div>\n")
	x.choice(&m, "debate", "Debate over what is open", [][2]string{{"", "as the question needs it"}, {string(scope.Force), "always"}, {string(scope.Off), "never"}})
	tick := raw("")
	if x.typed.Get("review") == "yes" {
		tick = " checked"
	}
	m.put("<div class=\"field\"><label class=\"tick\"><input type=\"checkbox\" name=\"review\" value=\"yes\"%s%s> Three reviewers read the report and vote on it</label>%s</div>\n", tick, x.marks("review"), x.said("review"))
	m.put("<button>Show the plan and what it may cost</button> <p class=\"soft\">Nothing is started before your yes.</p></form>\n")
	m.close()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(m.Bytes()) // a reader that is gone is told nothing
}

func configured(limit float64, text string) string {
	if limit == 0 {
		return "no limit"
	}
	return text + ", as configured"
}

func same2(words []string) [][2]string {
	var list [][2]string
	for _, w := range words {
		list = append(list, [2]string{w, w})
	}
	return list
}

// hint is what is to be known of a field.
func (x *wish) hint(name string) string {
	switch name {
	case "scope":
		return "A folder inside the project, as docs; its files count as sources. Empty: the web, and the project where the question speaks of it."
	case "seats":
		return "None ticked: those of the configuration, " + strings.Join(x.conf.Seats, ", ") + "."
	case "max-usd":
		return "Empty: " + configured(x.conf.Limits.USD, view.Dollars(x.conf.Limits.USD))
	case "max-minutes":
		return "Empty: " + configured(float64(x.conf.Limits.Minutes), strconv.Itoa(x.conf.Limits.Minutes))
	}
	return ""
}

// marks are the attributes that lead from a field to what is said of it.
func (x *wish) marks(name string) raw {
	var m markup
	var ids []string
	if x.wrong[name] != "" {
		m.put(` aria-invalid="true"`)
		ids = append(ids, "w-"+name)
	}
	if x.hint(name) != "" {
		ids = append(ids, "h-"+name)
	}
	if len(ids) > 0 {
		m.put(` aria-describedby="%s"`, strings.Join(ids, " "))
	}
	return raw(m.String())
}

// said is what stands below a field: what is wrong with it, and what is to be known of it.
func (x *wish) said(name string) raw {
	var m markup
	if why := x.wrong[name]; why != "" {
		m.put("<p class=\"wrong\" id=\"w-%s\">%s</p>", name, strings.ToUpper(why[:1])+why[1:]+".")
	}
	if hint := x.hint(name); hint != "" {
		m.put("<p class=\"soft\" id=\"h-%s\">%s</p>", name, hint)
	}
	return raw(m.String())
}

func (x *wish) text(m *markup, name, label string) {
	m.put("<div class=\"field\"><label for=\"f-%s\">%s</label><input id=\"f-%s\" name=\"%s\" value=\"%s\" autocomplete=\"off\"%s>%s</div>\n", name, label, name, name, x.typed.Get(name), x.marks(name), x.said(name))
}

func (x *wish) choice(m *markup, name, label string, options [][2]string) {
	m.put("<div class=\"field\"><label for=\"f-%s\">%s</label><select id=\"f-%s\" name=\"%s\"%s>", name, label, name, name, x.marks(name))
	for _, o := range options {
		mark := raw("")
		if o[0] == x.typed.Get(name) {
			mark = " selected"
		}
		m.put("<option value=\"%s\"%s>%s</option>", o[0], mark, o[1])
	}
	m.put("</select>%s</div>\n", x.said(name))
}

// seats are those of the configuration, each with why it cannot take part here.
func (x *wish) seats(m *markup) {
	m.put("<fieldset%s><legend>Seats</legend>", x.marks("seats"))
	for _, name := range x.conf.Names() {
		if slices.Contains(config.Librarians(), name) {
			continue // they are behind one word
		}
		tick, why := raw(""), ""
		if slices.Contains(x.typed["seats"], name) {
			tick = " checked"
		}
		if list, err := x.conf.Expand([]string{name}); err == nil {
			if _, missing := x.conf.Roster(list, x.conf.Tier, x.Env.Resolver()); len(missing) > 0 {
				why = line(missing[0].Reason, 120)
			}
		}
		m.put("<label class=\"tick\"><input type=\"checkbox\" name=\"seats\" value=\"%s\"%s> %s <span class=\"soft\">%s</span></label>\n", name, tick, name, why)
	}
	m.put("%s</fieldset>\n", x.said("seats"))
}

// showPlanned is the plan of a run that waits for a yes.
func (s *Server) showPlanned(w http.ResponseWriter, r *http.Request) {
	if p := s.plans.find(r.PathValue("plan")); p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		s.sendPlan(w, r.PathValue("plan"), p, nil)
		return
	}
	refuse(w, http.StatusNotFound, "this plan is not kept any more; plan the run anew")
}

// sendPlan shows a plan, and why the run could not be started.
func (s *Server) sendPlan(w http.ResponseWriter, key string, p *planned, problem error) {
	var head, m markup
	head.put("<header class=\"top\">\n<p class=\"crumbs\"><a href=\"/\">All runs</a> <span aria-hidden=\"true\">/</span> %s</p>\n<h1>%s</h1>\n<p class=\"under\">planned, not started</p>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n", p.project.name(), line(p.setup.Topic, 300))
	m.open(frame{title: "Plan: " + line(p.setup.Topic, 80), head: raw(head.String())})
	if problem != nil {
		text := strings.ReplaceAll(problem.Error(), p.project.Path, "the project")
		m.put("<p class=\"problem\" role=\"alert\"><strong>The run does not go:</strong> %s</p>\n", line(text, 500))
	}
	m.put("<dl class=\"facts plan\">\n")
	m.fact("Question", p.setup.Topic)
	label := ""
	for _, row := range append(view.PlanRows(p.setup, runs.Forecast(p.setup)), [2]string{"limits", prepare.LimitNote(p.setup)}) {
		if row[1] = withoutFlags(row[1]); row[1] == "" || row[0] == "advice" {
			continue // advice is another command line
		}
		if row[0] == "question" {
			row[0] = "split into"
		}
		if row[0] == "" || row[0] == label {
			m.put("<dd class=\"more\">%s</dd>\n", row[1])
			continue
		}
		label = row[0]
		m.fact(strings.ToUpper(label[:1])+strings.ToLower(label[1:]), row[1])
	}
	m.put("</dl>\n")
	if p.begun {
		m.put("<p>This run has begun: <a href=\"/run/%s/%s/\">open it</a>.</p>\n", p.project.Key, p.setup.ID)
	} else {
		m.put("<form method=\"post\" action=\"/planned/%s/start\" class=\"one\"><input type=\"hidden\" name=\"write\" value=\"%s\">\n<button class=\"go\">Start</button> <a href=\"/new?from=%s\">Change it</a></form>\n", key, s.access.write, key)
	}
	m.close()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch {
	case disk.IsFull(problem):
		w.WriteHeader(http.StatusInsufficientStorage)
	case problem != nil:
		w.WriteHeader(http.StatusConflict)
	}
	_, _ = w.Write(m.Bytes()) // a reader that is gone is told nothing
}

var (
	flagAside = regexp.MustCompile(`\s*\([^()]*--[a-z][^()]*\)`)
	clauseEnd = regexp.MustCompile(`[;:,] `)
)

// withoutFlags is a text of a plan without what it says of flags of the command line,
// which nobody has at a page.
func withoutFlags(text string) string {
	text = flagAside.ReplaceAllString(text, "")
	at := strings.Index(text, "--")
	if at < 0 {
		return text
	}
	ends := clauseEnd.FindAllStringIndex(text[:at], -1)
	if len(ends) == 0 {
		return ""
	}
	return text[:ends[len(ends)-1][0]]
}

// start begins a planned run in the background, once however often it is asked for.
func (s *Server) start(w http.ResponseWriter, r *http.Request) {
	p := s.plans.find(r.PathValue("plan"))
	if p == nil {
		refuse(w, http.StatusNotFound, "this plan is not kept any more; plan the run anew")
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun {
		err := control.Begin(s.Env, p.setup)
		p.begun = p.project.checkRun(p.setup.ID) == nil
		if err != nil {
			s.sendPlan(w, r.PathValue("plan"), p, err)
			return
		}
	}
	w.Header().Set("Location", "/run/"+p.project.Key+"/"+p.setup.ID+"/?said=begun")
	w.WriteHeader(http.StatusSeeOther)
}
