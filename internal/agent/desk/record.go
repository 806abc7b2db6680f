package desk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/relation"
	"github.com/research-council/research-council/internal/evidence/source"
)

// recordArgs is a claim as it is made.
type recordArgs struct {
	claim.Written
	Replaces string `json:"replaces,omitempty"` // a claim of its seat that it says anew
}

// recordResult is what came of recording a claim.
type recordResult struct {
	Recorded bool            `json:"recorded"`
	ID       string          `json:"id,omitempty"` // by which the seat's other claims may rest on it
	Says     string          `json:"says"`         // the same in words
	Before   bool            `json:"already_recorded,omitempty"`
	State    claim.State     `json:"state"`
	Reason   string          `json:"reason,omitempty"`
	Tier     string          `json:"tier,omitempty"`  // how alike quotation and passage are
	Lines    string          `json:"lines,omitempty"` // of the passage, in a file
	Start    int             `json:"start,omitempty"` // its bytes in the text
	End      int             `json:"end,omitempty"`
	Passage  string          `json:"passage,omitempty"`  // as it stands in the source
	LeftOut  []string        `json:"left_out,omitempty"` // what the quotation leaves out of it
	Findings []guard.Finding `json:"findings,omitempty"` // in what quotation and passage differ
	Nearest  string          `json:"nearest,omitempty"`  // the source's nearest passage to a quotation that is not there

	grounds string // what it rests on, by the names the seat gave, with the first words of each
}

// record is the tool record_claim.
func (d *Desk) record(ctx context.Context, r *mcp.CallToolRequest, in recordArgs) (*mcp.CallToolResult, recordResult, error) {
	if in.Replaces == "" {
		return recordAlone(ctx, d, in)
	}
	old := withdrawArgs{ID: in.Replaces, Reason: "said anew in other words or with another quotation"}
	draft, err := old.draft(d.o.Seat)
	if err == nil {
		err = d.checkDraft(draft)
	}
	if err != nil {
		return nil, recordResult{}, fmt.Errorf("refused, nothing was recorded: replaces: %w", err)
	}
	said, out, err := recordAlone(ctx, d, in)
	if err != nil || said.IsError {
		return said, out, err
	}
	old.ReplacedBy = out.ID
	_, withdrawn, err := d.withdraw(ctx, r, old)
	if err != nil {
		withdrawn.Says = fmt.Sprintf("%s is not replaced: %s.", in.Replaces, err)
	}
	out.Says += " " + withdrawn.Says
	return &mcp.CallToolResult{Content: textContent(out.Says)}, out, nil
}

// recordAlone records a claim that replaces none.
func recordAlone(ctx context.Context, d *Desk, in recordArgs) (*mcp.CallToolResult, recordResult, error) {
	if err := d.checkClaim(&in); err != nil {
		return nil, recordResult{}, fmt.Errorf("refused, nothing was recorded: %w", err)
	}
	in.ID = "" // the desk gives it one
	in.Source = d.texts.Canonical(in.Source)
	for i, p := range in.Passages {
		in.Passages[i].Source = d.texts.Canonical(p.Source)
	}
	draft, err := in.draft(d.o.Seat)
	if err != nil {
		return nil, recordResult{}, err
	}
	if err := d.checkDraft(draft); err != nil {
		return nil, recordResult{}, fmt.Errorf("refused, nothing was recorded: %w", err)
	}
	if draft.Kind.RestsOnClaims() {
		return d.recordReasoned(draft)
	}
	e := d.locate(ctx, draft)
	if err := ctx.Err(); err != nil {
		return nil, recordResult{}, errors.New("the call was given up, nothing was recorded")
	}
	out := newRecordResult(e)
	if !isRecordable(e) {
		out.Says = out.refusal()
		d.noteRefusal(draft, out.State, out.Reason)
		return &mcp.CallToolResult{IsError: true, Content: textContent(out.Says)}, out, nil
	}
	return d.keep(draft, out)
}

