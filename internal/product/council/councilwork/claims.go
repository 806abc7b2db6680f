package councilwork

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/citation"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/vote"
	"github.com/research-council/research-council/internal/output/report"
	"github.com/research-council/research-council/internal/product/council"
)

const ClaimsFile = "claims.jsonl"

// SeatClaims reads what a seat has claimed: its claims file, or where it left none
// the sentences of its report that carry a reference.
func (s *registrar) SeatClaims(t flow.TaskState) []claim.Draft {
	drafts := s.drafts(t)
	for i := range drafts {
		s.nameSources(&drafts[i])
	}
	return drafts
}

// nameSources gives the sources of a draft one name each, however a file was named.
func (s *registrar) nameSources(d *claim.Draft) {
	d.Source = s.texts.Canonical(d.Source)
	d.More = slices.Clone(d.More)
	for i, r := range d.More {
		d.More[i].Source = s.texts.Canonical(r.Source)
	}
}

func (s *registrar) drafts(t flow.TaskState) []claim.Draft {
	if drafts := s.Recorded(t); len(drafts) > 0 {
		return drafts
	}
	name := t.Writes
	if file, kept := s.Flow.KeptFile(t.Task); kept {
		name = path.Join(workspace.Seats, file)
	}
	text, err := s.Folder.Read(name)
	if err != nil {
		return nil
	}
	return setFamily(s.citedDrafts(t, text), t.Brand)
}

// maxCitedClaims bounds the claims read out of a report whose seat has recorded
// none: more are no longer looked at by anybody.
const maxCitedClaims = 2000

// citedDrafts makes claims of what a report states with its sources.
func (s *registrar) citedDrafts(t flow.TaskState, text []byte) []claim.Draft {
	doc, err := citation.Parse(text, "text/markdown")
	if err != nil {
		s.Log(fmt.Sprintf("%s: %s cannot be read: %v", t.Seat, t.Writes, err))
		return nil
	}
	var drafts []claim.Draft
	for _, c := range doc.Cited() {
		if len(drafts) < maxCitedClaims && len(c.Text) <= claim.FieldLimit && len(c.Quote) <= claim.FieldLimit {
			drafts = append(drafts, claim.Draft{Text: plain.Trimmed(c.Text), Quote: plain.Trimmed(c.Quote), Source: plain.Trimmed(c.Source), Seat: t.Seat, Round: t.Role})
		}
	}
	return drafts
}

// Recorded is what a seat has recorded.
func (s *registrar) Recorded(t flow.TaskState) []claim.Draft {
	drafts, refused := s.takeRecords(t)
	for _, r := range refused {
		s.Log(fmt.Sprintf("%s: %s: %s", t.Seat, placeOf(ClaimsFile, r), r.Reason))
	}
	return setFamily(drafts, t.Brand)
}

// placeOf is where in a file something was refused, as far as that is known: what was
// recorded at a desk stands in no line.
func placeOf(file string, r claim.Refusal) string {
	if r.Line == 0 {
		return file
	}
	return fmt.Sprintf("%s line %d", file, r.Line)
}

// takeRecords takes what a seat has written into its file of claims to what it
// has recorded before, at its desk or there, where the seat cannot write: what
// was recorded once stays, whatever becomes of the file. It gives all of it, and
// the lines that are no claims.
func (s *registrar) takeRecords(t flow.TaskState) ([]claim.Draft, []claim.Refusal) {
	s.records.Lock()
	defer s.records.Unlock()
	name := claim.RecordsFile(t.Seat)
	kept, _ := s.Folder.Read(name) // none is empty
	drafts, _ := claim.Decode(bytes.NewReader(kept), t.Seat, t.Role)
	data, err := s.Folder.Read(path.Join(s.TaskFolder(t.Task), ClaimsFile))
	if err != nil {
		return drafts, nil
	}
	written, refused := claim.Decode(bytes.NewReader(data), t.Seat, t.Role)
	if t.Role == council.Research {
		written, refused = withoutForeignGrounds(written, refused)
	}
	all, refused := s.withoutWrongNames(t, drafts, written, refused)
	var lines []byte
	for _, d := range all[len(drafts):] {
		lines = append(lines, d.Line()...)
	}
	if len(kept) > 0 && kept[len(kept)-1] != '\n' {
		lines = append([]byte{'\n'}, lines...)
	}
	if len(all) == len(drafts) {
		return all, refused
	}
	if len(kept)+len(lines) > claim.FileLimit {
		s.Log(fmt.Sprintf("%s has recorded more than %d MiB; the rest is not kept", t.Seat, claim.FileLimit>>20))
		return all, refused
	}
	if err := errors.Join(s.Folder.Mkdir(claim.Records), s.Folder.Append(name, lines)); err != nil {
		s.Log(fmt.Sprintf("What %s has recorded could not be kept: %v", t.Seat, err))
	}
	return all, refused
}

