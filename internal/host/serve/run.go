package serve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/forecast"
	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/host/runs"
	"github.com/research-council/research-council/internal/host/view"
	"github.com/research-council/research-council/internal/product/codereview"
	"github.com/research-council/research-council/internal/product/panel"
	"github.com/research-council/research-council/internal/product/staged"
)

// showRun is the first page of a run: where it stands while it is under way, what it
// came to when it has ended, and what a person can do to it.
func showRun(v *visit) error {
	v.title = "Overview"
	v.live = v.status.IsOpen()
	b := &v.body
	v.asked()
	if !v.live {
		if err := v.outcome(); err != nil {
			return err
		}
	}
	b.put(`<div id="live" data-events="%s" data-open="%v">`, v.at("events"), v.live)
	b.Write(v.standing().Bytes())
	b.put("</div>\n")
	if !v.live {
		if err := v.scored(); err != nil {
			return err
		}
	}
	v.controls()
	b.put("<h2>About this run</h2>\n<dl class=\"facts\">\n")
	b.fact("Kind", kindOf(v.status))
	b.fact("Mode", v.status.Mode)
	b.fact("Tier", v.status.Tier)
	if !v.status.Began.IsZero() {
		b.fact("Begun", v.status.Began.Local().Format("2006-01-02 15:04:05"))
	}
	b.fact("Question", v.status.Topic)
	b.fact("Folder", v.folder.Path)
	for _, m := range v.status.Missing {
		b.fact("Missing", m)
	}
	b.put("</dl>\n")
	return nil
}

// standing is where the run stands, the part of the page that is kept fresh.
func (v *visit) standing() *markup {
	var m markup
	s := v.status
	if s.Reason != "" {
		m.put("<p class=\"reason\">%s</p>\n", s.Reason)
	}
	for _, why := range []string{s.Paused, s.Waiting} {
		if why != "" {
			m.put("<p class=\"reason\">%s</p>\n", why)
		}
	}
	if stateWord(s) == "paused" && s.Paused == "" {
		m.put("<p class=\"reason\">Nobody works on this run.</p>\n")
	}
	m.put("<dl class=\"figures\">\n")
	if s.Score != nil {
		m.put("<div><dt>Score</dt><dd>%s <small>of 100</small></dd></div>\n", score.FormatScore(*s.Score))
	}
	m.put("<div><dt>Cost</dt><dd>%s</dd></div>\n<div><dt>Tokens</dt><dd>%s</dd></div>\n<div><dt>Turns</dt><dd>%d</dd></div>\n<div><dt>Time</dt><dd>%s%s</dd></div>\n",
		cost(s), grouped(s.Spent.Tokens), s.Spent.Turns, view.FormatDuration(view.Elapsed(s, v.now())), v.leftMarkup())
	if text := view.ClaimsText(s); text != "" && s.IsOpen() { // below they are counted with their links
		m.put("<div><dt>Claims</dt><dd>%s</dd></div>\n", text)
	}
	m.put("</dl>\n")
	m.course(v)
	m.lanes(v)
	if s.IsOpen() {
		m.spend(append(slices.Clone(v.watch.points(v)), point{v.now(), s.Spent.USD, s.Spent.Tokens}))
		m.newClaims(v)
	}
	return &m
}

// cost is what a run has cost, of what it may.
func cost(s status.Status) raw {
	money, limit, _ := strings.Cut(cmp.Or(strings.TrimPrefix(view.MoneyText(s), "cost "), view.Price(s)), " ")
	if limit == "" {
		return raw(escape(money))
	}
	return raw(escape(money) + " <small>" + escape(limit) + "</small>")
}

// leftMarkup is how long the run may yet take; nothing where nobody works on it.
func (v *visit) leftMarkup() raw {
	if view.LeftText(v.status, forecast.Span{}) == "" {
		return ""
	}
	return raw(" <small>" + escape(view.LeftText(v.status, v.watch.left(v))) + "</small>")
}

