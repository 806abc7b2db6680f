package desk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/claim"
)

// Bounds of a list.
const (
	maxListed   = 60       // claims of one answer
	maxField    = 300      // runes of a text in it
	maxRegistry = 64 << 20 // bytes of the registry's file
)

type listArgs struct {
	Offset   int      `json:"offset"`
	IDs      []string `json:"ids"`      // of the registry
	Question string   `json:"question"` // id of a planned question
	Words    string   `json:"words"`    // each of which a claim or its quotation has
}

// isSearch reports whether some claims alone are wanted.
func (a listArgs) isSearch() bool { return len(a.IDs) > 0 || a.Question != "" || a.Words != "" }

// wanted reports whether a claim is asked for.
func (a listArgs) wanted(e claim.Entry) bool {
	if len(a.IDs) > 0 && !slices.Contains(a.IDs, e.ID) || a.Question != "" && !slices.Contains(e.Questions, a.Question) {
		return false
	}
	stems := words.Stems(e.Text + " " + e.Quote)
	for _, s := range words.Stems(a.Words) {
		if !slices.Contains(stems, s) {
			return false
		}
	}
	return true
}

type listResult struct {
	Own      []item   `json:"own"`                // recorded by this seat
	Registry []item   `json:"registry,omitempty"` // handed to it
	Next     int      `json:"next_offset,omitempty"`
	Total    int      `json:"total"`
	Problems []string `json:"problems,omitempty"` // what could not be read
}

// item is a claim in a list.
type item struct {
	ID          string      `json:"id,omitempty"` // of the registry, or of its seat's own
	Kind        claim.Kind  `json:"kind,omitempty"`
	RestsOn     []string    `json:"rests_on,omitempty"`
	Contradicts []string    `json:"contradicts,omitempty"` // by its seat's word
	Text        string      `json:"text"`
	Source      string      `json:"source,omitempty"`
	State       claim.State `json:"state"`
	Reason      string      `json:"reason,omitempty"`
	Votes       string      `json:"votes,omitempty"`    // what they came to, where judges have voted
	Yours       bool        `json:"yours,omitempty"`    // of the registry, recorded by this seat
	As          string      `json:"as,omitempty"`       // and under this name
	Quote       string      `json:"quote,omitempty"`    // of one that was not found, or asked for
	Nearest     string      `json:"nearest,omitempty"`  // and the passage nearest to it
	LeftOut     []string    `json:"left_out,omitempty"` // what the quotation leaves out of its source
}

// list is the tool list_claims.
func (d *Desk) list(_ context.Context, _ *mcp.CallToolRequest, in listArgs) (*mcp.CallToolResult, listResult, error) {
	out := listResult{Own: []item{}}
	own, problems := d.ownClaims()
	handed, err := d.inputRegistry()
	if err != nil {
		problems = append(problems, "the registry: "+err.Error())
	}
	handed = d.withWithdrawals(handed)
	own, yours := withoutRegistered(d.o.Seat, own, handed)
	if in.isSearch() {
		unwanted := func(e claim.Entry) bool { return !in.wanted(e) }
		own, handed = slices.DeleteFunc(own, unwanted), slices.DeleteFunc(handed, unwanted)
	}
	out.Problems, out.Total = problems, len(own)+len(handed)
	if in.Offset > out.Total {
		return nil, listResult{}, fmt.Errorf("offset %d is beyond the list, which has %d claims", in.Offset, out.Total)
	}
	end := min(in.Offset+maxListed, out.Total)
	for i := in.Offset; i < end; i++ {
		if i < len(own) {
			out.Own = append(out.Own, itemOf(own[i]))
			continue
		}
		found := itemOf(handed[i-len(own)])
		found.As, found.Yours = yours[found.ID], slices.Contains(handed[i-len(own)].Seats, d.o.Seat)
		if in.isSearch() {
			found.Quote = plain.Line(handed[i-len(own)].Quote, maxField)
		}
		out.Registry = append(out.Registry, found)
	}
	if end < out.Total {
		out.Next = end
	}
	return &mcp.CallToolResult{Content: textContent(out.toText())}, out, nil
}

