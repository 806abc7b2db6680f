// Package claim holds the registry of what seats have claimed.
//
// A claim is a fact, an inference or a recommendation. A fact is a sentence with the
// words of one or several sources that are meant to prove it; the others rest on
// claims, which [Ground] follows down to facts. [Decode] reads what a seat wrote, [Register]
// gives every claim an id that never changes, [Locate] looks for each
// quotation in its source. What a seat says about its sources is no evidence:
// only a quotation that the program found itself is located, and one it could
// not look for is unchecked, with the reason, never counted as found or not.
//
// [Merge] compares claims with one another: which say the same, and which are
// in conflict, by what families of models have agreed on and by the rules of
// package relation, in any order. A [ExternalMerger] does so with more claims than
// fit into memory.
//
// Three words for three things. A claim is located when its quotation stands in
// its source; it is supported, which alone is called verified, when judges have
// voted that the passage bears it out as worded; it is unjudged while nobody has.
// The voting is left to others.
package claim

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/source"
)

// Draft is one claim as a seat made it.
type Draft struct {
	Text        string      // the claim, a sentence
	Quote       string      // the words of the source, verbatim; "" when none were given
	Source      string      // a URL, another reference, or path:first-last
	More        []Reference // further passages, all of which it takes to prove it
	Kind        Kind
	RestsOn     []string // of what is no fact: ids of the registry, or handles of its own seat
	Contradicts []string // claims that do not hold if it does, named in the same way
	Handle      string   // its seat's own name for it, for its other claims to rest on; "" for none
	Type        SourceType
	Confidence  Confidence // what the seat thinks of it
	Questions   []string   // ids of the planned questions it answers, as "Q1"
	Critical    bool       // the answer hangs on it
	InsteadOf   string     // a critical claim of its seat that is no longer critical then, named in the same way; "" for none
	Blast       bool       // it recommends what costs, endangers or binds beyond recall
	Pitfall     bool       // it tells of a known mistake or danger
	Seat        string     // who claims it
	Family      string     // of the seat's model: seats of one family are one voice
	Round       string     // the stage in which: research, refinement, validation or debate

	// Of what makes no claim, and withdraws one.
	Withdraws  string // its id in the registry, or its seat's own name for it; "" for none
	Reason     string // why
	ReplacedBy string // a claim of its seat that says what holds instead, named in the same way; "" for none
}

// SourceType is what sort of witness a source is: of an entry by what
// [source.Classify] can see of it, of a draft by its seat's word.
type SourceType string

const (
	Official    SourceType = "official_doc"
	Code        SourceType = "code_reference"
	Community   SourceType = "community"
	Standard    SourceType = "standard"
	Publication SourceType = "publication" // by the program alone
	Experiment  SourceType = "experiment"  // likewise: a seat of the run has made it
)

// Confidence weighs the evidence for a claim.
type Confidence string

const (
	High   Confidence = "High"   // a located quotation of an official document, a standard or code, and votes that it supports the claim
	Medium Confidence = "Medium" // a located quotation of another source, one that is elided or near, or one that nobody has judged
	Low    Confidence = "Low"    // no located quotation, or one in doubtful company
)

// Entry is one claim of the registry.
type Entry struct {
	ID          string       `json:"id"` // C1, C2, …: never given twice, never changed
	Kind        Kind         `json:"kind,omitempty"`
	Text        string       `json:"text"`
	Quote       string       `json:"quote,omitempty"`
	Source      string       `json:"source"`                     // as the first seat wrote it; of several the first
	Passages    []Passage    `json:"passages,omitempty"`         // all that it takes to prove it, where they are several
	RestsOn     []string     `json:"rests_on,omitempty"`         // ids of the claims it rests on, of what is no fact
	Contradicts []Objection  `json:"contradicts,omitempty"`      // claims that do not hold if it does, as its seats say
	Mended      []string     `json:"mended,omitempty"`           // quotations that were not found, each in lines, in the place of which there is another now
	Withdrawn   []Withdrawal `json:"withdrawn,omitempty"`        // by seats that claim it no more; where nobody else does, its location's state says so
	Key         string       `json:"key"`                        // the source's identity
	Type        SourceType   `json:"source_type,omitempty"`      // what sort of witness the source is, by the program
	TypeWhy     string       `json:"source_type_why,omitempty"`  // how that is known, or that it is not established
	TypeSaid    SourceType   `json:"source_type_said,omitempty"` // what its seat says of that
	Said        Confidence   `json:"said,omitempty"`             // what its seat thinks of it
	Confidence  Confidence   `json:"confidence,omitempty"`       // what the evidence is worth, by the program
	Questions   []string     `json:"questions,omitempty"`        // planned questions it answers
	Critical    bool         `json:"critical,omitempty"`
	CriticalBy  []string     `json:"critical_by,omitempty"` // the seats that call it so, each of its own share; none is the first
	InsteadOf   string       `json:"instead_of,omitempty"`  // the claim whose place among the critical ones it has taken
	Blast       bool         `json:"blast_radius,omitempty"`
	Pitfall     bool         `json:"pitfall,omitempty"`
	Seats       []string     `json:"seats"`              // who claims it, the first first
	Families    []string     `json:"families,omitempty"` // and their families
	Rounds      []string     `json:"rounds"`             // and in which stages
	Location    Location     `json:"location"`           // presence, decided by the program; of several passages the first, and the state of all
	Support     *Support     `json:"support,omitempty"`  // decided by votes; nil when nobody was asked
}