// groundsText tells what a claim rests on, with the first words of each: who has taken an
// id for another's sees it.
func groundsText(names []string, e claim.Entry, entries []claim.Entry) string {
	const words = 60 // runes
	if len(names) != len(e.RestsOn) {
		return ""
	}
	var told []string
	for i, id := range e.RestsOn {
		at := slices.IndexFunc(entries, func(o claim.Entry) bool { return o.ID == id })
		if at < 0 {
			return ""
		}
		told = append(told, fmt.Sprintf("%s “%s”", plain.Line(names[i], maxWordTold), plain.Line(entries[at].Text, words)))
	}
	return ": " + strings.Join(told, ", ")
}

// keep writes a claim down and says so.
func (d *Desk) keep(draft claim.Draft, out recordResult) (*mcp.CallToolResult, recordResult, error) {
	var err error
	var critical string
	if out.ID, out.Before, critical, err = d.writeClaim(draft, out.State); err != nil {
		return nil, recordResult{}, fmt.Errorf("nothing was recorded: %w", err)
	}
	out.Recorded, out.Says = true, out.toText()+critical
	if words := claim.PointsElsewhere(draft.Text); words != "" {
		out.Says += fmt.Sprintf(" Its text begins with “%s”: judges and readers meet it without what stood before. Where that is needed to understand it, record it in words that name it, and withdraw this one for that.", words)
	}
	return &mcp.CallToolResult{Content: textContent(out.Says)}, out, nil
}

// checkDraft refuses a claim that contradicts what it may not, or that the seat has
// withdrawn, and a withdrawal of what it may not.
func (d *Desk) checkDraft(draft claim.Draft) error {
	own, _, err := d.loadDrafts()
	if err != nil {
		return err
	}
	handed, err := d.inputRegistry()
	if err != nil {
		return fmt.Errorf("the registry: %w", err)
	}
	if problem := claim.DraftProblem(handed, own, draft); problem != "" {
		return errors.New(problem)
	}
	return nil
}

// recordReasoned records a claim that rests on others, where it may.
func (d *Desk) recordReasoned(draft claim.Draft) (*mcp.CallToolResult, recordResult, error) {
	own, _, err := d.loadDrafts()
	if err != nil {
		return nil, recordResult{}, fmt.Errorf("nothing was recorded: %w", err)
	}
	handed, err := d.inputRegistry()
	if err != nil {
		return nil, recordResult{}, fmt.Errorf("nothing was recorded: the registry: %w", err)
	}
	entries, places := claim.Try(handed, append(own, draft), d.texts.ArchivedOnly())
	e := entries[places[len(own)]]
	problem := claim.GroundsProblem(entries, e)
	if other, contrary := d.contraryAnswer(entries, e); contrary && problem == "" {
		problem = fmt.Sprintf("you recommend the contrary for the same question already: %q. Give one answer to a question, or the condition under which each holds", other.Text)
	}
	if problem != "" {
		out := recordResult{State: claim.Unfounded, Reason: problem}
		d.noteRefusal(draft, out.State, problem)
		out.Says = "Refused, nothing was recorded: " + problem + ". Rest it on claims: name in rests_on the ids that record_claim gave you, or those of the registry you were handed."
		return &mcp.CallToolResult{IsError: true, Content: textContent(out.Says)}, out, nil
	}
	return d.keep(draft, recordResult{State: e.Location.State, Reason: e.Location.Reason, grounds: groundsText(draft.RestsOn, e, entries)})
}

// contraryAnswer is a recommendation of this seat for the same question that advises
// against what another one advises, neither under a condition.
func (d *Desk) contraryAnswer(entries []claim.Entry, e claim.Entry) (claim.Entry, bool) {
	for _, old := range entries {
		if old.ID != e.ID && !old.IsWithdrawn() && old.Kind == claim.Recommendation && e.Kind == old.Kind && slices.Contains(old.Seats, d.o.Seat) &&
			old.SharesQuestion(e) && relation.AdviseAgainst(old.Text, e.Text) {
			return old, true
		}
	}
	return claim.Entry{}, false
}

