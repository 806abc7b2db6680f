package councilwork

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/agent/prompt"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/product/council"
	"github.com/research-council/research-council/internal/product/panel"
)

// OpenItems lists what a seat should mend or look into: what was wrong with its
// report, which of its quotations were not found, and what is on the council's
// agenda.
func (s *registrar) OpenItems(t flow.TaskState) string {
	switch t.Role {
	case agent.Synthesis, agent.Comparison, agent.Support, agent.Debate: // they record nothing, and mend their own answer alone
		return supervisor.ProblemLines(t.Loop.Artefact.Problems)
	}
	_, own := s.locateOwnClaims(t)
	known := map[string]bool{}
	for line := range strings.Lines(own) {
		known[line] = true
	}
	for line := range strings.Lines(notLocatedLines(claim.NotFoundClaims(s.withWithdrawals(t), t.Seat))) {
		if !known[line] {
			own += line
		}
	}
	return supervisor.ProblemLines(t.Loop.Artefact.Problems) + own + s.webItem() + s.agenda(t.Task)
}

// withWithdrawals are the claims of the registry as they are once what a seat has
// withdrawn since is no more.
func (s *registrar) withWithdrawals(t flow.TaskState) []claim.Entry {
	entries := s.Registry().Entries
	drafts, _ := s.takeRecords(t)
	if !slices.ContainsFunc(drafts, func(d claim.Draft) bool { return d.Withdraws != "" }) {
		return entries
	}
	return claim.Register(entries, drafts)
}

// locateOwnClaims looks for the quotations a seat has recorded up to now, and lists
// those that are not found and the lines that are no claims.
func (s *registrar) locateOwnClaims(t flow.TaskState) (entries []claim.Entry, amiss string) {
	drafts, refused := s.takeRecords(t)
	for i := range drafts {
		s.nameSources(&drafts[i])
	}
	entries = s.locateOwn(t, drafts)
	for _, r := range refused {
		where := "A line"
		if r.Line > 0 {
			where = fmt.Sprintf("Line %d", r.Line)
		}
		amiss += fmt.Sprintf("- %s of `%s` is no claim: %s.\n", where, ClaimsFile, plain.Line(r.Reason, supervisor.MaxForeignRunes))
	}
	return entries, amiss + notLocatedLines(claim.NotFoundClaims(entries, t.Seat))
}

// locateOwn looks for the quotations of a seat's drafts. What they rest on, or withdraw,
// may be in the registry that the seat was handed.
func (s *registrar) locateOwn(t flow.TaskState, drafts []claim.Draft) []claim.Entry {
	entries, places := claim.Try(nil, drafts, s.texts.ArchivedOnly())
	if t.Role == council.Research || !slices.ContainsFunc(drafts, func(d claim.Draft) bool { return d.Kind.RestsOnClaims() || d.Withdraws != "" }) {
		return entries
	}
	all, behind := claim.Try(s.Registry().Entries, drafts, s.texts.ArchivedOnly())
	for i, place := range places {
		if place >= 0 && (entries[place].Kind.RestsOnClaims() || all[behind[i]].IsWithdrawn()) {
			entries[place].Location = all[behind[i]].Location
		}
	}
	return entries
}

// maxAgenda bounds how many conflicts and gaps a seat is shown, of each.
const maxAgenda = 20

// agenda is what refinement should settle: where claims conflict, and what
// nobody has covered.
func (s *registrar) agenda(t flow.Task) string {
	if t.Role != agent.Refinement && t.Role != agent.Explore {
		return ""
	}
	var b strings.Builder
	reg := s.Registry()
	shown := 0
	for _, c := range reg.Conflicts {
		one, _ := reg.Entry(c.A)
		other, _ := reg.Entry(c.B)
		if c.IsOpen() && !c.IsNone() && shown < maxAgenda {
			shown++
			fmt.Fprintf(&b, "- %s and %s conflict (%s): %q against %q. Find what settles it, or under which conditions both hold.\n",
				c.A, c.B, c.Kind, plain.Line(one.Text, supervisor.MaxForeignRunes), plain.Line(other.Text, supervisor.MaxForeignRunes))
		}
	}
	b.WriteString(answersApart(reg))
	b.WriteString(unmentioned(reg, council.PlanOf(s.Now)))
	result := s.score()
	local := s.scoreInput(s.Now).NoWeb
	for _, g := range result.Gaps[:min(len(result.Gaps), maxAgenda)] {
		if !isWorthLooking(g, local) {
			continue // it is in the report once, and nobody is sent to look for it
		}
		fmt.Fprintf(&b, "- Not covered yet (%s): %s\n", g.Dimension, plain.Line(g.What, supervisor.MaxForeignRunes))
		if g.Dimension == scope.Questions {
			b.WriteString(unansweredLines(council.PlanOf(s.Now), g.What))
		}
	}
	return b.String()
}