// withoutRegistered are those of a seat's claims that are not as they stand in the
// registry it was handed, and of the others the seat's own names, by their ids there.
func withoutRegistered(seat string, own, handed []claim.Entry) (left []claim.Entry, names map[string]string) {
	type said struct {
		text, quote string
		kind        claim.Kind
	}
	registered := map[said][]string{}
	for _, e := range handed {
		if slices.Contains(e.Seats, seat) {
			as := said{e.Text, e.Quote, e.Kind}
			registered[as] = append(registered[as], e.ID)
		}
	}
	names = map[string]string{}
	for _, e := range own {
		as := said{e.Text, e.Quote, e.Kind}
		if ids := registered[as]; len(ids) > 0 {
			names[ids[0]], registered[as] = e.ID, ids[1:]
			continue
		}
		left = append(left, e)
	}
	return left, names
}

// ownClaims are the seat's claims and where their quotations stand, as far as that
// is known without fetching, under the ids that the desk has given them.
func (d *Desk) ownClaims() (entries []claim.Entry, problems []string) {
	drafts, refusals, err := d.loadDrafts()
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, r := range refusals {
		problems = append(problems, fmt.Sprintf("%s line %d: %s", claimsFile, r.Line, r.Reason))
	}
	entries, places := claim.Try(nil, drafts, d.texts.ArchivedOnly())
	handed, err := d.inputRegistry()
	if err == nil && len(handed) > 0 && slices.ContainsFunc(drafts, func(c claim.Draft) bool { return c.Kind.RestsOnClaims() || c.Withdraws != "" }) {
		all, behind := claim.Try(handed, drafts, d.texts.ArchivedOnly())
		for i, place := range places {
			if place >= 0 && (entries[place].Kind.RestsOnClaims() || all[behind[i]].IsWithdrawn()) {
				entries[place].Location = all[behind[i]].Location
			}
		}
	}
	for i := range entries {
		entries[i].ID = "" // a number of this list only; the registry gives others
	}
	for i, place := range places {
		if place >= 0 {
			entries[place].ID, entries[place].RestsOn = cmp.Or(entries[place].ID, drafts[i].Handle), restingOn(drafts[i].RestsOn, drafts)
			entries[place].Contradicts = objections(drafts[i])
		}
	}
	return entries, problems
}

// restingOn are claims as a seat has named them, each that it has replaced by what stands
// for it.
func restingOn(names []string, drafts []claim.Draft) []string {
	names = slices.Clone(names)
	for _, d := range drafts { // in the order in which they were replaced
		for i, name := range names {
			if d.ReplacedBy != "" && name == d.Withdraws {
				names[i] = d.ReplacedBy
			}
		}
	}
	return names
}

// objections are those of a draft, by the names it gives.
func objections(c claim.Draft) []claim.Objection {
	var list []claim.Objection
	for _, id := range c.Contradicts {
		list = append(list, claim.Objection{ID: id, Seat: c.Seat})
	}
	return list
}

// withWithdrawals is the registry as it is once what the seat has withdrawn is no more.
func (d *Desk) withWithdrawals(handed []claim.Entry) []claim.Entry {
	drafts, _, err := d.loadDrafts()
	if err != nil {
		return handed
	}
	return claim.Register(handed, slices.DeleteFunc(drafts, func(c claim.Draft) bool { return c.Withdraws == "" }))
}

// loadDrafts reads the claims that are kept, and those in the seat's own file, which
// the program has yet to take in.
func (d *Desk) loadDrafts() ([]claim.Draft, []claim.Refusal, error) {
	d.recording.Lock()
	defer d.recording.Unlock()
	f, err := d.openClaims()
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	drafts, _, err := f.read(d.o.Seat)
	if err != nil {
		return nil, nil, err
	}
	data, err := readFile(d.seat, claimsFile, claim.FileLimit)
	if err != nil {
		return drafts, nil, nil // it has written none
	}
	written, refused := claim.Decode(bytes.NewReader(data), d.o.Seat, "")
	return claim.AppendNew(drafts, written), refused, nil
}