// withoutWrongNames puts behind what a seat has recorded what it has written since, but
// for the lines that contradict or withdraw what they may not.
func (s *registrar) withoutWrongNames(t flow.TaskState, kept, written []claim.Draft, refused []claim.Refusal) ([]claim.Draft, []claim.Refusal) {
	all := claim.AppendNew(kept[:len(kept):len(kept)], written)
	names := func(d claim.Draft) bool { return len(d.Contradicts) > 0 || d.Withdraws != "" }
	if !slices.ContainsFunc(all[len(kept):], names) {
		return all, refused
	}
	var known []claim.Entry // what the seat was handed
	if t.Role != council.Research {
		known = s.Registry().Entries
	}
	added := all[len(kept):]
	good, own := kept[:len(kept):len(kept)], kept[:len(kept):len(kept)]
	for _, d := range added {
		if d.Withdraws == "" {
			own = append(own, d) // whichever line it stands in
		}
	}
	allowed := claim.NewNames(known, own)
	for _, d := range added {
		if !names(d) {
			good = append(good, d)
			continue
		}
		if problem := allowed.Problem(d); problem != "" {
			refused = append(refused, claim.Refusal{Reason: problem})
			continue
		}
		good = append(good, d)
	}
	return good, refused
}

// withoutForeignGrounds leaves out the claims of a seat that has been handed no
// registry and yet rest on ids of one: whatever has these ids later is not what it means.
func withoutForeignGrounds(drafts []claim.Draft, refused []claim.Refusal) ([]claim.Draft, []claim.Refusal) {
	own := map[string]bool{}
	for _, d := range drafts {
		own[d.Handle] = true
	}
	var kept []claim.Draft
	for _, d := range drafts {
		at := slices.IndexFunc(d.RestsOn, func(id string) bool { return !own[id] })
		if at < 0 {
			kept = append(kept, d)
			continue
		}
		refused = append(refused, claim.Refusal{Reason: fmt.Sprintf("%q rests on %s, which no line has as its id; call yours otherwise than the registry does, a1 and so on", plain.Line(d.Text, supervisor.MaxForeignRunes), d.RestsOn[at])})
	}
	return kept, refused
}

func setFamily(drafts []claim.Draft, family string) []claim.Draft {
	for i := range drafts {
		drafts[i].Family = family
	}
	return drafts
}

// debate is what a debate came to; nil when there was none.
func (s *registrar) debate() *report.Debate {
	data, err := s.Folder.Read(council.DebateFile)
	if err != nil {
		return nil
	}
	var d vote.Result
	if json.Unmarshal(data, &d) != nil {
		return nil
	}
	return &report.Debate{Thread: d.ThreadID, Rounds: d.Rounds, Equilibrium: string(d.Equilibrium), Insight: d.Insight, Transcript: council.Transcript}
}

func reportWriter(r flow.Run) string {
	for _, t := range append(r.LastTasks(council.Synthesis), r.LastTasks(agent.Prose)...) {
		if t.Outcome.Good() {
			return t.Seat
		}
	}
	return flow.Program
}

// seatLines says what really ran: what each seat has done, stage by stage, for
// a council its research and its refinement.
func (s *author) seatLines(r flow.Run) []report.SeatLine {
	refined := map[string]bool{}
	for _, t := range r.LastTasks(council.Refinement) {
		refined[t.Seat] = t.Outcome.Good()
	}
	var lines []report.SeatLine
	for _, t := range s.reportedTasks(r) {
		seat, _ := r.Seat(t.Seat)
		good, tried := refined[t.Seat]
		lines = append(lines, report.SeatLine{
			Name: t.Seat, Role: strings.TrimSpace(t.Role + " " + t.Agent), Model: seat.Model, Outcome: string(t.Outcome), Reason: strings.TrimSpace(t.Reason),
			Iterations: t.Loop.Iterations, Carried: t.Role == council.Research && tried && !good,
		})
	}
	return lines
}

// researchTasks is what each seat did in the research, in whichever visit it took
// part.
func researchTasks(r flow.Run) []flow.TaskState {
	var list []flow.TaskState
	for _, v := range append(r.History[:len(r.History):len(r.History)], flow.Visit{Stage: r.Stage, Tasks: r.Tasks}) {
		if v.Stage != council.Research {
			continue
		}
		for _, t := range v.Tasks {
			list = slices.DeleteFunc(list, func(old flow.TaskState) bool { return old.Seat == t.Seat })
			list = append(list, t)
		}
	}
	return list
}

// reportedTasks are the tasks a report names.
func (s *author) reportedTasks(r flow.Run) []flow.TaskState {
	list := append(researchTasks(r), r.LastTasks(council.Refinement)...)
	visits := append(r.History[:len(r.History):len(r.History)], flow.Visit{Stage: r.Stage, Tasks: r.Tasks})
	for _, v := range visits {
		for _, t := range v.Tasks {
			if asksForAnswer(t.Role) || s.Voters && t.Role == council.Support {
				list = append(list, t)
			}
		}
	}
	return list
}
