package export

import (
	"cmp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/experiment"
	"github.com/research-council/research-council/internal/evidence/source"
)

// Evidence is what a citation opens: a claim that the report cites, with every passage
// it rests on. Words are foreign, of one line each but for the passages.
type Evidence struct {
	ID         string     `json:"id"`
	Kind       string     `json:"kind,omitempty"` // inference or recommendation; "" for a fact
	Text       string     `json:"claim"`
	State      string     `json:"state"`              // where its quotation stands
	Standing   []string   `json:"standing,omitempty"` // of located, disputed and rejected those that hold
	Verdict    string     `json:"verdict,omitempty"`  // of votes on the passage
	Reason     string     `json:"reason,omitempty"`   // of that verdict
	RestsOn    []ground   `json:"rests_on,omitempty"` // of a conclusion
	Lost       string     `json:"lost,omitempty"`     // what of that does not hold, and why; of what was withdrawn why
	Confidence string     `json:"confidence,omitempty"`
	Seats      []string   `json:"seats,omitempty"`
	Votes      []vote     `json:"votes,omitempty"`
	Disputes   []dispute  `json:"disputes,omitempty"`
	Passages   []evidence `json:"passages"`
	Places     int        `json:"places"` // of the report where it is cited
}

// ground is a claim that a conclusion rests on.
type ground struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind,omitempty"`
	Text     string   `json:"claim,omitempty"` // "" where there is no such claim
	State    string   `json:"state,omitempty"`
	Standing []string `json:"standing,omitempty"`
	Passages []string `json:"passages,omitempty"` // of a fact, cut short
}

type vote struct {
	Seat   string `json:"seat"`
	Family string `json:"family,omitempty"`
	Answer string `json:"answer"`
	Reason string `json:"reason,omitempty"`
}

