package driver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"research-council/internal/agent"
	"research-council/internal/claim"
	"research-council/internal/flow"
	"research-council/internal/loop"
	"research-council/internal/recipe"
	"research-council/internal/report"
	"research-council/internal/source"
)

// program is the program's own work for a task, on the run as it is now.
func (s *supervisor) program(t flow.TaskState) func() flow.Result {
	r := s.run
	work := map[string]func() error{
		recipe.Registry:  func() error { return s.gather(r, recipe.Research) },
		recipe.Judgement: func() error { return s.gather(r, recipe.Refinement) },
		recipe.Report:    func() error { return s.writeFinal(r) },
	}[t.Role]
	return func() flow.Result {
		if work == nil {
			return failed(agent.Terminal, fmt.Errorf("the program knows no work called %q", t.Role))
		}
		if err := work(); err != nil {
			return failed(agent.Terminal, err)
		}
		return flow.Result{Iterations: 1, Artefact: loop.Artefact{SHA256: t.ID, Usable: true, Complete: true}}
	}
}

// gather registers what the seats of a stage have claimed and looks for each
// quotation.
func (s *supervisor) gather(r flow.Run, stage string) error {
	entries := s.registry()
	for _, t := range r.Visited(stage) {
		if t.Outcome.Good() {
			entries = claim.Register(entries, s.claims(t))
		}
	}
	entries = claim.Locate(entries, library{scope: s.setup.Scope})
	data, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return fmt.Errorf("write registry: %w", err)
	}
	return s.folder.Write(recipe.RegistryFile, append(data, '\n'))
}

const claimsFile = "claims.jsonl"

// claims reads what a seat has claimed: its claims file, or where it left none
// the sentences of its report that carry a reference.
func (s *supervisor) claims(t flow.TaskState) []claim.Draft {
	data, err := s.folder.Read(path.Join(dirOf(t.Task), claimsFile))
	if err == nil {
		drafts, refused := claim.Decode(bytes.NewReader(data), t.Seat, t.Role)
		for _, r := range refused {
			s.log(fmt.Sprintf("%s: %s line %d: %s", t.Seat, claimsFile, r.Line, r.Reason))
		}
		if len(drafts) > 0 {
			return drafts
		}
	}
	text, err := s.folder.Read(t.Writes)
	if err != nil {
		return nil
	}
	return report.Claims(text, t.Seat, t.Role)
}

// library gives the texts of local sources, below the run's scope alone.
type library struct{ scope string }

// mostSource bounds a local source, in bytes.
const mostSource = 16 << 20

func (l library) Text(ref string) (claim.Text, error) {
	src := source.Identify(ref)
	if src.Kind != source.File {
		return claim.Text{}, claim.ErrRemote
	}
	if l.scope == "" {
		return claim.Text{}, errors.New("the run has no local sources")
	}
	root, err := os.OpenRoot(l.scope)
	if err != nil {
		return claim.Text{}, err
	}
	defer root.Close()
	info, err := root.Stat(src.Path)
	if err != nil {
		return claim.Text{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostSource {
		return claim.Text{}, fmt.Errorf("%s is no file that can be checked", src.Path)
	}
	data, err := root.ReadFile(src.Path)
	return claim.Text{Body: string(data), FirstLine: 1}, err
}

// writeFinal renders the final report from whatever there is.
func (s *supervisor) writeFinal(r flow.Run) error {
	f := report.Final{
		Topic: r.Setup.Topic, ID: s.ID, Status: string(r.Status), Reason: r.Reason,
		Registry: claim.Registry{Entries: s.registry()}, Began: r.Began, Ended: time.Now().UTC(), Scope: r.Setup.Scope,
		USD: r.Spent.USD, Estimated: r.Spent.Estimated, Tokens: r.Spent.Tokens,
		Writer: writer(r), Seats: seatLines(r),
	}
	for _, m := range r.Setup.Missing {
		f.Missing = append(f.Missing, m.Seat+": "+m.Reason)
	}
	if draft, err := s.folder.Read(recipe.SynthesisFile); err == nil {
		f.Draft = draft
	}
	if f.Status == "" {
		f.Status, f.Reason = string(flow.Completed), ""
		if r.Refused != "" {
			f.Status, f.Reason = string(flow.OutOfBudget), r.Refused
		}
	}
	return s.folder.Write(recipe.FinalReport, report.Render(f))
}

func writer(r flow.Run) string {
	for _, t := range r.Visited(recipe.Synthesis) {
		if t.Outcome.Good() {
			return t.Seat
		}
	}
	return flow.Program
}

// seatLines says what really ran: each seat's research, and its refinement.
func seatLines(r flow.Run) []report.SeatLine {
	refined := map[string]bool{}
	for _, t := range r.Visited(recipe.Refinement) {
		refined[t.Seat] = t.Outcome.Good()
	}
	var lines []report.SeatLine
	for _, stage := range []string{recipe.Research, recipe.Refinement} {
		for _, t := range r.Visited(stage) {
			seat, _ := r.Seat(t.Seat)
			good, tried := refined[t.Seat]
			lines = append(lines, report.SeatLine{
				Name: t.Seat, Role: t.Role, Model: seat.Model, Outcome: string(t.Outcome), Reason: strings.TrimSpace(t.Reason),
				Iterations: t.Loop.Iterations, Carried: stage == recipe.Research && tried && !good,
			})
		}
	}
	return lines
}