// unmentioned lists what answers must not miss, by the plan, of which no claim seems to
// speak.
func unmentioned(reg claim.Registry, planned scope.Plan) string {
	var points []string
	of := map[string]string{} // the question of a point
	for _, q := range planned.Questions {
		points = append(points, q.MustNotMiss...)
		for _, point := range q.MustNotMiss {
			of[point] = q.ID
		}
	}
	missed := reg.Unmentioned(points)
	var b strings.Builder
	for _, point := range missed[:min(len(missed), maxAgenda)] {
		fmt.Fprintf(&b, "- No claim seems to speak of what an answer to %s must not miss: %s\n", of[point], plain.Line(point, supervisor.MaxForeignRunes))
	}
	return b.String()
}

// answersApart lists the recommendations of several families on one question, which nobody
// has compared yet: who reads them settles what they differ in, or says it.
func answersApart(reg claim.Registry) string {
	const (
		most   = 6   // of a question
		each   = 2   // of a family
		answer = 700 // runes of one: where it ends it says on what condition
	)
	var b strings.Builder
	told := map[string]bool{} // claims, and sets of them
	for _, a := range claim.Answers(reg) {
		var lines []string
		ids := ""
		families := map[string]int{}
		positions := slices.Clone(a.Positions)
		slices.SortStableFunc(positions, func(p, q claim.Position) int {
			return cmp.Or(givenAside(reg, p, a.Question, told)-givenAside(reg, q, a.Question, told), len(q.Families)-len(p.Families))
		})
		for _, p := range positions {
			e, known := reg.Entry(p.IDs[0])
			if !known || len(p.Families) == 0 || families[p.Families[0]] == each || len(lines) == most {
				continue
			}
			families[p.Families[0]]++
			told[e.ID] = true
			ids += e.ID
			lines = append(lines, fmt.Sprintf("  - %s, of %s: %s\n", e.ID, plain.Line(p.Seats[0], supervisor.MaxForeignRunes), plain.Line(e.Text, answer)))
		}
		if len(families) > 1 && !told[ids] {
			told[ids] = true
			fmt.Fprintf(&b, "- %s has these answers. Those that say the same need nothing. Where they part, find what decides between them; name in `contradicts` what does not hold, and withdraw what you hold no longer:\n%s", plain.Line(a.Question, supervisor.MaxForeignRunes), strings.Join(lines, ""))
		}
	}
	return b.String()
}

// givenAside is 0 where a recommendation names a question first or alone, 1 where it gives
// advice on another question first and on this one beside it, 2 where it has been told with
// that one.
func givenAside(reg claim.Registry, p claim.Position, question string, told map[string]bool) int {
	e, known := reg.Entry(p.IDs[0])
	switch {
	case !known || len(e.Questions) == 0 || e.Questions[0] == question:
		return 0
	case told[e.ID]:
		return 2
	}
	return 1
}

// isWorthLooking reports whether a seat ought to be sent to close a gap. A second source
// is not looked for where no page is read: of files at hand the one that defines a
// matter says it alone.
func isWorthLooking(g score.Gap, local bool) bool {
	return g.NotHere == "" && (g.Dimension != scope.CrossChecked || !local)
}

// score reads what was measured last; nothing is the zero value.
func (s *registrar) score() score.Result {
	var r score.Result
	if data, err := s.Folder.Read(council.ScoreFile); err == nil && json.Unmarshal(data, &r) != nil {
		return score.Result{}
	}
	return r
}