// Support is what the votes on a claim came to: whether the located passage
// supports it, or whether it follows from what it rests on. It never changes where
// the quotation stands.
type Support struct {
	Verdict string `json:"verdict"`              // supports, qualifies, contradicts, undecided or unjudged
	Reason  string `json:"reason,omitempty"`     // why there is none, or what weakens it
	Votes   []Vote `json:"votes,omitempty"`      // those that counted
	Own     bool   `json:"own_family,omitempty"` // only the claim's own family judged, in a fresh turn
	Former  bool   `json:"former,omitempty"`     // judges saw it resting on a claim that another has replaced since
}

// Objection is the reason of the first judge who does not find a claim borne out as worded,
// "" where none gives one.
func (s *Support) Objection() string {
	at := slices.IndexFunc(s.Votes, func(v Vote) bool { return v.Answer != Supports && v.Reason != "" })
	if at < 0 {
		return ""
	}
	return s.Votes[at].Reason
}

// Verdicts of the votes on a claim.
const (
	Supports    = "supports"
	Qualifies   = "qualifies" // in part, or under a condition: not refuted
	Contradicts = "contradicts"
	Undecided   = "undecided" // there were votes, and no majority
	Unjudged    = "unjudged"  // nobody was asked, or nobody could be heard
)

// Verdict is what votes say of a claim's passage, or of whether it follows from what
// it rests on: one of the verdicts where there is something to judge it by, else "".
func (e Entry) Verdict() string {
	switch {
	case e.Location.State != Located && e.Location.State != Reasoned:
		return ""
	case e.Support == nil || len(e.Support.Votes) == 0:
		return Unjudged
	case e.Support.Verdict == Supports, e.Support.Verdict == Qualifies, e.Support.Verdict == Contradicts:
		return e.Support.Verdict
	}
	return Undecided
}

// Verified reports whether a claim is verified: its quotation was located, and
// votes say that the passage supports it as worded. A located quotation alone
// verifies nothing.
func (e Entry) Verified() bool { return e.Verdict() == Supports }

// Vote is one judge's valid answer.
type Vote struct {
	Seat   string `json:"seat"`
	Family string `json:"family"`
	Answer string `json:"answer"`       // supports, qualifies or contradicts
	On     string `json:"on,omitempty"` // the claim it was given on, another of the group that rests on the same words
	Reason string `json:"reason,omitempty"`
}

// Group is a set of entries that say the same of different sources, or in
// slightly different words of one. An entry that stands alone is in none.
type Group struct {
	ID       string   `json:"id"`      // that of its first entry
	Members  []string `json:"members"` // ids of entries, ascending
	Seats    []string `json:"seats"`
	Families []string `json:"families"`
	Sources  int      `json:"sources"`          // independent ones among the located: near-duplicate texts count once
	Agreed   bool     `json:"consensus"`        // two families or more say it, a seat of no known family being one
	Backed   int      `json:"backed"`           // families that each have a located source of their own, none repeating another's
	Judged   bool     `json:"judged,omitempty"` // families have agreed that some of them say the same; else the rules say it of all
}

// ConflictKind says in what two claims disagree.
type ConflictKind = relation.Dispute

const (
	ByFact       = relation.Fact
	ByDefinition = relation.Definition
	ByDate       = relation.Date
	ByScope      = relation.Scope
	ByMethod     = relation.Method
	ByAdvice     = relation.Advice
)