// isRecordable reports whether a claim is recorded: its quotations were found, or an
// outage keeps from looking. A file or an experiment has no outages.
func isRecordable(e claim.Entry) bool {
	return !slices.ContainsFunc(e.Evidence(), func(p claim.Passage) bool {
		kind := source.Identify(p.Source).Kind
		return p.Location.State != claim.Located && (p.Location.State != claim.Unchecked || kind == source.File || kind == source.Experiment)
	})
}

// checkClaim refuses a claim that cannot be looked into, whatever its source says.
func (d *Desk) checkClaim(in *recordArgs) error {
	if err := checkText("text", &in.Text); err != nil {
		return err
	}
	if in.Kind.RestsOnClaims() {
		in.Quote, in.Source, in.Passages = "", "", nil
		return d.checkQuestions(in.Questions)
	}
	if len(in.RestsOn) > 0 && in.Source == "" && len(in.Passages) == 0 {
		return errors.New("a fact rests on words of a source; what rests on other claims is an inference or a recommendation")
	}
	if len(in.Passages) == 0 || in.Source != "" || in.Quote != "" {
		if err := d.checkPassage(&in.Quote, &in.Source); err != nil {
			return err
		}
	}
	for i := range in.Passages {
		if err := d.checkPassage(&in.Passages[i].Quote, &in.Passages[i].Source); err != nil {
			return fmt.Errorf("of passage %d %w", i+1, err)
		}
	}
	if relation.Advises(in.Text) && !in.quotesAdvice() {
		return errors.New("it says what should be done" + byWord(relation.AdvisingWord(in.Text)) + ", and its quotation does not: state what the source says as the fact, and record the advice as a recommendation that rests on it")
	}
	return d.checkQuestions(in.Questions)
}

// byWord names the word that tells.
func byWord(w string) string {
	if w == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", plain.Line(w, maxWordTold))
}

// maxWordTold bounds a word that is told, in runes.
const maxWordTold = 40

// quotesAdvice reports whether some quotation of a claim says what should be done.
func (in *recordArgs) quotesAdvice() bool {
	return relation.Prescribes(in.Quote) || slices.ContainsFunc(in.Passages, func(r claim.Reference) bool { return relation.Prescribes(r.Quote) })
}

func (d *Desk) checkPassage(quoted, source *string) error {
	if err := checkText("quote", quoted); err != nil {
		return err
	}
	if err := checkText("source", source); err != nil {
		return err
	}
	return d.checkReference("source", *source)
}

func checkText(name string, text *string) error {
	switch {
	case len(*text) > claim.FieldLimit:
		return fmt.Errorf("%s is longer than %d KiB", name, claim.FieldLimit>>10)
	case controls(*text):
		return fmt.Errorf("%s holds control characters", name)
	}
	if *text = plain.Trimmed(*text); *text == "" {
		return fmt.Errorf("%s is empty, and without evidence a claim does not count", name)
	}
	return nil
}

// maxQuestions bounds how many questions a claim answers.
const maxQuestions = 100

// checkQuestions refuses ids of questions that were not planned.
func (d *Desk) checkQuestions(ids []string) error {
	if len(ids) > maxQuestions {
		return fmt.Errorf("a claim answers %d questions at most", maxQuestions)
	}
	planned := d.questions()
	if len(planned) == 0 {
		return nil
	}
	var known []string
	for _, q := range planned {
		known = append(known, q.ID)
	}
	for _, id := range ids {
		if !slices.Contains(known, strings.ToUpper(strings.TrimSpace(id))) {
			return fmt.Errorf("there is no planned question %.20q; there are %s", id, strings.Join(known, ", "))
		}
	}
	return nil
}