type dispute struct {
	ID      string `json:"id"`
	Against string `json:"against"` // id of the other claim
	Text    string `json:"claim"`   // and what it says
	Kind    string `json:"kind,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Status  string `json:"status"`
}

// evidence is one passage of a claim and the source it stands in.
type evidence struct {
	Number    int       `json:"number"` // of the source in the list
	Source    string    `json:"source"`
	Site      string    `json:"site"`
	URL       string    `json:"url,omitempty"`
	Published string    `json:"published,omitempty"`
	Fetched   time.Time `json:"fetched,omitzero"`
	Kept      string    `json:"source_state,omitempty"` // what became of the source itself
	Code      bool      `json:"code,omitempty"`
	State     string    `json:"state"`
	Tier      string    `json:"tier,omitempty"`
	Note      string    `json:"note,omitempty"`
	Doubt     string    `json:"doubt,omitempty"`
	Made      string    `json:"made,omitempty"`
	Within    []string  `json:"within,omitempty"` // lines that govern the passage
	Before    string    `json:"before,omitempty"`
	Passage   string    `json:"passage,omitempty"`
	Behind    string    `json:"behind,omitempty"`
	Quote     string    `json:"quote,omitempty"`
	LeftOut   []string  `json:"left_out,omitempty"`
	Findings  []string  `json:"findings,omitempty"`
	Nearest   string    `json:"nearest,omitempty"`
	First     int       `json:"first_line,omitempty"`
	Last      int       `json:"last_line,omitempty"`
	Start     int       `json:"start,omitempty"`
	End       int       `json:"end,omitempty"`
	Snapshot  string    `json:"snapshot,omitempty"`
	TextHash  string    `json:"text,omitempty"`
}

// located counts the passages that were.
func (e Evidence) located() int {
	n := 0
	for _, one := range e.Passages {
		if one.State == isLocated {
			n++
		}
	}
	return n
}

// isReasoned is the word for a conclusion of which something it rests on holds.
const isReasoned = "rests on claims"

// Words of the filter.
const (
	isLocated  = "located"
	isDisputed = "disputed"
	isRejected = "rejected"
)

// standingOf gives those of the filter's words that hold of a claim.
func (p *Page) standingOf(c claim.Entry) []string {
	var list []string
	if c.Location.State == claim.Located {
		list = append(list, isLocated)
	}
	open := c.Verdict() == claim.Undecided
	for _, d := range p.disputes[c.ID] {
		open = open || d.IsOpen() && !d.Possible
	}
	if open {
		list = append(list, isDisputed)
	}
	if c.Location.State == claim.NotFound || c.Location.State == claim.Unfounded || c.IsWithdrawn() || c.Verdict() == claim.Contradicts {
		list = append(list, isRejected)
	}
	return list
}

// stateOf is a word for where a claim's quotation stands.
func stateOf(e claim.Entry) string { return stateWord(e.Location.State) }

func stateWord(s claim.State) string {
	switch s {
	case claim.Located:
		return "located"
	case claim.NotFound:
		return "not found"
	case claim.Reasoned:
		return isReasoned
	case claim.Withdrawn:
		return "withdrawn"
	case claim.Unfounded:
		return "rests on nothing"
	}
	return "not checked"
}

// Evidence lists what the report cites, in the order of the sources, then conclusions
// and those they rest on.
func (p *Page) Evidence() []Evidence { return p.evidence }

func (p *Page) gatherEvidence() []Evidence {
	var list []Evidence
	told := map[string]bool{}
	for _, r := range p.references {
		for _, c := range r.Claims {
			if !told[c.ID] {
				told[c.ID] = true
				list = append(list, p.evidenceOf(p.known[c.ID]))
			}
		}
	}
	for _, c := range p.Registry.Entries {
		if p.drawn[c.ID] && !told[c.ID] {
			told[c.ID] = true
			list = append(list, p.evidenceOf(p.known[c.ID]))
		}
	}
	return list
}

// groundsOf are the claims a conclusion rests on.
func (p *Page) groundsOf(c claim.Entry) []ground {
	var list []ground
	for _, id := range c.RestsOn {
		under, known := p.known[id]
		g := ground{ID: id}
		if known {
			g.Text, g.State, g.Standing = under.Text, stateOf(under), p.standing[id]
		}
		if known && under.Kind.RestsOnClaims() {
			g.Kind = string(under.Kind)
		}
		for _, one := range under.Evidence() {
			if words := cmp.Or(claim.Readable(one.Source, one.Location.Passage), one.Quote); words != "" {
				g.Passages = append(g.Passages, plain.Line(words, maxGroundRunes))
			}
		}
		list = append(list, g)
	}
	return list
}

// maxGroundRunes bounds what is shown of a passage below a conclusion; the claim it
// leads to has all of it.
const maxGroundRunes = 240

func (p *Page) evidenceOf(c claim.Entry) Evidence {
	e := Evidence{
		ID: c.ID, Text: c.Text, State: stateOf(c), Standing: p.standing[c.ID], Confidence: line(string(c.Confidence)),
		Seats: sanitiseLines(c.Seats), Places: p.places[c.ID], Passages: []evidence{},
	}
	if c.Kind.RestsOnClaims() {
		e.Kind, e.RestsOn, e.Lost = string(c.Kind), p.groundsOf(c), c.Location.Reason
	}
	if s := c.Support; s != nil {
		e.Verdict, e.Reason = line(s.Verdict), line(s.Reason)
		for _, v := range s.Votes {
			e.Votes = append(e.Votes, vote{line(v.Seat), line(v.Family), line(v.Answer), line(v.Reason)})
		}
	}
	for _, d := range p.disputes[c.ID] {
		against := d.A
		if d.A == c.ID {
			against = d.B
		}
		e.Disputes = append(e.Disputes, dispute{line(d.ID), line(against), p.known[against].Text, line(string(d.Kind)), line(d.Detail), strings.ReplaceAll(line(d.Status), "_", " ")})
	}
	for _, one := range c.Evidence() {
		e.Passages = append(e.Passages, p.passageEvidence(one, c))
	}
	return e
}

// passageEvidence is a passage in its context, with what is known of its source.
func (p *Page) passageEvidence(one claim.Passage, c claim.Entry) evidence {
	r, l := p.byKey[source.Identify(one.Source).Key], one.Location
	e := evidence{
		Number: r.Number, Source: r.Name, Site: r.site(), URL: r.ID.URL, Published: r.Source.Published, Fetched: r.Source.Fetched, Kept: r.kept(),
		Code:  one.Type == claim.Code || one.Type == "" && c.Type == claim.Code,
		State: stateWord(l.State), Tier: l.Tier, Note: l.Reason, Doubt: l.Doubt, Made: l.Made, Within: l.Within, Quote: one.Quote, LeftOut: l.LeftOut, Nearest: l.Nearest,
		First: l.First, Last: l.Last, Start: l.Start, End: l.End, Snapshot: l.Snapshot, TextHash: l.Text,
	}
	for _, f := range l.Findings {
		e.Findings = append(e.Findings, line(string(f.Kind))+" “"+line(f.Quote)+"” against “"+line(f.Text)+"”")
	}
	if l.State == claim.Located && l.Passage != "" {
		before, behind := p.around(l)
		e.Before, e.Passage, e.Behind = claim.Readable(one.Source, before), claim.Readable(one.Source, l.Passage), claim.Readable(one.Source, behind)
	}
	return e
}

// contextRunes bounds what is shown before and behind a passage, each.
const contextRunes = 300

// around is what stands before and behind a passage, from the archived text where that
// is to be had, else from what the registry keeps of it. Words stay whole.
func (p *Page) around(l claim.Location) (before, behind string) {
	if p.Texts != nil && l.Text != "" {
		if text := p.Texts(l.Text); l.Start >= 0 && l.Start <= l.End && l.End <= len(text) && plain.Text(text[l.Start:l.End]) == l.Passage {
			const most = utf8.UTFMax * (contextRunes + 1)
			before, behind = text[max(0, l.Start-most):l.Start], text[l.End:min(len(text), l.End+most)]
			return lastRunes(plain.Text(strings.ToValidUTF8(before, "")), contextRunes), firstRunes(plain.Text(strings.ToValidUTF8(behind, "")), contextRunes)
		}
	}
	before, behind, found := strings.Cut(l.Context, l.Passage)
	if !found {
		return "", ""
	}
	return lastRunes(before, contextRunes), firstRunes(behind, contextRunes)
}

// lineWithin is how far from where a text is to be cut the end of a line is looked for,
// in bytes.
const lineWithin = 120

// firstRunes cuts a text behind a line or a word.
func firstRunes(s string, most int) string {
	n := 0
	for i, r := range s {
		n++
		if n <= most {
			continue
		}
		if at := strings.LastIndexByte(s[:i], '\n'); at > 0 && i-at < lineWithin {
			return s[:at] + "\n…"
		}
		if at := strings.LastIndexByte(s[:i], ' '); at > 0 {
			return s[:at] + " …"
		}
		if !plain.IsUnseen(r) && !unicode.Is(unicode.M, r) { // a letter stays with its marks
			return s[:i] + "…"
		}
	}
	return s
}

// lastRunes cuts a text before a line or a word.
func lastRunes(s string, most int) string {
	spare := utf8.RuneCountInString(s) - most
	for i, r := range s {
		if spare > 0 {
			spare--
			continue
		}
		if i == 0 {
			return s
		}
		rest := s[i-1:] // a line or a word may begin right here
		if at := strings.IndexByte(rest, '\n'); at >= 0 && at < lineWithin && at < len(rest)-1 {
			return "…\n" + rest[at+1:]
		}
		if at := strings.IndexByte(rest, ' '); at >= 0 && at < len(rest)-1 {
			return "… " + rest[at+1:]
		}
		if !plain.IsUnseen(r) && !unicode.Is(unicode.M, r) {
			return "…" + s[i:]
		}
	}
	return s
}

// site is what a source is called in the text: the host of a page, the name of a file.
func (r *reference) site() string {
	name := r.Name
	n, isExperiment := experiment.Number(r.ID.Key)
	switch host := source.Host(r.ID.Key); {
	case isExperiment:
		name = "experiment " + experiment.ID(n)
	case host != "":
		name = line(strings.TrimPrefix(host, "www."))
	case r.ID.Kind == source.File:
		if parts := strings.Split(name, "/"); len(parts) > 2 {
			name = strings.Join(parts[len(parts)-2:], "/")
		}
	}
	return plain.Line(name, 32)
}

// kept says what became of a source.
func (r *reference) kept() string {
	state := strings.ReplaceAll(r.Source.State, "-", " ")
	if r.Source.Reason != "" {
		state += ": " + r.Source.Reason
	}
	if r.Source.Retracted {
		state = strings.Trim("retracted; "+state, "; ")
	}
	return state
}

// day is the date of a source as far as a citation tells it; "" where it is no date.
func (s Source) day() string {
	list := s.date()
	if len(list) == 0 {
		return ""
	}
	out := strconv.Itoa(list[0])
	for _, n := range list[1:] {
		out += "-" + string([]byte{byte('0' + n/10), byte('0' + n%10)})
	}
	return out
}