// Severity says how much hangs on a conflict.
type Severity string

const (
	P0    Severity = "P0"    // it changes the answer to a planned question
	P1    Severity = "P1"    // any other conflict on a critical claim
	Minor Severity = "minor" // the others
)

// Conflict is a disagreement between two entries. Nothing is resolved
// silently: whatever becomes of it, both sides stay in the report.
type Conflict struct {
	ID         string       `json:"id"` // D1, D2, …
	A          string       `json:"a"`  // ids of the two entries, the lower first
	B          string       `json:"b"`
	Kind       ConflictKind `json:"kind"`
	Severity   Severity     `json:"severity"`
	Answers    bool         `json:"answers,omitempty"`     // both sides recommend: two answers to a question
	Possible   bool         `json:"possible,omitempty"`    // nobody has agreed that both cannot hold: the rules say so, or one family
	SameToAll  bool         `json:"same_to_all,omitempty"` // the families that have compared them call them the same, and the rules alone keep them apart
	SaidBy     []string     `json:"said_by,omitempty"`     // seats that say so of a claim of theirs
	Detail     string       `json:"detail,omitempty"`      // the words in which they disagree
	Settle     string       `json:"settle,omitempty"`      // what would settle it
	Status     string       `json:"status"`                // open, resolved_A, resolved_B, still_divergent or dismissed
	Agreed     string       `json:"agreed,omitempty"`      // both or neither: what all hold of a conflict that no side has won
	Resolution string       `json:"resolution,omitempty"`  // how, by whom, on what evidence
}

// Registry is all that has been claimed, and what came of comparing it.
type Registry struct {
	Entries   []Entry             `json:"entries"`
	Groups    []Group             `json:"groups,omitempty"`
	Conflicts []Conflict          `json:"conflicts,omitempty"`
	Relations []relation.Relation `json:"relations,omitempty"` // what was agreed of pairs that were judged
	Copies    map[string]string   `json:"copies,omitempty"`    // source key to the key of the source whose text it repeats
}

// State says what came of looking for a quotation.
type State string

const (
	Located   State = "located"   // it stands in the source
	NotFound  State = "not-found" // the source was read and does not hold it, or there is no such source
	Unchecked State = "unchecked" // it could not be looked for; the reason says why

	// Of claims that rest on others there is nothing to look for.
	Reasoned  State = "reasoned"  // one it rests on holds; the reason names those that do not
	Unfounded State = "unfounded" // none it rests on holds; the reason says why

	Withdrawn State = "withdrawn" // nobody claims it any more; the reason is that of the seat that was the last
)

// Location is where a quotation stands in its source.
type Location struct {
	State   State  `json:"state"`
	Reason  string `json:"reason,omitempty"`  // why not, or what was wrong with the reference
	Doubt   string `json:"doubt,omitempty"`   // why a passage that was found weighs little
	Tier    string `json:"tier,omitempty"`    // how alike passage and quotation are
	First   int    `json:"first,omitempty"`   // the passage's first and last line, from 1
	Last    int    `json:"last,omitempty"`    //
	Start   int    `json:"start,omitempty"`   // the passage's bytes in the source's text,
	End     int    `json:"end,omitempty"`     // End exclusive
	Passage string `json:"passage,omitempty"` // the passage as it stands there
	Made    string `json:"made,omitempty"`    // how the source was made, where a seat of the run has made it
	// Where that stands, in the JSON of a registry alone: see Registry.MarshalJSON.
	MadeUnder string          `json:"made_under,omitempty"`
	Context   string          `json:"context,omitempty"`  // the passage with a sentence before and behind it
	Within    []string        `json:"within,omitempty"`   // lines that open the blocks of code it stands in, outermost first
	LeftOut   []string        `json:"left_out,omitempty"` // what the quotation leaves out of its source, gap by gap, long ones cut short
	Snapshot  string          `json:"snapshot,omitempty"` // SHA-256 of the archived bytes, hexadecimal
	Text      string          `json:"text,omitempty"`     // SHA-256 of the text that was searched
	Findings  []guard.Finding `json:"findings,omitempty"` // what the guards object to, or flag in a passage found
	Nearest   string          `json:"nearest,omitempty"`  // the source's passage nearest to a quotation that was not found
}

// Library gives the texts of sources.
type Library interface {
	// Text gives the text of a source. The reference is a file's path without
	// lines, or whatever else was cited. Absent, or an error that wraps
	// [io/fs.ErrNotExist], says that there is no such source: claims about it
	// are not found. Any other error is a reason not to have looked, such as a
	// page that is blocked or cannot be reached: an outage is no verdict.
	Text(source string) (Text, error)
}