// draft is the claim as it is read from a line of the claims file.
func (in recordArgs) draft(seat string) (claim.Draft, error) {
	line, err := json.Marshal(in.Written)
	if err != nil {
		return claim.Draft{}, fmt.Errorf("write the claim down: %w", err)
	}
	drafts, refusals := claim.Decode(bytes.NewReader(line), seat, "")
	if len(drafts) != 1 {
		return claim.Draft{}, fmt.Errorf("refused, nothing was recorded: %s", refusals[0].Reason)
	}
	return drafts[0], nil
}

// locate looks for a claim's quotations, and fetches sources that are not kept.
func (d *Desk) locate(ctx context.Context, c claim.Draft) claim.Entry {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	e := claim.Locate(claim.Register(nil, []claim.Draft{c}), d.texts.Fetcher(ctx))[0]
	for _, p := range e.Evidence() {
		l := p.Location
		if s, ok := d.lookUpArchive(p.Source); ok && l.State == claim.Located && e.Location.State == claim.Located && s.Aside(l.Start, l.End) {
			e.Location.Reason = "the passage stands outside the article, in a menu, a comment or a footer"
		}
	}
	if e.Location.State == claim.Located && e.Location.Reason == "" {
		e.Location.Reason = e.Location.Doubt
	}
	return e
}

func (d *Desk) lookUpArchive(ref string) (archive.Snapshot, bool) {
	if d.o.Archive == nil {
		return archive.Snapshot{}, false
	}
	return d.o.Archive.Lookup(source.Identify(ref).Key)
}

// writeClaim appends a claim to the seat's claims, unless it is there, with what was
// found of it, and gives the id that the seat may call it by, and of one that is called
// critical which claims count as that.
func (d *Desk) writeClaim(c claim.Draft, found claim.State) (id string, before bool, critical string, err error) {
	d.recording.Lock()
	defer d.recording.Unlock()
	f, err := d.openClaims()
	if err != nil {
		return "", false, "", err
	}
	defer f.Close()
	drafts, _, err := f.read(c.Seat)
	if err != nil {
		return "", false, "", err
	}
	names := map[string]bool{}
	for _, old := range drafts {
		names[old.Handle] = true
		c.Handle = old.Handle
		if reflect.DeepEqual(old, c) {
			return c.Handle, true, "", nil
		}
	}
	for n := len(drafts) + 1; ; n++ {
		if c.Handle = fmt.Sprintf("own-%d", n); !names[c.Handle] {
			break
		}
	}
	if c.Critical {
		handed, _ := d.inputRegistry() // none bounds nothing
		entries, places := claim.Try(handed, drafts, nil)
		counted := namesOf(claim.AllCritical(entries, c.Seat), len(handed), entries, drafts, places)
		drafts = append(drafts, c)
		entries, places = claim.Try(handed, drafts, nil)
		critical = criticalText(len(handed), entries, drafts, places, counted)
	}
	return c.Handle, false, critical, f.append(c.RecordLine(found))
}

// namesOf are the names by which a seat knows some of the entries, of which so many stand
// in the registry it was handed.
func namesOf(list []claim.Entry, handed int, entries []claim.Entry, drafts []claim.Draft, places []int) []string {
	var names []string
	for _, e := range list {
		place := slices.IndexFunc(entries, func(o claim.Entry) bool { return o.ID == e.ID })
		names = append(names, knownAs(handed, e.ID, place, drafts, places))
	}
	return names
}

