package watch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/library"
	"github.com/research-council/research-council/internal/host/runs"
)

// evidence is what a run's seats have claimed, as it is shown.
type evidence struct {
	look
	style   style
	project string
}

func (m *model) evidence() evidence { return evidence{m.now, m.style, m.doors.Project} }

// located are claims with what was found of their passages, for a page of them.
type located struct {
	title   string
	entries []claim.Entry
	refused []claim.DeskRefusal
	err     error
}

// openClaims opens the claims of a seat, or of all where it is "": those of the
// registry, and before there is one those recorded so far, each looked for in what is
// archived.
func (m *model) openClaims(name string) {
	if m.now.ID == "" {
		return
	}
	gathered := func() *list { return m.claimsList(name, m.evidence().gather(name)) }
	p := gathered()
	if m.now.IsOpen() {
		p.renewed = gathered
	}
	m.page = p
}

// gather collects a seat's claims.
func (v evidence) gather(name string) located {
	title := "claims of " + clean(name)
	if name == "" {
		title = "claims of all seats"
	}
	l := located{title: title, entries: v.claimsOf(name)}
	f, err := workspace.Open(v.project, v.ID)
	if err != nil {
		l.err = err
		return l
	}
	defer f.Close()
	for _, s := range v.seatNames(name) {
		if len(v.registry.Entries) == 0 {
			data, _ := f.Read(claim.RecordsFile(s)) // none is empty
			drafts, _ := claim.Decode(bytes.NewReader(data), s, "")
			seen := recordedStates(data)
			for _, e := range claim.Register(nil, drafts) {
				e.ID = "" // it has one when the registry is made
				e.Location.State = seen[e.Text]
				l.entries = append(l.entries, e)
			}
		}
		data, _ := f.Read(claim.RefusalsFile(s))
		l.refused = append(l.refused, claim.DecodeRefusals(data)...)
	}
	return l
}

// mostLatest is how many claims of each seat are shown as they come.
const mostLatest = 12

// latestClaims are the claims each seat has recorded last, the newest first, seat by seat
// in turn; none once there is a registry.
func (v evidence) latestClaims() (list []claim.Entry) {
	if len(v.registry.Entries) > 0 {
		return nil
	}
	var bySeat [][]claim.Entry
	for _, name := range v.seatNames("") {
		bySeat = append(bySeat, v.gather(name).entries)
	}
	for i := range mostLatest {
		for _, entries := range bySeat {
			if at := len(entries) - 1 - i; at >= 0 {
				list = append(list, entries[at])
			}
		}
	}
	return list
}

// recordedStates are what came of looking for the quotations of claims when they were
// recorded, by their texts.
func recordedStates(records []byte) map[string]claim.State {
	states := map[string]claim.State{}
	for line := range bytes.Lines(records) {
		var l struct {
			Text  string
			State claim.State
		}
		if json.Unmarshal(line, &l) == nil && l.State != "" {
			states[l.Text] = l.State
		}
	}
	return states
}