// Text is what a library has of a source.
type Text struct {
	Body      string
	FirstLine int    // the number of its first line; 0 is taken for 1
	Snapshot  string // SHA-256 of the archived bytes, hexadecimal; "" when none are kept
	Hash      string // SHA-256 of Body, hexadecimal; "" when it is not kept
	Partial   string // why Body may not be all of it: then what is not in it proves nothing; "" for a whole text
	Doubt     string // why the source weighs little, as that it was retracted; "" for none

	Aside  func(start, end int) bool   // whether a passage stands outside the article; nil where all is article
	Made   string                      // how it was made, for a source that a seat of the run has made; "" for others
	Doubts func(passage string) string // why a passage of it weighs little, "" for none; nil where none does
}

// Absent says that there is no such source, or none any more, and how that is
// known. Outside says that it was not looked for: it lies outside of what is.
type Absent struct {
	Reason  string
	Outside bool
}

func (a Absent) Error() string { return a.Reason }

// ErrRemote says that a source is not to be had without fetching it.
var ErrRemote = errors.New("not a local source")

// Register adds drafts to a registry and returns the new one. Entries of the
// old one keep their ids. A claim made again, by the same or another seat, is
// the same entry: that is one with the same words about the same source, white
// space, a first capital and a full stop aside. Case is not folded further,
// because mW is not MW. Where both give quotations and these differ there are
// two entries, unless the old quotation was not found: then the new one mends
// it.
//
// What one seat says of a claim holds for the entry: it is critical when any
// seat calls it so. What sort of witness the source is the program says; the
// seats' word is kept beside it, where they disagree that of the weaker one.
func Register(old []Entry, drafts []Draft) []Entry {
	entries, _ := register(old, drafts)
	return entries
}

// Try registers a seat's drafts behind a registry and looks for the quotations of those
// that are new to it. It gives all of it, and the place of each draft's entry.
func Try(known []Entry, drafts []Draft, lib Library) (entries []Entry, places []int) {
	entries, places = register(known, drafts)
	copy(entries[len(known):], Locate(entries[len(known):], lib))
	return Ground(entries), places
}

// register adds drafts to a registry and gives the place of each, -1 of one that
// withdraws a claim.
func register(old []Entry, drafts []Draft) ([]Entry, []int) {
	r, places := newRegistry(old, drafts)
	return r.entries, places
}

func newRegistry(old []Entry, drafts []Draft) (*registry, []int) {
	r := &registry{entries: make([]Entry, 0, len(old)+len(drafts)), same: map[string][]int{}}
	for _, e := range old {
		e.Seats, e.Families, e.Rounds, e.Questions = slices.Clone(e.Seats), slices.Clone(e.Families), slices.Clone(e.Rounds), slices.Clone(e.Questions)
		e.Passages, e.RestsOn, e.Mended = slices.Clone(e.Passages), slices.Clone(e.RestsOn), slices.Clone(e.Mended)
		e.Contradicts, e.Withdrawn, e.CriticalBy = slices.Clone(e.Contradicts), slices.Clone(e.Withdrawn), slices.Clone(e.CriticalBy)
		r.add(e)
	}
	places := make([]int, len(drafts))
	for i, d := range drafts {
		if places[i] = -1; d.Withdraws == "" {
			places[i] = r.register(d)
		}
	}
	r.resolveNames(drafts, places)
	return r, places
}