// inputRegistry is the registry that the seat was handed, if there is one: entries
// alone, or with what came of comparing them.
func (d *Desk) inputRegistry() ([]claim.Entry, error) {
	root, name := d.seat, filepath.Join("inputs", claim.RegistryFile)
	if d.o.Registry != "" {
		folder, err := os.OpenRoot(filepath.Dir(d.o.Registry))
		if err != nil {
			return nil, withoutPath(err)
		}
		defer folder.Close()
		root, name = folder, filepath.Base(d.o.Registry)
	}
	data, err := readFile(root, name, maxRegistry)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	reg, err := claim.ParseRegistry(data)
	if err != nil {
		return nil, errors.New("it cannot be read")
	}
	return reg.Entries, nil
}

// readFile reads a plain file below a folder, up to a limit.
func readFile(root *os.Root, name string, most int64) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, withoutPath(err)
	}
	return data, nil
}

func itemOf(e claim.Entry) item {
	i := item{ID: e.ID, Kind: e.Kind, RestsOn: e.RestsOn, Text: plain.Line(e.Text, maxField), Source: plain.Line(e.Source, maxField), State: e.Location.State, Reason: plain.Line(e.Location.Reason, maxField)}
	if e.Support != nil && e.Verdict() != claim.Unjudged {
		i.Votes = e.Verdict()
	}
	for _, o := range e.Contradicts {
		if !slices.Contains(i.Contradicts, o.ID) {
			i.Contradicts = append(i.Contradicts, o.ID)
		}
	}
	for _, gap := range e.Location.LeftOut {
		i.LeftOut = append(i.LeftOut, plain.Line(gap, maxField))
	}
	if len(e.Passages) > 1 {
		i.Source = ""
		for _, p := range e.Passages {
			i.Source += plain.Line(p.Source, maxField) + "; "
		}
		i.Source = strings.TrimSuffix(i.Source, "; ")
	}
	if e.Location.State == claim.NotFound {
		i.Quote, i.Nearest = plain.Line(e.Quote, maxField), plain.Line(e.Location.Nearest, maxField)
	}
	return i
}

func (l listResult) toText() string {
	var b strings.Builder
	if l.Total == 0 {
		b.WriteString("No claims yet that fit.\n")
	}
	section(&b, "You have recorded:", l.Own)
	section(&b, "The registry you were handed holds:", l.Registry)
	for _, p := range l.Problems {
		fmt.Fprintf(&b, "Cannot be read: %s.\n", p)
	}
	if l.Next > 0 {
		fmt.Fprintf(&b, "There are %d claims in all; go on with offset %d.\n", l.Total, l.Next)
	}
	return b.String()
}

func section(b *strings.Builder, head string, items []item) {
	if len(items) == 0 {
		return
	}
	b.WriteString(head + "\n")
	for _, i := range items {
		b.WriteString("- ")
		if i.ID != "" {
			b.WriteString(i.ID + " ")
		}
		if i.Yours {
			b.WriteString("(yours" + prefixed(", ", i.As) + ") ")
		}
		where := i.Source
		if i.Kind.RestsOnClaims() {
			where = fmt.Sprintf("%s, resting on %s", i.Kind, strings.Join(i.RestsOn, ", "))
		}
		fmt.Fprintf(b, "%s [%s] %s", i.Text, where, i.State)
		if i.Reason != "" {
			b.WriteString(": " + i.Reason)
		}
		if i.Votes != "" {
			b.WriteString("; votes: " + votesText[i.Votes])
		}
		if len(i.Contradicts) > 0 {
			fmt.Fprintf(b, "; by its seat's word it contradicts %s", strings.Join(i.Contradicts, ", "))
		}
		for _, gap := range i.LeftOut {
			fmt.Fprintf(b, "; it leaves out %q", gap)
		}
		if i.Quote != "" {
			fmt.Fprintf(b, "; quoted as %q", i.Quote)
		}
		if i.Nearest != "" {
			fmt.Fprintf(b, "; the nearest passage is %q", i.Nearest)
		}
		b.WriteString("\n")
	}
}

// votesText says of a claim what the votes on it came to.
var votesText = map[string]string{
	claim.Supports: "supported", claim.Qualifies: "supported in part", claim.Contradicts: "contradicted", claim.Undecided: "undecided",
}

// prefixed is a text behind another; "" where there is none.
func prefixed(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