func (v evidence) seatNames(name string) []string {
	if name != "" {
		return []string{name}
	}
	var names []string
	for _, s := range v.seats {
		if !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	return names
}

func (m *model) claimsList(name string, l located) *list {
	p := &list{title: l.title, says: "no claims yet", hints: "↑↓ Enter passage · a all seats"}
	for _, e := range l.entries {
		by := ""
		if name == "" {
			by = clean(strings.Join(e.Seats, ", ")) + ": "
		}
		p.rows = append(p.rows, m.evidence().claimRow(e, by))
		p.ids = append(p.ids, strings.Join(e.Seats, ",")+" "+e.Text)
	}
	for _, r := range l.refused {
		by := ""
		if name == "" {
			by = clean(r.Seat) + ": "
		}
		p.rows = append(p.rows, m.style.in(red, m.style.sign("✗", "x")+" refused      ")+by+clean(r.Text))
		p.ids = append(p.ids, "refused "+r.Seat+" "+r.Text)
	}
	p.enter = func(i int) tea.Cmd {
		back := m.page
		if i >= len(l.entries) {
			r := l.refused[i-len(l.entries)]
			m.page = &text{title: "refused at the desk of " + clean(r.Seat), back: back, lines: []string{
				clean(r.Text), "", "quoted as: “" + clean(r.Quote) + "”", "from: " + clean(r.Source), "", "why: " + clean(r.Reason),
			}}
			return nil
		}
		e := l.entries[i]
		m.page = &text{title: claimTitle(e), back: back, lines: []string{"looking for its passage…"}}
		visit := m.visit
		return func() tea.Msg { return passage{visit, back, m.evidence().lookUp(e)} }
	}
	p.more = func(k string) bool {
		if k == "a" && name != "" {
			m.openClaims("")
		} else if k == "a" {
			m.openClaims(m.chosenSeat().name)
		}
		return k == "a"
	}
	return p
}

// claimTitle names a claim by its number, and before it has one by whose it is.
func claimTitle(e claim.Entry) string {
	if e.ID == "" {
		return words(" ", "claim of", clean(strings.Join(e.Seats, ", ")))
	}
	return "claim " + clean(e.ID)
}

// passage is a claim whose passages were looked up.
type passage struct {
	visit int
	back  page
	entry claim.Entry
}

// lookUp looks for the quotations of a claim that the registry does not hold yet, in
// files and in what is archived; nothing is fetched.
func (v evidence) lookUp(e claim.Entry) claim.Entry {
	if e.Location.State != "" && e.ID != "" || e.Kind.RestsOnClaims() {
		return e
	}
	f, err := workspace.Open(v.project, v.ID)
	if err != nil {
		return e
	}
	defer f.Close()
	a, err := runs.Archive(f)
	if err != nil || a == nil {
		return e
	}
	defer func() { _ = a.Close() }() // it was opened to read
	texts, err := library.Open(v.scope, a)
	if err != nil {
		return e
	}
	defer func() { _ = texts.Close() }()
	return claim.Locate([]claim.Entry{e}, texts.ArchivedOnly())[0]
}

// states are how what became of a quotation is told and marked.
func (v evidence) stateOf(e claim.Entry) string {
	switch {
	case e.Location.State == claim.Located:
		if len(e.Location.Findings) > 0 {
			return v.style.in(yellow, v.style.sign("✓", "+")+" located, but")
		}
		return v.style.in(green, v.style.sign("✓", "+")+" located     ")
	case e.Location.State == claim.NotFound:
		return v.style.in(red, v.style.sign("✗", "x")+" not found   ")
	case e.Kind.RestsOnClaims():
		return v.style.sign("→", ">") + " " + fill(e.Kind.String(), 12)
	case e.ID == "":
		return v.style.in(faint, v.style.sign("○", "o")+" not checked ")
	}
	return v.style.in(yellow, v.style.sign("◌", "?")+" unchecked   ")
}

// foundText says what became of a claim's quotation, and why.
func (v evidence) foundText(e claim.Entry) string {
	if e.Location.State == claim.Located && len(e.Location.Findings) > 0 {
		return v.style.in(yellow, v.style.sign("✓", "+")+" located, with a reservation")
	}
	return words(": ", strings.TrimSpace(v.stateOf(e)), clean(e.Location.Reason))
}

// claimRow is a claim in a line; by tells whose it is, "" where the title does.
func (v evidence) claimRow(e claim.Entry, by string) string {
	id := ""
	if e.ID != "" {
		id = fill(clean(e.ID), 5)
	}
	return v.stateOf(e) + " " + id + by + clean(e.Text)
}

// entryText is a claim with its quotations, each in its passage.
func (v evidence) entryText(e claim.Entry) []string {
	lines := []string{v.style.in(bold, clean(e.Text)), ""}
	about := words(" · ", v.foundText(e), "of "+clean(strings.Join(e.Seats, ", ")), labelled("confidence: ", strings.ToLower(string(e.Confidence))), labelled("votes: ", e.Verdict()))
	lines = append(lines, about)
	if e.Kind.RestsOnClaims() {
		lines = append(lines, "", e.Kind.String()+" from:")
		for _, id := range e.RestsOn {
			on, _ := v.registry.Entry(id)
			lines = append(lines, "  "+clean(id)+"  "+clean(on.Text))
		}
		return lines
	}
	for i, p := range e.Evidence() {
		l := p.Location
		if len(e.Evidence()) == 1 {
			l = e.Location
		}
		lines = append(lines, "", v.style.in(faint, fmt.Sprintf("passage %d of %d: ", i+1, len(e.Evidence())))+clean(p.Source)+linesText(p.Source, l))
		lines = append(lines, "quoted as: “"+clean(p.Quote)+"”")
		switch {
		case l.Passage != "":
			lines = append(lines, "in its source: "+v.inContext(clean(claim.Readable(p.Source, l.Context)), clean(claim.Readable(p.Source, l.Passage))))
		case l.Nearest != "":
			lines = append(lines, "not there; nearest: "+clean(l.Nearest))
		}
		if l.Doubt != "" {
			lines = append(lines, v.style.in(yellow, "but "+clean(l.Doubt)))
		}
		for _, f := range l.Findings {
			lines = append(lines, v.style.in(yellow, "but "+clean(f.String())))
		}
	}
	return lines
}

// labelled is a value behind its label; "" where there is none.
func labelled(label, value string) string {
	if value == "" {
		return ""
	}
	return label + clean(value)
}

// linesText names the lines of a passage where its source, a file, is cited without.
func linesText(cited string, l claim.Location) string {
	if l.First == 0 || strings.HasSuffix(cited, ":"+claim.Lines(l.First, l.Last)) {
		return ""
	}
	return ", found at " + claim.Lines(l.First, l.Last)
}

// inContext is a passage with what stands around it; the passage is marked.
func (v evidence) inContext(around, passage string) string {
	before, after, ok := strings.Cut(strings.Join(strings.Fields(around), " "), strings.Join(strings.Fields(passage), " "))
	if !ok {
		return "«" + passage + "»"
	}
	return before + v.style.in(bold, "«"+passage+"»") + after
}

// openDisputes shows what claims are in conflict, both sides of each.
func (m *model) openDisputes() {
	if m.now.ID == "" {
		return
	}
	reg := m.now.registry
	p := &list{title: "disputes", says: "no disputes: no two claims disagree, as far as the registry is made", hints: "↑↓ Enter both sides"}
	for _, d := range reg.Conflicts {
		p.rows = append(p.rows, fmt.Sprintf("%s  %s  %s", fill(clean(d.ID), 4), fill(clean(d.Status), 15), clean(words(": ", string(d.Kind), d.Detail))))
	}
	p.enter = func(i int) tea.Cmd {
		m.page = &dispute{conflict: reg.Conflicts[i], back: p}
		return nil
	}
	m.page = p
}

// dispute shows the two sides of a conflict, beside each other where there is room.
type dispute struct {
	conflict claim.Conflict
	back     page
	text     text
}

func (p *dispute) keys() string { return p.text.keys() }

func (p *dispute) key(m *model, k string) tea.Cmd {
	p.text.back = p.back
	return p.text.key(m, k)
}

func (p *dispute) render(m *model, width, height int) []string {
	d := p.conflict
	a, _ := m.now.registry.Entry(d.A)
	b, _ := m.now.registry.Entry(d.B)
	lines := []string{words(", ", string(d.Kind), string(d.Severity), clean(d.Status)) + "  " + clean(d.Detail), clean(d.Resolution), ""}
	first, second := append([]string{clean(d.A)}, m.evidence().entryText(a)...), append([]string{clean(d.B)}, m.evidence().entryText(b)...)
	if width < 100 {
		lines = append(append(append(lines, first...), "", m.style.rule("against", width), ""), second...)
	} else {
		half := min(width, 110)/2 - 2
		x, y := wrap(strings.Join(first, "\n"), half), wrap(strings.Join(second, "\n"), half)
		for i := range max(len(x), len(y)) {
			row := fill("", half)
			if i < len(x) {
				row = fill(x[i], half)
			}
			if i < len(y) {
				row += m.style.in(faint, m.style.sign(" │ ", " | ")) + y[i]
			}
			lines = append(lines, row)
		}
	}
	p.text.title, p.text.lines = "dispute "+clean(d.ID), lines
	return p.text.render(m, width, height)
}

// openRuns opens the list of a project's runs.
func (m *model) openRuns() {
	ids, err := workspace.List(m.doors.Project)
	slices.Reverse(ids)
	p := &list{title: "runs", says: "there are no runs in " + clean(m.doors.Project), hints: "↑↓ Enter watch", leaves: m.now.ID == ""}
	if err != nil {
		p.says = clean(err.Error())
	}
	for i, id := range ids {
		if i < maxRead {
			p.rows = append(p.rows, runRow(m.doors.Project, id))
		} else {
			p.rows = append(p.rows, id)
		}
		if id == m.now.ID {
			p.chosen = i
		}
	}
	p.enter = func(i int) tea.Cmd {
		if err := m.open(ids[i]); err != nil {
			m.said = "It cannot be watched: " + err.Error()
			return nil
		}
		return nextTick(m.visit)
	}
	m.page = p
}

// maxRead bounds how many runs are told of by more than their id.
const maxRead = 200

// runRow is a run in a line: of status.json alone, for a list must not wait for
// journals.
func runRow(project, id string) string {
	s, err := runs.Read(project, id)
	if err != nil {
		return clean(id) + "  cannot be read: " + clean(err.Error())
	}
	state := strings.ReplaceAll(s.Status, "_", " ")
	if s.IsUnattended() || s.Paused != "" {
		state = "paused"
	}
	return clean(id) + "  " + fill(clean(state), 16) + " " + clean(s.Topic)
}

// claimsOf are the entries of the registry a seat has made; all where it is "".
func (v evidence) claimsOf(name string) []claim.Entry {
	var list []claim.Entry
	for _, e := range v.registry.Entries {
		for _, s := range e.Seats {
			if name == "" || s == name {
				list = append(list, e)
				break
			}
		}
	}
	return list
}