// resolveNames gives claims that rest on others, or contradict them, the ids of these,
// and withdraws what is withdrawn: a seat's own handle goes before an id. What a claim
// rests on stays as it was written where it is neither.
func (r *registry) resolveNames(drafts []Draft, places []int) {
	own := map[[2]string]string{} // ids by seat and handle
	for i, d := range drafts {
		if d.Handle != "" {
			own[[2]string{d.Seat, d.Handle}] = r.entries[places[i]].ID
		}
	}
	at := map[string]int{}
	for i, e := range r.entries {
		at[e.ID] = i
	}
	idOf := func(seat, named string) string { return cmp.Or(own[[2]string{seat, named}], named) }
	for i, d := range drafts {
		if d.Withdraws != "" || r.entries[places[i]].withdrawnBy(d.Seat) {
			continue
		}
		e := &r.entries[places[i]]
		for _, named := range d.RestsOn {
			if e.Kind.RestsOnClaims() {
				e.RestsOn = addUnique(e.RestsOn, idOf(d.Seat, named))
			}
		}
		for _, named := range d.Contradicts {
			id := idOf(d.Seat, named)
			if _, known := at[id]; known {
				e.object(id, d.Seat)
			}
		}
	}
	for i, d := range drafts {
		if place, known := at[idOf(d.Seat, d.InsteadOf)]; known && d.InsteadOf != "" && d.Critical && place != places[i] && slices.Contains(r.entries[place].criticalBy(), d.Seat) {
			r.entries[place].uncall(d.Seat)
			r.entries[places[i]].InsteadOf = r.entries[place].ID
		}
		if place, known := at[idOf(d.Seat, d.Withdraws)]; known && d.Withdraws != "" {
			d.ReplacedBy = idOf(d.Seat, d.ReplacedBy)
			r.withdraw(place, d)
		}
	}
	r.replaceGrounds(at)
}

type registry struct {
	entries []Entry
	same    map[string][]int // entries of the same claim about the same source
	last    int              // the highest number given
}

func (r *registry) add(e Entry) {
	r.last = max(r.last, idNumber("C", e.ID))
	k := e.identity()
	r.same[k] = append(r.same[k], len(r.entries))
	r.entries = append(r.entries, e)
}

// register adds a draft and gives its place.
func (r *registry) register(d Draft) int {
	e := Entry{
		ID: "C" + strconv.Itoa(r.last+1), Kind: d.Kind, Text: d.Text, TypeSaid: d.Type,
		Confidence: Low, Location: Location{State: Unchecked, Reason: "not looked for yet"},
	}
	if !d.Kind.RestsOnClaims() {
		e.takePassages(d)
	}
	for _, fits := range []func(*Entry, Draft) bool{(*Entry).hasSameQuote, (*Entry).accepts} {
		for _, i := range r.same[e.identity()] {
			old := &r.entries[i]
			switch {
			case (old.withdrawnBy(d.Seat) || slices.Contains(old.Seats, d.Seat)) && old.wasMended(d):
				return i // its seat has said since what it quotes instead
			case old.withdrawnBy(d.Seat) && old.hasSameQuote(d):
				return i // for good
			case !old.withdrawnBy(d.Seat) && fits(old, d):
				old.addDraft(d)
				return i
			}
		}
	}
	e.classifySource("")
	e.mergeDraft(d)
	r.add(e)
	return len(r.entries) - 1
}

// takePassages takes over the passages of a draft.
func (e *Entry) takePassages(d Draft) {
	e.Quote, e.Source, e.Key, e.Passages = d.Quote, d.Source, source.Identify(d.Source).Key, nil
	if len(d.More) == 0 {
		return
	}
	for _, r := range append([]Reference{{d.Quote, d.Source}}, d.More...) {
		e.Passages = append(e.Passages, Passage{Reference: r, Key: source.Identify(r.Source).Key})
	}
}

// ClassifySources says again of each entry what sort of witness its source is, now that
// the topic is known.
func ClassifySources(entries []Entry, topic string) []Entry {
	attested := slices.Clone(entries)
	for i := range attested {
		attested[i].classifySource(topic)
	}
	return attested
}

func (e *Entry) classifySource(topic string) {
	if e.Kind.RestsOnClaims() {
		return
	}
	standing, why := source.Classify(e.Source, topic, e.Text)
	e.Type, e.TypeWhy = SourceType(standing), why
	e.Passages = slices.Clone(e.Passages)
	for i, p := range e.Passages {
		standing, _ := source.Classify(p.Source, topic, e.Text)
		e.Passages[i].Type = SourceType(standing)
	}
}

// sourceType is the type of a source among claims that nobody has looked up: what
// its reference shows, or else what was said.
func sourceType(said SourceType, src source.Source) SourceType {
	switch src.Kind {
	case source.File, source.Commit:
		return Code
	case source.RFC, source.Standard:
		return Standard
	case source.Experiment:
		return Experiment
	}
	return said
}