// course is the way of a run as a line of time.
func (m *markup) course(v *visit) {
	s := v.status
	if len(s.Course) == 0 && s.Phase != "" {
		m.put("<h2>Phase</h2>\n<p>%s</p>\n", view.Place(s))
		return
	}
	if len(s.Course) == 0 {
		return
	}
	m.put("<h2>Phases</h2>\n<ol class=\"course\">\n")
	for _, p := range s.Course {
		m.put("<li class=\"%s\"><span class=\"name\">%s</span> ", p.State, p.Said())
		m.state(p.State)
		if text := view.PartText(s, p, v.now()); text != "" {
			m.put(" <span class=\"took\">%s</span>", text)
		}
		m.put("</li>\n")
	}
	m.put("</ol>\n")
	if g := staged.StatusOf(s); g != nil {
		m.put("<ul class=\"plain\">")
		for _, gate := range g.Gates {
			word := map[bool]string{true: "passed", false: "not passed"}[gate.Passed]
			m.put("<li>%s: %s; %s</li>", strings.ReplaceAll(gate.Stage, "_", " "), word, strings.TrimPrefix(gate.Reason, flow.GateFailed(gate.Stage, "").Reason))
		}
		m.put("</ul>\n")
	}
}

// lanes are the seats, each with what it does.
func (m *markup) lanes(v *visit) {
	if len(v.status.Seats) == 0 {
		return
	}
	m.put("<h2>Seats</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"seats\"><table class=\"lanes cards\"><thead><tr><th scope=\"col\">Seat</th><th scope=\"col\">State</th><th scope=\"col\">Work</th><th scope=\"col\">Progress</th><th scope=\"col\">Claims so far</th><th scope=\"col\">What it did last</th></tr></thead><tbody>\n")
	claims := claimsOfSeats(v)
	for _, x := range v.status.Seats {
		name, _, _ := strings.Cut(x.Name, " ")
		m.put("<tr><th scope=\"row\">%s", x.Name)
		if x.Model != "" {
			m.put(" <span class=\"soft\">%s</span>", x.Model)
		}
		m.put("</th><td>")
		m.state(stateOfSeat(x))
		none := "" // of its claims
		if x.State == "running" {
			none = "none yet"
		}
		share := 0
		if part, whole := x.Progress(); whole > 0 {
			share = 100 * min(part, whole) / whole
		}
		m.put("</td><td>%s</td><td class=\"number\"><svg class=\"bar\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"track\" width=\"100\" height=\"6\"/><rect class=\"fill\" width=\"%d\" height=\"6\"/></svg> %d of %d</td><td>%s</td><td class=\"said\">",
			strings.ReplaceAll(x.Role, "_", " "), share, x.Iteration, x.Iterations, cmp.Or(claims(name), none))
		lastOf(m, x)
		m.put("</td></tr>\n")
	}
	m.put("</tbody></table></div>\n")
}

// stateOfSeat is the state of a seat as [markup.state] takes it.
func stateOfSeat(x status.Seat) string {
	if word := view.StateWord(x); word == "missed" || word == "no files" {
		return word
	}
	return x.State
}

// lastOf is what a seat did last, or why it came to nothing and what a person can do.
func lastOf(m *markup, x status.Seat) {
	if f, failed := view.FailureOf(x); failed {
		m.put("<strong>%s</strong> %s", f.What, line(f.Why, 400))
		if f.Do != "" {
			m.put(" <span class=\"do\">%s</span>", f.Do)
		}
		return
	}
	said := x.Reason
	if x.State == "running" && x.Activity != "" {
		said = view.Doing(x.Activity)
	}
	m.put("%s", line(said, 240))
}

// claimsOfSeats tells what became of a seat's claims: by the registry once there is one,
// before that as they were seen when they were recorded.
func claimsOfSeats(v *visit) func(seat string) string {
	g, err := v.kept.of(v.project, v.id)
	if err != nil {
		return func(seat string) string { return view.TallyText(v.status.Claims[seat]) }
	}
	counts := map[string]claim.Tally{}
	for _, r := range g.rows {
		for _, seat := range r.seats {
			t := counts[seat]
			switch claim.State(r.state) {
			case claim.Located:
				t.Located++
			case claim.NotFound:
				t.NotFound++
			}
			counts[seat] = t
		}
	}
	return func(seat string) string {
		t := counts[seat]
		t.Refused = v.status.Claims[seat].Refused
		return view.TallyText(t)
	}
}

// grouped writes a number with its thousands apart.
func grouped(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "\u202f" + digits[i:]
	}
	return digits
}

// outcome is what a finished run came to.
func (v *visit) outcome() error {
	b := &v.body
	if codereview.StatusOf(v.status) == nil {
		answered(v)
		if err := v.claimCounts(); err != nil {
			return err
		}
	} else {
		b.put("<p class=\"lead\"><a href=\"%s\">See what was found</a></p>\n", v.at("findings"))
	}
	return nil
}