func notLocatedLines(entries []claim.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		if e.Kind.RestsOnClaims() {
			fmt.Fprintf(&b, "- %q rests on nothing that holds: %s.\n", e.Text, plain.Line(e.Location.Reason, supervisor.MaxForeignRunes))
			continue
		}
		fmt.Fprintf(&b, "- %q: the quotation was not found in %s: %q. %s.", e.Text, plain.Line(e.Source, supervisor.MaxForeignRunes), e.Quote, plain.Line(e.Location.Reason, supervisor.MaxForeignRunes))
		for _, f := range e.Location.Findings {
			if f.Kind == guard.Gap {
				continue // the reason says it
			}
			fmt.Fprintf(&b, " The %s differs: %q in the quotation, %q in the source.", f.Kind, f.Quote, f.Text)
		}
		if e.Location.Nearest != "" {
			fmt.Fprintf(&b, " The nearest passage there: %q.", e.Location.Nearest)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Progress looks for the quotations a running seat has recorded up to now, lists
// those that are not found where its loop's hook points it to, and says how
// many claims stand: those found, and those that cannot be looked for yet.
func (s *registrar) Progress(t flow.TaskState) int {
	entries, amiss := s.locateOwnClaims(t)
	if len(entries) == 0 && amiss == "" {
		return 0 // it has recorded none
	}
	s.fetchAhead(entries)
	_ = s.Folder.Write(s.OpenItemsFile(t.Task), []byte(amiss+s.agenda(t.Task))) // a list that cannot be written is made anew at the next turn
	return len(claim.Standing(entries)) - len(claim.NotFoundClaims(entries, t.Seat))
}

// Prompt asks for a council's part, with what people have said to the run since.
func (s *Work) Prompt(t flow.Task, ask agent.Turn, inputs []string) (string, error) {
	text, err := plainPrompt(s, t, ask, inputs)
	if err != nil {
		return "", err
	}
	return text + said(s, t), nil
}

// said is what people have said to the run, for those who research, argue and write.
// Judges go by the evidence alone, and the question is planned before anybody can say
// something.
func said(s *Work, t flow.Task) string {
	switch t.Role {
	case agent.Plan, agent.Comparison, agent.Support, agent.Review, agent.Reconsider:
		return ""
	}
	var list []string
	for _, n := range s.Now.Notes {
		list = append(list, n.Text)
	}
	return prompt.Said(list)
}

func plainPrompt(s *Work, t flow.Task, ask agent.Turn, inputs []string) (string, error) {
	switch t.Role {
	case agent.Plan:
		return prompt.Plan(prompt.Values{Report: ask.Report, Scope: ask.Scope, OpenFile: s.Folder.Join(s.OpenItemsFile(t))})
	case agent.Comparison:
		return prompt.Comparison(prompt.Values{Report: ask.Report, Pairs: inputs[0], OpenFile: s.Folder.Join(s.OpenItemsFile(t))})
	}
	if asksForAnswer(t.Role) {
		return s.answerPrompt(t, ask, inputs)
	}
	v := prompt.Values{
		Report: ask.Report, ClaimsFile: s.Folder.Join(s.TaskFolder(t), ClaimsFile), Scope: ask.Scope, ScopeAt: s.Setup.Revision, MaxIterations: ask.MaxIterations,
		OpenFile: s.Folder.Join(s.OpenItemsFile(t)), Assignment: assignment(s.Setup.Plan, t), Desk: s.HasDesk(t.Seat), OffersDesk: !s.HasDesk(t.Seat) && s.knowsDesk(t.Seat), Experiments: ask.Trials,
		Search: len(s.Setup.Network.Search) > 0, NoWeb: archive.WebIsAway(s.Archive.Snapshots()),
	}
	switch t.Role {
	case agent.Research:
		v.Questions = questionLines(council.PlanOf(s.Now))
		return prompt.Research(v)
	case agent.Refinement:
		v.OwnReport, v.Registry = inputs[0], digestBeside(inputs[len(inputs)-1])
		v.OtherReports = inputs[1 : len(inputs)-1]
		v.Questions = questionLines(council.PlanOf(s.Now))
		return prompt.Refinement(v)
	case agent.Support:
		v.Ballot = inputs[0]
		return prompt.Support(v)
	case agent.Validation:
		v.Disputes, v.Registry = inputs[0], digestBeside(inputs[1])
		return prompt.Validation(v)
	case agent.Debate:
		v.Disputes, v.Registry, v.Positions = inputs[0], digestBeside(inputs[1]), inputs[2:]
		v.Round, v.Rounds = s.Now.Visit, council.DebateRounds
		return prompt.Debate(v)
	}
	return s.synthesisPrompt(t, ask.Report, inputs)
}

// webItem is for who is in the middle of its work.
func (s *registrar) webItem() string {
	if !archive.WebIsAway(s.Archive.Snapshots()) {
		return ""
	}
	return "- The web is out of reach: of the pages asked for so far none could be fetched. Rest on local sources and what is archived.\n"
}

// writeDigest puts the digest of the registry into a folder of the run, beside the
// registry itself: whoever has a model reads the digest.
func (s *registrar) writeDigest(folder string) error {
	return s.Folder.Write(path.Join(folder, claim.DigestFile), claim.Digest(s.Registry(), claim.DigestLimit))
}

// digestBeside is the digest that lies beside a registry.
func digestBeside(registry string) string {
	return filepath.Join(filepath.Dir(registry), claim.DigestFile)
}

// assignment tells a seat what it is to cover first, in the plan's words.
func assignment(p scope.Plan, t flow.Task) string {
	var b strings.Builder
	for _, shard := range scope.Shards() {
		if !slices.Contains(strings.Split(t.Shard, "+"), shard.ID) {
			continue
		}
		fmt.Fprintf(&b, "\n- **%s** (%s). %s %s", shard.Name, shard.Role, shard.Description, shard.Instructions)
	}
	switch {
	case b.Len() == 0:
		return ""
	case t.Role == agent.Refinement:
		return "The researcher who was to cover this has left nothing. Cover it too:\n" + b.String()
	}
	return fmt.Sprintf("The question is whole for you, in %s mode. Cover this part first, in this order, because others begin elsewhere; then go on to the rest, so that what others find can be confirmed or refuted:\n%s", p.Mode, b.String())
}

func (s *Work) synthesisPrompt(t flow.Task, draft string, inputs []string) (string, error) {
	v := prompt.Values{Draft: draft, Registry: digestBeside(inputs[len(inputs)-1]), Reports: inputs[:len(inputs)-1], OpenFile: s.Folder.Join(hostOpenItems)}
	if s.Folder.Has(council.Transcript) {
		v.Debate = filepath.Join(filepath.Dir(inputs[len(inputs)-1]), council.Transcript)
	}
	for i, name := range t.Reads {
		if name == panel.RevisionFile {
			v.Revision = inputs[i]
			v.Reports = slices.DeleteFunc(slices.Clone(v.Reports), func(file string) bool { return file == inputs[i] })
		}
		if strings.HasSuffix(name, "-report.md") && len(s.Now.LastTasks(council.Refinement)) > 0 {
			v.Carried = append(v.Carried, inputs[i])
		}
	}
	v.Questions = briefQuestions(council.PlanOf(s.Now))
	for _, seat := range s.Now.Setup.Seats {
		v.Seats = append(v.Seats, seat.Name)
	}
	for _, m := range s.Now.Setup.Missing {
		v.Missing = append(v.Missing, m.Seat+": "+m.Reason)
	}
	for _, task := range s.Now.LastTasks(council.Research) {
		if !task.Outcome.Good() {
			v.Missing = append(v.Missing, task.Seat+": "+task.Reason)
		}
	}
	if t.Seat == flow.Host {
		v.Topic = s.Now.Setup.Topic
	}
	return prompt.Synthesis(v)
}

// ResumePrompt is the prompt of a session that is taken up again.
func (s *Work) ResumePrompt(t flow.TaskState, ask agent.Turn) (string, error) {
	text, err := prompt.Mend(ask.Report, s.Folder.Join(s.OpenItemsFile(t.Task))) // an answer with a form is sent back for what it lacks
	if t.Role == agent.Research || t.Role == agent.Refinement {
		text, err = prompt.Continue(prompt.Values{
			Report: ask.Report, ClaimsFile: s.Folder.Join(s.TaskFolder(t.Task), ClaimsFile), OpenFile: s.Folder.Join(s.OpenItemsFile(t.Task)),
			Iteration: t.Loop.Iterations + 1, MaxIterations: t.Rule.Iterations,
		})
	}
	if err != nil {
		return "", err
	}
	return text + said(s, t.Task), nil
}