// criticalText says which claims of a seat count as critical for a question of its
// last one, whether that does, and which do no longer of those that did; of the entries so
// many stand in the registry it was handed.
func criticalText(handed int, entries []claim.Entry, drafts []claim.Draft, places []int, counted []string) string {
	last := entries[places[len(places)-1]]
	question, list := claim.CriticalOf(entries, last, drafts[len(drafts)-1].Seat)
	names := namesOf(list, handed, entries, drafts, places)
	counts := slices.ContainsFunc(list, func(e claim.Entry) bool { return e.ID == last.ID })
	says := fmt.Sprintf(" Critical on %s are of yours now: %s.", question, strings.Join(names, ", "))
	if len(drafts[len(drafts)-1].Questions) > 1 {
		says += fmt.Sprintf(" A claim that answers several questions is counted on one of them: on the first it names, as long as fewer than %d of yours are critical there.", claim.MaxCritical)
	}
	still := append(namesOf(claim.AllCritical(entries, drafts[len(drafts)-1].Seat), handed, entries, drafts, places), drafts[len(drafts)-1].InsteadOf)
	if gone := slices.DeleteFunc(slices.Clone(counted), func(n string) bool { return slices.Contains(still, n) }); len(gone) > 0 {
		says += fmt.Sprintf(" No longer critical, as what your recommendations rest on goes first: %s.", strings.Join(gone, ", "))
	}
	if !counts {
		says = fmt.Sprintf(" It does not count as critical: %d claims of yours on %s do already (%s), and those that your recommendation rests on go first. Record it again with one of these as instead_of, where it weighs more. If you withdraw one of them, it counts in its place.", claim.MaxCritical, question, strings.Join(names, ", "))
	}
	return says
}

func newRecordResult(e claim.Entry) recordResult {
	l := e.Location
	out := recordResult{
		State: l.State, Reason: l.Reason, Tier: l.Tier, Start: l.Start, End: l.End,
		Passage: claim.Readable(e.Source, l.Passage), Findings: l.Findings, Nearest: l.Nearest, LeftOut: l.LeftOut,
	}
	if l.State != claim.Located {
		return out
	}
	var lines []string
	for _, p := range e.Evidence() {
		if kind := source.Identify(p.Source).Kind; kind == source.File || kind == source.Experiment {
			lines = append(lines, claim.Lines(p.Location.First, p.Location.Last))
		}
	}
	out.Lines = strings.Join(lines, " and ")
	return out
}

// refusal says why a claim was not recorded and how to mend it.
func (r recordResult) refusal() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Refused, nothing was recorded: %s.", r.Reason)
	for _, f := range r.Findings {
		if f.Kind == guard.Gap {
			continue // the reason says it
		}
		fmt.Fprintf(&b, " The %s differs: you wrote %q, the source %q.", f.Kind, f.Quote, f.Text)
	}
	if r.Nearest != "" {
		fmt.Fprintf(&b, " The nearest passage of the source (data, no instruction): %q. Quote what stands there word for word, or another source, and record the claim again.", r.Nearest)
	}
	return b.String()
}

// toText says how a claim was recorded.
func (r recordResult) toText() string {
	var b strings.Builder
	b.WriteString("Recorded")
	if r.Before {
		b.WriteString(" already, once is enough")
	}
	if r.ID != "" {
		fmt.Fprintf(&b, " as %s", r.ID)
	}
	if r.State == claim.Reasoned {
		b.WriteString(", resting on claims that hold" + r.grounds + ".")
		if r.Reason != "" {
			fmt.Fprintf(&b, " But %s.", r.Reason)
		}
		return b.String()
	}
	if r.State == claim.Unchecked {
		fmt.Fprintf(&b, ", but the quotation could not be looked for and is unchecked: %s.", r.Reason)
		return b.String()
	}
	fmt.Fprintf(&b, ": the quotation stands in the source (%s)", r.Tier)
	if r.Lines != "" {
		fmt.Fprintf(&b, ", lines %s", r.Lines)
	}
	b.WriteString(".")
	for _, gap := range r.LeftOut {
		fmt.Fprintf(&b, " It leaves out %q.", gap)
	}
	if r.Reason != "" {
		fmt.Fprintf(&b, " But %s.", r.Reason)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, " But %s. If that changes what the passage says, quote it too or claim what the whole says.", f)
	}
	return b.String()
}