// answered is the answer of a run in a few sentences, how sure it is, and the way to its
// report.
func answered(v *visit) {
	data, err := v.folder.Read(flow.FinalReport)
	if err != nil || len(data) == 0 {
		return
	}
	b := &v.body
	b.put("<section class=\"answer\" aria-label=\"answer\">\n")
	for _, said := range view.Answer(string(data)) {
		b.put("<p>%s</p>\n", prose(said))
	}
	b.put("<p class=\"lead\"><a class=\"button go\" href=\"%s\">Read the report</a></p>\n</section>\n", v.at("report"))
}

// scored is what the score is made of.
func (v *visit) scored() error {
	b := &v.body
	found, err := runs.Score(v.folder)
	if err != nil || found == nil || v.status.Score == nil {
		return err
	}
	b.put("<h2>Score</h2>\n<p>%s of 100; next: %s</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"score\"><table class=\"cards\"><thead><tr><th scope=\"col\">Measure</th><th scope=\"col\">Value</th><th scope=\"col\">Weight</th><th scope=\"col\">Of what</th></tr></thead><tbody>", score.FormatScore(found.Final), string(found.Gate))
	for _, x := range found.Signals {
		b.put("<tr><th scope=\"row\">%s</th><td class=\"number\">%.0f %%</td><td class=\"number\" data-label=\"weight\">%d</td><td>%s</td></tr>", x.Name, 100*x.Value, x.Weight, x.Detail)
	}
	b.put("</tbody></table></div>\n")
	return nil
}