// mergeDraft takes over what a draft says of its claim.
func (e *Entry) mergeDraft(d Draft) {
	if e.IsWithdrawn() { // and now claimed by another seat
		e.Seats, e.Families, e.Rounds = nil, nil, nil
		e.Location = Location{State: Unchecked, Reason: "not looked for yet"}
	}
	e.Seats = addUnique(e.Seats, d.Seat)
	e.Families = addUnique(e.Families, d.Family)
	e.Rounds = addUnique(e.Rounds, d.Round)
	for _, q := range d.Questions {
		e.Questions = addUnique(e.Questions, q)
	}
	if d.Critical {
		e.CriticalBy = addUnique(e.criticalBy(), d.Seat)
		e.Critical = true
	}
	e.Blast, e.Pitfall = e.Blast || d.Blast, e.Pitfall || d.Pitfall
	if d.Confidence.rank() > e.Said.rank() {
		e.Said = d.Confidence
	}
}

func addUnique(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// confidences are what evidence may be worth, the least first.
func confidences() [4]Confidence { return [...]Confidence{"", Low, Medium, High} }

// rank is the place of a confidence in their order.
func (c Confidence) rank() uint8 {
	order := confidences()
	return uint8(max(0, slices.Index(order[:], c)))
}

// sourceTypes are the types of sources, the weaker witness first. One of no type
// is weaker than any but a community.
func sourceTypes() [7]SourceType {
	return [...]SourceType{Experiment, Community, "", Publication, Code, Official, Standard}
}

// rank is the place of a type in their order.
func (t SourceType) rank() uint8 {
	order := sourceTypes()
	return uint8(max(0, slices.Index(order[:], t)))
}

// hasSameQuote reports whether a draft of the same claim gives the same quotations.
func (e *Entry) hasSameQuote(d Draft) bool {
	if e.Kind.RestsOnClaims() {
		return true // it has none
	}
	return d.quoted() == e.quoted()
}

// quoted are all quotations of an entry, a line each.
func (e *Entry) quoted() string {
	words := collapseSpace(e.Quote)
	for _, p := range e.Passages[min(1, len(e.Passages)):] {
		words += "\n" + collapseSpace(p.Quote)
	}
	return words
}

// quoted are all quotations of a draft, a line each.
func (d Draft) quoted() string {
	said := collapseSpace(d.Quote)
	for _, r := range d.More {
		said += "\n" + collapseSpace(r.Quote)
	}
	return said
}

// wasMended reports whether a draft of the same claim gives quotations that others have
// taken the place of, since they were not found: what a seat has recorded is read again
// in each stage.
func (e *Entry) wasMended(d Draft) bool {
	return !e.Kind.RestsOnClaims() && slices.Contains(e.Mended, d.quoted()) && !e.hasSameQuote(d)
}

// accepts reports whether a draft of the same claim can be this entry.
func (e *Entry) accepts(d Draft) bool {
	return d.Quote == "" || e.Quote == "" || e.Location.State == NotFound
}

// addDraft adds a draft of the same claim. A quotation replaces a missing one or
// one that was not found, and takes its reference along.
func (e *Entry) addDraft(d Draft) {
	e.mergeDraft(d)
	if e.TypeSaid == "" || d.Type != "" && d.Type.rank() < e.TypeSaid.rank() {
		e.TypeSaid = d.Type
	}
	mends := e.Location.State == NotFound && (!e.hasSameQuote(d) || d.Source != e.Source)
	if d.Quote != "" && (e.Quote == "" || mends) {
		if mends && !e.hasSameQuote(d) {
			e.Mended = addUnique(e.Mended, e.quoted())
		}
		e.takePassages(d)
		e.classifySource("")
		e.Confidence = Low
		e.Location = Location{State: Unchecked, Reason: "not looked for yet"}
	}
}

// identity is the same for entries that are one claim: of one kind, word for word, about
// one source.
func (e Entry) identity() string { return identityKey(e.Text, e.Key+"\x00"+string(e.Kind)) }

// identityKey is the same for claims that are word for word the same.
func identityKey(text, key string) string {
	return string(append(appendNormalised(nil, []byte(text)), "\x00"+key...))
}

// collapseSpace has single blanks for white space.
func collapseSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// idNumber is the number of an id of the given letter, 0 for what is no id.
func idNumber(letter, id string) int {
	digits, ok := strings.CutPrefix(id, letter)
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || len(digits) > 9 {
		return 0
	}
	return n
}

// NotFoundClaims gives the claims of a seat whose quotations were not found, and those
// that rest on nothing that holds, for the seat to mend.
func NotFoundClaims(entries []Entry, seat string) []Entry {
	var failed []Entry
	for _, e := range entries {
		if (e.Location.State == NotFound || e.Location.State == Unfounded) && slices.Contains(e.Seats, seat) {
			failed = append(failed, e)
		}
	}
	return failed
}