// claimCounts says how many claims there are, by what came of looking for their
// quotations. It begins to read the registry for the page that is likely next.
func (v *visit) claimCounts() error {
	g, err := v.kept.of(v.project, v.id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	n := map[string]int{}
	for _, r := range g.rows {
		n[r.state]++
	}
	b := &v.body
	b.put("<h2>Claims</h2>\n<ul class=\"counts\"><li><a href=\"%s\">%d in all</a></li>", v.at("claims"), len(g.rows))
	for _, state := range g.sorts.states {
		b.put(`<li><a href="%s?state=%s">`, v.at("claims"), state)
		b.state(state)
		b.put(" %d</a></li>", n[state])
	}
	if len(g.conflicts) > 0 {
		b.put(`<li><a href="%s">%s</a></li>`, v.at("disputes"), plural.Forms(len(g.conflicts), "dispute", "disputes"))
	}
	b.put("</ul>\n")
	return nil
}

// newClaims are the claims that seats have recorded last.
func (m *markup) newClaims(v *visit) {
	list := v.watch.claims(v)
	if len(list) == 0 {
		return
	}
	m.put("<h2>Claims as they come, the newest first</h2>\n<ul class=\"stream\">\n")
	for _, d := range slices.Backward(list) {
		if d.Withdraws != "" {
			continue
		}
		m.put("<li>")
		if d.state != "" {
			m.state(string(d.state))
			m.put(" ")
		}
		m.put("<span class=\"who\">%s</span> %s <span class=\"soft\">%s</span></li>\n", d.Seat, prose(line(d.Text, 300)), line(d.Source, 120))
	}
	m.put("</ul>\n")
}

// spend draws what a run has cost over time.
func (m *markup) spend(points []point) {
	if len(points) < 2 {
		return
	}
	most, word := 0.0, ""
	for _, p := range points {
		most = max(most, p.usd)
	}
	value := func(p point) float64 { return p.usd }
	if word = fmt.Sprintf("$%.2f", most); most == 0 {
		for _, p := range points {
			most = max(most, float64(p.tokens))
		}
		value, word = func(p point) float64 { return float64(p.tokens) }, grouped(int64(most))+" tokens"
	}
	if most == 0 {
		return
	}
	first, last := points[0].at, points[len(points)-1].at
	long := max(last.Sub(first).Seconds(), 1)
	var path strings.Builder
	for i, p := range points {
		if i > 0 {
			path.WriteByte(' ')
		}
		fmt.Fprintf(&path, "%.1f,%.1f", 400*p.at.Sub(first).Seconds()/long, 60-56*value(p)/most)
	}
	m.put("<h2>Spend</h2>\n<figure class=\"spend\"><svg viewBox=\"0 0 400 62\" role=\"img\" aria-label=\"spend over time: %s in %s\" preserveAspectRatio=\"none\"><polyline points=\"%s\"/></svg><figcaption>%s in %s</figcaption></figure>\n",
		word, view.FormatDuration(last.Sub(first)), path.String(), word, view.FormatDuration(last.Sub(first)))
}

// showVotes are the votes on passages, and those of the reviewers of the report.
func showVotes(v *visit) error {
	v.title, v.place = "Votes", "votes"
	b := &v.body
	if r := panel.ResultOf(v.status.Votes); r != nil && r.Asked == 0 {
		b.put("<h2>On the report</h2>\n<p>No reviewer could take part: %s</p>\n", r.Reason)
	} else if r != nil {
		b.put("<h2>On the report</h2>\n<p>")
		b.state(r.FinalVerdict)
		b.put(" %d of %d votes valid, %.0f %% agree. %s</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"votes on the report\"><table class=\"cards\"><thead><tr><th scope=\"col\">Reviewer</th><th scope=\"col\">Family</th><th scope=\"col\">First</th><th scope=\"col\">Last</th><th scope=\"col\">Mean</th><th scope=\"col\">Reason</th></tr></thead><tbody>", r.Valid, r.Asked, 100*r.ConsensusScore, r.Reason)
		for _, x := range r.ModelScores {
			b.put("<tr><th scope=\"row\">%s %s</th><td data-label=\"family\">%s</td><td data-label=\"first\">%s</td><td data-label=\"last\">", x.Agent, x.Seat, x.Family, strings.ReplaceAll(x.First, "_", " "))
			if x.Verdict != "" {
				b.state(x.Verdict)
			} else {
				b.put("no valid vote")
			}
			b.put("</td><td class=\"number\" data-label=\"mean\">%.1f</td><td>%s</td></tr>\n", x.Mean, x.Reason)
		}
		b.put("</tbody></table></div>\n")
	}
	g, err := v.kept.of(v.project, v.id)
	if err != nil {
		return v.without(err, "votes")
	}
	v.votesOnClaims(g)
	return nil
}

// votesOnClaims counts for each judge how they have voted on the passages.
func (v *visit) votesOnClaims(g *registry) {
	answers := []string{claim.Supports, claim.Qualifies, claim.Contradicts}
	counts, judges, voted := map[string]map[string]int{}, []string{}, 0
	for _, r := range g.rows {
		if r.verdict == "" || r.verdict == claim.Unjudged {
			continue
		}
		e, err := r.entry()
		if err != nil || e.Support == nil {
			continue // the claim's own page says why
		}
		voted++
		for _, x := range e.Support.Votes {
			name := x.Seat + " (" + x.Family + ")"
			if counts[name] == nil {
				counts[name], judges = map[string]int{}, append(judges, name)
			}
			counts[name][x.Answer]++
		}
	}
	b := &v.body
	b.put("<h2>On the passages</h2>\n")
	if voted == 0 {
		b.put("<p>Nobody has voted on a passage.</p>\n")
		return
	}
	slices.Sort(judges)
	b.put("<p>Votes were cast on %s.</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"votes on passages\"><table><thead><tr><th scope=\"col\">Judge</th>", plural.Of(voted, "claim"))
	for _, a := range answers {
		b.put("<th scope=\"col\">")
		b.state(a)
		b.put("</th>")
	}
	b.put("</tr></thead><tbody>")
	for _, name := range judges {
		b.put("<tr><th scope=\"row\">%s</th>", name)
		for _, a := range answers {
			b.put("<td class=\"number\">%d</td>", counts[name][a])
		}
		b.put("</tr>\n")
	}
	b.put("</tbody></table></div>\n")
	b.put("<p>By what they came to:</p><ul class=\"counts\">")
	for _, verdict := range g.sorts.verdicts {
		b.put(`<li><a href="%s?support=%s">`, v.at("claims"), verdict)
		b.state(verdict)
		b.put("</a></li>")
	}
	b.put("</ul>\n")
}

// without says that there is none of something yet, where its file is not there.
func (v *visit) without(err error, what string) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	v.body.put("<p>There are no %s in this run yet.</p>\n", what)
	return nil
}

// withoutRegistry says what there is of a run whose registry is not there yet: how many
// claims are located, and those that have come last.
func (v *visit) withoutRegistry(err error, what string) error {
	if !errors.Is(err, fs.ErrNotExist) || v.status.Recorded() == (claim.Tally{}) {
		return v.without(err, what)
	}
	text := runs.WithoutRegistry(v.status)
	v.body.put("<p>There are no %s to list yet: %s.</p>\n", what, text)
	v.body.newClaims(v)
	refusals(v)
	return nil
}

// decode reads a file of the run where it is there.
func decode[T any](f *workspace.Folder, name string) (T, error) {
	var value T
	data, err := f.Read(name)
	if err != nil {
		return value, err
	}
	return value, json.Unmarshal(data, &value)
}
